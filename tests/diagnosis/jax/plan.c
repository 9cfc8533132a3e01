#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"

#define US INT64_C(1000)

/* Lanes of a device; on a TPU all work is on WORK. */
enum { STEPS = 1, MODULES, WORK, NETWORK, LINK };
/* Of a host. */
enum { PYTHON = 101, INPUT = 102, POOL = 104, DRIVER = 105 };
enum { HOST_PID = 701, FIRST_PID = 3 };
/* What starting or ending something in flight takes by itself. */
enum { TOUCH = 200 };
/* Launches of kernels follow each other, and the first of a step its mark. */
enum { LAUNCH_FIRST = 20000, LAUNCH_EVERY = 200, LAUNCH_TAKES = 100 };
/* Steps that are no steady ones. */
enum { WARMUP = 5 };
/* Each COMPILE_EVERYth step has new shapes. */
enum { COMPILE_EVERY = 3 };

const struct plan plan_usual = {
	.seed = 1, .noise = 2, .hosts = 1, .devices = 2, .steps = 20,
	.layers = 6, .marked = 1, .modules = 1, .categories = 1,
	.math = 400000, .memory = 120000, .short_op = 1000,
	.gather = 30000, .reduce = 40000, .hidden = 1, .frames = 1,
	.dispatch = 500000, .linked = 1,
	.slower_steps = 1,
};

struct device {
	int64_t end;		/* of what it has done */
	int64_t first, last;	/* of its operations */
	int64_t begin, start;	/* of the step, and of its program */
};

struct sim {
	const struct plan *plan;
	FILE *const *files;
	struct outcome *out;
	struct device devices[HOSTS_MAX][DEVICES_MAX];
	int64_t step;
	int names;		/* given in this step */
	/* Of steps dispatched ahead: */
	int64_t at;		/* when this one is */
	int64_t ends[STEPS_MAX], lengths[STEPS_MAX];
	int launches;		/* of kernels, in this step */
	int64_t correlation;	/* the last */
};

/* A number of SIM's seed for what A and B name, below N. */
static int64_t
chance(const struct sim *s, uint64_t a, uint64_t b, int64_t n)
{
	uint64_t x = (uint64_t)s->plan->seed * 0x9e3779b97f4a7c15 + a *
	    0xbf58476d1ce4e5b9 + b * 0x94d049bb133111eb;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return (int64_t)((x ^ x >> 31) % (uint64_t)n);
}

/* NS with the noise of device D for the operation NAME of this step. */
static int64_t
noisy(const struct sim *s, int64_t ns, int host, int d)
{
	int64_t wide = s->plan->noise * 20;

	return ns + ns * (chance(s, (uint64_t)(s->step * 1000 + s->names),
	    (uint64_t)(host * 100 + d), wide + 1) - wide / 2) / 1000;
}

/* Hosts have no clock in common. */
static int64_t
clock_of(int host)
{
	return 1000000 + host * INT64_C(777777777);
}

/* The start of a complete event; "},\n" ends it. */
static void
put_event(const struct sim *s, int host, int pid, int tid, int64_t from,
    int64_t to, const char *name)
{
	if (!s->files)
		return;
	from += clock_of(host);
	to += clock_of(host);
	fprintf(s->files[host], "{\"ph\":\"X\",\"pid\":%d,\"tid\":%d,"
	    "\"ts\":%" PRId64 ".%03d,\"dur\":%" PRId64 ".%03d,"
	    "\"name\":\"%s\"", pid, tid, from / 1000, (int)(from % 1000),
	    (to - from) / 1000, (int)((to - from) % 1000), name);
}

static void
put_plain(const struct sim *s, int host, int pid, int tid, int64_t from,
    int64_t to, const char *name)
{
	put_event(s, host, pid, tid, from, to, name);
	if (s->files)
		fputs("},\n", s->files[host]);
}

/* What operations are called and said to be: with a category a name tells
 * nothing. */
