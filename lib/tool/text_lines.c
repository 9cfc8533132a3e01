/* text_lines - read the lines of text files without a table */
#include <string.h>

#include <tp/text.h>

#include "tool_parts.h"

/* Longest line kept: longer ones are binary data in a log. */
#define TEXT_LINE_MAX ((size_t)1 << 20)

static int
is_column(const struct tp_table *table, const char *cell, size_t len)
{
	const struct tp_table_column *c = table->columns;

	for (size_t i = 0; i < table->column_count; i++, c++)
		if (tp_same_name(cell, len, c->name, strlen(c->name)) ||
		    (*c->human && tp_same_name(cell, len, c->human,
		    strlen(c->human))))
			return 1;
	return 0;
}

/*
 * Whether at least half of the cells of the line are columns of TABLE, as the
 * CSV reader requires.
 */
static int
names_columns(const struct tp_table *table, const char *line, size_t len)
{
	const char *end = line + len, *p = line, *q;
	size_t cells = 0, known = 0, n;

	for (; p <= end; p = q + 1) {
		for (q = p; q < end && !memchr(",;\t", *q, 3); q++)
			continue;
		for (n = (size_t)(q - p); n && memchr(" \"\r", p[n - 1], 3);)
			n--;
		for (; n && memchr(" \"", *p, 2); n--)
			p++;
		cells++;
		known += n && is_column(table, p, n);
	}
	return known && known * 2 >= cells;
}

/* Whether the line is the header of a known table. */
static int
is_header(const struct tp_run *run, const char *line, size_t len)
{
	const struct tp_table *t = run->private->tables->first;

	while (t && !names_columns(t, line, len))
		t = t->next;
	return t != NULL;
}

int
tp_tool_is_text(struct tp_run *run, enum tp_format format)
{
	const char *p, *lf;
	ptrdiff_t n;

	if (!(run->tool->flags & TP_TOOL_TEXT) || run->table)
		return 0;
	n = tp_in_peek(run->private->in, &p, &run->err);
	if (n <= 0)
		return 0;
	if (n > 3 && !memcmp(p, "\xef\xbb\xbf", 3))
		p += 3, n -= 3;
	lf = memchr(p, '\n', (size_t)n);
	/* a log may begin with a time in brackets, or contain NULs */
	return format == TP_FORMAT_BINARY || format == TP_FORMAT_STACKS ||
	    (format == TP_FORMAT_JSON && *p == '[' &&
	    !tp_rows_can(run->private->in, format)) ||
	    (format == TP_FORMAT_CSV && !is_header(run, p,
	    lf ? (size_t)(lf - p) : (size_t)n));
}

void
tp_tool_open_text(struct tp_run *run)
{
	struct tp_run_private *p = run->private;

	run->row.source = (ptrdiff_t)run->trace->source_count;
	tp_tool_add_source(run, "log", NULL);
	tp_lines_init(&p->lines, p->in);
	p->lines.max = TEXT_LINE_MAX;
	p->lines_open = p->reading_text = 1;
}

/* Close the current input after its last line, or where reading FAILED. */
static void
close_text(struct tp_run *run, int failed)
{
	struct tp_run_private *p = run->private;
	int rc;

	if (failed)
		tp_tool_bad_input(run);
	rc = run->tool->text_end(run->trace->state, &run->err);
	if (!rc)
		tp_tool_wrong_format(run, TP_FORMAT_UNKNOWN);
	if (rc <= 0 && !failed)
		tp_tool_bad_input(run);
	if (p->lines.cut)
		tp_trace_note(run->trace, "line.long", 0, p->lines.cut,
		    "%s: lines of more than %d MiB were cut there", run->file,
		    (int)(TEXT_LINE_MAX >> 20));
	tp_lines_release(&p->lines);
	p->lines_open = p->reading_text = 0;
	tp_tool_count_bytes(run, p->source_from);
	tp_tool_close_input(run);
}

int
tp_tool_pull_line(struct tp_run *run)
{
	struct tp_run_private *p = run->private;
	int rc;

	rc = tp_lines_next(&p->lines, &run->line, &run->line_len, &run->err);
	if (rc <= 0) {
		close_text(run, rc < 0);
		return 0;
	}
	run->line_number = p->lines.line;
	run->line_unended = p->lines.done;
	return 1;
}

/* Close the current input after its last row or a damage. */
static void
close_cells(struct tp_run *run)
{
	tp_csv_cells_free(run->cells);
	run->cells = NULL;
	tp_tool_close_input(run);
}

int
tp_next_cells(struct tp_run *run)
{
	enum tp_format format;
	int rc;

	for (;;) {
		while (!run->cells) {
			if (!tp_tool_open_next(run, &format))
				return 0;
			if (format != TP_FORMAT_CSV)
				tp_tool_wrong_format(run, format);
			else
				run->cells = tp_csv_cells_new(
				    run->private->in, &run->err);
			if (!run->cells) {
				tp_tool_bad_input(run);
				tp_tool_close_input(run);
			}
		}
		rc = tp_csv_cells_next(run->cells, &run->err);
		if (rc > 0)
			return 1;
		if (rc < 0)
			tp_tool_bad_input(run);
		close_cells(run);
	}
}
