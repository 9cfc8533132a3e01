/* changes_text - named times before and after, by how much they changed, as
 * lines of a terminal */
#include <string.h>

#include <tp/show/fit.h>
#include <tp/width.h>

#include "draw/blocks.h"
#include "draw/changes.h"
#include "draw/scale.h"

enum { NAME_MOST = 40, WORD_MOST = 15, LEAST = 12, TICKS = 4 };

/* What a character of the axis shows, as index of signs. */
enum { NOTHING, ZERO, INTERVAL, LINE, FULL, HOLLOW, CROSS, LESS, MORE };

static const char *const signs[2][9] = {
	{ " ", "\xe2\x94\x82", "\xe2\x94\x80", "\xe2\x94\x81",
	    "\xe2\x97\x8f", "\xe2\x97\x8b", "\xc3\x97", "\xe2\x97\x82",
	    "\xe2\x96\xb8" },
	{ " ", "|", "-", "=", "*", "o", "x", "<", ">" }
};

struct page {
	const struct tp_changes *changes;
	struct tp_buf *buf;
	const struct tp_blocks *blocks;
	const char *const *signs;
	const char *arrow;
	/* widths in columns; 0: omitted */
	size_t name, plot, times, percent, word;
	char *cells;
};

static size_t
map_change_to_cell(const struct page *p, int64_t change)
{
	const struct tp_changes *c = p->changes;

	change = change < c->from ? c->from : change > c->to ? c->to :
	    change;
	return (size_t)tp_scale(change, c->from, c->to, (int)p->plot - 1);
}

static void
times(const struct page *p, const struct tp_change *v, struct tp_buf *b)
{
	tp_buf_clear(b);
	tp_change_time(b, v->before);
	tp_buf_fmt(b, " %s ", p->arrow);
	tp_change_time(b, v->after);
}

static void
percent(const struct tp_change *v, struct tp_buf *b)
{
	tp_buf_clear(b);
	tp_change_percent(b, v->place);
	tp_buf_str(b, "");
}

static size_t
most(size_t n, const char *text)
{
	size_t width = tp_text_width(text, strlen(text));

	return width > n ? width : n;
}

/* The heading of the times. */
static void
heading(const struct page *p, struct tp_buf *text)
{
	tp_buf_clear(text);
	tp_buf_fmt(text, "before %s after", p->arrow);
}

/*
 * Set the widths by the contents.  If the axis would be too narrow, omits the
 * times first, then the words.
 */
static void
set_column_widths(struct page *p, size_t columns)
{
	const struct tp_changes *c = p->changes;
	struct tp_buf text = { 0 };
	size_t name = columns / 3 < NAME_MOST ? columns / 3 : NAME_MOST, used;

	heading(p, &text);
	p->times = most(p->times, text.p);
	for (size_t i = 0; i < c->panel_count; i++)
		for (size_t k = 0; k < c->panels[i].count; k++) {
			const struct tp_change *v = &c->panels[i].list[k];

			p->name = most(p->name, v->label);
			p->word = most(p->word, v->word);
			times(p, v, &text);
			p->times = most(p->times, text.p);
			percent(v, &text);
			p->percent = most(p->percent, text.p);
		}
	p->name = p->name > name ? name : p->name;
	p->word = p->word > WORD_MOST ? WORD_MOST : p->word;
	used = p->name + 1 + (p->percent ? p->percent + 1 : 0);
	if (used + p->times + 1 + p->word + 1 + LEAST > columns)
		p->times = 0;
	if (used + p->word + 1 + LEAST > columns)
		p->word = 0;
	used += (p->word ? p->word + 1 : 0) + (p->times ? p->times + 1 : 0);
	p->plot = columns - used;
	tp_buf_release(&text);
}

/* Write a column of numbers unless it is omitted. */
static void
number(struct tp_buf *b, const struct tp_buf *text, size_t width)
{
	if (width)
		tp_blocks_right(b, text, width + 1);
}

