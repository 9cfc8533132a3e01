/*
 * headed - rows that come as texts beside a header, whatever wrote them
 *
 * CSV and JSON objects are read alike: the header says which table it is, and
 * each row has a text for each of its columns.  Whether 1,379 ms is more than
 * a second is a question to the file, not to the cell: what begins in its
 * first 64 KiB is asked (TP_LOOKED), before the first row is read.
 */
#ifndef TP_READ_HEADED_H
#define TP_READ_HEADED_H

#include <tp/buf.h>

#include "read.h"

/* What one read holds would differ between a file and a pipe. */
#define TP_LOOKED 65536

struct tp_headed {
	struct tp_rows *rows;
	struct tp_buf text;		/* fields of the row under way */
	struct tp_headed_field {
		size_t at, len;
		int is_number;		/* by its form: '.' is its point */
	} *fields;
	size_t field_count, field_cap;
	size_t column_count;		/* cells of the header */
	uint64_t row_line;		/* where the row began */
	uint64_t good;			/* rows with as many cells as the
					 * header */
	unsigned titles, titles_max;	/* rows before the header, that name no
					 * table; how many there may be */
	int header_done;
	char decimal;			/* sign that was seen, or 0 */
	struct tp_err *err;
	int failed;			/* *err is set: stop */
};

/* *err says so. */
void tp_headed_no_memory(struct tp_headed *h);
/* The next field of the row under way: LEN bytes of TEXT, or NULL. */
void tp_headed_field(struct tp_headed *h, const char *text, size_t len);
/* The same of what JSON says is a number. */
void tp_headed_number(struct tp_headed *h, const char *text, size_t len);
/*
 * Between the header and the first row: look for the decimal sign in the LEN
 * bytes of TEXT, which COLUMN has in some row; at the end tp_headed_looked()
 * with the sign that holds UNLESS_SAID, or 0.
 */
void tp_headed_look(struct tp_headed *h, size_t column, const char *text,
    size_t len);
void tp_headed_looked(struct tp_headed *h, char unless_said);
/* The row is whole: the first is the header, others are queued. */
void tp_headed_row(struct tp_headed *h);
/* The row under way is none, as ERR says: damage that counts as one. */
void tp_headed_refuse(struct tp_headed *h, const struct tp_err *err);
/* *err says that the header, of the first line, names no table. */
void tp_headed_unknown(struct tp_headed *h);
void tp_headed_release(struct tp_headed *h);

#endif
