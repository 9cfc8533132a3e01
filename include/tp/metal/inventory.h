/*
 * inventory - which exports of a trace are there, and how to make the others
 *
 * The exports a report draws on are listed in share/tables/exports.json: the
 * table, the end of the file name people give it, what it would show, the
 * section that uses it ("section", absent: none does yet), whether its
 * absence is worth a word ("expected") and whether a report is whole without
 * it ("optional").
 */
#ifndef TP_METAL_INVENTORY_H
#define TP_METAL_INVENTORY_H

#include <stdint.h>

#include <tp/err.h>
#include <tp/records.h>

struct tp_inventory {
	const char *trace;	/* what commands call the trace, or NULL: the
				 * file names say, else src */
	int first_only;		/* of several files of a table the first is
				 * used, the others are "unused" */
	int64_t run;		/* whose tables count, or -1: the first that is
				 * told of, which the tables are of */
	int all;		/* also missing tables that a report can use
				 * but does not ask for */
};

/*
 * Write an "export" record per expected or present table, and the counts, for
 * every trace (src) in SET that has tables; when none has, for SET as a whole.
 * 0, or -1 with ERR.
 */
int tp_inventory_emit(const struct tp_set *set, const struct tp_inventory *how,
    struct tp_out *out, struct tp_err *err);

#endif
