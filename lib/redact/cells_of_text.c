/* cells_of_text - strings, attributes and cells of a text, and their keys */
#include <ctype.h>
#include <string.h>

#include <tp/text.h>

#include "redact_parts.h"

/* Remember KEY.  Returns its class. */
static int
set_key(struct tp_redact *r, const char *key, size_t len)
{
	size_t n = len < KEY_MOST ? len : KEY_MOST;

	memcpy(r->key, key, n);
	r->key[n] = '\0';
	return r->key_class = tp_redact_key(r, key, len);
}

/* If this value names a secret, the next value is the secret. */
static int
take_pending(struct tp_redact *r, const char *p, size_t len, int whole)
{
	int pending = r->pending, is;

	r->pending = 0;
	if (whole == TP_REDACT_NONE && pending)
		return pending;
	if (tp_redact_is_variable(p, len) && ((is = tp_redact_key(r, p, len)) ==
	    TP_REDACT_SECRET || is == KEY_WEAK))
		r->pending = is;
	return whole;
}

/* Whether a list may hold several values of this class. */
static int
is_list_class(int is)
{
	return is == TP_REDACT_USER || is == TP_REDACT_HOST ||
	    is == TP_REDACT_EMAIL || is == KEY_WEAK;
}

/* The class of a whole value by its key and its container. */
static int
class_of_value(const struct tp_redact *r)
{
	int is = r->key_class;

	if (is == KEY_UNAME_HOST && r->inside != KEY_UNAME)
		is = TP_REDACT_NONE;
	if (is == TP_REDACT_ENV)
		is = KEY_VARIABLE;
	if (is == KEY_WEAK && r->inside == TP_REDACT_ENV)
		is = TP_REDACT_SECRET;
	if (is != TP_REDACT_NONE && is != KEY_UNAME && is != KEY_VERSION)
		return is;
	if (is_list_class(r->inside))
		return r->depth == r->inside_depth + 1 && !*r->key ?
		    r->inside : TP_REDACT_NONE;
	if (r->inside == TP_REDACT_ENV) {
		if (!*r->key)
			return KEY_VARIABLE;
		return tp_redact_is_variable(r->key, strlen(r->key)) &&
		    !tp_redact_is_kept(r, r->key, strlen(r->key)) ?
		    TP_REDACT_ENV : TP_REDACT_NONE;
	}
	return r->inside == KEY_UNAME ? TP_REDACT_NONE : r->inside;
}

int
tp_redact_member(struct tp_redact *r, const char *key, size_t len)
{
	set_key(r, key, len);
	return class_of_value(r);
}

static int
may_hold(int is)
{
	return is == TP_REDACT_ENV || is == TP_REDACT_PROMPT ||
	    is == TP_REDACT_ARGUMENT || is == KEY_UNAME ||
	    is == TP_REDACT_SECRET;
}

/*
 * Bytes allowed between JSON strings: 1 in a number or word, 2 a mark; 0 are
 * not allowed.
 */
static const unsigned char between[256] = {
	[' '] = 1, ['\t'] = 1, ['\r'] = 1, ['\n'] = 1, [':'] = 1,
	['0'] = 1, ['1'] = 1, ['2'] = 1, ['3'] = 1, ['4'] = 1, ['5'] = 1,
	['6'] = 1, ['7'] = 1, ['8'] = 1, ['9'] = 1, ['+'] = 1, ['-'] = 1,
	['.'] = 1, ['e'] = 1, ['E'] = 1, ['t'] = 1, ['r'] = 1, ['u'] = 1,
	['f'] = 1, ['a'] = 1, ['l'] = 1, ['s'] = 1, ['n'] = 1, ['N'] = 1,
	['I'] = 1, ['i'] = 1, ['y'] = 1,
	[','] = 2, ['{'] = 2, ['}'] = 2, ['['] = 2, [']'] = 2,
};

