/* csv_plain - rows of CSV that need no parser; not installed */
#ifndef TP_READ_CSV_PLAIN_H
#define TP_READ_CSV_PLAIN_H

#include "read.h"
#include "split.h"

/* The most that is looked at in one go: its rows fit the cache. */
#define TP_CSV_PIECE ((size_t)32 * 1024)

/* A piece of a block, split: 256 KiB, of tp_plain_new(). */
struct tp_plain {
	const char *base;		/* NULL: none loaded */
	size_t len, count, next;	/* of ends: how many, not yet used */
	ptrdiff_t row_count, row;	/* of rows; count -1: to be walked */
	int careful;			/* rows one by one: some are damaged */
	/* field k is between ends[k - 1] + 1 and ends[k], row r has the fields
	 * from rows[r - 1] on, up to rows[r]; of the first too */
	uint32_t *ends, *rows;
	uint32_t end_space[1 + TP_CSV_PIECE + TP_SPLIT_SPARE];
	uint32_t row_space[TP_CSV_PIECE + 2];
	struct { uint32_t from, to; } *fields;	/* of the row under way */
	size_t field_cap;
};

/* NULL without memory. */
struct tp_plain *tp_plain_new(void);
void tp_plain_free(struct tp_plain *plain);

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

/*
 * Queue rows from plain->row on, no more than LIMIT, of a piece with nothing
 * odd in it; the first is in line LINE.  Returns how many, 0 when the next
 * one has not COLUMNS fields, -1 with ERR.
 */
ptrdiff_t tp_plain_batch(struct tp_plain *plain, struct tp_rows *rows,
    size_t columns, size_t limit, uint64_t line, struct tp_arena *arena,
    struct tp_err *err);

/* The value of a field between FROM and TO; 0, or -1 with ERR when it is
 * damaged or there is no memory. */
int tp_plain_field(struct tp_value *v, const struct tp_slot *slot,
    const char *from, const char *to, struct tp_arena *arena,
    struct tp_err *err);
/* What a damaged field makes of its row, the last one queued; 0, or -1 when
 * nothing can be read on and there is no such row. */
int tp_plain_damaged(struct tp_rows *rows, uint64_t line,
    struct tp_err *err);
/* Leave blanks out. */
void tp_plain_trim(const char **from, const char **to);

#endif
