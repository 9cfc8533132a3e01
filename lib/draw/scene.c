/* scene - a picture as rows of marks, for pages and for terminals */
#include <string.h>

#include <tp/unit.h>

#include "draw/scale.h"
#include "draw/scene.h"

enum { CELLS = 120, SIDE = 12 };	/* cells of an SVG; columns of text
					 * beside a plot */

void
tp_scene_begin(struct tp_scene *s, enum tp_draw_form form, size_t columns)
{
	memset(s, 0, sizeof *s);
	s->form = form;
	s->columns = columns;
	s->names = 1.0 / 3;
	s->cells = form == TP_DRAW_SVG ? CELLS : columns - SIDE;
}

void
tp_scene_end(struct tp_scene *s, struct tp_drawing *d)
{
	if (s->form == TP_DRAW_SVG)
		tp_scene_svg(s, d);
	else
		tp_scene_lines(s, &d->picture);
	for (size_t i = 0; i < s->count; i++)
		tp_free(s->rows[i].marks);
	tp_free(s->rows);
	tp_free(s->spans);
	tp_buf_release(&s->text);
	tp_arena_release(&s->arena);
}

struct tp_scene_row *
tp_scene_row(struct tp_scene *s, enum tp_scene_kind kind, const char *name)
{
	struct tp_scene_row *row = TP_PUSH(s->rows, s->count, s->cap);

	*row = (struct tp_scene_row){ .kind = kind, .name = name };
	return row;
}

struct tp_mark *
tp_scene_mark(struct tp_scene *s, double x, double to)
{
	return tp_scene_mark_in(s, s->count - 1, x, to);
}

struct tp_mark *
tp_scene_mark_in(struct tp_scene *s, size_t at, double x, double to)
{
	struct tp_scene_row *row = &s->rows[at];
	struct tp_mark *m = TP_PUSH(row->marks, row->count, row->cap);

	*m = (struct tp_mark){ .sign = TP_SIGN_FILL, .x = x, .to = to,
	    .high = 1, .percent = 100 };
	return m;
}

struct tp_mark *
tp_scene_text(struct tp_scene *s, double x, double y, int anchor,
    const char *text)
{
	struct tp_mark *m = tp_scene_mark(s, x, x);

	m->shape = TP_SHAPE_TEXT;
	m->low = m->high = y;
	m->anchor = anchor;
	m->text = text;
	return m;
}

struct tp_mark *
tp_scene_line(struct tp_scene *s, double x, double low, double to, double high)
{
	struct tp_mark *m = tp_scene_mark(s, x, to);

	m->shape = TP_SHAPE_LINE;
	m->sign = TP_SIGN_NONE;
	m->low = low;
	m->high = high;
	return m;
}

struct tp_mark *
tp_scene_span(struct tp_scene *s, size_t first, size_t last, double x,
    double to)
{
	struct tp_span *span = TP_PUSH(s->spans, s->span_count, s->span_cap);

	*span = (struct tp_span){ .first = first, .last = last, .mark = {
	    .x = x, .to = to, .high = 1, .percent = 100 } };
	return &span->mark;
}

const char *
tp_scene_keep(struct tp_scene *s)
{
	const char *text = tp_arena_text(&s->arena, s->text.p ? s->text.p : "",
	    s->text.len);

	tp_buf_clear(&s->text);
	return text;
}

const char *
tp_scene_number(struct tp_scene *s, const char *key, int64_t n)
{
	tp_scale_number(&s->text, key, n);
	return tp_scene_keep(s);
}

const char *
tp_scene_ns(struct tp_scene *s, int64_t ns)
{
	tp_unit_ns(&s->text, ns);
	return tp_scene_keep(s);
}

const char *
tp_scene_share(struct tp_scene *s, double share)
{
	tp_unit_percent(&s->text, share);
	return tp_scene_keep(s);
}

void
tp_scene_words(struct tp_scene *s)
{
	if (s->text.len)
		tp_scene_row(s, TP_WORDS, tp_scene_keep(s));
}

void
tp_scene_say(struct tp_scene *s, const char *text)
{
	tp_buf_str(&s->text, text);
	tp_scene_words(s);
}

void
tp_scene_left(struct tp_scene *s, size_t n, const char *what)
{
	if (n)
		tp_buf_fmt(&s->text, "Not drawn: %zu more%s%s%s", n, *what ?
		    " " : "", what, *what && n != 1 ? "s" : "");
	tp_scene_words(s);
}
