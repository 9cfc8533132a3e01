/*
 * What happens in the run: the program starts, loads its weights, encodes
 * the prompt, and then takes one denoising step after the other.  Each step
 * ends by waiting for the GPU; only then does Python build the next graph,
 * and the GPU has nothing to do.  Decoding and saving follow.  Meanwhile the
 * window server and a browser draw a frame now and then.
 *
 * As in MLX a command buffer has one encoder, so it is one GPU interval.  It
 * is committed after more than 50 operations, or after one whose weights
 * alone are too large for it.
 */
#include <stdlib.h>
#include <string.h>

#include "mkflux.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define SEC INT64_C(1000000000)
#define MIB (INT64_C(1) << 20)
#define GIB (INT64_C(1) << 30)

/* Buffers that may be on their way at once, per unit of scale. */
#define IN_FLIGHT 10
/* Command buffers of a step, per unit of scale. */
#define STEP_BUFFERS 50
/* One frame of a 60 Hz display. */
#define FRAME_NS 16666667

const struct process processes[PROCESS_COUNT] = {
	[TARGET] = { "python3.11", 48213, "/opt/homebrew/Cellar/"
	    "python@3.11/3.11.11/Frameworks/Python.framework/Versions/3.11/"
	    "bin/python3.11" },
	[COMPOSITOR] = { "WindowServer", 408, "/System/Library/"
	    "PrivateFrameworks/SkyLight.framework/Resources/WindowServer" },
	[BROWSER] = { "Lantern Helper (GPU)", 1207, "/Applications/Lantern.app/"
	    "Contents/Frameworks/Lantern Helper (GPU).app/Contents/MacOS/"
	    "Lantern Helper (GPU)" },
};
const struct thread threads[THREAD_COUNT] = {
	[MAIN] = { "Main Thread", 0x2b91c4, TARGET },
	[WORKER] = { "python3.11", 0x2b91f0, TARGET },
	[MONITOR] = { "python3.11", 0x2b9207, TARGET },
	[DRAWING] = { "com.apple.windowserver.root_queue", 0x1e5d, COMPOSITOR },
	[PAINTING] = { "VizCompositorThread", 0x4c07a, BROWSER },
};

/* First ids of a process, in all tables. */
static const uint64_t first_id[PROCESS_COUNT] = {
	[TARGET] = 4050234000, [COMPOSITOR] = 80791666, [BROWSER] = 1969373300,
};

struct sim {
	struct run *run;
	int64_t now;			/* of the main thread */
	int64_t gpu_free;		/* when the target's last work ends */
	int64_t allocated, allocated_at;	/* of the target */
	int64_t wired, wired_at;
	uint64_t next_id[PROCESS_COUNT];
	unsigned next_index[PROCESS_COUNT];
	int64_t *ends;			/* of the last buffers, a ring */
	unsigned graph_buffers;		/* of the graph so far */
	int warm;			/* pipelines are still compiled */
};

