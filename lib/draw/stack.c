/*
 * stack - what a whole is made of: one bar of 100 %, and a line per part
 *
 * Each trace is a panel with a bar of its own.  The parts have the order of
 * their records, and the colours of their classes, which share/pictures
 * names; a time that nothing explains is hatched.
 *
 * Memory: 60 bytes per part, and names.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include <tp/json.h>
#include <tp/order.h>
#include <tp/unit.h>
#include <tp/width.h>

#include "draw/picture.h"
#include "draw/scale.h"
#include "draw/svg.h"

enum {
	PANELS = 4,
	BAR = 26,
	PAGE = 700, LETTER = 7	/* px of a page; of a letter, with what is
				 * around the word */
};

struct part {
	const char *name, *colour;
	const char *without, *removed;	/* what its absence gives: in a column,
					 * after a comma */
	int64_t size;
	double share;
	int hatched, percent;	/* percent: of opacity */
};

struct panel {
	const char *src, *name;
	struct part *parts;
	size_t count, cap;
	int64_t whole;		/* 0: unknown */
	int64_t joint;		/* of all parts together; 0: unknown */
};

struct stack {
	struct panel panels[PANELS];
	size_t panel_count, left;	/* left: not drawn */
	const char *key;	/* of parts, gives the unit */
	const char *headings[TP_SCENE_VALUES];
	const char *joint;	/* how that is called, */
	const char *joint_key, *factor;	/* ... its key, and its factor's */
};

/* Read the whole of each trace, a panel. */
static void
read_wholes(struct stack *c, struct tp_words *w, const cJSON *spec)
{
	const cJSON *joint = tp_json_get(spec, "joint");
	int64_t n;

	c->joint = tp_json_text(joint, "name");
	c->joint_key = tp_json_text(joint, "key");
	c->factor = tp_json_text(joint, "factor");
	tp_words_begin(w, spec);
	while (tp_words_next(w)) {
		struct panel *p;
		size_t at;

		if ((n = tp_words_amount(w, "key")) <= 0 ||
		    (at = tp_words_panel(w)) >= PANELS)
			continue;
		p = &c->panels[at];
		p->src = w->rec->src;
		p->whole = n;
		p->name = tp_words(w, "name");
		if (c->joint && c->joint_key && c->factor && tp_rec_int(w->rec,
		    c->joint_key, &n) && n > 0 && n < p->whole)
			p->joint = n;
	}
	c->left = tp_words_left(&w->traces, PANELS);
}

/* The class of parts with NAME as a member; NULL if there is none. */
static const cJSON *
class_of(const struct tp_words *w, const char *name)
{
	const cJSON *class;

	cJSON_ArrayForEach(class, tp_json_get(w->picture, "classes"))
		if (name && tp_json_holds(tp_json_get(class, "of"), name))
			return class;
	return NULL;
}

static void
add_part(struct tp_words *w, struct panel *p)
{
	const char *key = tp_json_text(w->spec, "class");
	const char *name = key ? tp_rec_text(w->rec, key) : NULL;
	const cJSON *class = class_of(w, name);
	struct part part = { .name = tp_words(w, "name"),
	    .without = tp_words(w, "without"),
	    .removed = tp_words(w, "removed"),
	    .size = tp_words_amount(w, "key"),
	    .colour = tp_words_colour(class, "colour"),
	    .hatched = cJSON_IsTrue(tp_json_get(class, "hatched")) };

	if (part.size <= 0)
		return;
	part.share = (double)part.size / (double)p->whole;
	if (!*part.name && name)
		part.name = name;
	if (!part.colour)
		part.colour = tp_svg_colour("grey");
	/* parts of one class are told apart by their shades */
	part.percent = part.hatched ? 25 : 75;
	for (size_t i = 0; i < p->count && !part.hatched; i++)
		if (p->parts[i].colour == part.colour && part.percent > 35)
			part.percent -= 15;
	TP_APPEND(p->parts, p->count, p->cap, part);
}

