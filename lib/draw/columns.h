/*
 * columns - steps or runs, a column each, by what their time went to
 *
 * Made from records as share/pictures says, then drawn as SVG
 * (columns_svg.c) or as text (columns_text.c).  Each trace is a panel; all
 * have one scale.
 *
 * Memory: 88 bytes per step, and names.
 */
#ifndef TP_DRAW_COLUMNS_H
#define TP_DRAW_COLUMNS_H

#include <tp/alloc.h>
#include <tp/draw/draw.h>
#include <tp/hash.h>

#define TP_COLUMNS_PANELS 4
#define TP_COLUMNS_PARTS 6
#define TP_COLUMNS_FEW 5	/* fewer have no median worth a line */

struct tp_column {
	const char *name;
	const char *below;	/* said below its name; may be "" */
	int hatched;		/* apart from the others: warm-up */
	int64_t whole;		/* in ns; at least the sum of: */
	int64_t parts[TP_COLUMNS_PARTS];	/* the last is the rest */
};

struct tp_columns_panel {
	const char *name;	/* of its trace */
	struct tp_column *list;
	size_t count, cap;
	int64_t least, median, longest;	/* of those that count: that are not
				 * hatched, unless these do too, or all */
	int64_t sums[TP_COLUMNS_PARTS], sum;	/* of the same */
	size_t used;		/* how many these are */
};

struct tp_columns {
	struct tp_arena arena;
	const char *word;	/* what a column is: "step" */
	const char *hatched;	/* what a hatched one is: "warm-up" */
	int hatched_counts;
	const char *measured;	/* what a whole is: "GPU span"; may be NULL */
	const char *below;	/* what is said below names; may be NULL */
	const char *names[TP_COLUMNS_PARTS], *colours[TP_COLUMNS_PARTS];
	size_t part_count;
	struct tp_columns_panel panels[TP_COLUMNS_PANELS];
	size_t panel_count;
	struct tp_names left;	/* traces beyond those panels */
	int64_t most, step;	/* as high as columns are drawn: a hatched one
				 * may be cut; from tick to tick */
};

/* As tp_draw(). */
int tp_columns_draw(const struct cJSON *picture, const struct tp_set *set,
    enum tp_draw_form form, size_t columns, struct tp_drawing *d,
    struct tp_err *err);

void tp_columns_svg(const struct tp_columns *c, struct tp_drawing *d);
void tp_columns_text(const struct tp_columns *c, size_t columns, int ascii,
    struct tp_buf *b);

/* The longest of columns FROM to TO (not included) of P. */
const struct tp_column *tp_columns_longest(const struct tp_columns_panel *p,
    size_t from, size_t to);
/* Whether any column has PART; the one after the last is that it is hatched. */
int tp_columns_any(const struct tp_columns *c, size_t part);
/* "median 1.31 s of 7 steps: GPU busy 81.0 %, GPU idle 19.0 %"; of a few
 * "1.30 s to 1.40 s in 2 steps". */
void tp_columns_words(const struct tp_columns *c,
    const struct tp_columns_panel *p, struct tp_buf *b);

#endif
