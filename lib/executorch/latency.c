/* latency - statistics of repeated runs */
#include <math.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "latency.h"
#include "spread.h"

/* The trend test compares each pair of runs: quadratic time. */
#define TREND_MAX 4096

/*
 * The first run is cold if it takes over 5 % longer than the median of the
 * others and is over 4 standard deviations of their noise away from it.
 */
#define COLD_FACTOR 1.05
#define COLD_NOISE 4.0

/* More cold runs than this, or than half of all, are no cold start. */
#define COLD_MOST 32

/*
 * Runs take one of two times if each is that of a quarter of them (fewer are
 * outliers), the two are 5 % apart, and no run is between them: the gap is
 * over 4 standard deviations of the runs of one time.
 */
#define MODES_SHARE 4
#define MODES_FACTOR 1.05
#define MODES_NOISE 4.0

/* An outlier disturbs the mean if it is more than a tenth off the median. */
#define FAR 0.1

/*
 * STEPS_OF_SD is the median absolute difference of two neighbours in
 * normally distributed runs with a standard deviation of 1.  LEAST_NOISE,
 * relative to the first run, is the smallest noise assumed: clocks are not
 * better.
 */
#define STEPS_OF_SD 0.954
#define LEAST_NOISE 1e-6

void
tp_latency_add(struct tp_latency *l, int64_t ns)
{
	TP_APPEND(l->ns, l->count, l->cap, ns);
	l->sum += ns;
}

/* A sorted copy of the COUNT values at NS, the caller's to tp_free(). */
static int64_t *
sorted_copy(const int64_t *ns, size_t count)
{
	int64_t *copy = tp_alloc((count ? count : 1) * sizeof *copy);

	if (!count)
		return copy;
	memcpy(copy, ns, count * sizeof *copy);
	tp_sort_ints(copy, count);
	return copy;
}

/* DEN times the NUM/DEN quantile, exactly, with linear interpolation. */
static tp_int128
quantile_times(const int64_t *sorted, size_t count, unsigned num,
    unsigned den)
{
	size_t at = (count - 1) / den * num + (count - 1) % den * num / den;
	unsigned rest = (unsigned)((count - 1) % den * num % den);
	tp_int128 n = (tp_int128)sorted[at] * (den - rest);

	return rest ? n + (tp_int128)sorted[at + 1] * rest : n;
}

int64_t
tp_linear_quantile(const int64_t *sorted, size_t count, unsigned num,
    unsigned den)
{
	return count ? tp_div_even(quantile_times(sorted, count, num, den),
	    den) : 0;
}

int
tp_latency_is_outlier(const struct tp_latency *l, int64_t ns)
{
	tp_int128 n = (tp_int128)ns * 8;

	return n < l->low8 || n > l->high8;
}

static void
emit_spread(struct tp_out *out, const struct tp_spread *s,
    const char *deviation, const char *cv)
{
	double x = tp_spread_deviation(s);

	if (!isfinite(x))
		return;
	tp_out_int(out, deviation, (int64_t)llrint(x));
	if (s->sum > 0)
		tp_out_real(out, cv, x * (double)s->count / (double)s->sum);
}

static void
emit_quantiles(const struct tp_latency *l, struct tp_out *out)
{
	static const struct { const char *key; unsigned num, den; } which[] = {
		{ "median_ns", 1, 2 }, { "p25_ns", 1, 4 },
		{ "p75_ns", 3, 4 }, { "p90_ns", 9, 10 },
		{ "p95_ns", 19, 20 }, { "p99_ns", 99, 100 } };

	for (size_t i = 0; i < sizeof which / sizeof *which; i++)
		tp_out_int(out, which[i].key, tp_linear_quantile(l->sorted,
		    l->count, which[i].num, which[i].den));
}

/*
 * Write statistics without outliers, which are at the ends of the sorted runs.
 */
