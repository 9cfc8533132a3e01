/* events_value - strings of JSON, decoded */
#include <string.h>

#include <tp/text.h>

#include "events_private.h"

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
