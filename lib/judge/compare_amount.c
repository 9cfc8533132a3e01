/* compare_amount - whether both runs did as much, with inputs of one shape */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include <tp/json.h>

#include "compare_private.h"

/* What a step, or else a run, of each side does. */
struct amount {
	const char *title;
	int of_steps;
	double x[TP_SIDES];
};

static int
on_both(const struct tp_comparison *c, const char *name, double x[TP_SIDES])
{
	const struct tp_compared *v = name ? tp_comparison_find(c, name) :
	    NULL;

	for (int s = 0; s < TP_SIDES; s++) {
		if (!v || v->side[s].times != 1 || !(v->side[s].x > 0))
			return 0;
		x[s] = v->side[s].x;
	}
	return 1;
}

/* Find the first amount of the rules that both sides have. */
static int
find_amount(const struct tp_comparison *c, struct amount *a)
{
	const struct cJSON *of;
	const char *basis;
	double steps[TP_SIDES];

	cJSON_ArrayForEach(of, c->rules->amounts) {
		if (!on_both(c, tp_json_text(of, "metric"), a->x))
			continue;
		a->title = tp_json_text(of, "title");
		a->of_steps = on_both(c, tp_json_text(of, "steps"), steps);
		for (int s = 0; a->of_steps && s < TP_SIDES; s++)
			a->x[s] /= steps[s];
		basis = tp_json_text(of, "basis");
		a->of_steps |= basis && !strcmp(basis, "step");
		return a->title != NULL;
	}
	return 0;
}

int
tp_compare_other_amount(const struct tp_comparison *c)
{
	struct amount a;

	return find_amount(c, &a) && fabs(a.x[TP_AFTER] / a.x[TP_BEFORE] - 1) >
	    tp_compare_least_of(c->rules, "holds");
}

static void
emit_amount(const struct tp_comparison *c, struct tp_out *out)
{
	struct amount a;

	if (!tp_compare_other_amount(c) || !find_amount(c, &a))
		return;
	tp_out_begin(out, "compare.amount");
	tp_out_text(out, "title", a.title);
	tp_out_text(out, "basis", a.of_steps ? "step" : "run");
	tp_out_int(out, "before_count", (int64_t)nearbyint(a.x[TP_BEFORE]));
	tp_out_int(out, "after_count", (int64_t)nearbyint(a.x[TP_AFTER]));
	tp_out_real(out, "change_factor", a.x[TP_AFTER] / a.x[TP_BEFORE]);
	tp_out_end(out);
}

/* Whether V is of a name that both sides have, with other shapes. */
static int
is_reshaped(struct tp_comparison *c, const struct tp_compared *v,
    const char *names)
{
	const char *end = strstr(v->identity, " / ");
	double x[TP_SIDES];

	if (!end || (v->verdict != TP_APPEARED && v->verdict != TP_VANISHED))
		return 0;
	tp_buf_clear(&c->text);
	tp_buf_fmt(&c->text, "%s[%.*s].%s", names, (int)(end - v->identity),
	    v->identity, v->key);
	return on_both(c, c->text.p, x);
}

/* Write how much of the time is in names that are called with other shapes. */
static void
emit_inputs(struct tp_comparison *c, struct tp_out *out)
{
	const struct cJSON *of = c->rules->inputs;
	const char *kind = tp_json_text(of, "kind");
	const char *names = tp_json_text(of, "names");
	const struct tp_compared *most[TP_SIDES] = { NULL };
	double all[TP_SIDES] = { 0 }, other[TP_SIDES] = { 0 }, least;
	int side;

	if (!kind || !names || !tp_json_number(of, "share", &least))
		return;
	for (size_t i = 0; i < c->count; i++) {
		const struct tp_compared *v = &c->list[i];

		if (strcmp(v->kind, kind))
			continue;
		for (int s = 0; s < TP_SIDES; s++)
			all[s] += v->side[s].times ? v->side[s].x : 0;
		if (!is_reshaped(c, v, names))
			continue;
		side = v->verdict == TP_APPEARED;
		other[side] += v->side[side].x;
		if (!most[side] || v->side[side].x > most[side]->side[side].x)
			most[side] = v;
	}
	if (!most[TP_BEFORE] || !most[TP_AFTER] ||
	    other[TP_BEFORE] < least * all[TP_BEFORE] ||
	    other[TP_AFTER] < least * all[TP_AFTER])
		return;
	tp_out_begin(out, "compare.inputs");
	tp_out_real(out, "before_ratio", other[TP_BEFORE] / all[TP_BEFORE]);
	tp_out_real(out, "after_ratio", other[TP_AFTER] / all[TP_AFTER]);
	tp_out_text(out, "before_text", most[TP_BEFORE]->identity);
	tp_out_text(out, "after_text", most[TP_AFTER]->identity);
	tp_out_end(out);
}

void
tp_compare_emit_amount(struct tp_comparison *c, struct tp_out *out)
{
	if (c->srcs.count > 1)
		return;
	emit_amount(c, out);
	emit_inputs(c, out);
}
