/* scatter_svg - operations in a roofline diagram, as SVG */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tp/order.h>

#include "draw/scatter.h"
#include "draw/svg.h"

/* Lengths in tenths of a pixel. */
enum {
	PAD = 80,
	LEFT = 1130,		/* right end of the powers of ten */
	NAMES = 2700,		/* width of the roofs' names */
	HEIGHT = 3200,
	LINE = 170,
	DOT = 110, LEAST = 25,	/* largest and smallest radius of a dot */
	DIGIT = 70, DIGIT_HEIGHT = 95, APART = 50,	/* size of two digits */
	BESIDE = 130,		/* free space for dots beside an axis */
	TICK = 700, TICK_HEIGHT = 180,
	/* columns of the list */
	NUMBER = 180, MARK = 260, NAME = 360, SIZE = 5400, RATE = 6600,
	REACHED = 6900
};

struct box {
	int x, y, width, height;	/* x and y of the middle */
};

struct page {
	const struct tp_scatter *scatter;
	struct tp_buf *buf;
	int y, width;			/* plot: top and width */
	/*
	 * boxes that numbers must not overlap: the memory's name, dots, and
	 * other numbers
	 */
	struct box boxes[1 + TP_SCATTER_DOTS + TP_SCATTER_NAMED];
	size_t box_count;
};

static int
at_x(const struct page *p, double x)
{
	return LEFT + tp_scatter_place(x, p->scatter->left,
	    p->scatter->right, p->width);
}

static int
at_y(const struct page *p, double y)
{
	return p->y + HEIGHT - tp_scatter_place(y, p->scatter->bottom,
	    p->scatter->top, HEIGHT);
}

/* Draw a polygon of COUNT corners around (X, Y); corners are in tenths of R. */
static void
shape(struct tp_buf *b, int x, int y, int r, const signed char (*corners)[2],
    size_t count)
{
	tp_buf_str(b, "<path d=\"");
	for (size_t i = 0; i < count; i++) {
		tp_buf_chr(b, i ? 'L' : 'M');
		tp_svg_number(b, x + corners[i][0] * r / 10);
		tp_buf_chr(b, ' ');
		tp_svg_number(b, y + corners[i][1] * r / 10);
	}
	tp_buf_str(b, "z\"");
}

/*
 * Draw a mark with half width R whose shape and colour are those of the group
 * at PLACE.  TITLE may be NULL.
 */
static void
draw_mark(struct tp_buf *b, const struct tp_groups *g, size_t place, int x,
    int y, int r, const char *title)
{
	static const signed char square[][2] = { { -9, -9 }, { 9, -9 },
	    { 9, 9 }, { -9, 9 } }, diamond[][2] = { { 0, -12 }, { 12, 0 },
	    { 0, 12 }, { -12, 0 } }, up[][2] = { { 0, -13 }, { 12, 8 },
	    { -12, 8 } }, down[][2] = { { 0, 13 }, { 12, -8 }, { -12, -8 } },
	    cross[][2] = { { -4, -12 }, { 4, -12 }, { 4, -4 }, { 12, -4 },
	    { 12, 4 }, { 4, 4 }, { 4, 12 }, { -4, 12 }, { -4, 4 },
	    { -12, 4 }, { -12, -4 }, { -4, -4 } };
	static const struct {
		const signed char (*corners)[2];
		size_t count;
	} shapes[TP_GROUPS] = { { NULL, 0 }, { square, 4 }, { diamond, 4 },
	    { up, 3 }, { down, 3 }, { cross, 12 } };

	if (place < TP_GROUPS && shapes[place].corners) {
		shape(b, x, y, r, shapes[place].corners,
		    shapes[place].count);
	} else {
		tp_buf_str(b, "<circle");
		tp_svg_attribute(b, "cx", x);
		tp_svg_attribute(b, "cy", y);
		tp_svg_attribute(b, "r", r);
	}
	tp_buf_fmt(b, " fill=\"%s\" fill-opacity=\".80\"",
	    tp_groups_colour(g, place));
	if (title) {
		tp_buf_chr(b, '>');
		tp_svg_title(b, title);
		tp_buf_fmt(b, "</%s>\n", place < TP_GROUPS &&
		    shapes[place].corners ? "path" : "circle");
	} else {
		tp_buf_str(b, "/>\n");
	}
}

static void
mark(struct tp_buf *b, const struct tp_groups *g, size_t place, int x, int y)
{
	draw_mark(b, g, place, x, y, 50, NULL);
}

