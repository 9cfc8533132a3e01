/*
 * kdebug - how many kernel events of each code a trace holds
 *
 * Class, subclass and code are printed as exported; there is no table of
 * their meanings. Memory: about 100 bytes per distinct code.
 */
#ifndef TP_METAL_KDEBUG_H
#define TP_METAL_KDEBUG_H

#include "metal/tables.h"

struct tp_kdebug_code {
	ptrdiff_t part[3];		/* class, subclass, code; -1: none */
	uint64_t rows, starts, ends;
};

/* A zeroed struct is empty. */
struct tp_kdebug {
	struct tp_names texts;
	struct tp_ids groups, codes;	/* (class, subclass), (group, code) */
	struct tp_kdebug_code *list;
	size_t cap;
	uint64_t rows;
	int64_t first_ns, last_ns;
};

/* Add one row of kdebug.  0, or -1 with ERR. */
int tp_kdebug_add(struct tp_kdebug *kdebug, const struct tp_row *row,
    const struct tp_window *window, struct tp_err *err);
/* Write kdebug.summary and at most TOP (0: all) kdebug.code records. */
void tp_kdebug_emit(struct tp_kdebug *kdebug, int64_t top, struct tp_out *out);

#endif
