/* history_baseline - the recorded runs that a new run is compared with */
#include <string.h>

#include <tp/alloc.h>
#include <tp/judge/history.h>
#include <tp/order.h>

#include "course.h"
#include "noise.h"

#define COURSE_MOST 10	/* times as many values as requested */

static int
bears(const struct tp_history_entry *run, const char *label)
{
	return !label || (run->label && !strcmp(run->label, label));
}

/* LABEL if enough accepted runs from FIRST on have it, else NULL: any label. */
static const char *
label_that_counts(const struct tp_history_series *s, size_t first,
    const char *label)
{
	size_t n = 0;

	for (size_t i = first; i < s->run_count; i++)
		n += s->runs[i].is_accepted && bears(&s->runs[i], label);
	return n >= TP_HISTORY_OF_LABEL ? label : NULL;
}

/* First run of the baseline: the last restart, else the first run. */
static size_t
begins_with(const struct tp_history_series *s)
{
	size_t i = s->run_count;

	while (i > 0 && !s->runs[i - 1].is_restart)
		i--;
	return i ? i - 1 : 0;
}

/*
 * The first of the N values at X since which the level has not changed;
 * *DRIFT is a drift that lasts to the end, or NULL.
 */
static size_t
settled(const struct tp_course *c, size_t n,
    const struct tp_course_change **drift)
{
	size_t from = 0;

	*drift = NULL;
	for (size_t i = 0; i < c->count; i++) {
		const struct tp_course_change *k = &c->changes[i];

		/* noise hides whether the last run moved */
		if (k->is_drift && k->until + 2 >= n)
			*drift = k;
		else
			from = k->until;
	}
	return from;
}

/* Add how the last MOST of the N values at X vary within their levels. */
static void
add_levels(struct tp_history_baseline *b, const double *x, size_t n,
    size_t most)
{
	struct tp_squares scatter = { b->squares, b->df };
	struct tp_course course = { 0 };
	size_t from = 0, skip = n > most ? n - most : 0;

	for (size_t i = 0; i < n; i++)
		if (!(x[i] > 0))
			return;
	tp_course_find(&course, x, n);
	for (size_t i = 0; i <= course.count; i++) {
		const struct tp_course_change *k = i < course.count ?
		    &course.changes[i] : NULL;
		size_t end = k ? k->at : n;

		from = from < skip ? skip : from;
		if (end > from)
			tp_scatter_add(&scatter, x + from, end - from);
		/* a drift has no level */
		from = k ? k->is_drift ? k->until : k->at : n;
	}
	tp_course_release(&course);
	b->squares = scatter.squares;
	b->df = scatter.df;
}

/* Replace the N values at POINTS, few of several runs each, by their runs. */
static void
take_runs(struct tp_history_baseline *b,
    const struct tp_history_point **points, size_t n)
{
	size_t count = 0;
	double *x;

	for (size_t i = 0; i < n; i++)
		count += points[i]->of;
	x = tp_alloc(count * sizeof *x);
	tp_free(b->x);
	b->x = x;
	b->count = count;
	/* single runs vary more than means */
	b->squares *= (double)b->most;
	b->fewest = b->most = 1;
	for (size_t i = 0; i < n; x += points[i++]->of)
		memcpy(x, points[i]->runs, points[i]->of * sizeof *x);
}

/*
 * Make the baseline of the last of the N values at POINTS; only those from
 * CUT on are comparable.
 */
static void
fill(struct tp_history_baseline *b, const struct tp_history_series *s,
    const struct tp_history_point **points, size_t cut, size_t n, size_t last)
{
	const struct tp_course_change *drift;
	struct tp_course course = { 0 };
	size_t from, start = 0;

	for (size_t i = 0; i < n; i++)
		b->x[i] = points[i]->x;
	tp_course_find(&course, b->x + cut, n - cut);
	from = cut + settled(&course, n - cut, &drift);
	if (drift) {
		b->drift_factor = tp_course_per_run(drift);
		b->drift_since = s->runs[points[cut + drift->at]->run].name;
		b->drift_count = n - cut - drift->at;
	}
	tp_course_release(&course);
	if (last && n - from > last)
		from = n - last;
	/* a level accepted as new starts at that run */
	for (size_t i = 1; last > n - from && i <= from; i++)
		if (i == from || s->runs[points[i]->run].is_restart) {
			add_levels(b, b->x + start, i - start,
			    last - (n - from));
			start = i;
		}
	b->count = n - from;
	memmove(b->x, b->x + from, b->count * sizeof *b->x);
	b->first = s->runs[points[from]->run].name;
	b->last = s->runs[points[n - 1]->run].name;
	for (size_t i = from; i < n; i++) {
		size_t of = points[i]->of;

		if (i == from || of < b->fewest)
			b->fewest = of;
		TP_MOST(b->most, of);
	}
	if (b->fewest > 1 && b->count < TP_HISTORY_OF_LABEL)
		take_runs(b, points + from, b->count);
}

void
tp_history_baseline(const struct tp_history *h, const char *series,
    const char *label, const char *metric, size_t last,
    struct tp_history_baseline *b)
{
	const struct tp_history_series *s = tp_history_find(h, series);
	const struct tp_history_point **points;
	const struct tp_history_metric *m;
	size_t first, cut = 0, n = 0, skip;
	ptrdiff_t at;

	memset(b, 0, sizeof *b);
	b->drift_factor = 1;
	at = s ? tp_names_find(&s->metric_names, metric, strlen(metric)) : -1;
	if (at < 0)
		return;
	m = &s->metrics[at];
	first = begins_with(s);
	label = label_that_counts(s, first, label);
	points = tp_alloc(m->count * sizeof *points);
	b->x = tp_alloc(m->count * sizeof *b->x);
	for (size_t i = 0; i < m->count; i++) {
		const struct tp_history_entry *run = &s->runs[m->points[i].run];

		if (!run->is_accepted || !bears(run, label) ||
		    (m->decides && !(m->points[i].x > 0)))
			continue;
		cut += m->points[i].run < first;
		points[n++] = &m->points[i];
	}
	/* the distant past costs time and shows nothing about today */
	skip = last && n > COURSE_MOST * last ? n - COURSE_MOST * last : 0;
	cut = cut > skip ? cut - skip : 0;
	if (n - skip > cut)
		fill(b, s, points + skip, cut, n - skip, last);
	if (!b->count) {
		tp_free(b->x);
		memset(b, 0, sizeof *b);
	}
	tp_free(points);
}
