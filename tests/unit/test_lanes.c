/* The stretches of a lane, against a bitmap. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tp/lanes.h>

#include "pick.h"

#define WIDTH 400	/* units */

static int failed;

static void
complain(const char *what, int round)
{
	printf("not ok lanes: %s in round %d\n", what, round);
	failed = 1;
}

/* Bits of MAP, and where runs of them begin, in [FROM, TO). */
static int64_t
bits(const char *map, int64_t from, int64_t to, int64_t *begins)
{
	int64_t n = 0;

	*begins = 0;
	for (int64_t b = from; b < to; b++) {
		n += map[b];
		*begins += map[b] && (!b || !map[b - 1]);
	}
	return n;
}

static int64_t
to_ns(int64_t t, int64_t unit)
{
	int64_t ns = t / unit, rest = t % unit * 2;

	return ns + (rest > unit || (rest == unit && ns % 2 && unit > 1));
}

/* Each stretch S, behind LAST, holds what the map has there. */
static void
hold(const struct tp_stretch *s, const struct tp_stretch *last,
    const char *map, int64_t unit, int round)
{
	int64_t from = s->from_ns * unit, to = s->to_ns * unit, begins, n;
	int64_t edge = unit - 1;

	if (from < 0 || to > WIDTH || from >= to ||
	    s->from_ns < last->to_ns) {
		complain("stretches out of order", round);
		return;
	}
	n = bits(map, from, to, &begins);
	if (s->busy_ns > s->to_ns - s->from_ns)
		complain("more busy than there is time", round);
	if (n > s->busy_ns * unit + edge || n < s->busy_ns * unit - edge)
		complain("busy time differs", round);
	if (begins != s->count)
		complain("spans are counted otherwise", round);
	if (!bits(map, from, from + unit, &begins) ||
	    !bits(map, to - unit, to, &begins))
		complain("a stretch is not tight", round);
}

static void
random_round(int round)
{
	struct tp_ival u = { 0 };
	struct tp_lane_walk walk;
	struct tp_stretch s, last = { 0 };
	char map[WIDTH] = { 0 };
	int64_t unit = round % 2 ? 4 : 1, busy = 0, count = 0;
	size_t columns = 1 + (size_t)pick(70), stretches = 0;
	int64_t spans = 1 + pick(40), first = WIDTH, end = 0;
	struct tp_lane_columns c;

	for (int i = 0; i < spans; i++) {
		int64_t a = pick(WIDTH - 40), b = a + pick(40);

		memset(map + a, 1, (size_t)(b - a));
		first = a < b && a < first ? a : first;
		end = a < b && b > end ? b : end;
		tp_ival_add(&u, a, b);
	}
	tp_ival_finish(&u);
	c = tp_lane_columns_over(first < end ? first : 0, end, unit, columns);
	tp_lane_begin(&walk, &u, NULL, &c);
	while (tp_lane_next(&walk, &s)) {
		hold(&s, &last, map, unit, round);
		last = s;
		busy += s.busy_ns;
		count += s.count;
		stretches++;
	}
	tp_lane_stop(&walk);
	if (busy != to_ns(tp_ival_busy(&u), unit))
		complain("the sum differs", round);
	if (count != (int64_t)tp_ival_count(&u))
		complain("the count differs", round);
	if (stretches > columns)
		complain("more stretches than columns", round);
	tp_ival_release(&u);
}

/* Spans as FROM, TO, ..., 0 in COUNT columns over [FROM, TO): the stretches as
 * "from-to:busy" are WANT. */
static void
expect(const int64_t *spans, int64_t from, int64_t to, int64_t unit,
    size_t count, const char *want)
{
	struct tp_lane_columns c = tp_lane_columns_over(from, to, unit, count);
	struct tp_ival u = { 0 };
	struct tp_lane_walk walk;
	struct tp_stretch s;
	char got[200] = "";

	for (; spans[1]; spans += 2)
		tp_ival_add(&u, spans[0], spans[1]);
	tp_ival_finish(&u);
	tp_lane_begin(&walk, &u, NULL, &c);
	while (tp_lane_next(&walk, &s))
		snprintf(got + strlen(got), sizeof got - strlen(got),
		    "%" PRId64 "-%" PRId64 ":%" PRId64 " ", s.from_ns,
		    s.to_ns, s.busy_ns);
	tp_lane_stop(&walk);
	tp_ival_release(&u);
	if (strcmp(got, want)) {
		printf("not ok lanes: '%s' is not '%s'\n", got, want);
		failed = 1;
	}
}

/* A column is of the kind with most of its time, a stretch of one kind. */
static void
expect_kinds(void)
{
	static const struct { int64_t from, to; int kind; } work[] = {
		{ 0, 4, 2 }, { 4, 10, 0 }, { 10, 20, 0 }, { 20, 45, 1 },
		/* begins before what was added last */
		{ 15, 49, 2 }, { 60, 99, 2 },
	};
	struct tp_lane_columns c = tp_lane_columns_over(0, 70, 1, 7);
	struct tp_lane_kinds kinds = { 0 };
	struct tp_ival u = { 0 };
	struct tp_lane_walk walk;
	struct tp_stretch s;
	char got[200] = "";

	for (size_t i = 0; i < sizeof work / sizeof *work; i++) {
		tp_ival_add(&u, work[i].from, work[i].to);
		tp_lane_kinds_add(&kinds, &c, work[i].from,
		    work[i].to, work[i].kind);
	}
	tp_ival_finish(&u);
	tp_lane_begin(&walk, &u, &kinds, &c);
	while (tp_lane_next(&walk, &s))
		snprintf(got + strlen(got), sizeof got - strlen(got),
		    "%" PRId64 "-%" PRId64 ":%d ", s.from_ns, s.to_ns,
		    s.kind);
	tp_lane_stop(&walk);
	tp_ival_release(&u);
	tp_lane_kinds_release(&kinds);
	if (strcmp(got, "0-20:0 20-40:1 40-49:2 60-99:2 ")) {
		printf("not ok lanes: kinds are '%s'\n", got);
		failed = 1;
	}
}

int
main(void)
{
	const int64_t half[] = { 0, 500, 0, 0 };
	const int64_t alike[] = { 1, 9, 10, 19, 20, 29, 35, 38, 40, 60, 61, 70,
	    0, 0 };
	const int64_t ties[] = { 0, 500, 2000, 3000, 4500, 6500, 0, 0 };
	const int64_t outside[] = { 1, 5, 30, 45, 0, 0 };
	const int64_t forever[] = { 0, INT64_MAX, 0, 0 };

	for (int round = 0; round < 4000 && !failed; round++)
		random_round(round);
	/* a full column joins full ones only, an empty one ends a stretch, one
	 * that is an eighth off is alike */
	expect(alike, 0, 70, 1, 7, "1-29:26 35-38:3 40-60:20 61-70:9 ");
	/* half a ns, alone and in a sum: half to even, and whole stays whole */
	expect(half, 0, 500, 1000, 3, "0-1:0 ");
	expect(ties, 0, 7000, 1000, 7, "0-1:1 2-3:1 4-5:0 5-6:1 6-7:1 ");
	/* what is outside, and products beyond 64 bits */
	expect(outside, 10, 40, 1, 3, "1-5:4 30-45:15 ");
	expect(forever, 0, INT64_MAX, 1, 3,
	    "0-9223372036854775807:9223372036854775807 ");
	expect_kinds();
	if (!failed)
		printf("ok lanes: stretches are as a bitmap has them\n");
	return failed;
}
