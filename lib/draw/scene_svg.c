/* scene_svg - a picture as rows of marks, as SVG */
#include <math.h>
#include <string.h>

#include <tp/order.h>
#include <tp/text.h>
#include <tp/width.h>

#include "draw/blocks.h"
#include "draw/scene.h"
#include "draw/svg.h"

/* Lengths in tenths of a pixel, except for numbers of letters. */
enum {
	WIDTH = 9000,
	LINE = 150, FOOT = 110,	/* of text: height, and its baseline */
	PLOT = 140,		/* of a row without height */
	GAP = 40, TIGHT = 10,	/* below rows */
	TICK = 40,
	BOX = 100, INSET = 30,
	KEYS = 6,		/* most samples of a legend in a line */
	LEAST = 5,		/* least width of a mark in a lane */
	NARROW = 3600,		/* what a phone shows, */
	CARD = 3100,		/* ... in a card; a letter of its font: */
	LETTER = 57, VALUE = 60,
	WORDS = 60,		/* letters of a line, */
	INSIDE = 48, MOST = 26,	/* ... of a label in a plot, of a value */
	FEW = 4,		/* letters of a text in a mark that help */
	TITLES = 400,		/* most marks with their own title */
};

/* What several marks share. */
struct look {
	const char *colour;
	int percent, height;
};

struct page {
	struct tp_scene *scene;
	struct tp_buf *buf;
	int widths[TP_SCENE_VALUES];
	double name;		/* part of the width for a name */
	size_t titles;
	int height;
	int has_forms;		/* a name has a short form, too */
};

static void
percent(struct tp_buf *b, const char *name, double part)
{
	long n = lround(part * 10000);

	tp_buf_fmt(b, " %s=\"", name);
	if (n < 0)
		tp_buf_chr(b, '-');
	n = n < 0 ? -n : n;
	tp_buf_int(b, n / 100);
	if (n % 100)
		tp_buf_fmt(b, n % 10 ? ".%02d" : ".%d", (int)(n % 10 ? n % 100 :
		    n % 100 / 10));
	tp_buf_str(b, n ? "%\"" : "\"");
}

static void
put_fill(struct tp_buf *b, const char *name, const char *colour, int opacity)
{
	if (colour)
		tp_buf_fmt(b, " %s=\"%s\"", name, colour);
	if (opacity < 100)
		tp_buf_fmt(b, " %s-opacity=\".%02d\"", name, opacity);
}

/*
 * Write WORDS at PART of the width and DX, cut to MOST letters (0: not), with
 * ANCHOR as struct tp_mark says.
 */
static void
text(struct tp_buf *b, double part, int dx, int y, int anchor, size_t most,
    const char *words)
{
	struct tp_buf cut = { 0 };
	int is_cut = tp_svg_words(&cut, words, most ? most : SIZE_MAX);

	tp_buf_str(&cut, "");
	tp_buf_str(b, "<text");
	percent(b, "x", part);
	if (dx)
		tp_svg_attribute(b, "dx", dx);
	tp_svg_attribute(b, "y", y);
	if (anchor >= 0)
		tp_buf_fmt(b, " text-anchor=\"%s\"", anchor ? "end" :
		    "middle");
	tp_buf_chr(b, '>');
	if (is_cut)
		tp_svg_title(b, words);
	tp_buf_str(b, cut.p);
	tp_buf_str(b, "</text>\n");
	tp_buf_release(&cut);
}

static int
height_of(const struct tp_scene_row *row)
{
	return row->height ? row->height * 10 : PLOT;
}

static int
has_plot(const struct tp_scene_row *row)
{
	return row->kind == TP_ROW && (row->height || row->count >
	    (size_t)row->is_key);
}

static int
has_line(const struct tp_scene_row *row)
{
	return row->name || row->values[0] || row->is_key;
}

static int
letters(const char *words)
{
	return words ? (int)tp_text_width(words, strlen(words)) : 0;
}

