/*
 * tp-cpu-top - where CPU time went: functions, libraries, threads
 *
 * Reads sampled call stacks and writes self and total per function, and the
 * split by Python, MLX, data conversion, Metal driver and system.
 */
#include <string.h>

#include <tp/alloc.h>
#include <tp/metal/budget.h>
#include <tp/metal/cpu.h>
#include <tp/tool.h>

static int64_t top, frames;
static const char *folded;
static struct tp_waits waits;
static struct tp_cpu_buckets *buckets[2], *causes;

static const struct tp_option options[] = {
	{ TP_OPT_COUNT, "top", 'n', "N",
	    "at most N functions, libraries and threads (default: all)",
	    &top },
	{ TP_OPT_COUNT, "frames", 0, "N",
	    "also write the call tree, without functions below 1/N of the "
	    "total (default: 0, no tree)", &frames },
	{ TP_OPT_MAYBE, "folded", 0, "weight",
	    "write folded stacks instead, counting samples or, with =weight, "
	    "their weight", &folded },
	{ 0 }
};

static const struct tp_bind tables[] = {
	{ TP_TABLE_TIME_PROFILE, tp_cpu_columns, "time" },
	{ TP_TABLE_CPU_PROFILE, tp_cpu_columns, "time" },
	{ TP_TABLE_COUNTERS, tp_cpu_columns, "time" },
	{ TP_TABLE_STACKS, tp_cpu_columns, NULL },
	{ 0 }
};

static const char *const examples[] = {
	"tp-cpu-top -n 5 time_profile.xml | tp-render cpu-top",
	"tp-cpu-top --folded time_profile.xml | flamegraph.pl > cpu.svg",
	"tp-cpu-top stacks.folded | tp-render cpu-top",
	"tp-gpu-intervals --buffers --waits gpu.csv submissions.csv > g.jsonl",
	"tp-cpu-top --like g.jsonl time_profile.csv | tp-render cpu-top",
	NULL
};

static int
record(const struct tp_rec *rec, struct tp_err *err)
{
	return tp_waits_add(&waits, rec, err);
}

static const struct tp_tool tool = {
	.name = "tp-cpu-top",
	.does = "where CPU time went: functions, libraries, threads, buckets",
	.operands = "[FILE...]",
	.reads = "time-profile, cpu-profile or counters-profile, toc, folded "
	    "stacks of py-spy, what tp-gpu-intervals --waits writes",
	.writes = "cpu.summary cpu.bucket cpu.library cpu.thread "
	    "cpu.function cpu.inclusive cpu.frame (with what waited: "
	    "cpu.wait cpu.before budget.window budget.part budget "
	    "path.window path.class path.name path.exposer path.lane "
	    "gap.class gap.part gap.sync gap.op gap), or "
	    "folded stacks",
	.group = "Instruments",
	.step = "CPU samples",
	.examples = examples,
	.flags = TP_TOOL_TABLES | TP_TOOL_TARGET | TP_TOOL_WINDOW,
	.options = options,
	.tables = tables,
	.record = record,
	.state_size = sizeof(struct tp_cpu),
};

/* Whether PART is that of a wait: that for the GPU is synchronising. */
static int
is_wait(const char *part)
{
	return part && (!strcmp(part, "waiting") ||
	    !strcmp(part, "synchronising"));
}

/* The sample of the row at hand, which FROM takes, without its cause. */
static struct tp_waits_sample
sample_of(struct tp_run *run, const struct tp_cpu *from)
{
	const struct tp_value *thread = &run->row.v[TP_CPU_THREAD];
	int known = thread->type != TP_NONE;

	return (struct tp_waits_sample){
		.process = tp_procs_name(&from->procs, from->proc),
		.pid = tp_procs_pid(&from->procs, from->proc),
		.thread = known ? thread->text : "",
		.thread_len = known ? thread->len : 0,
		.tid = known ? thread->n : -1,
		.at_ns = run->row.v[TP_CPU_TIME].n,
		.weight_ns = run->row.v[TP_CPU_WEIGHT].n,
		.cause = from->cause, .waits = from->is_of_waits,
	};
}

