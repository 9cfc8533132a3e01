/* draw - draw pictures of records as share/pictures specifies */
#include <string.h>

#include <tp/draw/draw.h>
#include <tp/json.h>

#include "draw/picture.h"

static const struct tp_picture_type *const types[] = { &tp_changes, &tp_chart,
    &tp_columns, &tp_flame, &tp_grid, &tp_scatter, &tp_stack, &tp_strip,
    &tp_waterfall };

static int
draw(const struct tp_picture_type *type, struct tp_words *w,
    enum tp_draw_form form, size_t columns, struct tp_drawing *d)
{
	void *p = tp_zalloc(type->size);
	int any = type->read(p, w) && !w->failed;
	struct tp_scene s;

	if (any) {
		if (type->say)
			type->say(p, &d->text);
		tp_scene_begin(&s, form, columns);
		type->fill(p, &s);
		tp_scene_end(&s, d);
	}
	if (type->release)
		type->release(p);
	tp_free(p);
	return any;
}

int
tp_draw(const struct cJSON *picture, const struct tp_set *set,
    enum tp_draw_form form, size_t columns, struct tp_drawing *d,
    struct tp_err *err)
{
	struct tp_words w = { .picture = picture, .set = set, .err = err };
	const char *draws = tp_json_text(picture, "draws");
	size_t i = 0;
	int any;

	while (draws && i < sizeof types / sizeof *types &&
	    strcmp(types[i]->name, draws) != 0)
		i++;
	if (!draws || i == sizeof types / sizeof *types)
		return tp_fail(err, TP_BAD, "picture.damaged", 0,
		    "nothing draws '%.40s'", draws ? draws : "");
	if (tp_words_line(&d->title, picture, "title", set, NULL, err) < 0 ||
	    tp_words_line(&d->text, picture, "text", set, NULL, err) < 0)
		return -1;
	any = draw(types[i], &w, form, columns, d);
	tp_names_release(&w.traces);
	tp_arena_release(&w.arena);
	return w.failed ? -1 : any;
}

void
tp_drawing_release(struct tp_drawing *d)
{
	tp_buf_release(&d->picture);
	tp_buf_release(&d->title);
	tp_buf_release(&d->text);
}
