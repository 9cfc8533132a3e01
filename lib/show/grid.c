/* grid - records as aligned tables, one per kind */
#include <string.h>

#include <tp/alloc.h>
#include <tp/show/grid.h>
#include <tp/unit.h>

#include "md.h"

/* Wider than this, few records are printed upright. */
#define WIDTH_MAX 100

/* A table as text: cells[row * columns + column]. */
struct grid {
	struct cell {
		size_t at, len;		/* in text */
		size_t width;		/* characters */
		int right;
	} *cells;
	size_t rows, columns, cap;
	struct column {
		size_t width;
		int right;		/* holds nothing but numbers */
	} *shape;
	size_t shape_cap;
	struct tp_buf text;
	int markdown, bold;
};

int
tp_grid_keys(const struct tp_set *set, const char *selector,
    const char *except, struct tp_names *keys)
{
	const struct tp_rec *rec;
	size_t at = 0;

	while ((rec = tp_set_next(set, selector, strlen(selector), &at)))
		for (size_t i = 0; i < rec->count; i++) {
			const char *key = rec->fields[i].key;

			if (strcmp(key, "kind") &&
			    (!except || strcmp(key, except)) &&
			    tp_names_add(keys, key, strlen(key)) < 0)
				return -1;
		}
	return 0;
}

static void
add_cell(struct grid *g, size_t row, size_t column, const char *text,
    size_t len, int right)
{
	struct cell *cell = &g->cells[row * g->columns + column];

	cell->at = g->text.len;
	tp_md_add(&g->text, text, len, g->markdown ? 0 : TP_MD_PLAIN);
	if (g->text.failed)
		return;
	cell->len = g->text.len - cell->at;
	cell->right = right;
	for (size_t i = cell->at; i < g->text.len; i++)
		cell->width += ((unsigned char)g->text.p[i] & 0xc0) != 0x80;
}

static void
add_value(struct grid *g, size_t row, size_t column,
    const struct tp_field *field, int upright)
{
	struct tp_buf text = { 0 };

	if (!field || field->type == TP_FIELD_NULL) {
		add_cell(g, row, column, "-", !g->markdown, 1);
		return;
	}
	/* no form: there is none that could be wrong */
	(void)tp_unit_print(&text, field, NULL);
	add_cell(g, row, column, text.p ? text.p : "", text.len,
	    upright || field->type != TP_FIELD_TEXT);
	if (text.failed)
		g->text.failed = 1;
	tp_buf_release(&text);
}

static void
measure(struct grid *g)
{
	const struct cell *cell;
	struct column *column;
	size_t i;

	for (i = 0; i < g->columns; i++)
		g->shape[i] = (struct column){ 0, 1 };
	for (i = 0; i < g->rows * g->columns; i++) {
		cell = &g->cells[i];
		column = &g->shape[i % g->columns];
		if (cell->width > column->width)
			column->width = cell->width;
		if (i >= g->columns && !cell->right)
			column->right = 0;
	}
}

/* The records of one kind under their keys, or beside them. */
static int
fill(struct grid *g, const struct tp_set *set, const char *kind,
    const struct tp_names *keys, size_t count, int upright)
{
	const struct tp_rec *rec;
	size_t at = 0, n = 0;

	g->rows = upright ? keys->count : count + 1;
	g->columns = upright ? count + 1 : keys->count;
	tp_buf_clear(&g->text);
	if (tp_grow(&g->cells, &g->cap, g->rows * g->columns,
	    sizeof *g->cells) < 0 || tp_grow(&g->shape, &g->shape_cap,
	    g->columns, sizeof *g->shape) < 0)
		return -1;
	memset(g->cells, 0, g->rows * g->columns * sizeof *g->cells);
	for (size_t k = 0; k < keys->count; k++)
		add_cell(g, upright ? k : 0, upright ? 0 : k,
		    keys->names[k].text, keys->names[k].len, 0);
	while ((rec = tp_set_next(set, kind, strlen(kind), &at))) {
		n++;
		for (size_t k = 0; k < keys->count; k++)
			add_value(g, upright ? k : n, upright ? n : k,
			    tp_rec_field(rec, keys->names[k].text), upright);
	}
	if (g->text.failed)
		return -1;
	measure(g);
	return 0;
}

static size_t
grid_width(const struct grid *g)
{
	size_t width = 0;

	for (size_t i = 0; i < g->columns; i++)
		width += g->shape[i].width + 2;
	return width;
}

static void
spaces(struct tp_buf *out, size_t n)
{
	while (n--)
		tp_buf_chr(out, ' ');
}

