/* ops - what the names in a PyTorch trace mean */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/share.h>
#include <tp/text.h>

#include "ops.h"

#define FILE_NAME "ops/torch.json"

static const char *const cat_names[TP_TORCH_CATS] = {
	"other", "op", "runtime", "kernel", "memcpy", "memset",
	"annotation", "gpu_annotation", "python", "arrow"
};

static int
load_cats(struct tp_torch_ops *ops, struct tp_err *err)
{
	const cJSON *events = tp_json_get(ops->doc, "events"), *i;
	size_t cap = 0;

	for (unsigned cat = 0; cat < TP_TORCH_CATS; cat++)
		cJSON_ArrayForEach(i, tp_json_get(events, cat_names[cat])) {
			const char *text = cJSON_GetStringValue(i);
			ptrdiff_t at;

			if (!text)
				return tp_share_damaged(FILE_NAME, "events",
				    err);
			at = tp_names_add(&ops->cats, text, strlen(text));
			if (at < 0 || tp_grow(&ops->cat_of, &cap,
			    (size_t)at + 1, 1) < 0)
				return tp_fail_memory(err);
			ops->cat_of[at] = (uint8_t)cat;
		}
	return ops->cats.count ? 0 : tp_share_damaged(FILE_NAME, "events", err);
}

/* CATEGORY as an index; -1 with ERR. */
static ptrdiff_t
category(struct tp_torch_ops *ops, const char *name, struct tp_err *err)
{
	ptrdiff_t at;

	if (!name)
		return tp_share_damaged(FILE_NAME, "categories", err);
	at = tp_names_add(&ops->categories, name, strlen(name));
	if (at < 0)
		return tp_fail_memory(err);
	return at <= UINT16_MAX ? at : tp_share_damaged(FILE_NAME, "categories",
	    err);
}

/* NAME is an operator of category C; what comes later holds. */
static int
load_name(struct tp_torch_ops *ops, const char *name, ptrdiff_t c,
    struct tp_err *err)
{
	ptrdiff_t at;

	if (strchr(name, '*')) {
		if (tp_grow(&ops->globs, &ops->glob_cap, ops->glob_count + 1,
		    sizeof *ops->globs) < 0)
			return tp_fail_memory(err);
		ops->globs[ops->glob_count++] = (struct tp_torch_glob){ name,
		    (uint16_t)c };
		return 0;
	}
	at = tp_names_add(&ops->exact, name, strlen(name));
	if (at < 0 || tp_grow(&ops->exact_category, &ops->exact_cap,
	    (size_t)at + 1, sizeof(uint16_t)) < 0)
		return tp_fail_memory(err);
	ops->exact_category[at] = (uint16_t)c;
	return 0;
}

/* The operators of FAMILY. */
static int
load_family(struct tp_torch_ops *ops, const cJSON *family,
    struct tp_err *err)
{
	const char *all = tp_json_text(family, "category"), *own;
	const cJSON *op;
	ptrdiff_t c;

	cJSON_ArrayForEach(op, tp_json_get(family, "ops")) {
		own = tp_json_text(op, "category");
		if (!own && !all)
			continue;
		c = category(ops, own ? own : all, err);
		if (c < 0 || load_name(ops, op->string, c, err) < 0)
			return -1;
	}
	return 0;
}

/* What FILE says of operators: those with a model, and by category only. */
static int
load_exact(struct tp_torch_ops *ops, size_t file, struct tp_err *err)
{
	const cJSON *doc = ops->operators.list[file].doc;
	const cJSON *list, *i;
	ptrdiff_t c;

	cJSON_ArrayForEach(list, tp_json_get(doc, "categories")) {
		c = category(ops, list->string, err);
		if (c < 0)
			return -1;
		cJSON_ArrayForEach(i, list) {
			if (!cJSON_IsString(i))
				return tp_torch_operators_bad(&ops->operators,
				    file, "no name in", list->string, NULL,
				    err);
			if (load_name(ops, i->valuestring, c, err) < 0)
				return -1;
		}
	}
	cJSON_ArrayForEach(list, tp_json_get(doc, "families"))
		if (load_family(ops, list, err) < 0)
			return -1;
	return 0;
}