struct kind {
	const char *category, *plain, *telling, *kernel, *shape, *operand;
	const char *more;	/* how its path ends, of a copy on a GPU its
				 * details; or NULL */
};

static const struct kind product = { "convolution fusion", "fusion",
    "dot_general_convolution", "gemm_fusion_dot",
    "bf16[8192,4096]{1,0}", NULL, NULL }, loop = { "loop fusion", "fusion",
    "multiply_add_fusion", "loop_multiply_fusion", "bf16[8192,4096]{1,0}",
    NULL, NULL }, moved = { "data formatting", "copy", "transpose",
    "input_transpose_fusion", "bf16[8192,4096]{0,1}", NULL, NULL },
    called = { "host recv-done", "recv-done", "recv-done", NULL,
    "f32[]{:T(128)}", NULL, "pure_callback" }, brief = { "loop fusion",
    "fusion", "add_fusion", "loop_add_fusion", "f32[128]{0}", NULL, NULL },
    gather = { "all-gather",
    "all-gather", "all-gather", "ncclDevKernel_AllGather_RING_LL",
    "bf16[4096,4096]{1,0}", NULL, NULL },
    reduce = { "all-reduce-scatter fusion", "fusion", "all-reduce",
    "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "f32[4096,4096]{1,0}", NULL,
    NULL },
    feed = { "infeed", "infeed", "infeed", NULL, "(f32[64,1024]{1,0})",
    NULL, NULL };

/* Something ran on device D of HOST; it is told of the first one. */
static void
ran(struct sim *s, int host, int d, int64_t from, int64_t to)
{
	struct device *v = &s->devices[host][d];

	if (v->first < 0)
		v->first = from;
	if (to > v->last)
		v->last = to;
	if (!host && !d)
		s->out->rows++;
}

/* A part of the wall clock of the first device. */
static void
spent(struct sim *s, int host, int d, enum part part, int64_t ns)
{
	if (!host && !d && s->devices[0][0].first >= 0)
		s->out->parts[part] += ns;
}

/* The call that launches the last kernel. */
static void
put_launch(struct sim *s, int host)
{
	int64_t at = s->at + LAUNCH_FIRST + LAUNCH_EVERY * s->launches++;

	put_event(s, host, HOST_PID, DRIVER, at, at + LAUNCH_TAKES,
	    "cuLaunchKernel");
	fprintf(s->files[host], ",\"args\":{\"correlation_id\":\"%" PRId64
	    "\"}},\n", s->correlation);
}

static void
put_op(struct sim *s, int host, int d, int tid, int64_t from, int64_t to,
    const char *name, const struct kind *k, int number)
{
	put_event(s, host, FIRST_PID + d, tid, from, to, name);
	ran(s, host, d, from, to);
	if (!s->files)
		return;
	fprintf(s->files[host], ",\"args\":{");
	if (s->plan->gpu && k->more)
		fprintf(s->files[host], "\"memcpy_details\":\"%s\"",
		    k->more);
	else if (s->plan->gpu)
		fprintf(s->files[host], "\"hlo_op\":\"op.%d\","
		    "\"hlo_module\":\"jit_train_step\"", number);
	else
		fprintf(s->files[host], "\"long_name\":\"%%%s = %s x(%s)\"",
		    name, k->shape, k->operand ? k->operand : "...");
	if (s->plan->categories && !s->plan->gpu)
		fprintf(s->files[host], ",\"hlo_category\":\"%s\"",
		    k->category);
	fprintf(s->files[host], ",\"tf_op\":\"jit(train_step)/block_%d/%s\"",
	    number / 16, k->more && !s->plan->gpu ? k->more : "op");
	if (s->plan->gpu && s->plan->ahead && s->plan->linked)
		fprintf(s->files[host], ",\"correlation_id\":\"%" PRId64 "\"",
		    ++s->correlation);
	fputs("}},\n", s->files[host]);
	if (s->plan->gpu && s->plan->ahead && s->plan->linked)
		put_launch(s, host);
}

