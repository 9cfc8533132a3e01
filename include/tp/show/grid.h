/*
 * grid - records as aligned tables, one per kind
 *
 * A column per key, in order of first appearance; values printed by unit,
 * numbers to the right, what is absent as "-".  A few wide records stand
 * upright: a line per key, a column per record.  What names the trace of all
 * records of a kind stands in the heading.
 *
 * Memory: the cells of one kind at a time, as printed.
 */
#ifndef TP_SHOW_GRID_H
#define TP_SHOW_GRID_H

#include <tp/buf.h>
#include <tp/err.h>
#include <tp/hash.h>
#include <tp/records.h>
#include <tp/width.h>

/*
 * Append a table for every kind in SET to OUT: plain text, or with
 * TP_GRID_MARKDOWN escaped and marked up; headings stand out on a terminal with
 * TP_GRID_BOLD.  Plain text fits SCREEN, unless that is NULL.  0, or -1 with
 * ERR set (no memory).
 */
enum { TP_GRID_MARKDOWN = 1, TP_GRID_BOLD = 2 };
int tp_grid_print(const struct tp_set *set, int form,
    const struct tp_screen *screen, struct tp_buf *out, struct tp_err *err);

/*
 * Keys of the records named by SELECTOR, without "kind" and EXCEPT (may be
 * NULL), in order of first appearance, added to KEYS.  0, or -1 without
 * memory.
 */
int tp_grid_keys(const struct tp_set *set, const char *selector,
    const char *except, struct tp_names *keys);

#endif
