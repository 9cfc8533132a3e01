/*
 * What Instruments would call the columns of the run, and which of its
 * values stand in them.
 */
#include <inttypes.h>
#include <string.h>

#include "table.h"

#define GPU_NAME "M3 Max"
/* IORegistry number of the GPU. */
#define ACCELERATOR 4294968481

static const struct schema time_profile = {
	"time-profile", "time_profile",
	"target-pid=\"SINGLE\" high-frequency-sampling=\"0\" "
	    "record-waiting-threads=\"0\" needs-kernel-callstack=\"0\"", {
		{ "time", "Sample Time", SAMPLE_TIME },
		{ "thread", "Thread", THREAD },
		{ "process", "Process", PROCESS },
		{ "core", "Core", CORE },
		{ "thread-state", "State", THREAD_STATE },
		{ "weight", "Weight", WEIGHT },
		{ "stack", "Backtrace", BACKTRACE },
		{ NULL, NULL, 0 },
	}
};

static const struct schema gpu_intervals = {
	"metal-gpu-intervals", "metal_gpu_intervals",
	"target-pid=\"SINGLE\"", {
		{ "start", "Creation", START_TIME },
		{ "duration", "Duration", DURATION },
		{ "channel-name", "Channel Name", GPU_CHANNEL_NAME },
		{ "frame-number", "Frame", GPU_FRAME_NUMBER },
		{ "start-latency", "CPU to GPU Latency", DURATION },
		{ "event-depth", "Depth", METAL_NESTING_LEVEL },
		{ "event-label", "Label", FORMATTED_LABEL },
		{ "state", "State", GPU_STATE },
		{ "connection-UUID", "Connection UUID", CONNECTION_UUID64 },
		{ "color", "Color", RENDER_BUFFER_DEPTH },
		{ "process", "Process", PROCESS },
		{ "gpu", "Metal Device", METAL_DEVICE_NAME },
		{ "channel-subtitle", "Channel Subtitle", METAL_OBJECT_LABEL },
		{ "iosurface-accesses", "IOSurface Accesses",
		    FORMATTED_LABEL },
		{ "bytes", "Bytes", SIZE_IN_BYTES },
		{ "cmdbuffer-id", "Commmand Buffer Id",
		    METAL_COMMAND_BUFFER_ID },
		{ "encoder-id", "Encoder Id", METAL_COMMAND_BUFFER_ID },
		{ "gpu-submission-id", "GPU Submission Id", UINT64 },
		{ NULL, NULL, 0 },
	}
};

static const struct schema submissions = {
	"metal-application-command-buffer-submissions",
	"metal_cmd_submissions", "target-pid=\"SINGLE\"", {
		{ "start", "Creation", START_TIME },
		{ "duration", "Duration", DURATION },
		{ "event-type", "Event Type", METAL_EVENT_NAME },
		{ "gpu", "Metal Device", METAL_DEVICE_NAME },
		{ "track-label", "Track Label", METAL_OBJECT_LABEL },
		{ "num-encoders", "# Encoders", UINT32 },
		{ "encoder-time", "Encoder Time", DURATION },
		{ "process", "Process", PROCESS },
		{ "thread", "Thread", THREAD },
		{ "event-icon", "Event Icon", METAL_EVENT },
		{ "event-label", "Note", NARRATIVE },
		{ "encoder-time-label", "Encoder Time Label", NARRATIVE },
		{ "frame-number", "Frame #", UINT32 },
		{ "color", "Color", RENDER_BUFFER_DEPTH },
		{ "cmdbuffer-id", "Commmand Buffer Id",
		    METAL_COMMAND_BUFFER_ID },
		{ NULL, NULL, 0 },
	}
};

static const struct schema completed = {
	"metal-command-buffer-completed", "metal_cmd_completed", NULL, {
		{ "timestamp", "Timestamp", START_TIME },
		{ "cmdbuffer-id", "Commmand Buffer Id",
		    METAL_COMMAND_BUFFER_ID },
		{ "commit-id", "commit-id", UINT32 },
		{ NULL, NULL, 0 },
	}
};

static const struct schema to_gpu = {
	"metal-command-buffer-to-accelerator-id", "metal_cmd_to_gpu", NULL, {
		{ "timestamp", "Timestamp", START_TIME },
		{ "cmdbuffer-id", "Commmand Buffer Id",
		    METAL_COMMAND_BUFFER_ID },
		{ "accelerator-id", "Accelerator ID", UINT64 },
		{ NULL, NULL, 0 },
	}
};