static void
print_plain(const struct grid *g, struct tp_buf *out, int upright)
{
	for (size_t row = 0; row < g->rows; row++) {
		for (size_t column = 0; column < g->columns; column++) {
			const struct cell *c =
			    &g->cells[row * g->columns + column];
			size_t pad = g->shape[column].width - c->width;
			int right = g->shape[column].right &&
			    (column || !upright);

			if (column)
				spaces(out, 2);
			if (right)
				spaces(out, pad);
			tp_buf_add(out, g->text.p + c->at, c->len);
			if (!right && column + 1 < g->columns)
				spaces(out, pad);
		}
		tp_buf_chr(out, '\n');
	}
}

static void
print_markdown(const struct grid *g, struct tp_buf *out, int upright)
{
	size_t row, column;

	if (upright)
		for (column = 0; column <= g->columns; column++)
			tp_buf_str(out, column == g->columns ? "|\n" : "| ");
	for (row = 0; row < g->rows; row++) {
		if (row == !upright)
			for (column = 0; column <= g->columns; column++)
				tp_buf_str(out, column == g->columns ? "|\n" :
				    upright ? column ? "|---:" : "|---" :
				    g->shape[column].right ? "|---:" :
				    "|---");
		for (column = 0; column < g->columns; column++) {
			const struct cell *c =
			    &g->cells[row * g->columns + column];

			tp_buf_str(out, "| ");
			tp_buf_add(out, g->text.p + c->at, c->len);
			tp_buf_chr(out, ' ');
		}
		tp_buf_str(out, "|\n");
	}
}

/* The trace all records of KIND are of, or NULL when they differ. */
static const char *
common_src(const struct tp_set *set, const char *kind)
{
	const struct tp_rec *rec;
	const char *src = NULL;
	size_t at = 0;

	while ((rec = tp_set_next(set, kind, strlen(kind), &at))) {
		if (src && strcmp(src, rec->src))
			return NULL;
		src = rec->src;
	}
	return src;
}

static void
print_heading(struct tp_buf *out, const char *kind, const char *src,
    const struct grid *g)
{
	int flags = g->markdown ? 0 : TP_MD_PLAIN;

	if (out->len)
		tp_buf_chr(out, '\n');
	if (g->markdown)
		tp_buf_str(out, "## ");
	else if (g->bold)
		tp_buf_str(out, "\033[1m");
	tp_md_add(out, kind, strlen(kind), flags);
	if (src && *src && strcmp(src, "-")) {
		tp_buf_str(out, " (");
		tp_md_add(out, src, strlen(src), flags);
		tp_buf_chr(out, ')');
	}
	if (!g->markdown && g->bold)
		tp_buf_str(out, "\033[m");
	tp_buf_str(out, g->markdown ? "\n\n" : "\n");
}

static int
print_kind(struct grid *g, const struct tp_set *set, const char *kind,
    struct tp_buf *out)
{
	const char *src = common_src(set, kind);
	struct tp_names keys = { 0 };
	int upright = 0, rc;
	size_t count = 0, at = 0, wide;

	while (tp_set_next(set, kind, strlen(kind), &at))
		count++;
	rc = tp_grid_keys(set, kind, src ? "src" : NULL, &keys);
	if (!rc)
		rc = fill(g, set, kind, &keys, count, 0);
	wide = rc ? 0 : grid_width(g);
	if (wide > WIDTH_MAX && count < keys.count) {
		upright = 1;
		rc = fill(g, set, kind, &keys, count, 1);
		if (!rc && grid_width(g) > wide) {
			upright = 0;
			rc = fill(g, set, kind, &keys, count, 0);
		}
	}
	if (!rc) {
		print_heading(out, kind, src, g);
		if (g->markdown)
			print_markdown(g, out, upright);
		else
			print_plain(g, out, upright);
	}
	tp_names_release(&keys);
	return rc;
}

int
tp_grid_print(const struct tp_set *set, int form, struct tp_buf *out,
    struct tp_err *err)
{
	struct grid g = { .markdown = form & TP_GRID_MARKDOWN,
	    .bold = form & TP_GRID_BOLD };
	struct tp_names kinds = { 0 };
	int rc = 0;

	for (size_t i = 0; i < set->count && !rc; i++)
		if (tp_names_add(&kinds, set->recs[i].kind,
		    strlen(set->recs[i].kind)) < 0)
			rc = -1;
	for (size_t i = 0; i < kinds.count && !rc; i++)
		rc = print_kind(&g, set, kinds.names[i].text, out);
	if (out->failed)
		rc = -1;
	tp_free(g.cells);
	tp_free(g.shape);
	tp_buf_release(&g.text);
	tp_names_release(&kinds);
	return rc < 0 ? tp_fail_memory(err) : 0;
}
