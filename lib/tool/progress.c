/* progress - how far a long run is, on standard error */
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "private.h"

#define FIRST_MS 1000		/* shorter work shows nothing */
#define EVERY_MS 200
#define PULLS 4096		/* rows between looks at the clock */

static int64_t
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void
tp_tool_progress(struct tp_run *run)
{
	struct tp_progress *g = &run->private->progress;
	uint64_t done, total;
	int64_t ms;

	if (!g->next_ms) {
		g->on = !run->quiet && isatty(STDERR_FILENO);
		g->next_ms = now_ms() + FIRST_MS;
	}
	if (!g->on || ++g->pulls % PULLS || !run->private->in)
		return;
	ms = now_ms();
	if (ms < g->next_ms)
		return;
	g->next_ms = ms + EVERY_MS;
	g->shown = 1;
	tp_in_progress(run->private->in, &done, &total);
	if (total)
		fprintf(stderr, "\r%s: input %zu of %zu, %3d %%\033[K",
		    run->tool->name, run->private->next_input,
		    run->private->input_count, (int)(done * 100 / total));
	else
		fprintf(stderr, "\r%s: %llu MB\033[K", run->tool->name,
		    (unsigned long long)(done / 1000000));
}

void
tp_tool_progress_off(struct tp_run *run)
{
	struct tp_progress *g = &run->private->progress;

	if (g->shown)
		fputs("\r\033[K", stderr);
	g->shown = 0;
}
