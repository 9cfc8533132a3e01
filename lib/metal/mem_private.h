/* mem_private - what the parts of mem's output share; not installed */
#ifndef TP_METAL_MEM_PRIVATE_H
#define TP_METAL_MEM_PRIVATE_H

#include <tp/metal/mem.h>

/* What is needed to write the records of a series. */
struct tp_mem_of {
	const struct tp_mem *mem;
	const struct tp_mem_series *series;
	const struct tp_mem_limits *limits;
	const struct tp_phase_view *steps, *segments, *work;
	ptrdiff_t target;
	const char *how;		/* how the target was chosen */
	struct tp_out *out;
};

/* Sort the rows of S by time; a row without a duration lasts until the next. */
void tp_mem_order(struct tp_mem_series *s);

/* Begin a record of KIND with the keys that identify the series. */
void tp_mem_begin(const struct tp_mem_of *of, const char *kind);

/*
 * Write mem.step, mem.growth and mem.segment of a series whose levels are
 * sorted.
 */
void tp_mem_emit_steps(const struct tp_mem_of *of);

/* The lowest and highest level within a time range. */
struct tp_mem_range {
	int64_t from_ns, to_ns;
	int64_t low, high;
};

/*
 * Fill LIST with at most MOST (>= 3) ranges of the levels of S, which are
 * sorted.  When there are more levels, the first and last stay as they are
 * and those between are merged into columns of equal time, each with its
 * lowest and highest level.  Equal neighbours are merged.  Returns the
 * number of ranges.
 */
size_t tp_mem_sample(const struct tp_mem_series *s, size_t most,
    struct tp_mem_range *list);
/* Write these ranges as mem.level records. */
void tp_mem_emit_levels(const struct tp_mem_of *of);

#endif
