/* rule_cond - whether the conditions of a rule hold over records */
#include <string.h>

#include <tp/show/template.h>

#include "rule_file.h"

int
tp_rule_wrong(const struct rule_scope *s, const char *metric, const char *what)
{
	return tp_fail(s->err, TP_BAD, "rule.type", 0,
	    "%s: rule '%.60s': '%.80s' %s", s->rule->file, s->rule->id,
	    metric, what);
}

/* Field METRIC names, into *FIELD; NULL when there is none. */
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

static double
number_of(const struct tp_field *f)
{
	return f->type == TP_FIELD_BOOL ? (double)f->n : f->x;
}

/* -1, 0 or 1; without a factor, whole numbers are compared as such. */
static int
order_of(const struct tp_field *a, const struct tp_field *b,
    const struct rule_cond *c)
{
	double x = number_of(a), y = c->number;

	if (b && a->type == TP_FIELD_INT && b->type == TP_FIELD_INT &&
	    c->factor == 1)
		return (a->n > b->n) - (a->n < b->n);
	if (b)
		y = number_of(b) * c->factor;
	return (x > y) - (x < y);
}

static int
holds_op(enum rule_op op, int order)
{
	switch (op) {
	case OP_LESS:
		return order < 0;
	case OP_AT_MOST:
		return order <= 0;
	case OP_MORE:
		return order > 0;
	case OP_AT_LEAST:
		return order >= 0;
	case OP_SAME:
		return order == 0;
	default:
		return order != 0;
	}
}

/* 1 when C holds, 0 when not, -1 with err. */
int
tp_rule_holds(const struct rule_scope *s, const struct tp_rec *rec,
    const struct rule_cond *c)
{
	const struct tp_field *a, *b = NULL;
	const char *text = c->text;

	if (tp_rule_look_up(s, rec, c->metric, &a) < 0)
		return -1;
	if (c->op == OP_EXISTS || c->op == OP_ABSENT)
		return !a == (c->op == OP_ABSENT);
	if (c->metric2 && tp_rule_look_up(s, rec, c->metric2, &b) < 0)
		return -1;
	if (!a || (c->metric2 && !b))
		return 0;
	if (b && b->type == TP_FIELD_TEXT)
		text = b->text;
	if (a->type == TP_FIELD_TEXT) {
		if (!text)
			return tp_rule_wrong(s, c->metric,
			    "is text, compared with a number");
		if (c->op != OP_SAME && c->op != OP_OTHER)
			return tp_rule_wrong(s, c->metric,
			    "is text, which has no order");
		return holds_op(c->op, strcmp(a->text, text));
	}
	if (text)
		return tp_rule_wrong(s, c->metric,
		    "is no text, compared with text");
	return holds_op(c->op, order_of(a, b, c));
}

int
tp_rule_all_hold(const struct rule_scope *s, const struct tp_rec *rec,
    const struct rule_conds *conds)
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
