/* emit_trace - a PyTorch trace as records: contents and time line */
#include <stdio.h>

#include <tp/order.h>

#include "emit_torch.h"

void
tp_torch_out_name(const struct tp_torch_out *o, const char *key, uint32_t name)
{
	const struct tp_name *n = &o->file->torch.names.names[name];

	tp_out_bytes(o->out, key, n->text, n->len);
}

void
tp_torch_out_text(const struct tp_torch_out *o, const char *key, uint32_t text)
{
	const struct tp_name *n = &o->file->torch.texts.names[text];

	if (text)
		tp_out_bytes(o->out, key, n->text, n->len);
}

void
tp_torch_out_lane(const struct tp_torch_out *o, uint32_t lane)
{
	const struct tp_torch_lane *l = &o->file->torch.lanes[lane];

	tp_torch_out_text(o, "process", l->process);
	tp_torch_out_text(o, "process_label", l->label);
	tp_torch_out_text(o, "thread_name", l->thread);
}

void
tp_torch_out_pid(const struct tp_torch_out *o, uint32_t lane)
{
	const struct tp_torch_lane *l = &o->file->torch.lanes[lane];

	if (l->pid_text)
		tp_torch_out_text(o, "process", l->pid_text);
	else
		tp_out_int(o->out, "pid", l->pid);
}

void
tp_torch_out_call(const struct tp_torch_out *o, const struct tp_torch_event *e,
    int with_types)
{
	struct tp_torch_args call;

	if (e->cat != TP_TORCH_OP)
		return;
	call = tp_torch_args_of(&o->file->torch, e);
	tp_torch_out_text(o, "input_dims", call.dims);
	if (with_types)
		tp_torch_out_text(o, "input_types", call.types);
	tp_torch_out_text(o, "input_strides", call.strides);
	tp_torch_out_text(o, "concrete_inputs", call.concrete);
}

void
tp_torch_out_stat(const struct tp_torch_out *o, const char *prefix,
    const struct tp_figures *s)
{
	const struct { const char *name; int64_t ps; int whole; } values[] = {
		{ "sum_ns", s->sum, 1 }, { "min_ns", s->min, 1 },
		{ "max_ns", s->max, 1 }, { "mean_ps", s->mean, 0 },
		{ "median_ps", s->median, 0 },
		{ "stdev_ps", s->stdev, 0 },
	};
	char key[64];

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		if (values[i].ps < 0)
			continue;
		snprintf(key, sizeof key, "%s_%s", prefix, values[i].name);
		tp_out_int(o->out, key, values[i].whole ?
		    tp_ps_to_ns(values[i].ps) : values[i].ps);
	}
}

struct tp_torch_args *
tp_torch_launcher_args(const struct tp_torch_file *file)
{
	const struct tp_torch_launchers *l = &file->launchers;
	const struct tp_torch *t = &file->torch;
	struct tp_torch_args *args = tp_zalloc((l->count + 1) * sizeof *args);

	for (size_t i = 0; i < l->count; i++) {
		const struct tp_torch_event *e = &t->events[l->list[i].event];

		if (e->cat == TP_TORCH_OP)
			args[i] = tp_torch_args_of(t, e);
	}
	return args;
}

void
tp_torch_tab_args(struct tp_tab *tab, const struct tp_column *via,
    const struct tp_torch *t, const struct tp_torch_args *args)
{
	TP_TAB_NAMES(tab, via, "input_dims", args, dims, &t->texts, 0);
	TP_TAB_NAMES(tab, via, "input_types", args, types, &t->texts, 0);
	TP_TAB_NAMES(tab, via, "input_strides", args, strides, &t->texts, 0);
	TP_TAB_NAMES(tab, via, "concrete_inputs", args, concrete, &t->texts, 0);
}

void
tp_torch_tab_lane(struct tp_tab *tab, const struct tp_column *via,
    const struct tp_torch *t)
{
	TP_TAB_NAMES(tab, via, "process", t->lanes, process, &t->texts, 0);
	TP_TAB_NAMES(tab, via, "process_label", t->lanes, label, &t->texts, 0);
	TP_TAB_NAMES(tab, via, "thread_name", t->lanes, thread, &t->texts, 0);
}

