/*
 * tp-gpu-intervals - how busy the GPU was, and who kept it busy
 *
 * Reads the table metal-gpu-intervals and writes, for the machine and for the
 * target process: busy time (a union, never a sum), gaps, durations, short
 * intervals, per channel and per process.
 */
#include <tp/gpu.h>
#include <tp/tool.h>

static int64_t short_limit_ns;

static const struct tp_option options[] = {
	{ TP_OPT_NS, "short", 0, "T",
	    "intervals below T count as short (default: 200us)",
	    &short_limit_ns },
	{ 0 }
};

static const struct tp_bind tables[] = {
	{ TP_TABLE_GPU, tp_gpu_columns, "start" },
	{ 0 }
};

static const char *const examples[] = {
	"tp-gpu-intervals < gpu.csv | tp-render gpu",
	"tp-gpu-intervals -p python3.11 gpu.xml toc.xml",
	"tp-gpu-intervals --only 'gpu.summary[all]' gpu.csv | jq .busy_ratio",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-gpu-intervals",
	.does = "how busy the GPU was, and who kept it busy",
	.operands = "[FILE...]",
	.reads = "metal-gpu-intervals (XML, CSV or rows), toc",
	.writes = "gpu.summary gpu.channel gpu.gap_bucket gpu.gap "
	    "gpu.process gpu.other",
	.group = "Instruments",
	.examples = examples,
	.flags = TP_TOOL_TABLES | TP_TOOL_TARGET | TP_TOOL_WINDOW,
	.options = options,
	.tables = tables,
	.state_size = sizeof(struct tp_gpu),
	.state_release = tp_gpu_release,
};

int
main(int argc, char *argv[])
{
	struct tp_run run;
	struct tp_gpu *gpu;

	tp_begin(&run, &tool, argc, argv);
	while (tp_next(&run)) {
		gpu = run.trace->state;
		gpu->short_limit_ns = short_limit_ns;
		tp_take(&run, tp_gpu_add(gpu, &run.row, &run.window,
		    &run.err));
	}
	while (tp_next_trace(&run))
		tp_take(&run, tp_gpu_emit(run.trace->state, run.trace,
		    run.process, &run.out, &run.err));
	return tp_end(&run);
}