static void
take_mark(struct tp_redact *r, char c)
{
	switch (c) {
	case '{':
	case '[':
		if (!r->inside && (may_hold(r->key_class) || (c == '[' &&
		    is_list_class(r->key_class)))) {
			r->inside = r->key_class;
			r->inside_depth = r->depth;
		}
		r->key_class = TP_REDACT_NONE;
		r->key[0] = '\0';
		r->depth++;
		break;
	case '}':
	case ']':
		r->depth -= r->depth > 0;
		if (r->inside && r->depth <= r->inside_depth)
			r->inside = 0;
		/* FALLTHROUGH */
	default:
		r->key_class = TP_REDACT_NONE;
		r->key[0] = '\0';
	}
}

/* Whether a gap may be split at C. */
static int
is_cut(char c)
{
	return between[(unsigned char)c] == 2 || c == '\n';
}

/*
 * Processes the gap between strings from P to END piece by piece.  Pieces
 * with bytes that JSON does not allow there are examined as text.
 */
static void
take_gap(struct tp_redact *r, const char *p, const char *end)
{
	const char *piece = p;
	int good = 1;

	for (;; p++) {
		if (p < end && !is_cut(*p)) {
			good &= between[(unsigned char)*p];
			continue;
		}
		if (!good)
			tp_redact_text(r, piece, (size_t)(p - piece),
			    ESCAPE_JSON, TP_REDACT_NONE);
		if (p == end)
			return;
		if (*p != '\n')
			take_mark(r, *p);
		piece = p + 1;
		good = 1;
	}
}

/*
 * Like set_key() for a JSON string.  If it is escaped, its value is in the
 * first buffer.
 */
static void
set_json_key(struct tp_redact *r, const char *p, size_t len)
{
	if (memchr(p, '\\', len) && len > 1 && r->plain[0].p)
		set_key(r, r->plain[0].p, (size_t)r->plain_len);
	else
		set_key(r, p, len);
}

/* The quote that ends the string at P, or NULL. */
static const char *
string_end(const char *p, const char *end)
{
	const char *q = p, *b;

	while ((q = memchr(q, '"', (size_t)(end - q)))) {
		for (b = q; b > p && b[-1] == '\\'; b--)
			;
		if (!((q - b) & 1))
			return q;
		q++;
	}
	return NULL;
}

/* Whether a colon follows at P; -1 if more input must be read. */
static int
is_colon(const char *p, const char *end, int last)
{
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' ||
	    *p == '\t'))
		p++;
	return p < end ? *p == ':' : last ? 0 : -1;
}

size_t
tp_redact_json(struct tp_redact *r, const char *p, size_t len, int last)
{
	const char *at = p, *end = p + len, *quote, *close = NULL, *stop;
	int colon = 0;

	for (;;) {
		quote = memchr(at, '"', (size_t)(end - at));
		stop = quote ? quote : end;
		/* keep an incomplete piece for the next block */
		while (!quote && !last && stop > at && !is_cut(stop[-1]))
			stop--;
		if (quote && (close = string_end(quote + 1, end)) &&
		    (colon = is_colon(close + 1, end, last)) < 0)
			return (size_t)(at - p);
		if (quote && !close && !last)
			return (size_t)(at - p);
		take_gap(r, at, stop);
		if (!quote)
			return (size_t)(stop - p);
		if (!close) {
			tp_redact_text(r, quote + 1, (size_t)(end - quote - 1),
			    ESCAPE_JSON, class_of_value(r));
			return len;
		}
		quote++;
		if (colon) {
			tp_redact_text(r, quote, (size_t)(close - quote),
			    ESCAPE_JSON, TP_REDACT_NONE);
			set_json_key(r, quote, (size_t)(close - quote));
		} else {
			tp_redact_text(r, quote, (size_t)(close - quote),
			    ESCAPE_JSON, take_pending(r, quote,
			    (size_t)(close - quote), class_of_value(r)));
		}
		at = close + 1;
	}
}

static int
is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_' ||
	    c == ':' || c == '.';
}

static void
take_name(char to[KEY_MOST + 1], const char *p, const char *end)
{
	size_t n = 0;

	while (p < end && is_name_char(*p) && n < KEY_MOST)
		to[n++] = *p++;
	to[n] = '\0';
}

