/* grid_svg - a value by row and column as shades, as SVG */
#include <string.h>

#include "draw/grid.h"
#include "draw/svg.h"

/* Lengths in tenths of a pixel. */
enum {
	PAD = 80,
	LEFT = 760,		/* right end of row names */
	RIGHT = 1500,		/* width of the outlined row's note */
	PLOT = TP_SVG_WIDTH - LEFT - RIGHT,
	LINE = 150,
	HEIGHT = 3200,		/* most height of all rows */
	ROW = 180,		/* most height of a row */
	COLUMN = 1200,		/* most width of a column */
	GAP = 10,
	WORDS = 560,		/* least width of a cell with a number */
	TITLES = 300,		/* most cells with a title each; beyond, each
				 * row has one */
	APART = 1500,		/* most cells with gaps between them */
};

struct page {
	const struct tp_grid *grid;
	struct tp_buf *buf;
	int x, y, width, height;	/* of a cell with its gap */
	int is_written;			/* cells contain their numbers */
};

static const struct {
	const char *colour;
	int percent;
} shades[TP_GRID_SHADES] = {
	{ "blue", 90 }, { "blue", 60 }, { "blue", 30 }, { NULL, 12 },
	{ "red", 30 }, { "red", 60 }, { "red", 90 },
};

/*
 * Whether a cell has half height: those below the median if cells have no
 * numbers, so that they differ not only by colour.
 */
static int
is_half(const struct page *p, int shade)
{
	return !p->is_written && shade < TP_GRID_SHADES / 2;
}

/* Begin a path for cells of SHADE: lines as thick as a cell is high. */
static void
begin_shade(const struct page *p, int shade, int height)
{
	struct tp_buf *b = p->buf;

	tp_buf_fmt(b, "<path stroke=\"%s\" stroke-opacity=\".%d\"",
	    shades[shade].colour ? tp_svg_colour(shades[shade].colour) :
	    "currentColor", shades[shade].percent);
	tp_svg_attribute(b, "stroke-width", is_half(p, shade) ?
	    height / 2 : height);
	tp_buf_str(b, " d=\"");
}

/* The middle of the line that draws a cell at Y. */
static int
middle(const struct page *p, int shade, int y, int height)
{
	return is_half(p, shade) ? y + height - height / 4 :
	    y + height / 2;
}

static int
shade_at(const struct tp_grid *g, size_t i, size_t k)
{
	const struct tp_grid_cell *c = k < g->shown_columns ?
	    tp_grid_at(g, i, k) : NULL;

	return c ? tp_grid_shade(c) : -1;
}

static void
cells(const struct page *p, int shade)
{
	const struct tp_grid *g = p->grid;
	int height = p->height - GAP, begun = 0;
	int gap = g->shown_rows * g->shown_columns <= APART ? GAP : 0;

	for (size_t i = 0; i < g->shown_rows; i++) {
		int x = -1;

		for (size_t k = 0; k < g->shown_columns; k++) {
			int to = p->x + (int)k * p->width, n = 1;

			if (shade_at(g, i, k) != shade)
				continue;
			if (!begun++)
				begin_shade(p, shade, height);
			while (!gap && shade_at(g, i, k + 1) == shade) {
				n++;
				k++;
			}
			/* relative coordinates take half the bytes */
			tp_buf_chr(p->buf, x < 0 ? 'M' : 'm');
			tp_svg_number(p->buf, x < 0 ? to : to - x);
			tp_buf_chr(p->buf, ' ');
			tp_svg_number(p->buf, x < 0 ? middle(p, shade, p->y +
			    (int)i * p->height, height) : 0);
			tp_buf_chr(p->buf, 'h');
			tp_svg_number(p->buf, n * p->width - gap);
			x = to + n * p->width - gap;
		}
	}
	if (begun)
		tp_buf_str(p->buf, "\"/>\n");
}

/* Write the deviation in a cell: "+14.9 %". */
static void
number(const struct page *p, const struct tp_grid_cell *c, int x, int y)
{
	struct tp_buf text = { 0 };

	tp_grid_off(c, &text);
	tp_svg_text(p->buf, x + (p->width - GAP) / 2, y + p->height / 2 + 30,
	    TP_SVG_MIDDLE, 0, tp_svg_words(&text));
	tp_buf_release(&text);
}

/* Draw an invisible rectangle with a title. */
static void
titled(const struct page *p, size_t i, const struct tp_grid_cell *c, int x,
    int width)
{
	struct tp_buf text = { 0 };

	tp_grid_cell_words(p->grid, c, &text);
	tp_svg_rect(p->buf, x, p->y + (int)i * p->height, width - GAP,
	    p->height - GAP, "currentColor", 0, tp_svg_words(&text));
	tp_buf_release(&text);
}

static void
row_names(const struct page *p, size_t i)
{
	const struct tp_grid *g = p->grid;
	int y = p->y + (int)i * p->height, foot = y + p->height / 2 + 30;
	int width = (int)g->shown_columns * p->width - GAP;
	int height = p->height - GAP;
	struct tp_buf text = { 0 };

	if (i % (size_t)((TP_SVG_FONT + p->height) / p->height) == 0) {
		tp_grid_name(&text, g->rows, g->row_count, g->each_row, i);
		tp_svg_text(p->buf, LEFT - PAD, foot, TP_SVG_END, LEFT -
		    2 * PAD, tp_svg_words(&text));
	}
	if (tp_grid_is_outlined(g, i)) {
		tp_svg_line(p->buf, p->x, y, p->x + width, y, 100, 0);
		tp_svg_line(p->buf, p->x, y + height, p->x + width,
		    y + height, 100, 0);
		tp_svg_line(p->buf, p->x, y, p->x, y + height, 100, 0);
		tp_svg_line(p->buf, p->x + width, y, p->x + width,
		    y + height, 100, 0);
		tp_svg_text(p->buf, p->x + width + PAD, foot, TP_SVG_START,
		    TP_SVG_WIDTH - PAD - p->x - width, g->outlined ?
		    g->outlined : "");
	}
	tp_buf_release(&text);
}

