/*
 * tp-trace - where the time of a trace of JAX, PyTorch, CUDA or HIP went
 *
 * One pass over the trace events of a capture.  Called tp-timeline, tp-steps,
 * tp-ops, tp-comm, tp-gaps or tp-regions, the program writes only that part;
 * called tp-summary, it prints profile_summary.v1.
 */
#include <string.h>

#include <tp/lanes.h>
#include <tp/timeline/path.h>

#include "trace.h"

int64_t trace_warmup = 5, trace_hot_ops = 25, trace_pixels,
    trace_micro_idle_ns, trace_short_ns = 10000;
const char *trace_breakdown = "device", *trace_host;
const struct tp_platform *trace_held_against;
int trace_platform_off;
static const char *platform_name;
const char *trace_ops[TP_OPT_LIST_MAX];
int trace_sha256, trace_runs, trace_uncosted, trace_pieces;
static int mergeable;
enum tp_torch_pseudo_when trace_pseudo_when;
static const char *pseudo_ops;
const char *trace_folded;
const char *trace_captures[TP_OPT_LIST_MAX], *trace_what_ifs[TP_OPT_LIST_MAX];
int64_t trace_rank = -1;
struct tp_fetch trace_fetch;

#define WARMUP { TP_OPT_COUNT, "warmup", 0, "N", \
    "marked steps below N are warm-up; if JAX marks none, slow ones of the " \
    "first N (default: 5)", &trace_warmup }

#define HOST { TP_OPT_TEXT, "host", 0, "NAME", \
    "only the host whose file has this name, without .trace.json.gz or " \
    ".xplane.pb", &trace_host }

static const struct tp_option options[] = {
	WARMUP,
	HOST,
	{ TP_OPT_FLAG, "sha256", 0, NULL,
	    "add the SHA-256 of each file as it is stored", &trace_sha256 },
	{ TP_OPT_COUNT, "lanes", 0, "PIXELS",
	    "also write when each stream was busy, for a picture PIXELS wide "
	    "(default: 0, no picture)", &trace_pixels },
	{ TP_OPT_NS, "micro-idle", 0, "T",
	    "PyTorch: count idle gaps below T apart", &trace_micro_idle_ns },
	{ TP_OPT_NS, "short", 0, "T",
	    "PyTorch: kernels below T are short (default: 10us)",
	    &trace_short_ns },
	{ TP_OPT_TEXT, "platform", 0, "CHIP|FILE",
	    "compare with the peak rates of a chip (MI300X, H100, TPU v6e) "
	    "or none (default: the trace's GPU)", &platform_name },
	{ TP_OPT_LIST, "ops", 0, "FILE",
	    "PyTorch: more facts about operators, a file or folder as "
	    "share/ops/torch-operators.json", trace_ops },
	{ TP_OPT_FLAG, "uncosted", 0, NULL,
	    "PyTorch: only operations of unknown cost", &trace_uncosted },
	{ TP_OPT_FLAG, "ranks", 0, NULL,
	    "PyTorch: also write each collective, for tp-ranks, and the rank "
	    "in every record", &trace_runs },
	{ TP_OPT_COUNT, "rank", 0, "N",
	    "with --ranks: the rank of the trace (default: from the trace, "
	    "else from \"rankN\" in its name)", &trace_rank },
	{ TP_OPT_TEXT, "folded", 0, "BASIS",
	    "write folded stacks instead, by time of the gpu (or TPU) or of "
	    "the host", &trace_folded },
	{ TP_OPT_LIST, "capture", 0, "FILE|DIR",
	    "PyTorch: trace of a graph's capture, which gives its replays "
	    "operators, shapes and stacks", trace_captures },
	{ TP_OPT_MAYBE, "pseudo-ops", 0, "servers",
	    "PyTorch: split operators by their kernels; =servers: only where "
	    "a server marked its steps", &pseudo_ops },
	{ TP_OPT_FLAG, "mergeable", 0, NULL,
	    "for tp-merge: sums KEY_ns also as unrounded KEY_ps", &mergeable },
	{ 0 }
};

static const struct tp_option path_options[] = {
	{ TP_OPT_FLAG, "pieces", 0, NULL, "also write each piece of the path",
	    &trace_pieces },
	{ TP_OPT_LIST, "what-if", 0, "CLASS[/NAME]=FACTOR",
	    "what the window would gain if time of a class, or of NAME in it, "
	    "were FACTOR of it; several also together", trace_what_ifs },
	{ 0 }
};

