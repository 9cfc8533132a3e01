/*
 * bootstrap - confidence interval of the factor between two measurements
 *
 * Both sets are resampled with replacement, and each time the factor between
 * their medians is computed; the middle 95 % of these factors are the
 * interval.  The generator is SplitMix64 with a fixed seed, so equal
 * measurements give the same interval on every machine.  Memory: a copy of
 * both sets and 16 KiB.
 */
#ifndef TP_BOOTSTRAP_H
#define TP_BOOTSTRAP_H

#include <stddef.h>

/* Fewer measurements on a side do not show how they vary. */
#define TP_BOOTSTRAP_MIN 4

struct tp_interval {
	double factor;		/* median of B over median of A */
	double low, high;	/* 95 % interval of factor */
	double error;		/* standard error of log(factor) */
	double df;		/* degrees of freedom of ERROR; 0: normal
				 * distribution */
};

/* qsort() comparison of doubles, ascending. */
int tp_by_value(const void *a, const void *b);
/* Median of the N > 0 values at X, which are reordered. */
double tp_median(double *x, size_t n);
/*
 * Compare B with A.  1, or 0 when a side has fewer than TP_BOOTSTRAP_MIN values
 * or a median that is not positive.
 */
int tp_bootstrap(const double *a, size_t a_count, const double *b,
    size_t b_count, struct tp_interval *interval);

#endif
