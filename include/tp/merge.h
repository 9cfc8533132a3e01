/*
 * merge - the spans of many unions in order of time
 *
 * What kept the machine busy is the union of what each process did on each
 * channel: only those are kept, and all others are made of them in one pass.
 * Memory: 100 bytes a union, and a block of its spool (spool.h) if it has one.
 */
#ifndef TP_MERGE_H
#define TP_MERGE_H

#include <tp/ival.h>

struct tp_merge {
	struct tp_merge_lane {
		struct tp_ival_walk walk;
		struct tp_span span;	/* the one whose turn it is */
	} *lanes;
	uint32_t *heap;			/* lanes, earliest first */
	size_t lane_count, count;	/* of them not at their end */
	int begun;
};

/* Walk COUNT unions, finished, borrowed till the end.  0, or -1 without
 * memory; tp_merge_stop() in any case. */
int tp_merge_begin(struct tp_merge *merge, const struct tp_ival *const *of,
    size_t count);
/* The next span of any, by start, then by which, into *SPAN (till the next
 * call) and the index of its union into *WHICH: 1, 0 at the end, -1 when it
 * cannot be read back. */
int tp_merge_next(struct tp_merge *merge, const struct tp_span **span,
    size_t *which);
void tp_merge_stop(struct tp_merge *merge);

/* A union of spans that come in order of their start: its length so far.  A
 * zeroed struct is empty. */
struct tp_run_length {
	int64_t busy, to;		/* end of the last */
	int any;
};

/* Add [FROM, TO); the length of the gap before it, which ended with it: 0
 * when there is none. */
static inline int64_t
tp_run_length_add(struct tp_run_length *u, int64_t from, int64_t to)
{
	int64_t gap = u->any && from > u->to ? from - u->to : 0;

	from = u->any && from < u->to ? u->to : from;
	u->any = 1;
	if (to > from) {
		u->busy += to - from;
		u->to = to;
	}
	return gap;
}

#endif
