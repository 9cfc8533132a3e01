/* chart_svg - what happened over time, as SVG */
#include <string.h>

#include <tp/unit.h>

#include "draw/chart.h"
#include "draw/scale.h"
#include "draw/svg.h"

/* Lengths in tenths of a pixel. */
enum {
	LEFT = 1660,		/* least right end of names */
	SIDE = 640,		/* width of the text after a lane */
	PAD = 80,
	LINE = 150,		/* height of a line of text */
	LANE = 180, LANE_GAP = 60,
	TALL = 360, TALL_LANES = 3,	/* height of lanes, of that many */
	THIN = 80,		/* height of the path */
	MARK = 50,		/* half a sample of a legend */
	PANEL = 240,		/* height of a panel's heading */
	STEP = 30,		/* heights are multiples of this */
	LEVEL = 480, LEVEL_GAP = 160,
	AXIS = 240,
	TICK = 40,
	MARKS = 2200,		/* most marks in all lanes; with more, lanes are
				 * drawn as cells */
	LEAST = 5,		/* least width of a mark */
	BROAD = 40,		/* least width of a shaded step */
	NUMBER = 150,		/* width of a gap's number */
	NAME = 180,		/* half the width of a long name */
};

struct page {
	const struct tp_chart *chart;
	struct tp_buf *buf;
	int left, plot;		/* start and length of the axis */
	int top, bottom;	/* of lanes and levels */
	int lane;		/* height of a lane */
	size_t titles;		/* number written so far */
	struct tp_chart_cell *cells;	/* of a lane */
	size_t cell_count;	/* 0: stretches are drawn one by one */
};

static int
map_time_to_px(const struct page *p, int64_t t)
{
	return p->left + tp_scale(t, p->chart->from, p->chart->to, p->plot);
}

static void
size_text(struct tp_buf *b, int x, int y, enum tp_svg_anchor anchor,
    int64_t bytes)
{
	struct tp_buf text = { 0 };

	tp_scale_number(&text, "n_bytes", bytes);
	tp_svg_text(b, x, y, anchor, 0, tp_svg_words(&text));
	tp_buf_release(&text);
}

static int
can_title(struct page *p)
{
	return p->titles++ < TP_SVG_MARKS;
}

/*
 * Shade every other step, through the lanes if they belong to these steps, and
 * names the steps that have room for it.
 */
static void
bands(struct page *p)
{
	const struct tp_chart *c = p->chart;
	struct tp_buf text = { 0 };
	int named = 0, shaded = 0, top = p->top, bottom = p->bottom, half,
	    room;

	if (c->band_label) {
		bottom = top - 30;
		top -= LINE;
	}
	for (size_t i = 0; i < c->band_count; i++) {
		const struct tp_chart_band *b = &c->bands[i];
		int x = map_time_to_px(p, b->from),
		    to = map_time_to_px(p, b->to);

		if (x >= shaded && to - x >= BROAD) {
			tp_buf_clear(&text);
			tp_buf_fmt(&text, "%s%s%s: ", c->band_word, b->name,
			    b->hatched ? " (warm-up)" : "");
			tp_unit_ns(&text, b->to - b->from);
			tp_svg_rect(p->buf, x, top, to - x, bottom - top,
			    "currentColor", i % 2 ? 4 : 9, can_title(p) ?
			    tp_svg_words(&text) : NULL);
			if (b->hatched)
				tp_svg_hatch(p->buf, x, p->top - 30, to - x,
				    30);
			shaded = to;
		}
		/* a long name is cut to its band */
		half = tp_svg_text_width(b->name) / 2;
		room = half > NAME && 2 * half > to - x ? to - x : 0;
		half = room ? room / 2 : half;
		if ((x + to) / 2 - half < named || (room && half < NAME))
			continue;
		tp_svg_text(p->buf, (x + to) / 2, p->top - 50, TP_SVG_MIDDLE,
		    room, b->name);
		named = (x + to) / 2 + half + (room ? 0 : PAD);
	}
	if (c->band_count)
		tp_svg_text(p->buf, p->left - PAD, p->top - 50, TP_SVG_END,
		    p->left - 2 * PAD, c->band_label ? c->band_label :
		    "steps");
	tp_buf_release(&text);
}

