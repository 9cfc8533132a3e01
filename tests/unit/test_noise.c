/* Quantiles against tables, intervals against runs that are drawn. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "noise.h"
#include "pick.h"

static int failed;

static void
ok(int good, const char *what)
{
	printf("%s - noise: %s\n", good ? "ok" : "not ok", what);
	failed |= !good;
}

static int
is_near(double x, double want, double most)
{
	return fabs(x - want) <= most;
}

/* Of the normal distribution (Box and Muller). */
static double
normal(void)
{
	double u = ((double)pick(1000000007) + 0.5) / 1000000007;
	double v = (double)pick(1000000007) / 1000000007;

	return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static void
draw(double *x, size_t n, double middle, double noise)
{
	for (size_t i = 0; i < n; i++)
		x[i] = middle * exp(noise * normal());
}

static void
quantiles(void)
{
	/* printed tables of Student's t, two-sided 95 % */
	static const double table[][2] = { { 1, 12.7062047 },
	    { 2, 4.30265273 }, { 4, 2.77644511 }, { 8, 2.30600414 },
	    { 14, 2.14478669 }, { 30, 2.04227246 }, { 0, 1.95996398 } };
	int good = 1;

	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		good &= is_near(tp_t_quantile(0.975, table[i][0]),
		    table[i][1], 1e-7);
	ok(good, "quantiles are those of printed tables");
	ok(is_near(tp_t_chance(2.30600414, 8), 0.05, 1e-8) &&
	    is_near(tp_t_chance(-12.7062047, 1), 0.05, 1e-8) &&
	    tp_t_chance(0, 3) == 1, "chances are the way back");
	ok(is_near(tp_t_quantile(0.025, 8), -2.30600414, 1e-7) &&
	    isinf(tp_t_quantile(1, 8)), "below the middle they are negative");
}

/* How often the interval of A_COUNT and B_COUNT runs misses the truth. */
static double
missed(size_t a_count, size_t b_count, double noise)
{
	double a[32], b[32];
	struct tp_interval i;
	int times = 0, rounds = 4000;

	for (int r = 0; r < rounds; r++) {
		draw(a, a_count, 1e6, noise);
		draw(b, b_count, 1.1e6, noise);
		times += !tp_interval_of_runs(a, a_count, b, b_count, NULL,
		    &i) || i.low > 1.1 || i.high < 1.1;
	}
	return (double)times / rounds;
}

static void
runs(void)
{
	static const size_t counts[][2] = { { 2, 2 }, { 3, 3 }, { 5, 5 },
	    { 1, 20 }, { 1, 2 }, { 10, 3 } };
	const double a[] = { 100, 100, 100 }, b[] = { 120, 120 };
	struct tp_squares past = { 0 };
	struct tp_interval i;
	int good = 1;

	for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
		for (int noise = 1; noise <= 5; noise += 2)
			good &= is_near(missed(counts[k][0], counts[k][1],
			    noise / 100.0), 0.05, 0.012);
	ok(good, "the interval of runs holds the truth 95 times of 100");
	ok(tp_interval_of_runs(a, 3, b, 2, NULL, &i) && i.error == 0 &&
	    is_near(i.factor, 1.2, 1e-12) && i.low == i.factor &&
	    tp_interval_chance(&i) == 0 && tp_interval_visible(&i) == 0,
	    "equal runs have no noise");
	ok(!tp_interval_of_runs(a, 1, b, 1, NULL, &i) &&
	    !tp_interval_of_runs(a, 0, b, 2, NULL, &i),
	    "one run each tells no noise");
	tp_scatter_add(&past, (double[]){ 99, 100, 101, 102 }, 4);
	ok(past.df == 3 && tp_interval_of_runs(a, 1, b, 1, &past, &i) &&
	    i.df == 3 && i.low > 1.1 && i.high < 1.35,
	    "earlier runs tell that of one run each");
}

static void
differences(void)
{
	const double none[] = { 0, 0, 0 }, some[] = { 1, 2, 3 };
	double chance;

	ok(tp_chance_of_runs(none, 3, none, 3, &chance) && chance == 1,
	    "what is always 0 did not change");
	ok(tp_chance_of_runs(none, 3, some, 3, &chance) &&
	    is_near(chance, tp_t_chance(2 / sqrt(0.5 * (2 / 3.0)), 4), 1e-12),
	    "a difference from 0 has a chance");
	ok(!tp_chance_of_runs(none, 1, some, 1, &chance), "of one each none");
}

static void
moments(void)
{
	const double mean[] = { 100, 110 }, zero[] = { 0, 110 };
	const double stdev[] = { 10, 11 }, count[] = { 50, 50 };
	const double one[] = { 1, 50 };
	struct tp_interval i, wide;

	ok(tp_interval_of_moments(mean, stdev, count, &i) &&
	    is_near(i.factor, 1.1, 1e-12) && is_near(i.error, 0.02, 1e-12) &&
	    is_near(i.df, 98, 1e-9), "moments give the interval of means");
	ok(!tp_interval_of_moments(zero, stdev, count, &i) &&
	    !tp_interval_of_moments(mean, stdev, one, &i),
	    "but not of nothing, nor of one step");
	tp_interval_of_moments(mean, stdev, count, &i);
	wide = i;
	tp_interval_widen(&wide, 0.04);
	ok(wide.low < i.low && wide.high > i.high &&
	    is_near(log(wide.high / wide.factor), hypot(log(i.high /
	    i.factor), log(1.04)), 1e-12) && tp_interval_visible(&wide) >
	    0.04, "noise that is assumed widens it");
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void
tails(void)
{
	double a[80], b[80];
	struct tp_interval i;
	int miss = 0, rounds = 2000;

	for (int r = 0; r < rounds; r++) {
		draw(a, 80, 100, 0.2);
		draw(b, 80, 100, 0.2);
		qsort(a, 80, sizeof *a, by_value);
		qsort(b, 80, sizeof *b, by_value);
		miss += !tp_interval_of_quantile(a, 80, b, 80, 0.9, &i) ||
		    i.low > 1 || i.high < 1;
	}
	ok(miss > 0 && miss < rounds * 7 / 100,
	    "the interval of p90 holds the truth 95 times of 100");
	/* 0.9^n is above 2.5 % up to 35 values: p90 may be beyond all */
	ok(!tp_interval_of_quantile(a, 35, b, 80, 0.9, &i) &&
	    tp_interval_of_quantile(a, 36, b, 80, 0.9, &i),
	    "35 values do not bound p90, 36 do");
}

static void
discoveries(void)
{
	double p[1000], some[] = { 0.001, 0.2, 0.008, 0.039, 0.041, 0.9, 0.06,
	    0.5 };
	double found = 0, false_found = 0;

	/* the example of Benjamini and Hochberg's rule, by hand */
	ok(tp_discovery_limit(some, 8, 0.05) == 0.008,
	    "the limit is the largest that the rule allows");
	ok(tp_discovery_limit(some, 0, 0.05) < 0, "of nothing there is none");
	for (int r = 0; r < 200; r++) {
		double limit, t[1000];

		for (int k = 0; k < 1000; k++) {
			t[k] = tp_t_chance(normal() + (k < 100 ? 4 : 0), 0);
			p[k] = t[k];
		}
		limit = tp_discovery_limit(p, 1000, 0.05);
		for (int k = 0; k < 1000; k++) {
			found += t[k] <= limit;
			false_found += k >= 100 && t[k] <= limit;
		}
	}
	ok(found > 10000 && false_found / found < 0.05,
	    "of what is found at most 5 % is false");
}

int
main(void)
{
	quantiles();
	runs();
	differences();
	moments();
	tails();
	discoveries();
	return failed;
}