static const struct schema wired = {
	"metal-wired-sysmem-level-interval", "metal_wired_sysmem", NULL, {
		{ "start", "Creation", START_TIME },
		{ "duration", "Duration", DURATION },
		{ "bytes", "Bytes", SIZE_IN_BYTES },
		{ "color", "Color", RENDER_BUFFER_DEPTH },
		{ "gpu", "Metal Device", METAL_DEVICE_NAME },
		{ "event-label", "Description", NARRATIVE },
		{ "event-type", "Event Type", METAL_MEMORY_LEVEL_EVENT },
		{ NULL, NULL, 0 },
	}
};

static const struct schema current = {
	"metal-current-allocated-size", "metal_current_alloc",
	"target-pid=\"SINGLE\"", {
		{ "start", "Creation", START_TIME },
		{ "duration", "Duration", DURATION },
		{ "end", "End", START_TIME },
		{ "process", "Process", PROCESS },
		{ "current-allocated-size", "Current Allocated Size",
		    SIZE_IN_BYTES },
		{ "label", "Label", FORMATTED_LABEL },
		{ "track-name", "Track", FORMATTED_LABEL },
		{ "color", "Color", RENDER_BUFFER_DEPTH },
		{ NULL, NULL, 0 },
	}
};

static const struct schema counter_profile = {
	"metal-gpu-counter-profile", "metal_gpu_counter_profile",
	"shader-profiler=\"0\" counter-profile=\"0\" counter-device=\"0\"", {
		{ "timestamp", "Timestamp", START_TIME },
		{ NULL, NULL, 0 },
	}
};

static const struct schema counter_intervals = {
	"metal-gpu-counter-intervals", "metal_gpu_counter_intervals", NULL, {
		{ "start", "Start", START_TIME },
		{ "duration", "Duration", DURATION },
		{ "counter-id", "Counter ID", UINT32 },
		{ "name", "Counter Name", GPU_COUNTER_NAME },
		{ "label", "Label", FORMATTED_LABEL },
		{ "value", "Value", FIXED_DECIMAL },
		{ "percent-value", "Percent Value", PERCENT },
		{ "color", "Color", UINT32 },
		{ "gpu", "GPU", METAL_DEVICE_NAME },
		{ "group-index", "Group Index", UINT32 },
		{ "is-percentage", "Is Percentage", BOOLEAN },
		{ "ring-buffer-index", "Ring Buffer Index", UINT32 },
		{ NULL, NULL, 0 },
	}
};

static const struct schema performance_states = {
	"gpu-performance-state-intervals", "gpu_performance_state_intervals",
	"requested-consistent-state=\"0\"", {
		{ "start", "Start", START_TIME },
		{ "duration", "Duration", DURATION },
		{ "gpu-performance-state", "GPU Performance State",
		    GPU_PERFORMANCE_STATE },
		{ "is-induced", "Is Induced", BOOLEAN },
		{ "narrative", "Narrative", NARRATIVE },
		{ NULL, NULL, 0 },
	}
};

static const struct schema gpu_states = {
	"metal-gpu-state-intervals", "metal_gpu_state_intervals", NULL, {
		{ "start", "Creation", START_TIME },
		{ "duration", "Duration", DURATION },
		{ "state", "State", GPU_STATE },
		{ "label", "Label", FORMATTED_LABEL },
		{ "color", "Color", RENDER_BUFFER_DEPTH },
		{ "num-events", "# Events", UINT32 },
		{ "gpu", "Metal Device", METAL_DEVICE_NAME },
		{ NULL, NULL, 0 },
	}
};

