/*
 * fuzz_page - any bytes as a page of Markdown for a terminal
 *
 * Wide and narrow, with colours and without, in UTF-8 and not; a picture is
 * the same bytes again.  Nothing gets to the terminal but text, ends of lines
 * and our own colours; without these the page is the same, and none goes on
 * behind its line.  Without md4c nothing is tried.
 */
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
	tp_buf_release(&text);
	return 0;
}