/* Draw a bar from X to TO with a height of SHARE of MOST. */
static void
bar(struct tp_svg_bars *bars, int x, int to, double share, int most)
{
	int height = (int)(share * most + STEP / 2) / STEP * STEP;

	tp_svg_bar(bars, x, to, height < STEP ? STEP :
	    height > most || share >= 1 ? most : height);
}

/* Draw the stretches of KIND of COUNT RUNS one by one. */
static void
stretches(const struct page *p, const struct tp_chart_run *runs, size_t count,
    size_t kind, int most, struct tp_svg_bars *bars)
{
	int last = p->left;

	for (size_t i = 0; i < count; i++) {
		const struct tp_chart_run *r = &runs[i];
		int x = map_time_to_px(p, r->from),
		    to = map_time_to_px(p, r->to);

		to = to < x + LEAST ? x + LEAST : to;
		/* start after a previous mark that was widened */
		x = x < last ? last : x;
		if (to <= x || r->to <= r->from)
			continue;
		last = to;
		if (r->kind == kind)
			bar(bars, x, to, (double)r->busy /
			    (double)(r->to - r->from), most);
	}
}

/* Draw a lane as cells, of which there are fewer than stretches. */
static void
cells(const struct page *p, size_t kind, struct tp_svg_bars *bars)
{
	size_t plot = (size_t)p->plot;

	for (size_t i = 0; i < p->cell_count; i++)
		if (p->cells[i].share > 0 && tp_chart_most(&p->cells[i]) ==
		    kind)
			bar(bars, p->left + (int)(i * plot / p->cell_count),
			    p->left + (int)((i + 1) * plot / p->cell_count),
			    p->cells[i].share, p->lane);
}

/* Write the heading of a panel above its first lane. */
static void
panel(struct page *p, const struct tp_chart_panel *panel, int y)
{
	struct tp_buf text = { 0 };

	tp_chart_panel_words(panel, &text);
	tp_svg_text(p->buf, p->left, y, TP_SVG_START, p->plot,
	    tp_svg_words(&text));
	tp_buf_release(&text);
}

/* Draw the work of KIND in ROW. */
static void
work(struct page *p, const struct tp_chart_row *row, size_t kind, int y)
{
	struct tp_svg_bars bars;
	struct tp_buf text = { 0 };
	int64_t busy = 0;

	for (size_t i = 0; i < row->count; i++)
		if (row->runs[i].kind == kind)
			tp_scale_sum(&busy, row->runs[i].busy);
	if (!busy)
		return;
	tp_svg_bars_begin(&bars, p->buf, y + p->lane, tp_groups_colour(
	    &p->chart->kinds, kind));
	if (p->cell_count)
		cells(p, kind, &bars);
	else
		stretches(p, row->runs, row->count, kind, p->lane, &bars);
	tp_buf_fmt(&text, "%s%s%s: ", row->name, p->chart->has_kinds ? ", " :
	    "", p->chart->has_kinds ? tp_chart_kind(p->chart, kind) : "");
	tp_unit_ns(&text, busy);
	tp_svg_bars_end(&bars, tp_svg_words(&text));
	tp_buf_release(&text);
}

static void
lane(struct page *p, const struct tp_chart_row *row, int y)
{
	const struct tp_chart_panel *panel = &p->chart->panels[row->panel];
	int from = p->left, to = p->left + p->plot;
	struct tp_buf text = { 0 };

	if (p->chart->panel_count) {
		from = map_time_to_px(p, panel->from);
		to = map_time_to_px(p, panel->to);
	}

	tp_svg_text(p->buf, p->left - PAD, y + p->lane / 2 + 40, TP_SVG_END,
	    p->left - 2 * PAD, row->name);
	tp_unit_ns(&text, row->busy);
	tp_svg_text(p->buf, p->left + p->plot + PAD, y + p->lane / 2 + 40,
	    TP_SVG_START, 0, tp_svg_words(&text));
	tp_svg_rect(p->buf, from, y, to - from, p->lane, "currentColor", 7,
	    NULL);
	if (p->cell_count)
		tp_chart_spread(p->chart, row->runs, row->count, p->cells,
		    p->cell_count);
	for (size_t k = 0; k < TP_CHART_KINDS; k++)
		work(p, row, k, y);
	tp_buf_release(&text);
}

/* The colour of SIDE of the path; what waits is not drawn. */
static const char *
side_colour(size_t side)
{
	static const char *const colours[TP_CHART_SIDES] = { "currentColor",
	    "#999999", "#ee6677", NULL };

	return colours[side];
}

