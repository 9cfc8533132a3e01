/* text_table - records as aligned tables, one per kind */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>
#include <tp/show/fit.h>
#include <tp/text.h>
#include <tp/unit.h>

#include "grid_table.h"
#include "md.h"

/* If wider than this, a few records are printed upright. */
#define WIDTH_MAX 100
/*
 * Most keys of a table, so that records with keys of their own do not make it
 * as large as the square of their number.  No record has more.
 */
enum { KEYS_MAX = 256 };

void
tp_grid_keys(const struct tp_set *set, const char *selector,
    const char *except, struct tp_names *keys)
{
	const struct tp_rec *rec;
	size_t at = 0;

	while ((rec = tp_set_next(set, selector, &at)))
		for (size_t i = 0; i < rec->count; i++) {
			const char *key = rec->fields[i].key;

			if (strcmp(key, "kind") && (!except || strcmp(key,
			    except)))
				tp_names_add(keys, key, strlen(key));
		}
}

static void
add_cell(struct tp_grid_table *g, size_t row, size_t column, const char *text,
    size_t len, int right)
{
	struct tp_grid_entry *cell = &g->cells[row * g->columns + column];

	cell->at = g->text.len;
	/* on a screen the fitter cuts the text, so it is kept whole here */
	tp_md_add(&g->text, text, len, (g->markdown ? 0 : TP_MD_PLAIN) |
	    (g->screen ? TP_MD_FULL : 0));
	cell->len = g->text.len - cell->at;
	cell->right = right;
	if (g->screen && cell->len)
		cell->width = tp_text_width(g->text.p + cell->at, cell->len);
	for (size_t i = cell->at; i < g->text.len && !g->screen; i++)
		cell->width += ((unsigned char)g->text.p[i] & 0xc0) != 0x80;
}

/* Join lines into one: a screen has no room to show line breaks. */
static void
join_lines(struct tp_buf *text)
{
	char *to = text->p, *p = text->p, *end;

	if (!p)
		return;
	for (end = p + text->len; p < end; to++) {
		if (*p != '\n') {
			*to = *p++;
			continue;
		}
		while (p < end && (*p == ' ' || *p == '\n'))
			p++;
		*to = ' ';
	}
	text->len = (size_t)(to - text->p);
}

static void
add_value(struct tp_grid_table *g, size_t row, size_t column,
    const struct tp_field *field, int upright)
{
	struct tp_grid_entry *cell = &g->cells[row * g->columns + column];
	struct tp_buf text = { 0 };

	if (!field || field->type == TP_FIELD_NULL) {
		add_cell(g, row, column, "-", !g->markdown, 1);
		cell->number = 1;
		return;
	}
	/* cannot fail: there is no form that could be wrong */
	(void)tp_unit_print(&text, field, NULL);
	if (g->screen)
		join_lines(&text);
	add_cell(g, row, column, text.p ? text.p : "", text.len,
	    upright || field->type != TP_FIELD_TEXT);
	if (g->screen) {
		cell->number = field->type != TP_FIELD_TEXT ||
		    tp_is_digits(text.p, text.len);
		cell->right |= cell->number;
	}
	tp_buf_release(&text);
}

static void
shape_columns(struct tp_grid_table *g)
{
	const struct tp_grid_entry *cell;
	struct tp_grid_column *column;
	size_t i;

	for (i = 0; i < g->columns; i++)
		g->shape[i] = (struct tp_grid_column){ 0, 1, 0 };
	for (i = 0; i < g->rows * g->columns; i++) {
		cell = &g->cells[i];
		column = &g->shape[i % g->columns];
		TP_MOST(column->width, cell->width);
		if (i >= g->columns && !cell->right)
			column->right = 0;
	}
}

void
tp_grid_fill(struct tp_grid_table *g, const struct tp_set *set,
    const char *kind, const struct tp_names *keys, size_t count, int upright)
{
	const struct tp_rec *rec;
	size_t at = 0, n = 0;

	g->rows = upright ? keys->count : count + 1;
	g->columns = upright ? count + 1 : keys->count;
	tp_buf_clear(&g->text);
	tp_grow(&g->cells, &g->cap, g->rows * g->columns, sizeof *g->cells);
	tp_grow(&g->shape, &g->shape_cap, g->columns, sizeof *g->shape);
	/* a record may hold its kind only */
	if (g->rows && g->columns)
		memset(g->cells, 0, g->rows * g->columns * sizeof *g->cells);
	for (size_t k = 0; k < keys->count; k++)
		add_cell(g, upright ? k : 0, upright ? 0 : k,
		    keys->names[k].text, keys->names[k].len, 0);
	while ((rec = tp_set_next(set, kind, &at))) {
		n++;
		for (size_t k = 0; k < keys->count; k++)
			add_value(g, upright ? k : n, upright ? n : k,
			    tp_rec_field(rec, keys->names[k].text), upright);
	}
	shape_columns(g);
}

static size_t
grid_width(const struct tp_grid_table *g)
{
	size_t width = 0;

	for (size_t i = 0; i < g->columns; i++)
		width += g->shape[i].width + 2;
	return width;
}

void
tp_grid_spaces(struct tp_buf *out, size_t n)
{
	while (n--)
		tp_buf_chr(out, ' ');
}

