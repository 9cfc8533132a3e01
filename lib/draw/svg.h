/*
 * svg - the elements that pictures are made of
 *
 * Coordinates and sizes are in tenths of a pixel.  Everything is appended to
 * a buffer.  Text is shown as on a terminal (tp_show_text) and escaped, so
 * no name can break out of its element.
 */
#ifndef TP_DRAW_SVG_H
#define TP_DRAW_SVG_H

#include <tp/buf.h>
#include <tp/draw/draw.h>

/*
 * Colours that colour-blind people can tell apart (Paul Tol's "bright"): by
 * the name used in share/pictures, or by number, repeating.
 */
const char *tp_svg_colour(const char *name);
const char *tp_svg_nth_colour(size_t n);

/*
 * Begin a scene of WIDTH x HEIGHT, which a page gives any width, with the
 * title and description of D.
 */
void tp_svg_begin(struct tp_buf *b, int width, int height,
    const struct tp_drawing *d);
/*
 * End it.  HAS_FORMS: there are groups of the classes "long" and "short", one
 * of which is shown, by the width.
 */
void tp_svg_end(struct tp_buf *b, int has_forms);

/* N tenths as a decimal: "12", "12.5". */
void tp_svg_number(struct tp_buf *b, int n);
/* ` NAME="N"`. */
void tp_svg_attribute(struct tp_buf *b, const char *name, int n);
/* WORDS, cut in the middle to MOST columns.  Returns whether they are cut. */
int tp_svg_words(struct tp_buf *b, const char *words, size_t most);
/* "<title>TEXT</title>", cut if it is very long. */
void tp_svg_title(struct tp_buf *b, const char *text);

/* Hatch a rectangle at (0, 0), so that it differs without relying on colour. */
void tp_svg_hatch(struct tp_buf *b, int width, int height);

#endif
