/* columns - steps or runs as columns, stacked by where their time went */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/json.h>
#include <tp/order.h>
#include <tp/unit.h>

#include "draw/columns.h"
#include "draw/scale.h"
#include "draw/svg.h"
#include "draw/words.h"

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
		    c->part_count == TP_COLUMNS_PARTS - 1)
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

static struct tp_columns_panel *
panel_of(struct tp_columns *c, const char *src)
{
	for (size_t i = 0; i < c->panel_count; i++)
		if (!strcmp(c->panels[i].name, src))
			return &c->panels[i];
	if (c->panel_count == TP_COLUMNS_PANELS)
		return NULL;
	c->panels[c->panel_count].name = src;
	return &c->panels[c->panel_count++];
}

static int
add_chart_column(struct reading *r, struct tp_columns_panel *p)
{
	struct tp_columns *c = r->columns;
	struct tp_column column = { 0 };
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
summarise_columns(struct tp_columns_panel *p, int all)
{
	int64_t *wholes = tp_alloc(p->count * sizeof *wholes);
	size_t plain = 0;

	for (size_t i = 0; i < p->count; i++)
		plain += !p->list[i].hatched;
	for (size_t i = 0; i < p->count; i++) {
		const struct tp_column *c = &p->list[i];

		if (plain && c->hatched && !all)
			continue;
		wholes[p->used++] = c->whole;
		if (p->sum > INT64_MAX - c->whole)
			continue;
		p->sum += c->whole;
		for (size_t k = 0; k < TP_COLUMNS_PARTS; k++)
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
			const struct tp_column *col = &c->panels[i].list[k];

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
	struct tp_columns_panel *p;
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

const struct tp_column *
tp_columns_longest(const struct tp_columns_panel *p, size_t from, size_t to)
{
	const struct tp_column *most = &p->list[from];

	for (; from < to && from < p->count; from++)
		if (p->list[from].whole > most->whole)
			most = &p->list[from];
	return most;
}

int
tp_columns_any(const struct tp_columns *c, size_t part)
{
	for (size_t i = 0; i < c->panel_count; i++)
		for (size_t k = 0; k < c->panels[i].count; k++) {
			const struct tp_column *col = &c->panels[i].list[k];

			if (part < c->part_count ? col->parts[part] > 0 :
			    col->hatched)
				return 1;
		}
	return 0;
}

void
tp_columns_words(const struct tp_columns *c, const struct tp_columns_panel *p,
    struct tp_buf *b)
{
	const char *between = ": ";

	if (c->measured)
		tp_buf_fmt(b, "%s, ", c->measured);
	if (p->used >= TP_COLUMNS_FEW) {
		tp_buf_str(b, "median ");
		tp_unit_ns(b, p->median);
	} else {
		tp_unit_ns(b, p->least);
		if (p->longest > p->least) {
			tp_buf_str(b, " to ");
			tp_unit_ns(b, p->longest);
		}
	}
	tp_buf_fmt(b, " %s %zu %s%s", p->used >= TP_COLUMNS_FEW ? "of" : "in",
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

TP_DRAW(columns, tp_columns_words(&c, &c.panels[0], &d->text))
