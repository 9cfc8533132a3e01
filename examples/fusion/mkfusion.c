/*
 * mkfusion - write the two example traces of an element-wise chain
 *
 *	mkfusion [--seed N] OUTDIR
 *
 * Makes OUTDIR/eager and OUTDIR/compiled, each with the GPU intervals that
 * profile_fusion.py could have left, and OUTDIR/times.txt, what it could have
 * printed.  Everything comes from a seed and whole numbers, so that the same
 * seed gives the same bytes everywhere.
 *
 * As in MLX a command buffer has one encoder, so it is one GPU interval, and
 * is committed after more than 50 kernels; the arrays are too small to count.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
	int64_t kernel;		/* ns, in the mean */
	int64_t first_gap;	/* of the first one, which builds kernels */
	int64_t pause;		/* between iterations */
};

static const struct mode modes[] = {
	{ "eager", "Eager", 4107, 4800, 47 * US, 200 * US, 3 * MS },
	{ "compiled", "Compiled", 4131, 437, 109 * US, 1 * MS, 2300 * US },
};

static void
die(int status, const char *fmt, ...)
{
	va_list ap;

	fputs("mkfusion: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(status);
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
	FILE *file;
	const struct mode *mode;
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

static void
buffer(struct trace *t, int64_t duration)
{
	frames(t);
	row(t, t->now, duration, "Compute",
	    "Command Buffer 0:Compute Command 0", "python3", t->mode->pid,
	    ++t->buffer);
	t->now += duration;
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
		buffer(t, about(&t->random, n * m->kernel, 5) * speed / 1000);
	}
	return t->now - from;
}

/* Write the trace of mode M to PATH; the mean of the timed iterations. */
static int64_t
trace_write(const struct mode *m, uint64_t seed, const char *path)
{
	struct trace t = { .mode = m, .random = seed, .now = 1300 * MS };
	int64_t sum = 0, ns;

	t.file = fopen(path, "w");
	if (!t.file)
		die(4, "cannot open '%s': %s", path, strerror(errno));
	fputs("start,duration,channel-name,start-latency,event-label,state,"
	    "process,cmdbuffer-id\n", t.file);
	/* the array the chain begins with */
	buffer(&t, about(&t.random, 2 * MS, 10));
	t.now += 40 * MS;
	for (int i = 0; i < ITERATIONS; i++) {
		int64_t pause = about(&t.random, m->pause, 10);

		ns = pause + iteration(&t, !i);
		if (i >= ITERATIONS - TIMED)
			sum += ns;
		t.now += pause;
	}
	if (ferror(t.file) | fclose(t.file))
		die(4, "cannot write '%s': %s", path, strerror(errno));
	return sum / TIMED;
}

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

static void
write_all(const char *out, uint64_t seed)
{
	char folder[3072], path[4096];
	int64_t ns[2];
	FILE *times;

	make_folder(out);
	for (int i = 0; i < 2; i++) {
		join(folder, sizeof folder, out, modes[i].name);
		make_folder(folder);
		join(path, sizeof path, folder, "metal_gpu_intervals.csv");
		ns[i] = trace_write(&modes[i], seed + (unsigned)i, path);
	}
	join(path, sizeof path, out, "times.txt");
	times = fopen(path, "w");
	if (!times)
		die(4, "cannot open '%s': %s", path, strerror(errno));
	fprintf(times, "%d calls to warm up, %d timed\n", ITERATIONS - TIMED,
	    TIMED);
	for (int i = 0; i < 2; i++)
		fprintf(times, "%s Time: %" PRId64 ".%04" PRId64 "s\n",
		    modes[i].words, ns[i] / (1000 * MS),
		    ns[i] / (MS / 10) % 10000);
	fprintf(times, "Speedup: %" PRId64 ".%02" PRId64 "x\n", ns[0] / ns[1],
	    ns[0] * 100 / ns[1] % 100);
	if (ferror(times) | fclose(times))
		die(4, "cannot write '%s': %s", path, strerror(errno));
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
