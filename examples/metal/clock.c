/*
 * What the GPU did about its work: when it was active, which is the union of
 * all intervals, and its clock, which rises a little after work has begun
 * and falls when there is none for a while.  Nothing here is random.
 */
#include "mkflux.h"

#define MS INT64_C(1000000)

/* Pauses that the clock does not notice. */
#define STEADY (2 * MS)
/* From the start of work to the highest clock. */
#define RISE (9 * MS)
/* From the end of work to the next lower clocks. */
#define FALL (24 * MS)
#define REST (300 * MS)

static void
activity(struct run *run, int64_t start, int64_t end, unsigned events)
{
	struct activity *a;

	if (start >= end)
		return;
	a = LIST_ADD(run->activity);
	*a = (struct activity){ start, end, events };
}

static void
unite(struct run *run)
{
	int64_t start = 0, end = 0;
	unsigned events = 0;

	for (size_t i = 0; i < run->intervals.n; i++) {
		const struct interval *v = &run->intervals.v[i];

		if (events && v->start > end) {
			activity(run, start, end, events);
			activity(run, end, v->start, 0);
			events = 0;
		}
		if (!events++)
			start = v->start;
		if (events == 1 || v->end > end)
			end = v->end;
	}
	if (events)
		activity(run, start, end, events);
}

static void
clock_add(struct run *run, int64_t start, int64_t end, int state)
{
	struct clock *c;

	if (start >= end)
		return;
	c = run->clocks.n ? &run->clocks.v[run->clocks.n - 1] : NULL;
	if (c && c->end == start && c->state == state) {
		c->end = end;
		return;
	}
	c = LIST_ADD(run->clocks);
	*c = (struct clock){ start, end, (unsigned char)state };
}

static int64_t
least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* No work from START to END, after the highest clock. */
static void
rest(struct run *run, int64_t start, int64_t end)
{
	int64_t fall = least(start + FALL, end), low = least(start + REST, end);

	clock_add(run, start, fall, MAXIMUM);
	clock_add(run, fall, low, MEDIUM);
	clock_add(run, low, end, MINIMUM);
}

void
clock_make(struct run *run)
{
	int64_t start, end = 0, high;
	size_t i = 0;

	unite(run);
	while (i < run->activity.n) {
		start = run->activity.v[i].start;
		if (end)
			rest(run, end, start);
		else
			clock_add(run, 0, start, MINIMUM);
		for (; i < run->activity.n && (run->activity.v[i].events ||
		    run->activity.v[i].end - run->activity.v[i].start <
		    STEADY); i++)
			end = run->activity.v[i].end;
		high = least(start + RISE, end);
		clock_add(run, start, high, MEDIUM);
		clock_add(run, high, end, MAXIMUM);
		i++;		/* the pause */
	}
	if (end)
		rest(run, end, run->duration);
}
