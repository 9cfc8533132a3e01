/* columns_svg - steps or runs as columns, as SVG */
#include <string.h>

#include <tp/unit.h>

#include "draw/columns.h"
#include "draw/scale.h"
#include "draw/svg.h"

/* Lengths in tenths of a pixel. */
enum {
	PAD = 80,
	LEFT = 760,		/* right end of times */
	RIGHT = 1200,		/* width of the median's name */
	PLOT = TP_SVG_WIDTH - LEFT - RIGHT,
	LINE = 150,
	NAME = LINE + 10,	/* height of a column's name below its foot */
	HEIGHT = 1300,		/* of a panel */
	LEAST = 50,		/* least width of a column */
	MOST = PLOT / 4, WIDE = 1000,
	WORDS = 600,		/* least width for a value below each name */
	LABEL = 260,		/* least distance of two names */
	CUT = 60,		/* height of the gap in a cut column */
};

struct page {
	const struct tp_columns *columns;
	struct tp_buf *buf;
	size_t titles, most_titles;
};

static void
axis(struct page *p, int y, int width)
{
	int64_t most = p->columns->most, step = p->columns->step;
	struct tp_buf text = { 0 };

	for (int64_t t = 0; t <= most; t += step) {
		int at = y + HEIGHT - tp_scale(t, 0, most, HEIGHT);

		tp_svg_line(p->buf, LEFT, at, LEFT + width, at, t ? 15 : 60,
		    0);
		tp_buf_clear(&text);
		tp_scale_time(&text, t, step);
		tp_svg_text(p->buf, LEFT - PAD, at + 40, TP_SVG_END, LEFT - PAD,
		    tp_svg_words(&text));
	}
	tp_buf_release(&text);
}

static void
column(struct page *p, const struct tp_column *col, int x, int width, int y,
    int valued)
{
	const struct tp_columns *c = p->columns;
	int64_t below = 0;
	int base = y + HEIGHT, top, from, to;
	struct tp_buf text = { 0 };

	top = base - tp_scale(col->whole < c->most ? col->whole : c->most, 0,
	    c->most, HEIGHT);
	tp_buf_str(p->buf, "<g>");
	if (p->titles++ < p->most_titles) {
		tp_buf_fmt(&text, "%s %s%s%s%s: ", c->word, col->name,
		    col->hatched ? " (" : "", col->hatched ? c->hatched : "",
		    col->hatched ? ")" : "");
		tp_unit_ns(&text, col->whole);
		for (size_t i = 0; c->part_count > 1 && i < c->part_count; i++)
			if (col->parts[i]) {
				tp_buf_fmt(&text, ", %s ", c->names[i]);
				tp_unit_ns(&text, col->parts[i]);
			}
		if (*col->below)
			tp_buf_fmt(&text, ", %s %s", c->below ? c->below : "",
			    col->below);
		tp_svg_title(p->buf, tp_svg_words(&text));
	}
	for (size_t i = 0; i < c->part_count; i++) {
		from = base - tp_scale(below < c->most ? below : c->most, 0,
		    c->most, HEIGHT);
		below += col->parts[i];
		to = base - tp_scale(below < c->most ? below : c->most, 0,
		    c->most, HEIGHT);
		if (to == from)
			continue;
		if (strcmp(c->colours[i], "none") != 0)
			tp_svg_rect(p->buf, x, to, width, from - to,
			    c->colours[i], 100, NULL);
		else
			tp_svg_rect(p->buf, x, to, width, from - to,
			    "currentColor", 15, NULL);
	}
	if (col->hatched)
		tp_svg_hatch(p->buf, x, top, width, base - top);
	if (col->whole > c->most) {
		tp_buf_clear(&text);
		tp_unit_ns(&text, col->whole);
		tp_svg_line(p->buf, x - 20, y + CUT, x + width + 20, y, 99,
		    0);
		tp_svg_text(p->buf, x + width + PAD / 2, y + 80,
		    TP_SVG_START, 0, tp_svg_words(&text));
	} else if (valued) {
		tp_buf_clear(&text);
		tp_unit_ns(&text, col->whole);
		tp_svg_text(p->buf, x + width / 2, top - 30, TP_SVG_MIDDLE, 0,
		    tp_svg_words(&text));
	}
	tp_buf_str(p->buf, "</g>\n");
	tp_buf_release(&text);
}

