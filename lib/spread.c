/* spread - how far integers spread, from exact sums */
#include <math.h>

#include <tp/spread.h>

void
tp_spread_add(struct tp_spread *s, int64_t value)
{
	s->count++;
	s->sum += value;
	s->over |= __builtin_add_overflow(s->squares,
	    (tp_int128)value * value, &s->squares);
}

double
tp_spread_cv(const struct tp_spread *s)
{
	double mean, variance;
	tp_int128 n = (tp_int128)s->count, scaled, square;

	if (s->count < 2 || !s->sum || s->over)
		return NAN;
	mean = (double)s->sum / (double)s->count;
	/* exact while it fits: else two large numbers leave noise */
	if (!__builtin_mul_overflow(n, s->squares, &scaled) &&
	    !__builtin_mul_overflow(s->sum, s->sum, &square))
		variance = (double)(scaled - square) /
		    ((double)n * (double)n);
	else
		variance = (double)s->squares / (double)n - mean * mean;
	return sqrt(variance > 0 ? variance : 0) / fabs(mean);
}
