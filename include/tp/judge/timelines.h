/*
 * timelines - the busy time of two runs, drawn at one scale
 *
 * Lanes (a device, the process the trace is about) are read from their
 * stretches (gpu.lane, timeline.lane; share/compare says which of these are of
 * a whole lane) and laid over columns of one width for both, each run from its
 * own beginning.
 *
 * Memory: the records, and 16 bytes per lane and column.
 */
#ifndef TP_JUDGE_TIMELINES_H
#define TP_JUDGE_TIMELINES_H

#include <tp/judge/compare.h>

enum { TP_COLUMNS = 60 };

struct tp_timeline_lane {
	char *name;
	int side;
	int64_t from_ns, to_ns;		/* of the trace */
	int64_t busy_ns;
	double busy[TP_COLUMNS];	/* time, in ns */
	double covered[TP_COLUMNS];	/* of the column by the lane */
};

struct tp_timelines {
	struct tp_timeline_lane *lanes;	/* a name's before, then its after */
	size_t count, cap;
	int64_t from_ns[TP_SIDES], span_ns[TP_SIDES];
	double column_ns;
};

/* Lay out what SETS hold; nothing where there are no lanes.  0 or -1 with
 * ERR; _release also after failure. */
int tp_timelines_make(struct tp_timelines *t,
    const struct tp_compare_rules *rules, const struct tp_set sets[TP_SIDES],
    struct tp_err *err);
void tp_timelines_release(struct tp_timelines *t);

/* Write a compare.timeline for each lane, a strip of block characters, and a
 * compare.lane for each stretch; of what TIMELINES was made of.  0 or -1 with
 * ERR. */
int tp_timelines_emit(struct tp_timelines *timelines,
    const struct tp_compare_rules *rules, const struct tp_set sets[TP_SIDES],
    struct tp_out *out, struct tp_err *err);

#endif
