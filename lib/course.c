/* course - change points of a series of measurements */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include <tp/alloc.h>

#include "course.h"
#include "splitmix.h"

enum { DRAWS = 999, DRAWS_BEYOND = 8 };	/* p = (1 + 8) / (1 + 999) < 1 % */
enum { PLACES = 200 };
#define FLOOR 1e-9	/* variance assumed for values without noise */

/* Values FIRST to END - 1: a level, or a ramp from FROM to TO. */
struct piece {
	size_t first, end, from, to;
	double base, slope;
};

/* Fit of some pieces: residual and number of parameters. */
struct fit {
	double residual;	/* sum of squares */
	size_t numbers;
};

struct search {
	double *y;		/* logarithms */
	double *sum;		/* prefix sums of y */
	double *square;		/* prefix sums of y * y */
	double *moment;		/* prefix sums of i * y */
	double *mixed;		/* shuffled values */
	double *walk;		/* their prefix sums minus the mean */
	double *weight;		/* of an arc of m values against the rest */
	struct piece *pieces;
	size_t count, cap;
	uint64_t state;
};

/* Values I to J - 1 of a part against the rest: squares explained. */
struct arc {
	size_t i, j;
	double gain;
};

/*
 * Find the best arc and the best split of N values with prefix sums WALK
 * (minus the mean), looking only at every GRIDth place.
 */
static void
find_arc(const double *walk, const double *weight, size_t n, size_t grid,
    struct arc *arc, struct arc *split)
{
	memset(arc, 0, sizeof *arc);
	memset(split, 0, sizeof *split);
	for (size_t i = 0; i + TP_COURSE_LEVEL <= n; i += grid) {
		if (i && i < TP_COURSE_LEVEL)
			continue;
		for (size_t j = i + grid; ; j += grid) {
			size_t end = j < n ? j : n, m = end - i;
			struct arc *to = i && end < n ? arc : split;
			double d, gain;

			if (m >= TP_COURSE_LEVEL && n - m >= TP_COURSE_LEVEL &&
			    (end == n || n - end >= TP_COURSE_LEVEL)) {
				d = walk[end] - walk[i];
				gain = d * d * weight[m];
				if (gain > to->gain) {
					to->i = i;
					to->j = end;
					to->gain = gain;
				}
			}
			if (end == n)
				break;
		}
	}
	if (split->gain >= arc->gain)
		*arc = *split;
}

/* Prefix sums of the N values at Y, minus their mean. */
static void
add_up(const double *y, size_t n, double mean, double *walk)
{
	walk[0] = 0;
	for (size_t i = 0; i < n; i++)
		walk[i + 1] = walk[i] + y[i] - mean;
}

/*
 * Permutation test: whether *ARC, the best arc, exceeds what random orders
 * of its N values show.  When *SPLIT passes too, it replaces *ARC.
 */
static int
is_change(struct search *s, size_t a, size_t n, size_t grid, struct arc *arc,
    const struct arc *split)
{
	size_t beyond = 0, split_beyond = 0;
	double mean = (s->sum[a + n] - s->sum[a]) / (double)n;

	memcpy(s->mixed, s->y + a, n * sizeof *s->mixed);
	for (size_t draw = 0; draw < DRAWS; draw++) {
		struct arc best, other;

		for (size_t i = n - 1; i > 0; i--) {
			size_t k = tp_splitmix(&s->state) % (i + 1);
			double t = s->mixed[i];

			s->mixed[i] = s->mixed[k];
			s->mixed[k] = t;
		}
		add_up(s->mixed, n, mean, s->walk);
		find_arc(s->walk, s->weight, n, grid, &best, &other);
		/* equal except for rounding in another order */
		beyond += best.gain >= arc->gain * (1 - 1e-9);
		split_beyond += best.gain >= split->gain * (1 - 1e-9);
		if (beyond > DRAWS_BEYOND)
			return 0;
	}
	if (split_beyond <= DRAWS_BEYOND)
		*arc = *split;
	return 1;
}

