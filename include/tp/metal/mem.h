/*
 * mem - levels of GPU memory over time
 *
 * A series is a step function: wired system memory per GPU, or the current
 * allocation of a process.  A level lasts for its row's duration, or without
 * one until the next row.  Row quantiles weight rows equally, time quantiles
 * weight them by duration; the two differ greatly in real traces, so both
 * are printed and named.  A jump is a step of at least a tenth of the peak.
 * A tooth is a rise and the fall after it, both at least a tenth of peak -
 * min (zig-zag with hysteresis).  When the steps of the run are known, peaks
 * and jumps are assigned to them, and each step has its own peak.  Memory:
 * 32 bytes per row, and 32 per level written of a series.
 */
#ifndef TP_METAL_MEM_H
#define TP_METAL_MEM_H

#include "metal/phase.h"
#include "metal/tables.h"

struct tp_mem_level {
	int64_t at_ns, length_ns, bytes;	/* length -1: until the next
						 * level */
	uint64_t order;				/* order of arrival, breaks
						 * ties */
};

struct tp_mem_series {
	ptrdiff_t gpu, proc;		/* index of its GPU or process, or -1 */
	struct tp_mem_level *levels;
	size_t count, cap;
};

/* A zeroed struct is empty. */
struct tp_mem {
	struct tp_names gpus;
	struct tp_procs procs;
	struct tp_mem_series *wired, *current;
	size_t wired_count, wired_cap, current_count, current_cap;
};

/*
 * Add one row of metal-wired-sysmem-level-interval or
 * metal-current-allocated-size.  0, or -1 with ERR.
 */
int tp_mem_add(struct tp_mem *mem, const struct tp_row *row,
    const struct tp_window *window, struct tp_err *err);

/* More levels than any drawing shows. */
#define TP_MEM_LEVELS_MAX 10000

struct tp_mem_limits {
	double jump_ratio;	/* a step of this share of the peak is a jump */
	double tooth_ratio;	/* of peak - min */
	double growth_ratio;	/* growing: the medians of the first and last
				 * third differ by this share of the peak */
	int64_t teeth;		/* so many make a sawtooth */
	int64_t jumps;		/* most jumps listed */
	int64_t levels;		/* most levels written of a series, 3 to
				 * TP_MEM_LEVELS_MAX; 0: none */
	int64_t working_set;	/* the GPU's recommended working set in bytes;
				 * 0: unknown */
};

/*
 * Write mem.summary for every series ("wired" with scope "all", "current"
 * with scope "target" or "process") and mem.jump for its largest jumps; with
 * STEPS also mem.step and mem.growth for "all" and "target"; with
 * limits->levels also mem.level for every series.  With WORK, the time of the
 * GPU work, growth, teeth and pattern are those of that time.
 */
void tp_mem_emit(struct tp_mem *mem, const struct tp_trace *trace,
    const char *process, const struct tp_mem_limits *limits,
    const struct tp_phase_view *steps,
    const struct tp_phase_view *segments,
    const struct tp_phase_view *work, struct tp_out *out);

#endif
