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
	BAND = 160,		/* width of a step's name */
};

struct page {
	const struct tp_chart *chart;
	struct tp_buf *buf;
	int left, plot;		/* start and length of the axis */
	int top, bottom;	/* of lanes and levels */
	size_t titles;		/* number written so far */
	double *shares;		/* busy share of a lane, by cell */
	size_t cells;		/* 0: stretches are drawn one by one */
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
	int named = -1, shaded = 0, top = p->top, bottom = p->bottom;

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
			tp_buf_fmt(&text, "step %s%s: ", b->name,
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
		if (x < named)
			continue;
		tp_svg_text(p->buf, (x + to) / 2, p->top - 50, TP_SVG_MIDDLE,
		    0, b->name);
		named = (x + to) / 2 + BAND;
	}
	if (c->band_count)
		tp_svg_text(p->buf, p->left - PAD, p->top - 50, TP_SVG_END, 0,
		    c->band_label ? c->band_label : "steps");
	tp_buf_release(&text);
}

/* Draw a bar from X to TO with a height of SHARE. */
static void
bar(struct tp_svg_bars *bars, int x, int to, double share)
{
	int height = (int)(share * LANE + STEP / 2) / STEP * STEP;

	tp_svg_bar(bars, x, to, height < STEP ? STEP :
	    height > LANE ? LANE : height);
}

/* Draw the stretches of a lane one by one. */
static void
stretches(const struct page *p, const struct tp_chart_row *row,
    struct tp_svg_bars *bars)
{
	int last = p->left;

	for (size_t i = 0; i < row->count; i++) {
		const struct tp_chart_run *r = &row->runs[i];
		int x = map_time_to_px(p, r->from),
		    to = map_time_to_px(p, r->to);

		to = to < x + LEAST ? x + LEAST : to;
		/* start after a previous mark that was widened */
		x = x < last ? last : x;
		if (to <= x || r->to <= r->from)
			continue;
		last = to;
		bar(bars, x, to, (double)r->busy / (double)(r->to - r->from));
	}
}

/* Draw a lane as cells, of which there are fewer than stretches. */
static void
cells(const struct page *p, const struct tp_chart_row *row,
    struct tp_svg_bars *bars)
{
	size_t plot = (size_t)p->plot;

	tp_chart_spread(p->chart, row, p->shares, p->cells);
	for (size_t i = 0; i < p->cells; i++)
		if (p->shares[i] > 0)
			bar(bars, p->left + (int)(i * plot / p->cells),
			    p->left + (int)((i + 1) * plot / p->cells),
			    p->shares[i]);
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

static void
lane(struct page *p, const struct tp_chart_row *row, int y)
{
	const struct tp_chart_panel *panel = &p->chart->panels[row->panel];
	int from = p->left, to = p->left + p->plot;
	struct tp_svg_bars bars;
	struct tp_buf text = { 0 };

	if (p->chart->panel_count) {
		from = map_time_to_px(p, panel->from);
		to = map_time_to_px(p, panel->to);
	}

	tp_svg_text(p->buf, p->left - PAD, y + LANE - 50, TP_SVG_END,
	    p->left - 2 * PAD, row->name);
	tp_unit_ns(&text, row->busy);
	tp_svg_text(p->buf, p->left + p->plot + PAD, y + LANE - 50,
	    TP_SVG_START, 0, tp_svg_words(&text));
	tp_svg_rect(p->buf, from, y, to - from, LANE, "currentColor", 7,
	    NULL);
	tp_svg_bars_begin(&bars, p->buf, y + LANE, row->colour);
	(p->shares ? cells : stretches)(p, row, &bars);
	tp_buf_clear(&text);
	tp_buf_fmt(&text, "%s: ", row->name);
	tp_unit_ns(&text, row->busy);
	tp_svg_bars_end(&bars, tp_svg_words(&text));
	tp_buf_release(&text);
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
		tp_buf_int(&text, (int64_t)i + 1);
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

	for (size_t i = 0; i <= p->chart->cause_count; i++) {
		tp_buf_clear(&text);
		tp_chart_gap_line(p->chart, i, &text);
		tp_svg_text(p->buf, p->left, y + (int)(i + 1) * LINE,
		    TP_SVG_START, TP_SVG_WIDTH - p->left - PAD,
		    tp_svg_words(&text));
	}
	tp_buf_release(&text);
}

/* The right end of names, at most a third of the picture. */
static int
names_width(const struct tp_chart *c)
{
	int most = tp_svg_text_width(c->shared), n;

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

void
tp_chart_svg(const struct tp_chart *c, struct tp_drawing *d)
{
	struct tp_buf *b = &d->picture;
	struct page p = { .chart = c, .buf = b };
	struct tp_buf rest = { 0 };
	int y = PAD, lanes, levels, height;
	size_t marks = 0;
	int panels = 0;

	p.left = names_width(c);
	p.plot = TP_SVG_WIDTH - SIDE - p.left;
	tp_chart_rest(c, &rest);
	for (size_t i = 0; i < c->row_count; i++)
		marks += c->rows[i].count;
	for (size_t i = 0; i < c->row_count; i++)
		panels += tp_chart_begins(c, i);
	if (marks > MARKS) {
		p.cells = (size_t)p.plot / 10 * MARKS / marks + 1;
		p.shares = tp_alloc(p.cells * sizeof *p.shares);
	}
	y += c->band_count ? LINE : 0;
	p.top = y;
	y += c->gap_count ? LINE : 0;
	lanes = y + LANE_GAP / 2;
	levels = lanes + (int)c->row_count * (LANE + LANE_GAP) + panels *
	    PANEL +
	    (c->level_count && c->row_count ? LANE_GAP : 0);
	p.bottom = levels + (int)c->level_count * (LEVEL + LEVEL_GAP);
	height = p.bottom + AXIS + PAD / 2 + (int)(c->cause_count +
	    (c->gap_count > 0) + (rest.len > 0)) * LINE +
	    (c->gap_count ? PAD : 0);
	tp_svg_begin(b, TP_SVG_WIDTH, height, d);
	bands(&p);
	for (size_t i = 0, at = 0; i < c->row_count; i++) {
		at += (size_t)tp_chart_begins(c, i);
		if (tp_chart_begins(c, i))
			panel(&p, &c->panels[c->rows[i].panel], lanes +
			    (int)i * (LANE + LANE_GAP) + (int)at * PANEL -
			    LANE_GAP);
		lane(&p, &c->rows[i], lanes + (int)i * (LANE + LANE_GAP) +
		    (int)at * PANEL);
	}
	for (size_t i = 0; i < c->level_count; i++)
		level(&p, &c->levels[i], levels + (int)i * (LEVEL +
		    LEVEL_GAP));
	if (c->row_count && (lanes > LINE || panels))
		tp_svg_text(b, p.left + p.plot + PAD, lanes - LANE_GAP +
		    (panels ? PANEL : 0),
		    TP_SVG_START, 0, "time");
	gaps(&p, y, c->row_count ? levels - LANE_GAP / 2 -
	    (c->level_count ? LANE_GAP : 0) : p.bottom);
	axis(&p);
	if (c->gap_count)
		list(&p, p.bottom + AXIS);
	if (rest.len)
		tp_svg_text(b, PAD, height - PAD, TP_SVG_START, 0,
		    tp_svg_words(&rest));
	tp_svg_end(b);
	tp_free(p.shares);
	tp_buf_release(&rest);
}
