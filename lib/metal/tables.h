/*
 * tables - columns of the Metal System Trace tables that analyses read
 *
 * Every analysis uses these column lists, so that a filter can run several
 * analyses in one pass: value i of a row is column i here.
 */
#ifndef TP_METAL_TABLES_H
#define TP_METAL_TABLES_H

#include "read/rows.h"

/* metal-gpu-intervals: one row per encoder per channel that ran. */
enum {
	TP_GPU_START, TP_GPU_DURATION, TP_GPU_CHANNEL, TP_GPU_LATENCY,
	TP_GPU_STATE, TP_GPU_PROCESS, TP_GPU_CMDBUF, TP_GPU_LABEL
};
extern const struct tp_want tp_gpu_columns[];	/* up to TP_GPU_PROCESS */
extern const struct tp_want tp_gpu_cmdbuf_columns[];
/* With TP_GPU_LABEL, a long text that costs as much as all other columns. */
extern const struct tp_want tp_gpu_label_columns[];

/* metal-application-command-buffer-submissions: CPU side; start + duration
 * is the commit. */
enum { TP_SUBMIT_START, TP_SUBMIT_DURATION, TP_SUBMIT_PROCESS,
    TP_SUBMIT_CMDBUF, TP_SUBMIT_THREAD };
extern const struct tp_want tp_submit_columns[];

/* metal-command-buffer-completed */
enum { TP_DONE_TIME, TP_DONE_CMDBUF };
extern const struct tp_want tp_done_columns[];

/* metal-command-buffer-to-accelerator-id */
enum { TP_TOGPU_TIME, TP_TOGPU_CMDBUF };
extern const struct tp_want tp_togpu_columns[];

/* metal-command-buffer-frame-assignment: has the commit time. */
enum { TP_FRAME_CMDBUF, TP_FRAME_COMMIT, TP_FRAME_PROCESS };
extern const struct tp_want tp_frame_columns[];

/*
 * metal-application-encoders-list: the end of the last encoder approximates
 * the commit.
 */
enum { TP_ENCODER_START, TP_ENCODER_DURATION, TP_ENCODER_PROCESS,
    TP_ENCODER_CMDBUF, TP_ENCODER_THREAD };
extern const struct tp_want tp_encoder_columns[];

/* metal-wired-sysmem-level-interval */
enum { TP_WIRED_START, TP_WIRED_DURATION, TP_WIRED_BYTES, TP_WIRED_GPU };
extern const struct tp_want tp_wired_columns[];

/* metal-current-allocated-size */
enum { TP_ALLOC_START, TP_ALLOC_DURATION, TP_ALLOC_PROCESS, TP_ALLOC_SIZE };
extern const struct tp_want tp_alloc_columns[];

/* metal-resource-allocations, and metal-kernel-resource-allocations, which
 * ends with TP_RES_EVENT */
enum { TP_RES_TIME, TP_RES_PROCESS, TP_RES_ID, TP_RES_VIDMEM, TP_RES_SYSMEM,
    TP_RES_TYPE, TP_RES_EVENT, TP_RES_SIZE, TP_RES_LIFETIME, TP_RES_LABEL };
extern const struct tp_want tp_resource_columns[];
extern const struct tp_want tp_kernel_resource_columns[];

/* time-profile, cpu-profile, counters-profile and folded-stacks */
enum { TP_CPU_TIME, TP_CPU_THREAD, TP_CPU_PROCESS, TP_CPU_STATE,
    TP_CPU_WEIGHT, TP_CPU_STACK };
extern const struct tp_want tp_cpu_columns[];

/* metal-gpu-counter-intervals: value of a counter over an interval */
enum {
	TP_COUNTER_START, TP_COUNTER_DURATION, TP_COUNTER_ID,
	TP_COUNTER_NAME, TP_COUNTER_LABEL, TP_COUNTER_VALUE,
	TP_COUNTER_PERCENT, TP_COUNTER_GPU, TP_COUNTER_IS_PERCENT
};
extern const struct tp_want tp_counter_columns[];

/* gpu-counter-value: samples; gpu-counter-info names the counters */
enum { TP_SAMPLE_TIME, TP_SAMPLE_ID, TP_SAMPLE_VALUE };
extern const struct tp_want tp_sample_columns[];
enum { TP_INFO_ID, TP_INFO_NAME, TP_INFO_MAX, TP_INFO_TYPE };
extern const struct tp_want tp_info_columns[];

/* metal-gpu-counter-profile */
enum { TP_PROFILE_TIME };
extern const struct tp_want tp_profile_columns[];

/* gpu-performance-state-intervals and metal-gpu-state-intervals */
enum { TP_STATE_START, TP_STATE_DURATION, TP_STATE_NAME, TP_STATE_INDUCED };
extern const struct tp_want tp_clock_columns[];
extern const struct tp_want tp_state_columns[];

