/*
 * columns - steps or runs as columns, stacked by where their time went
 *
 * Each trace is a panel; all panels have one scale.
 *
 * Memory: 80 bytes per step, and names.
 */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/order.h>
#include <tp/unit.h>

#include "draw/picture.h"
#include "draw/scale.h"
#include "draw/svg.h"

/*
 * FEW: with fewer columns, each has its value instead of a line for the
 * median.  SLOTS: a column is at most 1/N of the plot; HIGH: lines of a panel,
 * LOW: if there are many.
 */
enum { PANELS = 4, PARTS = 6, FEW = 5, SLOTS = 6, HEIGHT = 130, HIGH = 5,
	LOW = 3 };

struct column {
	const char *name;
	const char *below;	/* second line of its label; may be "" */
	int hatched;		/* set apart from the others: warm-up */
	int64_t whole;		/* in ns; at least the sum of parts */
	int64_t parts[PARTS];	/* the last is the rest */
};

struct panel {
	const char *name;	/* of its trace */
	struct column *list;
	size_t count, cap;
	int64_t least, median, longest;	/* over the columns that count: those
					 * not hatched; all when hatched ones
					 * count too or no other exists */
	int64_t sums[PARTS], sum;	/* over the same columns */
	size_t used;		/* number of such columns */
};

struct columns {
	const char *word;	/* what a column is: "step" */
	const char *hatched;	/* word for hatched columns: "warm-up" */
	const char *measured;	/* word for the whole: "GPU span"; may be "" */
	const char *below;	/* meaning of the second label lines; may be
				 * NULL */
	const char *names[PARTS], *colours[PARTS];
	size_t part_count;
	struct panel panels[PANELS];
	size_t panel_count, left;	/* left: not drawn */
	int64_t most, step;	/* height of the axis (a higher hatched column
				 * is cut) and distance of ticks */
};

static void
name_parts(struct columns *c, struct tp_words *w)
{
	const char *rest = tp_words(w, "rest"), *colour;
	const cJSON *part;

	c->word = tp_json_text(w->spec, "word");
	c->word = c->word ? c->word : "step";
	c->hatched = tp_words(w, "hatched-name");
	c->hatched = *c->hatched ? c->hatched : "warm-up";
	c->measured = tp_words(w, "measured");
	cJSON_ArrayForEach(part, tp_json_get(w->spec, "parts")) {
		if (!tp_json_text(part, "name") || !tp_json_text(part,
		    "key") || c->part_count == PARTS - 1) {
			tp_words_fail(w, "a part of a column has no key or "
			    "name, or is one too many");
			return;
		}
		c->names[c->part_count] = tp_json_text(part, "name");
		colour = tp_words_colour(part, "colour");
		c->colours[c->part_count] = colour ? colour :
		    tp_svg_nth_colour(c->part_count);
		c->part_count++;
	}
	c->names[c->part_count] = *rest ? rest : c->word;
	c->colours[c->part_count++] = *rest ? NULL : tp_svg_colour("grey");
}

static void
add_column(struct columns *c, struct tp_words *w, int64_t whole)
{
	struct column column = { .name = tp_words(w, "name"),
	    .below = tp_words(w, "below"), .whole = whole,
	    .hatched = tp_words_is(w, "hatched") };
	const cJSON *part;
	struct panel *p;
	size_t i = 0, at = tp_words_panel(w);
	int64_t sum = 0, n;

	if (at >= PANELS)
		return;
	p = &c->panels[at];
	c->panel_count = at < c->panel_count ? c->panel_count : at + 1;
	p->name = w->rec->src;
	cJSON_ArrayForEach(part, tp_json_get(w->spec, "parts")) {
		if (tp_rec_int(w->rec, tp_json_text(part, "key"), &n) &&
		    n > 0 && n <= TP_SCALE_FAR)
			column.parts[i] = n;
		sum += column.parts[i++];
	}
	/* work launched by a step may end after the step */
	TP_MOST(column.whole, sum);
	column.parts[i] = column.whole - sum;
	if (*column.below)
		c->below = tp_json_text(w->spec, "below-name");
	TP_APPEND(p->list, p->count, p->cap, column);
}

/*
 * Compute sums and the median: of columns that are not hatched unless ALL, or
 * of all if all are hatched.
 */
static void
summarise_columns(struct panel *p, int all)
{
	int64_t *wholes = tp_alloc(p->count * sizeof *wholes);
	size_t plain = 0;

	for (size_t i = 0; i < p->count; i++)
		plain += !p->list[i].hatched;
	for (size_t i = 0; i < p->count; i++) {
		const struct column *c = &p->list[i];

		if (plain && c->hatched && !all)
			continue;
		wholes[p->used++] = c->whole;
		if (p->sum > INT64_MAX - c->whole)
			continue;
		p->sum += c->whole;
		for (size_t k = 0; k < PARTS; k++)
			p->sums[k] += c->parts[k];
	}
	TP_SORT(wholes, p->used, tp_scale_order);
	p->least = wholes[0];
	p->longest = wholes[p->used - 1];
	p->median = p->used % 2 ? wholes[p->used / 2] :
	    wholes[p->used / 2 - 1] + (wholes[p->used / 2] -
	    wholes[p->used / 2 - 1]) / 2;
	tp_free(wholes);
}

