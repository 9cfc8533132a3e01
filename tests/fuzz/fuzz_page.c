/*
 * fuzz_page - any bytes as a page of Markdown for a terminal and a browser
 *
 * For a terminal wide and narrow, with colours and without, in UTF-8 and not; a
 * picture is the same bytes again.  Nothing gets to the terminal but text, ends
 * of lines and our own colours; without these the page is the same, and none
 * goes on behind its line.
 *
 * For a browser as a card, a report, a chapter and a foot, and as a picture.
 * The page holds the elements and attributes of pages, each closed in order,
 * and every link leads to a place.  Without md4c nothing is tried.
 */
#include <stdlib.h>
#include <string.h>

#include <tp/show/page.h>
#include <tp/width.h>

#include "feed.h"

struct source {
	const char *text;
	size_t len;
};

static int
picture(void *arg, const char *target, struct tp_buf *text)
{
	const struct source *s = arg;

	if (!strstr(target, ".svg"))
		return 0;
	tp_buf_add(text, s->text, s->len);
	tp_buf_str(text, "");
	return text->p != NULL;
}

/* The length of a colour of ours at TEXT, or 0. */
static size_t
colour_at(const char *text, const char *end, int *on)
{
	const char *c = text;

	if (end - c < 3 || c[0] != '\033' || c[1] != '[')
		return 0;
	for (c += 2; c < end && (*c == ';' || (*c >= '0' && *c <= '9')); c++)
		;
	if (c == end || *c != 'm')
		return 0;
	*on = !(c - text == 3 && text[2] == '0');
	return (size_t)(c + 1 - text);
}

/* PAGE without colours, into PLAIN. */
static void
strip(const struct tp_buf *page, int coloured, struct tp_buf *plain)
{
	const char *end = page->p + page->len;
	int on = 0;
	size_t n;

	for (const char *c = page->p; c < end; c += n) {
		n = coloured ? colour_at(c, end, &on) : 0;
		if (n)
			continue;
		n = 1;
		if (*c == '\n' && on)
			broken("a colour that goes on behind its line");
		if (((unsigned char)*c < ' ' && *c != '\n') || *c == 0x7f)
			broken("a control character");
		tp_buf_chr(plain, *c);
	}
}

static int
make(const struct source *s, size_t width, int color, int utf8,
    struct tp_buf *plain)
{
	struct tp_page_tty tty = { .width = width, .color = color,
	    .utf8 = utf8, .dots = utf8 ? "\xe2\x80\xa6" : "..",
	    .picture = picture, .arg = (void *)s };
	struct tp_buf page = { 0 };
	struct tp_err err = { 0 };
	int rc = tp_page_tty(s->text, s->len, &tty, &page, &err);

	if (rc == 0 && page.len)
		strip(&page, color, plain);
	else if (rc < 0 && err.status != TP_LIMIT)
		broken("a page that fails without a reason");
	tp_buf_release(&page);
	return rc;
}

static void
try(const struct source *s)
{
	static const size_t widths[] = { 20, 80 };

	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
		for (int utf8 = 0; utf8 < 2; utf8++) {
			struct tp_buf plain = { 0 }, coloured = { 0 };

			if (make(s, widths[i], 0, utf8, &plain) !=
			    make(s, widths[i], 1, utf8, &coloured))
				broken("colours that decide what is refused");
			if (plain.len != coloured.len || (plain.len &&
			    memcmp(plain.p, coloured.p, plain.len) != 0))
				broken("colours that change the page");
			tp_buf_release(&plain);
			tp_buf_release(&coloured);
		}
}

/* HTML. */

static const char elements[] = " html head meta title style body header h1 nav "
    "ul li a main div p strong em del code br hr ol blockquote pre h2 h3 h4 h5 "
    "h6 details summary table thead tbody tr th td figure figcaption footer "
    "script svg desc g path rect circle text ",
    attributes[] = " lang charset http-equiv content name aria-label href id "
    "class role tabindex scope start width height viewBox font-family "
    "font-size font-weight fill fill-opacity stroke stroke-opacity "
    "stroke-width stroke-dasharray d x y cx cy r text-anchor ",
    alone[] = " meta br hr ";

