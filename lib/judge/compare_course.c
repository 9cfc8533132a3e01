/*
 * compare_course - runs whose steps change on the way, or that have slow ones
 *
 * A median over all steps means little for a run that is fast until a step and
 * slow from there on: such runs are compared level by level.
 */
#include <math.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>

#include "compare_private.h"
#include "noise.h"

/* The levels of a side after its warm-up. */
struct levels {
	double first;		/* without a change on the way */
	const struct tp_course_change *changes;	/* NULL: none */
	size_t count;
};

static double
level(const struct levels *l, size_t i)
{
	return l->changes ? i ? l->changes[i - 1].after : l->changes->before :
	    l->first;
}

/* Whether FACTOR is no more than what runs differ by. */
static int
is_alike(const struct tp_comparison *c, double factor)
{
	return fabs(log(factor)) <= log1p(tp_compare_noise(c->rules,
	    "one_run"));
}

/* Leave of V's changes on SIDE those that matter. */
static void
keep_large(const struct tp_comparison *c, struct tp_compared *v, int side)
{
	struct tp_course *course = &v->course[side];
	size_t n = 0;

	for (size_t i = 0; i < course->count; i++)
		if (!is_alike(c, course->changes[i].after /
		    course->changes[i].before))
			course->changes[n++] = course->changes[i];
	course->count = n;
}

/* Whether V's run of SIDE begins slow, for less than half of its steps. */
static int
has_warmup(const struct tp_compared *v, int side)
{
	const struct tp_course_change *k = v->course[side].changes;

	return v->course[side].count && k->after < k->before &&
	    2 * k->at < v->sample_count[side];
}

static void
levels_of(struct levels *l, const struct tp_compared *v, int side)
{
	size_t skip = (size_t)has_warmup(v, side);
	const struct tp_course *course = &v->course[side];

	l->first = skip ? course->changes->after : v->side[side].x;
	l->count = course->count - skip + 1;
	l->changes = l->count > 1 ? course->changes + skip : NULL;
}

/* Judge V by the levels of both sides. */
static void
judge_levels(const struct tp_comparison *c, struct tp_compared *v)
{
	struct levels l[TP_SIDES];
	size_t worse = 0, better = 0, n;
	double factor;

	for (int s = 0; s < TP_SIDES; s++)
		levels_of(&l[s], v, s);
	n = l[TP_BEFORE].count > l[TP_AFTER].count ? l[TP_BEFORE].count :
	    l[TP_AFTER].count;
	v->has_interval = v->has_chance = 0;
	v->detectable = tp_compare_noise(c->rules, "one_run");
	v->reason = "on-the-way";
	v->verdict = TP_UNCLEAR;
	for (int s = 0; s < TP_SIDES; s++)
		if (l[s].count > 1 && l[s].count < n)
			return;
	for (size_t i = 0; i < n; i++) {
		factor = level(&l[TP_AFTER], l[TP_AFTER].changes ? i : 0) /
		    level(&l[TP_BEFORE], l[TP_BEFORE].changes ? i : 0);
		worse += !is_alike(c, factor) && factor > 1;
		better += !is_alike(c, factor) && factor < 1;
	}
	if (worse && better)
		return;
	v->verdict = worse ? TP_REGRESSED : better ? TP_IMPROVED : TP_SAME;
	if (v->verdict == TP_SAME || n < 2)
		v->reason = NULL;
}

/* Whether V is a time of the steps of a single run a side. */
static int
is_series(const struct tp_compared *v)
{
	const char **key = v->rule->course;

	while (key && *key && strcmp(*key, v->key))
		key++;
	return v->rule->samples && key && *key &&
	    v->better == TP_BETTER_LESS && !strcmp(v->unit, "ns") &&
	    v->run_count[TP_BEFORE] == 1 && v->run_count[TP_AFTER] == 1 &&
	    v->sample_count[TP_BEFORE] && v->sample_count[TP_AFTER];
}

/* Find V's changes on SIDE, as if a single slow step took as long as others. */
static void
find_changes(const struct tp_comparison *c, struct tp_compared *v, int side)
{
	const double *x = v->samples[side];
	size_t n = v->sample_count[side];
	double *copy = tp_alloc((n + 1) * sizeof *copy);
	double factor = HUGE_VAL, prev, next;

	tp_json_number(c->rules->slow, "factor", &factor);
	for (size_t i = 0; i < n; i++) {
		next = i + 1 < n ? x[i + 1] : x[i ? i - 1 : 0];
		prev = i ? copy[i - 1] : next;
		copy[i] = x[i] > factor * (prev > next ? prev : next) ? prev :
		    x[i];
	}
	tp_course_find(&v->course[side], copy, n);
	tp_free(copy);
}

