/* chart_text - what happened over time, as lines of a terminal */
#include <ctype.h>
#include <string.h>

#include <tp/show/fit.h>
#include <tp/text.h>
#include <tp/unit.h>
#include <tp/width.h>

#include "draw/blocks.h"
#include "draw/chart.h"
#include "draw/scale.h"

enum { NAME_MOST = 28, SIDE = 12, LEVEL = 4, TICKS = 4,
	LONG = 6 };		/* names of more are cut to their band */

struct page {
	const struct tp_chart *chart;
	struct tp_buf *buf;
	const struct tp_blocks *blocks;
	size_t name, plot;	/* columns of names and of the axis */
	struct tp_chart_cell *cells;	/* of a lane, by column */
	double *share;		/* of a level, by column */
	char letters[TP_CHART_KINDS];	/* of kinds; 0: only one is drawn */
};

static size_t
map_time_to_cell(const struct page *p, int64_t t)
{
	size_t x = (size_t)tp_scale(t, p->chart->from, p->chart->to,
	    (int)p->plot);

	return x < p->plot ? x : p->plot - 1;
}

/* That of its name; what waits is a dot. */
static char
side_letter(const struct tp_chart *c, size_t side)
{
	return side == TP_CHART_SIDES - 1 ? '.' : *c->path.sides[side];
}

static void
panel(struct page *p, const struct tp_chart_panel *panel)
{
	struct tp_buf text = { 0 };

	tp_chart_panel_words(panel, &text);
	tp_blocks_pad(p->buf, p->name + 1);
	tp_fit_cut(p->buf, text.p, text.len, p->plot, p->blocks->dots);
	tp_blocks_end(p->buf);
	tp_buf_release(&text);
}

/* The letter of the kind with most of CELL, small if it is mostly idle. */
static void
cell(struct page *p, const struct tp_chart_cell *cell)
{
	char letter = p->letters[tp_chart_most(cell)];

	if (!letter || cell->share <= 0)
		tp_blocks_height(p->buf, p->blocks, cell->share);
	else
		tp_buf_chr(p->buf, cell->share < 0.5 ?
		    (char)tolower((unsigned char)letter) : letter);
}

/* The first letter of NAME that is none of the COUNT LETTERS, or a mark. */
static char
free_letter(const char *name, const char *letters, size_t count)
{
	const char *marks = "#@%$&+=";

	for (; *name; name++)
		if (isalnum((unsigned char)*name) && !memchr(letters,
		    toupper((unsigned char)*name), count))
			return (char)toupper((unsigned char)*name);
	return marks[count];
}

/* Give each kind that is drawn a letter: what numbers it, if anything does. */
static void
set_letters(struct page *p)
{
	const struct tp_groups *g = &p->chart->kinds;
	size_t used = 0;

	for (size_t k = 0; k < TP_CHART_KINDS; k++)
		used += g->is_used[k] != 0;
	for (size_t k = 0; k < TP_CHART_KINDS && used > 1; k++) {
		const char *name = tp_chart_kind(p->chart, k);
		size_t len = strlen(name);

		if (g->is_used[k])
			p->letters[k] = free_letter(len && isdigit((unsigned
			    char)name[len - 1]) ? name + len - 1 : name,
			    p->letters, k);
	}
}

/* "G GEMM, S softmax", and what the path is in. */
static void
legend(struct page *p)
{
	const struct tp_chart *c = p->chart;
	struct tp_buf text = { 0 };
	int n = 0;

	for (size_t k = 0; k < TP_CHART_KINDS; k++)
		if (p->letters[k])
			tp_buf_fmt(&text, "%s%c %s", text.len ? ", " : "",
			    p->letters[k], tp_chart_kind(c, k));
	if (text.len) {
		tp_buf_str(&text, "; small: in use for less than half");
		tp_wrap(p->buf, text.p, 0, 2, p->name + 1 + p->plot + SIDE);
		tp_buf_chr(p->buf, '\n');
	}
	tp_buf_clear(&text);
	if (c->path.count) {
		tp_buf_fmt(&text, "%s:", c->path.name);
		for (size_t k = 0; k < TP_CHART_SIDES; k++)
			if (tp_chart_has_side(c, k))
				tp_buf_fmt(&text, "%s %c %s", n++ ? "," : "",
				    side_letter(c, k), c->path.sides[k]);
		tp_wrap(p->buf, text.p, 0, 2, p->name + 1 + p->plot + SIDE);
		tp_buf_chr(p->buf, '\n');
	}
	tp_buf_release(&text);
}

