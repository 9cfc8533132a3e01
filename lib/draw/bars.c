/*
 * bars - the largest times as bars, largest first
 *
 * Each trace is a panel; all panels have one scale.
 * The largest items have a bar each, the others share one, and one more bar
 * shows the part of the whole that no record covers, so the bars add up to
 * the whole.
 *
 * Memory: 40 bytes per record, and names.
 */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/hash.h>
#include <tp/json.h>
#include <tp/order.h>
#include <tp/text.h>
#include <tp/unit.h>

#include "draw/groups.h"
#include "draw/picture.h"
#include "draw/scale.h"
#include "draw/words.h"

/* ROWS: of a panel, half with several.  1/NOTED of the whole is the smallest
 * bar drawn. */
enum { PANELS = 4, ROWS = 12, NOTED = 1000, HEIGHT = 16 };

struct bar {
	const char *name;
	int is_left;		/* no item: others, or uncovered time */
	size_t group, order;
	int64_t size;
};

struct bars_panel {
	const char *name;		/* name of its trace, for display */
	const char *src;
	struct bar *list;		/* all, largest first */
	size_t count, cap;
	/* One more than ROWS, instead of a bar "1 other". */
	struct bar rows[ROWS + 2];
	size_t row_count;
	int64_t whole;
};

struct tp_bars {
	struct tp_arena arena;
	const char *key;	/* key that is measured; gives the unit */
	const char *base;	/* name of the whole, for shares */
	const char *rest;	/* name of the part without records */
	struct tp_groups groups;
	struct bars_panel panels[PANELS];
	size_t panel_count;
	struct tp_names left;	/* traces beyond the panels */
	int64_t most;		/* the longest bar */
};

struct reading {
	struct tp_bars *bars;
	const cJSON *spec, *keys;
	const struct tp_set *set;
	struct tp_err *err;
};

static struct bars_panel *
panel_of(struct tp_bars *c, const char *src)
{
	for (size_t i = 0; i < c->panel_count; i++)
		if (!strcmp(c->panels[i].src, src))
			return &c->panels[i];
	if (c->panel_count == PANELS)
		return NULL;
	c->panels[c->panel_count].src = src;
	return &c->panels[c->panel_count++];
}

static int
add_bar(struct reading *r, const struct tp_rec *rec, struct bars_panel *p,
    int64_t size)
{
	struct tp_bars *c = r->bars;
	struct bar bar = { .size = size, .order = p->count };
	const char *group;

	bar.name = tp_words(&c->arena, r->spec, "name", r->set, rec, r->err);
	group = bar.name ? tp_words(&c->arena, r->spec, "group", r->set, rec,
	    r->err) : NULL;
	if (!group || tp_groups_add(&c->groups, group, size, &bar.group,
	    r->err) < 0)
		return -1;
	TP_APPEND(p->list, p->count, p->cap, bar);
	return 0;
}

TP_ORDER(by_size, struct bar, TP_DOWN(size) TP_UP(order))

static void
add_row(struct tp_bars *c, struct bars_panel *p, const struct bar *bar)
{
	p->rows[p->row_count++] = *bar;
	if (!bar->is_left)
		tp_groups_use(&c->groups, bar->group);
	TP_MOST(c->most, bar->size);
}

/*
 * Choose the rows of P.  The whole of its trace is the one in the records, or
 * else the sum of its rows.
 */
static void
choose_rows(struct reading *r, struct bars_panel *p)
{
	struct tp_bars *c = r->bars;
	const cJSON *spec = tp_json_get(r->spec, "whole");
	size_t most = c->panel_count > 1 ? ROWS / 2 : ROWS;
	struct bar others = { .is_left = 1 },
	    rest = { .name = c->rest, .is_left = 1 };
	const struct tp_rec *rec;
	struct tp_buf text = { 0 };
	int64_t sum = 0, n;
	size_t at = 0;

	TP_SORT(p->list, p->count, by_size);
	for (size_t i = 0; i < p->count; i++)
		tp_scale_sum(&sum, p->list[i].size);
	while (!p->whole && (rec = tp_words_next(spec, r->set, &at)))
		if (!strcmp(rec->src, p->src) && tp_words_value(rec,
		    tp_json_get(spec, "keys"), &n) >= 0)
			p->whole = n;
	TP_MOST(p->whole, sum);
	most = most < p->count ? most : p->count;
	while (most > 1 && p->list[most - 1].size < p->whole / NOTED)
		most--;
	if (p->count == most + 1)
		most = p->count;
	for (size_t i = 0; i < p->count; i++)
		if (i < most)
			add_row(c, p, &p->list[i]);
		else
			tp_scale_sum(&others.size, p->list[i].size);
	if (p->count > most) {
		tp_buf_fmt(&text, "%zu others", p->count - most);
		others.name = tp_arena_text(&c->arena, text.p, text.len);
		tp_buf_clear(&text);
		add_row(c, p, &others);
	}
	rest.size = p->whole - sum;
	if (c->rest && rest.size > p->whole / NOTED)
		add_row(c, p, &rest);
	tp_show_text(&text, p->src, strlen(p->src));
	p->name = tp_arena_text(&c->arena, text.p ? text.p : "", text.len);
	tp_buf_release(&text);
}

