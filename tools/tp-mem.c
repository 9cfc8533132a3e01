/*
 * tp-mem - GPU memory: levels over time, and what was allocated and freed
 *
 * Reads the step functions of wired system memory and of what processes have
 * allocated, and writes one summary per series and its largest jumps; of the
 * tables of resources what was allocated, how often, and how long it lived.
 * The steps of the run, from a record stream, give the place of each.
 */
#include <string.h>

#include <tp/metal/mem.h>
#include <tp/metal/resource.h>
#include <tp/tool.h>

static int64_t jump_percent = 10, tooth_percent = 10, growth_percent = 25;
static int64_t teeth = 3, jumps = 10, small_bytes = 16384, top = 10;
static int64_t working_set, levels;

static const struct tp_option options[] = {
	{ TP_OPT_COUNT, "jump", 0, "PERCENT",
	    "a step of PERCENT of the peak or more is a jump (default: 10)",
	    &jump_percent },
	{ TP_OPT_COUNT, "tooth", 0, "PERCENT",
	    "a swing of PERCENT of peak - min or more is a tooth (default: "
	    "10)", &tooth_percent },
	{ TP_OPT_COUNT, "growth", 0, "PERCENT",
	    "memory grows if the median moves by PERCENT of the peak from "
	    "the first third to the last (default: 25)", &growth_percent },
	{ TP_OPT_COUNT, "teeth", 0, "N",
	    "N teeth or more make a sawtooth (default: 3)", &teeth },
	{ TP_OPT_COUNT, "jumps", 0, "N",
	    "list at most N jumps of a series (default: 10)", &jumps },
	{ TP_OPT_COUNT, "levels", 0, "N",
	    "also write each series over time as at most N levels, 3 or more "
	    "(default: 0, none)", &levels },
	{ TP_OPT_BYTES, "small", 0, "SIZE",
	    "an allocation below SIZE is small (default: 16KiB, a page)",
	    &small_bytes },
	{ TP_OPT_COUNT, "top", 0, "N",
	    "list at most N labels and N allocations (default: 10)", &top },
	{ TP_OPT_BYTES, "working-set", 0, "SIZE",
	    "the largest working set that Metal recommends for that machine; "
	    "no table holds it (default: unknown)", &working_set },
	{ 0 }
};

static const struct tp_bind tables[] = {
	{ TP_TABLE_WIRED, tp_wired_columns, "start" },
	{ TP_TABLE_ALLOC, tp_alloc_columns, "start" },
	{ TP_TABLE_RESOURCE, tp_resource_columns, "timestamp" },
	{ TP_TABLE_KERNEL_RESOURCE, tp_kernel_resource_columns, "timestamp" },
	{ 0 }
};

static const char *const examples[] = {
	"tp-mem wired_sysmem.csv current_alloc.csv | tp-render mem",
	"tp-mem --like gpu.jsonl wired_sysmem.csv resource_allocations.csv",
	"tp-mem wired.xml | jq 'select(.series==\"wired\").peak_bytes'",
	NULL
};

struct state {
	struct tp_mem levels;
	struct tp_resources resources;
};
static struct tp_phase_list phases, segments, works;

static int
record(const struct tp_rec *rec, struct tp_err *err)
{
	static const char work[] = "gpu.summary";
	int64_t last;

	if (!strcmp(rec->kind, work))
		return tp_rec_is(rec, "gpu.summary[target]", 19) &&
		    tp_rec_int(rec, "last_ns", &last) ? tp_phase_list_add(
		    &works, work, "rows", rec, err) : 0;
	return tp_phase_list_add(&phases, "step", "index", rec, err) < 0 ? -1 :
	    tp_phase_list_add(&segments, "segment", "segment", rec, err);
}

static const struct tp_tool tool = {
	.name = "tp-mem",
	.does = "GPU memory over time, and what was allocated and freed",
	.operands = "[FILE...]",
	.reads = "metal-wired-sysmem-level-interval, "
	    "metal-current-allocated-size, metal-resource-allocations, "
	    "metal-kernel-resource-allocations, toc, step and segment "
	    "records",
	.writes = "mem.summary mem.jump mem.step mem.growth mem.segment "
	    "mem.level resource.summary resource.label resource.largest",
	.group = "Instruments",
	.step = "memory",
	.examples = examples,
	.flags = TP_TOOL_TABLES | TP_TOOL_TARGET | TP_TOOL_WINDOW,
	.options = options,
	.tables = tables,
	.record = record,
	.state_size = sizeof(struct state),
};

static int
add_mem_row(struct tp_run *run)
{
	struct state *s = run->trace->state;
	const char *table = run->row.bind->table;

	return table == tables[0].table || table == tables[1].table ?
	    tp_mem_add(&s->levels, &run->row, &run->window, &run->err) :
	    tp_resource_add(&s->resources, &run->row, &run->window,
	    &run->err);
}

static int
emit_mem_trace(struct tp_run *run)
{
	const struct tp_mem_limits limits = {
		.jump_ratio = (double)jump_percent / 100,
		.tooth_ratio = (double)tooth_percent / 100,
		.growth_ratio = (double)growth_percent / 100,
		.teeth = teeth, .jumps = jumps, .levels = levels,
		.working_set = working_set,
	};
	const struct tp_resource_limits resources = {
		.small_bytes = small_bytes, .top = top,
	};
	struct state *s = run->trace->state;
	struct tp_phase_view steps, parts, work;

	steps.list = tp_phase_list_of(&phases, run->trace->src, &steps.count);
	parts.list = tp_phase_list_of(&segments, run->trace->src, &parts.count);
	work.list = tp_phase_list_of(&works, run->trace->src, &work.count);
	tp_mem_emit(&s->levels, run->trace, run->process, &limits, &steps,
	    &parts, &work, &run->out);
	tp_resource_emit(&s->resources, run->trace, run->process, &resources,
	    &steps, &run->out);
	return 0;
}

int
main(int argc, char *argv[])
{
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	if (levels && (levels < 3 || levels > TP_MEM_LEVELS_MAX))
		tp_die(&run, TP_USAGE, "--levels takes 0, or 3 to %d",
		    TP_MEM_LEVELS_MAX);
	tp_analyse(&run, add_mem_row, emit_mem_trace);
	return tp_end(&run);
}