static const struct schema resource_allocations = {
	"metal-resource-allocations", "metal_resource_allocations",
	"target-pid=\"SINGLE\"", {
		{ "timestamp", "Timestamp", START_TIME },
		{ "duration", "Lifetime", DURATION },
		{ "process", "Process", PROCESS },
		{ "thread", "Thread", THREAD },
		{ "resource-id", "ID", GPU_HARDWARE_TRACE },
		{ "parent-resource-id", "Parent ID", GPU_HARDWARE_TRACE },
		{ "label", "Label", METAL_OBJECT_LABEL },
		{ "vidmem-bytes", "Video Memory Bytes", SIZE_IN_BYTES },
		{ "sysmem-bytes", "System Memory Bytes", SIZE_IN_BYTES },
		{ "resource-size", "Resource Size", SIZE_IN_BYTES },
		{ "event-label", "Description", FORMATTED_LABEL },
		{ "gpu", "Metal Device", METAL_DEVICE_NAME },
		{ "resource-type", "Resource Type", METAL_OBJECT_LABEL },
		{ "event-type", "Event Type", GPU_MEMORY_EVENT_NAME },
		{ "backtrace", "Backtrace", BACKTRACE },
		{ "event-icon", "Event Icon", METAL_EVENT },
		{ NULL, NULL, 0 },
	}
};

static const struct schema kernel_resources = {
	"metal-kernel-resource-allocations",
	"metal_kernel_resource_allocations", "target-pid=\"SINGLE\"", {
		{ "timestamp", "Timestamp", START_TIME },
		{ "process", "Process", PROCESS },
		{ "thread", "Thread", THREAD },
		{ "resource-id", "ID", IO_SURFACE },
		{ "vidmem-bytes", "Video Memory Bytes", SIZE_IN_BYTES },
		{ "sysmem-bytes", "System Memory Bytes", SIZE_IN_BYTES },
		{ "gpu", "Metal Device", METAL_DEVICE_NAME },
		{ "resource-type", "Resource Type", METAL_OBJECT_LABEL },
		{ "event-type", "Event Type", GPU_MEMORY_EVENT_NAME },
		{ NULL, NULL, 0 },
	}
};

static const struct schema kdebug = {
	"kdebug", "kdebug", "codes=\"&quot;0x85,0x80&quot;\"", {
		{ "time", "Timestamp", EVENT_TIME },
		{ "thread", "Thread", THREAD },
		{ "core-index", "Core Index", CORE },
		{ "thread-state", "Thread State", THREAD_STATE },
		{ "cp-kernel-callstack", "CP Kernel Callstack", KPERF_BT },
		{ "cp-user-callstack", "CP User Callstack", KPERF_BT },
		{ "class", "Class", KDEBUG_CLASS },
		{ "subclass", "Subclass", KDEBUG_SUBCLASS },
		{ "code", "Code", KDEBUG_CODE },
		{ "function", "Qualifier", KDEBUG_FUNC },
		{ "arg1", "Argument 1", KDEBUG_ARG },
		{ "arg2", "Argument 2", KDEBUG_ARG },
		{ "arg3", "Argument 3", KDEBUG_ARG },
		{ "arg4", "Argument 4", KDEBUG_ARG },
		{ NULL, NULL, 0 },
	}
};

static const struct schema gpu_info = {
	"metal-gpu-info", "metal_gpu_info", NULL, {
		{ "timestamp", "Timestamp", START_TIME },
		{ "gpu-name", "GPU Name", METAL_OBJECT_LABEL },
		{ "gpu-index", "GPU Index", UINT32 },
		{ "accelerator-id", "Accelerator ID", UINT64 },
		{ "mobile", "Mobile", BOOLEAN },
		{ NULL, NULL, 0 },
	}
};

static void
write_samples(struct table *t, const struct run *run)
{
	const struct sample *s;

	for (size_t i = 0; i < run->samples.n; i++) {
		s = &run->samples.v[i];
		row_begin(t);
		cell_number(t, (uint64_t)s->time);
		cell_thread(t, s->thread);
		cell_process(t, s->thread == NO_THREAD ? NOBODY :
		    threads[s->thread].process);
		cell_number(t, s->core);
		cell_text(t, s->blocked ? "Blocked" : "Running");
		cell_number(t, (uint64_t)s->weight);
		cell_stack(t, &s->stack);
		row_end(t);
	}
}

