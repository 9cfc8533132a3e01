/*
 * page_writer - interface between page.c and the writers of pages
 *
 * Blocks and spans of a document in order, as md4c finds them, but without
 * its types: entities are decoded, targets are text, limits are checked.
 * The bytes are those of the document, which is untrusted: the writer must
 * escape them.
 */
#ifndef TP_SHOW_PAGE_WRITER_H
#define TP_SHOW_PAGE_WRITER_H

#include <stddef.h>

#include <tp/err.h>

enum tp_page_kind {
	TP_PAGE_QUOTE, TP_PAGE_LIST, TP_PAGE_ITEM, TP_PAGE_RULE,
	TP_PAGE_HEADING, TP_PAGE_CODE, TP_PAGE_PARAGRAPH,
	TP_PAGE_TABLE, TP_PAGE_ROW, TP_PAGE_CELL
};

struct tp_page_block {
	enum tp_page_kind kind;
	unsigned level;		/* heading: 1 to 6 */
	int tight;		/* list: no blank lines between its items */
	int ordered;		/* list: numbered from START */
	unsigned start;
	size_t columns;		/* table */
	int head;		/* cell: in the header */
	int right;		/* cell: right-aligned (not: centred) */
};

enum tp_page_span {
	TP_PAGE_EMPHASIS, TP_PAGE_STRONG, TP_PAGE_STRUCK, TP_PAGE_NAME,
	TP_PAGE_LINK, TP_PAGE_IMAGE
};

enum tp_page_words {
	TP_PAGE_PLAIN,		/* a line feed in it is from code */
	TP_PAGE_SOFT,		/* a line end of the document */
	TP_PAGE_BREAK		/* a forced line end; also a line of the
				 * document that ends a sentence */
};

/*
 * BEGINS is 0 at the end of a block or span; spans end in the block that they
 * began in, the last one first.
 */
struct tp_page_writer {
	void (*block)(void *writer, const struct tp_page_block *block,
	    int begins);
	/* TARGET of a link or image; NULL at its end. */
	void (*span)(void *writer, enum tp_page_span span, const char *target,
	    int begins);
	void (*text)(void *writer, enum tp_page_words kind, const char *text,
	    size_t len);
};

/*
 * Parse the LEN bytes at TEXT and call the functions FORM of WRITER.
 * TEXT[LEN] must be a NUL: md4c 0.4.8 reads it when it looks for the end of
 * a link.  0, or -1 with ERR.
 */
int tp_page_read(const char *text, size_t len,
    const struct tp_page_writer *form, void *writer, struct tp_err *err);

#endif