/* Set LINES to TEXT in lines that a phone can show. */
static void
wrap(struct tp_buf *lines, const char *text)
{
	struct tp_buf shown = { 0 };

	tp_show_text(&shown, text, strlen(text));
	tp_buf_str(&shown, "");
	tp_buf_clear(lines);
	tp_wrap(lines, shown.p, 0, 0, WORDS);
	tp_buf_str(lines, "");
	tp_buf_release(&shown);
}

static int legend(struct page *p, const struct tp_scene_row *row,
    int is_drawn);

/* Set where each row is, and how wide names and values are. */
static void
lay_out(struct page *p)
{
	struct tp_scene *s = p->scene;
	struct tp_buf lines = { 0 };
	int y = 0, used = 0;

	for (size_t i = 0; i < s->count; i++) {
		struct tp_scene_row *row = &s->rows[i];

		for (int k = 0; k < TP_SCENE_VALUES; k++)
			TP_MOST(p->widths[k], letters(row->values[k]) * VALUE);
		row->y = row->top = y;
		switch (row->kind) {
		case TP_WORDS:
			wrap(&lines, row->name);
			y += LINE;
			for (size_t k = 0; k < lines.len; k++)
				y += lines.p[k] == '\n' ? LINE : 0;
			break;
		case TP_LEGEND:
			y += legend(p, row, 0);
			break;
		case TP_AXIS:
			y += TICK + LINE;
			break;
		case TP_NAMES:
			y += LINE;
			break;
		case TP_ROW:
			if (has_line(row) && (!has_plot(row) ||
			    !(s->left > 0)))
				row->top = y += LINE;
			if (has_plot(row))
				y += height_of(row);
			y += !has_plot(row) ? 0 : row->is_tight ? TIGHT : GAP;
			break;
		}
	}
	for (int k = 0; k < TP_SCENE_VALUES; k++)
		TP_LEAST(p->widths[k], MOST * VALUE);
	for (int k = 0; k < TP_SCENE_VALUES; k++)
		used += p->widths[k] ? p->widths[k] + 2 * INSET : 0;
	p->name = fmax(1 - (double)used / NARROW, 0.25);
	p->height = y + INSET;
	tp_buf_release(&lines);
}

static int
y_of(const struct tp_scene_row *row, double y)
{
	int height = height_of(row);

	return row->top + height - (int)lround(y * height);
}

static int
in_path(double x)
{
	return (int)lround(x * WIDTH);
}

/*
 * A rectangle of M at Y, HEIGHT high, with its hatching and text; HAS_LOOK: in
 * a group that has its colour.
 */
static void
rect(struct page *p, const struct tp_mark *m, int y, int height, int has_look)
{
	struct tp_buf *b = p->buf;
	int wide = in_path((m->to - m->x) * (1 - p->scene->left));
	int is_group = m->text || m->hatched;
	const char *title = m->title && p->titles++ < TITLES ?
	    m->title : NULL;

	tp_buf_str(b, is_group ? "<svg" : "<rect");
	percent(b, "x", m->x);
	tp_svg_attribute(b, "y", y);
	percent(b, "width", m->to - m->x);
	tp_svg_attribute(b, "height", height);
	if (!is_group && !has_look)
		put_fill(b, "fill", m->colour, m->percent);
	tp_buf_str(b, title || is_group ? ">" : "/>\n");
	if (title)
		tp_svg_title(b, title);
	if (is_group) {
		tp_buf_str(b, "<rect width=\"100%\" height=\"100%\"");
		put_fill(b, "fill", m->colour, m->percent);
		tp_buf_str(b, "/>");
	}
	if (m->hatched)
		tp_svg_hatch(b, wide, height);
	if (m->text && wide > FEW * LETTER) {
		tp_buf_str(b, "<text");
		tp_svg_attribute(b, "x", INSET);
		tp_svg_attribute(b, "y", height / 2 + 40);
		tp_buf_chr(b, '>');
		tp_xml_shown(b, m->text, strlen(m->text));
		tp_buf_str(b, "</text>");
	}
	if (title || is_group)
		tp_buf_fmt(b, "</%s>\n", is_group ? "svg" : "rect");
}

