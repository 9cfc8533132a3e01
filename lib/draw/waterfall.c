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
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/order.h>

#include "draw/picture.h"
#include "draw/scale.h"
#include "draw/svg.h"
#include "draw/words.h"

/* LEAST: 1/N of what the steps span.  ZOOM: the axis begins at 0 unless the
 * steps are within 1/N of the whole. */
enum { PANELS = 4, STEPS = 12, SAID = 3, LEAST = 100, ZOOM = 2, HEIGHT = 8 };

struct step {
	const char *name;
	int64_t change, before, after;	/* -1: not known */
};

struct fall {
	const char *src, *name;
	struct step *steps;	/* largest first; once folded, the rest last */
	size_t count, cap;
	int64_t before, after, low, high;
};

struct tp_waterfall {
	struct tp_arena arena;
	struct fall falls[PANELS];
	size_t count, left_count;	/* ... and wholes not drawn */
	const char *key;	/* of the whole, gives the unit */
	const char *more, *less;	/* colours */
};

/* A value of SPEC's KEY in REC; -1 if it is absent or too large. */
static int64_t
value_of(const cJSON *spec, const char *key, const struct tp_rec *rec)
{
	const char *name = tp_json_text(spec, key);
	int64_t n;

	return name && tp_rec_int(rec, name, &n) && n >= 0 &&
	    n <= TP_SCALE_FAR ? n : -1;
}

