/* scene_text - a picture as rows of marks, as lines of a terminal */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include <tp/order.h>
#include <tp/show/fit.h>
#include <tp/text.h>
#include <tp/width.h>

#include "draw/blocks.h"
#include "draw/scene.h"

/* LIST: 1/N of all columns, for names and notes.  The others: columns. */
enum { LIST = 3, WIDE = 72, LEAST = 8, NARROW = 24,
	SHORT = 6,
	LETTERS = 8 };		/* most letters of a row */

/* Widths of the columns of rows with a plot, or of those without. */
struct shape {
	size_t name, plot, values[TP_SCENE_VALUES], note;
};

struct page {
	const struct tp_scene *scene;
	const struct tp_blocks *blocks;
	struct tp_buf *buf;
	struct shape shapes[2];
	const char **cells;	/* of a plot: a character, or NULL */
	double *parts;		/* how much of each is covered */
	double (*by)[LETTERS];	/* ... by marks of each letter */
	char letters[LETTERS];	/* of this row */
};

static size_t
width_of(const char *text)
{
	return text ? tp_text_width(text, strlen(text)) : 0;
}

static int
has_plot(const struct tp_scene_row *row)
{
	return row->kind != TP_ROW || row->height || row->lines ||
	    row->count > (size_t)row->is_key;
}

static size_t
used(const struct shape *s)
{
	size_t n = s->note ? s->note + 2 : 0;

	for (int k = 0; k < TP_SCENE_VALUES; k++)
		n += s->values[k] ? s->values[k] + 2 : 0;
	return n;
}

/*
 * Set the widths by the contents.  Omits the notes below WIDE columns, and the
 * first values where a plot would be too narrow.
 */
static void
lay_out(struct page *p)
{
	const struct tp_scene *s = p->scene;

	for (size_t i = 0; i < s->count; i++) {
		const struct tp_scene_row *row = &s->rows[i];
		struct shape *to = &p->shapes[has_plot(row)];

		for (size_t k = 0; k < row->count; k++)
			if (row->marks[k].x < 0 && row->marks[k].text)
				TP_MOST(to->name, width_of(row->marks[k].text));
		if (row->kind == TP_AXIS || row->kind == TP_NAMES)
			TP_MOST(to->name, width_of(row->name));
		if (row->kind != TP_ROW)
			continue;
		TP_MOST(to->name, width_of(row->name) + (row->is_key ? 2 : 0));
		TP_MOST(to->note, width_of(row->note));
		for (int k = 0; k < TP_SCENE_VALUES; k++)
			TP_MOST(to->values[k], width_of(row->values[k]));
	}
	for (int i = 0; i < 2; i++) {
		struct shape *to = &p->shapes[i];
		size_t room;

		TP_LEAST(to->note, s->columns / LIST);
		if (s->columns < WIDE)
			to->note = 0;
		if (!i)
			continue;
		room = s->columns / LIST;
		if (used(to) + LEAST + 1 < s->columns)
			TP_MOST(room, s->columns - used(to) - LEAST - 1);
		TP_LEAST(room, (size_t)(s->names * (double)s->columns));
		TP_LEAST(to->name, room);
		for (int k = 0; k < TP_SCENE_VALUES && to->name + 1 +
		    used(to) + LEAST > s->columns; k++)
			to->values[k] = 0;
		to->plot = s->columns - used(to) - (to->name ? to->name + 1 :
		    0);
	}
}

static void
put_values(struct page *p, const struct tp_scene_row *row,
    const struct shape *shape)
{
	for (int k = 0; k < TP_SCENE_VALUES; k++) {
		if (!shape->values[k])
			continue;
		tp_blocks_pad(p->buf, shape->values[k] + 2 -
		    width_of(row->values[k]));
		tp_buf_str(p->buf, row->values[k] ? row->values[k] : "");
	}
	if (shape->note && row->note) {
		tp_blocks_pad(p->buf, 2);
		tp_blocks_cell(p->buf, p->blocks, row->note, shape->note);
	}
}

static size_t
cell_of(double x, size_t count)
{
	double at = floor(x * (double)count + 0.5);

	return at <= 0 ? 0 : at >= (double)count ? count : (size_t)at;
}

