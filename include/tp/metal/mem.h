/*
 * mem - levels of GPU memory over time
 *
 * A series is a step function: wired system memory per GPU, or what a process
 * has allocated now.  Levels last for their row's duration, without one until
 * the next row.  Row quantiles count rows, time-weighted ones count time; the
 * two differ wildly in real traces, so both are printed and named.
 * A jump is a step of at least a tenth of the peak.  A tooth is an up-swing
 * and the down-swing after it, both at least a tenth of peak - min (zig-zag
 * with hysteresis).  Where the steps of the run are known, peaks and jumps are
 * placed in them, and each has its own peak.  Memory: 32 bytes per row
 * and per level that is written of a series.
 */
#ifndef TP_METAL_MEM_H
#define TP_METAL_MEM_H

#include "metal/phase.h"
#include "metal/tables.h"

struct tp_mem_level {
	int64_t at_ns, length_ns, bytes;	/* length -1: until the next */
	uint64_t order;				/* of arrival, for ties */
};

struct tp_mem_series {
	ptrdiff_t gpu, proc;		/* name of the one it is of, or -1 */
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

/* Take one row of metal-wired-sysmem-level-interval or
 * metal-current-allocated-size.  0, or -1 with ERR. */
int tp_mem_add(struct tp_mem *mem, const struct tp_row *row,
    const struct tp_window *window, struct tp_err *err);

/* More levels than any drawing shows. */
#define TP_MEM_LEVELS_MAX 10000

struct tp_mem_limits {
	double jump_ratio;	/* of the peak; a step that large is a jump */
	double tooth_ratio;	/* of peak - min */
	double growth_ratio;	/* of the peak, between the medians of the
				 * first and the last third: growing */
	int64_t teeth;		/* that many make a sawtooth */
	int64_t jumps;		/* listed one by one at most */
	int64_t levels;		/* of a series written; 0: none, else 3 to
				 * TP_MEM_LEVELS_MAX */
	int64_t working_set;	/* bytes the GPU works well with; 0: unknown */
};

/*
 * Write mem.summary for every series ("wired" with scope "all", "current"
 * with scope "target" or "process") and mem.jump for its largest jumps; with
 * STEPS also mem.step and mem.growth for "all" and "target"; with levels in
 * LIMITS mem.level for every series.
 */
int tp_mem_emit(struct tp_mem *mem, const struct tp_trace *trace,
    const char *process, const struct tp_mem_limits *limits,
    const struct tp_phase_view *steps,
    const struct tp_phase_view *segments, struct tp_out *out,
    struct tp_err *err);
void tp_mem_release(void *mem);

#endif
