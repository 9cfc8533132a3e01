/* bootstrap - confidence interval of the factor between two measurements */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "bootstrap.h"
#include "splitmix.h"

enum { DRAWS = 2000, DRAWS_MIN = 200 };
#define WORK_MAX 20000000u	/* limit on draws: well below a second */

static void
swap(double *a, double *b)
{
	double t = *a;

	*a = *b;
	*b = t;
}

/*
 * Quickselect: put the K-th smallest of X in its place, smaller ones before
 * it.
 */
static double
select_nth(double *x, size_t n, size_t k)
{
	size_t low = 0, high = n - 1, i, j;

	while (low < high) {
		double pivot = x[low + (high - low) / 2];

		for (i = low, j = high; i <= j; ) {
			while (x[i] < pivot)
				i++;
			while (pivot < x[j])
				j--;
			if (i > j)
				break;
			swap(&x[i++], &x[j]);
			if (!j)
				break;
			j--;
		}
		if (k <= j)
			high = j;
		else if (k >= i)
			low = i;
		else
			break;
	}
	return x[k];
}

double
tp_median(double *x, size_t n)
{
	double high = select_nth(x, n, n / 2), low;

	if (n % 2)
		return high;
	low = x[0];
	for (size_t i = 1; i < n / 2; i++)
		TP_MOST(low, x[i]);
	return low + (high - low) / 2;
}

static double
median_drawn(const double *x, size_t n, double *to, uint64_t *state)
{
	for (size_t i = 0; i < n; i++)
		to[i] = x[tp_splitmix(state) % n];
	return tp_median(to, n);
}

int
tp_by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int
tp_bootstrap(const double *a, size_t a_count, const double *b,
    size_t b_count, struct tp_interval *interval)
{
	size_t draws = WORK_MAX / (a_count + b_count + 1), kept = 0;
	uint64_t state = 1;
	double *drawn, *to, x, y;

	if (a_count < TP_BOOTSTRAP_MIN || b_count < TP_BOOTSTRAP_MIN)
		return 0;
	draws = draws > DRAWS ? DRAWS : draws < DRAWS_MIN ? DRAWS_MIN : draws;
	drawn = tp_alloc((draws + a_count + b_count) * sizeof *drawn);
	to = drawn + draws;
	memcpy(to, a, a_count * sizeof *to);
	memcpy(to + a_count, b, b_count * sizeof *to);
	x = tp_median(to, a_count);
	y = tp_median(to + a_count, b_count);
	if (!(x > 0) || !(y > 0)) {
		tp_free(drawn);
		return 0;
	}
	interval->factor = y / x;
	for (size_t i = 0; i < draws; i++) {
		x = median_drawn(a, a_count, to, &state);
		y = median_drawn(b, b_count, to, &state);
		if (x > 0)
			drawn[kept++] = y / x;
	}
	TP_SORT(drawn, kept, tp_by_value);
	interval->low = kept ? drawn[kept / 40] : 0;
	interval->high = kept ? drawn[kept - 1 - kept / 40] : 0;
	/* the interval is that of a normal distribution */
	interval->df = 0;
	interval->error = interval->low > 0 ?
	    log(interval->high / interval->low) / (2 * 1.959964) : 0;
	tp_free(drawn);
	return kept == draws;
}
