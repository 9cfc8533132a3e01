/*
 * strip - how a value went from run to run, small enough for a cell of a table
 *
 * A row for each thing that was measured: a line through its runs, the median
 * as a thin line, changes marked, the last run as a dot.  One row alone is the
 * line and nothing else; of several each has its name before it, and the last
 * value and the change since the first behind it.  Of many runs the last are
 * drawn.
 *
 * Memory: 64 bytes per record, and its names.
 */
#ifndef TP_DRAW_STRIP_H
#define TP_DRAW_STRIP_H

#include <tp/draw/draw.h>

/* As tp_draw(). */
int tp_strip_draw(const struct cJSON *picture, const struct tp_set *set,
    enum tp_draw_form form, size_t columns, struct tp_drawing *d,
    struct tp_err *err);

#endif
