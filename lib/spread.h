/*
 * spread - how far integers spread, from exact sums
 *
 * Any order gives the same bytes.  Memory: the struct.
 */
#ifndef TP_SPREAD_H
#define TP_SPREAD_H

#include <stdint.h>

#include "stat.h"

/* A zeroed struct is empty. */
struct tp_spread {
	uint64_t count;
	tp_int128 sum, squares;
	int over;		/* the squares do not fit */
};

void tp_spread_add(struct tp_spread *spread, int64_t value);
/*
 * Standard deviation (of the population) over the mean; NaN, which is not
 * printed, for fewer than two values, a mean of 0, or squares that do not fit.
 */
double tp_spread_cv(const struct tp_spread *spread);
/* Standard deviation of what the values are a sample of (n - 1); NaN for
 * fewer than two, or squares that do not fit. */
double tp_spread_deviation(const struct tp_spread *spread);

/*
 * Emit "step_sample_count step_mean_ns step_stdev_ns" of the times in ps that
 * steps took, COUNT steps; 0 is the time of those that are not in SPREAD.
 * Nothing of fewer than two, and no deviation that cannot be said.
 */
void tp_spread_emit_steps(const struct tp_spread *spread, uint64_t count,
    struct tp_out *out);

#endif
