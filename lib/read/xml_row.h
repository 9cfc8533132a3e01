/*
 * xml_row - parse a row of an export by xctrace without an XML parser
 *
 * xctrace writes rows in one form: elements with attributes in double
 * quotes, no comments, sections, processing instructions or control
 * characters.  Rows of this form that are well formed are parsed here.  Any
 * other row is left to expat, which decides whether it is damaged.
 *
 * Memory: 72 bytes for each token of the longest row; 184 bytes and the name
 * for each tag.
 */
#ifndef TP_READ_XML_ROW_H
#define TP_READ_XML_ROW_H

#include <stddef.h>
#include <stdint.h>

#include <tp/hash.h>

#define TP_XML_DEPTH 64
#define TP_XML_KIDS 32
#define TP_XML_TAGS 65536	/* most tags; exports have some hundred */

/*
 * A part of an XML document as written: bytes of the input, not
 * NUL-terminated, with entities (see tp_xml_plain()).
 */
struct tp_xml_text {
	const char *p;		/* NULL: absent */
	uint32_t len;
	int has_entities;
};

/* What elements of one name have in common. */
struct tp_xml_tag {
	const char *name;
	uint32_t len;
	unsigned char part, kept, type;	/* the reader's own, 0 at first */
	unsigned char digits;		/* number of digits of its last id */
	/* tags of the children of the last element of this tag, which the
	 * next one mostly has too; the last entry is for all later children */
	uint32_t kids[TP_XML_KIDS];
};

enum tp_xml_is {
	TP_XML_START, TP_XML_END, TP_XML_TEXT,
	TP_XML_LEAF			/* an element without children, whole */
};

/* Type of an element's number; a ref has precedence over an id. */
enum tp_xml_number {
	TP_XML_NO_ID, TP_XML_ID, TP_XML_REF,
	TP_XML_BAD_REF			/* not a number that xctrace writes */
};

struct tp_xml_token {
	enum tp_xml_is is;
	enum tp_xml_number numbered;
	uint64_t id;
	uint32_t tag;			/* in the list of tags */
	struct tp_xml_text fmt, named;	/* attributes; "name" is the last */
	struct tp_xml_text text;	/* of a leaf too */
};

/* A zeroed struct is empty. */
struct tp_xml_tokens {
	struct tp_xml_token *list;
	size_t count, cap;
	struct tp_names names;		/* of tags */
	struct tp_xml_tag *tags;
	size_t tag_cap;
};

/* The end of the last "</row>" between P and END; P if there is none. */
const char *tp_xml_last_row(const char *p, const char *end);

/*
 * Set TOKENS to the tokens between the tags of the row that begins with "<row>"
 * at P; END is from tp_xml_last_row().  Returns the length of the row, or 0 if
 * it does not have the known form, nests deeper than TP_XML_DEPTH or needs more
 * than TP_XML_TAGS tags.
 */
size_t tp_xml_row(const char *p, const char *end,
    struct tp_xml_tokens *tokens);

/* The tag called NAME, LEN bytes, as a place in the list. */
uint32_t tp_xml_tag(struct tp_xml_tokens *tokens, const char *name, size_t len);
/* Whether there is no room for a tag called NAME. */
int tp_xml_tags_full(const struct tp_xml_tokens *tokens, const char *name,
    size_t len);
void tp_xml_release(struct tp_xml_tokens *tokens);

/* T has an attribute ID, or REF: LEN bytes. */
void tp_xml_number(struct tp_xml_token *t, enum tp_xml_number what,
    const char *text, size_t len);

/*
 * Write TEXT with its entities decoded to OUT, which has room for text->len
 * bytes.  Returns the length.
 */
size_t tp_xml_plain(char *out, const struct tp_xml_text *text);

#endif