/* Draw the critical path at Y. */
static void
path(struct page *p, int y)
{
	const struct tp_chart_path *path = &p->chart->path;
	struct tp_svg_bars bars;
	struct tp_buf text = { 0 };

	tp_svg_text(p->buf, p->left - PAD, y + THIN, TP_SVG_END, 0,
	    path->name);
	tp_svg_rect(p->buf, p->left, y, p->plot, THIN, "currentColor", 7, NULL);
	for (size_t k = 0; k < TP_CHART_SIDES; k++) {
		if (!side_colour(k) || !tp_chart_has_side(p->chart, k))
			continue;
		tp_svg_bars_begin(&bars, p->buf, y + THIN, side_colour(k));
		stretches(p, path->runs, path->count, k, THIN, &bars);
		tp_buf_clear(&text);
		tp_buf_fmt(&text, "%s: %s", path->name, path->sides[k]);
		tp_svg_bars_end(&bars, tp_svg_words(&text));
	}
	tp_buf_release(&text);
}

static void
mark(struct tp_buf *b, const struct tp_groups *g, size_t place, int x, int y)
{
	tp_svg_rect(b, x - MARK, y - MARK, 2 * MARK, 2 * MARK,
	    tp_groups_colour(g, place), 100, NULL);
}

/* Explain the colours of the path at Y. */
static void
path_legend(struct page *p, int y)
{
	const struct tp_chart_path *path = &p->chart->path;
	int x = 2 * PAD;
	struct tp_buf text = { 0 };

	tp_buf_fmt(&text, "%s:", path->name);
	tp_svg_text(p->buf, PAD, y + 90, TP_SVG_START, 0, tp_svg_words(&text));
	x += tp_svg_text_width(tp_svg_words(&text));
	tp_buf_release(&text);
	for (size_t k = 0; k < TP_CHART_SIDES; k++) {
		if (!tp_chart_has_side(p->chart, k))
			continue;
		tp_svg_rect(p->buf, x, y, 2 * MARK, 2 * MARK, side_colour(k) ?
		    side_colour(k) : "currentColor", side_colour(k) ? 100 : 7,
		    NULL);
		tp_svg_text(p->buf, x + 2 * MARK + PAD / 2, y + 90,
		    TP_SVG_START, 0, path->sides[k]);
		x += 2 * MARK + 3 * PAD + tp_svg_text_width(path->sides[k]);
	}
}

/* Draw the longest gaps through all lanes, numbered from left to right. */
static void
gaps(struct page *p, int y, int bottom)
{
	const struct tp_chart *c = p->chart;
	struct tp_buf text = { 0 };
	size_t n = c->gap_count;
	int at[TP_CHART_GAPS], last = p->left + p->plot - NUMBER / 2;

	for (size_t i = 0; i < n; i++) {
		const struct tp_chart_gap *g = &c->gaps[i];
		int x = map_time_to_px(p, g->from),
		    to = map_time_to_px(p, g->to);

		to = to < x + LEAST ? x + LEAST : to;
		tp_buf_clear(&text);
		tp_chart_gap_words(g, &text);
		tp_svg_rect(p->buf, x, y, to - x, bottom - y, "currentColor",
		    20, tp_svg_words(&text));
		at[i] = (x + to) / 2;
		if (i && at[i] < at[i - 1] + NUMBER)
			at[i] = at[i - 1] + NUMBER;
	}
	for (size_t i = n; i-- > 0; last = at[i] - NUMBER) {
		at[i] = at[i] > last ? last : at[i];
		tp_buf_clear(&text);
		tp_buf_int(&text, c->gaps[i].number);
		tp_svg_text(p->buf, at[i], y - 30, TP_SVG_MIDDLE, 0,
		    tp_svg_words(&text));
	}
	if (n)
		tp_svg_text(p->buf, p->left - PAD, y - 30, TP_SVG_END, 0,
		    "gaps");
	tp_buf_release(&text);
}

/*
 * A level is drawn as an area up to its maximum and a darker one up to its
 * minimum.
 */
static const char *const shades[] = { "#d5b0cb", "#b377a3" };

static int
varies(const struct tp_chart_level *l)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->parts[i].min < l->parts[i].max)
			return 1;
	return 0;
}

