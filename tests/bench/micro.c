/*
 * micro - what a union and a quantile cost, beside sorting and summing
 *
 * usage: micro union|union-sort|union-sum|quantile|quantile-sort|
 *	quantile-sum|long|long-sort|long-sum N
 * N seeded intervals, starts nearly sorted as profilers write them; durations
 * of any size below a millisecond, and one in sixteen beyond, so that both
 * quantiles are exact; "long": 38 % of them beyond, so that the upper
 * one is not.  They are made before the clock (clock.h) starts.
 */
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "ival.h"
#include "seeded.h"
#include "stat.h"

/* Starts rise, one in sixteen is a little late. */
static void
fill_spans(void *array, size_t n)
{
	struct tp_span *v = array;
	int64_t now = 0;
	uint64_t r;

	for (size_t i = 0; i < n; i++) {
		r = seeded_next();
		now += (int64_t)(r & 0xfff);
		v[i].from = now - (r >> 60 ? 0 : (int64_t)(r >> 16 & 0x3fff));
		v[i].to = v[i].from + 1 + (int64_t)(r >> 32 & 0x7ff);
	}
}

static void
fill_durations(void *array, size_t n)
{
	int64_t *v = array;
	uint64_t r;

	for (size_t i = 0; i < n; i++) {
		r = seeded_next();
		v[i] = (int64_t)((r & 0xfff) << (r >> 57) % 9) +
		    (int64_t)(r >> 32 & 0x3ff);
		if (!(r >> 48 & 0xf))
			v[i] = (v[i] & 0xfffff) << 7 | (1 << 20);
	}
}

static void
fill_long(void *array, size_t n)
{
	int64_t *v = array;
	uint64_t r;

	for (size_t i = 0; i < n; i++) {
		r = seeded_next();
		v[i] = (int64_t)((r & 0xfff) << (r >> 60)) +
		    (int64_t)(r >> 32 & 0x3ff);
	}
}

static int
by_from(const void *a, const void *b)
{
	const struct tp_span *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

static int
ascending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static int64_t
union_streamed(void *array, size_t n)
{
	const struct tp_span *v = array;
	struct tp_ival u = { 0 };
	int64_t busy;

	for (size_t i = 0; i < n; i++)
		tp_ival_add(&u, v[i].from, v[i].to);
	tp_ival_finish(&u);
	busy = tp_ival_busy(&u);
	tp_ival_release(&u);
	return busy;
}

static int64_t
union_sorted(void *array, size_t n)
{
	struct tp_span *v = array;
	int64_t busy = 0, from, to;

	qsort(v, n, sizeof *v, by_from);
	from = to = v[0].from;
	for (size_t i = 0; i < n; i++) {
		if (v[i].from > to) {
			busy += to - from;
			from = v[i].from;
		}
		if (v[i].to > to)
			to = v[i].to;
	}
	return busy + to - from;
}

static int64_t
union_summed(void *array, size_t n)
{
	const struct tp_span *v = array;
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i].to - v[i].from;
	return sum;
}

static int64_t
quantile_streamed(void *array, size_t n)
{
	const int64_t *v = array;
	struct tp_stat s = { 0 };
	int64_t q;

	for (size_t i = 0; i < n; i++)
		tp_stat_add(&s, v[i]);
	q = tp_stat_quantile(&s, 50, 100) + tp_stat_quantile(&s, 99, 100);
	tp_stat_release(&s);
	return q;
}

static int64_t
quantile_sorted(void *array, size_t n)
{
	int64_t *v = array;

	qsort(v, n, sizeof *v, ascending);
	return v[(n * 50 + 99) / 100 - 1] + v[(n * 99 + 99) / 100 - 1];
}

static int64_t
quantile_summed(void *array, size_t n)
{
	const int64_t *v = array;
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	return sum;
}

static const struct work {
	const char *name;
	void (*fill)(void *array, size_t n);
	int64_t (*run)(void *array, size_t n);
} works[] = {
	{ "union", fill_spans, union_streamed },
	{ "union-sort", fill_spans, union_sorted },
	{ "union-sum", fill_spans, union_summed },
	{ "quantile", fill_durations, quantile_streamed },
	{ "quantile-sort", fill_durations, quantile_sorted },
	{ "quantile-sum", fill_durations, quantile_summed },
	{ "long", fill_long, quantile_streamed },
	{ "long-sort", fill_long, quantile_sorted },
	{ "long-sum", fill_long, quantile_summed },
	{ 0 }
};

int
main(int argc, char *argv[])
{
	size_t n = argc == 3 ? (size_t)atol(argv[2]) : 0;
	const struct work *w = works;
	struct clock start;
	int64_t result;
	void *v;

	while (n && w->name && strcmp(w->name, argv[1]))
		w++;
	if (!n || !w->name)
		return 2;
	v = malloc(n * sizeof(struct tp_span));
	if (!v)
		return 5;
	w->fill(v, n);
	start = clock_now();
	result = w->run(v, n);
	clock_report(start, n, 0);
	printf("%lld\n", (long long)result);
	free(v);
	return 0;
}
