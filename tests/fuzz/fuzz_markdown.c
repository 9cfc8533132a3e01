/*
 * fuzz_markdown - any bytes as a name in a page of Markdown
 *
 * The name stands wherever templates and tables of records put one: in cells,
 * headings, lists, sentences, as text and as code.  The page is read by
 * cmark-gfm, GitHub's own, with all its extensions: it must have the blocks,
 * rows and cells that it has with a tame name, nothing else (no link, no
 * markup), and the text of each must be the name, cleaned.
 *
 * The same bytes are then the notes of a person (notes.h), and so is a page
 * that they choose the parts of: no reader may find HTML in what is printed of
 * them, nor a link that leads to a script.  A file that says "mix N" stands
 * for 2,000 such pages.  Without that library nothing is tried.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "feed.h"

#ifdef TP_CMARK
#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

#include <tp/show/text_table.h>
#include <tp/show/notes.h>
#include <tp/show/template.h>
#include <tp/text.h>

#include "show/md.h"

/* What a name in it never is. */
#define TAME "Qq"

static const char table[] =
    "| a | b | c |\n|---|---|---|\n"
    "| {{name.full}} | {{name.code.full}} | '{{name.full}}' ({{name.full}}) |\n"
    "| {{name.code.full}}, 1 | y | {{name.full}}: {{name.full}}, 1 |\n";

static const char page[] =
    "# {{name.full}}\n\n## a {{name.full}}\n\n{{name.full}}\n\n"
    "words\n{{name.full}}\nwords {{name.full}}\n\n"
    "- {{name.full}}\n- **{{name.full}}** is\n  {{name.code.full}}\n\n"
    "1. {{name.full}}: a {{name.code.full}}.\n"
    "2. ({{name.full}}, {{name.full}}) and \"{{name.full}}\"\n\n"
    "{{name.code.full}}\n\n> {{name.full}}\n";

static const char cut[] =
    "| {{name}} | {{name.code}} |\n|---|---|\n| {{name}} | {{name.code}} |\n";

/* TEMPLATE with the LEN bytes at NAME. */
static void
fill(struct tp_buf *out, const char *template, const char *name, size_t len)
{
	struct tp_field fields[] = {
		{ "kind", "x", 1, TP_FIELD_TEXT, 0, 0 },
		{ "name", name, len, TP_FIELD_TEXT, 0, 0 },
	};
	struct tp_rec rec = { .kind = "x", .fields = fields, .count = 2 };
	struct tp_set none = { 0 };
	struct tp_template t = { .set = &none, .current = &rec };
	struct tp_err err;

	tp_buf_clear(out);
	if (tp_template_render(&t, template, strlen(template), out, &err) < 0)
		broken(err.text);
}

/* A record with the name, as a table of records. */
static void
fill_grid(struct tp_buf *out, const char *name, size_t len)
{
	struct tp_buf line = { 0 };
	struct tp_set set = { 0 };
	struct tp_err err;

	tp_buf_clear(out);
	tp_buf_str(&line, "{\"kind\":\"x\",\"src\":\"a\",\"name\":\"");
	tp_json_escape(&line, name, len);
	tp_buf_str(&line, "\",\"n\":1}");
	for (int i = 0; i < 3; i++)
		if (tp_set_add(&set, line.p, line.len, &err) < 0)
			broken(err.text);
	tp_grid_print(&set, TP_GRID_MARKDOWN, NULL, out);
	tp_set_release(&set);
	tp_buf_release(&line);
}

/* BARE: without what GitHub adds to Markdown. */
static cmark_node *
parse(const struct tp_buf *md, int bare)
{
	static const char *const names[] = { "table", "autolink",
	    "strikethrough", "tasklist", "tagfilter" };
	cmark_parser *parser;
	cmark_node *doc;

	cmark_gfm_core_extensions_ensure_registered();
	parser = cmark_parser_new(bare ? CMARK_OPT_DEFAULT :
	    CMARK_OPT_FOOTNOTES);
	for (size_t i = 0; !bare && i < sizeof names / sizeof *names; i++)
		cmark_parser_attach_syntax_extension(parser,
		    cmark_find_syntax_extension(names[i]));
	cmark_parser_feed(parser, md->p, md->len);
	doc = cmark_parser_finish(parser);
	cmark_parser_free(parser);
	return doc;
}

/*
 * What MD is to a reader: its nodes, and between them its text when TEXT.
 * Text and code are told apart by nobody.
 */
static void
outline(struct tp_buf *out, const struct tp_buf *md, int text)
{
	cmark_node *doc = parse(md, 0), *node;
	cmark_iter *iter = cmark_iter_new(doc);
	cmark_event_type event;

	tp_buf_clear(out);
	while ((event = cmark_iter_next(iter)) != CMARK_EVENT_DONE) {
		node = cmark_iter_get_node(iter);
		if (cmark_node_get_type(node) != CMARK_NODE_TEXT &&
		    cmark_node_get_type(node) != CMARK_NODE_CODE)
			tp_buf_fmt(out, "\n%s%s\n",
			    event == CMARK_EVENT_EXIT ? "/" : "",
			    cmark_node_get_type_string(node));
		else if (text)
			tp_buf_str(out, cmark_node_get_literal(node));
	}
	cmark_iter_free(iter);
	cmark_node_free(doc);
}

