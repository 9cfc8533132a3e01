/*
 * svg - the elements that pictures are made of
 *
 * Coordinates and sizes are in tenths of a pixel.  Everything is appended to
 * a buffer, whose errors stick.  Text is shown as a terminal would show it
 * (tp_show_text) and escaped, so that no name can leave its element.
 */
#ifndef TP_DRAW_SVG_H
#define TP_DRAW_SVG_H

#include <stdint.h>

#include <tp/buf.h>
#include <tp/draw/draw.h>

#define TP_SVG_WIDTH 9000	/* of every picture that fills a page */
#define TP_SVG_FONT 110		/* height of its letters */
#define TP_SVG_MARKS 400	/* marks with a title of their own, at most */
#define TP_SVG_TITLE 400	/* columns of one, at most */

/* Colours that people with any kind of sight tell apart (Paul Tol's "bright"):
 * by name as share/pictures has them, else by number, in turn. */
const char *tp_svg_colour(const char *name);
const char *tp_svg_nth_colour(size_t n);

enum tp_svg_anchor { TP_SVG_START, TP_SVG_MIDDLE, TP_SVG_END };

/* WIDTH x HEIGHT, with the title and the text of D. */
void tp_svg_begin(struct tp_buf *b, int width, int height,
    const struct tp_drawing *d);
void tp_svg_end(struct tp_buf *b);

/* N tenths as a number: "12", "12.5". */
void tp_svg_number(struct tp_buf *b, int n);
/* ` NAME="N"`. */
void tp_svg_attribute(struct tp_buf *b, const char *name, int n);
/* What was written into TEXT: "" when nothing was, or memory ran out. */
const char *tp_svg_words(const struct tp_buf *text);
/* "<title>TEXT</title>", cut in the middle to TP_SVG_TITLE columns. */
void tp_svg_title(struct tp_buf *b, const char *text);

/* WORDS at (X, Y), the foot of its letters, cut in the middle to ROOM (0:
 * whole), with the whole of it as title then. */
void tp_svg_text(struct tp_buf *b, int x, int y, enum tp_svg_anchor anchor,
    int room, const char *words);
/* How wide WORDS probably are. */
int tp_svg_text_width(const char *words);

/* A rectangle of COLOUR, as solid as PERCENT; TITLE may be NULL. */
void tp_svg_rect(struct tp_buf *b, int x, int y, int width, int height,
    const char *colour, int percent, const char *title);
/* Begin a group, which "</g>" ends, whose rectangles of currentColor and 100
 * percent are of COLOUR and PERCENT. */
void tp_svg_group(struct tp_buf *b, const char *colour, int percent);
/* A line of the text's colour, as solid as PERCENT; with DASH, broken. */
void tp_svg_line(struct tp_buf *b, int x1, int y1, int x2, int y2,
    int percent, int dash);
/* Lines across a rectangle, so that it is told apart without its colour. */
void tp_svg_hatch(struct tp_buf *b, int x, int y, int width, int height);

/*
 * Bars on one base line as one path: begin, a bar for each from left to
 * right, end.  Bars that touch share an outline.
 */
struct tp_svg_bars {
	struct tp_buf *buf;
	int base;		/* y of the line they stand on */
	int any, from, x, top;	/* the last: where it begins and ends */
};

void tp_svg_bars_begin(struct tp_svg_bars *bars, struct tp_buf *b, int base,
    const char *colour);
/* From X to TO, HEIGHT high. */
void tp_svg_bar(struct tp_svg_bars *bars, int x, int to, int height);
void tp_svg_bars_end(struct tp_svg_bars *bars, const char *title);

#endif
