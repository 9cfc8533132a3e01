/* Rows of alike things, their order and statistics; sweeps of a time line. */
#include <stdio.h>

#include "torch/grouping.h"
#include "torch/gpu_time.h"

static int failed;

static void
check(int good, const char *what)
{
	printf("%s torch_table: %s\n", good ? "ok" : "not ok", what);
	failed |= !good;
}

static void
statistics(void)
{
	int64_t odd[] = { 7, 1, 4 }, even[] = { 4, 1, 3, 2 };
	int64_t large[] = { INT64_C(90000000000000000),
	    INT64_C(90000000000000002) };
	struct tp_figures s = tp_figures_of(odd, 3);

	/* squares off the mean of 4: 9, 9, 0; 18 / 2 is 9 */
	check(s.sum == 12 && s.min == 1 && s.max == 7 &&
	    s.mean == 4 && s.median == 4 && s.stdev == 3,
	    "an odd number of values has one in the middle");
	s = tp_figures_of(even, 4);
	/* 2.5 is rounded to even; squares 2.25, .25, .25, 2.25: 5 / 3 */
	check(s.mean == 2 && s.median == 2 && s.stdev == 1,
	    "halves are rounded to even, once");
	s = tp_figures_of(large, 2);
	check(s.sum == INT64_C(180000000000000002) && s.stdev == 1 &&
	    s.mean == INT64_C(90000000000000001),
	    "large values lose nothing");
	s = tp_figures_of(odd, 1);
	check(s.stdev == -1, "a single value has no deviation");
}

static void
list(void)
{
	const uint32_t groups[] = { 2, 0, 2, UINT32_MAX, 1, 0 };
	const int64_t values[] = { 5, 3, 5, 99, 10, 4 };
	struct tp_torch_table t;

	tp_torch_table_make(&t, groups, values, 6, 3);
	check(t.count == 3 && t.sum_ps == 27,
	    "what is in no group is left out");
	check(t.list[0].group == 2 && t.list[1].group == 1 &&
	    t.list[2].group == 0 && t.list[0].count == 2,
	    "rows of one sum stand by their first item");
	check(t.items[t.list[2].first] == 1 && t.items[t.list[2].first + 1] ==
	    5, "items of a row stand in their order");
	tp_torch_table_release(&t);
}

static void
sweep(void)
{
	/* computation [10,30), communication [20,50), a copy [25,60) and,
	 * after 40 idle, [100,104) */
	const struct tp_torch_event work[] = {
	    { .from_ps = 10, .to_ps = 30, .bucket = TP_TORCH_COMPUTATION },
	    { .from_ps = 20, .to_ps = 50, .bucket = TP_TORCH_COMMUNICATION },
	    { .from_ps = 25, .to_ps = 60, .bucket = TP_TORCH_COPY },
	    { .from_ps = 100, .to_ps = 104, .bucket = TP_TORCH_COPY } };
	struct tp_torch_time t = { .micro_ps = 50 };

	for (size_t i = 0; i < 4; i++)
		tp_torch_time_add(&t, &work[i]);
	check(tp_torch_exposed(&t, TP_TORCH_COMPUTATION) == 20 &&
	    tp_torch_exposed(&t, TP_TORCH_COMMUNICATION) == 20 &&
	    tp_torch_exposed(&t, TP_TORCH_COPY) == 14 &&
	    tp_torch_busy(&t) == 54 && tp_torch_span(&t) == 94,
	    "what nothing hides and idle time add up to the span");
	check(t.own[TP_TORCH_COMMUNICATION].busy == 30 &&
	    t.micro_idle_ps == 40 && !t.macro_idle_ps &&
	    t.gap_max_ps == 40, "idle gaps are told by their length");
}

int
main(void)
{
	statistics();
	list();
	sweep();
	return failed;
}
