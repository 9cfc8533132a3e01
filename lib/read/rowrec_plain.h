/*
 * rowrec_plain - read row records in the form tp-rows writes them, in place
 *
 * Not installed.  A line whose members are in table order, with no blank,
 * escape or CR and only integer numbers, needs no parser: its quotes are
 * located first, keys are compared, values point into the line.  Any other
 * line goes to tp_rec_parse(), which gives the same result for plain ones.
 *
 * Unlike events_seam.h, this does not predict lengths: values of a table
 * differ in length from row to row, so predictions would fail, and all keys
 * are known, so no value must be read to find the next.
 */
#ifndef TP_READ_ROWREC_PLAIN_H
#define TP_READ_ROWREC_PLAIN_H

#include <tp/records.h>

#include "read.h"
#include "split.h"

struct tp_layout;

/* Most bytes examined at once, so that marks fit the cache. */
#define TP_REC_PIECE ((size_t)16 * 1024)

/*
 * Positions of quotes, backslashes and control characters in a piece of a
 * block.  64 KiB: allocate it.
 */
struct tp_marks {
	const char *base;
	size_t len;			/* up to the last LF; 0: nothing
					 * loaded */
	size_t count, next;
	uint32_t at[TP_REC_PIECE + TP_SPLIT_SPARE];
};

/*
 * Queue the line at *LINE, before END, as a row of rows->plan: 1, and *LINE
 * moves past its LF; 0 when it is no complete plain line of LAYOUTS (nothing
 * was done) or has a damaged value; -1 with ERR at a limit.  The row's text is
 * in the line and in ARENA.  Set marks->len to 0 before other bytes take the
 * place of these.
 */
int tp_layout_row(struct tp_layout *layouts, struct tp_rows *rows,
    struct tp_marks *marks, const char **line, const char *end,
    uint64_t number, struct tp_arena *arena, struct tp_err *err);

/*
 * Convert a member's TEXT of LEN bytes for SLOT; NUMBER is the pid or tid of
 * a process or thread, or NULL.  0, or -1 with ERR.
 */
int tp_rowrec_cell(struct tp_value *v, const struct tp_slot *slot,
    const char *text, size_t len, const int64_t *number,
    struct tp_arena *arena, struct tp_err *err);

#endif
