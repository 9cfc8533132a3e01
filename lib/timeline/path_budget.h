/*
 * path_budget - the budget of a window, from its critical path
 *
 * Each class of the path stands in one part (share/ops/path.json), work of a
 * device in that of its kind, which the reader tells.  Time of building that a
 * call exposed, and that would be hidden if the call did not wait, counts for
 * synchronising.
 *
 * What a row would save is replayed: alone, and beyond what rows save that save
 * more, or as much and say more exactly what to change.  So gains add up to
 * what all save at once.  Nothing is promised where too little work has its
 * launch in the trace, or too much of the window is unexplained.
 *
 * Memory: that of a what-if for each row.
 */
#ifndef TP_TIMELINE_PATH_BUDGET_H
#define TP_TIMELINE_PATH_BUDGET_H

#include <tp/budget.h>

#include "critical.h"

#define TP_WORK_KINDS 20

/* What work of a device is. */
struct tp_work_kinds {
	const uint8_t *of;		/* by work of the graph */
	struct tp_work_kind {
		enum tp_budget_part part;
		const char *cause;
		double least;		/* share of its time that it needs;
					 * NAN: unknown */
		int is_input;		/* without it no call waits for copies
					 * into a device */
		int is_staged;		/* the call that launches it copies
					 * meanwhile: pageable memory */
	} list[TP_WORK_KINDS];
	double gap_least;		/* share of the delays between works
					 * that stays */
	int64_t ns[TP_WORK_KINDS];	/* on the path; set by tp_work_add() */
};

/* Count PIECE of PATH, as tp_path_make() calls it. */
void tp_work_add(void *kinds, const struct tp_path *path,
    const struct tp_path_piece *piece);

/*
 * Add the rows of PATH, made with tp_work_add(), to BUDGET, whose window is
 * set.
 */
void tp_path_budget(struct tp_budget *budget, const struct tp_path *path,
    const struct tp_work_kinds *kinds);

#endif