/*
 * Set the height of the axis: columns that are not hatched fit with room for
 * words above; hatched ones may be cut.
 */
static void
set_height(struct columns *c)
{
	int64_t all = 0;

	for (size_t i = 0; i < c->panel_count; i++)
		for (size_t k = 0; k < c->panels[i].count; k++) {
			const struct column *col = &c->panels[i].list[k];

			TP_MOST(all, col->whole);
			if (!col->hatched && col->whole > c->most)
				c->most = col->whole;
		}
	if (!c->most || all < c->most + c->most / 2)
		c->most = all;
	else
		c->most += c->most / 4;
	if (!c->most)
		return;
	c->step = tp_scale_step(c->most, 6);
	all = c->most;
	c->most = (all / c->step + 1) * c->step;
	if (c->most - all < c->most / 10)
		c->most += c->step;
}

static int
read_columns(void *picture, struct tp_words *w)
{
	struct columns *c = picture;
	int64_t whole;
	int all;

	if (!tp_words_first(w, "from"))
		return 0;
	name_parts(c, w);
	while (tp_words_next(w))
		if (tp_words_value(w, tp_json_get(w->spec, "whole"),
		    &whole) >= 0)
			add_column(c, w, whole);
	all = cJSON_IsTrue(tp_json_get(w->spec, "hatched-counts"));
	for (size_t i = 0; i < c->panel_count; i++)
		summarise_columns(&c->panels[i], all);
	c->left = tp_words_left(&w->traces, PANELS);
	set_height(c);
	return c->most > 0;
}

static void
release(void *picture)
{
	struct columns *c = picture;

	for (size_t i = 0; i < c->panel_count; i++)
		tp_free(c->panels[i].list);
}

/* The longest of columns FROM to TO (exclusive) of P. */
static const struct column *
longest(const struct panel *p, size_t from, size_t to)
{
	const struct column *most = &p->list[from];

	for (; from < to && from < p->count; from++)
		if (p->list[from].whole > most->whole)
			most = &p->list[from];
	return most;
}

/*
 * "median 1.31 s of 7 steps: GPU busy 81.0 %, GPU idle 19.0 %"; with few
 * columns "1.30 s to 1.40 s in 2 steps".
 */
static void
put_summary(const struct columns *c, const struct panel *p,
    struct tp_buf *b)
{
	const char *between = ": ";

	tp_buf_fmt(b, "%s%s", c->measured, *c->measured ? ", " : "");
	if (p->used >= FEW) {
		tp_buf_str(b, "median ");
		tp_unit_ns(b, p->median);
	} else {
		tp_unit_ns(b, p->least);
		if (p->longest > p->least) {
			tp_buf_str(b, " to ");
			tp_unit_ns(b, p->longest);
		}
	}
	tp_buf_fmt(b, " %s %zu %s%s", p->used >= FEW ? "of" : "in",
	    p->used, c->word, p->used == 1 ? "" : "s");
	for (size_t i = 0; c->part_count > 1 && p->sum && i < c->part_count;
	    i++) {
		if (!p->sums[i])
			continue;
		tp_buf_fmt(b, "%s%s ", between, c->names[i]);
		tp_unit_percent(b, (double)p->sums[i] / (double)p->sum);
		between = ", ";
	}
}

static void
put_title(const struct columns *c, const struct column *col,
    struct tp_buf *b)
{
	tp_buf_fmt(b, "%s %s%s%s%s: ", c->word, col->name, col->hatched ?
	    " (" : "", col->hatched ? c->hatched : "", col->hatched ? ")" :
	    "");
	tp_unit_ns(b, col->whole);
	for (size_t i = 0; c->part_count > 1 && i < c->part_count; i++)
		if (col->parts[i]) {
			tp_buf_fmt(b, ", %s ", c->names[i]);
			tp_unit_ns(b, col->parts[i]);
		}
	if (*col->below)
		tp_buf_fmt(b, ", %s %s", c->below ? c->below : "",
		    col->below);
}

static void
colour(const struct columns *c, size_t part, struct tp_mark *m)
{
	m->colour = c->colours[part];
	m->percent = m->colour ? 100 : 15;
	m->sign = TP_SIGN_NONE;
}

