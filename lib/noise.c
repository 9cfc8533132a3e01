/* noise - significance of a change, given what is known of its noise */
#include <math.h>

#include <tp/order.h>

#include "noise.h"

#define SURE (1 - TP_CHANCE / 2)	/* one side of the two-sided interval */

/* The continued fraction of the incomplete beta function (Lentz; Abramowitz
 * and Stegun 26.5.8), for X below (A + 1) / (A + B + 2). */
static double
beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1), h;

	d = 1 / (fabs(d) < 1e-300 ? 1e-300 : d);
	h = d;
	for (int m = 1; m < 10000; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) *
		    (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) *
		    (a + 2 * m + 1));

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < 1e-300 ? 1e-300 : d);
		h *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < 1e-300 ? 1e-300 : d);
		h *= d * c;
		if (fabs(d * c - 1) < 1e-15)
			break;
	}
	return h;
}

static double
beta_below(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x >= 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) +
	    b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double
tp_t_chance(double t, double df)
{
	if (!(df > 0))
		return erfc(fabs(t) / sqrt(2));
	return beta_below(df / 2, 0.5, df / (df + t * t));
}

double
tp_t_quantile(double p, double df)
{
	double low = 0, high = 1, both = 2 * fmin(p, 1 - p);

	if (!(both > 0))
		return p > 0.5 ? INFINITY : -INFINITY;
	while (tp_t_chance(high, df) > both)
		high *= 2;
	for (int i = 0; i < 200 && high - low > 1e-10 * high; i++) {
		double mid = low + (high - low) / 2;

		if (tp_t_chance(mid, df) > both)
			low = mid;
		else
			high = mid;
	}
	return p < 0.5 ? -high : high;
}

double
tp_scatter_add(struct tp_squares *scatter, const double *x, size_t n)
{
	double mean = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		mean += log(x[i]) / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (log(x[i]) - mean) * (log(x[i]) - mean);
	/* equal values differ only by rounding in log() */
	if (squares > (double)n * 1e-28)
		scatter->squares += squares;
	scatter->df += n > 0 ? (double)n - 1 : 0;
	return mean;
}

/*
 * Make I from the logarithm of its factor and that logarithm's standard
 * error.
 */
static void
put(struct tp_interval *i, double log_factor, double error, double df)
{
	double half = tp_t_quantile(SURE, df) * error;

	i->factor = exp(log_factor);
	i->low = exp(log_factor - half);
	i->high = exp(log_factor + half);
	i->error = error;
	i->df = df;
}

int
tp_interval_of_scatter(const struct tp_squares *s, double difference,
    double share, struct tp_interval *i)
{
	if (s->df < 1)
		return 0;
	put(i, difference, sqrt(s->squares / s->df * share), s->df);
	return 1;
}

int
tp_interval_of_runs(const double *a, size_t a_count, const double *b,
    size_t b_count, const struct tp_squares *past, struct tp_interval *i)
{
	struct tp_squares s = { 0 };
	double before, after;

	if (past)
		s = *past;
	before = tp_scatter_add(&s, a, a_count);
	after = tp_scatter_add(&s, b, b_count);
	return a_count && b_count && tp_interval_of_scatter(&s, after - before,
	    1 / (double)a_count + 1 / (double)b_count, i);
}

