/*
 * steps - training steps of a JAX trace
 *
 * Taken from the lane "Steps" of each device: a step is a name that is a
 * whole number, its time the mean over devices.  Without such lanes: from
 * host events that mark a step and carry its number.  Without these:
 * executions of the program that took most time, if it ran more than once;
 * the n-th on each device is step n - 1.  Steps of several hosts are matched
 * by number.  Steps in which the exporter cut a capture are left out.
 *
 * A step marked by a host has a time on the host and, where its work is known
 * (marked.h), one on the devices: from the end of the work of the step before
 * it, or from the start of its own if that is later, to the end of its own;
 * the mean over devices.  Where devices work on when the mark ends, that on
 * the host is only the time of the dispatch, so the time of the step is the
 * other one, known or not.  Memory: 120 bytes a step, 144 more on each host, 32
 * more on each device, 4 for its program, 8 a name.
 */
#ifndef TP_JAX_STEPS_H
#define TP_JAX_STEPS_H

#include <stdint.h>

#include <tp/err.h>

#include "marked.h"
#include "names.h"
#include "step_class.h"

/* Events of a step, on some lanes. */
struct tp_jax_step_span {
	int64_t from_ps, to_ps;	/* over all of them */
	int64_t sum_ps;
	uint64_t count;		/* 0: its time is unknown */
};

struct tp_jax_step {
	int64_t number;
	int64_t from_ps, to_ps;	/* over all devices of its first host */
	int64_t sum_ps;		/* sum over its events */
	uint64_t count;		/* one per device; 0: its time is unknown */
	int64_t host_sum_ps, device_sum_ps;	/* of marked steps */
	uint64_t host_count, device_count;
	int64_t apart_ps;	/* to the start of the next step, mean over
				 * hosts; 0: unknown */
	size_t part, part_count;	/* its parts, one per host */
};

/* A step on one host, in that host's time. */
struct tp_jax_step_part {
	uint32_t host;
	int64_t number;
	int64_t from_ps, to_ps, sum_ps;
	uint64_t count;
	struct tp_jax_step_span host_span, device_span;	/* of marked steps;
							 * one is the above */
	int64_t apart_ps;	/* to the start of the next; 0: unknown */
};

/* A step on a lane of one device, when a lane has steps. */
struct tp_jax_step_window {
	int64_t number, from_ps, to_ps;
	uint32_t track;
	uint32_t part;		/* index in parts */
};

struct tp_jax_steps {
	struct tp_jax_step *list;	/* by number */
	size_t count;
	struct tp_jax_step_part *parts;	/* by number and host */
	size_t part_count;
	struct tp_jax_step_window *windows;	/* unordered */
	size_t window_count, window_cap;
	int from_host;		/* taken from host events: */
	enum tp_jax_step_basis {
		TP_JAX_BY_HOST, TP_JAX_BY_DEVICE, TP_JAX_BY_DISPATCH
	} basis;		/* what their time is of */
	int from_program;	/* each is an execution of PROGRAM, */
	uint32_t program;	/* index of a name */
	size_t warmup_count;	/* steps before the steady ones */
	size_t cut_count;	/* left out: a capture was cut within them */
	struct tp_step_times all, steady;
	struct tp_step_times host, device;	/* of steady marked steps */
	struct tp_step_times apart;	/* of steady steps, start to start */
	struct tp_step_times all_apart;	/* of all steps */
	struct tp_step_class classes[2];
	size_t class_count;
	uint32_t *programs;	/* of each step, step_programs.h */
	int has_kinds;		/* light and heavy steps run different
				 * programs, */
	uint32_t kinds[2];	/* these */
};

/*
 * Find the steps in nested TRACKS with roles set; MARKED is the work of MARKS.
 * Warm-up: marked steps with a number below WARMUP; of other steps, the slow
 * ones among the first WARMUP.
 */
void tp_jax_steps_make(struct tp_jax_steps *steps,
    const struct tp_tracks *tracks, const struct tp_jax_mark *marks,
    size_t mark_count, struct tp_jax_marked *marked, int64_t warmup);
void tp_jax_steps_release(struct tp_jax_steps *steps);

/* What the time of STEPS that a host marks is of, as "timed_on". */
const char *tp_jax_step_basis(const struct tp_jax_steps *steps);
/* Mean duration in ps of STEP, whose time is known. */
double tp_jax_step_ps(const struct tp_jax_step *step);
/* Parse TEXT as Python's int() does.  1 or 0. */
int tp_jax_whole(const char *text, size_t len, int64_t *n);

#endif
