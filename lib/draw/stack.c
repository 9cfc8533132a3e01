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

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/order.h>
#include <tp/unit.h>
#include <tp/width.h>

#include "draw/picture.h"
#include "draw/scale.h"
#include "draw/svg.h"
#include "draw/words.h"

enum {
	PANELS = 4, SAID = 3,
	BAR = 26,
	PAGE = 700, LETTER = 7	/* px of a page; of a letter, with what is
				 * around the word */
};

enum column { COLUMN_TIME, COLUMN_SHARE, COLUMN_WITHOUT };

struct part {
	const char *name, *colour;
	const char *columns[TP_SCENE_VALUES];
	int64_t size;
	int hatched, percent;	/* percent: of opacity */
};

struct stack_panel {
	const char *src, *name;
	struct part *parts;
	size_t count, cap;
	int64_t whole;
	const char *joint[TP_SCENE_VALUES];	/* of all parts together */
};

struct tp_stack {
	struct tp_arena arena;
	struct stack_panel panels[PANELS];
	size_t panel_count, left_count;	/* left: not drawn */
};

static const char *
number(struct tp_stack *c, const char *key, double x)
{
	struct tp_buf text = { 0 };
	const char *words;

	if (key)
		tp_scale_real(&text, key, x);
	else
		tp_unit_percent(&text, x);
	words = tp_arena_text(&c->arena, text.p, text.len);
	tp_buf_release(&text);
	return words;
}

/* Read the whole of each trace, a panel. */
static int
read_wholes(struct tp_stack *c, const cJSON *spec, const struct tp_set *set,
    struct tp_err *err)
{
	const char *key = tp_json_text(spec, "key");
	const char *joint = tp_json_text(spec, "joint");
	const struct tp_rec *rec;
	size_t at = 0;
	int64_t n;

	while ((rec = tp_words_next(spec, set, &at))) {
		struct stack_panel *p = &c->panels[c->panel_count];

		if (!key || !tp_rec_int(rec, key, &n) || n <= 0 ||
		    n > TP_SCALE_FAR)
			continue;
		if (c->panel_count == PANELS) {
			c->left_count++;
			continue;
		}
		p->src = rec->src;
		p->whole = n;
		p->name = tp_words(&c->arena, spec, "name", set, rec, err);
		if (!p->name)
			return -1;
		if (joint && tp_rec_int(rec, joint, &n) && n > 0 &&
		    n < p->whole) {
			p->joint[COLUMN_TIME] = number(c, joint, (double)n);
			p->joint[COLUMN_SHARE] = number(c, NULL, (double)n /
			    (double)p->whole);
			p->joint[COLUMN_WITHOUT] = number(c, "ceiling_factor",
			    (double)p->whole / (double)(p->whole - n));
		}
		c->panel_count++;
	}
	return 0;
}

/* The class of CLASSES with NAME as a member; NULL if there is none. */
static const cJSON *
class_of(const cJSON *classes, const char *name)
{
	const cJSON *class;

	cJSON_ArrayForEach(class, classes)
		if (name && tp_json_holds(tp_json_get(class, "of"), name))
			return class;
	return NULL;
}

static int
add_part(struct tp_stack *c, struct stack_panel *p, const cJSON *spec,
    const cJSON *classes, const struct tp_set *set, const struct tp_rec *rec,
    struct tp_err *err)
{
	const char *key = tp_json_text(spec, "key"), *colour;
	const char *class_key = tp_json_text(spec, "class");
	const char *name = class_key ? tp_rec_text(rec, class_key) : NULL;
	const cJSON *class = class_of(classes, name);
	struct part part = { 0 };

	if (!key || !tp_rec_int(rec, key, &part.size) || part.size <= 0 ||
	    part.size > TP_SCALE_FAR)
		return 0;
	part.name = tp_words(&c->arena, spec, "name", set, rec, err);
	part.columns[COLUMN_WITHOUT] = tp_words(&c->arena, spec, "without",
	    set, rec, err);
	if (!part.name || !part.columns[COLUMN_WITHOUT])
		return -1;
	if (!*part.name && name)
		part.name = name;
	part.columns[COLUMN_TIME] = number(c, key, (double)part.size);
	part.columns[COLUMN_SHARE] = number(c, NULL, (double)part.size /
	    (double)p->whole);
	colour = tp_json_text(class, "colour");
	part.colour = tp_svg_colour(colour ? colour : "grey");
	part.hatched = cJSON_IsTrue(tp_json_get(class, "hatched"));
	/* parts of one class are told apart by their shades */
	part.percent = part.hatched ? 25 : 75;
	for (size_t i = 0; i < p->count && !part.hatched; i++)
		if (p->parts[i].colour == part.colour && part.percent > 35)
			part.percent -= 15;
	TP_APPEND(p->parts, p->count, p->cap, part);
	return 0;
}

/*
 * Read what PICTURE shows of SET.  Returns 1, 0 if there are no parts, or -1
 * with ERR.  C must be released in any case.
 */
