/* csv_plain - parse rows of CSV without libcsv; not installed */
#ifndef TP_READ_CSV_PLAIN_H
#define TP_READ_CSV_PLAIN_H

#include "read.h"
#include "split.h"

/* Bytes examined at a time, so that their rows fit the cache. */
#define TP_CSV_PIECE ((size_t)32 * 1024)

/*
 * A piece of a block, split at its separators: 128 KiB, made by
 * tp_plain_new().
 */
struct tp_plain {
	const char *base;		/* NULL: no piece is loaded */
	size_t len, count, next;	/* of ends: number, next unused */
	ptrdiff_t row_count, row;	/* of rows: number, next unused;
					 * row_count -1: walk the fields */
	int careful;			/* take rows one by one: some are
					 * damaged */
	/* field k is between ends[k - 1] + 1 and ends[k], also for k = 0 */
	uint32_t *ends;
	uint32_t end_space[1 + TP_CSV_PIECE + TP_SPLIT_SPARE];
	struct { uint32_t from, to; } *fields;	/* of the current row */
	size_t field_cap;
};

struct tp_plain *tp_plain_new(void);
void tp_plain_free(struct tp_plain *plain);

/*
 * Queue plain rows that start at *P, before END: at most LIMIT rows of COLUMNS
 * fields without a newline in a field, a doubled quote or a stray CR.  *P and
 * *LINE advance.  Texts of values point into the block; stacks are made in
 * ARENA.  Returns the number of rows, 0 if the next one is not plain or
 * incomplete, or -1 with ERR.
 */
ptrdiff_t tp_plain_rows(struct tp_plain *plain, struct tp_rows *rows,
    const char **p, const char *end, char delim, size_t columns,
    size_t limit, uint64_t *line, struct tp_arena *arena,
    struct tp_err *err);

/*
 * Queues at most LIMIT rows, at least 1, from plain->row on, in a piece whose
 * rows all have COLUMNS fields; the first is in line LINE.  Returns their
 * number, or -1 with ERR.
 */
ptrdiff_t tp_plain_batch(struct tp_plain *plain, struct tp_rows *rows,
    size_t columns, size_t limit, uint64_t line, struct tp_arena *arena,
    struct tp_err *err);

/*
 * Parse the field between FROM and TO.  Returns 0, or -1 with ERR if it is
 * damaged.
 */
int tp_plain_field(struct tp_value *v, const struct tp_slot *slot,
    const char *from, const char *to, struct tp_arena *arena,
    struct tp_err *err);
/*
 * Handle a damaged field in the last row queued: the row becomes damage.
 * Returns 0, or -1 if the error is fatal.
 */
int tp_plain_damaged(struct tp_rows *rows, uint64_t line,
    struct tp_err *err);
/* Move FROM and TO past blanks. */
void tp_plain_trim(const char **from, const char **to);

#endif