static const struct tp_option summary_options[] = {
	{ TP_OPT_TEXT, "breakdown", 'b', "BASIS",
	    "what time_breakdown adds up: device, per-track or global "
	    "(default: device)", &trace_breakdown },
	WARMUP,
	HOST,
	{ TP_OPT_COUNT, "hot-ops", 0, "N",
	    "at most N rows of hot_ops (default: 25)", &trace_hot_ops },
	{ TP_OPT_TEXT, "run-target", 0, "RUN", "fetch the profile of a run: "
	    "ENTITY/PROJECT/RUN, its URL, or its id alone",
	    &trace_fetch.run_target },
	{ TP_OPT_TEXT, "artifact", 0, "NAME", "fetch an artifact: "
	    "ENTITY/PROJECT/NAME:VERSION", &trace_fetch.artifact },
	{ TP_OPT_TEXT, "alias", 0, "NAME",
	    "the version to fetch, by alias (default: latest)",
	    &trace_fetch.alias },
	{ TP_OPT_TEXT, "entity", 0, "NAME",
	    "entity of the run, if RUN is only an id", &trace_fetch.entity },
	{ TP_OPT_TEXT, "project", 0, "NAME",
	    "project of the run, if RUN is only an id", &trace_fetch.project },
	{ TP_OPT_TEXT, "store", 0, "DIR", "fetch from a folder or file:// URL "
	    "(default: $TP_STORE, else W&B)", &trace_fetch.store },
	{ TP_OPT_TEXT, "download-root", 0, "DIR",
	    "keep fetched files below DIR", &trace_fetch.download_root },
	{ 0 }
};

/* The arguments of both sources, JAX's first. */
static const char *args[TP_ARGS_MAX + 1];
/* and allocations, of JAX */
static const char phases[] = TP_TORCH_PHASES "v";
static const struct tp_events_want want = { .args = args, .phases = phases,
    .databases = &tp_databases, .tallies = 1, .profiler = 1 };

/* Called tp-summary, whose document is of JAX unless the trace shows another
 * profiler. */
static int is_summary;

/* Whether the file that is read is of JAX.  What is no other's is read as
 * PyTorch's, which keeps events of any program. */
static int
is_jax(const struct tp_run *run)
{
	enum tp_profiler profiler = tp_events_profiler(run->events);
	const char *framework;

	return is_summary ? profiler != TP_PROFILER_TORCH &&
	    !tp_events_recorder(run->events, &framework) :
	    profiler == TP_PROFILER_JAX;
}

static void events_end(struct tp_run *run);

static const char *const trace_examples[] = {
	"tp-trace perfetto_trace.json.gz | tp-render trace",
	"tp-trace plugins/profile > capture.jsonl",
	"tp-trace --folded gpu trace.json.gz | tp-pprof > gpu.pb",
	"tp-trace run.sqlite | tp-render trace",
	NULL
};
static const char *const timeline_examples[] = {
	"tp-timeline trace.json.gz | tp-render timeline",
	"tp-timeline --only timeline.summary trace.json.gz | "
	    "jq .busy_of_span_ratio",
	NULL
};
static const char *const steps_examples[] = {
	"tp-steps trace.json.gz | tp-render steps",
	"tp-steps trace.json.gz | jq 'select(.kind==\"step.summary\")'",
	NULL
};
static const char *const ops_examples[] = {
	"tp-ops trace.json.gz | tp-render ops",
	"tp-ops trace.json.gz | tp-csv op > ops.csv",
	"tp-ops --pseudo-ops trace.json.gz | tp-render ops",
	"tp-ops --uncosted trace.json.gz | tp-csv op.perf > uncosted.csv",
	NULL
};
static const char *const comm_examples[] = {
	"tp-comm trace.json.gz | tp-render comm",
	NULL
};
static const char *const gaps_examples[] = {
	"tp-gaps trace.json.gz | tp-render gaps",
	"tp-gaps --only gap.op trace.json.gz | head",
	NULL
};
static const char *const regions_examples[] = {
	"tp-regions trace.json.gz | tp-render regions",
	"tp-regions trace.json.gz | jq 'select(.depth==1)'",
	NULL
};
static const char *const path_examples[] = {
	"tp-path trace.json.gz | tp-render path",
	"tp-path --what-if data-loading=0 --what-if sync=0 trace.json.gz | "
	    "tp-csv path.gain",
	"tp-path --pieces --only path.piece trace.json.gz | head",
	"tp-path rank*.json.gz | tp-csv path.rank",
	NULL
};
static const char *const summary_examples[] = {
	"tp-summary plugins/profile > summary.json",
	"tp-summary plugins/profile | tp-from-summary | "
	    "tp-render from-summary",
	"tp-summary --breakdown per-track trace.json.gz | jq .step_time",
	NULL
};

