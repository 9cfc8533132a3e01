/*
 * inventory - which exports of a trace exist, and how to make the others
 *
 * share/tables/exports.json lists the exports a report uses: the table, the
 * usual end of the file name, what it would show, the section that uses it
 * ("section"; absent: none yet), whether to mention its absence ("expected"),
 * whether a report is complete without it ("optional") and which tables are not
 * used beside it ("instead_of").  Its "snapshots" are the tables whose rows
 * describe one moment.  An export is used if an analysis read its rows: a
 * source record says when they were only counted.
 */
#ifndef TP_METAL_INVENTORY_H
#define TP_METAL_INVENTORY_H

#include <stdint.h>

#include <tp/err.h>
#include <tp/records.h>

struct tp_inventory {
	const char *trace;	/* name of the trace in commands; NULL: taken
				 * from file names, else src */
	int first_only;		/* with several files of a table, use the first
				 * and mark the others "unused" */
	int64_t run;		/* run whose tables count; -1: the first run */
	int all;		/* also list missing tables that a report can
				 * use but does not ask for */
};

/*
 * Write an "export" record per expected or present table, and the counts,
 * for every trace (src) in SET that has tables; when none has, once for SET
 * as a whole.  0, or -1 with ERR.
 */
int tp_inventory_emit(const struct tp_set *set, const struct tp_inventory *how,
    struct tp_out *out, struct tp_err *err);

#endif
