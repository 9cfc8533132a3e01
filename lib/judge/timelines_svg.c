/* timelines_svg - two runs at one scale, as a drawing that stands alone */
#include <string.h>

#include <tp/judge/timelines.h>
#include <tp/text.h>
#include <tp/unit.h>

/* All in px. */
enum {
	LEFT = 10, TOP = 40, CELL = 12, ROW = 24, NAME = 20, GAP = 4,
	AXIS = 34, WIDTH = LEFT + TP_COLUMNS * CELL + 60, TICKS = 4
};

static const char *const colours[] = { "#4477aa", "#cc6633" };

static void
text(struct tp_buf *b, int x, int y, const char *anchor, const char *words)
{
	tp_buf_fmt(b, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">", x, y,
	    anchor);
	tp_xml_text(b, words);
	tp_buf_str(b, "</text>\n");
}

/* Column I of L; heights in tenths of a px, alike in any locale. */
static void
mark(const struct tp_timelines *t, const struct tp_timeline_lane *l,
    size_t i, int y, struct tp_buf *b)
{
	double share = tp_timeline_share(t, l, i);
	int tenths = (int)(share * ROW * 10 + 0.5), top = y * 10 + ROW * 10 -
	    tenths;

	if (share < 0)
		return;
	tp_buf_fmt(b, "<rect class=\"%s\" x=\"%d\" y=\"%d.%d\" width=\"%d\" "
	    "height=\"%d.%d\"><title>", tp_side_name(l->side),
	    LEFT + (int)i * CELL, top / 10, top % 10, CELL - 1, tenths / 10,
	    tenths % 10);
	tp_xml_text(b, l->name);
	tp_buf_fmt(b, ", %s, ", tp_side_name(l->side));
	tp_unit_ns(b, (int64_t)((double)i * t->column_ns + 0.5));
	tp_buf_str(b, " to ");
	tp_unit_ns(b, (int64_t)((double)(i + 1) * t->column_ns + 0.5));
	tp_buf_str(b, ": busy ");
	tp_unit_percent(b, share);
	tp_buf_str(b, "</title></rect>\n");
}

/* A lane: its ground as long as the lane, and a mark for each column. */
static void
lane(const struct tp_timelines *t, const struct tp_timeline_lane *l, int y,
    struct tp_buf *b)
{
	for (size_t i = 0; i < TP_COLUMNS; i++)
		if (tp_timeline_share(t, l, i) >= 0)
			tp_buf_fmt(b, "<rect class=\"ground\" x=\"%d\" "
			    "y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
			    LEFT + (int)i * CELL, y, CELL, ROW);
	for (size_t i = 0; i < TP_COLUMNS; i++)
		mark(t, l, i, y, b);
}

static void
axis(const struct tp_timelines *t, int y, struct tp_buf *b)
{
	struct tp_buf at = { 0 };

	for (int i = 0; i <= TICKS; i++) {
		int x = LEFT + i * TP_COLUMNS * CELL / TICKS;

		tp_buf_fmt(b, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" "
		    "y2=\"%d\"/>\n", x, y, x, y + 6);
		tp_buf_clear(&at);
		tp_unit_ns(&at, (int64_t)(t->column_ns * TP_COLUMNS * i /
		    TICKS + 0.5));
		text(b, x, y + 20, "middle", at.failed ? "" : at.p);
		b->failed |= at.failed;
	}
	tp_buf_release(&at);
}

static void
head(const char *const names[TP_SIDES], int height, struct tp_buf *b)
{
	tp_buf_fmt(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
	    "height=\"%d\" viewBox=\"0 0 %d %d\" "
	    "font-family=\"sans-serif\" font-size=\"12\">\n"
	    "<title>Busy time before and after, at one scale</title>\n"
	    "<style>line{stroke:#888}.ground{fill:#eee}"
	    ".before{fill:%s}.after{fill:%s}</style>\n"
	    "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
	    WIDTH, height, WIDTH, height, colours[0], colours[1]);
	for (int s = 0; s < TP_SIDES; s++) {
		tp_buf_fmt(b, "<rect class=\"%s\" x=\"%d\" y=\"%d\" "
		    "width=\"10\" height=\"10\"/>\n", tp_side_name(s), LEFT,
		    6 + 16 * s);
		tp_buf_fmt(b, "<text x=\"%d\" y=\"%d\">%s: ", LEFT + 16,
		    15 + 16 * s, tp_side_name(s));
		tp_xml_text(b, names[s]);
		tp_buf_str(b, "</text>\n");
	}
}

static int
is_new(const struct tp_timelines *t, size_t i)
{
	return !i || strcmp(t->lanes[i].name, t->lanes[i - 1].name) != 0;
}

int
tp_timelines_svg(const struct tp_timelines *t,
    const char *const names[TP_SIDES], struct tp_buf *b, struct tp_err *err)
{
	int height = TOP + AXIS, y = TOP;

	for (size_t i = 0; i < t->count; i++)
		height += ROW + GAP + (is_new(t, i) ? NAME : 0);
	head(names, height, b);
	for (size_t i = 0; i < t->count; i++) {
		if (is_new(t, i)) {
			text(b, LEFT, y + NAME - 6, "start",
			    t->lanes[i].name);
			y += NAME;
		}
		lane(t, &t->lanes[i], y, b);
		y += ROW + GAP;
	}
	axis(t, y, b);
	tp_buf_str(b, "</svg>\n");
	return b->failed ? tp_fail_memory(err) : 0;
}
