/* table - group items into rows with sums and statistics */
#include <math.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "stat.h"
#include "table.h"

TP_ORDER(largest_first, struct tp_torch_row, TP_DOWN(sum_ps) TP_UP(first))

/* Count the items of each group, then places them row by row. */
static void
fill(struct tp_torch_table *t, const uint32_t *groups,
    const int64_t *values, size_t count, uint32_t *row_of,
    size_t group_count)
{
	uint32_t sum = 0;

	memset(row_of, 0xff, group_count * sizeof *row_of);
	for (size_t i = 0; i < count; i++) {
		uint32_t *row;

		if (groups[i] == UINT32_MAX)
			continue;
		row = &row_of[groups[i]];
		if (*row == UINT32_MAX) {
			*row = (uint32_t)t->count;
			t->rows[t->count++] = (struct tp_torch_row){
			    groups[i], 0, 0, 0 };
		}
		t->rows[*row].count++;
		t->rows[*row].sum_ps += values[i];
		t->sum_ps += values[i];
	}
	for (size_t i = 0; i < t->count; i++) {
		t->rows[i].first = sum;
		sum += t->rows[i].count;
		t->rows[i].count = 0;
	}
	for (size_t i = 0; i < count; i++)
		if (groups[i] != UINT32_MAX) {
			struct tp_torch_row *r = &t->rows[row_of[groups[i]]];

			t->items[r->first + r->count++] = (uint32_t)i;
		}
}

void
tp_torch_table_make(struct tp_torch_table *t, const uint32_t *groups,
    const int64_t *values, size_t count, size_t group_count)
{
	uint32_t *row_of = tp_alloc((group_count + 1) * sizeof *row_of);
	size_t rows = group_count < count ? group_count : count;

	memset(t, 0, sizeof *t);
	t->rows = tp_alloc((rows + 1) * sizeof *t->rows);
	t->items = tp_alloc((count + 1) * sizeof *t->items);
	t->scratch = tp_alloc((count + 1) * sizeof *t->scratch);
	fill(t, groups, values, count, row_of, group_count);
	/* rows are in order of their first item until now */
	TP_SORT(t->rows, t->count, largest_first);
	tp_free(row_of);
}

void
tp_torch_table_release(struct tp_torch_table *t)
{
	tp_free(t->rows);
	tp_free(t->items);
	tp_free(t->scratch);
	memset(t, 0, sizeof *t);
}

/* Sums are exact integers until the root. */
static int64_t
stdev(const int64_t *values, size_t count, tp_int128 sum)
{
	tp_int128 spread = 0;
	int64_t middle = tp_div_even(sum, (tp_int128)count);
	double off;

	if (count < 2)
		return -1;
	for (size_t i = 0; i < count; i++) {
		tp_int128 d = (tp_int128)values[i] - middle;

		spread += d * d;
	}
	off = (double)(sum - (tp_int128)middle * (tp_int128)count);
	return (int64_t)nearbyint(sqrt(((double)spread -
	    off * off / (double)count) / (double)(count - 1)));
}

struct tp_torch_stat
tp_torch_stat_of(int64_t *values, size_t count)
{
	struct tp_torch_stat s = { count, -1, -1, -1, -1, -1, -1 };
	size_t middle = count ? (count - 1) / 2 : 0;
	tp_int128 sum = 0;
	int64_t above;

	if (!count)
		return s;
	s.min_ps = s.max_ps = values[0];
	for (size_t i = 0; i < count; i++) {
		sum += values[i];
		TP_LEAST(s.min_ps, values[i]);
		TP_MOST(s.max_ps, values[i]);
	}
	s.sum_ps = tp_narrow(sum);
	s.mean_ps = tp_div_even(sum, (tp_int128)count);
	s.median_ps = tp_pick_int(values, count, middle);
	if (count % 2 == 0) {
		above = s.max_ps;
		for (size_t i = middle + 1; i < count; i++)
			TP_LEAST(above, values[i]);
		s.median_ps = tp_div_even((tp_int128)s.median_ps + above, 2);
	}
	s.stdev_ps = stdev(values, count, sum);
	return s;
}

struct tp_torch_stat
tp_torch_row_stat(const struct tp_torch_table *t,
    const struct tp_torch_row *row, const int64_t *values)
{
	size_t n = 0;

	for (uint32_t i = 0; i < row->count; i++) {
		int64_t value = values[t->items[row->first + i]];

		if (value >= 0)
			t->scratch[n++] = value;
	}
	return tp_torch_stat_of(t->scratch, n);
}