static void
name_op(const struct sim *s, const struct kind *k, int number, char *name,
    size_t size)
{
	if (s->plan->gpu)
		snprintf(name, size, k == &gather || k == &reduce ? "%s" :
		    "%s_%d", k->kernel, number);
	else
		snprintf(name, size, "%s.%d", s->plan->categories ? k->plain :
		    k->telling, number);
}

/* Whether this is one of COUNT steps from the middle on. */
static int
is_among(const struct sim *s, int64_t count)
{
	int64_t from = s->plan->steps / 2;

	return s->step >= from && s->step < from + count;
}

/* Whether device D of HOST computes slower than others in this step. */
static int
is_slow(const struct sim *s, int host, int d)
{
	const struct plan *p = s->plan;

	if (p->slow_steps && !is_among(s, p->slow_steps))
		return 0;
	return !host && d == (p->moves ? s->step % p->devices : 0);
}

/* NS of work on device D. */
static void
work(struct sim *s, int host, int d, const struct kind *k, int64_t ns,
    enum part part, int number)
{
	struct device *v = &s->devices[host][d];
	char name[80];

	ns = noisy(s, ns, host, d);
	if (is_slow(s, host, d) && part < INFEED)
		ns += ns * s->plan->slow / 100;
	if (is_among(s, s->plan->slower_steps))
		ns += ns * s->plan->slower / 100;
	if (ns <= 0)
		return;
	name_op(s, k, number, name, sizeof name);
	put_op(s, host, d, WORK, v->end, v->end + ns, name, k, number);
	spent(s, host, d, part, ns);
	v->end += ns;
}

/* Nothing on device D for NS. */
static void
pause_of(struct sim *s, int host, int d, enum part part, int64_t ns)
{
	spent(s, host, d, part, ns);
	s->devices[host][d].end += ns;
}

static void
each(struct sim *s, void (*with)(struct sim *s, int host, int d, int number),
    int number)
{
	s->names++;
	for (int h = 0; h < s->plan->hosts; h++)
		for (int d = 0; d < s->plan->devices; d++)
			with(s, h, d, number);
}

static int64_t
all_done(const struct sim *s)
{
	int64_t last = 0;

	for (int h = 0; h < s->plan->hosts; h++)
		for (int d = 0; d < s->plan->devices; d++)
			if (s->devices[h][d].end > last)
				last = s->devices[h][d].end;
	return last;
}

/* The weights of a layer come while it computes. */
static void
hidden_layer(struct sim *s, int host, int d, int number)
{
	struct device *v = &s->devices[host][d];
	int64_t from = v->end, ns = s->plan->gather, left;
	char name[80];

	if (s->plan->gpu) {
		name_op(s, &gather, number, name, sizeof name);
		put_op(s, host, d, NETWORK, from, from + ns, name, &gather,
		    number);
		work(s, host, d, &product, s->plan->math, MATH, number + 1);
		left = from + ns - v->end;
		if (left > 0)
			pause_of(s, host, d, COMMUNICATION, left);
		return;
	}
	snprintf(name, sizeof name, "all-gather-start.%d", number);
	put_op(s, host, d, WORK, v->end, v->end + TOUCH, name,
	    &(struct kind){ .category = "all-gather-start",
	    .shape = gather.shape }, number);
	pause_of(s, host, d, COMMUNICATION, TOUCH);
	work(s, host, d, &product, s->plan->math, MATH, number + 1);
	left = from + ns - v->end;
	if (left < TOUCH)
		left = TOUCH;
	snprintf(name, sizeof name, "all-gather-done.%d", number);
	put_op(s, host, d, WORK, v->end, v->end + left, name,
	    &(struct kind){ .category = "all-gather-done",
	    .shape = gather.shape }, number);
	pause_of(s, host, d, COMMUNICATION, left);
}

