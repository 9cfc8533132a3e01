/*
 * csv_parts - a file of CSV, read in parts by several threads; not installed
 *
 * A part begins behind the first line end of its 128 KiB and ends behind that
 * of the next one, so that parts are the file, whoever reads them.  Its rows
 * are made as if a row began there, which only who read all before can tell.
 * Memory: 300 KiB a thread, and for each of 4 parts a thread its bytes and the
 * values of their rows.
 */
#ifndef TP_READ_CSV_PARTS_H
#define TP_READ_CSV_PARTS_H

#include "read.h"

struct tp_csv_part {
	const char *from, *to;		/* its bytes */
	uint64_t end;			/* place of TO in the file */
	int last;			/* the file ends there */
	/* all of it is plain rows in a line each (csv_plain.h): how many, and
	 * their values; lines are counted from 0 */
	int whole;
	uint64_t rows;
	struct tp_queue queue;
	char *block;
	size_t cap;
	struct tp_err err;		/* status 0: it was read */
};

struct tp_csv_parts;

/*
 * Read on in parts what ROWS->in has given so far, of rows of COLUMNS fields
 * with DELIM between them, by THREADS.  NULL, and reading goes on as before,
 * where there is no thread or memory to be had, no more to read, or it is no
 * plain file: a pipe may be silent for ever, and ending must not wait for it.
 */
struct tp_csv_parts *tp_csv_parts_new(struct tp_rows *rows, char delim,
    size_t columns, size_t threads);
/* The next part, borrowed until the next call, not behind the last; NULL with
 * ERR, which is fatal. */
struct tp_csv_part *tp_csv_parts_next(struct tp_csv_parts *parts,
    struct tp_err *err);
void tp_csv_parts_free(struct tp_csv_parts *parts);

#endif
