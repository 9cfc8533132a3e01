/*
 * page_writer - what page.c tells the writer of a page
 *
 * Blocks and spans of a document in order, as md4c finds them, without its
 * types: entities are characters, targets are text, limits have been looked
 * after.  Bytes are those of the document, which a stranger may have written:
 * the writer makes them harmless.
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
	int ordered;		/* list: numbered, from */
	unsigned start;
	size_t columns;		/* table */
	int head;		/* cell: of the header */
	int right;		/* cell: to the right (not: centred) */
};

enum tp_page_span {
	TP_PAGE_EMPHASIS, TP_PAGE_STRONG, TP_PAGE_STRUCK, TP_PAGE_NAME,
	TP_PAGE_LINK, TP_PAGE_IMAGE
};

enum tp_page_words {
	TP_PAGE_PLAIN,		/* a line feed in it is of code */
	TP_PAGE_SOFT,		/* the line ended in the document */
	TP_PAGE_BREAK		/* and shall end here: so does a line of the
				 * document that ends a sentence */
};

/* BEGINS is 0 at the end of a block or span.  Each returns 0, or -1: out of
 * memory. */
struct tp_page_writer {
	int (*block)(void *writer, const struct tp_page_block *block,
	    int begins);
	/* TARGET is of a link or an image, NULL at its end. */
	int (*span)(void *writer, enum tp_page_span span, const char *target,
	    int begins);
	int (*text)(void *writer, enum tp_page_words kind, const char *text,
	    size_t len);
};

/* Read the LEN bytes at TEXT, behind which there is a NUL (md4c 0.4.8 looks
 * there for the end of a link), and tell WRITER, of which FORM is the
 * functions.  0, or -1 with ERR. */
int tp_page_read(const char *text, size_t len,
    const struct tp_page_writer *form, void *writer, struct tp_err *err);

#endif
