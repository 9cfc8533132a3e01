/*
 * mkfusion - write the example traces of an element-wise chain
 *
 *	mkfusion [--seed N] OUTDIR
 *
 * Makes OUTDIR/eager and OUTDIR/compiled, each with the GPU intervals that
 * profile_fusion.py could have left, OUTDIR/both with those of both modes one
 * after the other, their signposts, and the labels of a build of MLX with
 * MLX_METAL_DEBUG, and OUTDIR/times.txt, what it could have printed.
 * Everything comes from a seed and whole numbers, so that the same seed gives
 * the same bytes everywhere.
 *
 * As in MLX a command buffer has one encoder, so it is one GPU interval, and
 * is committed after more than 50 kernels; the arrays are too small to count.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../file.h"

const char *const program = "mkfusion";

#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define ITERATIONS 20	/* ten to warm up, ten that are timed */
#define TIMED 10
#define PER_BUFFER 51
#define FRAME_NS (16667 * US)

/* How the chain runs: a kernel per operation, or one of eleven, as many as
 * MLX fuses. */
struct mode {
	const char *name, *words;
	unsigned pid;
	int kernels;		/* of an iteration */
	int fused;		/* operations of a kernel */
	int64_t kernel;		/* ns, in the mean */
	int64_t first_gap;	/* of the first one, which builds kernels */
	int64_t pause;		/* between iterations */
};

static const struct mode modes[] = {
	{ "eager", "Eager", 4107, 4800, 1, 47 * US, 200 * US, 3 * MS },
	{ "compiled", "Compiled", 4131, 437, 11, 109 * US, 1 * MS, 2300 * US },
};

static void
join(char *path, size_t size, const char *folder, const char *name)
{
	if ((size_t)snprintf(path, size, "%s/%s", folder, name) >= size)
		die(4, "'%s': name is too long", folder);
}

static void
make_folder(const char *path)
{
	if (mkdir(path, 0777) && errno != EEXIST)
		die(4, "cannot make '%s': %s", path, strerror(errno));
}

static uint64_t
next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* NS, up to PERCENT more or less. */
static int64_t
about(uint64_t *state, int64_t ns, int percent)
{
	int64_t width = ns * percent / 100;

	return ns - width + (int64_t)(next(state) % (uint64_t)(2 * width + 1));
}

/* A trace while it is written. */
struct trace {
	FILE *file, *marks;	/* marks: NULL where nothing is marked */
	const struct mode *mode;
	unsigned pid;
	int is_debug;		/* labels name the operations */
	uint64_t random;
	int64_t now, frame;	/* frame: when the next one is drawn */
	uint64_t submission, buffer;
};

static void
row(struct trace *t, int64_t start, int64_t duration, const char *channel,
    const char *label, const char *process, unsigned pid, uint64_t buffer)
{
	fprintf(t->file, "%" PRId64 ",%" PRId64 ",%s,%" PRId64 ",%s      "
	    "( %s (%u) )  0x%" PRIx64 ",Active,%s (%u),%" PRIu64 "\n", start,
	    duration, channel, about(&t->random, 90 * US, 20), label,
	    process, pid, ++t->submission, process, pid, buffer);
}

/* What the desktop has drawn until now. */
static void
frames(struct trace *t)
{
	for (; t->frame < t->now; t->frame += FRAME_NS)
		row(t, t->frame, about(&t->random, 180 * US, 30), "Fragment",
		    "Write Surface: 8", "WindowServer", 397, 900000 +
		    t->submission);
}

/* What a build for debugging calls KERNELS of the chain, the first of which is
 * number DONE of the iteration. */
static void
label(const struct trace *t, int done, int kernels, char *text, size_t size)
{
	static const char *const operations[] = { "Sin", "Cos", "Exp", "Log" };
	int fused = t->mode->fused, first, k, i;
	size_t n = 0;

	for (k = done; k < done + kernels; k++) {
		first = k * fused;
		if (fused > 1)
			n += (size_t)snprintf(text + n, size - n, "Compiled");
		for (i = 0; i < fused; i++)
			n += (size_t)snprintf(text + n, size - n, "%s",
			    operations[(first + i) % 4]);
	}
	snprintf(text + n, size - n, ":Compute Command 0");
}

static void
buffer(struct trace *t, int done, int kernels, int64_t duration)
{
	char text[8192] = "Command Buffer 0:Compute Command 0";

	frames(t);
	if (t->is_debug)
		label(t, done, kernels, text, sizeof text);
	row(t, t->now, duration, "Compute", text, "python3", t->pid,
	    ++t->buffer);
	t->now += duration;
}

static void
mark(const struct trace *t, const char *name, int64_t from, int64_t to)
{
	if (t->marks)
		fprintf(t->marks, "%" PRId64 ",%" PRId64 ",%s,PointsOfInterest"
		    ",profile_fusion,python3 (%u)\n", from, to - from, name,
		    t->pid);
}