/* The class of an attribute's value, by element and attribute. */
static int
class_of_attribute(struct tp_redact *r, const char *p, size_t len)
{
	int is;

	for (size_t i = 0; i < r->element_count; i++)
		if (!strcmp(r->elements[i].element, r->element) &&
		    !strcmp(r->elements[i].attribute, r->attribute))
			return r->elements[i].is;
	if (r->inside == TP_REDACT_ENV && (!strcmp(r->attribute, "name") ||
	    !strcmp(r->attribute, "key"))) {
		r->is_kept = tp_redact_is_kept(r, p, len);
		if (len < KEY_MOST)
			set_key(r, p, len);
		return TP_REDACT_NONE;
	}
	is = tp_redact_key(r, r->attribute, strlen(r->attribute));
	if (r->inside == TP_REDACT_ENV && is == TP_REDACT_NONE)
		return r->key_class ? r->key_class : r->is_kept ?
		    TP_REDACT_NONE : TP_REDACT_ENV;
	return is == KEY_UNAME || is == KEY_UNAME_HOST ||
	    is == TP_REDACT_PROMPT ? TP_REDACT_NONE :
	    is == TP_REDACT_ENV ? KEY_VARIABLE : is;
}

/* Processes the tag from P, after its '<', to END, its '>'. */
static void
take_tag(struct tp_redact *r, const char *p, const char *end)
{
	const char *close, *name, *gap = p;
	int is_end = p < end && *p == '/', is;
	size_t len;

	take_name(r->element, p + is_end, end);
	if (is_end) {
		tp_redact_text(r, p, (size_t)(end - p), ESCAPE_XML,
		    TP_REDACT_NONE);
		r->depth -= r->depth > 0;
		if (r->inside && r->depth <= r->inside_depth)
			r->inside = 0;
		r->element[0] = r->key[0] = '\0';
		r->key_class = TP_REDACT_NONE;
		return;
	}
	is = set_key(r, r->element, strlen(r->element));
	r->is_kept = 0;
	if (is == TP_REDACT_ENV && !r->inside && end[-1] != '/') {
		r->inside = is;
		r->inside_depth = r->depth;
	}
	for (; p < end; p++) {
		if (*p != '"' && *p != '\'')
			continue;
		close = memchr(p + 1, *p, (size_t)(end - p - 1));
		if (!close)
			close = end;
		/* malformed text may stand outside quotes */
		tp_redact_text(r, gap, (size_t)(p - gap), ESCAPE_XML,
		    TP_REDACT_NONE);
		for (name = p; name > r->base && (name[-1] == '=' ||
		    name[-1] == ' '); name--)
			;
		while (name > r->base && is_name_char(name[-1]))
			name--;
		take_name(r->attribute, name, p);
		p++;
		len = (size_t)(close - p);
		tp_redact_text(r, p, len, ESCAPE_XML, take_pending(r, p, len,
		    class_of_attribute(r, p, len)));
		p = close;
		gap = p < end ? p + 1 : end;
	}
	tp_redact_text(r, gap, (size_t)(end - gap), ESCAPE_XML,
	    TP_REDACT_NONE);
	if (end[-1] != '/')
		r->depth++;
}

/* The '>' that ends the tag at P, outside quotes; or NULL. */
static const char *
tag_end(const char *p, const char *end)
{
	for (; p < end; p++) {
		if (*p == '>')
			return p;
		if ((*p == '"' || *p == '\'') && !(p = memchr(p + 1, *p,
		    (size_t)(end - p - 1))))
			return NULL;
	}
	return NULL;
}

/* The first WORD from P on; or NULL. */
static const char *
seek(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);

	for (; (p = memchr(p, *word, (size_t)(end - p))); p++)
		if ((size_t)(end - p) >= n && !memcmp(p, word, n))
			return p;
	return NULL;
}

