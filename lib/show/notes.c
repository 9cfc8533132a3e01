/*
 * notes - make a person's Markdown safe at the end of a report
 *
 * A full Markdown parser would have to agree with that of the reader in every
 * corner case.  This one recognizes only the few constructs that are beyond
 * doubt and treats everything else as text in which '<' is dangerous.
 */
#include <string.h>

#include <tp/show/notes.h>
#include <tp/text.h>

#include "md.h"

/*
 * Most backquotes that Markdown parsers accept around a code span (cmark:
 * 80).
 */
#define QUOTES_MAX 80

enum fence {
	NO_FENCE,
	IN_FENCE,	/* for every parser */
	IN_CONTAINER,	/* perhaps, inside a list, a quote or a footnote */
	UNCLEAR		/* perhaps, in a container that is unknown */
};

struct notes {
	struct tp_buf *out;
	enum fence fence;
	char mark;		/* character of the fence: '`' or '~' */
	size_t run, column;	/* its length and column */
	int paired;		/* all code spans of the paragraph so far end in
				 * their own line */
};

/* A line without its newline. */
struct line {
	const char *start, *p, *end;	/* p: the first non-blank */
	size_t column;			/* column of p */
};

static int
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static int
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static struct line
line_of(const char *start, const char *end)
{
	struct line l = { start, start, end, 0 };

	for (; l.p < end && is_blank(*l.p); l.p++)
		l.column += *l.p == '\t' ? 4 - l.column % 4 : 1;
	return l;
}

static void
copy(struct notes *n, const struct line *l)
{
	tp_buf_add(n->out, l->start, (size_t)(l->end - l->start));
}

/* The number of consecutive C from P on. */
static size_t
run_of(const char *p, const char *end, char c)
{
	const char *q = p;

	while (q < end && *q == c)
		q++;
	return (size_t)(q - p);
}

/* The length of the fence that begins at P, or 0. */
static size_t
fence_at(const char *p, const char *end)
{
	size_t run;

	if (p == end || (*p != '`' && *p != '~'))
		return 0;
	run = run_of(p, end, *p);
	return run < 3 || (*p == '`' && memchr(p + run, '`',
	    (size_t)(end - p) - run)) ? 0 : run;
}

static int
closes(const struct notes *n, const struct line *l)
{
	const char *p = l->p + run_of(l->p, l->end, n->mark);

	if ((size_t)(p - l->p) < n->run)
		return 0;
	while (p < l->end && is_blank(*p))
		p++;
	return p == l->end;
}

/*
 * Whether a fence may begin after list or quote markers: no word, except in
 * brackets, comes before it.
 */
static int
hides_fence(const struct line *l)
{
	const char *p = l->p, *close;

	for (; p < l->end; p++) {
		if ((*p == '`' || *p == '~') &&
		    run_of(p, l->end, *p) >= 3)
			return 1;
		if (*p == '[') {
			close = memchr(p, ']', (size_t)(l->end - p));
			if (!close)
				return 1;
			p = close;
		} else if (is_letter(*p) || (unsigned char)*p >= 0x80) {
			return 0;
		}
	}
	return 0;
}

/* Copy L as code.  Returns 0 if it may be outside the fence. */
static int
take_code(struct notes *n, const struct line *l)
{
	if (l->p < l->end && l->column < n->column) {
		n->fence = UNCLEAR;
		return 0;
	}
	copy(n, l);
	if (l->p == l->end || !closes(n, l))
		return 1;
	if (l->column < 4) {
		n->fence = NO_FENCE;
		n->paired = 1;
	} else if (n->column && l->column < n->column + 4) {
		/* it ends the fence only in some lists */
		n->fence = UNCLEAR;
	}
	return 1;
}

/*
 * Track the fences that L begins or ends.  Returns whether L begins a fence for
 * every parser.
 */
static int
take_fence(struct notes *n, const struct line *l)
{
	size_t run = fence_at(l->p, l->end);

	/*
	 * an unindented line ends a list or footnote; it may continue a quote,
	 * but not with a fence
	 */
	if (n->fence == IN_CONTAINER && l->p < l->end && !l->column)
		n->fence = NO_FENCE;
	if (n->fence == UNCLEAR)
		return 0;
	if (run && l->column < 4) {
		if (n->fence == IN_CONTAINER) {
			n->fence = UNCLEAR;
			return 0;
		}
		n->fence = IN_FENCE;
		n->mark = *l->p;
		n->run = run;
		n->column = l->column;
		return 1;
	}
	if (hides_fence(l))
		n->fence = IN_CONTAINER;
	return 0;
}

