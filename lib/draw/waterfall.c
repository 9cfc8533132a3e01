/*
 * waterfall - how the parts of a whole lead from before to after
 *
 * A bar for the whole before, a step for each part, a bar for the whole after.
 * The steps add up to the change: those below 1 % of what the steps span, and
 * what no record has, are one step.  Each trace is a panel.
 *
 * Memory: 60 bytes per part, and names.
 */
#include <cjson/cJSON.h>
#include <stdlib.h>

#include <tp/json.h>
#include <tp/order.h>

#include "draw/picture.h"
#include "draw/scale.h"
#include "draw/svg.h"

/* LEAST: 1/N of what the steps span.  ZOOM: the axis begins at 0 unless the
 * steps are within 1/N of the whole. */
enum { PANELS = 4, STEPS = 12, SAID = 3, LEAST = 100, ZOOM = 2, HEIGHT = 8 };

struct step {
	const char *name;
	const char *sides;	/* "190 ms to 200 ms"; may be "" */
	int64_t change;
};

struct fall {
	const char *src;
	const char *name;	/* the whole and its change, in words */
	struct step *steps;	/* largest first; once folded, the rest last */
	size_t count, cap;
	int64_t before, after, low, high;
};

struct waterfall {
	struct fall falls[PANELS];
	size_t count, left;	/* left: wholes not drawn */
	const char *key;	/* of the whole, gives the unit */
	const char *before, *after, *rest;	/* words for them */
	const char *more, *less;	/* colours */
};

static void
read_wholes(struct waterfall *c, struct tp_words *w, const cJSON *whole)
{
	tp_words_begin(w, whole);
	c->before = tp_words(w, "before-name");
	c->after = tp_words(w, "after-name");
	while (tp_words_next(w)) {
		int64_t before = tp_words_amount(w, "before");
		int64_t after = tp_words_amount(w, "after");
		struct fall *f;
		size_t at;

		if (before <= 0 || after <= 0 ||
		    (at = tp_words_panel(w)) >= PANELS)
			continue;
		f = &c->falls[at];
		f->src = w->rec->src;
		f->before = before;
		f->after = after;
		f->name = tp_words(w, "name");
	}
	c->left = tp_words_left(&w->traces, PANELS);
}

TP_ORDER(by_change, struct step, TP_BY((llabs(b->change) > llabs(a->change)) -
    (llabs(b->change) < llabs(a->change))))

static void
reach(struct fall *f, int64_t level)
{
	TP_LEAST(f->low, level);
	TP_MOST(f->high, level);
}

/* Set the axis to all levels, and fold the small steps and what is left. */
static void
fold(struct fall *f, const char *name)
{
	struct step rest = { .name = name, .sides = "" };
	int64_t level = f->before, span;
	size_t kept = 0;

	if (f->count)
		TP_SORT(f->steps, f->count, by_change);
	f->low = f->high = level;
	reach(f, f->after);
	for (size_t i = 0; i < f->count; i++)
		reach(f, level += f->steps[i].change);
	span = f->high - f->low;
	while (kept < f->count && kept < STEPS && llabs(f->steps[kept].
	    change) >= span / LEAST && f->steps[kept].change)
		kept++;
	f->count = kept;
	rest.change = f->after - f->before;
	f->low = f->high = level = f->before;
	for (size_t i = 0; i < kept; i++) {
		rest.change -= f->steps[i].change;
		reach(f, level += f->steps[i].change);
	}
	reach(f, f->after);
	if (rest.change)
		TP_APPEND(f->steps, f->count, f->cap, rest);
	/* room before the lowest level, so that no bar is empty */
	span = f->high - f->low;
	if (span < f->high / ZOOM && f->low > span / 2)
		f->low -= span / 2;
	else
		TP_LEAST(f->low, 0);
}

