/* sources - what the rows of a table are of, models or devices */
#include <stdio.h>

#include "look_parts.h"
#include "read/source.h"

/* Tables of more experiments than this are not taken apart. */
#define SOURCES_MAX 256

/* What ROW is of; *LEN is 0 when it does not say. */
static const char *
source_of(const struct tp_row *row, struct tp_buf *both, size_t *len)
{
	static const struct tp_value none = { .type = TP_NONE };
	const struct tp_table_column *c = row->table->columns;
	const struct tp_value *source = &none, *model = &none;

	for (size_t i = 0; i < row->count; i++)
		if (!strcmp(c[i].name, TP_SOURCE_COLUMN))
			source = &row->v[i];
		else if (!strcmp(c[i].name, TP_MODEL_COLUMN))
			model = &row->v[i];
	return tp_source_text(source, model, both, len);
}

void
tp_look_take_source(struct tp_look *look, struct tp_look_file *f,
    const struct tp_row *row)
{
	struct tp_buf both = { 0 };
	const char *text;
	size_t len;

	if (f->has_sources || strncmp(row->table->name, "etdump-", 7))
		return;
	text = source_of(row, &both, &len);
	if (len && f->source)
		f->has_sources = strlen(f->source) != len ||
		    memcmp(f->source, text, len);
	else if (len)
		f->source = tp_look_text(look, "%.*s", (int)len, text);
	tp_buf_release(&both);
}

static void
read_all(struct tp_look *look, struct tp_in *in, enum tp_format format,
    struct tp_names *names)
{
	struct tp_trace trace = { 0 };
	struct tp_err damage = { 0 };
	struct tp_buf both = { 0 };
	struct tp_rows *rows = tp_rows_open(in, format, NULL, NULL,
	    look->tables, &trace);
	struct tp_row row;
	const char *text;
	size_t len;
	int rc;

	while ((rc = tp_rows_next(rows, &row, &damage)) &&
	    (rc > 0 || !damage.fatal)) {
		if (rc < 0)
			continue;
		text = source_of(&row, &both, &len);
		tp_names_add(names, text, len);
	}
	tp_rows_close(rows);
	tp_trace_release_notes(&trace);
	tp_buf_release(&both);
}

void
tp_look_sources(struct tp_look *look, const struct tp_look_file *f,
    struct tp_names *names)
{
	struct tp_err damage = { 0 };
	struct tp_in *in;
	size_t named = 0;

	/* each event of each run names the model: the first rows are enough */
	if (!f->has_sources && (!f->source || !f->table ||
	    !strcmp(f->table, "etdump-timeline")))
		return;
	in = tp_in_open(f->path, &damage);
	if (!in)
		return;
	if (tp_in_sniff(in, &damage) == f->format)
		read_all(look, in, f->format, names);
	tp_in_close(in);
	for (size_t i = 0; i < names->count; i++)
		named += names->names[i].len > 0;
	if (named < 2 || names->count > SOURCES_MAX)
		tp_names_release(names);
}
