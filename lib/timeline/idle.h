/*
 * idle - why the devices of a process had no work
 *
 * A gap is a time in the window of a path in which no work of its process runs
 * on any device; also before the first work and after the last one.  The path
 * that leads back from the work after it, or from the end of the window, says
 * instant by instant what was waited for.
 *
 * Memory: 48 bytes a gap, and 56 per what.
 */
#ifndef TP_TIMELINE_IDLE_H
#define TP_TIMELINE_IDLE_H

#include "critical.h"

struct tp_idle_gap {
	int64_t from_ps, to_ps;
	uint32_t before, next;	/* nodes: the work on both sides; TP_NIL: none
				 * in the window */
	uint32_t what;		/* that held most of it, */
	uint32_t exposed_by;	/* ... and the call that exposed that: a what,
				 * or TP_NIL */
	int64_t what_ps;
};

/* What gaps were in, by what. */
struct tp_idle_sum {
	int64_t ns, most_ns;	/* most: in one gap */
	uint64_t gap_count;
	int64_t exposing_ns, exposing_most_ns;	/* by a call that this is */
	uint64_t exposing_count;		/* gaps */
};

struct tp_idle {
	struct tp_idle_gap *list;	/* by time, without short ones */
	size_t count, cap;
	struct tp_idle_sum *sums;	/* by what of the graph */
	size_t sum_cap;
	int64_t total_ps, most_ps, short_ps, busy_ps;
	uint64_t short_count;
	size_t device_count;		/* that worked in the window */
};

/*
 * Find the gaps in the window of PATH; short ones only count.  THROUGH, unless
 * NULL, gets the sums of the others: yours to release.
 */
void tp_idle_make(struct tp_idle *idle, struct tp_graph *graph,
    const struct tp_path *path, struct tp_path *through);

/* Write "gap.class gap.part gap.sync". */
void tp_idle_emit_parts(const struct tp_idle *idle,
    const struct tp_graph *graph, int64_t process_rank, struct tp_out *out);
/* Write "gap.summary gap.class gap.part gap.sync gap.op gap". */
void tp_idle_emit(const struct tp_idle *idle, const struct tp_graph *graph,
    int64_t process_rank, struct tp_out *out);

#endif