static int
read_steps(void *picture, struct tp_words *w)
{
	struct waterfall *c = picture;
	const cJSON *spec;
	const char *change;
	size_t i;

	if (!tp_words_first(w, "from"))
		return 0;
	spec = w->spec;
	change = tp_json_text(spec, "change");
	c->key = change;
	c->rest = tp_words(w, "rest");
	c->more = tp_words_colour(spec, "more");
	c->less = tp_words_colour(spec, "less");
	read_wholes(c, w, tp_json_get(spec, "whole"));
	tp_words_begin(w, spec);
	while (change && tp_words_next(w)) {
		struct step step = { .name = tp_words(w, "name"),
		    .sides = tp_words(w, "sides") };

		if ((i = tp_words_panel(w)) < PANELS && c->falls[i].src &&
		    tp_rec_int(w->rec, change, &step.change) &&
		    llabs(step.change) <= TP_SCALE_FAR)
			TP_APPEND(c->falls[i].steps, c->falls[i].count,
			    c->falls[i].cap, step);
	}
	for (i = 0; i < PANELS; i++) {
		struct fall *f = &c->falls[i];

		if (f->count)
			fold(f, c->rest);
		if (f->count)
			c->falls[c->count++] = *f;
		else
			tp_free(f->steps);
	}
	return c->count > 0;
}
static void
release(void *picture)
{
	struct waterfall *c = picture;

	for (size_t i = 0; i < c->count; i++)
		tp_free(c->falls[i].steps);
}

/* "+9.03 ms". */
static void
put_change(const struct waterfall *c, int64_t change, struct tp_buf *b)
{
	tp_buf_chr(b, change < 0 ? '-' : '+');
	tp_scale_number(b, c->key, llabs(change));
}

static void
put_head(const struct waterfall *c, const struct fall *f, struct tp_buf *b)
{
	tp_buf_fmt(b, "%s%s%s", c->count > 1 ? f->src : "", c->count > 1 ?
	    ": " : "", f->name);
}

static double
place(const struct fall *f, int64_t level)
{
	return (double)(level - f->low) / (double)(f->high - f->low);
}

static void
add_whole(const struct waterfall *c, const struct fall *f,
    struct tp_scene *s, const char *name, int64_t whole)
{
	struct tp_scene_row *row = tp_scene_row(s, TP_ROW, name);
	struct tp_mark *m = tp_scene_mark(s, 0, place(f, whole));

	row->values[1] = tp_scene_number(s, c->key, whole);
	row->height = HEIGHT;
	m->colour = tp_svg_colour("grey");
	m->percent = 50;
}

static void
add_step(const struct waterfall *c, const struct fall *f,
    struct tp_scene *s, const struct step *step, int64_t level)
{
	struct tp_scene_row *row = tp_scene_row(s, TP_ROW, step->name);
	double from = place(f, level), to = place(f, level + step->change);
	struct tp_mark *m = tp_scene_mark(s, from < to ? from : to, from < to ?
	    to : from);

	put_change(c, step->change, &s->text);
	row->values[0] = step->sides;
	row->values[1] = tp_scene_keep(s);
	row->height = HEIGHT;
	m->colour = step->change < 0 ? c->less : c->more;
	m->sign = step->change < 0 ? TP_SIGN_LESS : TP_SIGN_MORE;
	tp_buf_fmt(&s->text, "%s: %s%s%s", step->name, row->values[1],
	    *step->sides ? ", " : "", step->sides);
	m->title = tp_scene_keep(s);
	m = tp_scene_span(s, s->count - 2, s->count - 1, from, from);
	m->percent = 25;
	m->sign = TP_SIGN_NONE;
}

static void
fill(void *picture, struct tp_scene *s)
{
	const struct waterfall *c = picture;

	for (size_t i = 0; i < c->count; i++) {
		const struct fall *f = &c->falls[i];
		int64_t level = f->before;

		put_head(c, f, &s->text);
		tp_scene_words(s);
		add_whole(c, f, s, c->before, f->before);
		for (size_t k = 0; k < f->count; k++) {
			add_step(c, f, s, &f->steps[k], level);
			level += f->steps[k].change;
		}
		add_whole(c, f, s, c->after, f->after);
		if (f->low) {
			tp_buf_str(&s->text, "The axis begins at ");
			tp_scale_number(&s->text, c->key, f->low);
			tp_buf_chr(&s->text, '.');
		}
		tp_scene_words(s);
	}
	tp_scene_left(s, c->left, "");
}

static void
say(const void *picture, struct tp_buf *b)
{
	const struct waterfall *c = picture;
	const struct fall *f = &c->falls[0];

	if (b->len)
		return;
	put_head(c, f, b);
	for (size_t i = 0; i < SAID && i < f->count; i++) {
		tp_buf_fmt(b, "%s%s ", i ? ", " : ": ", f->steps[i].name);
		put_change(c, f->steps[i].change, b);
	}
	tp_buf_chr(b, '.');
}

const struct tp_picture_type tp_waterfall = { .name = "waterfall",
    .size = sizeof(struct waterfall), .read = read_steps, .say = say,
    .fill = fill, .release = release };
