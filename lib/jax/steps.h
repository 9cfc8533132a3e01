/*
 * steps - training steps of a JAX trace
 *
 * From the lane "Steps" of each device: a step is a name that is a whole
 * number, its time the mean over devices.  Without such lanes: from host
 * events that mark a step and carry its number.  Without these: executions of
 * the program that took most time, if it ran more than once; the n-th on each
 * device is step n - 1.  The steps of several hosts are brought together by
 * their numbers.  Memory: 72 bytes a step, 56 more on each host, 32 more on
 * each device, 8 a name.
 */
#ifndef TP_JAX_STEPS_H
#define TP_JAX_STEPS_H

#include <stdint.h>

#include <tp/err.h>

#include "names.h"

struct tp_jax_step {
	int64_t number;
	int64_t from_ps, to_ps;	/* over all devices of its first host */
	int64_t sum_ps;		/* of its events, */
	uint64_t count;		/* one per device */
	int64_t apart_ps;	/* to the start of the next step, the mean
				 * over hosts; 0: not known */
	size_t part, part_count;	/* it on each host */
};

/* A step on one host, whose axis its times are on. */
struct tp_jax_step_part {
	uint32_t host;
	int64_t number;
	int64_t from_ps, to_ps, sum_ps;
	uint64_t count;
	int64_t apart_ps;	/* to the start of the next; 0: not known */
};

/* The same on a lane of one device, where one tells it. */
struct tp_jax_step_window {
	int64_t number, from_ps, to_ps;
	uint32_t track;
	uint32_t part;		/* inside */
};

/* Of durations in ps.  A quantile is interpolated linearly at (n - 1) q. */
struct tp_jax_spread {
	size_t count;
	double mean, median, p90, min, max;	/* only when count > 0 */
};

struct tp_jax_class {
	const char *name;	/* "typical", "light", "heavy" */
	struct tp_jax_spread spread;
	double share;		/* of the steady steps */
	int64_t step;		/* nearest to the median of the class */
	double step_ps;
	int64_t period;		/* steps from one to the next, 0: none */
};

struct tp_jax_steps {
	struct tp_jax_step *list;	/* by number */
	size_t count;
	struct tp_jax_step_part *parts;	/* by number and host */
	size_t part_count;
	struct tp_jax_step_window *windows;	/* in no order */
	size_t window_count, window_cap;
	int from_host;		/* told by host events */
	int from_program;	/* each is an execution of PROGRAM, */
	uint32_t program;	/* a name */
	size_t warmup_count;	/* steps before the steady ones */
	struct tp_jax_spread all, steady;
	struct tp_jax_spread apart;	/* steady ones, start to start */
	struct tp_jax_class classes[2];
	size_t class_count;
};

/* A marked host event: slice and the step it carries. */
struct tp_jax_mark {
	uint32_t slice;
	int64_t step;
};

/*
 * From nested TRACKS whose roles are set; marked steps with a number below
 * WARMUP are not steady, and of those that were found the slow ones among the
 * first WARMUP.  0 or -1 with ERR.
 */
int tp_jax_steps_make(struct tp_jax_steps *steps,
    const struct tp_tracks *tracks, const struct tp_jax_mark *marks,
    size_t mark_count, int64_t warmup, struct tp_err *err);
void tp_jax_steps_release(struct tp_jax_steps *steps);

/* Where the steady steps of HOST begin and end; 0: it has none. */
int tp_jax_steps_range(const struct tp_jax_steps *steps, uint32_t host,
    int64_t *from_ps, int64_t *to_ps);
/* Spread of the N values at X, which get sorted. */
void tp_jax_spread(struct tp_jax_spread *spread, double *x, size_t n);
/* The time of a step in ps. */
double tp_jax_step_ps(const struct tp_jax_step *step);
/* TEXT as a whole number the way Python's int() reads it; 1 or 0. */
int tp_jax_whole(const char *text, size_t len, int64_t *n);

#endif
