/* The parts of a run, against a bitmap. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <tp/slices.h>

#include "pick.h"

#define WIDTH 200

static int failed;

static void
complain(const char *what, int round)
{
	printf("not ok strip: %s in round %d\n", what, round);
	failed = 1;
}

/* The parts follow each other, and each holds the bits of its own. */
static void
hold(const struct tp_busy_part *p, size_t count, const char *map, int64_t from,
    int64_t to, int round)
{
	for (size_t i = 0; i < count; i++) {
		int64_t bits = 0, length = p[i].to - p[i].from;

		for (int64_t b = p[i].from; b < p[i].to; b++)
			bits += map[b];
		if (bits != p[i].busy)
			complain("busy time differs", round);
		if (p[i].from != (i ? p[i - 1].to : from))
			complain("parts do not join", round);
		if (length < (to - from) / (int64_t)count ||
		    length > (to - from) / (int64_t)count + 1)
			complain("parts are of other lengths", round);
	}
	if (p[count - 1].to != to)
		complain("the end is missing", round);
}

static void
random_round(int round)
{
	struct tp_ival u = { 0 };
	struct tp_busy_part parts[64];
	char map[WIDTH] = { 0 };
	int64_t from = pick(100), to = from + 1 + pick(100);
	size_t count = 1 + (size_t)pick(64);

	for (int i = 0; i < 20; i++) {
		int64_t a = pick(WIDTH - 10), b = a + pick(10);

		memset(map + a, 1, (size_t)(b - a));
		if (tp_ival_add(&u, a, b) < 0)
			complain("out of memory", round);
	}
	if (tp_ival_finish(&u) < 0 || tp_slices_make(&u, from, to, 1, parts,
	    count) < 0)
		complain("out of memory", round);
	else
		hold(parts, count, map, from, to, round);
	tp_ival_release(&u);
}

int
main(void)
{
	struct tp_ival u = { 0 };
	struct tp_busy_part p[3];

	for (int round = 0; round < 2000 && !failed; round++)
		random_round(round);
	/* products beyond 64 bits */
	if (tp_ival_add(&u, 0, INT64_MAX) < 0 || tp_ival_finish(&u) < 0 ||
	    tp_slices_make(&u, 0, INT64_MAX, 1, p, 3) < 0 ||
	    p[2].from != INT64_MAX / 3 * 2 || p[2].busy != p[2].to - p[2].from)
		complain("a long run", -1);
	tp_ival_release(&u);
	if (!failed)
		printf("ok strip: parts are as a bitmap has them\n");
	return failed;
}
