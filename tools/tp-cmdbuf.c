/*
 * tp-cmdbuf - command buffers from commit to completion, and idle by cause
 *
 * Joins submissions, to-GPU, GPU intervals and completions by command-buffer
 * id.  With --gpu it also writes what tp-gpu-intervals writes, from the same
 * pass over the GPU intervals.
 */
#include <string.h>

#include <tp/metal/cmdbuf.h>
#include <tp/metal/steps.h>
#include <tp/slices.h>
#include <tp/tool.h>

struct state {
	struct tp_cmdbuf cmdbuf;
	struct tp_gpu gpu;
	struct tp_steps steps;
};

static int64_t late_ns = 20000;
static int with_gpu;
static const char *step_name;
static int64_t slices;

static const struct tp_option options[] = {
	{ TP_OPT_FLAG, "gpu", 'g', NULL,
	    "also write the records of tp-gpu-intervals", &with_gpu },
	{ TP_OPT_TEXT, "steps", 0, "NAME", "find the steps by "
	    "signpost intervals of this name", &step_name },
	{ TP_OPT_NS, "late", 0, "T", "a buffer committed more than T after "
	    "a gap began was waited for (default: 20us)", &late_ns },
	{ TP_OPT_COUNT, "slices", 0, "N", "among those records, how busy it "
	    "was in N equal parts of the run (default: 0)", &slices },
	{ 0 }
};

/* with --gpu the first has labels */
static struct tp_bind tables[] = {
	{ TP_TABLE_GPU, tp_gpu_cmdbuf_columns, "start" },
	{ TP_TABLE_SUBMIT, tp_submit_columns, "start" },
	{ TP_TABLE_DONE, tp_done_columns, "timestamp" },
	{ TP_TABLE_TOGPU, tp_togpu_columns, "timestamp" },
	{ TP_TABLE_FRAME, tp_frame_columns, NULL },
	{ TP_TABLE_ENCODER, tp_encoder_columns, "start" },
	{ TP_TABLE_MARK, tp_mark_columns, "start" },
	{ TP_TABLE_MARK_EVENT, tp_mark_event_columns, "time" },
	{ 0 }
};

static const char *const examples[] = {
	"tp-cmdbuf submissions.csv completed.csv gpu.csv | tp-render",
	"tp-rows *.csv | tp-cmdbuf",
	"tp-cmdbuf gpu.xml toc.xml | jq 'select(.kind==\"cmdbuf.gap\")'",
	NULL
};

static void
release(void *state)
{
	struct state *s = state;

	tp_cmdbuf_release(&s->cmdbuf);
	tp_gpu_release(&s->gpu);
	tp_steps_release(&s->steps);
}

static const struct tp_tool tool = {
	.name = "tp-cmdbuf",
	.does = "command buffers from commit to completion, and idle time "
	    "by cause",
	.operands = "[FILE...]",
	.reads = "metal-gpu-intervals and the tables of command buffers, "
	    "toc; os-signpost-interval, os-signpost",
	.writes = "cmdbuf.summary cmdbuf.gap (with --gpu also label.summary "
	    "label step.summary step gpu.*)",
	.group = "Instruments",
	.examples = examples,
	.flags = TP_TOOL_TABLES | TP_TOOL_TARGET | TP_TOOL_WINDOW,
	.options = options,
	.tables = tables,
	.state_size = sizeof(struct state),
	.state_release = release,
};

static int
add(struct tp_run *run)
{
	struct state *s = run->trace->state;
	const char *table = run->row.bind->table;

	s->steps.wanted = step_name;
	if (!strcmp(table, TP_TABLE_MARK) ||
	    !strcmp(table, TP_TABLE_MARK_EVENT))
		return with_gpu ? tp_steps_add(&s->steps, &run->row,
		    &run->err) : 0;
	/* the GPU analysis also chooses the target, so it always runs */
	if (!strcmp(table, TP_TABLE_GPU) &&
	    tp_gpu_add(&s->gpu, &run->row, &run->window, &run->err) < 0)
		return -1;
	return tp_cmdbuf_add(&s->cmdbuf, &run->row, &run->err);
}

static int
emit(struct tp_run *run)
{
	struct state *s = run->trace->state;
	const char *how = NULL;
	ptrdiff_t target;

	if (with_gpu && tp_gpu_emit(&s->gpu, run->trace, run->process,
	    &run->out, &run->err) < 0)
		return -1;
	target = tp_gpu_target(&s->gpu, run->trace, run->process, &how);
	if (tp_cmdbuf_emit(&s->cmdbuf, &s->gpu, target, how, &run->window,
	    late_ns, &run->out, &run->err) < 0)
		return -1;
	if (with_gpu && tp_gpu_emit_slices(&s->gpu, target, (size_t)slices,
	    &run->out, &run->err) < 0)
		return -1;
	return with_gpu ? tp_steps_emit(&s->steps, &s->gpu, &s->cmdbuf,
	    target, how, &run->window, &run->out, &run->err) : 0;
}

int
main(int argc, char *argv[])
{
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	if (slices > TP_SLICES_MAX)
		tp_die(&run, TP_USAGE, "--slices takes at most %d",
		    TP_SLICES_MAX);
	if (with_gpu)
		tables[0].columns = tp_gpu_label_columns;
	while (tp_next(&run))
		tp_take(&run, add(&run));
	while (tp_next_trace(&run))
		tp_take(&run, emit(&run));
	return tp_end(&run);
}
