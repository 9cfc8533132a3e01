/*
 * budget - the wall-clock budget of the devices of a JAX trace
 *
 * The window is the steady steps when steps are known, else from the first
 * to the last operation of the device.  Each instant goes to the first of
 * these that applies: computing; a collective, copy, infeed or other wait
 * that runs as an operation; inside a loop between operations; a transfer in
 * flight; work that is missing (missing.h); then what the host did, by the
 * classes of share/ops/jax.json, on the launching thread first, then on
 * others.  Time in a collective is divided into waiting for other devices
 * and the rest (peers.h).  Memory: that of acts.h and peers.h, and a union
 * (ival.h) for each class of the host, on each host.
 */
#ifndef TP_JAX_BUDGET_H
#define TP_JAX_BUDGET_H

#include <tp/budget.h>

#include "functions.h"
#include "peers.h"
#include "jax.h"
#include "waits.h"

/* Cause of time in a collective in which a device waits for others. */
#define TP_JAX_AWAITED "waiting-for-ranks"

struct tp_jax_budgets {
	struct tp_budget *list;		/* one per device */
	size_t count;
	size_t main;			/* the device with the longest window,
					 * then with most of its own to do */
	struct tp_jax_peers peers;
	struct tp_jax_functions functions;	/* on the launching thread while
						 * MAIN was idle */
	struct tp_jax_waits waits;	/* on other threads while the host of
					 * MAIN waited and no device worked */
	struct tp_jax_waits sleeps;	/* and while its launching thread slept
					 * and MAIN was idle */
};

/* Make the budgets of an analysed TRACE. */
void tp_jax_budgets_make(struct tp_jax_budgets *budgets,
    const struct tp_jax_trace *trace);
void tp_jax_budgets_release(struct tp_jax_budgets *budgets);

#endif