uint64_t
random_next(uint64_t *state)
{
	uint64_t x;

	x = *state += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

int64_t
random_between(uint64_t *state, int64_t low, int64_t high)
{
	return low + (int64_t)(random_next(state) %
	    (uint64_t)(high - low + 1));
}

void *
list_more(void *v, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return v;
	*cap = *cap ? 2 * *cap : 256;
	v = realloc(v, *cap * size);
	if (!v)
		die(5, "out of memory");
	return v;
}

static int64_t
between(struct sim *sim, int64_t low, int64_t high)
{
	return random_between(&sim->run->random, low, high);
}

/* 1 in N times. */
static int
once_in(struct sim *sim, int64_t n)
{
	return between(sim, 1, n) == 1;
}

/* The clock of the machine ticks 24 million times a second. */
static int64_t
tick(int64_t ns)
{
	return ns * 3 / 125 * 125 / 3;
}

/* NS of CPU or GPU time of one buffer, at this scale. */
static int64_t
scaled(const struct sim *sim, int64_t ns)
{
	ns /= sim->run->scale;
	return ns > 400 ? ns : 400;
}

void
run_busy(struct run *run, int thread, enum work work, int64_t start,
    int64_t end, int permille)
{
	uint64_t *random = &run->random;
	struct sample *s;
	int64_t t;

	for (t = (start / MS + 1) * MS; t < end; t += MS) {
		if (random_between(random, 1, 1000) > permille)
			continue;
		s = LIST_ADD(run->samples);
		s->time = tick(t - random_between(random, 0, 2 * US) +
		    thread * 40 * US);
		/* now and then the timer comes late and counts for two */
		s->weight = random_between(random, 1, 60) == 1 ? 2 * MS : MS;
		s->blocked = 0;
		s->core = (unsigned char)(thread == MAIN ?
		    random_between(random, 4, 7) :
		    random_between(random, 0, 11));
		s->thread = (signed char)thread;
		s->stack = stack_pick(random, work);
	}
}

/* The main thread works for NS. */
static void
work(struct sim *sim, enum work kind, int64_t ns, int permille)
{
	run_busy(sim->run, MAIN, kind, sim->now, sim->now + ns, permille);
	sim->now = tick(sim->now + ns);
}

static void
level_end(struct level *v, size_t n, int64_t at)
{
	if (n > 0)
		v[n - 1].end = at;
}

/* From AT on the target holds BYTES in Metal buffers. */
static void
allocate(struct sim *sim, int64_t at, int64_t bytes)
{
	struct run *run = sim->run;
	struct level *l;

	at = tick(at);
	if (at <= sim->allocated_at)
		at = tick(sim->allocated_at + 1 * US);
	level_end(run->current.v, run->current.n, at);
	l = LIST_ADD(run->current);
	*l = (struct level){ at, at, bytes / 16384 * 16384, TARGET };
	sim->allocated = l->bytes;
	sim->allocated_at = at;
	if (l->bytes > run->peak)
		run->peak = l->bytes;
}

/* From AT on the machine has BYTES of system memory wired for the GPU. */
static void
wire(struct sim *sim, int64_t at, int64_t bytes)
{
	struct run *run = sim->run;
	struct level *l;

	at = tick(at);
	if (run->wired.n > 0 && at <= sim->wired_at)
		at = tick(sim->wired_at + 1 * US);
	level_end(run->wired.v, run->wired.n, at);
	l = LIST_ADD(run->wired);
	*l = (struct level){ at, at, bytes / 16384 * 16384, NOBODY };
	sim->wired = l->bytes;
	sim->wired_at = at;
}

/* Memory goes from what it is to BYTES in COUNT uneven moves over NS. */
static void
ramp(struct sim *sim, void (*set)(struct sim *, int64_t, int64_t),
    int64_t from, int64_t bytes, int64_t start, int64_t ns, int count)
{
	int64_t at, level;

	for (int i = 1; i <= count; i++) {
		at = start + ns * i / count - between(sim, 0, ns / count / 3);
		level = from + (bytes - from) * i / count;
		if (i < count)
			level += between(sim, -40 * MIB, 40 * MIB);
		set(sim, at, level);
	}
}

static void
resource(struct sim *sim, int64_t at, int64_t bytes, int64_t lifetime,
    const char *label)
{
	struct resource *r;

	r = LIST_ADD(sim->run->resources);
	memset(r, 0, sizeof(*r));
	r->time = tick(at);
	r->lifetime = lifetime < 0 ? -1 : tick(lifetime);
	r->bytes = bytes / 16384 * 16384;
	r->id = 0x6000012a4000 + 0x40 * (sim->run->resources.n * 3 + 1);
	r->label = label;
	r->process = TARGET;
	r->thread = WORKER;
	r->stack = stack_pick(&sim->run->random, ALLOCATE);
	if (lifetime < 0)
		return;
	r = LIST_ADD(sim->run->resources);
	*r = r[-1];
	r->time = tick(r->time + r->lifetime);
	r->lifetime = -1;
	r->freed = 1;
	r->stack.count = 0;
}

static void
surface(struct sim *sim, int64_t at, int process, int thread, int64_t bytes,
    int freed)
{
	struct resource *r;

	r = LIST_ADD(sim->run->surfaces);
	memset(r, 0, sizeof(*r));
	r->time = tick(at);
	r->bytes = bytes;
	r->id = 0x1a0 + (uint64_t)process * 0x40 + (uint64_t)between(sim, 0, 9);
	r->process = (signed char)process;
	r->thread = (signed char)thread;
	r->freed = (unsigned char)freed;
}

/* A call into the driver that submits BUFFER. */
static void
driver_call(struct sim *sim, const struct buffer *b)
{
	struct event *e;

	for (int ends = 0; ends < 2; ends++) {
		e = LIST_ADD(sim->run->events);
		memset(e, 0, sizeof(*e));
		e->time = tick(b->commit - (ends ? 0 : 14 * US));
		e->thread = b->thread;
		e->core = (unsigned char)between(sim, 4, 11);
		e->ends = (unsigned char)ends;
		e->arg[0] = b->id;
		e->arg[1] = ends ? 0 : b->encoders;
		e->arg[2] = 0xfffffe2400000000 + b->index * 0x4000;
		e->arg[3] = ends ? UINT64_MAX : 0;
	}
}

static struct interval *
interval(struct sim *sim, const struct buffer *b, unsigned encoder,
    int channel, int64_t start, int64_t duration)
{
	struct interval *v;

	v = LIST_ADD(sim->run->intervals);
	memset(v, 0, sizeof(*v));
	v->start = tick(start);
	v->end = tick(start + duration);
	v->commit = b->commit;
	v->buffer = b->id;
	v->encoder = b->id + 1 + encoder;
	v->buffer_index = b->index;
	v->encoder_index = encoder;
	v->channel = (unsigned char)channel;
	v->process = b->process;
	return v;
}

/*
 * GPU time of a buffer: one large product, or some 50 operations.  They come
 * in the same mixture in every graph, so that steps are alike.
 */
static int64_t
buffer_time(struct sim *sim)
{
	unsigned place;
	int64_t ns;

	place = sim->graph_buffers++ / sim->run->scale * 7 % 20;
	if (place < 6)
		ns = between(sim, 8 * MS, 13 * MS);
	else
		ns = between(sim, 19 * MS, 33 * MS);
	return scaled(sim, sim->warm ? ns + ns / 8 : ns);
}

static void
encode(struct sim *sim, struct buffer *b, int64_t start)
{
	int64_t cpu;

	memset(b, 0, sizeof(*b));
	cpu = scaled(sim, between(sim, 1 * MS, 3 * MS) * (sim->warm ? 3 : 1));
	b->create = tick(start + scaled(sim, between(sim, 8 * US, 60 * US)));
	b->commit = tick(b->create + cpu);
	b->to_gpu = tick(b->commit + between(sim, 18 * US, 55 * US));
	b->encoding = tick(cpu - cpu / between(sim, 8, 20));
	b->encoders = 1;
	b->process = TARGET;
	b->thread = WORKER;
	b->index = sim->next_index[TARGET]++;
	b->id = sim->next_id[TARGET];
	sim->next_id[TARGET] += b->encoders + 1;
	run_busy(sim->run, WORKER, ENCODE, b->create, b->commit, 220);
}

/* The GPU carries out a buffer of the target. */
static void
carry_out(struct sim *sim, struct buffer *b)
{
	struct interval *v;
	int64_t at, early;
	int overlaps;

	at = b->commit + between(sim, 60 * US, 210 * US);
	/* what needs nothing of the buffer before may begin before its end */
	overlaps = at < sim->gpu_free && once_in(sim, 12);
	if (overlaps) {
		early = sim->gpu_free - scaled(sim, between(sim, 100 * US,
		    400 * US));
		at = early > at ? early : at;
	} else if (at < sim->gpu_free) {
		at = sim->gpu_free + scaled(sim, once_in(sim, 15) ?
		    between(sim, 60 * US, 130 * US) :
		    between(sim, 14 * US, 26 * US));
	}
	v = interval(sim, b, 0, COMPUTE, at, buffer_time(sim));
	v->depth = (unsigned char)overlaps;
	if (v->end > sim->gpu_free)
		sim->gpu_free = v->end;
	b->completed = tick(sim->gpu_free + between(sim, 40 * US, 160 * US));
}

static void
buffer_add(struct sim *sim, const struct buffer *b)
{
	*LIST_ADD(sim->run->buffers) = *b;
	if (b->process == TARGET && b->index % 5 == 0 && b->index < 600)
		driver_call(sim, b);
}

/*
 * Evaluate a graph of COUNT buffers and wait for it, as mx.eval() does.  The
 * worker encodes ahead of the GPU, but not further than the ring is long.
 */
static void
evaluate(struct sim *sim, unsigned count)
{
	struct buffer b = { 0 };
	int64_t start, end;
	unsigned ring;

	sim->graph_buffers = 0;
	ring = IN_FLIGHT * sim->run->scale;
	for (unsigned i = 0; i < ring; i++)
		sim->ends[i] = 0;
	start = sim->now;
	for (unsigned i = 0; i < count * sim->run->scale; i++) {
		if (sim->ends[i % ring] > start)
			start = sim->ends[i % ring] + 30 * US;
		encode(sim, &b, start);
		carry_out(sim, &b);
		sim->ends[i % ring] = b.completed;
		buffer_add(sim, &b);
		start = b.commit;
	}
	end = tick(b.completed + between(sim, 90 * US, 380 * US));
	run_busy(sim->run, MAIN, WAIT, sim->now, end, 6);
	sim->now = end;
}

static void
launch(struct sim *sim)
{
	wire(sim, 0, 0);
	wire(sim, 180 * MS, 2960 * MIB);
	sim->now = 320 * MS;
	work(sim, LAUNCH, between(sim, 340 * MS, 420 * MS), 400);
}

static void
load(struct sim *sim)
{
	int64_t ns, start;

	start = sim->now;
	ns = between(sim, 560 * MS, 640 * MS);
	ramp(sim, allocate, 160 * MIB, 11 * GIB + 400 * MIB, start + 20 * MS,
	    ns, 9);
	ramp(sim, wire, sim->wired, 15 * GIB, start + 30 * MS, ns, 9);
	for (int i = 0; i < 10; i++)
		resource(sim, start + ns * i / 10, between(sim, 300, 1900) *
		    MIB, -1, "");
	work(sim, LOAD, ns, 250);
}

/* The prompt becomes what the loop is conditioned on. */
static void
condition(struct sim *sim)
{
	int64_t start;

	work(sim, TOKENIZE, between(sim, 60 * MS, 80 * MS), 850);
	work(sim, GRAPH, between(sim, 90 * MS, 120 * MS), 950);
	start = sim->now;
	evaluate(sim, 40);
	ramp(sim, allocate, sim->allocated, 13 * GIB + 120 * MIB, start,
	    (sim->now - start) / 2, 4);
	ramp(sim, wire, sim->wired, 17 * GIB + 300 * MIB, start,
	    sim->now - start, 4);
	/* the text encoders are dropped */
	allocate(sim, sim->now + 300 * US, 12 * GIB);
}

static void
step(struct sim *sim, unsigned n)
{
	int64_t start, base, top, at;

	work(sim, CONVERT, between(sim, 7 * MS, 12 * MS), 900);
	sim->warm = n == 0;
	work(sim, GRAPH, sim->warm ? between(sim, 360 * MS, 420 * MS) :
	    between(sim, 180 * MS, 280 * MS), 950);
	start = sim->now;
	evaluate(sim, STEP_BUFFERS);
	base = 12 * GIB + between(sim, 60 * MIB, 260 * MIB);
	top = 15 * GIB + between(sim, 500 * MIB, 980 * MIB);
	ramp(sim, allocate, sim->allocated, top, start + 5 * MS,
	    (sim->now - start) * 3 / 4, 6);
	ramp(sim, wire, sim->wired, 17 * GIB + 300 * MIB + (20 * GIB -
	    17 * GIB - 300 * MIB) * (n + 1) / sim->run->steps, start,
	    sim->now - start, 5);
	/* after the synchronisation the step's arrays are freed */
	allocate(sim, sim->now + 200 * US, base + 900 * MIB);
	allocate(sim, sim->now + between(sim, 2 * MS, 4 * MS), base);
	for (int i = 0; i < 4; i++) {
		at = start + between(sim, 0, 40 * MS) + i * 60 * MS;
		resource(sim, at, between(sim, 40, 420) * MIB, sim->now - at,
		    i == 3 ? "attention scores; heads | tokens" : "");
	}
	run_busy(sim->run, MONITOR, TICK, sim->now - 3 * MS, sim->now, 300);
	sim->warm = 0;
}

static void
decode(struct sim *sim)
{
	int64_t start;

	/* the flow model is dropped */
	allocate(sim, sim->now + 400 * US, 4 * GIB + 800 * MIB);
	work(sim, GRAPH, between(sim, 60 * MS, 80 * MS), 950);
	start = sim->now;
	evaluate(sim, 25);
	ramp(sim, allocate, sim->allocated, 14 * GIB, start,
	    (sim->now - start) / 2, 5);
	ramp(sim, wire, sim->wired, 23 * GIB + 640 * MIB, start,
	    (sim->now - start) / 2, 5);
	resource(sim, start + 10 * MS, 4608 * MIB, sim->now - start - 20 * MS,
	    "");
	wire(sim, sim->now + 1 * MS, 19 * GIB + 200 * MIB);
	work(sim, CONVERT, between(sim, 70 * MS, 90 * MS), 900);
	work(sim, SAVE, between(sim, 130 * MS, 170 * MS), 500);
	allocate(sim, sim->now, 900 * MIB);
	wire(sim, sim->now + 2 * MS, 9 * GIB);
}

/* One frame of another process, with what it costs the GPU. */
static void
draw(struct sim *sim, int process, int thread, unsigned frame, int64_t at)
{
	struct interval *v;
	struct buffer b;
	int64_t late, start;

	memset(&b, 0, sizeof(b));
	/* a long compute encoder makes others wait for their turn */
	late = between(sim, 130 * US, 420 * US);
	if (once_in(sim, 4))
		late += between(sim, 300 * US, 1900 * US);
	b.commit = tick(at);
	b.create = tick(at - between(sim, 100 * US, 700 * US));
	b.to_gpu = tick(at + between(sim, 18 * US, 60 * US));
	b.encoders = 2;
	b.process = (signed char)process;
	b.thread = (signed char)thread;
	b.index = sim->next_index[process]++;
	b.id = sim->next_id[process];
	sim->next_id[process] += 3;
	v = interval(sim, &b, 0, VERTEX, at + late, between(sim, 14 * US,
	    42 * US));
	v->frame = frame;
	start = v->end + between(sim, 4 * US, 20 * US);
	v = interval(sim, &b, 1, FRAGMENT, start, process == BROWSER ?
	    between(sim, 500 * US, 1500 * US) :
	    between(sim, 260 * US, 900 * US));
	v->frame = frame;
	b.completed = tick(v->end + between(sim, 50 * US, 140 * US));
	buffer_add(sim, &b);
}

static void
draw_frames(struct sim *sim, int64_t at, int count, int browser)
{
	static const int64_t window = 8 * MIB;
	unsigned frame;

	frame = (unsigned)(at / FRAME_NS);
	at = (int64_t)frame * FRAME_NS;
	surface(sim, at, COMPOSITOR, DRAWING, window, 0);
	for (int i = 0; i < count; i++, at += FRAME_NS, frame++) {
		if (browser)
			draw(sim, BROWSER, PAINTING, frame, at + 900 * US);
		draw(sim, COMPOSITOR, DRAWING, frame, at + 5 * MS);
	}
	surface(sim, at, COMPOSITOR, DRAWING, window, 1);
	if (browser)
		surface(sim, at, BROWSER, PAINTING, 2 * window, 1);
}

/* Rows that real exports have too: no owner, no frame, no buffer. */
static void
unowned(struct sim *sim, int64_t at)
{
	static const uint64_t ids[] = { 0, UINT64_MAX };
	struct buffer b;
	struct interval *v;

	memset(&b, 0, sizeof(b));
	for (int i = 0; i < 2; i++) {
		v = interval(sim, &b, 0, i ? BLIT : FRAGMENT,
		    at + i * 700 * MS, between(sim, 20 * US, 300 * US));
		v->commit = -1;
		v->buffer = ids[i];
		v->encoder = 0;
		v->process = NOBODY;
	}
}

/* Latencies that lie, and buffers that never complete or never ran. */
static void
oddities(struct sim *sim)
{
	struct buffer b, *v = sim->run->buffers.v;
	size_t n = sim->run->buffers.n;

	v[n / 3].completed = tick(v[n / 3].completed - 900 * US);
	v[n / 2].completed = tick(v[n / 2].completed - 610 * US);
	v[n - n / 3].completed = -1;
	for (int i = 0; i < 4; i++) {
		memset(&b, 0, sizeof(b));
		b.process = (signed char)(i % 3 == 0 ? TARGET : BROWSER);
		b.thread = (signed char)(i % 3 == 0 ? WORKER : PAINTING);
		b.commit = tick(2 * SEC + i * 700 * MS);
		b.create = tick(b.commit - between(sim, 20 * US, 90 * US));
		b.to_gpu = tick(b.commit + between(sim, 18 * US, 60 * US));
		b.completed = tick(b.to_gpu + between(sim, 30 * US, 90 * US));
		b.index = sim->next_index[(int)b.process]++;
		b.id = sim->next_id[(int)b.process]++;
		*LIST_ADD(sim->run->buffers) = b;
	}
}

static void
other_memory(struct sim *sim)
{
	static const struct {
		int process;
		int64_t base, change;
	} others[] = {
		{ COMPOSITOR, 412 * MIB, 24 * MIB },
		{ BROWSER, 688 * MIB, 96 * MIB },
	};
	struct level *l;
	int64_t at, next, end;

	end = sim->run->duration;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		for (at = 0; at < end; at = next) {
			next = tick(at + end / 12 + between(sim, 0, end / 12));
			l = LIST_ADD(sim->run->current);
			l->start = at;
			l->end = next < end ? next : end;
			l->bytes = (others[i].base + between(sim, 0,
			    others[i].change)) / 16384 * 16384;
			l->process = (signed char)others[i].process;
		}
	}
}

