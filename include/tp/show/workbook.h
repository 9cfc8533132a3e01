/*
 * workbook - tables as the sheets of a spreadsheet file (.xlsx)
 *
 * A sheet per table: its header bold and frozen, with a filter.  A cell is a
 * number only when it is one as written (tp_workbook_number), else text, and
 * never a formula.  The bytes depend on the cells and the time given alone.
 *
 * Memory: the header, a width a column, and what libxlsxwriter needs, which
 * keeps rows in temporary files.  It is the one library that allocates by
 * itself.
 *
 * LIMITATIONS: decimals have 16 significant digits, as libxlsxwriter prints
 * them.  It does not look whether there was room for what it copies between
 * temporary files when a workbook is ended.
 */
#ifndef TP_SHOW_WORKBOOK_H
#define TP_SHOW_WORKBOOK_H

#include <stddef.h>
#include <stdint.h>

#include <tp/buf.h>
#include <tp/err.h>
#include <tp/hash.h>

/* What the format holds. */
#define TP_SHEET_ROWS 1048576
#define TP_SHEET_COLUMNS 16384
#define TP_SHEET_CELL 32767	/* UTF-16 units */
#define TP_SHEET_NAME 31	/* UTF-16 units */

struct tp_workbook;

/* What the format could not hold of a table, so far. */
struct tp_workbook_told {
	const char *name;	/* of its first sheet */
	uint64_t cut;		/* cells that end in " [cut]" */
	uint64_t left_out;	/* cells to the right of the last column */
	uint64_t uneven;	/* rows of more or fewer cells than the
				 * header */
	uint64_t sheets;
};

/* Whether this build can write one. */
int tp_workbook_can(void);

/*
 * Begin the workbook PATH, made at CREATED (seconds since 1970), to be ended
 * with tp_workbook_end() or tp_workbook_free().  NULL with ERR: TP_IO,
 * "output.none" in a build that cannot.
 */
struct tp_workbook *tp_workbook_new(const char *path, int64_t created,
    struct tp_err *err);
/* A table called NAME, whose first row is its header.  0, or -1 with ERR. */
int tp_workbook_table(struct tp_workbook *book, const char *name,
    struct tp_err *err);
/* Cell by cell, then the end of the row.  0, or -1 with ERR. */
int tp_workbook_cell(struct tp_workbook *book, const char *text, size_t len,
    struct tp_err *err);
void tp_workbook_row(struct tp_workbook *book);
/* End the table; what is told is borrowed until the next. */
int tp_workbook_table_end(struct tp_workbook *book,
    struct tp_workbook_told *told, struct tp_err *err);
/* Write PATH and release BOOK, also when that fails: 0, or -1 with ERR. */
int tp_workbook_end(struct tp_workbook *book, struct tp_err *err);
/* Release BOOK, of which nothing is kept. */
void tp_workbook_free(struct tp_workbook *book);

/*
 * Whether the LEN bytes at TEXT are a number as written, into *X: printed
 * again they are the same but for zeros at the end of a fraction.  A whole
 * number of more than 15 digits is an id, and text.
 */
int tp_workbook_number(const char *text, size_t len, double *x);
/*
 * Append the LEN bytes at TEXT as a cell holds them: without what XML may not
 * hold, and what a reader would take for an escape escaped.  1 when they were
 * more than a cell holds and cut, with " [cut]" at their end.
 */
int tp_workbook_text(struct tp_buf *buf, const char *text, size_t len);
/*
 * Append a name for a sheet, made of WANTED: of at most 31 units, without
 * characters that none may have, and, case aside, none of TAKEN, to which it
 * is added.  0, or -1 without memory.
 */
int tp_workbook_name(struct tp_buf *buf, const char *wanted,
    struct tp_names *taken);

#endif