static void
column_names(const struct page *p, int y)
{
	const struct tp_grid *g = p->grid;
	int free_at = 0, x, wide;
	struct tp_buf text = { 0 };

	tp_svg_text(p->buf, LEFT - PAD, y, TP_SVG_END, LEFT - PAD,
	    g->column);
	for (size_t k = 0; k < g->shown_columns; k++) {
		tp_buf_clear(&text);
		tp_grid_name(&text, g->columns, g->column_count,
		    g->each_column, k);
		wide = tp_svg_text_width(tp_svg_words(&text));
		x = p->x + (int)k * p->width + (p->width - GAP) / 2;
		x = x < LEFT + wide / 2 ? LEFT + wide / 2 : x;
		if (x - wide / 2 < free_at || wide > LEFT)
			continue;
		tp_svg_text(p->buf, x, y, TP_SVG_MIDDLE, 0,
		    tp_svg_words(&text));
		free_at = x + wide / 2 + PAD;
	}
	tp_buf_release(&text);
}

/*
 * Draw a shade with its bound in the legend.  Returns where the next one
 * begins.
 */
static int
sample(const struct page *p, int shade, int x, int y, const char *words)
{
	begin_shade(p, shade, 100);
	tp_buf_chr(p->buf, 'M');
	tp_svg_number(p->buf, x);
	tp_buf_chr(p->buf, ' ');
	tp_svg_number(p->buf, middle(p, shade, y - 90, 100));
	tp_buf_str(p->buf, "h10\"/>\n");
	tp_svg_text(p->buf, x + 170, y, TP_SVG_START, 0, words);
	return x + 320 + tp_svg_text_width(words);
}

static void
legend(const struct page *p, int y)
{
	enum { HALF = TP_GRID_SHADES / 2 };
	static const char below[] = "below by", less[] = "less than",
	    above[] = "above by", more[] = "or more";
	int x = LEFT;
	struct tp_buf text = { 0 };

	tp_svg_text(p->buf, x, y, TP_SVG_START, 0, below);
	x += tp_svg_text_width(below) + 100;
	for (int i = HALF - 1; i >= 0; i--)
		x = sample(p, HALF - 1 - i, x, y, tp_grid_bounds[i]);
	tp_buf_fmt(&text, "%s %s", less, tp_grid_bounds[0]);
	x = sample(p, HALF, x, y, tp_svg_words(&text));
	tp_svg_text(p->buf, x, y, TP_SVG_START, 0, above);
	x += tp_svg_text_width(above) + 100;
	for (int i = 0; i < HALF; i++)
		x = sample(p, HALF + 1 + i, x, y, tp_grid_bounds[i]);
	tp_svg_text(p->buf, x - 80, y, TP_SVG_START, 0, more);
	tp_buf_release(&text);
}

static void
marks(const struct page *p)
{
	const struct tp_grid *g = p->grid;
	int each = g->shown_rows * g->shown_columns <= TITLES;

	for (size_t i = 0; i < g->shown_rows; i++) {
		const struct tp_grid_cell *most = NULL, *c;

		for (size_t k = 0; k < g->shown_columns; k++) {
			int x = p->x + (int)k * p->width;

			c = tp_grid_at(g, i, k);
			if (!c)
				continue;
			if (!most || c->off > most->off)
				most = c;
			if (p->is_written)
				number(p, c, x, p->y + (int)i * p->height);
			if (each)
				titled(p, i, c, x, p->width);
		}
		if (!each && most)
			titled(p, i, most, p->x, p->width *
			    (int)g->shown_columns);
		row_names(p, i);
	}
}

void
tp_grid_svg(const struct tp_grid *g, struct tp_drawing *d)
{
	struct tp_buf *b = &d->picture, text = { 0 }, rest = { 0 };
	struct page p = { .grid = g, .buf = b, .x = LEFT,
	    .y = PAD + LINE + 40 };
	int y;

	/* round down to whole pixels */
	p.width = PLOT / (int)g->shown_columns / 10 * 10;
	p.width = p.width > COLUMN ? COLUMN : p.width;
	p.height = HEIGHT / (int)g->shown_rows / 10 * 10;
	p.height = p.height > ROW ? ROW : p.height;
	p.is_written = p.width - GAP >= WORDS && p.height >= ROW;
	y = p.y + (int)g->shown_rows * p.height + LINE - 20;
	tp_grid_head(g, &text);
	tp_grid_rest(g, &rest);
	tp_svg_begin(b, TP_SVG_WIDTH, y + LINE + PAD + (rest.len ? LINE : 0) +
	    PAD, d, 0);
	tp_svg_text(b, LEFT - PAD, PAD + LINE - 60, TP_SVG_END, LEFT - PAD,
	    g->row);
	tp_svg_text(b, LEFT, PAD + LINE - 60, TP_SVG_START, TP_SVG_WIDTH -
	    LEFT - PAD, tp_svg_words(&text));
	for (int shade = 0; shade < TP_GRID_SHADES; shade++)
		cells(&p, shade);
	marks(&p);
	column_names(&p, y);
	legend(&p, y + LINE + PAD);
	if (rest.len)
		tp_svg_text(b, LEFT, y + 2 * LINE + PAD, TP_SVG_START,
		    TP_SVG_WIDTH - LEFT - PAD, tp_svg_words(&rest));
	tp_svg_end(b);
	tp_buf_release(&text);
	tp_buf_release(&rest);
}
