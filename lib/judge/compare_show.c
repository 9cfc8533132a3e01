/* compare_show - what a report of a comparison shows, and how it words it */
#include <math.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/judge/compare_show.h>
#include <tp/show/template.h>
#include <tp/text.h>

#include "compare_private.h"

static int
has_changed(const struct tp_compared *v)
{
	return v->verdict == TP_REGRESSED || v->verdict == TP_IMPROVED;
}

/* Whether the steps of a side change on the way. */
static int
has_course(const struct tp_compared *v)
{
	return v->course[TP_BEFORE].count || v->course[TP_AFTER].count;
}

static int
is_judged(const struct tp_compared *v)
{
	/* an unchanged number with no better direction is not shown */
	return has_changed(v) || (v->verdict == TP_SAME &&
	    v->better != TP_BETTER_NEITHER);
}

/* Whether V can be said, if only why its change cannot be told. */
static int
is_sayable(const struct tp_compared *v)
{
	return is_judged(v) || v->state || has_course(v);
}

/* Whether A and B are of one trace, or one of them of the whole run. */
static int
is_of_trace(const struct tp_compared *a, const struct tp_compared *b)
{
	return !a->src || !b->src || !strcmp(a->src, b->src);
}

static int
is_equal(const struct tp_compared *a, const struct tp_compared *b, int side)
{
	return a->side[side].times && b->side[side].times &&
	    a->side[side].x > 0 && !(a->side[side].x < b->side[side].x) &&
	    !(a->side[side].x > b->side[side].x);
}

static const char *
section_of(const struct tp_compare_shown *as)
{
	return as ? as->section : "other";
}

static int
is_of_too_few(const struct tp_compared *v)
{
	return v->reason && !strcmp(v->reason, "too-few");
}

/*
 * Whether the section of AS says V already: times that are equal before, and
 * equal after, are one quantity under two names.  One that could not be
 * judged does not stand in for one that can, unless it is of too few
 * measurements: then both are.
 */
static int
is_said(const struct tp_compare_show *s, const struct tp_compared *v,
    const struct tp_compare_shown *as)
{
	for (size_t i = 0; !strcmp(v->unit, "ns") && i < s->count; i++) {
		const struct tp_compared *had = s->items[i].v;

		if (!strcmp(section_of(as), section_of(s->items[i].as)) &&
		    !strcmp(had->unit, "ns") && is_of_trace(v, had) &&
		    (is_sayable(had) || !is_sayable(v) ||
		    is_of_too_few(had)) &&
		    is_equal(v, had, TP_BEFORE) && is_equal(v, had, TP_AFTER))
			return 1;
	}
	return 0;
}

static void
add_shown_item(struct tp_compare_show *s, const struct tp_compared *v,
    const struct tp_compare_shown *as)
{
	TP_APPEND(s->items, s->count, s->cap,
	    (struct tp_compare_item){ v, as, 0 });
}

/*
 * Take all numbers of C that AS names (NULL: anything that changed) and that
 * are not in TAKEN.
 */
static void
select_numbers(struct tp_compare_show *s, const struct tp_comparison *c,
    const struct tp_compare_shown *as, char *taken)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct tp_compared *v = &c->list[i];

		if (v->is_row || taken[i] ||
		    ((!as || as->rest) && !has_changed(v)) ||
		    (as && !tp_is_named(as->metric, v->bare)))
			continue;
		taken[i] = 1;
		if ((!as || as->section) && !is_said(s, v, as))
			add_shown_item(s, v, as);
	}
}

/* Whether V may be another, but its noise does not let it be told. */
static int
is_doubtful(const struct tp_comparison *c, const struct tp_compared *v)
{
	double factor;

	return v->verdict == TP_SAME && v->reason &&
	    !strcmp(v->reason, "within-noise") &&
	    tp_compared_factor(v, &factor) && fabs(log(factor)) >
	    log1p(tp_compare_noise(c->rules, "doubtful"));
}

