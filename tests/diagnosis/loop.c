#include <string.h>

#include "loop.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define MIB (INT64_C(1) << 20)
/* One frame of a 60 Hz display. */
#define FRAME_NS 16666667
/* Steps that may be alive at once, at most. */
#define AHEAD_MAX 8

/* Well fed: twelve buffers of 4.1 ms a step, of 6 ms of the CPU. */
const struct plan plan_usual = {
	.seed = 1, .noise = 2, .load = 120 * MS, .steps = 24, .ahead = 2,
	.build = 4 * MS, .ops = 480, .op = 100 * US, .op_encode = 4 * US,
	.op_kelem = 512, .max_ops = 40, .max_kelem = 50 * 1024,
	.boundary = 20 * US, .launch = 40 * US, .wake = 60 * US,
	.compile = 200 * US, .frame = 120 * US, .frame_draws = 1,
	.contend_every = 1, .memory = 6144 * MIB, .recompile_every = 1,
	.recompile_seen = 1000, .sample_every = 1,
};

/* What is drawn; each kind has numbers of its own. */
enum kind { BUILD, COMMIT, KERNEL, START, OTHER, LEVEL, DRAW, PAUSE,
	NEW };

struct sim {
	const struct plan *plan;
	struct run *run;
	struct outcome *out;
	int64_t cpu;			/* the main thread is there */
	int64_t gpu;			/* the target's last work ends */
	int64_t first, last;		/* of the recording; -1: none yet */
	int64_t host;			/* computed since the last commit */
	struct { int64_t start, end; } did[PART_COUNT];	/* the last time */
	int64_t ends[AHEAD_MAX];	/* of the last steps */
	int64_t count;			/* of buffers */
	uint64_t next_id;
};

static int64_t
draw(const struct sim *sim, enum kind kind, int64_t step, int64_t i,
    int64_t low, int64_t high)
{
	uint64_t state;

	state = (uint64_t)sim->plan->seed;
	state = random_next(&state) ^ (uint64_t)kind << 56;
	state = random_next(&state) ^ (uint64_t)step << 32 ^ (uint64_t)i;
	return random_between(&state, low, high);
}

/* NS with the noise of the run. */
static int64_t
vary(const struct sim *sim, enum kind kind, int64_t step, int64_t i,
    int64_t ns)
{
	int64_t most;

	most = 10 * sim->plan->noise;
	return ns + ns * draw(sim, kind, step, i, -most, most) / 1000;
}

/* The thread that builds and evaluates. */
static int
builder(const struct sim *sim)
{
	return sim->plan->on_worker ? WORKER : MAIN;
}

/* It works for NS. */
static void
work(struct sim *sim, enum work kind, int64_t ns)
{
	if (sim->run)
		run_busy(sim->run, builder(sim), kind, sim->cpu, sim->cpu + ns,
		    1000);
	sim->cpu += ns;
}

/* It is at PART for NS; the profiler sees it in PERMILLE of them. */
static void
dwell(struct sim *sim, enum part part, enum work kind, int64_t ns,
    int permille)
{
	sim->did[part].start = sim->cpu;
	if (sim->run && permille > 0)
		run_busy(sim->run, builder(sim), kind, sim->cpu, sim->cpu + ns,
		    permille);
	sim->cpu += ns;
	sim->did[part].end = sim->cpu;
}

/* THREAD waits in KIND from START to END, if the profiler looks at that. */
static void
asleep(struct sim *sim, int thread, enum work kind, int64_t start,
    int64_t end)
{
	struct run *run = sim->run;
	size_t i;

	if (!run || !sim->plan->waiting)
		return;
	i = run->samples.n;
	run_busy(run, thread, kind, start, end, 1000);
	for (; i < run->samples.n; i++)
		run->samples.v[i].blocked = 1;
}

static void
level(struct sim *sim, int64_t at, int64_t current, int64_t wired)
{
	struct level *l;

	if (!sim->run)
		return;
	l = LIST_ADD(sim->run->current);
	*l = (struct level){ at, at, current / 16384 * 16384, TARGET };
	l = LIST_ADD(sim->run->wired);
	*l = (struct level){ at, at, wired / 16384 * 16384, NOBODY };
	if (current > sim->run->peak)
		sim->run->peak = current;
}

static void
levels_end(struct level *v, size_t n, int64_t end)
{
	for (size_t i = 0; i < n; i++)
		v[i].end = i + 1 < n ? v[i + 1].start : end;
}

