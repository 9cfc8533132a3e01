/*
 * functions - what the launching thread ran while a device was idle
 *
 * Idle time is attributed to the innermost Python function ("$train.py:40
 * log"), or to the innermost event when no function is recorded.  Memory: 40
 * bytes for each of these in each part of the budget.
 */
#ifndef TP_JAX_FUNCTIONS_H
#define TP_JAX_FUNCTIONS_H

#include "ival.h"

#include "acts.h"

struct tp_jax_function {
	uint32_t name;		/* in tracks->names */
	int part;		/* of the budget; -1: no class */
	uint64_t count;		/* stretches of idle time */
	int64_t total_ps, max_ps;
};

struct tp_jax_functions {
	struct tp_jax_function *list;	/* by total, then name */
	size_t count;
	int64_t idle_ps;	/* over all functions */
};

/* For LANE, which launches, during IDLE. */
void tp_jax_functions_make(struct tp_jax_functions *functions,
    struct tp_jax_acts *acts, const struct tp_track *lane,
    const struct tp_ival *idle);
void tp_jax_functions_release(struct tp_jax_functions *functions);

#endif
