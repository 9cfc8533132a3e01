/*
 * fit - tables that fit the width of a terminal
 *
 * The caller measures its cells (tp/width.h), tp_fit_columns() decides the
 * width of each column and which columns are dropped, and tp_fit_cut()
 * prints a cell that is wider than its column.  The module knows nothing of
 * records: it fits any table.
 *
 * A number is never cut, and no column is narrower than its header.  Text
 * columns share the rest of the width; the column that names the row (the
 * first long one) gets a larger share.  Width that is left goes to the
 * narrowest columns first.
 *
 * When that is not enough, columns are dropped from the last: first numbers
 * beyond the first TP_FIT_NUMBERS and texts other than the first column and
 * the one that names the row; then any other.
 *
 * Memory: none.  Time grows with columns times width.
 */
#ifndef TP_SHOW_FIT_H
#define TP_SHOW_FIT_H

#include <stddef.h>

#include <tp/buf.h>

#define TP_FIT_NUMBERS 4

struct tp_fit_column {
	/* Set by the caller, in terminal columns: */
	size_t cells;	/* the widest cell */
	size_t whole;	/* widest cell that must not be cut (a number); in a
			 * column of numbers, whole == cells */
	size_t head;	/* minimum width of the header; 0: none */
	size_t least;	/* a text that can wrap needs no more than this; 0: it
			 * gets its share */
	/* Set by tp_fit_columns(): at least WHOLE and HEAD; 0: dropped. */
	size_t width;
};

/*
 * Set the widths of COUNT COLUMNS so that, with GAP blanks between columns,
 * they take at most WIDTH.  Returns how many columns remain; 0 when not even
 * one fits.
 */
size_t tp_fit_columns(struct tp_fit_column *columns, size_t count, size_t gap,
    size_t width);

/*
 * Sum over columns of how far the widest cell exceeds its column; 0 when
 * nothing shown is cut.
 */
size_t tp_fit_lost(const struct tp_fit_column *columns, size_t count);

/*
 * Append LEN bytes of TEXT (UTF-8 without control characters) in at most
 * WIDTH columns.  Longer text loses its middle, replaced by DOTS ("..").  A
 * combining mark stays with its character.  Returns the columns used.
 */
size_t tp_fit_cut(struct tp_buf *buf, const char *text, size_t len,
    size_t width, const char *dots);

#endif
