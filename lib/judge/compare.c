/* compare - what changed between two record streams */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/judge/compare.h>
#include <tp/text.h>

#include "compare_private.h"
#include "noise.h"

const char *
tp_verdict_name(enum tp_verdict verdict)
{
	static const char *const names[] = { "same", "regressed", "improved",
	    "appeared", "vanished", "neutral", "unknown" };

	return names[verdict];
}

const char *
tp_noise_name(enum tp_noise noise)
{
	static const char *const names[] = { NULL, "assumed", "history",
	    "runs" };

	return names[noise];
}

const char *
tp_side_name(int side)
{
	return side == TP_BEFORE ? "before" : "after";
}

/* Unit of KEY, as its suffix. */
static const char *
unit_of(const char *key, int whole)
{
	static const char *const units[] = { "bytes_per_s", "per_s", "ns",
	    "bytes", "mb", "count", "cycles", "ratio", "factor" };
	size_t len = strlen(key), n;

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		n = strlen(units[i]);
		if (len > n && key[len - n - 1] == '_' &&
		    !strcmp(key + len - n, units[i]))
			return units[i];
	}
	return whole ? "count" : "value";
}

static int
is_number(const struct tp_field *f)
{
	return f->type == TP_FIELD_INT || f->type == TP_FIELD_REAL;
}

static int
is_true(const struct tp_rec *rec, const char *key)
{
	const struct tp_field *f = key ? tp_rec_field(rec, key) : NULL;

	return f && f->n != 0;
}

static int
is_among(const char **keys, const char *key)
{
	for (; *keys; keys++)
		if (!strcmp(*keys, key))
			return 1;
	return 0;
}

static int
fits(const char **patterns, const char *key)
{
	for (; *patterns; patterns++)
		if (tp_glob(*patterns, key, strlen(key)))
			return 1;
	return 0;
}

/* Append the identity of REC, each value between OPEN and CLOSE. */
static void
add_identity(struct tp_buf *buf, const struct tp_comparison *c,
    const struct tp_compare_kind *k, const struct tp_rec *rec,
    const char *open, const char *close)
{
	size_t had = buf->len;

	for (const char **i = k->identity; *i; i++) {
		const struct tp_field *f = tp_rec_field(rec, *i);

		if (!f)
			continue;
		if (*close || buf->len > had)
			tp_buf_str(buf, open);
		if (k->placed)
			tp_buf_str(buf, tp_compare_name_of(c, f->text));
		else
			tp_buf_add(buf, f->text, f->len);
		tp_buf_str(buf, close);
	}
}

/* Insert SRC before the words of BUF that start at FROM. */
static void
add_trace(struct tp_buf *buf, size_t from, const char *src)
{
	size_t len = buf->len - from, n = strlen(src) + (len ? 3 : 0);

	tp_buf_fmt(buf, "%s%s", src, len ? " / " : "");
	/* make room first, so that the words do not move meanwhile */
	if (!len)
		return;
	tp_buf_room(buf, len);
	tp_buf_add(buf, buf->p + from, len);
	memmove(buf->p + from, buf->p + from + len, n + len);
	buf->len -= len;
	buf->p[buf->len] = '\0';
}

/* The entry for KEY of REC, created when new. */
static struct tp_compared *
entry_of(struct tp_comparison *c, const struct tp_compare_kind *k,
    const struct tp_rec *rec, const char *key, int many)
{
	struct tp_buf *t = &c->text;
	struct tp_compared *v;
	size_t from;
	ptrdiff_t at;

	tp_buf_clear(t);
	tp_buf_fmt(t, "%s", rec->kind);
	if (many)
		tp_buf_fmt(t, "[%s]", rec->src);
	add_identity(t, c, k, rec, "[", "]");
	tp_buf_fmt(t, ".%s", key);
	from = t->len;
	add_identity(t, c, k, rec, " / ", "");
	if (many)
		add_trace(t, from, rec->src);
	at = tp_names_add(&c->keys, t->p, from);
	if ((size_t)at < c->count)
		return &c->list[at];
	v = TP_PUSH(c->list, c->count, c->cap);
	v->rule = k;
	v->kind = rec->kind;
	v->key = tp_arena_text(&c->arena, key, strlen(key));
	v->identity = tp_arena_text(&c->arena, t->p + from, t->len - from);
	v->name = tp_arena_text(&c->arena, t->p, from);
	v->src = many ? rec->src : NULL;
	v->bare = v->name;
	if (many) {
		tp_buf_clear(t);
		tp_buf_fmt(t, "%s%s", rec->kind, v->name +
		    strlen(rec->kind) + strlen(rec->src) + 2);
		v->bare = tp_arena_text(&c->arena, t->p, t->len);
	}
	return v;
}

