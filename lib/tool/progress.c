/*
 * progress - a line on the terminal that shows the progress of long work
 *
 * A thread draws it, so that it moves wherever the work is: waiting for a
 * pipe, reading, or joining rows.  The work only says which input it is at.
 * The thread exists only if standard error is a terminal.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <tp/os.h>
#include <tp/text.h>

#include "tool_parts.h"

#define FIRST_MS 1000		/* shorter work shows no line */
#define EVERY_MS 200

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int64_t
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void
put(const char *text, size_t len)
{
	ssize_t n = write(STDERR_FILENO, text, len);

	(void)n;	/* a failure only loses a line */
}

static void
wipe(struct tp_progress *g)
{
	if (g->shown)
		put("\r\033[K", 4);
	g->shown = 0;
}

/*
 * Whether this program may draw now.  Others on the same terminal, in a
 * pipeline or under make, wait until the first has ended.  A background process
 * does not draw: writing could stop it.
 */
static int
is_mine(struct tp_progress *g)
{
	pid_t front = tcgetpgrp(STDERR_FILENO);
	const char *name;

	if (front >= 0 && front != getpgrp())
		return 0;
	if (g->terminal < 0 && (name = ttyname(STDERR_FILENO)))
		g->terminal = open(name, O_RDONLY | O_NOCTTY | O_NONBLOCK |
		    O_CLOEXEC);
	return g->terminal < 0 || g->mine || (g->mine =
	    !tp_os_lock(g->terminal, 0) || errno != EWOULDBLOCK);
}

/*
 * Describe the progress at MS in WORK.  Returns 0 if there is nothing to show.
 */
static int
look(struct tp_run *run, int64_t ms, struct tp_work *work)
{
	struct tp_progress *g = &run->private->progress;
	int reads_tables = run->tool->flags & (TP_TOOL_TABLES |
	    TP_TOOL_EVENTS | TP_TOOL_TEXT);
	uint64_t done = 0, size = 0;
	int reading;

	if (g->in)
		tp_in_progress(g->in, &done, &size);
	reading = g->in && !(size && done >= size);
	if (reading != g->reading) {
		g->reading = reading;
		g->since_ms = ms;
	}
	if (reading)
		tp_pace_step(&g->pace, g->before + done, g->total, ms);
	/* nothing read yet from a pipe: its writer may be drawing */
	if (!g->pace.done && !g->total)
		return 0;
	work->who = g->who.p ? g->who.p : run->tool->name;
	work->verb = reading ? g->verb : reads_tables ? "analysing" :
	    "working on";
	/* readers of a report do not care about its intermediate records */
	if (g->who.p && !reads_tables)
		work->verb = NULL;
	work->count = run->private->input_count;
	work->number = g->in ? g->number : 0;
	work->name = work->count > 1 && !g->in ? NULL : g->name.p;
	work->so_far_ms = reading ? -1 : ms - g->since_ms;
	return 1;
}

static void
draw(struct tp_run *run, int64_t ms)
{
	struct tp_progress *g = &run->private->progress;
	struct tp_screen screen = { .dots = ".." };
	struct tp_buf line = { 0 };
	struct tp_work work;

	if (!look(run, ms, &work) || ms < g->begun_ms + FIRST_MS ||
	    !is_mine(g))
		return;
	screen.width = tp_os_columns(STDERR_FILENO);
	if (screen.width) {
		tp_buf_chr(&line, '\r');
		tp_pace_line(&g->pace, &work, &screen, &line);
		tp_buf_str(&line, "\033[K");
		g->shown = 1;
	}
	if (screen.width)
		put(line.p, line.len);
	tp_buf_release(&line);
}

static void *
watch(void *arg)
{
	const struct timespec pause = { 0, EVERY_MS * 1000000 };
	struct tp_run *run = arg;
	int on;

	do {
		nanosleep(&pause, NULL);
		pthread_mutex_lock(&lock);
		on = run->private->progress.on;
		if (on)
			draw(run, now_ms());
		pthread_mutex_unlock(&lock);
	} while (on);
	return NULL;
}

/*
 * Sum the sizes of the inputs.  The share done is of all inputs, and is not
 * shown if the size of one is unknown.
 */
