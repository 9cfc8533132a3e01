/* page - parse Markdown with md4c and pass it to the writer of a page */
#include <string.h>

#include <tp/alloc.h>
#include <tp/limits.h>
#include <tp/show/page.h>
#include <tp/text.h>

#include "page_writer.h"

#ifdef TP_MD4C
#include <md4c.h>

struct page {
	const struct tp_page_writer *form;
	void *writer;
	struct tp_err *err;
	struct tp_buf target;	/* target of the link or image under way */
	struct tp_buf entity;	/* decoded entity */
	struct tp_buf open;	/* open spans, a byte each */
	size_t cells;
	int64_t depth;
	int in_cell;
	char last;		/* last byte of the text so far */
};

int
tp_page_can(void)
{
	return 1;
}

/* Named entities that the project's own pages use. */
static const struct {
	const char *name;
	uint32_t c;
} entities[] = {
	{ "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' }, { "&quot;", '"' },
	{ "&apos;", '\'' }, { "&nbsp;", 0xa0 }
};

/* Decode "&#62;" or "&#x3e;". */
static uint32_t
numbered(const char *text, size_t len)
{
	int hex = len > 2 && (text[2] | 0x20) == 'x';
	uint32_t c = 0;

	for (size_t i = hex ? 3 : 2; i + 1 < len && c <= 0x10ffff; i++)
		c = c * (hex ? 16 : 10) + (uint32_t)(text[i] <= '9' ?
		    text[i] - '0' : (text[i] | 0x20) - 'a' + 10);
	return !c || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? 0xfffd : c;
}

static void
add_entity(struct tp_buf *buf, const char *text, size_t len)
{
	if (len > 3 && text[1] == '#') {
		tp_utf8_add(buf, numbered(text, len));
		return;
	}
	for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
		if (tp_is(text, len, entities[i].name)) {
			tp_utf8_add(buf, entities[i].c);
			return;
		}
	tp_buf_add(buf, text, len);
}

/* Copy code in a cell without the backslash of "\|", which md4c keeps. */
static void
add_code(struct tp_buf *buf, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] != '\\' || i + 1 == len || text[i + 1] != '|')
			tp_buf_chr(buf, text[i]);
}

/* A target as a string without inner NULs. */
static const char *
target_of(struct page *p, const MD_ATTRIBUTE *a)
{
	MD_OFFSET from, to;

	tp_buf_clear(&p->target);
	for (size_t i = 0; a->size && a->substr_offsets[i] < a->size; i++) {
		from = a->substr_offsets[i];
		to = a->substr_offsets[i + 1];
		if (a->substr_types[i] == MD_TEXT_ENTITY)
			add_entity(&p->target, a->text + from, to - from);
		else if (a->substr_types[i] == MD_TEXT_NULLCHAR)
			tp_utf8_add(&p->target, 0xfffd);
		else
			tp_buf_add(&p->target, a->text + from, to - from);
	}
	tp_buf_chr(&p->target, '\0');
	return p->target.p;
}

/* Describe a block for the writer.  Returns 0 if it ignores such blocks. */
static int
describe(MD_BLOCKTYPE type, void *detail, struct tp_page_block *b)
{
	memset(b, 0, sizeof *b);
	switch (type) {
	case MD_BLOCK_QUOTE:
		b->kind = TP_PAGE_QUOTE;
		return 1;
	case MD_BLOCK_UL:
		b->kind = TP_PAGE_LIST;
		b->tight = ((MD_BLOCK_UL_DETAIL *)detail)->is_tight;
		return 1;
	case MD_BLOCK_OL:
		b->kind = TP_PAGE_LIST;
		b->ordered = 1;
		b->start = ((MD_BLOCK_OL_DETAIL *)detail)->start;
		b->tight = ((MD_BLOCK_OL_DETAIL *)detail)->is_tight;
		return 1;
	case MD_BLOCK_LI:
		b->kind = TP_PAGE_ITEM;
		return 1;
	case MD_BLOCK_HR:
		b->kind = TP_PAGE_RULE;
		return 1;
	case MD_BLOCK_H:
		b->kind = TP_PAGE_HEADING;
		b->level = ((MD_BLOCK_H_DETAIL *)detail)->level;
		return 1;
	case MD_BLOCK_CODE:
		b->kind = TP_PAGE_CODE;
		return 1;
	case MD_BLOCK_P:
		b->kind = TP_PAGE_PARAGRAPH;
		return 1;
	case MD_BLOCK_TABLE:
		b->kind = TP_PAGE_TABLE;
		b->columns = ((MD_BLOCK_TABLE_DETAIL *)detail)->col_count;
		return 1;
	case MD_BLOCK_TR:
		b->kind = TP_PAGE_ROW;
		return 1;
	case MD_BLOCK_TH:
	case MD_BLOCK_TD:
		b->kind = TP_PAGE_CELL;
		b->head = type == MD_BLOCK_TH;
		b->right = ((MD_BLOCK_TD_DETAIL *)detail)->align ==
		    MD_ALIGN_RIGHT;
		return 1;
	default:
		return 0;
	}
}

