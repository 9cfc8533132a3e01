/*
 * missing - work that should be on the lanes of devices and is not
 *
 * Two signs of it: the host launched executions of programs that no lane
 * holds (launched.h), and steps are marked that hold no operation.  At such
 * times a device may have worked: they are not idle.  Memory: that of
 * launched.h, and 64 bytes per step and device.
 */
#ifndef TP_JAX_MISSING_H
#define TP_JAX_MISSING_H

#include <stdint.h>

#include <tp/err.h>

#include "launched.h"
#include "steps.h"
#include "activity.h"

/* When a device may have worked unrecorded. */
struct tp_jax_unrecorded {
	struct tp_ival executions;	/* most of them are missing */
	struct tp_ival steps;	/* that hold no operation */
	int is_cut;		/* after its last operation */
};

struct tp_jax_missing {
	struct tp_jax_launched *hosts;
	size_t host_count;
	struct tp_jax_launched all;	/* sums over hosts with IS_MISSING */
	size_t step_count;	/* steps without an operation */
	size_t used_step_count;	/* of these, steady ones */
	struct tp_jax_unrecorded *devices;	/* as those of time */
	size_t device_count;
};

/* Compare nested TRACKS with roles set to TIME and STEPS, made of them. */
void tp_jax_missing_make(struct tp_jax_missing *missing,
    const struct tp_tracks *tracks, struct tp_jax *jax,
    const struct tp_jax_time *time, const struct tp_jax_steps *steps);

#endif
