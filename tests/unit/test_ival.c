/* The union of intervals, against a bitmap. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "merge.h"
#include "pick.h"

#define WIDTH 512

static int failed;

static void
complain(const char *what, int round)
{
	printf("not ok ival: %s in round %d\n", what, round);
	failed = 1;
}

static int64_t
bits(const char *map)
{
	int64_t n = 0;

	for (int i = 0; i < WIDTH; i++)
		n += map[i];
	return n;
}

/* The spans of IVAL are exactly the runs of MAP. */
static int
same_spans(const struct tp_ival *ival, const char *map)
{
	struct tp_ival_walk walk;
	struct tp_span span;
	uint64_t spans = 0;
	int at = 0, more;

	tp_ival_begin(&walk, ival);
	while ((more = tp_ival_next(&walk, &span))) {
		spans++;
		while (at < WIDTH && !map[at])
			at++;
		if (span.from != at)
			break;
		while (at < WIDTH && map[at])
			at++;
		if (span.to != at)
			break;
	}
	tp_ival_stop(&walk);
	while (at < WIDTH && !map[at])
		at++;
	return !more && at == WIDTH && spans == tp_ival_count(ival);
}

static void
fill(struct tp_ival *ival, char *map, int count, int sorted)
{
	int64_t from = 0, len;

	for (int i = 0; i < count; i++) {
		from = sorted ? from + pick(4) : pick(WIDTH - 20);
		if (from > WIDTH - 20)
			break;
		len = pick(20);
		tp_ival_add(ival, from, from + len);
		memset(map + from, 1, (size_t)len);
	}
	tp_ival_finish(ival);
}

static void
check_small(int round)
{
	struct tp_ival a = { 0 }, b = { 0 }, both = { 0 };
	char map_a[WIDTH] = { 0 }, map_b[WIDTH] = { 0 };
	char map_both[WIDTH] = { 0 };

	fill(&a, map_a, (int)pick(80), round & 1);
	fill(&b, map_b, (int)pick(80), 0);
	if (tp_ival_busy(&a) != bits(map_a))
		complain("busy", round);
	if (!same_spans(&a, map_a) || !same_spans(&b, map_b))
		complain("spans", round);
	for (int i = 0; i < WIDTH; i++)
		map_both[i] = map_a[i] && map_b[i];
	if (tp_ival_common(&a, &b) != bits(map_both))
		complain("common", round);
	tp_ival_meet(&both, &a, &b);
	tp_ival_finish(&both);
	if (!same_spans(&both, map_both))
		complain("meet", round);
	tp_ival_release(&both);
	tp_ival_release(&a);
	tp_ival_release(&b);
}

/*
 * COUNT spans of 3 with a gap of 2, given in the order that STEP makes; then
 * every gap but each hundredth is closed.
 */
static void
check_many(uint64_t count, uint64_t step, const char *order)
{
	struct tp_ival a = { 0 };
	uint64_t i, at = 0;

	for (i = 0; i < count; i++, at = (at + step) % count)
		tp_ival_add(&a, (int64_t)at * 5, (int64_t)at * 5 + 3);
	tp_ival_finish(&a);
	if (tp_ival_count(&a) != count ||
	    tp_ival_busy(&a) != (int64_t)count * 3)
		complain(order, 1);
	for (i = 0; i + 1 < count; i++)
		if (i % 100 != 0)
			tp_ival_add(&a, (int64_t)i * 5 + 3, (int64_t)i * 5 + 5);
	tp_ival_finish(&a);
	if (tp_ival_count(&a) != 1 + (count - 2) / 100 + 1 ||
	    tp_ival_busy(&a) != (int64_t)(count * 5 - 2 -
	    2 * (1 + (count - 2) / 100)))
		complain(order, 2);
	tp_ival_release(&a);
}

/* Spans in order, then one interval that touches one of them: wherever it is,
 * the last one that was closed included, it is no span of its own. */
static void
check_touching(void)
{
	enum { COUNT = 4500 };

	for (int k = 0; k < COUNT; k++) {
		struct tp_ival a = { 0 };

		for (int i = 0; i < COUNT; i++)
			tp_ival_add(&a, i * 5, i * 5 + 3);
		tp_ival_add(&a, k * 5 + 3, k * 5 + 4);
		tp_ival_finish(&a);
		if (tp_ival_count(&a) != COUNT ||
		    tp_ival_busy(&a) != COUNT * 3 + 1)
			complain("touching span", k);
		tp_ival_release(&a);
	}
}

