/*
 * picture - the types of pictures
 *
 * A type reads records into a struct of its own, and fills a scene with it.
 */
#ifndef TP_DRAW_PICTURE_H
#define TP_DRAW_PICTURE_H

#include "draw/scene.h"
#include "draw/words.h"

struct tp_picture_type {
	const char *name;	/* value of the key "draws" */
	size_t size;		/* of P, which is zeroed at first */
	/* Read records into P.  Returns whether there is anything to draw. */
	int (*read)(void *p, struct tp_words *w);
	/*
	 * Append what P shows, for readers who cannot see it, to B, which has
	 * the text of the picture, if any.  May be NULL.
	 */
	void (*say)(const void *p, struct tp_buf *b);
	void (*fill)(void *p, struct tp_scene *s);
	/* Free what P holds besides texts.  May be NULL. */
	void (*release)(void *p);
};

extern const struct tp_picture_type tp_changes, tp_chart, tp_columns, tp_flame,
    tp_grid, tp_scatter, tp_stack, tp_strip, tp_waterfall;

#endif
