/* ops - meaning of the names in a PyTorch trace */
#include <ctype.h>
#include <string.h>

#include <cjson/cJSON.h>

#include <tp/alloc.h>
#include <tp/budget.h>
#include <tp/json.h>
#include <tp/share.h>
#include <tp/text.h>

#include "ops.h"

#define FILE_NAME "ops/torch.json"

/* Required names of classes, in the order of their enums. */
static const char *const cat_names[] = { "other", "op", "runtime",
    "enqueue", "dequeue", "kernel", "memcpy", "memset", "annotation",
    "gpu_annotation", "python", "overhead", "sync", "arrow", NULL },
    *const memory_names[] = { "untold", "pageable", "pinned",
	"unified", NULL },
    *const node_names[] = { "none", "checkpoint", "own", "other", NULL },
    *const sync_names[] = { "stream-event", "event", "stream", "device",
    NULL };

const char *const tp_torch_bucket_names[TP_TORCH_BUCKETS + 1] = {
	"computation", "communication", "copy", NULL
};

/* CATEGORY as an index; -1 with ERR. */
static ptrdiff_t
category(struct tp_torch_ops *ops, const char *name, struct tp_err *err)
{
	ptrdiff_t at;

	if (!name)
		return tp_share_damaged(FILE_NAME, "categories", err);
	at = tp_names_add(&ops->categories, name, strlen(name));
	return at <= UINT16_MAX ? at : tp_share_damaged(FILE_NAME, "categories",
	    err);
}

/* Set the category C of operator NAME; later entries override. */
static void
load_name(struct tp_torch_ops *ops, const char *name, ptrdiff_t c)
{
	ptrdiff_t at;

	at = tp_torch_index_add(&ops->index, name);
	tp_grow(&ops->category_at, &ops->category_cap, (size_t)at + 1,
	    sizeof(uint16_t));
	ops->category_at[at] = (uint16_t)c;
}

/* Load the operators of FAMILY. */
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
		if (c < 0)
			return -1;
		load_name(ops, op->string, c);
	}
	return 0;
}

/*
 * Load the operators of FILE: those with a model, and those with a category
 * only.
 */
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
			load_name(ops, i->valuestring, c);
		}
	}
	cJSON_ArrayForEach(list, tp_json_get(doc, "families"))
		if (load_family(ops, list, err) < 0)
			return -1;
	return 0;
}

/* Most classes of activities in gaps: an index + 1 fits into a byte. */
enum { ABOUT_MAX = 250 };

#define AT(MEMBER) offsetof(struct tp_torch_ops, MEMBER)
static const struct tp_class_list lists[] = {
	{ "events", NULL, "device", cat_names, AT(events) },
	{ "bare", NULL, "device moves awaits times", NULL, AT(bare) },
	{ "bare_recorders", NULL, "framework", NULL, AT(recorders) },
	{ "launch", NULL, NULL, NULL, AT(launch) },
	{ "graph_launch", NULL, NULL, NULL, AT(graph_launch) },
	{ "graph", NULL, NULL, NULL, AT(graph) },
	{ "work", NULL, NULL, tp_torch_bucket_names, AT(work) },
	{ "pass", NULL, NULL, NULL, AT(pass) },
	{ "library", NULL, NULL, NULL, AT(library) },
	{ "unmarked", NULL, NULL, NULL, AT(unmarked) },
	{ "backward_work", NULL, NULL, NULL, AT(backward_work) },
	{ "nodes", NULL, NULL, node_names, AT(nodes) },
	{ "recompute", NULL, NULL, NULL, AT(recompute) },
	{ "profiler", NULL, NULL, NULL, AT(profiler) },
	{ "capture_begin", NULL, NULL, NULL, AT(capture_begin) },
	{ "capture_end", NULL, NULL, NULL, AT(capture_end) },
	{ "memory", NULL, NULL, memory_names, AT(memory) },
	{ "directions", NULL, NULL, NULL, AT(directions) },
	{ "runtime", NULL, "waits", NULL, AT(runtime) },
	{ "runtimes", NULL, NULL, NULL, AT(runtimes) },
	{ "blocking", NULL, "class", NULL, AT(blocking) },
	{ "syncs", NULL, NULL, sync_names, AT(syncs) },
	{ "collectives", NULL, "bus_factor", NULL, AT(collectives) },
	{ "matches", NULL, NULL, NULL, AT(by_name) },
	{ "kernels", NULL, NULL, NULL, AT(by_kernel) },
	{ "unlisted", NULL, NULL, NULL, AT(unlisted) },
	{ "host_parts", NULL, NULL, NULL, AT(host_parts) },
	{ "annotations", NULL, "loader cause", NULL, AT(annotations) },
	{ "functions", NULL, "cause", NULL, AT(functions) },
	{ NULL, NULL, NULL, NULL, 0 }
};

