/*
 * xml - expat with this project's settings; not installed
 *
 * Fed in blocks, with memory from alloc, no DOCTYPE, and bounded depth and
 * text (real exports nest at most 12 deep and have texts of at most 20 KB).
 */
#ifndef TP_READ_XML_H
#define TP_READ_XML_H

#include <expat.h>

#include <tp/err.h>
#include <tp/in.h>

struct tp_xml {
	XML_Parser parser;
	struct tp_in *in;
	struct tp_err *err;	/* of the current call */
	int stopped;		/* a handler failed; *err says why */
	int depth;
	int in_section;		/* inside CDATA */
	uint64_t fed;		/* bytes that expat got so far, */
	uint64_t lines;		/* ... and lines that it did not get */
	void *arg;		/* argument of the handlers */
	void (*start)(void *arg, const char *tag, const char **atts);
	void (*end)(void *arg, const char *tag);
	void (*text)(void *arg, const char *text, int len);
	/*
	 * May be NULL.  Called when a tag "<row>" begins at P, inside an
	 * element.  May take whole elements from the LEN bytes there; must then
	 * add their lines to LINES.  Returns the number of bytes taken, which
	 * expat does not get.
	 */
	size_t (*rows)(void *arg, const char *p, size_t len);
};

#define TP_XML_ROW "<row>"
#define TP_XML_ROW_LEN 5

/* The caller sets ARG and the handlers first. */
void tp_xml_open(struct tp_xml *xml, struct tp_in *in);
/*
 * Parse a block.  Returns 1 if there is more, 0 at the end of the document, or
 * -1 with ERR.
 */
int tp_xml_more(struct tp_xml *xml, struct tp_err *err);
/* For handlers: stops parsing with the error in xml->err. */
void tp_xml_stop(struct tp_xml *xml);
/* Set xml->err: a tag or text exceeds the limit.  Returns -1. */
int tp_xml_too_long(struct tp_xml *xml);
/* The value of attribute NAME, or NULL. */
const char *tp_xml_attr(const char **atts, const char *name);
uint64_t tp_xml_line(const struct tp_xml *xml);
void tp_xml_close(struct tp_xml *xml);

#endif
