/* accel_emit - two runs of a model side by side, as records */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/judge/accel.h>
#include <tp/order.h>

#include "compare_private.h"
#include "stat.h"

static void
out_speedup(struct tp_out *out, const struct tp_accel_item *item)
{
	if (!item->has_speedup)
		return;
	tp_out_real(out, "speedup_factor", item->speedup.factor);
	if (item->has_interval) {
		tp_out_real(out, "speedup_low_factor", item->speedup.low);
		tp_out_real(out, "speedup_high_factor", item->speedup.high);
	}
}

static void
out_share(struct tp_out *out, int has_before, double before, int has_after,
    double after)
{
	if (has_before)
		tp_out_real(out, "before_e2e_ratio", before);
	if (has_after)
		tp_out_real(out, "after_e2e_ratio", after);
	if (has_before && has_after)
		tp_out_real(out, "delta_points", 100 * (after - before));
}

static void
out_sides(struct tp_out *out, struct tp_accel_item *item)
{
	static const char *const medians[] = { "before_median_ns",
	    "after_median_ns" };
	struct tp_accel_side *b = &item->side[TP_BEFORE];
	struct tp_accel_side *a = &item->side[TP_AFTER];

	if (b->is)
		tp_out_int(out, "before_ns", b->ns);
	if (a->is)
		tp_out_int(out, "after_ns", a->ns);
	if (b->is && a->is)
		tp_out_int(out, "delta_ns", a->ns - b->ns);
	for (int i = 0; i < TP_SIDES; i++)
		if (item->side[i].sample_count)
			tp_out_int(out, medians[i], (int64_t)nearbyint(
			    tp_median(item->side[i].samples,
			    item->side[i].sample_count)));
	out_share(out, b->has_share, b->share, a->has_share, a->share);
	out_speedup(out, item);
}

/* Write as KEY whether X is below, within or above LOW to HIGH. */
static void
out_expected(struct tp_out *out, const char *key, double x, double low,
    double high)
{
	tp_out_text(out, key, x < low ? "below" : x > high ? "above" :
	    "within");
}

static void
emit_executions(const struct tp_accel *a, struct tp_out *out)
{
	for (size_t i = 0; i < a->executions.count; i++) {
		struct tp_accel_item *x = &a->executions.items[i];

		tp_out_begin(out, "accel.latency");
		tp_out_text(out, "metric", "execution");
		tp_out_int(out, "signature", strtoll(x->name, NULL, 10));
		out_sides(out, x);
		tp_out_end(out);
	}
}

static void
emit_latency(const struct tp_accel *a, struct tp_out *out)
{
	static const struct {
		const char *metric, *key;
	} rows[] = {
		{ "median", "median_ns" }, { "mean", "mean_ns" },
		{ "min", "min_ns" }, { "max", "max_ns" },
		{ "stdev", "stdev_ns" },
		{ "robust-median", "robust_median_ns" },
		{ "trimmed-mean", "trimmed_5_mean_ns" },
	};
	struct tp_accel_item item;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		memset(&item, 0, sizeof item);
		for (int s = 0; s < TP_SIDES; s++)
			item.side[s].is = tp_rec_int(a->latency[s],
			    rows[i].key, &item.side[s].ns);
		if (!item.side[TP_BEFORE].is && !item.side[TP_AFTER].is)
			continue;
		tp_out_begin(out, "accel.latency");
		tp_out_text(out, "metric", rows[i].metric);
		if (!i) {
			item.speedup = a->run.speedup;
			item.has_speedup = a->run.has_speedup;
			item.has_interval = a->run.has_interval;
		} else if (item.side[TP_BEFORE].ns > 0 &&
		    item.side[TP_AFTER].ns > 0 && strcmp(rows[i].metric,
		    "stdev")) {
			item.speedup.factor = (double)item.side[TP_BEFORE].ns /
			    (double)item.side[TP_AFTER].ns;
			item.has_speedup = 1;
		}
		out_sides(out, &item);
		tp_out_end(out);
	}
}

/*
 * Time that delegates would save if an operator or PART reached the least
 * expected speed-up; 0 when nothing is expected or it was reached.
 */
