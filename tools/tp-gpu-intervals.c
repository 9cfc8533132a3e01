/*
 * tp-gpu-intervals - how busy the GPU was, and who kept it busy
 *
 * Reads the table metal-gpu-intervals and writes, for the machine and for the
 * target process: busy time (a union, never a sum), gaps, durations, short
 * intervals, per channel and per process; and the steps of the target's loop.
 */
#include <string.h>

#include <tp/metal/gpu.h>
#include <tp/metal/steps.h>
#include <tp/slices.h>
#include <tp/tool.h>

struct state {
	struct tp_gpu gpu;
	struct tp_steps steps;
};

static int64_t short_limit_ns;
static const char *step_name;
static int64_t slices;
static int labels;

static const struct tp_option options[] = {
	{ TP_OPT_NS, "short", 0, "T",
	    "intervals below T count as short (default: 200us)",
	    &short_limit_ns },
	{ TP_OPT_TEXT, "steps", 0, "NAME",
	    "a step is a signpost interval of this name", &step_name },
	{ TP_OPT_FLAG, "labels", 0, NULL, "also what the GPU work of the "
	    "target is called; takes half as long again", &labels },
	{ TP_OPT_COUNT, "slices", 0, "N", "also how busy it was in N equal "
	    "parts of the run (default: 0)", &slices },
	{ 0 }
};

/* which columns of the first is told by --labels */
static struct tp_bind tables[] = {
	{ TP_TABLE_GPU, tp_gpu_columns, "start" },
	{ TP_TABLE_MARK, tp_mark_columns, "start" },
	{ TP_TABLE_MARK_EVENT, tp_mark_event_columns, "time" },
	{ 0 }
};

static const char *const examples[] = {
	"tp-gpu-intervals < gpu.csv | tp-render gpu",
	"tp-gpu-intervals -p python3.11 gpu.xml toc.xml",
	"tp-gpu-intervals --only 'gpu.summary[all]' gpu.csv | jq .busy_ratio",
	NULL
};

static void
release(void *state)
{
	struct state *s = state;

	tp_gpu_release(&s->gpu);
	tp_steps_release(&s->steps);
}

static const struct tp_tool tool = {
	.name = "tp-gpu-intervals",
	.does = "how busy the GPU was, and who kept it busy",
	.operands = "[FILE...]",
	.reads = "metal-gpu-intervals (XML, CSV or rows), toc; "
	    "os-signpost-interval, os-signpost",
	.writes = "gpu.summary gpu.channel gpu.gap_bucket gpu.gap "
	    "gpu.process gpu.other gpu.slice step.summary step (with "
	    "--labels also label.summary label)",
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

	if (run->row.bind != &tables[0]) {
		s->steps.wanted = step_name;
		return tp_steps_add(&s->steps, &run->row, &run->err);
	}
	s->gpu.short_limit_ns = short_limit_ns;
	return tp_gpu_add(&s->gpu, &run->row, &run->window, &run->err);
}

static int
emit(struct tp_run *run)
{
	struct state *s = run->trace->state;
	const char *how = NULL;
	ptrdiff_t target;

	if (tp_gpu_emit(&s->gpu, run->trace, run->process, &run->out,
	    &run->err) < 0)
		return -1;
	s->steps.wanted = step_name;
	target = tp_gpu_target(&s->gpu, run->trace, run->process, &how);
	if (tp_gpu_emit_slices(&s->gpu, target, (size_t)slices, &run->out,
	    &run->err) < 0)
		return -1;
	return tp_steps_emit(&s->steps, &s->gpu, NULL, target, how,
	    &run->window, &run->out, &run->err);
}

int
main(int argc, char *argv[])
{
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	if (slices > TP_SLICES_MAX)
		tp_die(&run, TP_USAGE, "--slices takes at most %d",
		    TP_SLICES_MAX);
	if (labels)
		tables[0].columns = tp_gpu_label_columns;
	while (tp_next(&run))
		tp_take(&run, add(&run));
	while (tp_next_trace(&run))
		tp_take(&run, emit(&run));
	return tp_end(&run);
}