static void
line(struct tp_buf *b, const struct tp_mark *m, double x, int y, double to,
    int end)
{
	tp_buf_str(b, "<line");
	percent(b, "x1", x);
	tp_svg_attribute(b, "y1", y);
	percent(b, "x2", to);
	tp_svg_attribute(b, "y2", end);
	put_fill(b, "stroke", m && m->colour ? m->colour : "currentColor",
	    m ? m->percent : 60);
	if (m && m->size)
		tp_svg_attribute(b, "stroke-width", m->size);
	if (m && m->dashed)
		tp_buf_str(b, " stroke-dasharray=\"3\"");
	tp_buf_str(b, "/>\n");
}

static void
point(struct tp_buf *b, const struct tp_mark *m, int y)
{
	if (m->sign == TP_SIGN_DOT || m->sign == TP_SIGN_RING) {
		tp_buf_str(b, "<circle");
		percent(b, "cx", m->x);
		tp_svg_attribute(b, "cy", y);
		tp_svg_attribute(b, "r", m->size);
		if (m->sign == TP_SIGN_DOT)
			put_fill(b, "fill", m->colour, m->percent);
		else
			tp_buf_str(b, " fill=\"none\" stroke-width=\"1.5\"");
		if (m->sign == TP_SIGN_RING)
			put_fill(b, "stroke", m->colour ? m->colour :
			    "currentColor", m->percent);
	} else {
		tp_buf_str(b, "<text");
		percent(b, "x", m->x);
		tp_svg_attribute(b, "y", y + 40);
		tp_buf_str(b, m->sign == TP_SIGN_CROSS ?
		    " text-anchor=\"middle\"" : m->sign == TP_SIGN_RIGHT ?
		    " text-anchor=\"end\"" : "");
		put_fill(b, "fill", m->colour, m->percent);
	}
	tp_buf_chr(b, '>');
	if (m->title)
		tp_svg_title(b, m->title);
	if (m->sign == TP_SIGN_DOT || m->sign == TP_SIGN_RING)
		tp_buf_str(b, "</circle>\n");
	else
		tp_buf_fmt(b, "%s</text>\n", tp_blocks(0)->signs[m->sign]);
}

/* Begin a part in which paths stretch with the width of the picture. */
static void
begin_paths(struct tp_buf *b, int y, int height)
{
	tp_buf_str(b, "<svg");
	if (y)
		tp_svg_attribute(b, "y", y);
	tp_buf_str(b, " width=\"100%\"");
	tp_svg_attribute(b, "height", height);
	tp_buf_str(b, " viewBox=\"0 0 900 ");
	tp_svg_number(b, height);
	tp_buf_str(b, "\" preserveAspectRatio=\"none\">\n");
}

/* Whether an earlier mark of ROW has the colour of mark AT. */
static int
is_begun(const struct tp_scene_row *row, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (row->marks[i].colour == row->marks[at].colour &&
		    row->marks[i].shape == TP_SHAPE_RECT)
			return 1;
	return 0;
}

/*
 * Bars on a common base line, as one path, from left to right.  Adjacent bars
 * share an outline.
 */
struct bars {
	struct tp_buf *buf;
	int base;		/* y of the base line */
	int any, from, x, top;	/* of the last bar */
};

/*
 * Write the last bar, whose width is known now.  Relative coordinates take half
 * the bytes.
 */
static void
end_bar(struct bars *bars)
{
	if (bars->x == bars->from)
		return;
	tp_buf_chr(bars->buf, 'h');
	tp_svg_number(bars->buf, bars->x - bars->from);
	bars->from = bars->x;
}

static void
rise(struct bars *bars, int top)
{
	if (top == bars->top)
		return;
	end_bar(bars);
	tp_buf_chr(bars->buf, 'v');
	tp_svg_number(bars->buf, top - bars->top);
	bars->top = top;
}

