/* json_check - strict validator for JSON (RFC 8259) */
#include <string.h>

#include <tp/text.h>

#include "json_check.h"
#include "json_plain.h"

enum state {
	START,		/* a value, or a byte order mark */
	MARK,		/* rest of the byte order mark */
	VALUE,		/* a value must follow */
	FIRST_VALUE,	/* a value, or ']' */
	FIRST_KEY,	/* a key, or '}' */
	KEY, COLON,
	AFTER,		/* after a value: ',' or the end of its container */
	DONE,
	STRING, ESCAPE, HEX, TAIL,	/* TAIL: rest of a character */
	WORD,
	/* Parts of a number; those at which it may end come last. */
	MINUS, POINT, E, E_SIGN,
	ZERO, WHOLE, FRACTION, EXPONENT,
};

void
tp_check_init(struct tp_check *c)
{
	memset(c, 0, sizeof *c);
	c->state = START;
}

static int
no(struct tp_check *c, const char *wrong)
{
	c->wrong = wrong;
	return -1;
}

static int
is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static void
value_ended(struct tp_check *c)
{
	c->state = c->depth ? AFTER : DONE;
}

static int
opens(struct tp_check *c, char ch)
{
	uint64_t *word = &c->objects[c->depth / 64 % (TP_DEPTH_MAX / 64)];
	uint64_t bit = (uint64_t)1 << c->depth % 64;

	if (c->depth >= tp_limits.depth)
		return no(c, tp_json_too_deep);
	*word = ch == '{' ? *word | bit : *word & ~bit;
	c->depth++;
	c->state = ch == '{' ? FIRST_KEY : FIRST_VALUE;
	return 0;
}

static int
in_object(const struct tp_check *c)
{
	unsigned d = c->depth - 1;

	return c->depth && (c->objects[d / 64] >> d % 64 & 1);
}

static int
closes(struct tp_check *c, char ch)
{
	if (!c->depth || in_object(c) != (ch == '}'))
		return no(c, "a bracket closes nothing that is open");
	c->depth--;
	value_ended(c);
	return 0;
}

static void
string(struct tp_check *c, int is_key)
{
	c->state = STRING;
	c->in_key = is_key;
}

static int
word(struct tp_check *c, const char *rest)
{
	c->state = WORD;
	c->word = rest;
	return 0;
}

static int
value(struct tp_check *c, char ch)
{
	switch (ch) {
	case '{':
	case '[':
		return opens(c, ch);
	case '"':
		string(c, 0);
		return 0;
	case 't':
		word(c, "rue");
		return 0;
	case 'f':
		word(c, "alse");
		return 0;
	case 'n':
		word(c, "ull");
		return 0;
	case '-':
		c->state = MINUS;
		return 0;
	case '0':
		c->state = ZERO;
		return 0;
	default:
		if (!tp_is_digit(ch))
			return no(c, "no value where one must be");
		c->state = WHOLE;
		return 0;
	}
}

/*
 * Start of a non-ASCII character: set the number of bytes that follow and
 * the range of the next (no overlong form, no surrogate, nothing past
 * U+10FFFF).
 */
static int
lead(struct tp_check *c, unsigned char ch)
{
	if (ch < 0xc2 || ch > 0xf4)
		return no(c, "a byte that is not UTF-8");
	c->count = ch < 0xe0 ? 1 : ch < 0xf0 ? 2 : 3;
	c->low = ch == 0xe0 ? 0xa0 : ch == 0xf0 ? 0x90 : 0x80;
	c->high = ch == 0xed ? 0x9f : ch == 0xf4 ? 0x8f : 0xbf;
	c->state = TAIL;
	return 0;
}

static int
in_string(struct tp_check *c, char ch)
{
	unsigned char u = (unsigned char)ch;

	if (ch == '"' && c->in_key)
		c->state = COLON;
	else if (ch == '"')
		value_ended(c);
	else if (ch == '\\')
		c->state = ESCAPE;
	else if (u < 0x20)
		return no(c, "a raw control character in a string");
	else if (u >= 0x80)
		return lead(c, u);
	return 0;
}

static int
in_escape(struct tp_check *c, char ch)
{
	if (ch == 'u') {
		c->state = HEX;
		c->count = 4;
		return 0;
	}
	if (!ch || !strchr("\"\\/bfnrt", ch))
		return no(c, "an escape that is none");
	c->state = STRING;
	return 0;
}