/* One encoder of a buffer of PROCESS, where it ran. */
static void
record(struct sim *sim, int process, int channel, int64_t create,
    int64_t commit, int64_t start, int64_t end)
{
	struct interval *v;
	struct buffer *b;

	if (!sim->run || (process == TARGET && sim->plan->absent))
		return;
	v = LIST_ADD(sim->run->intervals);
	memset(v, 0, sizeof(*v));
	v->start = start;
	v->end = end;
	v->commit = commit;
	v->buffer = sim->next_id;
	v->encoder = sim->next_id + 1;
	v->buffer_index = (unsigned)sim->run->buffers.n;
	v->channel = (unsigned char)channel;
	v->process = (signed char)process;
	if (process != TARGET)
		v->frame = (unsigned)(start / FRAME_NS);
	b = LIST_ADD(sim->run->buffers);
	memset(b, 0, sizeof(*b));
	b->create = create;
	b->commit = commit;
	b->to_gpu = commit + 20 * US;
	b->completed = end + 50 * US;
	b->encoding = commit - create;
	b->id = sim->next_id;
	b->index = v->buffer_index;
	b->encoders = 1;
	b->process = (signed char)process;
	b->thread = (signed char)(process == TARGET ? builder(sim) :
	    process == COMPOSITOR ? DRAWING : PAINTING);
	sim->next_id += 2;
}

/* Another process, on its turn from AT on; returns when it has ended. */
static int64_t
contend(struct sim *sim, int64_t at, int64_t ns)
{
	record(sim, BROWSER, COMPUTE, at - 300 * US, at - 200 * US, at,
	    at + ns);
	return at + ns;
}

/* What passed from SINCE, when the GPU was done, until BEGAN. */
static void
account(struct sim *sim, int64_t since, int64_t began)
{
	struct outcome *out = sim->out;
	int64_t late, from;

	late = sim->cpu > since ? sim->cpu - since : 0;
	out->late += late;
	out->host += sim->host < late ? sim->host : late;
	out->starting += began - since - late;
	for (int part = 0; part < PART_COUNT; part++) {
		from = sim->did[part].start;
		if (from < since)
			from = since;
		if (from < sim->did[part].end)
			out->known[part] += sim->did[part].end - from;
	}
}

/*
 * Encode a buffer that keeps the GPU busy for NS in CHANNEL, commit it, and
 * let it run.
 */
static void
submit(struct sim *sim, int64_t step, int64_t i, int64_t ns, int64_t encode,
    int channel)
{
	const struct plan *p = sim->plan;
	struct outcome *out = sim->out;
	int64_t create, start, began, mine;
	int counted;

	create = sim->cpu;
	if (step == 0)
		work(sim, ENCODE, vary(sim, COMMIT, -1, i, p->compile));
	work(sim, ENCODE, encode);
	began = sim->cpu + vary(sim, START, step, i, p->launch);
	if (sim->count > 0) {
		mine = vary(sim, START, step, -1 - i, p->boundary);
		if (began < sim->gpu + mine)
			began = sim->gpu + mine;
	}
	start = began;
	if (p->contend > 0 && sim->count > 0 &&
	    sim->count % p->contend_every == 0)
		start = contend(sim, start, vary(sim, OTHER, step, i,
		    p->contend)) + p->boundary;
	if (p->overlap > 0) {
		/* both are slower while they share the GPU */
		mine = vary(sim, OTHER, step, i, p->overlap);
		(void)contend(sim, start, mine);
		ns += mine / 2;
	}
	record(sim, TARGET, channel, create, sim->cpu, start, start + ns);
	counted = sim->count >= p->skip &&
	    (p->keep == 0 || sim->count < p->skip + p->keep);
	if (counted && sim->first < 0) {
		sim->first = start;
	} else if (counted) {
		account(sim, sim->gpu, began);
		out->contention += start - began;
	}
	if (counted) {
		out->busy += ns;
		out->rows++;
		sim->last = start + ns;
	}
	sim->host = 0;
	sim->gpu = start + ns;
	sim->count++;
}

/* The CPU waits until the GPU has done all it was given by AT. */
static void
await(struct sim *sim, int64_t at)
{
	if (sim->run && at > sim->cpu)
		run_busy(sim->run, builder(sim), WAIT, sim->cpu, at, 6);
	asleep(sim, builder(sim), WAIT, sim->cpu, at + sim->plan->wake);
	if (at + sim->plan->wake > sim->cpu)
		sim->cpu = at + sim->plan->wake;
}