static void
sum_input_sizes(struct tp_run_private *p)
{
	struct tp_operand *o;
	struct stat st;
	int known = 1;

	for (size_t i = 0; i < p->input_count; i++) {
		o = &p->inputs[i];
		if (strcmp(o->path, "-") ? stat(o->path, &st) :
		    fstat(STDIN_FILENO, &st))
			continue;	/* unreadable: it adds nothing */
		known &= S_ISREG(st.st_mode) && st.st_size;
		o->size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
		p->progress.total += o->size;
	}
	if (!known)
		p->progress.total = 0;
}

static void
start_progress(struct tp_run *run)
{
	struct tp_progress *g = &run->private->progress;
	const char *term = getenv("TERM"), *who = getenv("TP_PROGRESS");
	pthread_t thread;

	g->asked = 1;
	/* a recipe runs its filters with --quiet and sets TP_PROGRESS */
	if ((run->quiet && !(who && *who)) || !isatty(STDERR_FILENO) ||
	    !term || !*term || !strcmp(term, "dumb"))
		return;
	if (who && *who)
		tp_show_text(&g->who, who, strlen(who));
	if (who && *who && run->tool->step)
		tp_buf_fmt(&g->who, ": %s", run->tool->step);
	sum_input_sizes(run->private);
	g->begun_ms = g->since_ms = now_ms();
	g->terminal = -1;
	g->on = 1;
	if (pthread_create(&thread, NULL, watch, run))
		g->on = 0;
	else
		pthread_detach(thread);
}

/* Set the shown name of the current input, safe for a terminal. */
static void
name_input(struct tp_run *run)
{
	struct tp_progress *g = &run->private->progress;
	const char *name = tp_in_name(run->private->in), *slash =
	    strrchr(name, '/');

	if (!strcmp(name, "<stdin>"))
		name = "standard input";
	else if (slash && slash[1])
		name = slash + 1;
	tp_buf_clear(&g->name);
	tp_show_text(&g->name, name, strlen(name));
}

void
tp_tool_progress(struct tp_run *run, const char *verb, size_t number)
{
	struct tp_run_private *p = run->private;
	struct tp_progress *g = &p->progress;

	if (!g->asked)
		start_progress(run);
	if (!g->on)
		return;
	pthread_mutex_lock(&lock);
	/* count earlier inputs as done, whether read or unreadable */
	if (number < g->number || !g->number)
		g->before = 0, g->number = 1;
	for (; g->number < number; g->number++)
		g->before += p->inputs[g->number - 1].size;
	g->verb = verb;
	g->in = p->in;
	name_input(run);
	pthread_mutex_unlock(&lock);
}

void
tp_tool_progress_closing(struct tp_run *run)
{
	struct tp_progress *g = &run->private->progress;
	struct tp_operand *o;

	if (!g->on)
		return;
	pthread_mutex_lock(&lock);
	o = g->number ? &run->private->inputs[g->number - 1] : NULL;
	if (g->in && o && !o->size)
		o->size = tp_in_bytes(g->in);
	g->in = NULL;
	pthread_mutex_unlock(&lock);
}

void
tp_tool_progress_hide(struct tp_run *run)
{
	struct tp_progress *g = &run->private->progress;

	if (!g->on)
		return;
	pthread_mutex_lock(&lock);
	/* another step of the report may have drawn the line */
	g->shown |= g->who.p != NULL;
	wipe(g);
}

void
tp_tool_progress_show(struct tp_run *run)
{
	if (run->private->progress.on)
		pthread_mutex_unlock(&lock);
}

void
tp_tool_progress_end(struct tp_run *run)
{
	struct tp_progress *g = &run->private->progress;

	g->asked = 1;
	if (!g->on)
		return;
	pthread_mutex_lock(&lock);
	wipe(g);
	g->on = 0;
	if (g->terminal >= 0)
		close(g->terminal);
	tp_buf_release(&g->who);
	tp_buf_release(&g->name);
	pthread_mutex_unlock(&lock);
}

void
tp_tool_progress_output(void *arg)
{
	struct tp_run *run = arg;
	struct stat st;

	/* a reader of the pipe may print to the terminal */
	if (isatty(run->out.fd) || (!fstat(run->out.fd, &st) &&
	    (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))))
		tp_tool_progress_end(run);
}
