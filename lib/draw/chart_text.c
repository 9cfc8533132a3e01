/* chart_text - what happened over time, as lines of a terminal */
#include <string.h>

#include <tp/show/fit.h>
#include <tp/unit.h>
#include <tp/width.h>

#include "draw/blocks.h"
#include "draw/chart.h"
#include "draw/scale.h"

enum { NAME_MOST = 26, SIDE = 9, LEVEL = 4, TICKS = 4 };

struct page {
	const struct tp_chart *chart;
	struct tp_buf *buf;
	const struct tp_blocks *blocks;
	size_t name, plot;	/* columns of names, and of the axis */
	double *share;		/* by column */
};

static size_t
place(const struct page *p, int64_t t)
{
	size_t x = (size_t)tp_scale(t, p->chart->from, p->chart->to,
	    (int)p->plot);

	return x < p->plot ? x : p->plot - 1;
}

static void
begin_line(const struct page *p, const char *name)
{
	tp_blocks_cell(p->buf, p->blocks, name, p->name);
	tp_buf_chr(p->buf, ' ');
}

static void
lane(struct page *p, const struct tp_chart_row *row)
{
	tp_chart_spread(p->chart, row, p->share, p->plot);
	begin_line(p, row->name);
	for (size_t i = 0; i < p->plot; i++)
		tp_blocks_height(p->buf, p->blocks, p->share[i]);
	tp_buf_chr(p->buf, ' ');
	tp_unit_ns(p->buf, row->busy);
	tp_blocks_end(p->buf);
}

/* Numbers at places of a line; one that would cover another is left out. */
struct marks {
	char *line;
	size_t free;	/* the first column without one */
};

static void
mark(struct page *p, struct marks *m, size_t at, const char *text)
{
	size_t len = strlen(text);

	if (at < m->free || at + len > p->plot + SIDE)
		return;
	memcpy(m->line + at, text, len);
	m->free = at + len + 1;
}

static void
marked_line(struct page *p, const char *name, struct marks *m)
{
	begin_line(p, name);
	tp_buf_add(p->buf, m->line, p->plot + SIDE);
	tp_blocks_end(p->buf);
	memset(m->line, ' ', p->plot + SIDE);
	m->free = 0;
}

static void
steps(struct page *p, struct marks *m)
{
	const struct tp_chart *c = p->chart;
	struct tp_buf text = { 0 };

	for (size_t i = 0; i < c->band_count; i++) {
		tp_buf_clear(&text);
		tp_buf_fmt(&text, "|%s%s", c->bands[i].name,
		    c->bands[i].hatched ? "*" : "");
		if (!text.failed)
			mark(p, m, place(p, c->bands[i].from), text.p);
	}
	p->buf->failed |= text.failed;
	tp_buf_release(&text);
	if (c->band_count)
		marked_line(p, "steps", m);
}

static void
gap_numbers(struct page *p, struct marks *m)
{
	const struct tp_chart *c = p->chart;
	int64_t after = INT64_MIN, from;
	char number[12];
	size_t next;

	for (size_t n = 0; n < c->gap_count; n++) {
		next = c->gap_count;
		for (size_t i = 0; i < c->gap_count; i++) {
			from = c->gaps[i].from;
			if (from > after && (next == c->gap_count ||
			    from < c->gaps[next].from))
				next = i;
		}
		if (next == c->gap_count)
			break;
		after = c->gaps[next].from;
		number[0] = (char)('0' + (next + 1) / 10);
		number[1] = (char)('0' + (next + 1) % 10);
		number[2] = '\0';
		mark(p, m, place(p, after / 2 + c->gaps[next].to / 2),
		    number + (next + 1 < 10));
	}
	if (c->gap_count)
		marked_line(p, "longest gaps", m);
}

static void
level(struct page *p, const struct tp_chart_level *l)
{
	double most = l->peak ? (double)l->peak : 1;

	memset(p->share, 0, p->plot * sizeof *p->share);
	for (size_t i = 0; i < l->count; i++) {
		const struct tp_chart_part *a = &l->parts[i];
		size_t from = place(p, a->from), to = place(p, a->to);
		double share = (double)a->max / most;

		for (size_t x = from; x <= to; x++)
			if (share > p->share[x] && (x < to || x == from))
				p->share[x] = share;
	}
	for (int row = LEVEL - 1; row >= (l->peak ? 0 : LEVEL - 1); row--) {
		begin_line(p, row == LEVEL - 1 ? l->name : "");
		for (size_t i = 0; i < p->plot; i++)
			tp_blocks_area(p->buf, p->blocks, p->share[i] * LEVEL -
			    row);
		tp_buf_chr(p->buf, ' ');
		if (row == LEVEL - 1)
			tp_scale_bytes(p->buf, l->peak);
		tp_blocks_end(p->buf);
	}
}

static void
axis(struct page *p, struct marks *m)
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
		if (!text.failed)
			mark(p, m, place(p, t), text.p);
	}
	marked_line(p, "", m);
	p->buf->failed |= text.failed;
	tp_buf_release(&text);
}

static void
list(struct page *p)
{
	struct tp_buf text = { 0 };

	for (size_t i = 0; i < p->chart->gap_count; i++) {
		tp_buf_fmt(p->buf, "%3zu  ", i + 1);
		tp_buf_clear(&text);
		tp_chart_gap_words(&p->chart->gaps[i], &text);
		if (!text.failed)
			tp_fit_cut(p->buf, text.p, text.len, p->name + 1 +
			    p->plot + SIDE - 5, p->blocks->dots);
		tp_buf_chr(p->buf, '\n');
	}
	p->buf->failed |= text.failed;
	tp_buf_release(&text);
	for (size_t i = 0; i < p->chart->band_count; i++)
		if (p->chart->bands[i].hatched) {
			tp_buf_str(p->buf, "* warm-up\n");
			break;
		}
	tp_chart_rest(p->chart, &text);
	if (text.len) {
		tp_buf_add(p->buf, text.p, text.len);
		tp_buf_chr(p->buf, '\n');
	}
	p->buf->failed |= text.failed;
	tp_buf_release(&text);
}

static size_t
widest_name(const struct tp_chart *c)
{
	size_t most = strlen("longest gaps"), n;

	for (size_t i = 0; i < c->row_count; i++) {
		n = tp_text_width(c->rows[i].name, strlen(c->rows[i].name));
		most = n > most ? n : most;
	}
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
	struct marks m = { 0 };
	size_t most = columns / 4 < NAME_MOST ? columns / 4 : NAME_MOST;

	p.blocks = tp_blocks(ascii);
	p.name = widest_name(c);
	p.name = p.name > most ? most : p.name;
	p.plot = columns - p.name - 1 - SIDE;
	p.share = tp_alloc(p.plot * sizeof *p.share);
	m.line = tp_alloc(p.plot + SIDE);
	if (!p.share || !m.line) {
		b->failed = 1;
	} else {
		memset(m.line, ' ', p.plot + SIDE);
		steps(&p, &m);
		gap_numbers(&p, &m);
		for (size_t i = 0; i < c->row_count; i++)
			lane(&p, &c->rows[i]);
		for (size_t i = 0; i < c->level_count; i++)
			level(&p, &c->levels[i]);
		axis(&p, &m);
		list(&p);
	}
	tp_free(p.share);
	tp_free(m.line);
}