/* "Command Buffer 3:Compute Command 1      ( python (7) )  0x5af00" */
static void
interval_label(struct table *t, const struct interval *v)
{
	char name[96];
	struct piece pieces[7] = {
		{ STRING, name, 0 },
		{ NARRATIVE_TEXT, " ", 0 },
		{ STRING, " ", 0 },
		{ NARRATIVE_TEXT, " (", 0 },
		{ PROCESS, NULL, (uint64_t)v->process },
		{ NARRATIVE_TEXT, ") ", 0 },
		{ METAL_ENCODER_ID, NULL, v->submission },
	};

	if (v->process == TARGET)
		snprintf(name, sizeof(name), "Command Buffer %u:%s Command %u",
		    v->buffer_index, v->channel == BLIT ? "Blit" : "Compute",
		    v->encoder_index);
	else if (v->process == COMPOSITOR)
		snprintf(name, sizeof(name), "compositor.frame:compositor.%s",
		    v->channel == VERTEX ? "layers" : "blend");
	else
		snprintf(name, sizeof(name), "GPU Execution");
	if (v->process == NOBODY)
		cell_label(t, pieces, 1);
	else
		cell_label(t, pieces, 7);
}

static void
write_intervals(struct table *t, const struct run *run)
{
	static const char *const channels[] = {
		[VERTEX] = "Vertex", [FRAGMENT] = "Fragment",
		[COMPUTE] = "Compute", [BLIT] = "Blit",
	};
	static const struct piece none = { STRING, "", 0 };
	const struct interval *v;

	for (size_t i = 0; i < run->intervals.n; i++) {
		v = &run->intervals.v[i];
		row_begin(t);
		cell_number(t, (uint64_t)v->start);
		cell_number(t, (uint64_t)(v->end - v->start));
		cell_text(t, channels[v->channel]);
		if (v->frame)
			cell_number(t, v->frame);
		else
			cell_none(t);
		if (v->commit >= 0)
			cell_number(t, (uint64_t)(v->start - v->commit));
		else
			cell_none(t);
		cell_number(t, v->depth);
		interval_label(t, v);
		cell_text(t, "Active");
		cell_number(t, 1 + (uint64_t)(v->process + 1) * 8 + v->channel);
		cell_number(t, 1001 + v->channel);
		cell_process(t, v->process);
		cell_text(t, GPU_NAME);
		cell_text(t, "");
		cell_label(t, &none, 1);
		cell_number(t, 0);
		cell_number(t, v->buffer);
		if (v->encoder)
			cell_number(t, v->encoder);
		else
			cell_none(t);
		cell_number(t, v->submission);
		row_end(t);
	}
}

/* Only the target's: that is what the instrument records. */
static void
write_submissions(struct table *t, const struct run *run)
{
	const struct buffer *b;
	char name[32];
	struct piece label = { METAL_OBJECT_LABEL, name, 0 };
	struct piece encoding = { DURATION, NULL, 0 };

	for (size_t i = 0; i < run->buffers.n; i++) {
		b = &run->buffers.v[i];
		if (b->process != TARGET)
			continue;
		snprintf(name, sizeof(name), "Command Buffer %u", b->index);
		encoding.number = (uint64_t)b->encoding;
		row_begin(t);
		cell_number(t, (uint64_t)b->create);
		cell_number(t, (uint64_t)(b->commit - b->create));
		cell_text(t, "Command Buffer");
		cell_text(t, GPU_NAME);
		cell_text(t, "Command Buffers");
		cell_number(t, b->encoders);
		cell_number(t, encoding.number);
		cell_process(t, b->process);
		cell_thread(t, b->thread);
		cell_text(t, "Command Buffer");
		cell_label(t, &label, 1);
		cell_label(t, &encoding, 1);
		cell_none(t);
		cell_number(t, 1 + b->index % 8);
		cell_number(t, b->id);
		row_end(t);
	}
}

static void
write_completed(struct table *t, const struct run *run)
{
	const struct buffer *b;

	for (size_t i = 0; i < run->completions.n; i++) {
		b = &run->completions.v[i];
		if (b->completed < 0)
			continue;
		row_begin(t);
		cell_number(t, (uint64_t)b->completed);
		cell_number(t, b->id);
		cell_number(t, 0);
		row_end(t);
	}
}

static void
write_to_gpu(struct table *t, const struct run *run)
{
	const struct buffer *b;

	for (size_t i = 0; i < run->arrivals.n; i++) {
		b = &run->arrivals.v[i];
		row_begin(t);
		cell_number(t, (uint64_t)b->to_gpu);
		cell_number(t, b->id);
		cell_number(t, ACCELERATOR);
		row_end(t);
	}
}