static void
describe(struct tp_compared *v, const struct tp_compare_rules *r, int whole)
{
	if (v->unit)
		return;
	v->unit = unit_of(v->key, whole);
	v->is_row = v->rule->rows;
	v->is_share = !v->is_row && tp_json_fits(r->share, v->key);
	v->is_total = tp_json_fits(r->total, v->key);
	if (v->is_total || tp_json_fits(r->less, v->key) ||
	    (v->is_share && tp_json_fits(r->less_share, v->key)) ||
	    (v->is_row && !strcmp(v->unit, "ratio")))
		v->better = TP_BETTER_LESS;
	else if (tp_json_fits(r->more, v->key))
		v->better = TP_BETTER_MORE;
}

/* Whether any number of KIND is compared. */
static int
has_numbers(const struct tp_compare_rules *rules, const char *kind)
{
	const struct tp_compare_kind *k = tp_compare_kind_of(rules, kind);

	return k && !(k->values && !*k->values);
}

static void
add_to(double **list, size_t *count, size_t *cap, double x)
{
	tp_grow(list, cap, *count + 1, sizeof x);
	(*list)[(*count)++] = x;
}

static void
add_number(struct tp_compared *v, int side, const struct tp_field *f)
{
	struct tp_number *n = &v->side[side];
	int whole = f->type == TP_FIELD_INT;

	if (n->times++ && v->rule->sum) {
		whole = whole && n->whole && (f->n < 0 ||
		    n->n <= INT64_MAX - f->n) && f->n >= 0;
		n->n += whole ? f->n : 0;
		n->x += f->x;
	} else {
		n->n = f->n;
		n->x = f->x;
	}
	n->whole = whole;
	/* a number without a unit is a count only when it is whole */
	if (!whole && !strcmp(v->unit, "count"))
		v->unit = "value";
}

/* Read how the row varies from step to step, when REC has it. */
static void
add_moments(struct tp_compared *v, int side, const struct tp_rec *rec)
{
	const struct tp_field *mean = tp_rec_field(rec, "step_mean_ns");
	const struct tp_field *stdev = tp_rec_field(rec, "step_stdev_ns");
	const struct tp_field *count = tp_rec_field(rec, "step_sample_count");

	v->step_count[side] = 0;
	if (!mean || !stdev || !count || v->side[side].times > 1)
		return;
	v->step_mean[side] = mean->x;
	v->step_stdev[side] = stdev->x;
	v->step_count[side] = count->x;
}

/* Read how the number strays within its run, when REC has it. */
static void
add_drift(struct tp_compared *v, int side, const struct tp_rec *rec)
{
	const struct tp_field *drift, *parts;
	const struct cJSON *by;

	v->drift_df[side] = 0;
	cJSON_ArrayForEach(by, v->rule->drift) {
		if (!tp_json_fits(tp_json_get(by, "of"), v->key) ||
		    !tp_json_text(by, "key") || !tp_json_text(by, "parts"))
			continue;
		drift = tp_rec_field(rec, tp_json_text(by, "key"));
		parts = tp_rec_field(rec, tp_json_text(by, "parts"));
		if (!drift || !parts || !(parts->x > 1) || !(drift->x >= 0))
			continue;
		v->drift[side] = drift->x;
		v->drift_df[side] = parts->x - 1;
	}
}

static int
has_kind(const struct tp_comparison *c, int side, const char *kind)
{
	return tp_names_find(&c->kinds[side], kind, strlen(kind)) >= 0;
}