static int
read_wholes(struct tp_waterfall *c, const cJSON *spec,
    const struct tp_set *set, struct tp_err *err)
{
	const cJSON *whole = tp_json_get(spec, "whole");
	const struct tp_rec *rec;
	size_t at = 0;

	while ((rec = tp_words_next(whole, set, &at))) {
		struct fall *f = &c->falls[c->count];
		int64_t before = value_of(spec, "before", rec);
		int64_t after = value_of(spec, "after", rec);

		if (before <= 0 || after <= 0)
			continue;
		if (c->count == PANELS) {
			c->left_count++;
			continue;
		}
		f->src = rec->src;
		f->before = before;
		f->after = after;
		f->name = tp_words(&c->arena, whole, "name", set, rec, err);
		if (!f->name)
			return -1;
		c->count++;
	}
	return 0;
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
fold(struct fall *f)
{
	struct step rest = { .name = "the rest", .before = -1, .after = -1 };
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

/*
 * Read what PICTURE shows of SET.  Returns 1, 0 if there are no parts, or -1
 * with ERR.  C must be released in any case.
 */
static int
make(struct tp_waterfall *c, const struct cJSON *picture,
    const struct tp_set *set, struct tp_err *err)
{
	const cJSON *spec = tp_words_first(tp_json_get(picture, "from"), set);
	const char *change = tp_json_text(spec, "change");
	const char *more = tp_json_text(picture, "more");
	const char *less = tp_json_text(picture, "less");
	const struct tp_rec *rec;
	size_t at = 0, any = 0, i;

	memset(c, 0, sizeof *c);
	c->key = tp_json_text(spec, "before");
	c->more = tp_svg_colour(more ? more : "red");
	c->less = tp_svg_colour(less ? less : "green");
	if (spec && read_wholes(c, spec, set, err) < 0)
		return -1;
	while (spec && change && (rec = tp_words_next(spec, set, &at))) {
		struct step step = { 0 };

		for (i = 0; i < c->count; i++)
			if (!strcmp(c->falls[i].src, rec->src))
				break;
		if (i == c->count || !tp_rec_int(rec, change, &step.change) ||
		    llabs(step.change) > TP_SCALE_FAR)
			continue;
		step.before = value_of(spec, "before", rec);
		step.after = value_of(spec, "after", rec);
		step.name = tp_words(&c->arena, spec, "name", set, rec, err);
		if (!step.name)
			return -1;
		TP_APPEND(c->falls[i].steps, c->falls[i].count,
		    c->falls[i].cap, step);
	}
	for (i = 0; i < c->count; i++) {
		struct fall *f = &c->falls[i];

		if (f->count)
			fold(f);
		if (f->count)
			c->falls[any++] = *f;
		else
			tp_free(f->steps);
	}
	c->count = any;
	return any > 0;
}

static void
release_waterfall(struct tp_waterfall *c)
{
	for (size_t i = 0; i < c->count; i++)
		tp_free(c->falls[i].steps);
	tp_arena_release(&c->arena);
}

/* "+9.03 ms". */
static void
put_change(const struct tp_waterfall *c, int64_t change, struct tp_buf *b)
{
	tp_buf_chr(b, change < 0 ? '-' : '+');
	tp_scale_number(b, c->key, llabs(change));
}

/* "190 ms to 200 ms"; nothing for what is not known. */
static void
put_sides(const struct tp_waterfall *c, const struct step *step,
    struct tp_buf *b)
{
	if (step->before < 0 && step->after < 0)
		return;
	if (step->before >= 0)
		tp_scale_number(b, c->key, step->before);
	tp_buf_str(b, step->before < 0 ? "new, " : step->after < 0 ? ", gone" :
	    " to ");
	if (step->after >= 0)
		tp_scale_number(b, c->key, step->after);
}

static void
put_head(const struct tp_waterfall *c, const struct fall *f, struct tp_buf *b)
{
	if (c->count > 1)
		tp_buf_fmt(b, "%s: ", f->src);
	tp_scale_number(b, c->key, f->before);
	tp_buf_str(b, " before, ");
	tp_scale_number(b, c->key, f->after);
	tp_buf_str(b, " after, ");
	put_change(c, f->after - f->before, b);
	tp_buf_fmt(b, "%s%s", *f->name ? " " : "", f->name);
}

static double
place(const struct fall *f, int64_t level)
{
	return (double)(level - f->low) / (double)(f->high - f->low);
}

static void
add_whole(const struct tp_waterfall *c, const struct fall *f,
    struct tp_scene *s, const char *name, int64_t whole)
{
	struct tp_scene_row *row = tp_scene_row(s, TP_ROW, name);
	struct tp_buf text = { 0 };
	struct tp_mark *m;

	tp_scale_number(&text, c->key, whole);
	row->values[1] = tp_scene_keep(s, &text);
	row->height = HEIGHT;
	m = tp_scene_mark(s, 0, place(f, whole));
	m->colour = tp_svg_colour("grey");
	m->percent = 50;
	tp_buf_release(&text);
}

static void
add_step(const struct tp_waterfall *c, const struct fall *f,
    struct tp_scene *s, const struct step *step, int64_t level)
{
	struct tp_scene_row *row = tp_scene_row(s, TP_ROW, step->name);
	double from = place(f, level), to = place(f, level + step->change);
	struct tp_buf text = { 0 };
	struct tp_mark *m;

	put_sides(c, step, &text);
	row->values[0] = tp_scene_keep(s, &text);
	put_change(c, step->change, &text);
	row->values[1] = tp_scene_keep(s, &text);
	row->height = HEIGHT;
	tp_buf_fmt(&text, "%s: %s%s%s", step->name, row->values[1],
	    *row->values[0] ? ", " : "", row->values[0]);
	m = tp_scene_mark(s, from < to ? from : to, from < to ? to : from);
	m->colour = step->change < 0 ? c->less : c->more;
	m->sign = step->change < 0 ? TP_SIGN_LESS : TP_SIGN_MORE;
	m->title = tp_scene_keep(s, &text);
	m = tp_scene_span(s, s->count - 2, s->count - 1, from, from);
	m->percent = 25;
	m->sign = TP_SIGN_NONE;
	tp_buf_release(&text);
}

static void
fill(const struct tp_waterfall *c, struct tp_scene *s)
{
	struct tp_buf text = { 0 };

	for (size_t i = 0; i < c->count; i++) {
		const struct fall *f = &c->falls[i];
		int64_t level = f->before;

		put_head(c, f, &text);
		tp_scene_words(s, &text);
		add_whole(c, f, s, "before", f->before);
		for (size_t k = 0; k < f->count; k++) {
			add_step(c, f, s, &f->steps[k], level);
			level += f->steps[k].change;
		}
		add_whole(c, f, s, "after", f->after);
		if (f->low) {
			tp_buf_str(&text, "The axis begins at ");
			tp_scale_number(&text, c->key, f->low);
			tp_buf_chr(&text, '.');
		}
		tp_scene_words(s, &text);
	}
	if (c->left_count)
		tp_buf_fmt(&text, "Not drawn: %zu more", c->left_count);
	tp_scene_words(s, &text);
	tp_buf_release(&text);
}

/* Describe the largest steps for readers who cannot see the picture. */
static void
say(const struct tp_waterfall *c, struct tp_buf *b)
{
	const struct fall *f = &c->falls[0];

	put_head(c, f, b);
	for (size_t i = 0; i < SAID && i < f->count; i++) {
		tp_buf_fmt(b, "%s%s ", i ? ", " : ": ", f->steps[i].name);
		put_change(c, f->steps[i].change, b);
	}
	tp_buf_chr(b, '.');
}

TP_DRAW(waterfall, say(&c, &d->text))