static void
write_wired(struct table *t, const struct run *run)
{
	const struct level *l;
	struct piece bytes = { SIZE_IN_BYTES, NULL, 0 };

	for (size_t i = 0; i < run->wired.n; i++) {
		l = &run->wired.v[i];
		bytes.number = (uint64_t)l->bytes;
		row_begin(t);
		cell_number(t, (uint64_t)l->start);
		cell_number(t, (uint64_t)(l->end - l->start));
		cell_number(t, bytes.number);
		cell_number(t, 1);
		cell_text(t, GPU_NAME);
		cell_label(t, &bytes, 1);
		cell_text(t, "Wired System Memory");
		row_end(t);
	}
}

static void
write_current(struct table *t, const struct run *run)
{
	const struct level *l;
	struct piece bytes = { SIZE_IN_BYTES, NULL, 0 };
	struct piece track = { PROCESS, NULL, 0 };

	for (size_t i = 0; i < run->current.n; i++) {
		l = &run->current.v[i];
		bytes.number = (uint64_t)l->bytes;
		track.number = (uint64_t)l->process;
		row_begin(t);
		cell_number(t, (uint64_t)l->start);
		cell_number(t, (uint64_t)(l->end - l->start));
		cell_number(t, (uint64_t)l->end);
		cell_process(t, l->process);
		cell_number(t, bytes.number);
		cell_label(t, &bytes, 1);
		cell_label(t, &track, 1);
		cell_number(t, 1 + track.number);
		row_end(t);
	}
}

static void
write_clocks(struct table *t, const struct run *run)
{
	static const char *const names[] = { "Minimum", "Medium", "Maximum" };
	struct piece reason = { NARRATIVE_TEXT, NULL, 0 };
	const struct clock *c;

	for (size_t i = 0; i < run->clocks.n; i++) {
		c = &run->clocks.v[i];
		reason.text = names[c->state];
		row_begin(t);
		cell_number(t, (uint64_t)c->start);
		cell_number(t, (uint64_t)(c->end - c->start));
		cell_text(t, names[c->state]);
		cell_number(t, 0);
		cell_label(t, &reason, 1);
		row_end(t);
	}
}

static void
write_activity(struct table *t, const struct run *run)
{
	struct piece label[2] = { { UINT32, NULL, 0 },
	    { NARRATIVE_TEXT, "channels active", 0 } };
	struct piece idle = { NARRATIVE_TEXT, "Idle", 0 };
	const struct activity *a;

	for (size_t i = 0; i < run->activity.n; i++) {
		a = &run->activity.v[i];
		label[0].number = a->events;
		row_begin(t);
		cell_number(t, (uint64_t)a->start);
		cell_number(t, (uint64_t)(a->end - a->start));
		cell_text(t, a->events ? "Active" : "Idle");
		if (a->events)
			cell_label(t, label, 2);
		else
			cell_label(t, &idle, 1);
		cell_number(t, a->events ? 3 : 1000);
		cell_number(t, a->events);
		cell_text(t, GPU_NAME);
		row_end(t);
	}
}

static void
write_counter_profile(struct table *t, const struct run *run)
{
	for (size_t i = 0; i < run->counters.n; i++) {
		if (!run->counters.v[i].percent)
			continue;
		row_begin(t);
		cell_number(t, (uint64_t)run->counters.v[i].start);
		row_end(t);
	}
}

static void
write_counters(struct table *t, const struct run *run)
{
	const struct counter *c;
	struct piece label = { STRING, NULL, 0 };
	const char *name;
	char shown[32];

	for (size_t i = 0; i < run->counters.n; i++) {
		c = &run->counters.v[i];
		name = c->percent ? "RT Unit Active" :
		    "GPU Read Bandwidth";
		snprintf(shown, sizeof(shown), c->percent ? "%u.%u%%" :
		    "%u.%u GB/s", (unsigned)(c->value / 1000000),
		    (unsigned)(c->value / 100000 % 10));
		label.text = shown;
		row_begin(t);
		cell_number(t, (uint64_t)c->start);
		cell_number(t, (uint64_t)(c->end - c->start));
		cell_number(t, c->percent ? 0 : 1);
		cell_text(t, name);
		cell_label(t, &label, 1);
		if (c->percent)
			cell_none(t);
		else
			cell_decimal(t, c->value);
		if (c->percent)
			cell_decimal(t, c->value);
		else
			cell_none(t);
		cell_number(t, 1);
		cell_text(t, GPU_NAME);
		cell_number(t, 0);
		cell_number(t, c->percent);
		cell_number(t, 0);
		row_end(t);
	}
}

