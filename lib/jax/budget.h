/*
 * budget - where the wall-clock time of the devices of a JAX trace went
 *
 * The window is the steady steps where steps are known, else from the first
 * to the last operation of the device.  Each instant of it is given to the
 * first of these that holds: computing; a collective, a copy, an infeed or
 * another wait that runs as an operation; the inside of a loop between
 * operations; a transfer in flight; then what the host did, by the classes of
 * share/ops/jax.json on the thread that launches, then on others.
 * Memory: a union (ival.h) for each class of the host, on each host.
 */
#ifndef TP_JAX_BUDGET_H
#define TP_JAX_BUDGET_H

#include <tp/budget.h>

#include "functions.h"
#include "trace.h"

struct tp_jax_budgets {
	struct tp_budget *list;		/* one for each device */
	size_t count;
	size_t main;			/* the device whose window is longest,
					 * then the one that works most */
	struct tp_jax_functions functions;	/* while main was idle, on the
						 * thread that launches */
};

/* Of an analysed TRACE.  0 or -1 with ERR; release it in either case. */
int tp_jax_budgets_make(struct tp_jax_budgets *budgets,
    const struct tp_jax_trace *trace, struct tp_err *err);
void tp_jax_budgets_release(struct tp_jax_budgets *budgets);

#endif