static int64_t
expected_gain(const struct tp_accel_item *part)
{
	int64_t b = part->side[TP_BEFORE].ns - part->aside_ns[TP_BEFORE];
	int64_t a = part->side[TP_AFTER].ns - part->aside_ns[TP_AFTER];
	double low, floor;

	if (!tp_json_number(part->expected, "low", &low) || low <= 1 || b <= 0)
		return 0;
	floor = (double)b / low;
	return (double)a > floor ? a - (int64_t)floor : 0;
}

static void
emit_part(struct tp_accel_item *part, struct tp_out *out)
{
	int64_t b = part->side[TP_BEFORE].ns - part->packing_ns[TP_BEFORE];
	int64_t a = part->side[TP_AFTER].ns - part->packing_ns[TP_AFTER];
	double bare = a > 0 && b > 0 ? (double)b / (double)a : NAN;
	double low, high;

	tp_out_begin(out, "accel.part");
	tp_out_text(out, "part", part->name);
	tp_out_bool(out, "is_overhead", part->is_overhead);
	out_sides(out, part);
	if (part->packing_ns[TP_AFTER])
		tp_out_int(out, "after_packing_ns",
		    part->packing_ns[TP_AFTER]);
	if (part->packing_ns[TP_AFTER] || part->packing_ns[TP_BEFORE])
		tp_out_real(out, "bare_speedup_factor", bare);
	else
		bare = part->has_speedup ? part->speedup.factor : NAN;
	if (tp_json_number(part->expected, "low", &low) &&
	    tp_json_number(part->expected, "high", &high)) {
		tp_out_real(out, "expected_low_factor", low);
		tp_out_real(out, "expected_high_factor", high);
		if (isfinite(bare))
			out_expected(out, "expected", bare, low, high);
	}
	if (expected_gain(part))
		tp_out_int(out, "expected_gain_ns", expected_gain(part));
	tp_out_end(out);
}

/* Largest first, by the time after, then before. */
TP_ORDER_POINTERS(by_time, struct tp_accel_item, TP_UP(is_overhead)
    TP_UP(is_mismatch) TP_DOWN(side[TP_AFTER].ns) TP_DOWN(side[TP_BEFORE].ns)
    TP_BY(strcmp(a->name, b->name)))

/* The items of LIST in that order, yours to tp_free(). */
static struct tp_accel_item **
sorted(const struct tp_accel_list *list)
{
	struct tp_accel_item **items = tp_alloc((list->count + 1) *
	    sizeof *items);

	for (size_t i = 0; i < list->count; i++)
		items[i] = &list->items[i];
	TP_SORT(items, list->count, by_time);
	return items;
}

/* Write the node that has four fifths of the change of OP, if one has. */
static void
out_moved(struct tp_out *out, const struct tp_accel_item *op)
{
	const struct tp_accel_side *b = &op->side[TP_BEFORE];
	const struct tp_accel_side *a = &op->side[TP_AFTER];
	int64_t change = a->ns - b->ns, most = 0;
	size_t at = 0;

	if ((op->change != TP_ACCEL_FASTER && op->change != TP_ACCEL_SLOWER) ||
	    a->node_count < 2 || a->node_count != b->node_count)
		return;
	for (size_t i = 0; i < a->node_count; i++) {
		int64_t ns = a->nodes[i].ns - b->nodes[i].ns;

		if (change < 0)
			ns = -ns;
		if (ns <= most)
			continue;
		most = ns;
		at = i;
	}
	if (!most || most < llabs(change) / 5 * 4)
		return;
	tp_out_text(out, "moved_node", a->nodes[at].name);
	tp_out_int(out, "moved_node_before_ns", b->nodes[at].ns);
	tp_out_int(out, "moved_node_after_ns", a->nodes[at].ns);
}

static void
emit_op(const struct tp_accel *a, struct tp_accel_item *op, size_t rank,
    struct tp_out *out)
{
	static const char *const changes[] = { "same", "accelerated",
	    "slower", "appeared", "vanished", "unknown" };
	int side = op->side[TP_AFTER].is ? TP_AFTER : TP_BEFORE;
	int64_t mean;