/* NAME as it should be seen. */
static void
clean(struct tp_buf *out, const char *name, size_t len)
{
	const char *p = name, *end = name + len;
	int blank = 0;
	uint32_t c;
	size_t n;

	tp_buf_clear(out);
	for (; p < end; p += n) {
		n = tp_utf8(p, (size_t)(end - p), &c);
		if (!n) {
			c = 0xfffd;
			n = 1;
		}
		if (c == ' ' || tp_is_control(c)) {
			blank = out->len > 0;
			continue;
		}
		if (blank)
			tp_buf_chr(out, ' ');
		blank = 0;
		if (tp_turns_text(c))
			tp_buf_fmt(out, "\\u{%x}", (unsigned)c);
		else
			tp_utf8_add(out, c);
	}
}

/* Append TAMED with every tame name replaced by NAME. */
static void
expect(struct tp_buf *out, const struct tp_buf *tamed,
    const struct tp_buf *name)
{
	const char *p = tamed->p, *at;

	tp_buf_clear(out);
	for (; (at = strstr(p, TAME)); p = at + strlen(TAME)) {
		tp_buf_add(out, p, (size_t)(at - p));
		tp_buf_add(out, name->p, name->len);
	}
	tp_buf_str(out, p);
}

/* Whether the name prints as something shorter by design. */
static int
is_changed(const struct tp_buf *name)
{
	return name->len && (strstr(name->p, "/Users/") ||
	    strstr(name->p, "/home/") || strstr(name->p, "/root/"));
}

static void
check(const char *template, const char *name, size_t len, int text)
{
	struct tp_buf md = { 0 }, got = { 0 }, tamed = { 0 }, want = { 0 },
	    shown = { 0 };

	clean(&shown, name, len);
	text = text && !is_changed(&shown) &&
	    (template || shown.len <= TP_MD_NAME_MAX);
	if (template)
		fill(&md, template, TAME, strlen(TAME));
	else
		fill_grid(&md, TAME, strlen(TAME));
	outline(&tamed, &md, text);
	if (template)
		fill(&md, template, name, len);
	else
		fill_grid(&md, name, len);
	outline(&got, &md, text);
	expect(&want, &tamed, &shown);
	if (got.len != want.len || memcmp(got.p, want.p, got.len)) {
		fprintf(stderr, "page:\n%s\nwant:%s\ngot:%s\n", md.p, want.p,
		    got.p);
		broken("a name is not what it was in Markdown");
	}
	tp_buf_release(&shown);
	tp_buf_release(&want);
	tp_buf_release(&tamed);
	tp_buf_release(&got);
	tp_buf_release(&md);
}

/* Whether a link to URL is one that notes may have; GitHub makes some of text
 * that begins with another scheme. */
static int
is_tame(const char *url)
{
	static const char *const schemes[] = { "http:", "https:", "mailto:",
	    "ftp:", "xmpp:" };
	const char *colon = strpbrk(url, ":/?#");

	/* a scheme begins with a letter: a parser takes ".mailto:" along */
	if (!colon || *colon != ':' || !isalpha((unsigned char)*url))
		return 1;
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
		if (!strncasecmp(url, schemes[i], strlen(schemes[i])))
			return 1;
	return 0;
}

/* Whether a picture at URL is not one of the files beside the report. */
static int
is_elsewhere(const char *url)
{
	return *url == '/' || strchr(url, ':') || strchr(url, '\\');
}

static int
is_quoted(cmark_node *node)
{
	while (node && cmark_node_get_type(node) != CMARK_NODE_BLOCK_QUOTE)
		node = cmark_node_parent(node);
	return node != NULL;
}

/* Stop when a reader of MD finds what notes may not have. */
static void
read_notes(const struct tp_buf *md, int bare)
{
	cmark_node *doc = parse(md, bare), *node;
	cmark_iter *iter = cmark_iter_new(doc);
	const char *what = NULL;

	while (!what && cmark_iter_next(iter) != CMARK_EVENT_DONE) {
		node = cmark_iter_get_node(iter);
		if (cmark_node_get_type(node) == CMARK_NODE_HTML_BLOCK ||
		    cmark_node_get_type(node) == CMARK_NODE_HTML_INLINE)
			what = cmark_node_get_literal(node);
		else if ((cmark_node_get_type(node) == CMARK_NODE_LINK ||
		    cmark_node_get_type(node) == CMARK_NODE_IMAGE) &&
		    !is_tame(cmark_node_get_url(node)))
			what = cmark_node_get_url(node);
		else if (cmark_node_get_type(node) == CMARK_NODE_IMAGE &&
		    is_elsewhere(cmark_node_get_url(node)))
			what = cmark_node_get_url(node);
		else if (cmark_node_get_type(node) == CMARK_NODE_HEADING &&
		    !is_quoted(node))
			what = "a heading of its own";
	}
	if (what) {
		fprintf(stderr, "page:\n%s\nhas: %s\n", md->p, what);
		broken("notes are not tame");
	}
	cmark_iter_free(iter);
	cmark_node_free(doc);
}

