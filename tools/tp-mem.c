/*
 * tp-mem - GPU memory over time: peak, typical range, jumps, sawtooth
 *
 * Reads the step functions of wired system memory and of what processes have
 * allocated, and writes one summary per series and its largest jumps.
 */
#include <tp/mem.h>
#include <tp/tool.h>

static int64_t jump_percent = 10, tooth_percent = 10, growth_percent = 25;
static int64_t teeth = 3, jumps = 10;

static const struct tp_option options[] = {
	{ TP_OPT_COUNT, "jump", 0, "PERCENT",
	    "a step of that share of the peak is a jump (default: 10)",
	    &jump_percent },
	{ TP_OPT_COUNT, "tooth", 0, "PERCENT",
	    "swings of that share of peak - min make a tooth (default: 10)",
	    &tooth_percent },
	{ TP_OPT_COUNT, "growth", 0, "PERCENT",
	    "a median that moves by that share of the peak from the first "
	    "third to the last is growth (default: 25)", &growth_percent },
	{ TP_OPT_COUNT, "teeth", 0, "N",
	    "that many teeth make a sawtooth (default: 3)", &teeth },
	{ TP_OPT_COUNT, "jumps", 0, "N",
	    "list at most N jumps of a series (default: 10)", &jumps },
	{ 0 }
};

static const struct tp_bind tables[] = {
	{ TP_TABLE_WIRED, tp_wired_columns, "start" },
	{ TP_TABLE_ALLOC, tp_alloc_columns, "start" },
	{ 0 }
};

static const char *const examples[] = {
	"tp-mem wired_sysmem.csv current_alloc.csv | tp-render memory",
	"tp-mem wired.xml | jq 'select(.series==\"wired\").peak_bytes'",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-mem",
	.does = "GPU memory over time: peak, typical range, jumps, sawtooth",
	.operands = "[FILE...]",
	.reads = "metal-wired-sysmem-level-interval, "
	    "metal-current-allocated-size, toc",
	.writes = "mem.summary mem.jump",
	.group = "Instruments",
	.examples = examples,
	.flags = TP_TOOL_TABLES | TP_TOOL_TARGET | TP_TOOL_WINDOW,
	.options = options,
	.tables = tables,
	.state_size = sizeof(struct tp_mem),
	.state_release = tp_mem_release,
};

int
main(int argc, char *argv[])
{
	struct tp_mem_limits limits;
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	limits.jump_ratio = (double)jump_percent / 100;
	limits.tooth_ratio = (double)tooth_percent / 100;
	limits.growth_ratio = (double)growth_percent / 100;
	limits.teeth = teeth;
	limits.jumps = jumps;
	while (tp_next(&run))
		tp_take(&run, tp_mem_add(run.trace->state, &run.row,
		    &run.window, &run.err));
	while (tp_next_trace(&run))
		tp_take(&run, tp_mem_emit(run.trace->state, run.trace,
		    run.process, &limits, &run.out, &run.err));
	return tp_end(&run);
}