/* Add the measurement X, and the number of the step that REC is of. */
static void
add_sample(struct tp_compared *v, int side, double x, const struct tp_rec *rec)
{
	int64_t number = (int64_t)v->sample_count[side] + 1;

	tp_rec_int(rec, "number", &number);
	add_to(&v->samples[side], &v->sample_count[side], &v->sample_cap[side],
	    x);
	TP_APPEND(v->numbers[side], v->number_count[side], v->number_cap[side],
	    number);
}

static void
add_record(struct tp_comparison *c, int side, const struct tp_rec *rec,
    int many)
{
	const struct tp_compare_kind *k = tp_compare_kind_of(c->rules,
	    rec->kind);
	struct tp_compared *v;

	if (!k || (k->unless.count && tp_conds_of(&k->unless, rec)) ||
	    (k->stands_back && has_kind(c, TP_BEFORE, k->stands_back) &&
	    has_kind(c, TP_AFTER, k->stands_back)))
		return;
	for (size_t i = 0; i < rec->count; i++) {
		const struct tp_field *f = &rec->fields[i];

		if (!is_number(f) || !isfinite(f->x) ||
		    is_among(k->identity, f->key) ||
		    tp_json_fits(c->rules->ignore, f->key) ||
		    (k->samples && !is_among(k->samples, f->key)) ||
		    (k->values && !fits(k->values, f->key)))
			continue;
		v = entry_of(c, k, rec, f->key, many);
		describe(v, c->rules, f->type == TP_FIELD_INT);
		if (k->samples)
			add_sample(v, side, f->x, rec);
		add_number(v, side, f);
		if (k->rows)
			add_moments(v, side, rec);
		add_drift(v, side, rec);
	}
}

/* The last record of a run of SIDE was added: store V's value of that run. */
static void
end_run(struct tp_compared *v, int side)
{
	struct tp_number *n = &v->side[side];
	size_t count = v->sample_count[side] - v->sample_from;
	double *copy;

	if (v->rule->samples && count) {
		/* use the median instead of the last value */
		copy = tp_alloc(count * sizeof *copy);
		memcpy(copy, v->samples[side] + v->sample_from,
		    count * sizeof *copy);
		n->x = tp_median(copy, count);
		n->n = (int64_t)nearbyint(n->x);
		n->whole = !strcmp(v->unit, "ns");
		n->times = 1;
		tp_free(copy);
	}
	v->sample_from = v->sample_count[side];
	v->is_twice |= n->times > 1 && !v->rule->sum;
	if (!n->times)
		return;
	n->times = 0;
	add_to(&v->runs[side], &v->run_count[side], &v->run_cap[side], n->x);
}

static void
add_run(struct tp_comparison *c, int side, const struct tp_set *set)
{
	int many;

	tp_names_release(&c->srcs);
	for (size_t i = 0; i < set->count; i++)
		if (has_numbers(c->rules, set->recs[i].kind))
			tp_names_add(&c->srcs, set->recs[i].src,
			    strlen(set->recs[i].src));
	many = c->srcs.count > 1;
	for (size_t i = 0; i < c->count; i++)
		c->list[i].sample_from = c->list[i].sample_count[side];
	for (size_t i = 0; i < set->count; i++)
		add_record(c, side, &set->recs[i], many);
	for (size_t i = 0; i < c->count; i++)
		end_run(&c->list[i], side);
}

static int
are_positive(const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(x[i] > 0))
			return 0;
	return n > 0;
}

/* Summarise the runs of SIDE into V. */
static void
sum_up(struct tp_compared *v, int side)
{
	struct tp_number *n = &v->side[side];
	const double *x = v->runs[side];
	size_t count = v->run_count[side];
	int logs = are_positive(x, count);

	n->times = (unsigned)(count > 0) * (v->is_twice ? 2 : 1);
	if (count < 2)
		return;	/* keeps the number exactly as read */
	n->x = 0;
	for (size_t i = 0; i < count; i++)
		n->x += (logs ? log(x[i]) : x[i]) / (double)count;
	n->x = logs ? exp(n->x) : n->x;
	n->whole = n->whole && fabs(n->x) < 9e18;
	n->n = n->whole ? (int64_t)nearbyint(n->x) : 0;
	n->x = n->whole ? (double)n->n : n->x;
}

