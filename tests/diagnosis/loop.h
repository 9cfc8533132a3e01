/*
 * loop - a program that gives work to the GPU step by step, by rule
 *
 * A step builds a graph on the CPU and evaluates it.  As in MLX the graph is
 * encoded into command buffers of one encoder each, so one GPU interval is
 * one command buffer is some operations: a buffer is committed after more
 * than max_ops operations, or when their inputs exceed max_kelem.
 *
 * What varies is drawn from the seed and from the place in the run (step,
 * buffer), never from what was drawn before: the run with a cause and the run
 * without it have the same noise, so what they differ by is what the cause
 * costs.
 */
#ifndef LOOP_H
#define LOOP_H

#include "../../examples/metal/mkflux.h"

/* Times in ns; all whole numbers.  loop.c says what each is by default. */
struct plan {
	int64_t seed, noise;		/* noise: percent up or down */
	int64_t load;			/* CPU time before the first step */
	int64_t steps;
	int64_t waits;			/* evaluations of a step that wait */
	int64_t ahead;			/* else the steps alive at once */
	int64_t build;			/* Python of a step */
	int64_t interpret;		/* not 0: all of it in Python */
	int64_t convert;		/* to NumPy, after a step */
	int64_t fallback;		/* on the CPU, within a step */
	int64_t compile;		/* of kernels, in the first step */
	int64_t ops, op, op_encode;	/* of a step; GPU, CPU time of one */
	int64_t op_kelem;		/* 1024 elements of its inputs */
	int64_t max_ops, max_kelem;	/* of a buffer */
	int64_t boundary;		/* between two buffers, at least */
	int64_t launch, wake;		/* commit to start, end to the CPU */
	int64_t slower;			/* percent, by the last step */
	int64_t decode;			/* GPU time after the last step */
	int64_t frame, frame_draws;	/* of the screen, 60 times a second */
	int64_t contend, contend_every;	/* another's turn, in buffers */
	int64_t overlap;		/* another's work, at the same time */
	int64_t memory, grow, tooth, spike;	/* bytes */
	int64_t absent;			/* not 0: the GPU never saw it */
	int64_t exit_status;
	int64_t read;			/* of its input, before a step */
	int64_t sleep;			/* off the CPU, before a step */
	int64_t waiting;		/* not 0: threads that wait are sampled,
					 * too; it sleeps (1), waits for a lock
					 * (2) or a reply (3), or reads (4) */
	int64_t loader;			/* not 0: a thread loads meanwhile */
	int64_t on_worker;		/* not 0: not on the main thread */
	int64_t recompile, recompile_every;	/* in steps of a new shape */
	int64_t recompile_seen;		/* permille on our side */
	int64_t prefill;		/* not 0: GPU time of the first step */
	int64_t once;			/* not 0: read, sleep and recompile in
					 * this step alone, from 0 */
	int64_t odd_every;		/* such a step is thrice as long */
	int64_t background;		/* other busy threads, 0 to 2 */
	int64_t rise;			/* bytes, in each of six steps */
	int64_t preview;		/* drawn by the target after a step */
	int64_t skip, keep;		/* buffers before, in the recording */
	int64_t sample_every, sample_lost;	/* ms; percent */
	int64_t flux;			/* not 0: the example's run, flux.c */
};
extern const struct plan plan_usual;

/* Whose each moment from the first to the last work is. */
enum part {
	WORK, BUILDING, SYNCHRONISING, CONTENTION, STARTING, LOADING, SLEEPING,
	COMPILING, PART_COUNT
};

struct outcome {
	int64_t span, busy, idle;	/* of the target on the GPU */
	int64_t rows;
	int64_t late;			/* idle, the next not committed yet */
	int64_t host;			/* of that: converting, computing */
	int64_t contention, starting;	/* idle, the next was committed */
	int64_t known[PART_COUNT];	/* late, and the thread was at that */
};

/* Live the plan; RUN, if there is one, gets what was recorded of it. */
void loop_run(const struct plan *plan, struct run *run, struct outcome *out);
/*
 * The parts of PLAN's time.  Idle time that would be gone if the CPU did not
 * wait for the GPU is synchronising; other late commits are building.
 */
void loop_parts(const struct plan *plan, int64_t parts[PART_COUNT]);

/* The same of the example's run, with what PLAN injects into it. */
void flux_run(const struct plan *plan, struct run *run, struct outcome *out);
void flux_parts(const struct plan *plan, int64_t parts[PART_COUNT]);

/* Leave of RUN what was recorded from START to END, which become its ends. */
void recording_cut(struct run *run, int64_t start, int64_t end);
/* One sample in PLAN's sample_every ms, and some lost. */
void recording_thin(struct run *run, const struct plan *plan);

#endif
