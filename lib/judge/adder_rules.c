/* adder_rules - read share/merge.json: how keys of parts are merged */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include <tp/json.h>
#include <tp/share.h>
#include <tp/text.h>

#include "adder.h"

#define FILE_NAME "merge.json"

int
tp_adder_rules_load(struct tp_adder_rules *r, struct tp_err *err)
{
	r->doc = tp_share_json(FILE_NAME, err);
	return r->doc ? 0 : -1;
}

/* Parse the text up to END, "KIND.KEY" or "KEY+KEY", into TERM. */
static void
read_term(struct tp_add_term *term, struct tp_arena *arena, const char *text,
    const char *end)
{
	char *copy = tp_arena_text(arena, text, (size_t)(end - text));
	char *split;

	split = strrchr(copy, '.');
	if (split) {
		*split = '\0';
		term->kind = copy;
		copy = split + 1;
	}
	term->keys[0] = copy;
	split = strchr(copy, '+');
	if (split) {
		*split = '\0';
		term->keys[1] = split + 1;
	}
}

/* Parse RULE from TEXT; -1 when it is none. */
static int
read_rule(struct tp_add_rule *rule, struct tp_arena *arena, const char *text)
{
	static const char *const words[] = {
		[TP_ADD_SAME] = "same", [TP_ADD_PART] = "part",
		[TP_ADD_SUM] = "sum", [TP_ADD_MIN] = "min",
		[TP_ADD_MAX] = "max", [TP_ADD_OR] = "or",
		[TP_ADD_MOST] = "most", [TP_ADD_WITH] = "with",
		[TP_ADD_RANK] = "rank", [TP_ADD_ROWS] = "rows",
		[TP_ADD_RATIO] = "ratio", [TP_ADD_MEAN] = "mean",
		[TP_ADD_NONE] = "none" };
	size_t len = strcspn(text, " ");
	const char *rest = text[len] ? text + len + 1 : NULL, *slash;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (strlen(words[i]) != len || memcmp(words[i], text, len))
			continue;
		rule->how = (enum tp_add)i;
		if (rule->how == TP_ADD_WITH || rule->how == TP_ADD_ROWS) {
			rule->of = rest;
			return rest ? 0 : -1;
		}
		if (rule->how != TP_ADD_RATIO && rule->how != TP_ADD_MEAN)
			return rest ? -1 : 0;
		slash = rest ? strchr(rest, '/') : NULL;
		if (!slash)
			return -1;
		read_term(&rule->over, arena, rest, slash);
		read_term(&rule->under, arena, slash + 1,
		    slash + strlen(slash));
		return 0;
	}
	return -1;
}

/*
 * The rule of KEY in KEYS: under its name, or under a pattern that ends in
 * "*".
 */
static const char *
find_key_rule(const cJSON *keys, const char *key)
{
	const cJSON *i = tp_json_get(keys, key);

	if (i)
		return cJSON_GetStringValue(i);
	cJSON_ArrayForEach(i, keys)
		if (tp_is_named(i->string, key))
			return cJSON_GetStringValue(i);
	return NULL;
}

static int
is_in(const char *const *list, const char *key)
{
	for (; list && *list; list++)
		if (!strcmp(*list, key))
			return 1;
	return 0;
}

ptrdiff_t
tp_adder_key(struct tp_adder_kind *k, struct tp_adder_rules *r,
    const char *name, const char *key, size_t len, struct tp_err *err)
{
	ptrdiff_t at = tp_names_find(&k->keys, key, len);
	const char *text;
	char where[160];

	if (at >= 0)
		return at;
	at = tp_names_add(&k->keys, key, len);
	TP_ITEM(k->rules, k->rule_cap, at);
	memset(&k->rules[at], 0, sizeof *k->rules);
	key = k->keys.names[at].text;
	text = is_in(k->by, key) ? "same" :
	    find_key_rule(tp_json_get(tp_json_get(tp_json_get(r->doc, "kinds"),
	    name), "keys"), key);
	if (!text)
		text = find_key_rule(tp_json_get(r->doc, "keys"), key);
	/* a key of a newer version */
	if (!text)
		text = "none";
	if (read_rule(&k->rules[at], &r->arena, text) < 0) {
		snprintf(where, sizeof where, "%s.%s", name, key);
		return tp_share_damaged("share/" FILE_NAME, where, err);
	}
	return at;
}

