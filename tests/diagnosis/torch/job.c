#include <inttypes.h>
#include <string.h>

#include "model.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define MIB (INT64_C(1) << 20)
#define WORKERS_MAX 64
/* Batches that a worker of the DataLoader has ready at most. */
#define PREFETCH 2
/* Places of what no layer does. */
enum { BEGINNING = 1000, LOADER, BUILDER, INPUT, WAITER, FILLER };

/* Well fed: a step of 27 ms, of 3 ms of the CPU. */
const struct job job_usual = {
	.seed = 1, .noise = 2, .steps = 10, .train = 1, .layers = 4,
	.batch = 8, .seq = 1024, .dim = 2048, .heads = 16, .ff = 8192,
	.vocab = 32000, .flash = 1, .fused = 1, .math = 70, .band = 80,
	.op = 4 * US, .launch = 4 * US, .python = 3 * US, .build = 300 * US,
	.load = 2 * MS, .workers = 8, .input = 1 * MIB, .pinned = 1,
	.overlap = 1, .ranks = 1, .gpus = 1, .held = INT64_C(3) << 30,
};

struct life {
	struct sim sim;
	struct model model;
	int64_t began;
	int64_t free[WORKERS_MAX];	/* when each has its batch ready */
	int64_t taken[WORKERS_MAX * PREFETCH];	/* the last batches */
};

static void
frame(struct life *life, const char *name)
{
	if (life->sim.job->frames)
		sim_enter(&life->sim, "python_function", "", 0, "%s", name);
}

static void
frame_end(struct life *life)
{
	if (life->sim.job->frames)
		sim_leave(&life->sim);
}

/* When batch N is ready; workers take turns, and are asked for so many. */
static int64_t
batch_ready(struct life *life, int64_t n)
{
	const int64_t workers = life->sim.job->workers;
	int64_t *ready = &life->free[n % workers], asked, took;

	took = sim_vary(&life->sim, START, life->sim.job->load);
	if (n < workers) {
		/* the loop has been running: they are spread */
		*ready = life->began + took * (n + 1) / workers;
		return *ready;
	}
	asked = n < workers * PREFETCH ? 0 :
	    life->taken[n % (workers * PREFETCH)];
	*ready = (*ready > asked ? *ready : asked) + took;
	return *ready;
}

static void
load(struct life *life)
{
	const struct job *job = life->sim.job;
	const int64_t n = life->sim.step;

	sim_place(&life->sim, LOADER, 0);
	sim_enter(&life->sim, "user_annotation", "", 0, "enumerate("
	    "DataLoader)#_%sDataLoaderIter.__next__", job->workers ?
	    "MultiProcessing" : "SingleProcess");
	sim_host(&life->sim, LOADING, 2 * US);
	frame(life, "torch/utils/data/dataloader.py(701): __next__");
	if (job->workers) {
		sim_until(&life->sim, LOADING, batch_ready(life, n));
		sim_host(&life->sim, LOADING, 90 * US);
		life->taken[n % (job->workers * PREFETCH)] = life->sim.now;
	} else {
		sim_host(&life->sim, LOADING, job->load);
	}
	frame_end(life);
	sim_leave(&life->sim);
}

/* Noise as large as the batch, made on the CPU. */
static void
fill(struct life *life)
{
	const struct job *job = life->sim.job;
	const int64_t n = job->input / 4 / job->batch;

	if (!job->fill)
		return;
	sim_place(&life->sim, FILLER, 0);
	model_python(&life->model);
	sim_call(&life->sim, 0, "aten::randn", "n s6 s0 n n");
	sim_call(&life->sim, 0, "aten::normal_", "f%" PRId64 "x%" PRId64
	    " s0 s1 n", job->batch, n);
	sim_host(&life->sim, COMPUTING, job->fill);
	sim_return(&life->sim);
	sim_return(&life->sim);
}