static int
holds(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);

	for (; (size_t)(end - p) >= n; p++)
		if (!memcmp(p, word, n))
			return 1;
	return 0;
}

/*
 * The end of the code span that begins at P, or NULL if it does not end in this
 * line or contains a '|', which would end a table cell.
 */
static const char *
span_end(const char *p, const char *end)
{
	size_t run = run_of(p, end, '`'), other;
	const char *q = p + run;

	if (run > QUOTES_MAX)
		return NULL;
	for (; q < end; q += other) {
		if (*q == '|')
			return NULL;
		other = run_of(q, end, '`');
		if (other == run)
			return q + run;
		if (!other)
			other = 1;
	}
	return NULL;
}

/*
 * The end of a link from its "](" or "][" on, or NULL if a backquote could be
 * part of it.
 */
static const char *
link_end(const char *p, const char *end)
{
	const char *stops = p[1] == '[' ? "[]`\\" : " \t()`\"'<\\";
	char close = p[1] == '[' ? ']' : ')';

	for (p += 2; p < end && !strchr(stops, *p); p++)
		continue;
	if (close == ')' && p < end && is_blank(*p)) {
		while (p < end && is_blank(*p))
			p++;
		if (p < end && *p == '"') {
			for (p++; p < end && !strchr("\"`\\", *p); p++)
				continue;
			p += p < end && *p == '"';
		}
	}
	return p < end && *p == close ? p + 1 : NULL;
}

/*
 * Whether P to END looks like an address, which a parser might extend over the
 * following text.
 */
static int
is_address(const char *p, const char *end)
{
	return holds(p, end, "://") || holds(p, end, "www.") ||
	    holds(p, end, "mailto:") || holds(p, end, "xmpp:") ||
	    memchr(p, '@', (size_t)(end - p));
}

/*
 * Whether every parser sees the same code spans in L, given that all spans of
 * earlier lines have ended.
 */
static int
is_paired(const struct line *l)
{
	const char *p = l->p, *word = p;

	if (holds(p, l->end, "\\`") || holds(p, l->end, "]:"))
		return 0;
	while (p && p < l->end) {
		if (*p == '`') {
			if (is_address(word, p))
				return 0;
			p = word = span_end(p, l->end);
		} else if (*p == ']' && p + 1 < l->end &&
		    (p[1] == '(' || p[1] == '[')) {
			p = link_end(p, l->end);
		} else {
			if (is_blank(*p++))
				word = p;
		}
	}
	return p != NULL;
}

/* Whether the '<' at P could begin a tag, a comment or an address. */
static int
is_dangerous(const char *p, const char *end)
{
	static const char local[] = ".!#$%&'*+/=?^_`{|}~-";
	const char *q = p + 1;

	if (q < end && (is_letter(*q) || strchr("/!?", *q)))
		return 1;
	while (q < end && (is_letter(*q) || (*q >= '0' && *q <= '9') ||
	    strchr(local, *q)))
		q++;
	return q < end && *q == '@';
}

/* Whether the LEN bytes at P begin with WORD, ignoring case. */
static int
begins(const char *p, size_t len, const char *word)
{
	for (; *word; word++, p++, len--)
		if (!len || (*p != *word && (!is_letter(*p) ||
		    (*p | 0x20) != *word)))
			return 0;
	return 1;
}

/*
 * Whether the link target at P is certainly safe: its scheme is listed or it
 * has none.  Entities and backslashes could hide a scheme; a target in '<' or
 * in the next line is not examined.
 */
static int
is_safe_place(const char *p, const char *end, int in_parentheses)
{
	static const char *const schemes[] = { "http:", "https:", "mailto:" };
	size_t open = 0;

	while (p < end && is_blank(*p))
		p++;
	if (p == end || *p == '<')
		return 0;
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
		if (begins(p, (size_t)(end - p), schemes[i]))
			return 1;
	for (; p < end && !is_blank(*p) && !strchr("/?#", *p); p++) {
		if (strchr(":&\\", *p))
			return 0;
		if (in_parentheses && *p == '(')
			open++;
		if (in_parentheses && *p == ')' && !open--)
			return 1;
	}
	return 1;
}

/*
 * Whether the "![" at P certainly begins a picture of a relative place, which a
 * page shows without asking anybody.
 */
static int
is_local_picture(const char *p, const char *end)
{
	for (p += 2; p < end && *p != ']'; p++)
		if (strchr("[\\`<!", *p))
			return 0;
	if (end - p < 2 || p[1] != '(')
		return 0;
	for (p += 2; p < end && is_blank(*p); p++)
		continue;
	if (p == end || *p == '/' || *p == '<')
		return 0;
	for (; p < end && *p != ')'; p++)
		if (strchr(":&\\%", *p))
			return 0;
	return p < end;
}

