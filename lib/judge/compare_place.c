/* compare_place - pair operations by their place in the model */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/order.h>

#include "compare_private.h"

/* An operation of one side. */
struct placed {
	size_t place;		/* index of its place */
	uint64_t number;	/* at the end of its name */
	const char *name;
};

TP_ORDER(by_place, struct placed, TP_UP(place) TP_UP(number)
    TP_BY(strcmp(a->name, b->name)))

struct side {
	struct placed *list;
	size_t count, cap;
};

static uint64_t
number_of(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? strtoull(dot + 1, NULL, 10) : 0;
}

/* Append the place of REC to BUF: what it is of, and the first of KEYS that
 * it has.  0: it tells none. */
static int
add_place(const struct cJSON *keys, const char *of, const struct tp_rec *rec,
    struct tp_buf *buf)
{
	const struct cJSON *key;
	const char *text;

	tp_buf_clear(buf);
	cJSON_ArrayForEach(key, keys) {
		text = cJSON_IsString(key) ? tp_rec_text(rec,
		    key->valuestring) : NULL;
		if (!text || !*text)
			continue;
		tp_buf_fmt(buf, "%s %s %s", tp_rec_text(rec, of) ?
		    tp_rec_text(rec, of) : "", key->valuestring, text);
		return 1;
	}
	return 0;
}

/* Read the operations of SET that tell their place. */
static void
read_side(const struct cJSON *how, const struct tp_set *set,
    struct tp_names *places, struct tp_buf *buf, struct side *s)
{
	const char *kind = tp_json_text(how, "kind");
	const char *named = tp_json_text(how, "name");
	const struct tp_rec *rec;
	struct placed *p;
	const char *name;
	ptrdiff_t at;

	for (size_t i = 0; kind && named && (rec = tp_set_next(set, kind,
	    &i)); ) {
		name = tp_rec_text(rec, named);
		if (!name || !add_place(tp_json_get(how, "place"),
		    tp_json_text(how, "of"), rec, buf))
			continue;
		at = tp_names_add(places, buf->p, buf->len);
		p = TP_PUSH(s->list, s->count, s->cap);
		*p = (struct placed){ (size_t)at, number_of(name), name };
	}
	TP_SORT(s->list, s->count, by_place);
}

/* How many operations of S from AT on are in PLACE. */
static size_t
count_in(const struct side *s, size_t at, size_t place)
{
	size_t n = at;

	while (n < s->count && s->list[n].place == place)
		n++;
	return n - at;
}

/* Let NAME of the run be called TO. */
static void
rename_to(struct tp_compare_names *n, const char *name, const char *to)
{
	ptrdiff_t at = tp_names_add(&n->names, name, strlen(name));

	TP_ITEM(n->to, n->cap, at);
	n->to[at] = to;
}

/* NAME, or another if an operation before has it. */
static const char *
unlike(struct tp_comparison *c, const struct tp_names *had, const char *name)
{
	if (tp_names_find(had, name, strlen(name)) < 0)
		return name;
	tp_buf_clear(&c->text);
	tp_buf_fmt(&c->text, "%s (after)", name);
	return tp_arena_text(&c->arena, c->text.p, c->text.len);
}

static void
leave_unpaired(struct tp_comparison *c, const char *name)
{
	tp_names_add(&c->unpaired, name, strlen(name));
}

/* Pair B operations of one place before with A after. */
static void
pair_place(struct tp_comparison *c, const struct tp_names *had,
    const struct placed *before, size_t b, const struct placed *after, size_t a)
{
	const char *to;

	for (size_t i = 0; a != b && a && i < b; i++)
		leave_unpaired(c, before[i].name);
	for (size_t i = 0; i < a; i++) {
		to = a == b ? before[i].name : unlike(c, had, after[i].name);
		rename_to(&c->renamed, after[i].name, to);
		if (b && a != b)
			leave_unpaired(c, to);
		c->renumbered_count += a == b && strcmp(to, after[i].name);
	}
}

static void
pair_all(struct tp_comparison *c, const struct tp_names *had,
    const struct side s[TP_SIDES])
{
	const struct side *before = &s[TP_BEFORE], *after = &s[TP_AFTER];
	size_t i = 0, k = 0, a, b, place;

	while (i < before->count || k < after->count) {
		place = i < before->count ? before->list[i].place : SIZE_MAX;
		if (k < after->count && after->list[k].place < place)
			place = after->list[k].place;
		b = count_in(before, i, place);
		a = count_in(after, k, place);
		pair_place(c, had, before->list + i, b, after->list + k, a);
		i += b;
		k += a;
	}
}

/* Whether the operations that tell their place have the same names in it. */
static int
is_alike(const struct side s[TP_SIDES])
{
	if (s[0].count != s[1].count)
		return 0;
	for (size_t i = 0; i < s[0].count; i++)
		if (s[0].list[i].place != s[1].list[i].place ||
		    strcmp(s[0].list[i].name, s[1].list[i].name))
			return 0;
	return 1;
}

/* Add the names of all operations of SET, wherever they are. */
static void
name_all(const struct cJSON *how, const struct tp_set *set,
    struct tp_names *had)
{
	const struct tp_rec *rec;
	const char *name;

	for (size_t i = 0; (rec = tp_set_next(set, tp_json_text(how, "kind"),
	    &i)); ) {
		name = tp_rec_text(rec, tp_json_text(how, "name"));
		if (name)
			tp_names_add(had, name, strlen(name));
	}
}

void
tp_compare_pair(struct tp_comparison *c, const struct tp_set *before,
    const struct tp_set *after)
{
	const struct cJSON *how = c->rules->placed;
	struct side s[TP_SIDES] = { { 0 } };
	struct tp_names places = { 0 }, had = { 0 };
	struct tp_buf buf = { 0 };

	tp_names_release(&c->renamed.names);
	c->renumbered_count = 0;
	read_side(how, before, &places, &buf, &s[TP_BEFORE]);
	read_side(how, after, &places, &buf, &s[TP_AFTER]);
	if (s[TP_BEFORE].count && s[TP_AFTER].count && !is_alike(s)) {
		name_all(how, before, &had);
		pair_all(c, &had, s);
	}
	for (int i = 0; i < TP_SIDES; i++)
		tp_free(s[i].list);
	tp_names_release(&places);
	tp_names_release(&had);
	tp_buf_release(&buf);
}

const char *
tp_compare_name_of(const struct tp_comparison *c, const char *name)
{
	ptrdiff_t at = tp_names_find(&c->renamed.names, name, strlen(name));

	return at < 0 ? name : c->renamed.to[at];
}
