/*
 * headed - rows of texts under a header, from any format
 *
 * CSV and JSON objects are read alike: the header identifies the table, and
 * each row has one text per column.  Whether "1,379 ms" is more than a
 * second depends on the file, not on the cell: rows that begin in its first
 * 64 KiB (TP_LOOKED) are examined for the decimal sign before the first row
 * is returned.
 */
#ifndef TP_READ_HEADED_H
#define TP_READ_HEADED_H

#include <tp/buf.h>

#include "read.h"

/*
 * A fixed size: the size of a single read would differ between a file and a
 * pipe.
 */
#define TP_LOOKED 65536

struct tp_headed {
	struct tp_rows *rows;
	struct tp_buf text;		/* fields of the current row */
	struct tp_headed_field {
		size_t at, len;
		int is_number;		/* a JSON number: '.' is its decimal
					 * point */
	} *fields;
	size_t field_count, field_cap;
	size_t column_count;		/* cells of the header */
	uint64_t row_line;		/* line where the row began */
	uint64_t good;			/* rows with as many cells as the
					 * header */
	unsigned titles, titles_max;	/* title rows before the header, and
					 * their maximum */
	int header_done;
	char decimal;			/* decimal sign seen, or 0 */
	struct tp_err *err;
	int stopped;			/* *err is set: stop */
};

/* Next field of the current row: LEN bytes of TEXT, or NULL when absent. */
void tp_headed_field(struct tp_headed *h, const char *text, size_t len);
/* As tp_headed_field(), for a JSON number. */
void tp_headed_number(struct tp_headed *h, const char *text, size_t len);
/*
 * Between the header and the first row: examine the LEN bytes of TEXT, a
 * cell of COLUMN, for the decimal sign; finally call tp_headed_looked() with
 * the sign to assume when none was seen, or 0.
 */
void tp_headed_look(struct tp_headed *h, size_t column, const char *text,
    size_t len);
void tp_headed_looked(struct tp_headed *h, char unless_said);
/* End the row: the first is the header, others are queued. */
void tp_headed_row(struct tp_headed *h);
/* Drop the current row for the reason in ERR and count it as damage. */
void tp_headed_refuse(struct tp_headed *h, const struct tp_err *err);
/* Set *err: the header, the first line, matches no table. */
void tp_headed_unknown(struct tp_headed *h);
void tp_headed_release(struct tp_headed *h);

#endif
