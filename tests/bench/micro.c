/*
 * micro - what a union and a quantile cost, beside sorting
 *
 * usage: micro union|union-sort|quantile|quantile-sort N
 * N seeded intervals, starts nearly sorted as profilers write them; durations
 * mostly below a millisecond with a long tail.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/ival.h>
#include <tp/stat.h>

static uint64_t state = 42;

static uint64_t
next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* The next interval: starts rise, one in sixteen is a little late. */
static struct tp_span
interval(void)
{
	static int64_t now;
	uint64_t r = next();
	struct tp_span s;

	now += (int64_t)(r & 0xfff);
	s.from = now - (r >> 60 ? 0 : (int64_t)(r >> 16 & 0x3fff));
	s.to = s.from + 1 + (int64_t)(r >> 32 & 0x7ff);
	return s;
}

static int64_t
duration(void)
{
	uint64_t r = next();

	return (int64_t)((r & 0xfff) << (r >> 60)) + (int64_t)(r >> 32 &
	    0x3ff);
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
union_sorted(size_t n)
{
	struct tp_span *v = malloc(n * sizeof *v);
	int64_t busy = 0, from, to;
	size_t i;

	for (i = 0; v && i < n; i++)
		v[i] = interval();
	qsort(v, n, sizeof *v, by_from);
	for (i = 0, from = to = v[0].from; i < n; i++) {
		if (v[i].from > to) {
			busy += to - from;
			from = v[i].from;
		}
		if (v[i].to > to)
			to = v[i].to;
	}
	free(v);
	return busy + to - from;
}

static int64_t
union_streamed(size_t n)
{
	struct tp_ival v = { 0 };
	struct tp_span s;
	int64_t busy;

	while (n--) {
		s = interval();
		tp_ival_add(&v, s.from, s.to);
	}
	tp_ival_finish(&v);
	busy = tp_ival_busy(&v);
	tp_ival_release(&v);
	return busy;
}

static int64_t
quantile(size_t n, int sorted)
{
	int64_t *v = sorted ? malloc(n * sizeof *v) : NULL, q;
	struct tp_stat s = { 0 };
	size_t i;

	for (i = 0; i < n; i++) {
		if (sorted)
			v[i] = duration();
		else
			tp_stat_add(&s, duration());
	}
	if (sorted) {
		qsort(v, n, sizeof *v, ascending);
		q = v[(n * 50 + 99) / 100 - 1] + v[(n * 99 + 99) / 100 - 1];
	} else {
		q = tp_stat_quantile(&s, 50, 100) +
		    tp_stat_quantile(&s, 99, 100);
	}
	free(v);
	tp_stat_release(&s);
	return q;
}

int
main(int argc, char *argv[])
{
	size_t n = argc == 3 ? (size_t)atol(argv[2]) : 0;
	int64_t result;

	if (!n)
		return 2;
	if (!strcmp(argv[1], "union"))
		result = union_streamed(n);
	else if (!strcmp(argv[1], "union-sort"))
		result = union_sorted(n);
	else
		result = quantile(n, !strcmp(argv[1], "quantile-sort"));
	printf("%lld\n", (long long)result);
	return 0;
}