/* Counters are sampled in slices of a quarter of a second. */
static void
count(struct sim *sim)
{
	const struct run *run = sim->run;
	struct counter *c;
	int64_t at, next, moved;
	size_t i;

	i = 0;
	for (at = 0; at < run->duration; at = next) {
		next = at + 250 * MS;
		moved = 0;
		for (; i < run->intervals.n &&
		    run->intervals.v[i].start < next; i++)
			moved += run->intervals.v[i].end -
			    run->intervals.v[i].start;
		if (moved > 250 * MS)
			moved = 250 * MS;
		c = LIST_ADD(sim->run->counters);
		*c = (struct counter){ at, next, 0, 1 };
		c = LIST_ADD(sim->run->counters);
		/* up to some 300 GB/s, in millionths of a GB/s */
		*c = (struct counter){ at, next, moved *
		    between(sim, 1050, 1250) / 1000, 0 };
	}
}

/* Sorting must not leave ties: qsort orders those differently elsewhere. */
static int
compare(int64_t a, int64_t b, uint64_t a_id, uint64_t b_id)
{
	if (a != b)
		return a < b ? -1 : 1;
	return a_id < b_id ? -1 : a_id > b_id;
}

static int
by_start(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	return compare(x->start, y->start, x->encoder, y->encoder);
}

