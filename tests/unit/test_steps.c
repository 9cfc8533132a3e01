/* Steps among parts of GPU work, spread, and starts by slices. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/metal/steps.h>

#include "metal/starts.h"
#include "pick.h"
#include "spread.h"

#define MS INT64_C(1000000)

static int failed;

static void
expect(const char *what, int yes)
{
	if (yes)
		return;
	printf("not ok steps: %s\n", what);
	failed = 1;
}

static struct tp_part parts[64];
static size_t part_count;

/* A part of BUSY ns and INTERVALS, PAUSE ns after the one before. */
static void
part(int64_t pause, int64_t busy, int64_t intervals)
{
	int64_t at = part_count ? parts[part_count - 1].to_ns + pause : pause;

	parts[part_count++] = (struct tp_part){ at, at + busy, busy,
	    intervals };
}

static struct tp_steps_found
find(int64_t under_ns)
{
	struct tp_steps_found found = { 0 };

	tp_steps_in_parts(parts, part_count, under_ns, 0, &found);
	part_count = 0;
	return found;
}

static void
test_loop(void)
{
	struct tp_steps_found f;
	size_t i;

	part(5 * MS, 40 * MS, 12);
	part(30 * MS, 90 * MS, 50);
	for (i = 0; i < 5; i++)
		part(20 * MS, 70 * MS + (int64_t)i * MS, 50);
	part(10 * MS, 30 * MS, 25);
	f = find(100000);
	expect("a slower first step is one", f.method && f.count == 6);
	expect("the pause that separates", f.limit_ns == 10 * MS);
	expect("what comes before", f.before_ns == 40 * MS);
	expect("what comes after", f.after_ns == 30 * MS);
	/* loading ended at 45 ms, and the pause is no longer than a step */
	expect("the first begins after loading",
	    f.steps[0].start_ns == 45 * MS);
	expect("a step begins where the one before ended",
	    f.steps[1].start_ns == f.steps[0].end_ns);
	tp_free(f.steps);

	part(5 * MS, 40 * MS, 12);
	for (i = 0; i < 4; i++)
		part(i ? 20 * MS : 900 * MS, 70 * MS, 50);
	f = find(100000);
	expect("a long pause is no part of the first step", f.count == 4 &&
	    f.steps[0].start_ns == f.steps[0].first_ns);
	tp_free(f.steps);
}

/* A pause inside of some steps is no border. */
static void
test_inner_pause(void)
{
	struct tp_steps_found f;

	for (int i = 0; i < 6; i++) {
		part(60 * MS, 30 * MS, 20);
		part(2 * MS, 40 * MS, 30);
	}
	parts[7].busy_ns -= 5 * MS;
	part(60 * MS, 70 * MS, 50);
	f = find(100000);
	expect("pieces of a step are joined", f.count == 7 &&
	    f.steps[3].intervals == 50);
	tp_free(f.steps);
}

static void
test_none(void)
{
	struct tp_steps_found f;

	part(0, 70 * MS, 50);
	f = find(0);
	expect("one part has no pause", !f.method &&
	    !strcmp(f.reason, "no-pause"));
	part(0, 70 * MS, 50);
	part(9 * MS, 70 * MS, 50);
	f = find(0);
	expect("two parts are too few", !strcmp(f.reason, "too-few"));
	for (int i = 0; i < 9; i++)
		part(9 * MS, (i % 2 ? 70 : 20) * MS, i % 2 ? 50 : 9);
	f = find(0);
	expect("taking turns is not following each other", !f.method &&
	    !strcmp(f.reason, "not-alike"));
	for (int i = 0; i < 9; i++)
		part(700 * MS, 20 * MS, 9);
	f = find(0);
	expect("bursts leave the GPU idle", !f.method &&
	    !strcmp(f.reason, "idle"));
	part(9 * MS, 900 * MS, 400);
	for (int i = 0; i < 4; i++)
		part(9 * MS, 20 * MS, 9);
	f = find(0);
	expect("steps hold half of the work", !f.method);
}

/* Noise is hardly ever taken for steps. */
static void
test_noise(void)
{
	int found = 0;

	for (int round = 0; round < 1000; round++) {
		int64_t n = 3 + pick(40), work;
		struct tp_steps_found f;

		for (int64_t i = 0; i < n; i++) {
			work = 1 + pick(100);
			part(MS + pick(9 * MS),
			    work * MS + pick(MS), work);
		}
		f = find(100000);
		found += f.method != NULL;
		tp_free(f.steps);
	}
	if (found > 10) {
		printf("not ok steps: %d of 1000 in noise\n", found);
		failed = 1;
	}
}

static void
test_spread(void)
{
	struct tp_spread s = { 0 };

	expect("no spread of nothing", isnan(tp_spread_cv(&s)));
	tp_spread_add(&s, 2);
	expect("no spread of one", isnan(tp_spread_cv(&s)));
	tp_spread_add(&s, 4);
	expect("spread of two", fabs(tp_spread_cv(&s) - 1.0 / 3) < 1e-15);
	for (int i = 0; i < 2; i++)
		tp_spread_add(&s, INT64_MAX);
	expect("spread of large values", tp_spread_cv(&s) > 0.99);
	tp_spread_add(&s, INT64_MAX);
	expect("squares that do not fit", isnan(tp_spread_cv(&s)));
}

static uint64_t counted[4];

static void
count(void *arg, int64_t from_ns, int64_t to_ns, uint64_t n)
{
	const int64_t *borders = arg;

	for (int i = 0; i < 4; i++)
		if (from_ns < borders[i] + 10 * MS && to_ns > borders[i])
			counted[i] += n;
}

/* Parts that a slice of idle time sets apart are counted exactly. */
static void
test_starts(void)
{
	static const int64_t length = 10 * MS, pause = MS;
	uint64_t want[4] = { 0 };
	struct tp_starts s = { 0 };
	int64_t borders[4];
	size_t at;

	for (int i = 0; i < 4; i++)
		borders[i] = i * (length + pause);
	for (int i = 0; i < 100000; i++) {
		at = pick(4);
		want[at]++;
		tp_starts_add(&s, 2, borders[at] + pick((uint64_t)length), 1);
		tp_starts_add(&s, 0, 5, 3);
	}
	tp_starts_each(&s, 2, count, borders);
	/* nothing of a group that never began */
	tp_starts_each(&s, 9, count, borders);
	expect("starts in any order", !memcmp(want, counted, sizeof want));
	tp_starts_release(&s);
}

int
main(void)
{
	test_loop();
	test_inner_pause();
	test_none();
	test_noise();
	test_spread();
	test_starts();
	if (!failed)
		printf("ok steps\n");
	return failed;
}
