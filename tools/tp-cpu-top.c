/*
 * tp-cpu-top - where CPU time went: functions, libraries, threads
 *
 * Reads sampled call stacks and writes self and total per function, and the
 * split by Python, MLX, data conversion, Metal driver and system.
 */
#include <string.h>

#include <tp/metal/cpu.h>
#include <tp/tool.h>

static int64_t top;
static const char *folded;

static const struct tp_option options[] = {
	{ TP_OPT_COUNT, "top", 'n', "N",
	    "at most N functions, libraries and threads (default: all)",
	    &top },
	{ TP_OPT_MAYBE, "folded", 0, "weight", "write folded stacks instead, "
	    "one count per sample, or their weight", &folded },
	{ 0 }
};

static const struct tp_bind tables[] = {
	{ TP_TABLE_TIME_PROFILE, tp_cpu_columns, "time" },
	{ TP_TABLE_CPU_PROFILE, tp_cpu_columns, "time" },
	{ TP_TABLE_COUNTERS, tp_cpu_columns, "time" },
	{ 0 }
};

static const char *const examples[] = {
	"tp-cpu-top -n 5 time_profile.xml | tp-render cpu-top",
	"tp-cpu-top --folded time_profile.xml | flamegraph.pl > cpu.svg",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-cpu-top",
	.does = "where CPU time went: functions, libraries, threads, buckets",
	.operands = "[FILE...]",
	.reads = "time-profile, cpu-profile or counters-profile, toc",
	.writes = "cpu.summary cpu.bucket cpu.library cpu.thread "
	    "cpu.function, or folded stacks",
	.group = "Instruments",
	.examples = examples,
	.flags = TP_TOOL_TABLES | TP_TOOL_TARGET | TP_TOOL_WINDOW,
	.options = options,
	.tables = tables,
	.state_size = sizeof(struct tp_cpu),
	.state_release = tp_cpu_release,
};

static void
add(struct tp_run *run, const struct tp_cpu_buckets *buckets)
{
	struct tp_cpu *cpu = run->trace->state;

	cpu->buckets = buckets;
	cpu->folded = folded != NULL;
	tp_take(run, tp_cpu_add(cpu, &run->row, &run->window, &run->err));
}

int
main(int argc, char *argv[])
{
	struct tp_cpu_buckets *buckets;
	struct tp_run run;
	int status;

	tp_begin(&run, &tool, argc, argv);
	if (folded && *folded && strcmp(folded, "weight"))
		tp_die(&run, TP_USAGE, "--folded=%s: only 'weight' is known",
		    folded);
	buckets = tp_cpu_buckets_load(&run.err);
	if (!buckets)
		tp_die_err(&run);
	while (tp_next(&run))
		add(&run, buckets);
	run.bare = folded != NULL;
	while (tp_next_trace(&run))
		tp_take(&run, folded ? tp_cpu_folded(run.trace->state,
		    *folded != '\0', &run.out, &run.err) :
		    tp_cpu_emit(run.trace->state, run.trace, run.process,
		    top, &run.out, &run.err));
	status = tp_end(&run);
	tp_cpu_buckets_free(buckets);
	return status;
}
