/*
 * latency - statistics of repeated runs
 *
 * Quantiles are interpolated linearly at rank p (n - 1), as benchmark tools
 * do; everything is computed from whole nanoseconds and rounded once.  An
 * outlier lies more than 1.5 interquartile ranges beyond a quartile (Tukey's
 * fences).  Memory: 8 bytes per run, three times that while emitting.
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
	int64_t *sorted;	/* set by tp_latency_judge() */
	tp_int128 low8, high8;	/* fences, in eighths of a nanosecond */
	size_t outliers;
	size_t cold;		/* runs at the beginning that are */
	/* A run against those after it. */
	struct tp_latency_first {
		double factor;	/* over their median; 0: there are none */
		double noise;	/* its distance from that median in standard
				 * deviations of their noise */
		double rest;	/* that median */
	} first, last_cold;
};

/* Add one run. */
void tp_latency_add(struct tp_latency *latency, int64_t ns);
/* Find the outliers and the cold runs, after the last run. */
void tp_latency_judge(struct tp_latency *latency);
int tp_latency_is_outlier(const struct tp_latency *latency, int64_t ns);
/*
 * The NUM/DEN quantile of COUNT sorted values, rounded half to even; 0 when
 * COUNT is 0.
 */
int64_t tp_linear_quantile(const int64_t *sorted, size_t count,
    unsigned num, unsigned den);

/*
 * Write as keys of the open record: sum, mean, quantiles, spread, outliers,
 * the same without outliers, trimmed means.
 */
void tp_latency_emit(const struct tp_latency *latency, struct tp_out *out);
/*
 * Write, for the first run (there must be one): its ratio to the median of
 * the others, whether it is a cold start, how many runs are, and how many
 * others were disturbed.
 */
void tp_latency_emit_first(const struct tp_latency *latency,
    struct tp_out *out);

/* Runs needed to compare thirds. */
#define TP_DRIFT_LEAST 6

/*
 * Write latency.drift: the median of the last third against that of the
 * first, relative to the difference between neighbours, and the probability
 * of such a trend in random order (Mann-Kendall test, two-sided; up to 4096
 * runs).  Cold first runs are excluded.  Nothing with too few runs.
 */
void tp_latency_emit_drift(const struct tp_latency *latency,
    struct tp_out *out);

/* Runs needed to see two groups of them. */
#define TP_MODES_LEAST 8

/*
 * Write latency.modes if the runs, without cold first ones, take one of two
 * times and change between them more than once.
 */
void tp_latency_emit_modes(const struct tp_latency *latency,
    struct tp_out *out);
void tp_latency_release(struct tp_latency *latency);

#endif
