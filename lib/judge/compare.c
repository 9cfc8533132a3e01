/* compare - what changed between two record streams */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/judge/compare.h>
#include <tp/text.h>

#include "compare_private.h"

const char *
tp_verdict_name(enum tp_verdict verdict)
{
	static const char *const names[] = { "same", "regressed", "improved",
	    "appeared", "vanished", "neutral", "unknown" };

	return names[verdict];
}

const char *
tp_side_name(int side)
{
	return side == TP_BEFORE ? "before" : "after";
}

/* What KEY is counted in, as the suffix of the keys that hold it. */
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

/* Append what identifies REC, each value between OPEN and CLOSE. */
static void
add_identity(struct tp_buf *buf, const struct tp_compare_kind *k,
    const struct tp_rec *rec, const char *open, const char *close)
{
	size_t had = buf->len;

	for (const char **i = k->identity; *i; i++) {
		const struct tp_field *f = tp_rec_field(rec, *i);

		if (!f)
			continue;
		if (*close || buf->len > had)
			tp_buf_str(buf, open);
		tp_buf_add(buf, f->text, f->len);
		tp_buf_str(buf, close);
	}
}

/* Put SRC before the words of BUF that start at FROM. */
static void
add_trace(struct tp_buf *buf, size_t from, const char *src)
{
	size_t len = buf->len - from, n = strlen(src) + (len ? 3 : 0);

	tp_buf_fmt(buf, "%s%s", src, len ? " / " : "");
	/* with room for it the words do not move while they are added */
	if (buf->failed || !len || !tp_buf_room(buf, len))
		return;
	tp_buf_add(buf, buf->p + from, len);
	memmove(buf->p + from, buf->p + from + len, n + len);
	buf->len -= len;
	buf->p[buf->len] = '\0';
}

/* The entry of KEY of REC, made when new; NULL without memory. */
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
	add_identity(t, k, rec, "[", "]");
	tp_buf_fmt(t, ".%s", key);
	from = t->len;
	add_identity(t, k, rec, " / ", "");
	if (many)
		add_trace(t, from, rec->src);
	if (t->failed)
		return NULL;
	at = tp_names_add(&c->keys, t->p, from);
	if (at < 0)
		return NULL;
	if ((size_t)at < c->count)
		return &c->list[at];
	if (tp_grow(&c->list, &c->cap, c->count + 1, sizeof *v) < 0)
		return NULL;
	v = &c->list[at];
	memset(v, 0, sizeof *v);
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
		v->bare = t->failed ? NULL : tp_arena_text(&c->arena, t->p,
		    t->len);
	}
	if (!v->key || !v->identity || !v->name || !v->bare)
		return NULL;
	c->count++;
	return v;
}

static void
describe(struct tp_compared *v, const struct tp_compare_rules *r, int whole)
{
	if (v->unit)
		return;
	v->unit = unit_of(v->key, whole);
	v->is_row = v->rule->rows;
	v->is_share = !v->is_row && tp_compare_fits(r->share, v->key);
	v->is_total = tp_compare_fits(r->total, v->key);
	if (v->is_total || tp_compare_fits(r->less, v->key) ||
	    (v->is_share && tp_compare_fits(r->less_share, v->key)) ||
	    (v->is_row && !strcmp(v->unit, "ratio")))
		v->better = TP_BETTER_LESS;
	else if (tp_compare_fits(r->more, v->key))
		v->better = TP_BETTER_MORE;
}

static int
add_sample(struct tp_compared *v, int side, double x)
{
	size_t n = v->sample_count[side];

	if (tp_grow(&v->samples[side], &v->sample_cap[side], n + 1,
	    sizeof x) < 0)
		return -1;
	v->samples[side][n] = x;
	v->sample_count[side]++;
	return 0;
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
	/* a number without a unit counts something only when it is whole */
	if (!whole && !strcmp(v->unit, "count"))
		v->unit = "value";
}

static int
has_kind(const struct tp_comparison *c, int side, const char *kind)
{
	return tp_names_find(&c->kinds[side], kind, strlen(kind)) >= 0;
}

static int
add_record(struct tp_comparison *c, int side, const struct tp_rec *rec,
    int many)
{
	const struct tp_compare_kind *k = tp_compare_kind_of(c->rules,
	    rec->kind);
	struct tp_compared *v;

	if (!k || is_true(rec, k->unless) || (k->stands_back &&
	    has_kind(c, TP_BEFORE, k->stands_back) &&
	    has_kind(c, TP_AFTER, k->stands_back)))
		return 0;
	for (size_t i = 0; i < rec->count; i++) {
		const struct tp_field *f = &rec->fields[i];

		if (!is_number(f) || !isfinite(f->x) ||
		    is_among(k->identity, f->key) ||
		    tp_compare_fits(c->rules->ignore, f->key) ||
		    (k->samples && !is_among(k->samples, f->key)) ||
		    (k->values && !fits(k->values, f->key)))
			continue;
		v = entry_of(c, k, rec, f->key, many);
		if (!v)
			return -1;
		describe(v, c->rules, f->type == TP_FIELD_INT);
		if (k->samples && add_sample(v, side, f->x) < 0)
			return -1;
		add_number(v, side, f);
	}
	return 0;
}