	tp_out_begin(out, "accel.op");
	tp_out_int(out, "rank", (int64_t)rank);
	tp_out_text(out, "op_joined", op->name);
	tp_out_text(out, "category", op->category);
	tp_out_text(out, "place", op->side[side].place);
	out_sides(out, op);
	out_moved(out, op);
	tp_out_text(out, "acceleration", changes[op->change]);
	tp_out_text(out, "acceleration_reason", op->because);
	tp_out_bool(out, "is_packed", op->side[TP_AFTER].is_packed);
	tp_out_bool(out, "is_packing", op->is_packing);
	tp_out_bool(out, "is_target", tp_accel_is_target(a, op->category));
	if (expected_gain(op))
		tp_out_int(out, "expected_gain_ns", expected_gain(op));
	if (op->side[TP_AFTER].is && !op->is_mismatch && tp_rec_int(
	    a->latency[TP_AFTER], "mean_ns", &mean) &&
	    mean > op->side[TP_AFTER].ns) {
		tp_out_int(out, "after_without_ns",
		    mean - op->side[TP_AFTER].ns);
		tp_out_ratio(out, "bound_factor", mean,
		    mean - op->side[TP_AFTER].ns);
	}
	tp_out_end(out);
}

static void
out_range(struct tp_out *out, const struct cJSON *range, const char *side,
    int has, double share)
{
	double low = NAN, high = NAN;
	char key[64];

	range = tp_json_get(range, side);
	if (!cJSON_IsArray(range) || cJSON_GetArraySize(range) != 2)
		return;
	low = cJSON_GetNumberValue(cJSON_GetArrayItem(range, 0));
	high = cJSON_GetNumberValue(cJSON_GetArrayItem(range, 1));
	snprintf(key, sizeof key, "expected_%s_low_ratio", side);
	tp_out_real(out, key, low);
	snprintf(key, sizeof key, "expected_%s_high_ratio", side);
	tp_out_real(out, key, high);
	snprintf(key, sizeof key, "expected_%s", side);
	if (has)
		out_expected(out, key, share, low, high);
}

static void
emit_shares(const struct tp_accel *a, struct tp_out *out)
{
	const struct cJSON *s, *c;
	int has[TP_SIDES];
	double share[TP_SIDES];
	ptrdiff_t at;

	cJSON_ArrayForEach(s, tp_json_get(a->data, "shares")) {
		if (!tp_json_text(s, "name"))
			continue;
		has[0] = has[1] = 0;
		share[0] = share[1] = 0;
		cJSON_ArrayForEach(c, tp_json_get(s, "categories")) {
			at = cJSON_IsString(c) ? tp_names_find(
			    &a->parts.names, c->valuestring,
			    strlen(c->valuestring)) : -1;
			for (int i = 0; at >= 0 && i < TP_SIDES; i++) {
				has[i] |= a->parts.items[at].side[i].
				    has_share;
				share[i] += a->parts.items[at].side[i].share;
			}
		}
		if (!has[0] && !has[1])
			continue;
		tp_out_begin(out, "accel.share");
		tp_out_text(out, "name", tp_json_text(s, "name"));
		out_share(out, has[0], share[0], has[1], share[1]);
		if (a->is_expected) {
			out_range(out, s, "before", has[0], share[0]);
			out_range(out, s, "after", has[1], share[1]);
		}
		tp_out_end(out);
	}
}

/* The verdict when each signature is judged by itself. */
static const char *
verdict_of_signatures(const struct tp_accel *a)
{
	size_t faster = 0, slower = 0, same = 0;

	for (size_t i = 0; i < a->executions.count; i++) {
		const struct tp_accel_item *x = &a->executions.items[i];

		faster += x->has_interval && x->speedup.low > 1;
		slower += x->has_interval && x->speedup.high < 1;
		same += x->has_interval && x->speedup.low <= 1 &&
		    x->speedup.high >= 1;
	}
	return faster && slower ? "mixed" : faster ? "faster" :
	    slower ? "slower" : same ? "same" : "undecided";
}

/* The state of a side that hides the change of a run, or NULL. */
static const struct tp_compare_state *
hidden_by(const struct tp_accel *a)
{
	return a->comparison ? tp_compare_hidden_by(a->comparison, a->src,
	    1 / a->run.speedup.factor) : NULL;
}

