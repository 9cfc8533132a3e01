/*
 * chart - events over time: lanes, steps, gaps, levels
 *
 * Made from records as share/pictures says, then drawn as SVG (chart_svg.c)
 * or text (chart_text.c).  All times share one axis.  Lanes are coloured by
 * the kind of their work.  They may be grouped in panels, one run above the
 * other; a lane that both runs have is at the same position in both.
 *
 * Memory: 32 bytes per record of a lane or a level.
 */
#ifndef TP_DRAW_CHART_H
#define TP_DRAW_CHART_H

#include <tp/alloc.h>
#include <tp/hash.h>

#include "draw/groups.h"
#include "draw/picture.h"

#define TP_CHART_ROWS 24	/* most lanes drawn */
#define TP_CHART_FOLD 4		/* more foldable lanes are merged */
#define TP_CHART_PANELS 2	/* which share the rows */
#define TP_CHART_GAPS 5		/* most gaps named */
#define TP_CHART_LEVELS 6
#define TP_CHART_KINDS (TP_GROUPS + 1)	/* the last: any other */

struct tp_chart_run {		/* a stretch of a lane */
	int64_t from, to, busy;
	size_t kind;			/* place in the chart's kinds */
};

struct tp_chart_row {
	const char *name;		/* NULL: no such lane */
	const char *fold;		/* name of the merged lanes; or "" */
	size_t panel;
	struct tp_chart_run *runs;	/* in order of time */
	size_t count, cap;
	int64_t busy;
};

struct tp_chart_panel {
	const char *name;
	int64_t from, to;
};

struct tp_chart_band {		/* a step */
	int64_t from, to;
	const char *name;
	int hatched;			/* excluded from figures: warm-up */
};

struct tp_chart_gap {		/* one of the longest, in time order */
	int64_t from, to;
	int64_t number;			/* its rank among all */
	const char *name;		/* its cause; may be "" */
};

enum { TP_CHART_SIDES = 4 };
struct tp_chart_path {		/* the critical path, in a thin lane */
	const char *name;
	const char *sides[TP_CHART_SIDES];	/* what it may be in; the last
						 * is not drawn */
	struct tp_chart_run *runs;	/* in order of time; kind: of sides */
	size_t count, cap;
};

struct tp_chart_level {
	const char *name;
	struct tp_chart_part {
		int64_t from, to, min, max;
	} *parts;			/* in order of time */
	size_t count, cap;
	int64_t peak, peak_at;
};

struct tp_chart {
	struct tp_arena arena;
	int64_t from, to;		/* the axis */
	int64_t whole;			/* length before it was cut to */
	const char *window;		/* this window, in words; or NULL */
	struct tp_chart_row rows[TP_CHART_ROWS];
	size_t row_count, rows_left;	/* drawn; and not drawn */
	size_t idle_rows;		/* lanes left out because */
	int64_t least_busy;		/* they are busy for less than this */
	const char *shared;		/* prefix common to all names: "all: GPU
					 * 0"; or "" */
	struct tp_names names;		/* of all lanes; rows come first */
	struct tp_groups kinds;
	int has_kinds;			/* the picture says which */
	struct tp_chart_path path;
	struct tp_chart_panel panels[TP_CHART_PANELS];
	size_t panel_count;		/* 0: no panels */
	struct tp_chart_band *bands;
	size_t band_count, band_cap;
	const char *band_word;		/* before their names: "step " */
	const char *band_label;		/* label of their own row; NULL: they
					 * span the lanes */
	struct tp_chart_gap gaps[TP_CHART_GAPS];
	size_t gap_count;
	const char *gaps_of;		/* "of 2 s idle in 10 gaps"; or "" */
	struct tp_chart_level levels[TP_CHART_LEVELS];
	size_t level_count;
	struct tp_names panels_left, levels_left;	/* not drawn */
};

TP_DRAW_HEAD(chart);

void tp_chart_svg(const struct tp_chart *c, struct tp_drawing *d);
/* Draw as text, COLUMNS wide, in block characters or in ASCII. */
void tp_chart_text(const struct tp_chart *c, size_t columns, int ascii,
    struct tp_buf *b);

/* How busy a lane was in a part of the axis, 0 to 1: in all, and by kind. */
struct tp_chart_cell {
	double share, of[TP_CHART_KINDS];
};
/* Divide the axis into COUNT equal parts, which CELLS gets of COUNT RUNS. */
void tp_chart_spread(const struct tp_chart *c, const struct tp_chart_run *runs,
    size_t run_count, struct tp_chart_cell *cells, size_t count);
/* The kind with most of CELL. */
size_t tp_chart_most(const struct tp_chart_cell *cell);
/* Whether the path is in SIDE at any time. */
int tp_chart_has_side(const struct tp_chart *c, size_t side);
/* What kind number KIND is called. */
const char *tp_chart_kind(const struct tp_chart *c, size_t kind);
/* "before: jax, 55.3 ms". */
void tp_chart_panel_words(const struct tp_chart_panel *panel,
    struct tp_buf *b);
/* Whether row I is the first of a panel. */
int tp_chart_begins(const struct tp_chart *c, size_t i);
/* "422 ms at 2.35 s: waiting for the CPU". */
void tp_chart_gap_words(const struct tp_chart_gap *gap, struct tp_buf *b);
/*
 * Line N (0 to gap_count) of the list of gaps: first their total length, then
 * one line per gap: "1: 422 ms at 2.35 s: waiting for the CPU".
 */
void tp_chart_gap_line(const struct tp_chart *c, size_t n, struct tp_buf *b);
/* What is drawn, MEANING, which explains the lanes, and what is not drawn. */
void tp_chart_rest(const struct tp_chart *c, const char *meaning,
    struct tp_buf *b);

#endif
