/*
 * noise - how sure a change is, from what is known of its noise
 *
 * Times are compared by the logarithm of their quotient, so that 1.1x worse
 * and 1.1x better lie equally far from 1.  Runs are the unit: the spread of
 * their means holds the noise within a run as well.  The interval of several
 * runs is that of Student's t with one spread for both sides.  It needs no
 * more than three runs in all; drawing few runs again and again (a bootstrap)
 * gives intervals that are too narrow.
 */
#ifndef TP_NOISE_H
#define TP_NOISE_H

#include <stddef.h>

#include "bootstrap.h"

/* How often chance alone may give what is called a change. */
#define TP_CHANCE 0.05

/* Squared distances of logarithms from their mean, and how many of them are
 * free.  A zeroed struct knows nothing. */
struct tp_scatter {
	double squares, df;
};

/* The quantile P (0 to 1) of Student's t with DF degrees of freedom, at least
 * 1; 0: of the normal distribution.  Within 1e-9. */
double tp_t_quantile(double p, double df);
/* How often chance alone gives T or more, up or down. */
double tp_t_chance(double t, double df);

/* The N values at X, all positive, added to SCATTER; the mean of their
 * logarithms. */
double tp_scatter_add(struct tp_scatter *scatter, const double *x, size_t n);
/*
 * Compare the runs B with A, all positive; PAST is the spread of other runs
 * of the same program (NULL: none).  1; 0 when nothing tells their spread.
 */
int tp_interval_of_runs(const double *a, size_t a_count, const double *b,
    size_t b_count, const struct tp_scatter *past, struct tp_interval *i);
/* I from the difference of two means of logarithms, whose variance is that of
 * S times SHARE.  1; 0 when S knows nothing. */
int tp_interval_of_scatter(const struct tp_scatter *s, double difference,
    double share, struct tp_interval *i);
/* The same of values that need not be positive: how often chance alone gives
 * such a difference into *CHANCE.  1 or 0. */
int tp_chance_of_runs(const double *a, size_t a_count, const double *b,
    size_t b_count, double *chance);
/* From mean, standard deviation and count of both; means are positive. */
int tp_interval_of_moments(const double mean[2], const double stdev[2],
    const double count[2], struct tp_interval *i);
/*
 * Of the quantile Q (0.9) of B over that of A by order statistics; both are put
 * in order.  1; 0 when a side has too few values to bound it.
 */
int tp_interval_of_quantile(double *a, size_t a_count, double *b,
    size_t b_count, double q, struct tp_interval *i);

/* Add noise that I does not hold: runs alone differ by up to RATIO (0.04),
 * 19 times of 20. */
void tp_interval_widen(struct tp_interval *i, double ratio);
/* How often chance alone gives that factor or one further from 1. */
double tp_interval_chance(const struct tp_interval *i);
/* The change, relative to before, from which on it would have been told from
 * noise. */
double tp_interval_visible(const struct tp_interval *i);

/*
 * Benjamini and Hochberg: the largest chance among the N at P, which are put
 * in order, up to which at most RATIO of what is called a change is none, on
 * average; below 0 when nothing is one.
 */
double tp_discovery_limit(double *p, size_t n, double ratio);

#endif
