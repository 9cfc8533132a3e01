/*
 * page - Markdown as a page for people
 *
 * One parser of Markdown, md4c (tables and ~~strikethrough~~ beside
 * CommonMark, HTML as text), and two writers behind it: for a terminal and for
 * a browser.
 *
 * md4c needs the whole document in memory and allocates by itself: about 30
 * bytes for each mark ('*', '[', a backquote) and each line.  Ours: the block
 * under way, a paragraph or a table with its cells, and what is printed.  A
 * document of more than TP_PAGE_MAX bytes, TP_PAGE_CELLS cells in tables, or a
 * table of more than TP_PAGE_COLUMNS, and blocks that nest deeper than
 * tp_limits.depth are refused with TP_LIMIT.
 */
#ifndef TP_SHOW_PAGE_H
#define TP_SHOW_PAGE_H

#include <stddef.h>

#include <tp/buf.h>
#include <tp/err.h>

#define TP_PAGE_MAX ((size_t)1 << 30)
#define TP_PAGE_CELLS ((size_t)1 << 22)
#define TP_PAGE_COLUMNS ((size_t)4096)

/* What a terminal can show, and a picture as text. */
struct tp_page_tty {
	size_t width;		/* columns; prose is no wider than
				 * TP_PAGE_PROSE */
	int color, utf8;
	const char *dots;	/* what stands for what was cut out */
	/*
	 * Append lines that show the image at TARGET, a name as the document
	 * has it, to TEXT; 0: there are none, its description is printed.
	 * NULL: there are none of any.
	 */
	int (*picture)(void *arg, const char *target, struct tp_buf *text);
	void *arg;
};

#define TP_PAGE_PROSE ((size_t)100)

/* What a document is to the page of a browser that is made of several. */
enum tp_page_role {
	TP_PAGE_CARD,		/* stands first; its heading is the title */
	TP_PAGE_REPORT,
	TP_PAGE_CHAPTER,	/* details, folded */
	TP_PAGE_FOOT
};

struct tp_page_document {
	enum tp_page_role role;
	const char *text;	/* ends in a NUL that LEN does not count */
	size_t len;
	const char *name;	/* of its file, or NULL */
};

struct tp_page_html {
	const struct tp_page_document *documents;	/* in order */
	size_t count;
	const char *style, *script;	/* what they are, or with LINKED the
					 * names of their files */
	int linked;
	/* Titles of sections that are folded, '*' for anything, and NULL. */
	const char *const *folded;
	const char *command;	/* that made the report, or NULL */
	/*
	 * Append the image at TARGET, a name as DOCUMENT has it, to SVG, as
	 * tp_page_svg() makes it; 0: there is none, its description is
	 * printed.  It is asked several times.
	 */
	int (*picture)(void *arg, const struct tp_page_document *document,
	    const char *target, struct tp_buf *svg);
	void *arg;
};

/* Bytes above which the tables of a page are cut, and to how many rows; where
 * that is not enough, to the least. */
#define TP_PAGE_BYTES ((size_t)2000000)
#define TP_PAGE_ROWS ((size_t)200)
#define TP_PAGE_ROWS_LEAST ((size_t)30)

/* Whether this build can read Markdown: not without md4c. */
int tp_page_can(void);

/*
 * Append the LEN bytes of Markdown at TEXT, behind which there is a NUL, to OUT
 * as a page for TTY.  A line is no wider than that, unless a word or a line of
 * code is; all that the document says goes through tp_show_text(), so that the
 * only orders to the terminal are ours, colours and bold, and with TTY->color
 * alone.  Without them it is the same page.
 *
 * 0, or -1 with ERR: no memory, a limit, or TP_IO without md4c.
 */
int tp_page_tty(const char *text, size_t len, const struct tp_page_tty *tty,
    struct tp_buf *out, struct tp_err *err);

/*
 * Append the documents to OUT as one page of HTML that needs nothing else, and
 * with LINKED but the two files it names.  It has a policy of its own then,
 * which lets no script run but this one.  All that a document says is escaped;
 * a link leads to a place in the page or to a file beside it, or is its text.
 *
 * The title is the heading of the card, else the only one of level 1 that the
 * report begins with, else the name of its file.  A heading, and a paragraph
 * that begins with bold text and is linked to, is called as tp_anchor() has
 * it.  Folded are chapters, the sections of FOLDED, and tables of more than 30
 * rows.  The same documents give the same bytes.
 *
 * Memory: the page twice, its headings and its links.  0, or -1 as above.
 */
int tp_page_html(const struct tp_page_html *html, struct tp_buf *out,
    struct tp_err *err);

/*
 * Append the picture at BYTES to OUT without what it says of its style when it
 * stands alone.  It is written anew: elements, attributes and values that
 * tp-draw has, no others.  0, or -1 with ERR: TP_BAD says what else there is.
 */
int tp_page_svg(const char *bytes, size_t len, struct tp_buf *out,
    struct tp_err *err);

#endif
