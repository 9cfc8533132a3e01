/*
 * course - where a series of measurements changed, and how
 *
 * One value a run, in the order of the runs.  A jump is a level that changes
 * from one run to the next; a drift is a level that moves a little with every
 * run.  Everything is computed on logarithms, so a change is a factor.
 *
 * A part of the series is split where the mean of some neighbouring values
 * differs most from that of the others (circular binary segmentation), when
 * fewer than 1 % of random orders of the same values differ as much; then its
 * parts are split.  Where a straight ramp, with or without a level before and
 * after it, describes the part better than all these steps (BIC), it is a
 * drift.  The random orders come from a fixed seed: the same values have the
 * same course everywhere.
 *
 * Values that depend on the value before them (a machine that is slow for a
 * day) look like changes.
 *
 * Work: at most 1000 orders of 200 places each, whatever the length: in a part
 * longer than 200 values the first look is at every second, third ... place,
 * and the exact place is found from there; of a ramp both ends stay that
 * coarse.  Memory: 56 bytes a value.
 */
#ifndef TP_JUDGE_COURSE_H
#define TP_JUDGE_COURSE_H

#include <stddef.h>

#define TP_COURSE_LEVEL 3	/* fewest values that are a level */
#define TP_COURSE_DRIFT 8	/* fewest runs that a drift goes on for */
#define TP_COURSE_LEAST 0.001	/* smaller changes are none: 0.1 % */

struct tp_change {
	int is_drift;
	size_t at;		/* first value that is off the level before */
	size_t until;		/* a drift: the last that moves; else AT */
	size_t first, end;	/* values FIRST to AT - 1 are before it, AT to
				 * END - 1 after */
	double before, after;	/* the two levels */
};

/* A zeroed struct is empty. */
struct tp_course {
	struct tp_change *changes;	/* in the order of the runs */
	size_t count, cap;
};

/*
 * Find the changes of the N values at X.  None when one of them is not above
 * 0: a factor to it does not exist.  0, or -1 without memory.  Release it in
 * either case.
 */
int tp_course_find(struct tp_course *c, const double *x, size_t n);
/* Of a drift, the factor from each run to the next; of a jump, the whole. */
double tp_change_per_run(const struct tp_change *change);
void tp_course_release(struct tp_course *c);

#endif