static int
by_commit(const void *a, const void *b)
{
	const struct buffer *x = a, *y = b;

	return compare(x->create, y->create, x->id, y->id);
}

static int
by_arrival(const void *a, const void *b)
{
	const struct buffer *x = a, *y = b;

	return compare(x->to_gpu, y->to_gpu, x->id, y->id);
}

static int
by_completion(const void *a, const void *b)
{
	const struct buffer *x = a, *y = b;

	return compare(x->completed, y->completed, x->id, y->id);
}

static int
by_sample(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	return compare(x->time, y->time, (uint64_t)x->thread,
	    (uint64_t)y->thread);
}

static int
by_level(const void *a, const void *b)
{
	const struct level *x = a, *y = b;

	return compare(x->start, y->start, (uint64_t)x->process,
	    (uint64_t)y->process);
}

static int
by_resource(const void *a, const void *b)
{
	const struct resource *x = a, *y = b;

	return compare(x->time, y->time, 2 * x->id + x->freed,
	    2 * y->id + y->freed);
}

static int
by_event(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return compare(x->time, y->time, 2 * x->arg[0] + x->ends,
	    2 * y->arg[0] + y->ends);
}

/* qsort() takes no NULL, even of nothing. */
#define SORT(list, order) do { \
	if ((list).n > 0) \
		qsort((list).v, (list).n, sizeof(*(list).v), order); \
	} while (0)