size_t
tp_redact_xml(struct tp_redact *r, const char *p, size_t len, int last)
{
	const char *at = p, *end = p + len, *open, *close, *text;
	const char *word;

	for (;;) {
		open = memchr(at, '<', (size_t)(end - at));
		if (!open && !last)
			return (size_t)(at - p);
		text = open ? open : end;
		if (open && end - open < 9 && !last)
			return (size_t)(at - p);
		word = !open ? NULL : tp_begins(open, end, "<!--") ? "-->" :
		    tp_begins(open, end, "<![CDATA[") ? "]]>" : NULL;
		close = !open ? NULL : word ? seek(open, end, word) :
		    tag_end(open + 1, end);
		if (open && !close && !last)
			return (size_t)(at - p);
		if (text > at)
			tp_redact_text(r, at, (size_t)(text - at), ESCAPE_XML,
			    take_pending(r, at, (size_t)(text - at),
			    r->key_class == TP_REDACT_ENV || r->key_class ==
			    KEY_UNAME_HOST || r->key_class == TP_REDACT_PROMPT
			    ? TP_REDACT_NONE : r->key_class));
		if (!open)
			return len;
		if (!close || word || open[1] == '?' || open[1] == '!')
			tp_redact_text(r, open, (size_t)((close ? close :
			    end) - open), close ? ESCAPE_NONE : ESCAPE_XML,
			    TP_REDACT_NONE);
		else
			take_tag(r, open + 1, close);
		if (!close)
			return len;
		at = close + (word ? 3 : 1);
	}
}

/*
 * The end of the cell at P: after its quotes, its separator, or the end of its
 * line.  NULL if more input must be read.
 */
static const char *
cell_end(const struct tp_redact *r, const char *p, const char *end)
{
	if (p < end && *p == '"' && r->separator)
		for (p++; (p = memchr(p, '"', (size_t)(end - p))); p++) {
			if (p + 1 == end)
				return NULL;
			if (*++p != '"')
				break;
		}
	for (; p && p < end; p++)
		if (*p == '\n' || (r->separator && *p == r->separator))
			return p;
	return NULL;
}

/* Take the first row as names of columns. */
static void
take_head(struct tp_redact *r, const char *p, size_t len)
{
	tp_grow(&r->columns, &r->column_cap, r->column_count + 1, 1);
	r->columns[r->column_count] = (unsigned char)tp_redact_key(r, p, len);
	r->column_count++;
}

static void
take_cell(struct tp_redact *r, const char *p, size_t len)
{
	enum tp_escape escape = ESCAPE_NONE;
	int is = TP_REDACT_NONE;

	while (len && p[len - 1] == '\r')
		len--;
	if (r->separator && len > 1 && *p == '"' && p[len - 1] == '"') {
		p++;
		len -= 2;
		escape = ESCAPE_CSV;
	}
	r->key[0] = '\0';
	if (r->row_first)
		take_head(r, p, len);
	else if (r->column < r->column_count)
		is = r->columns[r->column];
	r->key_class = is;
	if (is == KEY_UNAME_HOST || is == KEY_UNAME)
		is = TP_REDACT_NONE;
	if (is == TP_REDACT_ENV)
		is = KEY_VARIABLE;
	tp_redact_text(r, p, len, escape, take_pending(r, p, len, is));
	r->column++;
}

size_t
tp_redact_rows(struct tp_redact *r, const char *p, size_t len, int last)
{
	const char *at = p, *end = p + len, *stop;

	if (r->is_first) {
		stop = memchr(p, '\n', len);
		if (!stop && !last && len < 65536)
			return 0;
		stop = stop ? stop : end;
		r->separator = memchr(p, ',', (size_t)(stop - p)) ? ',' :
		    memchr(p, '\t', (size_t)(stop - p)) ? '\t' :
		    memchr(p, ';', (size_t)(stop - p)) ? ';' : '\0';
		r->is_first = 0;
		r->row_first = r->separator != '\0';
	}
	while (at < end) {
		stop = cell_end(r, at, end);
		if (!stop && !last)
			break;
		take_cell(r, at, (size_t)((stop ? stop : end) - at));
		at = stop ? stop + 1 : end;
		if (stop && *stop == '\n') {
			r->column = 0;
			r->row_first = 0;
			r->pending = 0;
		}
	}
	return (size_t)(at - p);
}
