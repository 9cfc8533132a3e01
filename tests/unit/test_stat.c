/* Sums and quantiles, against a sorted copy. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "stat.h"

static int failed;
static uint64_t state = 1181783497276652981u;

static uint64_t
pick(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 2685821657736338717u;
}

static int
by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* Quantile by nearest rank: sorted[ceil(p n) - 1]. */
static int64_t
rank_of(const int64_t *sorted, size_t n, unsigned num, unsigned den)
{
	size_t at = (n * num + den - 1) / den;

	return sorted[at ? at - 1 : 0];
}

/* A value below LIMIT; with 0 the last below a power of two, or that. */
static int64_t
pick_value(uint64_t limit)
{
	if (limit)
		return (int64_t)(pick() % limit);
	return (int64_t)(((uint64_t)1 << (18 + pick() % 45)) - pick() % 2);
}

/* COUNT values below LIMIT, some negative when SIGNED_TOO. */
static void
check(const char *what, size_t count, uint64_t limit, int signed_too)
{
	static const unsigned at[][2] = { { 1, 100 }, { 1, 10 }, { 1, 2 },
	    { 19, 20 }, { 99, 100 }, { 999, 1000 }, { 1, 1 } };
	int64_t *values = malloc(count * sizeof *values);
	struct tp_stat s = { 0 };
	tp_int128 sum = 0;
	int64_t want, got;
	size_t i;

	if (!values)
		abort();
	for (i = 0; i < count; i++) {
		values[i] = pick_value(limit);
		if (signed_too && pick() % 3 == 0)
			values[i] = -values[i];
		sum += values[i];
		tp_stat_add(&s, values[i]);
	}
	qsort(values, count, sizeof *values, by_value);
	for (i = 0; i < sizeof at / sizeof *at; i++) {
		want = rank_of(values, count, at[i][0], at[i][1]);
		got = tp_stat_quantile(&s, at[i][0], at[i][1]);
		if (got == want || (tp_stat_error(&s) > 0 && got <= want &&
		    fabs((double)(want - got)) <= fabs((double)want) *
		    tp_stat_error(&s)))
			continue;
		printf("not ok stat: %s: %u/%u is %" PRId64 ", not %" PRId64
		    "\n", what, at[i][0], at[i][1], got, want);
		failed = 1;
	}
	if (s.count != count || s.min != values[0] ||
	    s.max != values[count - 1] || tp_stat_total(&s) != sum ||
	    tp_stat_mean(&s) != tp_div_even(sum, (tp_int128)count)) {
		printf("not ok stat: %s: count, min, max, sum or mean\n",
		    what);
		failed = 1;
	}
	tp_stat_release(&s);
	free(values);
}

/* Merged from parts, all is as if it had been added to one. */
static void
check_merge(const char *what, size_t count, uint64_t limit, size_t parts)
{
	struct tp_stat whole = { 0 }, merged = { 0 }, part[4] = { { 0 } };
	int64_t value;
	size_t i;

	for (i = 0; i < count; i++) {
		value = pick_value(limit);
		if (limit && pick() % 50 == 0)
			value = -value * ((int64_t)1 << (pick() % 20));
		tp_stat_add(&whole, value);
		tp_stat_add(&part[pick() % parts], value);
	}
	for (i = 0; i < parts; i++) {
		tp_stat_merge(&merged, &part[i]);
		tp_stat_release(&part[i]);
	}
	for (i = 0; i <= 1000; i++)
		if (tp_stat_quantile(&whole, (unsigned)i, 1000) !=
		    tp_stat_quantile(&merged, (unsigned)i, 1000))
			break;
	if (i <= 1000 || whole.count != merged.count ||
	    tp_stat_total(&whole) != tp_stat_total(&merged) ||
	    whole.min != merged.min || whole.max != merged.max ||
	    tp_stat_error(&whole) != tp_stat_error(&merged)) {
		printf("not ok stat: merged: %s\n", what);
		failed = 1;
	}
	tp_stat_release(&whole);
	tp_stat_release(&merged);
}

static void
check_even(int64_t n, int64_t den, int64_t want)
{
	int64_t got = tp_div_even(n, den);

	if (got == want)
		return;
	printf("not ok stat: %" PRId64 " / %" PRId64 " is %" PRId64 ", not %"
	    PRId64 "\n", n, den, got, want);
	failed = 1;
}

static void
check_edges(void)
{
	struct tp_stat s = { 0 };

	if (tp_stat_quantile(&s, 1, 2) || tp_stat_mean(&s) ||
	    tp_stat_sum(&s)) {
		printf("not ok stat: nothing is not 0\n");
		failed = 1;
	}
	for (int i = 0; i < 3; i++)
		tp_stat_add(&s, INT64_MAX);
	if (tp_stat_sum(&s) != INT64_MAX || tp_stat_mean(&s) != INT64_MAX ||
	    tp_stat_quantile(&s, 1, 2) != INT64_MAX) {
		printf("not ok stat: the largest values\n");
		failed = 1;
	}
	tp_stat_release(&s);
}

int
main(void)
{
	check_edges();
	check_even(5, 2, 2);
	check_even(7, 2, 4);
	check_even(-5, 2, -2);
	check_even(-7, 2, -4);
	check_even(1, 3, 0);
	check_even(2, 3, 1);
	check_even(-2, 3, -1);
	check_even(6, 3, 2);
	for (size_t n = 1; n < 40; n++)
		check("a few", n, 50, 1);
	check("ties", 5000, 3, 0);
	check("small", 20000, 1 << 20, 0);
	check("around the limit of counting", 20000, 1 << 21, 0);
	check("negative too", 20000, 1 << 22, 1);
	check("above 32 bits", 20000, (uint64_t)1 << 40, 1);
	check("the same value very often", 300000, 2, 0);
	check("many large", 1300000, (uint64_t)1 << 31, 0);
	check("at powers of two", 30000, 0, 1);
	check("many at powers of two", 1700000, 0, 1);
	check("many beyond 32 bits", 1300000, (uint64_t)1 << 62, 0);
	check_merge("nothing", 0, 1, 2);
	check_merge("a few", 100, 1000, 3);
	check_merge("a list and pages", 9000, 1000, 4);
	check_merge("small", 50000, 1 << 18, 3);
	check_merge("large", 50000, 1 << 25, 3);
	check_merge("the same value very often", 500000, 2, 2);
	check_merge("lists that are too long together", 1500000,
	    (uint64_t)1 << 31, 3);
	check_merge("at powers of two", 1700000, 0, 3);
	check_merge("a list that is too long", 1500000, (uint64_t)1 << 31, 1);
	if (!failed)
		printf("ok stat: exact sums, quantiles by nearest rank\n");
	return failed;
}