#define TIMELINE "timeline.summary timeline.device timeline.chosen " \
    "timeline.basis timeline.lane timeline.stream mem.device mem.live " \
    "mem.step mem.growth mem.level " \
    "pipeline.stage host.window host.part host.thread"
#define STEP "step.summary step.class step step.change timeline.step " \
    "host.summary host host.step step.host"
#define OP "op.summary op.family op.canonical op op.program " \
    "op.hlo_category launcher.category " \
    "launcher.name launcher op.calls host.op host.op_shapes " \
    "host.recorded host.call thread.activity " \
    "cpu.library cpu.function " \
    "launcher.kernel short_kernel.bin " \
    "short_kernel " \
    "model.summary model.precision module.summary module.name " \
    "module.frame python.function recompute fusion.candidate " \
    "fusion.kernel " \
    "gpu.category gpu.pattern op.perf op.unified compute.summary " \
    "platform.rate compute.category " \
    "compute.analyser " \
    "compute.group op.table"
#define COMM "collective collective.summary flight memcpy memcpy.summary " \
    "trace.clock collective.run"
#define GAP "gap.summary gap.class gap.part " \
    "gap.sync gap.op gap.region gap " \
    "sync.wait launch.summary stream.queue"
#define BUDGET "budget.window budget.part budget budget.devices " \
    "budget.device device.summary"
#define PATH "path.window path.class path.name path.exposer path.gain"
#define REGION "region.summary region.alike region region.op server.phase"

#define TOOL(NAME, DOES, WRITES, EXAMPLES, OPTIONS) { .name = NAME, \
    .does = DOES, .operands = "[FILE|FOLDER...]", \
    .reads = "xplane.pb of JAX, trace events of any program (JSON, " \
    "*.pftrace), databases of Nsight Systems or rocprofv3, " \
    "folders of captures", \
    .writes = WRITES, .group = "trace events", .examples = EXAMPLES, \
    .flags = TP_TOOL_EVENTS | TP_TOOL_LATE | TP_TOOL_STARTS, \
    .options = OPTIONS, \
    .events = &want, .events_end = events_end, \
    .state_size = sizeof(struct trace_state) }

static const struct trace_part parts[] = {
	{ TOOL("tp-trace", "where the time of a trace of JAX, PyTorch, CUDA "
	    "or HIP went",
	    "trace.summary gpu.device trace.quality " TIMELINE " " STEP " "
	    OP " " COMM " " GAP " " BUDGET " " PATH
	    " path.lane timeline.range " REGION,
	    trace_examples, options), TP_JAX_EMIT_ALL, TP_TORCH_EMIT_ALL },
	{ TOOL("tp-timeline", "busy and idle time of the devices of a "
	    "trace, by compute, communication and stall or copies",
	    TIMELINE,
	    timeline_examples, options), TP_JAX_EMIT_TIME, TP_TORCH_EMIT_TIME },
	{ TOOL("tp-steps", "training steps of a JAX trace: times, jitter, "
	    "kinds", STEP, steps_examples,
	    options), TP_JAX_EMIT_STEPS, TP_TORCH_EMIT_STEPS },
	{ TOOL("tp-ops", "operations of a trace and their families, "
	    "launchers and kernels",
	    OP, ops_examples, options),
	    TP_JAX_EMIT_OPS, TP_TORCH_EMIT_OPS },
	{ TOOL("tp-comm", "collectives of a trace, and copies", COMM,
	    comm_examples, options), TP_JAX_EMIT_COMM, TP_TORCH_EMIT_COMM },
	{ TOOL("tp-gaps", "idle time of a trace, and what came after it",
	    GAP, gaps_examples, options),
	    TP_JAX_EMIT_GAPS, TP_TORCH_EMIT_GAPS },
	{ TOOL("tp-regions", "where in the model, or in what a program marked, "
	    "the time of a trace went", REGION, regions_examples,
	    options), TP_JAX_EMIT_REGIONS, TP_TORCH_EMIT_REGIONS },
	{ TOOL("tp-path", "the critical path of a PyTorch trace, and what "
	    "changes would be worth", PATH " path.rank path.piece",
	    path_examples, path_options),
	    TP_JAX_EMIT_PATH, TP_TORCH_EMIT_PATH },
	{ TOOL("tp-summary", "a JAX capture as a profile_summary.v1 document",
	    "one JSON document", summary_examples, summary_options), 0, 0 },
};

