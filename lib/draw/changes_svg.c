/* changes_svg - named times before and after, by how much they changed, as
 * SVG */
#include <stdlib.h>
#include <string.h>

#include "draw/changes.h"
#include "draw/scale.h"
#include "draw/svg.h"

/* Lengths in tenths of a pixel. */
enum {
	PAD = 80,
	LINE = 150,
	ROW = 190,
	LEFT = 2900,		/* right end of names */
	TIMES = 1300,		/* columns after the plot: before and after, */
	PERCENT = 620,		/* ... change, */
	WORD = 960,		/* ... judgement in a word */
	PLOT = TP_SVG_WIDTH - LEFT - 3 * PAD - TIMES - PERCENT - WORD,
	MARK = 42,		/* half width of a mark */
	CAP = 30,		/* half height of an interval's end */
	WIDTH = 30,		/* thickness of the line from before to after */
	TICKS = 5,
	LABEL = 480,		/* width of a tick's label */
};

struct page {
	const struct tp_changes *changes;
	struct tp_buf *buf;
};

static int
map_change_to_px(const struct page *p, int64_t change)
{
	const struct tp_changes *c = p->changes;

	change = change < c->from ? c->from : change > c->to ? c->to :
	    change;
	return LEFT + tp_scale(change, c->from, c->to, PLOT);
}

static void
point(struct tp_buf *b, char verb, int x, int y)
{
	tp_buf_chr(b, verb);
	tp_svg_number(b, x);
	tp_buf_chr(b, ' ');
	tp_svg_number(b, y);
}

/*
 * Draw the mark: filled circle for a change, hollow for none, cross if it was
 * not judged.  Beyond the axis a triangle points to its place.
 */
static void
mark(struct page *p, const struct tp_change *v, int x, int y)
{
	struct tp_buf *b = p->buf;
	int to = tp_changes_beyond(p->changes, v->place);
	const char *fill = v->mark == TP_CHANGE_FULL ? v->colour : "none";

	if (!to && v->mark != TP_CHANGE_CROSS) {
		tp_buf_fmt(b, "<circle fill=\"%s\" stroke=\"%s\" "
		    "stroke-width=\"1.5\"", fill, v->colour);
		tp_svg_attribute(b, "cx", x);
		tp_svg_attribute(b, "cy", y);
		tp_svg_attribute(b, "r", MARK);
		tp_buf_str(b, "/>");
		return;
	}
	tp_buf_fmt(b, "<path fill=\"%s\" stroke=\"%s\" stroke-width=\"1.5\" "
	    "d=\"", fill, v->colour);
	if (to) {
		point(b, 'M', x - to * 2 * MARK, y - MARK);
		point(b, 'L', x, y);
		point(b, 'L', x - to * 2 * MARK, y + MARK);
		tp_buf_chr(b, 'z');
	} else {
		point(b, 'M', x - MARK, y - MARK);
		point(b, 'L', x + MARK, y + MARK);
		point(b, 'M', x - MARK, y + MARK);
		point(b, 'L', x + MARK, y - MARK);
	}
	tp_buf_str(b, "\"/>");
}

/* Draw the interval.  An end within the axis has a cap. */
static void
interval(struct page *p, const struct tp_change *v, int y)
{
	const int64_t ends[] = { v->low, v->high };

	tp_buf_str(p->buf, "<path stroke=\"currentColor\" "
	    "stroke-opacity=\".60\" d=\"");
	point(p->buf, 'M', map_change_to_px(p, v->low), y);
	point(p->buf, 'L', map_change_to_px(p, v->high), y);
	for (int i = 0; i < 2; i++) {
		if (tp_changes_beyond(p->changes, ends[i]))
			continue;
		point(p->buf, 'M', map_change_to_px(p, ends[i]), y - CAP);
		point(p->buf, 'L', map_change_to_px(p, ends[i]), y + CAP);
	}
	tp_buf_str(p->buf, "\"/>");
}

