/*
 * timelines - the busy time of two runs on one time scale
 *
 * Lanes (a device, the target process) are read from their stretches
 * (gpu.lane, timeline.lane; share/compare says which cover a whole lane) and
 * divided into columns of one width for both runs, each run from its own
 * start.
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
	double busy[TP_COLUMNS];	/* busy ns per column */
	double covered[TP_COLUMNS];	/* ns of the column inside the lane */
};

struct tp_timelines {
	struct tp_timeline_lane *lanes;	/* per name: before, then after */
	size_t count, cap;
	int64_t from_ns[TP_SIDES], span_ns[TP_SIDES];
	double column_ns;
};

/* Lay out the lanes of SETS; there may be none. */
void tp_timelines_make(struct tp_timelines *t,
    const struct tp_compare_rules *rules, const struct tp_set sets[TP_SIDES]);

/*
 * Write a compare.timeline for each lane (a strip of block characters) and a
 * compare.lane for each stretch.  SETS are those TIMELINES was made from.
 */
void tp_timelines_emit(struct tp_timelines *timelines,
    const struct tp_compare_rules *rules, const struct tp_set sets[TP_SIDES],
    struct tp_out *out);

#endif
