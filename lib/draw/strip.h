/*
 * strip - a value from run to run, small enough for a table cell
 *
 * One row per thing measured: a line through its runs, the median as a thin
 * line, changes marked, the last run as a dot.  A single row is only the
 * line; with several, each has its name before the line, and the last value
 * and the change since the first run after it.  Of many runs the last are
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
