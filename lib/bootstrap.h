/*
 * bootstrap - is one set of measurements different from another
 *
 * Both sets are drawn again from themselves, with replacement, and the factor
 * between their medians is taken each time; the middle 95 % of those factors
 * are the interval.  The generator is SplitMix64 from a fixed seed, so that
 * the same measurements give the same interval on every machine.
 * Memory: a copy of both sets and 16 KiB.
 */
#ifndef TP_BOOTSTRAP_H
#define TP_BOOTSTRAP_H

#include <stddef.h>

/* Fewer measurements on a side say nothing about how they vary. */
#define TP_BOOTSTRAP_MIN 4

struct tp_interval {
	double factor;		/* median of B over median of A */
	double low, high;	/* 95 % interval of it */
	double error;		/* standard error of its logarithm */
	double df;		/* degrees of freedom of that; 0: normal */
};

/* For qsort() of doubles: the least first. */
int tp_by_value(const void *a, const void *b);
/* Median of the N > 0 values at X, which are put in another order. */
double tp_median(double *x, size_t n);
/*
 * Compare B with A.  1; 0 when a side has fewer than TP_BOOTSTRAP_MIN values
 * or a median that is not positive; -1 without memory.
 */
int tp_bootstrap(const double *a, size_t a_count, const double *b,
    size_t b_count, struct tp_interval *interval);

#endif
