/* compare_data - read share/compare */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/share.h>
#include <tp/text.h>

#include "compare_private.h"

static int
wrong(struct tp_err *err, const char *file, const char *what)
{
	return tp_share_fail(err, TP_BAD,
	    "share/compare/%.80s: %s", file, what);
}

static int
add_kind(struct tp_compare_rules *r, const struct cJSON *k, const char *file,
    struct tp_err *err)
{
	const struct cJSON *cut = tp_json_get(k, "cut");
	const char *twice = tp_json_text(k, "twice");
	struct tp_compare_kind *p;

	if (!tp_json_text(k, "kind") ||
	    !cJSON_IsArray(tp_json_get(k, "identity")))
		return wrong(err, file, "a kind without kind or identity");
	p = TP_PUSH(r->kinds, r->kind_count, r->kind_cap);
	p->kind = tp_json_text(k, "kind");
	tp_share_texts(&r->arena, tp_json_get(k, "identity"), &p->identity);
	tp_share_texts(&r->arena, tp_json_get(k, "values"), &p->values);
	tp_share_texts(&r->arena, tp_json_get(k, "sample"), &p->samples);
	tp_share_texts(&r->arena, tp_json_get(k, "course"), &p->course);
	p->cut_kind = cJSON_GetStringValue(cJSON_GetArrayItem(cut, 0));
	p->cut_key = cJSON_GetStringValue(cJSON_GetArrayItem(cut, 1));
	p->work = tp_json_text(k, "work");
	p->work_else = tp_json_text(k, "work_else");
	p->holds = tp_json_text(k, "holds");
	p->noise = tp_json_get(k, "noise");
	p->drift = tp_json_get(k, "drift");
	p->stands_back = tp_json_text(k, "stands_back");
	p->rows = cJSON_IsTrue(tp_json_get(k, "rows"));
	p->placed = cJSON_IsTrue(tp_json_get(k, "placed"));
	p->sum = twice && !strcmp(twice, "sum");
	return tp_conds_json(&p->unless, tp_json_get(k, "unless"), &r->arena,
	    err);
}

static int
add_same(struct tp_compare_rules *r, const struct cJSON *s, const char *file,
    struct tp_err *err)
{
	const char *about = tp_json_text(s, "about");
	struct tp_compare_same *p;

	if (!tp_json_text(s, "kind") || !about)
		return wrong(err, file, "same without kind or about");
	p = TP_PUSH(r->same, r->same_count, r->same_cap);
	p->kind = tp_json_text(s, "kind");
	p->is_device = !strcmp(about, "device");
	p->refuses = tp_json_get(s, "refuse") != NULL;
	tp_share_texts(&r->arena, tp_json_get(s, "keys"), &p->keys);
	if (!p->keys)
		return wrong(err, file, "same without keys");
	return 0;
}

static void
add_least(struct tp_compare_rules *r, const struct cJSON *l)
{
	struct tp_compare_least *p = TP_PUSH(r->least, r->least_count,
	    r->least_cap);

	p->unit = l->string;
	p->value = cJSON_IsNumber(l) ? l->valuedouble : 0;
}

static int
add_shown(struct tp_compare_rules *r, const struct cJSON *s,
    const char *file, struct tp_err *err)
{
	struct tp_compare_shown *p;

	p = TP_PUSH(r->shown, r->shown_count, r->shown_cap);
	p->metric = tp_json_text(s, "metric");
	p->section = tp_json_text(s, "section");
	p->title = tp_json_text(s, "title");
	p->headline = tp_json_text(s, "headline");
	p->part_of = tp_json_text(s, "part_of");
	p->rest = cJSON_IsTrue(tp_json_get(s, "rest"));
	p->each = cJSON_IsTrue(tp_json_get(s, "each"));
	p->throughput = cJSON_IsTrue(tp_json_get(s, "throughput"));
	p->beside = cJSON_IsTrue(tp_json_get(s, "beside"));
	p->whole = cJSON_IsTrue(tp_json_get(s, "whole"));
	if (!p->metric || !p->section != !p->title)
		return wrong(err, file, "shown without metric, or with one "
		    "of section and title");
	return 0;
}

static int
add_lane(struct tp_compare_rules *r, const struct cJSON *l,
    const char *file, struct tp_err *err)
{
	struct tp_compare_lane *p;

	p = TP_PUSH(r->lanes, r->lane_count, r->lane_cap);
	p->kind = tp_json_text(l, "kind");
	tp_share_texts(&r->arena, tp_json_get(l, "identity"), &p->identity);
	tp_share_texts(&r->arena, tp_json_get(l, "without"), &p->without);
	p->words = tp_json_get(l, "words");
	if (!p->kind || !p->identity)
		return wrong(err, file, "lanes without kind or identity");
	return 0;
}

