/*
 * rowrec_plain - row records as tp-rows writes them, read where they lie
 *
 * Not installed.  A line whose members come in the order of the table, with
 * no blank, no escape and no number but integers, needs no parser: keys are
 * compared, values point into the line.  Any other line is left to
 * tp_rec_parse(), which says the same of these.
 */
#ifndef TP_ROWREC_PLAIN_H
#define TP_ROWREC_PLAIN_H

#include <tp/records.h>

#include "read.h"

struct tp_layout;

/*
 * LINE was parsed as REC, a row of rows->plan: make lines that start alike
 * the ones that tp_layout_row() takes.  *LAYOUTS holds one layout per plan,
 * that of the last call first.  0, or -1 without memory.  Memory: the keys of
 * each table.
 */
int tp_layout_expect(struct tp_layout **layouts, const struct tp_rows *rows,
    const struct tp_rec *rec, const char *line, size_t len);
/*
 * Queue LINE as a row of rows->plan: 1; 0 when it is not a plain one of
 * LAYOUTS (nothing was done) or holds a damaged value, -1 without memory.
 * The row's text is LINE's and ARENA's.
 */
int tp_layout_row(struct tp_layout *layouts, struct tp_rows *rows,
    const char *line, size_t len, uint64_t number, struct tp_arena *arena,
    struct tp_err *err);
void tp_layouts_free(struct tp_layout *layouts);

/*
 * The value of a member: TEXT of LEN bytes for SLOT; NUMBER is the pid or tid
 * that goes with a process or thread, NULL when there is none.  0, or -1
 * with ERR.
 */
int tp_rowrec_cell(struct tp_value *v, const struct tp_slot *slot,
    const char *text, size_t len, const int64_t *number,
    struct tp_arena *arena, struct tp_err *err);
/* Key of the pid or tid of COLUMN, appended to KEY. */
void tp_rowrec_number_key(struct tp_buf *key,
    const struct tp_table_column *column);

#endif
