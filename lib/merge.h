/*
 * merge - the spans of many unions in order of time
 *
 * What kept the machine busy is the union of what each process did on each
 * channel: only those are kept, and all others are made of them in one pass.
 * Memory: 100 bytes a union, and a block of its spool (spool.h) if it has one;
 * 1 KiB.
 */
#ifndef TP_MERGE_H
#define TP_MERGE_H

#include "ival.h"

#define TP_MERGE_RUN 64		/* spans given at once, at most */

struct tp_merge {
	struct tp_merge_lane {
		struct tp_ival_walk walk;
		struct tp_span span;	/* the one whose turn it is */
	} *lanes;
	uint32_t *heap;			/* lanes, earliest first */
	size_t lane_count, count;	/* of them not at their end */
	struct tp_span run[TP_MERGE_RUN];	/* given last */
};

/* Walk COUNT unions, finished, borrowed till the end.  0, or -1 without
 * memory; tp_merge_stop() in any case. */
int tp_merge_begin(struct tp_merge *merge, const struct tp_ival *const *of,
    size_t count);
/* The next spans in order of their start, then of which union they are of: as
 * many of one as come before any other's.  *SPANS (till the next call), how
 * many into *COUNT, the index of their union into *WHICH.  1, 0 at the end, -1
 * when they cannot be read back. */
int tp_merge_next(struct tp_merge *merge, const struct tp_span **spans,
    size_t *count, size_t *which);
void tp_merge_stop(struct tp_merge *merge);

/* Add all spans of COUNT unions to *ALL, and finish it: yours to release, even
 * after failure.  0 or -1. */
int tp_merge_unite(const struct tp_ival *const *of, size_t count,
    struct tp_ival *all);

#endif