static void
check_edges(void)
{
	struct tp_ival a = { 0 };

	tp_ival_finish(&a);
	if (tp_ival_busy(&a) || tp_ival_count(&a))
		complain("empty union", 0);
	tp_ival_add(&a, 5, 5);
	tp_ival_add(&a, 7, 6);
	tp_ival_finish(&a);
	if (tp_ival_busy(&a) || tp_ival_count(&a))
		complain("empty intervals", 0);
	tp_ival_add(&a, 0, 10);
	tp_ival_add(&a, 10, 20);
	tp_ival_add(&a, 3, 4);
	tp_ival_finish(&a);
	if (tp_ival_busy(&a) != 20 || tp_ival_count(&a) != 1)
		complain("touching and inner intervals", 0);
	tp_ival_release(&a);
}

/* Unions merged: every span once, in order, and the length and the gaps of
 * all of them together. */
static void
check_merge(int round)
{
	enum { MOST = 9 };
	struct tp_ival v[MOST] = { { 0 } };
	const struct tp_ival *of[MOST];
	char map[WIDTH] = { 0 };
	struct tp_merge m;
	struct tp_sweep all = { 0 };
	const struct tp_span *s;
	int64_t last = INT64_MIN;
	size_t which, before = 0, count, k, n = (size_t)pick(MOST + 1), i;
	uint64_t given = 0, want = 0;
	int64_t gaps = 0, first = -1;

	for (i = 0; i < n; i++) {
		fill(&v[i], map, (int)pick(30), round & 1);
		of[i] = &v[i];
		want += tp_ival_count(&v[i]);
	}
	tp_merge_begin(&m, of, n);
	while (tp_merge_next(&m, &s, &count, &which)) {
		if (which >= n || !count)
			complain("union of merged spans", round);
		for (k = 0; k < count; k++) {
			if (s[k].from < last || (s[k].from == last &&
			    which <= before))
				complain("order of merged spans", round);
			last = s[k].from;
			before = which;
			first = given++ ? first : last;
			gaps += tp_sweep_add(&all, s[k].from, s[k].to);
		}
	}
	tp_merge_stop(&m);
	if (given != want)
		complain("merged spans", round);
	if (all.busy != bits(map) || (given && gaps != all.to - first -
	    all.busy))
		complain("length of merged spans", round);
	for (i = 0; i < n; i++)
		tp_ival_release(&v[i]);
}

/* Lanes of many spans, of which some begin as others of another do: each
 * comes when it is its turn, however many of one come in a row. */
static void
check_turns(void)
{
	enum { EACH = 1000 };
	static const int64_t apart[] = { 10, 490, 10 };
	struct tp_ival v[3] = { { 0 } };
	const struct tp_ival *of[] = { &v[0], &v[1], &v[2] };
	const struct tp_span *s;
	size_t which, count, at[3] = { 0 }, i;
	struct tp_merge m;

	/* the last one begins where the first one ends */
	for (i = 0; i < EACH; i++) {
		tp_ival_add(&v[0], (int64_t)i * 10, (int64_t)i * 10 + 3);
		if (i * 490 < EACH * 10)
			tp_ival_add(&v[1], (int64_t)i * 490,
			    (int64_t)i * 490 + 3);
		tp_ival_add(&v[2], (EACH + (int64_t)i) * 10,
		    (EACH + (int64_t)i) * 10 + 3);
	}
	tp_merge_begin(&m, of, 3);
	while (tp_merge_next(&m, &s, &count, &which))
		for (i = 0; i < count; i++) {
			int64_t from = (int64_t)at[which]++ * apart[which] +
			    (which == 2 ? EACH * 10 : 0);

			if (s[i].from != from || (which == 0 && (size_t)((from +
			    489) / 490) != at[1]) || (which == 1 &&
			    (size_t)(from / 10) + 1 != at[0]) ||
			    (which == 2 && at[0] != EACH))
				complain("a span before its turn", (int)from);
		}
	tp_merge_stop(&m);
	if (at[0] != EACH || at[2] != EACH || at[1] != tp_ival_count(&v[1]))
		complain("spans of many", 0);
	for (i = 0; i < 3; i++)
		tp_ival_release(&v[i]);
}

int
main(void)
{
	check_edges();
	check_touching();
	check_turns();
	for (int i = 0; i < 3000; i++)
		check_small(i), check_merge(i);
	check_many(30001, 1, "many, in order");
	check_many(30001, 30000, "many, backwards");
	check_many(30001, 9176, "many, anyhow");
	if (!failed)
		printf("ok ival: busy, spans, common parts and merges of "
		    "any order\n");
	return failed;
}
