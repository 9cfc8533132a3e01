/* xml - expat with this project's settings */
#include <string.h>

#include <tp/alloc.h>
#include <tp/limits.h>

#include "xml.h"

static void
on_start(void *arg, const char *tag, const char **atts)
{
	struct tp_xml *xml = arg;

	if (xml->stopped)
		return;
	if (++xml->depth > tp_limits.depth) {
		tp_limit_depth(xml->err, tp_xml_line(xml), "elements");
		tp_xml_stop(xml);
		return;
	}
	xml->start(xml->arg, tag, atts);
}

static void
on_end(void *arg, const char *tag)
{
	struct tp_xml *xml = arg;

	if (xml->stopped)
		return;
	xml->end(xml->arg, tag);
	xml->depth--;
}

static void
on_text(void *arg, const char *text, int len)
{
	struct tp_xml *xml = arg;

	if (!xml->stopped)
		xml->text(xml->arg, text, len);
}

static void
on_section_start(void *arg)
{
	struct tp_xml *xml = arg;

	xml->in_section = 1;
}

static void
on_section_end(void *arg)
{
	struct tp_xml *xml = arg;

	xml->in_section = 0;
}

static void
on_doctype(void *arg, const char *name, const char *sysid, const char *pubid,
    int internal)
{
	struct tp_xml *xml = arg;

	(void)name, (void)sysid, (void)pubid, (void)internal;
	tp_fail(xml->err, TP_BAD, "xml.doctype", tp_xml_line(xml),
	    "a DOCTYPE, which no export of Instruments has; was another "
	    "file saved instead of it?");
	tp_xml_stop(xml);
}

void
tp_xml_open(struct tp_xml *xml, struct tp_in *in)
{
	static const XML_Memory_Handling_Suite memory = { tp_alloc,
	    tp_realloc, tp_free };

	xml->in = in;
	xml->parser = XML_ParserCreate_MM("UTF-8", &memory, NULL);
	XML_SetUserData(xml->parser, xml);
	XML_SetElementHandler(xml->parser, on_start, on_end);
	XML_SetCharacterDataHandler(xml->parser, on_text);
	XML_SetStartDoctypeDeclHandler(xml->parser, on_doctype);
	if (xml->rows)
		XML_SetCdataSectionHandler(xml->parser, on_section_start,
		    on_section_end);
}

void
tp_xml_stop(struct tp_xml *xml)
{
	xml->stopped = 1;
	XML_StopParser(xml->parser, XML_FALSE);
}

int
tp_xml_too_long(struct tp_xml *xml)
{
	return tp_limit_line(xml->err, "limit.text", tp_xml_line(xml),
	    "a tag or a text");
}

/* Why expat rejects a byte, as far as the byte shows. */
static const char *
invalid_token(struct tp_xml *xml, const char *block, ptrdiff_t len,
    uint64_t before)
{
	int64_t at = (int64_t)XML_GetCurrentByteIndex(xml->parser) -
	    (int64_t)before;
	unsigned char c;

	if (at < 0 || at >= len)
		return "not well-formed XML";
	c = (unsigned char)block[at];
	if (c == '%')
		return "not well-formed XML: xctrace writes an attribute "
		    "called 'resident-%' in the details of VM tracks, which "
		    "no XML parser takes; other tables are not affected";
	if (c >= 0x80)
		return "not UTF-8; if it was edited, export it again";
	if (c < 0x20)
		return "a control character, which XML may not hold; export "
		    "it again";
	return "not well-formed XML; export it again";
}

/*
 * Describe expat's error in the LEN bytes of BLOCK, which follow BEFORE bytes.
 * Returns -1.
 */
