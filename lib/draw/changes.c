/*
 * changes - named times before and after, sorted by change
 *
 * All changes share one axis, in tenths of a percent of the time before; a
 * time that only one side has is at the end of the list.
 *
 * Memory: the names of all records, while the largest are selected.
 */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include <tp/json.h>
#include <tp/order.h>
#include <tp/unit.h>

#include "draw/picture.h"
#include "draw/scale.h"
#include "draw/svg.h"

enum {
	PANELS = 4,
	ROWS = 12,		/* most rows of a panel */
	TICKS = 4, HEIGHT = 10, RADIUS = 40,
	WHOLE = 1000,		/* tenths of a percent: 100 % */
	LEAST = 20,		/* least reach of the axis */
	MOST = 3 * WHOLE,	/* most reach of the axis */
	PREFIX = 8,		/* bytes: a shorter common prefix is kept */
	ARROW = 20,		/* 1/N of the axis: arrow of an added or removed
				 * time */
	SHARE = 4,		/* the shorter side of the axis is at least 1/N
				 * of the longer */
	INTERVALS = PANELS * ROWS,
};

/* Larger changes are clamped. */
#define FAR (INT64_C(10000) * WHOLE)

struct change {
	const char *name, *colour, *word;
	const char *label;		/* NAME without the prefix common to
					 * all */
	enum tp_sign mark;		/* dot: changed, ring: not, cross: not
					 * judged */
	int64_t before, after;		/* in ns; -1: absent on that side */
	uint64_t size;			/* absolute change in ns */
	int64_t place;			/* in tenths of a percent; out of range
					 * when a side has no time */
	int has_interval;
	int64_t low, high;
};

struct panel {
	const char *name;
	struct change list[ROWS];	/* largest first */
	size_t count;
};

struct changes {
	const char *axis;		/* label of the axis */
	struct panel panels[PANELS];
	size_t panel_count, left;	/* left: rows not drawn */
	int64_t from, to;		/* the axis */
	int is_cut;			/* an interval exceeds the axis */
};

/*
 * Read the quotient KEY as a change in *PLACE, in tenths of a percent.  Returns
 * 0 if it is absent or negative.
 */
static int
change_of(const struct tp_rec *rec, const char *key, int64_t *place)
{
	double x, most = (double)FAR;

	if (!tp_rec_real(rec, key, &x) || x < 0)
		return 0;
	x = (x - 1) * WHOLE;
	x = x > most ? most : x;
	*place = (int64_t)(x + (x < 0 ? -0.5 : 0.5));
	return 1;
}

/* Read the record into C.  Returns 0 if it has no time or no name. */
static int
read_change(struct tp_words *w, struct change *c)
{
	const char *mark;

	memset(c, 0, sizeof *c);
	c->before = c->after = -1;
	tp_rec_int(w->rec, "before_ns", &c->before);
	tp_rec_int(w->rec, "after_ns", &c->after);
	if ((c->before < 0 && c->after < 0) || c->before < -1 ||
	    c->after < -1)
		return 0;
	c->name = tp_words(w, "name");
	if (!*c->name)
		return 0;
	mark = tp_words_of(w, w->picture, "mark");
	c->mark = !strcmp(mark, "full") ? TP_SIGN_DOT :
	    !strcmp(mark, "hollow") ? TP_SIGN_RING : TP_SIGN_CROSS;
	c->colour = tp_svg_colour(tp_words_of(w, w->picture, "colour"));
	c->word = tp_words_of(w, w->picture, "word");
	c->size = (uint64_t)llabs((c->after < 0 ? 0 : c->after) -
	    (c->before < 0 ? 0 : c->before));
	if (change_of(w->rec, "change_factor", &c->place))
		c->has_interval = change_of(w->rec, "change_low_factor",
		    &c->low) && change_of(w->rec, "change_high_factor",
		    &c->high) && c->low <= c->high;
	else if (c->before != c->after)
		c->place = c->before > c->after ? -FAR : FAR;
	return 1;
}

/* Keep the ROWS largest changes, sorted by falling size. */
static void
insert_change(struct changes *c, struct panel *p,
    const struct change *change)
{
	size_t i = p->count;

	if (i == ROWS) {
		c->left++;
		if (change->size <= p->list[--i].size)
			return;
	} else {
		p->count++;
	}
	for (; i && change->size > p->list[i - 1].size; i--)
		p->list[i] = p->list[i - 1];
	p->list[i] = *change;
}

/*
 * Whether byte N of a name in P is a digit.  A prefix must not be cut before
 * one: the instance number of "copy.2" is meaningless alone.
 */
static int
is_number(const struct panel *p, size_t n)
{
	for (size_t i = 0; i < p->count; i++)
		if (strchr("0123456789", p->list[i].name[n]))
			return 1;
	return 0;
}

