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

/* Begin a record of KIND with the keys that identify the series. */
void tp_mem_begin(const struct tp_mem_of *of, const char *kind);

/* mem.step, mem.growth and mem.segment of a series whose levels are sorted by
 * time. */
void tp_mem_emit_steps(const struct tp_mem_of *of);

#endif
