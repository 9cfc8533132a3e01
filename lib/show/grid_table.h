/*
 * grid_table - the records of one kind as cells, before they are printed
 */
#ifndef TP_SHOW_GRID_TABLE_H
#define TP_SHOW_GRID_TABLE_H

#include <tp/show/grid.h>

/* A table as text: cells[row * columns + column]. */
struct tp_grid {
	struct tp_grid_cell {
		size_t at, len;		/* in text */
		size_t width;		/* characters; with screen, columns */
		int right;
		int number;		/* or what else must not be cut */
	} *cells;
	size_t rows, columns, cap;
	struct tp_grid_column {
		size_t width;
		int right;		/* holds nothing but numbers */
		int same;		/* screen: not a column, but below */
	} *shape;
	size_t shape_cap;
	struct tp_buf text;
	int markdown, bold;
	const struct tp_screen *screen;	/* NULL: as wide as it is */
};

/* COUNT records of KIND under their KEYS, or UPRIGHT: beside them.  0, or -1
 * without memory. */
int tp_grid_fill(struct tp_grid *g, const struct tp_set *set, const char *kind,
    const struct tp_names *keys, size_t count, int upright);

/* Blanks. */
void tp_grid_spaces(struct tp_buf *out, size_t n);

/* Append those records for g->screen, without heading, in the form that shows
 * most of them.  0, or -1 without memory. */
int tp_grid_screen(struct tp_grid *g, const struct tp_set *set,
    const char *kind, const struct tp_names *keys, size_t count,
    struct tp_buf *out);

#endif
