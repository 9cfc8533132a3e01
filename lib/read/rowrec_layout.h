/*
 * rowrec_layout - the members of row records of a table, and their order
 *
 * Not installed.  Built from the table after its first row was parsed, for
 * tp_layout_row().  Memory: the keys of each table.
 */
#ifndef TP_READ_ROWREC_LAYOUT_H
#define TP_READ_ROWREC_LAYOUT_H

#include <tp/records.h>

#include "read.h"

/* Position of a value in the line. */
struct tp_found {
	const char *text;		/* NULL: absent */
	size_t len;
	int is_int;
	int64_t n;
};

/* The possible members of a line, in order. */
struct tp_member {
	char *key;			/* ,"KEY": */
	size_t len, least;		/* least: bytes from there to the line's
					 * end */
	uint64_t start, mask;		/* first eight bytes of KEY */
	uint64_t last;			/* last eight, when it is longer */
	struct tp_found *to;		/* receives the value, or NULL */
	struct tp_member *then;		/* member that followed last time */
};

struct tp_layout {
	const struct tp_plan *plan;
	struct tp_member *members;	/* and a sentinel */
	size_t count, cap;
	struct tp_member before;	/* points to the first */
	struct tp_found *values, *numbers;	/* by slot */
	struct tp_buf head;		/* {"kind":"..","src":".." */
	size_t head_marks;		/* number of marks in it */
	const char *src;		/* rows->src that HEAD is for */
	int odd;			/* the table's keys are not plain */
	struct tp_arena arena;
	struct tp_layout *next;
};

/*
 * LINE was parsed as REC, a row of rows->plan: let tp_layout_row() take
 * lines that start the same way.  *LAYOUTS holds one layout per plan, most
 * recent first.
 */
void tp_layout_expect(struct tp_layout **layouts, const struct tp_rows *rows,
    const struct tp_rec *rec, const char *line, size_t len);
void tp_layouts_free(struct tp_layout *layouts);
/* Append the key of the pid or tid of COLUMN to KEY. */
void tp_rowrec_number_key(struct tp_buf *key,
    const struct tp_table_column *column);

#endif