/* Add a bar from X to TO, HEIGHT high. */
static void
add_bar(struct bars *bars, int x, int to, int height)
{
	struct tp_buf *b = bars->buf;

	if (!bars->any || x > bars->x) {
		end_bar(bars);
		rise(bars, bars->base);
		tp_buf_chr(b, bars->any ? 'm' : 'M');
		tp_svg_number(b, x - bars->x);
		tp_buf_chr(b, ' ');
		tp_svg_number(b, bars->any ? 0 : bars->base);
		bars->from = bars->x = x;
	}
	rise(bars, bars->base - height);
	bars->any = 1;
	bars->x = to;
}

/* Draw the marks of a titled row: a path for each colour. */
static void
lane(struct page *p, const struct tp_scene_row *row)
{
	int height = height_of(row), last;
	struct bars bars;

	begin_paths(p->buf, row->top, height);
	for (size_t i = 0; i < row->count; i++) {
		if (row->marks[i].shape != TP_SHAPE_RECT || is_begun(row, i))
			continue;
		bars = (struct bars){ .buf = p->buf, .base = height,
		    .top = height };
		tp_buf_str(p->buf, "<path");
		put_fill(p->buf, "fill", row->marks[i].colour, 100);
		tp_buf_str(p->buf, " d=\"");
		last = 0;
		for (size_t k = i; k < row->count; k++) {
			const struct tp_mark *m = &row->marks[k];
			int x = in_path(m->x), to = in_path(m->to);

			if (m->shape != TP_SHAPE_RECT ||
			    m->colour != row->marks[i].colour)
				continue;
			to = to < x + LEAST ? x + LEAST : to;
			x = x < last ? last : x;
			if (to <= x)
				continue;
			last = to;
			add_bar(&bars, x, to, (int)lround(m->high * height));
		}
		end_bar(&bars);
		rise(&bars, height);
		tp_buf_str(p->buf, "\">");
		tp_svg_title(p->buf, row->marks[i].title ?
		    row->marks[i].title : row->title);
		tp_buf_str(p->buf, "</path>\n");
	}
	tp_buf_str(p->buf, "</svg>\n");
}

/*
 * Write labels below a plot, on a phone as on a page: one that would be over
 * the last is left out.
 */
static void
labels(struct page *p, const struct tp_scene_row *row, double left, int y)
{
	double free = 0, room = NARROW * (row->kind == TP_AXIS ? 1 -
	    p->scene->left : 1);

	for (size_t i = 0; i < row->count; i++) {
		double x = row->marks[i].x * (1 - left) + left;
		double wide = (double)(letters(row->marks[i].text) * LETTER) /
		    room;
		/* after the name of the row */
		double first = row->name ? left : 0;
		int anchor = x - wide / 2 < first ? -1 : x + wide / 2 > 1;
		double from = anchor < 0 ? first : anchor ? 1 - wide : x -
		    wide / 2;

		if (from < free)
			continue;
		free = from + wide + 0.02;
		text(p->buf, anchor < 0 ? first : anchor ? 1 : x, 0, y + FOOT,
		    anchor, 0, row->marks[i].text);
	}
}

static void
axis(struct page *p, const struct tp_scene_row *row)
{
	tp_buf_str(p->buf, "<g class=\"axis\">\n");
	line(p->buf, NULL, 0, row->y, 1, row->y);
	for (size_t i = 0; i < row->count; i++)
		line(p->buf, NULL, row->marks[i].x, row->y, row->marks[i].x,
		    row->y + TICK);
	labels(p, row, 0, row->y + TICK);
	tp_buf_str(p->buf, "</g>\n");
}

