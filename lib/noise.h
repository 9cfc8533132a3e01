/*
 * noise - significance of a change, given what is known of its noise
 *
 * Times are compared by the logarithm of their quotient, so that 1.1x worse
 * and 1.1x better are equally far from 1.  Runs are the unit: the spread of
 * their means includes the noise within a run.  With several runs the
 * interval is that of Student's t with a pooled variance.  It needs only
 * three runs in total; a bootstrap of few runs gives intervals that are too
 * narrow.
 */
#ifndef TP_NOISE_H
#define TP_NOISE_H

#include <stddef.h>

#include "bootstrap.h"

/* Probability of a false alarm that is accepted. */
#define TP_CHANCE 0.05

/*
 * Sum of squared distances of logarithms from their mean, and its degrees of
 * freedom.  A zeroed struct is empty.
 */
struct tp_squares {
	double squares, df;
};

/*
 * The quantile P (0 to 1) of Student's t with DF >= 1 degrees of freedom; DF
 * 0: of the normal distribution.  Accurate to 1e-9.
 */
double tp_t_quantile(double p, double df);
/* Two-sided probability of a value of at least T by chance. */
double tp_t_chance(double t, double df);

/*
 * Add the N positive values at X to SCATTER.  Returns the mean of their
 * logarithms.
 */
double tp_scatter_add(struct tp_squares *scatter, const double *x, size_t n);
/*
 * Compare the runs B with A, all positive; PAST is the scatter of other runs
 * of the same program (NULL: none).  1; 0 when nothing gives their spread.
 */
int tp_interval_of_runs(const double *a, size_t a_count, const double *b,
    size_t b_count, const struct tp_squares *past, struct tp_interval *i);
/*
 * Make I from the DIFFERENCE of two means of logarithms whose variance is
 * SHARE times that of S.  1; 0 when S is empty.
 */
int tp_interval_of_scatter(const struct tp_squares *s, double difference,
    double share, struct tp_interval *i);
/*
 * As tp_interval_of_runs(), for values that need not be positive: *CHANCE is
 * the probability of such a difference by chance.  1 or 0.
 */
int tp_chance_of_runs(const double *a, size_t a_count, const double *b,
    size_t b_count, double *chance);
/*
 * Make I from mean, standard deviation and count of both sides; means must
 * be positive.
 */
int tp_interval_of_moments(const double mean[2], const double stdev[2],
    const double count[2], struct tp_interval *i);
/*
 * Interval of the ratio of quantile Q (0.9) of B to that of A by order
 * statistics; both arrays are sorted.  1; 0 when a side has too few values
 * to bound it.
 */
int tp_interval_of_quantile(double *a, size_t a_count, double *b,
    size_t b_count, double q, struct tp_interval *i);

/*
 * Widen I for noise it does not include: runs differ by up to RATIO (0.04)
 * in 19 of 20 cases.
 */
void tp_interval_widen(struct tp_interval *i, double ratio);
/* Probability by chance of this factor or one farther from 1. */
double tp_interval_chance(const struct tp_interval *i);
/* Smallest change, relative to before, that would be significant. */
double tp_interval_visible(const struct tp_interval *i);

/*
 * Benjamini-Hochberg procedure: the largest of the N probabilities at P,
 * which are sorted, up to which at most RATIO of the changes are false on
 * average; below 0 when there is none.
 */
double tp_discovery_limit(double *p, size_t n, double ratio);

#endif