/* Add to the cells of one line the parts that M covers, and its letter. */
static void
cover(struct page *p, const struct tp_mark *m)
{
	size_t plot = p->shapes[1].plot, letter = 0;
	double from = m->x * (double)plot, to = m->to * (double)plot, part;

	while (m->text && letter + 1 < LETTERS && p->letters[letter] &&
	    p->letters[letter] != *m->text)
		letter++;
	if (m->text)
		p->letters[letter] = *m->text;
	for (size_t i = from > 0 ? (size_t)from : 0; i < plot && (double)i <
	    to; i++) {
		part = m->high * (fmin(to, (double)i + 1) - fmax(from,
		    (double)i));
		p->parts[i] += part;
		p->by[i][letter] += m->text ? part : 0;
	}
}

/* Fill whole columns of a plot of LINES up to the top of M. */
static void
rise(struct page *p, const struct tp_mark *m, size_t lines)
{
	size_t plot = p->shapes[1].plot, from = cell_of(m->x, plot);
	size_t to = cell_of(m->to, plot);

	from = from == plot ? plot - 1 : from;
	to = to <= from ? from + 1 : to;
	for (size_t k = 0; k < lines; k++)
		for (size_t i = from; i < to; i++)
			TP_MOST(p->parts[k * plot + i], m->high * (double)
			    lines - (double)(lines - k - 1));
}

/* The line of a plot of LINES that Y is in. */
static size_t
line_of(double y, size_t lines)
{
	size_t up = y <= 0 ? 0 : (size_t)(y * (double)lines);

	return up >= lines ? 0 : lines - 1 - up;
}

static void
put_mark(struct page *p, const struct tp_mark *m, size_t lines)
{
	const char *sign = p->blocks->signs[m->sign];
	size_t plot = p->shapes[1].plot, from = cell_of(m->x, plot);
	size_t to = cell_of(m->to, plot);
	size_t top = line_of(m->high - 1e-9, lines);
	size_t foot = line_of(m->low, lines);

	if (m->sign == TP_SIGN_NONE || m->x < 0)
		return;
	if (m->shape == TP_SHAPE_RECT && m->sign == TP_SIGN_AREA) {
		if (lines > 1)
			rise(p, m, lines);
		else
			cover(p, m);
		return;
	}
	from = from == plot ? plot - 1 : from;
	if (m->shape == TP_SHAPE_POINT || m->shape == TP_SHAPE_TEXT) {
		/* of texts, those of a letter */
		if (!m->text || !m->text[1])
			p->cells[foot * plot + from] = m->text ? m->text : sign;
		return;
	}
	to = to <= from ? from + 1 : to;
	for (size_t i = from; i < to; i++) {
		double part = m->to > m->x ? ((double)i / (double)plot -
		    m->x) / (m->to - m->x) : 0;

		if (m->shape == TP_SHAPE_LINE)
			top = foot = line_of(m->low + part * (m->high -
			    m->low), lines);
		for (size_t k = top; k <= foot; k++)
			p->cells[k * plot + i] = sign;
	}
}

/*
 * The letter of the marks that cover most of cell AT, small if half of it is
 * idle; 0 if they have none.
 */
static char
letter_of(const struct page *p, size_t at)
{
	const double *by = p->by[at];
	size_t most = 0;

	for (size_t i = 1; i < LETTERS; i++)
		if (by[i] > by[most])
			most = i;
	return by[most] <= 0 ? '\0' : p->parts[at] < 0.5 ? (char)tolower(
	    (unsigned char)p->letters[most]) : p->letters[most];
}

/* Write the line K of the plot of ROW. */
static void
put_cells(struct page *p, const struct tp_scene_row *row, size_t k)
{
	size_t plot = p->shapes[1].plot;
	char letter;

	for (size_t i = k * plot; i < (k + 1) * plot; i++)
		if (p->cells[i])
			tp_buf_str(p->buf, p->cells[i]);
		else if ((letter = letter_of(p, i)))
			tp_buf_chr(p->buf, letter);
		else if (row->track > 0)
			tp_blocks_height(p->buf, p->blocks, p->parts[i]);
		else
			tp_blocks_area(p->buf, p->blocks, p->parts[i]);
}

