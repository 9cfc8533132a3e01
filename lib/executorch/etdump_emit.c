/* etdump_emit - latency, categories and delegation as records */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/budget.h>
#include <tp/order.h>

#include "etdump_private.h"

/* With more signatures than this, the signatures are not input shapes. */
#define SIGNATURES_SHOWN 64

/*
 * Most samples to write.  Each run gets a record of every operator, even of
 * those that did not run in it: comparisons use means over all runs.
 */
#define SAMPLES_MAX (1 << 24)

struct emit {
	struct tp_etdump *etdump;
	struct tp_etdump_run **runs;	/* complete runs, by index */
	size_t run_count;
	size_t of_runs;			/* that sums are of */
	struct tp_latency latency;	/* of those runs */
	struct tp_etdump_ops ops;
	struct tp_out *out;
};

/* Whether times are cycles of a clock whose rate is not known. */
static int
is_in_cycles(const struct tp_etdump *d)
{
	return d->is_cycles && !d->tick_den;
}

/*
 * Whether each Method::execute must be left by itself: an Inspector counts the
 * runs of each input shape from 0, and its table may be of several models.
 */
static int
is_apart(const struct tp_etdump *d)
{
	return d->is_inspector && d->signature_count > 1;
}

TP_ORDER_POINTERS(by_index, struct tp_etdump_run, TP_UP(index))

TP_ORDER(by_run, struct tp_etdump_execution, TP_UP(run) TP_UP(at))

TP_ORDER(by_first, struct tp_etdump_signature, TP_UP(first))

/* Of rows without an order. */
TP_ORDER(by_time, struct tp_etdump_signature, TP_UP(latency.sum))

/*
 * Give each signature its executions in run order and sort the signatures by
 * their first execution.  Rows may arrive run by run or node by node, and runs
 * in any order.
 */
static void
arrange_signatures(struct tp_etdump *d)
{
	struct tp_etdump_signature *s;

	TP_SORT(d->executions, d->execution_count, by_run);
	for (size_t i = 0; i < d->execution_count; i++) {
		s = &d->signatures[d->executions[i].signature];
		if (!s->latency.count)
			s->first = i;
		tp_latency_add(&s->latency, d->executions[i].ns);
	}
	if (is_apart(d) && d->unordered)
		TP_SORT(d->signatures, d->signature_count, by_time);
	else
		TP_SORT(d->signatures, d->signature_count, by_first);
}

static void
arrange(struct emit *e)
{
	struct tp_etdump *d = e->etdump;

	e->runs = tp_alloc((d->run_count + 1) * sizeof *e->runs);
	for (size_t i = 0; i < d->run_count; i++)
		if (d->runs[i].executions)
			e->runs[e->run_count++] = &d->runs[i];
	TP_SORT(e->runs, e->run_count, by_index);
	e->of_runs = e->run_count * tp_etdump_summed(d);
	for (size_t i = 0; i < e->run_count; i++)
		tp_latency_add(&e->latency, tp_etdump_per_run(d,
		    e->runs[i]->e2e));
	tp_latency_judge(&e->latency);
	arrange_signatures(d);
	tp_etdump_ops_collect(&e->ops, d);
}

/*
 * Begin a record of KIND with its identity: all runs (SIGNATURE 0) or one
 * signature, counted from 1.
 */
static void
identify(struct tp_out *out, const char *kind, size_t signature)
{
	tp_out_begin(out, kind);
	tp_out_text(out, "basis", signature ? "execution" : "run");
	if (signature)
		tp_out_int(out, "signature", (int64_t)signature);
}

/*
 * Whether the runs do different work, for example prefill and decoding in the
 * first, decoding alone in the next.  Cold-run and drift tests are meaningless
 * then.
 */
static int
is_mixed(const struct emit *e)
{
	for (size_t i = 1; i < e->run_count; i++)
		if (e->runs[i]->executions != e->runs[0]->executions ||
		    e->runs[i]->work != e->runs[0]->work)
			return 1;
	return 0;
}

/*
 * The Method::execute that a table has only the mean of; NULL: there is none,
 * or nothing but that is known of it.
 */