/*
 * Limit tables: md4c pads each row to the width of the table, so few bytes can
 * mean many cells.
 */
static int
check_table(struct page *p, const struct tp_page_block *b)
{
	if (b->columns > TP_PAGE_COLUMNS)
		return tp_fail(p->err, TP_LIMIT, "limit.columns", 0,
		    "a table of more than %zu columns", TP_PAGE_COLUMNS);
	p->cells += b->kind == TP_PAGE_CELL;
	if (p->cells > TP_PAGE_CELLS)
		return tp_fail(p->err, TP_LIMIT, "limit.cells", 0,
		    "tables of more than %zu cells", TP_PAGE_CELLS);
	return 0;
}

/* End all spans but the first LEFT. */
static void
end_spans(struct page *p, size_t left)
{
	while (p->open.len > left)
		p->form->span(p->writer,
		    (enum tp_page_span)p->open.p[--p->open.len], NULL, 0);
}

static int
tell_block(struct page *p, MD_BLOCKTYPE type, void *detail, int begins)
{
	struct tp_page_block b;

	end_spans(p, 0);
	if (!describe(type, detail, &b))
		return 0;
	if (begins && check_table(p, &b) < 0)
		return -1;
	p->depth += begins ? 1 : -1;
	if (p->depth > tp_limits.depth)
		return tp_limit_depth(p->err, 0, "blocks");
	if (b.kind == TP_PAGE_CELL)
		p->in_cell = begins;
	p->form->block(p->writer, &b, begins);
	return 0;
}

static int
enter_block(MD_BLOCKTYPE type, void *detail, void *arg)
{
	return tell_block(arg, type, detail, 1);
}

static int
leave_block(MD_BLOCKTYPE type, void *detail, void *arg)
{
	return tell_block(arg, type, detail, 0);
}

/*
 * md4c 0.4.8 ends an emphasis whose "_" stands in the target of an image and
 * that it has not begun: the end of a span that is not open is left out.
 */
static void
tell_span(struct page *p, MD_SPANTYPE type, void *detail, int begins)
{
	const char *target = NULL;
	size_t at = p->open.len;
	enum tp_page_span span;

	switch (type) {
	case MD_SPAN_EM: span = TP_PAGE_EMPHASIS; break;
	case MD_SPAN_STRONG: span = TP_PAGE_STRONG; break;
	case MD_SPAN_DEL: span = TP_PAGE_STRUCK; break;
	case MD_SPAN_CODE: span = TP_PAGE_NAME; break;
	case MD_SPAN_A: span = TP_PAGE_LINK; break;
	case MD_SPAN_IMG: span = TP_PAGE_IMAGE; break;
	default: return;
	}
	if (!begins) {
		while (at && p->open.p[at - 1] != (char)span)
			at--;
		if (at)
			end_spans(p, at - 1);
		return;
	}
	if (span == TP_PAGE_LINK)
		target = target_of(p, &((MD_SPAN_A_DETAIL *)detail)->href);
	else if (span == TP_PAGE_IMAGE)
		target = target_of(p, &((MD_SPAN_IMG_DETAIL *)detail)->src);
	tp_buf_chr(&p->open, (char)span);
	p->form->span(p->writer, span, target, 1);
}

static int
enter_span(MD_SPANTYPE type, void *detail, void *arg)
{
	tell_span(arg, type, detail, 1);
	return 0;
}

static int
leave_span(MD_SPANTYPE type, void *detail, void *arg)
{
	tell_span(arg, type, detail, 0);
	return 0;
}

/*
 * Whether a line break is kept.  Reports have a line per sentence and before
 * each list.
 */
static int
ends_line(const struct page *p, MD_TEXTTYPE type)
{
	return type == MD_TEXT_BR || p->last == '.' || p->last == ':';
}

