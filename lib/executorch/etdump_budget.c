/* etdump_budget - the wall clock of a run, as parts that sum to it */
#include <tp/budget.h>

#include "etdump_private.h"

static void
add_part_per_run(struct tp_budget *b, enum tp_budget_part part,
    const char *cause,
    tp_int128 ns, size_t runs)
{
	/* the best possible time of parts that compute is unknown */
	int is_free = part == TP_PART_PORTABLE || part == TP_PART_MOVEMENT ||
	    part == TP_PART_GAP;

	tp_budget_add(b, part, cause, tp_div_even(ns, (tp_int128)runs),
	    is_free ? 0 : TP_FLOOR_UNKNOWN);
}

/*
 * Add the operators inside delegates, by part.  If their sum differs from what
 * the calls contain (operators outside any execution count too), they cannot be
 * told apart and go into one row.
 */
static void
add_delegated(struct tp_budget *b, const struct tp_etdump_ops *ops,
    tp_int128 delegated, size_t runs)
{
	const struct tp_opclass *class = ops->etdump->class;
	tp_int128 sum = 0;

	for (size_t i = 0; i < ops->count; i++)
		if (ops->list[i].place == TP_PLACE_DELEGATE &&
		    !ops->list[i].mismatch)
			sum += ops->list[i].sum;
	if (sum != delegated) {
		add_part_per_run(b, TP_PART_OPERATORS, NULL, delegated, runs);
		return;
	}
	for (size_t i = 0; i < ops->count; i++) {
		const struct tp_etdump_op *op = &ops->list[i];

		if (op->place == TP_PLACE_DELEGATE && !op->mismatch)
			add_part_per_run(b,
			    tp_op_part(class, op->name, op->len),
			    class->categories[op->category], op->sum, runs);
	}
}

/*
 * Close the budget with the unattributed rest.  Means are rounded one by one
 * and the operators in a call may exceed it a little, so the rest may be
 * negative: then the largest row takes it.  Without known operators the rest is
 * unrecorded, not framework.
 */
static void
close_window(struct tp_budget *b, int is_known)
{
	int64_t rest = tp_budget_rest(b);
	struct tp_budget_row *most = b->rows;

	if (rest >= 0 || !b->count) {
		tp_budget_add(b, is_known ? TP_PART_FRAMEWORK :
		    TP_PART_UNRECORDED, NULL, rest, TP_FLOOR_UNKNOWN);
		return;
	}
	for (size_t i = 1; i < b->count; i++)
		if (b->rows[i].time_ns > most->time_ns)
			most = &b->rows[i];
	most->time_ns += rest;
}

void
tp_etdump_emit_budget(const struct tp_etdump_ops *ops,
    const struct tp_parts *p, size_t runs, struct tp_out *out)
{
	struct tp_budget b = { .scope = "run", .is_main = 1,
	    .end_ns = tp_div_even(p->e2e, (tp_int128)runs) };
	tp_int128 unknown = 0;

	for (size_t i = 0; i < TP_FRAME_LOAD; i++)
		unknown += p->unknown[i];
	add_delegated(&b, ops, p->delegated, runs);
	add_part_per_run(&b, TP_PART_PORTABLE, NULL, p->portable, runs);
	/* a delegate that reports no operators has no gap between them */
	add_part_per_run(&b, p->delegated ? TP_PART_GAP : TP_PART_UNRECORDED,
	    NULL,
	    p->delegate_calls - p->delegated -
	    p->unknown[TP_FRAME_DELEGATE], runs);
	add_part_per_run(&b, TP_PART_UNRECORDED, NULL, unknown, runs);
	close_window(&b, p->delegate_calls + p->operator_calls +
	    p->direct > 0);
	tp_budget_emit(&b, out);
}
