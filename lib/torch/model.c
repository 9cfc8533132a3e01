/* model - cost of PyTorch operations: arithmetic and memory traffic */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include <tp/hash.h>
#include <tp/json.h>
#include <tp/share.h>
#include <tp/text.h>

#include "overlay.h"
#include "signature.h"

/* Longer types are unknown. */
#define TYPE_MAX 64

static const struct family {
	const char *name;
	tp_torch_cost_model *evaluate;		/* NULL: only the name is
						 * known */
	tp_torch_cost_model *backward;
	const char *backward_table;
} families[] = {
	{ "gemm", tp_torch_gemm, NULL, NULL },
	{ "grouped_gemm", tp_torch_grouped_gemm, NULL, NULL },
	{ "moe", tp_torch_moe, NULL, NULL },
	{ "attention", tp_torch_attention, tp_torch_attention_backward,
	    "SDPA_bwd" },
	{ "attention_backward", tp_torch_attention_backward, NULL, NULL },
	{ "step_attention", tp_torch_attention_server, NULL, NULL },
	{ "cache", tp_torch_cache, NULL, NULL },
	{ "convolution", tp_torch_convolution, tp_torch_convolution_backward,
	    "CONV_bwd" },
	{ "convolution_backward", tp_torch_convolution_backward, NULL, NULL },
	{ "unary", tp_torch_unary, NULL, NULL },
	{ "binary", tp_torch_binary, NULL, NULL },
	{ "reduce", tp_torch_reduce, tp_torch_reduce, "Reduce_bwd" },
	{ "norm", tp_torch_norm, NULL, NULL },
	{ "norm_backward", tp_torch_norm_backward, NULL, NULL },
	{ "rope", tp_torch_rope, NULL, NULL },
	{ "cross_entropy", tp_torch_cross_entropy, NULL, NULL },
}, triton = { "triton", tp_torch_triton, NULL, NULL },
    formula = { "formula", tp_torch_by_formula, NULL, NULL },
    unknown = { "unknown", NULL, NULL, NULL };

/* An operation of the file. */
struct known {
	const struct family *family;
	const struct cJSON *entry;	/* its family in the file */
	const struct cJSON *options;
	int reads_step;			/* depends on a server's step */
};

struct tp_torch_models {
	const struct tp_torch_operators *operators;
	struct cJSON *triton;
	struct tp_torch_overlay overlay;
	struct tp_arena arena;
	struct tp_torch_type *types;
	size_t type_count, type_cap;
	struct tp_torch_index costs;	/* names of rows with a cost */
	struct known *known;		/* by index in costs */
	size_t cap;
	struct tp_torch_index taking;	/* names of rows with signatures */
	const struct cJSON **takes;	/* by index in taking */
	size_t takes_cap;
	size_t *extras;			/* number of lookups of types that
					 * TraceLens does not know */
	struct tp_names fusible;	/* operations in Triton names */
};

static const char *
spec(struct tp_torch_models *models, const char *unit, const char *precision)
{
	char text[80];
	int n = snprintf(text, sizeof text, "%s_%s", unit, precision);

	return tp_arena_text(&models->arena, text, (size_t)n);
}

/* Load type I of file AT. */
static int
load_type(struct tp_torch_models *models, size_t at, const struct cJSON *i,
    struct tp_err *err)
{
	struct tp_torch_type *t;
	double bytes;

	t = TP_PUSH(models->types, models->type_count, models->type_cap);
	t->name = i->string;
	t->bytes = tp_json_number(i, "bytes", &bytes) ? (int64_t)bytes : -1;
	t->precision = tp_json_text(i, "precision");
	t->torch = tp_json_text(i, "torch");
	t->is_extra = tp_torch_overlay_has(&models->overlay.types, t->name);
	if (!t->precision)
		return 0;
	if (strlen(t->precision) > 32)
		return tp_torch_operators_bad(models->operators, at,
		    "a long precision of", t->name, NULL, err);
	t->matrix = spec(models, "matrix", t->precision);
	t->vector = spec(models, "vector", t->precision);
	return 0;
}