static void
write_resources(struct table *t, const struct run *run)
{
	const struct resource *r;
	struct piece label[2] = {
		{ SIZE_IN_BYTES, NULL, 0 }, { STRING, "Buffer", 0 },
	};

	for (size_t i = 0; i < run->resources.n; i++) {
		r = &run->resources.v[i];
		label[0].number = (uint64_t)r->bytes;
		row_begin(t);
		cell_number(t, (uint64_t)r->time);
		if (r->lifetime < 0)
			cell_none(t);
		else
			cell_number(t, (uint64_t)r->lifetime);
		cell_process(t, r->process);
		cell_thread(t, r->thread);
		cell_number(t, r->id);
		cell_none(t);
		cell_text(t, r->label);
		cell_number(t, 0);
		cell_number(t, label[0].number);
		cell_number(t, label[0].number);
		cell_label(t, label, 2);
		cell_text(t, GPU_NAME);
		cell_text(t, "Buffer");
		cell_text(t, r->freed ? "Deallocation" : "Allocation");
		cell_stack(t, &r->stack);
		cell_text(t, "Resource");
		row_end(t);
	}
}

static void
write_surfaces(struct table *t, const struct run *run)
{
	const struct resource *r;

	for (size_t i = 0; i < run->surfaces.n; i++) {
		r = &run->surfaces.v[i];
		row_begin(t);
		cell_number(t, (uint64_t)r->time);
		cell_process(t, r->process);
		cell_thread(t, r->thread);
		cell_number(t, r->id);
		cell_number(t, 0);
		cell_number(t, (uint64_t)r->bytes);
		cell_text(t, GPU_NAME);
		cell_text(t, "IOSurface");
		cell_text(t, r->freed ? "Deallocation" : "Allocation");
		row_end(t);
	}
}

static void
write_events(struct table *t, const struct run *run)
{
	const struct event *e;

	for (size_t i = 0; i < run->events.n; i++) {
		e = &run->events.v[i];
		row_begin(t);
		cell_number(t, (uint64_t)e->time);
		cell_thread(t, e->thread);
		cell_number(t, e->core);
		cell_text(t, "Running");
		cell_none(t);
		cell_none(t);
		cell_number(t, 0x85);
		cell_number(t, 0x80);
		cell_number(t, 0x11);
		cell_number(t, e->ends ? 2 : 1);
		for (size_t k = 0; k < 4; k++)
			cell_number(t, e->arg[k]);
		row_end(t);
	}
}

static void
write_gpu_info(struct table *t, const struct run *run)
{
	(void)run;
	row_begin(t);
	cell_number(t, 0);
	cell_text(t, GPU_NAME);
	cell_number(t, 1);
	cell_number(t, ACCELERATOR);
	cell_number(t, 1);
	row_end(t);
}

/* In the order of the table of contents; those without rows are listed
 * there, but were not exported. */
static const struct {
	const struct schema *schema;
	const char *listed;
	void (*write)(struct table *t, const struct run *run);
} tables[] = {
	{ &kdebug, NULL, write_events },
	{ NULL, "display-compositor-interval", NULL },
	{ &gpu_info, NULL, write_gpu_info },
	{ NULL, "metal-application-encoders-list", NULL },
	{ NULL, "process-info", NULL },
	{ &submissions, NULL, write_submissions },
	{ &performance_states, NULL, write_clocks },
	{ &completed, NULL, write_completed },
	{ &wired, NULL, write_wired },
	{ &current, NULL, write_current },
	{ NULL, "thread-info", NULL },
	{ NULL, "tick", NULL },
	{ &time_profile, NULL, write_samples },
	{ &gpu_states, NULL, write_activity },
	{ &counter_profile, NULL, write_counter_profile },
	{ &counter_intervals, NULL, write_counters },
	{ &gpu_intervals, NULL, write_intervals },
	{ &to_gpu, NULL, write_to_gpu },
	{ &resource_allocations, NULL, write_resources },
	{ &kernel_resources, NULL, write_surfaces },
};
#define TABLE_COUNT (sizeof(tables) / sizeof(tables[0]))

static int
is_wanted(const struct schema *schema, const char *const *only)
{
	if (!schema || !only)
		return schema != NULL;
	while (*only && strcmp(*only, schema->name) != 0)
		only++;
	return *only != NULL;
}

