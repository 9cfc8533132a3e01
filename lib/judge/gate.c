/* gate - check a comparison against limits */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/judge/gate.h>
#include <tp/order.h>
#include <tp/share.h>
#include <tp/text.h>
#include <tp/unit.h>

#include "noise.h"

const char *
tp_gate_status_name(enum tp_gate_status status)
{
	static const char *const names[] = { "pass", "warn", "unknown",
	    "fail" };

	return names[status];
}

/* Whether every gate of DOC can be checked. */
static int
validate(const struct cJSON *doc, const char *name, struct tp_err *err)
{
	static const char *const known[] = { "id", "title", "of", "decides",
	    "fail_growth", "warn_growth", "fail_rise", "warn_rise",
	    "fail_fall", "warn_fall", "proven_growth", "order",
	    "required_with", "needs_both",
	    "sample" };	/* whether a change is significant is known of every
			 * metric today */
	const struct cJSON *g, *k;

	if (!cJSON_IsArray(tp_json_get(doc, "gates")))
		return tp_share_fail(err, TP_USAGE,
		    "%.120s: no list 'gates'", name);
	cJSON_ArrayForEach(g, tp_json_get(doc, "gates")) {
		if (!tp_json_text(g, "id") || !tp_json_text(g, "title") ||
		    !cJSON_IsArray(tp_json_get(g, "of")))
			return tp_share_fail(err, TP_USAGE,
			    "%.120s: a gate without id, title or of", name);
		cJSON_ArrayForEach(k, g) {
			size_t i = 0, n = sizeof known / sizeof *known;

			while (i < n && strcmp(known[i], k->string))
				i++;
			if (i == n || (i >= 4 && i < 12 &&
			    !cJSON_IsNumber(k)))
				return tp_share_fail(err, TP_USAGE,
				    "%.120s: gate '%.60s': wrong or "
				    "unknown key '%.60s'", name,
				    tp_json_text(g, "id"), k->string);
		}
	}
	return 0;
}

static int
add_file(struct tp_gates *gates, struct cJSON *doc, const char *name,
    struct tp_err *err)
{
	size_t cap = (size_t)gates->file_cap;

	if (!doc)
		return -1;
	tp_grow(&gates->files, &cap, (size_t)gates->file_count + 1,
	    sizeof *gates->files);
	gates->file_cap = (int)cap;
	gates->files[gates->file_count++] = doc;
	return validate(doc, name, err);
}

static int
add_share(struct tp_gates *gates, const char *name, const char *suffix,
    struct tp_err *err)
{
	struct tp_buf path = { 0 };
	int rc;

	tp_buf_fmt(&path, "gates/%s%s", name, suffix);
	rc = add_file(gates, tp_share_json(path.p, err), path.p, err);
	tp_buf_release(&path);
	return rc;
}

int
tp_gates_load(struct tp_gates *gates, const char *name, struct tp_err *err)
{
	struct tp_err missing;
	char **names = NULL;
	int n, rc = 0;

	memset(gates, 0, sizeof *gates);
	if (name && tp_share_is_path(name))
		return add_file(gates, tp_share_file(name, err), name, err);
	if (name && (rc = add_share(gates, name, ".json", err)) < 0 &&
	    !strcmp(err->code, "share.missing") && tp_share_dir(&missing))
		tp_fail(err, TP_USAGE, "share.missing", 0,
		    "there is no share/gates/%.80s.json", name);
	if (name)
		return rc;
	n = tp_share_list("gates", ".json", &names, err);
	for (int i = 0; !rc && i < n; i++)
		rc = add_share(gates, names[i], "", err);
	tp_share_free_list(names, n > 0 ? n : 0);
	return n < 0 ? -1 : rc;
}

static struct tp_gate_check *
new_check(struct tp_gates *gates, const char *id, const char *title)
{
	struct tp_gate_check *k;

	k = TP_PUSH(gates->list, gates->count, gates->cap);
	k->id = id;
	k->title = title;
	return k;
}

