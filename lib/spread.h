/*
 * spread - standard deviation of integers from exact sums
 *
 * The result does not depend on the order of values.  Memory: the struct.
 */
#ifndef TP_SPREAD_H
#define TP_SPREAD_H

#include <stdint.h>

#include "stat.h"

/* A zeroed struct is empty. */
struct tp_spread {
	uint64_t count;
	tp_int128 sum, squares;
	int over;		/* the squares overflowed */
};

void tp_spread_add(struct tp_spread *spread, int64_t value);
/*
 * Population standard deviation divided by the mean; NaN (not printed) for
 * fewer than two values, a mean of 0, or overflow.
 */
double tp_spread_cv(const struct tp_spread *spread);
/*
 * Sample standard deviation (n - 1); NaN for fewer than two values, or
 * overflow.
 */
double tp_spread_deviation(const struct tp_spread *spread);

/*
 * Write "step_sample_count step_mean_ns step_stdev_ns" of step times in ps,
 * over COUNT steps; steps missing in SPREAD count as 0.  Nothing with fewer
 * than two steps, and no deviation on overflow.
 */
void tp_spread_emit_steps(const struct tp_spread *spread, uint64_t count,
    struct tp_out *out);

/* COUNT values, the results that are no sums rounded half to even. */
struct tp_figures {
	uint64_t count;
	int64_t sum, min, max, mean, median;	/* -1 of none */
	int64_t stdev;		/* of a sample; -1 for fewer than two values */
};

/* Describe COUNT values.  Changes their order. */
struct tp_figures tp_figures_of(int64_t *values, size_t count);

#endif