void
run_sort(struct run *run)
{
	SORT(run->intervals, by_start);
	for (size_t i = 0; i < run->intervals.n; i++)
		run->intervals.v[i].submission = 1526452000 + 2 * i;
	SORT(run->buffers, by_commit);
	for (size_t i = 0; i < run->buffers.n; i++) {
		*LIST_ADD(run->arrivals) = run->buffers.v[i];
		*LIST_ADD(run->completions) = run->buffers.v[i];
	}
	SORT(run->arrivals, by_arrival);
	SORT(run->completions, by_completion);
	SORT(run->samples, by_sample);
	SORT(run->current, by_level);
	SORT(run->resources, by_resource);
	SORT(run->surfaces, by_resource);
	SORT(run->events, by_event);
}

/* Some samples have no stack, one no owner, and some come out of order. */
static void
disturb(struct sim *sim)
{
	struct sample *v = sim->run->samples.v, swap;
	struct buffer *c = sim->run->completions.v, other;
	size_t n = sim->run->samples.n;

	for (size_t i = 97; i < n; i += n / 9 + 1)
		v[i].stack.count = 0;
	v[n / 4].thread = NO_THREAD;
	for (size_t i = n / 5; i + 1 < n; i += n / 4) {
		swap = v[i];
		v[i] = v[i + 1];
		v[i + 1] = swap;
	}
	n = sim->run->completions.n / 2;
	other = c[n];
	c[n] = c[n + 1];
	c[n + 1] = other;
}

