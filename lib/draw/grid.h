/*
 * grid - a value by row and column as shades: ranks by steps
 *
 * Made from records as share/pictures says, then drawn as SVG (grid_svg.c)
 * or text (grid_text.c).  A shade shows how far a value is above or below
 * the median of its column.  When rows or columns do not fit, several share
 * a cell, which shows the value farthest above the median.  Fewer than three
 * rows or two columns give no picture.
 *
 * Memory: 56 bytes per record, and 8 per cell shown.
 */
#ifndef TP_DRAW_GRID_H
#define TP_DRAW_GRID_H

#include <tp/alloc.h>

#include "draw/picture.h"

#define TP_GRID_ROWS 64		/* drawn at most */
#define TP_GRID_COLUMNS 100	/* of an SVG */
#define TP_GRID_SIDE 12		/* width of row names in text */
#define TP_GRID_SHADES 7	/* the median is the middle one, higher values
				 * follow it */

struct tp_grid_cell {
	int64_t row, column;
	int64_t value, median;	/* in ns; median: of its column */
	double off;		/* value / median - 1 */
};

struct tp_grid {
	struct tp_arena arena;
	const char *row, *column;	/* words for them: "rank", "step" */
	const char *value;		/* word for the value: "computation" */
	const char *outlined;	/* word for the outlined row: "straggler" */
	const char *note;		/* may be "" */
	struct tp_grid_cell *cells;	/* by row, then column */
	size_t count, cap;
	uint64_t left;		/* records without a cell */
	int64_t *rows, *columns;	/* in order */
	size_t row_count, column_count;
	int has_outlined;
	int64_t outlined_row;
	const struct tp_grid_cell *most;	/* farthest above its median */
	/* once cells are joined to fit the picture: */
	const struct tp_grid_cell **shown;	/* entries may be NULL: no
						 * value */
	size_t shown_rows, shown_columns;
	size_t each_row, each_column;	/* how many share a cell */
};

TP_DRAW_HEAD(grid);

void tp_grid_svg(const struct tp_grid *g, struct tp_drawing *d);
void tp_grid_text(const struct tp_grid *g, size_t columns, int ascii,
    struct tp_buf *b);

/* The cell shown in row I, column K, or NULL. */
const struct tp_grid_cell *tp_grid_at(const struct tp_grid *g, size_t i,
    size_t k);
/* Shade of a cell, 0 to TP_GRID_SHADES - 1. */
int tp_grid_shade(const struct tp_grid_cell *cell);
/* Bounds of the shades beside the median, nearest first: "3 %". */
extern const char *const tp_grid_bounds[TP_GRID_SHADES / 2];
int tp_grid_is_outlined(const struct tp_grid *g, size_t row);

/*
 * "7", or "8-15" when EACH > 1: name of row or column I out of COUNT
 * numbers.
 */
void tp_grid_name(struct tp_buf *b, const int64_t *numbers, size_t count,
    size_t each, size_t i);
/* "rank 1, step 6: computation 677 us, 14.9 % above the median (589 us)". */
void tp_grid_cell_words(const struct tp_grid *g,
    const struct tp_grid_cell *cell, struct tp_buf *b);
/* "+14.9 %". */
void tp_grid_off(const struct tp_grid_cell *cell, struct tp_buf *b);
/* "rank 5: others wait for it": the outlined row. */
void tp_grid_outlined(const struct tp_grid *g, struct tp_buf *b);
/* Title of the picture, without a full stop. */
void tp_grid_head(const struct tp_grid *g, struct tp_buf *b);
/* Which cells are merged, empty or left out, as sentences; may be empty. */
void tp_grid_rest(const struct tp_grid *g, struct tp_buf *b);

#endif
