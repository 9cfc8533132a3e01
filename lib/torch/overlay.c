/* overlay - numbers of TraceLens where they differ from the models */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include <tp/json.h>
#include <tp/share.h>

#include "formula.h"
#include "overlay.h"

#define FILE_NAME "ops/torch-tracelens.json"

static int
bad(const char *what, const char *name, struct tp_err *err)
{
	return tp_share_fail(err, TP_BAD,
	    "share/" FILE_NAME ": %s '%.80s'", what, name ? name : "");
}

/* Load the texts of the list KEY into LIST. */
static int
load_names(const struct cJSON *doc, const char *key, struct tp_names *list,
    struct tp_err *err)
{
	const struct cJSON *i;
	const char *name;

	cJSON_ArrayForEach(i, tp_json_get(doc, key)) {
		name = cJSON_GetStringValue(i);
		if (!name)
			return bad("no name in", key, err);
		tp_names_add(list, name, strlen(name));
	}
	return 0;
}

/*
 * Check an entry of "not_followed", faults that the tables do not repeat.  They
 * document differences for people who compare.
 */
static int
check_not_followed(const struct cJSON *i, struct tp_err *err)
{
	return tp_json_text(i, "about") && cJSON_GetArraySize(tp_json_get(i,
	    "ops")) ? 0 : bad("a fault without ops or about in",
	    "not_followed", err);
}

static int
check_row(const struct cJSON *row, struct tp_err *err)
{
	static const char *const keys[] = { "flops", "bytes", "type", "listed",
	    "family", "about", "let", "sizes", "specs", "params" };
	const char *family = tp_json_text(row, "family"), *at;
	struct tp_torch_scope scope;
	const struct cJSON *i;
	double value;
	size_t k;

	if (!family || !tp_json_text(row, "about"))
		return bad("a row without about", family, err);
	if (tp_torch_scope(&scope, NULL, row, NULL, &at) < 0)
		return bad("no formula in", "let", err);
	cJSON_ArrayForEach(i, row) {
		for (k = 0; k < sizeof keys / sizeof *keys; k++)
			if (!strcmp(keys[k], i->string))
				break;
		if (k == sizeof keys / sizeof *keys)
			return bad("unknown key", i->string, err);
		if (k < 4 && (!cJSON_IsString(i) || tp_torch_formula(&scope,
		    i->valuestring, &value, &at) < 0))
			return bad("no formula in", i->string, err);
	}
	cJSON_ArrayForEach(i, tp_json_get(row, "params")) {
		tp_torch_param_text(NULL, &scope, i, &at);
		if (at)
			return bad("no parameter in", i->string, err);
	}
	return 0;
}

int
tp_torch_overlay_load(struct tp_torch_overlay *overlay, struct tp_err *err)
{
	const struct cJSON *row;

	memset(overlay, 0, sizeof *overlay);
	overlay->doc = tp_share_json(FILE_NAME, err);
	if (!overlay->doc)
		return -1;
	cJSON_ArrayForEach(row, tp_json_get(overlay->doc, "rows"))
		if (check_row(row, err) < 0)
			return -1;
	cJSON_ArrayForEach(row, tp_json_get(overlay->doc, "not_followed"))
		if (check_not_followed(row, err) < 0)
			return -1;
	return load_names(overlay->doc, "unknown_types", &overlay->types,
	    err) < 0 || load_names(overlay->doc, "uncosted_families",
	    &overlay->families, err) < 0 || load_names(overlay->doc,
	    "costed_steps", &overlay->steps, err) < 0 ? -1 : 0;
}

int
tp_torch_overlay_check(const struct tp_torch_overlay *overlay,
    int (*is_family)(const void *arg, const char *name), const void *arg,
    struct tp_err *err)
{
	const struct cJSON *row;
	const char *family;

	cJSON_ArrayForEach(row, tp_json_get(overlay->doc, "rows")) {
		family = tp_json_text(row, "family");
		if (!is_family(arg, family))
			return bad("no such family", family, err);
	}
	for (size_t i = 0; i < overlay->families.count; i++)
		if (!is_family(arg, overlay->families.names[i].text))
			return bad("no such family",
			    overlay->families.names[i].text, err);
	return 0;
}

void
tp_torch_overlay_release(struct tp_torch_overlay *overlay)
{
	cJSON_Delete(overlay->doc);
	tp_names_release(&overlay->types);
	tp_names_release(&overlay->families);
	tp_names_release(&overlay->steps);
}

int
tp_torch_overlay_has(const struct tp_names *list, const char *name)
{
	return tp_names_find(list, name, strlen(name)) >= 0;
}