void
tp_compare_find_course(const struct tp_comparison *c, struct tp_compared *v)
{
	if (!is_series(v))
		return;
	for (int s = 0; s < TP_SIDES; s++) {
		find_changes(c, v, s);
		keep_large(c, v, s);
	}
	if (v->course[TP_BEFORE].count || v->course[TP_AFTER].count)
		judge_levels(c, v);
}

/*
 * *FROM is the step from which on V is better or worse, up to which both runs
 * are alike; 0 when there is none.
 */
int
tp_compare_from(const struct tp_comparison *c, const struct tp_compared *v,
    int64_t *from)
{
	const struct tp_course_change *k;
	struct levels l[TP_SIDES];
	int side;

	if (v->verdict != TP_REGRESSED && v->verdict != TP_IMPROVED)
		return 0;
	for (int s = 0; s < TP_SIDES; s++)
		levels_of(&l[s], v, s);
	side = l[TP_AFTER].count > 1 ? TP_AFTER : TP_BEFORE;
	k = l[side].changes;
	if (l[side].count != 2 || l[!side].count != 1 ||
	    !is_alike(c, k->before / l[!side].first))
		return 0;
	*from = v->numbers[side][k->at];
	return 1;
}

static void
emit_change(const struct tp_compared *v, int side,
    const struct tp_course_change *k, struct tp_out *out)
{
	const int64_t *number = v->numbers[side];

	tp_out_begin(out, "compare.course");
	tp_out_text(out, "metric", v->name);
	tp_out_text(out, "side", tp_side_name(side));
	tp_out_bool(out, "is_drift", k->is_drift);
	tp_out_int(out, "number", number[k->at]);
	if (k->is_drift)
		tp_out_int(out, "until_number", number[k->until]);
	tp_out_int(out, "last_number", number[k->end - 1]);
	tp_out_bool(out, "is_to_end", k->end == v->sample_count[side]);
	tp_out_int(out, "step_count", (int64_t)(k->end - k->at));
	tp_out_int(out, "before_ns", (int64_t)nearbyint(k->before));
	tp_out_int(out, "after_ns", (int64_t)nearbyint(k->after));
	tp_out_real(out, "change_factor", k->after / k->before);
	tp_out_end(out);
}

/* Steps of a side that take much longer than its others. */
struct slow {
	size_t count, longest;
	double typical, extra;
};

static void
find_slow(const struct tp_comparison *c, const struct tp_compared *v,
    int side, struct slow *slow)
{
	const double *x = v->samples[side];
	size_t n = v->sample_count[side];
	double *copy = tp_alloc((n + 1) * sizeof *copy), least;

	memset(slow, 0, sizeof *slow);
	memcpy(copy, x, n * sizeof *copy);
	slow->typical = tp_median(copy, n);
	tp_json_number(c->rules->slow, "factor", &least);
	for (size_t i = 0; i < n; i++) {
		if (!(x[i] > least * slow->typical))
			continue;
		slow->count++;
		slow->extra += (x[i] - slow->typical) / (double)n;
		if (x[i] > x[slow->longest])
			slow->longest = i;
	}
	tp_free(copy);
}

/* Write the slow steps of the side that lost more by them. */
static void
emit_slow(const struct tp_comparison *c, const struct tp_compared *v,
    struct tp_out *out)
{
	struct slow slow[TP_SIDES];
	int side;

	for (int s = 0; s < TP_SIDES; s++)
		find_slow(c, v, s, &slow[s]);
	side = slow[TP_AFTER].extra > slow[TP_BEFORE].extra;
	if (slow[side].extra - slow[!side].extra <= slow[TP_BEFORE].typical *
	    tp_compare_noise(c->rules, "one_run"))
		return;
	tp_out_begin(out, "compare.slow");
	tp_out_text(out, "metric", v->name);
	tp_out_text(out, "side", tp_side_name(side));
	tp_out_int(out, "slow_count", (int64_t)slow[side].count);
	tp_out_int(out, "other_slow_count", (int64_t)slow[!side].count);
	tp_out_int(out, "step_count", (int64_t)v->sample_count[side]);
	tp_out_int(out, "number", v->numbers[side][slow[side].longest]);
	tp_out_int(out, "slow_max_ns", (int64_t)v->samples[side][
	    slow[side].longest]);
	tp_out_int(out, "typical_ns", (int64_t)nearbyint(slow[side].typical));
	tp_out_end(out);
}

void
tp_compare_emit_course(const struct tp_comparison *c,
    const struct tp_compared *v, struct tp_out *out)
{
	if (!is_series(v))
		return;
	for (int s = 0; s < TP_SIDES; s++)
		for (size_t i = 0; i < v->course[s].count; i++)
			emit_change(v, s, &v->course[s].changes[i], out);
	if (v->course[TP_BEFORE].count || v->course[TP_AFTER].count ||
	    v->verdict == TP_UNCLEAR)
		return;
	emit_slow(c, v, out);
}