/* The batch goes to the GPU; what computes waits for it there. */
static void
copy_input(struct life *life)
{
	const struct job *job = life->sim.job;
	const int64_t n = job->input / 4 / job->batch;
	struct kernel kernel;

	sim_place(&life->sim, INPUT, 0);
	kernel = chip_copy(job, n * job->batch * 4);
	model_python(&life->model);
	sim_call(&life->sim, 0, "aten::to", "f%" PRId64 "x%" PRId64
	    " s6 s0 n n s%s sFalse n", job->batch, n,
	    job->pinned ? "True" : "False");
	sim_call(&life->sim, 0, "aten::_to_copy", "f%" PRId64 "x%" PRId64
	    " s6 s0 n n s%s n", job->batch, n,
	    job->pinned ? "True" : "False");
	sim_call(&life->sim, 0, "aten::copy_", "f%" PRId64 "x%" PRId64
	    " f%" PRId64 "x%" PRId64 " s%s", job->batch, n, job->batch, n,
	    job->pinned ? "True" : "False");
	if (job->pinned)
		sim_launch(&life->sim, &kernel);
	else
		sim_copy_blocking(&life->sim, &kernel);
	sim_return(&life->sim);
	sim_return(&life->sim);
	sim_return(&life->sim);
	if (job->pinned)
		sim_order(&life->sim, COMPUTE, COPIES);
}

/* Only the last rank of several is late; at first all have just met. */
static int64_t
late(const struct sim *sim)
{
	return sim->step > 0 && sim->rank > 0 &&
	    sim->rank == sim->job->ranks - 1 ? sim->job->late : 0;
}

/* Python before the step: schedules, metrics, a line of the log. */
static void
build(struct life *life)
{
	sim_place(&life->sim, BUILDER, 0);
	frame(life, "train.py(52): before_step");
	sim_host(&life->sim, PYTHON, life->sim.job->build + late(&life->sim));
	frame_end(life);
	sim_host(&life->sim, SLEEPING, life->sim.job->sleep +
	    (life->sim.step == life->sim.job->steps / 2 ?
	    life->sim.job->hitch : 0));
}

static void
region(struct life *life, const char *name)
{
	if (life->sim.job->regions)
		sim_enter(&life->sim, "user_annotation", "", 0, "%s", name);
}

static void
region_end(struct life *life)
{
	if (life->sim.job->regions)
		sim_leave(&life->sim);
}

/* A server names its steps by what they do; most make one token each. */
static void
serve(struct life *life, struct job *step_job)
{
	const struct job *job = life->sim.job;
	const int prompt = life->sim.step % job->serve == 0;

	*step_job = *job;
	if (!prompt) {
		step_job->cached = job->seq;
		step_job->seq = 1;
	}
	life->model.job = step_job;
	sim_enter(&life->sim, "user_annotation", "", 0, prompt ?
	    "execute_context_%" PRId64 "(%" PRId64 ")_generation_0(0)" :
	    "execute_context_0(0)_generation_%" PRId64 "(%" PRId64 ")",
	    job->batch, job->batch * step_job->seq);
}

/* What steps leave behind: blocks that nobody frees, and some in pieces. */
static void
leave_behind(struct life *life)
{
	const struct job *job = life->sim.job;
	struct block block;

	if (!job->memory || !(job->leak || job->scatter))
		return;
	sim_call(&life->sim, 0, "aten::cat", "v s0");
	if (job->leak)
		sim_allocate(&life->sim, job->leak, 1);
	if (job->scatter) {
		block = sim_allocate(&life->sim, job->scatter, 0);
		sim_free(&life->sim, &block);
	}
	sim_return(&life->sim);
}

static void
capture(struct life *life)
{
	sim_place(&life->sim, WAITER, 2);
	sim_capture(&life->sim);
	model_forward(&life->model);
	sim_captured(&life->sim);
}

static void
forward_backward(struct life *life)
{
	region(life, "forward");
	model_forward(&life->model);
	region_end(life);
	if (life->sim.job->train) {
		region(life, "backward");
		model_backward(&life->model);
		region_end(life);
		model_update(&life->model);
	} else {
		/* the next step goes on with what came of this one */
		model_move(&life->model, 0);
	}
}

