/*
 * waits - what other threads of the host ran while it waited
 *
 * Of every thread the innermost event counts, unless it waits or sleeps as
 * well.  The name that covers most of the waiting comes first, then the one
 * that covers most of what is left; below wait_least_ratio of
 * share/ops/jax.json none explains anything.  Memory: a union (ival.h) for
 * each name in each part of the budget.
 */
#ifndef TP_JAX_WAITS_H
#define TP_JAX_WAITS_H

#include "ival.h"

#include "acts.h"

enum { TP_JAX_WAITS = 3 };

/* A zeroed struct is empty. */
struct tp_jax_waits {
	struct tp_jax_wait {
		uint32_t name;		/* in tracks->names */
		int part;		/* of the budget that the waiting is
					 * in */
		const char *thread;	/* that ran it longest, or NULL */
		size_t thread_len;	/* without its number in a pool */
		uint64_t count;		/* stretches of waiting */
		int64_t total_ps, max_ps;
	} list[TP_JAX_WAITS];
	size_t count;
	int64_t waiting_ps;
};

/*
 * For the threads of HOST during finished WAITING, which is used up.  It is
 * part of what they do if SLEPT, and of synchronising if not.
 */
void tp_jax_waits_make(struct tp_jax_waits *waits, const struct tp_jax *jax,
    struct tp_jax_acts *acts, uint32_t host, struct tp_ival *waiting,
    int slept);

#endif
