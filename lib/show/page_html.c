/* page_html - one document of a page as HTML */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>
#include <tp/show/anchor.h>
#include <tp/text.h>
#include <tp/unit.h>

#include "page_html.h"
#include "page_text.h"
#include "page_writer.h"

enum { ROWS_FOLDED = 30, COLUMNS_NAMED = 3 };

/* How many bytes at TEXT need no escape in HTML. */
static size_t
plain_bytes(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && text[n] >= ' ' && text[n] < 0x7f && text[n] != '&' &&
	    text[n] != '<' && text[n] != '>' && text[n] != '"')
		n++;
	return n;
}

void
tp_html_text(struct tp_buf *buf, const char *text, size_t len)
{
	size_t n = plain_bytes(text, len);

	tp_buf_add(buf, text, n);
	if (n < len)
		tp_xml_shown(buf, text + n, len - n);
}

static void
append_buf(struct tp_buf *to, const struct tp_buf *from)
{
	if (from->len)
		tp_buf_add(to, from->p, from->len);
}

static void
add_words(struct tp_buf *to, const struct tp_buf *from)
{
	if (from->len)
		tp_html_text(to, from->p, from->len);
}

/* Anchors of the page. */

/* Set h->scratch to a unique anchor for WORDS. */
static void
name_place(struct tp_html *h, const struct tp_buf *words)
{
	size_t base, count, before;
	ptrdiff_t at;

	tp_buf_clear(&h->scratch);
	if (words->len)
		tp_anchor(&h->scratch, words->p, words->len);
	if (!h->scratch.len)
		tp_buf_str(&h->scratch, "part");
	base = h->scratch.len;
	for (;;) {
		before = h->used.count;
		at = tp_names_add(&h->used, h->scratch.p, h->scratch.len);
		TP_ITEM(h->counts, h->count_cap, at);
		if (h->used.count > before) {
			h->counts[at] = 0;
			break;
		}
		/* count up from the anchor without its number */
		if (h->scratch.len != base)
			h->scratch.p[h->scratch.len = base] = '\0';
		at = tp_names_find(&h->used, h->scratch.p, base);
		count = ++h->counts[at];
		tp_buf_chr(&h->scratch, '-');
		tp_buf_int(&h->scratch, (int64_t)count);
	}
}

static void
add_place(struct tp_html *h, struct tp_buf *to)
{
	tp_buf_str(to, " id=\"");
	add_words(to, &h->scratch);
	tp_buf_str(to, "\"");
}

static void
open_list(struct tp_html *h, int level)
{
	for (; h->nav_level < level; h->nav_level++)
		tp_buf_str(&h->nav, h->nav_level ? "\n<ul>\n" : "<ul>\n");
}

static void
close_lists(struct tp_html *h, int level)
{
	for (; h->nav_level > level; h->nav_level--)
		tp_buf_str(&h->nav, "</li>\n</ul>\n");
}

void
tp_html_end_nav(struct tp_html *h)
{
	close_lists(h, 0);
}

/*
 * Add an entry to the contents: sections and their parts, but no parts of
 * chapters.
 */
static void
add_entry(struct tp_html *h, unsigned level)
{
	int depth = (int)level - 1;

	if (depth < 1 || depth > 2 || h->document->role == TP_PAGE_CARD ||
	    h->document->role == TP_PAGE_FOOT ||
	    (depth > 1 && h->document->role == TP_PAGE_CHAPTER))
		return;
	if (depth > h->nav_level + 1)
		depth = 1;
	if (depth <= h->nav_level) {
		close_lists(h, depth);
		tp_buf_str(&h->nav, "</li>\n");
	}
	open_list(h, depth);
	tp_buf_str(&h->nav, "<li><a href=\"#");
	add_words(&h->nav, &h->scratch);
	tp_buf_str(&h->nav, "\">");
	add_words(&h->nav, &h->words);
	tp_buf_str(&h->nav, "</a>");
	h->entries++;
}

