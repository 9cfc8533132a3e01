/*
 * skew - whether one device of a JAX trace has more to do than the others
 *
 * The own work of a device is computing and waiting for copies, within the
 * window of its budget; devices of one host are compared.  Memory: late.h's.
 */
#ifndef TP_JAX_SKEW_H
#define TP_JAX_SKEW_H

#include "budget.h"
#include "late.h"

struct tp_jax_skew {
	size_t device;		/* with most to do, beyond the others */
	size_t count;		/* devices of its host that compute, with it;
				 * below 2: there is nothing to compare */
	int64_t work_ns, others_work_ns;	/* its; mean of the others */
	int64_t copies_ns, others_copies_ns;	/* of these */
	struct tp_jax_late late;	/* the steps with its lag */
	uint64_t matched_count;	/* its collectives found on others */
	int64_t others_wait_ns;	/* in collectives, mean of the others */
	/* Waits of the whole host in the window of the main budget: */
	size_t awaited;		/* device waited for longest */
	int64_t awaited_ps, all_awaited_ps;	/* for it; for any */
};

/* Compare the devices that BUDGETS of TRACE are of. */
void tp_jax_skew_find(struct tp_jax_skew *skew,
    const struct tp_jax_budgets *budgets, const struct tp_jax_trace *trace);
void tp_jax_skew_emit(const struct tp_jax_skew *skew,
    const struct tp_jax_budgets *budgets, const struct tp_jax_trace *trace,
    struct tp_out *out);

#endif
