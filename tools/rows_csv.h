/* rows_csv - the rows of a table as CSV */
#ifndef ROWS_CSV_H
#define ROWS_CSV_H

#include <tp/tool.h>

/* What is written.  A zeroed struct is empty. */
struct rows_csv {
	const struct tp_table *table;	/* of the rows, or NULL so far */
	size_t *columns;	/* of it, in the order they are written */
	size_t count;
	struct tp_buf line;
};

/*
 * Write the current row, in front of the first one the header.  Of an ETDump
 * the columns are those of share/csv/TABLE.json, which other tools make of
 * one; else all of the table.  Exits when that cannot be.
 */
void rows_csv_emit(struct rows_csv *csv, struct tp_run *run);

#endif