static int
is_among(const char *const *names, const struct tp_buf *words)
{
	while (*names && !(words->len && tp_is_named(*names, words->p)))
		names++;
	return *names != NULL;
}

/* Whether this section is for reference, and folded. */
static int
is_folded(struct tp_html *h)
{
	if (h->document->role == TP_PAGE_CHAPTER ||
	    is_among(h->page->folded, &h->words))
		return 1;
	if (!is_among(h->page->findings, &h->words))
		return h->past_findings;
	h->past_findings = 1;
	return 0;
}

static void
close_part(struct tp_html *h)
{
	if (h->is_part)
		tp_buf_str(h->to, "</details>\n");
	h->is_part = 0;
}

/* Whether the document's first heading is the title of the page. */
static int
has_title(const struct tp_html *h)
{
	return h->facts->leads && (h->document->role == TP_PAGE_CARD ||
	    (h->document->role == TP_PAGE_REPORT && h->facts->titles == 1));
}

/*
 * How many levels its headings are lowered, so that the page has a single one
 * of level 1.
 */
static unsigned
deeper(const struct tp_html *h)
{
	return h->facts->titles > (size_t)has_title(h);
}

/*
 * The level of a heading in the page: one below that of its parent, even if the
 * document skips levels.
 */
static unsigned
next_level(struct tp_html *h, unsigned level)
{
	level += deeper(h);
	while (h->depth && h->above[h->depth - 1] >= level)
		h->depth--;
	h->above[h->depth++] = level;
	level = (unsigned)h->depth + 1;
	return level > 6 ? 6 : level;
}

static void
clear_line(struct tp_html *h)
{
	tp_buf_clear(&h->line);
	tp_buf_clear(&h->words);
	tp_buf_clear(&h->lead);
	h->in_lead = 0;
}

/* Take the first title.  Others only leave their anchor, for links to them. */
static void
take_title(struct tp_html *h)
{
	if (!h->title.len) {
		add_place(h, &h->title);
		tp_buf_chr(&h->title, '>');
		append_buf(&h->title, &h->line);
		append_buf(&h->title_words, &h->words);
	} else {
		tp_buf_str(h->to, "<div");
		add_place(h, h->to);
		tp_buf_str(h->to, "></div>\n");
	}
	clear_line(h);
}

static void
end_heading(struct tp_html *h, unsigned level)
{
	int folds;

	name_place(h, &h->words);
	if (level == 1 && !h->any && !h->nest && has_title(h)) {
		take_title(h);
		return;
	}
	level = next_level(h, level);
	folds = level == 2 && !h->nest && h->document->role != TP_PAGE_CARD &&
	    h->document->role != TP_PAGE_FOOT;
	if (folds)
		close_part(h);
	folds = folds && is_folded(h);
	if (folds)
		tp_buf_str(h->to, "<details class=\"part\"><summary>");
	h->is_part |= folds;
	tp_buf_str(h->to, "<h");
	tp_buf_int(h->to, level);
	add_place(h, h->to);
	tp_buf_chr(h->to, '>');
	append_buf(h->to, &h->line);
	tp_buf_str(h->to, "</h");
	tp_buf_int(h->to, level);
	tp_buf_str(h->to, folds ? "></summary>\n" : ">\n");
	add_entry(h, level);
	clear_line(h);
}

/* Text. */

static int
is_empty(const struct tp_buf *line)
{
	for (size_t i = 0; i < line->len; i++)
		if (line->p[i] != ' ' && line->p[i] != '\n')
			return 0;
	return 1;
}

/*
 * End a paragraph or the text of an item.  If a link leads to the bold text
 * that it begins with, it gets an anchor.
 */