/*
 * Whether HEADLINE covers the trace and group of ITEM.  One that shows no
 * change does not cover a whole that changed, or may have.
 */
static int
is_said_by(const struct tp_comparison *c, const struct tp_compare_item *item,
    const struct tp_compare_item *headline)
{
	if (headline->as == item->as && item->as->each)
		return 0;
	if (item->as->whole && (has_changed(item->v) ||
	    is_doubtful(c, item->v)) && !has_changed(headline->v))
		return 0;
	return headline->is_headline && is_of_trace(item->v, headline->v) &&
	    !strcmp(headline->as->headline, item->as->headline);
}

/* Whether a headline stands for ITEM, which is said beside it. */
static int
is_beside(const struct tp_compare_show *s, const struct tp_compare_item *item)
{
	const struct tp_comparison *c = s->of;
	size_t i = 0;

	if (!item->as || !item->as->beside || !item->as->headline ||
	    item->is_headline || !is_judged(item->v))
		return 0;
	while (i < s->count && !(s->items[i].is_headline &&
	    is_said_by(c, item, &s->items[i])))
		i++;
	return i < s->count;
}

/* Per trace and group, choose the first number that can be said. */
static void
choose_headlines(struct tp_compare_show *s)
{
	const struct tp_comparison *c = s->of;

	for (size_t i = 0; i < s->count; i++) {
		struct tp_compare_item *item = &s->items[i];
		size_t j = 0;

		if (!item->as || !item->as->headline || !is_sayable(item->v))
			continue;
		while (j < i && !is_said_by(c, item, &s->items[j]))
			j++;
		item->is_headline = j == i;
	}
}

/* Whether V is, under another name, a shown time of too few measurements. */
static int
is_too_few(const struct tp_compare_show *s, const struct tp_compared *v)
{
	for (size_t i = 0; !strcmp(v->unit, "ns") && i < s->count; i++) {
		const struct tp_compared *had = s->items[i].v;

		if (is_of_too_few(had) && !strcmp(had->unit, "ns") &&
		    is_of_trace(v, had) && is_equal(v, had, TP_BEFORE) &&
		    is_equal(v, had, TP_AFTER))
			return 1;
	}
	return 0;
}

/*
 * Without a headline, count everything that can be judged.  Returns how much
 * keeps "same" from being said: rows of unknown noise that changed, and
 * headlines that could not be judged.
 */
static size_t
count_all(const struct tp_compare_show *s, const struct tp_comparison *c,
    size_t counts[TP_VERDICTS])
{
	enum tp_verdict uniform = tp_compare_uniform(c);
	size_t untold = 0;

	if (uniform != TP_SAME) {
		counts[uniform] = 1;
		return 0;
	}
	for (size_t i = 0; i < c->count; i++) {
		const struct tp_compared *v = &c->list[i];

		counts[v->verdict] += is_judged(v) && !is_too_few(s, v);
		untold += v->reason && !strcmp(v->reason, "noise-unknown");
	}
	for (size_t i = 0; i < s->count; i++)
		untold += s->items[i].as && s->items[i].as->headline;
	return untold;
}

static void
decide(struct tp_compare_show *s, const struct tp_comparison *c)
{
	size_t counts[TP_VERDICTS] = { 0 }, headlines = 0, untold = 0;
	int changed = 0, doubtful = 0, measured;

	for (size_t i = 0; i < s->count; i++)
		if (s->items[i].is_headline) {
			headlines++;
			counts[s->items[i].v->verdict]++;
			changed |= has_changed(s->items[i].v);
			doubtful |= is_doubtful(c, s->items[i].v);
		}
	/* a change rests on what changed */
	for (size_t i = 0; i < s->count; i++) {
		measured = s->items[i].is_headline &&
		    (s->items[i].v->has_interval || has_course(s->items[i].v));
		s->is_measured |= measured &&
		    (!changed || has_changed(s->items[i].v));
	}
	if (!headlines)
		untold = count_all(s, c, counts);
	s->verdict = counts[TP_REGRESSED] && counts[TP_IMPROVED] ? "mixed" :
	    counts[TP_REGRESSED] ? "worse" :
	    counts[TP_IMPROVED] ? "better" :
	    counts[TP_SAME] && !untold && !counts[TP_UNCLEAR] && !doubtful ?
	    "same" :
	    "unknown";
}

