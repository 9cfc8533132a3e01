/* pyrepr - JSON values in the notation of Python's repr() */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/records.h>
#include <tp/text.h>

#include "pyrepr.h"

/*
 * Characters for which Python's str.isprintable() is false, as far as names
 * have them.
 */
static const struct range {
	uint32_t first, last;
} unprintable[] = {
	{ 0x00, 0x1f }, { 0x7f, 0xa0 }, { 0xad, 0xad }, { 0x600, 0x605 },
	{ 0x61c, 0x61c }, { 0x6dd, 0x6dd }, { 0x70f, 0x70f },
	{ 0x1680, 0x1680 }, { 0x180e, 0x180e }, { 0x2000, 0x200f },
	{ 0x2028, 0x202f }, { 0x205f, 0x206f }, { 0x3000, 0x3000 },
	{ 0xd800, 0xf8ff }, { 0xfeff, 0xfeff }, { 0xfff0, 0xfffb },
	{ 0xfffe, 0xffff }, { 0xe0000, 0x10ffff },
};

struct walk {
	struct tp_buf *buf;
	const char *p, *end;
	enum tp_py_lists lists;
};

static int
is_printable(uint32_t c)
{
	for (size_t i = 0; i < sizeof unprintable / sizeof *unprintable; i++)
		if (c >= unprintable[i].first && c <= unprintable[i].last)
			return 0;
	return 1;
}

static void
put_char(struct tp_buf *buf, uint32_t c, char quote)
{
	if (c == (uint32_t)quote || c == '\\') {
		tp_buf_chr(buf, '\\');
		tp_buf_chr(buf, (char)c);
	} else if (c == '\n')
		tp_buf_str(buf, "\\n");
	else if (c == '\r')
		tp_buf_str(buf, "\\r");
	else if (c == '\t')
		tp_buf_str(buf, "\\t");
	else if (is_printable(c))
		tp_utf8_add(buf, c);
	else
		tp_buf_fmt(buf, c < 0x100 ? "\\x%02x" :
		    c < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)c);
}

void
tp_py_text(struct tp_buf *buf, const char *text, size_t len)
{
	char quote = len && memchr(text, '\'', len) &&
	    !memchr(text, '"', len) ? '"' : '\'';
	uint32_t c;
	size_t n;

	tp_buf_chr(buf, quote);
	for (size_t i = 0; i < len; i += n) {
		n = tp_utf8(text + i, len - i, &c);
		if (!n) {
			n = 1;
			c = 0xfffd;
		}
		put_char(buf, c, quote);
	}
	tp_buf_chr(buf, quote);
}

/*
 * The shortest digits that read back as X, and the exponent of the first:
 * 12.5 gives "125" and 1.
 */
static int
shortest(double x, char digits[32])
{
	char text[40], *e;
	size_t n = 0;

	for (int precision = 0; precision <= 16; precision++) {
		snprintf(text, sizeof text, "%.*e", precision, x);
		if (strtod(text, NULL) == x)
			break;
	}
	e = strchr(text, 'e');
	for (const char *p = text; p < e; p++)
		if (*p >= '0' && *p <= '9')
			digits[n++] = *p;
	while (n > 1 && digits[n - 1] == '0')
		n--;
	digits[n] = '\0';
	return atoi(e + 1);
}

void
tp_py_float(struct tp_buf *buf, double x)
{
	char digits[32];
	int exponent, n;

	if (!isfinite(x)) {
		tp_buf_str(buf, isnan(x) ? "nan" : x < 0 ? "-inf" : "inf");
		return;
	}
	if (signbit(x))
		tp_buf_chr(buf, '-');
	exponent = shortest(fabs(x), digits);
	n = (int)strlen(digits);
	if (exponent < -4 || exponent >= 16) {
		tp_buf_chr(buf, digits[0]);
		if (n > 1)
			tp_buf_chr(buf, '.');
		tp_buf_str(buf, digits + 1);
		tp_buf_fmt(buf, "e%c%02d", exponent < 0 ? '-' : '+',
		    abs(exponent));
		return;
	}
	if (exponent < 0) {
		tp_buf_str(buf, "0.");
		for (int i = -1; i > exponent; i--)
			tp_buf_chr(buf, '0');
		tp_buf_str(buf, digits);
		return;
	}
	for (int i = 0; i <= exponent; i++)
		tp_buf_chr(buf, i < n ? digits[i] : '0');
	tp_buf_chr(buf, '.');
	tp_buf_str(buf, n > exponent + 1 ? digits + exponent + 1 : "0");
}

static void
blanks(struct walk *w)
{
	while (w->p < w->end && strchr(" \t\r\n", *w->p) && *w->p)
		w->p++;
}

static int
accept_char(struct walk *w, char c)
{
	blanks(w);
	if (w->p == w->end || *w->p != c)
		return 0;
	w->p++;
	return 1;
}

static int
word(struct walk *w, const char *json, const char *python)
{
	size_t len = strlen(json);

	if ((size_t)(w->end - w->p) < len || memcmp(w->p, json, len))
		return 0;
	w->p += len;
	tp_buf_str(w->buf, python);
	return 1;
}