static const struct family *
family_named(const char *name)
{
	for (size_t i = 0; i < sizeof families / sizeof *families; i++)
		if (!strcmp(families[i].name, name))
			return &families[i];
	return NULL;
}

/*
 * Reject unknown keys of a row without code, where they can only be misspelt.
 */
static int
check_keys(const struct tp_torch_models *models, size_t file,
    const struct cJSON *op, struct tp_err *err)
{
	static const char *const keys[] = { "let", "flops", "bytes", "type",
	    "params", "sizes", "table", "category", "takes" };
	const struct cJSON *i;
	char what[80];
	size_t k;

	cJSON_ArrayForEach(i, op) {
		for (k = 0; k < sizeof keys / sizeof *keys; k++)
			if (!strcmp(i->string, keys[k]))
				break;
		if (k < sizeof keys / sizeof *keys)
			continue;
		snprintf(what, sizeof what, "unknown key '%.40s' of",
		    i->string);
		return tp_torch_operators_bad(models->operators, file, what,
		    op->string, NULL, err);
	}
	return 0;
}

/* Whether a formula of OF uses a sum of the server's step. */
static int
asks_step(const struct cJSON *of)
{
	static const char *const keys[] = { "let", "flops", "bytes" };
	const struct cJSON *i, *k;
	const char *text;

	for (size_t at = 0; at < sizeof keys / sizeof *keys; at++) {
		i = tp_json_get(of, keys[at]);
		text = cJSON_GetStringValue(i);
		if (text && strstr(text, "step("))
			return 1;
		cJSON_ArrayForEach(k, i) {
			text = cJSON_GetStringValue(k);
			if (text && strstr(text, "step("))
				return 1;
		}
	}
	return 0;
}

/*
 * Load row OP of ENTRY, whose code is FAMILY or NULL.  A row without a cost or
 * without signatures leaves those of an earlier row in place.
 */
static int
load_row(struct tp_torch_models *models, size_t file,
    const struct cJSON *entry, const struct family *family,
    const struct cJSON *op, struct tp_err *err)
{
	const struct cJSON *takes = tp_json_get(op, "takes");
	const char *at, *wrong, *bad = takes ?
	    tp_torch_signatures_bad(takes) : NULL;
	struct known known = { .entry = entry, .options = op };
	ptrdiff_t to;

	if (tp_torch_formulas_check(op, entry, &at) < 0)
		return tp_torch_operators_bad(models->operators, file,
		    "no formula for", op->string, at, err);
	if (tp_torch_params_check(op, entry, &wrong) < 0)
		return tp_torch_operators_bad(models->operators, file,
		    "no parameters for", op->string, wrong, err);
	if (bad)
		return tp_torch_operators_bad(models->operators, file,
		    "no signature of", op->string, bad, err);
	family = at ? &formula : family ? family :
	    strcmp(entry->string, unknown.name) ? NULL : &unknown;
	if (!family && !takes)
		return tp_torch_operators_bad(models->operators, file,
		    "neither a formula nor a known family for", op->string,
		    NULL, err);
	if ((!family || !family->evaluate || at) &&
	    check_keys(models, file, op, err) < 0)
		return -1;
	if (takes) {
		to = tp_torch_index_add(&models->taking, op->string);
		tp_grow(&models->takes, &models->takes_cap, (size_t)to + 1,
		    sizeof *models->takes);
		models->takes[to] = takes;
	}
	if (!family)
		return 0;
	to = tp_torch_index_add(&models->costs, op->string);
	TP_ITEM(models->known, models->cap, to);
	known.family = family;
	known.reads_step = family->evaluate == tp_torch_attention_server ||
	    (at && (asks_step(op) || asks_step(entry)));
	models->known[to] = known;
	return 0;
}