static int
read_parts(void *picture, struct tp_words *w)
{
	struct stack *c = picture;
	const cJSON *spec;
	size_t i;

	if (!tp_words_first(w, "from"))
		return 0;
	spec = w->spec;
	c->key = tp_json_text(spec, "key");
	read_wholes(c, w, tp_json_get(spec, "whole"));
	for (int k = 0; k < TP_SCENE_VALUES; k++)
		c->headings[k] = cJSON_GetStringValue(cJSON_GetArrayItem(
		    tp_json_get(spec, "headings"), k));
	tp_words_begin(w, spec);
	while (tp_words_next(w))
		if ((i = tp_words_panel(w)) < PANELS && c->panels[i].whole)
			add_part(w, &c->panels[i]);
	for (i = 0; i < PANELS; i++) {
		struct panel *p = &c->panels[i];
		int64_t sum = 0;

		for (size_t k = 0; k < p->count; k++)
			tp_scale_sum(&sum, p->parts[k].size);
		TP_MOST(p->whole, sum);
		if (p->count)
			c->panels[c->panel_count++] = *p;
	}
	return c->panel_count > 0;
}

static void
release(void *picture)
{
	struct stack *c = picture;

	for (size_t i = 0; i < c->panel_count; i++)
		tp_free(c->panels[i].parts);
}

static void
show(struct tp_mark *m, const struct part *part, size_t at)
{
	m->colour = part->colour;
	m->percent = part->percent;
	m->hatched = part->hatched;
	m->sign = part->hatched ? TP_SIGN_UNKNOWN : TP_SIGN_FILL + at %
	    TP_SCENE_FILLS;
}

static void
add_line(struct tp_scene *s, const char *name, const char *size,
    const char *share, const char *without)
{
	struct tp_scene_row *row = tp_scene_row(s, TP_ROW, name);

	row->values[0] = size;
	row->values[1] = share;
	row->values[2] = without;
	row->is_key = 1;
}

static void
add_joint(const struct stack *c, const struct panel *p, struct tp_scene *s)
{
	double whole = (double)p->whole, joint = (double)p->joint;
	const char *size = tp_scene_number(s, c->joint_key, p->joint);
	const char *share = tp_scene_share(s, joint / whole);

	tp_scale_real(&s->text, c->factor, whole / (whole - joint));
	add_line(s, c->joint, size, share, tp_scene_keep(s));
}

static void
add_panel(const struct stack *c, const struct panel *p, struct tp_scene *s)
{
	struct tp_scene_row *row;
	double whole = (double)p->whole, x = 0, to, more = 0;
	/* a part has a character, which the first, the largest, lacks */
	double least = s->form == TP_DRAW_SVG ? 0 : 1 / (double)s->columns;
	struct tp_mark *m;
	size_t n = 0;

	tp_buf_fmt(&s->text, "%s%s%s", c->panel_count > 1 ? p->src : "",
	    c->panel_count > 1 ? ": " : "", p->name);
	tp_scene_words(s);
	row = tp_scene_row(s, TP_ROW, NULL);
	row->height = BAR;
	for (size_t i = 1; i < p->count; i++) {
		double part = (double)p->parts[i].size / whole;

		more += part < least ? least - part : 0;
	}
	for (size_t i = 0; i < p->count; i++, x = to) {
		const struct part *part = &p->parts[i];

		to = (double)part->size / whole;
		to = x + (i ? fmax(to, least) : fmax(to - more, least));
		m = tp_scene_mark(s, x, to);
		show(m, part, n);
		n += !part->hatched;
		if ((to - x) * PAGE >= (double)tp_text_width(part->name,
		    strlen(part->name)) * LETTER)
			m->text = part->name;
		tp_buf_fmt(&s->text, "%s: ", part->name);
		tp_scale_number(&s->text, c->key, part->size);
		tp_buf_str(&s->text, ", ");
		tp_unit_percent(&s->text, part->share);
		tp_buf_str(&s->text, part->removed);
		m->title = tp_scene_keep(s);
	}
	add_line(s, "", c->headings[0], c->headings[1], c->headings[2]);
	for (size_t i = n = 0; i < p->count; i++) {
		const struct part *part = &p->parts[i];

		add_line(s, part->name, tp_scene_number(s, c->key,
		    part->size), tp_scene_share(s, part->share),
		    part->without);
		show(tp_scene_mark(s, 0, 0), part, n);
		n += !part->hatched;
	}
	if (p->joint)
		add_joint(c, p, s);
}

static void
fill(void *picture, struct tp_scene *s)
{
	const struct stack *c = picture;

	for (size_t i = 0; i < c->panel_count; i++)
		add_panel(c, &c->panels[i], s);
	tp_scene_left(s, c->left, "");
}

const struct tp_picture_type tp_stack = { .name = "stack",
    .size = sizeof(struct stack), .read = read_parts, .fill = fill,
    .release = release };
