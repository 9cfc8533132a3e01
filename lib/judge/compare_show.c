/* compare_show - what a report of a comparison shows, and how it words it */
#include <string.h>

#include <tp/alloc.h>
#include <tp/judge/compare_show.h>
#include <tp/text.h>

#include "compare_private.h"

static int
has_changed(const struct tp_compared *v)
{
	return v->verdict == TP_REGRESSED || v->verdict == TP_IMPROVED;
}

static int
is_judged(const struct tp_compared *v)
{
	/* an unchanged number with no better direction is not shown */
	return has_changed(v) || (v->verdict == TP_SAME &&
	    v->better != TP_BETTER_NEITHER);
}

static int
add(struct tp_compare_show *s, const struct tp_compared *v,
    const struct tp_compare_shown *as)
{
	return TP_APPEND(s->items, s->count, s->cap, (struct tp_compare_item){
	    v, as, 0 });
}

/*
 * Take all numbers of C that AS names (NULL: anything that changed) and that
 * are not in TAKEN.
 */
static int
take(struct tp_compare_show *s, const struct tp_comparison *c,
    const struct tp_compare_shown *as, char *taken)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct tp_compared *v = &c->list[i];

		if (v->is_row || taken[i] ||
		    ((!as || as->rest) && !has_changed(v)) ||
		    (as && !tp_is_named(as->metric, v->bare)))
			continue;
		taken[i] = 1;
		if ((!as || as->section) && add(s, v, as) < 0)
			return -1;
	}
	return 0;
}

/* Whether HEADLINE covers the trace and group of ITEM. */
static int
is_said_by(const struct tp_compare_item *item,
    const struct tp_compare_item *headline)
{
	const char *a = item->v->src, *b = headline->v->src;

	if (headline->as == item->as && item->as->each)
		return 0;
	return headline->is_headline && (!a || !b || !strcmp(a, b)) &&
	    !strcmp(headline->as->headline, item->as->headline);
}

/* Per trace and group, choose the first number that can be judged. */
static void
choose_headlines(struct tp_compare_show *s)
{
	for (size_t i = 0; i < s->count; i++) {
		struct tp_compare_item *item = &s->items[i];
		size_t j = 0;

		if (!item->as || !item->as->headline || !is_judged(item->v))
			continue;
		while (j < i && !is_said_by(item, &s->items[j]))
			j++;
		item->is_headline = j == i;
	}
}

/*
 * Without a headline, count everything that can be judged.  Returns how many
 * rows of unknown noise changed.
 */
static size_t
count_all(const struct tp_comparison *c, size_t counts[TP_VERDICTS])
{
	enum tp_verdict uniform = tp_compare_uniform(c);
	size_t untold = 0;

	if (uniform != TP_SAME) {
		counts[uniform] = 1;
		return 0;
	}
	for (size_t i = 0; i < c->count; i++) {
		const struct tp_compared *v = &c->list[i];

		counts[v->verdict] += is_judged(v);
		untold += v->reason && !strcmp(v->reason, "noise-unknown");
	}
	return untold;
}

static void
decide(struct tp_compare_show *s, const struct tp_comparison *c)
{
	size_t counts[TP_VERDICTS] = { 0 }, headlines = 0, untold = 0;

	for (size_t i = 0; i < s->count; i++)
		if (s->items[i].is_headline) {
			headlines++;
			counts[s->items[i].v->verdict]++;
			s->is_measured |= s->items[i].v->has_interval;
		}
	if (!headlines)
		untold = count_all(c, counts);
	s->verdict = counts[TP_REGRESSED] && counts[TP_IMPROVED] ? "mixed" :
	    counts[TP_REGRESSED] ? "worse" :
	    counts[TP_IMPROVED] ? "better" :
	    counts[TP_SAME] && !untold ? "same" : "unknown";
}

int
tp_compare_show_make(struct tp_compare_show *s, const struct tp_comparison *c,
    struct tp_err *err)
{
	char *taken = tp_zalloc(c->count + 1);
	int rc = taken ? 0 : -1;

	memset(s, 0, sizeof *s);
	for (size_t i = 0; !rc && i < c->rules->shown_count; i++)
		rc = take(s, c, &c->rules->shown[i], taken);
	if (!rc)
		rc = take(s, c, NULL, taken);
	tp_free(taken);
	if (rc)
		return tp_fail_memory(err);
	choose_headlines(s);
	decide(s, c);
	return 0;
}

void
tp_compare_show_release(struct tp_compare_show *s)
{
	tp_free(s->items);
	memset(s, 0, sizeof *s);
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

int
tp_compare_show_emit(const struct tp_compare_show *s, struct tp_out *out,
    struct tp_err *err)
{
	struct tp_buf title = { 0 };
	int told = 0;

	for (size_t i = 0; i < s->count && !title.failed; i++) {
		const struct tp_compare_shown *as = s->items[i].as;
		const struct tp_compared *v = s->items[i].v;

		tp_buf_clear(&title);
		if (as)
			tp_buf_fmt(&title, "%s%s", as->title,
			    as->rest ? ": " : "");
		if (!as || as->rest)
			add_words(&title, v->key, v->unit);
		if (title.failed)
			break;
		tp_out_begin(out, "compare.shown");
		tp_out_text(out, "section", as ? as->section : "other");
		tp_out_text(out, "title", title.p);
		/* a title for one of several records names it */
		if (*v->identity && (v->src || !as ||
		    strchr(as->metric, '*')))
			tp_out_text(out, "name", v->identity);
		tp_out_text(out, "metric", v->name);
		tp_out_bool(out, "is_headline", s->items[i].is_headline);
		/* one per run: the first that is known */
		if (s->items[i].is_headline && as->throughput && !told++)
			out_throughput(v, out);
		tp_compared_out(v, out);
		tp_out_end(out);
	}
	tp_buf_release(&title);
	return title.failed ? tp_fail_memory(err) : 0;
}
