/*
 * job - a program of PyTorch that is lived step by step, by rule
 *
 * A transformer is trained or only run, by one CPU thread, with a second one
 * for the backward pass, on one GPU or several (H100 SXM) with a stream each
 * for computing, communicating and copying.  A kernel starts when it was
 * launched and its stream is free; how long it takes follows from its shape
 * and the rates of the chip.
 *
 * What varies is drawn from the seed and from the place in the run (step,
 * layer, operator of it), never from what was drawn before: the run with a
 * cause and the run without it have the same noise, so what they differ by is
 * what the cause costs.
 */
#ifndef JOB_H
#define JOB_H

#include <stdint.h>
#include <stdio.h>

/* Times in ns; all whole numbers.  job.c says what each is by default. */
struct job {
	int64_t seed, noise;		/* noise: percent up or down */
	int64_t steps;
	int64_t train;			/* not 0: backward pass, optimizer */
	int64_t graph;			/* not 0: a CUDA graph holds a step */
	int64_t layers, batch, seq, dim, heads, ff, vocab;
	int64_t cached;			/* keys of a token; 0: as many as seq */
	int64_t flash;			/* 0: scores go through memory */
	int64_t activation;		/* 0: gelu, 1: by hand, 2: compiled */
	int64_t fused;			/* 0: optimizer by parameter */
	int64_t math, band;		/* percent of the rates reached */
	int64_t op, launch;		/* host: an operator, its launch */
	int64_t python;			/* before each operator */
	int64_t build, build_layer;	/* before each step; each layer */
	int64_t sleep;			/* off the CPU, before each step */
	int64_t load, workers;		/* a batch; 0: on the main thread */
	int64_t fill;			/* a tensor computed on the CPU, before
					 * each step */
	int64_t input;			/* bytes of a batch */
	int64_t pinned;			/* 0: copied from pageable memory */
	int64_t wait;			/* a step: 1 item, 2 synchronize */
	int64_t wait_layer;		/* not 0: item after each layer */
	int64_t empty;			/* a step: empty_cache */
	int64_t network;		/* bytes per s; 0: a single rank */
	int64_t overlap;		/* 0: reduced after backward */
	int64_t ranks;			/* they wait for each other */
	int64_t late;			/* the last rank: more Python a step */
	int64_t slow;			/* its kernels: percent longer */
	int64_t hitch;			/* off the CPU, before one step */
	int64_t stall;			/* a collective of one step: longer */
	int64_t throttle;		/* kernels of the later half of the
					 * steps: percent longer */
	int64_t warm;			/* ... of the last step; those between
					 * get there step by step */
	int64_t cut;			/* recorded from within the first step
					 * to within the last */
	int64_t frames, cuda_sync;	/* recorded, too */
	int64_t memory;			/* what the allocator did, too */
	int64_t held;			/* bytes of parameters, and what the
					 * optimizer has of them */
	int64_t leak;			/* bytes that each step keeps */
	int64_t scatter;		/* bytes that each step asks for, which
					 * are free, but not in one piece */
	int64_t regions;		/* not 0: parts of a step are marked */
	int64_t serve;			/* one step of so many reads prompts of
					 * seq, others make a token; 0: none */
	int64_t capture;		/* recorded, too: how the graph was */
	int64_t stray;			/* 0, or since a kernel before */
	int64_t recompute;		/* blocks are run again in the backward
					 * pass: 1 as what was not kept is
					 * asked for, 2 by a function that then
					 * runs backward itself (reentrant) */
	int64_t twice;			/* not 0: a backward pass that can be
					 * differentiated (create_graph), then
					 * that of the loss */
	int64_t gpus;			/* that the process drives */
	int64_t turns;			/* each has some of the layers; 0: each
					 * all of them, and some of the batch */
	int64_t vendor;			/* whose form the trace has */
};
enum { CUDA, XPU, MTIA, ASCEND, VENDOR_COUNT };
extern const struct job job_usual;

/*
 * Whose each moment is: of what works, the first of these, else what the
 * host was at.  Of several GPUs this is the mean, as long as one works.
 */
enum part {
	MATH, MEMORY, TINY, COMMUNICATION, COPY,
	LOADING, SYNCHRONISING, OPERATORS, PYTHON, COMPUTING, SLEEPING,
	TURNS,			/* another GPU works, this one does not */
	PART_COUNT
};

struct outcome {
	int64_t rank;		/* whose this is */
	int64_t first;		/* when its first work began */
	int64_t span;		/* first to last work that is recorded */
	int64_t end;		/* when the last step was over, on the host and
				 * on the GPU */
	int64_t busy;
	int64_t works;		/* kernels and copies */
	int64_t parts[PART_COUNT];	/* they add up to the span */
};

/* GPUs of a process. */
#define GPUS_MAX 8
/* Ranks that can be lived, and collectives of each. */
#define RANKS_MAX 16
#define MEETINGS 4096

/*
 * Live the job, as all its ranks do; each of TRACES, of which there are as many
 * (NULL: none), gets what Kineto says of one, and OUT what came of the rank
 * that is late or slow, else of the first.
 */
void job_run(const struct job *job, FILE *const *traces, struct outcome *out);
/* How many ranks take part in a collective. */
int64_t job_world(const struct job *job);

#endif
