/* grid_screen - records as a table that fits a terminal */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>
#include <tp/show/fit.h>

#include "grid_table.h"

#define GAP 2

/* Most lines of a header. */
#define HEAD_LINES 4

/* With fewer rows, equal columns are coincidence. */
#define SAME_ROWS 3

/* Most columns of a key or a value, and most lines, below a table. */
#define WORD_WIDTH 40
#define BELOW_LINES 3

static const char *
text_of(const struct tp_grid_table *g, const struct tp_grid_entry *c)
{
	return c->len ? g->text.p + c->at : "";
}

/*
 * The bytes of the next line of a header in WIDTH columns.  Lines break after
 * '_'; a part wider than WIDTH is returned whole.
 */
static size_t
head_line(const char *text, size_t len, size_t width)
{
	size_t n = 0, next;

	while (n < len) {
		for (next = n; next < len && text[next] != '_'; next++)
			continue;
		/* keep consecutive '_' together */
		while (next < len && text[next] == '_')
			next++;
		if (n && tp_text_width(text, next) > width)
			break;
		n = next;
	}
	return n;
}

/*
 * The lines of a header in WIDTH columns; HEAD_LINES + 1 if a part does not
 * fit.
 */
static size_t
head_lines(const char *text, size_t len, size_t width)
{
	size_t lines = 0, n;

	for (; len && lines <= HEAD_LINES; lines++) {
		n = head_line(text, len, width);
		if (tp_text_width(text, n) > width)
			return HEAD_LINES + 1;
		text += n;
		len -= n;
	}
	return lines;
}

/*
 * The least width of a header with at most LINES; MOST if it needs more, where
 * it is cut to one line.
 */
static size_t
head_width(const char *text, size_t len, size_t lines, size_t most)
{
	size_t width = 1;

	while (width < most && head_lines(text, len, width) > lines)
		width++;
	return width;
}

/* Whether COLUMN prints the same in every row. */
static int
is_same(const struct tp_grid_table *g, size_t column)
{
	const struct tp_grid_entry *first, *c;

	if (g->rows <= SAME_ROWS)
		return 0;
	first = &g->cells[g->columns + column];
	for (size_t row = 2; row < g->rows; row++) {
		c = &g->cells[row * g->columns + column];
		if (c->len != first->len || memcmp(text_of(g, c),
		    text_of(g, first), c->len))
			return 0;
	}
	return 1;
}

/*
 * Measure a column for the fitter with a header of LINES lines; with 0 the
 * table has no header.
 */
static struct tp_fit_column
measure_grid_column(const struct tp_grid_table *g, size_t column, size_t lines)
{
	const struct tp_grid_entry *c = &g->cells[column];
	struct tp_fit_column fit = { 0 };

	if (lines)
		fit.head = head_width(text_of(g, c), c->len, lines,
		    g->screen->width / 2);
	for (size_t row = lines > 0; row < g->rows; row++) {
		c = &g->cells[row * g->columns + column];
		TP_MOST(fit.cells, c->width);
		if (c->number && c->width > fit.whole)
			fit.whole = c->width;
	}
	return fit;
}

/* Quality of a fit: columns left out, and columns of text lost by cutting. */
struct fitted {
	size_t left_out, lost;
};

static int
is_better(const struct fitted *a, const struct fitted *b)
{
	return a->left_out < b->left_out ||
	    (a->left_out == b->left_out && a->lost < b->lost);
}

/*
 * Fit the columns of G that are not the same in every row, in FIT.  Store  the
 * widths in g->shape if the result is better than BEST.
 */
static void
fit_columns(struct tp_grid_table *g, struct tp_fit_column *fit, size_t lines,
    struct fitted *best)
{
	struct fitted now;
	size_t n = 0, i;