static const struct cJSON *
row_of(const struct tp_torch_overlay *overlay, const char *family)
{
	const struct cJSON *row;

	cJSON_ArrayForEach(row, tp_json_get(overlay->doc, "rows"))
		if (!strcmp(tp_json_text(row, "family"), family))
			return row;
	return NULL;
}

/* Evaluate FORMULA of ROW; NAN if it is NULL or unknown. */
static double
value_of(const struct tp_torch_scope *scope, const char *formula)
{
	const char *at;
	double x = NAN;

	if (formula)
		tp_torch_formula(scope, formula, &x, &at);
	return x;
}

/*
 * The cost under KEY of ROW.  Without a formula, or if its value equals WAS as
 * a double, returns WAS, which a double may not hold exactly.
 */
static int64_t
cost_of(const struct tp_torch_scope *scope, const struct cJSON *row,
    const char *key, int64_t was)
{
	const char *formula = tp_json_text(row, key);
	double x = value_of(scope, formula);

	if (!formula)
		return was;
	if (isnan(x))
		return -1;
	return was >= 0 && x == (double)was ? was : tp_torch_rounded(x);
}

/*
 * The spec: of the type of argument "type", else of the first type in the table
 * "specs".
 */
static const char *
spec_of(const struct tp_torch_overlay *overlay,
    const struct tp_torch_scope *scope, const struct cJSON *row,
    const char *was)
{
	const struct tp_torch_call *call = scope->call;
	const char *type = tp_json_text(row, "type"), *name, *spec;
	const struct cJSON *specs = tp_json_get(tp_json_get(overlay->doc,
	    "specs"), tp_json_text(row, "specs"));
	double at = value_of(scope, type);

	if (type)
		return isnan(at) ? NULL : tp_torch_spec(call,
		    tp_torch_type_name(call, (int)at));
	for (int i = 0; specs && i < cJSON_GetArraySize(call->types); i++) {
		name = tp_torch_type_name(call, i);
		spec = name ? tp_json_text(specs, name) : NULL;
		if (spec)
			return spec;
	}
	return specs ? NULL : was;
}

/*
 * Replace the text of PARAM by the value of OF unless that is unknown.  A
 * boolean stays one.
 */
static void
replace(struct tp_torch_call *call, const struct tp_torch_scope *scope,
    const struct cJSON *of, struct tp_torch_param *param)
{
	const char *at, *text = tp_torch_param_text(call, scope, of, &at);

	if (!text)
		return;
	if ((!strcmp(param->text, "True") || !strcmp(param->text, "False")) &&
	    (!strcmp(text, "0") || !strcmp(text, "1")))
		text = *text == '1' ? "True" : "False";
	param->text = text;
}

static void
replace_all(struct tp_torch_call *call, const struct tp_torch_scope *scope,
    const struct cJSON *params)
{
	struct tp_torch_tracelens *tracelens = &call->perf->tracelens;
	struct tp_torch_param *list;

	if (!params || !tracelens->param_count)
		return;
	list = tp_arena_get(call->arena, tracelens->param_count * sizeof *list);
	memcpy(list, tracelens->params, tracelens->param_count * sizeof *list);
	tracelens->params = list;
	for (size_t i = 0; i < tracelens->param_count; i++) {
		const struct cJSON *of = tp_json_get(params, list[i].name);

		if (of)
			replace(call, scope, of, &list[i]);
	}
}

void
tp_torch_overlay_apply(const struct tp_torch_overlay *overlay,
    struct tp_torch_call *call, const char *family, int extra)
{
	const struct cJSON *row = row_of(overlay, family);
	struct tp_torch_tracelens *tracelens = &call->perf->tracelens;
	struct tp_torch_scope scope;
	const char *at;

	if (row && tp_torch_scope(&scope, call, row, NULL, &at) < 0)
		row = NULL;
	if (row) {
		tracelens->cost.flops = cost_of(&scope, row, "flops",
		    tracelens->cost.flops);
		tracelens->cost.bytes = cost_of(&scope, row, "bytes",
		    tracelens->cost.bytes);
		tracelens->cost.spec = spec_of(overlay, &scope, row,
		    tracelens->cost.spec);
		if (value_of(&scope, tp_json_text(row, "listed")) == 0)
			tracelens->param_count = 0;
	}
	/* a row with sizes of its own is more specific */
	if (extra && !tp_json_get(row, "sizes"))
		tracelens->cost.bytes = -1;
	if (!(!row))
		replace_all(call, &scope, tp_json_get(row, "params"));
}
