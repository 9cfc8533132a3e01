/*
 * fuzz_markdown - any bytes as a name in a page of Markdown
 *
 * The name stands wherever templates and tables of records put one: in cells,
 * headings, lists, sentences, as text and as code.  The page is read by
 * cmark-gfm, GitHub's own, with all its extensions: it must have the blocks,
 * rows and cells that it has with a tame name, nothing else (no link, no
 * markup), and the text of each must be the name, cleaned.  Without that
 * library nothing is tried.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feed.h"

#ifdef TP_CMARK
#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

#include <tp/grid.h>
#include <tp/md.h>
#include <tp/template.h>
#include <tp/text.h>

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
	if (tp_grid_print(&set, TP_GRID_MARKDOWN, out, &err) < 0)
		broken(err.text);
	tp_set_release(&set);
	tp_buf_release(&line);
}

static cmark_node *
parse(const struct tp_buf *md)
{
	static const char *const names[] = { "table", "autolink",
	    "strikethrough", "tasklist", "tagfilter" };
	cmark_parser *parser;
	cmark_node *doc;

	cmark_gfm_core_extensions_ensure_registered();
	parser = cmark_parser_new(CMARK_OPT_FOOTNOTES);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
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
	cmark_node *doc = parse(md), *node;
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
