/* bars - the largest times as bars, largest first */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/json.h>
#include <tp/order.h>
#include <tp/text.h>
#include <tp/unit.h>

#include "draw/bars.h"
#include "draw/scale.h"
#include "draw/words.h"

/* 1/NOTED of the whole is the smallest bar drawn. */
enum { NOTED = 1000 };

struct reading {
	struct tp_bars *bars;
	const cJSON *spec, *keys;
	const struct tp_set *set;
	struct tp_err *err;
};

static struct tp_bars_panel *
panel_of(struct tp_bars *c, const char *src)
{
	for (size_t i = 0; i < c->panel_count; i++)
		if (!strcmp(c->panels[i].src, src))
			return &c->panels[i];
	if (c->panel_count == TP_BARS_PANELS)
		return NULL;
	c->panels[c->panel_count].src = src;
	return &c->panels[c->panel_count++];
}

static int
add_bar(struct reading *r, const struct tp_rec *rec, struct tp_bars_panel *p,
    int64_t size)
{
	struct tp_bars *c = r->bars;
	struct tp_bar bar = { .size = size, .order = p->count };
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

TP_ORDER(by_size, struct tp_bar, TP_DOWN(size) TP_UP(order))

static void
add_row(struct tp_bars *c, struct tp_bars_panel *p, const struct tp_bar *bar)
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
choose_rows(struct reading *r, struct tp_bars_panel *p)
{
	struct tp_bars *c = r->bars;
	const cJSON *spec = tp_json_get(r->spec, "whole");
	size_t most = c->panel_count > 1 ? TP_BARS_ROWS / 2 : TP_BARS_ROWS;
	struct tp_bar others = { .is_left = 1 },
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
	struct tp_bars_panel *p;
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

void
tp_bars_size(const struct tp_bars *c, int64_t size, struct tp_buf *b)
{
	tp_scale_number(b, c->key, size);
}

void
tp_bars_share(const struct tp_bars_panel *p, int64_t size, struct tp_buf *b)
{
	tp_unit_percent(b, (double)size / (double)p->whole);
}

void
tp_bars_caption(const struct tp_bars *c, const struct tp_bars_panel *p,
    struct tp_buf *b)
{
	if (c->panel_count > 1)
		tp_buf_fmt(b, "%s: shares are of ", p->name);
	else
		tp_buf_str(b, "Shares are of ");
	tp_buf_fmt(b, "%s: ", c->base);
	tp_bars_size(c, p->whole, b);
}

/* Describe the largest bars for readers who cannot see the picture. */
static void
say(const struct tp_bars *c, struct tp_buf *b)
{
	const struct tp_bars_panel *p = &c->panels[0];

	for (size_t i = 0; i < 3 && i < p->row_count && !p->rows[i].is_left;
	    i++) {
		tp_buf_fmt(b, "%s%s ", i ? ", " : "", p->rows[i].name);
		tp_bars_size(c, p->rows[i].size, b);
		tp_buf_str(b, " (");
		tp_bars_share(p, p->rows[i].size, b);
		tp_buf_chr(b, ')');
	}
	tp_buf_str(b, ". ");
	tp_bars_caption(c, p, b);
	tp_buf_chr(b, '.');
}

TP_DRAW(bars, say(&c, &d->text))