static const struct tp_etdump_signature *
mean_of(const struct tp_etdump *d)
{
	const struct tp_etdump_signature *s = d->signatures;
	int is_told = d->summed > 1;

	for (size_t i = 0; i < TP_ETDUMP_QUANTILES && d->signature_count == 1;
	    i++)
		is_told |= s->quantile_ns[i] >= 0;
	return d->averages && d->signature_count == 1 &&
	    s->latency.count == 1 && is_told ? s : NULL;
}

/*
 * Write what a table of means says of its runs, which are not known one by one:
 * their number, sum and mean, and the quantiles of the table.  Returns whether
 * it says anything.
 */
static int
emit_mean_latency(const struct emit *e)
{
	static const char *const keys[] = { "min_ns", "p10_ns", "median_ns",
	    "p90_ns", "max_ns" };
	const struct tp_etdump_signature *s = mean_of(e->etdump);

	if (!s)
		return 0;
	tp_out_int(e->out, "run_count", (int64_t)e->of_runs);
	tp_out_int(e->out, "execution_count", (int64_t)e->of_runs);
	tp_out_int(e->out, "sum_ns", tp_narrow(s->latency.sum));
	if (!e->etdump->has_medians ||
	    s->latency.sum != s->quantile_ns[TP_ETDUMP_P50])
		tp_out_int(e->out, "mean_ns", tp_div_even(s->latency.sum,
		    (tp_int128)e->of_runs));
	for (size_t i = 0; i < TP_ETDUMP_QUANTILES; i++)
		tp_out_known(e->out, keys[i], s->quantile_ns[i]);
	return 1;
}

static void
emit_run_latency(const struct emit *e)
{
	uint64_t executions = 0;

	for (size_t i = 0; i < e->run_count; i++)
		executions += e->runs[i]->executions;
	identify(e->out, "latency.summary", 0);
	if (!emit_mean_latency(e)) {
		tp_out_int(e->out, "run_count", (int64_t)e->run_count);
		tp_out_int(e->out, "execution_count", (int64_t)executions);
		tp_latency_emit(&e->latency, e->out);
		if (is_mixed(e))
			tp_out_bool(e->out, "is_mixed", 1);
		else
			tp_latency_emit_first(&e->latency, e->out);
	}
	tp_out_end(e->out);
}

static void
emit_signature_latency(const struct emit *e, size_t at)
{
	struct tp_latency *l = &e->etdump->signatures[at].latency;

	tp_latency_judge(l);
	identify(e->out, "latency.summary", at + 1);
	if (!emit_mean_latency(e)) {
		tp_out_int(e->out, "run_count", (int64_t)l->count);
		tp_out_int(e->out, "execution_count", (int64_t)l->count);
		tp_latency_emit(l, e->out);
		tp_latency_emit_first(l, e->out);
	}
	tp_out_end(e->out);
}

static void
emit_runs(const struct emit *e)
{
	for (size_t i = 0; i < e->run_count; i++) {
		const struct tp_etdump_run *r = e->runs[i];

		tp_out_begin(e->out, "latency.run");
		tp_out_int(e->out, "run_index", r->index);
		tp_out_int(e->out, "latency_ns", e->latency.ns[i]);
		tp_out_int(e->out, "execution_count",
		    (int64_t)r->executions);
		tp_out_bool(e->out, "outlier",
		    tp_latency_is_outlier(&e->latency, e->latency.ns[i]));
		tp_out_end(e->out);
	}
}

/*
 * With several signatures, writes the time of each execution: whole runs may
 * do other work than the runs of another trace.
 */
static void
emit_executions(const struct emit *e)
{
	const struct tp_etdump *d = e->etdump;

	for (size_t i = 0; i < d->signature_count && i < SIGNATURES_SHOWN &&
	    d->signature_count > 1 && !d->unordered; i++)
		for (size_t k = 0; k < d->signatures[i].latency.count; k++) {
			tp_out_begin(e->out, "latency.execution");
			tp_out_int(e->out, "signature", (int64_t)i + 1);
			tp_out_int(e->out, "latency_ns",
			    d->signatures[i].latency.ns[k]);
			tp_out_end(e->out);
		}
}

