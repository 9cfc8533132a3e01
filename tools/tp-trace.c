/*
 * tp-trace - where the time of a JAX trace went
 *
 * One pass over the trace events of a capture.  The same program under the
 * names of its parts writes only those: tp-timeline tp-steps tp-ops tp-comm
 * tp-gaps tp-regions; as tp-summary it prints profile_summary.v1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <tp/alloc.h>
#include <tp/capture.h>
#include <tp/os.h>
#include <tp/rule.h>
#include <tp/strip.h>
#include <tp/tool.h>
#include <tp/xla_emit.h>

static int64_t warmup = 5, hot_ops = 25, slices;
static const char *breakdown = "device";
static int sha256;

/* Folders that were given, and what was found there. */
static struct found {
	const char *folder, *file;	/* the first that is read */
	size_t passed_over;		/* files of other captures */
} *found;
static size_t found_count, found_cap;

#define WARMUP { TP_OPT_COUNT, "warmup", 0, "N", \
    "steps with a number below N are warm-up (default: 5)", &warmup }

static const struct tp_option options[] = {
	WARMUP,
	{ TP_OPT_FLAG, "sha256", 0, NULL,
	    "add the SHA-256 of each file, as it is stored", &sha256 },
	{ TP_OPT_COUNT, "slices", 0, "N", "with the timeline, also how busy "
	    "devices were in N equal parts of the run (default: 0)",
	    &slices },
	{ 0 }
};

static const struct tp_option summary_options[] = {
	{ TP_OPT_TEXT, "breakdown", 'b', "BASIS", "device, per-track or "
	    "global: what time_breakdown adds up (default: device)",
	    &breakdown },
	WARMUP,
	{ TP_OPT_COUNT, "hot-ops", 0, "N",
	    "at most N rows of hot_ops (default: 25)", &hot_ops },
	{ 0 }
};

static const struct tp_events_want want = { tp_xla_args, "X", 0 };

static void
release(void *state)
{
	tp_xla_trace_release(state);
}

static void events_end(struct tp_run *run);

static const char *const trace_examples[] = {
	"tp-trace perfetto_trace.json.gz | tp-render",
	"tp-trace plugins/profile > capture.jsonl",
	NULL
};
static const char *const timeline_examples[] = {
	"tp-timeline trace.json.gz | tp-render",
	"tp-timeline --only timeline.summary trace.json.gz | "
	    "jq .busy_of_span_ratio",
	NULL
};
static const char *const steps_examples[] = {
	"tp-steps trace.json.gz | jq 'select(.kind==\"step.summary\")'",
	NULL
};
static const char *const ops_examples[] = {
	"tp-ops trace.json.gz | tp-csv op > ops.csv",
	NULL
};
static const char *const comm_examples[] = {
	"tp-comm trace.json.gz | tp-render",
	NULL
};
static const char *const gaps_examples[] = {
	"tp-gaps --only gap.op trace.json.gz | head",
	NULL
};
static const char *const regions_examples[] = {
	"tp-regions trace.json.gz | jq 'select(.depth==1)'",
	NULL
};
static const char *const summary_examples[] = {
	"tp-summary plugins/profile > summary.json",
	"tp-summary --breakdown per-track trace.json.gz | jq .step_time",
	NULL
};

#define TIMELINE "timeline.summary timeline.device timeline.chosen " \
    "timeline.basis timeline.slice"
#define STEP "step.summary step.class step"
#define OP "op.summary op.family op.canonical op"
#define GAP "gap.summary gap.op gap.region"
#define REGION "region.summary region.alike region region.op"

#define TOOL(NAME, DOES, WRITES, EXAMPLES, OPTIONS) { .name = NAME, \
    .does = DOES, .operands = "[FILE|FOLDER...]", \
    .reads = "trace events of JAX/xprof (JSON), or a folder of captures", \
    .writes = WRITES, .group = "trace events", .examples = EXAMPLES, \
    .flags = TP_TOOL_EVENTS | TP_TOOL_LATE, .options = OPTIONS, \
    .events = &want, .events_end = events_end, \
    .state_size = sizeof(struct tp_xla_trace), .state_release = release }