static void
print_plain(const struct tp_grid_table *g, struct tp_buf *out, int upright)
{
	for (size_t row = 0; row < g->rows; row++) {
		for (size_t column = 0; column < g->columns; column++) {
			const struct tp_grid_entry *c =
			    &g->cells[row * g->columns + column];
			size_t pad = g->shape[column].width - c->width;
			int right = g->shape[column].right &&
			    (column || !upright);

			if (column)
				tp_grid_spaces(out, 2);
			if (right)
				tp_grid_spaces(out, pad);
			tp_buf_add(out, g->text.p + c->at, c->len);
			if (!right && column + 1 < g->columns)
				tp_grid_spaces(out, pad);
		}
		tp_buf_chr(out, '\n');
	}
}

static void
print_markdown(const struct tp_grid_table *g, struct tp_buf *out, int upright)
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
			const struct tp_grid_entry *c =
			    &g->cells[row * g->columns + column];

			tp_buf_str(out, "| ");
			tp_buf_add(out, g->text.p + c->at, c->len);
			tp_buf_chr(out, ' ');
		}
		tp_buf_str(out, "|\n");
	}
}

/* The src common to all records of KIND, or NULL if they differ. */
static const char *
common_src(const struct tp_set *set, const char *kind)
{
	const struct tp_rec *rec;
	const char *src = NULL;
	size_t at = 0;

	while ((rec = tp_set_next(set, kind, &at))) {
		if (src && strcmp(src, rec->src))
			return NULL;
		src = rec->src;
	}
	return src;
}

static void
print_heading(struct tp_buf *out, const char *kind, const char *src,
    const struct tp_grid_table *g)
{
	int flags = g->markdown ? 0 : TP_MD_PLAIN;
	struct tp_buf text = { 0 };

	tp_md_add(&text, kind, strlen(kind), flags);
	if (src && *src && strcmp(src, "-")) {
		tp_buf_str(&text, " (");
		tp_md_add(&text, src, strlen(src), flags);
		tp_buf_chr(&text, ')');
	}
	if (out->len)
		tp_buf_chr(out, '\n');
	if (g->markdown)
		tp_buf_str(out, "## ");
	else if (g->bold)
		tp_buf_str(out, "\033[1m");
	if (g->screen && text.len)
		tp_fit_cut(out, text.p, text.len, g->screen->width,
		    g->screen->dots);
	else
		tp_buf_add(out, text.p, text.len);
	if (!g->markdown && g->bold)
		tp_buf_str(out, "\033[m");
	tp_buf_str(out, g->markdown ? "\n\n" : "\n");
	tp_buf_release(&text);
}

/* Print the table at its full width. */
static void
print_whole(struct tp_grid_table *g, const struct tp_set *set, const char *kind,
    const struct tp_names *keys, size_t count, struct tp_buf *out)
{
	int upright = 0;
	size_t wide;

	tp_grid_fill(g, set, kind, keys, count, 0);
	wide = grid_width(g);
	if (wide > WIDTH_MAX && count < keys->count) {
		upright = 1;
		tp_grid_fill(g, set, kind, keys, count, 1);
		if (grid_width(g) > wide) {
			upright = 0;
			tp_grid_fill(g, set, kind, keys, count, 0);
		}
	}
	if (g->markdown)
		print_markdown(g, out, upright);
	else
		print_plain(g, out, upright);
}

/* Say that MORE keys are not in the table. */
static void
print_more(const struct tp_grid_table *g, size_t more, struct tp_buf *out)
{
	tp_buf_fmt(out, "%sAnd %llu more keys: tp-csv lists them.\n",
	    g->markdown ? "\n" : "", (unsigned long long)more);
}

static void
print_kind(struct tp_grid_table *g, const struct tp_set *set, const char *kind,
    struct tp_buf *out)
{
	const char *src = common_src(set, kind);
	struct tp_names keys = { 0 };
	size_t count = tp_set_count(set, kind), all;

	tp_grid_keys(set, kind, src ? "src" : NULL, &keys);
	all = keys.count;
	TP_LEAST(keys.count, KEYS_MAX);
	print_heading(out, kind, src, g);
	if (g->screen)
		tp_grid_screen(g, set, kind, &keys, count, out);
	else
		print_whole(g, set, kind, &keys, count, out);
	if (all > keys.count)
		print_more(g, all - keys.count, out);
	keys.count = all;
	tp_names_release(&keys);
}

void
tp_grid_print(const struct tp_set *set, int form,
    const struct tp_screen *screen, struct tp_buf *out)
{
	struct tp_grid_table g = { .markdown = form & TP_GRID_MARKDOWN,
	    .bold = form & TP_GRID_BOLD,
	    .screen = form & TP_GRID_MARKDOWN ? NULL : screen };
	struct tp_names kinds = { 0 };

	for (size_t i = 0; i < set->count; i++)
		tp_names_add(&kinds, set->recs[i].kind,
		    strlen(set->recs[i].kind));
	for (size_t i = 0; i < kinds.count; i++)
		print_kind(&g, set, kinds.names[i].text, out);
	tp_free(g.cells);
	tp_free(g.shape);
	tp_buf_release(&g.text);
	tp_names_release(&kinds);
}
