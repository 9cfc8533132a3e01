/* scatter_text - operations in a roofline diagram, as lines of a terminal */
#include <string.h>

#include <tp/show/fit.h>

#include "draw/blocks.h"
#include "draw/scatter.h"
#include "draw/svg.h"

enum { LEFT = 16, HEIGHT = 16, MOST = 90, REACHED = 28, LEAST_NAME = 8 };

struct page {
	const struct tp_scatter *scatter;
	const struct tp_blocks *blocks;
	struct tp_buf *buf;
	int width;
	char cells[HEIGHT][MOST];
};

static int
column(const struct page *p, double x)
{
	return tp_scatter_place(x, p->scatter->left, p->scatter->right,
	    p->width - 1);
}

/* Row of Y; 0 is the top. */
static int
row(const struct page *p, double y)
{
	return HEIGHT - 1 - tp_scatter_place(y, p->scatter->bottom,
	    p->scatter->top, HEIGHT - 1);
}

static void
draw_roofs(struct page *p)
{
	const struct tp_scatter *c = p->scatter;
	double x, y, decades = c->right - c->left;

	for (int i = 0; c->roof_count && i < p->width; i++) {
		x = c->left + decades * i / (p->width - 1);
		y = x + c->memory;
		for (size_t k = 0; k < c->roof_count; k++)
			if (y >= c->roofs[k].y)
				p->cells[row(p, c->roofs[k].y)][i] = '-';
		if (y >= c->bottom && y < c->roofs[0].y)
			p->cells[row(p, y)][i] = '/';
	}
}

/*
 * Draw the dots.  The largest are numbers and cover the others; a number that
 * would cover another goes beside it.
 */
static void
draw_dots(struct page *p)
{
	static const signed char beside[][2] = { { 0, 0 }, { 0, 1 },
	    { 0, -1 }, { 1, 0 }, { -1, 0 }, { 1, 1 }, { -1, -1 } };
	const struct tp_scatter *c = p->scatter;

	for (size_t i = c->drawn; i-- > c->named;)
		p->cells[row(p, c->dots[i].y)][column(p, c->dots[i].x)] =
		    'o';
	for (size_t i = 0; i < c->named; i++)
		for (size_t k = 0; k < sizeof beside / sizeof *beside; k++) {
			int y = row(p, c->dots[i].y) + beside[k][0];
			int x = column(p, c->dots[i].x) + beside[k][1];

			if (y < 0 || y >= HEIGHT || x < 0 || x >= p->width ||
			    (p->cells[y][x] >= '1' && p->cells[y][x] <= '9'))
				continue;
			p->cells[y][x] = (char)('1' + i);
			break;
		}
}

static void
axis(struct page *p)
{
	const struct tp_scatter *c = p->scatter;
	struct tp_buf text = { 0 };
	int at = 0, x;

	tp_blocks_pad(p->buf, LEFT);
	for (int d = c->left; d <= c->right; d++) {
		x = column(p, d);
		tp_buf_clear(&text);
		tp_scatter_power(d, 0, &text);
		if (x < at || x + (int)text.len > p->width + 2)
			continue;
		tp_blocks_pad(p->buf, (size_t)(x - at));
		tp_buf_str(p->buf, tp_svg_words(&text));
		at = x + (int)text.len + 1;
		tp_buf_chr(p->buf, ' ');
	}
	tp_blocks_end(p->buf);
	tp_blocks_pad(p->buf, LEFT);
	tp_buf_str(p->buf, "FLOP per byte\n");
	tp_buf_release(&text);
}

static void
plot(struct page *p)
{
	const struct tp_scatter *c = p->scatter;
	struct tp_buf text = { 0 };

	memset(p->cells, ' ', sizeof p->cells);
	draw_roofs(p);
	draw_dots(p);
	for (int y = 0; y < HEIGHT; y++) {
		tp_buf_clear(&text);
		for (int d = c->top; d >= c->bottom && !text.len; d--)
			if (row(p, d) == y)
				tp_scatter_power(d, 1, &text);
		tp_blocks_right(p->buf, &text, LEFT - 1);
		tp_buf_chr(p->buf, '|');
		tp_buf_add(p->buf, p->cells[y], (size_t)p->width);
		tp_blocks_end(p->buf);
	}
	tp_buf_release(&text);
	axis(p);
}

static void
list(struct page *p, size_t columns)
{
	const struct tp_scatter *c = p->scatter;
	size_t reached = c->roof_count && columns >= 80 ? REACHED : 0;
	size_t size = 0, rate = 0, name;
	struct tp_buf text = { 0 };

	for (size_t i = 0; i < c->named; i++) {
		tp_buf_clear(&text);
		tp_scatter_size(c, c->dots[i].size, &text);
		size = text.len > size ? text.len : size;
		tp_buf_clear(&text);
		tp_scatter_rate(c->dots[i].rate, &text);
		rate = text.len > rate ? text.len : rate;
	}
	name = 2 + 1 + size + 2 + rate + reached;
	name = columns > name + LEAST_NAME ? columns - name : LEAST_NAME;
	for (size_t i = 0; i < c->named; i++) {
		const struct tp_dot *dot = &c->dots[i];

		tp_buf_fmt(p->buf, "%zu ", i + 1);
		tp_blocks_cell(p->buf, p->blocks, dot->name, name);
		tp_buf_clear(&text);
		tp_scatter_size(c, dot->size, &text);
		tp_blocks_right(p->buf, &text, size + 1);
		tp_buf_clear(&text);
		tp_scatter_rate(dot->rate, &text);
		tp_blocks_right(p->buf, &text, rate + 2);
		if (reached) {
			tp_blocks_pad(p->buf, 2);
			tp_fit_cut(p->buf, dot->reached, strlen(dot->reached),
			    reached - 2, p->blocks->dots);
		}
		tp_blocks_end(p->buf);
	}
	if (c->drawn > c->named) {
		tp_buf_clear(&text);
		tp_buf_fmt(&text, "o: %zu that take less", c->drawn -
		    c->named);
		tp_blocks_words(p->buf, &text, columns);
	}
	tp_buf_release(&text);
}

void
tp_scatter_text(const struct tp_scatter *c, size_t columns, int ascii,
    struct tp_buf *b)
{
	struct page p = { .scatter = c, .blocks = tp_blocks(ascii),
	    .buf = b };
	struct tp_buf text = { 0 };

	p.width = columns > LEFT + MOST + 2 ? MOST : (int)columns - LEFT - 2;
	plot(&p);
	if (c->roof_count) {
		tp_buf_str(&text, "/ memory ");
		tp_scatter_bandwidth(c, &text);
		for (size_t i = 0; i < c->roof_count; i++) {
			tp_buf_fmt(&text, "; - %s ", c->roofs[i].name);
			tp_scatter_rate(c->roofs[i].rate, &text);
		}
		tp_blocks_words(b, &text, columns);
	}
	list(&p, columns);
	tp_scatter_share(c, &text);
	tp_blocks_words(b, &text, columns);
	if (c->no_roof)
		tp_buf_fmt(&text, "%s ", c->no_roof);
	tp_scatter_rest(c, &text);
	if (text.len)
		tp_blocks_words(b, &text, columns);
	tp_buf_release(&text);
}