/* What the sample just taken says of the time the GPU waited. */
static void
add_run(struct tp_run *run, struct tp_waits_trace *of, const struct tp_cpu *cpu)
{
	struct tp_waits_sample sample;

	if (cpu->proc < 0 || is_wait(tp_cpu_bucket_part(causes,
	    (size_t)cpu->cause)))
		return;
	sample = sample_of(run, cpu);
	sample.function = tp_cpu_name(cpu, cpu->caused_by);
	tp_waits_sample(of, &sample);
}

/* The same of a thread that waited: only there it is kept. */
static int
add_wait(struct tp_run *run, struct tp_waits_trace *of, struct tp_cpu *cpu)
{
	struct tp_cpu *w = cpu->waits;
	struct tp_waits_sample sample;
	const char *part;

	if (!w) {
		w = cpu->waits = tp_zalloc(sizeof *w);
		w->is_of_waits = 1;
		w->buckets = cpu->buckets;
		w->causes = causes;
	}
	w->proc = tp_row_process(&w->procs, &run->row, TP_CPU_PROCESS);
	if (w->proc < 0)
		return 0;
	sample = sample_of(run, w);
	if (!tp_waits_wants(of, &sample))
		return 0;
	if (tp_cpu_add(w, &run->row, &run->window, &run->err) < 0)
		return -1;
	if (w->proc < 0)	/* outside the window */
		return 0;
	part = tp_cpu_bucket_part(causes, (size_t)w->cause);
	if (!part || !strcmp(part, "synchronising"))
		return 0;
	sample.cause = w->cause;
	sample.function = tp_cpu_name(w, w->caused_by);
	tp_waits_sample(of, &sample);
	return 0;
}

/* The set of share/ops called NAME, which is needed. */
static struct tp_cpu_buckets *
load(struct tp_run *run, const char *name)
{
	struct tp_cpu_buckets *set = tp_cpu_buckets_load(name, &run->err);

	if (!set) {
		run->file = NULL;
		tp_die_err(run);
	}
	return set;
}

/* The buckets of the row at hand: stacks of py-spy have their own. */
static struct tp_cpu_buckets *
buckets_of(struct tp_run *run)
{
	int is_stack = !strcmp(run->row.table->name, TP_TABLE_STACKS);

	if (!buckets[is_stack])
		buckets[is_stack] = load(run, is_stack ? "cpu-stacks" :
		    "cpu");
	return buckets[is_stack];
}

static int
add_cpu_row(struct tp_run *run)
{
	struct tp_waits_trace *of = tp_waits_of(&waits, run->trace->src);
	struct tp_cpu *cpu = run->trace->state;

	if (!cpu->buckets)
		cpu->buckets = buckets_of(run);
	cpu->causes = causes;
	cpu->tree = folded || frames;
	if (tp_cpu_add(cpu, &run->row, &run->window, &run->err) < 0)
		return -1;
	if (!of || run->row.v[TP_CPU_TIME].type == TP_NONE ||
	    run->row.v[TP_CPU_WEIGHT].type != TP_DURATION)
		return 0;
	if (tp_cpu_waits(&run->row))
		return add_wait(run, of, cpu);
	add_run(run, of, cpu);
	return 0;
}

static void
emit_cpu_trace(struct tp_run *run)
{
	struct tp_waits_trace *of = tp_waits_of(&waits, run->trace->src);
	struct tp_cpu *cpu = run->trace->state;

	tp_cpu_settle(cpu);
	if (folded) {
		tp_cpu_folded(cpu, *folded != '\0', &run->out);
		return;
	}
	tp_cpu_emit(cpu, run->trace, run->process, top, &run->out);
	if (frames)
		tp_cpu_emit_frames(cpu, frames, &run->out);
	if (of && tp_waits_emit(of, causes, &run->out, &run->err) < 0)
		tp_die_err(run);
}

int
main(int argc, char *argv[])
{
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	if (folded && *folded && strcmp(folded, "weight"))
		tp_die(&run, TP_USAGE, "--folded=%s: only 'weight' is known",
		    folded);
	causes = load(&run, "cpu-causes");
	while (tp_next(&run))
		tp_take(&run, add_cpu_row(&run));
	run.bare = folded != NULL;
	while (tp_next_trace(&run))
		emit_cpu_trace(&run);
	return tp_end(&run);
}