static int
load_list(struct tp_torch_ops *ops, struct tp_torch_match_list *list,
    const char *key, const char *names, int flags, struct tp_err *err)
{
	const cJSON *from = tp_json_get(ops->doc, key), *i;
	int count = cJSON_GetArraySize(from);

	list->matches = tp_zalloc(((size_t)count + 1) *
	    sizeof *list->matches);
	if (!list->matches)
		return tp_fail_memory(err);
	cJSON_ArrayForEach(i, from) {
		struct tp_torch_match *m = &list->matches[list->count++];
		ptrdiff_t c = 0;

		if (tp_pattern_load(&m->pattern, i, "match", flags,
		    FILE_NAME, err) < 0)
			return -1;
		m->name = tp_json_text(i, names);
		tp_json_number(i, "bus_factor", &m->factor);
		if (!m->name)
			return tp_share_damaged(FILE_NAME, key, err);
		if (!strcmp(names, "category") &&
		    (c = category(ops, m->name, err)) < 0)
			return -1;
		m->category = (uint16_t)c;
		m->waits = tp_json_get(i, "waits") != NULL;
	}
	return 0;
}

/* Patterns, and lists of them with what a name is that matches. */
#define AT(MEMBER) offsetof(struct tp_torch_ops, MEMBER)
static const struct {
	const char *key;
	int flags;
	size_t at;
} patterns[] = {
	{ "launch", REG_ICASE, AT(launch) },
	{ "graph_launch", 0, AT(graph_launch) },
	{ "graph", REG_ICASE, AT(graph) },
	{ "communication", REG_ICASE, AT(communication) },
	{ "copy", 0, AT(copy) },
	{ "pageable", REG_ICASE, AT(pageable) },
	{ "pinned", REG_ICASE, AT(pinned) },
};
static const struct {
	const char *key, *names;
	int flags;
	size_t at;
} lists[] = {
	{ "directions", "name", REG_ICASE, AT(directions) },
	{ "runtime", "name", REG_ICASE, AT(runtime) },
	{ "collectives", "name", REG_ICASE, AT(collectives) },
	{ "matches", "category", 0, AT(by_name) },
	{ "kernels", "category", 0, AT(by_kernel) },
};
enum { PATTERNS = sizeof patterns / sizeof *patterns,
    LISTS = sizeof lists / sizeof *lists };

static int
load_patterns(struct tp_torch_ops *ops, struct tp_err *err)
{
	char *base = (char *)ops;

	for (size_t i = 0; i < PATTERNS; i++)
		if (tp_pattern_load((struct tp_pattern *)(void *)(base +
		    patterns[i].at), ops->doc, patterns[i].key,
		    patterns[i].flags, FILE_NAME, err) < 0)
			return -1;
	for (size_t i = 0; i < LISTS; i++)
		if (load_list(ops, (struct tp_torch_match_list *)(void *)(base +
		    lists[i].at), lists[i].key, lists[i].names,
		    lists[i].flags, err) < 0)
			return -1;
	return ops->runtime.count && ops->runtime.count <= TP_TORCH_CLASSES ?
	    0 : tp_share_damaged(FILE_NAME, "runtime", err);
}

int
tp_torch_ops_load(struct tp_torch_ops *ops, const char *const *files,
    struct tp_err *err)
{
	memset(ops, 0, sizeof *ops);
	ops->doc = tp_share_json(FILE_NAME, err);
	if (!ops->doc || tp_torch_operators_load(&ops->operators, files,
	    err) < 0)
		return -1;
	ops->step = tp_json_text(ops->doc, "step");
	ops->backward = tp_json_text(ops->doc, "backward");
	ops->module = tp_json_text(ops->doc, "module");
	ops->built_in = tp_json_text(ops->doc, "built_in");
	ops->optimizer = tp_json_text(ops->doc, "optimizer");
	if (!tp_json_number(ops->doc, "most_of_model_ratio",
	    &ops->most_ratio))
		return tp_share_damaged(FILE_NAME, "most_of_model_ratio", err);
	if (!ops->step || !ops->backward || !ops->module ||
	    !ops->built_in || !ops->optimizer)
		return tp_share_damaged(FILE_NAME, "step", err);
	if (category(ops, "other", err) < 0 || load_cats(ops, err) < 0)
		return -1;
	for (size_t i = 0; i < ops->operators.count; i++)
		if (load_exact(ops, i, err) < 0)
			return -1;
	return load_patterns(ops, err);
}