static int
is_in(const char *list, const char *word, size_t len)
{
	char padded[40] = " ";

	if (len + 3 > sizeof padded)
		return 0;
	memcpy(padded + 1, word, len);
	strcpy(padded + 1 + len, " ");
	return len && strstr(list, padded) != NULL;
}

struct tag {
	const char *name;
	size_t len;
};

/* The attributes of a tag at C, to its end; "#..." of a link is to be there. */
static const char *
check_attributes(const char *c, const struct tp_buf *page)
{
	struct tp_buf place = { 0 };
	size_t len, value;

	while (*c == ' ') {
		len = strcspn(++c, "=");
		if (!is_in(attributes, c, len) || c[len + 1] != '"')
			broken("an attribute that no page has");
		value = strcspn(c + len + 2, "\"<>");
		if (c[len + 2 + value] != '"')
			broken("a value that ends early");
		if (!strncmp(c, "href=\"#", 7)) {
			tp_buf_str(&place, " id=\"");
			tp_buf_add(&place, c + len + 3, value - 1);
			tp_buf_str(&place, "\"");
			if (!strstr(page->p, place.p))
				broken("a link to nowhere");
			tp_buf_release(&place);
			memset(&place, 0, sizeof place);
		}
		c += len + 3 + value;
	}
	return c;
}

static void
check_html(const struct tp_buf *page, const char *from)
{
	const char *c = from;
	struct tag *open = malloc((page->len + 1) * sizeof *open), *top = open;
	size_t len;

	while (open && (c = strchr(c, '<')) != NULL) {
		int ends = c[1] == '/';

		c += 1 + ends;
		len = strcspn(c, " />");
		if (!is_in(elements, c, len))
			broken("an element that no page has");
		if (ends && (top == open || (--top)->len != len ||
		    memcmp(top->name, c, len)))
			broken("an end that is another's");
		if (!ends && !is_in(alone, c, len)) {
			top->name = c;
			top++->len = len;
		}
		c = check_attributes(c + len, page);
		if (*c == '/') {
			top--;
			c++;
		}
		if (*c != '>')
			broken("a tag that does not end");
	}
	if (top != open)
		broken("an element that does not end");
	free(open);
}

static int
html_picture(void *arg, const struct tp_page_document *document,
    const char *target, struct tp_buf *svg)
{
	const struct source *s = arg;
	struct tp_err err = { 0 };

	(void)document;
	return strstr(target, ".svg") &&
	    tp_page_svg(s->text, s->len, svg, &err) == 0;
}

static void
try_html(const struct source *s)
{
	static const char *const folded[] = { "*Appendix", "Notes", NULL };
	char *half = strndup(s->text, s->len / 2);
	struct tp_page_document documents[] = {
		{ TP_PAGE_CARD, s->text, s->len, "card.md" },
		{ TP_PAGE_REPORT, half, half ? strlen(half) : 0, "report.md" },
		{ TP_PAGE_CHAPTER, s->text + s->len / 2, s->len - s->len / 2,
		    "one.md" },
		{ TP_PAGE_FOOT, s->text, s->len, NULL },
	};
	struct tp_page_html html = { .documents = documents, .style = "",
	    .count = sizeof documents / sizeof *documents, .script = "",
	    .folded = folded, .findings = folded, .command = s->text,
	    .picture = html_picture, .arg = (void *)s };
	struct tp_buf page = { 0 }, again = { 0 };
	struct tp_err err = { 0 };
	int rc = tp_page_html(&html, &page, &err);

	if (rc == 0) {
		check_html(&page, strstr(page.p, "<html"));
		tp_page_html(&html, &again, &err);
		if (again.len != page.len || memcmp(again.p, page.p, page.len))
			broken("a page that is another the second time");
	} else if (err.status != TP_LIMIT) {
		broken("a page that fails without a reason");
	}
	tp_buf_release(&page);
	tp_buf_release(&again);
	memset(&page, 0, sizeof page);
	if (tp_page_svg(s->text, s->len, &page, &err) == 0)
		check_html(&page, page.p);
	free(half);
	tp_buf_release(&page);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tp_buf text = { 0 };
	struct source s = { 0 };

	if (!tp_page_can())
		return 0;
	tp_buf_add(&text, (const char *)data, size);
	tp_buf_str(&text, "");
	s.text = text.p;
	s.len = text.len;
	try(&s);
	try_html(&s);
	tp_buf_release(&text);
	return 0;
}
