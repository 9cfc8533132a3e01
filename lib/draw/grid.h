/*
 * grid - a value by row and column, as shades: ranks by steps
 *
 * Made from records as share/pictures says, then drawn as SVG (grid_svg.c) or
 * as text (grid_text.c).  A shade says how far a value is above or below the
 * median of its column.  Where there are more rows or columns than there is
 * room for, several are one cell, which shows the highest above the median.
 * A median says nothing of fewer than three rows, and one column has no course:
 * these are no picture.
 *
 * Memory: 56 bytes per record, and 8 per cell that is shown.
 */
#ifndef TP_DRAW_GRID_H
#define TP_DRAW_GRID_H

#include <tp/alloc.h>
#include <tp/draw/draw.h>

#define TP_GRID_ROWS 64		/* drawn at most */
#define TP_GRID_COLUMNS 100	/* of an SVG */
#define TP_GRID_SIDE 12		/* of text, for the names of rows */
#define TP_GRID_SHADES 7	/* the median in the middle, higher after it */

struct tp_grid_cell {
	int64_t row, column;
	int64_t value, median;	/* in ns; of the column */
	double off;		/* value over median, less 1 */
};

struct tp_grid {
	struct tp_arena arena;
	const char *row, *column;	/* what they are: "rank", "step" */
	const char *value;		/* what is measured: "computation" */
	const char *outlined;	/* what the outlined row is: "straggler" */
	const char *note;		/* may be "" */
	struct tp_grid_cell *cells;	/* by row, then column */
	size_t count, cap;
	uint64_t left;		/* records that are not in cells */
	int64_t *rows, *columns;	/* in order */
	size_t row_count, column_count;
	int has_outlined;
	int64_t outlined_row;
	const struct tp_grid_cell *most;	/* the highest above */
	/* after tp_grid_fold() */
	const struct tp_grid_cell **shown;	/* may be NULL: no value */
	size_t shown_rows, shown_columns;
	size_t each_row, each_column;	/* how many are one */
};

/* As tp_draw(). */
int tp_grid_draw(const struct cJSON *picture, const struct tp_set *set,
    enum tp_draw_form form, size_t columns, struct tp_drawing *d,
    struct tp_err *err);

void tp_grid_svg(const struct tp_grid *g, struct tp_drawing *d);
void tp_grid_text(const struct tp_grid *g, size_t columns, int ascii,
    struct tp_buf *b);

/* The cell shown in row I, column K, or NULL. */
const struct tp_grid_cell *tp_grid_at(const struct tp_grid *g, size_t i,
    size_t k);
/* From 0 to TP_GRID_SHADES - 1. */
int tp_grid_shade(const struct tp_grid_cell *cell);
/* What the shades away from the median say, nearest first: "3 %". */
extern const char *const tp_grid_bounds[TP_GRID_SHADES / 2];
int tp_grid_is_outlined(const struct tp_grid *g, size_t row);

/* "7", or "8-15" of several: row or column I of COUNT numbers, EACH one. */
void tp_grid_name(struct tp_buf *b, const int64_t *numbers, size_t count,
    size_t each, size_t i);
/* "rank 1, step 6: computation 677 us, 14.9 % above the median (589 us)". */
void tp_grid_cell_words(const struct tp_grid *g,
    const struct tp_grid_cell *cell, struct tp_buf *b);
/* "+14.9 %". */
void tp_grid_off(const struct tp_grid_cell *cell, struct tp_buf *b);
/* "rank 5: others wait for it", of the outlined row. */
void tp_grid_outlined(const struct tp_grid *g, struct tp_buf *b);
/* What is drawn, without a full stop. */
void tp_grid_head(const struct tp_grid *g, struct tp_buf *b);
/* What cells are joined, empty or left out, as sentences; may be nothing. */
void tp_grid_rest(const struct tp_grid *g, struct tp_buf *b);

#endif