/* Sum of squares of values A to B - 1 about their mean. */
static double
spread(const struct search *s, size_t a, size_t b)
{
	double sum = s->sum[b] - s->sum[a];
	double x = s->square[b] - s->square[a] - sum * sum / (double)(b - a);

	return x > 0 ? x : 0;
}

/* The place from LOW to HIGH that best splits values A to B - 1. */
static size_t
find_best_split(const struct search *s, size_t a, size_t b, size_t low,
    size_t high)
{
	size_t best = low;

	for (size_t k = low + 1; k <= high; k++)
		if (spread(s, a, k) + spread(s, k, b) <
		    spread(s, a, best) + spread(s, best, b))
			best = k;
	return best;
}

/* Fit a ramp over piece P; returns the residual sum of squares. */
static double
fit_ramp(const struct search *s, struct piece *p)
{
	double n = (double)(p->end - p->first);
	double len = (double)(p->to - p->from);
	double rest = (double)(p->end - 1 - p->to);
	double r = len * (len + 1) / 2 + len * rest;
	double rr = len * (len + 1) * (2 * len + 1) / 6 + len * len * rest;
	double y = s->sum[p->end] - s->sum[p->first];
	double ry = s->moment[p->to + 1] - s->moment[p->from + 1] -
	    (double)p->from * (s->sum[p->to + 1] - s->sum[p->from + 1]) +
	    len * (s->sum[p->end] - s->sum[p->to + 1]);

	p->slope = (ry - r * y / n) / (rr - r * r / n);
	p->base = (y - p->slope * r) / n;
	return spread(s, p->first, p->end) - p->slope * (ry - r * y / n);
}

static double
bic(const struct fit *f, size_t n)
{
	double left = f->residual > 0 ? f->residual / (double)n : 0;

	return (double)n * log(left + FLOOR) +
	    (double)f->numbers * log((double)n);
}

/*
 * Find the ramp that best describes values A to B - 1: 1, or 0 when there
 * are too few.
 */
static int
best_ramp(const struct search *s, size_t a, size_t b, size_t grid,
    struct piece *best, struct fit *fit)
{
	int any = 0;

	for (size_t from = a; from + TP_COURSE_DRIFT < b; from += grid)
		for (size_t k = from + TP_COURSE_DRIFT; ; k += grid) {
			struct piece p = { a, b, from, k < b ? k : b - 1, 0,
			    0 };
			struct fit f = { fit_ramp(s, &p), 2u + (from > a) +
			    (p.to < b - 1) };

			if (!any || bic(&f, b - a) < bic(fit, b - a)) {
				*best = p;
				*fit = f;
				any = 1;
			}
			if (p.to == b - 1)
				break;
		}
	return any;
}

static void
add_piece(struct search *s, const struct piece *p)
{
	TP_APPEND(s->pieces, s->count, s->cap, *p);
}

static void
add_level(struct search *s, size_t a, size_t b, struct fit *fit)
{
	struct piece p = { a, b, a, a, 0, 0 };

	p.base = (s->sum[b] - s->sum[a]) / (double)(b - a);
	fit->residual += spread(s, a, b);
	fit->numbers++;
	add_piece(s, &p);
}

