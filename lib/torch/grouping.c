/* grouping - group items into rows with sums and statistics */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "grouping.h"

TP_ORDER(largest_first, struct tp_torch_group, TP_DOWN(sum_ps) TP_UP(first))

/* Count the items of each group, then places them row by row. */
static void
fill(struct tp_torch_table *t, const uint32_t *groups, const int64_t *values,
    size_t count, uint32_t *row_of, size_t group_count)
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
			t->list[t->count++] = (struct tp_torch_group){
			    groups[i], 0, 0, 0 };
		}
		t->list[*row].count++;
		t->list[*row].sum_ps += values[i];
		t->sum_ps += values[i];
	}
	for (size_t i = 0; i < t->count; i++) {
		t->list[i].first = sum;
		sum += t->list[i].count;
		t->list[i].count = 0;
	}
	for (size_t i = 0; i < count; i++)
		if (groups[i] != UINT32_MAX) {
			struct tp_torch_group *r = &t->list[row_of[groups[i]]];

			t->items[r->first + r->count++] = (uint32_t)i;
		}
}

void
tp_torch_table_make(struct tp_torch_table *t, const uint32_t *groups,
    const int64_t *values, size_t count, size_t group_count)
{
	uint32_t *row_of = tp_alloc((group_count + 1) * sizeof *row_of);
	size_t list = group_count < count ? group_count : count;

	memset(t, 0, sizeof *t);
	t->list = tp_alloc((list + 1) * sizeof *t->list);
	t->items = tp_alloc((count + 1) * sizeof *t->items);
	t->scratch = tp_alloc((count + 1) * sizeof *t->scratch);
	fill(t, groups, values, count, row_of, group_count);
	/* rows are in order of their first item until now */
	TP_SORT(t->list, t->count, largest_first);
	tp_free(row_of);
}

void
tp_torch_table_release(struct tp_torch_table *t)
{
	tp_free(t->list);
	tp_free(t->items);
	tp_free(t->scratch);
	memset(t, 0, sizeof *t);
}

struct tp_figures
tp_torch_group_stat(const struct tp_torch_table *t,
    const struct tp_torch_group *row, const int64_t *values)
{
	size_t n = 0;

	for (uint32_t i = 0; i < row->count; i++) {
		int64_t value = values[t->items[row->first + i]];

		if (value >= 0)
			t->scratch[n++] = value;
	}
	return tp_figures_of(t->scratch, n);
}