static void
marks(struct page *p, const struct tp_scene_row *row)
{
	for (size_t i = row->is_key; i < row->count; i++) {
		const struct tp_mark *m = &row->marks[i];
		int y = y_of(row, m->low), top = y_of(row, m->high);

		if (m->shape == TP_SHAPE_RECT && !row->title && (m->text ||
		    m->hatched))
			rect(p, m, top, y - top, 0);
		else if (m->shape == TP_SHAPE_LINE)
			line(p->buf, m, m->x, y, m->to, top);
		else if (m->shape == TP_SHAPE_POINT)
			point(p->buf, m, y);
		else if (m->shape == TP_SHAPE_TEXT && m->x >= 0)
			text(p->buf, m->x, 0, y + 40, m->anchor, INSIDE,
			    m->text);
	}
}

/*
 * The look of M in ROW, if that and a title (IS_TITLED) are all it has;
 * elsewhere 0.
 */
static int
has_look(const struct tp_scene_row *row, const struct tp_mark *m,
    int is_titled, struct look *look)
{
	*look = (struct look){ .colour = m->colour, .percent = m->percent,
	    .height = is_titled ? 0 : y_of(row, m->low) - y_of(row, m->high) };
	return row->kind == TP_ROW && m->shape == TP_SHAPE_RECT && !m->text &&
	    !m->hatched && !row->title && !m->title == !is_titled &&
	    m >= row->marks + row->is_key;
}

static int
is_alike(const struct look *a, const struct look *b)
{
	return a->colour == b->colour && a->percent == b->percent &&
	    a->height == b->height;
}

static void
begin_look(struct tp_buf *b, const struct look *look, int is_titled)
{
	if (is_titled) {
		tp_buf_str(b, "<g");
		put_fill(b, "fill", look->colour, look->percent);
		tp_buf_str(b, ">\n");
		return;
	}
	tp_buf_str(b, "<path");
	put_fill(b, "stroke", look->colour ? look->colour : "currentColor",
	    look->percent);
	tp_svg_attribute(b, "stroke-width", look->height);
	tp_buf_str(b, " d=\"");
}

/*
 * Add the marks of ROW that look like LOOK to a path: lines as thick as they
 * are high.  Relative steps take half the bytes.
 */
static void
add_steps(struct tp_buf *b, const struct tp_scene_row *row,
    const struct look *look)
{
	int at = -1, from = 0, end = 0;
	struct look is;

	for (size_t i = 0; i < row->count; i++) {
		const struct tp_mark *m = &row->marks[i];
		int x = in_path(m->x), to = in_path(m->to);
		int y = (y_of(row, m->low) + y_of(row, m->high)) / 2;

		if (!has_look(row, m, 0, &is) || !is_alike(&is, look) ||
		    to <= x)
			continue;
		if (at == y && x == end) {
			end = to;
			continue;
		}
		if (at >= 0) {
			tp_buf_chr(b, 'h');
			tp_svg_number(b, end - from);
		}
		tp_buf_chr(b, at == y ? 'm' : 'M');
		tp_svg_number(b, at == y ? x - end : x);
		tp_buf_chr(b, ' ');
		tp_svg_number(b, at == y ? 0 : y);
		at = y;
		from = x;
		end = to;
	}
	if (at >= 0) {
		tp_buf_chr(b, 'h');
		tp_svg_number(b, end - from);
	}
}

/* Draw the marks that have no more than a look, and a title if IS_TITLED. */
static void
looks(struct page *p, int is_titled)
{
	struct tp_scene *s = p->scene;
	struct look *list = NULL, is;
	size_t count = 0, cap = 0, at;

	for (size_t i = 0; i < s->count; i++)
		for (size_t k = 0; k < s->rows[i].count; k++) {
			if (!has_look(&s->rows[i], &s->rows[i].marks[k],
			    is_titled, &is))
				continue;
			for (at = 0; at < count && !is_alike(&list[at], &is);
			    at++)
				;
			if (at == count)
				TP_APPEND(list, count, cap, is);
		}
	if (count && !is_titled)
		begin_paths(p->buf, 0, p->height);
	for (at = 0; at < count; at++) {
		begin_look(p->buf, &list[at], is_titled);
		for (size_t i = 0; i < s->count; i++) {
			const struct tp_scene_row *row = &s->rows[i];

			if (!is_titled)
				add_steps(p->buf, row, &list[at]);
			for (size_t k = 0; is_titled && k < row->count; k++) {
				const struct tp_mark *m = &row->marks[k];
				int top = y_of(row, m->high);

				if (has_look(row, m, 1, &is) &&
				    is_alike(&is, &list[at]))
					rect(p, m, top, y_of(row, m->low) - top,
					    1);
			}
		}
		tp_buf_str(p->buf, is_titled ? "</g>\n" : "\"/>\n");
	}
	if (count && !is_titled)
		tp_buf_str(p->buf, "</svg>\n");
	tp_free(list);
}