/* Everyone waits for the last, in the operation; it takes NS then. */
static void
meet(struct sim *s, const struct kind *k, int64_t ns, int number)
{
	int64_t end = all_done(s) + ns;
	char name[80];

	if (!ns)
		return;
	s->names++;
	name_op(s, k, number, name, sizeof name);
	for (int h = 0; h < s->plan->hosts; h++)
		for (int d = 0; d < s->plan->devices; d++) {
			struct device *v = &s->devices[h][d];

			put_op(s, h, d, s->plan->gpu ? NETWORK : WORK, v->end,
			    end, name, k, number);
			pause_of(s, h, d, COMMUNICATION, end - v->end);
		}
}

/* The start of a copy, or the wait for its end, for NS. */
static void
copy(struct sim *s, int host, int d, int number, int back, int done, int64_t ns)
{
	static const char *const shapes[2][2] = {
		{ "bf16[64,1024,1024]{2,1,0}", "bf16[64,1024,1024]{2,1,0:S(5)}"
		}, { "bf16[64,1024,1024]{2,1,0:S(5)}",
		"bf16[64,1024,1024]{2,1,0}" },
	};
	struct device *v = &s->devices[host][d];
	char both[200], name[80];

	snprintf(name, sizeof name, "copy-%s.%d", done ? "done" : "start",
	    number + back);
	snprintf(both, sizeof both, "(%s, %s, u32[])", shapes[back][0],
	    shapes[back][1]);
	put_op(s, host, d, WORK, v->end, v->end + ns, name,
	    &(struct kind){ .category = done ? "copy-done" : "copy-start",
	    .shape = done ? shapes[back][0] : both,
	    .operand = done ? both : shapes[back][1] }, number + back);
	pause_of(s, host, d, COPY, ns);
}

/* The layer's state comes from the host, and goes back. */
static void
copies(struct sim *s, int host, int d, int number)
{
	struct device *v = &s->devices[host][d];

	for (int back = 0; back < 2; back++) {
		int64_t ns = noisy(s, s->plan->offload, host, d);

		if (!host && !d)
			ns += ns * s->plan->far / 100;
		if (s->plan->gpu) {
			put_op(s, host, d, LINK, v->end, v->end + ns,
			    back ? "MemcpyD2H" : "MemcpyH2D", &loop, number);
			pause_of(s, host, d, COPY, ns);
			continue;
		}
		copy(s, host, d, number, back, 0, TOUCH);
		if (!s->plan->together)
			copy(s, host, d, number, back, 1, ns - TOUCH);
		else if (back) {
			/* the one that goes back takes longer */
			copy(s, host, d, number, 0, 1, ns - 2 * TOUCH);
			copy(s, host, d, number, 1, 1, ns / 4);
		}
	}
}

static void
product_of(struct sim *s, int host, int d, int number)
{
	work(s, host, d, &product, s->plan->math, MATH, number);
}

static void
loop_of(struct sim *s, int host, int d, int number)
{
	work(s, host, d, &loop, s->plan->memory, MEMORY, number);
}

static void
moved_of(struct sim *s, int host, int d, int number)
{
	work(s, host, d, &moved, s->plan->layout, MEMORY, number);
}

static void
short_of(struct sim *s, int host, int d, int number)
{
	work(s, host, d, &brief, s->plan->short_op, SHORT, number);
	pause_of(s, host, d, NOTHING, s->plan->short_gap);
}

static void
layer(struct sim *s, int number)
{
	int several = s->plan->hosts * s->plan->devices > 1 &&
	    s->plan->gather;

	if (s->plan->offload)
		each(s, copies, number + 8);
	if (several && s->plan->hidden)
		each(s, hidden_layer, number);
	else if (several)
		meet(s, &gather, s->plan->gather, number);
	if (!(several && s->plan->hidden) && s->plan->math)
		each(s, product_of, number + 1);
	if (s->plan->memory)
		each(s, loop_of, number + 2);
	if (s->plan->layout)
		each(s, moved_of, number + 9);
	for (int i = 0; i < s->plan->shorts; i++)
		each(s, short_of, number + 3 + i % 4);
}

