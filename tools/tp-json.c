/*
 * tp-json - print records as the JSON document of another tool
 *
 * What the document looks like, which records go where and in which units is
 * share/json/NAME.json.
 */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/shape.h>
#include <tp/share.h>
#include <tp/tool.h>

static const char *src;

static const struct tp_option options[] = {
	{ TP_OPT_TEXT, "src", 0, "NAME",
	    "of the trace NAME alone (default: of all records)", &src },
	{ 0 }
};

static const char *const examples[] = {
	"tp-etdump model_exec_all_runs_timeline.csv | tp-json robust-stats",
	"cat et.jsonl findings.jsonl | tp-json operator-analysis",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-json",
	.does = "print records as the JSON document of another tool",
	.operands = "NAME [FILE...]",
	.reads = "records of any kind",
	.writes = "one JSON document",
	.group = "presentation",
	.examples = examples,
	.flags = TP_TOOL_RECORDS | TP_TOOL_FIRST | TP_TOOL_LATE,
	.options = options,
};

/* The records of one trace, and those that are of none. */
static void
read_trace(struct tp_run *run, struct tp_set *set)
{
	while (tp_next_record(run))
		if ((!src || !*run->rec.src || !strcmp(run->rec.src, src)) &&
		    tp_set_add(set, run->line, run->line_len, &run->err) < 0)
			tp_die_err(run);
	run->file = NULL;
}

int
main(int argc, char *argv[])
{
	struct tp_set set = { 0 };
	struct tp_buf out = { 0 };
	struct tp_run run;
	cJSON *form;

	tp_begin(&run, &tool, argc, argv);
	run.bare = 1;
	if (!run.first)
		tp_die(&run, TP_USAGE, "which document? for example: %s",
		    examples[0]);
	form = tp_share_named("json", run.first, &run.err);
	if (!form)
		tp_die_err(&run);
	tp_start(&run);
	read_trace(&run, &set);
	if (src && !set.count)
		tp_die(&run, TP_USAGE, "there is no trace '%s'", src);
	if (tp_shape_print(form, &set, &out, &run.err) < 0) {
		run.file = run.first;
		tp_die_err(&run);
	}
	tp_out_raw(&run.out, out.p ? out.p : "", out.len);
	cJSON_Delete(form);
	tp_buf_release(&out);
	tp_set_release(&set);
	return tp_end(&run);
}
