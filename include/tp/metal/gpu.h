/*
 * gpu - how busy the GPU was, from metal-gpu-intervals
 *
 * Busy time is the union of all rows that are Active (or have no state) and
 * have a duration, over all channels and depths.  In most traces that equals
 * Instruments' own Active state to the nanosecond; in all measured ones it
 * is within 0.11 %.  event-depth is a display lane in this table, not
 * nesting, and is never filtered.  Memory: a union (ival.h) per channel and
 * process, from which all other unions are made in one pass (merge.h); exact
 * quantiles (stat.h) per process and finally of the machine; start times of
 * its intervals (starts.h); its labels (label.h); and 24 bytes per pause of
 * the target.
 */
#ifndef TP_METAL_GPU_H
#define TP_METAL_GPU_H

#include "ival.h"
#include "metal/label.h"
#include "metal/starts.h"
#include "metal/tables.h"
#include "stat.h"

struct tp_cmdbuf;

struct tp_gpu_lane {
	struct tp_ival spans;		/* of a channel of a process */
	int64_t busy_ns;		/* set by tp_gpu_sum(), over all
					 * channels by tp_gpu_emit() */
	uint64_t rows;
	tp_int128 duration_sum;
};

/*
 * Idle time of at least TP_PAUSE_NS may separate steps of a program; shorter
 * gaps, from TP_PAUSE_LEAST_NS on, only if they are of one kind with longer
 * ones.
 */
#define TP_PAUSE_NS 1000000
#define TP_PAUSE_LEAST_NS 500000
struct tp_pause {
	int64_t from_ns, to_ns;
	int64_t idle_before_ns;		/* sum of all gaps before it */
};

/* The machine, or one process. */
struct tp_gpu_part {
	struct tp_gpu_lane all;
	struct tp_gpu_lane *channels;	/* by index of channel name */
	size_t channel_cap;
	struct tp_stat duration, latency;
	uint64_t short_count;
	tp_int128 short_sum;
	int64_t first_ns, last_ns;
	/* Of the target, set by tp_gpu_emit(): */
	struct tp_pause *pauses;	/* in order of time */
	size_t pause_count, pause_cap;
	int64_t gap_p50_ns, gap_under_ns;	/* gap_under_ns: longest gap
						 * that is not in pauses */
};

/* A zeroed struct is empty.  Set short_limit_ns before the first row. */
struct tp_gpu {
	int64_t short_limit_ns;		/* durations below are short; 0:
					 * 200,000 */
	struct tp_procs procs;
	struct tp_names channels;
	ptrdiff_t last_channel;		/* of the previous row */
	struct tp_gpu_part machine;	/* by tp_gpu_sum() */
	struct tp_gpu_part nobody;	/* rows without a process */
	struct tp_gpu_part *parts;	/* by process */
	size_t part_cap;
	struct tp_starts starts;	/* by process */
	struct tp_labels labels;	/* of rows with a process, */
	int has_labels;			/* ... if the column exists */
	uint32_t row_label;		/* of the previous row; 0: none */
	uint64_t unattributed, zero_durations;
	/*
	 * Busy time of all but the target, and its overlap with the target, set
	 * by tp_gpu_emit().
	 */
	int64_t rest_busy_ns, overlap_ns;
	int summed, united;		/* which steps are done */
};

/*
 * Add rows of metal-gpu-intervals, ROW and those that tp_row_step() moves it
 * to.  0, or -1 with ERR about the row that ROW is then at.
 */
int tp_gpu_add(struct tp_gpu *gpu, struct tp_row *row,
    const struct tp_window *window, struct tp_err *err);
/*
 * Sum counts, times and quantiles of all processes and of rows without one
 * into those of the machine, and finish all unions.
 */
void tp_gpu_sum(struct tp_gpu *gpu);
/*
 * Make BUSY the union of the busy spans of process PROC (-1: the machine),
 * yours to release.  Call after tp_gpu_sum().
 */
void tp_gpu_spans(const struct tp_gpu *gpu, ptrdiff_t proc,
    struct tp_ival *busy);

/*
 * Write gpu.summary, gpu.channel, gpu.gap_bucket and gpu.gap for the machine
 * and for the target (PROCESS, or chosen as in trace.h by Compute, then by all
 * channels), then gpu.process, gpu.other and the labels of the target
 * (label.h).  Write nothing when there was no row.  0, or -1 with ERR.
 */
int tp_gpu_emit(struct tp_gpu *gpu, const struct tp_trace *trace,
    const char *process, struct tp_out *out, struct tp_err *err);

/*
 * Write "gpu.lane", the stretches (lanes.h) of PIXELS columns over all rows:
 * of TARGET (-1: the machine), its channels, each stretch of one of SEGMENTS,
 * then the channels of other processes.  PIXELS 0 writes nothing.  Call after
 * tp_gpu_emit().
 */
struct tp_segments;
void tp_gpu_emit_lanes(const struct tp_gpu *gpu, ptrdiff_t target,
    const struct tp_segments *segments, size_t pixels, struct tp_out *out);

/*
 * The target that tp_gpu_emit() chooses, -1: none; *HOW gets how it was
 * chosen.
 */
ptrdiff_t tp_gpu_target(struct tp_gpu *gpu, const struct tp_trace *trace,
    const char *process, const char **how);
/* Busy time of process PROC on the channel NAME, after tp_gpu_sum(). */
int64_t tp_gpu_channel_busy(const struct tp_gpu *gpu, ptrdiff_t proc,
    const char *name);

#endif