/* Set K's text to the content of gates->text. */
static void
finish(struct tp_gates *gates, struct tp_gate_check *k)
{
	k->text = tp_arena_text(&gates->arena, gates->text.p, gates->text.len);
}

void
tp_gates_add(struct tp_gates *gates, const char *id, const char *title,
    enum tp_gate_status status, const char *what)
{
	struct tp_gate_check *k = new_check(gates, id, title);

	k->status = k->exceeds = status;
	tp_buf_clear(&gates->text);
	tp_buf_str(&gates->text, what);
	finish(gates, k);
}

/* Ways to measure a change, and their wording. */
static const struct measure {
	const char *fail, *warn, *verb, *held, *unit;
} measures[] = {
	{ "fail_growth", "warn_growth", "regressed by", "changed by", " %" },
	{ "fail_fall", "warn_fall", "fell by", "changed by", " %" },
	{ "fail_rise", "warn_rise", "rose by", "changed by", " points" },
};
enum { GROWTH, FALL, RISE, MEASURES };

/* *X = change of V measured by MEASURE, as a fraction; 0 when unknown. */
static int
change(const struct tp_compared *v, int measure, double *x)
{
	double before = v->side[TP_BEFORE].x, after = v->side[TP_AFTER].x;

	if (measure == RISE || before == after)
		*x = after - before;
	else if (before > 0)
		*x = (after - before) / before;
	else
		return 0;
	if (measure == FALL)
		*x = 0 - *x;	/* not -0 */
	return 1;
}

/* Why a change of V beyond a limit does not count, or NULL. */
static const char *
excuse(const struct tp_compared *v)
{
	const char *why = v->reason ? v->reason : "";

	if (!strcmp(why, "fused"))
		return ", as it does where kernels were fused";
	if (!strcmp(why, "other-work"))
		return ", but the runs did not do the same amount of work";
	if (!strcmp(why, "too-few"))
		return ", which too few steps cannot tell from noise";
	return strcmp(why, "within-noise") && strcmp(why, "one-run") ? NULL :
	    ", which is within the noise of the measurements";
}

/*
 * The growth of V at which G fails, given what is known of its noise; 0 when
 * G has no such limit.
 */
static double
fail_limit(const struct cJSON *g, int measure, const struct tp_compared *v)
{
	double limit, proven;

	if (!tp_json_number(g, measures[measure].fail, &limit))
		return 0;
	if (measure == GROWTH && v->noise >= TP_NOISE_HISTORY &&
	    tp_json_number(g, "proven_growth", &proven))
		return proven;
	/* a single run cannot show less */
	if (v->noise == TP_NOISE_ASSUMED && !v->has_interval)
		return fmax(limit, v->detectable);
	return limit;
}

