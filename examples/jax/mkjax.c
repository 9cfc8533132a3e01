/*
 * mkjax - write an example capture of a JAX training run
 *
 *	mkjax [--seed N] [--steps N] [--no-steps] [--hosts N] OUTDIR
 *
 * Makes OUTDIR/plugins/profile/2026_01_15_10_30_00/host.trace.json: one host
 * with four devices, as the profiler of JAX writes it for a TPU.  A step is
 * two transformer blocks, the loss and the optimizer; before it the devices
 * wait for the input, and each eighth step fetches the parameters for a
 * checkpoint.  The last device computes a little slower than the others.
 * --no-steps leaves the step markers out.  --hosts makes host1.trace.json and
 * so on, of hosts that meet in collectives; each file counts from a zero of
 * its own, and all devices of the last host compute slower.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define TIME "2026_01_15_10_30_00"

enum { DEVICES = 4, HOSTS = 16, HOST_PID = 701, FIRST_PID = 3, CHECKPOINT = 8 };
enum { STEPS = 1, MODULES, OPS, ASYNC };	/* lanes of a device */
enum { PYTHON = 1, INPUT };			/* and of the host */

#define US INT64_C(1000000)	/* times are picoseconds */

struct op {
	const char *name, *path, *result, *source;
	int us;			/* takes about so long */
	int rejoin;		/* no device starts it before all are there */
	const char *category;
	int mflop, kbytes;	/* its cost as the compiler says, in 1e6 and
				 * 1e3; 0: it says none */
};

#define BLOCK(N, AT) \
	{ "fusion." #AT "1", "transformer/block_" #N "/attn/qkv/dot_general", \
	    "bf16[8,2048,3072]{2,1,0}", "model/block.py:41", 92, 0, \
	    "convolution fusion", 51539, 120586 }, \
	{ "splash_mha_fwd." #AT "2", "transformer/block_" #N \
	    "/attn/splash_attention/pallas_call", \
	    "bf16[8,16,2048,64]{3,2,1,0}", "model/block.py:47", 156, 0, \
	    "custom-call", 0, 0 }, \
	{ "fusion." #AT "3", "transformer/block_" #N "/mlp/dot_general", \
	    "bf16[8,2048,4096]{2,1,0}", "model/block.py:63", 208, 0, \
	    "convolution fusion", 137438, 41943 }, \
	{ "reduce-scatter." #AT "4", "transformer/block_" #N \
	    "/mlp/reduce_scatter", "f32[8,1024]{1,0}", \
	    "model/block.py:66", 74, 1, "reduce-scatter", 0, 0 }

static const struct op step_ops[] = {
	{ "copy.7", "", "s32[8,2048]{1,0}", "train.py:88", 3, 0,
	    "data formatting", 0, 131 },
	BLOCK(0, 1),
	BLOCK(1, 2),
	{ "fusion.31", "loss/softmax_cross_entropy/reduce", "f32[8,50304]{1,0}",
	    "train.py:102", 61, 0, "input fusion", 25, 52429 },
	{ "all-reduce.40", "optimizer/psum", "f32[1024,4096]{1,0}",
	    "train.py:117", 118, 1, "all-reduce", 0, 0 },
	{ "fusion.41", "optimizer/adam/update_second_moment",
	    "f32[1024,4096]{1,0}", "train.py:121", 57, 0, "loop fusion", 46,
	    67109 },
};

struct capture {
	FILE *files[HOSTS], *f;	/* f: the one that is written to */
	int hosts, host;
	uint64_t seed;
	long steps;
	int marked;
	int64_t at[HOSTS * DEVICES];	/* what each is done with */
};

