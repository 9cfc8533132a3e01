/*
 * picture - the function of one type of picture, tp_NAME_draw()
 *
 * It appends the picture to D, whose title and text are those of PICTURE,
 * and sets the text if PICTURE has none; it returns as tp_draw() does.
 */
#ifndef TP_DRAW_PICTURE_H
#define TP_DRAW_PICTURE_H

#include <tp/draw/draw.h>

#include "draw/scene.h"

#define TP_DRAW_HEAD(name) \
int \
tp_##name##_draw(const struct cJSON *picture, const struct tp_set *set, \
    enum tp_draw_form form, size_t columns, struct tp_drawing *d, \
    struct tp_err *err)

TP_DRAW_HEAD(changes);
TP_DRAW_HEAD(chart);
TP_DRAW_HEAD(columns);
TP_DRAW_HEAD(flame);
TP_DRAW_HEAD(grid);
TP_DRAW_HEAD(scatter);
TP_DRAW_HEAD(stack);
TP_DRAW_HEAD(strip);
TP_DRAW_HEAD(waterfall);

/*
 * The function of a picture that make() reads from the records into C, fill()
 * puts into a scene, and release_NAME() releases.  SAY, a call, appends its
 * text to D->text.
 */
#define TP_DRAW(name, say) \
TP_DRAW_HEAD(name) \
{ \
	struct tp_##name c; \
	struct tp_scene s; \
	int rc = make(&c, picture, set, err); \
\
	if (rc > 0) { \
		if (!d->text.len) \
			say; \
		tp_scene_begin(&s, form, columns); \
		fill(&c, &s); \
		tp_scene_end(&s, d); \
	} \
	release_##name(&c); \
	return rc; \
}

#endif