/* Describe values A to B - 1 by pieces and add their fit to FIT. */
static void
describe(struct search *s, size_t a, size_t b, struct fit *fit)
{
	size_t n = b - a, grid = (n + PLACES - 1) / PLACES, had = s->count;
	double mean = (s->sum[b] - s->sum[a]) / (double)n;
	struct fit steps = { 0 }, ramp = { 0 };
	struct arc arc, split;
	struct piece p;
	size_t ends[4];

	if (n < 2 * TP_COURSE_LEVEL) {
		add_level(s, a, b, fit);
		return;
	}
	for (size_t m = 1; m < n; m++)
		s->weight[m] = (double)n / ((double)m * (double)(n - m));
	add_up(s->y + a, n, mean, s->walk);
	find_arc(s->walk, s->weight, n, grid, &arc, &split);
	if (sqrt(arc.gain * s->weight[arc.j - arc.i]) < TP_COURSE_LEAST ||
	    !is_change(s, a, n, grid, &arc, &split)) {
		add_level(s, a, b, fit);
		return;
	}
	ends[0] = a;
	ends[1] = a + arc.i;
	ends[2] = a + arc.j;
	ends[3] = b;
	for (int i = 1; grid > 1 && i < 3; i++) {
		size_t low = ends[i - 1] + TP_COURSE_LEVEL;
		size_t high = ends[i + 1] - TP_COURSE_LEVEL;

		if (ends[i] == a || ends[i] == b)
			continue;
		if (low + grid < ends[i])
			low = ends[i] - grid;
		if (high > ends[i] + grid)
			high = ends[i] + grid;
		ends[i] =
		    find_best_split(s, ends[i - 1], ends[i + 1], low, high);
	}
	for (int i = 0; i < 3; i++) {
		if (ends[i] == ends[i + 1])
			continue;
		steps.numbers += ends[i] > a;
		describe(s, ends[i], ends[i + 1], &steps);
	}
	if (best_ramp(s, a, b, grid, &p, &ramp) &&
	    bic(&ramp, n) < bic(&steps, n)) {
		s->count = had;
		add_piece(s, &p);
		steps = ramp;
	}
	fit->residual += steps.residual;
	fit->numbers += steps.numbers;
}

static double
level_after(const struct piece *p)
{
	return p->base + p->slope * (double)(p->to - p->from);
}

/* Turn pieces into changes; NOISE is the standard deviation about them. */
static void
derive_changes(const struct search *s, double noise, struct tp_course *c)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct piece *p = &s->pieces[i], *q = p - 1;
		int ramp = p->to > p->from;

		tp_grow(&c->changes, &c->cap, c->count + 2, sizeof *c->changes);
		/* a level close to the end of a ramp is no jump */
		if (i && (!(ramp || q->to > q->from) ||
		    fabs(p->base - level_after(q)) > 3 * noise))
			c->changes[c->count++] = (struct tp_course_change){
				.at = p->first, .until = p->first,
				.first = q->to > q->from ? q->to : q->first,
				.end = ramp ? p->from + 1 : p->end,
				.before = exp(level_after(q)),
				.after = exp(p->base),
			};
		if (ramp)
			c->changes[c->count++] = (struct tp_course_change){
				.is_drift = 1, .at = p->from + 1,
				.until = p->to, .first = p->first,
				.end = p->end, .before = exp(p->base),
				.after = exp(level_after(p)),
			};
	}
}

void
tp_course_find(struct tp_course *c, const double *x, size_t n)
{
	struct search s = { .state = 1 };
	struct fit fit = { 0 };
	double *all;

	for (size_t i = 0; i < n; i++)
		if (!(x[i] > 0) || !isfinite(x[i]))
			return;
	if (!n)
		return;
	all = tp_zalloc(7 * (n + 1) * sizeof *all);
	s.y = all;
	s.sum = s.y + n + 1;
	s.square = s.sum + n + 1;
	s.moment = s.square + n + 1;
	s.mixed = s.moment + n + 1;
	s.walk = s.mixed + n + 1;
	s.weight = s.walk + n + 1;
	for (size_t i = 0; i < n; i++) {
		/*
		 * relative to the first value, since squares of large
		 * logarithms lose digits
		 */
		s.y[i] = log(x[i] / x[0]);
		s.sum[i + 1] = s.sum[i] + s.y[i];
		s.square[i + 1] = s.square[i] + s.y[i] * s.y[i];
		s.moment[i + 1] = s.moment[i] + (double)i * s.y[i];
	}
	describe(&s, 0, n, &fit);
	derive_changes(&s, sqrt(fit.residual / (double)n), c);
	for (size_t i = 0; i < c->count; i++) {
		c->changes[i].before *= x[0];
		c->changes[i].after *= x[0];
	}
	tp_free(s.pieces);
	tp_free(all);
}

double
tp_course_per_run(const struct tp_course_change *change)
{
	return pow(change->after / change->before,
	    1.0 / (double)(change->until - change->at + 1));
}

void
tp_course_release(struct tp_course *c)
{
	tp_free(c->changes);
	memset(c, 0, sizeof *c);
}