/* Whether SIDE measured what V is of and kept all rows of it. */
static int
kept_all(const struct tp_comparison *c, const struct tp_compared *v,
    const struct tp_set *set, int side)
{
	const struct tp_compare_kind *k = v->rule;
	const struct tp_rec *rec;
	size_t at = 0;

	if (k->cut_kind) {
		rec = tp_set_next(set, k->cut_kind, strlen(k->cut_kind), &at);
		return rec && !is_true(rec, k->cut_key);
	}
	return has_kind(c, side, v->kind);
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

/* The verdict on a change by D of what was BEFORE. */
static enum tp_verdict
judge_change(const struct tp_compared *v, const struct tp_compare_rules *r,
    double before, double d)
{
	if (fabs(d) <= tp_compare_least_of(r, v->unit) ||
	    fabs(d) <= tp_compare_least_of(r, "relative") * fabs(before))
		return TP_SAME;
	if (v->better == TP_BETTER_NEITHER)
		return TP_NEUTRAL;
	return (d > 0) == (v->better == TP_BETTER_LESS) ? TP_REGRESSED :
	    TP_IMPROVED;
}

static int
judge_samples(struct tp_compared *v, const struct tp_compare_rules *r)
{
	const struct tp_interval *i = &v->interval;
	double least = tp_compare_least_of(r, "relative");
	int rc;

	for (int s = 0; s < TP_SIDES; s++) {
		if (!v->sample_count[s])
			continue;
		/* the median in place of the last one */
		v->side[s].x = tp_median(v->samples[s], v->sample_count[s]);
		v->side[s].n = (int64_t)nearbyint(v->side[s].x);
		v->side[s].whole = !strcmp(v->unit, "ns");
		v->side[s].times = 1;
	}
	rc = tp_bootstrap(v->samples[TP_BEFORE], v->sample_count[TP_BEFORE],
	    v->samples[TP_AFTER], v->sample_count[TP_AFTER], &v->interval);
	if (rc < 0)
		return -1;
	v->has_interval = rc;
	if (!rc) {
		v->verdict = TP_UNCLEAR;
		v->reason = !v->sample_count[TP_BEFORE] ||
		    !v->sample_count[TP_AFTER] ? "one-side" : "too-few";
	} else if (i->low <= 1 && i->high >= 1) {
		v->verdict = TP_SAME;
		v->reason = "within-noise";
	} else if (fabs(i->factor - 1) <= least) {
		v->verdict = TP_SAME;
	} else {
		v->verdict = v->better == TP_BETTER_NEITHER ? TP_NEUTRAL :
		    (i->factor > 1) == (v->better == TP_BETTER_LESS) ?
		    TP_REGRESSED : TP_IMPROVED;
	}
	return 0;
}

/* What is compared under NAME of the trace of V; NULL: nothing, or no
 * memory. */
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
	found = text.failed ? NULL : tp_comparison_find(c, text.p);
	tp_buf_release(&text);
	return found;
}

/* Why V's totals cannot be judged, or NULL: both sides did the same work. */
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
	return fabs(factor - 1) > 0.01 ? "other-work" : NULL;
}

/* Whether V is of the whole machine while the process that the traces are
 * about was measured on both sides; -1 without memory. */
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
	if (c->text.failed)
		return -1;
	t = tp_comparison_find(c, c->text.p);
	return t && tp_compared_factor(t, &factor);
}

/* V is on one side only: new, gone, or not known of the other. */
static void
judge_one_side(const struct tp_comparison *c, struct tp_compared *v,
    const struct tp_set *sets)
{
	int missing = !v->side[TP_BEFORE].times ? TP_BEFORE : TP_AFTER;

	v->verdict = TP_UNCLEAR;
	v->reason = "one-side";
	if (v->is_row && kept_all(c, v, &sets[missing], missing)) {
		v->verdict = missing == TP_BEFORE ? TP_APPEARED :
		    TP_VANISHED;
		v->reason = NULL;
	} else if (v->is_row) {
		v->reason = "not-listed";
	}
}