static void
out_verdict(const struct tp_accel *a, struct tp_out *out)
{
	const struct tp_interval *s = &a->run.speedup;
	const struct tp_compare_state *state = hidden_by(a);
	int has = a->run.has_interval;
	int same = has ? s->low <= 1 && s->high >= 1 :
	    fabs(1 / s->factor - 1) <= a->one_run;

	if (tp_accel_by_signature(a)) {
		tp_out_text(out, "verdict", verdict_of_signatures(a));
		tp_out_text(out, "verdict_reason", "signatures");
	} else if (state) {
		tp_out_text(out, "verdict", "undecided");
		tp_out_text(out, "verdict_reason", state->rule->state);
	} else {
		tp_out_text(out, "verdict", same ? "same" : s->factor > 1 ?
		    "faster" : "slower");
		tp_out_text(out, "verdict_reason", !has ? "one-run" : same ?
		    "within-noise" : "interval");
	}
}

static void
out_int_of(struct tp_out *out, const char *key, const struct tp_rec *rec,
    const char *from)
{
	int64_t n;

	if (rec && tp_rec_int(rec, from, &n))
		tp_out_int(out, key, n);
}

static void
out_times(const struct tp_accel *a, struct tp_out *out)
{
	const struct tp_accel_side *b = &a->run.side[TP_BEFORE];
	const struct tp_accel_side *s = &a->run.side[TP_AFTER];

	out_int_of(out, "before_run_count", a->latency[0], "run_count");
	out_int_of(out, "after_run_count", a->latency[1], "run_count");
	if (tp_accel_by_signature(a))
		return;
	if (b->is)
		tp_out_int(out, "before_ns", b->ns);
	if (s->is)
		tp_out_int(out, "after_ns", s->ns);
	if (b->is && s->is)
		tp_out_int(out, "saved_ns", b->ns - s->ns);
	out_speedup(out, &a->run);
	out_int_of(out, "before_mean_ns", a->latency[0], "mean_ns");
	out_int_of(out, "after_mean_ns", a->latency[1], "mean_ns");
}

/* Write the operators with packed operands, and the time packing takes. */
static void
out_packing(const struct tp_accel *a, struct tp_out *out)
{
	int64_t before = tp_accel_packed(a, TP_BEFORE), packed = 0, was = 0;
	int64_t after = tp_accel_packed(a, TP_AFTER);
	int64_t packing[TP_SIDES] = { 0 };

	if (before < 0 || after < 0)
		return;
	for (size_t i = 0; i < a->ops.count; i++) {
		const struct tp_accel_item *op = &a->ops.items[i];

		if (op->is_mismatch)
			continue;
		for (int s = 0; s < TP_SIDES && op->is_packing; s++)
			packing[s] += op->side[s].ns;
		if (op->side[TP_AFTER].is_packed &&
		    op->side[TP_BEFORE].is && !op->side[TP_BEFORE].is_packed) {
			was += op->side[TP_BEFORE].ns;
			packed += op->side[TP_AFTER].ns;
		}
	}
	tp_out_text(out, "dispatch", after > 0 ? before > 0 ? "both" :
	    "active" : before > 0 ? "given-up" : "none");
	tp_out_bool(out, "is_expected", a->is_expected);
	tp_out_int(out, "before_packed_ns", before);
	tp_out_int(out, "after_packed_ns", after);
	tp_out_int(out, "before_packing_ns", packing[TP_BEFORE]);
	tp_out_int(out, "after_packing_ns", packing[TP_AFTER]);
	if (packed > 0)
		tp_out_ratio(out, "packed_speedup_factor", was,
		    packed + packing[TP_AFTER] - packing[TP_BEFORE]);
}

/* Write what was accelerated, and the limit of further speed-up (Amdahl). */
static void
out_bound(const struct tp_accel *a, struct tp_out *out)
{
	int64_t was = 0, is = 0, mean, only[TP_SIDES] = { 0 };

	for (size_t i = 0; i < a->ops.count; i++) {
		const struct tp_accel_item *op = &a->ops.items[i];

		for (int s = 0; s < TP_SIDES; s++)
			only[s] += op->side[s].is && !op->side[!s].is &&
			    !op->is_packing;
		if (op->change != TP_ACCEL_FASTER)
			continue;
		was += op->side[TP_BEFORE].ns;
		is += op->side[TP_AFTER].ns;
	}
	if (!a->ops.count)
		return;
	tp_out_int(out, "accelerated_before_ns", was);
	tp_out_int(out, "accelerated_after_ns", is);
	if (tp_rec_int(a->latency[TP_BEFORE], "mean_ns", &mean) &&
	    mean > was && was)
		tp_out_ratio(out, "bound_factor", mean, mean - was);
	tp_out_int(out, "only_before_count", only[TP_BEFORE]);
	tp_out_int(out, "only_after_count", only[TP_AFTER]);
}

