/*
 * scene - a picture as rows of marks, for pages and for terminals
 *
 * A type of picture fills a scene once; scene_svg.c and scene_text.c draw it.
 * Rows follow each other from top to bottom and share one x axis, from 0 to 1.
 * In SVG, x is a percentage: a page shows a picture at any width, with letters
 * of one size.  In text, x is a column.
 *
 * Memory: about 90 bytes per mark, and the texts.
 */
#ifndef TP_DRAW_SCENE_H
#define TP_DRAW_SCENE_H

#include <stddef.h>

#include <tp/alloc.h>
#include <tp/draw/draw.h>

#define TP_SCENE_VALUES 3	/* columns after a name */
#define TP_SCENE_FILLS 10	/* of parts that differ */
#define TP_SCENE_SHADES 7

/* The character of a mark; those from DOT on are shapes in SVG, too. */
enum tp_sign {
	TP_SIGN_NONE,		/* none: SVG only */
	TP_SIGN_AREA,		/* by the part of the cell that it covers */
	TP_SIGN_UNKNOWN, TP_SIGN_MORE, TP_SIGN_LESS,
	TP_SIGN_LINE, TP_SIGN_THIN, TP_SIGN_ZERO, TP_SIGN_SLOPE,
	TP_SIGN_DOT, TP_SIGN_RING, TP_SIGN_CROSS, TP_SIGN_LEFT, TP_SIGN_RIGHT,
	TP_SIGN_FILL,		/* the first of FILLS; a full block */
	TP_SIGN_SHADE = TP_SIGN_FILL + TP_SCENE_FILLS,	/* of SHADES */
	TP_SIGN_COUNT = TP_SIGN_SHADE + TP_SCENE_SHADES
};

enum tp_shape { TP_SHAPE_RECT, TP_SHAPE_LINE, TP_SHAPE_POINT, TP_SHAPE_TEXT };

struct tp_mark {
	enum tp_shape shape;
	enum tp_sign sign;
	double x, to;		/* 0 to 1 */
	double low, high;	/* 0: foot of the row, 1: its top */
	const char *colour;	/* NULL: that of text */
	int percent;		/* of opacity */
	int hatched, dashed;
	int size;		/* of a point: tenths of a pixel */
	int anchor;		/* of text: -1 begins, 0 middle, 1 ends at x;
				 * x < 0: a label left of the plot */
	const char *text, *title;	/* may be NULL; the text of an area is
					 * its letter in lines of text */
};

enum tp_scene_kind {
	TP_ROW,			/* name and values, and a plot if it has height
				 * or marks */
	TP_WORDS,		/* the name is a sentence */
	TP_AXIS,		/* ticks: marks with text */
	TP_NAMES,		/* of columns above: marks with text */
	TP_LEGEND,		/* marks with text */
};

struct tp_scene_row {
	enum tp_scene_kind kind;
	const char *name, *values[TP_SCENE_VALUES];	/* may be NULL */
	const char *note;	/* where colours cannot tell; may be NULL */
	const char *title;	/* of all marks without one; may be NULL */
	int height;		/* of the plot in pixels; 0: of one line */
	int lines;		/* of the plot in text; 0: one */
	double track;		/* the plot's ground shows up to here */
	int is_tight;		/* close to the next row; of an axis: labels are
				 * cut where the next begins */
	int is_key;		/* the first mark is a sample before the name */
	struct tp_mark *marks;
	size_t count, cap;
	int y, top;		/* of its plot in the SVG */
};

/* What goes through rows, such as a step, behind their marks; or a line. */
struct tp_span {
	size_t first, last;	/* rows */
	struct tp_mark mark;
};

struct tp_scene {
	enum tp_draw_form form;
	size_t columns;		/* of a text */
	size_t cells;		/* how many columns a plot can tell apart */
	double left;		/* part of the width for names beside the
				 * plots; 0: above them */
	double names;		/* of a text: most of the width for them */
	struct tp_arena arena;
	struct tp_buf text;	/* written for tp_scene_keep(), which empties
				 * it */
	struct tp_scene_row *rows;
	size_t count, cap;
	struct tp_span *spans;
	size_t span_count, span_cap;
};

/* Begin a scene for FORM; COLUMNS wide as text. */
void tp_scene_begin(struct tp_scene *s, enum tp_draw_form form,
    size_t columns);
/* Draw S into D, and release it. */
void tp_scene_end(struct tp_scene *s, struct tp_drawing *d);

/* Add a row; valid until the next one. */
struct tp_scene_row *tp_scene_row(struct tp_scene *s, enum tp_scene_kind kind,
    const char *name);
/* Add a full mark from X to TO to the last row; valid until the next one. */
struct tp_mark *tp_scene_mark(struct tp_scene *s, double x, double to);
/* As tp_scene_mark(), to row ROW. */
struct tp_mark *tp_scene_mark_in(struct tp_scene *s, size_t row, double x,
    double to);
/* Add TEXT at (X, Y), anchored as struct tp_mark says. */
struct tp_mark *tp_scene_text(struct tp_scene *s, double x, double y,
    int anchor, const char *text);
struct tp_mark *tp_scene_line(struct tp_scene *s, double x, double low,
    double to, double high);
/* Add a span behind rows FIRST to LAST. */
struct tp_mark *tp_scene_span(struct tp_scene *s, size_t first, size_t last,
    double x, double to);
/* What was written to S->text, kept as long as S. */
const char *tp_scene_keep(struct tp_scene *s);
/* N, NS nanoseconds or SHARE of a whole as text; KEY gives the unit of N. */
const char *tp_scene_number(struct tp_scene *s, const char *key, int64_t n);
const char *tp_scene_ns(struct tp_scene *s, int64_t ns);
const char *tp_scene_share(struct tp_scene *s, double share);
/* Add what was written to S->text, if anything, as a row of words. */
void tp_scene_words(struct tp_scene *s);
/* Add the words TEXT, if any, as a row. */
void tp_scene_say(struct tp_scene *s, const char *text);
/* Add a row that says how many more of WHAT are not drawn, unless N is 0. */
void tp_scene_left(struct tp_scene *s, size_t n, const char *what);

void tp_scene_svg(struct tp_scene *s, struct tp_drawing *d);
void tp_scene_lines(const struct tp_scene *s, struct tp_buf *b);

#endif