static void
level(struct page *p, const struct tp_chart_level *l, int y)
{
	struct tp_svg_bars bars;
	struct tp_buf text = { 0 };
	int64_t most = l->peak ? l->peak : 1;
	int x, to, last;

	for (int pass = !varies(l); pass < 2; pass++) {
		tp_svg_bars_begin(&bars, p->buf, y + LEVEL, shades[pass]);
		last = p->left;
		for (size_t i = 0; i < l->count; i++) {
			const struct tp_chart_part *a = &l->parts[i];

			x = map_time_to_px(p, a->from);
			to = map_time_to_px(p, a->to);
			to = to < x + LEAST ? x + LEAST : to;
			x = x < last ? last : x;
			if (to <= x)
				continue;
			last = to;
			tp_svg_bar(&bars, x, to, tp_scale(pass ? a->min :
			    a->max, 0, most, LEVEL));
		}
		tp_buf_clear(&text);
		tp_buf_fmt(&text, "%s: peak ", l->name);
		tp_scale_number(&text, "n_bytes", l->peak);
		tp_buf_str(&text, " at ");
		tp_unit_ns(&text, l->peak_at);
		tp_svg_bars_end(&bars, tp_svg_words(&text));
	}
	tp_svg_text(p->buf, p->left - PAD, y + LINE, TP_SVG_END,
	    p->left - 2 * PAD, l->name);
	tp_svg_line(p->buf, p->left, y + LEVEL, p->left + p->plot, y + LEVEL,
	    50, 0);
	x = map_time_to_px(p, l->peak_at);
	tp_buf_str(p->buf, "<circle fill=\"none\" stroke=\"currentColor\"");
	tp_svg_attribute(p->buf, "cx", x);
	tp_svg_attribute(p->buf, "cy", y);
	tp_buf_str(p->buf, " r=\"3\"/>\n");
	size_text(p->buf, p->left + p->plot + PAD, y + LINE - 50, TP_SVG_START,
	    l->peak);
	tp_svg_text(p->buf, p->left + p->plot + PAD, y + LEVEL, TP_SVG_START, 0,
	    "0");
	tp_buf_release(&text);
}

static void
axis(struct page *p)
{
	const struct tp_chart *c = p->chart;
	int64_t step = tp_scale_step(c->to - c->from, 8), t;
	struct tp_buf text = { 0 };
	int x, half;

	if (*c->shared)
		tp_svg_text(p->buf, p->left - PAD, p->bottom + LINE, TP_SVG_END,
		    p->left - 2 * PAD, c->shared);
	tp_svg_line(p->buf, p->left, p->bottom, p->left + p->plot, p->bottom,
	    60, 0);
	for (t = c->from - c->from % step; t <= c->to; t += step) {
		if (t < c->from)
			continue;
		x = map_time_to_px(p, t);
		tp_svg_line(p->buf, x, p->bottom, x, p->bottom + TICK, 60, 0);
		tp_buf_clear(&text);
		tp_scale_time(&text, t, step);
		/* the first label moves right of the text before the axis */
		half = tp_svg_text_width(tp_svg_words(&text)) / 2;
		if (*c->shared && x - half < p->left)
			x = p->left + half;
		tp_svg_text(p->buf, x, p->bottom + LINE, TP_SVG_MIDDLE, 0,
		    tp_svg_words(&text));
	}
	tp_buf_release(&text);
}

/* List the gaps by number. */
static void
list(struct page *p, int y)
{
	struct tp_buf text = { 0 };

	for (size_t i = 0; i <= p->chart->gap_count; i++) {
		tp_buf_clear(&text);
		tp_chart_gap_line(p->chart, i, &text);
		tp_svg_text(p->buf, PAD, y + (int)(i + 1) * LINE,
		    TP_SVG_START, TP_SVG_WIDTH - 2 * PAD,
		    tp_svg_words(&text));
	}
	tp_buf_release(&text);
}

/* The right end of names, at most a third of the picture. */
static int
names_width(const struct tp_chart *c)
{
	int most = tp_svg_text_width(c->shared), n;

	n = c->band_label ? tp_svg_text_width(c->band_label) : 0;
	most = n > most ? n : most;

	for (size_t i = 0; i < c->row_count; i++) {
		n = tp_svg_text_width(c->rows[i].name);
		most = n > most ? n : most;
	}
	for (size_t i = 0; i < c->level_count; i++) {
		n = tp_svg_text_width(c->levels[i].name);
		most = n > most ? n : most;
	}
	most += 2 * PAD;
	return most < LEFT ? LEFT : most > TP_SVG_WIDTH / 3 ?
	    TP_SVG_WIDTH / 3 : most;
}

