/*
 * events_parse - incremental parser for JSON values
 *
 * Each function continues at C->p.  TP_PARSE_OK moves it past what was read;
 * TP_PARSE_MORE: the text ended, retry from the start with more of it;
 * TP_PARSE_BAD leaves it at the error.  Inline, because they read every byte
 * of a trace.  Not installed.
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
	uint64_t commas;	/* trailing commas */
};

/* A value as written; strings without their quotes. */
struct tp_raw {
	const char *text;
	uint32_t len;
	unsigned char type;	/* enum tp_arg_type */
	unsigned char escaped;	/* a string with backslashes */
	unsigned char odd;	/* must be decoded: has backslashes or bytes
				 * beyond ASCII, or is a nested value over
				 * several lines */
	unsigned char simple;	/* a plain decimal: 1 + the number of digits
				 * before the point; else 0 */
};

/*
 * Values by number, below TP_VALUES.  Those without a bit in HAVE are
 * absent: an event has few of all the args that a filter asks for.
 */
#define TP_VALUES 97
struct tp_values {
	uint64_t have[2];
	struct tp_raw at[TP_VALUES];
};

/* The first number from FROM on with a bit in HAVE; 128: none. */
static inline unsigned
tp_values_next(const uint64_t *have, unsigned from)
{
	uint64_t bits = from < 64 ? have[0] >> from << from : 0;

	if (bits)
		return (unsigned)__builtin_ctzll(bits);
	from = from < 64 ? 0 : from - 64;
	bits = from < 64 ? have[1] >> from << from : 0;
	return bits ? 64 + (unsigned)__builtin_ctzll(bits) : 128;
}

#define TP_FOR_VALUES(i, have) \
	for (unsigned i = tp_values_next((have), 0); i < TP_VALUES; \
	    i = tp_values_next((have), i + 1))

/* Where to write value I. */
static inline struct tp_raw *
tp_values_put(struct tp_values *v, unsigned i)
{
	v->have[i >> 6] |= UINT64_C(1) << (i & 63);
	return &v->at[i];
}

static inline void
tp_values_clear(struct tp_values *v)
{
	TP_FOR_VALUES(i, v->have)
		v->at[i] = (struct tp_raw){ 0 };
	v->have[0] = v->have[1] = 0;
}

/*
 * Room RAW needs when decoded: a byte may become U+FFFD, three bytes long,
 * or gain a blank.  0: it is used as is.
 */
static inline size_t
tp_raw_room(const struct tp_raw *raw)
{
	return raw->odd ? 3 * (size_t)raw->len + 1 : 0;
}

/*
 * Decode RAW into OUT, which has the room.  Returns its length; *REPAIRED
 * counts invalid UTF-8 and invalid escapes.  In a nested value a blank
 * follows each ',' and ':', as Kineto writes it, so that a pretty-printed
 * file gives the same text.
 */
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

/* Read the string at C->p, a quote, of any length and content. */
enum tp_parse tp_raw_long_string(struct tp_cursor *c, struct tp_raw *raw);

/* Read the string at C->p, a quote. */
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

/* Whether CH may be part of a number or word. */
static inline int
tp_is_plain(char ch)
{
	unsigned char u = (unsigned char)ch;

	return u > ' ' && u != ',' && u != '}' && u != ']' && u != ':' &&
	    u != '"' && u != '{' && u != '[';
}

/* Read the number or word at C->p. */
enum tp_parse tp_raw_other(struct tp_cursor *c, struct tp_raw *raw);

/* Read the value at C->p, of any type. */
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
 * Skip the separator between members or items: to the next one (*MORE 1), or
 * past CLOSE (*MORE 0).  FIRST: the opening bracket was just read.
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
		/* trailing comma, as a careless loop writes it */
		c->commas++;
		c->p++;
		*more = 0;
	}
	return TP_PARSE_OK;
}

/* Read a key and its ':'; a key with escapes is decoded into SPARE. */
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