static double
mean_of(const double *x, size_t n, double *squares)
{
	double mean = 0;

	for (size_t i = 0; i < n; i++)
		mean += x[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		*squares += (x[i] - mean) * (x[i] - mean);
	return mean;
}

int
tp_chance_of_runs(const double *a, size_t a_count, const double *b,
    size_t b_count, double *chance)
{
	double squares = 0, df = (double)(a_count + b_count) - 2, d, error;

	if (!a_count || !b_count || df < 1)
		return 0;
	d = mean_of(b, b_count, &squares) - mean_of(a, a_count, &squares);
	error = sqrt(squares / df * (1 / (double)a_count +
	    1 / (double)b_count));
	*chance = error > 0 ? tp_t_chance(d / error, df) : d == 0;
	return 1;
}

int
tp_interval_of_moments(const double mean[2], const double stdev[2],
    const double count[2], struct tp_interval *i)
{
	double var[2], df = 0, error;

	for (int s = 0; s < 2; s++) {
		if (!(mean[s] > 0) || !(count[s] >= 2))
			return 0;
		var[s] = stdev[s] / mean[s];
		var[s] *= var[s] / count[s];
	}
	/* Welch-Satterthwaite */
	error = sqrt(var[0] + var[1]);
	for (int s = 0; s < 2 && error > 0; s++)
		df += var[s] * var[s] / (count[s] - 1);
	if (df > 0)
		df = error * error * error * error / df;
	put(i, log(mean[1] / mean[0]), error, df);
	return 1;
}

/*
 * Ranks (from 0) in N sorted values that enclose the quantile Q with 95 %
 * confidence; 0 when one of them is outside the values.
 */
static int
ranks(size_t n, double q, size_t *low, size_t *high)
{
	double sum = 0, ln = lgamma((double)n + 1);
	int has_low = 0;

	*low = *high = 0;
	/* probability that K values are below the quantile */
	for (size_t k = 0; k <= n; k++) {
		sum += exp(ln - lgamma((double)k + 1) -
		    lgamma((double)(n - k) + 1) + (double)k * log(q) +
		    (double)(n - k) * log1p(-q));
		if (sum <= 1 - SURE && k < n) {
			*low = k;
			has_low = 1;
		}
		if (sum >= SURE) {
			*high = k;
			break;
		}
	}
	return has_low && *high < n && sum >= SURE;
}

/*
 * sqrt(a^2 + b^2), because hypot() of a newer glibc would keep the program
 * from running with versions before 2.35.  A and B are far below 1e154,
 * where a square overflows.
 */
static double
root_sum(double a, double b)
{
	return sqrt(a * a + b * b);
}

int
tp_interval_of_quantile(double *a, size_t a_count, double *b,
    size_t b_count, double q, struct tp_interval *i)
{
	double *x[] = { a, b };
	size_t n[] = { a_count, b_count }, low, high, at;
	double mid[2], down[2], up[2];

	for (int s = 0; s < 2; s++) {
		if (!n[s] || !ranks(n[s], q, &low, &high))
			return 0;
		TP_SORT(x[s], n[s], tp_by_value);
		if (!(x[s][0] > 0))
			return 0;
		at = (size_t)ceil(q * (double)n[s]);
		mid[s] = log(x[s][at ? at - 1 : 0]);
		down[s] = mid[s] - log(x[s][low]);
		up[s] = log(x[s][high]) - mid[s];
	}
	i->factor = exp(mid[1] - mid[0]);
	i->low = exp(mid[1] - mid[0] - root_sum(down[1], up[0]));
	i->high = exp(mid[1] - mid[0] + root_sum(up[1], down[0]));
	i->df = 0;
	i->error = log(i->high / i->low) / 2 / tp_t_quantile(SURE, 0);
	return 1;
}

void
tp_interval_widen(struct tp_interval *i, double ratio)
{
	double t = tp_t_quantile(SURE, i->df), noise = log1p(ratio);
	double down = log(i->factor / i->low), up = log(i->high / i->factor);

	i->low = exp(log(i->factor) - root_sum(down, noise));
	i->high = exp(log(i->factor) + root_sum(up, noise));
	i->error = root_sum(i->error, noise / t);
}

double
tp_interval_chance(const struct tp_interval *i)
{
	double d = log(i->factor);

	return i->error > 0 ? tp_t_chance(d / i->error, i->df) : d == 0;
}

double
tp_interval_visible(const struct tp_interval *i)
{
	return expm1(tp_t_quantile(SURE, i->df) * i->error);
}

double
tp_discovery_limit(double *p, size_t n, double ratio)
{
	TP_SORT(p, n, tp_by_value);
	for (size_t i = n; i-- > 0; )
		if (p[i] <= ratio * (double)(i + 1) / (double)n)
			return p[i];
	return -1;
}
