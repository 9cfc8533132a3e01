/* compare_uniform - whether all named rows changed by one factor */
#include <math.h>
#include <string.h>

#include <cjson/cJSON.h>

#include <tp/alloc.h>
#include <tp/json.h>

#include "compare_private.h"

/* Sums over the rows of one kind. */
struct rows {
	double before, after;	/* of rows on both sides */
	double agree, agree_after;	/* of rows that agree */
	double unchanged, unchanged_after;	/* of unchanged rows */
	double beyond_noise;		/* of these, those beyond noise */
	double largest;		/* largest row, before; and */
	int largest_agrees;
	double others;		/* of rows on one side only */
	size_t count, agree_count;
	size_t apart_count;	/* rows that changed by another factor */
	int not_judged;
};

struct limits {
	double least, tolerance, spread, share, unchanged, rows;
};

static int
is_of(const struct tp_compared *v, const char *kind)
{
	return v->is_row && !strcmp(v->kind, kind) &&
	    v->better == TP_BETTER_LESS && !strcmp(v->unit, "ns");
}

/* Whether both sides have V exactly once, whatever its noise. */
static int
is_on_both(const struct tp_compared *v)
{
	return v->side[TP_BEFORE].times && v->side[TP_AFTER].times &&
	    (v->verdict != TP_UNCLEAR || !strcmp(v->reason, "too-few"));
}

static void
add_up(struct rows *r, const struct tp_comparison *c, const char *kind)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct tp_compared *v = &c->list[i];
		double b = v->side[TP_BEFORE].x, a = v->side[TP_AFTER].x;

		if (!is_of(v, kind))
			continue;
		if (v->verdict == TP_APPEARED || v->verdict == TP_VANISHED) {
			r->others += v->verdict == TP_APPEARED ? a : b;
			continue;
		}
		if (!is_on_both(v))
			continue;	/* a side lists only part of its rows */
		r->not_judged |= v->verdict == TP_NEUTRAL &&
		    (!v->reason || strcmp(v->reason, "noise-unknown"));
		r->before += b;
		r->after += a;
	}
}

/* How far from FACTOR a row may change that agrees with it. */
static double
apart_of(const struct tp_comparison *c, double factor, const struct limits *l)
{
	return fmax(fmin(l->tolerance * fabs(factor - 1), l->spread * factor),
	    tp_compare_least_of(c->rules, "relative"));
}

/* Whether V took as long after as before, and not FACTOR as long. */
static int
is_unchanged(const struct tp_comparison *c, const struct tp_compared *v,
    double factor, const struct limits *l)
{
	double f;

	if (!tp_compared_factor(v, &f) || fabs(f - 1) > fmax(l->tolerance *
	    fabs(factor - 1), tp_compare_least_of(c->rules, "relative")))
		return 0;
	return v->has_interval ? v->interval.low > factor ||
	    v->interval.high < factor : fabs(f / factor - 1) >
	    tp_compare_noise(c->rules, "one_run");
}

static void
see_who_agrees(struct rows *r, const struct tp_comparison *c,
    const char *kind, double factor, const struct limits *l)
{
	double apart = apart_of(c, factor, l), f;

	for (size_t i = 0; i < c->count; i++) {
		const struct tp_compared *v = &c->list[i];
		double b = v->side[TP_BEFORE].x, a = v->side[TP_AFTER].x;
		int agrees, changed;

		if (!is_of(v, kind) || !is_on_both(v))
			continue;
		agrees = tp_compared_factor(v, &f) &&
		    fabs(f - factor) <= apart;
		r->count++;
		r->agree_count += (size_t)agrees;
		r->agree += agrees ? b : 0;
		r->agree_after += agrees ? a : 0;
		if (!agrees && is_unchanged(c, v, factor, l)) {
			r->unchanged += b;
			r->unchanged_after += a;
		}
		changed = v->verdict == TP_REGRESSED ||
		    v->verdict == TP_IMPROVED;
		r->apart_count += !agrees && v->verdict != TP_SAME;
		r->beyond_noise += agrees && changed ? b : 0;
		if (b > r->largest) {
			r->largest = b;
			r->largest_agrees = agrees;
		}
	}
}

/*
 * Whether the change exceeds noise.  Single runs always differ by some; with
 * several runs the rows themselves show it.
 */
static int
exceeds_noise(const struct rows *r, const struct tp_comparison *c)
{
	if (c->run_count[TP_BEFORE] == 1 && c->run_count[TP_AFTER] == 1)
		return fabs(r->after / r->before - 1) >
		    tp_compare_noise(c->rules, "one_run");
	return 2 * r->beyond_noise > r->agree;
}

/*
 * Whether the rows of KIND changed alike, with and without the largest: 1,
 * 0, or -1 when there are too few.
 */