static void
end_text(struct tp_html *h)
{
	const char *tag = h->in_paragraph ? "p" : NULL;
	int is_place = 0;

	if (!is_empty(&h->line) && !h->in_table) {
		if (h->lead.len && !h->in_lead) {
			name_place(h, &h->lead);
			is_place = tp_names_find(&h->linked, h->scratch.p,
			    h->scratch.len) >= 0;
		}
		if (is_place && !tag)
			tag = "span";
		if (tag) {
			tp_buf_chr(h->to, '<');
			tp_buf_str(h->to, tag);
			if (is_place)
				add_place(h, h->to);
			tp_buf_chr(h->to, '>');
		}
		append_buf(h->to, &h->line);
		if (tag) {
			tp_buf_str(h->to, "</");
			tp_buf_str(h->to, tag);
			tp_buf_str(h->to, h->in_paragraph ? ">\n" : ">");
		}
	}
	if (!h->in_table)
		clear_line(h);
}

static void
end_code(struct tp_html *h)
{
	tp_buf_str(h->to, "<pre tabindex=\"0\"><code>");
	append_buf(h->to, &h->line);
	tp_buf_str(h->to, "</code></pre>\n");
	clear_line(h);
}

/* Tables. */

/* Whether the current row is left out. */
static int
is_cut(const struct tp_html *h)
{
	return h->rows && h->row > h->rows;
}

static void
begin_row(struct tp_html *h)
{
	h->cell = 0;
	if (!is_cut(h))
		tp_buf_str(&h->table, h->row ? "<tr>" : "<thead>\n<tr>");
}

static void
end_row(struct tp_html *h)
{
	if (!is_cut(h))
		tp_buf_str(&h->table, h->row ? "</tr>\n" :
		    "</tr>\n</thead>\n<tbody>\n");
	h->row++;
}

static void
end_cell(struct tp_html *h, const struct tp_page_block *b)
{
	/* an empty header cell is a plain cell */
	int head = b->head && !is_empty(&h->words);

	if (head && h->cell < COLUMNS_NAMED) {
		if (h->columns.len)
			tp_buf_str(&h->columns, ", ");
		append_buf(&h->columns, &h->words);
	}
	h->cell++;
	if (!is_cut(h)) {
		tp_buf_str(&h->table, head ? "<th scope=\"col\"" : "<td");
		tp_buf_str(&h->table, b->right ? " class=\"n\">" : ">");
		append_buf(&h->table, &h->line);
		tp_buf_str(&h->table, head ? "</th>" : "</td>");
	}
	clear_line(h);
}

/*
 * Write "57 rows: step, start, wall", the summary of a fold, which screen
 * readers read out.
 */
static void
name_table(struct tp_html *h, size_t rows, struct tp_buf *to)
{
	tp_unit_group(to, (int64_t)rows);
	tp_buf_str(to, rows == 1 ? " row" : " rows");
	if (h->columns.len) {
		tp_buf_str(to, ": ");
		add_words(to, &h->columns);
	}
}

/* Say how many rows were left out, and where they are. */
static void
tell_cut(struct tp_html *h, size_t rows)
{
	tp_buf_str(h->to, "<p class=\"cut\">The first ");
	tp_unit_group(h->to, (int64_t)h->rows);
	tp_buf_str(h->to, " of ");
	tp_unit_group(h->to, (int64_t)rows);
	tp_buf_str(h->to, " rows; ");
	if (h->page->command) {
		tp_buf_str(h->to, "<code>");
		tp_html_text(h->to, h->page->command,
		    strlen(h->page->command));
		tp_buf_str(h->to, "</code> prints all of them.</p>\n");
		return;
	}
	if (h->document->name)
		tp_html_text(h->to, h->document->name,
		    strlen(h->document->name));
	else
		tp_buf_str(h->to, "the document");
	tp_buf_str(h->to, " has all of them.</p>\n");
}

static void
end_table(struct tp_html *h)
{
	size_t rows = h->row ? h->row - 1 : 0;
	int folds = rows > ROWS_FOLDED && h->document->role != TP_PAGE_CARD;

	h->in_table = 0;
	TP_MOST(h->longest, rows);
	if (folds) {
		tp_buf_str(h->to, "<details class=\"rows\"><summary>");
		name_table(h, rows, h->to);
		tp_buf_str(h->to, "</summary>\n");
	}
	tp_buf_str(h->to, "<div class=\"table\" role=\"group\" tabindex=\"0\" "
	    "aria-label=\"");
	name_table(h, rows, h->to);
	tp_buf_str(h->to, "\"><table>\n");
	append_buf(h->to, &h->table);
	tp_buf_str(h->to, "</tbody>\n</table></div>\n");
	if (h->rows && rows > h->rows)
		tell_cut(h, rows);
	if (folds)
		tp_buf_str(h->to, "</details>\n");
	tp_buf_clear(&h->table);
	tp_buf_clear(&h->columns);
}