static int
add_state(struct tp_compare_rules *r, const struct cJSON *s,
    const char *file, struct tp_err *err)
{
	struct tp_compare_state_rule *p;

	p = TP_PUSH(r->states, r->state_count, r->state_cap);
	p->state = tp_json_text(s, "state");
	p->kind = tp_json_text(s, "kind");
	if (!tp_json_number(s, "factor", &p->factor))
		p->factor = 0;
	p->shown = tp_json_get(s, "shown");
	if (!p->state || !p->kind)
		return wrong(err, file, "a state without state or kind");
	return tp_conds_json(&p->when, tp_json_get(s, "when"), &r->arena, err);
}

static int
add_file(struct tp_compare_rules *r, const struct cJSON *doc,
    const char *file, struct tp_err *err)
{
	const struct {
		const char *key;
		const struct cJSON **list;
	} lists[] = {
		{ "less", &r->less }, { "more", &r->more },
		{ "total", &r->total }, { "share", &r->share },
		{ "less_share", &r->less_share }, { "ignore", &r->ignore },
		{ "fusion", &r->fusion }, { "accel", &r->accel },
		{ "uniform", &r->uniform }, { "slow", &r->slow },
		{ "devices", &r->devices },
		{ "amounts", &r->amounts }, { "inputs", &r->inputs },
		{ "promises", &r->promises },
		{ "noise", &r->noise }, { "calls", &r->calls },
		{ "temporary", &r->temporary }, { "exact", &r->exact },
		{ "state_of", &r->state_of }, { "placed", &r->placed },
	};
	const struct cJSON *i;

	for (size_t n = 0; n < sizeof lists / sizeof *lists; n++)
		if (!*lists[n].list)
			*lists[n].list = tp_json_get(doc, lists[n].key);
	cJSON_ArrayForEach(i, tp_json_get(doc, "kinds"))
		if (add_kind(r, i, file, err) < 0)
			return -1;
	cJSON_ArrayForEach(i, tp_json_get(doc, "same"))
		if (add_same(r, i, file, err) < 0)
			return -1;
	cJSON_ArrayForEach(i, tp_json_get(doc, "shown"))
		if (add_shown(r, i, file, err) < 0)
			return -1;
	cJSON_ArrayForEach(i, tp_json_get(doc, "lanes"))
		if (add_lane(r, i, file, err) < 0)
			return -1;
	cJSON_ArrayForEach(i, tp_json_get(doc, "states"))
		if (add_state(r, i, file, err) < 0)
			return -1;
	cJSON_ArrayForEach(i, tp_json_get(doc, "least"))
		add_least(r, i);
	return 0;
}

struct tp_compare_rules *
tp_compare_rules_load(struct tp_err *err)
{
	struct tp_compare_rules *r = tp_zalloc(sizeof *r);
	char **names = NULL;
	struct tp_buf path = { 0 };
	int n = tp_share_list("compare", ".json", &names, err);
	int rc = n < 0 ? -1 : 0;

	if (!rc)
		r->files = tp_zalloc((size_t)(n + 1) * sizeof *r->files);
	for (int i = 0; !rc && i < n; i++) {
		tp_buf_clear(&path);
		tp_buf_fmt(&path, "compare/%s", names[i]);
		if (!(r->files[i] = tp_share_json(path.p, err)))
			rc = -1;
		else
			rc = add_file(r, r->files[r->file_count++], names[i],
			    err);
	}
	tp_share_free_list(names, n > 0 ? n : 0);
	tp_buf_release(&path);
	if (!rc)
		return r;
	tp_compare_rules_free(r);
	return NULL;
}

void
tp_compare_rules_free(struct tp_compare_rules *r)
{
	if (!r)
		return;
	for (int i = 0; i < r->file_count; i++)
		cJSON_Delete(r->files[i]);
	tp_free(r->files);
	tp_free(r->kinds);
	tp_free(r->same);
	tp_free(r->least);
	tp_free(r->shown);
	tp_free(r->lanes);
	tp_free(r->states);
	tp_arena_release(&r->arena);
	tp_free(r);
}

const struct tp_compare_kind *
tp_compare_kind_of(const struct tp_compare_rules *r, const char *kind)
{
	for (size_t i = 0; i < r->kind_count; i++)
		if (!strcmp(r->kinds[i].kind, kind))
			return &r->kinds[i];
	for (size_t i = 0; i < r->kind_count; i++)
		if (tp_glob(r->kinds[i].kind, kind, strlen(kind)))
			return &r->kinds[i];
	return NULL;
}

double
tp_compare_least_of(const struct tp_compare_rules *r, const char *unit)
{
	for (size_t i = 0; i < r->least_count; i++)
		if (!strcmp(r->least[i].unit, unit))
			return r->least[i].value;
	return 0;
}

double
tp_compare_noise(const struct tp_compare_rules *r, const char *name)
{
	double x;

	return tp_json_number(r->noise, name, &x) ? x : 0;
}

double
tp_compare_fusion(const struct tp_compare_rules *r, const char *name)
{
	double x;

	return tp_json_number(r->fusion, name, &x) ? x : NAN;
}

const struct cJSON *
tp_compare_accel(const struct tp_compare_rules *r)
{
	return r->accel;
}
