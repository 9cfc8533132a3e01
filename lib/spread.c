/* spread - standard deviation of integers from exact sums */
#include <math.h>

#include <tp/order.h>

#include "spread.h"

void
tp_spread_add(struct tp_spread *s, int64_t value)
{
	s->count++;
	s->sum += value;
	s->over |= __builtin_add_overflow(s->squares,
	    (tp_int128)value * value, &s->squares);
}

/*
 * Count squared times the population variance; NaN when it cannot be
 * computed.
 */
static double
scaled_variance(const struct tp_spread *s)
{
	double mean, variance, n = (double)s->count;
	tp_int128 scaled, square;

	if (s->count < 2 || s->over)
		return NAN;
	/* exact while it fits; otherwise cancellation would leave noise */
	if (!__builtin_mul_overflow((tp_int128)s->count, s->squares,
	    &scaled) && !__builtin_mul_overflow(s->sum, s->sum, &square))
		return (double)(scaled - square);
	mean = (double)s->sum / n;
	variance = (double)s->squares / n - mean * mean;
	return variance > 0 ? variance * n * n : 0;
}

double
tp_spread_cv(const struct tp_spread *s)
{
	double n = (double)s->count;

	if (!s->sum)
		return NAN;
	return sqrt(scaled_variance(s) / (n * n)) / fabs((double)s->sum / n);
}

double
tp_spread_deviation(const struct tp_spread *s)
{
	double n = (double)s->count;

	return sqrt(scaled_variance(s) / (n * (n - 1)));
}

void
tp_spread_emit_steps(const struct tp_spread *s, uint64_t count,
    struct tp_out *out)
{
	struct tp_spread all = *s;
	double stdev;

	if (count < 2)
		return;
	all.count = count;
	tp_out_int(out, "step_sample_count", (int64_t)count);
	tp_out_int(out, "step_mean_ns", tp_div_even(s->sum,
	    (tp_int128)count * 1000));
	stdev = tp_spread_deviation(&all) / 1000;
	if (!isnan(stdev))
		tp_out_int(out, "step_stdev_ns", (int64_t)nearbyint(stdev));
}

/* Sums are exact integers until the root. */
static int64_t
stdev(const int64_t *values, size_t count, tp_int128 sum)
{
	tp_int128 spread = 0;
	int64_t middle = tp_div_even(sum, (tp_int128)count);
	double off;

	if (count < 2)
		return -1;
	for (size_t i = 0; i < count; i++) {
		tp_int128 d = (tp_int128)values[i] - middle;

		spread += d * d;
	}
	off = (double)(sum - (tp_int128)middle * (tp_int128)count);
	return (int64_t)nearbyint(sqrt(((double)spread -
	    off * off / (double)count) / (double)(count - 1)));
}

struct tp_figures
tp_figures_of(int64_t *values, size_t count)
{
	struct tp_figures s = { count, -1, -1, -1, -1, -1, -1 };
	size_t middle = count ? (count - 1) / 2 : 0;
	tp_int128 sum = 0;
	int64_t above;

	if (!count)
		return s;
	s.min = s.max = values[0];
	for (size_t i = 0; i < count; i++) {
		sum += values[i];
		TP_LEAST(s.min, values[i]);
		TP_MOST(s.max, values[i]);
	}
	s.sum = tp_narrow(sum);
	s.mean = tp_div_even(sum, (tp_int128)count);
	s.median = tp_pick_int(values, count, middle);
	if (count % 2 == 0) {
		above = s.max;
		for (size_t i = middle + 1; i < count; i++)
			TP_LEAST(above, values[i]);
		s.median = tp_div_even((tp_int128)s.median + above, 2);
	}
	s.stdev = stdev(values, count, sum);
	return s;
}