/* Blocks. */

static void
begin_table(struct tp_html *h)
{
	h->in_table = 1;
	h->row = 0;
	tp_buf_clear(&h->table);
	tp_buf_clear(&h->columns);
}

static void
begin_html_block(struct tp_html *h, const struct tp_page_block *b)
{
	/* items of a tight list have no paragraphs */
	end_text(h);
	switch (b->kind) {
	case TP_PAGE_QUOTE:
		h->nest++;
		tp_buf_str(h->to, "<blockquote>\n");
		break;
	case TP_PAGE_LIST:
		h->nest++;
		tp_buf_str(h->to, b->ordered ? "<ol" : "<ul");
		if (b->ordered && b->start != 1) {
			tp_buf_str(h->to, " start=\"");
			tp_buf_int(h->to, b->start);
			tp_buf_chr(h->to, '"');
		}
		tp_buf_str(h->to, ">\n");
		break;
	case TP_PAGE_ITEM:
		tp_buf_str(h->to, "<li>");
		break;
	case TP_PAGE_RULE:
		tp_buf_str(h->to, "<hr>\n");
		break;
	case TP_PAGE_CODE:
		h->in_code = 1;
		break;
	case TP_PAGE_PARAGRAPH:
		h->in_paragraph = 1;
		break;
	case TP_PAGE_TABLE:
		begin_table(h);
		break;
	case TP_PAGE_ROW:
		begin_row(h);
		break;
	case TP_PAGE_HEADING:
	case TP_PAGE_CELL:
		break;
	}
}

static void
end(struct tp_html *h, const struct tp_page_block *b)
{
	switch (b->kind) {
	case TP_PAGE_QUOTE:
		h->nest--;
		tp_buf_str(h->to, "</blockquote>\n");
		break;
	case TP_PAGE_LIST:
		h->nest--;
		tp_buf_str(h->to, b->ordered ? "</ol>\n" : "</ul>\n");
		break;
	case TP_PAGE_ITEM:
		end_text(h);
		tp_buf_str(h->to, "</li>\n");
		break;
	case TP_PAGE_HEADING:
		end_heading(h, b->level);
		break;
	case TP_PAGE_CODE:
		h->in_code = 0;
		end_code(h);
		break;
	case TP_PAGE_PARAGRAPH:
		end_text(h);
		h->in_paragraph = 0;
		break;
	case TP_PAGE_TABLE:
		end_table(h);
		break;
	case TP_PAGE_ROW:
		end_row(h);
		break;
	case TP_PAGE_CELL:
		end_cell(h, b);
		break;
	case TP_PAGE_RULE:
		break;
	}
}

/* Give a chapter without a heading the name of its file. */
static void
name_chapter(struct tp_html *h)
{
	const char *name = h->document->name ? h->document->name : "";

	tp_html_text(&h->line, name, strlen(name));
	tp_buf_str(&h->words, name);
	end_heading(h, 2 - deeper(h));
}

static void
on_block(void *writer, const struct tp_page_block *b, int begins)
{
	struct tp_html *h = writer;
	int heads = b->kind == TP_PAGE_HEADING && b->level == 1;

	if (begins && heads) {
		h->facts->titles += (size_t)h->first;
		if (h->first && !h->any)
			h->facts->leads = 1;
	}
	if (begins && !h->any && h->document->role == TP_PAGE_CHAPTER &&
	    !heads) {
		h->any = 1;
		name_chapter(h);
	}
	if (begins)
		begin_html_block(h, b);
	else
		end(h, b);
	h->any |= !heads || !begins;
}

