/* page_text - styled text for a terminal */
#include <string.h>

#include <tp/text.h>
#include <tp/width.h>

#include "page_text.h"

void
tp_page_text_clear(struct tp_page_text *t)
{
	tp_buf_clear(&t->text);
	tp_buf_clear(&t->looks);
}

void
tp_page_text_release(struct tp_page_text *t)
{
	tp_buf_release(&t->text);
	tp_buf_release(&t->looks);
}

/* Set the style of the newly appended text to LOOK. */
static void
look_so(struct tp_page_text *t, unsigned look)
{
	size_t n = t->text.len - t->looks.len;
	char *p = tp_buf_room(&t->looks, n);

	memset(p, (int)look, n);
	t->looks.len += n;
}

static int
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Whether T ends in a blank or newline, so that none is to follow. */
static int
is_open(const struct tp_page_text *t)
{
	char last = t->text.len ? t->text.p[t->text.len - 1] : '\n';

	return last == ' ' || last == '\n';
}

void
tp_page_text_add(struct tp_page_text *t, const char *text, size_t len,
    unsigned look, int single)
{
	const char *p = text, *end = text + len, *word;

	while (p < end) {
		for (word = p; p < end && !(single && is_blank(*p)); p++)
			continue;
		tp_show_text(&t->text, word, (size_t)(p - word));
		for (word = p; p < end && is_blank(*p); p++)
			continue;
		if (p > word && !is_open(t))
			tp_buf_chr(&t->text, ' ');
	}
	look_so(t, look);
}

void
tp_page_text_break(struct tp_page_text *t)
{
	tp_buf_chr(&t->text, '\n');
	look_so(t, 0);
}

/* The length of the word at P without closing punctuation. */
static size_t
bare_word(const char *p, const char *end)
{
	size_t n = 0;

	while (p + n < end && !is_blank(p[n]))
		n++;
	while (n && strchr(").,;:", p[n - 1]))
		n--;
	return n;
}

size_t
tp_page_unit(const char *p, const char *end)
{
	static const char *const units[] = { "%", "ns", "us", "ms", "s", "min",
	    "h", "B", "KiB", "MiB", "GiB", "TiB", "KB", "MB", "GB", "TB",
	    "GB/s", "GiB/s", "MiB/s", "TFLOP/s", "GFLOP/s", "points" };
	size_t n = bare_word(p, end);

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (tp_is(p, n, units[i]))
			return n;
	return 0;
}

/* The length of the number at P ("9.10", "2,993.5"), or 0. */
static size_t
number_at(const char *p, const char *end)
{
	size_t n = 0;

	if (p == end || !tp_is_digit(*p))
		return 0;
	while (p + n < end && (tp_is_digit(p[n]) || p[n] == '.' || p[n] == ','))
		n++;
	while (n && !tp_is_digit(p[n - 1]))
		n--;
	return n;
}

/* The length of the number with a unit at P, or 0. */
static size_t
quantity_at(const char *p, const char *end)
{
	size_t n = number_at(p, end), unit;

	if (!n || p + n == end)
		return 0;
	if (p[n] == 'x' && bare_word(p, end) == n + 1)
		return n + 1;
	if (p[n] != ' ')
		return 0;
	unit = tp_page_unit(p + n + 1, end);
	return unit ? n + 1 + unit : 0;
}

void
tp_page_text_set_off(struct tp_page_text *t, size_t from)
{
	const char *text = t->text.p;
	size_t n, i = from;

	while (i < t->text.len) {
		n = (i == from || strchr(" \n(~", text[i - 1])) &&
		    !(t->looks.p[i] & TP_LOOK_NAME) ?
		    quantity_at(text + i, text + t->text.len) : 0;
		for (size_t k = i; k < i + n; k++)
			t->looks.p[k] |= TP_LOOK_BOLD;
		i += n ? n : 1;
	}
}

size_t
tp_page_part_width(const struct tp_page_text *t,
    const struct tp_page_part *part)
{
	/* an empty text has no bytes: p may be NULL */
	return part->to > part->from ? tp_text_width(t->text.p + part->from,
	    part->to - part->from) : 0;
}

/* Whether a line may end at the blank P in the text from START to END. */
static int
ends_at(const char *start, const char *p, const char *end,
    enum tp_page_ends ends)
{
	const char *q = p;

	if (ends == TP_ENDS_FACTS)
		return p > start && (p[-1] == ',' ||
		    (p + 1 < end && p[1] == '('));
	while (q > start && (tp_is_digit(q[-1]) || q[-1] == '.' ||
	    q[-1] == ','))
		q--;
	/* "9.10 s" does not break; "in 1998, s" does */
	return q == p || !tp_is_digit(p[-1]) || !tp_page_unit(p + 1, end);
}

/* The length of the word at P, up to the next possible line end. */
static size_t
word_at(const char *p, const char *end, enum tp_page_ends ends)
{
	size_t n = 0;

	for (; p + n < end && p[n] != '\n'; n++) {
		if (p[n] == ' ' && ends_at(p, p + n, end, ends))
			break;
		if (ends == TP_ENDS_NAMES && n && p[n - 1] == '_' &&
		    p[n] != '_')
			break;
	}
	return n;
}

int
tp_page_part_line(const struct tp_page_text *t, struct tp_page_part *part,
    size_t width, enum tp_page_ends ends, struct tp_page_part *line)
{
	const char *text = t->text.p, *end = text + part->to;
	size_t at = part->from, n, wide, used = 0;

	while (at < part->to && text[at] == ' ')
		at++;
	line->from = line->to = at;
	if (at >= part->to)
		return 0;
	while (at < part->to) {
		n = word_at(text + at, end, ends);
		wide = tp_text_width(text + at, n) + (at > line->to);
		if (used && used + wide > width)
			break;
		used += wide;
		line->to = at += n;
		if (at < part->to && text[at] == '\n') {
			at++;
			break;
		}
		at += at < part->to && text[at] == ' ';
	}
	while (line->to > line->from && text[line->to - 1] == ' ')
		line->to--;
	part->from = at;
	return 1;
}

/*
 * Turn a style on.  Styles must be readable on dark and light backgrounds:
 * bold, faint, and the one of 16 colours that contrasts with both.
 */
static void
turn_on(struct tp_buf *out, unsigned look)
{
	static const struct {
		unsigned look;
		const char *order;
	} orders[] = {
		{ TP_LOOK_BOLD, "1" }, { TP_LOOK_FAINT, "2" },
		{ TP_LOOK_NAME, "35" }
	};
	const char *separator = "\033[";

	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
		if (look & orders[i].look) {
			tp_buf_str(out, separator);
			tp_buf_str(out, orders[i].order);
			separator = ";";
		}
	tp_buf_chr(out, 'm');
}

void
tp_page_look(struct tp_buf *out, unsigned from, unsigned to)
{
	if (from == to)
		return;
	if (from)
		tp_buf_str(out, "\033[0m");
	if (to)
		turn_on(out, to);
}

void
tp_page_part_print(struct tp_buf *out, const struct tp_page_text *t,
    const struct tp_page_part *part, int color, unsigned look)
{
	unsigned now = 0, next;
	size_t at = part->from, n;

	for (; at < part->to; at += n) {
		next = ((unsigned char)t->looks.p[at] | look) *
		    (unsigned)color;
		for (n = 1; at + n < part->to &&
		    t->looks.p[at + n] == t->looks.p[at]; n++)
			continue;
		tp_page_look(out, now, next);
		tp_buf_add(out, t->text.p + at, n);
		now = next;
	}
	tp_page_look(out, now, 0);
}
