/* pseudo_rules - load the rules for pseudo operations */
#include <string.h>

#include <cjson/cJSON.h>

#include <tp/json.h>
#include <tp/share.h>

#include "pseudo.h"

#define AT(MEMBER) offsetof(struct tp_torch_pseudo_rule, MEMBER)
#define LIST(NAME) { #NAME, NULL, NULL, NULL, AT(NAME) }
static const struct tp_class_list lists[] = {
	LIST(op), LIST(kernel), LIST(except), LIST(function), LIST(around),
	LIST(among), { NULL, NULL, NULL, NULL, 0 }
};

/* A rule of file AT while it is loaded. */
struct loading {
	const struct tp_torch_operators *operators;
	size_t at;
	struct tp_torch_pseudo_rule *rule;
	struct tp_err *err;
};

static int
bad(const struct loading *l, const char *what, const char *text)
{
	return tp_torch_operators_bad(l->operators, l->at, what,
	    l->rule->name_count ? l->rule->names[0] : "pseudo", text, l->err);
}

/* Check "adds" of a rule: each is a number in a kernel's name. */
static int
check_adds(const struct loading *l, const cJSON *adds)
{
	const cJSON *i;

	if (adds && !cJSON_IsArray(adds))
		return bad(l, "no list 'adds' of", NULL);
	cJSON_ArrayForEach(i, adds)
		if (cJSON_GetArraySize(i) != 2 || !tp_json_text(i, "kernel") ||
		    !tp_json_text(i, "behind"))
			return bad(l, "not kernel and behind in 'adds' of",
			    NULL);
	return 0;
}

static int
load_key(const struct loading *l, const cJSON *value)
{
	static const char *const others[] = { "about", "leaf", "names", "adds",
	    NULL };

	for (const struct tp_class_list *i = lists; i->key; i++)
		if (!strcmp(i->key, value->string))
			return tp_classes_load(tp_class_list_at(l->rule, i),
			    l->rule->row, "ops", value->string, NULL, NULL,
			    l->err) < 0 ? bad(l, "no pattern for",
			    value->string) : 0;
	for (const char *const *key = others; *key; key++)
		if (!strcmp(*key, value->string))
			return 0;
	return bad(l, "unknown key of", value->string);
}

static int
load_rule(struct tp_torch_pseudo_rules *rules, struct loading *l,
    const cJSON *row)
{
	struct tp_torch_pseudo_rule *r;
	const cJSON *key;

	tp_grow(&rules->list, &rules->cap, rules->count + 1,
	    sizeof *rules->list);
	r = l->rule = &rules->list[rules->count++];
	*r = (struct tp_torch_pseudo_rule){ .row = row,
	    .leaf = cJSON_IsTrue(tp_json_get(row, "leaf")) };
	tp_share_texts(&rules->arena, tp_json_get(row, "names"), &r->names);
	for (; r->names && r->names[r->name_count]; r->name_count++)
		;
	if (!r->name_count || r->name_count != (uint32_t)cJSON_GetArraySize(
	    tp_json_get(row, "names")))
		return bad(l, "no list of names in a rule of", NULL);
	cJSON_ArrayForEach(key, row)
		if (load_key(l, key) < 0)
			return -1;
	if (!r->op.count || !!r->kernel.count + !!r->function.count +
	    !!r->around.count != 1)
		return bad(l, "not an op, and one of kernel, function and "
		    "around, for", NULL);
	return check_adds(l, tp_json_get(row, "adds"));
}

static int
load_numbered(struct tp_torch_pseudo_rules *rules, const cJSON *doc,
    struct tp_err *err)
{
	tp_grow(&rules->numbered, &rules->numbered_cap, rules->numbered_count +
	    1, sizeof *rules->numbered);
	return tp_classes_load(&rules->numbered[rules->numbered_count++], doc,
	    "ops", "numbered", NULL, NULL, err);
}

int
tp_torch_pseudo_load(struct tp_torch_pseudo_rules *rules,
    const struct tp_torch_operators *operators, struct tp_err *err)
{
	const cJSON *doc, *row;

	memset(rules, 0, sizeof *rules);
	/* the user's rules come first */
	for (size_t at = operators->count; at-- > 0;) {
		struct loading l = { operators, at, NULL, err };

		doc = operators->list[at].doc;
		cJSON_ArrayForEach(row, tp_json_get(doc, "pseudo"))
			if (load_rule(rules, &l, row) < 0)
				return -1;
		if (tp_json_get(doc, "numbered") &&
		    load_numbered(rules, doc, err) < 0)
			return -1;
	}
	return 0;
}