/* What HOST does from AT, for NS, under these names from outside in. */
static int64_t
host_does(struct sim *s, int host, int64_t at, int64_t ns, enum part part,
    int tid, const char *const *names)
{
	if (!ns)
		return at;
	for (int i = 0; names[i]; i++)
		if (s->plan->frames || *names[i] != '$')
			put_plain(s, host, HOST_PID, tid, at, at + ns,
			    names[i]);
	for (int d = 0; d < s->plan->devices; d++)
		pause_of(s, host, d, part, ns);
	return at + ns;
}

/*
 * HOST launches a step at AT.  The first one needs memory, and its input is
 * on the device before.
 */
static void
launch(struct sim *s, int host, int64_t at)
{
	static const char *const names[] = { "PjitFunction(train_step)",
	    "Build buffer allocations", NULL };

	if (s->step || !s->plan->setup) {
		put_plain(s, host, HOST_PID, PYTHON, at, at + 20 * US,
		    names[0]);
		return;
	}
	for (int d = 0; d < s->plan->devices; d++)
		work(s, host, d, &loop, 5 * US, MEMORY, 1);
	host_does(s, host, s->devices[host][0].end, noisy(s, s->plan->setup,
	    0, 0), BUILDING, PYTHON, names);
}

/*
 * The hosts dispatch a step as soon as the one before is dispatched, and few
 * enough are not done.
 */
static void
dispatch(struct sim *s)
{
	const struct plan *p = s->plan;
	const char *call = p->linked ? "PjitFunction(train_step)" : "apply";

	if (s->step)
		s->at += p->dispatch + 10 * US;
	if (s->step >= p->ahead && s->ends[s->step - p->ahead] > s->at)
		s->at = s->ends[s->step - p->ahead] + 10 * US;
	s->launches = 0;
	for (int h = 0; h < p->hosts; h++) {
		put_event(s, h, HOST_PID, PYTHON, s->at, s->at + p->dispatch,
		    "train");
		if (s->files)
			fprintf(s->files[h], ",\"args\":{\"step_num\":\"%"
			    PRId64 "\"}},\n", s->step);
		put_plain(s, h, HOST_PID, PYTHON, s->at + 10 * US,
		    s->at + p->dispatch - 10 * US, call);
		for (int d = 0; d < p->devices; d++) {
			int64_t late = s->at + 50 * US -
			    s->devices[h][d].end;

			s->devices[h][d].begin = s->devices[h][d].end;
			if (late > 0)
				pause_of(s, h, d, BUILDING, late);
		}
	}
}

/* Note how long the step took that has ended. */
static void
note_step(struct sim *s)
{
	const struct device *v = &s->devices[0][0];

	s->ends[s->step] = all_done(s);
	s->lengths[s->step] = v->end - v->start;
}

/* HOST loads from AT for NS, as the plan's reader does. */
static int64_t
load(struct sim *s, int host, int64_t at, int64_t ns)
{
	static const char *const plain[] = { "$train.py:31 next_batch",
	    "next_batch", NULL }, *const deep[] = {
	    "$loader.py:140 __next__", "$folder.py:245 __getitem__",
	    "$Image.py:3330 open", NULL }, *const waits[] = {
	    "$queue.py:171 get", "$threading.py:323 wait",
	    "$builtins acquire", NULL };
	int64_t reader = s->plan->reader;

	for (int i = 0; ns && reader == 2 && waits[i]; i++)
		put_plain(s, host, HOST_PID, PYTHON, at, at + ns, waits[i]);
	return host_does(s, host, at, ns, LOADING, reader == 1 ? PYTHON :
	    INPUT, reader ? deep : plain);
}

