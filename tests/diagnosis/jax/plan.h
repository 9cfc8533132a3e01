/*
 * plan - a run of JAX as its profiler records it, simulated
 *
 * Every step begins on all devices together, after what the host does between
 * two steps.  A layer is a gather of weights, copies from and to the host, a
 * product, elementwise work and short operations, one after the other but for
 * what is hidden; a step ends with a reduction on all devices, which those
 * that come first wait in.  Times are nanoseconds.
 */
#ifndef PLAN_H
#define PLAN_H

#include <stdint.h>
#include <stdio.h>

enum { HOSTS_MAX = 4, DEVICES_MAX = 16, STEPS_MAX = 1000 };

/* A parameter is an int64_t, 0 or 1 where it says whether. */
struct plan {
	int64_t seed, noise;	/* noise in % */
	int64_t gpu;		/* streams and kernels, else TPU cores */
	int64_t hosts, devices;	/* devices of a host */
	int64_t steps, layers;
	int64_t marked;		/* the lane "Steps", or host events */
	int64_t ahead;		/* the host marks the steps, and dispatches as
				 * many before it waits for the first of them;
				 * 0: it waits for each */
	int64_t dispatch;	/* of a step, then */
	int64_t linked;		/* ids link work to its dispatch, then */
	int64_t modules;	/* the lane of whole programs */
	int64_t categories;	/* operations have an hlo_category; else their
				 * names tell what they are */
	int64_t frames;		/* Python functions are recorded */
	int64_t math, memory;	/* time of these of a layer */
	int64_t layout;		/* time in which its data is transposed */
	int64_t shorts, short_op, short_gap;	/* how many, of how long, with
						 * how much nothing between */
	int64_t gather, reduce;	/* time of these without a wait */
	int64_t hidden;		/* the gather runs beside the product */
	int64_t offload;	/* time of a copy of a layer, each way */
	int64_t together;	/* the copies of a layer run both ways at once;
				 * TPU */
	int64_t load, python, compile, wait, nothing;	/* before a step: what
							 * the host does */
	int64_t reader;		/* who loads, in functions inside functions: 1:
				 * the thread that launches, 2: another one,
				 * while that waits; 0: another one */
	int64_t loop;		/* the function that holds all steps is
				 * recorded */
	int64_t beside;		/* a thread of a pool runs what it waits for */
	int64_t save;		/* before the step in the middle alone: the
				 * host saves a checkpoint */
	int64_t setup;		/* the first execution takes memory so long */
	int64_t upload;		/* a step begins with a copy of an argument,
				 * that long; GPU */
	int64_t callback;	/* a step waits so long for a call of Python;
				 * TPU */
	int64_t infeed;		/* the load is waited for in an infeed */
	int64_t slow;		/* device 0 computes so many % slower */
	int64_t moves;		/* the next device does in the next step */
	int64_t slow_steps;	/* it does only in as many steps from the middle
				 * on; 0: in all */
	int64_t far;		/* copies of device 0 take so many % longer */
	int64_t slower, slower_steps;	/* as many steps from the middle on
					 * compute so many % slower */
	int64_t evals;		/* each so manieth step runs another program,
				 * a third as long */
	int64_t late;		/* before its work of a step host 0 reads so
				 * long alone, */
	int64_t late_steps;	/* in as many steps from the middle on; 0: in
				 * all */
};

enum part {
	MATH, MEMORY, SHORT, COMMUNICATION, COPY, INFEED, CALLING, LOADING,
	BUILDING, COMPILING, WAITING, NOTHING, PART_COUNT
};

/* Of device 0 of host 0, from its first operation to its last. */
struct outcome {
	int64_t rows, span, busy;
	int64_t parts[PART_COUNT];	/* sum to the span */
	int64_t step;		/* median of a step beyond the warm-up that was
				 * dispatched ahead; 0: none was */
};

extern const struct plan plan_usual;

/* Simulate PLAN; each host's events go to its of FILES, unless that is NULL. */
void plan_run(const struct plan *plan, FILE *const *files,
    struct outcome *outcome);

#endif