static int
load_family(struct tp_torch_models *models, size_t file,
    const struct cJSON *entry, struct tp_err *err)
{
	const struct family *family = family_named(entry->string);
	const struct cJSON *op;

	if (!cJSON_IsObject(tp_json_get(entry, "ops")))
		return tp_torch_operators_bad(models->operators, file,
		    "no operators in", entry->string, NULL, err);
	cJSON_ArrayForEach(op, tp_json_get(entry, "ops"))
		if (load_row(models, file, entry, family, op, err) < 0)
			return -1;
	return 0;
}

static int
load_triton(struct tp_torch_models *models, struct tp_err *err)
{
	const struct cJSON *i;
	const char *name;

	models->triton = tp_share_json("ops/torch-triton.json", err);
	if (!models->triton)
		return -1;
	cJSON_ArrayForEach(i, tp_json_get(models->triton, "operations")) {
		name = cJSON_GetStringValue(i);
		if (name)
			tp_names_add(&models->fusible, name, strlen(name));
	}
	return 0;
}

/* Whether NAME is a family of the files, or one without rows. */
static int
is_family(const void *arg, const char *name)
{
	const struct tp_torch_models *models = arg;

	for (size_t at = 0; at < models->operators->count; at++)
		if (tp_json_get(tp_json_get(models->operators->list[at].doc,
		    "families"), name))
			return 1;
	return !strcmp(name, triton.name);
}

static int
load(struct tp_torch_models *models, struct tp_err *err)
{
	const struct cJSON *i;

	models->extras = tp_arena_get(&models->arena, sizeof *models->extras);
	*models->extras = 0;
	if (load_triton(models, err) < 0 ||
	    tp_torch_overlay_load(&models->overlay, err) < 0)
		return -1;
	for (size_t at = 0; at < models->operators->count; at++) {
		const struct cJSON *doc = models->operators->list[at].doc;

		cJSON_ArrayForEach(i, tp_json_get(doc, "types"))
			if (load_type(models, at, i, err) < 0)
				return -1;
		cJSON_ArrayForEach(i, tp_json_get(doc, "families"))
			if (load_family(models, at, i, err) < 0)
				return -1;
	}
	return tp_torch_overlay_check(&models->overlay, is_family, models,
	    err);
}

struct tp_torch_models *
tp_torch_models_load(const struct tp_torch_operators *operators,
    struct tp_err *err)
{
	struct tp_torch_models *models = tp_zalloc(sizeof *models);

	models->operators = operators;
	if (load(models, err) < 0) {
		tp_torch_models_free(models);
		return NULL;
	}
	return models;
}

void
tp_torch_models_free(struct tp_torch_models *models)
{
	if (!models)
		return;
	cJSON_Delete(models->triton);
	tp_torch_overlay_release(&models->overlay);
	tp_torch_index_release(&models->costs);
	tp_torch_index_release(&models->taking);
	tp_names_release(&models->fusible);
	tp_free(models->known);
	tp_free(models->takes);
	tp_free(models->types);
	tp_arena_release(&models->arena);
	tp_free(models);
}

const struct tp_torch_type *
tp_torch_type_of(const struct tp_torch_models *models, const char *name)
{
	char lower[TYPE_MAX];
	size_t n;

	if (!name || strlen(name) >= sizeof lower)
		return NULL;
	for (n = 0; name[n]; n++)
		lower[n] = name[n] >= 'A' && name[n] <= 'Z' ?
		    (char)(name[n] + 'a' - 'A') : name[n];
	lower[n] = '\0';
	for (size_t i = models->type_count; i-- > 0;) {
		if (strcmp(models->types[i].name, lower))
			continue;
		*models->extras += (size_t)models->types[i].is_extra;
		return &models->types[i];
	}
	return NULL;
}

