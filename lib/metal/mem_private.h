/* mem_private - what the parts of mem's output share; not installed */
#ifndef TP_METAL_MEM_PRIVATE_H
#define TP_METAL_MEM_PRIVATE_H

#include <tp/metal/mem.h>

/* What the records of a series are made from. */
struct tp_mem_of {
	const struct tp_mem *mem;
	const struct tp_mem_series *series;
	const struct tp_mem_limits *limits;
	const struct tp_phase_view *steps, *segments;
	ptrdiff_t target;
	const char *how;		/* it was chosen */
	struct tp_out *out;
};

/* Sort the rows of S by time; one without a duration lasts until the next. */
void tp_mem_order(struct tp_mem_series *s);

/* Begin a record of KIND with the keys that identify the series. */
void tp_mem_begin(const struct tp_mem_of *of, const char *kind);

/* mem.step, mem.growth and mem.segment of a series whose levels are sorted by
 * time. */
void tp_mem_emit_steps(const struct tp_mem_of *of);

/* The lowest and the highest level from one time to another. */
struct tp_mem_range {
	int64_t from_ns, to_ns;
	int64_t low, high;
};

/*
 * Fill LIST with the levels of S, which is in order: at most MOST, 3 or more.
 * Where there are more than that, the first and the last stay as they are,
 * and those between are put together in columns of equal time, of which each
 * says the lowest and the highest.  Neighbours at one level are one.  Returns
 * how many there are.
 */
size_t tp_mem_sample(const struct tp_mem_series *s, size_t most,
    struct tp_mem_range *list);
/* The same as mem.level records; 0 or -1 without memory. */
int tp_mem_emit_levels(const struct tp_mem_of *of);

#endif