/* One call of the chain; how long the GPU took for it. */
static int64_t
iteration(struct trace *t, int first)
{
	const struct mode *m = t->mode;
	int64_t from = t->now, speed = about(&t->random, 1000, 2);
	int64_t gap = first ? m->first_gap : 20 * US;
	int n;

	for (int done = 0; done < m->kernels; done += n) {
		n = m->kernels - done;
		if (n > PER_BUFFER)
			n = PER_BUFFER;
		if (done)
			t->now += about(&t->random, gap, 30);
		buffer(t, done, n, about(&t->random, n * m->kernel, 5) *
		    speed / 1000);
	}
	return t->now - from;
}

/* All calls of a mode; the mean time of those that are timed. */
static int64_t
run(struct trace *t, const struct mode *m)
{
	int64_t sum = 0, ns, pause, from = t->now, call;

	t->mode = m;
	for (int i = 0; i < ITERATIONS; i++) {
		call = t->now;
		pause = about(&t->random, m->pause, 10);
		t->now += pause;
		ns = pause + iteration(t, !i);
		if (i >= ITERATIONS - TIMED)
			sum += ns;
		mark(t, "call", call, t->now);
	}
	mark(t, m->name, from, t->now);
	return sum / TIMED;
}

/* Begin a trace with SEED in FOLDER: the array the chain begins with. */
static void
begin(struct trace *t, uint64_t seed, const struct mode *m,
    const char *folder, char *path, size_t size)
{
	make_folder(folder);
	join(path, size, folder, "metal_gpu_intervals.csv");
	t->random = seed;
	t->now = 1300 * MS;
	t->mode = m;
	t->pid = m->pid;
	t->file = file_create(path);
	fputs("start,duration,channel-name,start-latency,event-label,state,"
	    "process,cmdbuffer-id\n", t->file);
	row(t, t->now, 2 * MS, "Compute",
	    "Command Buffer 0:Compute Command 0", "python3", t->pid,
	    ++t->buffer);
	t->now += 42 * MS;
}

/* One trace of each mode; their times. */
static void
write_each(const char *out, uint64_t seed, int64_t ns[2])
{
	char folder[3072], path[4096];

	for (int i = 0; i < 2; i++) {
		struct trace t = { 0 };

		join(folder, sizeof folder, out, modes[i].name);
		begin(&t, seed + (unsigned)i, &modes[i], folder, path,
		    sizeof path);
		ns[i] = run(&t, &modes[i]);
		file_close(t.file, path);
	}
}

/* One trace of both, as a build for debugging leaves it, with signposts. */
static void
write_both(const char *out, uint64_t seed)
{
	char folder[3072], path[4096], marks[4096];
	struct trace t = { .is_debug = 1 };

	join(folder, sizeof folder, out, "both");
	begin(&t, seed + 2, &modes[0], folder, path, sizeof path);
	join(marks, sizeof marks, folder, "os_signpost_interval.csv");
	t.marks = file_create(marks);
	fputs("start,duration,name,category,subsystem,process\n", t.marks);
	for (int i = 0; i < 2; i++) {
		run(&t, &modes[i]);
		t.now += 15 * MS;
	}
	file_close(t.file, path);
	file_close(t.marks, marks);
}

static void
write_all(const char *out, uint64_t seed)
{
	char path[4096];
	int64_t ns[2];
	FILE *times;

	make_folder(out);
	write_each(out, seed, ns);
	write_both(out, seed);
	join(path, sizeof path, out, "times.txt");
	times = file_create(path);
	fprintf(times, "%d calls to warm up, %d timed\n", ITERATIONS - TIMED,
	    TIMED);
	for (int i = 0; i < 2; i++)
		fprintf(times, "%s Time: %" PRId64 ".%04" PRId64 "s\n",
		    modes[i].words, ns[i] / (1000 * MS),
		    ns[i] / (MS / 10) % 10000);
	fprintf(times, "Speedup: %" PRId64 ".%02" PRId64 "x\n", ns[0] / ns[1],
	    ns[0] * 100 / ns[1] % 100);
	file_close(times, path);
}

int
main(int argc, char *argv[])
{
	uint64_t seed = 11;
	char *end = NULL;
	int at = 1;

	if (argc == 4 && !strcmp(argv[1], "--seed")) {
		errno = 0;
		seed = strtoull(argv[2], &end, 10);
		if (errno || end == argv[2] || *end || *argv[2] == '-')
			die(2, "bad --seed '%s'", argv[2]);
		at = 3;
	}
	if (at != argc - 1 || argv[at][0] == '-' || !argv[at][0]) {
		fputs("usage: mkfusion [--seed N] OUTDIR\n", stderr);
		return 2;
	}
	write_all(argv[at], seed);
	return 0;
}