/* Spans. */

/* Whether a target is a relative path beside or below the page. */
static int
is_beside(const char *target)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-";
	size_t n = strspn(target, plain);

	return n && !target[n] && *target != '/' && *target != '.' &&
	    !strstr(target, "..") && !strstr(target, "//");
}

static void
begin_link(struct tp_html *h, const char *target)
{
	const char *place = *target == '#' ? target + 1 : NULL;

	tp_buf_clear(&h->target);
	if (place && h->first) {
		tp_names_add(&h->linked, place, strlen(place));
		return;
	}
	h->is_link = place ? tp_names_find(&h->names, place,
	    strlen(place)) >= 0 : is_beside(target);
	if (!h->is_link && !place)
		tp_buf_str(&h->target, target);
	if (!h->is_link)
		return;
	tp_buf_str(&h->line, "<a href=\"");
	tp_html_text(&h->line, target, strlen(target));
	tp_buf_str(&h->line, "\">");
}

/*
 * End a link.  A target outside the page is printed after the text, unless the
 * text ends in it.
 */
static void
end_link(struct tp_html *h)
{
	const struct tp_buf *words = &h->words, *target = &h->target;

	if (h->is_link)
		tp_buf_str(&h->line, "</a>");
	h->is_link = 0;
	if (!target->len || (words->len >= target->len &&
	    !memcmp(words->p + words->len - target->len, target->p,
	    target->len)))
		return;
	tp_buf_str(&h->line, " (");
	add_words(&h->line, target);
	tp_buf_chr(&h->line, ')');
}

/* End an image.  The picture is a block of its own, except in a cell. */
static void
end_image(struct tp_html *h)
{
	struct tp_buf svg = { 0 };
	const char *name = h->image.p ? h->image.p : "";
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz-");
	int is = !h->first && !h->is_link && *name && h->page->picture &&
	    h->page->picture(h->page->arg, h->document, name, &svg);

	if (!is) {
		add_words(&h->line, &h->alt);
		append_buf(&h->words, &h->alt);
	} else if (h->in_table) {
		append_buf(&h->line, &svg);
	} else {
		end_text(h);
		tp_buf_str(h->to, "<figure class=\"picture ");
		if (!strcmp(name + n, ".svg"))
			tp_buf_add(h->to, name, n);
		tp_buf_str(h->to, "\" tabindex=\"0\">\n");
		append_buf(h->to, &svg);
		tp_buf_str(h->to, "<figcaption>");
		add_words(h->to, &h->alt);
		tp_buf_str(h->to, "</figcaption>\n</figure>\n");
	}
	tp_buf_release(&svg);
}

static void
on_image(struct tp_html *h, const char *target, int begins)
{
	if (begins && !h->in_image++) {
		tp_buf_clear(&h->alt);
		tp_buf_clear(&h->image);
		tp_buf_str(&h->image, target);
	}
	if (begins || --h->in_image)
		return;
	end_image(h);
}

static void
on_strong(struct tp_html *h, int begins)
{
	if (begins && is_empty(&h->line) && !h->lead.len)
		h->in_lead = 1;
	else if (!begins)
		h->in_lead = 0;
}

static void
on_span(void *writer, enum tp_page_span span, const char *target, int begins)
{
	static const char *const tags[] = {
		[TP_PAGE_EMPHASIS] = "em", [TP_PAGE_STRONG] = "strong",
		[TP_PAGE_STRUCK] = "del", [TP_PAGE_NAME] = "code",
	};
	struct tp_html *h = writer;

	if (span == TP_PAGE_IMAGE)
		on_image(h, target, begins);
	if (span == TP_PAGE_IMAGE || h->in_image)
		return;
	if (span == TP_PAGE_LINK) {
		if (begins)
			begin_link(h, target);
		else
			end_link(h);
		return;
	}
	if (span == TP_PAGE_STRONG)
		on_strong(h, begins);
	tp_buf_str(&h->line, begins ? "<" : "</");
	tp_buf_str(&h->line, tags[span]);
	tp_buf_chr(&h->line, '>');
}

