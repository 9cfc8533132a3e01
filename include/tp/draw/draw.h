/*
 * draw - pictures of records
 *
 * A picture is data, share/pictures/NAME.json: which records it shows, what
 * they are called (templates, tp/show/template.h), and how it is drawn:
 *
 *	"draws": "chart"	lanes, steps, gaps and levels over time
 *	"draws": "columns"	steps, runs or ranks, by what their time
 *				went to
 *	"draws": "changes"	times before and after, by how much they changed
 *	"draws": "flame"	a tree, by what each of its branches took
 *	"draws": "grid"		ranks by steps, how far each is off the median
 *	"draws": "strip"	how a value went from run to run, in a line
 *	"draws": "bars"		what most time went into, largest first
 *	"draws": "scatter"	operations under the roofs of a chip
 *
 * It comes as SVG, or as lines of block characters for a terminal.
 *
 * An SVG stands alone and can be put inside a page: it has a title and a
 * description that says the numbers, colours are presentation attributes, text
 * and axes take the colour of the text around them, and it holds no script, no
 * link and no font.  Coordinates are whole tenths of a pixel, so that the same
 * records give the same bytes everywhere.
 *
 * Memory: the records' share in the picture, a few dozen bytes each, and the
 * picture, whose size is bounded by its width and height in pixels.
 */
#ifndef TP_DRAW_DRAW_H
#define TP_DRAW_DRAW_H

#include <tp/buf.h>
#include <tp/err.h>
#include <tp/records.h>

struct cJSON;

enum tp_draw_form {
	TP_DRAW_SVG,
	TP_DRAW_BLOCKS,		/* lines of text, in UTF-8 */
	TP_DRAW_ASCII,		/* the same without block characters */
};

/* A zeroed struct is empty.  Release with tp_drawing_release(). */
struct tp_drawing {
	struct tp_buf picture;
	struct tp_buf title;	/* a few words, plain text */
	struct tp_buf text;	/* what is to be seen, with numbers; may be
				 * empty */
};

/*
 * Draw PICTURE, a parsed share/pictures/NAME.json, from SET into D: in text of
 * at most COLUMNS columns (at least 40; SVG: not used).  1, or 0 when SET has
 * nothing for it, or -1 with ERR set (TP_BAD "picture.damaged", TP_LIMIT).
 */
int tp_draw(const struct cJSON *picture, const struct tp_set *set,
    enum tp_draw_form form, size_t columns, struct tp_drawing *d,
    struct tp_err *err);
void tp_drawing_release(struct tp_drawing *d);

#endif
