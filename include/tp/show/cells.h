/*
 * cells - records of one kind as CSV
 *
 * By default there is a column per key, in order of first appearance, with
 * values as in the records.  A mapping (share/csv/NAME.json) sets names,
 * order and units of columns as another tool expects them:
 *
 *	{"kind": "cpu.function", "columns": [
 *	  {"name": "self_time_ms", "key": "self_ns", "unit": "ms"}]}
 *
 * "kind", a selector, is the default when the user asks for no kind.  Units
 * are those of scale.h, and also: tuple and list (JSON in a text) and true
 * and false, printed as in Python.  Numbers are exact, without unit and
 * without grouping.
 *
 * A column may also have: "absent", printed where the key is unknown;
 * "running": true, the sum up to and including the row; "text" instead of
 * "key", the same in every row.  "rows" instead of "columns" makes several
 * rows of each record: an array of arrays of columns; the first array names
 * the columns.  In place of a column, NAME (once) stands for the columns of
 * share/csv/NAME.json.  "need", a condition (tp/cond.h) or an array of them,
 * leaves out records for which it does not hold, unless it holds for none.
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
	int safe;	/* prefix = + - @ with a quote, as spreadsheets would
			 * execute the cell */
};

/*
 * Append header and rows to OUT.  0, or -1 with ERR (TP_BAD: damaged
 * mapping; TP_USAGE: mapping for another kind).
 */
int tp_cells_print(const struct tp_cells *cells, const struct tp_set *set,
    struct tp_buf *out, struct tp_err *err);

#endif