/*
 * The length of the prefix that the first words of all names share, up to a
 * separator in it; 0 if it is shorter than PREFIX.
 */
static size_t
shared(const struct panel *p)
{
	const char *first = p->list[0].name;
	size_t n = p->count > 1 ? strcspn(first, " ") : 0, k;

	for (size_t i = 1; i < p->count; i++) {
		for (k = 0; k < n && p->list[i].name[k] == first[k]; k++)
			;
		n = k;
	}
	while (n && (!strchr("/_:.-", first[n - 1]) || is_number(p, n)))
		n--;
	return n < PREFIX ? 0 : n;
}

/*
 * Move a common prefix, such as an experiment, from the labels to the heading,
 * so that labels have room for what distinguishes them.
 */
static void
set_labels(struct tp_words *w, struct panel *p)
{
	size_t n = shared(p);
	struct tp_buf head = { 0 };

	for (size_t i = 0; i < p->count; i++)
		p->list[i].label = p->list[i].name + n;
	if (!n)
		return;
	tp_buf_fmt(&head, "%s: ", p->name);
	tp_buf_add(&head, p->list[0].name, n);
	tp_buf_str(&head, "...");
	p->name = tp_words_keep(w, &head);
	tp_buf_release(&head);
}

static void
read_panel(struct changes *c, struct tp_words *w)
{
	struct panel *p = &c->panels[c->panel_count];
	struct change change;

	p->name = tp_words(w, "panel");
	while (tp_words_next(w))
		if (read_change(w, &change))
			insert_change(c, p, &change);
	c->panel_count += p->count > 0;
	if (p->count)
		set_labels(w, p);
}

static void
reach(struct changes *c, int64_t place)
{
	if (place < c->from)
		c->from = place < -WHOLE ? -WHOLE : place;
	if (place > c->to)
		c->to = place > MOST ? MOST : place;
}

/*
 * Set the axis so that it contains all changes, the intervals of significant
 * ones and half of the other intervals.  A single interval of hundreds of
 * percent would leave the rest no room.
 */
static void
set_axis(struct changes *c)
{
	int64_t lows[INTERVALS], highs[INTERVALS];
	size_t n = 0;

	c->from = -LEAST;
	c->to = LEAST;
	for (size_t i = 0; i < c->panel_count; i++)
		for (size_t k = 0; k < c->panels[i].count; k++) {
			const struct change *v = &c->panels[i].list[k];

			if (llabs(v->place) < FAR)
				reach(c, v->place);
			if (!v->has_interval)
				continue;
			if (v->mark == TP_SIGN_DOT) {
				reach(c, v->low);
				reach(c, v->high);
			}
			lows[n] = v->low;
			highs[n++] = v->high;
		}
	if (n) {
		TP_SORT(lows, n, tp_scale_order);
		TP_SORT(highs, n, tp_scale_order);
		reach(c, lows[(n - 1) / 2]);
		reach(c, highs[n / 2]);
	}
	if (-c->from < c->to / SHARE)
		c->from = -c->to / SHARE;
	if (c->to < -c->from / SHARE)
		c->to = -c->from / SHARE;
	/* margin, so that no mark is on the edge */
	c->from -= (c->to - c->from) / 20;
	c->to += (c->to - c->from) / 20;
	for (size_t i = 0; i < n; i++)
		c->is_cut |= lows[i] < c->from || highs[i] > c->to;
}

static int
read_changes(void *picture, struct tp_words *w)
{
	struct changes *c = picture;
	const cJSON *spec;

	c->axis = tp_words_of(w, w->picture, "axis");
	cJSON_ArrayForEach(spec, tp_json_get(w->picture, "from")) {
		if (c->panel_count == PANELS)
			return tp_words_fail(w, "'from' has too many panels");
		tp_words_begin(w, spec);
		read_panel(c, w);
	}
	set_axis(c);
	return c->panel_count > 0;
}

/*
 * -1 or 1 when PLACE is beyond the axis, so its mark becomes an arrow; else 0.
 */
static int
beyond(const struct changes *c, int64_t place)
{
	if (llabs(place) >= FAR)
		return place < 0 ? -1 : 1;
	return (place > c->to) - (place < c->from);
}

/*
 * Where PLACE is on the axis.  New and gone times, which have no percentage,
 * are beside 0.
 */
static double
at(const struct changes *c, int64_t place)
{
	int64_t some = (c->to - c->from) / ARROW;

	place = place >= FAR ? some : place <= -FAR ? -some : place;
	place = place < c->from ? c->from : place > c->to ? c->to : place;
	return (double)(place - c->from) / (double)(c->to - c->from);
}

/* "732 us", or "-" when absent. */
static void
put_time(struct tp_buf *b, int64_t ns)
{
	if (ns < 0)
		tp_buf_chr(b, '-');
	else
		tp_unit_ns(b, ns);
}

