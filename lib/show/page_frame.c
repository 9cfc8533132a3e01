/* page_frame - the frame around the documents of an HTML page */
#include <string.h>

#include <tp/alloc.h>
#include <tp/os.h>

#include "page_html.h"

static void
add_base64(struct tp_buf *to, const unsigned char *bytes, size_t len)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "abcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned word;

	for (size_t i = 0; i < len; i += 3) {
		word = (unsigned)bytes[i] << 16;
		word |= i + 1 < len ? (unsigned)bytes[i + 1] << 8 : 0;
		word |= i + 2 < len ? bytes[i + 2] : 0;
		tp_buf_chr(to, digits[word >> 18]);
		tp_buf_chr(to, digits[word >> 12 & 63]);
		tp_buf_chr(to, i + 1 < len ? digits[word >> 6 & 63] : '=');
		tp_buf_chr(to, i + 2 < len ? digits[word & 63] : '=');
	}
}

/*
 * Append " KIND 'sha256-...'": the policy allows exactly this text of the page,
 * and no other.
 */
static void
allow(struct tp_buf *to, const char *kind, const char *text)
{
	unsigned char digest[32];

	tp_buf_str(to, kind);
	if (tp_os_digest(text, strlen(text), digest) < 0)
		return;
	tp_buf_str(to, " 'sha256-");
	add_base64(to, digest, sizeof digest);
	tp_buf_str(to, "'; ");
}

static void
add_policy(const struct tp_page_html *page, struct tp_buf *out)
{
	tp_buf_str(out, "<meta http-equiv=\"Content-Security-Policy\" "
	    "content=\"default-src 'none'; ");
	allow(out, "style-src", page->style);
	allow(out, "script-src", page->script);
	tp_buf_str(out, "base-uri 'none'; form-action 'none'\">\n");
}

/* Write the title of a page whose documents have none: a file name. */
static void
add_name(const struct tp_page_html *page, struct tp_buf *out)
{
	static const char md[] = ".md";
	const char *name = NULL;
	size_t len;

	for (size_t i = 0; i < page->count && !name; i++)
		if (page->documents[i].role == TP_PAGE_REPORT)
			name = page->documents[i].name;
	name = name ? name : "Report";
	len = strlen(name);
	if (len > sizeof md - 1 && !strcmp(name + len - (sizeof md - 1), md))
		len -= sizeof md - 1;
	tp_html_text(out, name, len);
}

static void
add_title(const struct tp_html *h, struct tp_buf *out)
{
	if (h->title_words.len)
		tp_html_text(out, h->title_words.p, h->title_words.len);
	else
		add_name(h->page, out);
}

static void
add_head(const struct tp_html *h, struct tp_buf *out)
{
	const struct tp_page_html *page = h->page;

	tp_buf_str(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
	    "<meta charset=\"utf-8\">\n");
	if (!page->linked)
		add_policy(page, out);
	tp_buf_str(out, "<meta name=\"viewport\" content=\"width=device-width, "
	    "initial-scale=1\">\n"
	    "<meta name=\"generator\" content=\"tracepipe " TP_VERSION "\">\n"
	    "<title>");
	add_title(h, out);
	tp_buf_str(out, "</title>\n");
	if (page->linked) {
		tp_buf_str(out, "<link rel=\"stylesheet\" href=\"");
		tp_html_text(out, page->style, strlen(page->style));
		tp_buf_str(out, "\">\n<script src=\"");
		tp_html_text(out, page->script, strlen(page->script));
		tp_buf_str(out, "\" defer></script>\n");
	} else {
		tp_buf_str(out, "<style>");
		tp_buf_str(out, page->style);
		tp_buf_str(out, "</style>\n");
	}
	tp_buf_str(out, "</head>\n<body>\n<header>\n<h1");
	if (h->title.len) {
		tp_buf_add(out, h->title.p, h->title.len);
	} else {
		tp_buf_chr(out, '>');
		add_title(h, out);
	}
	tp_buf_str(out, "</h1>\n</header>\n");
}

static void
add_foot(const struct tp_html *h, struct tp_buf *out)
{
	const struct tp_page_html *page = h->page;

	tp_buf_str(out, "<footer>\n<p>Made by tracepipe " TP_VERSION);
	if (page->command) {
		tp_buf_str(out, " with <code>");
		tp_html_text(out, page->command, strlen(page->command));
		tp_buf_str(out, "</code>");
	}
	tp_buf_str(out, ".</p>\n");
	if (h->foot.len)
		tp_buf_add(out, h->foot.p, h->foot.len);
	tp_buf_str(out, "</footer>\n");
	if (!page->linked) {
		tp_buf_str(out, "<script>");
		tp_buf_str(out, page->script);
		tp_buf_str(out, "</script>\n");
	}
	tp_buf_str(out, "</body>\n</html>\n");
}

static void
add_page(struct tp_html *h, struct tp_buf *out)
{
	tp_html_end_nav(h);
	add_head(h, out);
	if (h->entries > 1) {
		tp_buf_str(out, "<nav aria-label=\"Contents\">\n");
		tp_buf_add(out, h->nav.p, h->nav.len);
		tp_buf_str(out, "</nav>\n");
	}
	tp_buf_str(out, "<main>\n");
	if (h->body.len)
		tp_buf_add(out, h->body.p, h->body.len);
	tp_buf_str(out, "</main>\n");
	add_foot(h, out);
}

/* Read all documents. */
static int
read_all(struct tp_html *h, struct tp_html_facts *facts, struct tp_err *err)
{
	for (size_t i = 0; i < h->page->count; i++) {
		h->document = &h->page->documents[i];
		h->facts = &facts[i];
		if (tp_html_read(h, err) < 0)
			return -1;
	}
	return 0;
}

int
tp_page_html(const struct tp_page_html *page, struct tp_buf *out,
    struct tp_err *err)
{
	static const size_t most[] = { 0, TP_PAGE_ROWS, TP_PAGE_ROWS_LEAST };
	struct tp_html h = { .page = page, .first = 1 };
	struct tp_html_facts *facts = tp_zalloc((page->count + 1) *
	    sizeof *facts);
	size_t from = out->len;
	int rc = read_all(&h, facts, err);

	h.first = 0;
	h.names = h.used;
	memset(&h.used, 0, sizeof h.used);
	for (size_t i = 0; !rc && i < sizeof most / sizeof *most; i++) {
		h.rows = most[i];
		if (h.rows && h.longest <= h.rows)
			continue;
		tp_html_clear(&h);
		out->len = from;
		rc = read_all(&h, facts, err);
		if (!rc)
			add_page(&h, out);
		if (out->len - from <= TP_PAGE_BYTES)
			break;
	}
	tp_html_release(&h);
	tp_free(facts);
	return rc;
}
