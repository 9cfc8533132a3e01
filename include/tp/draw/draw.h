/*
 * draw - pictures of records
 *
 * A picture is data, share/pictures/NAME.json: which records it shows, their
 * labels (templates, tp/show/template.h), and how it is drawn:
 *
 *	"draws": "chart"	lanes, steps, gaps and levels over time
 *	"draws": "columns"	steps, runs or ranks, stacked by where their
 *				time went
 *	"draws": "changes"	times before and after, sorted by change
 *	"draws": "flame"	a call tree, branches as wide as their time
 *	"draws": "grid"		ranks by steps, coloured by distance from the
 *				median
 *	"draws": "strip"	a value from run to run, as one line
 *	"draws": "stack"	the parts of a whole, as one bar
 *	"draws": "waterfall"	the parts of a change, from before to after
 *	"draws": "scatter"	operations under the roofline of a chip
 *
 * Output is SVG, or lines of block characters for a terminal.
 *
 * An SVG stands alone and can also be embedded in a page: it has a title and
 * a description that states the numbers, colours are presentation
 * attributes, text and axes take the colour of the surrounding text, and it
 * holds no script, link or font.  Coordinates are whole tenths of a pixel,
 * so equal records give equal bytes on every machine.
 *
 * Memory: a few dozen bytes per record shown, and the picture, whose size is
 * bounded by its width and height in pixels.
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
	struct tp_buf text;	/* what the picture shows, with numbers; may be
				 * empty */
};

/*
 * Draw PICTURE, a parsed share/pictures/NAME.json, from the records of SET
 * into D.  Text has at most COLUMNS columns (at least 40; ignored for SVG).
 * 1; 0 when SET has no records for it; -1 with ERR (TP_BAD
 * "picture.damaged", TP_LIMIT).
 */
int tp_draw(const struct cJSON *picture, const struct tp_set *set,
    enum tp_draw_form form, size_t columns, struct tp_drawing *d,
    struct tp_err *err);
void tp_drawing_release(struct tp_drawing *d);

#endif