/* The runtime whose calls were recorded, or NULL. */
static const char *
runtime_of(const struct tp_torch *t)
{
	for (size_t i = 0; i < t->count; i++) {
		const struct tp_class *c;

		if (t->events[i].cat != TP_TORCH_RUNTIME)
			continue;
		c = tp_class_of_name(&t->ops->runtimes,
		    tp_torch_event_name(t, &t->events[i])->text);
		if (c)
			return c->name;
	}
	return NULL;
}

void
tp_torch_emit_trace(const struct tp_torch_out *o)
{
	const struct tp_torch *t = &o->file->torch;
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (size_t i = 0; i < t->count; i++) {
		TP_LEAST(first, t->events[i].from_ps);
		TP_MOST(last, t->events[i].to_ps);
	}
	tp_torch_out_begin(o, "trace.summary");
	/* operators marked by another profiler are PyTorch's */
	tp_out_text(o->out, "framework", t->is_strange ? "unknown" :
	    t->recorder && !t->cat_count[TP_TORCH_OP] ? t->framework :
	    "pytorch");
	tp_out_text(o->out, "recorder", t->recorder);
	tp_out_int(o->out, "event_count", (int64_t)t->event_count);
	tp_out_int(o->out, "op_call_count", (int64_t)t->cat_count[TP_TORCH_OP]);
	tp_out_int(o->out, "runtime_call_count",
	    (int64_t)t->cat_count[TP_TORCH_RUNTIME]);
	tp_out_int(o->out, "gpu_count", (int64_t)t->gpu_count);
	tp_out_int(o->out, "python_function_count",
	    (int64_t)t->cat_count[TP_TORCH_PYTHON]);
	/* PyTorch records what it costs itself with the GPU alone */
	if (t->profiler_count)
		tp_out_int(o->out, "overhead_count",
		    (int64_t)t->profiler_count);
	tp_out_text(o->out, "runtime", runtime_of(t));
	if (t->world_size > 0)
		tp_out_int(o->out, "rank_count", t->world_size);
	tp_out_text(o->out, "gpu_name", tp_torch_file_gpu(o->file));
	if (t->devices.chosen >= 0)
		tp_out_known(o->out, "compute_major",
		    t->devices.list[t->devices.chosen].chip.major);
	tp_out_text(o->out, "device_kind", t->device_kind);
	if (first <= last) {
		tp_out_ps(o->out, "first_ns", first);
		tp_out_ps(o->out, "last_ns", last);
		tp_out_ps(o->out, "span_ns", last - first);
	}
	if (t->profiled_ps && !t->gpu_count)
		tp_out_ps(o->out, "profiled_ns", t->profiled_ps);
	if (t->is_strange && o->file->host.busy_ps) {
		tp_out_ps(o->out, "busy_ns", o->file->host.busy_ps);
		tp_out_ps(o->out, "host_self_sum_ns", o->file->host.own_ps);
	}
	if (t->recorded_ns)
		tp_out_int(o->out, "recorded_ns", t->recorded_ns);
	tp_out_end(o->out);
}

void
tp_torch_emit_devices(const struct tp_torch_out *o)
{
	const struct tp_torch_devices *devices = &o->file->torch.devices;

	for (size_t i = 0; i < devices->count; i++) {
		const struct tp_torch_device *d = &devices->list[i];

		tp_torch_out_begin(o, "gpu.device");
		tp_out_known(o->out, "device_index", d->index);
		tp_torch_out_text(o, "gpu_name", d->name);
		tp_out_int(o->out, "alike_count", (int64_t)d->count);
		tp_out_known(o->out, "memory_bytes", d->memory_bytes);
		tp_out_known(o->out, "compute_major", d->chip.major);
		tp_out_known(o->out, "compute_minor", d->chip.minor);
		tp_out_known(o->out, "multiprocessor_count",
		    d->chip.multiprocessors);
		tp_out_end(o->out);
	}
}