static int
damaged(struct tp_xml *xml, const char *block, ptrdiff_t len,
    uint64_t before)
{
	enum XML_Error code = XML_GetErrorCode(xml->parser);

	switch (code) {
	case XML_ERROR_NO_MEMORY:
		tp_no_memory();
	case XML_ERROR_NO_ELEMENTS:
	case XML_ERROR_UNCLOSED_TOKEN:
	case XML_ERROR_PARTIAL_CHAR:
	case XML_ERROR_UNCLOSED_CDATA_SECTION:
		tp_fail(xml->err, TP_BAD, "input.truncated",
		    tp_xml_line(xml),
		    "the document ends early; export it again");
		break;
	case XML_ERROR_INVALID_TOKEN:
		tp_fail(xml->err, TP_BAD, "xml.damaged", tp_xml_line(xml),
		    "%s", invalid_token(xml, block, len, before));
		break;
	case XML_ERROR_JUNK_AFTER_DOC_ELEMENT:
		tp_fail(xml->err, TP_BAD, "xml.damaged", tp_xml_line(xml),
		    "something follows the end of the document; give each "
		    "export as a file of its own");
		break;
	default:
		tp_fail(xml->err, TP_BAD, "xml.damaged", tp_xml_line(xml),
		    "not well-formed XML (%s); export it again",
		    XML_ErrorString(code));
	}
	xml->err->fatal = 1;
	return -1;
}

/* The bytes that expat buffers of an incomplete token. */
static uint64_t
held(const struct tp_xml *xml)
{
	return xml->fed - (uint64_t)XML_GetCurrentByteIndex(xml->parser);
}

/*
 * Pass the LEN bytes at P to expat; LEN 0 ends the document.  Returns 0 or -1.
 */
static int
feed(struct tp_xml *xml, const char *p, size_t len)
{
	uint64_t before = xml->fed;
	enum XML_Status s;

	xml->fed += len;
	s = XML_Parse(xml->parser, len ? p : "", (int)len, !len);
	if (xml->stopped) {
		xml->err->fatal = 1;
		return -1;
	}
	if (s != XML_STATUS_OK)
		return damaged(xml, p, (ptrdiff_t)len, before);
	/* a tag that never ends fills the parser's buffer */
	return held(xml) > (uint64_t)tp_limits.line_bytes ?
	    tp_xml_too_long(xml) : 0;
}

/*
 * How many of the LEN bytes at P xml->rows takes.  They must be the start of a
 * row, with expat between two tokens.
 */
static size_t
take_rows(struct tp_xml *xml, const char *p, size_t len)
{
	if (!xml->rows || xml->depth < 1 || xml->in_section || held(xml) ||
	    len < TP_XML_ROW_LEN || memcmp(p, TP_XML_ROW, TP_XML_ROW_LEN))
		return 0;
	return xml->rows(xml->arg, p, len);
}

/* Where the next row may begin after P, or END. */
static const char *
next_row(const struct tp_xml *xml, const char *p, const char *end)
{
	while (xml->rows && (p = memchr(p + 1, '<', (size_t)(end - p) - 1)))
		if ((size_t)(end - p) >= TP_XML_ROW_LEN &&
		    !memcmp(p, TP_XML_ROW, TP_XML_ROW_LEN))
			return p;
	return end;
}

int
tp_xml_more(struct tp_xml *xml, struct tp_err *err)
{
	const char *p, *end, *next;
	ptrdiff_t n;

	xml->err = err;
	n = tp_in_read(xml->in, &p, err);
	if (n <= 0)
		return n < 0 ? -1 : feed(xml, "", 0);
	for (end = p + n; p < end; p = next) {
		next = p + take_rows(xml, p, (size_t)(end - p));
		if (xml->stopped) {
			err->fatal = 1;
			return -1;
		}
		if (next > p)
			continue;
		next = next_row(xml, p, end);
		if (feed(xml, p, (size_t)(next - p)) < 0)
			return -1;
	}
	return 1;
}

const char *
tp_xml_attr(const char **atts, const char *name)
{
	for (; *atts; atts += 2)
		if (!strcmp(atts[0], name))
			return atts[1];
	return NULL;
}

uint64_t
tp_xml_line(const struct tp_xml *xml)
{
	return (uint64_t)XML_GetCurrentLineNumber(xml->parser) + xml->lines;
}

void
tp_xml_close(struct tp_xml *xml)
{
	if (xml->parser)
		XML_ParserFree(xml->parser);
}
