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

#include "draw/picture.h"

TP_DRAW_HEAD(strip);

#endif
