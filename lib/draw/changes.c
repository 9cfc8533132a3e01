/* changes - named times before and after, sorted by change */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include <tp/json.h>
#include <tp/order.h>
#include <tp/unit.h>

#include "draw/changes.h"
#include "draw/scale.h"
#include "draw/svg.h"
#include "draw/words.h"

enum {
	WHOLE = 1000,		/* tenths of a percent: 100 % */
	LEAST = 20,		/* least reach of the axis */
	MOST = 3 * WHOLE,	/* most reach of the axis */
	PREFIX = 8,		/* bytes: a shorter common prefix is kept */
	ARROW = 20,		/* 1/N of the axis: arrow of an added or removed
				 * time */
	SHARE = 4,		/* the shorter side of the axis is at least 1/N
				 * of the longer */
	INTERVALS = TP_CHANGES_PANELS * TP_CHANGES_ROWS,
};

/* Larger changes are clamped. */
#define FAR (INT64_C(10000) * WHOLE)

struct reading {
	struct tp_changes *changes;
	const cJSON *picture, *spec;
	const struct tp_set *set;
	const struct tp_rec *rec;
	struct tp_err *err;
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

/*
 * The text that the picture's template KEY makes of the record; NULL with ERR.
 */
static const char *
word_of(const struct reading *r, const char *key)
{
	return tp_words(&r->changes->arena, r->picture, key, r->set, r->rec,
	    r->err);
}

/* Returns 1, 0 if the record has no time or no name, -1 with ERR. */
static int
read_change(const struct reading *r, struct tp_change *c)
{
	const char *mark;

	memset(c, 0, sizeof *c);
	c->before = c->after = -1;
	tp_rec_int(r->rec, "before_ns", &c->before);
	tp_rec_int(r->rec, "after_ns", &c->after);
	if ((c->before < 0 && c->after < 0) || c->before < -1 ||
	    c->after < -1)
		return 0;
	c->name = tp_words(&r->changes->arena, r->spec, "name", r->set,
	    r->rec, r->err);
	if (!c->name || !*c->name)
		return c->name ? 0 : -1;
	if (!(mark = word_of(r, "mark")))
		return -1;
	c->mark = !strcmp(mark, "full") ? TP_CHANGE_FULL :
	    !strcmp(mark, "hollow") ? TP_CHANGE_HOLLOW : TP_CHANGE_CROSS;
	c->size = (uint64_t)llabs((c->after < 0 ? 0 : c->after) -
	    (c->before < 0 ? 0 : c->before));
	if (change_of(r->rec, "change_factor", &c->place))
		c->has_interval = change_of(r->rec, "change_low_factor",
		    &c->low) && change_of(r->rec, "change_high_factor",
		    &c->high) && c->low <= c->high;
	else if (c->before != c->after)
		c->place = c->before > c->after ? -FAR : FAR;
	return 1;
}

/* Keep the TP_CHANGES_ROWS largest changes, sorted by falling size. */
static void
insert_change(struct tp_changes *c, struct tp_changes_panel *p,
    const struct tp_change *change)
{
	size_t i = p->count;

	if (i == TP_CHANGES_ROWS) {
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
is_number(const struct tp_changes_panel *p, size_t n)
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
shared(const struct tp_changes_panel *p)
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
set_labels(struct reading *r, struct tp_changes_panel *p)
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
	p->name = tp_arena_text(&r->changes->arena, head.p, head.len);
	tp_buf_release(&head);
}

static int
read_panel(struct reading *r)
{
	struct tp_changes *c = r->changes;
	struct tp_changes_panel *p = &c->panels[c->panel_count];
	struct tp_change change;
	const char *colour;
	size_t at = 0;
	int rc;

	p->name = tp_words(&c->arena, r->spec, "panel", r->set, NULL, r->err);
	if (!p->name)
		return -1;
	while ((r->rec = tp_words_next(r->spec, r->set, &at))) {
		rc = read_change(r, &change);
		if (rc < 0)
			return -1;
		if (!rc)
			continue;
		if (!(colour = word_of(r, "colour")) ||
		    !(change.word = word_of(r, "word")))
			return -1;
		change.colour = tp_svg_colour(colour);
		insert_change(c, p, &change);
	}
	c->panel_count += p->count > 0;
	if (p->count)
		set_labels(r, p);
	return 0;
}

static void
reach(struct tp_changes *c, int64_t place)
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
set_axis(struct tp_changes *c)
{
	int64_t lows[INTERVALS], highs[INTERVALS];
	size_t n = 0;

	c->from = -LEAST;
	c->to = LEAST;
	for (size_t i = 0; i < c->panel_count; i++)
		for (size_t k = 0; k < c->panels[i].count; k++) {
			const struct tp_change *v = &c->panels[i].list[k];

			if (llabs(v->place) < FAR)
				reach(c, v->place);
			if (!v->has_interval)
				continue;
			if (v->mark == TP_CHANGE_FULL) {
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

/*
 * Read what PICTURE shows of SET.  Returns 1, 0 if there are no changes, or -1
 * with ERR.  C must be released in any case.
 */
static int
make(struct tp_changes *c, const struct cJSON *picture,
    const struct tp_set *set, struct tp_err *err)
{
	struct reading r = { .changes = c, .picture = picture, .set = set,
	    .err = err };
	int count = 0;

	memset(c, 0, sizeof *c);
	c->axis = tp_json_text(picture, "axis");
	c->axis = c->axis ? c->axis : "";
	cJSON_ArrayForEach(r.spec, tp_json_get(picture, "from")) {
		if (count++ == TP_CHANGES_PANELS)
			return tp_fail(err, TP_BAD, "picture.damaged", 0,
			    "'from' has more than %d", TP_CHANGES_PANELS);
		if (read_panel(&r) < 0)
			return -1;
	}
	set_axis(c);
	return c->panel_count > 0;
}

static void
release_changes(struct tp_changes *c)
{
	tp_arena_release(&c->arena);
}

int64_t
tp_changes_place(const struct tp_changes *c, int64_t place)
{
	int64_t some = (c->to - c->from) / ARROW;

	return place >= FAR ? some : place <= -FAR ? -some : place;
}

int
tp_changes_beyond(const struct tp_changes *c, int64_t place)
{
	if (llabs(place) >= FAR)
		return place < 0 ? -1 : 1;
	return (place > c->to) - (place < c->from);
}

void
tp_change_time(struct tp_buf *b, int64_t ns)
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

void
tp_change_percent(struct tp_buf *b, int64_t place)
{
	if (llabs(place) < FAR)
		put_percent(b, place, llabs(place) < WHOLE);
}

void
tp_changes_tick(struct tp_buf *b, int64_t t, int64_t step)
{
	put_percent(b, t, step % 10 != 0);
}

void
tp_change_words(const struct tp_change *change, struct tp_buf *b)
{
	tp_buf_fmt(b, "%s: ", change->name);
	tp_change_time(b, change->before);
	tp_buf_str(b, " before, ");
	tp_change_time(b, change->after);
	tp_buf_str(b, " after");
	if (llabs(change->place) < FAR) {
		tp_buf_str(b, ", ");
		tp_change_percent(b, change->place);
	}
	if (change->has_interval) {
		tp_buf_str(b, " (95 % interval ");
		tp_change_percent(b, change->low);
		tp_buf_str(b, " to ");
		tp_change_percent(b, change->high);
		tp_buf_chr(b, ')');
	}
	tp_buf_fmt(b, "%s%s", *change->word ? ", " : "", change->word);
}

void
tp_changes_rest(const struct tp_changes *c, struct tp_buf *b)
{
	if (c->is_cut)
		tp_buf_str(b, "An interval without an end mark is longer than "
		    "the axis. ");
	if (c->left)
		tp_buf_fmt(b, "Not drawn: %zu smaller change%s", c->left,
		    c->left == 1 ? "" : "s");
}

TP_DRAW(changes, tp_change_words(&c.panels[0].list[0], &d->text))