TP_ORDER_POINTERS(by_sum, struct tp_etdump_node, TP_UP(sum) TP_UP(id))

/*
 * Write what was done at loading as it was logged or, of rows without an
 * order, the shortest first, which a longer one may hold.
 */
static void
emit_load(const struct emit *e)
{
	const struct tp_etdump *d = e->etdump;
	struct tp_etdump_node **nodes = tp_alloc((d->node_count + 1) *
	    sizeof *nodes);
	size_t count = 0;

	for (size_t i = 0; i < d->node_count; i++)
		if (d->nodes[i].kind == TP_FRAME_LOAD)
			nodes[count++] = &d->nodes[i];
	if (d->unordered)
		TP_SORT(nodes, count, by_sum);
	for (size_t i = 0; i < count; i++) {
		const struct tp_etdump_node *n = nodes[i];
		const struct tp_name *name = &d->names.names[n->name];

		tp_out_begin(e->out, "latency.load");
		tp_out_bytes(e->out, "name", name->text, name->len);
		tp_out_int(e->out, "count", (int64_t)n->count);
		tp_out_int(e->out, "sum_ns", tp_narrow(n->sum));
		tp_out_end(e->out);
	}
	tp_free(nodes);
}

/* Write the median over the runs that are not outliers. */
static void
emit_kept_median(const struct emit *e, size_t at)
{
	struct tp_latency kept = { 0 };

	for (size_t i = 0; i < e->run_count; i++)
		if (!tp_latency_is_outlier(&e->latency, e->latency.ns[i]))
			tp_latency_add(&kept, tp_etdump_taken(e->etdump,
			    e->runs[i], at));
	tp_latency_judge(&kept);
	tp_out_int(e->out, "robust_median_ns", tp_linear_quantile(kept.sorted,
	    kept.count, 1, 2));
	tp_latency_release(&kept);
}

static void
emit_mean(struct tp_out *out, const char *mean, const char *sum,
    tp_int128 ns, size_t runs)
{
	tp_out_int(out, mean, tp_div_even(ns, (tp_int128)runs));
	tp_out_int(out, sum, tp_narrow(ns));
}

static void
emit_share(struct tp_out *out, const char *key, tp_int128 ns, tp_int128 base)
{
	if (base > 0)
		tp_out_real(out, key, (double)ns / (double)base);
}

/* Write the keys of a category that exist for all runs together only. */
static void
emit_whole_category(const struct emit *e, size_t at)
{
	tp_int128 all, portable;

	tp_etdump_ops_of(&e->ops, at, &all, &portable);
	emit_share(e->out, "portable_of_category_ratio", portable, all);
	emit_kept_median(e, at);
}

/* Write the categories with a time, longest first. */
static void
emit_categories(const struct emit *e, const struct tp_parts *p, size_t runs,
    size_t signature)
{
	const struct tp_opclass *class = e->etdump->class;
	int done[TP_CATEGORIES_MAX] = { 0 };
	size_t best;

	for (size_t n = 0; n < class->category_count; n++) {
		best = class->category_count;
		for (size_t i = 0; i < class->category_count; i++)
			if (!done[i] && (best == class->category_count ||
			    p->category[i] > p->category[best]))
				best = i;
		done[best] = 1;
		if (!p->category[best])
			continue;
		identify(e->out, "op.category", signature);
		tp_out_text(e->out, "category", class->categories[best]);
		emit_mean(e->out, "mean_ns", "sum_ns", p->category[best],
		    runs);
		emit_share(e->out, "e2e_ratio", p->category[best], p->e2e);
		if (!signature)
			emit_whole_category(e, best);
		tp_out_end(e->out);
	}
}

/* In calls of delegates no operator ran. */
static tp_int128
gap_of(const struct tp_parts *p)
{
	return p->delegate_calls - p->delegated -
	    p->unknown[TP_FRAME_DELEGATE];
}

static tp_int128
unknown_of(const struct tp_parts *p)
{
	tp_int128 sum = 0;

	for (size_t i = 0; i < TP_FRAME_LOAD; i++)
		sum += p->unknown[i];
	return sum;
}