static const struct part {
	struct tp_tool tool;
	unsigned groups;	/* 0: the document */
} parts[] = {
	{ TOOL("tp-trace", "where the time of a JAX trace went",
	    "trace.summary " TIMELINE " " STEP " " OP " collective " GAP " "
	    REGION,
	    trace_examples, options), TP_XLA_EMIT_ALL },
	{ TOOL("tp-timeline", "busy and idle time of the devices of a JAX "
	    "trace, by compute, communication and stall",
	    TIMELINE,
	    timeline_examples, options), TP_XLA_EMIT_TIME },
	{ TOOL("tp-steps", "training steps of a JAX trace: times, jitter, "
	    "kinds", STEP, steps_examples,
	    options), TP_XLA_EMIT_STEPS },
	{ TOOL("tp-ops", "operations of a JAX trace and their families",
	    OP, ops_examples, options),
	    TP_XLA_EMIT_OPS },
	{ TOOL("tp-comm", "collectives of a JAX trace", "collective",
	    comm_examples, options), TP_XLA_EMIT_COMM },
	{ TOOL("tp-gaps", "idle time before the operations of a JAX trace",
	    GAP, gaps_examples, options),
	    TP_XLA_EMIT_GAPS },
	{ TOOL("tp-regions", "where in the model the time of a JAX trace "
	    "went", REGION, regions_examples,
	    options), TP_XLA_EMIT_REGIONS },
	{ TOOL("tp-summary", "a JAX capture as a profile_summary.v1 document",
	    "one JSON document", summary_examples, summary_options), 0 },
};

static const struct part *
part_of(const char *program)
{
	const char *name = strrchr(program, '/');

	name = name ? name + 1 : program;
	for (size_t i = 1; i < sizeof parts / sizeof *parts; i++)
		if (!strcmp(parts[i].tool.name, name))
			return &parts[i];
	return &parts[0];
}

/* The capture of RUN's trace, made on first use. */
static struct tp_xla_trace *
capture_of(struct tp_run *run)
{
	struct tp_xla_trace *c = run->trace->state;

	if (!c->xla) {
		if (tp_xla_trace_init(c, &run->err) < 0)
			tp_die_err(run);
		c->warmup = warmup;
		c->gaps_by_lane = strcmp(breakdown, "device") != 0;
	}
	return c;
}

/* The folder that the current file was found in, and how much of its path
 * that is; NULL: none. */
static const struct found *
found_in(const struct tp_run *run, size_t *len)
{
	for (size_t i = 0; i < found_count; i++) {
		size_t n = strlen(found[i].folder);

		while (n > 1 && found[i].folder[n - 1] == '/')
			n--;
		*len = n + 1;
		if (!strncmp(run->path, found[i].folder, n) &&
		    run->path[n] == '/')
			return &found[i];
	}
	return NULL;
}

static void
digest(struct tp_run *run, const char *path, char hex[65])
{
	if (tp_os_sha256(path, hex) < 0)
		tp_die(run, TP_IO, "%s: cannot be read again", path);
}

/* Of the file just read: its path inside the folder it was found in, what was
 * passed over for it, its digest. */
static void
about_file(struct tp_run *run)
{
	struct tp_source *source =
	    &run->trace->sources[run->trace->source_count - 1];
	size_t len;
	const struct found *f = found_in(run, &len);

	if (sha256)
		digest(run, run->path, source->sha256);
	if (!f)
		return;
	tp_free(source->file);
	source->file = tp_alloc(strlen(run->path + len) + 1);
	if (!source->file)
		tp_die(run, TP_LIMIT, "out of memory");
	strcpy(source->file, run->path + len);
	if (f->passed_over && !strcmp(f->file, run->path) &&
	    tp_trace_note(run->trace, "capture.older", 0, f->passed_over,
	    "the latest capture was read, files of others in the folder "
	    "were passed over") < 0)
		tp_die(run, TP_LIMIT, "out of memory");
}

static void
events_end(struct tp_run *run)
{
	about_file(run);
	if (tp_xla_trace_end(capture_of(run), run->events, &run->err) < 0)
		tp_die_err(run);
}

static void
say_found(struct tp_run *run, const char *folder,
    const struct tp_capture *c)
{
	if (tp_grow(&found, &found_cap, found_count + 1, sizeof *found) < 0)
		tp_die(run, TP_LIMIT, "out of memory");
	found[found_count++] = (struct found){ folder, c->files[0],
	    c->passed_over };
	if (c->passed_over && !run->quiet)
		tp_warn(run, "%s: read the latest capture, %s; passed over "
		    "%zu file%s of others", folder, c->files[0],
		    c->passed_over, c->passed_over == 1 ? "" : "s");
}

/* Put the files of its latest capture in the place of a folder. */
static void
open_folders(struct tp_run *run)
{
	/* the names are used to the end */
	static char **all;
	struct tp_capture capture = { 0 };
	size_t count = 0, cap = 0;
	struct stat st;

	for (int i = 0; i < run->operand_count; i++) {
		char *one[] = { run->operands[i], NULL }, **from = one;

		if (!stat(one[0], &st) && S_ISDIR(st.st_mode)) {
			if (tp_capture_find(&capture, one[0], &run->err) < 0)
				tp_die_err(run);
			from = capture.files;
			run->by_folder = 1;
			say_found(run, one[0], &capture);
		}
		for (; *from; from++) {
			if (tp_grow(&all, &cap, count + 2, sizeof *all) < 0)
				tp_die(run, TP_LIMIT, "out of memory");
			all[count++] = *from;
			all[count] = NULL;
		}
		tp_free(capture.files);
		capture.files = NULL;
	}
	run->operands = all;
	run->operand_count = (int)count;
}