static const struct {
	const char *key;
	size_t at;
} numbers[] = {
	{ "most_of_model_ratio", AT(most_ratio) },
	{ "whole_step_ratio", AT(whole_ratio) },
	{ "slower_kernel_ratio", AT(slower_ratio) },
	{ "slower_time_ratio", AT(slower_time) },
	{ "long_collective_factor", AT(long_factor) },
	{ "thinned_op_ratio", AT(thinned_ratio) },
	{ "thinned_op_count", AT(thinned_count) },
	{ "built_in_least_ns", AT(built_in_ns) },
	{ "iterations_least", AT(iterations) },
	{ "repeats_least", AT(repeats) },
	{ "repeats_launch_ratio", AT(repeats_launch) },
	{ "warm_up_factor", AT(warm_up) },
	{ "copy_end_ratio", AT(copy_end) },
};

static int
load_categories(struct tp_torch_ops *ops, const struct tp_classes *classes,
    struct tp_err *err)
{
	for (size_t i = 0; i < classes->count; i++)
		if (category(ops, classes->list[i].name, err) < 0)
			return -1;
	return 0;
}

/* Number the classes in LIST, under KEY, by parts of the budget. */
static int
number_parts(struct tp_classes *list, const char *key, struct tp_err *err)
{
	return tp_budget_number(list) < 0 || list->count > ABOUT_MAX ?
	    tp_share_damaged(FILE_NAME, key, err) : 0;
}

/* Number the classes of bare events by the category of events they name. */
static int
number_bare(struct tp_torch_ops *ops, struct tp_err *err)
{
	for (size_t i = 0; i < ops->bare.count; i++) {
		struct tp_class *c = &ops->bare.list[i];
		const struct tp_class *event = tp_class_named(&ops->events,
		    c->name);

		if (!event)
			return tp_share_damaged(FILE_NAME, "bare", err);
		c->number = event->number;
	}
	return 0;
}

static int
load_lists(struct tp_torch_ops *ops, struct tp_err *err)
{
	if (tp_class_lists_load(ops, lists, ops->doc, FILE_NAME, err) < 0 ||
	    load_categories(ops, &ops->by_name, err) < 0 ||
	    load_categories(ops, &ops->by_kernel, err) < 0)
		return -1;
	if (number_bare(ops, err) < 0 ||
	    number_parts(&ops->annotations, "annotations", err) < 0 ||
	    number_parts(&ops->functions, "functions", err) < 0)
		return -1;
	return ops->runtime.has_rest &&
	    ops->runtime.count <= TP_TORCH_CLASSES ? 0 :
	    tp_share_damaged(FILE_NAME, "runtime", err);
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
	ops->collector = tp_json_text(ops->doc, "collector");
	ops->optimizer = tp_json_text(ops->doc, "optimizer");
	ops->recording = tp_json_text(ops->doc, "recording");
	ops->allocation = tp_json_text(ops->doc, "allocation");
	ops->read_back = tp_json_text(ops->doc, "read_back");
	ops->dequeue = tp_json_text(ops->doc, "dequeue");
	ops->collective_end = tp_json_text(ops->doc, "collective_end");
	ops->group_end = tp_json_text(ops->doc, "group_end");
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (!tp_json_number(ops->doc, numbers[i].key, (double *)
		    (void *)((char *)ops + numbers[i].at)))
			return tp_share_damaged(FILE_NAME, numbers[i].key,
			    err);
	if (!tp_json_number(tp_json_get(ops->doc, "recompute_limits"),
	    "free_ratio", &ops->free_ratio))
		return tp_share_damaged(FILE_NAME, "recompute_limits", err);
	if (!ops->step || !ops->backward || !ops->module ||
	    !ops->built_in || !ops->collector || !ops->optimizer ||
	    !ops->recording || !ops->allocation || !ops->read_back ||
	    !ops->dequeue || !ops->collective_end || !ops->group_end)
		return tp_share_damaged(FILE_NAME, "step", err);
	if (category(ops, "other", err) < 0)
		return -1;
	for (size_t i = 0; i < ops->operators.count; i++)
		if (load_exact(ops, i, err) < 0)
			return -1;
	return load_lists(ops, err);
}

