/* rows_csv - the rows of a table as CSV */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/json.h>
#include <tp/share.h>

#include "rows_csv.h"

/* Whether the current row is an event of an ETDump itself. */
static int
is_etdump(const struct tp_run *run)
{
	return run->row.source >= 0 && !strcmp(run->trace->sources[
	    run->row.source].format, tp_format_name(TP_FORMAT_ETDUMP));
}

/* The columns that share/csv lists for the table. */
static void
choose_listed(struct rows_csv *csv, struct tp_run *run)
{
	cJSON *doc = tp_share_named("csv", csv->table->name, &run->err), *i;
	ptrdiff_t at;

	if (!doc)
		tp_die_err(run);
	cJSON_ArrayForEach(i, tp_json_get(doc, "columns")) {
		const char *key = tp_json_text(i, "key");

		at = key ? tp_table_column_of(csv->table, key) : -1;
		if (at < 0 || csv->count == csv->table->column_count)
			tp_die(run, TP_BAD, "csv/%s.json: no column '%s' in "
			    "that table", csv->table->name, key ? key : "");
		csv->columns[csv->count++] = (size_t)at;
	}
	cJSON_Delete(doc);
}

static void
choose_columns(struct rows_csv *csv, struct tp_run *run)
{
	csv->table = run->row.table;
	csv->columns = tp_alloc((csv->table->column_count + 1) *
	    sizeof *csv->columns);
	if (is_etdump(run))
		choose_listed(csv, run);
	else
		for (; csv->count < csv->table->column_count; csv->count++)
			csv->columns[csv->count] = csv->count;
}

/* Mnemonics; a unit that a reader cannot know stands with them. */
static void
header(struct rows_csv *csv)
{
	struct tp_buf *line = &csv->line;

	for (size_t i = 0; i < csv->count; i++) {
		const struct tp_table_column *c =
		    &csv->table->columns[csv->columns[i]];
		const char *name = c->type == TP_CYCLES ? c->key : c->name;

		if (i)
			tp_buf_chr(line, ',');
		tp_csv_field(line, name, strlen(name));
	}
	tp_buf_chr(line, '\n');
}

static void
value(struct tp_buf *line, const struct tp_table_column *c,
    const struct tp_value *v)
{
	static struct tp_buf text;

	switch (v->type) {
	case TP_NONE:
		return;
	case TP_ID:
		tp_buf_fmt(line, "%llu", (unsigned long long)v->id);
		return;
	case TP_TEXT:
	case TP_DECIMAL:
		tp_csv_field(line, v->text, v->len);
		return;
	case TP_PROCESS:
	case TP_THREAD:
		tp_csv_field(line, v->text, v->whole);
		return;
	case TP_STACK:
		tp_buf_clear(&text);
		tp_stack_print(&text, v->stack);
		tp_csv_field(line, text.p ? text.p : "", text.len);
		return;
	default:
		tp_buf_int(line, v->n);
		/* a cell of any type says its unit itself */
		if (v->type == TP_DURATION && tp_column_is_any(c))
			tp_buf_str(line, " ns");
	}
}

void
rows_csv_emit(struct rows_csv *csv, struct tp_run *run)
{
	const struct tp_row *row = &run->row;
	struct tp_buf *line = &csv->line;

	tp_buf_clear(line);
	if (!csv->table) {
		choose_columns(csv, run);
		header(csv);
	}
	if (csv->table != row->table)
		tp_die(run, TP_USAGE, "--csv writes one table; this is '%s' "
		    "after '%s'", row->table->name, csv->table->name);
	for (size_t i = 0; i < csv->count; i++) {
		if (i)
			tp_buf_chr(line, ',');
		value(line, &row->table->columns[csv->columns[i]],
		    &row->v[csv->columns[i]]);
	}
	tp_buf_chr(line, '\n');
	tp_out_raw(&run->out, line->p, line->len);
}
