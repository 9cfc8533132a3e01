/* draw - pictures of records, as share/pictures says */
#include <string.h>

#include <tp/draw/draw.h>
#include <tp/json.h>

#include "draw/chart.h"
#include "draw/columns.h"

/* What a kind of picture is made by. */
struct way {
	const char *name;	/* "draws" */
	int (*make)(const struct cJSON *picture, const struct tp_set *set,
	    enum tp_draw_form form, size_t columns, struct tp_drawing *d,
	    struct tp_err *err);
};

static int
draw_chart(const struct cJSON *picture, const struct tp_set *set,
    enum tp_draw_form form, size_t columns, struct tp_drawing *d,
    struct tp_err *err)
{
	struct tp_chart c;
	int rc = tp_chart_make(&c, picture, set, err);

	if (rc > 0) {
		tp_buf_str(&d->title, c.title);
		if (*c.text)
			tp_buf_str(&d->text, c.text);
		else
			tp_chart_words(&c, &d->text);
		if (form == TP_DRAW_SVG)
			tp_chart_svg(&c, &d->picture);
		else
			tp_chart_text(&c, columns, form == TP_DRAW_ASCII,
			    &d->picture);
	}
	tp_chart_release(&c);
	return rc;
}

static int
draw_columns(const struct cJSON *picture, const struct tp_set *set,
    enum tp_draw_form form, size_t columns, struct tp_drawing *d,
    struct tp_err *err)
{
	struct tp_columns c;
	int rc = tp_columns_make(&c, picture, set, err);

	if (rc > 0) {
		tp_buf_str(&d->title, c.title);
		if (*c.text)
			tp_buf_str(&d->text, c.text);
		else
			tp_columns_words(&c, &c.panels[0], &d->text);
		if (form == TP_DRAW_SVG)
			tp_columns_svg(&c, &d->picture);
		else
			tp_columns_text(&c, columns, form == TP_DRAW_ASCII,
			    &d->picture);
	}
	tp_columns_release(&c);
	return rc;
}

static const struct way ways[] = {
	{ "chart", draw_chart },
	{ "columns", draw_columns },
};

int
tp_draw(const struct cJSON *picture, const struct tp_set *set,
    enum tp_draw_form form, size_t columns, struct tp_drawing *d,
    struct tp_err *err)
{
	const char *draws = tp_json_text(picture, "draws");
	int rc;

	for (size_t i = 0; draws && i < sizeof ways / sizeof *ways; i++) {
		if (strcmp(ways[i].name, draws) != 0)
			continue;
		rc = ways[i].make(picture, set, form, columns, d, err);
		return rc > 0 && (d->picture.failed || d->title.failed ||
		    d->text.failed) ? tp_fail_memory(err) : rc;
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
