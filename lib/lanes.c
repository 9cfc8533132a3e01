/* lanes - when work ran, as stretches to draw */
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/lanes.h>
#include <tp/order.h>

#include "merge.h"

/*
 * Columns within 1/ALIKE of the first one's busy share join its stretch; no
 * picture shows smaller differences.
 */
#define ALIKE 8

static int64_t
floor_to(int64_t t, int64_t unit)
{
	return t / unit - (t % unit < 0);
}

struct tp_lane_columns
tp_lane_columns_over(int64_t from, int64_t to, int64_t unit, size_t count)
{
	struct tp_lane_columns c = { .from = floor_to(from, unit) * unit,
	    .unit = unit, .count = (int64_t)count };

	if (to > c.from)
		c.length = (to - c.from - 1) / unit + 1;
	if (c.count > c.length)
		c.count = c.length ? c.length : 1;
	return c;
}

int64_t
tp_lane_column(const struct tp_lane_columns *c, int64_t i)
{
	/* no product overflows: both factors are below TP_PIXELS_MAX */
	return c->from + (c->length / c->count * i +
	    c->length % c->count * i / c->count) * c->unit;
}

/* End of column I, the last of which has none. */
static int64_t
end_of(const struct tp_lane_columns *c, int64_t i)
{
	return i + 1 < c->count ? tp_lane_column(c, i + 1) : INT64_MAX;
}

/* Add BUSY to the work of KIND in the column.  Returns all of it. */
static int64_t
sum_kind(struct tp_lane_kinds *k, int kind, int64_t busy)
{
	size_t i = 0;

	while (i < k->sum_count && k->sums[i].kind != kind)
		i++;
	if (i == k->sum_count)
		TP_APPEND(k->sums, k->sum_count, k->sum_cap,
		    (struct tp_lane_sum){ .kind = kind });
	return k->sums[i].busy += busy;
}

/* KIND has most of the column. */
static void
set_kind(struct tp_lane_kinds *k, int kind)
{
	struct tp_lane_change *last = k->count ? &k->list[k->count - 1] : NULL;

	if (last && last->column == k->column)
		last->kind = kind;
	else if (!last || last->kind != kind)
		TP_APPEND(k->list, k->count, k->cap,
		    (struct tp_lane_change){ k->column, kind });
}

void
tp_lane_kinds_add(struct tp_lane_kinds *k, const struct tp_lane_columns *c,
    int64_t from, int64_t to, int kind)
{
	int64_t busy;

	if (!k->count) {
		k->from = INT64_MIN;
		k->end = end_of(c, 0);
	}
	TP_MOST(from, k->from);
	for (; from < to; from = k->end) {
		while (k->end <= from) {
			k->from = k->end;
			k->end = end_of(c, ++k->column);
			k->sum_count = 0;
			k->most = 0;
		}
		busy = sum_kind(k, kind, (to < k->end ? to : k->end) - from);
		if (busy > k->most) {
			k->most = busy;
			set_kind(k, kind);
		}
	}
}

void
tp_lane_kinds_release(struct tp_lane_kinds *k)
{
	tp_free(k->list);
	tp_free(k->sums);
}

static void
go_to(struct tp_lane_walk *w, int64_t column)
{
	w->column = column;
	w->end = end_of(&w->columns, column);
}

static void
next_span(struct tp_lane_walk *w)
{
	w->more = tp_ival_next(&w->spans, &w->span);
	w->is_begun = 0;
}

/*
 * Running sums are rounded to the nearest ns.  Ties are rounded the same way
 * in all sums of a lane, namely as the total is rounded half to even, so
 * that whole sums stay exact.
 */
static int64_t
tie_of(const struct tp_ival *busy, int64_t unit)
{
	int64_t all = tp_ival_busy(busy);

	return unit / 2 - (unit > 1 && all % unit == unit / 2 &&
	    all / unit % 2 == 0);
}

void
tp_lane_begin(struct tp_lane_walk *w, const struct tp_ival *busy,
    const struct tp_lane_kinds *kinds, const struct tp_lane_columns *columns)
{
	memset(w, 0, sizeof *w);
	w->kinds = kinds;
	w->columns = *columns;
	w->tie = tie_of(busy, columns->unit);
	go_to(w, 0);
	tp_ival_begin(&w->spans, busy);
	next_span(w);
}

/* The kind of the current column, or -1. */
static int
kind_of(struct tp_lane_walk *w)
{
	const struct tp_lane_kinds *k = w->kinds;

	if (!k || !k->count)
		return -1;
	while (w->change + 1 < k->count &&
	    k->list[w->change + 1].column <= w->column)
		w->change++;
	return k->list[w->change].kind;
}

/* Read the next column with work into w->next. */
static int
next_column(struct tp_lane_walk *w)
{
	struct tp_lane_column *c = &w->next;

	if (!w->more)
		return 0;
	while (w->end <= w->span.from)
		go_to(w, w->column + 1);
	*c = (struct tp_lane_column){ .index = w->column,
	    .from = w->span.from, .kind = kind_of(w) };
	do {
		c->to = w->span.to < w->end ? w->span.to : w->end;
		c->busy += c->to - w->span.from;
		c->count += !w->is_begun;
		if (w->span.to > w->end) {
			w->span.from = w->end;
			w->is_begun = 1;
		} else {
			next_span(w);
		}
	} while (w->more && w->span.from < w->end);
	c->is_full = c->busy == tp_lane_column(&w->columns, c->index + 1) -
	    tp_lane_column(&w->columns, c->index);
	return 1;
}

