/* Medians and their interval, against sorted copies and known cases. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bootstrap.h"
#include "pick.h"

static int failed;

static void
ok(int good, const char *what)
{
	printf("%s - bootstrap: %s\n", good ? "ok" : "not ok", what);
	failed |= !good;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
plain_median(const double *x, size_t n)
{
	double copy[64];

	memcpy(copy, x, n * sizeof *x);
	qsort(copy, n, sizeof *copy, by_value);
	return n % 2 ? copy[n / 2] : (copy[n / 2 - 1] + copy[n / 2]) / 2;
}

static void
medians(void)
{
	double x[64];
	int good = 1;

	for (int round = 0; round < 20000; round++) {
		size_t n = 1 + (size_t)pick(64);
		double want;

		for (size_t i = 0; i < n; i++)
			x[i] = pick(round % 3 ? 1000 : 4);
		want = plain_median(x, n);
		good &= tp_median(x, n) == want;
	}
	ok(good, "the median of any values is the middle of them sorted");
}

static void
intervals(void)
{
	const double a[] = { 10, 11, 10.5, 9.5, 10, 10.2, 9.9, 10.1 };
	const double wide[] = { 7, 14, 9, 12, 8, 13, 10, 11 };
	const double zero[8] = { 0 };
	double b[8];
	struct tp_interval i, again;

	for (int k = 0; k < 8; k++)
		b[k] = 1.2 * a[k];
	ok(tp_bootstrap(a, 8, b, 8, &i) == 1 && i.factor > 1.19 &&
	    i.factor < 1.21, "the factor is that of the medians");
	ok(i.low > 1.1 && i.low <= i.factor && i.factor <= i.high &&
	    i.high < 1.3, "a difference of 20 % is outside of its noise");
	ok(tp_bootstrap(a, 8, b, 8, &again) == 1 && again.low == i.low &&
	    again.high == i.high, "the same values give the same interval");
	ok(tp_bootstrap(a, 8, a, 8, &i) == 1 && i.factor == 1 &&
	    i.low <= 1 && i.high >= 1, "no difference holds 1");
	ok(tp_bootstrap(a, 8, wide, 8, &i) == 1 && i.low < 1 && i.high > 1,
	    "values that spread widely hold 1");
	ok(tp_bootstrap(a, 3, b, 8, &i) == 0 &&
	    tp_bootstrap(a, 8, b, 3, &i) == 0, "three values are too few");
	ok(tp_bootstrap(zero, 8, b, 8, &i) == 0,
	    "there is no factor to a median of 0");
}

/* How often the interval of two samples of one distribution leaves out 1:
 * nominally 5 of 100. */
static void
coverage(void)
{
	double a[20], b[20];
	struct tp_interval i;
	int out = 0;

	for (int round = 0; round < 200; round++) {
		for (int k = 0; k < 20; k++) {
			a[k] = 1000 + pick(100) + pick(100) + pick(100);
			b[k] = 1000 + pick(100) + pick(100) + pick(100);
		}
		if (tp_bootstrap(a, 20, b, 20, &i) == 1)
			out += i.low > 1 || i.high < 1;
	}
	ok(out <= 20, "noise is seldom taken for a difference");
}

int
main(void)
{
	medians();
	intervals();
	coverage();
	return failed;
}