/* SOURCE_DATE_EPOCH, else when the newest input was written. */
static const char *
generated_at(const struct tp_run *run, char *text, size_t size)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	time_t at = epoch ? (time_t)strtoll(epoch, NULL, 10) : 0;
	struct stat st;
	struct tm tm;

	for (int i = 0; !epoch && i < run->operand_count; i++)
		if (!stat(run->operands[i], &st) && st.st_mtime > at)
			at = st.st_mtime;
	if ((!at && !epoch) || !gmtime_r(&at, &tm) ||
	    !strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &tm))
		return NULL;
	return text;
}

/* What the rules for candidates say about the records of C. */
static int
judge(struct tp_run *run, const struct tp_xla_trace *c,
    enum tp_xla_basis basis, struct tp_set *findings)
{
	static const char *const names[] = { "jax-candidates", NULL };
	struct tp_set records = { 0 };
	struct tp_rules *rules = NULL;
	struct tp_out out;
	int rc;

	tp_out_init(&out, -1);
	tp_xla_emit_chosen(c, basis, &out);
	rc = tp_set_lines(&records, out.buf.p, out.buf.len, &run->err);
	tp_buf_clear(&out.buf);
	if (!rc && !(rules = tp_rules_load(names, "none", &records,
	    &run->err)))
		rc = -1;
	if (!rc)
		rc = tp_rules_apply(rules, &records, &out, &run->err);
	if (!rc)
		rc = tp_set_lines(findings, out.buf.p, out.buf.len,
		    &run->err);
	tp_rules_free(rules);
	tp_set_release(&records);
	tp_out_release(&out);
	return rc;
}

static void
document(struct tp_run *run, const struct tp_xla_trace *c)
{
	struct tp_xla_summary s = { .hot_ops = (size_t)hot_ops };
	struct tp_set findings = { 0 };
	struct tp_buf buf = { 0 };
	char when[32], sha[65];
	int rc;

	s.basis = !strcmp(breakdown, "device") ? TP_XLA_DEVICE :
	    !strcmp(breakdown, "per-track") ? TP_XLA_PER_TRACK :
	    TP_XLA_GLOBAL;
	s.generated_at = generated_at(run, when, sizeof when);
	if (run->operand_count && strcmp(run->operands[0], "-"))
		s.source_path = run->operands[0];
	if (s.source_path && run->operand_count == 1) {
		digest(run, run->operands[0], sha);
		s.sha256 = sha;
	}
	s.findings = &findings;
	rc = judge(run, c, s.basis, &findings);
	if (!rc)
		rc = tp_xla_summarise(c, &s, &buf, &run->err);
	if (!rc)
		tp_out_raw(&run->out, buf.p, buf.len);
	tp_buf_release(&buf);
	tp_set_release(&findings);
	if (rc)
		tp_die_err(run);
}

static void
emit(struct tp_run *run, const struct part *part)
{
	struct tp_xla_trace *c = capture_of(run);

	if (!c->host_count)
		return;		/* nothing could be read */
	if (tp_xla_trace_analyse(c, &run->err) < 0)
		tp_die_err(run);
	if (!part->groups)
		document(run, c);
	else
		tp_take(run, tp_xla_emit(c, part->groups, &run->out,
		    &run->err));
	if (slices && (part->groups & TP_XLA_EMIT_TIME))
		tp_take(run, tp_xla_emit_slices(c, (size_t)slices,
		    &run->out, &run->err));
}

int
main(int argc, char *argv[])
{
	const struct part *part = part_of(argv[0]);
	struct tp_run run;

	tp_begin(&run, &part->tool, argc, argv);
	if (slices > TP_STRIP_MAX)
		tp_die(&run, TP_USAGE, "--slices takes at most %d",
		    TP_STRIP_MAX);
	if (strcmp(breakdown, "device") && strcmp(breakdown, "per-track") &&
	    strcmp(breakdown, "global"))
		tp_die(&run, TP_USAGE, "--breakdown is device, per-track or "
		    "global, not '%s'", breakdown);
	run.bare = !part->groups;
	open_folders(&run);
	tp_start(&run);
	while (tp_next_event(&run))
		tp_take(&run, tp_xla_trace_add(capture_of(&run), run.events,
		    &run.event, &run.err));
	while (tp_next_trace(&run))
		emit(&run, part);
	return tp_end(&run);
}
