/*
 * xml - expat as this project uses it; not installed
 *
 * Fed in blocks, memory from alloc, no DOCTYPE, depth and text bounded (real
 * exports nest 12 deep at most, and their longest text has 20 KB).
 */
#ifndef TP_READ_XML_H
#define TP_READ_XML_H

#include <expat.h>

#include <tp/err.h>
#include <tp/in.h>

struct tp_xml {
	XML_Parser parser;
	struct tp_in *in;
	struct tp_err *err;	/* of the call under way */
	int stopped;		/* a handler failed: *err says why */
	int depth;
	int in_section;		/* of CDATA */
	uint64_t fed;		/* bytes that expat got so far, */
	uint64_t lines;		/* and lines that it did not get */
	void *arg;		/* for the handlers below */
	void (*start)(void *arg, const char *tag, const char **atts);
	void (*end)(void *arg, const char *tag);
	void (*text)(void *arg, const char *text, int len);
	/*
	 * Or NULL.  At P, in an element, the tag "<row>" begins: take whole
	 * elements from there on, of the LEN bytes that are held, and add their
	 * lines to LINES.  How many bytes were taken: expat does not get them.
	 */
	size_t (*rows)(void *arg, const char *p, size_t len);
};

#define TP_XML_ROW "<row>"
#define TP_XML_ROW_LEN 5

/* ARG and the handlers are set by the caller before.  0 or -1 with ERR. */
int tp_xml_open(struct tp_xml *xml, struct tp_in *in, struct tp_err *err);
/* Parse one block: 1 more to come, 0 the end of the document, -1 ERR. */
int tp_xml_more(struct tp_xml *xml, struct tp_err *err);
/* From a handler: stop with what xml->err says. */
void tp_xml_stop(struct tp_xml *xml);
/* Fill xml->err: a tag or text passes the limit.  Always -1. */
int tp_xml_too_long(struct tp_xml *xml);
/* Value of attribute NAME, or NULL. */
const char *tp_xml_attr(const char **atts, const char *name);
uint64_t tp_xml_line(const struct tp_xml *xml);
void tp_xml_close(struct tp_xml *xml);

#endif
