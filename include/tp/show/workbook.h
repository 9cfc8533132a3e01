/*
 * workbook - tables as the sheets of a spreadsheet file (.xlsx)
 *
 * One sheet per table; its header is bold, frozen and has a filter.  A cell
 * is a number only when it reads back as written (tp_workbook_number), else
 * text, never a formula.  The bytes depend only on the cells and the given
 * time.
 *
 * Memory: the header, one width per column, and what libxlsxwriter allocates
 * by itself; it keeps rows in temporary files.
 *
 * LIMITATIONS: libxlsxwriter prints 16 significant digits.  When a workbook
 * is ended, it does not check that copies between its temporary files had
 * room.
 */
#ifndef TP_SHOW_WORKBOOK_H
#define TP_SHOW_WORKBOOK_H

#include <stddef.h>
#include <stdint.h>

#include <tp/buf.h>
#include <tp/err.h>
#include <tp/hash.h>

/* Limits of the format. */
#define TP_SHEET_ROWS 1048576
#define TP_SHEET_COLUMNS 16384
#define TP_SHEET_CELL 32767	/* UTF-16 units */
#define TP_SHEET_NAME 31	/* UTF-16 units */

struct tp_workbook;

/* What was lost of a table because of the limits. */
struct tp_workbook_losses {
	const char *name;	/* name of its first sheet */
	uint64_t cut;		/* cells cut, ending in " [cut]" */
	uint64_t left_out;	/* cells beyond the last column */
	uint64_t uneven;	/* rows with more or fewer cells than the
				 * header */
	uint64_t sheets;
};

/* Whether this build can write workbooks: it needs libxlsxwriter. */
int tp_workbook_can(void);

/*
 * Begin the workbook PATH, dated CREATED (seconds since 1970).  End with
 * tp_workbook_end() or tp_workbook_free().  NULL with ERR: TP_IO,
 * "output.none" in a build without libxlsxwriter.
 */
struct tp_workbook *tp_workbook_new(const char *path, int64_t created,
    struct tp_err *err);
/*
 * Begin a table called NAME; its first row is the header.  0, or -1 with
 * ERR.
 */
int tp_workbook_table(struct tp_workbook *book, const char *name,
    struct tp_err *err);
/* Add a cell; end the row.  0, or -1 with ERR. */
int tp_workbook_cell(struct tp_workbook *book, const char *text, size_t len,
    struct tp_err *err);
void tp_workbook_row(struct tp_workbook *book);
/*
 * End the table.  TOLD says what was lost; its name is borrowed until the
 * next table.  0, or -1 with ERR.
 */
int tp_workbook_table_end(struct tp_workbook *book,
    struct tp_workbook_losses *told, struct tp_err *err);
/* Write PATH and release BOOK, also on failure.  0, or -1 with ERR. */
int tp_workbook_end(struct tp_workbook *book, struct tp_err *err);
/* Release BOOK without writing it. */
void tp_workbook_free(struct tp_workbook *book);

/*
 * Whether the LEN bytes at TEXT are a number that prints the same again,
 * except for zeros at the end of a fraction; *X gets it.  Whole numbers of
 * more than 15 digits are ids, so text.
 */
int tp_workbook_number(const char *text, size_t len, double *x);
/*
 * Append the LEN bytes at TEXT as cell content: drop what XML forbids, and
 * escape what a reader would take for an escape.  1 when TEXT exceeded the
 * limit and was cut, ending in " [cut]"; else 0.
 */
int tp_workbook_text(struct tp_buf *buf, const char *text, size_t len);
/*
 * Append a valid sheet name made from WANTED: at most 31 UTF-16 units, no
 * forbidden characters, and different from all of TAKEN without regard to
 * case; it is added to TAKEN.
 */
void tp_workbook_name(struct tp_buf *buf, const char *wanted,
    struct tp_names *taken);

#endif
