/* draw - draw pictures of records as share/pictures specifies */
#include <string.h>

#include <tp/draw/draw.h>
#include <tp/json.h>

#include "draw/picture.h"
#include "draw/words.h"

static const struct picture_type {
	const char *name;	/* value of the key "draws" */
	int (*draw)(const struct cJSON *picture, const struct tp_set *set,
	    enum tp_draw_form form, size_t columns, struct tp_drawing *d,
	    struct tp_err *err);
} picture_types[] = {
	{ "changes", tp_changes_draw },
	{ "chart", tp_chart_draw },
	{ "columns", tp_columns_draw },
	{ "flame", tp_flame_draw },
	{ "grid", tp_grid_draw },
	{ "scatter", tp_scatter_draw },
	{ "stack", tp_stack_draw },
	{ "strip", tp_strip_draw },
	{ "waterfall", tp_waterfall_draw },
};

int
tp_draw(const struct cJSON *picture, const struct tp_set *set,
    enum tp_draw_form form, size_t columns, struct tp_drawing *d,
    struct tp_err *err)
{
	const char *draws = tp_json_text(picture, "draws");

	for (size_t i = 0; draws && i < sizeof picture_types /
	    sizeof *picture_types; i++) {
		if (strcmp(picture_types[i].name, draws) != 0)
			continue;
		if (tp_words_line(&d->title, picture, "title", set, NULL,
		    err) < 0 || tp_words_line(&d->text, picture, "text", set,
		    NULL, err) < 0)
			return -1;
		return picture_types[i].draw(picture, set, form, columns, d,
		    err);
	}
	return tp_fail(err, TP_BAD, "picture.damaged", 0,
	    "nothing draws '%.40s'", draws ? draws : "");
}

void
tp_drawing_release(struct tp_drawing *d)
{
	tp_buf_release(&d->picture);
	tp_buf_release(&d->title);
	tp_buf_release(&d->text);
}
