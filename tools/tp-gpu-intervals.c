/*
 * tp-gpu-intervals - how busy the GPU was, and who kept it busy
 *
 * Reads the table metal-gpu-intervals and writes, for the machine and for the
 * target process: busy time (a union, never a sum), gaps, durations, short
 * intervals, per channel and per process; and the steps of the target's loop.
 *
 * With --buffers it also joins command buffers, from submission over the GPU
 * to completion, by their id, in the same pass.  As tp-cmdbuf it does that
 * alone, or with --gpu all.
 */
#include <string.h>

#include <tp/lanes.h>
#include <tp/metal/budget.h>
#include <tp/metal/segments.h>
#include <tp/tool.h>

struct state {
	struct tp_gpu gpu;
	struct tp_cmdbuf cmdbuf;
	struct tp_steps steps;
	struct tp_segments segments;
};

static int64_t short_limit_ns, pixels;
static int64_t late_ns = 20000;
static const char *step_name;
static int with_gpu, with_buffers, labels, hand_on;

#define LATE { TP_OPT_NS, "late", 0, "T", "a command buffer committed " \
    "more than T after a gap began kept the GPU waiting (default: 20us)", \
    &late_ns }

static const struct tp_option gpu_options[] = {
	{ TP_OPT_NS, "short", 0, "T",
	    "intervals below T count as short (default: 200us)",
	    &short_limit_ns },
	{ TP_OPT_TEXT, "steps", 0, "NAME",
	    "a step is a signpost interval of this name", &step_name },
	{ TP_OPT_FLAG, "labels", 0, NULL,
	    "also write the GPU work of the target by label; takes half as "
	    "long again", &labels },
	{ TP_OPT_COUNT, "lanes", 0, "PIXELS",
	    "also write when each channel was busy, for a picture PIXELS "
	    "wide (default: 0, no picture)", &pixels },
	{ TP_OPT_FLAG, "buffers", 0, NULL,
	    "also write the records of tp-cmdbuf", &with_buffers },
	{ TP_OPT_FLAG, "waits", 0, NULL,
	    "leave the wall-clock budget to tp-cpu-top and write the records "
	    "it needs", &hand_on },
	LATE,
	{ 0 }
};

static const struct tp_option buffer_options[] = {
	{ TP_OPT_FLAG, "gpu", 'g', NULL, "also write the records of "
	    "tp-gpu-intervals, with labels", &with_gpu },
	{ TP_OPT_TEXT, "steps", 0, "NAME", "find the steps by "
	    "signpost intervals of this name", &step_name },
	LATE,
	{ TP_OPT_COUNT, "lanes", 0, "PIXELS",
	    "with --gpu: also write when each channel was busy, for a "
	    "picture PIXELS wide (default: 0)", &pixels },
	{ 0 }
};

/* Of the first more columns are read as more is asked for; without command
 * buffers the list ends before their tables. */
enum { INTERVALS, MARKS, MARK_EVENTS, BUFFERS };
static struct tp_bind tables[] = {
	[INTERVALS] = { TP_TABLE_GPU, tp_gpu_columns, "start" },
	[MARKS] = { TP_TABLE_MARK, tp_mark_columns, "start" },
	[MARK_EVENTS] = { TP_TABLE_MARK_EVENT, tp_mark_event_columns, "time" },
	[BUFFERS] = { TP_TABLE_SUBMIT, tp_submit_columns, "start" },
	{ TP_TABLE_DONE, tp_done_columns, "timestamp" },
	{ TP_TABLE_TOGPU, tp_togpu_columns, "timestamp" },
	{ TP_TABLE_FRAME, tp_frame_columns, NULL },
	{ TP_TABLE_ENCODER, tp_encoder_columns, "start" },
	{ 0 }
};

static const char *const gpu_examples[] = {
	"tp-gpu-intervals < gpu.csv | tp-render gpu-intervals",
	"tp-gpu-intervals -p python3.11 gpu.xml toc.xml",
	"tp-gpu-intervals --only 'gpu.summary[all]' gpu.csv | jq .busy_ratio",
	NULL
};

static const char *const buffer_examples[] = {
	"tp-cmdbuf submissions.csv completed.csv gpu.csv | tp-render cmdbuf",
	"tp-rows *.csv | tp-cmdbuf",
	"tp-cmdbuf gpu.xml toc.xml | jq 'select(.kind==\"gap.part\")'",
	NULL
};

#define TOOL(NAME, DOES, READS, WRITES, EXAMPLES, OPTIONS) { .name = NAME, \
    .does = DOES, .operands = "[FILE...]", .reads = READS, \
    .writes = WRITES, .group = "Instruments", .step = "GPU", \
    .examples = EXAMPLES, \
    .flags = TP_TOOL_TABLES | TP_TOOL_TARGET | TP_TOOL_WINDOW, \
    .options = OPTIONS, .tables = tables, \
    .state_size = sizeof(struct state) }

