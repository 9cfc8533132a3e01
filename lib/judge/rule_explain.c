/* rule_explain - how a rule evaluated: conditions, measured values, result */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <tp/judge/rule.h>
#include <tp/unit.h>

#include "rule_file.h"

/* Records of an "each" listed individually. */
#define LISTED_MAX 20

/* The rule with ID, which may be the id of a second finding; or NULL. */
static const struct rule *
find_rule_by_id(const struct tp_rules *rules, const char *id)
{
	size_t len = strlen(id);

	for (size_t i = 0; i < rules->count; i++)
		if (!strcmp(rules->rules[i].id, id))
			return &rules->rules[i];
	while (len && isdigit((unsigned char)id[len - 1]))
		len--;
	if (!len || !id[len] || id[--len] != '-')
		return NULL;
	for (size_t i = 0; i < rules->count; i++)
		if (strlen(rules->rules[i].id) == len &&
		    !strncmp(rules->rules[i].id, id, len))
			return &rules->rules[i];
	return NULL;
}

static void
out_field(struct tp_out *out, const char *key, const struct tp_field *field)
{
	struct tp_buf text = { 0 };

	if (field && field->type == TP_FIELD_TEXT)
		tp_out_text(out, key, field->text);
	else if (field && !tp_unit_print(&text, field, NULL))
		tp_out_bytes(out, key, text.p, text.len);
	tp_buf_release(&text);
}

/* Write the operator and right-hand side of C. */
static void
out_comparison(struct tp_out *out, const struct tp_cond *c)
{
	static const char *const ops[] = { "exists", "==", "<", "<=", ">",
	    ">=", [TP_COND_LIKE] = "~" };
	int is_there = !c->op || (c->op == TP_COND_LIKE &&
	    !strcmp(c->text, "*"));
	char text[16];

	snprintf(text, sizeof text, "%s%s", c->is_not ? "not " : "",
	    ops[is_there ? 0 : c->op]);
	tp_out_text(out, "comparison", !c->is_not ? text :
	    is_there ? "absent" : c->op == TP_COND_EQUAL ? "!=" : text);
	if (!is_there)
		tp_out_text(out, "wanted", c->text);
	tp_out_text(out, "wanted_metric", c->other);
	if (c->other)
		tp_out_real(out, "wanted_factor", c->x);
}

static int
emit_conditions(const struct rule_scope *s, const struct tp_rec *rec,
    size_t nth, const char *list, const struct tp_conds *conds,
    struct tp_out *out)
{
	for (size_t i = 0; i < conds->count; i++) {
		const struct tp_cond *c = &conds->list[i];
		const struct tp_field *field;
		int holds = tp_rule_holds(s, rec, c);

		if (holds < 0 || tp_rule_look_up(s, rec, c->name, &field) < 0)
			return -1;
		tp_out_begin(out, "rule.condition");
		tp_out_text(out, "id", s->rule->id);
		if (nth)
			tp_out_int(out, "nth", (int64_t)nth);
		tp_out_text(out, "list", list);
		tp_out_text(out, "metric", c->name);
		out_field(out, "measured", field);
		out_comparison(out, c);
		tp_out_bool(out, "holds", holds);
		tp_out_end(out);
	}
	return 0;
}

static int
tell_all(const struct rule_scope *s, const struct tp_rec *rec, size_t nth,
    struct tp_out *out)
{
	const struct rule *rule = s->rule;
	char list[32];

	if (emit_conditions(s, rec, nth, "when", &rule->when, out) < 0)
		return -1;
	for (size_t i = 0; i < rule->any_count; i++) {
		snprintf(list, sizeof list, "any %zu", i + 1);
		if (emit_conditions(s, rec, nth, list, &rule->any[i], out) < 0)
			return -1;
	}
	return emit_conditions(s, rec, nth, "worse", &rule->worse_when, out);
}

/* Count the records that the rule is tried on and fires for. */
static int
count(const struct rule_scope *s, size_t *tried, size_t *fired)
{
	const struct rule *rule = s->rule;
	const struct tp_rec *rec;
	size_t at = 0;
	int rc;

	*tried = *fired = 0;
	if (!rule->each) {
		*tried = 1;
		rc = tp_rule_fires(s, NULL);
		*fired = rc > 0;
		return rc < 0 ? -1 : 0;
	}
	while ((rec = tp_set_next(s->set, rule->each, &at))) {
		rc = tp_rule_fires(s, rec);
		if (rc < 0)
			return -1;
		++*tried;
		*fired += rc > 0;
	}
	return 0;
}

int
tp_rules_explain(struct tp_rules *rules, const char *id,
    const struct tp_set *set, struct tp_out *out, struct tp_err *err)
{
	struct rule_scope s = { set, find_rule_by_id(rules, id), err };
	const struct rule *rule = s.rule;
	size_t tried, fired, at = 0;
	const struct tp_rec *rec;
	int rc = 0;

	if (!rule)
		return tp_fail(err, TP_USAGE, "rule.unknown", 0,
		    "there is no rule '%.60s'", id);
	if (count(&s, &tried, &fired) < 0)
		return -1;
	tp_out_begin(out, "rule.explained");
	tp_out_text(out, "id", rule->id);
	tp_out_text(out, "file", rule->file);
	tp_out_text(out, "emit", tp_rule_emits[rule->emit]);
	tp_out_text(out, "section", rule->section);
	tp_out_text(out, "section_of", rule->section_of);
	tp_out_text(out, "title", rule->title);
	tp_out_bool(out, "fired", fired > 0);
	tp_out_text(out, "each", rule->each);
	tp_out_int(out, "tried_count", (int64_t)tried);
	tp_out_int(out, "fired_count", (int64_t)fired);
	tp_out_text(out, "why", rule->why);
	tp_out_end(out);
	if (!rule->each)
		return tell_all(&s, NULL, 0, out);
	for (size_t nth = 1; !rc && nth <= LISTED_MAX &&
	    (rec = tp_set_next(set, rule->each, &at)); nth++)
		rc = tell_all(&s, rec, nth, out);
	return rc;
}