static void
out_share(struct tp_out *out, const char *key, const char *ratio,
    int64_t ps, int64_t span_ps)
{
	tp_out_ps(out, key, ps);
	tp_out_ratio(out, ratio, ps, span_ps);
}

/* Write what computation hides of communication, if it is known. */
static void
out_hidden(struct tp_out *out, const struct tp_torch_time *time)
{
	int64_t all = time->own[TP_TORCH_COMMUNICATION].busy;
	int64_t hidden = all - tp_torch_exposed(time, TP_TORCH_COMMUNICATION);

	if (time->is_mixed) {
		if (all && !time->communication_ps)
			return;
		all = time->communication_ps;
		hidden = time->hidden_ps;
	}
	tp_out_ps(out, "communication_hidden_ns", hidden);
	tp_out_ratio(out, "communication_hidden_ratio", hidden, all);
}

/* Write the sums of TIME. */
void
tp_torch_out_time(struct tp_out *out, const struct tp_torch_time *time)
{
	int64_t span = tp_torch_span(time), busy = tp_torch_busy(time);
	int64_t comm = tp_torch_exposed(time, TP_TORCH_COMMUNICATION);

	tp_out_int(out, "gpu_count", (int64_t)time->count);
	tp_out_ps(out, "span_ns", span);
	out_share(out, "busy_ns", "busy_of_span_ratio", busy, span);
	out_share(out, "compute_ns", "compute_of_span_ratio",
	    tp_torch_exposed(time, TP_TORCH_COMPUTATION), span);
	out_share(out, "communication_ns", "communication_of_span_ratio",
	    comm, span);
	out_share(out, "memcpy_ns", "memcpy_of_span_ratio",
	    tp_torch_exposed(time, TP_TORCH_COPY), span);
	out_share(out, "idle_ns", "idle_of_span_ratio", span - busy, span);
	out_share(out, "communication_union_ns",
	    "communication_union_of_span_ratio",
	    time->own[TP_TORCH_COMMUNICATION].busy, span);
	out_hidden(out, time);
	out_share(out, "memcpy_union_ns", "memcpy_union_of_span_ratio",
	    time->own[TP_TORCH_COPY].busy, span);
}

static void
out_idle(struct tp_out *out, const struct tp_torch_time *time)
{
	if (time->micro_ps) {
		tp_out_ps(out, "micro_idle_limit_ns", time->micro_ps);
		tp_out_int(out, "micro_idle_count",
		    (int64_t)time->micro_count);
		tp_out_ps(out, "micro_idle_ns", time->micro_idle_ps);
		tp_out_ps(out, "macro_idle_ns", time->macro_idle_ps);
	}
	tp_out_int(out, "gap_count",
	    (int64_t)(time->micro_count + time->macro_count));
	tp_out_ps(out, "gap_max_ns", time->gap_max_ps);
}

static void
emit_scope(const struct tp_torch_out *o, const char *scope,
    const struct tp_torch_time *time, int64_t devices)
{
	if (!time->count)
		return;
	tp_torch_out_begin(o, "timeline.summary");
	tp_out_text(o->out, "scope", scope);
	tp_out_int(o->out, "device_count", devices);
	tp_torch_out_time(o->out, time);
	out_idle(o->out, time);
	tp_out_end(o->out);
}

static void
emit_stream(const struct tp_torch_out *o, const struct tp_torch_stream *s)
{
	tp_torch_out_begin(o, "timeline.stream");
	tp_out_known(o->out, "device_index", s->device);
	if (s->stream >= 0)
		tp_out_int(o->out, "stream", s->stream);
	tp_torch_out_time(o->out, &s->time);
	tp_out_end(o->out);
}

void
tp_torch_emit_time(const struct tp_torch_out *o)
{
	const struct tp_torch_times *times = &o->file->times;
	int64_t devices = tp_torch_device_count(times);

	emit_scope(o, "all", &times->all, devices);
	emit_scope(o, "linked", &times->linked, devices);
	for (size_t i = 0; i < times->stream_count; i++)
		emit_stream(o, &times->streams[i]);
}
