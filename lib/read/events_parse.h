/*
 * events_parse - JSON values as they are written
 *
 * Each function goes on at C->p: TP_PARSE_OK moves it behind what was read;
 * TP_PARSE_MORE says that the text ended, to be tried again from the start
 * with more of it; TP_PARSE_BAD leaves it at what is wrong.  Inline, because
 * they read every byte of a trace.  Not installed.
 */
#ifndef TP_READ_EVENTS_PARSE_H
#define TP_READ_EVENTS_PARSE_H

#include <tp/buf.h>

#include "events.h"
#include "json_plain.h"
#include "json_skip.h"

enum tp_parse { TP_PARSE_BAD = -1, TP_PARSE_MORE = 0, TP_PARSE_OK = 1 };

struct tp_cursor {
	const char *p, *end;
	const char *wrong;	/* of TP_PARSE_BAD */
	uint64_t controls;	/* raw control characters in strings */
	uint64_t commas;	/* in front of a closing bracket */
};

/* A value as it is written, strings without their quotes. */
struct tp_raw {
	const char *text;
	uint32_t len;
	unsigned char type;	/* enum tp_arg_type */
	unsigned char escaped;	/* a string with backslashes */
	unsigned char odd;	/* those or bytes beyond ASCII, or a nested
				 * value of several lines: to be decoded */
	unsigned char simple;	/* a number of digits and perhaps a point: 1
				 * and how many stand in front of that */
};

/* How many bytes RAW may need when it is decoded: a byte may become U+FFFD,
 * which has three, or have a blank behind it.  0: it is used as it is. */
static inline size_t
tp_raw_room(const struct tp_raw *raw)
{
	return raw->odd ? 3 * (size_t)raw->len + 1 : 0;
}

/* Decode RAW into OUT, which has the room: its length; *REPAIRED counts what
 * was not UTF-8 or no escape.  A nested value gets the blanks that Kineto
 * writes, one behind each ',' and ':', so that a file that was printed in
 * several lines has the same text. */
size_t tp_raw_decode(const struct tp_raw *raw, char *out, uint64_t *repaired);

static inline const char *
tp_blanks(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' ||
	    *p == '\t'))
		p++;
	return p;
}

static inline enum tp_parse
tp_raw_bad(struct tp_cursor *c, const char *wrong)
{
	c->wrong = wrong;
	return TP_PARSE_BAD;
}

/* The string at C->p, a quote, of any length and with anything in it. */
enum tp_parse tp_raw_long_string(struct tp_cursor *c, struct tp_raw *raw);

/* The string at C->p, a quote. */
static inline enum tp_parse
tp_raw_string(struct tp_cursor *c, struct tp_raw *raw)
{
	const char *quote = tp_json_short(c->p + 1, c->end);

	if (!quote)
		return tp_raw_long_string(c, raw);
	raw->type = TP_ARG_STRING;
	raw->escaped = raw->odd = raw->simple = 0;
	raw->text = c->p + 1;
	raw->len = (uint32_t)(quote - raw->text);
	c->p = quote + 1;
	return TP_PARSE_OK;
}

static inline enum tp_parse
tp_raw_nested(struct tp_cursor *c, struct tp_raw *raw)
{
	struct tp_skip skip;
	size_t n;

	tp_skip_init(&skip);
	n = tp_skip_run(&skip, c->p, (size_t)(c->end - c->p));
	raw->type = TP_ARG_NESTED;
	raw->odd = raw->escaped = raw->simple = 0;
	raw->text = c->p;
	raw->len = (uint32_t)n;
	if (skip.wrong) {
		c->p += n;
		return tp_raw_bad(c, skip.wrong);
	}
	if (skip.depth)
		return TP_PARSE_MORE;
	c->p += n;
	raw->odd = memchr(raw->text, '\n', n) != NULL;
	c->controls += skip.controls;
	return TP_PARSE_OK;
}

/* Neither a blank nor what JSON is made of: numbers and words. */
static inline int
tp_is_plain(char ch)
{
	unsigned char u = (unsigned char)ch;

	return u > ' ' && u != ',' && u != '}' && u != ']' && u != ':' &&
	    u != '"' && u != '{' && u != '[';
}

/* The number or word at C->p. */
enum tp_parse tp_raw_other(struct tp_cursor *c, struct tp_raw *raw);

/* The value at C->p, of any type. */
static inline enum tp_parse
tp_raw_value(struct tp_cursor *c, struct tp_raw *raw)
{
	if (c->p == c->end)
		return TP_PARSE_MORE;
	if (*c->p == '"')
		return tp_raw_string(c, raw);
	if (*c->p == '{' || *c->p == '[')
		return tp_raw_nested(c, raw);
	return tp_raw_other(c, raw);
}

/*
 * Step over what separates members or items: to the next (*MORE 1), or behind
 * CLOSE (*MORE 0).  FIRST when the opening bracket was just read.
 */
static inline enum tp_parse
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
		return tp_raw_bad(c, "no ',' between two values");
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

/* A key and its ':'; a key with escapes is decoded into SPARE. */
static inline enum tp_parse
tp_raw_key(struct tp_cursor *c, struct tp_raw *key, struct tp_buf *spare)
{
	enum tp_parse rc;
	uint64_t repaired = 0;
	char *room;

	if (*c->p != '"')
		return tp_raw_bad(c, "no key where one must be");
	rc = tp_raw_string(c, key);
	if (rc != TP_PARSE_OK)
		return rc;
	if (key->escaped) {
		tp_buf_clear(spare);
		room = tp_buf_room(spare, tp_raw_room(key));
		if (!room)
			return tp_raw_bad(c, "out of memory");
		key->len = (uint32_t)tp_raw_decode(key, room, &repaired);
		key->text = room;
	}
	c->p = tp_blanks(c->p, c->end);
	if (c->p == c->end)
		return TP_PARSE_MORE;
	if (*c->p != ':')
		return tp_raw_bad(c, "no ':' behind a key");
	c->p = tp_blanks(c->p + 1, c->end);
	return c->p == c->end ? TP_PARSE_MORE : TP_PARSE_OK;
}

#endif
