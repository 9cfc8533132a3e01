/* csv_cells - cells of a CSV with any header */
#include <string.h>

#include <tp/alloc.h>
#include <tp/limits.h>
#include <tp/lines.h>
#include <tp/read/csv.h>

#include "csv_strict.h"

struct cell {
	size_t at, len;
};

struct tp_csv_cells {
	struct csv_parser parser;
	struct tp_lines lines;
	struct tp_buf text;		/* of rows that ended in the last
					 * line */
	struct cell *cells;
	size_t cell_count, cell_cap;
	size_t *ends;			/* by row: number of cells up to its
					 * end */
	size_t end_count, end_cap;
	size_t next, from, to;		/* next row; cells of the current one */
	uint64_t line;			/* first line of the current row */
};

unsigned char
tp_csv_delim(const char *p, size_t len)
{
	static const char seps[] = ",;\t";
	size_t counts[3] = { 0 }, i, best = 0;
	int quoted = 0;

	for (i = 0; i < len && (quoted || (p[i] != '\n' && p[i] != '\r'));
	    i++) {
		if (p[i] == '"')
			quoted = !quoted;
		else if (!quoted && p[i] && strchr(seps, p[i]))
			counts[strchr(seps, p[i]) - seps]++;
	}
	for (i = 1; i < 3; i++)
		if (counts[i] > counts[best])
			best = i;
	return (unsigned char)seps[best];
}

static void
on_cell(void *text, size_t len, void *arg)
{
	struct tp_csv_cells *c = arg;

	tp_grow(&c->cells, &c->cell_cap, c->cell_count + 1, sizeof *c->cells);
	c->cells[c->cell_count].at = c->text.len;
	c->cells[c->cell_count++].len = len;
	tp_buf_add(&c->text, text ? text : "", len);
	/* end with a NUL, so that borrowed cells are strings, too */
	tp_buf_chr(&c->text, '\0');
}

static void
on_row(int end, void *arg)
{
	struct tp_csv_cells *c = arg;

	(void)end;
	TP_APPEND(c->ends, c->end_count, c->end_cap, c->cell_count);
}

struct tp_csv_cells *
tp_csv_cells_new(struct tp_in *in, struct tp_err *err)
{
	struct tp_csv_cells *c;
	const char *p;
	ptrdiff_t n = tp_in_peek(in, &p, err);

	if (n < 0)
		return NULL;
	c = tp_zalloc(sizeof *c);
	tp_csv_strict(&c->parser, tp_csv_delim(p, (size_t)n));
	tp_lines_init(&c->lines, in);
	return c;
}

static int
bad_quote(struct tp_csv_cells *c, struct tp_err *err)
{
	return tp_fail(err, TP_BAD, "row.damaged", c->line,
	    c->lines.line > c->line ? "a quote is never closed" :
	    "a quote where none may stand");
}

/* Feed lines until a row ends.  Returns 1, 0 at the end, or -1. */
static int
feed(struct tp_csv_cells *c, struct tp_err *err)
{
	const char *line;
	size_t len;
	int rc;

	while (!c->end_count) {
		rc = tp_lines_next(&c->lines, &line, &len, err);
		if (rc < 0)
			return -1;
		if (!rc)
			break;
		if (c->lines.line == 1 && len >= 3 &&
		    !memcmp(line, "\xef\xbb\xbf", 3)) {
			line += 3;
			len -= 3;
		}
		if (c->parser.pstate == 0)	/* between rows */
			c->line = c->lines.line;
		if (csv_parse(&c->parser, line, len, on_cell, on_row, c) != len
		    || csv_parse(&c->parser, "\n", 1, on_cell, on_row, c) != 1)
			return bad_quote(c, err);
		if (c->text.len + c->parser.entry_pos >
		    (size_t)tp_limits.line_bytes)
			return tp_limit_line(err, "limit.row", c->line,
			    "a row");
	}
	if (!c->end_count && csv_fini(&c->parser, on_cell, on_row, c))
		return bad_quote(c, err);
	return c->end_count > 0;
}

int
tp_csv_cells_next(struct tp_csv_cells *c, struct tp_err *err)
{
	int rc;

	if (c->next == c->end_count) {
		c->next = c->to = c->end_count = 0;
		c->cell_count = c->text.len = 0;
		rc = feed(c, err);
		if (rc <= 0)
			return rc;
	}
	c->from = c->to;
	c->to = c->ends[c->next++];
	return 1;
}

size_t
tp_csv_cells_count(const struct tp_csv_cells *c)
{
	return c->to - c->from;
}

const char *
tp_csv_cells_get(const struct tp_csv_cells *c, size_t i, size_t *len)
{
	*len = c->cells[c->from + i].len;
	return c->text.p + c->cells[c->from + i].at;
}

void
tp_csv_cells_free(struct tp_csv_cells *c)
{
	if (!c)
		return;
	csv_free(&c->parser);
	tp_lines_release(&c->lines);
	tp_buf_release(&c->text);
	tp_free(c->cells);
	tp_free(c->ends);
	tp_free(c);
}