void
tp_torch_ops_release(struct tp_torch_ops *ops)
{
	char *base = (char *)ops;

	for (size_t i = 0; i < PATTERNS; i++)
		tp_pattern_release((struct tp_pattern *)(void *)(base +
		    patterns[i].at));
	for (size_t i = 0; i < LISTS; i++) {
		struct tp_torch_match_list *l = (void *)(base + lists[i].at);

		for (size_t k = 0; k < l->count; k++)
			tp_pattern_release(&l->matches[k].pattern);
		tp_free(l->matches);
	}
	tp_names_release(&ops->cats);
	tp_names_release(&ops->categories);
	tp_names_release(&ops->exact);
	tp_free(ops->cat_of);
	tp_free(ops->exact_category);
	tp_free(ops->globs);
	tp_torch_operators_release(&ops->operators);
	cJSON_Delete(ops->doc);
	memset(ops, 0, sizeof *ops);
}

int
tp_torch_cat_of(const struct tp_torch_ops *ops, const char *cat, size_t len)
{
	char lower[64];
	ptrdiff_t at = tp_names_find(&ops->cats, cat, len);

	if (at < 0) {
		if (len >= sizeof lower)
			return -1;
		for (size_t i = 0; i < len; i++)
			lower[i] = (char)tolower((unsigned char)cat[i]);
		at = tp_names_find(&ops->cats, lower, len);
	}
	return at < 0 ? -1 : ops->cat_of[at];
}

static const struct tp_torch_match *
first_match(const struct tp_torch_match_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (!list->matches[i].pattern.is_set ||
		    tp_pattern_fits(&list->matches[i].pattern, name))
			return &list->matches[i];
	return NULL;
}

struct tp_torch_name
tp_torch_name_of(const struct tp_torch_ops *ops, const struct tp_name *name)
{
	const char *text = name->text;
	const struct tp_torch_match *m = first_match(&ops->by_name, text);
	ptrdiff_t at = tp_names_find(&ops->exact, text, name->len);
	struct tp_torch_name n = { 0 };

	n.bucket = tp_pattern_fits(&ops->copy, text) ? TP_TORCH_COPY :
	    tp_pattern_fits(&ops->communication, text) ?
	    TP_TORCH_COMMUNICATION : TP_TORCH_COMPUTATION;
	n.launches = (uint8_t)tp_pattern_fits(&ops->launch, text);
	n.launches_graph = (uint8_t)tp_pattern_fits(&ops->graph_launch, text);
	n.is_graph = (uint8_t)tp_pattern_fits(&ops->graph, text);
	n.passes = (uint8_t)tp_json_holds(tp_json_get(ops->doc,
	    "pass"), text);
	n.category = at >= 0 ? ops->exact_category[at] :
	    m ? m->category : 0;
	n.is_known = at >= 0 || m;
	for (size_t i = ops->glob_count; at < 0 && i-- > 0;)
		if (tp_glob(ops->globs[i].pattern, text, name->len)) {
			n.category = ops->globs[i].category;
			n.is_known = 1;
			break;
		}
	m = first_match(&ops->runtime, text);
	n.runtime_class = (uint8_t)(m ? m - ops->runtime.matches :
	    (ptrdiff_t)ops->runtime.count - 1);
	n.waits = m && m->waits;
	n.memory = tp_pattern_fits(&ops->pageable, text) ? TP_TORCH_PAGEABLE :
	    tp_pattern_fits(&ops->pinned, text) ? TP_TORCH_PINNED :
	    TP_TORCH_UNTOLD;
	m = first_match(&ops->by_kernel, text);
	n.kernel_category = m ? m->category : 0;
	return n;
}

const char *
tp_torch_direction(const struct tp_torch_ops *ops, const char *name)
{
	const struct tp_torch_match *m = first_match(&ops->directions, name);

	return m ? m->name : "other";
}

const struct tp_torch_match *
tp_torch_collective_of(const struct tp_torch_ops *ops, const char *name)
{
	return first_match(&ops->collectives, name);
}

int
tp_torch_limit(const struct tp_torch_ops *ops, const char *group,
    const char *key, double *x, struct tp_err *err)
{
	if (!tp_json_number(tp_json_get(ops->doc, group), key, x) ||
	    *x < 0 || *x > 1e12)
		return tp_share_damaged(FILE_NAME, key, err);
	return 0;
}

int
tp_torch_limit_ps(const struct tp_torch_ops *ops, const char *group,
    const char *key, int64_t *ps, struct tp_err *err)
{
	double x;

	if (tp_torch_limit(ops, group, key, &x, err) < 0)
		return -1;
	*ps = (int64_t)x * 1000;
	return 0;
}

int
tp_torch_dtype_bytes(const struct tp_torch_ops *ops, const char *dtype)
{
	double x;

	return tp_json_number(tp_json_get(ops->doc, "dtypes"), dtype, &x) &&
	    x >= 1 && x <= 64 ? (int)x : 0;
}