/* Print TEXT as notes, after what a report may end in. */
static void
check_notes(const char *text, size_t len)
{
	static const char *const before[] = { "", "text\n\n",
	    "- a\n\n", "1. a\n   - b\n\n", "> a\n\n", "[^1]: a\n\n" };
	struct tp_buf md = { 0 };

	for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
		tp_buf_clear(&md);
		tp_buf_str(&md, before[i]);
		tp_notes_add(&md, "notes.md", text, len);
		read_notes(&md, 0);
		read_notes(&md, 1);
		if (md.len > strlen(before[i]) && (md.p[md.len - 1] != '\n'))
			broken("notes do not end in a line feed");
	}
	tp_buf_release(&md);
}

/* What confuses a reader most; a line often ends. */
static const char *const parts[] = {
	"\n", "\n", "\n\n", "\n", "\n\n", "\n ", "\n  ", "\n   ", "\n    ",
	"\n\t", "\n\n  ", "\n  ```\n", "\n    ~~~\n", "\n  ~~~\n",
	"\n     ```\n", "\n   ~~~\n", "\n```\n", "\n<script>\n",
	"\n  <script>\n", "\n- a\n", "\n- ~~~\n", "\n> ```\n", "\n| `a | ",
	"[a](b`c) ", "[a][b`] ", "\n[b`]: x\n", "\n```", "\n~~~", "\n```\n",
	"\n~~~\n", "\r",
	"`", "`", "``", "```", "````", "~~~", "~~~~", "- ", "* ", "1. ", "2) ",
	"> ", ">", "[^1]: ", "[a]: ", "[`]: ", "# ", "| ", "|-|-|\n", " | ",
	"---\n", "===\n", "\\", "\\`", "\\<", "a", "b c", " ", "  ", "\t",
	"<script>", "</script>", "<!--", "-->", "<?x", "<![CDATA[", "<b a='",
	"<a href=\"", "<x@y.z>", "<1`@y.z>", "<http://a`b>", "<pre>\n", "<",
	"http://a", "www.a.b", "https://a/`", "x@y.z", "[a](", "[a](<", "](b",
	"](b `", ")", "\"", "'", " \"t", "[a][", "[", "]", "![", "[a]", "]:",
	"javascript:", "javascript&colon;", "&#106;avascript:", "data:x",
	"http:", "/", "#", "&", ";", "*", "**", "_", "~~", "$", "$$", "[ ] ",
	"{", "}", "!", "\xe2\x80\xae", "\xff", "\x1b[1m", "\xef\xbb\xbf",
};
#define PARTS (sizeof parts / sizeof *parts)

/* 2,000 pages of parts that SEED chooses. */
static void
check_mix(uint64_t seed)
{
	struct tp_buf mixed = { 0 };
	size_t count;

	for (int i = 0; i < 2000; i++) {
		tp_buf_clear(&mixed);
		for (count = 0; count < 4 + (size_t)i % 37; count++) {
			/* as in Knuth, TAOCP 3.3.4 */
			seed = seed * 6364136223846793005u +
			    1442695040888963407u;
			tp_buf_str(&mixed, parts[(seed >> 33) % PARTS]);
		}
		check_notes(mixed.p, mixed.len);
	}
	tp_buf_release(&mixed);
}

static void
check_as_notes(const char *text, size_t size)
{
	struct tp_buf mixed = { 0 };

	check_notes(text, size);
	for (size_t i = 0; i < size; i++)
		tp_buf_str(&mixed, parts[(unsigned char)text[i] % PARTS]);
	if (mixed.len)
		check_notes(mixed.p, mixed.len);
	if (size > 4 && !memcmp(text, "mix ", 4))
		check_mix(strtoull(text + 4, NULL, 10));
	tp_buf_release(&mixed);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tp_buf name = { 0 }, shown = { 0 };

	tp_buf_add(&name, (const char *)data, size);
	tp_buf_chr(&name, '\0');
	clean(&shown, name.p, size);
	/* nothing in a sentence leaves a hole there, which is no harm */
	if (shown.len)
		check(page, name.p, size, 1);
	check(table, name.p, size, 1);
	check(cut, name.p, size, 0);
	check(NULL, name.p, size, 1);
	check_as_notes(name.p, size);
	tp_buf_release(&shown);
	tp_buf_release(&name);
	return 0;
}
#else
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	(void)data;
	(void)size;
	return 0;
}
#endif