/* How the parts of a picture lie above each other: where each begins. */
struct heights {
	int lanes, path, levels;
	int legend, path_legend, list, end;
};

/* Lay out P, whose lanes begin at LANES. */
static struct heights
lay_out(struct page *p, int lanes, int has_rest)
{
	const struct tp_chart *c = p->chart;
	struct heights h = { .lanes = lanes };
	int panels = 0;

	for (size_t i = 0; i < c->row_count; i++)
		panels += tp_chart_begins(c, i);
	h.path = lanes + (int)c->row_count * (p->lane + LANE_GAP) + panels *
	    PANEL;
	h.levels = h.path + (c->path.count ? THIN + LANE_GAP : 0) +
	    (c->level_count && c->row_count ? LANE_GAP : 0);
	p->bottom = h.levels + (int)c->level_count * (LEVEL + LEVEL_GAP);
	h.legend = p->bottom + AXIS;
	h.path_legend = !c->has_kinds ? h.legend : tp_groups_legend(&c->kinds,
	    NULL, PAD, h.legend, mark);
	h.list = h.path_legend + (c->path.count ? LINE + PAD / 2 : 0);
	h.end = h.list + PAD / 2 + (c->gap_count ? (int)(c->gap_count + 1) *
	    LINE + PAD : 0) + (has_rest ? LINE : 0);
	return h;
}

static void
lanes(struct page *p, const struct heights *h)
{
	const struct tp_chart *c = p->chart;
	int y = h->lanes;

	for (size_t i = 0; i < c->row_count; i++, y += p->lane + LANE_GAP) {
		if (tp_chart_begins(c, i)) {
			y += PANEL;
			panel(p, &c->panels[c->rows[i].panel], y - LANE_GAP);
		}
		lane(p, &c->rows[i], y);
	}
	if (c->path.count)
		path(p, h->path);
}

void
tp_chart_svg(const struct tp_chart *c, struct tp_drawing *d)
{
	struct tp_buf *b = &d->picture;
	struct page p = { .chart = c, .buf = b };
	struct tp_buf rest = { 0 };
	struct heights h;
	size_t marks = 0;
	int y = PAD;

	p.left = names_width(c);
	p.plot = TP_SVG_WIDTH - SIDE - p.left;
	p.lane = c->row_count > TALL_LANES ? LANE : TALL;
	tp_chart_rest(c, "A lane is full where it was in use all the time.",
	    &rest);
	for (size_t i = 0; i < c->row_count; i++)
		marks += c->rows[i].count;
	if (marks > MARKS) {
		p.cell_count = (size_t)p.plot / 10 * MARKS / marks + 1;
		p.cells = tp_alloc(p.cell_count * sizeof *p.cells);
	}
	y += c->band_count ? LINE : 0;
	p.top = y;
	y += c->gap_count ? LINE : 0;
	h = lay_out(&p, y + LANE_GAP / 2, rest.len > 0);
	tp_svg_begin(b, TP_SVG_WIDTH, h.end, d, 0);
	bands(&p);
	lanes(&p, &h);
	for (size_t i = 0; i < c->level_count; i++)
		level(&p, &c->levels[i], h.levels + (int)i * (LEVEL +
		    LEVEL_GAP));
	if (c->row_count && (h.lanes > LINE || c->panel_count))
		tp_svg_text(b, p.left + p.plot + PAD, h.lanes - LANE_GAP +
		    (c->panel_count ? PANEL : 0), TP_SVG_START, 0, "time");
	gaps(&p, y, c->row_count ? h.path - LANE_GAP / 2 : p.bottom);
	axis(&p);
	if (c->has_kinds)
		tp_groups_legend(&c->kinds, b, PAD, h.legend, mark);
	if (c->path.count)
		path_legend(&p, h.path_legend);
	if (c->gap_count)
		list(&p, h.list);
	if (rest.len)
		tp_svg_text(b, PAD, h.end - PAD, TP_SVG_START, 0,
		    tp_svg_words(&rest));
	tp_svg_end(b);
	tp_free(p.cells);
	tp_buf_release(&rest);
}