static int
make(struct tp_stack *c, const struct cJSON *picture,
    const struct tp_set *set, struct tp_err *err)
{
	const cJSON *spec = tp_words_first(tp_json_get(picture, "from"), set);
	const struct tp_rec *rec;
	size_t at = 0, any = 0;

	memset(c, 0, sizeof *c);
	if (spec && read_wholes(c, tp_json_get(spec, "whole"), set, err) < 0)
		return -1;
	while (spec && (rec = tp_words_next(spec, set, &at)))
		for (size_t i = 0; i < c->panel_count; i++)
			if (!strcmp(c->panels[i].src, rec->src)) {
				if (add_part(c, &c->panels[i], spec,
				    tp_json_get(picture, "classes"), set, rec,
				    err) < 0)
					return -1;
				break;
			}
	for (size_t i = 0; i < c->panel_count; i++) {
		struct stack_panel *p = &c->panels[i];
		int64_t sum = 0;

		for (size_t k = 0; k < p->count; k++)
			tp_scale_sum(&sum, p->parts[k].size);
		TP_MOST(p->whole, sum);
		if (p->count)
			c->panels[any++] = *p;
	}
	c->panel_count = any;
	return any > 0;
}

static void
release_stack(struct tp_stack *c)
{
	for (size_t i = 0; i < c->panel_count; i++)
		tp_free(c->panels[i].parts);
	tp_arena_release(&c->arena);
}

static void
caption(const struct tp_stack *c, const struct stack_panel *p,
    struct tp_buf *b)
{
	if (c->panel_count > 1)
		tp_buf_fmt(b, "%s: ", p->src);
	tp_buf_str(b, p->name);
}

static void
words(const struct part *part, struct tp_buf *b)
{
	tp_buf_fmt(b, "%s: %s, %s", part->name, part->columns[COLUMN_TIME],
	    part->columns[COLUMN_SHARE]);
	if (*part->columns[COLUMN_WITHOUT])
		tp_buf_fmt(b, "; if removed %s",
		    part->columns[COLUMN_WITHOUT]);
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
add_line(struct tp_scene *s, const char *name, const char *const *columns)
{
	struct tp_scene_row *row = tp_scene_row(s, TP_ROW, name);

	memcpy(row->values, columns, sizeof row->values);
	row->is_key = 1;
}

static void
add_panel(const struct tp_stack *c, const struct stack_panel *p,
    struct tp_scene *s)
{
	static const char *const headings[] = { "time", "share", "if removed" };
	struct tp_scene_row *row;
	struct tp_buf text = { 0 };
	double whole = (double)p->whole, x = 0, to, more = 0;
	/* a part has a character, which the first, the largest, lacks */
	double least = s->form == TP_DRAW_SVG ? 0 : 1 / (double)s->columns;
	struct tp_mark *m;
	size_t n = 0;

	caption(c, p, &text);
	tp_scene_words(s, &text);
	row = tp_scene_row(s, TP_ROW, NULL);
	row->height = BAR;
	for (size_t i = 1; i < p->count; i++) {
		double part = (double)p->parts[i].size / whole;

		more += part < least ? least - part : 0;
	}
	for (size_t i = 0; i < p->count; i++, x = to) {
		to = (double)p->parts[i].size / whole;
		to = x + (i ? fmax(to, least) : fmax(to - more, least));
		words(&p->parts[i], &text);
		m = tp_scene_mark(s, x, to);
		show(m, &p->parts[i], n);
		n += !p->parts[i].hatched;
		if ((to - x) * PAGE >= (double)tp_text_width(p->parts[i].name,
		    strlen(p->parts[i].name)) * LETTER)
			m->text = p->parts[i].name;
		m->title = tp_scene_keep(s, &text);
	}
	add_line(s, "", headings);
	for (size_t i = n = 0; i < p->count; i++) {
		add_line(s, p->parts[i].name, p->parts[i].columns);
		show(tp_scene_mark(s, 0, 0), &p->parts[i], n);
		n += !p->parts[i].hatched;
	}
	if (p->joint[0])
		add_line(s, "all that can be saved, together", p->joint);
	tp_buf_release(&text);
}

static void
fill(const struct tp_stack *c, struct tp_scene *s)
{
	struct tp_buf text = { 0 };

	for (size_t i = 0; i < c->panel_count; i++)
		add_panel(c, &c->panels[i], s);
	if (c->left_count)
		tp_buf_fmt(&text, "Not drawn: %zu more", c->left_count);
	tp_scene_words(s, &text);
	tp_buf_release(&text);
}

/* Describe the largest parts for readers who cannot see the picture. */
static void
say(const struct tp_stack *c, struct tp_buf *b)
{
	const struct stack_panel *p = &c->panels[0];

	caption(c, p, b);
	for (size_t i = 0; i < SAID && i < p->count; i++) {
		tp_buf_str(b, i ? ". " : ": ");
		words(&p->parts[i], b);
	}
	tp_buf_chr(b, '.');
}

TP_DRAW(stack, say(&c, &d->text))