/* A matrix product on the CPU: what came before must be there. */
static void
fall_back(struct sim *sim)
{
	int64_t end;

	if (sim->plan->fallback == 0)
		return;
	await(sim, sim->gpu);
	end = sim->cpu + sim->plan->fallback;
	if (sim->run)
		run_busy(sim->run, WORKER, FALLBACK, sim->cpu, end, 1000);
	sim->cpu = end;
	sim->host += sim->plan->fallback;
}

/* Whether what may come once in the run comes in STEP. */
static int
is_due(const struct plan *p, int64_t step)
{
	return p->once == 0 || step == p->once;
}

/* Evaluate OPS operations; PART numbers the evaluations of the step. */
static void
evaluate(struct sim *sim, int64_t step, int64_t part, int64_t ops)
{
	const struct plan *p = sim->plan;
	int64_t n, i, ns, encode, done, half, op;

	half = ops / 2;
	op = step == 0 && p->prefill > 0 ? p->prefill / p->ops : p->op;
	if (p->odd_every > 0 && step % p->odd_every == p->odd_every / 2)
		op *= 3;
	if (p->recompile > 0 && part == 0 && is_due(p, step) &&
	    step % p->recompile_every == p->recompile_every - 1)
		dwell(sim, COMPILING, COMPILE, vary(sim, NEW, step, 0,
		    p->recompile), (int)p->recompile_seen);
	i = part << 16;
	for (done = 0; done < ops; done += n, i++) {
		/* committed once there is more than a buffer may hold */
		n = p->max_ops + 1;
		if (p->op_kelem > 0 && p->max_kelem / p->op_kelem + 1 < n)
			n = p->max_kelem / p->op_kelem + 1;
		if (n > ops - done)
			n = ops - done;
		if (done <= half && done + n > half && part == 0)
			fall_back(sim);
		ns = vary(sim, KERNEL, step, i, n * op);
		ns += ns * p->slower * step / p->steps / 100;
		encode = vary(sim, COMMIT, step, i, n * p->op_encode);
		/* now and then the system takes the thread away */
		if (draw(sim, PAUSE, step, i, 1, 200) == 1)
			encode += p->noise * 100 * US;
		submit(sim, step, i, ns, encode, COMPUTE);
	}
}

/* The step's result is drawn by the program itself, behind its work. */
static void
draw_preview(struct sim *sim, int64_t step)
{
	int64_t ns;

	ns = vary(sim, DRAW, step, -1, sim->plan->preview);
	if (ns == 0)
		return;
	submit(sim, step, INT64_C(1) << 40, ns / 5, 30 * US, VERTEX);
	submit(sim, step, (INT64_C(1) << 40) + 1, ns - ns / 5, 30 * US,
	    FRAGMENT);
}

static void
take_step(struct sim *sim, int64_t step)
{
	static const enum work kinds[] = { WAIT, NAP, LOCK, REQUEST, INPUT };
	const struct plan *p = sim->plan;
	int64_t parts, held, ripple, start;

	parts = p->waits > 0 ? p->waits : 1;
	held = p->memory + p->grow * step + p->rise * (step < 6 ? step : 6);
	ripple = draw(sim, LEVEL, step, 0, 0, p->memory / 5000 * p->noise);
	if (p->sleep > 0 && is_due(p, step)) {
		start = sim->cpu;
		dwell(sim, p->loader || p->waiting == 4 ? LOADING : SLEEPING,
		    WAIT, vary(sim, NEW, step, 1, p->sleep), 0);
		asleep(sim, builder(sim), kinds[p->waiting], start, sim->cpu);
		if (p->loader && sim->run)
			run_busy(sim->run, MONITOR, LOADER,
			    sim->did[LOADING].start, sim->cpu, 980);
	}
	if (p->read > 0 && is_due(p, step))
		dwell(sim, LOADING, INPUT, vary(sim, NEW, step, 2, p->read),
		    950);
	start = sim->cpu;
	level(sim, start, held + ripple, held + 2048 * MIB);
	for (int64_t i = 0; i < parts; i++) {
		work(sim, p->interpret ? INTERPRET : GRAPH,
		    vary(sim, BUILD, step, i, p->build / parts));
		evaluate(sim, step, i, p->ops / parts);
		if (i == 0 && p->tooth > 0)
			level(sim, sim->cpu, held + p->tooth,
			    held + 2048 * MIB);
		if (p->waits > 0)
			await(sim, sim->gpu);
	}
	draw_preview(sim, step);
	if (p->waits == 0 && step + 1 >= p->ahead)
		await(sim, sim->ends[(step + 1) % p->ahead]);
	sim->ends[step % p->ahead] = sim->gpu;
	if (p->convert > 0) {
		start = vary(sim, BUILD, step, -1, p->convert);
		work(sim, CONVERT, start);
		sim->host += start;
	}
}

