/*
 * xml_row - a row of an export as xctrace writes it, without an XML parser
 *
 * xctrace writes rows in one form: elements with attributes in double quotes,
 * no comments, sections or instructions, no control characters.  A row of that
 * form that is well formed is taken apart here; anything else is none, which
 * is no fault of it: then expat says what it is.
 *
 * Memory: 80 bytes for each token of the longest row.
 */
#ifndef TP_READ_XML_ROW_H
#define TP_READ_XML_ROW_H

#include <stddef.h>
#include <stdint.h>

#define TP_XML_DEPTH 64

/* Bytes of the input; not NUL-terminated.  A part of an XML document as it is
 * written: entities stand for characters (tp_xml_plain()). */
struct tp_xml_text {
	const char *p;		/* NULL: absent */
	uint32_t len;
	int has_entities;
};

enum tp_xml_is { TP_XML_START, TP_XML_EMPTY, TP_XML_END, TP_XML_TEXT };

/* What the number of an element is: a ref goes before an id. */
enum tp_xml_number {
	TP_XML_NO_ID, TP_XML_ID, TP_XML_REF,
	TP_XML_BAD_REF			/* no number that was ever written */
};

struct tp_xml_token {
	enum tp_xml_is is;
	enum tp_xml_number numbered;
	uint64_t id;
	struct tp_xml_text name;	/* of a tag; or the text */
	struct tp_xml_text fmt, named;	/* attributes; "name" is the last */
};

struct tp_xml_tokens {
	struct tp_xml_token *list;
	size_t count, cap;
	int failed;			/* there was no memory */
};

/* What follows the last "</row>" of the bytes from P to END; P: there is
 * none. */
const char *tp_xml_last_row(const char *p, const char *end);

/*
 * The tokens between the tags of the row that begins at P, which is "<row>";
 * END is tp_xml_last_row().  How long the row is, or 0: it is of no form that
 * is known here.  Cells nest TP_XML_DEPTH deep at most.
 */
size_t tp_xml_row(const char *p, const char *end,
    struct tp_xml_tokens *tokens);

/* T has an attribute ID, or REF: LEN bytes. */
void tp_xml_number(struct tp_xml_token *t, enum tp_xml_number what,
    const char *text, size_t len);

/* TEXT with its entities replaced to OUT, which has room for text->len bytes;
 * how many it has now. */
size_t tp_xml_plain(char *out, const struct tp_xml_text *text);

#endif
