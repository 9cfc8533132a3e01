/* rule_cond - evaluate the conditions of a rule over records */
#include <tp/show/template.h>

#include "rule_file.h"

int
tp_rule_wrong(const struct rule_scope *s, const char *metric, const char *what)
{
	return tp_fail(s->err, TP_BAD, "rule.type", 0,
	    "%s: rule '%.60s': '%.80s' %s", s->rule->file, s->rule->id,
	    metric, what);
}

/* The field that METRIC names, into *FIELD; NULL when there is none. */
int
tp_rule_look_up(const struct rule_scope *s, const struct tp_rec *rec,
    const char *metric, const struct tp_field **field)
{
	const char *form = NULL;

	*field = tp_template_field(s->set, rec, metric, &form);
	if (*field && form)
		return tp_rule_wrong(s, metric,
		    "is a form of a value, not a metric");
	if (*field && (*field)->type == TP_FIELD_NULL)
		*field = NULL;
	return 0;
}

/* 1 when C holds, 0 when not, -1 with ERR. */
int
tp_rule_holds(const struct rule_scope *s, const struct tp_rec *rec,
    const struct tp_cond *c)
{
	const struct tp_field *a, *b = NULL;
	const char *wrong = NULL;
	int holds;

	if (tp_rule_look_up(s, rec, c->name, &a) < 0 || (c->other &&
	    tp_rule_look_up(s, rec, c->other, &b) < 0))
		return -1;
	holds = tp_cond_holds(c, a, b, &wrong);
	return wrong ? tp_rule_wrong(s, c->name, wrong) : holds;
}

int
tp_rule_all_hold(const struct rule_scope *s, const struct tp_rec *rec,
    const struct tp_conds *conds)
{
	int rc = 1;

	for (size_t i = 0; i < conds->count && rc > 0; i++)
		rc = tp_rule_holds(s, rec, &conds->list[i]);
	return rc;
}

int
tp_rule_fires(const struct rule_scope *s, const struct tp_rec *rec)
{
	const struct rule *rule = s->rule;
	int rc = tp_rule_all_hold(s, rec, &rule->when);

	if (rc <= 0 || !rule->any_count)
		return rc;
	for (size_t i = 0; i < rule->any_count; i++)
		if ((rc = tp_rule_all_hold(s, rec, &rule->any[i])))
			return rc;
	return 0;
}