/*
 * The texts of LIST but keys that tell parts, such as processes, apart, and
 * columns.
 */
static const char **
texts_of(struct tp_adder_rules *r, const cJSON *list)
{
	const char **texts, *text;
	size_t n = 0;

	tp_share_texts(&r->arena, list, &texts);
	for (size_t i = 0; texts && texts[i]; i++) {
		text = find_key_rule(tp_json_get(r->doc, "keys"), texts[i]);
		if (!strchr("+-", *texts[i]) &&
		    (!text || strcmp(text, "part") != 0))
			texts[n++] = texts[i];
	}
	if (texts)
		texts[n] = NULL;
	return texts;
}

/*
 * Load the keys of the schema of NAME, in order, and what merge.json leaves to
 * it: by which keys rows are the same, and what ranks them.
 */
static int
load_schema(struct tp_adder_kind *k, struct tp_adder_rules *r,
    const char *name, struct tp_err *err)
{
	char file[160];
	const cJSON *keys, *i;
	cJSON *schema;
	int rc = 0;

	snprintf(file, sizeof file, "share/schema/%s.json", name);
	schema = tp_share_json(file + strlen("share/"), err);
	if (!schema)
		return -1;
	if (!k->by)
		k->by = texts_of(r, tp_json_get(schema, "by"));
	if (!k->order)
		k->order = texts_of(r, tp_json_get(schema, "order"));
	keys = tp_json_get(schema, "properties");
	if (!cJSON_IsObject(keys))
		rc = tp_share_damaged(file, "properties", err);
	cJSON_ArrayForEach(i, keys)
		if (!rc && strcmp(i->string, "kind") &&
		    strcmp(i->string, "src"))
			rc = tp_adder_key(k, r, name, i->string,
			    strlen(i->string), err) < 0 ? -1 : 0;
	cJSON_Delete(schema);
	return rc;
}

int
tp_adder_is_left_out(const struct tp_adder_rules *r, const char *name,
    const char *key)
{
	const char *text = cJSON_GetStringValue(tp_json_get(tp_json_get(
	    tp_json_get(tp_json_get(r->doc, "kinds"), name), "keys"), key));

	return text && !strcmp(text, "none");
}

int
tp_adder_kind_load(struct tp_adder_kind *k, struct tp_adder_rules *r,
    const char *name, struct tp_err *err)
{
	const cJSON *of = tp_json_get(tp_json_get(r->doc, "kinds"), name);
	const cJSON *rows = tp_json_get(of, "rows"), *order, *within;

	if (!of)
		return 0;
	k->what = rows ? TP_ADD_LISTED : TP_ADD_ADDED;
	order = tp_json_get(of, "order");
	within = tp_json_get(of, "within");
	tp_share_texts(&r->arena, rows ? rows : tp_json_get(of, "by"), &k->by);
	tp_share_texts(&r->arena, order, &k->order);
	k->within = within ? (size_t)within->valuedouble : 0;
	if (!rows && load_schema(k, r, name, err) < 0)
		return -1;
	if (!k->by || (order && !k->order))
		return tp_share_damaged("share/" FILE_NAME, name, err);
	k->part_count = tp_names_find(&k->keys, "part_count", 10);
	k->part_max = tp_names_find(&k->keys, "part_max_ns", 11);
	k->part_rank = tp_names_find(&k->keys, "part_max_rank", 13);
	return 0;
}
