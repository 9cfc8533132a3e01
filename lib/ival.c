/* ival - the union of half-open intervals */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "ival.h"
#include "word.h"

/*
 * Least number of spans kept open; twice as many are held before half are
 * closed.
 */
#define WINDOW 2048
/*
 * Slots for the last span, one more, and the speculative write of
 * tp_ival_add().
 */
#define ROOM 3
/*
 * Merge late intervals when there are this many and as many as spans, so
 * that the total cost is O(n log n) in any order.
 */
#define LATE_MIN 8192
/* Spans searched linearly before a binary search. */
#define NEAR 8

static int
has_last(const struct tp_ival *v)
{
	return v->last_from < v->last_to;
}

static struct tp_span
last_of(const struct tp_ival *v)
{
	return (struct tp_span){ v->last_from, v->last_to };
}

TP_ORDER(by_start, struct tp_span, TP_UP(from))

void
tp_spans_sort(struct tp_span *spans, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (spans[i].from < spans[i - 1].from) {
			TP_SORT(spans, count, by_start);
			break;
		}
}

/* Bytes needed for N, 1 to 8. */
static inline unsigned
width(uint64_t n)
{
	return (unsigned)(71 - __builtin_clzll(n | 1)) / 8;
}

/* Store two numbers, preceded by their widths; returns the bytes used. */
static inline size_t
put_pair(unsigned char *p, uint64_t a, uint64_t b)
{
	unsigned na = width(a), nb = width(b);

	*p = (unsigned char)(na | nb << 4);
	tp_store64(p + 1, a);
	tp_store64(p + 1 + na, b);
	return 1 + na + nb;
}
#define PAIR_MAX 17

/*
 * Close the oldest spans.  Each is stored as its distance from the previous
 * one and its length, unsigned, so the first may start before 0.
 */
static void
close_oldest(struct tp_ival *v, size_t count)
{
	const struct tp_span *s = v->open, *end = s + count;
	int64_t last_to = v->closed_to, busy = 0;
	unsigned char *p, *full;

	while (s < end) {
		p = tp_spool_room(&v->closed, PAIR_MAX);
		full = v->closed.open + TP_SPOOL_CHUNK - PAIR_MAX;
		for (; s < end && p <= full; s++) {
			p += put_pair(p, (uint64_t)s->from -
			    (uint64_t)last_to, (uint64_t)s->to -
			    (uint64_t)s->from);
			last_to = s->to;
			busy += s->to - s->from;
		}
		v->closed.used = (size_t)(p - v->closed.open);
	}
	v->closed_to = last_to;
	v->closed_busy += busy;
	count = (size_t)(s - v->open);
	v->closed_count += count;
	v->open_count -= count;
	memmove(v->open, s, v->open_count * sizeof *s);
}

/*
 * Number of open spans that start no later than TO: usually nearly all, but
 * any number when lanes are added one after the other.
 */
static size_t
not_after(const struct tp_ival *v, int64_t to)
{
	size_t high = v->open_count, low = high < NEAR ? 0 : high - NEAR, mid;

	while (high > low && v->open[high - 1].from > to)
		high--;
	if (high > low)
		return high;
	for (low = 0; low < high; ) {
		mid = low + (high - low) / 2;
		if (v->open[mid].from > to)
			high = mid;
		else
			low = mid + 1;
	}
	return high;
}

/* Merge S into the open spans, which have room. */
static void
merge_open_span(struct tp_ival *v, struct tp_span s)
{
	size_t high = not_after(v, s.to), low;

	for (low = high; low && v->open[low - 1].to >= s.from; low--) {
		TP_LEAST(s.from, v->open[low - 1].from);
		TP_MOST(s.to, v->open[low - 1].to);
	}
	memmove(v->open + low + 1, v->open + high,
	    (v->open_count - high) * sizeof s);
	v->open[low] = s;
	v->open_count = v->open_count - (high - low) + 1;
}

static void
keep_late(struct tp_ival *v, struct tp_span s)
{
	TP_APPEND(v->late, v->late_count, v->late_cap, s);
	if (v->late_count >= LATE_MIN && v->late_count >= tp_ival_count(v))
		tp_ival_finish(v);
}

