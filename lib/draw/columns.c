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
#include <tp/hash.h>
#include <tp/json.h>
#include <tp/order.h>
#include <tp/unit.h>

#include "draw/picture.h"
#include "draw/scale.h"
#include "draw/svg.h"
#include "draw/words.h"

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

struct columns_panel {
	const char *name;	/* of its trace */
	struct column *list;
	size_t count, cap;
	int64_t least, median, longest;	/* over the columns that count: those
					 * not hatched; all when hatched ones
					 * count too or no other exists */
	int64_t sums[PARTS], sum;	/* over the same columns */
	size_t used;		/* number of such columns */
};

struct tp_columns {
	struct tp_arena arena;
	const char *word;	/* what a column is: "step" */
	const char *hatched;	/* word for hatched columns: "warm-up" */
	int hatched_counts;
	const char *measured;	/* word for the whole: "GPU span"; may be
				 * NULL */
	const char *below;	/* meaning of the second label lines; may be
				 * NULL */
	const char *names[PARTS], *colours[PARTS];
	size_t part_count;
	struct columns_panel panels[PANELS];
	size_t panel_count;
	struct tp_names left;	/* traces beyond the panels */
	int64_t most, step;	/* height of the axis (a higher hatched column
				 * is cut) and distance of ticks */
};

struct reading {
	struct tp_columns *columns;
	const cJSON *spec, *whole, *parts;
	const struct tp_set *set;
	const struct tp_rec *rec;
	struct tp_err *err;
	int any_below;
};

static int
part_names(struct reading *r)
{
	struct tp_columns *c = r->columns;
	const cJSON *part;
	const char *rest, *name, *colour;

	r->whole = tp_json_get(r->spec, "whole");
	r->parts = tp_json_get(r->spec, "parts");
	c->word = tp_json_text(r->spec, "word");
	c->hatched = tp_words(&c->arena, r->spec, "hatched-name", r->set, NULL,
	    r->err);
	rest = tp_words(&c->arena, r->spec, "rest", r->set, NULL, r->err);
	c->measured = tp_words(&c->arena, r->spec, "measured", r->set, NULL,
	    r->err);
	if (!c->hatched || !rest || !c->measured)
		return -1;
	c->hatched_counts = cJSON_IsTrue(tp_json_get(r->spec,
	    "hatched-counts"));
	c->measured = *c->measured ? c->measured : NULL;
	c->below = tp_json_text(r->spec, "below-name");
	c->word = c->word ? c->word : "step";
	c->hatched = *c->hatched ? c->hatched : "warm-up";
	cJSON_ArrayForEach(part, r->parts) {
		name = tp_json_text(part, "name");
		colour = tp_json_text(part, "colour");
		if (!name || !tp_json_text(part, "key") ||
		    c->part_count == PARTS - 1)
			return tp_fail(r->err, TP_BAD, "picture.damaged", 0,
			    "a part of a column has no key or name, or is one "
			    "too many");
		c->names[c->part_count] = name;
		c->colours[c->part_count] = colour ? tp_svg_colour(colour) :
		    tp_svg_nth_colour(c->part_count);
		c->part_count++;
	}
	c->names[c->part_count] = *rest ? rest : c->word;
	c->colours[c->part_count] = *rest ? "none" : tp_svg_colour("grey");
	c->part_count++;
	return 0;
}

static struct columns_panel *
panel_of(struct tp_columns *c, const char *src)
{
	for (size_t i = 0; i < c->panel_count; i++)
		if (!strcmp(c->panels[i].name, src))
			return &c->panels[i];
	if (c->panel_count == PANELS)
		return NULL;
	c->panels[c->panel_count].name = src;
	return &c->panels[c->panel_count++];
}