/* Draw what all rows share an axis for. */
static void
plots(struct page *p)
{
	struct tp_scene *s = p->scene;

	tp_buf_str(p->buf, "<svg");
	if (s->left > 0)
		percent(p->buf, "x", s->left);
	percent(p->buf, "width", 1 - s->left);
	tp_svg_attribute(p->buf, "height", p->height);
	tp_buf_str(p->buf, ">\n");
	for (size_t i = 0; i < s->count; i++)
		if (s->rows[i].track > 0) {
			struct tp_mark m = { .to = s->rows[i].track,
			    .percent = 7 };

			rect(p, &m, s->rows[i].top, height_of(
			    &s->rows[i]), 0);
		}
	for (size_t i = 0; i < s->span_count; i++) {
		const struct tp_span *span = &s->spans[i];
		const struct tp_scene_row *last = &s->rows[span->last];
		int y = s->rows[span->first].top, end = last->kind == TP_ROW ?
		    last->top + height_of(last) : last->y;

		if (span->mark.to > span->mark.x)
			rect(p, &span->mark, y, end - y, 0);
		else
			line(p->buf, &span->mark, span->mark.x, y,
			    span->mark.x, end);
	}
	looks(p, 0);
	for (size_t i = 0; i < s->count; i++) {
		const struct tp_scene_row *row = &s->rows[i];

		if (row->kind == TP_ROW && row->title && has_plot(row))
			lane(p, row);
		if (row->kind == TP_ROW)
			marks(p, row);
		if (row->kind == TP_AXIS)
			axis(p, row);
	}
	looks(p, 1);
	tp_buf_str(p->buf, "</svg>\n");
}

/* A sample of M at PART of the width. */
static void
sample(struct page *p, const struct tp_mark *m, double part, int y)
{
	struct tp_buf *b = p->buf;

	tp_buf_str(b, m->hatched ? "<svg" : "<rect");
	percent(b, "x", part);
	tp_svg_attribute(b, "y", y);
	tp_svg_attribute(b, "width", BOX);
	tp_svg_attribute(b, "height", BOX);
	if (m->hatched)
		tp_buf_str(b, "><rect width=\"10\" height=\"10\"");
	put_fill(b, "fill", m->colour, m->percent);
	tp_buf_str(b, "/>\n");
	if (m->hatched) {
		tp_svg_hatch(b, BOX, BOX);
		tp_buf_str(b, "</svg>\n");
	}
}

/*
 * Place the samples of ROW, which begin at multiples of 1/KEYS of the width;
 * returns the height.
 */
static int
legend(struct page *p, const struct tp_scene_row *row, int is_drawn)
{
	int y = row->y, at = 0;

	for (size_t i = 0; i < row->count; i++) {
		const struct tp_mark *m = &row->marks[i];
		int wide = BOX + 2 * INSET + letters(m->text) * LETTER;
		int keys = wide * KEYS / NARROW + 1;

		if (at && at + keys > KEYS) {
			y += LINE;
			at = 0;
		}
		if (is_drawn) {
			sample(p, m, (double)at / KEYS, y + FOOT - BOX + 10);
			text(p->buf, (double)at / KEYS, BOX + INSET, y + FOOT,
			    -1, WORDS - 3, m->text);
		}
		at += keys;
	}
	return y + (row->count ? LINE : 0) - row->y;
}

