/* events_value - read and decode JSON strings */
#include <string.h>

#include <tp/text.h>

#include "events_private.h"

enum tp_parse
tp_raw_long_string(struct tp_cursor *c, struct tp_raw *raw)
{
	const char *p = ++c->p;
	uint64_t odd = 0;

	raw->type = TP_ARG_STRING;
	raw->text = p;
	raw->escaped = raw->simple = 0;
	for (;;) {
		p = tp_json_run_high(p, c->end, &odd);
		if (p == c->end)
			return TP_PARSE_MORE;
		if (*p == '"')
			break;
		if (*p == '\\') {
			raw->escaped = 1;
			odd = 1;
			if (++p == c->end)
				return TP_PARSE_MORE;
		} else {
			c->controls++;
		}
		p++;
	}
	raw->len = (uint32_t)(p - raw->text);
	raw->odd = odd != 0;
	c->p = p + 1;
	return TP_PARSE_OK;
}

enum tp_parse
tp_raw_other(struct tp_cursor *c, struct tp_raw *raw)
{
	const char *p = c->p;

	while (p < c->end && tp_is_plain(*p))
		p++;
	if (p == c->p)
		return tp_raw_bad(c, "no value where one must be");
	if (p == c->end)
		return TP_PARSE_MORE;
	raw->type = *c->p == '-' || (*c->p >= '0' && *c->p <= '9') ?
	    TP_ARG_NUMBER : TP_ARG_WORD;
	raw->odd = raw->escaped = raw->simple = 0;
	raw->text = c->p;
	raw->len = (uint32_t)(p - c->p);
	c->p = p;
	return TP_PARSE_OK;
}

/* Decode the escape at *P after its "\u": FIRST, or both halves of a pair. */
static uint32_t
unicode(const char **p, const char *end, uint32_t first, uint64_t *repaired)
{
	uint32_t low;

	*p += 4;
	if (first < 0xd800 || first > 0xdfff)
		return first;
	if (first < 0xdc00 && end - *p >= 6 && (*p)[0] == '\\' &&
	    (*p)[1] == 'u' && !tp_hex4(*p + 2, end, &low) &&
	    low >= 0xdc00 && low <= 0xdfff) {
		*p += 6;
		return 0x10000 + ((first - 0xd800) << 10) + (low - 0xdc00);
	}
	++*repaired;
	return 0xfffd;
}

/* Decode the escape at *P, a backslash; returns the end of the output. */
static char *
escape(const char **p, const char *end, char *out, uint64_t *repaired)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *hit;
	uint32_t c;

	++*p;
	if (**p == 'u' && !tp_hex4(*p + 1, end, &c)) {
		++*p;
		return out + tp_utf8_put(out, unicode(p, end, c, repaired));
	}
	hit = **p ? strchr(from, **p) : NULL;
	if (hit) {
		*out++ = to[hit - from];
		++*p;
	} else {
		/* "C:\path": keep an unescaped backslash */
		*out++ = '\\';
		++*repaired;
	}
	return out;
}

/* Write a nested value on one line. */
static size_t
join_lines(const struct tp_raw *raw, char *out)
{
	const char *p = raw->text, *end = p + raw->len;
	char *start = out;
	int quoted = 0;

	for (; p < end; p++) {
		if (!quoted && tp_blanks(p, p + 1) > p)
			continue;
		*out++ = *p;
		if (quoted && *p == '\\' && p + 1 < end)
			*out++ = *++p;
		else if (*p == '"')
			quoted = !quoted;
		else if (!quoted && (*p == ',' || *p == ':'))
			*out++ = ' ';
	}
	return (size_t)(out - start);
}

size_t
tp_raw_decode(const struct tp_raw *raw, char *out, uint64_t *repaired)
{
	const char *p = raw->text, *end = p + raw->len;
	char *start = out;
	uint32_t c;
	size_t n;

	if (raw->type == TP_ARG_NESTED)
		return join_lines(raw, out);
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
			out += tp_utf8_put(out, 0xfffd);
			p++;
			++*repaired;
		}
	}
	return (size_t)(out - start);
}
