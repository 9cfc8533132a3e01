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
 * Units are those of tp/scale.h.  Numbers are exact, without a unit and
 * without groups.
 */
#ifndef TP_CELLS_H
#define TP_CELLS_H

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