static int
in_hex(struct tp_check *c, char ch)
{
	char lower = (char)(ch | 0x20);

	if (!tp_is_digit(ch) && !(lower >= 'a' && lower <= 'f'))
		return no(c, "an escape that is none");
	if (!--c->count)
		c->state = STRING;
	return 0;
}

static int
in_tail(struct tp_check *c, char ch)
{
	unsigned char u = (unsigned char)ch;

	if (u < c->low || u > c->high)
		return no(c, "a byte that is not UTF-8");
	c->low = 0x80;
	c->high = 0xbf;
	if (!--c->count)
		c->state = STRING;
	return 0;
}

/* Next state of a number after CH, or -1 when CH is not part of it. */
static int
number_next(int state, char ch)
{
	int exp = ch == 'e' || ch == 'E', digit = tp_is_digit(ch);

	switch (state) {
	case MINUS:
		return ch == '0' ? ZERO : digit ? WHOLE : -1;
	case ZERO:
		return ch == '.' ? POINT : exp ? E : -1;
	case WHOLE:
		return digit ? WHOLE : ch == '.' ? POINT : exp ? E : -1;
	case POINT:
		return digit ? FRACTION : -1;
	case FRACTION:
		return digit ? FRACTION : exp ? E : -1;
	case E:
		return digit ? EXPONENT : ch == '+' || ch == '-' ? E_SIGN :
		    -1;
	default:
		return digit ? EXPONENT : -1;
	}
}

/* Between values, after blanks. */
static int
structure(struct tp_check *c, char ch)
{
	switch (c->state) {
	case FIRST_VALUE:
		return ch == ']' ? closes(c, ch) : value(c, ch);
	case VALUE:
		return value(c, ch);
	case FIRST_KEY:
		if (ch == '}')
			return closes(c, ch);
		/* fall through */
	case KEY:
		if (ch != '"')
			return no(c, "no key where one must be");
		string(c, 1);
		return 0;
	case COLON:
		if (ch != ':')
			return no(c, "no ':' behind a key");
		c->state = VALUE;
		return 0;
	case AFTER:
		if (ch != ',')
			return closes(c, ch);
		c->state = in_object(c) ? KEY : VALUE;
		return 0;
	default:
		return no(c, "bytes behind the document");
	}
}

/* RFC 8259 allows a reader to ignore the mark. */
static int
start(struct tp_check *c, char ch)
{
	if (ch != '\xef') {
		c->state = VALUE;
		return is_blank(ch) ? 0 : value(c, ch);
	}
	c->state = MARK;
	c->word = "\xbb\xbf";
	return 0;
}

static int
in_word(struct tp_check *c, char ch)
{
	if (ch != *c->word)
		return no(c, "a word that is none of JSON's");
	if (*++c->word)
		return 0;
	if (c->state == MARK)
		c->state = VALUE;
	else
		value_ended(c);
	return 0;
}

static int
other(struct tp_check *c, char ch)
{
	if (is_blank(ch))
		return 0;
	if (c->state == AFTER && ch != ',' && ch != ']' && ch != '}')
		return no(c, "no ',' between two values");
	return structure(c, ch);
}

static int
one(struct tp_check *c, char ch)
{
	int next;

	switch (c->state) {
	case STRING:
		return in_string(c, ch);
	case ESCAPE:
		return in_escape(c, ch);
	case HEX:
		return in_hex(c, ch);
	case TAIL:
		return in_tail(c, ch);
	case START:
		return start(c, ch);
	case MARK:
	case WORD:
		return in_word(c, ch);
	default:
		if (c->state < MINUS)
			return other(c, ch);
		next = number_next(c->state, ch);
		if (next >= 0) {
			c->state = next;
			return 0;
		}
		if (c->state < ZERO)
			return no(c, "a number that is none");
		value_ended(c);
		return other(c, ch);
	}
}

size_t
tp_check_run(struct tp_check *c, const char *p, size_t len)
{
	const char *at = p, *end = p + len;

	while (at < end) {
		if (c->state == STRING) {
			/* plain ASCII */
			const char *run = tp_json_run(at, end);

			while (at < run && !(*at & 0x80))
				at++;
			if (at == end)
				break;
		}
		if (one(c, *at) < 0)
			break;
		at++;
	}
	return (size_t)(at - p);
}

int
tp_check_end(struct tp_check *c)
{
	if (c->state >= ZERO)
		value_ended(c);
	if (c->state != DONE)
		c->wrong = "the document ends early";
	return c->state == DONE;
}