/* metal-driver-intervals: CPU time of the driver */
enum { TP_DRIVER_START, TP_DRIVER_DURATION, TP_DRIVER_TYPE,
    TP_DRIVER_PROCESS, TP_DRIVER_THREAD };
extern const struct tp_want tp_driver_columns[];

enum { TP_KDEBUG_TIME, TP_KDEBUG_CLASS, TP_KDEBUG_SUBCLASS, TP_KDEBUG_CODE,
    TP_KDEBUG_FUNCTION };
extern const struct tp_want tp_kdebug_columns[];

/*
 * os-signpost-interval: intervals that the program marked; a row without a
 * duration has not ended.
 */
enum { TP_MARK_START, TP_MARK_DURATION, TP_MARK_NAME, TP_MARK_SUBSYSTEM,
    TP_MARK_PROCESS, TP_MARK_MESSAGE, TP_MARK_END_MESSAGE };
extern const struct tp_want tp_mark_columns[];

/* os-signpost: the same intervals as single Begin and End events. */
enum { TP_MARK_EVENT_TIME, TP_MARK_EVENT_TYPE, TP_MARK_EVENT_NAME,
    TP_MARK_EVENT_SUBSYSTEM, TP_MARK_EVENT_PROCESS, TP_MARK_EVENT_ID };
extern const struct tp_want tp_mark_event_columns[];

#define TP_TABLE_GPU "metal-gpu-intervals"
#define TP_TABLE_SUBMIT "metal-application-command-buffer-submissions"
#define TP_TABLE_DONE "metal-command-buffer-completed"
#define TP_TABLE_TOGPU "metal-command-buffer-to-accelerator-id"
#define TP_TABLE_FRAME "metal-command-buffer-frame-assignment"
#define TP_TABLE_ENCODER "metal-application-encoders-list"
#define TP_TABLE_WIRED "metal-wired-sysmem-level-interval"
#define TP_TABLE_ALLOC "metal-current-allocated-size"
#define TP_TABLE_RESOURCE "metal-resource-allocations"
#define TP_TABLE_KERNEL_RESOURCE "metal-kernel-resource-allocations"
#define TP_TABLE_TIME_PROFILE "time-profile"
#define TP_TABLE_CPU_PROFILE "cpu-profile"
#define TP_TABLE_COUNTERS "counters-profile"
#define TP_TABLE_STACKS "folded-stacks"
#define TP_TABLE_COUNTER "metal-gpu-counter-intervals"
#define TP_TABLE_SAMPLE "gpu-counter-value"
#define TP_TABLE_INFO "gpu-counter-info"
#define TP_TABLE_PROFILE "metal-gpu-counter-profile"
#define TP_TABLE_CLOCK "gpu-performance-state-intervals"
#define TP_TABLE_STATE "metal-gpu-state-intervals"
#define TP_TABLE_DRIVER "metal-driver-intervals"
#define TP_TABLE_KDEBUG "kdebug"
#define TP_TABLE_MARK "os-signpost-interval"
#define TP_TABLE_MARK_EVENT "os-signpost"

/* Fill ERR: why START and DURATION of ROW are no interval. */
void tp_row_no_interval(const struct tp_row *row, const struct tp_value *start,
    const struct tp_value *duration, struct tp_err *err);
/*
 * The interval [*FROM, *TO) given by a row's START and DURATION values,
 * clipped to WINDOW.  1, 0 when nothing remains, -1 with ERR
 * ("event.baddur") when a value is absent or negative, or the sum overflows.
 */
static inline int
tp_row_interval(const struct tp_row *row, size_t start, size_t duration,
    const struct tp_window *window, int64_t *from, int64_t *to,
    struct tp_err *err)
{
	const struct tp_value *s = &row->v[start], *d = &row->v[duration];

	if (s->type == TP_NONE || d->type == TP_NONE || d->n < 0 ||
	    __builtin_add_overflow(s->n, d->n, to)) {
		tp_row_no_interval(row, s, d, err);
		return -1;
	}
	*from = s->n > window->from_ns ? s->n : window->from_ns;
	*to = *to < window->to_ns ? *to : window->to_ns;
	return *from < *to;
}

/*
 * Fail for an unusable row: "row.damaged"; WHAT, a literal, says why.
 * Always returns -1.
 */
int tp_row_bad(struct tp_err *err, const struct tp_row *row,
    const char *what);

/* Index of the process in value AT of ROW; -1: none. */
ptrdiff_t tp_row_process(struct tp_procs *procs, const struct tp_row *row,
    size_t at);

/*
 * Write the process, its pid and how it was chosen as keys of the open
 * record.
 */
void tp_out_target(struct tp_out *out, const struct tp_procs *procs,
    ptrdiff_t at, const char *how);

#endif