static const struct trace_part *
part_of(const char *program)
{
	for (size_t i = 1; i < sizeof parts / sizeof *parts; i++)
		if (tp_is_called(program, parts[i].tool.name))
			return &parts[i];
	return &parts[0];
}

/* All arguments that an analysis reads; one that each event of a device has
 * and that its time does not need is not read where nothing else is asked
 * for. */
static void
want_args(const struct tp_run *run)
{
	size_t n = 0;

	for (const char *const *a = tp_jax_args; *a; a++)
		args[n++] = trace_jax_is_brief(run) &&
		    !strcmp(*a, TP_JAX_DEVICE_CLOCK) ? "" : *a;
	for (const char *const *a = tp_torch_args; *a; a++)
		args[n++] = *a;
}

static void
take_event(struct tp_run *run)
{
	char phase = run->event.phase;

	if (!is_jax(run))
		trace_torch_event(run);
	else if (phase != TP_MEMORY_PHASE || tp_events_is_space(run->events))
		trace_jax_event(run);
}

static void
events_end(struct tp_run *run)
{
	trace_about_file(run);
	if (is_jax(run))
		trace_jax_end(run);
	else
		trace_torch_end(run);
}

/* The chip that was asked for. */
static void
open_platform(struct tp_run *run, struct tp_platform *platform)
{
	trace_platform_off = platform_name && !strcmp(platform_name, "none");
	if (!platform_name || trace_platform_off)
		return;
	if (tp_platform_load(platform, platform_name, &run->err) < 0)
		tp_die(run, run->err.status, "%s", run->err.text);
	trace_held_against = platform;
}

int
main(int argc, char *argv[])
{
	const struct trace_part *part = part_of(argv[0]);
	static struct tp_platform platform;
	struct tp_run run;

	tp_begin(&run, &part->tool, argc, argv);
	is_summary = !part->jax;
	want_args(&run);
	if (trace_pixels > TP_PIXELS_MAX)
		tp_die(&run, TP_USAGE, "--lanes takes at most %d",
		    TP_PIXELS_MAX);
	if (strcmp(trace_breakdown, "device") &&
	    strcmp(trace_breakdown, "per-track") &&
	    strcmp(trace_breakdown, "global"))
		tp_die(&run, TP_USAGE, "--breakdown is device, per-track or "
		    "global, not '%s'", trace_breakdown);
	open_platform(&run, &platform);
	for (const char **w = trace_what_ifs; *w; w++)
		if (tp_what_if_check(*w, &run.err) < 0)
			tp_die_err(&run);
	if (trace_folded && strcmp(trace_folded, "gpu") &&
	    strcmp(trace_folded, "host"))
		tp_die(&run, TP_USAGE, "--folded is gpu or host, not '%s'",
		    trace_folded);
	if (pseudo_ops && *pseudo_ops && strcmp(pseudo_ops, "servers"))
		tp_die(&run, TP_USAGE, "--pseudo-ops=%s: only 'servers' is "
		    "known", pseudo_ops);
	trace_pseudo_when = !pseudo_ops ? TP_TORCH_PSEUDO_NEVER :
	    *pseudo_ops ? TP_TORCH_PSEUDO_SERVERS : TP_TORCH_PSEUDO_ALWAYS;
	run.bare = !part->jax || trace_folded;
	/* whatever files a shard has, their job is one */
	run.by_folder = trace_runs;
	run.out.exact = mergeable;
	trace_open_folders(&run);
	if (trace_rank >= 0 && (!trace_runs || run.operand_count > 1))
		tp_die(&run, TP_USAGE, "--rank is for --ranks and one trace");
	tp_start(&run);
	if (trace_uncosted && !run.out.only)
		run.out.only = "op.perf";
	while (tp_next_event(&run))
		take_event(&run);
	while (tp_next_trace(&run)) {
		trace_jax_emit(&run, part);
		trace_torch_emit(&run, part);
	}
	return tp_end(&run);
}