/* Check V against the limits of G, measured by MEASURE. */
static void
hold(struct tp_gates *gates, struct tp_gate_check *k, const struct cJSON *g,
    int measure)
{
	const struct measure *w = &measures[measure];
	double fail = fail_limit(g, measure, k->of);
	const struct cJSON *warn = tp_json_get(g, w->warn);
	enum tp_gate_status status = TP_GATE_PASS;
	struct tp_buf *t = &gates->text;
	const char *why;
	double x;

	if (!tp_json_get(g, w->fail) && !warn)
		return;
	k->limit = warn ? warn->valuedouble : fail;
	if (!change(k->of, measure, &x)) {
		k->status = TP_GATE_UNKNOWN;
		tp_buf_fmt(t, "%s was 0 before: no relative change", k->title);
		return;
	}
	if (tp_json_get(g, w->fail) && x > fail)
		status = TP_GATE_FAIL;
	else if (warn && x > warn->valuedouble)
		status = TP_GATE_WARN;
	if (status == TP_GATE_FAIL)
		k->limit = fail;
	k->has_limit = 1;
	if (t->len)
		tp_buf_str(t, "; ");
	tp_buf_fmt(t, "%s %s %s", k->title, status ? w->verb : w->held,
	    status || 100 * x < 0.01 ? "" : "+");
	tp_unit_hundredths(t, 100 * x);
	tp_buf_fmt(t, "%s (limit ", w->unit);
	tp_unit_limit(t, 100 * k->limit);
	tp_buf_str(t, w->unit);
	if (measure == GROWTH && k->of->has_interval &&
	    k->of->interval.error > 0) {
		tp_buf_str(t, "; 95 % interval ");
		tp_unit_hundredths(t, 100 * (k->of->interval.low - 1));
		tp_buf_str(t, " to ");
		tp_unit_hundredths(t, 100 * (k->of->interval.high - 1));
		tp_buf_str(t, " %");
	}
	tp_buf_chr(t, ')');
	why = status ? excuse(k->of) : NULL;
	if (why) {
		tp_buf_str(t, why);
		status = TP_GATE_PASS;
	}
	TP_MOST(k->status, status);
}

/* Whether V of C cannot be checked by G; K's text then says why. */
static int
is_unfit(struct tp_gates *gates, const struct tp_gate_check *k,
    const struct tp_compared *v, const struct tp_comparison *c)
{
	static const char *const sides[] = { "before", "after" };

	for (int s = 0; s < TP_SIDES; s++)
		if (v->run_count[s] < c->run_count[s]) {
			tp_buf_fmt(&gates->text, "%s was measured in %zu of "
			    "%zu runs %s", k->title, v->run_count[s],
			    c->run_count[s], sides[s]);
			return 1;
		}
	if (!k->decides || tp_compared_is_positive(v))
		return 0;
	tp_buf_fmt(&gates->text, "%s is not above 0 in every run", k->title);
	return 1;
}

/* Whether METRIC is among the values of earlier runs. */
static int
is_past(const struct tp_comparison *c, const char *metric)
{
	for (size_t i = 0; i < c->past_count; i++)
		if (!strcmp(c->past[i].metric, metric))
			return 1;
	return 0;
}

/* Check V of C (NULL: missing) against G. */
static void
check(struct tp_gates *gates, const struct cJSON *g,
    const struct tp_compared *v, const struct tp_comparison *c)
{
	struct tp_gate_check *k = new_check(gates, tp_json_text(g, "id"),
	    tp_json_text(g, "title"));

	k->of = v;
	k->decides = tp_json_text(g, "decides");
	for (int measure = 0; measure < MEASURES; measure++)
		k->can_fail |= tp_json_get(g, measures[measure].fail) != NULL;
	tp_json_number(g, "order", &k->order);
	tp_buf_clear(&gates->text);
	if (v && v->reason && !strcmp(v->reason, "twice")) {
		k->status = TP_GATE_UNKNOWN;
		tp_buf_fmt(&gates->text, "%s stands more than once on a side",
		    k->title);
	} else if (v && v->side[TP_BEFORE].times &&
	    v->side[TP_AFTER].times && is_unfit(gates, k, v, c)) {
		k->status = TP_GATE_UNKNOWN;
	} else if (v && v->side[TP_BEFORE].times && v->side[TP_AFTER].times) {
		k->has_few_steps = v->reason && !strcmp(v->reason, "too-few");
		for (int measure = 0; measure < MEASURES; measure++)
			hold(gates, k, g, measure);
		if (!gates->text.len)
			tp_buf_fmt(&gates->text, "%s has no limit", k->title);
	} else if (v && v->side[TP_AFTER].times &&
	    !c->run_count[TP_BEFORE] && !is_past(c, v->name)) {
		tp_buf_fmt(&gates->text, "%s is put on record: there is none "
		    "to compare it with", k->title);
	} else {
		k->status = TP_GATE_UNKNOWN;
		tp_buf_fmt(&gates->text, "%s was measured %s", k->title,
		    !v ? "on neither side" : v->side[TP_BEFORE].times ?
		    "only before" : "only after");
	}
	finish(gates, k);
}