static void
put_percent(struct tp_buf *b, int64_t place, int has_tenth)
{
	int64_t n = place < 0 ? -place : place;

	if (place)
		tp_buf_chr(b, place < 0 ? '-' : '+');
	tp_unit_group(b, n / 10);
	if (has_tenth)
		tp_buf_fmt(b, ".%d", (int)(n % 10));
	tp_buf_str(b, " %");
}

/* "+2.7 %", "-38.2 %", "+1,100 %"; "" when out of range. */
static void
put_change(struct tp_buf *b, int64_t place)
{
	if (llabs(place) < FAR)
		put_percent(b, place, llabs(place) < WHOLE);
}

/*
 * "matmul: 732 us before, 719 us after, -1.7 % (95 % interval -8.0 % to
 * +5.0 %), same".
 */
static void
put_words(const struct change *change, struct tp_buf *b)
{
	tp_buf_fmt(b, "%s: ", change->name);
	put_time(b, change->before);
	tp_buf_str(b, " before, ");
	put_time(b, change->after);
	tp_buf_str(b, " after");
	if (llabs(change->place) < FAR) {
		tp_buf_str(b, ", ");
		put_change(b, change->place);
	}
	if (change->has_interval) {
		tp_buf_str(b, " (95 % interval ");
		put_change(b, change->low);
		tp_buf_str(b, " to ");
		put_change(b, change->high);
		tp_buf_chr(b, ')');
	}
	tp_buf_fmt(b, "%s%s", *change->word ? ", " : "", change->word);
}

static void
show_change(const struct changes *c, const struct change *v,
    struct tp_scene *s)
{
	struct tp_scene_row *row = tp_scene_row(s, TP_ROW, v->label);
	double x = at(c, v->place), zero = at(c, 0);
	int way = beyond(c, v->place);
	struct tp_mark *m;

	row->height = HEIGHT;
	put_time(&s->text, v->before);
	tp_buf_str(&s->text, " to ");
	put_time(&s->text, v->after);
	row->values[0] = tp_scene_keep(s);
	row->values[1] = v->word;
	put_change(&s->text, v->place);
	row->values[2] = tp_scene_keep(s);
	put_words(v, &s->text);
	if (v->has_interval) {
		m = tp_scene_line(s, at(c, v->low), 0.5, at(c, v->high), 0.5);
		m->sign = TP_SIGN_THIN;
		m->percent = 60;
	}
	m = tp_scene_line(s, x < zero ? x : zero, 0.5, x < zero ? zero : x,
	    0.5);
	m->sign = TP_SIGN_LINE;
	m->colour = v->colour;
	m->size = 30;
	m = tp_scene_mark(s, x, x);
	m->shape = TP_SHAPE_POINT;
	m->low = m->high = 0.5;
	m->sign = way ? (way < 0 ? TP_SIGN_LEFT : TP_SIGN_RIGHT) : v->mark;
	m->size = RADIUS;
	m->colour = v->colour;
	/* the title shows over all of the row */
	m = tp_scene_mark(s, 0, 1);
	m->percent = 0;
	m->sign = TP_SIGN_NONE;
	m->title = tp_scene_keep(s);
}

static void
show_axis(const struct changes *c, struct tp_scene *s)
{
	int64_t step = tp_scale_step(c->to - c->from, TICKS), t;
	struct tp_mark *m = tp_scene_span(s, 0, s->count - 1, at(c, 0), at(c,
	    0));

	m->sign = TP_SIGN_ZERO;
	m->percent = 60;
	tp_scene_row(s, TP_AXIS, NULL);
	for (t = -(-c->from / step * step); t <= c->to; t += step) {
		put_percent(&s->text, t, step % 10 != 0);
		tp_scene_text(s, at(c, t), 0, 0, tp_scene_keep(s));
	}
}

static void
fill(void *picture, struct tp_scene *s)
{
	const struct changes *c = picture;

	for (size_t i = 0; i < c->panel_count; i++) {
		tp_scene_say(s, c->panels[i].name);
		for (size_t k = 0; k < c->panels[i].count; k++)
			show_change(c, &c->panels[i].list[k], s);
	}
	show_axis(c, s);
	tp_scene_say(s, c->axis);
	if (c->is_cut)
		tp_buf_str(&s->text, "An interval that reaches the edge is "
		    "longer than the axis. ");
	if (c->left)
		tp_buf_fmt(&s->text, "Not drawn: %zu smaller change%s",
		    c->left, c->left == 1 ? "" : "s");
	tp_scene_words(s);
}

static void
say(const void *picture, struct tp_buf *b)
{
	const struct changes *c = picture;

	if (!b->len)
		put_words(&c->panels[0].list[0], b);
}

const struct tp_picture_type tp_changes = { .name = "changes",
    .size = sizeof(struct changes), .read = read_changes, .say = say,
    .fill = fill };