static int
text(MD_TEXTTYPE type, const MD_CHAR *bytes, MD_SIZE len, void *arg)
{
	enum tp_page_words kind = TP_PAGE_PLAIN;
	struct page *p = arg;
	size_t n = len;

	if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR)
		kind = ends_line(p, type) ? TP_PAGE_BREAK : TP_PAGE_SOFT;
	if (type == MD_TEXT_ENTITY || type == MD_TEXT_NULLCHAR ||
	    (type == MD_TEXT_CODE && p->in_cell)) {
		tp_buf_clear(&p->entity);
		if (type == MD_TEXT_ENTITY)
			add_entity(&p->entity, bytes, len);
		else if (type == MD_TEXT_NULLCHAR)
			tp_utf8_add(&p->entity, 0xfffd);
		else
			add_code(&p->entity, bytes, len);
		bytes = p->entity.p;
		n = p->entity.len;
	}
	p->last = kind == TP_PAGE_PLAIN && n ? bytes[n - 1] : '\0';
	p->form->text(p->writer, kind, bytes, n);
	return 0;
}

/*
 * Most lines of a paragraph, which md4c (0.4) searches from the first for each
 * link.
 */
#define LINES_MAX 1024

/* What lines are in, before they are parsed. */
struct lines {
	size_t fence;		/* length of the fence of open code, or 0 */
	char mark;		/* of the fence */
	size_t run;		/* lines that may be one paragraph so far */
};

/* Note a fence in the LEN bytes of a line.  Returns whether it is in code. */
static int
is_code(struct lines *l, const char *line, size_t len)
{
	size_t from = 0, n = 0;

	while (from < len && memchr(" >-+*", line[from], 5))
		from++;
	while (from + n < len && line[from + n] == line[from] &&
	    (line[from] == '`' || line[from] == '~'))
		n++;
	if (l->fence ? n >= l->fence && line[from] == l->mark : n >= 3) {
		l->fence = l->fence ? 0 : n;
		l->mark = line[from];
		return 1;
	}
	return l->fence > 0;
}

/* Whether a line of LEN bytes may be part of a paragraph, but not its first. */
static int
may_continue(const char *line, size_t len)
{
	size_t at = 0, digits;

	while (at < len && line[at] == ' ')
		at++;
	if (at == len || at > 3 || memchr("\t\r#", line[at], 3) ||
	    memchr(line, '|', len))
		return 0;
	for (digits = at; digits < len && line[digits] >= '0' &&
	    line[digits] <= '9'; digits++)
		;
	if (digits > at)
		return digits == len || !memchr(".)", line[digits], 2);
	return !memchr("-+*", line[at], 3) || (at + 1 < len &&
	    line[at + 1] != ' ');
}

/* Set CUT to the LEN bytes, longer paragraphs cut; empty: there are none. */
static void
cut_paragraphs(struct tp_buf *cut, const char *bytes, size_t len)
{
	struct lines l = { 0 };
	size_t from = 0, n;

	for (size_t at = 0; at < len; at += n + 1) {
		const char *end = memchr(bytes + at, '\n', len - at);

		n = end ? (size_t)(end - bytes) - at : len - at;
		if (is_code(&l, bytes + at, n) ||
		    !may_continue(bytes + at, n)) {
			l.run = 0;
		} else if (++l.run > LINES_MAX) {
			tp_buf_add(cut, bytes + from, at - from);
			tp_buf_str(cut, bytes[at] == '>' ? ">\n" : "\n");
			from = at;
			l.run = 1;
		}
	}
	if (from)
		tp_buf_add(cut, bytes + from, len - from);
}

int
tp_page_read(const char *bytes, size_t len, const struct tp_page_writer *form,
    void *writer, struct tp_err *err)
{
	static const MD_PARSER parser = {
		.flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH |
		    MD_FLAG_NOHTML,
		.enter_block = enter_block, .leave_block = leave_block,
		.enter_span = enter_span, .leave_span = leave_span,
		.text = text,
	};
	struct page p = { .form = form, .writer = writer, .err = err };
	struct tp_buf cut = { 0 };
	int rc;

	if (len > TP_PAGE_MAX)
		return tp_fail(err, TP_LIMIT, "limit.document", 0,
		    "a page of more than %zu bytes", TP_PAGE_MAX);
	err->status = TP_OK;
	cut_paragraphs(&cut, bytes, len);
	rc = md_parse(cut.len ? cut.p : bytes, (MD_SIZE)(cut.len ? cut.len :
	    len), &parser, &p);
	tp_buf_release(&cut);
	tp_buf_release(&p.target);
	tp_buf_release(&p.entity);
	tp_buf_release(&p.open);
	/* md4c itself fails only for lack of memory */
	if (rc && !err->status)
		tp_no_memory();
	return rc ? -1 : 0;
}

#else	/* without md4c */

int
tp_page_can(void)
{
	return 0;
}

int
tp_page_read(const char *bytes, size_t len, const struct tp_page_writer *form,
    void *writer, struct tp_err *err)
{
	(void)bytes, (void)len, (void)form, (void)writer;
	return tp_fail(err, TP_IO, "output.failed", 0, "this build cannot read "
	    "Markdown: it was made without md4c (make deps)");
}
#endif