static int
is_uniform(struct rows *r, const struct tp_comparison *c, const char *kind,
    const struct limits *l)
{
	double rest, agree;

	memset(r, 0, sizeof *r);
	add_up(r, c, kind);
	if (r->not_judged || !(r->before > 0) || !(r->after > 0))
		return -1;
	see_who_agrees(r, c, kind, r->after / r->before, l);
	if ((double)r->count < l->rows)
		return -1;
	rest = r->before - r->largest;
	agree = r->agree - (r->largest_agrees ? r->largest : 0);
	return fabs(r->after / r->before - 1) >= l->least &&
	    (double)r->agree_count >= l->rows &&
	    r->agree >= l->share * (r->before + r->others) &&
	    r->agree_after >= l->share * (r->after + r->others) &&
	    r->unchanged <= l->unchanged * r->before &&
	    r->unchanged_after <= l->unchanged * r->after &&
	    agree >= l->share * rest && exceeds_noise(r, c);
}

static enum tp_verdict
direction(const struct rows *r)
{
	return r->after > r->before ? TP_REGRESSED : TP_IMPROVED;
}

static void
emit_rows(const struct rows *r, const char *kind, struct tp_out *out)
{
	tp_out_begin(out, "compare.uniform");
	tp_out_text(out, "of", kind);
	tp_out_real(out, "change_factor", r->after / r->before);
	tp_out_int(out, "common_row_count", (int64_t)r->count);
	tp_out_int(out, "agree_count", (int64_t)r->agree_count);
	tp_out_real(out, "agree_ratio", r->agree / r->before);
	tp_out_bool(out, "is_only_change", !r->apart_count && !(r->others > 0));
	tp_out_text(out, "change", tp_verdict_name(direction(r)));
	tp_out_end(out);
}

/*
 * The first of KINDS whose ROWS show a uniform change; NULL: none.  *DENIED
 * is set when a kind shows the opposite.
 */
static const char *
find_among(const struct tp_comparison *c, const struct cJSON *kinds,
    const struct limits *l, struct rows *first, int *denied)
{
	const struct cJSON *i;
	const char *kind = NULL;
	struct rows r;
	int is;

	/* every kind with enough rows must agree */
	cJSON_ArrayForEach(i, kinds) {
		is = cJSON_IsString(i) ? is_uniform(&r, c, i->valuestring,
		    l) : -1;
		*denied |= !is;
		if (is > 0 && !kind) {
			*first = r;
			kind = i->valuestring;
		}
	}
	return *denied ? NULL : kind;
}

static const char *
find_uniform_kind(const struct tp_comparison *c, struct rows *first,
    struct limits *l)
{
	const struct cJSON *u = c->rules->uniform;
	const char *kind;
	int denied = 0;

	/* more of everything is not slower */
	if (tp_compare_other_amount(c) ||
	    !tp_json_number(u, "least", &l->least) ||
	    !tp_json_number(u, "tolerance", &l->tolerance) ||
	    !tp_json_number(u, "spread", &l->spread) ||
	    !tp_json_number(u, "share", &l->share) ||
	    !tp_json_number(u, "unchanged", &l->unchanged) ||
	    !tp_json_number(u, "rows", &l->rows))
		return NULL;
	kind = find_among(c, tp_json_get(u, "of"), l, first, &denied);
	/* use single names when there are no sums by kind */
	return kind || denied ? kind :
	    find_among(c, tp_json_get(u, "else"), l, first, &denied);
}

enum tp_verdict
tp_compare_uniform(const struct tp_comparison *c)
{
	struct limits l;
	struct rows r;

	if (!find_uniform_kind(c, &r, &l))
		return TP_SAME;
	return direction(&r);
}

int
tp_compare_uniform_factor(const struct tp_comparison *c, double *factor)
{
	struct limits l;
	struct rows r;

	if (!find_uniform_kind(c, &r, &l))
		return 0;
	*factor = r.after / r.before;
	return 1;
}

void
tp_compare_emit_uniform(const struct tp_comparison *c, struct tp_out *out)
{
	const struct tp_compare_kind *kinds = c->rules->kinds;
	struct limits l;
	struct rows first, r;
	const char *kind = find_uniform_kind(c, &first, &l);
	char *seen;			/* by kind of the rules */
	double factor;

	if (!kind)
		return;
	seen = tp_zalloc(c->rules->kind_count + 1);
	emit_rows(&first, kind, out);
	factor = first.after / first.before;
	for (size_t i = 0; i < c->count; i++) {
		const struct tp_compared *v = &c->list[i];

		if (!v->is_row || seen[v->rule - kinds])
			continue;
		seen[v->rule - kinds] = 1;
		/* other kinds that changed by that factor */
		if (strcmp(v->kind, kind) && is_uniform(&r, c, v->kind, &l) >
		    0 && fabs(r.after / r.before - factor) <=
		    apart_of(c, factor, &l))
			emit_rows(&r, v->kind, out);
	}
	tp_free(seen);
}
