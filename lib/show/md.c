/* md - escape untrusted text for Markdown */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/order.h>
#include <tp/share.h>
#include <tp/text.h>

#include "md.h"

/*
 * Most backquotes that Markdown parsers accept around a code span (cmark:
 * 80).
 */
#define QUOTES_MAX 80

static int
is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	    (c >= 'A' && c <= 'Z');
}

/* Whether C can be part of a user name in a path; all non-ASCII can. */
static int
in_name(char c)
{
	return is_alnum(c) || c == '.' || c == '_' || c == '-' ||
	    (unsigned char)c >= 0x80;
}

/* The length of the home folder at P ("/Users/ann"), or 0. */
static size_t
home_at(const char *start, const char *p, const char *end)
{
	static const char *const roots[] = { "/Users/", "/home/" };
	const char *q;

	if (p > start && in_name(p[-1]))
		return 0;
	if (tp_begins(p, end, "/root/"))
		return 5;
	for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
		if (!tp_begins(p, end, roots[i]))
			continue;
		for (q = p + strlen(roots[i]); q < end && in_name(*q); q++)
			;
		if (q == p + strlen(roots[i]) ||
		    (q - p == 13 && tp_begins(p, end, "/Users/Shared")))
			continue;
		return (size_t)(q - p);
	}
	return 0;
}

/*
 * Write TEXT as one line of UTF-8.  Homes become '~'; characters that change
 * the direction of text become visible.  Controls become visible if PLAIN, else
 * they and blanks collapse to one space, with none at either end.
 */
static void
one_line(struct tp_buf *line, const char *text, size_t len, int plain)
{
	const char *p = text, *end = text + len;
	int blank = 0;
	uint32_t c;
	size_t n;

	for (; p < end; p += n) {
		n = home_at(text, p, end);
		c = '~';
		if (!n && !(n = tp_utf8(p, (size_t)(end - p), &c))) {
			c = 0xfffd;
			n = 1;
		}
		if (!plain && (c == ' ' || tp_is_control(c))) {
			blank = line->len > 0;
			continue;
		}
		if (blank)
			tp_buf_chr(line, ' ');
		blank = 0;
		if (tp_is_control(c) || tp_turns_text(c))
			tp_show_control(line, c);
		else
			tp_utf8_add(line, c);
	}
}

/* Whether P is a continuation byte. */
static int
continues(const char *p)
{
	return ((unsigned char)*p & 0xc0) == 0x80;
}

/*
 * Whether LINE is a kernel that share/ops calls tuned: the beginning of its
 * name has types and tile, the rest are parameters of tuning.
 */
static int
is_tuned(struct tp_buf *line)
{
	static struct tp_arena arena;
	static const char **names;
	static int read;	/* once, whether or not it can be */
	struct tp_err err = { 0 };
	cJSON *doc;

	if (!read) {
		read = 1;
		doc = tp_share_json("ops/torch-kernels.json", &err);
		tp_share_texts(&arena, doc ? tp_json_get(doc, "tuned") :
		    NULL, &names);
		cJSON_Delete(doc);
	}
	for (size_t i = 0; names && names[i]; i++)
		if (tp_glob(names[i], line->p, line->len))
			return 1;
	return 0;
}

/*
 * Remove the middle of LINE if it is longer than TP_MD_NAME_MAX, or than
 * half of that if it is a tuned kernel.
 */
static void
cut_middle(struct tp_buf *line)
{
	static const char dots[] = "...";
	size_t max = TP_MD_NAME_MAX, head, tail;

	if (line->len <= max / 2)
		return;
	if (is_tuned(line))
		max /= 2;
	if (line->len <= max)
		return;
	head = max * 2 / 3;
	tail = line->len - (max - head - (sizeof dots - 1));
	while (head && continues(line->p + head))
		head--;
	while (tail < line->len && continues(line->p + tail))
		tail++;
	memcpy(line->p + head, dots, sizeof dots - 1);
	head += sizeof dots - 1;
	memmove(line->p + head, line->p + tail, line->len - tail + 1);
	line->len = head + line->len - tail;
}

static int
holds(const char *p, const char *end, const char *word)
{
	for (; p < end; p++)
		if (tp_begins(p, end, word))
			return 1;
	return 0;
}

/* Whether a Markdown parser could turn a part of it into a link. */
static int
looks_linked(const char *p, const char *end)
{
	return holds(p, end, "://") || holds(p, end, "mailto:") ||
	    holds(p, end, "xmpp:") || holds(p, end, "www.");
}

/* Whether the character at P could begin a block, if the text begins a line. */
static int
begins_block(const char *start, const char *p, const char *end)
{
	const char *q;

	if (strchr("#+-=", *p))
		return p == start;
	/* ":-:" below a line makes it a table */
	if (*p == ':')
		return p == start && p + 1 < end && p[1] == '-';
	if (*p != '.' && *p != ')')
		return 0;
	for (q = start; q < p; q++)
		if (*q < '0' || *q > '9')
			return 0;
	return p > start && (p + 1 == end || p[1] == ' ');
}

/* Whether only '#' follow from P on, which end a heading. */
static int
ends_heading(const char *start, const char *p, const char *end)
{
	if (*p != '#' || p == start || p[-1] != ' ')
		return 0;
	while (p < end && *p == '#')
		p++;
	return p == end;
}

/* Whether the character at P needs a backslash. */
static int
means_something(const char *start, const char *p, const char *end)
{
	if (*p == '_')
		return p == start || p + 1 == end || !is_alnum(p[-1]) ||
		    !is_alnum(p[1]);
	return strchr("\\`*[]~$^", *p) || begins_block(start, p, end) ||
	    ends_heading(start, p, end);
}

