/* groups - colours of groups of items in a picture */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/json.h>
#include <tp/share.h>
#include <tp/text.h>

#include "draw/groups.h"
#include "draw/scale.h"
#include "draw/scene.h"
#include "draw/svg.h"
#include "draw/words.h"

/*
 * The group of the table called NAME or with NAME as a member; NULL if there is
 * none.
 */
static const cJSON *
find_colour_group(const struct tp_groups *g, const char *name)
{
	const cJSON *group;

	cJSON_ArrayForEach(group, tp_json_get(g->table, "groups")) {
		const char *own = tp_json_text(group, "name");

		if (own && (!strcmp(own, name) || tp_json_holds(tp_json_get(
		    group, "of"), name)))
			return group;
	}
	return NULL;
}

/* The name of NAME's group in the table, or NAME itself. */
static const char *
called(const struct tp_groups *g, const char *name)
{
	const cJSON *group = find_colour_group(g, name);

	return group ? tp_json_text(group, "name") : name;
}

/*
 * Append the groups of the JSON list TEXT to B, separated by commas and without
 * adjacent duplicates.  A TEXT that is not a list is one member.
 */
static void
join(const struct tp_groups *g, struct tp_buf *b, const char *text)
{
	cJSON *list = *text == '[' ? cJSON_Parse(text) : NULL;
	const cJSON *item;
	const char *name, *last = "";

	cJSON_ArrayForEach(item, list) {
		if (!cJSON_IsString(item))
			continue;
		name = called(g, item->valuestring);
		if (!strcmp(name, last))
			continue;
		if (b->len)
			tp_buf_str(b, ", ");
		tp_show_text(b, name, strlen(name));
		last = name;
	}
	if (!b->len)
		tp_buf_str(b, *text && !list ? called(g, text) : "other");
	cJSON_Delete(list);
}

size_t
tp_groups_add(struct tp_groups *g, struct tp_words *w, const char *text,
    int64_t size)
{
	struct tp_buf name = { 0 };
	ptrdiff_t at;

	if (!g->table && !w->failed)
		g->table = tp_share_json("pictures/_groups.json", w->err);
	w->failed |= !g->table;
	join(g, &name, text);
	at = tp_names_add(&g->names, name.p, name.len);
	tp_buf_release(&name);
	TP_ITEM(g->sums, g->cap, at);
	if (!g->is_given)
		tp_scale_sum(&g->sums[at], size);
	return (size_t)at;
}

void
tp_groups_order(struct tp_groups *g, struct tp_words *w)
{
	const cJSON *spec = w->spec, *groups = tp_json_get(spec, "groups");
	const char *name = tp_json_text(groups, "name"), *text;
	int64_t n;
	int any = 0;

	tp_words_begin(w, groups);
	while (name && tp_words_next(w)) {
		text = tp_rec_text(w->rec, name);
		if (!text || tp_words_value(w, tp_json_get(groups, "keys"),
		    &n) < 0)
			continue;
		tp_groups_add(g, w, text, n);
		any = 1;
	}
	g->is_given = any;
	tp_words_begin(w, spec);
}

/* Whether a group has COLOUR.  Any number of groups may be grey. */
static int
is_taken(const struct tp_groups *g, const char *colour)
{
	if (!strcmp(colour, tp_svg_colour("grey")))
		return 0;
	for (size_t i = 0; i < g->count; i++)
		if (g->colours[i] && !strcmp(g->colours[i], colour))
			return 1;
	return 0;
}

/*
 * Give each group its colour in the table unless an earlier group has it, and
 * the others one each of the remaining colours.
 */
static void
set_colours(struct tp_groups *g)
{
	const cJSON *group;
	const char *name, *colour;
	size_t next = 0;

	cJSON_ArrayForEach(group, tp_json_get(g->table, "groups")) {
		name = tp_json_text(group, "name");
		colour = tp_words_colour(group, "colour");
		for (size_t i = 0; i < g->count && name && colour; i++)
			if (!strcmp(g->top[i], name) && !is_taken(g, colour))
				g->colours[i] = colour;
	}
	for (size_t i = 0; i < g->count; i++)
		while (!g->colours[i]) {
			colour = tp_svg_nth_colour(next++);
			if (!is_taken(g, colour))
				g->colours[i] = colour;
		}
}

void
tp_groups_rank(struct tp_groups *g)
{
	size_t n = g->names.count, best;

	while (g->count < TP_GROUPS && g->count < n) {
		best = n;
		for (size_t i = 0; i < n; i++)
			if (g->sums[i] >= 0 && (best == n ||
			    g->sums[i] > g->sums[best]))
				best = i;
		g->sums[best] = -1;
		g->places[g->count] = best;
		g->top[g->count++] = g->names.names[best].text;
	}
	set_colours(g);
}

void
tp_groups_use(struct tp_groups *g, size_t at)
{
	g->is_used[tp_groups_place(g, at)] = 1;
}

size_t
tp_groups_place(const struct tp_groups *g, size_t at)
{
	size_t i = 0;

	while (i < g->count && g->places[i] != at)
		i++;
	return i;
}

const char *
tp_groups_name(const struct tp_groups *g, size_t at)
{
	return g->names.names[at].text;
}

void
tp_groups_release(struct tp_groups *g)
{
	tp_names_release(&g->names);
	tp_free(g->sums);
	cJSON_Delete(g->table);
}

const char *
tp_groups_colour(const struct tp_groups *g, size_t place)
{
	return place < g->count ? g->colours[place] : tp_svg_colour("grey");
}

const char *
tp_groups_called(const struct tp_groups *g, size_t place)
{
	return place < g->count ? g->top[place] : "any other";
}

void
tp_groups_keys(const struct tp_groups *g, struct tp_scene *s, int percent)
{
	struct tp_mark *m;

	tp_scene_row(s, TP_LEGEND, NULL);
	for (size_t i = 0; i <= g->count; i++) {
		if (!g->is_used[i])
			continue;
		m = tp_scene_mark(s, 0, 0);
		m->text = tp_groups_called(g, i);
		m->colour = tp_groups_colour(g, i);
		m->percent = percent;
		m->sign = TP_SIGN_NONE;
	}
}