	for (i = 0; i < g->columns; i++)
		if (!g->shape[i].same)
			fit[n++] = measure_grid_column(g, i, lines);
	now.left_out = n - tp_fit_columns(fit, n, GAP, g->screen->width);
	now.lost = tp_fit_lost(fit, n);
	if (!is_better(&now, best))
		return;
	*best = now;
	for (i = n = 0; i < g->columns; i++)
		g->shape[i].width = g->shape[i].same ? 0 : fit[n++].width;
}

/*
 * Fit records in rows below their keys, with the fewest header lines that show
 * the most.
 */
static struct fitted
fit_table(struct tp_grid_table *g, struct tp_fit_column *fit)
{
	struct fitted best = { (size_t)-1, 0 };
	size_t lines, i;
	int all = 1;

	for (i = 0; i < g->columns; i++)
		g->shape[i].same = 0;
	fit_columns(g, fit, 1, &best);
	if (!best.left_out && !best.lost)
		return best;
	for (i = 0; i < g->columns; i++) {
		g->shape[i].same = is_same(g, i);
		all &= g->shape[i].same;
	}
	/* keep at least one column */
	g->shape[0].same &= !all;
	best.left_out = (size_t)-1;
	for (lines = 1; lines <= HEAD_LINES; lines++)
		fit_columns(g, fit, lines, &best);
	return best;
}

/*
 * Print a cell of WIDTH columns; it is padded on the right only if something
 * FOLLOWS.
 */
static void
print_cell(const struct tp_grid_table *g, const char *text, size_t len,
    size_t width, int right, int follows, struct tp_buf *out)
{
	struct tp_buf cell = { 0 };
	size_t pad = width - tp_fit_cut(&cell, text, len, width,
	    g->screen->dots);

	if (right)
		tp_grid_spaces(out, pad);
	if (cell.len)
		tp_buf_add(out, cell.p, cell.len);
	if (!right && follows)
		tp_grid_spaces(out, pad);
	tp_buf_release(&cell);
}

static size_t
last_shown(const struct tp_grid_table *g)
{
	size_t last = 0;

	for (size_t i = 0; i < g->columns; i++)
		if (g->shape[i].width)
			last = i;
	return last;
}

/* The lines of a column's header; 1 if it is cut. */
static size_t
lines_of(const struct tp_grid_table *g, size_t column)
{
	const struct tp_grid_entry *c = &g->cells[column];
	size_t lines = head_lines(text_of(g, c), c->len,
	    g->shape[column].width);

	return lines > HEAD_LINES ? 1 : lines;
}

/* Print line LINE of the header of COLUMN, which has OWN lines. */
static void
print_head(const struct tp_grid_table *g, size_t column, size_t line,
    size_t own, int follows, struct tp_buf *out)
{
	const struct tp_grid_entry *c = &g->cells[column];
	const char *text = text_of(g, c);
	size_t width = g->shape[column].width, len = c->len, n = len;

	for (; own > 1; own--, line--) {
		n = head_line(text, len, width);
		if (!line)
			break;
		text += n;
		len -= n;
		n = len;
	}
	print_cell(g, text, n, width, g->shape[column].right, follows, out);
}

/* Print the headers, aligned at the bottom. */
static void
print_heads(const struct tp_grid_table *g, struct tp_buf *out)
{
	size_t lines = 1, last = last_shown(g), line, i, own;

	for (i = 0; i < g->columns; i++)
		if (g->shape[i].width && lines_of(g, i) > lines)
			lines = lines_of(g, i);
	for (line = 0; line < lines; line++) {
		size_t blanks = 0;

		for (i = 0; i < g->columns; i++) {
			if (!g->shape[i].width)
				continue;
			own = lines_of(g, i);
			/* no trailing blanks */
			if (line + own < lines) {
				blanks += g->shape[i].width + GAP;
				continue;
			}
			tp_grid_spaces(out, blanks);
			print_head(g, i, line + own - lines, own, i < last,
			    out);
			blanks = GAP;
		}
		tp_buf_chr(out, '\n');
	}
}

