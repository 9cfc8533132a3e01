/*
 * tp-csv - print the records of one kind as CSV
 *
 * A column per key with the values as they are, or the columns, names and
 * units that share/csv/NAME.json lists.
 */
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include <tp/cells.h>
#include <tp/share.h>
#include <tp/tool.h>

static const char *as;
static int safe;

static const struct tp_option options[] = {
	{ TP_OPT_TEXT, "as", 'a', "NAME",
	    "columns and units of share/csv/NAME.json", &as },
	{ TP_OPT_FLAG, "csv-safe", 's', NULL,
	    "put a ' before text that a spreadsheet would run", &safe },
	{ 0 }
};

static const char *const examples[] = {
	"tp-gpu-intervals gpu.csv | tp-csv gpu.process",
	"tp-cpu-top time.csv | tp-csv cpu.function --as cpu-hot-spots",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-csv",
	.does = "print the records of one kind as CSV",
	.operands = "KIND [FILE...]",
	.reads = "records of any kind",
	.writes = "CSV",
	.group = "presentation",
	.examples = examples,
	.flags = TP_TOOL_RECORDS | TP_TOOL_FIRST | TP_TOOL_LATE,
	.options = options,
};

static cJSON *
load_mapping(struct tp_run *run)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
	char path[128];
	cJSON *doc;

	if (!*as || as[strspn(as, allowed)] ||
	    (size_t)snprintf(path, sizeof path, "csv/%s.json", as) >=
	    sizeof path)
		tp_die(run, TP_USAGE, "there is no mapping '%.80s'", as);
	doc = tp_share_json(path, &run->err);
	if (!doc && !strcmp(run->err.code, "share.missing"))
		tp_die(run, TP_USAGE, "there is no mapping '%s'", as);
	if (!doc)
		tp_die_err(run);
	return doc;
}

int
main(int argc, char *argv[])
{
	struct tp_cells cells = { 0 };
	struct tp_set set = { 0 };
	struct tp_buf out = { 0 };
	cJSON *mapping = NULL;
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	if (!run.first)
		tp_die(&run, TP_USAGE, "which kind of record? "
		    "for example: %s", examples[0]);
	if (as)
		mapping = load_mapping(&run);
	cells.selector = run.first;
	cells.mapping = mapping;
	cells.safe = safe;
	tp_start(&run);
	tp_read_set(&run, &set);
	if (tp_cells_print(&cells, &set, &out, &run.err) < 0)
		tp_die_err(&run);
	tp_out_raw(&run.out, out.p ? out.p : "", out.len);
	if (!out.len && set.count && !run.quiet)
		tp_warn(&run, "there is no record of kind '%s'", run.first);
	cJSON_Delete(mapping);
	tp_buf_release(&out);
	tp_set_release(&set);
	return tp_end(&run);
}
