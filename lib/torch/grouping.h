/*
 * grouping - group items into rows with sums and statistics
 *
 * Items (launchers, kernels) of one group form a row.  Rows are sorted by
 * their sums, largest first, then by their first item.  Memory: 8 bytes an
 * item, 24 a row.
 */
#ifndef TP_TORCH_GROUPING_H
#define TP_TORCH_GROUPING_H

#include <stddef.h>
#include <stdint.h>

#include <tp/records.h>

#include "spread.h"

struct tp_torch_group {
	uint32_t group;
	uint32_t first, count;	/* range in items */
	int64_t sum_ps;
};

struct tp_torch_table {
	struct tp_torch_group *list;
	size_t count;
	uint32_t *items;	/* of a row in ascending order */
	int64_t sum_ps;		/* of all rows */
	int64_t *scratch;	/* room for the values of any row */
};

/*
 * Make the rows of COUNT items from their GROUPS (below GROUP_COUNT;
 * UINT32_MAX: left out) and VALUES.
 */
void tp_torch_table_make(struct tp_torch_table *table, const uint32_t *groups,
    const int64_t *values, size_t count, size_t group_count);
void tp_torch_table_release(struct tp_torch_table *table);

/* The statistics of the VALUES of ROW's items that are not negative. */
struct tp_figures tp_torch_group_stat(const struct tp_torch_table *table,
    const struct tp_torch_group *row, const int64_t *values);

#endif