/* Whether PATTERN names V, in one trace or, with several, in any. */
static int
is_of(const struct tp_compared *v, const char *pattern)
{
	return tp_is_named(pattern, v->name) || tp_is_named(pattern, v->bare);
}

enum there { BEFORE_ALONE, ANYWHERE, BOTH };

/* Whether PATTERN names a metric that is present as WHERE says. */
static int
is_there(const struct tp_comparison *c, const char *pattern,
    enum there where)
{
	for (size_t i = 0; i < c->count; i++) {
		const struct tp_compared *v = &c->list[i];
		int before = v->side[TP_BEFORE].times > 0;
		int after = v->side[TP_AFTER].times > 0;

		if (is_of(v, pattern) && (where == ANYWHERE ||
		    (where == BOTH ? before && after : before && !after)))
			return 1;
	}
	return 0;
}

static void
check_named(struct tp_gates *gates, const struct cJSON *g,
    const char *pattern, const struct tp_comparison *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (is_of(&c->list[i], pattern))
			check(gates, g, &c->list[i], c);
}

static void
check_gate(struct tp_gates *gates, const struct cJSON *g,
    const struct tp_comparison *c)
{
	const char *with = tp_json_text(g, "required_with");
	/* a metric without a past is recorded now and compared later */
	int needs_both = cJSON_IsTrue(tp_json_get(g, "needs_both")) &&
	    c->run_count[TP_BEFORE];
	const enum there wheres[] = { BOTH, needs_both ? BEFORE_ALONE :
	    ANYWHERE };
	const struct cJSON *i;

	for (int n = 0; n < 2; n++)
		cJSON_ArrayForEach(i, tp_json_get(g, "of"))
			if (cJSON_IsString(i) && is_there(c, i->valuestring,
			    wheres[n])) {
				check_named(gates, g, i->valuestring, c);
				return;
			}
	for (int s = 0; with && s < TP_SIDES; s++)
		if (tp_names_find(&c->kinds[s], with, strlen(with)) >= 0) {
			check(gates, g, NULL, c);
			return;
		}
}

/*
 * The first check that can decide for the group of K; one with too few steps
 * only when there is no other.  NULL: none.
 */
static const struct tp_gate_check *
speaker_of(const struct tp_gates *gates, const struct tp_gate_check *k)
{
	const struct tp_gate_check *first = NULL;

	for (size_t i = 0; i < gates->count; i++) {
		const struct tp_gate_check *o = &gates->list[i];

		if (o->decides && !strcmp(o->decides, k->decides) &&
		    o->has_limit && (!first || o->has_few_steps <
		    first->has_few_steps ||
		    (o->has_few_steps == first->has_few_steps &&
		    o->order < first->order)))
			first = o;
	}
	return first;
}

/* Number of metrics checked by the gate of K. */
static size_t
count_alike(const struct tp_gates *gates, const struct tp_gate_check *k)
{
	size_t n = 0;

	for (size_t i = 0; i < gates->count; i++)
		n += gates->list[i].has_limit &&
		    !strcmp(gates->list[i].id, k->id);
	return n;
}

/* Among many metrics of one gate some change by chance (Bonferroni). */
static void
share_chance(struct tp_gates *gates, struct tp_gate_check *k)
{
	size_t n = count_alike(gates, k);

	if (k->status != TP_GATE_FAIL || n < 2 ||
	    k->of->noise < TP_NOISE_HISTORY || !k->of->has_chance ||
	    k->of->chance <= TP_CHANCE / (double)n)
		return;
	k->status = TP_GATE_PASS;
	tp_buf_clear(&gates->text);
	tp_buf_fmt(&gates->text, "%s, which is within the noise of one of %zu",
	    k->text, n);
	finish(gates, k);
}