static void
panel(struct page *p, const struct tp_columns_panel *panel, int y)
{
	const struct tp_columns *c = p->columns;
	size_t each = (panel->count * LEAST + PLOT - 1) / PLOT, n;
	int slot, width, x, at, free_at = 0, few, worded, label;
	struct tp_buf text = { 0 };

	n = (panel->count + each - 1) / each;
	slot = PLOT / (int)n > MOST ? MOST : PLOT / (int)n;
	width = slot - (slot > 2 * LEAST ? slot / 5 : 0);
	width = width > WIDE ? WIDE : width;
	few = panel->used < TP_COLUMNS_FEW && slot >= WORDS;
	worded = c->below && slot >= WORDS;
	label = slot > LABEL ? slot : LABEL;
	axis(p, y, slot * (int)n);
	tp_svg_text(p->buf, LEFT - PAD, y + HEIGHT + NAME, TP_SVG_END, LEFT -
	    PAD, c->word);
	if (worded)
		tp_svg_text(p->buf, LEFT - PAD, y + HEIGHT + NAME + LINE,
		    TP_SVG_END, LEFT - PAD, c->below);
	for (size_t i = 0; i < n; i++) {
		const struct tp_column *col = tp_columns_longest(panel,
		    i * each, (i + 1) * each);

		x = LEFT + (int)i * slot + (slot - width) / 2;
		column(p, col, x, width, y, few);
		if (worded)
			tp_svg_text(p->buf, x + width / 2, y + HEIGHT +
			    NAME + LINE, TP_SVG_MIDDLE, slot - 40,
			    col->below);
		if (x + width / 2 - label / 2 < free_at)
			continue;
		tp_svg_text(p->buf, x + width / 2, y + HEIGHT + NAME,
		    TP_SVG_MIDDLE, label, col->name);
		free_at = x + width / 2 + label / 2;
	}
	if (panel->used >= TP_COLUMNS_FEW) {
		at = y + HEIGHT - tp_scale(panel->median, 0, c->most, HEIGHT);
		tp_svg_line(p->buf, LEFT, at, LEFT + PLOT, at, 80, 1);
		tp_buf_str(&text, "median ");
		tp_unit_ns(&text, panel->median);
		tp_svg_text(p->buf, LEFT + PLOT + PAD, at + 40, TP_SVG_START,
		    RIGHT - PAD, tp_svg_words(&text));
		tp_buf_clear(&text);
	}
	if (c->panel_count > 1)
		tp_buf_fmt(&text, "%s: ", panel->name);
	tp_columns_words(c, panel, &text);
	if (each > 1)
		tp_buf_fmt(&text, "; a column is the longest of %zu %ss",
		    each, c->word);
	tp_svg_text(p->buf, PAD, y - 90, TP_SVG_START, TP_SVG_WIDTH - 2 * PAD,
	    tp_svg_words(&text));
	tp_buf_release(&text);
}

static void
legend(struct page *p, int y)
{
	const struct tp_columns *c = p->columns;
	int x = LEFT;

	for (size_t i = 0; c->part_count > 1 && i < c->part_count; i++) {
		int none = !strcmp(c->colours[i], "none");

		if (!tp_columns_any(c, i))
			continue;
		tp_svg_rect(p->buf, x, y - 90, 100, 100, none ?
		    "currentColor" : c->colours[i], none ? 15 : 100, NULL);
		tp_svg_text(p->buf, x + 150, y, TP_SVG_START, 0, c->names[i]);
		x += 300 + tp_svg_text_width(c->names[i]);
	}
	if (!tp_columns_any(c, c->part_count))
		return;
	tp_svg_hatch(p->buf, x, y - 90, 100, 100);
	tp_svg_text(p->buf, x + 150, y, TP_SVG_START, 0, c->hatched);
}

void
tp_columns_svg(const struct tp_columns *c, struct tp_drawing *d)
{
	struct tp_buf *b = &d->picture;
	struct page p = { .columns = c, .buf = b,
	    .most_titles = TP_SVG_MARKS };
	int each = (c->below ? 3 : 2) * LINE + NAME + HEIGHT, height;
	int has_legend = c->part_count > 1 || tp_columns_any(c, c->part_count);
	struct tp_buf rest = { 0 };

	height = PAD + (int)c->panel_count * each + (has_legend ? LINE : 0) +
	    (c->left.count ? LINE : 0) + PAD;
	tp_svg_begin(b, TP_SVG_WIDTH, height, d, 0);
	for (size_t i = 0; i < c->panel_count; i++)
		if (c->panels[i].count)
			panel(&p, &c->panels[i], PAD + (int)i * each + LINE);
	legend(&p, PAD + (int)c->panel_count * each + PAD);
	if (c->left.count) {
		tp_buf_fmt(&rest, "Not drawn: %zu more trace%s",
		    c->left.count, c->left.count == 1 ? "" : "s");
		tp_svg_text(b, LEFT, height - PAD, TP_SVG_START, 0,
		    tp_svg_words(&rest));
	}
	tp_buf_release(&rest);
	tp_svg_end(b);
}
