/*
 * cells - records of one kind as CSV
 *
 * By default a column per key, in order of first appearance, with values as
 * they stand in the records.  A mapping (share/csv/NAME.json) names columns,
 * their order and their units as another tool does:
 *
 *	{"kind": "cpu.function", "columns": [
 *	  {"name": "self_time_ms", "key": "self_ns", "unit": "ms"}]}
 *
 * "kind" may choose records as a selector does, for who asks for none.
 * Units are those of scale.h; tuple and list write JSON that a text holds,
 * and true and false, as Python prints them.  Numbers are exact, without a unit
 * and without groups.
 *
 * A column may also have: "absent", what stands where the key is unknown;
 * "running": true, the sum up to and with the row; "text" in the place of
 * "key", the same in every row.  "rows" in the place of "columns" makes
 * several rows of each record: a list of lists of columns, of which the first
 * names them.  "need", a condition (tp/cond.h) or a list of them: records of
 * which it does not hold are left out, unless it holds of none.
 */
#ifndef TP_SHOW_CELLS_H
#define TP_SHOW_CELLS_H

#include <tp/buf.h>
#include <tp/err.h>
#include <tp/records.h>

struct cJSON;

struct tp_cells {
	const char *selector;	/* kind, or KIND[VALUE] */
	const struct cJSON *mapping;	/* or NULL */
	int safe;	/* a quote before = + - @, which spreadsheets run */
};

/* Append header and rows to OUT.  0, or -1 with ERR set (TP_BAD: a damaged
 * mapping, TP_USAGE: one for another kind). */
int tp_cells_print(const struct tp_cells *cells, const struct tp_set *set,
    struct tp_buf *out, struct tp_err *err);

#endif
