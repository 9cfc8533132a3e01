/* compare_state - whether the runs of a side allow a comparison */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>

#include "compare_private.h"

/* The state of the trace SRC (NULL: of any) on SIDE; NULL: none found. */
static const struct tp_compare_state *
state_of(const struct tp_comparison *c, int side, const char *src)
{
	for (size_t i = 0; i < c->state_count; i++)
		if (c->states[i].side == side && (!src ||
		    !strcmp(src, c->states[i].rec->src)))
			return &c->states[i];
	return NULL;
}

/* The number of REC under the key that RULE gives for NAME.  1, or 0. */
static int
number(const struct tp_compare_state_rule *rule, const struct tp_rec *rec,
    const char *name, int64_t *n)
{
	const char *key = tp_json_text(rule->shown, name);

	return key && tp_rec_int(rec, key, n);
}

/* The largest change, as a logarithm, that RULE hides if it holds. */
static double
reach_of(const struct tp_compare_state_rule *rule, const struct tp_rec *rec)
{
	int64_t from, to;

	if (number(rule, rec, "from", &from) && number(rule, rec, "to", &to) &&
	    from > 0 && to > 0)
		return fabs(log((double)to / (double)from));
	return rule->factor > 0 ? fabs(log(rule->factor)) : INFINITY;
}

/* What REC says of the runs of SIDE, by the first rule that holds. */
static void
read_state(struct tp_comparison *c, int side, const struct tp_rec *rec)
{
	const struct tp_compare_rules *r = c->rules;
	const struct tp_compare_state_rule *rule;
	struct tp_compare_state *s;

	for (size_t i = 0; i < r->state_count; i++) {
		rule = &r->states[i];
		if (strcmp(rule->kind, rec->kind) ||
		    !tp_conds_of(&rule->when, rec))
			continue;
		s = TP_PUSH(c->states, c->state_count, c->state_cap);
		s->rule = rule;
		s->rec = rec;
		s->side = side;
		s->reach = reach_of(rule, rec);
		return;
	}
}

/* Of the states of one trace keep that of the first rule. */
static void
keep_first(struct tp_comparison *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->state_count; i++) {
		struct tp_compare_state *s = &c->states[i];
		size_t k = 0;

		while (k < n && (c->states[k].side != s->side ||
		    strcmp(c->states[k].rec->src, s->rec->src)))
			k++;
		if (k == n)
			c->states[n++] = *s;
		else if (s->rule < c->states[k].rule)
			c->states[k] = *s;
	}
	c->state_count = n;
}

void
tp_compare_find_states(struct tp_comparison *c,
    const struct tp_runs runs[TP_SIDES])
{
	for (int s = 0; s < TP_SIDES; s++) {
		/* several runs show by themselves how they differ */
		if (runs[s].count != 1)
			continue;
		for (size_t i = 0; i < runs[s].sets->count; i++)
			read_state(c, s, &runs[s].sets->recs[i]);
	}
	keep_first(c);
}

static int
hides(const struct tp_compare_state *s, double factor)
{
	return s && factor > 0 && !(fabs(log(factor)) > s->reach);
}

const struct tp_compare_state *
tp_compare_hidden_by(const struct tp_comparison *c, const char *src,
    double factor)
{
	const struct tp_compare_state *of[TP_SIDES], *best = NULL;

	for (int s = 0; s < TP_SIDES; s++) {
		of[s] = state_of(c, s, src);
		if (hides(of[s], factor) && (!best ||
		    of[s]->reach > best->reach))
			best = of[s];
	}
	return best;
}

/* Whether V has a verdict, or too few measurements for one. */
static int
has_outcome(const struct tp_compared *v)
{
	return v->verdict == TP_SAME || v->verdict == TP_REGRESSED ||
	    v->verdict == TP_IMPROVED || (v->verdict == TP_UNCLEAR &&
	    v->reason && !strcmp(v->reason, "too-few"));
}

void
tp_compare_hide(struct tp_comparison *c, struct tp_compared *v)
{
	double factor;

	if (!c->state_count || strcmp(v->unit, "ns") || v->is_share ||
	    !has_outcome(v) || !tp_json_fits(c->rules->state_of, v->kind) ||
	    !tp_compared_factor(v, &factor))
		return;
	v->state = tp_compare_hidden_by(c, v->src, factor);
	if (!v->state)
		return;
	v->verdict = TP_UNCLEAR;
	v->reason = v->state->rule->state;
}

static void
out_number(const struct tp_compare_state *s, const char *name,
    const char *key, struct tp_out *out)
{
	int64_t n;

	if (number(s->rule, s->rec, name, &n))
		tp_out_int(out, key, n);
}

void
tp_compare_emit_state(const struct tp_compare_state *s, int is_hiding,
    struct tp_out *out)
{
	tp_out_begin(out, "compare.state");
	tp_out_text(out, "side", tp_side_name(s->side));
	tp_out_text(out, "state", s->rule->state);
	tp_out_bool(out, "is_hiding", is_hiding);
	if (isfinite(s->reach))
		tp_out_real(out, "state_factor", exp(s->reach));
	out_number(s, "from", "state_from_ns", out);
	out_number(s, "to", "state_to_ns", out);
	out_number(s, "runs", "state_run_count", out);
	out_number(s, "of", "run_count", out);
	tp_out_end(out);
}
