/* grid_text - a value by row and column as shades, as lines of a terminal */
#include <tp/show/fit.h>
#include <tp/width.h>

#include "draw/blocks.h"
#include "draw/grid.h"

enum { SIDE = TP_GRID_SIDE, MOST = 6 };

struct page {
	const struct tp_grid *grid;
	struct tp_buf *buf;
	const struct tp_blocks *blocks;
	size_t slot, width;	/* columns of a cell with and without its gap */
	int ascii;
};

static void
put_shade(const struct page *p, int shade)
{
	static const int heights[TP_GRID_SHADES] = { 1, 2, 3, 0, 5, 7, 8 };

	if (p->ascii)
		tp_buf_chr(p->buf, ".:-=+*#"[shade]);
	else
		tp_buf_str(p->buf, heights[shade] ?
		    p->blocks->heights[heights[shade]] : p->blocks->idle);
}

/* Write WORDS, after MARK, at the right end of SIDE columns. */
static void
margin(const struct page *p, const struct tp_buf *words, char mark)
{
	struct tp_buf cut = { 0 };
	size_t took = 0;

	if (words->p)
		took = tp_fit_cut(&cut, words->p, words->len, SIDE - 3,
		    p->blocks->dots);
	tp_blocks_pad(p->buf, SIDE - 3 - took);
	tp_buf_chr(p->buf, mark);
	tp_buf_chr(p->buf, ' ');
	if (took)
		tp_buf_add(p->buf, cut.p, cut.len);
	tp_buf_chr(p->buf, ' ');
	tp_buf_release(&cut);
}

static void
row(const struct page *p, size_t i)
{
	const struct tp_grid *g = p->grid;
	const struct tp_grid_cell *c;
	struct tp_buf text = { 0 };

	tp_grid_name(&text, g->rows, g->row_count, g->each_row, i);
	margin(p, &text, tp_grid_is_outlined(g, i) ? '>' : ' ');
	for (size_t k = 0; k < g->shown_columns; k++) {
		c = tp_grid_at(g, i, k);
		if (!c)
			tp_blocks_pad(p->buf, p->width);
		for (size_t n = 0; c && n < p->width; n++)
			put_shade(p, tp_grid_shade(c));
		tp_blocks_pad(p->buf, p->slot - p->width);
	}
	tp_blocks_end(p->buf);
	tp_buf_release(&text);
}

static void
column_names(const struct page *p, size_t columns)
{
	const struct tp_grid *g = p->grid;
	size_t at = 0, wide;
	struct tp_buf text = { 0 };

	tp_buf_str(&text, g->column);
	margin(p, &text, ' ');
	for (size_t k = 0; k < g->shown_columns; k++) {
		tp_buf_clear(&text);
		tp_grid_name(&text, g->columns, g->column_count,
		    g->each_column, k);
		wide = tp_text_width(text.p, text.len);
		if ((at && k * p->slot < at + 1) ||
		    SIDE + k * p->slot + wide > columns)
			continue;
		tp_blocks_pad(p->buf, k * p->slot - at);
		tp_buf_add(p->buf, text.p, text.len);
		at = k * p->slot + wide;
	}
	tp_blocks_end(p->buf);
	tp_buf_release(&text);
}

static void
legend(const struct page *p, size_t columns)
{
	enum { HALF = TP_GRID_SHADES / 2 };
	struct tp_buf text = { 0 };
	struct page to = *p;

	to.buf = &text;
	tp_buf_str(&text, "below by ");
	for (int i = HALF - 1; i >= 0; i--) {
		put_shade(&to, HALF - 1 - i);
		tp_buf_fmt(&text, " %s, ", tp_grid_bounds[i]);
	}
	put_shade(&to, HALF);
	tp_buf_fmt(&text, " less than %s, above by ", tp_grid_bounds[0]);
	for (int i = 0; i < HALF; i++) {
		put_shade(&to, HALF + 1 + i);
		tp_buf_fmt(&text, " %s%s", tp_grid_bounds[i], i + 1 < HALF ?
		    ", " : " or more");
	}
	tp_blocks_words(p->buf, &text, columns);
	if (p->grid->has_outlined) {
		tp_buf_str(&text, "> ");
		tp_grid_outlined(p->grid, &text);
		tp_blocks_words(p->buf, &text, columns);
	}
	tp_grid_rest(p->grid, &text);
	if (text.len)
		tp_blocks_words(p->buf, &text, columns);
	tp_buf_release(&text);
}

void
tp_grid_text(const struct tp_grid *g, size_t columns, int ascii,
    struct tp_buf *b)
{
	struct page p = { .grid = g, .buf = b, .blocks = tp_blocks(ascii),
	    .ascii = ascii };
	struct tp_buf text = { 0 };

	p.slot = (columns - SIDE) / g->shown_columns;
	p.slot = p.slot > MOST ? MOST : p.slot;
	p.width = p.slot - (p.slot > 1);
	tp_grid_head(g, &text);
	tp_blocks_words(b, &text, columns);
	tp_buf_str(&text, g->row);
	margin(&p, &text, ' ');
	tp_blocks_end(b);
	for (size_t i = 0; i < g->shown_rows; i++)
		row(&p, i);
	column_names(&p, columns);
	legend(&p, columns);
	tp_buf_release(&text);
}