/* Add COL from X to TO; VALUED: with its time above it. */
static void
show_column(const struct columns *c, const struct column *col, double x,
    double to, int valued, struct tp_scene *s)
{
	double most = (double)c->most, low = 0, high;
	int is_cut = col->whole > c->most;
	struct tp_mark *m;

	for (size_t i = 0; i < c->part_count; i++, low = high) {
		high = low + (double)col->parts[i] / most;
		high = high > 1 ? 1 : high;
		if (high <= low)
			continue;
		m = tp_scene_mark(s, x, to);
		colour(c, i, m);
		m->low = low;
		m->high = high;
	}
	m = tp_scene_mark(s, x, to);
	m->high = low;
	m->percent = 0;
	m->sign = TP_SIGN_AREA;
	m->hatched = col->hatched;
	put_title(c, col, &s->text);
	m->title = tp_scene_keep(s);
	if (is_cut)
		tp_scene_line(s, x, 0.95, to, 1);
	if (valued || is_cut) {
		m = tp_scene_text(s, is_cut ? to : (x + to) / 2, is_cut ? 0.9 :
		    low + 0.06, is_cut ? -1 : 0, tp_scene_ns(s, col->whole));
		m->sign = TP_SIGN_NONE;
	}
}

static void
show_axis(const struct columns *c, const struct panel *p,
    struct tp_scene *s)
{
	double most = (double)c->most, at;

	for (int64_t t = 0; t <= c->most; t += c->step) {
		at = (double)t / most;
		tp_scene_line(s, 0, at, 1, at)->percent = t ? 15 : 60;
		tp_scale_time(&s->text, t, c->step);
		if (t < c->most && (t || !s->form))
			tp_scene_text(s, -1, at, -1, tp_scene_keep(s));
		tp_buf_clear(&s->text);
	}
	if (p->used >= FEW) {
		at = (double)p->median / most;
		tp_scene_line(s, 0, at, 1, at)->dashed = 1;
		tp_buf_str(&s->text, "median ");
		tp_unit_ns(&s->text, p->median);
		tp_scene_text(s, 1, at + 0.06, 1, tp_scene_keep(s))->
		    sign = TP_SIGN_NONE;
	}
}

static void
show_panel(const struct columns *c, const struct panel *p,
    struct tp_scene *s)
{
	size_t each = (p->count + s->cells - 1) / s->cells;
	size_t n = (p->count + each - 1) / each;
	double slot = 1 / (double)(n > SLOTS ? n : SLOTS);
	double gap = n > s->cells / 2 ? 0 : slot / 8;
	struct tp_scene_row *row;

	if (c->panel_count > 1)
		tp_buf_fmt(&s->text, "%s: ", p->name);
	put_summary(c, p, &s->text);
	if (each > 1)
		tp_buf_fmt(&s->text, "; a column is the longest of %zu %ss",
		    each, c->word);
	tp_scene_words(s);
	row = tp_scene_row(s, TP_ROW, NULL);
	row->height = HEIGHT;
	row->lines = c->panel_count > 2 ? LOW : HIGH;
	for (size_t i = 0; i < n; i++)
		show_column(c, longest(p, i * each, (i + 1) * each), (double)i *
		    slot + gap, (double)(i + 1) * slot - gap, n < FEW, s);
	show_axis(c, p, s);
	for (int line = 0; line < 2 && (!line || (c->below && n <= 2 *
	    SLOTS)); line++) {
		tp_scene_row(s, TP_NAMES, line ? c->below : c->word);
		for (size_t i = 0; i < n; i++) {
			const struct column *col = longest(p, i * each,
			    (i + 1) * each);

			tp_buf_fmt(&s->text, "%s%s", line ? col->below :
			    col->name, col->hatched && !line && s->form ? "*" :
			    "");
			tp_scene_text(s, ((double)i + 0.5) * slot, 0, 0,
			    tp_scene_keep(s));
		}
	}
}

static int
has_part(const struct columns *c, size_t part)
{
	for (size_t i = 0; i < c->panel_count; i++)
		for (size_t k = 0; k < c->panels[i].count; k++) {
			const struct column *col = &c->panels[i].list[k];

			if (part < c->part_count ? col->parts[part] > 0 :
			    col->hatched)
				return 1;
		}
	return 0;
}

static void
fill(void *picture, struct tp_scene *s)
{
	const struct columns *c = picture;
	struct tp_mark *m;

	s->left = 0.15;
	for (size_t i = 0; i < c->panel_count; i++)
		show_panel(c, &c->panels[i], s);
	tp_scene_row(s, TP_LEGEND, NULL);
	for (size_t i = 0; i <= c->part_count; i++) {
		if (!has_part(c, i) || (c->part_count == 1 && !i))
			continue;
		m = tp_scene_mark(s, 0, 0);
		m->sign = TP_SIGN_NONE;
		m->percent = 0;
		m->hatched = i == c->part_count;
		m->text = m->hatched ? c->hatched : c->names[i];
		if (!m->hatched)
			colour(c, i, m);
	}
	if (s->form && has_part(c, c->part_count))
		tp_buf_fmt(&s->text, "* %s", c->hatched);
	tp_scene_words(s);
	tp_scene_left(s, c->left, "trace");
}

static void
say(const void *picture, struct tp_buf *b)
{
	const struct columns *c = picture;

	if (!b->len)
		put_summary(c, &c->panels[0], b);
}

const struct tp_picture_type tp_columns = { .name = "columns",
    .size = sizeof(struct columns), .read = read_columns, .say = say,
    .fill = fill, .release = release };
