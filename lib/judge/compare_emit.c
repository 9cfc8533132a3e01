/* compare_emit - a comparison as records */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "compare_private.h"

static void
out_number(struct tp_out *out, const char *prefix, const char *unit,
    int whole, int64_t n, double x)
{
	static const char *const counted[] = { "ns", "bytes", "count",
	    "cycles" };
	char key[64];

	snprintf(key, sizeof key, "%s_%s", prefix, unit);
	/* other programs write fractions of indivisible units */
	for (int i = 0; i < 4 && !whole; i++)
		if (!strcmp(unit, counted[i]) && fabs(x) < 9e18) {
			n = (int64_t)nearbyint(x);
			whole = 1;
		}
	if (whole)
		tp_out_int(out, key, n);
	else
		tp_out_real(out, key, x);
}

/* *D = A - B; 0 when it overflows. */
static int
subtract(int64_t a, int64_t b, int64_t *d)
{
	if (b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b)
		return 0;
	*d = a - b;
	return 1;
}

/* Write both numbers, their difference and their quotient. */
static void
out_sides(const struct tp_compared *v, struct tp_out *out)
{
	const struct tp_number *b = &v->side[TP_BEFORE];
	const struct tp_number *a = &v->side[TP_AFTER];
	double factor;
	int64_t d = 0;
	int whole;

	if (b->times)
		out_number(out, "before", v->unit, b->whole, b->n, b->x);
	if (a->times)
		out_number(out, "after", v->unit, a->whole, a->n, a->x);
	if (!a->times || !b->times)
		return;
	whole = a->whole && b->whole && subtract(a->n, b->n, &d);
	if (!strcmp(v->unit, "ratio"))
		tp_out_real(out, "delta_points", 100 * (a->x - b->x));
	else
		out_number(out, "delta", v->unit, whole, d, a->x - b->x);
	if (!v->has_interval && tp_compared_factor(v, &factor))
		tp_out_real(out, "change_factor", factor);
}

/* Write the noise of V and its source. */
static void
out_noise(const struct tp_compared *v, struct tp_out *out)
{
	if (v->run_count[TP_BEFORE] > 1 || v->run_count[TP_AFTER] > 1) {
		tp_out_int(out, "before_run_count",
		    (int64_t)v->run_count[TP_BEFORE]);
		tp_out_int(out, "after_run_count",
		    (int64_t)v->run_count[TP_AFTER]);
	}
	if (!(v->detectable > 0))
		return;
	tp_out_text(out, "noise_from", tp_noise_name(v->noise));
	tp_out_real(out, "detectable_ratio", v->detectable);
}

void
tp_compared_out(const struct tp_compared *v, struct tp_out *out)
{
	/* of duplicates, an arbitrary one would be shown */
	if (!v->reason || strcmp(v->reason, "twice"))
		out_sides(v, out);
	if (v->has_interval && !(v->interval.error > 0)) {
		tp_out_real(out, "change_factor", v->interval.factor);
	} else if (v->has_interval) {
		tp_out_real(out, "change_factor", v->interval.factor);
		tp_out_real(out, "change_low_factor", v->interval.low);
		tp_out_real(out, "change_high_factor", v->interval.high);
	}
	out_noise(v, out);
	if (v->is_drift && v->drift_df[TP_BEFORE] > 0)
		tp_out_real(out, "before_drift_ratio", v->drift[TP_BEFORE]);
	if (v->is_drift && v->drift_df[TP_AFTER] > 0)
		tp_out_real(out, "after_drift_ratio", v->drift[TP_AFTER]);
	if (v->rule->samples) {
		tp_out_int(out, "before_sample_count",
		    (int64_t)v->sample_count[TP_BEFORE]);
		tp_out_int(out, "after_sample_count",
		    (int64_t)v->sample_count[TP_AFTER]);
	}
	tp_out_text(out, "change", tp_verdict_name(v->verdict));
	if (v->reason)
		tp_out_text(out, "because", v->reason);
}

void
tp_compare_emit_counts(const struct tp_comparison *c, struct tp_out *out)
{
	int64_t counts[2][TP_VERDICTS] = { { 0 } };
	char key[64];

	for (size_t i = 0; i < c->count; i++)
		counts[c->list[i].is_row][c->list[i].verdict]++;
	for (int rows = 0; rows < 2; rows++)
		for (int v = 0; v < TP_VERDICTS; v++) {
			if (!rows && (v == TP_APPEARED || v == TP_VANISHED))
				continue;
			snprintf(key, sizeof key, "%s_%s_count",
			    rows ? "row" : "metric",
			    tp_verdict_name((enum tp_verdict)v));
			tp_out_int(out, key, counts[rows][v]);
		}
}

static double
change(const struct tp_compared *v)
{
	return fabs(v->side[TP_AFTER].x - v->side[TP_BEFORE].x);
}

/* Rows that matter first; others by the size of the change. */
static int
by_weight(const void *p, const void *q)
{
	static const int weight[] = { 6, 0, 3, 1, 2, 4, 5 };
	const struct tp_compared *a = *(const struct tp_compared *const *)p;
	const struct tp_compared *b = *(const struct tp_compared *const *)q;
	double x = change(a), y = change(b);

	if (a->rule != b->rule)
		return a->rule < b->rule ? -1 : 1;
	if (a->verdict != b->verdict)
		return weight[a->verdict] - weight[b->verdict];
	if (x != y)
		return x > y ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void
emit_rows(const struct tp_comparison *c, struct tp_out *out)
{
	const struct tp_compared **rows = tp_alloc((c->count + 1) *
	    sizeof *rows);
	size_t n = 0;

	for (size_t i = 0; i < c->count; i++)
		if (c->list[i].is_row)
			rows[n++] = &c->list[i];
	TP_SORT(rows, n, by_weight);
	for (size_t i = 0; i < n; i++) {
		tp_out_begin(out, "compare.row");
		tp_out_text(out, "of", rows[i]->kind);
		tp_out_text(out, "name", rows[i]->identity);
		tp_out_text(out, "metric", rows[i]->key);
		tp_compared_out(rows[i], out);
		tp_out_end(out);
	}
	tp_free(rows);
}

void
tp_compare_emit(const struct tp_comparison *c, struct tp_out *out)
{
	for (int shares = 0; shares < 2; shares++)
		for (size_t i = 0; i < c->count; i++) {
			const struct tp_compared *v = &c->list[i];

			if (v->is_row || v->is_share != shares)
				continue;
			tp_out_begin(out, shares ? "compare.share" :
			    "compare.metric");
			tp_out_text(out, "metric", v->name);
			tp_compared_out(v, out);
			tp_out_end(out);
		}
	emit_rows(c, out);
}
