/*
 * text_table - records as aligned tables, one per kind
 *
 * A column per key, in order of first appearance; values printed by unit,
 * numbers right-aligned, absent values as "-".  A few wide records are
 * transposed: a row per key, a column per record.  When all records of a
 * kind are of one trace, the heading names it.
 *
 * Memory: the printed cells of one kind at a time.
 */
#ifndef TP_SHOW_TEXT_TABLE_H
#define TP_SHOW_TEXT_TABLE_H

#include <tp/buf.h>
#include <tp/err.h>
#include <tp/hash.h>
#include <tp/records.h>
#include <tp/width.h>

/*
 * Append a table for every kind in SET to OUT: plain text, or Markdown with
 * TP_GRID_MARKDOWN; with TP_GRID_BOLD headings are highlighted for a
 * terminal.  Plain text fits SCREEN, unless that is NULL.
 */
enum { TP_GRID_MARKDOWN = 1, TP_GRID_BOLD = 2 };
void tp_grid_print(const struct tp_set *set, int form,
    const struct tp_screen *screen, struct tp_buf *out);

/*
 * Add the keys of the records named by SELECTOR, except "kind" and EXCEPT
 * (may be NULL), to KEYS in order of first appearance.
 */
void tp_grid_keys(const struct tp_set *set, const char *selector,
    const char *except, struct tp_names *keys);

#endif
