/*
 * csv_parts - read a CSV file in parts by several threads; not installed
 *
 * A part begins after the first line end in its 128 KiB and ends after the
 * first one in those of the next part, so the parts make up the file.  Its
 * rows are parsed as if a row began there; only the reader of all earlier
 * parts knows whether that is so.  Memory: 300 KiB a thread, and for each of
 * 4 parts a thread its bytes and the values of their rows.
 */
#ifndef TP_READ_CSV_PARTS_H
#define TP_READ_CSV_PARTS_H

#include "read.h"

struct tp_csv_part {
	const char *from, *to;		/* its bytes */
	uint64_t end;			/* offset of TO in the file */
	int last;			/* the file ends there */
	/*
	 * set if all of it is plain rows of one line each (csv_plain.h); then
	 * their number and values, with lines counted from 0
	 */
	int whole;
	uint64_t rows;
	struct tp_queue queue;
	char *block;
	size_t cap;
	struct tp_err err;		/* status 0: the part was read */
};

struct tp_csv_parts;

/*
 * Starts THREADS that read the rest of ROWS->in, rows of COLUMNS fields
 * separated by DELIM.  Returns NULL if there is no thread, memory or rest,
 * or if the input is not a plain file (a pipe may block for ever, and ending
 * must not wait for it); then reading continues as before.
 */
struct tp_csv_parts *tp_csv_parts_new(struct tp_rows *rows, char delim,
    size_t columns, size_t threads);
/*
 * Returns the next part, valid until the next call; NULL with a fatal ERR.
 * Must not be called after the last part.
 */
struct tp_csv_part *tp_csv_parts_next(struct tp_csv_parts *parts,
    struct tp_err *err);
void tp_csv_parts_free(struct tp_csv_parts *parts);

#endif
