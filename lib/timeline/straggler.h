/*
 * straggler - which rank the others wait for, and what it takes longer over
 *
 * The time of a rank is what its threads did, by class, and the work of its
 * device, without waiting and without collectives.
 *
 * Memory: 300 bytes a rank.
 */
#ifndef TP_TIMELINE_STRAGGLER_H
#define TP_TIMELINE_STRAGGLER_H

#include "critical.h"

struct tp_rank_times {
	uint32_t process;
	int64_t number;			/* its rank, or if not all have one its
					 * place */
	int64_t ps[TP_PATH_CLASSES];	/* by class; of all work that is no
					 * collective at TP_PATH_KERNEL */
	uint64_t joined_count, last_count;	/* collectives, and those it
						 * began last */
	int64_t wait_ps;		/* from its starts to the last ones */
	int is_late;			/* waits less than late_ratio of the
					 * mean */
};

struct tp_ranks_times {
	struct tp_rank_times *list;	/* by path */
	size_t count;
	int64_t from_ps, to_ps;		/* the window of all */
};

/* Sum the times of the ranks that have COUNT PATHS in the window of all. */
void tp_ranks_times_make(struct tp_ranks_times *ranks,
    const struct tp_graph *graph, const struct tp_path *paths, size_t count);
void tp_ranks_times_release(struct tp_ranks_times *ranks);

/*
 * The class of which RANKS[AT] has most time above the MEDIAN of all, of two
 * the smaller; TP_PATH_CLASSES: none.
 */
size_t tp_rank_excess(const struct tp_ranks_times *ranks, size_t at,
    int64_t *median);

#endif