static void
die(int status, const char *fmt, ...)
{
	va_list ap;

	fputs("mkjax: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(status);
}

static int64_t
between(struct capture *c, int64_t low, int64_t high)
{
	uint64_t x = c->seed += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return low + (int64_t)((x ^ x >> 31) % (uint64_t)(high - low + 1));
}

/* A time in us with all its digits. */
static void
put_us(FILE *f, const char *key, int64_t ps)
{
	fprintf(f, "\"%s\":%" PRId64 ".%06" PRId64 ",", key, ps / US, ps % US);
}

/* What is written next is of HOST. */
static void
turn_to(struct capture *c, int host)
{
	c->host = host;
	c->f = c->files[host];
}

static int
devices(const struct capture *c)
{
	return c->hosts * DEVICES;
}

/* The start of a complete event, to its name; "}" ends it. */
static void
put_event(struct capture *c, int pid, int tid, int64_t from, int64_t to,
    const char *name)
{
	fprintf(c->f, "{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,", pid, tid);
	/* each profiler starts its clock when it starts */
	put_us(c->f, "ts", from + c->host * 5000 * US);
	put_us(c->f, "dur", to - from);
	fprintf(c->f, "\"name\":\"%s\"", name);
}

static void
put_plain(struct capture *c, int pid, int tid, int64_t from, int64_t to,
    const char *name)
{
	put_event(c, pid, tid, from, to, name);
	fputs("},\n", c->f);
}

static void
put_op(struct capture *c, int device, int lane, int64_t from, int64_t to,
    const struct op *op)
{
	turn_to(c, device / DEVICES);
	put_event(c, FIRST_PID + device % DEVICES, lane, from, to, op->name);
	fprintf(c->f, ",\"args\":{\"long_name\":\"%%%s = %s %.*s(...)\","
	    "\"source\":\"%s\",\"run_id\":\"17\"", op->name, op->result,
	    (int)strcspn(op->name, "."), op->name, op->source);
	if (*op->path)
		fprintf(c->f, ",\"tf_op\":\"jit(train_step)/%s\"", op->path);
	fprintf(c->f, ",\"hlo_category\":\"%s\"", op->category);
	if (op->mflop)
		fprintf(c->f, ",\"model_flops\":\"%d000000\"", op->mflop);
	if (op->kbytes)
		fprintf(c->f, ",\"bytes_accessed\":\"%d000\"", op->kbytes);
	fputs("}},\n", c->f);
}

static void
put_name(struct capture *c, const char *what, int pid, int tid,
    const char *name)
{
	fprintf(c->f, "{\"ph\":\"M\",\"pid\":%d,", pid);
	if (tid)
		fprintf(c->f, "\"tid\":%d,", tid);
	fprintf(c->f, "\"name\":\"%s\",\"args\":{\"name\":\"%s\"}},\n", what,
	    name);
}

static void
put_names(struct capture *c)
{
	char name[32];

	put_name(c, "process_name", HOST_PID, 0, "/host:CPU");
	put_name(c, "thread_name", HOST_PID, PYTHON, "python");
	put_name(c, "thread_name", HOST_PID, INPUT, "input pipeline");
	for (int d = 0; d < DEVICES; d++) {
		snprintf(name, sizeof name, "/device:TPU:%d", d);
		put_name(c, "process_name", FIRST_PID + d, 0, name);
		if (c->marked)
			put_name(c, "thread_name", FIRST_PID + d, STEPS,
			    "Steps");
		put_name(c, "thread_name", FIRST_PID + d, MODULES,
		    "XLA Modules");
		put_name(c, "thread_name", FIRST_PID + d, OPS, "XLA Ops");
		put_name(c, "thread_name", FIRST_PID + d, ASYNC,
		    "Async XLA Ops");
	}
}

/* When the last device is done. */
static int64_t
all_done(const struct capture *c)
{
	int64_t last = 0;

	for (int d = 0; d < devices(c); d++)
		if (c->at[d] > last)
			last = c->at[d];
	return last;
}

static int64_t
took(struct capture *c, int device, const struct op *op)
{
	int64_t ps = op->us * US + between(c, -US, US);
	int slow = c->hosts > 1 ? device / DEVICES == c->hosts - 1 :
	    device == DEVICES - 1;

	/* collectives move the same bytes everywhere */
	return slow && !op->rejoin ? ps + ps / 8 : ps;
}

/* One operation on every device.  Who comes first to a collective spends the
 * wait in it. */
static void
run_op(struct capture *c, const struct op *op)
{
	int64_t meet = op->rejoin ? all_done(c) : 0;

	for (int d = 0; d < devices(c); d++) {
		int64_t from = c->at[d], to = (meet ? meet : from) +
		    took(c, d, op);

		put_op(c, d, OPS, from, to, op);
		c->at[d] = to + between(c, 0, US / 4);
	}
}

/* The gather of the next block's weights runs beside compute. */
static void
prefetch(struct capture *c)
{
	static const struct op gather = { "all-gather.50",
	    "transformer/all_gather", "bf16[1024,4096]{1,0}",
	    "model/block.py:30", 90, 0, "all-gather", 0, 0 };

	for (int d = 0; d < devices(c); d++)
		put_op(c, d, ASYNC, c->at[d] + 5 * US, c->at[d] + 5 * US +
		    took(c, d, &gather), &gather);
}

/* The parameters, tensor by tensor, back to the host. */
static void
checkpoint(struct capture *c)
{
	static const struct op fetch = { "copy.60", "", "f32[1024,4096]{1,0}",
	    "train.py:130", 31, 0, "data formatting", 0, 33554 };

	for (int i = 0; i < 40; i++)
		run_op(c, &fetch);
}

static void
run_step(struct capture *c, long number)
{
	int64_t begin[HOSTS * DEVICES], end, wait = between(c, 260, 300) * US;
	int64_t start = all_done(c) + 4 * US;
	char name[32];

	for (int h = 0; h < c->hosts; h++) {
		turn_to(c, h);
		put_plain(c, HOST_PID, INPUT, start, start + wait - 20 * US,
		    "next_batch");
	}
	for (int d = 0; d < devices(c); d++) {
		begin[d] = start;
		c->at[d] = start + wait + between(c, 0, US);
	}
	for (size_t i = 0; i < sizeof step_ops / sizeof *step_ops; i++) {
		if (i == 1 || i == 5)
			prefetch(c);
		run_op(c, &step_ops[i]);
	}
	if (number % CHECKPOINT == CHECKPOINT - 1)
		checkpoint(c);
	end = all_done(c);
	snprintf(name, sizeof name, "%ld", number);
	for (int d = 0; d < devices(c); d++) {
		int pid = FIRST_PID + d % DEVICES;

		turn_to(c, d / DEVICES);
		if (c->marked)
			put_plain(c, pid, STEPS, begin[d], c->at[d], name);
		put_plain(c, pid, MODULES, start + wait, c->at[d],
		    "jit_train_step(17)");
	}
	/* the loop launches a step, waits for it, and then for its input */
	for (int h = 0; h < c->hosts; h++) {
		turn_to(c, h);
		put_plain(c, HOST_PID, PYTHON, start + wait - 18 * US,
		    start + wait - 2 * US, "PjitFunction(train_step)");
		put_plain(c, HOST_PID, PYTHON, start + wait, end + 3 * US,
		    "block_until_ready");
	}
}

/* PATH, and the folders above it. */
static void
folders(char *path)
{
	for (char *p = path + 1;; p++) {
		char c = *p;

		if (c != '/' && c)
			continue;
		*p = '\0';
		if (mkdir(path, 0777) < 0 && errno != EEXIST)
			die(4, "cannot make '%s': %s", path, strerror(errno));
		if (!(*p = c))
			return;
	}
}

static long
whole(const char *text)
{
	char *end;
	long n = text ? strtol(text, &end, 10) : -1;

	if (!text || n < 0 || n > 1000000 || end == text || *end)
		die(2, "a whole number is missing");
	return n;
}

/* The file of HOST in the folder PATH, of SIZE bytes. */
static void
open_host(struct capture *c, int host, char *path, size_t size)
{
	size_t len = strlen(path);
	char number[16] = "";

	if (c->hosts > 1)
		snprintf(number, sizeof number, "%d", host + 1);
	if ((size_t)snprintf(path + len, size - len, "/host%s.trace.json",
	    number) >= size - len)
		die(2, "the name of the folder is too long");
	c->files[host] = fopen(path, "w");
	if (!c->files[host])
		die(4, "cannot open '%s': %s", path, strerror(errno));
	printf("%s\n", path);
	path[len] = '\0';
	turn_to(c, host);
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", c->f);
	put_names(c);
}

static void
close_host(struct capture *c, int host)
{
	int failed;

	fputs("{}]}\n", c->files[host]);
	failed = ferror(c->files[host]);
	if (fclose(c->files[host]) || failed)
		die(4, "cannot write what host %d did", host + 1);
}

int
main(int argc, char *argv[])
{
	struct capture c = { .seed = 1, .steps = 40, .marked = 1,
	    .hosts = 1 };
	char path[4096];
	int i;

	for (i = 1; i < argc && !strncmp(argv[i], "--", 2); i++) {
		if (!strcmp(argv[i], "--no-steps"))
			c.marked = 0;
		else if (!strcmp(argv[i], "--seed"))
			c.seed = (uint64_t)whole(argv[++i]);
		else if (!strcmp(argv[i], "--steps"))
			c.steps = whole(argv[++i]);
		else if (!strcmp(argv[i], "--hosts"))
			c.hosts = (int)whole(argv[++i]);
		else
			break;
	}
	if (i + 1 != argc || argv[i][0] == '-')
		die(2, "usage: mkjax [--seed N] [--steps N] [--no-steps] "
		    "[--hosts N] OUTDIR");
	if (c.hosts < 1 || c.hosts > HOSTS)
		die(2, "--hosts takes 1 to %d", HOSTS);
	if ((size_t)snprintf(path, sizeof path, "%s/plugins/profile/%s",
	    argv[i], TIME) >= sizeof path - 32)
		die(2, "the name of the folder is too long");
	folders(path);
	for (int h = 0; h < c.hosts; h++)
		open_host(&c, h, path, sizeof path);
	for (long n = 0; n < c.steps; n++)
		run_step(&c, n);
	for (int h = 0; h < c.hosts; h++)
		close_host(&c, h);
	return 0;
}