static void
axes(struct page *p)
{
	const struct tp_scatter *c = p->scatter;
	int most = p->width / TICK, base = p->y + HEIGHT, at;
	int step = (c->right - c->left + most - 1) / most;
	struct tp_buf text = { 0 };

	for (int d = c->left; d <= c->right; d += step) {
		at = at_x(p, d);
		tp_svg_line(p->buf, at, p->y, at, base, d == c->left ? 60 :
		    15, 0);
		tp_buf_clear(&text);
		tp_scatter_power(d, 0, &text);
		tp_svg_text(p->buf, at, base + BESIDE + 90, TP_SVG_MIDDLE, 0,
		    tp_svg_words(&text));
	}
	tp_svg_text(p->buf, LEFT + p->width / 2, base + BESIDE + LINE + 90,
	    TP_SVG_MIDDLE, 0, "FLOP per byte");
	most = HEIGHT / TICK_HEIGHT;
	step = (c->top - c->bottom + most - 1) / most;
	for (int d = c->bottom; d <= c->top; d += step) {
		at = at_y(p, d);
		tp_svg_line(p->buf, LEFT, at, LEFT + p->width, at,
		    d == c->bottom ? 60 : 15, 0);
		tp_buf_clear(&text);
		tp_scatter_power(d, 1, &text);
		tp_svg_text(p->buf, LEFT - BESIDE, at + 40, TP_SVG_END, 0,
		    tp_svg_words(&text));
	}
	tp_buf_release(&text);
}

static void
roofs(struct page *p)
{
	const struct tp_scatter *c = p->scatter;
	double low = c->bottom - c->memory, ridge;
	int end = LEFT + p->width, free_at = 0, y = 0, x, width;
	struct tp_buf text = { 0 };

	if (!c->roof_count)
		return;
	for (size_t i = 0; i < c->roof_count; i++) {
		const struct tp_roof *roof = &c->roofs[i];

		y = at_y(p, roof->y);
		tp_svg_line(p->buf, at_x(p, roof->y - c->memory), y, end, y,
		    80, 0);
		tp_buf_clear(&text);
		tp_scatter_rate(roof->rate, &text);
		tp_buf_fmt(&text, " %s", roof->name);
		free_at = y + 40 < free_at ? free_at : y + 40;
		tp_svg_line(p->buf, end, y, end + PAD, free_at - 40, 80, 0);
		tp_svg_text(p->buf, end + PAD + PAD / 2, free_at,
		    TP_SVG_START, NAMES - 2 * PAD, tp_svg_words(&text));
		free_at += 130;
	}
	ridge = c->roofs[0].y - c->memory;
	TP_MOST(low, c->left);
	x = at_x(p, ridge);
	y = at_y(p, c->roofs[0].y);
	tp_svg_line(p->buf, at_x(p, low), at_y(p, low + c->memory), x, y, 80,
	    0);
	/* the space above a roof is free: no dot can be there */
	tp_buf_clear(&text);
	tp_buf_str(&text, "memory ");
	tp_scatter_bandwidth(c, &text);
	width = tp_svg_text_width(tp_svg_words(&text));
	x = x - PAD < LEFT + width + PAD ? LEFT + width + PAD : x - PAD;
	tp_svg_text(p->buf, x, y - 40, TP_SVG_END, 0, tp_svg_words(&text));
	p->boxes[p->box_count++] = (struct box){ x - width / 2, y - 80,
	    width, DIGIT_HEIGHT };
	tp_buf_release(&text);
}

static int
radius(const struct tp_scatter *c, const struct tp_dot *dot)
{
	int r = (int)lround(DOT * sqrt((double)dot->size /
	    (double)c->dots[0].size));

	return r < LEAST ? LEAST : r;
}

static void
draw_dot(struct page *p, const struct tp_dot *dot)
{
	const struct tp_scatter *c = p->scatter;
	struct tp_buf text = { 0 };

	tp_buf_fmt(&text, "%s (%s): ", dot->name, tp_groups_name(&c->groups,
	    dot->group));
	tp_scatter_size(c, dot->size, &text);
	tp_buf_str(&text, ", ");
	tp_scatter_rate(dot->rate, &text);
	if (*dot->reached)
		tp_buf_fmt(&text, ", %s", dot->reached);
	p->boxes[p->box_count++] = (struct box){ at_x(p, dot->x),
	    at_y(p, dot->y), 2 * radius(c, dot), 2 * radius(c, dot) };
	draw_mark(p->buf, &c->groups, tp_groups_place(&c->groups,
	    dot->group), at_x(p, dot->x), at_y(p, dot->y), radius(c, dot),
	    tp_svg_words(&text));
	tp_buf_release(&text);
}

static int
is_free(const struct page *p, const struct box *box)
{
	if (box->x < LEFT + DIGIT / 2 || box->x > LEFT + p->width ||
	    box->y < p->y || box->y > p->y + HEIGHT - DIGIT_HEIGHT / 2)
		return 0;
	for (size_t i = 0; i < p->box_count; i++) {
		const struct box *b = &p->boxes[i];

		if (2 * abs(b->x - box->x) < b->width + box->width &&
		    2 * abs(b->y - box->y) < b->height + box->height)
			return 0;
	}
	return 1;
}