/* Four buffers, and all they make is held at once. */
static void
decode(struct sim *sim)
{
	const struct plan *p = sim->plan;
	int64_t held;

	if (p->decode == 0)
		return;
	await(sim, sim->gpu);
	held = p->memory + p->grow * p->steps;
	level(sim, sim->cpu + 1, held + p->spike, held + 2048 * MIB +
	    p->spike);
	for (int64_t i = 0; i < 4; i++)
		submit(sim, p->steps, i, vary(sim, KERNEL, p->steps, i,
		    p->decode / 4), 100 * US, COMPUTE);
	await(sim, sim->gpu);
	level(sim, sim->cpu, p->memory / 2, p->memory / 2);
}

/* The window server draws, beside what runs. */
static void
draw_frames(struct sim *sim)
{
	const struct plan *p = sim->plan;
	int64_t at, start, ns;

	for (at = FRAME_NS; at < sim->run->duration - FRAME_NS;
	    at += FRAME_NS) {
		start = at;
		for (int64_t i = 0; i < p->frame_draws; i++) {
			ns = vary(sim, DRAW, at / FRAME_NS, i, p->frame) /
			    p->frame_draws;
			record(sim, COMPOSITOR, VERTEX, start - 300 * US,
			    start - 200 * US, start, start + ns / 5);
			start += ns / 5 + 5 * US;
			record(sim, COMPOSITOR, FRAGMENT, start - 300 * US,
			    start - 200 * US, start, start + ns - ns / 5);
			start += ns - ns / 5 + 20 * US;
		}
	}
}

void
loop_run(const struct plan *plan, struct run *run, struct outcome *out)
{
	struct sim sim = { .plan = plan, .run = run, .out = out,
	    .first = -1, .last = -1, .next_id = 4050234000 };
	static const int others[] = { MONITOR, WORKER };

	memset(out, 0, sizeof(*out));
	level(&sim, 0, plan->memory / 8, plan->memory / 8);
	work(&sim, LOAD, plan->load);
	for (int64_t step = 0; step < plan->steps; step++)
		take_step(&sim, step);
	await(&sim, sim.gpu);
	decode(&sim);
	out->span = sim.last - sim.first;
	out->idle = out->late + out->starting + out->contention;
	if (plan->absent)
		memset(out, 0, sizeof(*out));
	if (!run)
		return;
	run->duration = (sim.cpu + 50 * MS) / US * US;
	if (plan->frame > 0)
		draw_frames(&sim);
	for (int i = 0; i < plan->background; i++)
		run_busy(run, others[i], PREFETCH, plan->load, sim.cpu, 980);
	asleep(&sim, PAINTING, REQUEST, 0, run->duration);
	if (!plan->loader && !plan->background)
		asleep(&sim, MONITOR, LOCK, 0, run->duration);
	levels_end(run->wired.v, run->wired.n, run->duration);
	levels_end(run->current.v, run->current.n, run->duration);
	run_sort(run);
	recording_thin(run, plan);
	if (plan->skip > 0 || plan->keep > 0)
		recording_cut(run, sim.first - 1 * US, sim.last + 100 * US);
}

/* Late, and not for want of running ahead. */
static int64_t
explained(const struct outcome *out)
{
	int64_t sum;

	sum = out->host;
	for (int part = 0; part < PART_COUNT; part++)
		sum += out->known[part];
	return sum;
}

void
loop_parts(const struct plan *plan, int64_t parts[PART_COUNT])
{
	struct plan ahead = *plan;
	struct outcome out, unwaiting;
	int64_t waited;

	loop_run(plan, NULL, &out);
	ahead.waits = 0;
	loop_run(&ahead, NULL, &unwaiting);
	waited = out.late - explained(&out) -
	    (unwaiting.late - explained(&unwaiting));
	if (waited < 0)
		waited = 0;
	memcpy(parts, out.known, sizeof(out.known));
	parts[WORK] = out.busy;
	parts[BUILDING] = out.late - waited - explained(&out) + out.host;
	parts[SYNCHRONISING] = waited;
	parts[CONTENTION] = out.contention;
	parts[STARTING] = out.starting;
}