static void
emit_robust(const struct tp_latency *l, struct tp_out *out)
{
	struct tp_spread s = { 0 };
	size_t from = 0, n;

	while (from < l->count && tp_latency_is_outlier(l, l->sorted[from]))
		from++;
	n = l->count - l->outliers;
	for (size_t i = from; i < from + n; i++)
		tp_spread_add(&s, l->sorted[i]);
	tp_out_int(out, "outlier_count", (int64_t)l->outliers);
	tp_out_ratio(out, "outlier_ratio", (int64_t)l->outliers,
	    (int64_t)l->count);
	tp_out_int(out, "outlier_low_ns", tp_div_even(l->low8, 8));
	tp_out_int(out, "outlier_high_ns", tp_div_even(l->high8, 8));
	tp_out_int(out, "robust_count", (int64_t)n);
	tp_out_int(out, "robust_median_ns", tp_linear_quantile(l->sorted +
	    from, n, 1, 2));
	tp_out_int(out, "robust_mean_ns", tp_div_even(s.sum, (tp_int128)n));
	emit_spread(out, &s, "robust_stdev_ns", "robust_cv_factor");
}

static void
emit_trimmed(const struct tp_latency *l, struct tp_out *out, const char *key,
    size_t percent)
{
	size_t cut = l->count * percent / 100;
	tp_int128 sum = 0;

	for (size_t i = cut; i < l->count - cut; i++)
		sum += l->sorted[i];
	tp_out_int(out, key, tp_div_even(sum, (tp_int128)(l->count -
	    2 * cut)));
}

/*
 * The noise of the COUNT runs at NS as a standard deviation.  It is estimated
 * from the differences of neighbours, so that a step, a drift or one disturbed
 * run does not count.
 */
static double
noise_of(const int64_t *ns, size_t count)
{
	size_t n = count ? count - 1 : 0;
	int64_t *steps = tp_alloc((n ? n : 1) * sizeof *steps);
	double noise, least = count ? (double)ns[0] * LEAST_NOISE : 0;

	for (size_t i = 0; i < n; i++)
		steps[i] = ns[i + 1] > ns[i] ? ns[i + 1] - ns[i] :
		    ns[i] - ns[i + 1];
	tp_sort_ints(steps, n);
	noise = n ? (double)quantile_times(steps, n, 1, 2) / 2 /
	    STEPS_OF_SD : 0;
	tp_free(steps);
	return noise > least ? noise : least;
}

/* Compare run AT with those after it. */
static void
compare_first(const struct tp_latency *l, size_t at,
    struct tp_latency_first *first)
{
	const int64_t *ns = l->ns + at;
	size_t n = l->count - at - 1;
	int64_t *rest = sorted_copy(ns + 1, n);
	double sd = noise_of(ns + 1, n);

	memset(first, 0, sizeof *first);
	first->rest = n ? (double)quantile_times(rest, n, 1, 2) / 2 : 0;
	if (first->rest > 0 && sd > 0) {
		first->factor = (double)*ns / first->rest;
		first->noise = ((double)*ns - first->rest) / sd;
	}
	tp_free(rest);
}

/* See COLD_FACTOR. */
static int
is_cold(const struct tp_latency_first *first)
{
	return first->factor > COLD_FACTOR && first->noise > COLD_NOISE;
}

/* Count the cold runs, each against those after it. */
static void
count_cold(struct tp_latency *l)
{
	struct tp_latency_first next;

	l->cold = 0;
	compare_first(l, 0, &l->first);
	for (next = l->first; l->cold < COLD_MOST && l->cold < l->count / 2 &&
	    l->count - l->cold >= 3 && is_cold(&next); ) {
		l->last_cold = next;
		compare_first(l, ++l->cold, &next);
	}
}

void
tp_latency_judge(struct tp_latency *l)
{
	tp_int128 q1, q3;	/* times four: exact */

	tp_free(l->sorted);
	l->sorted = sorted_copy(l->ns, l->count);
	l->outliers = 0;
	if (!l->count)
		return;
	q1 = quantile_times(l->sorted, l->count, 1, 4);
	q3 = quantile_times(l->sorted, l->count, 3, 4);
	l->low8 = 2 * q1 - 3 * (q3 - q1);
	l->high8 = 2 * q3 + 3 * (q3 - q1);
	for (size_t i = 0; i < l->count; i++)
		l->outliers += (size_t)tp_latency_is_outlier(l, l->ns[i]);
	count_cold(l);
}

