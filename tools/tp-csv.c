/*
 * tp-csv - print the records of one kind as CSV
 *
 * A column per key with the values as they are, or the columns, names and
 * units that share/csv/NAME.json lists.  --write makes several such tables of
 * the records, which are read once.
 */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/json.h>
#include <tp/share.h>
#include <tp/show/cells.h>
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
	"tp-trace t.json.gz | tp-csv -w torch-GEMM=gemm.csv "
	    "-w torch-SDPA_fwd=sdpa.csv",
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
	.flags = TP_TOOL_RECORDS | TP_TOOL_FIRST | TP_TOOL_LATE |
	    TP_TOOL_WRITES | TP_TOOL_WRITES_IF,
	.options = options,
};

/* The table that share/csv/NAME.json makes of the records it is for. */
static int
print_named(struct tp_run *run, const char *name, const struct tp_set *set,
    struct tp_buf *out)
{
	cJSON *mapping = tp_share_named("csv", name, &run->err);
	struct tp_cells cells = { .mapping = mapping, .safe = safe };
	size_t at = 0;
	int any;

	if (!mapping)
		tp_die_err(run);
	run->file = name;
	cells.selector = tp_json_text(mapping, "kind");
	if (!cells.selector)
		tp_fail(&run->err, TP_BAD, "mapping.damaged", 0,
		    "the mapping has no kind");
	if (!cells.selector || tp_cells_print(&cells, set, out,
	    &run->err) < 0)
		tp_die_err(run);
	any = tp_set_next(set, cells.selector, strlen(cells.selector),
	    &at) != NULL;
	run->file = NULL;
	cJSON_Delete(mapping);
	return any;
}

/* The records of KIND, to standard output. */
static void
print_kind(struct tp_run *run, const struct tp_set *set, cJSON *mapping)
{
	struct tp_cells cells = { .selector = run->first, .mapping = mapping,
	    .safe = safe };
	struct tp_buf out = { 0 };

	if (tp_cells_print(&cells, set, &out, &run->err) < 0)
		tp_die_err(run);
	tp_out_raw(&run->out, out.p ? out.p : "", out.len);
	if (!out.len && set->count && !run->quiet)
		tp_warn(run, "there is no record of kind '%s'", run->first);
	tp_buf_release(&out);
}

int
main(int argc, char *argv[])
{
	struct tp_set set = { 0 };
	cJSON *mapping = NULL;
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	if (as && tp_writes(&run))
		tp_die(&run, TP_USAGE, "--as is of KIND: --write has the "
		    "names of mappings");
	if (!run.first && !tp_writes(&run))
		tp_die(&run, TP_USAGE, "which kind of record? "
		    "for example: %s", examples[0]);
	if (as && !(mapping = tp_share_named("csv", as, &run.err)))
		tp_die_err(&run);
	tp_start(&run);
	tp_read_set(&run, &set);
	if (tp_writes(&run))
		tp_write_all(&run, &set, print_named);
	else
		print_kind(&run, &set, mapping);
	cJSON_Delete(mapping);
	tp_set_release(&set);
	return tp_end(&run);
}
