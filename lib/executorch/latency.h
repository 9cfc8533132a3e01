/*
 * latency - how long something took that was run again and again
 *
 * Quantiles are linear (rank p (n - 1), between neighbours), as tools for
 * benchmarks have them; all is computed from whole nanoseconds and rounded
 * once.  An outlier lies more than 1.5 times the distance of the quartiles
 * beyond one of them.  Memory: 8 bytes per run, three times that while
 * emitting.
 */
#ifndef TP_EXECUTORCH_LATENCY_H
#define TP_EXECUTORCH_LATENCY_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/records.h>

#include "stat.h"

/* A zeroed struct is empty. */
struct tp_latency {
	int64_t *ns;		/* in the order of the runs */
	size_t count, cap;
	tp_int128 sum;
	int64_t *sorted;	/* by tp_latency_judge() */
	tp_int128 low8, high8;	/* fences, in eighths of a nanosecond */
	size_t outliers;
};

/* Take one run; 0 or -1 without memory. */
int tp_latency_add(struct tp_latency *latency, int64_t ns);
/* When all are there: tell outliers from the rest.  0 or -1 without
 * memory. */
int tp_latency_judge(struct tp_latency *latency);
int tp_latency_is_outlier(const struct tp_latency *latency, int64_t ns);
/* The NUM/DEN quantile of COUNT sorted values, rounded half to even; 0 of
 * none. */
int64_t tp_linear_quantile(const int64_t *sorted, size_t count,
    unsigned num, unsigned den);

/* Keys of the record under way: sum, mean, quantiles, spread, outliers, the
 * same without them, trimmed means. */
void tp_latency_emit(const struct tp_latency *latency, struct tp_out *out);
/* The first run, what it is to the median of the others, whether it is a cold
 * one, and how many others were disturbed; there is a run.  0 or -1 without
 * memory. */
int tp_latency_emit_first(const struct tp_latency *latency,
    struct tp_out *out);

/* Fewer runs have no thirds. */
#define TP_DRIFT_LEAST 6

/*
 * Write latency.drift: the median of the last third against that of the first,
 * what that is to how neighbours differ, and the probability that runs
 * in any order would look like that (Mann and Kendall, two-sided; up to 4096
 * runs).  A cold first run is left out.  Nothing of too few runs.  0 or -1
 * without memory.
 */
int tp_latency_emit_drift(const struct tp_latency *latency,
    struct tp_out *out);
void tp_latency_release(struct tp_latency *latency);

#endif