/*
 * Write the number of dot I at the nearest free place around it; if that is
 * further away, with a line to the dot.
 */
static void
number(struct page *p, size_t i)
{
	static const signed char around[][2] = { { 10, 0 }, { -10, 0 },
	    { 0, -10 }, { 0, 10 }, { 7, -7 }, { 7, 7 }, { -7, -7 },
	    { -7, 7 } };
	const struct tp_dot *dot = &p->scatter->dots[i];
	int x = at_x(p, dot->x), y = at_y(p, dot->y);
	int near = radius(p->scatter, dot) * 12 / 10 + DIGIT;
	char text[2] = { (char)('1' + i), '\0' };

	for (int far = near; far < HEIGHT; far += DIGIT)
		for (size_t k = 0; k < sizeof around / sizeof *around; k++) {
			struct box box = { x + around[k][0] * far / 10,
			    y + around[k][1] * far / 10, DIGIT + APART,
			    DIGIT_HEIGHT };

			if (!is_free(p, &box))
				continue;
			p->boxes[p->box_count++] = box;
			if (far > near)
				tp_svg_line(p->buf, x, y, x + around[k][0] *
				    (far - DIGIT) / 10, y + around[k][1] *
				    (far - DIGIT) / 10, 60, 0);
			tp_svg_text(p->buf, box.x, box.y + 40, TP_SVG_MIDDLE,
			    0, text);
			return;
		}
}

static void
list(struct page *p, int y)
{
	const struct tp_scatter *c = p->scatter;
	struct tp_buf text = { 0 };

	for (size_t i = 0; i < c->named; i++, y += LINE) {
		const struct tp_dot *dot = &c->dots[i];
		char digit[2] = { (char)('1' + i), '\0' };

		tp_svg_text(p->buf, NUMBER, y + 90, TP_SVG_END, 0, digit);
		mark(p->buf, &c->groups, tp_groups_place(&c->groups,
		    dot->group), MARK + 20, y + 50);
		tp_svg_text(p->buf, NAME, y + 90, TP_SVG_START, SIZE - 900 -
		    NAME, dot->name);
		tp_buf_clear(&text);
		tp_scatter_size(c, dot->size, &text);
		tp_svg_text(p->buf, SIZE, y + 90, TP_SVG_END, 0,
		    tp_svg_words(&text));
		tp_buf_clear(&text);
		tp_scatter_rate(dot->rate, &text);
		tp_svg_text(p->buf, RATE, y + 90, TP_SVG_END, 0,
		    tp_svg_words(&text));
		if (*dot->reached)
			tp_svg_text(p->buf, REACHED, y + 90, TP_SVG_START,
			    TP_SVG_WIDTH - PAD - REACHED, dot->reached);
	}
	tp_buf_release(&text);
}

void
tp_scatter_svg(const struct tp_scatter *c, struct tp_drawing *d)
{
	struct tp_buf *b = &d->picture, rest = { 0 }, head = { 0 };
	struct page p = { .scatter = c, .buf = b, .y = PAD + 2 * LINE,
	    .width = TP_SVG_WIDTH - LEFT - (c->roof_count ? NAMES : 3 *
	    PAD) };
	int y = p.y + HEIGHT + BESIDE + 2 * LINE + PAD;
	int lines = (int)c->named;

	tp_scatter_rest(c, &rest);
	tp_buf_str(&head, "Each mark is an operation; its area is its time. ");
	tp_scatter_share(c, &head);
	tp_svg_begin(b, TP_SVG_WIDTH, tp_groups_legend(&c->groups, NULL,
	    NUMBER, y, mark) + (lines + (rest.len > 0) +
	    (c->no_roof != NULL)) * LINE + 2 * PAD, d, 0);
	tp_svg_text(b, PAD, PAD + 90, TP_SVG_START, 0,
	    tp_svg_words(&head));
	axes(&p);
	roofs(&p);
	for (size_t i = 0; i < c->drawn; i++)
		draw_dot(&p, &c->dots[i]);
	for (size_t i = 0; i < c->named; i++)
		number(&p, i);
	y = tp_groups_legend(&c->groups, b, NUMBER, y, mark) + PAD;
	list(&p, y);
	if (c->no_roof)
		tp_svg_text(b, NUMBER, y + lines++ * LINE + 90, TP_SVG_START,
		    TP_SVG_WIDTH - NUMBER - PAD, c->no_roof);
	if (rest.len)
		tp_svg_text(b, NUMBER, y + lines * LINE + 90,
		    TP_SVG_START, TP_SVG_WIDTH - NUMBER - PAD,
		    tp_svg_words(&rest));
	tp_buf_release(&rest);
	tp_buf_release(&head);
	tp_svg_end(b);
}