/*
 * How many bytes NAME shares with another that looks the same once it is cut
 * to COLUMNS; 0 if there is none.
 */
static size_t
alike(const struct page *p, const char *name, size_t columns)
{
	struct tp_buf cut = { 0 }, other = { 0 };
	size_t most = 0, n;

	tp_blocks_cell(&cut, p->blocks, name, columns);
	for (size_t i = 0; i < p->scene->count; i++) {
		const char *to = p->scene->rows[i].name;

		if (p->scene->rows[i].kind != TP_ROW || !to ||
		    !strcmp(name, to))
			continue;
		tp_blocks_cell(&other, p->blocks, to, columns);
		for (n = 0; name[n] && name[n] == to[n]; n++)
			;
		if (other.len == cut.len && !memcmp(cut.p, other.p, cut.len))
			TP_MOST(most, n);
		tp_buf_clear(&other);
	}
	tp_buf_release(&cut);
	tp_buf_release(&other);
	return most;
}

/*
 * Write NAME and a blank, cut in the middle to COLUMNS; if another name would
 * look the same, cut at its end, and before the word that differs if that has
 * no room.
 */
static void
put_name(struct page *p, const char *name, size_t columns)
{
	size_t dots = width_of(p->blocks->dots), blanks = strspn(name, " "), n;
	size_t from = width_of(name) > columns ? alike(p, name, columns) : 0;
	struct tp_buf text = { 0 };

	if (from) {
		tp_buf_add(&text, name, blanks);
		if (tp_text_width(name, from) + dots < columns)
			from = blanks;
		while (from > blanks && isalnum((unsigned char)name[from - 1]))
			from--;
		tp_buf_str(&text, from > blanks ? p->blocks->dots : "");
		n = text.len;
		tp_buf_str(&text, name + from);
		if (tp_text_width(text.p, text.len) > columns) {
			while (text.len > n && tp_text_width(text.p, text.len) +
			    dots > columns)
				while ((text.p[--text.len] & 0xc0) == 0x80)
					;
			text.p[text.len] = '\0';
			tp_buf_str(&text, p->blocks->dots);
		}
		name = text.p;
	}
	tp_blocks_cell(p->buf, p->blocks, name, columns);
	tp_buf_chr(p->buf, ' ');
	tp_buf_release(&text);
}

static void
put_plot(struct page *p, const struct tp_scene_row *row, size_t at)
{
	const struct tp_scene *s = p->scene;
	const struct shape *shape = &p->shapes[1];
	size_t lines = row->lines ? (size_t)row->lines : 1, size;

	size = lines * shape->plot;
	p->cells = tp_zalloc(size * sizeof *p->cells);
	p->parts = tp_zalloc(size * sizeof *p->parts);
	p->by = tp_zalloc(size * sizeof *p->by);
	memset(p->letters, 0, sizeof p->letters);
	for (size_t i = 0; i < s->span_count; i++)
		if (at >= s->spans[i].first && at <= s->spans[i].last)
			put_mark(p, &s->spans[i].mark, lines);
	for (size_t i = row->is_key; i < row->count; i++)
		put_mark(p, &row->marks[i], lines);
	for (size_t k = 0; k < lines; k++) {
		struct tp_buf name = { 0 };

		if (row->name && !k)
			tp_buf_str(&name, row->name);
		for (size_t i = 0; i < row->count; i++)
			if (row->marks[i].x < 0 && line_of(row->marks[i].low -
			    1e-9, lines) == k && !name.len) {
				tp_blocks_pad(&name, shape->name - width_of(
				    row->marks[i].text));
				tp_buf_str(&name, row->marks[i].text);
			}
		tp_buf_str(&name, "");
		if (shape->name)
			put_name(p, name.p, shape->name);
		put_cells(p, row, k);
		if (!k)
			put_values(p, row, shape);
		tp_blocks_end(p->buf);
		tp_buf_release(&name);
	}
	tp_free(p->cells);
	tp_free(p->parts);
	tp_free(p->by);
}

