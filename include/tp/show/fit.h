/*
 * fit - tables that fit the width of a terminal
 *
 * The caller measures its cells (tp/width.h), tp_fit_columns() says how wide
 * each column may be and which are left out, and tp_fit_cut() prints a cell
 * that is wider than its column.  It knows nothing of records: any table can
 * be fitted.
 *
 * A number is never cut, and no column is narrower than its header.  A text
 * gets a share of the width, the one that names the row (the first long one) a
 * larger share; room that is left is dealt out, to the narrowest first.
 *
 * What has no room even then is left out, the last column first: numbers that
 * are not among the first TP_FIT_NUMBERS, and texts other than the first column
 * and the one that names the row.  Only then does anything else go.
 *
 * Memory: none; time is as columns times width.
 */
#ifndef TP_SHOW_FIT_H
#define TP_SHOW_FIT_H

#include <stddef.h>

#include <tp/buf.h>

#define TP_FIT_NUMBERS 4

struct tp_fit_column {
	/* set by the caller, in columns of the terminal: */
	size_t cells;	/* the widest cell */
	size_t whole;	/* the widest cell that must not be cut: a number; a
			 * column of nothing but numbers has whole == cells */
	size_t head;	/* the header, as narrow as it can be; 0: none */
	size_t least;	/* a text need not have more, as it is broken into
			 * lines; 0: it gets its share */
	/* by tp_fit_columns(): at least WHOLE and HEAD; 0: left out */
	size_t width;
};

/*
 * Set the widths of COUNT COLUMNS so that together with GAP blanks between any
 * two they take no more than WIDTH.  Returns how many are not left out: 0 when
 * there is no room for anything.
 */
size_t tp_fit_columns(struct tp_fit_column *columns, size_t count, size_t gap,
    size_t width);

/* How much of the widest cells is cut: 0 when all that is shown is whole. */
size_t tp_fit_lost(const struct tp_fit_column *columns, size_t count);

/*
 * Append LEN bytes of TEXT, which is UTF-8 without control characters, in no
 * more than WIDTH columns: what is wider loses its middle, for which DOTS
 * stands ("..").  A mark stays with the character it belongs to.  Returns how
 * many columns it takes.
 */
size_t tp_fit_cut(struct tp_buf *buf, const char *text, size_t len,
    size_t width, const char *dots);

#endif
