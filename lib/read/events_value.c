/* events_value - JSON values as they are written, and strings decoded */
#include <string.h>

#include <tp/text.h>

#include "../json_plain.h"
#include "events_private.h"

static enum tp_parse
bad(struct tp_cursor *c, const char *wrong)
{
	c->wrong = wrong;
	return TP_PARSE_BAD;
}

enum tp_parse
tp_raw_string(struct tp_cursor *c, struct tp_raw *raw)
{
	const char *p = ++c->p;

	raw->type = TP_ARG_STRING;
	raw->text = p;
	raw->escaped = 0;
	for (;;) {
		p = tp_json_run(p, c->end);
		if (p == c->end)
			return TP_PARSE_MORE;
		if (*p == '"')
			break;
		if (*p == '\\') {
			raw->escaped = 1;
			if (++p == c->end)
				return TP_PARSE_MORE;
		} else {
			c->controls++;
		}
		p++;
	}
	raw->len = (size_t)(p - raw->text);
	c->p = p + 1;
	return TP_PARSE_OK;
}

static enum tp_parse
nested(struct tp_cursor *c, struct tp_raw *raw)
{
	struct tp_skip skip;
	size_t n;

	tp_skip_init(&skip);
	n = tp_skip_run(&skip, c->p, (size_t)(c->end - c->p));
	raw->type = TP_ARG_NESTED;
	raw->text = c->p;
	raw->len = n;
	if (skip.wrong) {
		c->p += n;
		return bad(c, skip.wrong);
	}
	if (skip.depth)
		return TP_PARSE_MORE;
	c->p += n;
	c->controls += skip.controls;
	return TP_PARSE_OK;
}

/* Neither a blank nor what JSON is made of: numbers and words. */
static int
is_plain(char ch)
{
	unsigned char u = (unsigned char)ch;

	return u > ' ' && u != ',' && u != '}' && u != ']' && u != ':' &&
	    u != '"' && u != '{' && u != '[';
}

enum tp_parse
tp_raw_value(struct tp_cursor *c, struct tp_raw *raw)
{
	const char *p = c->p;

	if (p == c->end)
		return TP_PARSE_MORE;
	if (*p == '"')
		return tp_raw_string(c, raw);
	if (*p == '{' || *p == '[')
		return nested(c, raw);
	while (p < c->end && is_plain(*p))
		p++;
	if (p == c->p)
		return bad(c, "no value where one must be");
	if (p == c->end)
		return TP_PARSE_MORE;
	raw->type = *c->p == '-' || (*c->p >= '0' && *c->p <= '9') ?
	    TP_ARG_NUMBER : TP_ARG_WORD;
	raw->escaped = 0;
	raw->text = c->p;
	raw->len = (size_t)(p - c->p);
	c->p = p;
	return TP_PARSE_OK;
}

enum tp_parse
tp_raw_next(struct tp_cursor *c, char close, int first, int *more)
{
	c->p = tp_blanks(c->p, c->end);
	if (c->p == c->end)
		return TP_PARSE_MORE;
	*more = *c->p != close;
	if (!*more) {
		c->p++;
		return TP_PARSE_OK;
	}
	if (first)
		return TP_PARSE_OK;
	if (*c->p != ',')
		return bad(c, "no ',' between two values");
	c->p = tp_blanks(c->p + 1, c->end);
	if (c->p == c->end)
		return TP_PARSE_MORE;
	if (*c->p == close) {
		/* one that a loop wrote behind its last item */
		c->commas++;
		c->p++;
		*more = 0;
	}
	return TP_PARSE_OK;
}

enum tp_parse
tp_raw_key(struct tp_cursor *c, struct tp_raw *key, struct tp_buf *spare)
{
	enum tp_parse rc;
	uint64_t repaired = 0;
	char *room;

	if (*c->p != '"')
		return bad(c, "no key where one must be");
	rc = tp_raw_string(c, key);
	if (rc != TP_PARSE_OK)
		return rc;
	if (key->escaped) {
		tp_buf_clear(spare);
		room = tp_buf_room(spare, tp_raw_room(key));
		if (!room)
			return bad(c, "out of memory");
		key->len = tp_raw_decode(key, room, &repaired);
		key->text = room;
	}
	c->p = tp_blanks(c->p, c->end);
	if (c->p == c->end)
		return TP_PARSE_MORE;
	if (*c->p != ':')
		return bad(c, "no ':' behind a key");
	c->p = tp_blanks(c->p + 1, c->end);
	return c->p == c->end ? TP_PARSE_MORE : TP_PARSE_OK;
}

