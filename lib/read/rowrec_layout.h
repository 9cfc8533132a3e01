/*
 * rowrec_layout - what members the rows of a table have, and in which order
 *
 * Not installed.  Made from the table when its first row was parsed, for
 * tp_layout_row().  Memory: the keys of each table.
 */
#ifndef TP_READ_ROWREC_LAYOUT_H
#define TP_READ_ROWREC_LAYOUT_H

#include <tp/records.h>

#include "read.h"

/* Where a value lies in the line. */
struct tp_found {
	const char *text;		/* NULL: absent */
	size_t len;
	int is_int;
	int64_t n;
};

/* What the members of a line may be, in their order. */
struct tp_member {
	char *key;			/* ,"KEY": */
	size_t len, least;		/* of the line from there on */
	uint64_t start, mask;		/* its first eight bytes */
	uint64_t last;			/* its last, when it has more */
	struct tp_found *to;		/* that takes the value, or NULL */
	struct tp_member *then;		/* that came behind it last time */
};

struct tp_layout {
	const struct tp_plan *plan;
	struct tp_member *members;	/* and one that is in no line */
	size_t count, cap;
	struct tp_member before;	/* the first */
	struct tp_found *values, *numbers;	/* by slot */
	struct tp_buf head;		/* {"kind":"..","src":".." */
	size_t head_marks;		/* that are in it */
	const char *src;		/* which rows->src that is */
	int odd;			/* the table's keys are not plain */
	struct tp_arena arena;
	struct tp_layout *next;
};

/*
 * LINE was parsed as REC, a row of rows->plan: make lines that start alike
 * the ones that tp_layout_row() takes.  *LAYOUTS holds one layout per plan,
 * that of the last call first.  0, or -1 without memory.
 */
int tp_layout_expect(struct tp_layout **layouts, const struct tp_rows *rows,
    const struct tp_rec *rec, const char *line, size_t len);
void tp_layouts_free(struct tp_layout *layouts);
/* Key of the pid or tid of COLUMN, appended to KEY. */
void tp_rowrec_number_key(struct tp_buf *key,
    const struct tp_table_column *column);

#endif
