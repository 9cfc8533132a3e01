/*
 * page_table - fit a table of a page to a terminal
 *
 * Numbers are never cut: when they need too much room, "1.17 s (73.5 %)" is
 * split over two lines.  A name is cut in the middle; other text wraps at
 * blanks.  Columns that still do not fit are dropped, and a line below says
 * so.
 *
 * Memory: the table as text, 48 bytes a cell and 96 a column.
 */
#ifndef TP_SHOW_PAGE_TABLE_H
#define TP_SHOW_PAGE_TABLE_H

#include <tp/show/page.h>

#include "page_text.h"

struct tp_page_table {
	struct tp_page_text text;	/* of all cells */
	struct tp_page_cell {
		struct tp_page_part part;
		size_t width;
		int head, right;
		int name;	/* the whole cell is a name */
	} *cells;
	size_t count, cap;
	size_t columns;
	struct tp_page_column *shape;
	size_t shape_cap;
	struct tp_fit_column *fit;
	size_t fit_cap;
};

/* Begin an empty table of COLUMNS. */
void tp_page_table_begin(struct tp_page_table *t, size_t columns);
/* Make a cell of the text added since the last one. */
void tp_page_table_cell(struct tp_page_table *t, int head, int right);

/*
 * Append the table to OUT, WIDTH columns wide; PREFIX(ARG) is called at the
 * start of each line.
 */
void tp_page_table_print(struct tp_page_table *t, const struct tp_page_tty *tty,
    size_t width, void (*prefix)(void *arg), void *arg, struct tp_buf *out);
void tp_page_table_release(struct tp_page_table *t);

#endif