static void
emit_delegation(const struct emit *e, const struct tp_parts *p, size_t runs,
    size_t signature)
{
	struct tp_out *out = e->out;
	tp_int128 calls = p->delegate_calls + p->operator_calls;
	tp_int128 gap = gap_of(p);
	tp_int128 overhead = p->operator_calls - p->portable -
	    p->unknown[TP_FRAME_OPERATOR];
	tp_int128 self = p->e2e - calls - p->direct -
	    p->unknown[TP_FRAME_EXECUTE];

	identify(out, "delegation.summary", signature);
	tp_out_text(out, "nesting", e->etdump->kept_count ? "parents" :
	    e->etdump->unordered ? "backend" : "order");
	emit_share(out, "runtime_delegated_ratio", p->delegate_calls, calls);
	emit_mean(out, "delegated_ns", "delegated_sum_ns", p->delegated,
	    runs);
	emit_share(out, "delegated_e2e_ratio", p->delegated, p->e2e);
	emit_mean(out, "portable_ns", "portable_sum_ns", p->portable, runs);
	emit_share(out, "portable_e2e_ratio", p->portable, p->e2e);
	emit_mean(out, "direct_ns", "direct_sum_ns", p->direct, runs);
	emit_mean(out, "delegate_gap_ns", "delegate_gap_sum_ns", gap, runs);
	emit_share(out, "delegate_gap_e2e_ratio", gap, p->e2e);
	emit_share(out, "delegate_reported_ratio", p->delegated,
	    gap + p->delegated);
	emit_mean(out, "operator_overhead_ns", "operator_overhead_sum_ns",
	    overhead, runs);
	emit_share(out, "operator_overhead_e2e_ratio", overhead, p->e2e);
	emit_mean(out, "method_self_ns", "method_self_sum_ns", self, runs);
	emit_share(out, "method_self_e2e_ratio", self, p->e2e);
	emit_mean(out, "unattributed_ns", "unattributed_sum_ns", unknown_of(p),
	    runs);
	tp_out_end(out);
}

/* Write the same records per signature if there are several signatures. */
static void
emit_signatures(const struct emit *e)
{
	const struct tp_etdump *d = e->etdump;
	const struct tp_etdump_signature *s;

	if (d->unordered || d->signature_count < 2)
		return;
	for (size_t i = 0; i < d->signature_count &&
	    i < SIGNATURES_SHOWN; i++) {
		s = &d->signatures[i];
		if (!s->latency.count)
			continue;
		emit_categories(e, &s->parts, s->latency.count, i + 1);
		emit_delegation(e, &s->parts, s->latency.count, i + 1);
	}
}

static void
note_cells(const struct tp_etdump *d, struct tp_trace *trace)
{
	if (d->no_run)
		tp_trace_note(trace, "cell.empty", 0, d->no_run,
		    "rows without a run_index count as run 0");
	if (d->no_duration)
		tp_trace_note(trace, "cell.empty", 0, d->no_duration,
		    "rows without a duration count as 0 ns");
	if (d->inner)
		tp_trace_note(trace, "timeline.inner", 0, d->inner,
		    "rows are frames inside a delegate's call, or values that "
		    "are not times: their content is counted instead");
	if (d->averages)
		tp_trace_note(trace, "timeline.averages", 0, d->rows,
		    "durations are means of all runs%s: they count as one "
		    "run, and %s", d->has_medians ? ", or medians where a row "
		    "has no mean" : "", mean_of(d) && d->summed <= 1 ?
		    "the quantiles in the table alone say how runs differ" :
		    "the table does not say how runs differ");
	else if (d->unordered && d->sums)
		return;
	else if (d->unordered && d->is_inspector)
		tp_trace_note(trace, "row.unordered", 0, 1, "rows are not in "
		    "the order they were logged, as in a sorted table: frames "
		    "cannot be matched with their content, so its backend or "
		    "name says whether an operator was delegated");
	else if (d->unordered)
		tp_trace_note(trace, "row.unordered", 0, 1, "rows of a run are "
		    "not in the order of node_id: frames cannot be matched "
		    "with their content, so the backend column says whether an "
		    "operator was delegated");
}

