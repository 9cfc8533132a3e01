/*
 * rowrec_plain - row records as tp-rows writes them, read where they lie
 *
 * Not installed.  A line whose members come in the order of the table, with
 * no blank, no escape, no CR and no number but integers, needs no parser: its
 * quotes are found first, keys are compared, values point into the line.  Any
 * other line is left to tp_rec_parse(), which says the same of these.
 *
 * Quotes first, and not lengths guessed as in events_seam.h: the values of
 * a table are of another length in each row, so that guesses would fail, and
 * all keys are known, so that no value need be read to find the next.
 */
#ifndef TP_READ_ROWREC_PLAIN_H
#define TP_READ_ROWREC_PLAIN_H

#include <tp/records.h>

#include "read.h"
#include "split.h"

struct tp_layout;

/* The most that is looked at in one go: its marks fit the cache. */
#define TP_REC_PIECE ((size_t)16 * 1024)

/* Where a piece of a block has quotes and what no string holds as it is.
 * 64 KiB: allocate it. */
struct tp_marks {
	const char *base;
	size_t len;			/* up to the last LF; 0: none loaded */
	size_t count, next;
	uint32_t at[TP_REC_PIECE + TP_SPLIT_SPARE];
};

/*
 * Queue the line at *LINE, before END, as a row of rows->plan: 1, and *LINE
 * is behind its LF; 0 when it is not a plain one of LAYOUTS that is whole
 * (nothing was done) or holds a damaged value, -1 without memory.  The row's
 * text is the line's and ARENA's.  When other bytes come to be where a line
 * was, marks->len must be 0.
 */
int tp_layout_row(struct tp_layout *layouts, struct tp_rows *rows,
    struct tp_marks *marks, const char **line, const char *end,
    uint64_t number, struct tp_arena *arena, struct tp_err *err);

/*
 * The value of a member: TEXT of LEN bytes for SLOT; NUMBER is the pid or tid
 * that goes with a process or thread, NULL when there is none.  0, or -1
 * with ERR.
 */
int tp_rowrec_cell(struct tp_value *v, const struct tp_slot *slot,
    const char *text, size_t len, const int64_t *number,
    struct tp_arena *arena, struct tp_err *err);

#endif
