/*
 * step_class - how long steps take, and whether there are two kinds of them
 *
 * Memory: 25 bytes a step while they are classed.
 */
#ifndef TP_STEP_CLASS_H
#define TP_STEP_CLASS_H

#include <stddef.h>
#include <stdint.h>

#include <tp/records.h>

/*
 * Statistics of times in ps.  Quantiles are interpolated linearly at (n - 1)
 * q.
 */
struct tp_step_times {
	size_t count;
	double mean, median, p90, min, max;	/* only when count > 0 */
};

/* The statistics of the N times at X, which it sorts. */
void tp_step_times(struct tp_step_times *times, double *x, size_t n);
/* Write "wall_mean_ns ... wall_max_ns", or nothing when there are none. */
void tp_step_times_put(struct tp_out *out, const struct tp_step_times *times);

struct tp_step_class {
	const char *name;	/* "typical", "light", "heavy" */
	struct tp_step_times times;
	double share;		/* of all steps */
	int64_t number;		/* of the step closest to the median */
	double ps;		/* ... and its time */
	int64_t period;		/* distance in steps between members; 0: none */
	size_t consecutive;	/* members right after another */
};

/* The fewest steps that are classed, and that make a class. */
struct tp_step_least {
	size_t steps, members;
	double share;		/* a class has at least this share of them */
};

/*
 * Class N steps by their times PS: two-means clustering of logarithms, where
 * the medians of the two are at least 1.5 times apart; NUMBERS count them.
 * HEAVY (room for N) says which are heavy.  Returns the number of CLASSES: 0
 * without steps, 1 ("typical"), or 2 ("light", "heavy").
 */
size_t tp_step_classes(struct tp_step_class classes[2], const double *ps,
    const int64_t *numbers, size_t n, const struct tp_step_least *least,
    unsigned char *heavy);

/* Write class I of CLASSES, "class" to "period_steps", into an open record. */
void tp_step_class_put(struct tp_out *out, const struct tp_step_class *classes,
    size_t i);

#endif
