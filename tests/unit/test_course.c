/* Jumps and drifts, in series that are drawn with a fixed seed. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "course.h"
#include "splitmix.h"

static int failed;
static uint64_t state = 7;

static void
ok(int good, const char *what)
{
	printf("%s - course: %s\n", good ? "ok" : "not ok", what);
	failed |= !good;
}

static double
uniform(void)
{
	return ((double)(tp_splitmix(&state) >> 11) + 0.5) * 0x1p-53;
}

/* A normal number of standard deviation 1 (Box and Muller). */
static double
normal(void)
{
	return sqrt(-2 * log(uniform())) *
	    cos(2 * 3.14159265358979323846 * uniform());
}

/* FLAT runs, RISE runs that each grow by SLOPE, then AFTER runs at the level
 * that they lead to and STEP above, all with NOISE. */
static size_t
draw(double *x, size_t flat, size_t rise, double slope, size_t after,
    double step, double noise)
{
	size_t n = 0;
	double level = 0;

	for (size_t i = 0; i < flat + rise + after; i++) {
		level += i >= flat && i < flat + rise ? slope : 0;
		level += i == flat + rise ? step : 0;
		x[n++] = 1e9 * exp(level + noise * normal());
	}
	return n;
}

enum { TIMES = 200 };

static void
noise(void)
{
	double x[50];
	int wrong = 0;

	for (int i = 0; i < 2 * TIMES; i++) {
		struct tp_course c = { 0 };

		tp_course_find(&c, x, draw(x, 20 + (size_t)i % 31, 0, 0, 0, 0,
		    0.01));
		wrong += c.count > 0;
		tp_course_release(&c);
	}
	printf("# a change in %d of %d series of noise\n", wrong, 2 * TIMES);
	ok(wrong <= 2 * TIMES / 50, "noise of 20 to 50 runs changes in at most "
	    "2 % of series");
}

static void
jumps(void)
{
	int found = 0, placed = 0, level = 0;
	double x[25];

	for (int i = 0; i < TIMES; i++) {
		struct tp_course c = { 0 };
		const struct tp_course_change *k;

		tp_course_find(&c, x, draw(x, 20, 0, 0, 5, 0.05, 0.01));
		k = c.changes;
		found += c.count == 1;
		if (c.count == 1 && !k->is_drift) {
			placed += k->at >= 19 && k->at <= 21 &&
			    k->until == k->at && k->first == 0 && k->end == 25;
			level += fabs(log(k->after / k->before) - 0.05) < 0.02;
		}
		tp_course_release(&c);
	}
	printf("# of %d jumps found %d, placed %d, measured %d\n", TIMES,
	    found, placed, level);
	ok(placed >= TIMES * 95 / 100, "a jump of 5 % at 1 % noise is placed "
	    "after five runs");
	ok(level >= TIMES * 95 / 100, "and its size is told");
}

static void
drifts(void)
{
	int found = 0, since = 0, slope = 0;
	double x[40];

	for (int i = 0; i < TIMES; i++) {
		struct tp_course c = { 0 };
		const struct tp_course_change *k;
		size_t flat = i % 2 ? 20 : 1;

		tp_course_find(&c, x, draw(x, flat, 20, 0.005, 0, 0, 0.01));
		k = c.changes;
		if (c.count == 1 && k->is_drift) {
			found++;
			since += k->at + 4 >= flat && k->at <= flat + 4;
			slope += fabs(tp_course_per_run(k) - 1.005) < 0.002;
		}
		tp_course_release(&c);
	}
	printf("# of %d drifts found %d, placed %d, measured %d\n", TIMES,
	    found, since, slope);
	ok(found >= TIMES * 90 / 100, "0.5 % a run over 20 runs is a drift, "
	    "no jump");
	ok(since >= found * 90 / 100, "it is told to four runs when it began");
	ok(slope >= found * 90 / 100, "it is told by how much a run");
}