/* Count outliers after the cold runs that are far from the median. */
static size_t
disturbed(const struct tp_latency *l)
{
	double middle = (double)quantile_times(l->sorted, l->count, 1, 2) / 2;
	size_t n = 0;

	for (size_t i = l->cold; i < l->count; i++)
		n += tp_latency_is_outlier(l, l->ns[i]) &&
		    fabs((double)l->ns[i] - middle) > FAR * middle;
	return n;
}

void
tp_latency_emit_first(const struct tp_latency *l, struct tp_out *out)
{
	tp_out_int(out, "first_run_ns", l->ns[0]);
	if (l->first.factor <= 0)
		return;
	tp_out_real(out, "cold_run_factor", l->first.factor);
	tp_out_bool(out, "is_cold", l->cold > 0);
	if (l->cold) {
		tp_out_int(out, "cold_run_count", (int64_t)l->cold);
		tp_out_int(out, "warm_median_ns",
		    (int64_t)nearbyint(l->last_cold.rest));
	}
	tp_out_int(out, "disturbed_count", (int64_t)disturbed(l));
}

void
tp_latency_emit(const struct tp_latency *l, struct tp_out *out)
{
	struct tp_spread s = { 0 };

	if (!l->count)
		return;
	for (size_t i = 0; i < l->count; i++)
		tp_spread_add(&s, l->ns[i]);
	tp_out_int(out, "sum_ns", tp_narrow(l->sum));
	tp_out_int(out, "mean_ns", tp_div_even(l->sum,
	    (tp_int128)l->count));
	emit_quantiles(l, out);
	tp_out_int(out, "min_ns", l->sorted[0]);
	tp_out_int(out, "max_ns", l->sorted[l->count - 1]);
	emit_spread(out, &s, "stdev_ns", "cv_factor");
	emit_robust(l, out);
	emit_trimmed(l, out, "trimmed_5_mean_ns", 5);
	emit_trimmed(l, out, "trimmed_10_mean_ns", 10);
}

/*
 * The two-sided p-value of the Mann-Kendall test for a trend, with the
 * correction for ties; negative if there are too many runs.
 */
static double
trend_probability(const int64_t *ns, const int64_t *sorted, size_t count)
{
	double n = (double)count, variance, z;
	int64_t s = 0;

	if (count > TREND_MAX)
		return -1;
	for (size_t i = 0; i < count; i++)
		for (size_t k = i + 1; k < count; k++)
			s += (ns[k] > ns[i]) - (ns[k] < ns[i]);
	variance = n * (n - 1) * (2 * n + 5);
	for (size_t i = 0, k; i < count; i = k) {
		double t;

		for (k = i + 1; k < count && sorted[k] == sorted[i]; k++)
			continue;
		t = (double)(k - i);
		variance -= t * (t - 1) * (2 * t + 5);
	}
	if (variance <= 0 || !s)
		return 1;
	/* continuity correction: S moves in steps of two */
	z = ((double)s - (s > 0 ? 1 : -1)) / sqrt(variance / 18);
	return erfc(fabs(z) / sqrt(2));
}

static void
third(const int64_t *ns, size_t count, int64_t *median)
{
	int64_t *sorted = sorted_copy(ns, count);

	*median = tp_linear_quantile(sorted, count, 1, 2);
	tp_free(sorted);
}

/* Write by how much the COUNT runs at NS are longer than FAST on average. */
static void
out_loss(const int64_t *ns, size_t count, int64_t fast, struct tp_out *out)
{
	tp_int128 sum = 0;
	int64_t mean;

	for (size_t i = 0; i < count; i++)
		sum += ns[i];
	mean = tp_div_even(sum, (tp_int128)count);
	tp_out_int(out, "loss_ns", mean > fast ? mean - fast : 0);
}

