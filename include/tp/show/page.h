/*
 * page - print Markdown for people
 *
 * One Markdown parser, md4c (CommonMark with tables and ~~strikethrough~~;
 * HTML is text), and two writers: for a terminal and for a browser.
 *
 * md4c needs the whole document in memory and allocates by itself: about 30
 * bytes for each mark ('*', '[', a backquote) and each line.  This module
 * keeps the current block (a paragraph, or a table with its cells) and the
 * output.  TP_LIMIT: a document of more than TP_PAGE_MAX bytes or
 * TP_PAGE_CELLS table cells, a table of more than TP_PAGE_COLUMNS columns,
 * or blocks nested deeper than tp_limits.depth.
 */
#ifndef TP_SHOW_PAGE_H
#define TP_SHOW_PAGE_H

#include <stddef.h>

#include <tp/buf.h>
#include <tp/err.h>

#define TP_PAGE_MAX ((size_t)1 << 30)
#define TP_PAGE_CELLS ((size_t)1 << 22)
#define TP_PAGE_COLUMNS ((size_t)4096)

/* Properties of a terminal, and how to show a picture as text. */
struct tp_page_tty {
	size_t width;		/* columns; prose is at most TP_PAGE_PROSE
				 * wide */
	int color, utf8;
	const char *dots;	/* replaces text that was cut */
	/*
	 * Append lines that show the image TARGET (as the document names it) to
	 * TEXT.  0: no such image; its description is printed.  NULL: no
	 * images.
	 */
	int (*picture)(void *arg, const char *target, struct tp_buf *text);
	/* Take what is in OUT, from 64 KiB on, and clear it; or NULL. */
	void (*full)(void *arg, struct tp_buf *out);
	void *arg;
};

#define TP_PAGE_PROSE ((size_t)100)

/* Role of a document within an HTML page. */
enum tp_page_role {
	TP_PAGE_CARD,		/* first; its heading is the page title */
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
	const char *style, *script;	/* their content, or with LINKED their
					 * file names */
	int linked;
	/*
	 * Titles of sections to fold, and of the findings, after which all
	 * others are folded; '*' matches anything; NULL-terminated.
	 */
	const char *const *folded, *const *findings;
	const char *command;	/* command that made the report, or NULL */
	/*
	 * Append the image TARGET of DOCUMENT to SVG, as tp_page_svg() makes
	 * it.  0: no such image; its description is printed.  May be called
	 * several times per image.
	 */
	int (*picture)(void *arg, const struct tp_page_document *document,
	    const char *target, struct tp_buf *svg);
	void *arg;
};

/*
 * A page of more bytes than this has its tables cut to TP_PAGE_ROWS rows,
 * and to TP_PAGE_ROWS_LEAST when it is still too large.
 */
#define TP_PAGE_BYTES ((size_t)2000000)
#define TP_PAGE_ROWS ((size_t)200)
#define TP_PAGE_ROWS_LEAST ((size_t)30)

/* Whether this build can read Markdown: it needs md4c. */
int tp_page_can(void);

/*
 * Append the LEN bytes of Markdown at TEXT to OUT, formatted for TTY;
 * TEXT[LEN] must be NUL.  Lines are at most TTY->width wide, unless a single
 * word or a line of code is longer.  All document text goes through
 * tp_show_text(), so the only control sequences are our own colours and
 * bold, and only with TTY->color.  Without colour the text is the same.
 *
 * 0, or -1 with ERR: a limit, or TP_IO in a build without md4c.
 */
int tp_page_tty(const char *text, size_t len, const struct tp_page_tty *tty,
    struct tp_buf *out, struct tp_err *err);

/*
 * Append the documents to OUT as one self-contained HTML page; with LINKED
 * it needs two files, style and script.  Unless LINKED, its content security
 * policy allows no other script.  All document text is escaped; a link leads
 * to a place in the page or a file beside it, or becomes text.
 *
 * The title is the heading of the card; else the only level-1 heading, at
 * the start of the report; else the report's file name.  Headings, and
 * linked paragraphs that begin with bold text, get ids as tp_anchor() makes
 * them.  Folded are chapters, the sections in FOLDED, those after FINDINGS,
 * and tables of more than 30 rows.  Equal documents give equal bytes.
 *
 * Memory: the page twice, its headings and its links.  0, or -1 with ERR as
 * tp_page_tty().
 */
int tp_page_html(const struct tp_page_html *html, struct tp_buf *out,
    struct tp_err *err);

/*
 * Append the SVG picture of LEN bytes at BYTES to OUT, without the styles it
 * needs when it stands alone.  It is rewritten from an allow-list: only
 * elements, attributes and values that tp-draw writes.  0, or -1 with ERR:
 * TP_BAD names anything else.
 */
int tp_page_svg(const char *bytes, size_t len, struct tp_buf *out,
    struct tp_err *err);

#endif