static void
path(struct page *p)
{
	const struct tp_chart_path *path = &p->chart->path;

	if (!path->count)
		return;
	tp_chart_spread(p->chart, path->runs, path->count, p->cells, p->plot);
	tp_blocks_name(p->buf, p->blocks, path->name, p->name);
	for (size_t i = 0; i < p->plot; i++)
		tp_buf_chr(p->buf, p->cells[i].share <= 0 ? ' ' :
		    side_letter(p->chart, tp_chart_most(&p->cells[i])));
	tp_blocks_end(p->buf);
}

static void
lane(struct page *p, const struct tp_chart_row *row)
{
	size_t end = p->chart->panel_count ? map_time_to_cell(p,
	    p->chart->panels[row->panel].to) + 1 : p->plot;

	tp_chart_spread(p->chart, row->runs, row->count, p->cells, p->plot);
	tp_blocks_name(p->buf, p->blocks, row->name, p->name);
	for (size_t i = 0; i < end; i++)
		cell(p, &p->cells[i]);
	tp_blocks_pad(p->buf, p->plot - end);
	tp_buf_chr(p->buf, ' ');
	tp_unit_ns(p->buf, row->busy);
	tp_blocks_end(p->buf);
}

static void
marked_line(struct page *p, const char *name, struct tp_blocks_marks *m)
{
	tp_blocks_name(p->buf, p->blocks, name, p->name);
	tp_buf_add(p->buf, m->line, m->room);
	tp_blocks_end(p->buf);
	memset(m->line, ' ', m->room);
	m->free = 0;
}

/*
 * Append NAME to TEXT; of a long one what there is ROOM for.  Marks are ASCII.
 */
static void
name_band(const char *name, size_t room, struct tp_buf *text)
{
	struct tp_buf shown = { 0 };

	tp_show_text(&shown, name, strlen(name));
	/* beside a line before it and a blank behind it */
	room -= room < 2 ? room : 2;
	if (shown.len > LONG && shown.len > room)
		shown.len = room;
	for (size_t i = 0; i < shown.len; i++)
		tp_buf_chr(text, (unsigned char)shown.p[i] < 0x80 ?
		    shown.p[i] : '?');
	tp_buf_str(text, "");
	tp_buf_release(&shown);
}

static void
steps(struct page *p, struct tp_blocks_marks *m)
{
	const struct tp_chart *c = p->chart;
	struct tp_buf text = { 0 };

	for (size_t i = 0; i < c->band_count; i++) {
		const struct tp_chart_band *b = &c->bands[i];
		size_t at = map_time_to_cell(p, b->from);

		tp_buf_clear(&text);
		tp_buf_chr(&text, '|');
		name_band(b->name, map_time_to_cell(p, b->to) - at, &text);
		tp_buf_str(&text, b->hatched ? "*" : "");
		tp_blocks_mark(m, at, text.p);
	}
	tp_buf_release(&text);
	if (c->band_count)
		marked_line(p, c->band_label ? c->band_label : "steps", m);
}

static void
gap_numbers(struct page *p, struct tp_blocks_marks *m)
{
	const struct tp_chart *c = p->chart;
	struct tp_buf number = { 0 };

	for (size_t i = 0; i < c->gap_count; i++) {
		tp_buf_clear(&number);
		tp_buf_int(&number, c->gaps[i].number);
		tp_blocks_mark(m, map_time_to_cell(p, c->gaps[i].from / 2 +
		    c->gaps[i].to / 2), number.p);
	}
	tp_buf_release(&number);
	if (c->gap_count)
		marked_line(p, "gaps", m);
}

static void
level(struct page *p, const struct tp_chart_level *l)
{
	double most = l->peak ? (double)l->peak : 1;

	memset(p->share, 0, p->plot * sizeof *p->share);
	for (size_t i = 0; i < l->count; i++) {
		const struct tp_chart_part *a = &l->parts[i];
		size_t from = map_time_to_cell(p, a->from),
		    to = map_time_to_cell(p, a->to);
		double share = (double)a->max / most;

		for (size_t x = from; x <= to; x++)
			if (share > p->share[x] && (x < to || x == from))
				p->share[x] = share;
	}
	for (int row = LEVEL - 1; row >= (l->peak ? 0 : LEVEL - 1); row--) {
		tp_blocks_name(p->buf, p->blocks, row == LEVEL - 1 ? l->name :
		    "", p->name);
		for (size_t i = 0; i < p->plot; i++)
			tp_blocks_area(p->buf, p->blocks, p->share[i] * LEVEL -
			    row);
		tp_buf_chr(p->buf, ' ');
		if (row == LEVEL - 1)
			tp_scale_number(p->buf, "n_bytes", l->peak);
		tp_blocks_end(p->buf);
	}
}