static const struct tp_past *
past_of(const struct tp_comparison *c, const struct tp_compared *v)
{
	for (size_t i = 0; i < c->past_count; i++)
		if (!strcmp(c->past[i].metric, v->name))
			return &c->past[i];
	return NULL;
}

/* Use the past in place of runs before. */
static void
take_past(const struct tp_comparison *c, struct tp_compared *v)
{
	const struct tp_past *past = past_of(c, v);

	for (size_t i = 0; past && i < past->count; i++)
		add_to(&v->runs[TP_BEFORE], &v->run_count[TP_BEFORE],
		    &v->run_cap[TP_BEFORE], past->x[i]);
	v->side[TP_BEFORE].whole = v->side[TP_AFTER].whole;
	if (past && past->count == 1) {
		v->side[TP_BEFORE].x = *past->x;
		v->side[TP_BEFORE].n = (int64_t)nearbyint(*past->x);
	}
}

/* Whether every run of SIDE measured V's kind and kept all its rows. */
static int
kept_all(const struct tp_comparison *c, const struct tp_compared *v,
    const struct tp_runs *runs, int side)
{
	const struct tp_compare_kind *k = v->rule;
	const struct tp_rec *rec;
	size_t at, kept = 0;

	if (!k->cut_kind)
		return has_kind(c, side, v->kind);
	for (size_t i = 0; i < runs->count; i++) {
		at = 0;
		rec = tp_set_next(&runs->sets[i], k->cut_kind, &at);
		kept += rec && !is_true(rec, k->cut_key);
	}
	return kept && kept == runs->count;
}

int
tp_compared_factor(const struct tp_compared *v, double *x)
{
	if (!v->side[TP_BEFORE].times || !v->side[TP_AFTER].times ||
	    !(v->side[TP_BEFORE].x > 0))
		return 0;
	*x = v->side[TP_AFTER].x / v->side[TP_BEFORE].x;
	return isfinite(*x);
}

/*
 * Whether V varies from run to run as times do, unlike counts and
 * allocations.
 */
static int
is_timed(const struct tp_compared *v)
{
	return strcmp(v->unit, "bytes") && strcmp(v->unit, "mb") &&
	    strcmp(v->unit, "count");
}

/* The verdict on a change by D. */
static enum tp_verdict
direction(const struct tp_compared *v, double d)
{
	if (v->better == TP_BETTER_NEITHER)
		return TP_NEUTRAL;
	return (d > 0) == (v->better == TP_BETTER_LESS) ? TP_REGRESSED :
	    TP_IMPROVED;
}

/* With fewer degrees of freedom the assumed noise is better. */
#define FEWEST_FREE 2

/*
 * Interval of V from runs, including those on record.  1, or 0 when nothing
 * gives their noise.
 */
static int
interval_of_runs(const struct tp_comparison *c, struct tp_compared *v)
{
	const struct tp_past *past = past_of(c, v);
	struct tp_squares s = { 0 };
	const double *b = v->runs[TP_BEFORE], *a = v->runs[TP_AFTER];
	size_t before = v->run_count[TP_BEFORE];
	size_t after = v->run_count[TP_AFTER], of = 1;
	double line;

	if (!are_positive(b, before) || !are_positive(a, after))
		return 0;
	v->noise = TP_NOISE_RUNS;
	if (past && !(c->run_count[TP_BEFORE] && before + after > 2) &&
	    are_positive(past->x, past->count)) {
		v->noise = TP_NOISE_HISTORY;
		s.squares = past->squares;
		s.df = past->df;
		of = past->of;
		if (c->run_count[TP_BEFORE])
			tp_scatter_add(&s, past->x, past->count);
	}
	if (of < 2)
		return tp_interval_of_runs(b, before, a, after, &s,
		    &v->interval) && v->interval.df >= FEWEST_FREE;
	/*
	 * The mean of several runs varies less than that of fewer; how much
	 * less with still more runs is unknown.
	 */
	tp_scatter_add(&s, b, before);
	line = after >= of ? 1 : (double)of / (double)after;
	return s.df >= FEWEST_FREE && tp_interval_of_scatter(&s,
	    log(v->side[TP_AFTER].x / v->side[TP_BEFORE].x), line +
	    (c->run_count[TP_BEFORE] ? line : 1 / (double)before),
	    &v->interval);
}

