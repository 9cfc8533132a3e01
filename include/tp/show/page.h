/*
 * page - Markdown as a page for people
 *
 * One parser of Markdown, md4c (tables and ~~strikethrough~~ beside
 * CommonMark, HTML as text), and a writer behind it: for a terminal.
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

/* Whether this build can read Markdown: not without md4c. */
int tp_page_can(void);

/*
 * Append the LEN bytes of Markdown at TEXT to OUT as a page for TTY.  A line
 * is no wider than that, unless a word or a line of code is; all that the
 * document says goes through tp_show_text(), so that the only orders to the
 * terminal are ours, colours and bold, and with TTY->color alone.  Without
 * them it is the same page.
 *
 * 0, or -1 with ERR: no memory, a limit, or TP_IO without md4c.
 */
int tp_page_tty(const char *text, size_t len, const struct tp_page_tty *tty,
    struct tp_buf *out, struct tp_err *err);

#endif