static int
read_all(struct reading *r)
{
	struct tp_bars *c = r->bars;
	const struct tp_rec *rec;
	struct bars_panel *p;
	const char *key;
	int64_t n;
	size_t at = 0;
	int which;

	while ((rec = tp_words_next(r->spec, r->set, &at))) {
		which = tp_words_value(rec, r->keys, &n);
		if (which < 0 || !n)
			continue;
		key = cJSON_GetArrayItem(r->keys, which)->valuestring;
		c->key = c->key ? c->key : key;
		if (strcmp(c->key, key) != 0)
			continue;
		p = panel_of(c, rec->src);
		if (!p)
			tp_names_add(&c->left, rec->src, strlen(rec->src));
		if (p && add_bar(r, rec, p, n) < 0)
			return -1;
	}
	tp_groups_rank(&c->groups);
	for (at = 0; at < c->panel_count; at++)
		choose_rows(r, &c->panels[at]);
	return c->panel_count > 0;
}

/*
 * Read what PICTURE shows of SET.  Returns 1, 0 if there are no bars, or -1
 * with ERR.  C must be released in any case.
 */
static int
make(struct tp_bars *c, const struct cJSON *picture,
    const struct tp_set *set, struct tp_err *err)
{
	struct reading r = { .bars = c, .set = set, .err = err };

	memset(c, 0, sizeof *c);
	r.spec = tp_words_first(tp_json_get(picture, "from"), set);
	if (!r.spec)
		return 0;
	r.keys = tp_json_get(r.spec, "keys");
	c->base = tp_words(&c->arena, r.spec, "base", set, NULL, err);
	if (!c->base)
		return -1;
	c->rest = tp_json_text(r.spec, "rest");
	if (!cJSON_IsArray(r.keys) || !*c->base)
		return tp_fail(err, TP_BAD, "picture.damaged", 0,
		    "bars have no keys or no base");
	if (tp_groups_order(&c->groups, r.spec, set, err) < 0)
		return -1;
	return read_all(&r);
}

static void
release_bars(struct tp_bars *c)
{
	for (size_t i = 0; i < c->panel_count; i++)
		tp_free(c->panels[i].list);
	tp_groups_release(&c->groups);
	tp_names_release(&c->left);
	tp_arena_release(&c->arena);
}

static void
put_size(const struct tp_bars *c, int64_t size, struct tp_buf *b)
{
	tp_scale_number(b, c->key, size);
}

static void
put_share(const struct bars_panel *p, int64_t size, struct tp_buf *b)
{
	tp_unit_percent(b, (double)size / (double)p->whole);
}

/* "Shares are of GPU time: 2.21 ms". */
static void
put_caption(const struct tp_bars *c, const struct bars_panel *p,
    struct tp_buf *b)
{
	if (c->panel_count > 1)
		tp_buf_fmt(b, "%s: shares are of ", p->name);
	else
		tp_buf_str(b, "Shares are of ");
	tp_buf_fmt(b, "%s: ", c->base);
	put_size(c, p->whole, b);
}

static void
show_bar(struct tp_bars *c, const struct bars_panel *p,
    const struct bar *bar, struct tp_scene *s)
{
	struct tp_scene_row *row = tp_scene_row(s, TP_ROW, bar->name);
	struct tp_buf text = { 0 };
	struct tp_mark *m;

	row->height = HEIGHT;
	row->is_over = 1;
	row->note = bar->is_left ? NULL : tp_groups_name(&c->groups,
	    bar->group);
	put_size(c, bar->size, &text);
	row->values[0] = tp_scene_keep(s, &text);
	put_share(p, bar->size, &text);
	row->values[1] = tp_scene_keep(s, &text);
	tp_buf_str(&text, bar->name);
	if (row->note)
		tp_buf_fmt(&text, " (%s)", row->note);
	tp_buf_fmt(&text, ": %s, %s", row->values[0], row->values[1]);
	m = tp_scene_mark(s, 0, (double)bar->size / (double)c->most);
	m->title = tp_scene_keep(s, &text);
	m->percent = bar->is_left ? 15 : 45;
	m->sign = bar->is_left ? TP_SIGN_HALF : TP_SIGN_FILL;
	if (!bar->is_left)
		m->colour = tp_groups_colour(&c->groups, tp_groups_place(
		    &c->groups, bar->group));
	tp_buf_release(&text);
}

static void
fill(struct tp_bars *c, struct tp_scene *s)
{
	struct tp_buf text = { 0 };

	for (size_t i = 0; i < c->panel_count; i++) {
		put_caption(c, &c->panels[i], &text);
		tp_scene_words(s, &text);
		for (size_t k = 0; k < c->panels[i].row_count; k++)
			show_bar(c, &c->panels[i], &c->panels[i].rows[k], s);
	}
	tp_groups_keys(&c->groups, s, 45);
	if (c->left.count)
		tp_buf_fmt(&text, "Not drawn: %zu more trace%s",
		    c->left.count, c->left.count == 1 ? "" : "s");
	tp_scene_words(s, &text);
	tp_buf_release(&text);
}

/* Describe the largest bars for readers who cannot see the picture. */
static void
say(const struct tp_bars *c, struct tp_buf *b)
{
	const struct bars_panel *p = &c->panels[0];

	for (size_t i = 0; i < 3 && i < p->row_count && !p->rows[i].is_left;
	    i++) {
		tp_buf_fmt(b, "%s%s ", i ? ", " : "", p->rows[i].name);
		put_size(c, p->rows[i].size, b);
		tp_buf_str(b, " (");
		put_share(p, p->rows[i].size, b);
		tp_buf_chr(b, ')');
	}
	tp_buf_str(b, ". ");
	put_caption(c, p, b);
	tp_buf_chr(b, '.');
}

TP_DRAW_SCENE(bars, say(&c, &d->text))