/*
 * Interval of V from how it strays within its runs: two runs differ by at
 * least as much as two parts of one do.
 */
static int
interval_of_drift(struct tp_compared *v)
{
	struct tp_squares s = { 0 };
	double factor;

	for (int side = 0; side < TP_SIDES; side++) {
		s.squares += v->drift[side] * v->drift[side] *
		    v->drift_df[side];
		s.df += v->drift_df[side];
	}
	v->is_drift = tp_compared_factor(v, &factor) && factor > 0 &&
	    tp_interval_of_scatter(&s, log(factor), TP_SIDES, &v->interval);
	return v->is_drift;
}

/*
 * Determine the noise of V from several runs, earlier runs or measurements
 * within a run.
 */
static void
find_noise(const struct tp_comparison *c, struct tp_compared *v)
{
	double assumed = is_timed(v) ? tp_compare_noise(c->rules, "one_run") :
	    0;

	v->has_interval = interval_of_runs(c, v);
	if (!v->has_interval && v->run_count[TP_BEFORE] +
	    v->run_count[TP_AFTER] > FEWEST_FREE + 1) {
		v->has_chance = tp_chance_of_runs(v->runs[TP_BEFORE],
		    v->run_count[TP_BEFORE], v->runs[TP_AFTER],
		    v->run_count[TP_AFTER], &v->chance);
	} else if (!v->has_interval) {
		v->noise = TP_NOISE_ASSUMED;
		v->has_interval = tp_bootstrap(v->samples[TP_BEFORE],
		    v->sample_count[TP_BEFORE], v->samples[TP_AFTER],
		    v->sample_count[TP_AFTER], &v->interval) || (is_timed(v) &&
		    (tp_interval_of_moments(v->step_mean, v->step_stdev,
		    v->step_count, &v->interval) || interval_of_drift(v)));
		if (v->has_interval)
			tp_interval_widen(&v->interval, assumed);
		v->detectable = assumed;
	}
	if (v->has_interval) {
		v->has_chance = 1;
		v->chance = tp_interval_chance(&v->interval);
		v->detectable = tp_interval_visible(&v->interval);
	} else if (!v->detectable) {
		v->noise = TP_NOISE_UNKNOWN;
	}
}

/* Whether V is a count of one run a side, which has no noise. */
static int
is_exact(const struct tp_compared *v, const struct tp_compare_rules *r)
{
	return !strcmp(v->unit, "count") && !v->has_interval &&
	    !v->has_chance && tp_json_fits(r->exact, v->key);
}

/* Judge the change of V, which both sides have, by its size and noise. */
static void
judge_change(struct tp_compared *v, const struct tp_compare_rules *r)
{
	double before = v->side[TP_BEFORE].x, d = v->side[TP_AFTER].x - before;
	double least = tp_compare_least_of(r, "relative");

	if (v->has_interval)	/* of rows: change of the time per step */
		d = (v->interval.factor - 1) * before;
	v->verdict = direction(v, d);
	if (v->sample_count[TP_BEFORE] && !v->has_interval &&
	    !v->has_chance && v->run_count[TP_BEFORE] +
	    v->run_count[TP_AFTER] == 2) {
		v->verdict = TP_UNCLEAR;
		v->reason = "too-few";
	} else if (is_exact(v, r)) {
		if (!(d < 0 || d > 0))
			v->verdict = TP_SAME;
	} else if ((!v->rule->samples && fabs(d) <= tp_compare_least_of(r,
	    v->unit)) || fabs(d) <= least * fabs(before)) {
		v->verdict = TP_SAME;
	} else if (v->has_interval ? v->interval.low <= 1 &&
	    v->interval.high >= 1 : v->has_chance && v->chance > TP_CHANCE) {
		v->verdict = TP_SAME;
		v->reason = "within-noise";
	} else if (v->is_row && !v->has_chance) {
		v->verdict = TP_NEUTRAL;
		v->reason = "noise-unknown";
	} else if (!v->has_interval && fabs(d) <= v->detectable *
	    fabs(before)) {
		v->verdict = TP_SAME;
		v->reason = "one-run";
	}
}