static int
add_chart_column(struct reading *r, struct columns_panel *p)
{
	struct tp_columns *c = r->columns;
	struct column column = { 0 };
	const char *key = tp_json_text(r->spec, "hatched");
	const struct tp_field *f = key ? tp_rec_field(r->rec, key) : NULL;
	const cJSON *part;
	int64_t sum = 0, n;
	size_t i = 0;

	if (tp_words_value(r->rec, r->whole, &column.whole) < 0)
		return 0;
	column.name = tp_words(&c->arena, r->spec, "name", r->set, r->rec,
	    r->err);
	column.below = tp_words(&c->arena, r->spec, "below", r->set, r->rec,
	    r->err);
	if (!column.name || !column.below)
		return -1;
	column.hatched = f && f->type == TP_FIELD_BOOL && f->n;
	cJSON_ArrayForEach(part, r->parts) {
		if (tp_rec_int(r->rec, tp_json_text(part, "key"), &n) &&
		    n > 0 && n <= TP_SCALE_FAR)
			column.parts[i] = n;
		sum += column.parts[i++];
	}
	/* work launched by a step may end after the step */
	TP_MOST(column.whole, sum);
	column.parts[i] = column.whole - sum;
	r->any_below |= *column.below != '\0';
	TP_APPEND(p->list, p->count, p->cap, column);
	return 0;
}

/*
 * Compute sums and the median: of columns that are not hatched unless ALL, or
 * of all if all are hatched.
 */
static void
summarise_columns(struct columns_panel *p, int all)
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
set_height(struct tp_columns *c)
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

/*
 * Read what PICTURE shows of SET.  Returns 1, 0 if there are no columns, or -1
 * with ERR.  C must be released in any case.
 */
static int
make(struct tp_columns *c, const struct cJSON *picture,
    const struct tp_set *set, struct tp_err *err)
{
	struct reading r = { .columns = c, .set = set, .err = err };
	struct columns_panel *p;
	size_t at = 0;
	int64_t whole;

	memset(c, 0, sizeof *c);
	r.spec = tp_words_first(tp_json_get(picture, "from"), set);
	if (!r.spec)
		return 0;
	if (part_names(&r) < 0)
		return -1;
	while ((r.rec = tp_words_next(r.spec, set, &at))) {
		if (tp_words_value(r.rec, r.whole, &whole) < 0)
			continue;
		p = panel_of(c, r.rec->src);
		if (!p)
			tp_names_add(&c->left, r.rec->src, strlen(r.rec->src));
		if (p && add_chart_column(&r, p) < 0)
			return -1;
	}
	for (at = 0; at < c->panel_count; at++)
		if (c->panels[at].count)
			summarise_columns(&c->panels[at], c->hatched_counts);
	if (!r.any_below)
		c->below = NULL;
	set_height(c);
	return c->most > 0;
}

static void
release_columns(struct tp_columns *c)
{
	for (size_t i = 0; i < c->panel_count; i++)
		tp_free(c->panels[i].list);
	tp_names_release(&c->left);
	tp_arena_release(&c->arena);
}

/* The longest of columns FROM to TO (exclusive) of P. */
static const struct column *
longest(const struct columns_panel *p, size_t from, size_t to)
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
put_summary(const struct tp_columns *c, const struct columns_panel *p,
    struct tp_buf *b)
{
	const char *between = ": ";

