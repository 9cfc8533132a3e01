/*
 * course - change points of a series of measurements
 *
 * One value per run, in order.  A jump is a level that changes from one run
 * to the next; a drift is a level that moves a little with every run.
 * Everything is computed on logarithms, so a change is a factor.
 *
 * A part of the series is split where the mean of some consecutive values
 * differs most from that of the others (circular binary segmentation), when
 * fewer than 1 % of random orders of its values show as large a difference;
 * then its parts are split in turn.  When a straight ramp, with or without a
 * level before and after it, describes the part better than these steps
 * (BIC), it is a drift.  The random orders come from a fixed seed: equal
 * values give equal results everywhere.
 *
 * Values that depend on the previous value (a machine that is slow for a
 * day) look like changes.
 *
 * Cost: at most 1000 orders of 200 places each, whatever the length.  In a
 * part longer than 200 values the search first looks at every second, third
 * ... place and then refines the place found; the ends of a ramp are not
 * refined.  Memory: 56 bytes a value.
 */
#ifndef TP_COURSE_H
#define TP_COURSE_H

#include <stddef.h>

#define TP_COURSE_LEVEL 3	/* fewest values that form a level */
#define TP_COURSE_DRIFT 8	/* fewest runs of a drift */
#define TP_COURSE_LEAST 0.001	/* ignore changes below 0.1 % */

struct tp_course_change {
	int is_drift;
	size_t at;		/* first value off the level before */
	size_t until;		/* drift: last value that moves; else AT */
	size_t first, end;	/* before: values FIRST to AT - 1; after: AT to
				 * END - 1 */
	double before, after;	/* the two levels */
};

/* A zeroed struct is empty. */
struct tp_course {
	struct tp_course_change *changes;	/* in the order of the runs */
	size_t count, cap;
};

/*
 * Find the changes of the N values at X; none when a value is not above 0,
 * because factors would not exist.
 */
void tp_course_find(struct tp_course *c, const double *x, size_t n);
/* The factor per run of a drift, or the whole factor of a jump. */
double tp_course_per_run(const struct tp_course_change *change);
void tp_course_release(struct tp_course *c);

#endif