static void
axis(struct page *p, struct tp_blocks_marks *m)
{
	const struct tp_chart *c = p->chart;
	int64_t step = tp_scale_step(c->to - c->from, p->plot > 60 ? 8 :
	    TICKS), t;
	struct tp_buf text = { 0 };

	for (t = c->from - c->from % step; t <= c->to; t += step) {
		if (t < c->from)
			continue;
		tp_buf_clear(&text);
		tp_buf_chr(&text, '|');
		tp_scale_time(&text, t, step);
		tp_blocks_mark(m, map_time_to_cell(p, t), text.p);
	}
	marked_line(p, c->shared, m);
	tp_buf_release(&text);
}

static void
list(struct page *p)
{
	struct tp_buf text = { 0 };

	for (size_t i = 0; p->chart->gap_count && i <= p->chart->gap_count;
	    i++) {
		tp_buf_clear(&text);
		tp_chart_gap_line(p->chart, i, &text);
		tp_buf_str(&text, "");
		tp_buf_str(p->buf, i ? "  " : "");
		tp_wrap(p->buf, text.p, i ? 2 : 0, i ? 4 : 0,
		    p->name + 1 + p->plot + SIDE);
		tp_buf_chr(p->buf, '\n');
	}
	tp_buf_release(&text);
	for (size_t i = 0; i < p->chart->band_count; i++)
		if (p->chart->bands[i].hatched) {
			tp_buf_str(p->buf, "* warm-up\n");
			break;
		}
	tp_chart_rest(p->chart, p->letters[0] ? "" : "A lane is full where it "
	    "was in use all the time.", &text);
	tp_buf_str(&text, "");
	if (text.len) {
		tp_wrap(p->buf, text.p, 0, 0, p->name + 1 + p->plot + SIDE);
		tp_buf_chr(p->buf, '\n');
	}
	tp_buf_release(&text);
}

static size_t
widest_name(const struct tp_chart *c)
{
	size_t most = strlen("steps"), n;

	for (size_t i = 0; i < c->row_count; i++) {
		n = tp_text_width(c->rows[i].name, strlen(c->rows[i].name));
		most = n > most ? n : most;
	}
	n = c->band_label ? tp_text_width(c->band_label,
	    strlen(c->band_label)) : 0;
	most = n > most ? n : most;
	n = c->path.count ? tp_text_width(c->path.name, strlen(c->path.name)) :
	    0;
	most = n > most ? n : most;
	n = tp_text_width(c->shared, strlen(c->shared));
	most = n > most ? n : most;
	for (size_t i = 0; i < c->level_count; i++) {
		n = tp_text_width(c->levels[i].name,
		    strlen(c->levels[i].name));
		most = n > most ? n : most;
	}
	return most;
}

void
tp_chart_text(const struct tp_chart *c, size_t columns, int ascii,
    struct tp_buf *b)
{
	struct page p = { .chart = c, .buf = b };
	struct tp_blocks_marks m = { 0 };
	size_t most = columns * 3 / 10;

	p.blocks = tp_blocks(ascii);
	p.name = widest_name(c);
	most = most < NAME_MOST ? most : NAME_MOST;
	p.name = p.name > most ? most : p.name;
	p.plot = columns - p.name - 1 - SIDE;
	p.share = tp_alloc(p.plot * sizeof *p.share);
	p.cells = tp_alloc(p.plot * sizeof *p.cells);
	m.room = p.plot + SIDE;
	m.line = tp_alloc(m.room);
	memset(m.line, ' ', m.room);
	set_letters(&p);
	steps(&p, &m);
	gap_numbers(&p, &m);
	for (size_t i = 0; i < c->row_count; i++) {
		if (tp_chart_begins(c, i))
			panel(&p, &c->panels[c->rows[i].panel]);
		lane(&p, &c->rows[i]);
	}
	path(&p);
	for (size_t i = 0; i < c->level_count; i++)
		level(&p, &c->levels[i]);
	axis(&p, &m);
	legend(&p);
	list(&p);
	tp_free(p.share);
	tp_free(p.cells);
	tp_free(m.line);
}