/* The length of a non-ASCII blank at P, which *C gets; 0 if there is none. */
static size_t
wide_blank(const char *p, const char *end, uint32_t *c)
{
	size_t n = tp_utf8(p, (size_t)(end - p), c);

	return n > 1 && tp_is_blank(*c) ? n : 0;
}

/*
 * Whether P is the sign of "<0.1 %" or ">99.9 %".  No tag begins with a digit,
 * but a quotation may.
 */
static int
is_limit(const char *start, const char *p, const char *end)
{
	return p + 1 < end && tp_is_digit(p[1]) && (*p == '<' ||
	    (*p == '>' && p > start && p[-1] == ' ' && *start > ' '));
}

static void
escape(struct tp_buf *buf, const char *start, size_t len)
{
	const char *p, *end = start + len;
	int linked = len && looks_linked(start, end);
	uint32_t c;
	size_t n;

	for (p = start; p < end; p++) {
		/* "**" next to such a blank would not be bold */
		n = wide_blank(p, end, &c);
		if (n && (p == start || p + n == end)) {
			tp_buf_fmt(buf, "&#%u;", (unsigned)c);
			p += n - 1;
		} else if (is_limit(start, p, end))
			tp_buf_chr(buf, *p);
		else if (*p == '&')
			tp_buf_str(buf, "&amp;");
		else if (*p == '<')
			tp_buf_str(buf, "&lt;");
		else if (*p == '>')
			tp_buf_str(buf, "&gt;");
		else if (*p == '|')
			tp_buf_str(buf, "&#124;");
		else if (linked && strchr(":.", *p))
			tp_buf_fmt(buf, "&#%d;", *p);
		else {
			if (means_something(start, p, end))
				tp_buf_chr(buf, '\\');
			tp_buf_chr(buf, *p);
		}
	}
}

/* The longest run of backquotes. */
static size_t
longest_run(const char *text, size_t len)
{
	size_t run = 0, longest = 0;

	for (size_t i = 0; i < len; i++) {
		run = text[i] == '`' ? run + 1 : 0;
		TP_MOST(longest, run);
	}
	return longest;
}

/* Whether a code span would drop the first and last byte of TEXT. */
static int
wants_pad(const char *text, size_t len)
{
	return text[0] == '`' || text[len - 1] == '`' ||
	    (len > 1 && text[0] == ' ' && text[len - 1] == ' ');
}

/* Write a code span, enclosed in more backquotes than TEXT has in a row. */
static void
code_span(struct tp_buf *buf, const char *text, size_t len)
{
	size_t quotes = longest_run(text, len) + 1, i;
	int pad = wants_pad(text, len);

	for (i = 0; i < quotes; i++)
		tp_buf_chr(buf, '`');
	if (pad)
		tp_buf_chr(buf, ' ');
	tp_buf_add(buf, text, len);
	if (pad)
		tp_buf_chr(buf, ' ');
	for (i = 0; i < quotes; i++)
		tp_buf_chr(buf, '`');
}

/*
 * Write code spans, and between them the characters that a span cannot hold:
 * '|', which would end a table cell, and backquotes if a run is longer than
 * parsers accept.
 */
static void
code(struct tp_buf *buf, const char *text, size_t len)
{
	const char *p = text, *end = text + len, *stop =
	    longest_run(text, len) < QUOTES_MAX ? "|" : "|`";
	size_t n;

	while (p < end) {
		for (n = 0; p + n < end && !strchr(stop, p[n]); n++)
			;
		if (n)
			code_span(buf, p, n);
		p += n;
		if (p < end)
			escape(buf, p++, 1);
	}
}

/*
 * Whether TEXT must be code: only that keeps an '@' from becoming an address or
 * a mention.
 */
static int
wants_code(const struct tp_buf *line, int flags)
{
	return flags & TP_MD_CODE || memchr(line->p, '@', line->len);
}

/*
 * Drop template and call arguments from a C++ name: the parts in < > and ( )
 * after a word other than operator.  A name with unbalanced brackets is
 * unchanged.
 */
static void
drop_arguments(struct tp_buf *line)
{
	static const char word[] = "operator";
	const size_t len = sizeof word - 1;
	size_t to = 0, depth = 0;
	char *kept;

	kept = tp_alloc(line->len + 1);
	for (size_t i = 0; i < line->len; i++) {
		char c = line->p[i];

		if (depth) {
			depth += c == '<' || c == '(';
			depth -= (c == '>' && line->p[i - 1] != '-') ||
			    c == ')';
		} else if ((c == '<' || c == '(') && to &&
		    (is_alnum(kept[to - 1]) || kept[to - 1] == '_') &&
		    (to < len || memcmp(kept + to - len, word, len))) {
			depth = 1;
		} else {
			kept[to++] = c;
		}
	}
	if (!depth && to) {
		memcpy(line->p, kept, to);
		line->p[to] = '\0';
		line->len = to;
	}
	tp_free(kept);
}

void
tp_md_add(struct tp_buf *buf, const char *text, size_t len, int flags)
{
	struct tp_buf line = { 0 };

	one_line(&line, text, len, flags & TP_MD_PLAIN);
	if (flags & TP_MD_BRIEF && line.len)
		drop_arguments(&line);
	if (!(flags & TP_MD_FULL))
		cut_middle(&line);
	if (flags & TP_MD_PLAIN)
		tp_buf_add(buf, line.p, line.len);
	else if (line.len && wants_code(&line, flags))
		code(buf, line.p, line.len);
	else if (line.len)
		escape(buf, line.p, line.len);
	tp_buf_release(&line);
}