static void
compute(struct life *life)
{
	const struct job *job = life->sim.job;

	if (job->graph) {
		sim_place(&life->sim, WAITER, 1);
		sim_replay(&life->sim);
	}
	forward_backward(life);
	for (int i = 1; i < job->gpus && !job->turns; i++) {
		sim_gpu(&life->sim, i);
		forward_backward(life);
	}
	sim_gpu(&life->sim, 0);
	if (job->graph)
		sim_replayed(&life->sim);
}

static void
take_step(struct life *life, int64_t step)
{
	const struct job *job = life->sim.job;
	const size_t first = life->sim.work.n;
	struct job step_job;

	life->sim.step = step;
	sim_enter(&life->sim, "user_annotation", "", 0, "ProfilerStep#%"
	    PRId64, step + 5);
	sim_place(&life->sim, BEGINNING, 0);
	sim_host(&life->sim, PYTHON, 1 * US);
	frame(life, "train.py(88): main");
	sim_host(&life->sim, PYTHON, 2 * US);
	load(life);
	build(life);
	if (job->serve)
		serve(life, &step_job);
	if (job->gpus > 1 && !job->turns) {
		step_job = *life->model.job;
		step_job.batch = (job->batch + job->gpus - 1) / job->gpus;
		life->model.job = &step_job;
	}
	fill(life);
	copy_input(life);
	compute(life);
	leave_behind(life);
	if (job->serve)
		sim_leave(&life->sim);
	life->model.job = job;
	sim_place(&life->sim, WAITER, 0);
	if (job->wait == 1)
		model_item(&life->model);
	else if (job->wait == 2)
		sim_synchronise(&life->sim, 1);
	if (job->empty)
		sim_release(&life->sim, job->empty);
	frame_end(life);
	sim_leave(&life->sim);
	sim_annotate_gpu(&life->sim, step + 5, first);
}

int64_t
job_world(const struct job *job)
{
	return job->ranks > 1 ? job->ranks : 8;
}

/* One rank, which meets the others at MEET, and is READY then. */
static void
live(const struct job *job, int64_t rank, const int64_t *meet, int64_t *ready,
    FILE *trace, const int64_t *marks, struct life *life, struct outcome *out)
{
	memset(life, 0, sizeof(*life));
	life->sim.rank = rank;
	life->sim.meet = meet;
	life->sim.ready = ready;
	life->sim.out = trace;
	life->sim.from = marks ? marks[0] : 0;
	life->sim.to = marks ? marks[1] : INT64_MAX;
	life->model.sim = &life->sim;
	life->model.job = job;
	sim_begin(&life->sim, job);
	if (job->capture)
		capture(life);
	life->began = life->sim.now;
	for (int64_t step = 0; step < job->steps; step++)
		take_step(life, step);
	sim_end(&life->sim, out);
}

/*
 * When all ranks are at each collective.  A rank that waits is later at the
 * next one, so they live until none is later than it was.
 */
static void
meet_all(const struct job *job, int64_t *meet)
{
	static struct life life;
	static int64_t ready[MEETINGS];
	struct outcome out;
	int changed = 1;

	while (changed) {
		changed = 0;
		for (int64_t rank = 0; rank < job->ranks; rank++) {
			live(job, rank, meet, ready, NULL, NULL, &life, &out);
			for (int64_t i = 0; i < life.sim.met; i++) {
				if (ready[i] <= meet[i])
					continue;
				meet[i] = ready[i];
				changed = 1;
			}
		}
	}
}

void
job_run(const struct job *job, FILE *const *traces, struct outcome *out)
{
	static struct life life;
	static int64_t meet[MEETINGS], ready[MEETINGS];
	int64_t marks[2];
	/* whom the others wait for */
	const int64_t told = job->late || job->slow ? job->ranks - 1 : 0;
	struct outcome other;

	memset(meet, 0, sizeof(meet));
	if (job->ranks > 1)
		meet_all(job, meet);
	for (int64_t rank = 0; rank < job->ranks; rank++) {
		if (job->cut)
			live(job, rank, meet, ready, NULL, NULL, &life, &other);
		memcpy(marks, life.sim.marks, sizeof(marks));
		live(job, rank, meet, ready, traces ? traces[rank] : NULL,
		    job->cut ? marks : NULL, &life,
		    rank == told ? out : &other);
	}
}