/*
 * Write '<' as an entity.  A backslash that escaped it is dropped, because it
 * would escape the '&' instead.
 */
static void
add_less(struct notes *n, const char *start, const char *p)
{
	const char *q = p;

	while (q > start && q[-1] == '\\')
		q--;
	if ((p - q) % 2)
		n->out->len--;
	tp_buf_str(n->out, "&lt;");
}

static void
add_text(struct notes *n, const struct line *l, int spans)
{
	const char *p, *next;

	for (p = l->start; p < l->end; p = next) {
		next = p + 1;
		if (spans && *p == '`' && (next = span_end(p, l->end))) {
			tp_buf_add(n->out, p, (size_t)(next - p));
			continue;
		}
		next = p + 1;
		if (*p == '!' && next < l->end && *next == '[' &&
		    !is_local_picture(p, l->end))
			continue;
		if (*p == '<' && is_dangerous(p, l->end)) {
			add_less(n, l->start, p);
		} else if (p > l->start && p[-1] == ']' && (*p == '(' ||
		    *p == ':') && !is_safe_place(p + 1, l->end, *p == '(')) {
			tp_buf_fmt(n->out, "&#%d;", *p);
		} else {
			tp_buf_chr(n->out, *p);
		}
	}
}

static void
add_line(struct notes *n, const char *start, const char *end)
{
	struct line l = line_of(start, end);

	if (n->fence == IN_FENCE && take_code(n, &l))
		return;
	if (take_fence(n, &l)) {
		copy(n, &l);
		return;
	}
	if (l.p == l.end)
		n->paired = 1;
	else if (!is_paired(&l))
		n->paired = 0;
	add_text(n, &l, n->paired);
}

/* Copy TEXT as valid UTF-8 with LF line ends and without control characters. */
static void
clean(struct tp_buf *out, const char *text, size_t len)
{
	const char *p = text, *end = text + len;
	int controls = 0, column = 0;	/* in the blanks of a line, or -1 */
	uint32_t c;
	size_t n;

	for (; p < end; p += n) {
		n = tp_utf8(p, (size_t)(end - p), &c);
		if (!n) {
			c = 0xfffd;
			n = 1;
		}
		if (c == 0xfeff && p == text)
			continue;
		if (c == '\r' && p + 1 < end && p[1] == '\n')
			continue;
		if (tp_is_control(c) && c != '\n' && c != '\r' && c != '\t') {
			controls = 1;
			continue;
		}
		if (controls)
			tp_buf_chr(out, ' ');
		controls = 0;
		/* a quote would move the stops of tabs */
		if (c == '\t' && column >= 0) {
			do
				tp_buf_chr(out, ' ');
			while (++column % 4);
			continue;
		}
		column = c == '\n' || c == '\r' ? 0 : c == ' ' && column >= 0 ?
		    column + 1 : -1;
		if (c == '\r')
			tp_buf_chr(out, '\n');
		else if (tp_turns_text(c))
			tp_show_control(out, c);
		else
			tp_utf8_add(out, c);
	}
}

/* Close the open fence. */
static void
close_fence(struct notes *n)
{
	tp_buf_str(n->out, "> ");
	for (size_t i = 0; i < n->column; i++)
		tp_buf_chr(n->out, ' ');
	for (size_t i = 0; i < n->run; i++)
		tp_buf_chr(n->out, n->mark);
	tp_buf_chr(n->out, '\n');
}

static void
introduce(struct tp_buf *out, const char *name)
{
	tp_buf_str(out, "Notes of whoever kept the trace (");
	tp_md_add(out, name, strlen(name), TP_MD_CODE);
	tp_buf_str(out, "), which nothing here has measured:\n\n");
}

void
tp_notes_add(struct tp_buf *out, const char *name, const char *text,
    size_t len)
{
	struct notes n = { .out = out, .paired = 1 };
	struct tp_buf cleaned = { 0 };
	const char *p, *end, *lf;
	size_t from = out->len;

	clean(&cleaned, text, len);
	p = cleaned.len ? cleaned.p : "";
	end = p + cleaned.len;
	while (end > p && end[-1] == '\n')
		end--;
	for (; p < end; p = lf + (lf < end)) {
		lf = memchr(p, '\n', (size_t)(end - p));
		if (!lf)
			lf = end;
		if (out->len == from)
			introduce(out, name);
		tp_buf_str(out, lf > p ? "> " : ">");
		add_line(&n, p, lf);
		tp_buf_chr(out, '\n');
	}
	if (n.fence == IN_FENCE && out->len > from)
		close_fence(&n);
	tp_buf_release(&cleaned);
}