int64_t
tp_torch_type_bytes(const struct tp_torch_models *models, const char *name)
{
	const struct tp_torch_type *type = tp_torch_type_of(models, name);

	return type ? type->bytes : -1;
}

const struct tp_torch_type *
tp_torch_precision(const struct tp_torch_models *models, const char *precision)
{
	for (size_t i = 0; i < models->type_count; i++)
		if (models->types[i].precision &&
		    !strcmp(models->types[i].precision, precision))
			return &models->types[i];
	return NULL;
}

const char *
tp_torch_spec(const struct tp_torch_call *call, const char *name)
{
	const struct tp_torch_type *type = tp_torch_type_of(call->models, name);

	if (!type || !call->unit)
		return NULL;
	return *call->unit == 'm' ? type->matrix : type->vector;
}

const struct cJSON *
tp_torch_triton_file(const struct tp_torch_models *models, const char *key)
{
	return tp_json_get(models->triton, key);
}

int
tp_torch_triton_knows(const struct tp_torch_models *models, const char *name,
    size_t len)
{
	return tp_names_find(&models->fusible, name, len) >= 0;
}

/* Whether NAME is a kernel that torch.compile made of several operations. */
static int
is_triton(const char *name, size_t len)
{
	static const char *const starts[] = {
		"triton_poi_", "triton_red_", "triton_per_"
	};

	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (len > strlen(starts[i]) &&
		    !memcmp(name, starts[i], strlen(starts[i])))
			return 1;
	return 0;
}

const struct cJSON *
tp_torch_sizes(const struct tp_torch_models *models, const char *name)
{
	const struct cJSON *sizes = NULL, *of;

	for (size_t i = 0; name && i < models->operators->count; i++) {
		of = tp_json_get(tp_json_get(models->operators->list[i].doc,
		    "sizes"), name);
		sizes = of ? of : sizes;
	}
	return sizes || !name ? sizes : tp_json_get(tp_json_get(
	    models->overlay.doc, "sizes"), name);
}

static const struct known *
known_of(const struct tp_torch_models *models, const char *name, size_t len)
{
	ptrdiff_t at = tp_torch_index_find(&models->costs, name, len);

	return at < 0 ? NULL : &models->known[at];
}

const struct cJSON *
tp_torch_takes(const struct tp_torch_models *models, const char *name,
    size_t len)
{
	ptrdiff_t at = tp_torch_index_find(&models->taking, name, len);

	return at < 0 ? NULL : models->takes[at];
}

const struct tp_names *
tp_torch_taking(const struct tp_torch_models *models)
{
	return &models->taking.names;
}

/*
 * Whether TraceLens has a model, too, so that the search for rows stops at this
 * operation.
 */
static int
is_shared(const struct tp_torch_models *models, const struct known *known)
{
	return !tp_torch_overlay_has(&models->overlay.families,
	    known->entry->string);
}

int
tp_torch_has_model(const struct tp_torch_models *models, const char *name,
    size_t len)
{
	const struct known *known = known_of(models, name, len);

	return is_triton(name, len) || (known && is_shared(models, known));
}

static const struct family *
family_of(const struct tp_torch_models *models, const char *name, size_t len)
{
	const struct known *known = known_of(models, name, len);

	return known ? known->family : NULL;
}

const char *
tp_torch_backward_table(const struct tp_torch_models *models,
    const char *name, size_t len)
{
	const struct family *family = family_of(models, name, len);

	return family ? family->backward_table : NULL;
}

static const char *
table_of(const struct known *known)
{
	const char *table = tp_json_text(known->options, "table");

	return table ? table : tp_json_text(known->entry, "table");
}

const char *
tp_torch_table_of(const struct tp_torch_models *models, const char *name,
    size_t len)
{
	const struct known *known = known_of(models, name, len);

	return known ? table_of(known) : NULL;
}

int
tp_torch_reads_kernels(const struct tp_torch_models *models,
    const char *name, size_t len)
{
	const struct family *family = family_of(models, name, len);

	return family && family->evaluate == tp_torch_gemm;
}

