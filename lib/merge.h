/*
 * merge - the spans of many unions in time order
 *
 * Only the union of each process and channel is stored; all unions over
 * several of them, such as that of the machine, are made from these in one
 * pass.  Memory: 100 bytes a union, and a block of its spool (spool.h) if it
 * has one; 1 KiB.
 */
#ifndef TP_MERGE_H
#define TP_MERGE_H

#include "ival.h"

#define TP_MERGE_RUN 64		/* most spans returned at once */

struct tp_merge {
	struct tp_merge_lane {
		struct tp_ival_walk walk;
		struct tp_span span;	/* current span */
	} *lanes;
	uint32_t *heap;			/* lanes, earliest first */
	size_t lane_count, count;	/* count: lanes not at their end */
	struct tp_span run[TP_MERGE_RUN];	/* returned by the last call */
};

/* Begin to merge COUNT finished unions, borrowed until tp_merge_stop(). */
void tp_merge_begin(struct tp_merge *merge, const struct tp_ival *const *of,
    size_t count);
/*
 * Next spans in order of start, then of union: a run of spans of one union
 * before any of another.  *SPANS (valid until the next call), *COUNT of
 * them, of the union with index *WHICH.  1, or 0 at the end.
 */
int tp_merge_next(struct tp_merge *merge, const struct tp_span **spans,
    size_t *count, size_t *which);
void tp_merge_stop(struct tp_merge *merge);

/* Add all spans of COUNT unions to *ALL and finish it; yours to release. */
void tp_merge_unite(const struct tp_ival *const *of, size_t count,
    struct tp_ival *all);

#endif
