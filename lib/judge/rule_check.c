/* rule_check - what a rule of the user's asks for and no record has */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include <tp/choice.h>
#include <tp/json.h>
#include <tp/share.h>

#include "rule_file.h"

/* The last "." of NAME outside of brackets, or NULL. */
static const char *
last_dot(const char *name)
{
	const char *dot = NULL;
	int depth = 0;

	for (; *name; name++) {
		depth += (*name == '[') - (*name == ']');
		if (*name == '.' && !depth)
			dot = name;
	}
	return dot;
}

/* Say in WHY why no record has KEY of KIND; leave it empty when one may. */
static void
find_key(const char *kind, size_t len, const char *key, struct tp_buf *why)
{
	const cJSON *properties, *open, *p;
	struct tp_choice choice;
	struct tp_err err;
	char path[128];
	cJSON *schema;

	if ((size_t)snprintf(path, sizeof path, "schema/%.*s.json", (int)len,
	    kind) >= sizeof path)
		return;
	schema = tp_share_json(path, &err);
	if (!schema) {
		if (!strcmp(err.code, "share.missing"))
			tp_buf_fmt(why, "no kind of record is called '%.*s'",
			    (int)len, kind);
		return;
	}
	properties = tp_json_get(schema, "properties");
	open = tp_json_get(schema, "additionalProperties");
	if (!cJSON_IsTrue(open) && !tp_json_get(properties, key)) {
		tp_choice_init(&choice, key);
		cJSON_ArrayForEach(p, properties)
			tp_choice_add(&choice, p->string);
		tp_buf_fmt(why, "%.*s has no key '%s'%s", (int)len, kind, key,
		    tp_choice_hint(&choice));
		tp_choice_release(&choice);
	}
	cJSON_Delete(schema);
}

static void
check_name(const struct rule *rule, const char *name, struct tp_out *out)
{
	const char *dot = name ? last_dot(name) : NULL;
	const char *kind = dot ? name : rule->each;
	struct tp_buf why = { 0 };
	size_t len;

	if (!name || !kind)
		return;
	len = strcspn(kind, "[");
	if (dot && kind + len > dot)
		len = (size_t)(dot - kind);
	find_key(kind, len, dot ? dot + 1 : name, &why);
	if (why.len)
		tp_out_note(out, "rules.unknown", 0, 1,
		    "%s: rule '%s' never holds: '%s': %s", rule->file,
		    rule->id, name, why.p);
	tp_buf_release(&why);
}

static void
check_conds(const struct rule *rule, const struct tp_conds *conds,
    struct tp_out *out)
{
	for (size_t i = 0; i < conds->count; i++) {
		/* what has to be absent may be unknown */
		if (!conds->list[i].is_not)
			check_name(rule, conds->list[i].name, out);
		check_name(rule, conds->list[i].other, out);
	}
}

void
tp_rule_check_own(const struct tp_rules *rules, struct tp_out *out)
{
	for (size_t i = 0; i < rules->count; i++) {
		const struct rule *rule = &rules->rules[i];

		if (!rule->is_own)
			continue;
		check_conds(rule, &rule->when, out);
		check_name(rule, rule->impact, out);
	}
}