/* The number called NAME in the trace of V; NULL: none. */
static const struct tp_compared *
find_beside(const struct tp_comparison *c, const struct tp_compared *v,
    const char *name)
{
	const char *end = name + strcspn(name, "[");
	const struct tp_compared *found;
	struct tp_buf text = { 0 };

	if (!v->src)
		return tp_comparison_find(c, name);
	if (!*end)
		end = strrchr(name, '.') ? strrchr(name, '.') : end;
	tp_buf_fmt(&text, "%.*s[%s]%s", (int)(end - name), name, v->src, end);
	found = tp_comparison_find(c, text.p);
	tp_buf_release(&text);
	return found;
}

/* Whether the totals of V are of another number of devices than before. */
static int
is_of_other_devices(const struct tp_comparison *c,
    const struct tp_compared *v)
{
	const struct tp_compared *n;
	const struct cJSON *i;
	double factor;

	cJSON_ArrayForEach(i, c->rules->devices) {
		n = cJSON_IsString(i) ? find_beside(c, v, i->valuestring) :
		    NULL;
		if (n && tp_compared_factor(n, &factor))
			return factor < 1 || factor > 1;
	}
	return 0;
}

/* Why V's totals cannot be judged; NULL when both sides did the same work. */
static const char *
no_same_work(const struct tp_comparison *c, const struct tp_compared *v)
{
	const struct tp_compared *w = v->rule->work ?
	    find_beside(c, v, v->rule->work) : NULL;
	double factor;

	if (!w && v->rule->work_else)
		w = find_beside(c, v, v->rule->work_else);
	if (!w || !tp_compared_factor(w, &factor))
		return "work-unknown";
	return fabs(factor - 1) > tp_compare_least_of(c->rules, "work") ?
	    "other-work" : is_of_other_devices(c, v) ? "other-device" : NULL;
}

/* Whether one thing of V's kind holds more or less than before. */
static int
holds_other(const struct tp_comparison *c, const struct tp_compared *v)
{
	const struct tp_compared *h = v->rule->holds ?
	    find_beside(c, v, v->rule->holds) : NULL;
	double factor;

	return h && tp_compared_factor(h, &factor) && fabs(factor - 1) >
	    tp_compare_least_of(c->rules, "holds");
}

/*
 * Whether V covers the whole machine while the target process was measured
 * on both sides.
 */
static int
is_context(struct tp_comparison *c, const struct tp_compared *v)
{
	const char *all = strstr(v->name, "[all]");
	const struct tp_compared *t;
	double factor;

	if (!all)
		return 0;
	tp_buf_clear(&c->text);
	tp_buf_add(&c->text, v->name, (size_t)(all - v->name));
	tp_buf_fmt(&c->text, "[target]%s", all + strlen("[all]"));
	t = tp_comparison_find(c, c->text.p);
	return t && tp_compared_factor(t, &factor);
}

/* Whether V is an operation of a place that holds others on the other side. */
static int
is_unpaired(const struct tp_comparison *c, const struct tp_compared *v)
{
	return v->rule->placed && tp_names_find(&c->unpaired, v->identity,
	    strlen(v->identity)) >= 0;
}

/* Judge V, which only one side has: new, gone, or unknown on the other. */
static void
judge_one_side(const struct tp_comparison *c, struct tp_compared *v,
    const struct tp_runs *runs)
{
	int missing = !v->side[TP_BEFORE].times ? TP_BEFORE : TP_AFTER;

	v->verdict = TP_UNCLEAR;
	v->reason = "one-side";
	if (is_unpaired(c, v)) {
		v->reason = "not-paired";
	} else if (v->is_row && kept_all(c, v, &runs[missing], missing)) {
		v->verdict = missing == TP_BEFORE ? TP_APPEARED :
		    TP_VANISHED;
		v->reason = NULL;
	} else if (v->is_row) {
		v->reason = "not-listed";
	}
}