int
tp_torch_reads_step(const struct tp_torch_models *models, const char *name,
    size_t len)
{
	const struct known *known = known_of(models, name, len);

	return known && known->reads_step;
}

/* Parse an argument as JSON; NULL if it is absent or damaged. */
static struct cJSON *
parsed(const struct tp_arg *arg)
{
	return arg->type == TP_ARG_NESTED ? cJSON_ParseWithLength(arg->text,
	    arg->len) : NULL;
}

/* Copy the parameters into the arena. */
static void
keep_params(struct tp_torch_call *call)
{
	struct tp_torch_param *params;

	if (!call->count)
		return;
	params = tp_arena_get(call->arena, call->count * sizeof *params);
	memcpy(params, call->params, call->count * sizeof *params);
	call->perf->params = params;
	call->perf->param_count = call->count;
}

/*
 * Set perf->tracelens by the overlay.  EXTRA: types were looked up that
 * TraceLens does not know.
 */
static void
set_tracelens_perf(struct tp_torch_call *call, const struct known *known,
    int extra)
{
	const struct tp_torch_overlay *overlay = &call->models->overlay;
	struct tp_torch_perf *perf = call->perf;
	struct tp_torch_tracelens *tracelens = &perf->tracelens;
	int steps = known && known->reads_step && !tp_torch_overlay_has(
	    &overlay->steps, known->options->string);

	tracelens->params = perf->params;
	tracelens->param_count = steps ? 0 : perf->param_count;
	if (!tracelens->has_model || steps)
		return;
	tracelens->cost = perf->cost;
	tp_torch_overlay_apply(overlay, call, known ? known->entry->string :
	    triton.name, extra);
}

static void
evaluate(struct tp_torch_call *call, const struct known *known,
    tp_torch_cost_model *model)
{
	const struct tp_torch_op *op = call->op;
	size_t extras = *call->models->extras;

	call->dims = parsed(&op->dims);
	call->types = parsed(&op->types);
	call->strides = parsed(&op->strides);
	call->concrete = parsed(&op->concrete);
	if (model(call) < 0) {
		tp_torch_set_cost(call, -1, -1, NULL);
		call->count = 0;
	} else if (call->perf->cost.flops >= 0 ||
	    call->perf->cost.bytes >= 0) {
		tp_torch_params_by_row(call);
	}
	keep_params(call);
	set_tracelens_perf(call, known, *call->models->extras > extras);
	cJSON_Delete(call->dims);
	cJSON_Delete(call->types);
	cJSON_Delete(call->strides);
	cJSON_Delete(call->concrete);
	tp_buf_release(&call->text);
}

void
tp_torch_model(const struct tp_torch_models *models,
    const struct tp_torch_op *op, struct tp_arena *arena,
    struct tp_torch_perf *perf)
{
	const struct known *known = known_of(models, op->name, op->name_len);
	struct tp_torch_call call = { .models = models, .op = op, .arena =
	    arena, .perf = perf };
	const struct family *family = &triton;
	tp_torch_cost_model *model;

	memset(perf, 0, sizeof *perf);
	tp_torch_set_cost(&call, -1, -1, NULL);
	perf->tracelens.cost = perf->cost;
	if (known) {
		family = known->family;
		call.options = known->options;
		call.family = known->entry;
		call.unit = tp_json_text(known->entry, "unit");
		perf->table = table_of(known);
	} else if (is_triton(op->name, op->name_len)) {
		call.unit = "vector";
	} else {
		return;
	}
	perf->tracelens.has_model = !known || is_shared(models, known);
	model = op->backward ? family->backward : family->evaluate;
	perf->has_model = model || perf->tracelens.has_model;
	if (op->backward)
		perf->table = family->backward_table;
	if (model)
		evaluate(&call, known, model);
}