/* Add code; newlines and tabs are kept. */
static void
add_code(struct tp_buf *line, const char *text, size_t len)
{
	size_t n;

	for (const char *end = text + len; text < end; text += n) {
		for (n = 0; text + n < end && text[n] != '\n' &&
		    text[n] != '\t'; n++)
			continue;
		tp_html_text(line, text, n);
		if (text + n < end)
			tp_buf_chr(line, text[n++]);
	}
}

/*
 * Where the blank between a number and its unit is in the LEN bytes of TEXT,
 * from FROM on; LEN: there is none.
 */
static size_t
unit_blank(const char *text, size_t len, size_t from)
{
	for (size_t i = from + 1; i + 1 < len; i++)
		if (text[i] == ' ' && tp_is_digit(text[i - 1]) &&
		    tp_page_unit(text + i + 1, text + len))
			return i;
	return len;
}

/* Add prose: no line ends between a number and its unit. */
static void
add_prose(struct tp_buf *to, const char *text, size_t len)
{
	size_t from = 0, at;

	while ((at = unit_blank(text, len, from)) < len) {
		tp_html_text(to, text + from, at - from);
		tp_buf_str(to, "&nbsp;");
		from = at + 1;
	}
	tp_html_text(to, text + from, len - from);
}

static void
on_text(void *writer, enum tp_page_words kind, const char *text, size_t len)
{
	struct tp_html *h = writer;

	if (kind != TP_PAGE_PLAIN) {
		text = " ";
		len = 1;
	}
	if (h->in_image) {
		tp_buf_add(&h->alt, text, len);
		return;
	}
	tp_buf_add(&h->words, text, len);
	if (h->in_lead)
		tp_buf_add(&h->lead, text, len);
	if (kind == TP_PAGE_BREAK)
		tp_buf_str(&h->line, "<br>\n");
	else if (kind == TP_PAGE_SOFT)
		tp_buf_chr(&h->line, '\n');
	else if (h->in_code)
		add_code(&h->line, text, len);
	else if (h->in_table)
		tp_html_text(&h->line, text, len);
	else
		add_prose(&h->line, text, len);
}

int
tp_html_read(struct tp_html *h, struct tp_err *err)
{
	static const struct tp_page_writer form = { .block = on_block,
	    .span = on_span, .text = on_text };
	int rc;

	h->to = h->document->role == TP_PAGE_FOOT ? &h->foot : &h->body;
	h->any = h->in_table = h->in_code = h->in_paragraph = h->in_lead = 0;
	h->is_link = h->past_findings = 0;
	h->nest = h->in_image = 0;
	h->depth = 0;
	clear_line(h);
	if (h->document->role == TP_PAGE_CARD)
		tp_buf_str(h->to, "<div class=\"card\">\n");
	rc = tp_page_read(h->document->text, h->document->len, &form, h, err);
	if (!rc)
		end_text(h);
	if (h->document->role == TP_PAGE_CARD)
		tp_buf_str(h->to, "</div>\n");
	close_part(h);
	return rc;
}

void
tp_html_clear(struct tp_html *h)
{
	struct tp_buf *const bufs[] = { &h->body, &h->foot, &h->nav,
	    &h->title, &h->title_words };

	for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
		tp_buf_clear(bufs[i]);
	tp_names_release(&h->used);
	memset(&h->used, 0, sizeof h->used);
	h->nav_level = 0;
	h->entries = 0;
}

void
tp_html_release(struct tp_html *h)
{
	struct tp_buf *const bufs[] = { &h->body, &h->foot, &h->nav,
	    &h->title, &h->title_words, &h->line, &h->words,
	    &h->lead, &h->alt, &h->image, &h->target, &h->table,
	    &h->columns, &h->scratch };

	for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
		tp_buf_release(bufs[i]);
	tp_names_release(&h->names);
	tp_names_release(&h->linked);
	tp_names_release(&h->used);
	tp_free(h->counts);
}