/* Choose the deciding gate of each group; the others only repeat it. */
static void
decide(struct tp_gates *gates)
{
	for (size_t i = 0; i < gates->count; i++) {
		struct tp_gate_check *k = &gates->list[i];
		const struct tp_gate_check *first = k->decides ?
		    speaker_of(gates, k) : NULL;

		k->is_deciding = k->decides ? first &&
		    !strcmp(first->id, k->id) : k->can_fail;
		k->exceeds = k->status;
		if (k->is_deciding && k->has_few_steps)
			k->status = k->exceeds = TP_GATE_UNKNOWN;
		if (k->is_deciding)
			share_chance(gates, k);
		if (k->is_deciding || !first)
			continue;
		if (k->status == TP_GATE_FAIL)
			k->status = TP_GATE_WARN;
		if (k->status == TP_GATE_WARN)
			k->same_as = first->id;
	}
	/* a warning beside a gate that passed is news */
	for (size_t i = 0; i < gates->count; i++) {
		struct tp_gate_check *k = &gates->list[i];
		int failed = 0;

		for (size_t j = 0; k->same_as && j < gates->count; j++)
			failed |= !strcmp(gates->list[j].id, k->same_as) &&
			    gates->list[j].status == TP_GATE_FAIL;
		if (!failed)
			k->same_as = NULL;
	}
}

const char *
tp_gates_group(const struct tp_gates *gates, const char *metric)
{
	const struct cJSON *g, *i;

	for (int f = 0; f < gates->file_count; f++)
		cJSON_ArrayForEach(g, tp_json_get(gates->files[f], "gates"))
			cJSON_ArrayForEach(i, tp_json_get(g, "of"))
				if (cJSON_IsString(i) &&
				    tp_is_named(i->valuestring, metric))
					return tp_json_text(g, "decides") ?
					    tp_json_text(g, "decides") : "";
	return NULL;
}

int
tp_gates_can_tell(const struct tp_gates *gates, const char *group)
{
	for (size_t i = 0; i < gates->count; i++)
		if (gates->list[i].decides && gates->list[i].has_limit &&
		    !strcmp(gates->list[i].decides, group))
			return 1;
	return 0;
}

void
tp_gates_check(struct tp_gates *gates, const struct tp_comparison *c)
{
	const struct cJSON *g;

	for (int i = 0; i < gates->file_count; i++)
		cJSON_ArrayForEach(g, tp_json_get(gates->files[i], "gates"))
			check_gate(gates, g, c);
	decide(gates);
}

double
tp_gates_detectable(const struct tp_gates *gates, enum tp_noise *from)
{
	double most = 0;

	for (size_t i = 0; i < gates->count; i++) {
		const struct tp_gate_check *k = &gates->list[i];

		if (!k->is_deciding || !k->decides || !k->has_limit ||
		    (*from && !(k->of->detectable > most)))
			continue;
		most = k->of->detectable;
		*from = k->of->noise;
	}
	return most;
}

enum tp_gate_status
tp_gates_status(const struct tp_gates *gates)
{
	enum tp_gate_status worst = TP_GATE_PASS;

	for (size_t i = 0; i < gates->count; i++)
		TP_MOST(worst, gates->list[i].status);
	return gates->count ? worst : TP_GATE_UNKNOWN;
}

size_t
tp_gates_count(const struct tp_gates *gates, enum tp_gate_status status)
{
	size_t n = 0;

	for (size_t i = 0; i < gates->count; i++)
		n += gates->list[i].status == status;
	return n;
}

int
tp_gates_are_weak(const struct tp_gates *gates)
{
	for (size_t i = 0; i < gates->count; i++) {
		const struct tp_gate_check *k = &gates->list[i];

		if (k->is_deciding && k->has_limit &&
		    k->of->detectable > 2 * k->limit)
			return 1;
	}
	return 0;
}