static void
row(struct page *p, const struct tp_change *v, int y)
{
	int zero = map_change_to_px(p, 0),
	    x = map_change_to_px(p, tp_changes_place(p->changes,
	    v->place)), middle = y - 40;
	int at = LEFT + PLOT + PAD + TIMES;
	struct tp_buf text = { 0 };

	tp_svg_text(p->buf, LEFT - PAD, y, TP_SVG_END, LEFT - 2 * PAD,
	    v->label);
	tp_buf_str(p->buf, "<g>");
	tp_change_words(v, &text);
	tp_svg_title(p->buf, tp_svg_words(&text));
	/*
	 * an invisible rectangle shows the title over all of the row, not only
	 * over the few drawn pixels
	 */
	tp_svg_rect(p->buf, LEFT, middle - ROW / 2, PLOT, ROW, "currentColor",
	    0, NULL);
	if (v->has_interval)
		interval(p, v, middle);
	/* the line ends at the edge of the mark, which may be hollow */
	if (abs(x - zero) > MARK)
		tp_svg_rect(p->buf, x < zero ? x + MARK : zero, middle -
		    WIDTH / 2, abs(x - zero) - MARK, WIDTH, v->colour, 100,
		    NULL);
	mark(p, v, x, middle);
	tp_buf_str(p->buf, "</g>\n");
	tp_buf_clear(&text);
	tp_change_time(&text, v->before);
	tp_buf_str(&text, " \xe2\x86\x92 ");
	tp_change_time(&text, v->after);
	tp_svg_text(p->buf, at, y, TP_SVG_END, TIMES, tp_svg_words(&text));
	tp_buf_clear(&text);
	tp_change_percent(&text, v->place);
	at += PERCENT;
	if (text.len)
		tp_svg_text(p->buf, at, y, TP_SVG_END, PERCENT,
		    tp_svg_words(&text));
	at += PAD;
	if (*v->word)
		tp_svg_text(p->buf, at, y, TP_SVG_START, WORD, v->word);
	tp_buf_release(&text);
}

static void
axis(struct page *p, int top, int bottom)
{
	const struct tp_changes *c = p->changes;
	int64_t step = tp_scale_step(c->to - c->from, TICKS), t;
	struct tp_buf text = { 0 };
	int x, free_at = 0;

	for (t = -(-c->from / step * step); t <= c->to; t += step) {
		x = map_change_to_px(p, t);
		tp_svg_line(p->buf, x, top, x, bottom, t ? 15 : 60, 0);
		if (x - LABEL / 2 < free_at)
			continue;
		free_at = x + LABEL / 2;
		tp_buf_clear(&text);
		tp_changes_tick(&text, t, step);
		tp_svg_text(p->buf, x, bottom + LINE, TP_SVG_MIDDLE, LABEL,
		    tp_svg_words(&text));
	}
	if (*c->axis)
		tp_svg_text(p->buf, LEFT + PLOT / 2, bottom + 2 * LINE,
		    TP_SVG_MIDDLE, 2 * LEFT, c->axis);
	tp_buf_release(&text);
}

void
tp_changes_svg(const struct tp_changes *c, struct tp_drawing *d)
{
	struct tp_buf *b = &d->picture, rest = { 0 };
	struct page p = { .changes = c, .buf = b };
	int y = PAD, bottom = PAD, height;

	for (size_t i = 0; i < c->panel_count; i++)
		bottom += (int)(c->panels[i].count + 1) * ROW;
	bottom += PAD;
	tp_changes_rest(c, &rest);
	height = bottom + (rest.len ? 3 : 2) * LINE + PAD;
	tp_svg_begin(b, TP_SVG_WIDTH, height, d, 0);
	axis(&p, y, bottom);
	for (size_t i = 0; i < c->panel_count; i++) {
		const struct tp_changes_panel *panel = &c->panels[i];

		y += ROW;
		if (*panel->name)
			tp_svg_text(b, PAD, y, TP_SVG_START, LEFT + PLOT,
			    panel->name);
		if (!i)
			tp_svg_text(b, LEFT + PLOT + PAD + TIMES, y,
			    TP_SVG_END, 0, "before \xe2\x86\x92 after");
		for (size_t k = 0; k < panel->count; k++)
			row(&p, &panel->list[k], y += ROW);
	}
	if (rest.len)
		tp_svg_text(b, PAD, height - PAD, TP_SVG_START, 0,
		    tp_svg_words(&rest));
	tp_svg_end(b);
	tp_buf_release(&rest);
}