/* A row without a plot; where it is narrow, the numbers have their own line. */
static void
put_item(struct page *p, const struct tp_scene_row *row)
{
	const struct shape *shape = &p->shapes[0];
	size_t room = p->scene->columns - used(shape), key = 0;
	const char *name = row->name ? row->name : "";

	if (row->is_key) {
		tp_buf_fmt(p->buf, "%s ", row->count ? p->blocks->signs[
		    row->marks[0].sign] : " ");
		key = 2;
	}
	if (room < NARROW && room < shape->name) {
		if (*name) {
			tp_fit_cut(p->buf, name, strlen(name),
			    p->scene->columns - key, p->blocks->dots);
			tp_blocks_end(p->buf);
			key = 0;
		}
		name = "";
	}
	tp_blocks_cell(p->buf, p->blocks, name, room - key);
	put_values(p, row, shape);
	tp_blocks_end(p->buf);
}

/* Cut TEXT, unless it is short, to ROOM and a blank. */
static void
fit(const struct page *p, struct tp_buf *text, size_t room)
{
	struct tp_buf cut = { 0 };

	if (tp_text_width(text->p, text->len) <= SHORT || room < 2)
		return;
	tp_fit_cut(&cut, text->p, text->len, room - 1, p->blocks->dots);
	tp_buf_clear(text);
	tp_buf_add(text, cut.p, cut.len);
	tp_buf_release(&cut);
}

/* Write labels, from left to right; those that would overlap are left out. */
static void
put_ticks(struct page *p, const struct tp_scene_row *row)
{
	const struct shape *shape = &p->shapes[1];
	size_t room = p->scene->columns - (shape->name ? shape->name + 1 : 0);
	size_t end = 0, at, wide;
	struct tp_buf text = { 0 };

	if (shape->name)
		put_name(p, row->name ? row->name : "", shape->name);
	for (size_t i = 0; i < row->count; i++) {
		const struct tp_mark *mark = &row->marks[i];

		tp_buf_clear(&text);
		tp_buf_fmt(&text, "%s%s", row->kind == TP_AXIS ? "|" : "",
		    mark->text);
		at = cell_of(mark->x, shape->plot);
		TP_LEAST(at, shape->plot - 1);
		if (row->is_tight)
			fit(p, &text, i + 1 < row->count ? cell_of(mark[1].x,
			    shape->plot) - at : room - at);
		wide = tp_text_width(text.p, text.len);
		if (row->kind == TP_NAMES)
			at -= at < wide / 2 ? at : wide / 2;
		if ((end && at < end + 1) || at + wide > room)
			continue;
		tp_blocks_pad(p->buf, at - end);
		tp_buf_add(p->buf, text.p, text.len);
		end = at + wide;
	}
	tp_blocks_end(p->buf);
	tp_buf_release(&text);
}

static void
put_legend(struct page *p, const struct tp_scene_row *row)
{
	struct tp_buf text = { 0 };

	for (size_t i = 0; i < row->count; i++)
		if (row->marks[i].sign != TP_SIGN_NONE)
			tp_buf_fmt(&text, "%s%s %s", text.len ? "  " : "",
			    p->blocks->signs[row->marks[i].sign],
			    row->marks[i].text);
	if (text.len)
		tp_blocks_words(p->buf, &text, p->scene->columns);
	tp_buf_release(&text);
}

void
tp_scene_lines(const struct tp_scene *s, struct tp_buf *b)
{
	struct page p = { .scene = s, .buf = b, .blocks = tp_blocks(s->form ==
	    TP_DRAW_ASCII) };
	struct tp_buf text = { 0 };

	lay_out(&p);
	for (size_t i = 0; i < s->count; i++) {
		const struct tp_scene_row *row = &s->rows[i];

		switch (row->kind) {
		case TP_WORDS:
			tp_show_text(&text, row->name, strlen(row->name));
			tp_blocks_words(b, &text, s->columns);
			break;
		case TP_LEGEND:
			put_legend(&p, row);
			break;
		case TP_AXIS:
		case TP_NAMES:
			put_ticks(&p, row);
			break;
		case TP_ROW:
			if (has_plot(row))
				put_plot(&p, row, i);
			else
				put_item(&p, row);
			break;
		}
	}
	tp_buf_release(&text);
}