static int
has_high(const char *p, size_t len)
{
	uint64_t word, all = 0;

	for (; len >= 8; p += 8, len -= 8) {
		memcpy(&word, p, 8);
		all |= word;
	}
	for (; len; p++, len--)
		all |= (unsigned char)*p;
	return (all & 0x8080808080808080u) != 0;
}

size_t
tp_raw_room(const struct tp_raw *raw)
{
	if (raw->type != TP_ARG_STRING ||
	    (!raw->escaped && !has_high(raw->text, raw->len)))
		return 0;
	/* a byte may become U+FFFD, which has three */
	return 3 * raw->len + 1;
}

/* Four hexadecimal digits at P, or -1. */
static int32_t
hex4(const char *p, const char *end)
{
	int32_t n = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = p[i], l = (char)(c | 0x20);

		if (c >= '0' && c <= '9')
			n = n * 16 + (c - '0');
		else if (l >= 'a' && l <= 'f')
			n = n * 16 + (l - 'a' + 10);
		else
			return -1;
	}
	return n;
}

static char *
put(char *out, uint32_t c)
{
	if (c < 0x80) {
		*out++ = (char)c;
	} else if (c < 0x800) {
		*out++ = (char)(0xc0 | c >> 6);
		*out++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*out++ = (char)(0xe0 | c >> 12);
		*out++ = (char)(0x80 | (c >> 6 & 0x3f));
		*out++ = (char)(0x80 | (c & 0x3f));
	} else {
		*out++ = (char)(0xf0 | c >> 18);
		*out++ = (char)(0x80 | (c >> 12 & 0x3f));
		*out++ = (char)(0x80 | (c >> 6 & 0x3f));
		*out++ = (char)(0x80 | (c & 0x3f));
	}
	return out;
}

/* The escape at *P, behind its "\u". */
static uint32_t
unicode(const char **p, const char *end, uint64_t *repaired)
{
	int32_t high = hex4(*p, end), low;

	*p += 4;
	if (high < 0xd800 || high > 0xdfff)
		return (uint32_t)high;
	if (high < 0xdc00 && end - *p >= 6 && (*p)[0] == '\\' &&
	    (*p)[1] == 'u') {
		low = hex4(*p + 2, end);
		if (low >= 0xdc00 && low <= 0xdfff) {
			*p += 6;
			return 0x10000 + ((uint32_t)(high - 0xd800) << 10) +
			    (uint32_t)(low - 0xdc00);
		}
	}
	++*repaired;
	return 0xfffd;
}

/* The escape at *P, a backslash; where OUT goes on. */
static char *
escape(const char **p, const char *end, char *out, uint64_t *repaired)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *hit;

	++*p;
	if (**p == 'u' && hex4(*p + 1, end) >= 0) {
		++*p;
		return put(out, unicode(p, end, repaired));
	}
	hit = **p ? strchr(from, **p) : NULL;
	if (hit) {
		*out++ = to[hit - from];
		++*p;
	} else {
		/* "C:\path": it was meant as it stands */
		*out++ = '\\';
		++*repaired;
	}
	return out;
}

size_t
tp_raw_decode(const struct tp_raw *raw, char *out, uint64_t *repaired)
{
	const char *p = raw->text, *end = p + raw->len;
	char *start = out;
	uint32_t c;
	size_t n;

	while (p < end) {
		if (*p == '\\') {
			out = escape(&p, end, out, repaired);
		} else if (!(*p & 0x80)) {
			*out++ = *p++;
		} else if ((n = tp_utf8(p, (size_t)(end - p), &c)) != 0) {
			memcpy(out, p, n);
			out += n;
			p += n;
		} else {
			out = put(out, 0xfffd);
			p++;
			++*repaired;
		}
	}
	return (size_t)(out - start);
}
