/* step_class - how long steps take, and whether there are two kinds of them */
#include <math.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "step_class.h"

TP_ORDER(by_value, double, TP_BY(TP_CMP(*a, *b)))

static double
quantile(const double *sorted, size_t n, double q)
{
	double at = (double)(n - 1) * q;
	size_t low = (size_t)at;

	if (low + 1 >= n)
		return sorted[n - 1];
	return sorted[low] + (sorted[low + 1] - sorted[low]) *
	    (at - (double)low);
}

void
tp_step_times(struct tp_step_times *times, double *x, size_t n)
{
	double sum = 0;

	memset(times, 0, sizeof *times);
	times->count = n;
	if (!n)
		return;
	TP_SORT(x, n, by_value);
	for (size_t i = 0; i < n; i++)
		sum += x[i];
	times->mean = sum / (double)n;
	times->median = quantile(x, n, 0.5);
	times->p90 = quantile(x, n, 0.9);
	times->min = x[0];
	times->max = x[n - 1];
}

void
tp_step_times_put(struct tp_out *out, const struct tp_step_times *times)
{
	if (!times->count)
		return;
	tp_out_real_ps(out, "wall_mean_ns", times->mean);
	tp_out_real_ps(out, "wall_median_ns", times->median);
	tp_out_real_ps(out, "wall_p90_ns", times->p90);
	tp_out_real_ps(out, "wall_min_ns", times->min);
	tp_out_real_ps(out, "wall_max_ns", times->max);
}

/*
 * Two-means clustering of logarithms, starting from the smallest and the
 * largest.
 */
static void
two_means(const double *ps, size_t n, double low, double high,
    unsigned char *heavy)
{
	double centre[2] = { log(low), log(high) }, moved = 1;
	int changed = 1;

	memset(heavy, 0, n);
	for (int round = 0; round < 40 && (changed || moved >= 1e-9);
	    round++) {
		double sum[2] = { 0, 0 }, next;
		size_t count[2] = { 0, 0 };

		changed = 0;
		for (size_t i = 0; i < n; i++) {
			double x = log(ps[i]);
			unsigned char k = fabs(x - centre[0]) >
			    fabs(x - centre[1]);

			changed |= round == 0 || heavy[i] != k;
			heavy[i] = k;
			sum[k] += x;
			count[k]++;
		}
		moved = 0;
		for (int k = 0; k < 2; k++) {
			if (!count[k])
				continue;
			next = sum[k] / (double)count[k];
			moved = fmax(moved, fabs(next - centre[k]));
			centre[k] = next;
		}
	}
}

/*
 * The most frequent distance above 1 between consecutive numbers of the N
 * STEPS, the smallest among equals; 0 when none repeats.  Overwrites STEPS
 * with distances.
 */
static int64_t
period_of(int64_t *steps, size_t n)
{
	int64_t best = 0, apart;
	size_t most = 1, same, distances = 0;

	for (size_t i = 1; i < n; i++) {
		apart = steps[i] - steps[i - 1];
		if (apart > 1)
			steps[distances++] = apart;
	}
	if (distances < 2)
		return 0;
	tp_sort_ints(steps, distances);
	for (size_t i = 0; i < distances; i += same) {
		for (same = 1; i + same < distances &&
		    steps[i + same] == steps[i]; same++)
			;
		if (same > most) {
			most = same;
			best = steps[i];
		}
	}
	return best;
}

/* The steps that are classed, and room for as many. */
struct steps {
	const double *ps;
	const int64_t *numbers;
	size_t n;
	double *x;
	int64_t *of;		/* numbers */
};

/* Describe the steps with HEAVY equal to WHICH (HEAVY NULL: all). */
static void
describe(struct tp_step_class *c, const char *name, const struct steps *s,
    const unsigned char *heavy, unsigned char which)
{
	size_t k = 0;
	double apart, best = INFINITY;

	for (size_t i = 0; i < s->n; i++)
		if (!heavy || heavy[i] == which) {
			s->of[k] = s->numbers[i];
			s->x[k++] = s->ps[i];
		}
	memset(c, 0, sizeof *c);
	for (size_t i = 1; i < k; i++)
		c->consecutive += s->of[i] == s->of[i - 1] + 1;
	c->name = name;
	tp_step_times(&c->times, s->x, k);
	c->share = (double)k / (double)s->n;
	c->period = heavy && which ? period_of(s->of, k) : 0;
	for (size_t i = 0; i < s->n; i++) {
		if (heavy && heavy[i] != which)
			continue;
		apart = fabs(s->ps[i] - c->times.median);
		if (apart < best) {
			best = apart;
			c->number = s->numbers[i];
			c->ps = s->ps[i];
		}
	}
}

/* Split into two classes of steps if they are clearly apart, else one. */
static size_t
classify(struct tp_step_class *classes, const struct steps *s,
    const struct tp_step_least *least, unsigned char *heavy)
{
	const struct tp_step_times *all = &classes[0].times;
	size_t members[2] = { 0, 0 };

	describe(&classes[0], "typical", s, NULL, 0);
	if (s->n < least->steps || all->min <= 0 || all->max / all->min < 1.25)
		return 1;
	two_means(s->ps, s->n, all->min, all->max, heavy);
	for (size_t i = 0; i < s->n; i++)
		members[heavy[i]]++;
	for (int k = 0; k < 2; k++)
		if (members[k] < least->members ||
		    (double)members[k] < least->share * (double)s->n)
			return 1;
	describe(&classes[0], "light", s, heavy, 0);
	describe(&classes[1], "heavy", s, heavy, 1);
	if (classes[1].times.median / classes[0].times.median >= 1.5)
		return 2;
	describe(&classes[0], "typical", s, NULL, 0);
	return 1;
}

size_t
tp_step_classes(struct tp_step_class classes[2], const double *ps,
    const int64_t *numbers, size_t n, const struct tp_step_least *least,
    unsigned char *heavy)
{
	struct steps s = { ps, numbers, n, NULL, NULL };
	size_t count;

	if (!n)
		return 0;
	s.x = tp_alloc(n * sizeof *s.x);
	s.of = tp_alloc(n * sizeof *s.of);
	count = classify(classes, &s, least, heavy);
	tp_free(s.x);
	tp_free(s.of);
	return count;
}

void
tp_step_class_put(struct tp_out *out, const struct tp_step_class *classes,
    size_t i)
{
	const struct tp_step_class *c = &classes[i];
	double light = classes[0].times.median;

	tp_out_text(out, "class", c->name);
	tp_out_int(out, "step_count", (int64_t)c->times.count);
	tp_out_real(out, "step_ratio", c->share);
	tp_step_times_put(out, &c->times);
	tp_out_int(out, "typical_number", c->number);
	if (!i && strcmp(c->name, "light"))
		return;
	tp_out_int(out, "consecutive_count", (int64_t)c->consecutive);
	if (!i)
		return;
	if (light > 0) {
		tp_out_real(out, "slower_factor", c->times.median / light);
		tp_out_real_ps(out, "extra_wall_ns", (double)c->times.count *
		    (c->times.median - light));
	}
	if (c->period)
		tp_out_int(out, "period_steps", c->period);
}
