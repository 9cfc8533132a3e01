/*
 * columns - steps or runs as columns, stacked by where their time went
 *
 * Made from records as share/pictures says, then drawn as SVG
 * (columns_svg.c) or text (columns_text.c).  Each trace is a panel; all
 * panels have one scale.
 *
 * Memory: 80 bytes per step, and names.
 */
#ifndef TP_DRAW_COLUMNS_H
#define TP_DRAW_COLUMNS_H

#include <tp/alloc.h>
#include <tp/hash.h>

#include "draw/picture.h"

#define TP_COLUMNS_PANELS 4
#define TP_COLUMNS_PARTS 6
#define TP_COLUMNS_FEW 5	/* with fewer, no line for the median */

struct tp_column {
	const char *name;
	const char *below;	/* second line of its label; may be "" */
	int hatched;		/* set apart from the others: warm-up */
	int64_t whole;		/* in ns; at least the sum of parts */
	int64_t parts[TP_COLUMNS_PARTS];	/* the last is the rest */
};

struct tp_columns_panel {
	const char *name;	/* of its trace */
	struct tp_column *list;
	size_t count, cap;
	int64_t least, median, longest;	/* over the columns that count: those
					 * not hatched; all when hatched ones
					 * count too or no other exists */
	int64_t sums[TP_COLUMNS_PARTS], sum;	/* over the same columns */
	size_t used;		/* number of such columns */
};

struct tp_columns {
	struct tp_arena arena;
	const char *word;	/* what a column is: "step" */
	const char *hatched;	/* word for hatched columns: "warm-up" */
	int hatched_counts;
	const char *measured;	/* word for the whole: "GPU span"; may be
				 * NULL */
	const char *below;	/* meaning of the second label lines; may be
				 * NULL */
	const char *names[TP_COLUMNS_PARTS], *colours[TP_COLUMNS_PARTS];
	size_t part_count;
	struct tp_columns_panel panels[TP_COLUMNS_PANELS];
	size_t panel_count;
	struct tp_names left;	/* traces beyond the panels */
	int64_t most, step;	/* height of the axis (a higher hatched column
				 * is cut) and distance of ticks */
};

TP_DRAW_HEAD(columns);

void tp_columns_svg(const struct tp_columns *c, struct tp_drawing *d);
void tp_columns_text(const struct tp_columns *c, size_t columns, int ascii,
    struct tp_buf *b);

/* The longest of columns FROM to TO (exclusive) of P. */
const struct tp_column *tp_columns_longest(const struct tp_columns_panel *p,
    size_t from, size_t to);
/* Whether any column has PART; part_count: whether any is hatched. */
int tp_columns_any(const struct tp_columns *c, size_t part);
/*
 * "median 1.31 s of 7 steps: GPU busy 81.0 %, GPU idle 19.0 %"; with few
 * columns "1.30 s to 1.40 s in 2 steps".
 */
void tp_columns_words(const struct tp_columns *c,
    const struct tp_columns_panel *p, struct tp_buf *b);

#endif