void
run_make(struct run *run)
{
	struct sim sim = { .run = run };

	memcpy(sim.next_id, first_id, sizeof(first_id));
	sim.ends = calloc(IN_FLIGHT * run->scale, sizeof(*sim.ends));
	if (!sim.ends)
		die(5, "out of memory");
	launch(&sim);
	load(&sim);
	condition(&sim);
	draw_frames(&sim, sim.now - 900 * MS, 9, 1);
	for (unsigned i = 0; i < run->steps; i++) {
		step(&sim, i);
		/* the progress bar moves */
		draw_frames(&sim, sim.now + 3 * MS, 3, 0);
		if (i % 4 == 2)
			draw_frames(&sim, sim.now - 600 * MS, 9, 1);
	}
	decode(&sim);
	draw_frames(&sim, sim.now - 90 * MS, 5, 1);
	unowned(&sim, 3 * SEC);
	oddities(&sim);
	run->duration = (sim.now + 160 * MS) / US * US;
	level_end(run->wired.v, run->wired.n, run->duration);
	level_end(run->current.v, run->current.n, run->duration);
	other_memory(&sim);
	run_sort(run);
	clock_make(run);
	count(&sim);
	disturb(&sim);
	free(sim.ends);
}

void
run_release(struct run *run)
{
	free(run->intervals.v);
	free(run->buffers.v);
	free(run->arrivals.v);
	free(run->completions.v);
	free(run->samples.v);
	free(run->wired.v);
	free(run->current.v);
	free(run->resources.v);
	free(run->surfaces.v);
	free(run->counters.v);
	free(run->events.v);
	free(run->activity.v);
	free(run->clocks.v);
}