void
tp_ival_insert(struct tp_ival *v, int64_t from, int64_t to)
{
	struct tp_span s = { from, to };

	if (from >= to)
		return;
	if (v->open_count + ROOM > 2 * WINDOW)
		close_oldest(v, v->open_count - WINDOW);
	if (v->closed_count && from <= v->closed_to) {
		keep_late(v, s);
		return;
	}
	tp_grow(&v->open, &v->open_cap, v->open_count + ROOM, sizeof s);
	if (has_last(v))
		v->open[v->open_count++] = last_of(v);
	merge_open_span(v, s);
	v->last_from = v->open[--v->open_count].from;
	v->last_to = v->open[v->open_count].to;
}

void
tp_ival_finish(struct tp_ival *v)
{
	struct tp_ival all = { 0 };
	struct tp_ival_walk walk;
	struct tp_span s;
	size_t k = 0;
	int more;

	if (!v->late_count)
		return;
	tp_spans_sort(v->late, v->late_count);
	tp_ival_begin(&walk, v);
	more = tp_ival_next(&walk, &s);
	while (more || k < v->late_count) {
		if (k < v->late_count && (!more || v->late[k].from < s.from)) {
			tp_ival_add(&all, v->late[k].from, v->late[k].to);
			k++;
		} else {
			tp_ival_add(&all, s.from, s.to);
			more = tp_ival_next(&walk, &s);
		}
	}
	tp_ival_stop(&walk);
	tp_ival_release(v);
	*v = all;
}

int64_t
tp_ival_busy(const struct tp_ival *v)
{
	int64_t busy = v->closed_busy + v->last_to - v->last_from;

	for (size_t i = 0; i < v->open_count; i++)
		busy += v->open[i].to - v->open[i].from;
	return busy;
}

uint64_t
tp_ival_count(const struct tp_ival *v)
{
	return v->closed_count + v->open_count + (uint64_t)has_last(v);
}

/* The length of the intersection of A and B, which is added to ALL or NULL. */
static int64_t
meet(const struct tp_ival *a, const struct tp_ival *b, struct tp_ival *all)
{
	struct tp_ival_walk wa, wb;
	struct tp_span x, y;
	int64_t from, to, common = 0;
	int more_a, more_b;

	tp_ival_begin(&wa, a);
	tp_ival_begin(&wb, b);
	more_a = tp_ival_next(&wa, &x);
	more_b = tp_ival_next(&wb, &y);
	while (more_a && more_b) {
		from = x.from > y.from ? x.from : y.from;
		to = x.to < y.to ? x.to : y.to;
		if (from < to)
			common += to - from;
		if (from < to && all)
			tp_ival_add(all, from, to);
		if (x.to < y.to)
			more_a = tp_ival_next(&wa, &x);
		else
			more_b = tp_ival_next(&wb, &y);
	}
	tp_ival_stop(&wa);
	tp_ival_stop(&wb);
	return common;
}

int64_t
tp_ival_common(const struct tp_ival *a, const struct tp_ival *b)
{
	return meet(a, b, NULL);
}

void
tp_ival_meet(struct tp_ival *to, const struct tp_ival *a,
    const struct tp_ival *b)
{
	meet(a, b, to);
}

void
tp_ival_release(struct tp_ival *v)
{
	tp_free(v->open);
	tp_free(v->late);
	tp_spool_release(&v->closed);
	memset(v, 0, sizeof *v);
}

void
tp_ival_begin(struct tp_ival_walk *w, const struct tp_ival *ival)
{
	memset(w, 0, sizeof *w);
	w->ival = ival;
	tp_spool_read(&w->closed, &ival->closed);
}

int
tp_ival_far(struct tp_ival_walk *w, struct tp_span *span)
{
	while (w->closed.p == w->closed.end) {
		if (!tp_spool_more(&w->closed)) {
			if (w->next > w->ival->open_count)
				return 0;
			*span = w->next == w->ival->open_count ?
			    last_of(w->ival) : w->ival->open[w->next];
			w->next++;
			return span->from < span->to;
		}
	}
	return tp_ival_next(w, span);
}

void
tp_ival_stop(struct tp_ival_walk *w)
{
	tp_spool_close(&w->closed);
}
