/* bars_svg - the largest times as bars, as SVG */
#include <string.h>

#include "draw/bars.h"
#include "draw/scale.h"
#include "draw/svg.h"

/* Lengths in tenths of a pixel. */
enum {
	PAD = 80,
	LEFT = 2700,		/* right end of names */
	RIGHT = 2500,		/* width of numbers and group */
	PLOT = TP_SVG_WIDTH - LEFT - RIGHT,
	LINE = 170,
	HEIGHT = 120,		/* of a bar */
	BOX = 100		/* size of a mark in the legend */
};

static void
bar(struct tp_buf *b, const struct tp_bars *c,
    const struct tp_bars_panel *p, const struct tp_bar *bar, int y)
{
	int width = tp_scale(bar->size, 0, c->most, PLOT), x = LEFT + width;
	const char *group = bar->is_left ? "" : tp_groups_name(&c->groups,
	    bar->group);
	struct tp_buf text = { 0 };

	tp_svg_text(b, LEFT - PAD, y + 100, TP_SVG_END, LEFT - 2 * PAD,
	    bar->name);
	tp_buf_fmt(&text, bar->is_left ? "%s: " : "%s (%s): ", bar->name,
	    group);
	tp_bars_size(c, bar->size, &text);
	tp_buf_str(&text, ", ");
	tp_bars_share(p, bar->size, &text);
	tp_svg_rect(b, LEFT, y, width ? width : 1, HEIGHT, bar->is_left ?
	    "currentColor" : tp_groups_colour(&c->groups, tp_groups_place(
	    &c->groups, bar->group)), bar->is_left ? 25 : 100,
	    tp_svg_words(&text));
	tp_buf_clear(&text);
	tp_bars_size(c, bar->size, &text);
	tp_buf_str(&text, ", ");
	tp_bars_share(p, bar->size, &text);
	tp_svg_text(b, x + PAD, y + 100, TP_SVG_START, 0,
	    tp_svg_words(&text));
	x += 2 * PAD + tp_svg_text_width(tp_svg_words(&text));
	if (!bar->is_left)
		tp_svg_text(b, x, y + 100, TP_SVG_START, TP_SVG_WIDTH - PAD -
		    x, group);
	tp_buf_release(&text);
}

static int
panel(struct tp_buf *b, const struct tp_bars *c,
    const struct tp_bars_panel *p, int y)
{
	struct tp_buf text = { 0 };

	tp_bars_caption(c, p, &text);
	tp_svg_text(b, PAD, y + 100, TP_SVG_START, TP_SVG_WIDTH - 2 * PAD,
	    tp_svg_words(&text));
	tp_buf_release(&text);
	y += LINE + PAD / 2;
	for (size_t i = 0; i < p->row_count; i++)
		bar(b, c, p, &p->rows[i], y + (int)i * LINE);
	tp_svg_line(b, LEFT, y - 20, LEFT, y + (int)p->row_count * LINE - 30,
	    60, 0);
	return y + (int)p->row_count * LINE + PAD;
}

static void
mark(struct tp_buf *b, const struct tp_groups *g, size_t place, int x, int y)
{
	tp_svg_rect(b, x - BOX / 2, y - BOX / 2, BOX, BOX,
	    tp_groups_colour(g, place), 100, NULL);
}

void
tp_bars_svg(const struct tp_bars *c, struct tp_drawing *d)
{
	struct tp_buf *b = &d->picture;
	struct tp_buf rest = { 0 };
	int y = PAD;

	for (size_t i = 0; i < c->panel_count; i++)
		y += LINE + PAD / 2 + PAD + (int)c->panels[i].row_count *
		    LINE;
	y = tp_groups_legend(&c->groups, NULL, PAD, y, mark) +
	    (c->left.count ? LINE : 0) + PAD / 2;
	tp_svg_begin(b, TP_SVG_WIDTH, y, d, 0);
	y = PAD;
	for (size_t i = 0; i < c->panel_count; i++)
		y = panel(b, c, &c->panels[i], y);
	y = tp_groups_legend(&c->groups, b, PAD, y, mark);
	if (c->left.count) {
		tp_buf_fmt(&rest, "Not drawn: %zu more trace%s",
		    c->left.count, c->left.count == 1 ? "" : "s");
		tp_svg_text(b, PAD, y + 100, TP_SVG_START, 0,
		    tp_svg_words(&rest));
	}
	tp_buf_release(&rest);
	tp_svg_end(b);
}