/* What goes up and comes down again lies within two levels that are one. */
static void
bumps(void)
{
	int found = 0;
	double x[45];

	for (int i = 0; i < TIMES; i++) {
		struct tp_course c = { 0 };

		draw(x, 20, 0, 0, 5, 0.05, 0.01);
		draw(x + 25, 20, 0, 0, 0, 0, 0.01);
		tp_course_find(&c, x, 45);
		found += c.count == 2 && c.changes[0].at >= 19 &&
		    c.changes[0].at <= 21 && c.changes[1].at >= 24 &&
		    c.changes[1].at <= 26 && !c.changes[0].is_drift &&
		    !c.changes[1].is_drift && c.changes[0].end ==
		    c.changes[1].at && c.changes[1].first ==
		    c.changes[0].at;
		tp_course_release(&c);
	}
	printf("# of %d bumps found %d\n", TIMES, found);
	ok(found >= TIMES * 90 / 100, "five runs that are 5 % higher are two "
	    "jumps");
}

/* The only change of the N values at X is a jump at AT from BEFORE to AFTER. */
static int
is_jump(const double *x, size_t n, size_t at, double before, double after)
{
	struct tp_course c = { 0 };
	const struct tp_course_change *k;
	int good;

	tp_course_find(&c, x, n);
	k = c.changes;
	good = c.count == 1 && !k->is_drift && k->at == at &&
	    fabs(k->before / before - 1) < 1e-9 &&
	    fabs(k->after / after - 1) < 1e-9;
	tp_course_release(&c);
	return good;
}

static size_t
count(const double *x, size_t n)
{
	struct tp_course c = { 0 };
	size_t found;

	tp_course_find(&c, x, n);
	found = c.count;
	tp_course_release(&c);
	return found;
}

static void
exact(void)
{
	static double x[3000];

	for (int i = 0; i < 30; i++)
		x[i] = i < 20 ? 4096 : 8192;
	ok(is_jump(x, 30, 20, 4096, 8192), "a step without noise is one jump");
	ok(!count(x, 20) && !count(x, 22), "a constant is none, nor are two "
	    "runs");
	for (int i = 0; i < 30; i++)
		x[i] = i < 20 ? 1e9 : 1e9 + 1e5;
	ok(!count(x, 30), "a change of 0.01 % is none");
	/* a clock of 10 ms, and values that lie between two of its ticks */
	for (int i = 0; i < 30; i++)
		x[i] = (i * 7 % 3 ? 100 : 101) + (i < 20 ? 0 : 3);
	ok(count(x, 20) == 0 && count(x, 30) == 1, "quantised values have the "
	    "change that they have");
	x[3] = 0;
	ok(!count(x, 30), "there is no factor to 0");
	ok(!count(x, 0) && !count(x, 1) && !count(x + 20, 5),
	    "few values say nothing");
	for (int i = 0; i < 40; i++)
		x[i] = i < 20 ? 1e9 : x[i - 1] * 1.01;
	ok(count(x, 40) == 1, "a drift without noise is one change");
	draw(x, 1507, 0, 0, 1493, 0.05, 0.01);
	{
		struct tp_course c = { 0 };

		tp_course_find(&c, x, 3000);
		ok(c.count >= 1 && c.changes[0].at >= 1506 &&
		    c.changes[0].at <= 1508, "in 3000 runs the place is "
		    "exact too");
		tp_course_release(&c);
	}
}

/* A rise that is over is told apart from the level that it led to. */
static void
over(void)
{
	int good = 0;
	double x[60];

	for (int i = 0; i < 100; i++) {
		struct tp_course c = { 0 };

		draw(x, 20, 20, 0.005, 20, 0, 0.01);
		tp_course_find(&c, x, 60);
		good += c.count == 1 && c.changes[0].is_drift &&
		    c.changes[0].until >= 35 && c.changes[0].until <= 44;
		tp_course_release(&c);
	}
	printf("# of 100 drifts that ended found %d\n", good);
	ok(good >= 85, "a drift that is over has an end");
}

int
main(void)
{
	noise();
	jumps();
	drifts();
	bumps();
	exact();
	over();
	return failed;
}