static int
judge(struct tp_comparison *c, struct tp_compared *v,
    const struct tp_set *sets)
{
	const struct tp_number *b = &v->side[TP_BEFORE];
	const struct tp_number *a = &v->side[TP_AFTER];
	int context;

	if (v->rule->samples) {
		if (judge_samples(v, c->rules) < 0)
			return -1;
		if (!a->times || !b->times)
			judge_one_side(c, v, sets);
		return 0;
	}
	if (!v->rule->sum && (a->times > 1 || b->times > 1)) {
		v->verdict = TP_UNCLEAR;
		v->reason = "twice";
	} else if (!a->times || !b->times) {
		judge_one_side(c, v, sets);
	} else {
		v->verdict = judge_change(v, c->rules, b->x, a->x - b->x);
		context = v->verdict == TP_SAME ? 0 : is_context(c, v);
		if (context < 0)
			return -1;
		if (context) {
			v->verdict = TP_NEUTRAL;
			v->reason = "whole-machine";
		} else if (v->is_total && v->verdict != TP_SAME &&
		    (v->reason = no_same_work(c, v))) {
			v->verdict = TP_NEUTRAL;
		}
	}
	return 0;
}

/* What says by which measurements V was found, or NULL. */
static const struct cJSON *
measured_by(const struct tp_compared *v)
{
	const struct cJSON *by;

	cJSON_ArrayForEach(by, v->rule->noise)
		if (tp_json_text(by, "kind") && tp_json_text(by, "key") &&
		    tp_compare_fits(tp_json_get(by, "of"), v->key))
			return by;
	return NULL;
}

/* A number that sums up measurements changed no more surely than they did. */
static int
apply_noise(struct tp_comparison *c, struct tp_compared *v)
{
	size_t kind = strlen(v->kind), len = strlen(v->name);
	const struct cJSON *by = measured_by(v);
	const struct tp_compare_kind *noise;
	const struct tp_compared *s;

	if (!by || (v->verdict != TP_REGRESSED &&
	    v->verdict != TP_IMPROVED))
		return 0;
	noise = tp_compare_kind_of(c->rules, tp_json_text(by, "kind"));
	tp_buf_clear(&c->text);
	tp_buf_str(&c->text, tp_json_text(by, "kind"));
	/* measurements that nothing tells apart are of all of the run */
	if (noise && !*noise->identity && v->src)
		tp_buf_fmt(&c->text, "[%s].", v->src);
	else if (noise && !*noise->identity)
		tp_buf_chr(&c->text, '.');
	else
		tp_buf_add(&c->text, v->name + kind,
		    len - kind - strlen(v->key));
	tp_buf_str(&c->text, tp_json_text(by, "key"));
	if (c->text.failed)
		return -1;
	s = tp_comparison_find(c, c->text.p);
	if (s && s->has_interval && s->interval.low <= 1 &&
	    s->interval.high >= 1) {
		v->verdict = TP_SAME;
		v->reason = "within-noise";
	}
	return 0;
}

/* Whether anything of KIND is compared. */
static int
has_numbers(const struct tp_compare_rules *rules, const char *kind)
{
	const struct tp_compare_kind *k = tp_compare_kind_of(rules, kind);

	return k && !(k->values && !*k->values);
}

int
tp_compare(struct tp_comparison *c, const struct tp_compare_rules *rules,
    const struct tp_set sets[TP_SIDES], struct tp_err *err)
{
	int many = 0;

	memset(c, 0, sizeof *c);
	c->rules = rules;
	for (int s = 0; s < TP_SIDES; s++) {
		for (size_t i = 0; i < sets[s].count; i++)
			if (has_numbers(rules, sets[s].recs[i].kind) &&
			    (tp_names_add(&c->srcs[s], sets[s].recs[i].src,
			    strlen(sets[s].recs[i].src)) < 0 ||
			    tp_names_add(&c->kinds[s], sets[s].recs[i].kind,
			    strlen(sets[s].recs[i].kind)) < 0))
				return tp_fail_memory(err);
		many |= c->srcs[s].count > 1;
	}
	for (int s = 0; s < TP_SIDES; s++)
		for (size_t i = 0; i < sets[s].count; i++)
			if (add_record(c, s, &sets[s].recs[i], many) < 0)
				return tp_fail_memory(err);
	for (size_t i = 0; i < c->count; i++)
		if (judge(c, &c->list[i], sets) < 0)
			return tp_fail_memory(err);
	for (size_t i = 0; i < c->count; i++)
		if (apply_noise(c, &c->list[i]) < 0)
			return tp_fail_memory(err);
	return 0;
}

void
tp_comparison_release(struct tp_comparison *c)
{
	for (size_t i = 0; i < c->count; i++)
		for (int s = 0; s < TP_SIDES; s++)
			tp_free(c->list[i].samples[s]);
	for (int s = 0; s < TP_SIDES; s++) {
		tp_names_release(&c->kinds[s]);
		tp_names_release(&c->srcs[s]);
	}
	tp_free(c->list);
	tp_names_release(&c->keys);
	tp_arena_release(&c->arena);
	tp_buf_release(&c->text);
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
