/*
 * csv_parts - read a CSV file in parts by several threads (parts.h); not
 * installed
 *
 * Memory: besides the parts 300 KiB a thread.
 */
#ifndef TP_READ_CSV_PARTS_H
#define TP_READ_CSV_PARTS_H

#include "parts.h"
#include "read.h"

struct tp_csv_part {
	struct tp_part part;
	/*
	 * set if all of it is plain rows of one line each (csv_plain.h); then
	 * their number and values, with lines counted from 0
	 */
	int whole;
	uint64_t rows;
	struct tp_queue queue;
};

struct tp_csv_parts;

/*
 * Starts THREADS that read the rest of ROWS->in, rows of COLUMNS fields
 * separated by DELIM; as tp_parts_new().
 */
struct tp_csv_parts *tp_csv_parts_new(struct tp_rows *rows, char delim,
    size_t columns, size_t threads);
/* As tp_parts_next(). */
struct tp_csv_part *tp_csv_parts_next(struct tp_csv_parts *parts);
void tp_csv_parts_free(struct tp_csv_parts *parts);

#endif