static void
between_steps(struct sim *s)
{
	static const char *const python[] = {
	    "$train.py:40 log_metrics", "$numpy.py:7 format_all", NULL },
	    *const compiles[] = { "$compiler.py:340 backend_compile",
	    "backend_compile", NULL }, *const waits[] = {
	    "$api.py:3154 block_until_ready", "$api.py:3165 try_to_block",
	    NULL }, *const saves[] = { "$checkpointer.py:140 save",
	    "$array.py:632 _value", NULL }, *const nothing[] = { NULL };
	const struct plan *p = s->plan;
	int64_t start = all_done(s);

	for (int h = 0; h < p->hosts; h++) {
		int64_t at = start;

		for (int d = 0; d < p->devices; d++) {
			struct device *v = &s->devices[h][d];

			v->begin = start;
			/* without a collective they end apart */
			pause_of(s, h, d, NOTHING, start - v->end);
		}
		s->names++;
		at = load(s, h, at, p->infeed ? 0 : noisy(s, p->load, 0, 0));
		at = load(s, h, at, h || (p->late_steps && !is_among(s,
		    p->late_steps)) ? 0 : noisy(s, p->late, 0, 0));
		at = host_does(s, h, at, s->step % COMPILE_EVERY ? 0 :
		    noisy(s, p->compile, 0, 0), COMPILING, PYTHON, compiles);
		at = host_does(s, h, at, s->step != p->steps / 2 ? 0 :
		    noisy(s, p->save, 0, 0), COMPILING, PYTHON, saves);
		if (p->beside)
			put_plain(s, h, HOST_PID, POOL, at, at + noisy(s,
			    p->wait, 0, 0), "BufferSequencingEvent::Execute");
		at = host_does(s, h, at, noisy(s, p->wait, 0, 0), WAITING,
		    PYTHON, waits);
		at = host_does(s, h, at, noisy(s, p->nothing, 0, 0), NOTHING,
		    PYTHON, nothing);
		at = host_does(s, h, at, noisy(s, p->python, 0, 0), BUILDING,
		    PYTHON, python);
		launch(s, h, at);
	}
}

static void
feed_all(struct sim *s, int host, int d, int number)
{
	if (s->plan->infeed)
		work(s, host, d, &feed, s->plan->load, INFEED, number);
}

static void
call_of(struct sim *s, int host, int d, int number)
{
	work(s, host, d, &called, s->plan->callback, CALLING, number);
}

/* The host passes an array that is not on the device. */
static void
upload_of(struct sim *s, int host, int d, int number)
{
	struct device *v = &s->devices[host][d];
	int64_t ns = noisy(s, s->plan->upload, host, d);

	put_op(s, host, d, LINK, v->end, v->end + ns, "MemcpyH2D",
	    &(struct kind){ .more = "kind_src:pageable kind_dst:device "
	    "size:8388608 dest:0 async:1" }, number);
	pause_of(s, host, d, COPY, ns);
}

static void
run_step(struct sim *s)
{
	const struct plan *p = s->plan;
	int evaluates = p->evals && s->step % p->evals == p->evals - 1;
	char name[32];

	s->names = 0;
	if (p->ahead)
		dispatch(s);
	else
		between_steps(s);
	for (int h = 0; h < p->hosts; h++)
		for (int d = 0; d < p->devices; d++)
			s->devices[h][d].start = s->devices[h][d].end;
	each(s, feed_all, 1);
	if (p->upload)
		each(s, upload_of, 4);
	for (int64_t i = 0; i < (evaluates ? p->layers / 3 : p->layers);
	    i++)
		layer(s, (int)i * 16 + 16);
	if (p->callback)
		each(s, call_of, 3);
	if (p->hosts * p->devices > 1)
		meet(s, &reduce, p->reduce, 2);
	note_step(s);
	snprintf(name, sizeof name, "%" PRId64, s->step);
	for (int h = 0; h < p->hosts; h++)
		for (int d = 0; d < p->devices; d++) {
			const struct device *v = &s->devices[h][d];

			if (p->marked && !p->gpu && !p->ahead)
				put_plain(s, h, FIRST_PID + d, STEPS,
				    v->begin, v->end, name);
			if (p->modules && !p->gpu)
				put_plain(s, h, FIRST_PID + d, MODULES,
				    v->start, v->end, evaluates ?
				    "jit_eval_step(43)" :
				    "jit_train_step(42)");
		}
	for (int h = 0; p->marked && p->gpu && !p->ahead && h < p->hosts;
	    h++) {
		put_event(s, h, HOST_PID, PYTHON + 2,
		    s->devices[h][0].begin, s->devices[h][0].end, "train");
		if (s->files)
			fprintf(s->files[h], ",\"args\":{\"step_num\":"
			    "\"%s\"}},\n", name);
	}
}