/* Whether STATE hides the change of a headline. */
static int
is_hiding(const struct tp_compare_show *s,
    const struct tp_compare_state *state)
{
	const struct tp_compared *v;
	double factor;

	for (size_t i = 0; i < s->count; i++) {
		v = s->items[i].v;
		if (s->items[i].is_headline && v->state && (!v->src ||
		    !strcmp(v->src, state->rec->src)) &&
		    tp_compared_factor(v, &factor) &&
		    !(fabs(log(factor)) > state->reach))
			return 1;
	}
	return 0;
}

void
tp_compare_show_states(const struct tp_compare_show *s,
    const struct tp_comparison *c, struct tp_out *out)
{
	const char *src = out->src;

	for (size_t i = 0; i < c->state_count; i++) {
		if (c->srcs.count > 1)
			out->src = c->states[i].rec->src;
		tp_compare_emit_state(&c->states[i], is_hiding(s,
		    &c->states[i]), out);
	}
	out->src = src;
}

void
tp_compare_show_make(struct tp_compare_show *s, const struct tp_comparison *c)
{
	char *taken = tp_zalloc(c->count + 1);

	memset(s, 0, sizeof *s);
	s->of = c;
	for (size_t i = 0; i < c->rules->shown_count; i++)
		select_numbers(s, c, &c->rules->shown[i], taken);
	select_numbers(s, c, NULL, taken);
	tp_free(taken);
	choose_headlines(s);
	decide(s, c);
}

/* KEY as words, without its UNIT. */
static void
add_words(struct tp_buf *buf, const char *key, const char *unit)
{
	size_t len = strlen(key), n = strlen(unit);

	if (len > n + 1 && key[len - n - 1] == '_' &&
	    !strcmp(key + len - n, unit))
		len -= n + 1;
	for (size_t i = 0; i < len; i++)
		tp_buf_chr(buf, key[i] == '_' ? ' ' : key[i]);
}

/* Write the inverse as a throughput: less time for the same work. */
static void
out_throughput(const struct tp_compared *v, struct tp_out *out)
{
	double factor;

	if (!tp_compared_factor(v, &factor))
		return;
	if (v->has_interval)
		factor = v->interval.factor;
	if (factor > 0)
		tp_out_real(out, "throughput_factor", 1 / factor);
	if (v->has_interval && v->interval.low > 0) {
		tp_out_real(out, "throughput_low_factor",
		    1 / v->interval.high);
		tp_out_real(out, "throughput_high_factor",
		    1 / v->interval.low);
	}
}

/* The headline that ITEM is a part of, or NULL. */
static const struct tp_compare_item *
whole_of(const struct tp_compare_show *s, const struct tp_compare_item *item)
{
	const struct tp_compare_item *i = s->items, *end = i + s->count;

	if (!item->as || !item->as->part_of || item->is_headline)
		return NULL;
	while (i < end && !(i->is_headline && is_of_trace(item->v, i->v) &&
	    tp_is_named(item->as->part_of, i->v->bare) &&
	    !strcmp(i->v->unit, item->v->unit)))
		i++;
	return i < end ? i : NULL;
}

/* A part that exceeds the change of the whole by so much is all of it. */
#define ALL 0.05

/* Write how much of WHOLE, and of its change, the part V is. */
static void
out_part(const struct tp_compared *v, const struct tp_compared *whole,
    struct tp_out *out)
{
	const struct tp_number *part = v->side, *all = whole->side;
	double delta = all[TP_AFTER].x - all[TP_BEFORE].x, x;