static void
judge(struct tp_comparison *c, struct tp_compared *v,
    const struct tp_runs runs[TP_SIDES])
{
	const char *why;
	int context;

	if (v->is_twice) {
		v->verdict = TP_UNCLEAR;
		v->reason = "twice";
		return;
	}
	if (!v->side[TP_BEFORE].times || !v->side[TP_AFTER].times) {
		judge_one_side(c, v, runs);
		return;
	}
	/* times per step are comparable even if totals are not */
	why = v->is_total && !v->rule->samples ? no_same_work(c, v) :
	    holds_other(c, v) ? "other-work" : NULL;
	if (why)
		v->step_count[TP_BEFORE] = v->step_count[TP_AFTER] = 0;
	find_noise(c, v);
	judge_change(v, c->rules);
	context = v->verdict == TP_SAME || v->rule->samples ? 0 :
	    is_context(c, v);
	if (context)
		why = "whole-machine";
	if (context || (why && v->verdict != TP_SAME)) {
		v->verdict = TP_NEUTRAL;
		v->reason = why;
	}
}

/* The data on which measurements V summarises, or NULL. */
static const struct cJSON *
measured_by(const struct tp_compared *v)
{
	const struct cJSON *by;

	cJSON_ArrayForEach(by, v->rule->noise)
		if (tp_json_text(by, "kind") && tp_json_text(by, "key") &&
		    tp_json_fits(tp_json_get(by, "of"), v->key))
			return by;
	return NULL;
}

/*
 * Interval of the quantile Q of the measurements S.  1, or 0 when there are
 * too few.
 */
static int
interval_of_quantile(const struct tp_comparison *c,
    const struct tp_compared *s, double q, struct tp_interval *i)
{
	size_t n[] = { s->sample_count[TP_BEFORE], s->sample_count[TP_AFTER] };
	double *copy = tp_alloc((n[0] + n[1] + 1) * sizeof *copy);
	int rc;

	for (int k = 0; k < TP_SIDES; k++)
		if (n[k])
			memcpy(copy + k * n[0], s->samples[k],
			    n[k] * sizeof *copy);
	rc = tp_interval_of_quantile(copy, n[0], copy + n[0], n[1], q, i);
	tp_free(copy);
	if (rc)
		tp_interval_widen(i, tp_compare_noise(c->rules, "one_run"));
	return rc;
}

/*
 * A summary V of the measurements S of a single run per side is no more
 * certain than they are; BY says which statistic it is.
 */
static void
be_no_surer(const struct tp_comparison *c, struct tp_compared *v,
    const struct tp_compared *s, const struct cJSON *by)
{
	struct tp_interval i = s->interval;
	int has = s->has_interval;
	double q;

	if (s->noise == TP_NOISE_ASSUMED &&
	    tp_json_number(by, "quantile", &q)) {
		has = interval_of_quantile(c, s, q, &i);
		if (!has) {
			v->verdict = TP_UNCLEAR;
			v->reason = "too-few";
		}
	}
	if (has && i.low <= 1 && i.high >= 1) {
		v->verdict = TP_SAME;
		v->reason = "within-noise";
	}
}

static void
apply_noise(struct tp_comparison *c, struct tp_compared *v)
{
	size_t kind = strlen(v->kind), len = strlen(v->name);
	const struct cJSON *by = measured_by(v);
	const struct tp_compare_kind *noise;
	const struct tp_compared *s;

	/* with several runs, each has its own such number */
	if (!by || v->has_interval || (v->verdict != TP_REGRESSED &&
	    v->verdict != TP_IMPROVED))
		return;
	noise = tp_compare_kind_of(c->rules, tp_json_text(by, "kind"));
	tp_buf_clear(&c->text);
	tp_buf_str(&c->text, tp_json_text(by, "kind"));
	/* measurements without identity cover the whole run */
	if (noise && !*noise->identity && v->src)
		tp_buf_fmt(&c->text, "[%s].", v->src);
	else if (noise && !*noise->identity)
		tp_buf_chr(&c->text, '.');
	else
		tp_buf_add(&c->text, v->name + kind,
		    len - kind - strlen(v->key));
	tp_buf_str(&c->text, tp_json_text(by, "key"));
	s = tp_comparison_find(c, c->text.p);
	if (s)
		be_no_surer(c, v, s, by);
}