static void
put_name(const struct sim *s, int host, const char *what, int pid, int tid,
    const char *name)
{
	fprintf(s->files[host], "{\"ph\":\"M\",\"pid\":%d,\"tid\":%d,"
	    "\"name\":\"%s\",\"args\":{\"name\":\"%s\"}},\n", pid, tid, what,
	    name);
}

static void
put_names(const struct sim *s, int host)
{
	static const char *const lanes[2][LINK + 1] = {
		{ NULL, "Steps", "XLA Modules", "XLA Ops", NULL, NULL },
		{ NULL, NULL, NULL, "Stream #7(Compute)",
		    "Stream #20(Compute)", "Stream #9(MemcpyH2D,D2H)" },
	};
	char name[32];

	put_name(s, host, "process_name", HOST_PID, 0, "/host:CPU");
	put_name(s, host, "thread_name", HOST_PID, PYTHON, "python");
	put_name(s, host, "thread_name", HOST_PID, PYTHON + 2, "main");
	put_name(s, host, "thread_name", HOST_PID, INPUT, "input");
	put_name(s, host, "thread_name", HOST_PID, POOL, "pool/7");
	if (s->plan->ahead)
		put_name(s, host, "thread_name", HOST_PID, DRIVER,
		    "Host Threads/9");
	for (int d = 0; d < s->plan->devices; d++) {
		snprintf(name, sizeof name, "/device:%s:%d", s->plan->gpu ?
		    "GPU" : "TPU", d);
		put_name(s, host, "process_name", FIRST_PID + d, 0, name);
		for (int t = STEPS; t <= LINK; t++)
			if (lanes[s->plan->gpu][t])
				put_name(s, host, "thread_name",
				    FIRST_PID + d, t, lanes[s->plan->gpu][t]);
	}
}

static int
by_length(const void *pa, const void *pb)
{
	int64_t a = *(const int64_t *)pa, b = *(const int64_t *)pb;

	return a < b ? -1 : a > b;
}

/* The median of the steps that are no warm-up. */
static int64_t
median(struct sim *s)
{
	int64_t *steady = s->lengths + WARMUP, n = s->plan->steps - WARMUP;

	if (!s->plan->ahead || n <= 0)
		return 0;
	qsort(steady, (size_t)n, sizeof *steady, by_length);
	return (steady[(n - 1) / 2] + steady[n / 2]) / 2;
}

void
plan_run(const struct plan *plan, FILE *const *files, struct outcome *out)
{
	struct sim s = { .plan = plan, .files = files, .out = out };

	memset(out, 0, sizeof *out);
	for (int h = 0; h < HOSTS_MAX; h++)
		for (int d = 0; d < DEVICES_MAX; d++)
			s.devices[h][d].first = -1;
	for (int h = 0; files && h < plan->hosts; h++) {
		fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n",
		    files[h]);
		put_names(&s, h);
	}
	for (s.step = 0; s.step < plan->steps; s.step++)
		run_step(&s);
	for (int h = 0; plan->loop && h < plan->hosts; h++)
		put_plain(&s, h, HOST_PID, PYTHON, 0, all_done(&s),
		    "$grain_train.py:12 main");
	for (int h = 0; files && h < plan->hosts; h++)
		fputs("{}]}\n", files[h]);
	out->step = median(&s);
	out->span = s.devices[0][0].last - s.devices[0][0].first;
	for (int i = 0; i < PART_COUNT; i++)
		if (i <= CALLING)
			out->busy += out->parts[i];
}
