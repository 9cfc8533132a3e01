/*
 * tp-json - print records as the JSON document of another tool
 *
 * share/json/DOCUMENT.json defines the document: which records go where, and in
 * which units.  --write makes several documents in one pass.
 */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/share.h>
#include <tp/show/shape.h>
#include <tp/tool.h>

static const char *src;

static const struct tp_option options[] = {
	{ TP_OPT_TEXT, "src", 0, "NAME",
	    "only the trace NAME (default: all records)", &src },
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
	.operands = "DOCUMENT [FILE...]",
	.reads = "records of any kind",
	.writes = "one JSON document",
	.group = "presentation",
	.step = "writing documents",
	.examples = examples,
	.flags = TP_TOOL_RECORDS | TP_TOOL_FIRST | TP_TOOL_LATE |
	    TP_TOOL_WRITES,
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

/* The document NAME of SET as FORM has it, which is released. */
static void
print_form(struct tp_run *run, const char *name, cJSON *form,
    const struct tp_set *set, struct tp_buf *out)
{
	run->file = name;
	if (tp_shape_print(form, set, out, &run->err) < 0)
		tp_die_err(run);
	run->file = NULL;
	cJSON_Delete(form);
}

static cJSON *
load_form(struct tp_run *run, const char *name)
{
	cJSON *form = tp_share_named("json", name, &run->err);

	run->file = NULL;
	if (!form)
		tp_die_err(run);
	return form;
}

static int
print_named(struct tp_run *run, const char *name, const struct tp_set *set,
    struct tp_buf *out)
{
	print_form(run, name, load_form(run, name), set, out);
	return 1;
}

int
main(int argc, char *argv[])
{
	static struct tp_set set;
	static struct tp_buf out;
	cJSON *form = NULL;
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	run.bare = 1;
	if (!run.first && !tp_writes(&run))
		tp_die(&run, TP_USAGE, "which document? for example: %s",
		    examples[0]);
	if (run.first)
		form = load_form(&run, run.first);
	tp_start(&run);
	read_trace(&run, &set);
	if (src && !set.count)
		tp_die(&run, TP_USAGE, "there is no trace '%s'", src);
	if (form)
		print_form(&run, run.first, form, &set, &out);
	else
		tp_write_all(&run, &set, print_named);
	tp_out_raw(&run.out, out.p ? out.p : "", out.len);
	return tp_end(&run);
}