/* Read the rest of an escape; the character, or -1. */
static int64_t
escape(struct walk *w)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at;
	uint32_t c, low;

	if (w->p == w->end)
		return -1;
	if (*w->p != 'u') {
		at = *w->p ? strchr(from, *w->p) : NULL;
		w->p++;
		return at ? to[at - from] : -1;
	}
	if (tp_hex4(w->p + 1, w->end, &c) < 0)
		return -1;
	w->p += 5;
	if (c >= 0xd800 && c < 0xdc00 && w->end - w->p >= 6 &&
	    w->p[0] == '\\' && w->p[1] == 'u' &&
	    !tp_hex4(w->p + 2, w->end, &low) && low >= 0xdc00 &&
	    low < 0xe000) {
		w->p += 6;
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	return c;
}

/* Next character of a string; -1: damaged, -2: its end. */
static int64_t
next_char(struct walk *w)
{
	uint32_t c;
	size_t n;

	if (w->p == w->end)
		return -1;
	if (*w->p == '"') {
		w->p++;
		return -2;
	}
	if (*w->p == '\\') {
		w->p++;
		return escape(w);
	}
	n = tp_utf8(w->p, (size_t)(w->end - w->p), &c);
	w->p += n ? n : 1;
	return n ? c : 0xfffd;
}

static int
string(struct walk *w)
{
	const char *start = w->p;
	int single = 0, twofold = 0;
	char quote;
	int64_t c;

	while ((c = next_char(w)) >= 0) {
		single |= c == '\'';
		twofold |= c == '"';
	}
	if (c == -1)
		return -1;
	quote = single && !twofold ? '"' : '\'';
	tp_buf_chr(w->buf, quote);
	w->p = start;
	while ((c = next_char(w)) >= 0)
		put_char(w->buf, (uint32_t)c, quote);
	tp_buf_chr(w->buf, quote);
	return 0;
}

static const char *
digits(const char *p, const char *end)
{
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p;
}

/* Copy an integer of any size; convert anything else to a float. */
static int
number(struct walk *w)
{
	const char *start = w->p, *p = start, *whole;
	char text[64];
	size_t len;
	int real = 0;

	p += p < w->end && *p == '-';
	whole = p;
	p = digits(p, w->end);
	if (p == whole || (p - whole > 1 && *whole == '0'))
		return -1;
	if (p + 1 < w->end && *p == '.' && digits(p + 1, w->end) > p + 1) {
		p = digits(p + 1, w->end);
		real = 1;
	}
	if (p < w->end && (*p == 'e' || *p == 'E')) {
		const char *e = p + 1;

		e += e < w->end && (*e == '+' || *e == '-');
		if (digits(e, w->end) == e)
			return -1;
		p = digits(e, w->end);
		real = 1;
	}
	w->p = p;
	len = (size_t)(p - start);
	if (!real) {
		if (len == 2 && !memcmp(start, "-0", 2))
			tp_buf_chr(w->buf, '0');
		else
			tp_buf_add(w->buf, start, len);
		return 0;
	}
	if (len >= sizeof text)
		return -1;
	memcpy(text, start, len);
	text[len] = '\0';
	tp_py_float(w->buf, strtod(text, NULL));
	return 0;
}

static int value(struct walk *w, int depth);

static int
array(struct walk *w, int depth)
{
	int tuple = w->lists == TP_PY_TUPLES;
	size_t count = 0;

	tp_buf_chr(w->buf, tuple ? '(' : '[');
	if (!accept_char(w, ']')) {
		do {
			if (count++)
				tp_buf_str(w->buf, ", ");
			if (value(w, depth) < 0)
				return -1;
		} while (accept_char(w, ','));
		if (!accept_char(w, ']'))
			return -1;
	}
	if (tuple && count == 1)
		tp_buf_chr(w->buf, ',');
	tp_buf_chr(w->buf, tuple ? ')' : ']');
	return 0;
}

static int
object(struct walk *w, int depth)
{
	size_t count = 0;

	tp_buf_chr(w->buf, '{');
	if (!accept_char(w, '}')) {
		do {
			if (count++)
				tp_buf_str(w->buf, ", ");
			if (!accept_char(w, '"') || string(w) < 0 ||
			    !accept_char(w, ':'))
				return -1;
			tp_buf_str(w->buf, ": ");
			if (value(w, depth) < 0)
				return -1;
		} while (accept_char(w, ','));
		if (!accept_char(w, '}'))
			return -1;
	}
	tp_buf_chr(w->buf, '}');
	return 0;
}

static int
value(struct walk *w, int depth)
{
	if (depth == TP_PY_DEPTH)
		return -1;
	if (accept_char(w, '['))
		return array(w, depth + 1);
	if (accept_char(w, '{'))
		return object(w, depth + 1);
	if (accept_char(w, '"'))
		return string(w);
	if (word(w, "true", "True") || word(w, "false", "False") ||
	    word(w, "null", "None"))
		return 0;
	return number(w);
}

int
tp_py_json(struct tp_buf *buf, const char *text, size_t len,
    enum tp_py_lists lists)
{
	struct walk w = { buf, text, text + len, lists };
	size_t before = buf->len;

	if (value(&w, 0) == 0) {
		blanks(&w);
		if (w.p == w.end)
			return 0;
	}
	buf->len = before;
	if (buf->p)
		buf->p[before] = '\0';
	return -1;
}
