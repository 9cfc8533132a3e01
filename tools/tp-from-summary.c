/*
 * tp-from-summary - records from a profile_summary.v1 document
 *
 * Replaces a trace that no longer exists: writes the same records as far as the
 * document holds them, so that rules, queries and the report still work.
 */
#include <cjson/cJSON.h>

#include <tp/json.h>
#include <tp/read/summary.h>
#include <tp/tool.h>

/* The document of a trace; a second one is passed over. */
struct kept {
	cJSON *doc;
};

static const char *const examples[] = {
	"tp-from-summary summary.json | tp-render from-summary",
	"tp-from-summary summary.json | tp-csv op > ops.csv",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-from-summary",
	.does = "records from a profile_summary.v1 document",
	.operands = "[FILE...]",
	.reads = "a profile_summary.v1 document (JSON)",
	.writes = "profile.document trace.summary timeline.* step step.* op "
	    "op.* collective flight gap.* region region.* budget budget.* "
	    "host host.* device.summary platform.rate mem.* path.*",
	.group = "trace events",
	.examples = examples,
	.flags = TP_TOOL_DOCUMENTS,
	.state_size = sizeof(struct kept),
};

/* Say and note run->err. */
static void
report(struct tp_run *run, enum tp_status status)
{
	if (!run->quiet)
		tp_warn(run, "%s: %s", run->file, run->err.text);
	tp_status_at_least(run, status);
	tp_trace_note(run->trace, run->err.code, (int)status, 1, "%s: %s",
	    run->file, run->err.text);
}

/* What the maker of the document warned of. */
static void
warnings(struct tp_run *run)
{
	const cJSON *list = tp_json_get(tp_json_get(run->document,
	    "trace_overview"), "quality_warnings"), *c;

	cJSON_ArrayForEach(c, list)
		if (cJSON_IsString(c))
			tp_trace_note(run->trace, "summary.warning", 0, 1,
			    "%s", c->valuestring);
}

static void
keep_summary(struct tp_run *run)
{
	struct kept *kept = run->trace->state;

	if (tp_summary_check(run->document, &run->err) < 0) {
		if (run->err.status != TP_BAD)
			tp_die_err(run);
		report(run, TP_BAD);
		return;
	}
	if (kept->doc) {
		tp_fail(&run->err, TP_BAD, "summary.second", 0, "a second "
		    "summary of one folder was skipped");
		report(run, TP_OK);
		return;
	}
	warnings(run);
	kept->doc = run->document;
	run->document = NULL;
	run->trace->sources[run->trace->source_count - 1].rows = 1;
}

int
main(int argc, char *argv[])
{
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	while (tp_next_document(&run))
		keep_summary(&run);
	while (tp_next_trace(&run)) {
		const struct kept *kept = run.trace->state;

		if (kept->doc)
			tp_summary_records(kept->doc, &run.out);
	}
	return tp_end(&run);
}