static void
print_rows(const struct tp_grid_table *g, int upright, struct tp_buf *out)
{
	size_t last = last_shown(g);

	for (size_t row = !upright; row < g->rows; row++) {
		for (size_t i = 0; i < g->columns; i++) {
			const struct tp_grid_entry *c =
			    &g->cells[row * g->columns + i];

			if (!g->shape[i].width)
				continue;
			print_cell(g, text_of(g, c), c->len,
			    g->shape[i].width, upright ? i > 0 :
			    g->shape[i].right, i < last, out);
			if (i < last)
				tp_grid_spaces(out, GAP);
		}
		tp_buf_chr(out, '\n');
	}
}

/* A list of words below the table. */
struct below {
	struct tp_buf text;
	size_t more;		/* words beyond the room */
};

/* Append KEY, and VALUE unless it is NULL. */
static void
add_below(const struct tp_grid_table *g, const struct tp_grid_entry *key,
    const struct tp_grid_entry *value, struct below *below)
{
	const struct tp_screen *s = g->screen;
	size_t most = s->width / 2 < WORD_WIDTH ? s->width / 2 : WORD_WIDTH;

	if (below->text.len > (BELOW_LINES - 1) * s->width) {
		below->more++;
		return;
	}
	if (below->text.len)
		tp_buf_str(&below->text, ", ");
	tp_fit_cut(&below->text, text_of(g, key), key->len, most, s->dots);
	if (!value)
		return;
	tp_buf_chr(&below->text, ' ');
	tp_fit_cut(&below->text, text_of(g, value), value->len, most, s->dots);
}

static void
print_below(const struct tp_grid_table *g, const char *title,
    struct below *below, const char *how, struct tp_buf *out)
{
	struct tp_buf line = { 0 };

	if (below->text.len) {
		tp_buf_fmt(&line, "%s: %s", title, below->text.p);
		if (below->more)
			tp_buf_fmt(&line, " and %zu more", below->more);
		tp_buf_str(&line, how);
		tp_wrap(out, line.p, 0, 2, g->screen->width);
		tp_buf_chr(out, '\n');
	}
	tp_buf_release(&line);
	tp_buf_release(&below->text);
}

static void
print_rest(const struct tp_grid_table *g, struct tp_buf *out)
{
	struct below same = { 0 }, hidden = { 0 };

	for (size_t i = 0; i < g->columns; i++) {
		const struct tp_grid_entry *key = &g->cells[i];

		if (g->shape[i].same)
			add_below(g, key, key + g->columns, &same);
		else if (!g->shape[i].width)
			add_below(g, key, NULL, &hidden);
	}
	print_below(g, "the same in every row", &same, "", out);
	print_below(g, "not shown", &hidden, " (wider terminal, or | less -S)",
	    out);
}

/* Whether records beside their keys fit with no column left out. */
static int
fits_upright(struct tp_grid_table *g, struct tp_fit_column *fit)
{
	struct fitted best = { 1, 0 };

	for (size_t i = 0; i < g->columns; i++)
		g->shape[i].same = 0;
	fit_columns(g, fit, 0, &best);
	return !best.left_out;
}

void
tp_grid_screen(struct tp_grid_table *g, const struct tp_set *set,
    const char *kind, const struct tp_names *keys, size_t count,
    struct tp_buf *out)
{
	size_t columns = keys->count > count ? keys->count : count + 1;
	struct tp_fit_column *fit = tp_zalloc(columns * sizeof *fit);
	struct fitted wide;

	tp_grid_fill(g, set, kind, keys, count, 0);
	wide = fit_table(g, fit);
	if ((wide.left_out || (wide.lost && count == 1)) &&
	    count < keys->count && count < g->screen->width / GAP) {
		tp_grid_fill(g, set, kind, keys, count, 1);
		if (fits_upright(g, fit)) {
			print_rows(g, 1, out);
			tp_free(fit);
			return;
		}
		tp_grid_fill(g, set, kind, keys, count, 0);
		fit_table(g, fit);
	}
	print_heads(g, out);
	print_rows(g, 0, out);
	print_rest(g, out);
	tp_free(fit);
}