	if (c->measured)
		tp_buf_fmt(b, "%s, ", c->measured);
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

static const char *
keep_ns(struct tp_scene *s, int64_t ns)
{
	struct tp_buf text = { 0 };
	const char *kept;

	tp_unit_ns(&text, ns);
	kept = tp_scene_keep(s, &text);
	tp_buf_release(&text);
	return kept;
}

static void
put_title(const struct tp_columns *c, const struct column *col,
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
colour(const struct tp_columns *c, size_t part, struct tp_mark *m)
{
	int none = !strcmp(c->colours[part], "none");

	m->colour = none ? NULL : c->colours[part];
	m->percent = none ? 15 : 100;
	m->sign = TP_SIGN_NONE;
}

/* Add COL from X to TO; VALUED: with its time above it. */
static void
show_column(const struct tp_columns *c, const struct column *col, double x,
    double to, int valued, struct tp_scene *s)
{
	double most = (double)c->most, low = 0, high;
	int is_cut = col->whole > c->most;
	struct tp_buf text = { 0 };
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
	put_title(c, col, &text);
	m->title = tp_scene_keep(s, &text);
	if (is_cut)
		tp_scene_line(s, x, 0.95, to, 1);
	if (valued || is_cut) {
		m = tp_scene_text(s, is_cut ? to : (x + to) / 2, is_cut ? 0.9 :
		    low + 0.06, is_cut ? -1 : 0, keep_ns(s, col->whole));
		m->sign = TP_SIGN_NONE;
	}
	tp_buf_release(&text);
}

static void
show_axis(const struct tp_columns *c, const struct columns_panel *p,
    struct tp_scene *s)
{
	double most = (double)c->most, at;
	struct tp_buf text = { 0 };

	for (int64_t t = 0; t <= c->most; t += c->step) {
		at = (double)t / most;
		tp_scene_line(s, 0, at, 1, at)->percent = t ? 15 : 60;
		tp_scale_time(&text, t, c->step);
		if (t < c->most && (t || !s->form))
			tp_scene_text(s, -1, at, -1, tp_scene_keep(s, &text));
		tp_buf_clear(&text);
	}
	if (p->used >= FEW) {
		at = (double)p->median / most;
		tp_scene_line(s, 0, at, 1, at)->dashed = 1;
		tp_buf_str(&text, "median ");
		tp_unit_ns(&text, p->median);
		tp_scene_text(s, 1, at + 0.06, 1, tp_scene_keep(s, &text))->
		    sign = TP_SIGN_NONE;
	}
	tp_buf_release(&text);
}

static void
show_panel(const struct tp_columns *c, const struct columns_panel *p,
    struct tp_scene *s)
{
	size_t each = (p->count + s->cells - 1) / s->cells;
	size_t n = (p->count + each - 1) / each;
	double slot = 1 / (double)(n > SLOTS ? n : SLOTS);
	double gap = n > s->cells / 2 ? 0 : slot / 8;
	struct tp_scene_row *row;
	struct tp_buf text = { 0 };

	if (c->panel_count > 1)
		tp_buf_fmt(&text, "%s: ", p->name);
	put_summary(c, p, &text);
	if (each > 1)
		tp_buf_fmt(&text, "; a column is the longest of %zu %ss",
		    each, c->word);
	tp_scene_words(s, &text);
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

			tp_buf_fmt(&text, "%s%s", line ? col->below :
			    col->name, col->hatched && !line && s->form ? "*" :
			    "");
			tp_scene_text(s, ((double)i + 0.5) * slot, 0, 0,
			    tp_scene_keep(s, &text));
		}
	}
	tp_buf_release(&text);
}

static int
has_part(const struct tp_columns *c, size_t part)
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
fill(const struct tp_columns *c, struct tp_scene *s)
{
	struct tp_buf text = { 0 };
	struct tp_mark *m;

	s->left = 0.15;
	for (size_t i = 0; i < c->panel_count; i++)
		if (c->panels[i].count)
			show_panel(c, &c->panels[i], s);
	tp_scene_row(s, TP_LEGEND, NULL);
	for (size_t i = 0; i <= c->part_count; i++) {
		if (!has_part(c, i) || (c->part_count == 1 && !i))
			continue;
		m = tp_scene_mark(s, 0, 0);
		if (i < c->part_count)
			colour(c, i, m);
		m->text = i < c->part_count ? c->names[i] : c->hatched;
		m->hatched = i == c->part_count;
		m->percent = m->hatched ? 0 : m->percent;
		m->sign = TP_SIGN_NONE;
	}
	if (s->form && has_part(c, c->part_count))
		tp_buf_fmt(&text, "* %s", c->hatched);
	tp_scene_words(s, &text);
	if (c->left.count)
		tp_buf_fmt(&text, "Not drawn: %zu more trace%s",
		    c->left.count, c->left.count == 1 ? "" : "s");
	tp_scene_words(s, &text);
	tp_buf_release(&text);
}

TP_DRAW(columns, put_summary(&c, &c.panels[0], &d->text))
