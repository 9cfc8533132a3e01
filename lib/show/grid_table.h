/* grid_table - the records of one kind as cells, before printing */
#ifndef TP_SHOW_GRID_TABLE_H
#define TP_SHOW_GRID_TABLE_H

#include <tp/show/text_table.h>

/* Cells of a table: cells[row * columns + column]. */
struct tp_grid_table {
	struct tp_grid_entry {
		size_t at, len;		/* in text */
		size_t width;		/* in characters; with screen, in
					 * columns */
		int right;
		int number;		/* a number or other text that must not
					 * be cut */
	} *cells;
	size_t rows, columns, cap;
	struct tp_grid_column {
		size_t width;
		int right;		/* holds only numbers */
		int same;		/* screen: same value everywhere,
					 * printed below */
	} *shape;
	size_t shape_cap;
	struct tp_buf text;
	int markdown, bold;
	const struct tp_screen *screen;	/* NULL: not fitted */
};

/*
 * Fill G with COUNT records of KIND and their KEYS as the header, or with
 * UPRIGHT as the first column.
 */
void tp_grid_fill(struct tp_grid_table *g, const struct tp_set *set,
    const char *kind, const struct tp_names *keys, size_t count, int upright);

/* Append N blanks. */
void tp_grid_spaces(struct tp_buf *out, size_t n);

/*
 * Append these records, fitted to g->screen and without a heading, in the
 * form that shows most of them.
 */
void tp_grid_screen(struct tp_grid_table *g, const struct tp_set *set,
    const char *kind, const struct tp_names *keys, size_t count,
    struct tp_buf *out);

#endif