static int
is_tested(const struct tp_compared *v)
{
	return v->is_row && v->has_chance && v->verdict != TP_NEUTRAL &&
	    v->verdict != TP_UNCLEAR;
}

/* Among many rows some change by chance: limit the false discovery rate. */
static void
limit_discoveries(struct tp_comparison *c)
{
	double *p = tp_alloc((c->count + 1) * sizeof *p), limit;
	size_t n = 0;

	for (size_t i = 0; i < c->count; i++)
		if (is_tested(&c->list[i]))
			p[n++] = c->list[i].chance;
	limit = tp_discovery_limit(p, n, tp_compare_noise(c->rules,
	    "false_rows"));
	tp_free(p);
	c->tested_count = n;
	for (size_t i = 0; i < c->count; i++) {
		struct tp_compared *v = &c->list[i];

		if (is_tested(v) && v->chance > limit &&
		    v->verdict != TP_SAME) {
			v->verdict = TP_SAME;
			v->reason = "within-noise";
		}
	}
}

int
tp_compared_is_positive(const struct tp_compared *v)
{
	return are_positive(v->runs[TP_BEFORE], v->run_count[TP_BEFORE]) &&
	    are_positive(v->runs[TP_AFTER], v->run_count[TP_AFTER]);
}

static void
add_all(struct tp_comparison *c, const struct tp_runs runs[TP_SIDES])
{
	for (int s = 0; s < TP_SIDES; s++)
		for (size_t r = 0; r < runs[s].count; r++)
			for (size_t i = 0; i < runs[s].sets[r].count; i++) {
				const char *kind =
				    runs[s].sets[r].recs[i].kind;

				if (has_numbers(c->rules, kind))
					tp_names_add(&c->kinds[s], kind,
					    strlen(kind));
			}
	for (int s = 0; s < TP_SIDES; s++)
		for (size_t r = 0; r < runs[s].count; r++) {
			if (runs[TP_BEFORE].count)
				tp_compare_pair(c, runs[TP_BEFORE].sets,
				    &runs[s].sets[r]);
			add_run(c, s, &runs[s].sets[r]);
		}
}

void
tp_compare(struct tp_comparison *c, const struct tp_compare_rules *rules,
    const struct tp_runs *runs, const struct tp_past *past, size_t past_count)
{
	memset(c, 0, sizeof *c);
	c->rules = rules;
	c->past = past;
	c->past_count = past_count;
	for (int s = 0; s < TP_SIDES; s++)
		c->run_count[s] = runs[s].count;
	add_all(c, runs);
	for (size_t i = 0; i < c->count; i++) {
		if (!runs[TP_BEFORE].count)
			take_past(c, &c->list[i]);
		for (int s = 0; s < TP_SIDES; s++)
			sum_up(&c->list[i], s);
	}
	for (size_t i = 0; i < c->count; i++)
		judge(c, &c->list[i], runs);
	for (size_t i = 0; i < c->count; i++)
		apply_noise(c, &c->list[i]);
	tp_compare_find_states(c, runs);
	for (size_t i = 0; i < c->count; i++)
		tp_compare_hide(c, &c->list[i]);
	for (size_t i = 0; i < c->count; i++)
		tp_compare_find_course(c, &c->list[i]);
	limit_discoveries(c);
}

const struct tp_compared *
tp_comparison_find(const struct tp_comparison *c, const char *name)
{
	ptrdiff_t at = tp_names_find(&c->keys, name, strlen(name));

	return at < 0 ? NULL : &c->list[at];
}

size_t
tp_comparison_common(const struct tp_comparison *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->count; i++)
		n += c->list[i].side[TP_BEFORE].times &&
		    c->list[i].side[TP_AFTER].times;
	return n;
}