static void
emit_drift(const int64_t *ns, size_t count, struct tp_out *out)
{
	size_t n = count / 3;
	int64_t first, last, *sorted;
	double p, sd = noise_of(ns, count);

	third(ns, n, &first);
	third(ns + count - n, n, &last);
	sorted = sorted_copy(ns, count);
	p = trend_probability(ns, sorted, count);
	tp_free(sorted);
	tp_out_int(out, "run_count", (int64_t)count);
	tp_out_int(out, "first_third_median_ns", first);
	tp_out_int(out, "last_third_median_ns", last);
	tp_out_ratio(out, "drift_factor", last, first);
	if (sd > 0)
		tp_out_real(out, "drift_noise_factor", fabs((double)(last -
		    first)) / (sd * sqrt(2 / (double)n)));
	if (p >= 0)
		tp_out_real(out, "no_trend_ratio", p);
	out_loss(ns, count, first, out);
}

void
tp_latency_emit_drift(const struct tp_latency *l, struct tp_out *out)
{
	if (l->count - l->cold < TP_DRIFT_LEAST)
		return;
	tp_out_begin(out, "latency.drift");
	tp_out_text(out, "basis", "run");
	emit_drift(l->ns + l->cold, l->count - l->cold, out);
	tp_out_end(out);
}

/* Sum of squared distances of the N values at NS from their mean. */
static double
squares_of(const int64_t *ns, size_t n)
{
	double mean = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		mean += (double)ns[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += ((double)ns[i] - mean) * ((double)ns[i] - mean);
	return squares;
}

/* Where the largest gap in the COUNT sorted values at NS ends, with a
 * MODES_SHARE of them on either side; 0: nowhere. */
static size_t
widest_gap(const int64_t *ns, size_t count)
{
	size_t least = (count + MODES_SHARE - 1) / MODES_SHARE, best = 0;

	for (size_t i = least; i <= count - least; i++)
		if (ns[i] - ns[i - 1] > (best ? ns[best] - ns[best - 1] : 0))
			best = i;
	return best;
}

/* How often one of the COUNT runs at NS and the next are on different sides
 * of LIMIT. */
static size_t
count_switches(const int64_t *ns, size_t count, int64_t limit)
{
	size_t n = 0;

	for (size_t i = 1; i < count; i++)
		n += (ns[i] < limit) != (ns[i - 1] < limit);
	return n;
}

/* Write the two times that the COUNT runs at NS take, with SORTED. */
static void
emit_modes(const int64_t *ns, const int64_t *sorted, size_t count,
    struct tp_out *out)
{
	size_t at = widest_gap(sorted, count), switches;
	int64_t low, high;
	double sd;

	if (!at)
		return;
	low = tp_linear_quantile(sorted, at, 1, 2);
	high = tp_linear_quantile(sorted + at, count - at, 1, 2);
	sd = sqrt((squares_of(sorted, at) + squares_of(sorted + at, count -
	    at)) / (double)(count - 2));
	switches = count_switches(ns, count, sorted[at]);
	/* one switch is a step: latency.drift says which way */
	if (switches < 2 || (double)high <= MODES_FACTOR * (double)low ||
	    (double)(sorted[at] - sorted[at - 1]) <= MODES_NOISE * sd)
		return;
	tp_out_begin(out, "latency.modes");
	tp_out_text(out, "basis", "run");
	tp_out_int(out, "run_count", (int64_t)count);
	tp_out_int(out, "fast_median_ns", low);
	tp_out_int(out, "slow_median_ns", high);
	tp_out_int(out, "slow_run_count", (int64_t)(count - at));
	tp_out_ratio(out, "modes_factor", high, low);
	tp_out_int(out, "switch_count", (int64_t)switches);
	out_loss(ns, count, low, out);
	tp_out_end(out);
}

void
tp_latency_emit_modes(const struct tp_latency *l, struct tp_out *out)
{
	const int64_t *ns = l->ns + l->cold;
	size_t count = l->count - l->cold;
	int64_t *sorted;

	if (count < TP_MODES_LEAST)
		return;
	sorted = sorted_copy(ns, count);
	emit_modes(ns, sorted, count, out);
	tp_free(sorted);
}

void
tp_latency_release(struct tp_latency *l)
{
	tp_free(l->ns);
	tp_free(l->sorted);
	memset(l, 0, sizeof *l);
}
