/*
 * headed - rows that come as texts beside a header, whatever wrote them
 *
 * CSV and JSON objects are read alike: the header says which table it is, and
 * each row has a text for each of its columns.
 */
#ifndef TP_READ_HEADED_H
#define TP_READ_HEADED_H

#include <tp/buf.h>

#include "read.h"

struct tp_headed {
	struct tp_rows *rows;
	struct tp_buf text;		/* fields of the row under way */
	struct tp_headed_field {
		size_t at, len;
	} *fields;
	size_t field_count, field_cap;
	size_t column_count;		/* cells of the header */
	uint64_t row_line;		/* where the row began */
	uint64_t good;			/* rows with as many cells as the
					 * header */
	int header_done;
	struct tp_err *err;
	int failed;			/* *err is set: stop */
};

/* *err says so. */
void tp_headed_no_memory(struct tp_headed *h);
/* The next field of the row under way: LEN bytes of TEXT, or NULL. */
void tp_headed_field(struct tp_headed *h, const char *text, size_t len);
/* The row is whole: the first is the header, others are queued. */
void tp_headed_row(struct tp_headed *h);
/* The row under way is none, as ERR says: damage that counts as one. */
void tp_headed_refuse(struct tp_headed *h, const struct tp_err *err);
void tp_headed_release(struct tp_headed *h);

#endif