static const struct tp_tool gpu_tool =
	TOOL("tp-gpu-intervals", "how busy the GPU was, and who kept it busy",
	"metal-gpu-intervals (XML, CSV, JSON or rows), toc; "
	"os-signpost-interval, os-signpost",
	"gpu.summary gpu.channel gpu.gap_bucket gpu.gap gpu.process gpu.other "
	"gpu.lane step.summary step.class step (with --labels also "
	"label.summary label; with --buffers cmdbuf.summary "
	"segment.summary segment segment.label segment.step budget.window "
	"budget.part budget path.window path.class path.name path.exposer "
	"path.lane "
	"gap.class gap.part gap.sync gap.op gap; with "
	"--waits budget.gpu budget.work in place of these)",
	gpu_examples, gpu_options);

static const struct tp_tool buffer_tool =
	TOOL("tp-cmdbuf", "command buffers from commit to completion, and "
	"idle time by cause",
	"metal-gpu-intervals and the tables of command buffers, "
	"toc; os-signpost-interval, os-signpost",
	"cmdbuf.summary budget.window budget.part budget path.window "
	"path.class path.name path.exposer path.lane gap.class gap.part "
	"gap.sync gap.op gap (with "
	"--gpu also label.summary label step.summary step.class step "
	"segment.summary segment segment.label segment.step gpu.*)",
	buffer_examples, buffer_options);

static int
add_gpu_row(struct tp_run *run)
{
	struct state *s = run->trace->state;
	ptrdiff_t table = run->row.bind - tables;
	struct tp_row row = run->row;

	if (table == MARKS || table == MARK_EVENTS) {
		s->steps.wanted = step_name;
		return with_gpu ? tp_steps_add(&s->steps, &run->row,
		    &run->err) : 0;
	}
	s->gpu.short_limit_ns = short_limit_ns;
	if (!with_buffers)
		return tp_gpu_add(&s->gpu, &run->row, &run->window,
		    &run->err);
	/* the GPU analysis also chooses the target, so it always runs; each
	 * row is given to both */
	row.more = 0;
	if (table == INTERVALS && tp_gpu_add(&s->gpu, &row, &run->window,
	    &run->err) < 0)
		return -1;
	s->cmdbuf.row_label = s->gpu.row_label;
	return tp_cmdbuf_add(&s->cmdbuf, &run->row, &run->err);
}

static int
emit_budget(struct tp_run *run, ptrdiff_t target,
    const struct tp_window *steady)
{
	struct state *s = run->trace->state;

	if (!with_buffers || target < 0)
		return 0;
	target = tp_procs_same(&s->gpu.procs, target, &s->cmdbuf.procs);
	return tp_metal_budget(&s->cmdbuf, target, &run->window, steady,
	    &s->segments, late_ns, (size_t)pixels, hand_on, &run->out,
	    &run->err);
}

static int
emit_intervals(struct tp_run *run)
{
	struct state *s = run->trace->state;
	struct tp_window steady = { 0, 0 };
	const char *how = NULL;
	ptrdiff_t target;

	if (s->gpu.unattributed && s->gpu.procs.ids.count)
		tp_out_note(&run->out, "row.process", 0, s->gpu.unattributed,
		    "GPU intervals name no process, so they are work of none");
	if (with_gpu && tp_gpu_emit(&s->gpu, run->trace, run->process,
	    &run->out, &run->err) < 0)
		return -1;
	target = tp_gpu_target(&s->gpu, run->trace, run->process, &how);
	if (with_buffers)
		tp_cmdbuf_emit(&s->cmdbuf, &s->gpu, target, how,
		    &run->window, &run->out);
	if (with_gpu) {
		s->steps.wanted = step_name;
		if (tp_steps_emit(&s->steps, &s->gpu, with_buffers ?
		    &s->cmdbuf : NULL, target, how, &run->window, &steady,
		    &s->segments, &run->out, &run->err) < 0)
			return -1;
		tp_gpu_emit_lanes(&s->gpu, target, &s->segments,
		    (size_t)pixels, &run->out);
	}
	return emit_budget(run, target, &steady);
}

int
main(int argc, char *argv[])
{
	int is_cmdbuf = tp_is_called(argv[0], buffer_tool.name);
	struct tp_run run;

	tp_begin(&run, is_cmdbuf ? &buffer_tool : &gpu_tool, argc, argv);
	if (pixels > TP_PIXELS_MAX)
		tp_die(&run, TP_USAGE, "--lanes takes at most %d",
		    TP_PIXELS_MAX);
	if (is_cmdbuf) {
		labels = with_gpu;
		with_buffers = 1;
	} else {
		with_gpu = 1;
	}
	if (with_buffers)
		tables[INTERVALS].columns = tp_gpu_cmdbuf_columns;
	else
		tables[BUFFERS] = (struct tp_bind){ 0 };
	if (labels)
		tables[INTERVALS].columns = tp_gpu_label_columns;
	tp_analyse(&run, add_gpu_row, emit_intervals);
	return tp_end(&run);
}