static void
words(struct page *p, const struct tp_scene_row *row)
{
	struct tp_buf lines = { 0 };
	int y = row->y + FOOT;

	wrap(&lines, row->name);
	for (char *at = lines.p, *end; at; at = end, y += LINE) {
		end = strchr(at, '\n');
		if (end)
			*end++ = '\0';
		text(p->buf, 0, 0, y, -1, WORDS, at);
	}
	tp_buf_release(&lines);
}

/*
 * Write the name of ROW, clipped where it would reach what follows.  One that
 * a phone would clip is there twice: a style shows it the short one.
 */
static void
name(struct page *p, const struct tp_scene_row *row, int x, int y)
{
	double part = p->scene->left > 0 && has_plot(row) ? p->scene->left :
	    p->name;
	size_t most = (size_t)(part * WIDTH / LETTER);

	if (letters(row->name) * LETTER + x <= part * NARROW) {
		text(p->buf, 0, x, y, -1, most, row->name);
		return;
	}
	p->has_forms = 1;
	tp_buf_str(p->buf, "<svg");
	tp_svg_attribute(p->buf, "y", y - FOOT);
	percent(p->buf, "width", part - 0.01);
	tp_svg_attribute(p->buf, "height", LINE);
	tp_buf_str(p->buf, "><g class=\"long\">");
	text(p->buf, 0, x, FOOT, -1, most, row->name);
	tp_buf_str(p->buf, "</g><g class=\"short\">");
	text(p->buf, 0, x, FOOT, -1, (size_t)(((part - 0.01) * CARD - x) /
	    LETTER), row->name);
	tp_buf_str(p->buf, "</g></svg>\n");
}

static void
label(struct page *p, const struct tp_scene_row *row)
{
	int y = row->y + FOOT, x;

	if (has_plot(row) && p->scene->left > 0)
		y = row->top + height_of(row) / 2 + 40;
	if (row->is_key && row->count)
		sample(p, &row->marks[0], 0, y - BOX + 10);
	x = row->is_key ? BOX + INSET : 0;
	if (row->name && *row->name)
		name(p, row, x, y);
	x = 0;
	for (int k = TP_SCENE_VALUES; k-- > 0;) {
		if (!p->widths[k])
			continue;
		if (row->values[k] && *row->values[k])
			text(p->buf, 1, -x, y, 1, MOST, row->values[k]);
		x += p->widths[k] + 2 * INSET;
	}
}

/* Write what is left of the plot of ROW, or of labels below it. */
static void
side(struct page *p, const struct tp_scene_row *row)
{
	double left = p->scene->left;
	size_t most = (size_t)(left * NARROW / LETTER) - 1;

	for (size_t i = 0; i < row->count; i++)
		if (row->marks[i].x < 0)
			text(p->buf, left, -2 * INSET, y_of(row, row->marks[i].
			    low) + 40, 1, most, row->marks[i].text);
	if (row->kind != TP_ROW && row->name && *row->name)
		text(p->buf, left, -2 * INSET, row->y + FOOT + (row->kind ==
		    TP_AXIS ? TICK : 0), 1, most, row->name);
}

void
tp_scene_svg(struct tp_scene *s, struct tp_drawing *d)
{
	struct page p = { .scene = s, .buf = &d->picture };

	lay_out(&p);
	tp_svg_begin(&d->picture, WIDTH, p.height, d);
	plots(&p);
	for (size_t i = 0; i < s->count; i++) {
		const struct tp_scene_row *row = &s->rows[i];

		if (row->kind == TP_WORDS)
			words(&p, row);
		else if (row->kind == TP_LEGEND)
			legend(&p, row, 1);
		else if (row->kind == TP_ROW && has_line(row))
			label(&p, row);
		else if (row->kind == TP_NAMES)
			labels(&p, row, s->left, row->y);
		if (s->left > 0 && row->kind != TP_WORDS)
			side(&p, row);
	}
	tp_svg_end(&d->picture, p.has_forms);
}
