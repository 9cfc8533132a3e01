/*
 * blocks - pictures in characters
 *
 * A character is an eighth to a whole block high; in ASCII four signs of
 * growing weight stand for that.
 */
#ifndef TP_DRAW_BLOCKS_H
#define TP_DRAW_BLOCKS_H

#include <stddef.h>

#include <tp/buf.h>

struct tp_blocks {
	const char *heights[9];	/* nothing, an eighth .. all of a character */
	const char *idle;	/* nothing, where something could be */
	const char *dots;	/* for what was cut out */
};

const struct tp_blocks *tp_blocks(int ascii);
/* SHARE (0..1) of a lane: any at all is seen, and only all is full. */
void tp_blocks_height(struct tp_buf *buf, const struct tp_blocks *blocks,
    double share);
/* The part of an area that is in this character: below 0 none, 1 or more
 * all. */
void tp_blocks_area(struct tp_buf *buf, const struct tp_blocks *blocks,
    double part);
void tp_blocks_pad(struct tp_buf *buf, size_t columns);
/* TEXT in exactly COLUMNS, cut in the middle or padded. */
void tp_blocks_cell(struct tp_buf *buf, const struct tp_blocks *blocks,
    const char *text, size_t columns);
/* The same of a NAME, and a blank. */
void tp_blocks_name(struct tp_buf *buf, const struct tp_blocks *blocks,
    const char *name, size_t columns);
/* TEXT at the right end of WIDTH columns; a wider one is whole. */
void tp_blocks_right(struct tp_buf *buf, const struct tp_buf *text,
    size_t width);
/* End a line, which keeps no blanks there. */
void tp_blocks_end(struct tp_buf *buf);

/* Texts at places of a line, from left to right. */
struct tp_blocks_marks {
	char *line;
	size_t room, free;	/* its columns, and the first without one */
};

/* TEXT, in ASCII; one that would cover another is left out. */
void tp_blocks_mark(struct tp_blocks_marks *marks, size_t at,
    const char *text);
/* TEXT, which is empty then, in lines of COLUMNS: cut to one where a word is
 * wider. */
void tp_blocks_words(struct tp_buf *buf, struct tp_buf *text, size_t columns);

#endif
