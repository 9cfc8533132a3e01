/*
 * tp-csv - print the records of one kind as CSV
 *
 * A column per key with unchanged values, or the columns, names and units that
 * share/csv/COLUMNS.json lists.  --write makes several such tables in one pass.
 */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/choice.h>
#include <tp/hash.h>
#include <tp/json.h>
#include <tp/share.h>
#include <tp/show/cells.h>
#include <tp/tool.h>

static const char *as;
static int safe;

static const struct tp_option options[] = {
	{ TP_OPT_TEXT, "as", 'a', "COLUMNS",
	    "print the columns and units that share/csv/COLUMNS.json lists",
	    &as },
	{ TP_OPT_FLAG, "csv-safe", 's', NULL,
	    "put a ' before formulas of a spreadsheet, show controls",
	    &safe },
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
	.step = "writing tables",
	.examples = examples,
	.flags = TP_TOOL_RECORDS | TP_TOOL_FIRST | TP_TOOL_LATE |
	    TP_TOOL_WRITES | TP_TOOL_WRITES_IF,
	.options = options,
};

/* The table that share/csv/COLUMNS.json makes of the records it is for. */
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
	any = tp_set_next(set, cells.selector, &at) != NULL;
	run->file = NULL;
	cJSON_Delete(mapping);
	return any;
}

/* Whether share/schema has the LEN bytes at KIND. */
static int
is_kind(struct tp_run *run, const char *kind, size_t len)
{
	char **names;
	int count = tp_share_list("schema", ".json", &names, &run->err);
	int is = 0;

	if (count < 0)
		tp_die_err(run);
	for (int i = 0; i < count && !is; i++)
		is = strlen(names[i]) == len + 5 &&
		    !memcmp(names[i], kind, len);
	tp_share_free_list(names, count);
	return is;
}

/* No record is what was asked for: that is an answer when such a kind is
 * known, else the name is wrong. */
static void
none_such(struct tp_run *run, const struct tp_set *set)
{
	size_t len = strcspn(run->first, "[");
	struct tp_names kinds = { 0 }, parts = { 0 };
	const struct tp_names *there = &parts;
	struct tp_choice choice;

	tp_set_kinds(set, &kinds);
	tp_set_parts(set, run->first, len, &parts);
	if (!parts.count)
		there = &kinds;
	tp_choice_init(&choice, run->first);
	for (size_t i = 0; i < there->count; i++)
		tp_choice_add(&choice, there->names[i].text);
	if (tp_names_find(&kinds, run->first, len) < 0 &&
	    !is_kind(run, run->first, len))
		tp_die(run, TP_USAGE, "no kind of record is called '%s'; "
		    "there is: %s", run->first, tp_choice_text(&choice));
	tp_warn(run, "there is no record '%s'; there is: %s", run->first,
	    tp_choice_text(&choice));
	tp_choice_release(&choice);
	tp_names_release(&kinds);
	tp_names_release(&parts);
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
	if (!out.len && set->count)
		none_such(run, set);
	tp_buf_release(&out);
}

int
main(int argc, char *argv[])
{
	static struct tp_set set;
	cJSON *mapping = NULL;
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	if (as && tp_writes(&run))
		tp_die(&run, TP_USAGE, "--as belongs to KIND; with --write "
		    "NAME is the mapping");
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
	return tp_end(&run);
}
