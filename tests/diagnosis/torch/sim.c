#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../../../examples/file.h"
#include "event.h"
#include "sim.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)
/* When the machine was started, 25 days ago. */
#define EPOCH (INT64_C(2205000) * 1000 * MS)
/* The operator of a layer (model.h) at which a recording is cut. */
#define CUT 6

static uint64_t
random_next(uint64_t *state)
{
	uint64_t x;

	x = *state += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* A number below LIMIT, of this place and kind. */
static int64_t
draw(struct sim *sim, enum kind kind, int64_t limit)
{
	uint64_t state;

	state = (uint64_t)sim->job->seed + ((uint64_t)sim->rank << 40);
	state = random_next(&state) ^ (uint64_t)kind << 56;
	state = random_next(&state) ^ (uint64_t)sim->step << 32 ^
	    (uint64_t)sim->place;
	state = random_next(&state) ^ (uint64_t)sim->drawn[kind]++;
	return (int64_t)(random_next(&state) % (uint64_t)limit);
}

int64_t
sim_vary(struct sim *sim, enum kind kind, int64_t ns)
{
	int64_t most;

	most = 10 * sim->job->noise;
	return ns + ns / 1000 * (draw(sim, kind, 2 * most + 1) - most);
}

void
sim_place(struct sim *sim, int64_t layer, int64_t slot)
{
	const struct job *job = sim->job;
	const int64_t last = job->train ? 100 : 0;

	sim->place = layer << 16 | slot;
	if (layer == job->layers / 2 && slot == CUT && sim->step == 0)
		sim->marks[0] = sim->now;
	if (layer == job->layers / 2 && slot == last + CUT &&
	    sim->step == job->steps - 1)
		sim->marks[1] = sim->now;
	memset(sim->drawn, 0, sizeof(sim->drawn));
}

static void
span_add(struct spans *spans, int64_t start, int64_t end, enum part part,
    int gpu)
{
	if (end <= start)
		return;
	if (spans->n == spans->cap) {
		spans->cap = spans->cap ? 2 * spans->cap : 4096;
		spans->v = realloc(spans->v, spans->cap *
		    sizeof(*spans->v));
		if (!spans->v)
			die(5, "out of memory");
	}
	spans->v[spans->n++] = (struct span){ start, end, part,
	    gpu };
}

void
sim_until(struct sim *sim, enum part part, int64_t end)
{
	if (end <= sim->now)
		return;
	span_add(&sim->host, sim->now, end, part, 0);
	sim->now = end;
}

void
sim_host(struct sim *sim, enum part part, int64_t ns)
{
	if (sim->replay || ns == 0)
		return;
	ns = sim_vary(sim, HOST, ns);
	/* now and then the system takes the thread away */
	if (draw(sim, HICCUP, 400) == 0)
		ns += sim->job->noise * 10 * US;
	sim_until(sim, part, sim->now + ns);
}

void
sim_enter(struct sim *sim, const char *cat, const char *inputs,
    int64_t sequence, const char *name, ...)
{
	struct open *open;
	va_list ap;

	if (sim->replay)
		return;
	if (sim->depth == DEEP)
		die(5, "events too deep");
	open = &sim->open[sim->depth++];
	open->cat = cat;
	open->start = sim->now;
	open->sequence = sequence;
	open->id = ++sim->id;
	va_start(ap, name);
	vsnprintf(open->name, sizeof(open->name), name, ap);
	va_end(ap);
	open->is_node = sim->thread == AUTOGRAD && sequence && !sim->again;
	if (sim->without)
		open->sequence = 0;
	if (sim->twice && strncmp(open->name, "aten::", 6) == 0)
		open->sequence = ++sim->back_sequence;
	snprintf(open->inputs, sizeof(open->inputs), "%s", inputs);
}

void
sim_leave(struct sim *sim)
{
	if (sim->replay)
		return;
	event_host(sim, &sim->open[--sim->depth]);
}

void
sim_call(struct sim *sim, int64_t sequence, const char *name,
    const char *inputs, ...)
{
	char text[320];
	va_list ap;

	if (sim->replay)
		return;
	va_start(ap, inputs);
	vsnprintf(text, sizeof(text), inputs, ap);
	va_end(ap);
	sim_enter(sim, "cpu_op", text, sequence, "%s", name);
	sim_host(sim, OPERATORS, sim->job->op / 2);
}

void
sim_return(struct sim *sim)
{
	if (sim->replay)
		return;
	sim_host(sim, OPERATORS, sim->job->op - sim->job->op / 2);
	sim_leave(sim);
}

/* A call of the runtime that takes about NS, or until END; its number. */
static int64_t
runtime(struct sim *sim, const char *name, enum part part, int64_t ns,
    int64_t end)
{
	int64_t start;

	start = sim->now;
	sim->correlation++;
	sim_host(sim, part, ns);
	sim_until(sim, part, end);
	event_runtime(sim, name, start);
	return sim->correlation;
}

int
sim_records(const struct sim *sim, int64_t start)
{
	return start >= sim->from && sim->now <= sim->to;
}

/* KERNEL runs from START; the launch is the latest call. */
static void
run(struct sim *sim, const struct kernel *k, int64_t start, int64_t ns)
{
	sim->free[sim->gpu][k->stream] = start + ns;
	if (start + ns <= sim->from || sim->now > sim->to)
		return;
	span_add(&sim->work, start, start + ns, k->part, sim->gpu);
	event_gpu(sim, k, start, ns);
}

/* How long KERNEL takes from START: a collective ends everywhere at once. */
static int64_t
takes(struct sim *sim, const struct kernel *k, int64_t start)
{
	int64_t n, ns = sim_vary(sim, KERNEL, k->ns), stall = 0;

	if (k->part == COMMUNICATION && !sim->stalled &&
	    sim->step == sim->job->steps / 2) {
		sim->stalled = 1;
		stall = sim->job->stall;
	}
	if (sim->step >= sim->job->steps / 2)
		ns += ns * sim->job->throttle / 100;
	if (sim->job->warm)
		ns += ns * sim->job->warm / 100 * sim->step /
		    sim->job->steps;
	if (k->part != COMMUNICATION || sim->job->ranks < 2)
		return sim->rank > 0 && sim->rank == sim->job->ranks - 1 ?
		    ns + ns * sim->job->slow / 100 : ns + stall;
	n = sim->met++;
	if (n == MEETINGS)
		die(5, "too many collectives");
	sim->ready[n] = start;
	return (sim->meet[n] > start ? sim->meet[n] - start : 0) + k->ns +
	    stall;
}

/* When STREAM can begin what was launched by now. */
static int64_t
begins(struct sim *sim, enum stream stream)
{
	int64_t ready, next;

	ready = sim->now + sim_vary(sim, START, 3 * US);
	next = sim->free[sim->gpu][stream] + sim_vary(sim, START, 900);
	return ready > next ? ready : next;
}

void
sim_launch(struct sim *sim, const struct kernel *k)
{
	int64_t start, *pending;
	const char *call;

	if (sim->replay) {
		start = sim->free[sim->gpu][k->stream] + 700;
		if (start < sim->replay)
			start = sim->replay;
		sim->node++;
		run(sim, k, start, takes(sim, k, start));
		return;
	}
	call = k->bytes ? "cudaMemcpyAsync" :
	    strncmp(k->name, "triton", 6) == 0 ? "cuLaunchKernel" :
	    strncmp(k->name, "nvjet", 5) == 0 ? "cudaLaunchKernelExC" :
	    "cudaLaunchKernel";
	if (sim->capturing) {
		sim->node++;
		runtime(sim, call, OPERATORS, sim->job->launch, 0);
		return;
	}
	/* a full queue makes the host wait in the call */
	pending = &sim->pending[sim->launched++ % PENDING];
	runtime(sim, call, OPERATORS, sim->job->launch, *pending);
	start = begins(sim, k->stream);
	*pending = start;
	run(sim, k, start, takes(sim, k, start));
}

void
sim_copy_blocking(struct sim *sim, const struct kernel *k)
{
	int64_t start, ns;

	ns = sim_vary(sim, KERNEL, k->ns);
	start = begins(sim, k->stream);
	runtime(sim, "cudaMemcpyAsync", OPERATORS, sim->job->launch,
	    start + ns);
	run(sim, k, start, ns);
	sim_synchronise(sim, 0);
}

void
sim_order(struct sim *sim, enum stream a, enum stream b)
{
	int64_t recorded, start;

	if (!sim->replay) {
		recorded = runtime(sim, "cudaEventRecord", OPERATORS, 900, 0);
		start = sim->now;
		runtime(sim, "cudaStreamWaitEvent", OPERATORS, 700, 0);
		event_order(sim, a, b, recorded, start);
	}
	if (sim->free[sim->gpu][a] < sim->free[sim->gpu][b])
		sim->free[sim->gpu][a] = sim->free[sim->gpu][b];
}

void
sim_gpu(struct sim *sim, int gpu)
{
	sim->gpu = gpu;
}

void
sim_pass(struct sim *sim, int gpu, const struct kernel *copy)
{
	int64_t end;

	sim_launch(sim, copy);
	end = sim->free[sim->gpu][COMPUTE];
	runtime(sim, "cudaEventRecord", OPERATORS, 900, 0);
	sim->gpu = gpu;
	runtime(sim, "cudaStreamWaitEvent", OPERATORS, 700, 0);
	if (sim->free[gpu][COMPUTE] < end)
		sim->free[gpu][COMPUTE] = end;
}

/* When all streams have done what they were given. */
static int64_t
all_done(const struct sim *sim)
{
	int64_t end = sim->free[0][0];

	for (int i = 1; i < sim->job->gpus * STREAM_COUNT; i++)
		if (end < sim->free[i / STREAM_COUNT][i % STREAM_COUNT])
			end = sim->free[i / STREAM_COUNT][i % STREAM_COUNT];
	return end;
}

void
sim_release(struct sim *sim, int64_t ns)
{
	const int calls = 20;

	for (int i = 0; i < calls; i++)
		runtime(sim, "cudaFree", OPERATORS, ns / calls,
		    i ? 0 : all_done(sim) + ns / calls);
}

void
sim_synchronise(struct sim *sim, int all)
{
	int64_t end, start;

	if (sim->replay)
		return;
	end = all ? all_done(sim) : sim->free[sim->gpu][COMPUTE];
	start = sim->now;
	/* what waits is woken a little later */
	runtime(sim, all ? "cudaDeviceSynchronize" : "cudaStreamSynchronize",
	    SYNCHRONISING, 2 * US, end + 6 * US);
	event_sync(sim, all, start + 500, sim->now - 500);
}

struct block
sim_allocate(struct sim *sim, int64_t bytes, int piece)
{
	const int64_t unit = INT64_C(2) << 20;
	struct block block;
	int64_t least;

	block.bytes = (bytes + 511) / 512 * 512;
	block.address = sim->address;
	sim->address += block.bytes;
	sim->allocated += block.bytes;
	least = piece ? sim->allocated : sim->reserved + block.bytes;
	if (sim->reserved < least)
		sim->reserved = (least + unit - 1) / unit * unit;
	event_memory(sim, &block, 1);
	return block;
}

void
sim_free(struct sim *sim, struct block *block)
{
	if (!block->bytes)
		return;
	sim->allocated -= block->bytes;
	event_memory(sim, block, -1);
	block->bytes = 0;
}

void
sim_capture(struct sim *sim)
{
	runtime(sim, "cudaStreamBeginCapture", OPERATORS, 3 * US, 0);
	sim->capturing = 1;
	sim->node = 0;
}

void
sim_captured(struct sim *sim)
{
	sim->capturing = 0;
	runtime(sim, "cudaStreamEndCapture", OPERATORS, 5 * US, 0);
}

void
sim_replay(struct sim *sim)
{
	runtime(sim, "cudaGraphLaunch", OPERATORS, 40 * US,
	    sim->free[sim->gpu][COMPUTE] - 20 * MS);
	sim->replay = begins(sim, COMPUTE);
	sim->node = 0;
}

void
sim_replayed(struct sim *sim)
{
	sim->replay = 0;
}

void
sim_stray(struct sim *sim, int64_t before)
{
	static const struct kernel k = { .name =
	    "nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNT", .grid = 132,
	    .block = 384 };

	sim->correlation += 7;
	event_gpu(sim, &k, EPOCH - before, 90 * US);
	sim->correlation += 80000;
}

void
sim_annotate_gpu(struct sim *sim, int64_t number, size_t first)
{
	int64_t start, end;
	char name[40];

	if (first == sim->work.n ||
	    !sim_records(sim, sim->open[sim->depth].start))
		return;
	start = sim->work.v[first].start;
	end = 0;
	for (size_t i = first; i < sim->work.n; i++) {
		if (start > sim->work.v[i].start)
			start = sim->work.v[i].start;
		if (end < sim->work.v[i].end)
			end = sim->work.v[i].end;
	}
	snprintf(name, sizeof(name), "ProfilerStep#%" PRId64, number);
	event_annotation(sim, name, start, end);
}

void
sim_begin(struct sim *sim, const struct job *job)
{
	sim->job = job;
	sim->now = EPOCH;
	sim->correlation = 1000;
	sim->sequence = 500;
	sim->back_sequence = 100;
	sim->address = INT64_C(0x7f1200000000);
	sim->allocated = job->held;
	sim->reserved = sim->allocated + (INT64_C(8) << 20);
	for (int i = 0; i < GPUS_MAX * STREAM_COUNT; i++)
		sim->free[i / STREAM_COUNT][i % STREAM_COUNT] = EPOCH - 1 * MS;
	event_begin(sim, EPOCH > sim->from ? EPOCH : sim->from);
	if (job->stray)
		sim_stray(sim, job->stray);
}

/* A moment at which a part begins, +1, or ends, -1. */
struct turn {
	int64_t at;
	int part, by, gpu;
};

static int
by_time(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* The first part that is on of those before END; END if none is. */
static int
first_on(const int64_t *on, int from, int end)
{
	while (from < end && !on[from])
		from++;
	return from;
}

static size_t
turns_add(struct turn *turns, size_t n, const struct spans *spans)
{
	const struct span *s;

	for (size_t i = 0; i < spans->n; i++) {
		s = &spans->v[i];
		turns[n++] = (struct turn){ s->start, (int)s->part, 1,
		    s->gpu };
		turns[n++] = (struct turn){ s->end, (int)s->part, -1,
		    s->gpu };
	}
	return n;
}

/*
 * NS in which all that is ON goes on: of the parts, times the number of GPUs,
 * each GPU has a share if one works; else all are the host's.
 */
static void
spend(const struct sim *sim, int64_t (*on)[PART_COUNT], int64_t ns,
    struct outcome *out)
{
	const int gpus = (int)sim->job->gpus;
	int part, works = 0;

	for (int i = 0; i < gpus; i++)
		works += first_on(on[i], 0, LOADING) < LOADING;
	if (!works) {
		part = first_on(on[0], LOADING, PART_COUNT);
		out->parts[part == PART_COUNT ? SLEEPING : part] += gpus * ns;
		return;
	}
	for (int i = 0; i < gpus; i++) {
		part = first_on(on[i], 0, LOADING);
		out->parts[part == LOADING ? TURNS : part] += ns;
	}
	out->busy += ns;
}

/* Who has each moment from the first to the last work. */
static void
divide(const struct sim *sim, struct outcome *out)
{
	struct turn *turns;
	int64_t on[GPUS_MAX][PART_COUNT] = { 0 }, from, first, last, rest = 0;
	size_t n;

	turns = malloc(2 * (sim->work.n + sim->host.n) * sizeof(*turns));
	if (!turns)
		die(5, "out of memory");
	n = turns_add(turns, 0, &sim->work);
	qsort(turns, n, sizeof(*turns), by_time);
	first = turns[0].at;
	last = turns[n - 1].at;
	n = turns_add(turns, n, &sim->host);
	qsort(turns, n, sizeof(*turns), by_time);
	from = first;
	for (size_t i = 0; i < n && turns[i].at <= last; i++) {
		if (turns[i].at > from) {
			spend(sim, on, turns[i].at - from, out);
			from = turns[i].at;
		}
		on[turns[i].gpu][turns[i].part] += turns[i].by;
	}
	for (int i = 0; i < PART_COUNT; i++) {
		rest += out->parts[i];
		out->parts[i] = rest / sim->job->gpus;
		rest %= sim->job->gpus;
	}
	out->rank = sim->rank;
	out->first = first;
	out->span = last - first;
	out->works = (int64_t)sim->work.n;
	free(turns);
}

void
sim_end(struct sim *sim, struct outcome *out)
{
	const int64_t done = all_done(sim);
	const int64_t end = done > sim->now ? done : sim->now;

	sim_synchronise(sim, 1);
	event_end(sim);
	memset(out, 0, sizeof(*out));
	out->end = end;
	divide(sim, out);
	free(sim->work.v);
	free(sim->host.v);
}