	if (!has_changed(v) && !has_changed(whole))
		return;
	for (int s = 0; s < TP_SIDES; s++)
		if (!part[s].times || part[s].x > all[s].x)
			return;
	tp_out_real(out, "part_ratio", part[TP_AFTER].x / all[TP_AFTER].x);
	x = has_changed(whole) ? (part[TP_AFTER].x - part[TP_BEFORE].x) /
	    delta : -1;
	/* parts are measured apart from the whole */
	if (x > 0 && x <= 1 + ALL)
		tp_out_real(out, "part_of_change_ratio", x < 1 ? x : 1);
}

/*
 * Whether the headlines leave that everything changed by FACTOR: steps that
 * were measured one by one did, too, all along.
 */
static int
is_of_all_steps(const struct tp_compare_show *s, double factor)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct tp_compared *v = s->items[i].v;

		if (!s->items[i].is_headline || !v->rule->samples ||
		    has_course(v) || !v->has_interval)
			continue;
		if (factor < v->interval.low || factor > v->interval.high ||
		    (v->verdict == TP_SAME && fabs(log(v->interval.factor /
		    factor)) > log1p(tp_compare_noise(s->of->rules,
		    "one_run"))))
			return 0;
	}
	return 1;
}

void
tp_compare_show_uniform(const struct tp_compare_show *s, struct tp_out *out)
{
	double factor;

	if (!tp_compare_uniform_factor(s->of, &factor) ||
	    !is_of_all_steps(s, factor))
		return;
	tp_compare_emit_uniform(s->of, out);
}

/* The step from which on the first headline that changes on the way does. */
int
tp_compare_show_from(const struct tp_compare_show *s, int64_t *from)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->items[i].is_headline && has_course(s->items[i].v))
			return tp_compare_from(s->of, s->items[i].v, from);
	return 0;
}

void
tp_compare_show_course(const struct tp_compare_show *s, struct tp_out *out)
{
	const char *src = out->src;

	for (size_t i = 0; i < s->count; i++) {
		const struct tp_compared *v = s->items[i].v;

		if (!s->items[i].is_headline)
			continue;
		out->src = v->src ? v->src : src;
		tp_compare_emit_course(s->of, v, out);
	}
	out->src = src;
}

void
tp_compare_show_emit(const struct tp_compare_show *s,
    const struct tp_set *set, struct tp_out *out)
{
	const struct tp_compare_item *whole;
	struct tp_buf title = { 0 };
	int told = 0;

	for (size_t i = 0; i < s->count; i++) {
		const struct tp_compare_shown *as = s->items[i].as;
		const struct tp_compared *v = s->items[i].v;

		tp_buf_clear(&title);
		if (as && set)
			tp_template_words(set, as->title, strlen(as->title),
			    &title);
		else if (as)
			tp_buf_str(&title, as->title);
		if (as && as->rest)
			tp_buf_str(&title, ": ");
		if (!as || as->rest)
			add_words(&title, v->key, v->unit);
		tp_out_begin(out, "compare.shown");
		tp_out_text(out, "section", section_of(as));
		tp_out_text(out, "title", title.p);
		/* a title for one of several records names it */
		if (*v->identity && (v->src || !as ||
		    strchr(as->metric, '*')))
			tp_out_text(out, "name", v->identity);
		tp_out_text(out, "metric", v->name);
		tp_out_bool(out, "is_headline", s->items[i].is_headline);
		if (is_beside(s, &s->items[i]))
			tp_out_bool(out, "is_beside", 1);
		/* one per run: the first that is known */
		if (s->items[i].is_headline && as->throughput &&
		    !has_course(v) && !told++)
			out_throughput(v, out);
		if ((whole = whole_of(s, &s->items[i])))
			out_part(v, whole->v, out);
		tp_compared_out(v, out);
		tp_out_end(out);
	}
	tp_buf_release(&title);
}
