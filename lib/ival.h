/*
 * ival - the union of half-open intervals
 *
 * Busy time is a union, never a sum.  Touching intervals merge.  The result
 * is exact and the same for any order of intervals.  The latest spans are
 * open: an interval is merged with them in place.  Older spans are closed
 * and spooled; an interval that starts before the end of the last closed
 * span is late.  Late intervals are kept and merged in when there are many,
 * or at the end.  Memory: 64 KiB of open spans, 16 bytes per late interval
 * (at most as many as there are spans, or 8192), and the spool (spool.h), 3
 * to 7 bytes a span on disk.
 */
#ifndef TP_IVAL_H
#define TP_IVAL_H

#include <stddef.h>
#include <stdint.h>

#include <tp/spool.h>

#include "word.h"

struct tp_span {
	int64_t from, to;
};

/*
 * Sort by start, unless already sorted; the order of equal starts is
 * arbitrary.
 */
void tp_spans_sort(struct tp_span *spans, size_t count);

/* A zeroed struct is an empty union. */
struct tp_ival {
	struct tp_span *open;		/* sorted, disjoint, not touching */
	size_t open_count, open_cap;
	int64_t last_from;		/* spans before the open ones */
	struct tp_spool closed;		/* spans before them */
	uint64_t closed_count;
	int64_t last_to;	/* apart from last_from: compilers would load
				 * both at once, and that load would wait for
				 * both stores */
	int64_t closed_busy, closed_to;	/* their length; end of the last */
	struct tp_span *late;
	size_t late_count, late_cap;
};

/* Slow path of tp_ival_add(), for any interval. */
void tp_ival_insert(struct tp_ival *ival, int64_t from, int64_t to);

/*
 * Add the N intervals [from, to) of SPANS; empty ones are ignored.  Fast path:
 * nearly every interval starts at or after the last span.  It extends that span
 * or opens a new one; which is unpredictable, so the code has no branch.
 */
TP_ALWAYS void
tp_ival_add_all(struct tp_ival *ival, const struct tp_span *spans, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int64_t last_from = ival->last_from, last_to = ival->last_to;
		size_t count = ival->open_count, cap = ival->open_cap;
		struct tp_span *open = ival->open;
		int64_t from, to, apart;

		for (; i < n; i++) {
			from = spans[i].from;
			to = spans[i].to;
			if (from >= to || from < last_from || count + 2 >= cap)
				break;
			apart = -(int64_t)(from > last_to);	/* all bits */
			open[count].from = last_from;	/* kept if APART */
			open[count].to = last_to;
			count -= (size_t)apart;
			last_from = (from & apart) | (last_from & ~apart);
			last_to = to > last_to ? to : last_to;
		}
		ival->last_from = last_from;
		ival->last_to = last_to;
		ival->open_count = count;
		if (i < n)
			tp_ival_insert(ival, from, to);
	}
}

static inline void
tp_ival_add(struct tp_ival *ival, int64_t from, int64_t to)
{
	struct tp_span span = { from, to };

	tp_ival_add_all(ival, &span, 1);
}

/* Merge the late intervals; required by the functions below. */
void tp_ival_finish(struct tp_ival *ival);
/* Total length; and number of spans. */
int64_t tp_ival_busy(const struct tp_ival *ival);
uint64_t tp_ival_count(const struct tp_ival *ival);
/* Length of the intersection of A and B. */
int64_t tp_ival_common(const struct tp_ival *a, const struct tp_ival *b);
/* Add the intersection of A and B to TO, which is neither. */
void tp_ival_meet(struct tp_ival *to, const struct tp_ival *a,
    const struct tp_ival *b);
void tp_ival_release(struct tp_ival *ival);

/* Iterates over the spans, in order. */
struct tp_ival_walk {
	const struct tp_ival *ival;
	struct tp_spool_reader closed;
	size_t next;
	int64_t last_to;
};

void tp_ival_begin(struct tp_ival_walk *walk, const struct tp_ival *ival);
/* Slow path of tp_ival_next(): the chunk is used up. */
int tp_ival_far(struct tp_ival_walk *walk, struct tp_span *span);

/* Read the closed span at P into *SPAN; the one before it ends at LAST_TO.
 * Returns the end of what was read. */
static inline const unsigned char *
tp_ival_read(const unsigned char *p, int64_t last_to, struct tp_span *span)
{
	unsigned gap = *p & 15, length = *p >> 4;	/* bytes of each */

	p++;
	span->from = (int64_t)((uint64_t)last_to + tp_load_bytes(p, gap));
	span->to = (int64_t)((uint64_t)span->from +
	    tp_load_bytes(p + gap, length));
	return p + gap + length;
}

/* Next span into *SPAN: 1, or 0 at the end. */
static inline int
tp_ival_next(struct tp_ival_walk *walk, struct tp_span *span)
{
	if (walk->closed.p == walk->closed.end)
		return tp_ival_far(walk, span);
	walk->closed.p = tp_ival_read(walk->closed.p, walk->last_to, span);
	walk->last_to = span->to;
	return 1;
}

void tp_ival_stop(struct tp_ival_walk *walk);

/*
 * The length of a union whose spans arrive in order of start; nothing else
 * is kept.  A zeroed struct is empty.
 */
struct tp_sweep {
	int64_t busy, to;		/* end of the last */
	int any;
};

/*
 * Add [FROM, TO).  Returns the length of the gap that it ends, 0 when there
 * is none.
 */
static inline int64_t
tp_sweep_add(struct tp_sweep *s, int64_t from, int64_t to)
{
	int64_t gap = s->any && from > s->to ? from - s->to : 0;

	if (!s->any || from > s->to)
		s->to = from;
	s->any = 1;
	if (to > s->to) {
		s->busy += to - s->to;
		s->to = to;
	}
	return gap;
}

/*
 * Add, in one call, disjoint spans after the last one that have a total
 * length of BUSY and end at TO.
 */
static inline void
tp_sweep_grow(struct tp_sweep *s, int64_t busy, int64_t to)
{
	s->busy += busy;
	s->to = to;
}

#endif
