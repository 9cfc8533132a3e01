/*
 * changes - named times before and after, sorted by change
 *
 * Made from records as share/pictures says, then drawn as SVG
 * (changes_svg.c) or text (changes_text.c).  All changes share one axis, in
 * tenths of a percent of the time before; a time that only one side has is
 * at the end of the list.
 *
 * Memory: the names of all records, while the largest are selected.
 */
#ifndef TP_DRAW_CHANGES_H
#define TP_DRAW_CHANGES_H

#include <tp/alloc.h>

#include "draw/picture.h"

#define TP_CHANGES_PANELS 4
#define TP_CHANGES_ROWS 12	/* most rows of a panel */

enum tp_change_mark {
	TP_CHANGE_FULL,		/* changed */
	TP_CHANGE_HOLLOW,	/* not changed */
	TP_CHANGE_CROSS,	/* not judged */
};

struct tp_change {
	const char *name, *colour, *word;
	const char *label;		/* NAME without the prefix common to
					 * all */
	enum tp_change_mark mark;
	int64_t before, after;		/* in ns; -1: absent on that side */
	uint64_t size;			/* absolute change in ns */
	int64_t place;			/* in tenths of a percent; out of range
					 * when a side has no time */
	int has_interval;
	int64_t low, high;
};

struct tp_changes_panel {
	const char *name;
	struct tp_change list[TP_CHANGES_ROWS];	/* largest first */
	size_t count;
};

struct tp_changes {
	struct tp_arena arena;
	const char *axis;		/* label of the axis */
	struct tp_changes_panel panels[TP_CHANGES_PANELS];
	size_t panel_count, left;	/* left: rows not drawn */
	int64_t from, to;		/* the axis */
	int is_cut;			/* an interval exceeds the axis */
};

TP_DRAW_HEAD(changes);

void tp_changes_svg(const struct tp_changes *c, struct tp_drawing *d);
void tp_changes_text(const struct tp_changes *c, size_t columns, int ascii,
    struct tp_buf *b);

/*
 * Axis position of PLACE; new and gone times, which have no percentage, are
 * drawn beside 0.
 */
int64_t tp_changes_place(const struct tp_changes *c, int64_t place);
/*
 * -1 or 1 when PLACE is beyond the axis, so its mark becomes an arrow; else
 * 0.
 */
int tp_changes_beyond(const struct tp_changes *c, int64_t place);
/* "732 us", or "-" when absent. */
void tp_change_time(struct tp_buf *b, int64_t ns);
/* "+2.7 %", "-38.2 %", "+1,100 %"; "" when out of range. */
void tp_change_percent(struct tp_buf *b, int64_t place);
/* Label of tick T, a multiple of STEP: "+5 %". */
void tp_changes_tick(struct tp_buf *b, int64_t t, int64_t step);
/* "matmul: 732 us before, 719 us after, -1.7 % (95 % interval -8.0 % to
 * +5.0 %), same". */
void tp_change_words(const struct tp_change *change, struct tp_buf *b);
/* What is not drawn, as a sentence; nothing when all is drawn. */
void tp_changes_rest(const struct tp_changes *c, struct tp_buf *b);

#endif