static const struct tp_accel_item *
top(const struct tp_accel *a, int side)
{
	const struct tp_accel_item *best = NULL;

	for (size_t i = 0; i < a->parts.count; i++) {
		const struct tp_accel_item *p = &a->parts.items[i];

		if (p->side[side].has_share && (!best ||
		    p->side[side].share > best->side[side].share))
			best = p;
	}
	return best;
}

/* Write the part with the largest share, and the one that grew most. */
static void
out_shift(const struct tp_accel *a, struct tp_out *out)
{
	const struct tp_accel_item *b = top(a, TP_BEFORE);
	const struct tp_accel_item *s = top(a, TP_AFTER), *grown = NULL;
	double most = 0, by;

	if (!b || !s)
		return;
	tp_out_text(out, "before_top", b->name);
	tp_out_real(out, "before_top_ratio", b->side[TP_BEFORE].share);
	tp_out_text(out, "after_top", s->name);
	tp_out_real(out, "after_top_ratio", s->side[TP_AFTER].share);
	for (size_t i = 0; i < a->parts.count; i++) {
		const struct tp_accel_item *p = &a->parts.items[i];

		by = p->side[TP_AFTER].share - p->side[TP_BEFORE].share;
		if (p->side[TP_AFTER].has_share &&
		    p->side[TP_BEFORE].has_share && by > most) {
			most = by;
			grown = p;
		}
	}
	if (grown) {
		tp_out_text(out, "grown", grown->name);
		tp_out_real(out, "grown_before_ratio",
		    grown->side[TP_BEFORE].share);
		tp_out_real(out, "grown_after_ratio",
		    grown->side[TP_AFTER].share);
	}
	tp_out_bool(out, "is_bottleneck_moved", b != s);
}

void
tp_accel_emit_run(const struct tp_accel *a, struct tp_out *out)
{
	if (a->refused)
		tp_out_text(out, "refused_for", a->refused);
	else
		out_verdict(a, out);
	if (!a->refused)
		out_times(a, out);
}

static void
emit_summary(const struct tp_accel *a, const char *const names[],
    struct tp_out *out)
{
	int64_t gain = 0;

	tp_out_begin(out, "accel.summary");
	tp_out_text(out, "before", names[TP_BEFORE]);
	tp_out_text(out, "after", names[TP_AFTER]);
	tp_accel_emit_run(a, out);
	if (a->is_other_mix)
		tp_out_bool(out, "is_other_mix", 1);
	if (!a->refused) {
		tp_out_bool(out, "is_of_acceleration",
		    tp_accel_is_of_acceleration(a));
		out_packing(a, out);
		out_bound(a, out);
		out_shift(a, out);
		for (size_t i = 0; i < a->parts.count; i++)
			gain += expected_gain(&a->parts.items[i]);
		if (gain)
			tp_out_int(out, "expected_gain_ns", gain);
	}
	tp_out_end(out);
}

void
tp_accel_emit(struct tp_accel *a, const char *const names[TP_SIDES],
    struct tp_out *out)
{
	struct tp_accel_item **parts = sorted(&a->parts);
	struct tp_accel_item **ops = sorted(&a->ops);

	emit_summary(a, names, out);
	if (tp_accel_by_signature(a))
		emit_executions(a, out);
	else if (a->run.side[TP_BEFORE].is)
		emit_latency(a, out);
	for (size_t i = 0; i < a->parts.count; i++)
		emit_part(parts[i], out);
	if (!a->refused)
		emit_shares(a, out);
	for (size_t i = 0; i < a->ops.count; i++)
		emit_op(a, ops[i], i + 1, out);
	tp_free(parts);
	tp_free(ops);
}
