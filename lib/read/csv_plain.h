/* csv_plain - rows of CSV that need no parser; not installed */
#ifndef TP_CSV_PLAIN_H
#define TP_CSV_PLAIN_H

#include "read.h"
#include "split.h"

/* The most that is looked at in one go: its rows fit the cache. */
#define TP_CSV_PIECE ((size_t)32 * 1024)

/* A piece of a block, split.  256 KiB: allocate it. */
struct tp_plain {
	const char *base;		/* NULL: none loaded */
	size_t len, count, next;	/* of ends: how many, not yet used */
	ptrdiff_t row_count, row;	/* of rows; count -1: to be walked */
	uint32_t ends[TP_CSV_PIECE];
	uint32_t rows[TP_CSV_PIECE + 1];	/* ends up to the LF of each */
	struct { uint32_t from, to; } *fields;	/* of the row under way */
	size_t field_cap;
};

/*
 * Queue the plain rows that start at *P, before END: rows of COLUMNS fields,
 * no more than LIMIT, without a newline, a doubled quote or a stray CR.  *P
 * and *LINE count on.  Text of values points into the block, stacks are made
 * in ARENA.  Returns how many rows; 0 when the next one is not plain or not
 * whole; -1 with ERR.
 */
ptrdiff_t tp_plain_rows(struct tp_plain *plain, struct tp_rows *rows,
    const char **p, const char *end, char delim, size_t columns,
    size_t limit, uint64_t *line, struct tp_arena *arena,
    struct tp_err *err);

#endif