const char *
tp_torch_device_of(const struct tp_class *c)
{
	return tp_json_text(c->row, "device");
}

const struct tp_class *
tp_torch_cat_of(const struct tp_torch_ops *ops, const char *cat, size_t len)
{
	const struct tp_class *c = tp_class_of_part(&ops->events, cat, len);
	char lower[64];

	if (!c && len < sizeof lower) {
		for (size_t i = 0; i < len; i++)
			lower[i] = (char)tolower((unsigned char)cat[i]);
		c = tp_class_of_part(&ops->events, lower, len);
	}
	return c;
}

/* The category called as class C; 0 if C is NULL. */
static uint16_t
category_of(const struct tp_torch_ops *ops, const struct tp_class *c)
{
	return c ? (uint16_t)tp_names_find(&ops->categories, c->name,
	    strlen(c->name)) : 0;
}

struct tp_torch_name
tp_torch_name_of(const struct tp_torch_ops *ops, const struct tp_name *name)
{
	const char *text = name->text;
	const struct tp_class *c = tp_class_of_name(&ops->by_name, text);
	ptrdiff_t at = tp_torch_index_find(&ops->index, text, name->len);
	struct tp_torch_name n = { 0 };

	n.category = at >= 0 ? ops->category_at[at] :
	    category_of(ops, c);
	n.is_known = at >= 0 || c;
	c = tp_class_of_function(&ops->work, &text);
	n.bucket = (uint8_t)(c ? c->number : TP_TORCH_COMPUTATION);
	n.launches = tp_class_of_name(&ops->launch, text) != NULL;
	n.launches_graph = tp_class_of_name(&ops->graph_launch, text) != NULL;
	n.is_graph = tp_class_of_name(&ops->graph, text) != NULL;
	n.is_backward = tp_class_of_name(&ops->backward_work, text) != NULL;
	n.passes = tp_class_of_name(&ops->pass, text) != NULL;
	c = tp_class_of_name(&ops->runtime, text);
	n.runtime_class = (uint8_t)(c - ops->runtime.list);
	n.waits = tp_json_get(c->row, "waits") != NULL;
	c = tp_class_of_name(&ops->blocking, text);
	n.only_waits = c && !strcmp(c->name, "gpu");
	c = tp_class_of_name(&ops->memory, text);
	n.memory = (uint8_t)(c ? c->number : TP_TORCH_UNSTATED);
	n.is_step = !strncmp(text, ops->step, strlen(ops->step));
	n.is_unlisted = tp_class_of_name(&ops->unlisted, text) != NULL;
	c = tp_class_of_name(&ops->annotations, text);
	n.about = (uint8_t)(c ? c - ops->annotations.list + 1 : 0);
	c = tp_class_of_name(&ops->nodes, text);
	n.node = (uint8_t)(c ? c->number : TP_TORCH_NO_NODE);
	n.kernel_category = category_of(ops, tp_class_of_function(
	    &ops->by_kernel, &text));
	return n;
}

const char *
tp_torch_direction(const struct tp_torch_ops *ops, const char *name)
{
	const struct tp_class *c = tp_class_of_name(&ops->directions, name);

	return c ? c->name : "other";
}

const struct tp_class *
tp_torch_collective_of(const struct tp_torch_ops *ops, const char *name)
{
	return tp_class_of_name(&ops->collectives, name);
}

double
tp_torch_bus_factor(const struct tp_class *collective)
{
	double factor;

	return tp_json_number(collective->row, "bus_factor", &factor) ?
	    factor : 0;
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