static int
is_alike(const struct tp_lane_column *a, const struct tp_lane_column *b)
{
	if (a->kind != b->kind)
		return 0;
	if (a->is_full || b->is_full)
		return a->is_full && b->is_full;
	return llabs(a->busy - b->busy) <= a->busy / ALIKE;
}

/* The sum so far, in ns. */
static int64_t
rounded(const struct tp_lane_walk *w)
{
	return (int64_t)(((uint64_t)w->busy + (uint64_t)w->tie) /
	    (uint64_t)w->columns.unit);
}

int
tp_lane_next(struct tp_lane_walk *w, struct tp_stretch *s)
{
	int64_t unit = w->columns.unit, before = rounded(w), last;
	struct tp_lane_column first;

	if (!w->has_next && !next_column(w))
		return 0;
	first = w->next;
	*s = (struct tp_stretch){ .from_ns = floor_to(first.from, unit),
	    .kind = first.kind };
	do {
		s->to_ns = floor_to(w->next.to - 1, unit) + 1;
		s->count += w->next.count;
		w->busy += w->next.busy;
		last = w->next.index;
		w->has_next = next_column(w);
	} while (w->has_next && w->next.index == last + 1 &&
	    is_alike(&first, &w->next));
	s->busy_ns = rounded(w) - before;
	return 1;
}

void
tp_lane_stop(struct tp_lane_walk *w)
{
	tp_ival_stop(&w->spans);
}

/* Rank of a lane when there are too many. */
struct place {
	int64_t busy;
	size_t index;
	int is_main;
};

TP_ORDER(by_place, struct place, TP_DOWN(is_main)
    TP_BY(a->is_main ? 0 : TP_CMP(b->busy, a->busy)) TP_UP(index))

/* Rank COUNT lanes; those that are kept come first. */
static struct place *
rank_lanes(const struct tp_lane_of *lanes, size_t count)
{
	struct place *p = tp_alloc((count + 1) * sizeof *p);

	for (size_t i = 0; i < count; i++)
		p[i] = (struct place){ tp_ival_busy(lanes[i].busy), i,
		    lanes[i].is_main };
	if (count > TP_LANES_MAX)
		TP_SORT(p, count, by_place);
	return p;
}

TP_ORDER(by_index, struct place, TP_UP(index))

/* Make REST the union of the lanes at COUNT places. */
static void
unite(const struct tp_lane_of *lanes, const struct place *places,
    size_t count, struct tp_ival *rest)
{
	const struct tp_ival **of = tp_alloc((count + 1) * sizeof *of);

	for (size_t i = 0; i < count; i++)
		of[i] = lanes[places[i].index].busy;
	tp_merge_unite(of, count, rest);
	tp_free(of);
}

struct emit {
	const struct tp_lane_columns *columns;
	void (*begin)(const void *arg, const void *of, int kind,
	    struct tp_out *out);
	const void *arg;
	struct tp_out *out;
};

/*
 * Write a record for each stretch of LANE, which merges REST lanes (0: a single
 * one).
 */
static void
emit_lane(const struct emit *e, const struct tp_lane_of *lane, size_t rest)
{
	struct tp_lane_walk walk;
	struct tp_stretch s;

	tp_lane_begin(&walk, lane->busy, lane->kinds, e->columns);
	while (tp_lane_next(&walk, &s)) {
		e->begin(e->arg, lane->of, s.kind, e->out);
		if (rest)
			tp_out_int(e->out, "lane_count", (int64_t)rest);
		tp_out_int(e->out, "start_ns", s.from_ns);
		tp_out_int(e->out, "duration_ns", s.to_ns - s.from_ns);
		tp_out_int(e->out, "busy_ns", s.busy_ns);
		tp_out_int(e->out, "count", s.count);
		tp_out_end(e->out);
	}
	tp_lane_stop(&walk);
}

void
tp_lanes_emit(const struct tp_lane_of *lanes, size_t count,
    const struct tp_lane_columns *columns, void (*begin)(const void *arg,
    const void *of, int kind, struct tp_out *out), const void *arg,
    struct tp_out *out)
{
	const struct emit e = { columns, begin, arg, out };
	size_t kept = count > TP_LANES_MAX ? TP_LANES_MAX - 1 : count;
	struct place *p = rank_lanes(lanes, count);
	struct tp_ival rest = { 0 };

	if (kept < count) {
		unite(lanes, p + kept, count - kept, &rest);
		TP_SORT(p, kept, by_index);
	}
	for (size_t i = 0; i < kept; i++)
		emit_lane(&e, &lanes[p[i].index], 0);
	if (kept < count)
		emit_lane(&e, &(struct tp_lane_of){ .busy = &rest }, count -
		    kept);
	tp_ival_release(&rest);
	tp_free(p);
}
