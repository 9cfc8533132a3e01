/*
 * tp-xlsx - tables as the sheets of a workbook
 *
 * Reads CSV with any columns and writes one spreadsheet file with a sheet per
 * table, named after its file.  Data that a sheet cannot hold is reported.
 * Each row is written as soon as it is read.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tp/output.h>
#include <tp/show/workbook.h>
#include <tp/text.h>
#include <tp/tool.h>

/* When a workbook was made, by what zip can say: 1980-01-01. */
#define CREATED 315532800

static int check;
static struct tp_output scratch;	/* where the workbook is made */

static const struct tp_option options[] = {
	{ TP_OPT_FLAG, "check", 'c', NULL,
	    "exit 0 if this build can write workbooks, else 1", &check },
	{ 0 }
};

static const char *const examples[] = {
	"tp-xlsx --output perf_report.xlsx perf_report_csvs/*.csv",
	"tp-cpu-top time.csv | tp-csv cpu.function | tp-xlsx -o functions.xlsx",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-xlsx",
	.does = "tables as the sheets of a workbook",
	.operands = "[FILE...]",
	.reads = "CSV of any columns, with a header",
	.writes = "a workbook for spreadsheets",
	.group = "presentation",
	.step = "writing a workbook",
	.examples = examples,
	.flags = TP_TOOL_LATE | TP_TOOL_SCRATCH,
	.options = options,
};

/* The name of the table in PATH: without folder and endings. */
static void
table_name(struct tp_buf *name, const char *path)
{
	static const char *const endings[] = { ".csv", ".tsv" };
	size_t n;

	tp_buf_clear(name);
	tp_buf_str(name, !strcmp(path, "-") ? "table" : tp_base(path));
	name->p[name->len = tp_in_stem(name->p, name->len)] = '\0';
	for (size_t i = 0; i < 2; i++) {
		n = strlen(endings[i]);
		if (name->len > n &&
		    !strcmp(name->p + name->len - n, endings[i]))
			name->p[name->len -= n] = '\0';
	}
}

static void
warn_sheet_limits(struct tp_run *run, const struct tp_workbook_losses *told)
{
	if (told->sheets > 1)
		tp_warn(run, "'%s' has more rows than a sheet can hold: it "
		    "continues in %llu more", told->name,
		    (unsigned long long)told->sheets - 1);
	if (told->uneven)
		tp_warn(run, "'%s': rows of more or fewer cells than the "
		    "header (%llu)", told->name,
		    (unsigned long long)told->uneven);
	if (told->cut)
		tp_warn(run, "'%s': cells of more than %d characters, cut "
		    "where they end in \" [cut]\" (%llu)", told->name,
		    TP_SHEET_CELL, (unsigned long long)told->cut);
	if (told->left_out)
		tp_warn(run, "'%s': cells to the right of column %d, which "
		    "are left out (%llu)", told->name, TP_SHEET_COLUMNS,
		    (unsigned long long)told->left_out);
	if (run->strict && (told->uneven || told->cut || told->left_out))
		tp_status_at_least(run, TP_BAD);
}

static int
end_table(struct tp_run *run, struct tp_workbook *book)
{
	struct tp_workbook_losses told;

	if (tp_workbook_table_end(book, &told, &run->err) < 0)
		return -1;
	warn_sheet_limits(run, &told);
	return 0;
}

static int
add_row(struct tp_workbook *book, const struct tp_csv_cells *cells,
    struct tp_err *err)
{
	size_t count = tp_csv_cells_count(cells), len;
	const char *text;

	for (size_t i = 0; i < count; i++) {
		text = tp_csv_cells_get(cells, i, &len);
		if (tp_workbook_cell(book, text, len, err) < 0)
			return -1;
	}
	tp_workbook_row(book);
	return 0;
}

/* All tables into BOOK: how many, or -1 with run->err. */
static int
add_tables(struct tp_run *run, struct tp_workbook *book)
{
	struct tp_buf name = { 0 };
	size_t input = 0;
	int count = 0, rc = 0;

	while (!rc && tp_next_cells(run)) {
		if (!count || run->input != input) {
			input = run->input;
			table_name(&name, run->path);
			if (count++)
				rc = end_table(run, book);
			if (!rc)
				rc = tp_workbook_table(book, name.p ? name.p :
				    "", &run->err);
		}
		if (!rc)
			rc = add_row(book, run->cells, &run->err);
	}
	if (!rc && count)
		rc = end_table(run, book);
	run->file = NULL;
	tp_buf_release(&name);
	return rc < 0 ? -1 : count;
}

static void
drop_file(void)
{
	tp_output_drop(&scratch);
}

/* A new file: a workbook can only be written to one that has a name. */
static void
make_file(struct tp_run *run)
{
	if (tp_output_scratch(&scratch, "tp-xlsx", &run->err) < 0)
		tp_die_err(run);
	atexit(drop_file);
}

static int
copy_out(struct tp_run *run)
{
	FILE *f = fopen(scratch.aside, "rb");
	char block[65536];
	size_t n;
	int rc = 0;

	while (f && (n = fread(block, 1, sizeof block, f)) > 0)
		tp_out_raw(&run->out, block, n);
	if (!f || ferror(f))
		rc = tp_fail(&run->err, TP_IO, "output.failed", 0,
		    "cannot read '%.200s' back: %s", scratch.aside,
		    strerror(errno));
	if (f)
		fclose(f);
	return rc;
}

/* The workbook of all tables: 0, or -1 with run->err. */
static int
make_book(struct tp_run *run)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	long long when = epoch ? strtoll(epoch, NULL, 10) : CREATED;
	struct tp_workbook *book;
	int count;

	/* libxlsxwriter takes 0 for "now" */
	book = tp_workbook_new(scratch.aside, when > 0 ? when : CREATED,
	    &run->err);
	if (!book)
		return -1;
	count = add_tables(run, book);
	if (count <= 0)
		tp_workbook_free(book);
	if (!count)
		tp_die(run, tp_status_now(run) > TP_NO ? tp_status_now(run) :
		    TP_BAD, "there is no table to make a workbook of");
	if (count < 0)
		return -1;
	if (tp_workbook_end(book, &run->err) < 0)
		return -1;
	return copy_out(run);
}

int
main(int argc, char *argv[])
{
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	run.bare = 1;
	if (check) {
		tp_workbook_can();
		return tp_end(&run);
	}
	tp_start(&run);
	if (isatty(run.out.fd))
		tp_die(&run, TP_USAGE, "a workbook cannot go to a terminal: "
		    "use --output FILE");
	make_file(&run);
	if (make_book(&run) < 0)
		tp_die_err(&run);
	return tp_end(&run);
}
