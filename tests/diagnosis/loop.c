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
	.recompile_every = 1, .thin = 1, .slow_every = 1, .slow_times = 1,
	.compile = 200 * US, .frame = 120 * US, .frame_draws = 1,
	.contend_every = 1, .memory = 6144 * MIB,
};

/* What is drawn; each kind has numbers of its own. */
enum kind { BUILD, COMMIT, KERNEL, START, OTHER, LEVEL, DRAW, PAUSE };

struct sim {
	const struct plan *plan;
	struct run *run;
	struct outcome *out;
	int64_t cpu;			/* the main thread is there */
	int64_t gpu;			/* the target's last work ends */
	int64_t first;			/* its first began; -1: none yet */
	int64_t host;			/* computed since the last commit */
	int64_t ends[AHEAD_MAX];	/* of the last steps */
	unsigned count;			/* of buffers */
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

/* The main thread works for NS. */
static void
work(struct sim *sim, enum work kind, int64_t ns)
{
	if (sim->run)
		run_busy(sim->run, MAIN, kind, sim->cpu, sim->cpu + ns, 1000);
	sim->cpu += ns;
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
	b->thread = (signed char)(process == TARGET ? MAIN :
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

/* The main thread does what needs nothing from the GPU, nor gives it any. */
static void
host(struct sim *sim, enum work kind, int64_t ns)
{
	work(sim, kind, ns);
	sim->host += ns;
}

/* Encode a buffer that keeps the GPU busy for NS, commit it, and let it run. */
static void
submit(struct sim *sim, int64_t step, int64_t i, int64_t ns, int64_t encode)
{
	const struct plan *p = sim->plan;
	struct outcome *out = sim->out;
	int64_t create, start, since, late, mine;

	create = sim->cpu;
	if (step == 0)
		work(sim, ENCODE, vary(sim, COMMIT, -1, i, p->compile));
	work(sim, ENCODE, encode);
	since = sim->gpu;
	start = sim->cpu + vary(sim, START, step, i, p->launch);
	if (sim->first < 0) {
		sim->first = since = start;
	} else {
		mine = vary(sim, START, step, -1 - i, p->boundary);
		if (start < since + mine)
			start = since + mine;
	}
	late = sim->cpu > since ? sim->cpu - since : 0;
	out->late += late;
	out->host += sim->host < late ? sim->host : late;
	out->starting += start - since - late;
	sim->host = 0;
	if (p->contend > 0 && sim->count > 0 &&
	    sim->count % p->contend_every == 0) {
		mine = start;
		start = contend(sim, start, vary(sim, OTHER, step, i,
		    p->contend)) + p->boundary;
		out->contention += start - mine;
	}
	if (p->overlap > 0) {
		/* both are slower while they share the GPU */
		mine = vary(sim, OTHER, step, i, p->overlap);
		(void)contend(sim, start, mine);
		ns += mine / 2;
	}
	record(sim, TARGET, COMPUTE, create, sim->cpu, start, start + ns);
	out->busy += ns;
	out->rows++;
	sim->gpu = start + ns;
	sim->count++;
}

/* The CPU waits until the GPU has done all it was given by AT. */
static void
await(struct sim *sim, int64_t at)
{
	if (sim->run && at > sim->cpu)
		run_busy(sim->run, MAIN, WAIT, sim->cpu, at, 6);
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

/* Evaluate OPS operations; PART numbers the evaluations of the step. */
static void
evaluate(struct sim *sim, int64_t step, int64_t part, int64_t ops)
{
	const struct plan *p = sim->plan;
	int64_t n, i, ns, encode, done, half;

	half = ops / 2;
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
		ns = vary(sim, KERNEL, step, i, n * p->op);
		ns += ns * p->slower * step / p->steps / 100;
		if (step % p->slow_every == p->slow_every - 1)
			ns *= p->slow_times;
		encode = vary(sim, COMMIT, step, i, n * p->op_encode);
		/* now and then the system takes the thread away */
		if (draw(sim, PAUSE, step, i, 1, 200) == 1)
			encode += p->noise * 100 * US;
		submit(sim, step, i, ns, encode);
	}
}

static void
take_step(struct sim *sim, int64_t step)
{
	const struct plan *p = sim->plan;
	int64_t parts, held, ripple, start;

	parts = p->waits > 0 ? p->waits : 1;
	held = p->memory + p->grow * step;
	ripple = draw(sim, LEVEL, step, 0, 0, p->memory / 5000 * p->noise);
	start = sim->cpu;
	level(sim, start, held + ripple, held + 2048 * MIB);
	host(sim, LOAD, vary(sim, BUILD, step, -2, p->read));
	sim->cpu += p->sleep;
	sim->host += p->sleep;
	if (step > 0 && step % p->recompile_every == 0)
		host(sim, COMPILE, p->recompile);
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
	if (p->waits == 0 && step + 1 >= p->ahead)
		await(sim, sim->ends[(step + 1) % p->ahead]);
	sim->ends[step % p->ahead] = sim->gpu;
	host(sim, CONVERT, vary(sim, BUILD, step, -1, p->convert));
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
		    p->decode / 4), 100 * US);
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

/* Of every N samples one is left, which stands for all. */
static void
thin_out(struct run *run, int64_t n)
{
	size_t kept = 0;

	for (size_t i = 0; n > 1 && i < run->samples.n; i++) {
		if (i % (size_t)n)
			continue;
		run->samples.v[kept] = run->samples.v[i];
		run->samples.v[kept++].weight *= n;
	}
	if (n > 1)
		run->samples.n = kept;
}

void
loop_run(const struct plan *plan, struct run *run, struct outcome *out)
{
	struct sim sim = { .plan = plan, .run = run, .out = out,
	    .first = -1, .next_id = 4050234000 };

	memset(out, 0, sizeof(*out));
	level(&sim, 0, plan->memory / 8, plan->memory / 8);
	work(&sim, LOAD, plan->load);
	for (int64_t step = 0; step < plan->steps; step++)
		take_step(&sim, step);
	await(&sim, sim.gpu);
	decode(&sim);
	out->span = sim.gpu - sim.first;
	out->idle = out->late + out->starting + out->contention;
	if (plan->absent)
		memset(out, 0, sizeof(*out));
	if (!run)
		return;
	run->duration = (sim.cpu + 50 * MS) / US * US;
	if (plan->frame > 0)
		draw_frames(&sim);
	run_busy(run, WORKER, INTERPRET, 0, run->duration,
	    (int)plan->background);
	thin_out(run, plan->thin);
	levels_end(run->wired.v, run->wired.n, run->duration);
	levels_end(run->current.v, run->current.n, run->duration);
	run_sort(run);
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
	waited = out.late - out.host - (unwaiting.late - unwaiting.host);
	if (waited < 0)
		waited = 0;
	parts[WORK] = out.busy;
	parts[BUILDING] = out.late - waited;
	parts[SYNCHRONISING] = waited;
	parts[CONTENTION] = out.contention;
	parts[STARTING] = out.starting;
}
