/* page_svg - check a picture of tp-draw before it goes into a page */
#include <expat.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/show/page.h>
#include <tp/text.h>

enum { DEPTH_MAX = 8 };

/* Elements allowed in a picture and their attributes, enclosed in blanks. */
static const struct {
	const char *element, *attributes;
} allowed[] = {
	{ "svg", " class width height viewBox role font-family font-size "
	    "fill " },
	{ "svg", " x y width height viewBox preserveAspectRatio " },
	{ "title", " " },
	{ "desc", " " },
	{ "g", " class fill fill-opacity " },
	{ "path", " class d fill fill-opacity stroke stroke-opacity "
	    "stroke-width stroke-dasharray " },
	{ "line", " x1 y1 x2 y2 stroke stroke-opacity stroke-width "
	    "stroke-dasharray " },
	{ "rect", " class x y width height fill fill-opacity stroke "
	    "stroke-width stroke-opacity " },
	{ "circle", " class cx cy r fill fill-opacity stroke stroke-width " },
	{ "text", " class x dx y text-anchor font-size font-weight fill "
	    "fill-opacity " },
};

struct picture {
	XML_Parser parser;
	struct tp_buf *out, words;
	struct tp_err *err;
	int depth, in_style, open;	/* open: the start tag still lacks its
					 * '>' */
};

static void
refuse(struct picture *p, const char *what, const char *name)
{
	struct tp_buf shown = { 0 };

	tp_show_text(&shown, name, strlen(name));
	tp_fail(p->err, TP_BAD, "xml.damaged",
	    (uint64_t)XML_GetCurrentLineNumber(p->parser), "%s '%.40s'", what,
	    shown.p ? shown.p : "");
	tp_buf_release(&shown);
	XML_StopParser(p->parser, XML_FALSE);
}

/* Whether NAME is a word of LIST. */
static int
is_listed(const char *list, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = strstr(list, name); len && p;
	    p = strstr(p + 1, name))
		if (p > list && p[-1] == ' ' && p[len] == ' ')
			return 1;
	return 0;
}

/*
 * Whether a value is harmless: numbers, paths, colours and words, but no
 * reference to anything.
 */
static int
is_plain(const char *value)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 #.,+-%";

	return !value[strspn(value, plain)];
}

static const char *
attributes_of(const char *element, int depth)
{
	for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++)
		if (!strcmp(allowed[i].element, element) &&
		    (i == 0) == (depth == 1))
			return allowed[i].attributes;
	return NULL;
}

/* Write the text before a tag. */
static void
print_words(struct picture *p)
{
	if (p->words.len) {
		if (p->open)
			tp_buf_chr(p->out, '>');
		p->open = 0;
		tp_xml_text(p->out, p->words.p);
	}
	tp_buf_clear(&p->words);
}

/*
 * Whether attribute NAME of a picture is left out.  A scene has percentages,
 * and so any width, without a viewBox.
 */
static int
is_left_out(const struct picture *p, const char *name, const char **atts)
{
	int is_scene = 0;

	for (; p->depth == 1 && *atts; atts += 2)
		is_scene |= !strcmp(atts[0], "class") &&
		    !strcmp(atts[1], "scene");
	return p->depth == 1 && (!strcmp(name, "xmlns") || (is_scene &&
	    !strcmp(name, "viewBox")));
}

static void
on_start(void *arg, const char *element, const char **atts)
{
	struct picture *p = arg;
	const char *attributes;

	if (++p->depth > DEPTH_MAX || p->in_style) {
		refuse(p, "nested too deeply:", element);
		return;
	}
	p->in_style = p->depth == 2 && !strcmp(element, "style");
	if (p->in_style)
		return;
	attributes = attributes_of(element, p->depth);
	if (!attributes) {
		refuse(p, "an element", element);
		return;
	}
	print_words(p);
	tp_buf_str(p->out, p->open ? "><" : "<");
	tp_buf_str(p->out, element);
	for (const char **all = atts; *atts; atts += 2) {
		if (is_left_out(p, atts[0], all))
			continue;
		if (!is_listed(attributes, atts[0])) {
			refuse(p, "an attribute", atts[0]);
			return;
		}
		if (!is_plain(atts[1])) {
			refuse(p, "a value", atts[1]);
			return;
		}
		tp_buf_chr(p->out, ' ');
		tp_buf_str(p->out, atts[0]);
		tp_buf_str(p->out, "=\"");
		tp_buf_str(p->out, atts[1]);
		tp_buf_chr(p->out, '"');
	}
	p->open = 1;
}

static void
on_end(void *arg, const char *element)
{
	struct picture *p = arg;

	p->depth--;
	if (p->in_style) {
		p->in_style = 0;
		return;
	}
	print_words(p);
	if (p->open) {
		tp_buf_str(p->out, "/>");
	} else {
		tp_buf_str(p->out, "</");
		tp_buf_str(p->out, element);
		tp_buf_chr(p->out, '>');
	}
	p->open = 0;
	if (p->depth <= 1)
		tp_buf_chr(p->out, '\n');
}

static int
is_blank(const char *text, int len)
{
	while (len > 0 && strchr(" \t\r\n", text[len - 1]))
		len--;
	return len <= 0;
}

static void
on_text(void *arg, const char *text, int len)
{
	struct picture *p = arg;

	if (p->in_style || (!p->words.len && is_blank(text, len)))
		return;
	tp_show_text(&p->words, text, (size_t)len);
}

static void
on_doctype(void *arg, const char *name, const char *sysid, const char *pubid,
    int internal)
{
	(void)sysid, (void)pubid, (void)internal;
	refuse(arg, "a DOCTYPE", name);
}

int
tp_page_svg(const char *bytes, size_t len, struct tp_buf *out,
    struct tp_err *err)
{
	static const XML_Memory_Handling_Suite memory = { tp_alloc,
	    tp_realloc, tp_free };
	struct picture p = { .out = out, .err = err };
	size_t from = out->len;
	enum XML_Status status;

	p.parser = XML_ParserCreate_MM("UTF-8", &memory, NULL);
	err->status = TP_OK;
	XML_SetUserData(p.parser, &p);
	XML_SetElementHandler(p.parser, on_start, on_end);
	XML_SetCharacterDataHandler(p.parser, on_text);
	XML_SetStartDoctypeDeclHandler(p.parser, on_doctype);
	status = XML_Parse(p.parser, bytes, (int)len, 1);
	if (XML_GetErrorCode(p.parser) == XML_ERROR_NO_MEMORY)
		tp_no_memory();
	if (status != XML_STATUS_OK && !err->status)
		tp_fail(err, TP_BAD, "xml.damaged",
		    (uint64_t)XML_GetCurrentLineNumber(p.parser), "%s",
		    XML_ErrorString(XML_GetErrorCode(p.parser)));
	XML_ParserFree(p.parser);
	tp_buf_release(&p.words);
	if (status == XML_STATUS_OK)
		return 0;
	if (out->p)
		out->p[out->len = from] = '\0';
	return -1;
}