static void
note_runs(const struct emit *e, struct tp_trace *trace)
{
	const struct tp_etdump *d = e->etdump;
	uint64_t partial = 0, executions = 0;

	for (size_t i = 0; i < d->run_count; i++) {
		partial += !d->unordered && d->runs[i].pending;
		executions += d->runs[i].executions;
	}
	if (partial)
		tp_trace_note(trace, "timeline.partial", 0, partial,
		    "runs with events after the last Method::execute, or "
		    "without one: no latency includes these events");
	if (!d->averages && e->run_count == 1)
		tp_trace_note(trace, "timeline.single", 0, 1, "a single run: "
		    "it may be a cold one, and the spread of runs is unknown");
	if (is_apart(d))
		tp_trace_note(trace, "timeline.methods", 0,
		    d->signature_count, "a table has several Method::execute, "
		    "of several methods, inputs or models: they are not one "
		    "run, so their times are not added up, and each is listed "
		    "by itself");
	else if (executions > e->run_count)
		tp_trace_note(trace, "timeline.executions", 0,
		    executions - e->run_count, "a run_index has several "
		    "Method::execute (several methods, or inputs of several "
		    "shapes): the latency of a run is their sum; each is also "
		    "listed");
	if (d->signature_count > SIGNATURES_SHOWN)
		tp_trace_note(trace, "timeline.signatures", 0,
		    d->signature_count - SIGNATURES_SHOWN,
		    "too many signatures of Method::execute to list each");
}

static void
note_times(const struct emit *e, struct tp_trace *trace)
{
	const struct tp_etdump *d = e->etdump;
	const char *unit = is_in_cycles(d) ? "cycles" : "ns";

	if (!e->latency.sum)
		tp_trace_note(trace, "time.zero", 0, e->run_count,
		    "every run lasts 0 ns: the clock of the runner does not "
		    "advance, as in a minimal platform layer. These are not "
		    "times");
	if (d->mismatches)
		tp_trace_note(trace, "time.mismatch", 0, d->mismatches,
		    "events whose content lasts longer than they do (the "
		    "first, in run %" PRId64 ": %" PRId64 " %s in %" PRId64
		    " %s): another unit or clock. They count as a whole, and "
		    "their content gets no share",
		    d->mismatch_run, d->mismatch_held_ns, unit,
		    d->mismatch_ns, unit);
	if (e->ops.foreign)
		tp_trace_note(trace, "clock.other", 0, e->ops.foreign,
		    "operators of a delegate whose times lie outside its "
		    "call: another clock. Durations can be compared, times "
		    "cannot");
}

/* Write each run, and how they differ. */
static void
emit_run_times(struct emit *e)
{
	if (!is_mixed(e)) {
		tp_latency_emit_drift(&e->latency, e->out);
		tp_latency_emit_modes(&e->latency, e->out);
	}
	emit_runs(e);
}

