/*
 * blocks - pictures made of characters
 *
 * Block characters are filled in eighths; ASCII uses four characters of
 * growing weight instead.
 */
#ifndef TP_DRAW_BLOCKS_H
#define TP_DRAW_BLOCKS_H

#include <stddef.h>

#include <tp/buf.h>

#include "draw/scene.h"

struct tp_blocks {
	const char *heights[9];	/* empty, one eighth .. full */
	const char *idle;	/* empty, where something could be */
	const char *dots;	/* replaces text that was cut */
	const char *signs[TP_SIGN_COUNT];
};

const struct tp_blocks *tp_blocks(int ascii);
/*
 * Append SHARE (0..1) of a lane as a character: anything above 0 is visible,
 * and only 1 looks full.
 */
void tp_blocks_height(struct tp_buf *buf, const struct tp_blocks *blocks,
    double share);
/*
 * Append the character of an area of which PART is filled; 0 or less is
 * empty, 1 or more full.
 */
void tp_blocks_area(struct tp_buf *buf, const struct tp_blocks *blocks,
    double part);
void tp_blocks_pad(struct tp_buf *buf, size_t columns);
/* TEXT in exactly COLUMNS, cut in the middle or padded. */
void tp_blocks_cell(struct tp_buf *buf, const struct tp_blocks *blocks,
    const char *text, size_t columns);
/* End a line and remove blanks at its end. */
void tp_blocks_end(struct tp_buf *buf);

/*
 * Append TEXT, wrapped to COLUMNS, and empty it; with a word wider than
 * that, as one cut line.
 */
void tp_blocks_words(struct tp_buf *buf, struct tp_buf *text, size_t columns);

#endif