void
tables_write(const struct run *run, enum form form, const char *folder,
    const char *prefix, const char *const *only)
{
	static struct table table;
	char path[4096];
	int len;

	for (unsigned i = 0; i < TABLE_COUNT; i++) {
		if (!is_wanted(tables[i].schema, only))
			continue;
		len = snprintf(path, sizeof(path), "%s/%s_%s.%s", folder,
		    prefix, tables[i].schema->file, form == XML ? "xml" :
		    "csv");
		if (len < 0 || (size_t)len >= sizeof(path))
			die(4, "'%s': name is too long", folder);
		table_open(&table, tables[i].schema, i + 1, form, path);
		tables[i].write(&table, run);
		table_close(&table);
	}
}

static void
toc_head(const struct run *run, FILE *f)
{
	const struct process *p = &processes[TARGET];
	int64_t us, end_ms;

	us = run->duration / 1000;
	/* the recording began at 10:32:05.118 */
	end_ms = 37925118 + us / 1000;
	fputs("<?xml version=\"1.0\"?>\n\n<trace-toc>\n"
	    "    <run number=\"1\">\n        <info>\n            <target>\n"
	    "                <device platform=\"macOS\" "
	    "model=\"MacBook Pro\" name=\"Maren’s MacBook Pro\" "
	    "os-version=\"15.3 (24D60)\" "
	    "uuid=\"3F0D6C1A-8E27-5B94-A1C3-7D60E2B5F948\"/>\n", f);
	fprintf(f, "                <process type=\"launched\" "
	    "return-exit-status=\"%u\" name=\"%s\" pid=\"%u\" "
	    "termination-reason=\"exit(%u)\" arguments=\"", run->exit_status,
	    p->name, p->pid, run->exit_status);
	fprintf(f, "/Users/maren.k/src/mlx-rag-lab/src/rag/cli/"
	    "flux_txt2image.py &quot;a lighthouse &amp; a &lt;storm&gt;; oil "
	    "on canvas&quot; --model schnell --steps %u --n-images 1 "
	    "--image-size 512 --seed 7 --verbose\"/>\n", run->steps);
	fputs("            </target>\n            <summary>\n"
	    "                <start-date>2026-02-11T10:32:05.118+01:00"
	    "</start-date>\n", f);
	fprintf(f, "                <end-date>2026-02-%02" PRId64 "T%02" PRId64
	    ":%02" PRId64 ":%02" PRId64 ".%03" PRId64 "+01:00</end-date>\n",
	    11 + end_ms / 86400000, end_ms / 3600000 % 24,
	    end_ms / 60000 % 60, end_ms / 1000 % 60, end_ms % 1000);
	fprintf(f, "                <duration>%" PRId64 ".%06" PRId64
	    "</duration>\n", us / 1000000, us % 1000000);
	fputs("                <end-reason>Target app exited</end-reason>\n"
	    "                <instruments-version>16.2 (16C5032a)"
	    "</instruments-version>\n"
	    "                <template-name>Metal System Trace"
	    "</template-name>\n"
	    "                <recording-mode>Deferred</recording-mode>\n"
	    "                <time-limit>12 hours</time-limit>\n"
	    "            </summary>\n        </info>\n", f);
}

void
toc_write(const struct run *run, const char *path)
{
	FILE *f;

	f = file_create(path);
	toc_head(run, f);
	fputs("        <processes>\n", f);
	for (size_t i = 0; i < PROCESS_COUNT; i++)
		fprintf(f, "            <process name=\"%s\" pid=\"%u\" "
		    "path=\"%s\"/>\n", processes[i].name, processes[i].pid,
		    processes[i].path);
	fputs("        </processes>\n        <data>\n", f);
	for (size_t i = 0; i < TABLE_COUNT; i++) {
		if (!tables[i].schema)
			fprintf(f, "            <table schema=\"%s\"/>\n",
			    tables[i].listed);
		else if (!tables[i].schema->attributes)
			fprintf(f, "            <table schema=\"%s\"/>\n",
			    tables[i].schema->name);
		else
			fprintf(f, "            <table %s schema=\"%s\"/>\n",
			    tables[i].schema->attributes,
			    tables[i].schema->name);
	}
	fputs("        </data>\n        <tracks/>\n    </run>\n"
	    "</trace-toc>\n", f);
	file_close(f, path);
}