static void
add_part_per_run(struct tp_budget *b, enum tp_budget_part part,
    const char *cause, tp_int128 ns, size_t runs)
{
	/*
	 * The best possible time of parts that compute is unknown; that a run
	 * could take no time at all promises nothing.
	 */
	int is_free = part == TP_PART_MOVEMENT || part == TP_PART_GAP ||
	    (part == TP_PART_PORTABLE && ns * 10 < (tp_int128)b->end_ns *
	    (tp_int128)runs * 9);

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

/*
 * Write the budget of a run, the mean over RUNS; PARTS are sums over them.  One
 * thread makes one call after the other and nothing runs beside it, so a run is
 * its own critical path and a part is worth its time.
 */
static void
emit_budget(const struct tp_etdump_ops *ops,
    const struct tp_parts *p, size_t runs, struct tp_out *out)
{
	struct tp_budget b = { .scope = "run", .is_main = 1,
	    .end_ns = tp_div_even(p->e2e, (tp_int128)runs) };

	add_delegated(&b, ops, p->delegated, runs);
	add_part_per_run(&b, TP_PART_PORTABLE, NULL, p->portable, runs);
	/* a delegate that reports no operators has no gap between them */
	add_part_per_run(&b, p->delegated ? TP_PART_GAP : TP_PART_UNRECORDED,
	    NULL, gap_of(p), runs);
	add_part_per_run(&b, TP_PART_UNRECORDED, NULL, unknown_of(p), runs);
	close_window(&b, p->delegate_calls + p->operator_calls + p->direct > 0);
	tp_budget_emit(&b, out);
}

/* Write what the runs consist of. */
static void
emit_run_parts(const struct emit *e, const struct tp_parts *p)
{
	emit_categories(e, p, e->of_runs, 0);
	emit_delegation(e, p, e->of_runs, 0);
	emit_budget(&e->ops, p, e->of_runs, e->out);
}

/* Without a run there are operators, which have no share of one. */
static int
emit_operators(struct emit *e, struct tp_trace *trace, struct tp_err *err)
{
	struct tp_etdump *d = e->etdump;

	tp_etdump_ops_collect(&e->ops, d);
	if (e->ops.count)
		tp_etdump_ops_emit(&e->ops, d->run_count, 0, e->out);
	note_cells(d, trace);
	return tp_fail(err, TP_BAD, "timeline.noexecute", 0,
	    "no Method::execute in the timeline: the latency of a run is "
	    "unknown; export a timeline of all runs");
}

static int
emit_all(struct emit *e, struct tp_trace *trace, struct tp_err *err)
{
	struct tp_etdump *d = e->etdump;
	struct tp_parts p;

	if (!tp_etdump_whole_runs(d))
		return emit_operators(e, trace, err);
	tp_etdump_total(d, &p);
	arrange(e);
	if (!is_apart(d))
		emit_run_latency(e);
	for (size_t i = 0; i < d->signature_count && i < SIGNATURES_SHOWN; i++)
		if (d->signatures[i].latency.count)
			emit_signature_latency(e, i);
	if (!is_apart(d))
		emit_run_times(e);
	emit_executions(e);
	emit_load(e);
	if (!is_apart(d))
		emit_run_parts(e, &p);
	emit_signatures(e);
	note_cells(d, trace);
	note_runs(e, trace);
	note_times(e, trace);
	if (is_apart(d))
		return 0;
	if (d->samples && e->run_count &&
	    d->bases.count > SAMPLES_MAX / e->run_count)
		return tp_fail(err, TP_LIMIT, "limit.samples", 0,
		    "--samples of %zu operators in %zu runs are more than %d "
		    "records; read fewer runs, or the medians without it",
		    d->bases.count, e->run_count, SAMPLES_MAX);
	tp_etdump_ops_emit(&e->ops, e->of_runs, p.e2e, e->out);
	if (d->samples)
		tp_etdump_emit_samples(d, &p, e->runs, e->run_count, e->out);
	return 0;
}

/* Whether KEY, without "_ns", is a time that is also told in cycles. */
static int
has_cycles(const char *key, size_t len)
{
	static const char *const told[] = { "sum", "mean", "median", "min",
	    "max", "latency", "wall", "delegated", "portable", "direct",
	    "delegate_gap", "operator_overhead", "method_self" };

	for (size_t i = 0; i < sizeof told / sizeof *told; i++)
		if (len == strlen(told[i]) && !memcmp(key, told[i], len))
			return 1;
	return 0;
}

/*
 * Copy records FROM to OUT: times are cycles of an unknown clock, so keys in
 * ns are left out or get "_cycles".  A quote within a text is escaped, so
 * '_ns":' ends a key.
 */
static void
copy_in_cycles(const struct tp_buf *from, struct tp_out *out)
{
	static const char end[] = "_ns\":";
	const char *p = from->p ? from->p : "", *at, *key, *next;

	while ((at = strstr(p, end))) {
		for (key = at; key[-1] != '"'; key--)
			continue;
		next = at + sizeof end - 1;
		if (has_cycles(key, (size_t)(at - key))) {
			tp_out_raw(out, p, (size_t)(at - p));
			tp_out_raw(out, "_cycles\":", 9);
		} else {
			/* with the comma and the quote in front */
			tp_out_raw(out, p, (size_t)(key - 2 - p));
			next += strcspn(next, ",}");
		}
		p = next;
	}
	tp_out_raw(out, p, strlen(p));
}

static int
emit_cycles(struct emit *e, struct tp_trace *trace, struct tp_err *err)
{
	struct tp_out mem, *out = e->out;
	int rc;

	tp_trace_note(trace, "unit.cycles", 0, 1, "times are in cycles, and "
	    "the rate of the clock is not known: --time-scale 400MHz, for "
	    "example, makes times of them");
	tp_out_init(&mem, -1);
	mem.src = out->src;
	mem.only = out->only;
	e->out = &mem;
	e->etdump->samples = 0;		/* their only value is a time */
	rc = emit_all(e, trace, err);
	if (!rc || err->status == TP_BAD)
		copy_in_cycles(&mem.buf, out);
	tp_out_release(&mem);
	return rc;
}

int
tp_etdump_emit(struct tp_etdump *d, struct tp_trace *trace,
    struct tp_out *out, struct tp_err *err)
{
	struct emit e = { .etdump = d, .out = out };
	int rc;

	if (!d->rows)
		return 0;
	rc = is_in_cycles(d) ? emit_cycles(&e, trace, err) :
	    emit_all(&e, trace, err);
	tp_etdump_ops_release(&e.ops);
	tp_free(e.runs);
	tp_latency_release(&e.latency);
	return rc;
}

/* Tolerance: the tool that made a table may have rounded its times. */
#define ROUNDED_NS 1000
#define ROUNDED_PART 10000

static int
is_other(tp_int128 a, tp_int128 b)
{
	tp_int128 most = a / ROUNDED_PART;

	return (a > b ? a - b : b - a) > (most > ROUNDED_NS ? most :
	    ROUNDED_NS);
}

static const struct tp_etdump_run *
find_executed_run(const struct tp_etdump *e, int64_t index)
{
	ptrdiff_t at = tp_ids_find(&e->run_ids, (uint64_t)index, 0);

	return at >= 0 && e->runs[at].executions ? &e->runs[at] : NULL;
}

static tp_int128
total_of(const struct tp_etdump *e)
{
	tp_int128 sum = 0;

	for (size_t i = 0; i < e->run_count; i++)
		sum += e->runs[i].e2e;
	return sum;
}

/*
 * Find the first run of OTHER that E lacks or in which it took a different
 * time; describe it in WORDS and return 1, or return 0.
 */
static int
runs_differ(const struct tp_etdump *e, const struct tp_etdump *other,
    char words[200])
{
	for (size_t i = 0; i < other->run_count; i++) {
		const struct tp_etdump_run *b = &other->runs[i], *a;

		if (!b->executions)
			continue;
		a = find_executed_run(e, b->index);
		if (a && !is_other(a->e2e, b->e2e))
			continue;
		if (a)
			snprintf(words, 200, "run %" PRId64 " takes %" PRId64
			    " ns there and %" PRId64 " ns in the ETDump",
			    b->index, b->e2e, a->e2e);
		else
			snprintf(words, 200, "run %" PRId64 " is not in the "
			    "ETDump", b->index);
		return 1;
	}
	return 0;
}

int
tp_etdump_differs(const struct tp_etdump *e, const struct tp_etdump *other,
    char words[200])
{
	size_t count = tp_etdump_whole_runs(e);
	size_t others = tp_etdump_whole_runs(other);

	if (other->averages || !others)
		return 0;
	/* some tools export the first run only */
	if (e->signature_count < 2 && (others == 1 || others == count))
		return runs_differ(e, other, words);
	/*
	 * tools number the runs of each input shape from 0, so with several
	 * shapes run numbers are ambiguous: compare totals
	 */
	if (e->signature_count > 1 && others > 1) {
		if (!is_other(total_of(e), total_of(other)))
			return 0;
		snprintf(words, 200, "its runs take together another time "
		    "than those of the ETDump");
		return 1;
	}
	if (others == 1)
		return 0;
	snprintf(words, 200, "it holds %zu runs, the ETDump %zu", others,
	    count);
	return 1;
}