/* Write the heading of a panel, and of the times in the first one. */
static void
head(struct page *p, const char *name, int is_first)
{
	struct tp_buf text = { 0 };
	size_t most = p->name + 1 + p->plot;

	if (!*name && !is_first)
		return;
	most = tp_fit_cut(p->buf, name, strlen(name), most, p->blocks->dots);
	if (is_first) {
		tp_blocks_pad(p->buf, p->name + 1 + p->plot - most);
		heading(p, &text);
		number(p->buf, &text, p->times);
	}
	tp_blocks_end(p->buf);
	tp_buf_release(&text);
}

static void
fill(struct page *p, size_t from, size_t to, char what)
{
	for (; from <= to; from++)
		p->cells[from] = what;
}

static void
row(struct page *p, const struct tp_change *v)
{
	static const char marks[] = { FULL, HOLLOW, CROSS };
	size_t zero = map_change_to_cell(p, 0), x = map_change_to_cell(p,
	    tp_changes_place(p->changes, v->place));
	int to = tp_changes_beyond(p->changes, v->place);
	struct tp_buf text = { 0 };

	memset(p->cells, NOTHING, p->plot);
	if (v->has_interval)
		fill(p, map_change_to_cell(p, v->low),
		    map_change_to_cell(p, v->high), INTERVAL);
	fill(p, x < zero ? x : zero, x < zero ? zero : x, LINE);
	p->cells[zero] = ZERO;
	p->cells[x] = to ? (to < 0 ? LESS : MORE) : marks[v->mark];
	tp_blocks_name(p->buf, p->blocks, v->label, p->name);
	for (size_t i = 0; i < p->plot; i++)
		tp_buf_str(p->buf, p->signs[(int)p->cells[i]]);
	times(p, v, &text);
	number(p->buf, &text, p->times);
	percent(v, &text);
	number(p->buf, &text, p->percent);
	if (p->word) {
		tp_buf_chr(p->buf, ' ');
		tp_fit_cut(p->buf, v->word, strlen(v->word), p->word,
		    p->blocks->dots);
	}
	tp_blocks_end(p->buf);
	tp_buf_release(&text);
}

static void
axis(struct page *p)
{
	const struct tp_changes *c = p->changes;
	int64_t step = tp_scale_step(c->to - c->from, TICKS), t;
	struct tp_blocks_marks m = { .line = p->cells, .room = p->plot };
	struct tp_buf text = { 0 };

	memset(p->cells, ' ', p->plot);
	for (t = -(-c->from / step * step); t <= c->to; t += step) {
		tp_buf_clear(&text);
		tp_buf_chr(&text, '|');
		tp_changes_tick(&text, t, step);
		/* a label left of 0 must not hide that of 0 */
		if (t >= 0 || map_change_to_cell(p, t) + text.len <
		    map_change_to_cell(p, 0))
			tp_blocks_mark(&m, map_change_to_cell(p, t), text.p);
	}
	tp_blocks_name(p->buf, p->blocks, "", p->name);
	tp_buf_add(p->buf, p->cells, p->plot);
	tp_blocks_end(p->buf);
	tp_buf_release(&text);
}

/* Write TEXT in lines of COLUMNS. */
static void
line(struct tp_buf *b, const char *text, size_t columns)
{
	if (!*text)
		return;
	tp_wrap(b, text, 0, 0, columns);
	tp_buf_chr(b, '\n');
}

void
tp_changes_text(const struct tp_changes *c, size_t columns, int ascii,
    struct tp_buf *b)
{
	struct page p = { .changes = c, .buf = b };
	struct tp_buf rest = { 0 };

	p.blocks = tp_blocks(ascii);
	p.signs = signs[ascii];
	p.arrow = ascii ? "->" : "\xe2\x86\x92";
	set_column_widths(&p, columns);
	p.cells = tp_alloc(p.plot);
	tp_changes_rest(c, &rest);
	tp_buf_str(&rest, "");
	for (size_t i = 0; i < c->panel_count; i++) {
		head(&p, c->panels[i].name, !i);
		for (size_t k = 0; k < c->panels[i].count; k++)
			row(&p, &c->panels[i].list[k]);
	}
	axis(&p);
	line(b, c->axis, columns);
	line(b, rest.p, columns);
	tp_free(p.cells);
	tp_buf_release(&rest);
}
