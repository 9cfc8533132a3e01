/* tables - columns of the Metal System Trace tables that analyses read */
#include <string.h>

#include <tp/order.h>

#include "tables.h"

#define GPU_COLUMNS \
	{ "start", 1 }, { "duration", 1 }, { "channel-name", 0 }, \
	{ "start-latency", 0 }, { "state", 0 }, { "process", 0 }
const struct tp_want tp_gpu_columns[] = {
	GPU_COLUMNS, { 0 }
};
const struct tp_want tp_gpu_cmdbuf_columns[] = {
	GPU_COLUMNS, { "cmdbuffer-id", 0 }, { 0 }
};
const struct tp_want tp_gpu_label_columns[] = {
	GPU_COLUMNS, { "cmdbuffer-id", 0 }, { "event-label", 0 }, { 0 }
};
const struct tp_want tp_submit_columns[] = {
	{ "start", 1 }, { "duration", 1 }, { "process", 0 },
	{ "cmdbuffer-id", 1 }, { "thread", 0 }, { 0 }
};
const struct tp_want tp_done_columns[] = {
	{ "timestamp", 1 }, { "cmdbuffer-id", 1 }, { 0 }
};
const struct tp_want tp_togpu_columns[] = {
	{ "timestamp", 1 }, { "cmdbuffer-id", 1 }, { 0 }
};
const struct tp_want tp_frame_columns[] = {
	{ "cmdbuffer-id", 1 }, { "commit-time", 1 }, { "process", 0 }, { 0 }
};
const struct tp_want tp_encoder_columns[] = {
	{ "start", 1 }, { "duration", 1 }, { "process", 0 },
	{ "cmdbuffer-id", 1 }, { "thread", 0 }, { 0 }
};
const struct tp_want tp_wired_columns[] = {
	{ "start", 1 }, { "duration", 0 }, { "bytes", 1 }, { "gpu", 0 }, { 0 }
};
const struct tp_want tp_alloc_columns[] = {
	{ "start", 1 }, { "duration", 0 }, { "process", 0 },
	{ "current-allocated-size", 1 }, { 0 }
};
const struct tp_want tp_resource_columns[] = {
	{ "timestamp", 1 }, { "process", 0 }, { "resource-id", 0 },
	{ "vidmem-bytes", 0 }, { "sysmem-bytes", 0 }, { "resource-type", 0 },
	{ "event-type", 0 }, { "resource-size", 1 }, { "duration", 0 },
	{ "label", 0 }, { 0 }
};
const struct tp_want tp_kernel_resource_columns[] = {
	{ "timestamp", 1 }, { "process", 0 }, { "resource-id", 0 },
	{ "vidmem-bytes", 0 }, { "sysmem-bytes", 1 }, { "resource-type", 0 },
	{ "event-type", 0 }, { 0 }
};
const struct tp_want tp_cpu_columns[] = {
	{ "time", 0 }, { "thread", 0 }, { "process", 0 },
	{ "thread-state", 0 }, { "weight", 1 }, { "stack", 1 }, { 0 }
};
const struct tp_want tp_counter_columns[] = {
	{ "start", 1 }, { "duration", 1 }, { "counter-id", 0 }, { "name", 0 },
	{ "label", 0 }, { "value", 0 }, { "percent-value", 0 }, { "gpu", 0 },
	{ "is-percentage", 0 }, { 0 }
};
const struct tp_want tp_sample_columns[] = {
	{ "timestamp", 1 }, { "counter-id", 1 }, { "value", 1 }, { 0 }
};
const struct tp_want tp_info_columns[] = {
	{ "counter-id", 1 }, { "name", 1 }, { "max-value", 0 }, { "type", 0 },
	{ 0 }
};
const struct tp_want tp_profile_columns[] = {
	{ "timestamp", 1 }, { 0 }
};
const struct tp_want tp_clock_columns[] = {
	{ "start", 1 }, { "duration", 1 }, { "gpu-performance-state", 1 },
	{ "is-induced", 0 }, { 0 }
};
const struct tp_want tp_state_columns[] = {
	{ "start", 1 }, { "duration", 1 }, { "state", 1 }, { 0 }
};
const struct tp_want tp_driver_columns[] = {
	{ "start", 1 }, { "duration", 1 }, { "event-type", 1 },
	{ "process", 0 }, { "thread", 0 }, { 0 }
};
const struct tp_want tp_kdebug_columns[] = {
	{ "time", 1 }, { "class", 1 }, { "subclass", 0 }, { "code", 0 },
	{ "function", 0 }, { 0 }
};
const struct tp_want tp_mark_columns[] = {
	{ "start", 1 }, { "duration", 1 }, { "name", 1 }, { "subsystem", 0 },
	{ "process", 0 }, { "start-message", 0 }, { "end-message", 0 }, { 0 }
};
const struct tp_want tp_mark_event_columns[] = {
	{ "time", 1 }, { "event-type", 1 }, { "name", 1 }, { "subsystem", 0 },
	{ "process", 0 }, { "identifier", 0 }, { 0 }
};

void
tp_row_no_interval(const struct tp_row *row, const struct tp_value *start,
    const struct tp_value *duration, struct tp_err *err)
{
	const char *what = start->type == TP_NONE ? "no start" :
	    duration->type == TP_NONE ? "no duration" :
	    duration->n < 0 ? "negative duration" : "an end beyond 2^63 ns";

	tp_fail(err, TP_BAD, "event.baddur", row->line, "%s", what);
	err->what = what;
}

int
tp_row_bad(struct tp_err *err, const struct tp_row *row, const char *what)
{
	tp_fail(err, TP_BAD, "row.damaged", row->line, "%s", what);
	err->what = what;
	return -1;
}

ptrdiff_t
tp_row_process(struct tp_procs *procs, const struct tp_row *row, size_t at)
{
	const struct tp_value *v = &row->v[at];

	return v->type == TP_NONE ? -1 :
	    tp_procs_add(procs, v->text, v->len, v->n);
}

void
tp_out_target(struct tp_out *out, const struct tp_procs *procs, ptrdiff_t at,
    const char *how)
{
	if (at < 0)
		return;
	tp_out_text(out, "process", tp_procs_name(procs, at));
	tp_out_known(out, "pid", tp_procs_pid(procs, at));
	tp_out_text(out, "chosen_by", how);
}
