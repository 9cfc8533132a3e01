/* work - category and limit of each piece of GPU work */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/order.h>
#include <tp/share.h>

#include "work.h"

#define FILE_NAME "ops/torch-kernels.json"

int
tp_torch_categories_load(struct tp_torch_categories *c, struct tp_err *err)
{
	const struct cJSON *gpus, *i;

	memset(c, 0, sizeof *c);
	c->doc = tp_share_json(FILE_NAME, err);
	if (!c->doc || tp_classes_load(&c->classes, c->doc, FILE_NAME,
	    "categories", "match bucket", "unless", err) < 0 ||
	    tp_classes_load(&c->patterns, c->doc, FILE_NAME, "patterns", NULL,
	    "compute_spec", err) < 0)
		return -1;
	if (c->patterns.count >= TP_TORCH_CATEGORIES)
		return tp_share_damaged(FILE_NAME, "patterns", err);
	if (!tp_json_number(tp_json_get(c->doc, "attention"), "least_keys",
	    &c->least_keys) || !tp_json_number(tp_json_get(c->doc,
	    "optimizer"), "loop_kernels", &c->loop_kernels) ||
	    !tp_json_number(tp_json_get(c->doc, "chain"), "least_kernels",
	    &c->chain_kernels))
		return tp_share_damaged(FILE_NAME,
		    "attention, optimizer or chain", err);
	if (c->classes.count >= TP_TORCH_CATEGORIES)
		return tp_share_damaged(FILE_NAME, "categories", err);
	if (!tp_class_named(&c->classes, "communication") ||
	    !tp_class_named(&c->classes, "copy"))
		return tp_share_damaged(FILE_NAME, "communication or copy",
		    err);
	for (size_t k = 0; k < c->classes.count; k++) {
		const char *unless = tp_json_text(c->classes.list[k].row,
		    "unless");

		if (unless && !tp_class_named(&c->classes, unless))
			return tp_share_damaged(FILE_NAME, "unless", err);
	}
	c->operators = tp_json_get(c->doc, "operators");
	cJSON_ArrayForEach(i, c->operators)
		if (!cJSON_IsString(i) ||
		    !tp_class_named(&c->classes, i->valuestring))
			return tp_share_damaged(FILE_NAME, i->string, err);
	gpus = tp_json_get(c->doc, "gpus");
	if (!tp_json_number(gpus, "work_ratio", &c->gpu_ratio) ||
	    !tp_json_number(gpus, "at_once_ratio", &c->at_once_ratio))
		return tp_share_damaged(FILE_NAME, "gpus", err);
	return tp_json_number(tp_json_get(c->doc, "small"), "floor_factor",
	    &c->floor_factor) ? 0 : tp_share_damaged(FILE_NAME, "small", err);
}

void
tp_torch_categories_release(struct tp_torch_categories *c)
{
	tp_classes_release(&c->classes);
	tp_classes_release(&c->patterns);
	cJSON_Delete(c->doc);
	memset(c, 0, sizeof *c);
}

const char *
tp_torch_work_category(const struct tp_torch_categories *c, unsigned at)
{
	return at < c->classes.count ? c->classes.list[at].name : "other";
}

static unsigned
find_category(const struct tp_torch_categories *c, const struct tp_class *of)
{
	ptrdiff_t at = tp_class_index(&c->classes, of);

	return at < 0 ? (unsigned)c->classes.count : (unsigned)at;
}

/* The category by the operator that launched work AT. */
static unsigned
by_operator(const struct tp_torch_categories *c, const struct tp_torch *t,
    const struct tp_torch_launchers *l, uint32_t at)
{
	uint32_t launcher = l->of[at];
	const char *name = launcher == TP_TORCH_NO ? NULL :
	    tp_json_text(c->operators, tp_torch_category_name(t->ops,
	    l->list[launcher].category));

	return find_category(c,
	    name ? tp_class_named(&c->classes, name) : NULL);
}

void
tp_torch_work_make(struct tp_torch_work *w,
    const struct tp_torch_categories *c, const struct tp_torch *t,
    const struct tp_torch_launchers *l)
{
	uint8_t *by_name = tp_zalloc(t->names.count + 1);
	unsigned unless[TP_TORCH_CATEGORIES], other = c->classes.count;

	memset(w, 0, sizeof *w);
	w->category = tp_zalloc(t->count + 1);
	w->limit = tp_zalloc(t->count + 1);
	w->item = tp_zalloc((t->count + 1) * sizeof *w->item);
	w->pattern = tp_zalloc(t->names.count + 1);
	w->communication = find_category(c, tp_class_named(&c->classes,
	    "communication"));
	w->copy = find_category(c, tp_class_named(&c->classes, "copy"));
	w->memset = find_category(c, tp_class_named(&c->classes, "memset"));
	w->optimizer =
	    find_category(c, tp_class_named(&c->classes, "optimizer"));
	w->elementwise =
	    find_category(c, tp_class_named(&c->classes, "elementwise"));
	for (size_t i = 0; i < other; i++) {
		const char *name = tp_json_text(c->classes.list[i].row,
		    "unless");

		unless[i] = find_category(c, name ? tp_class_named(&c->classes,
		    name) : NULL);
	}
	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		uint8_t *known = &by_name[e->name];
		unsigned at;

		/* 0: unknown */
		if (!*known) {
			const char *const texts[] = {
				tp_torch_event_name(t, e)->text,
				tp_torch_bucket_names[e->bucket],
			};

			*known = (uint8_t)(1 + find_category(c,
			    tp_class_of_function(&c->classes, texts)));
			w->pattern[e->name] = (uint8_t)(1 + tp_class_index(
			    &c->patterns, tp_class_of_name(&c->patterns,
			    texts[0])));
		}
		at = *known - 1u;
		if (e->cat == TP_TORCH_MEMCPY)
			at = w->copy;
		else if (at == other)
			at = by_operator(c, t, l, t->gpu[i]);
		else if (unless[at] < other && by_operator(c, t, l,
		    t->gpu[i]) == unless[at])
			at = unless[at];
		w->category[t->gpu[i]] = (uint8_t)at;
	}
	tp_free(by_name);
}

void
tp_torch_work_release(struct tp_torch_work *w)
{
	tp_free(w->category);
	tp_free(w->limit);
	tp_free(w->item);
	tp_free(w->pattern);
	tp_torch_patterns_release(&w->patterns);
	memset(w, 0, sizeof *w);
}

enum tp_torch_limit
tp_torch_limit_of(const struct tp_platform *platform, double floor_factor,
    const struct tp_cost *cost, int64_t mean_ps, int64_t *best_ps)
{
	double math = 0, memory, best, rate, floor;
	int is_small;

	*best_ps = 0;
	if (!platform || cost->bytes < 0 || platform->memory_bytes_per_s <= 0)
		return TP_TORCH_UNCOSTED;
	if (cost->flops > 0) {
		rate = tp_platform_flops(platform, cost->spec);
		if (rate <= 0)
			return TP_TORCH_UNCOSTED;
		math = (double)cost->flops * 1e12 / rate;
	}
	memory = (double)cost->bytes * 1e12 / platform->memory_bytes_per_s;
	best = math > memory ? math : memory;
	if (best > 9e18)
		return TP_TORCH_UNCOSTED;
	floor = platform->kernel_floor_ns * 1e3;
	is_small = (double)mean_ps <= floor_factor * floor;
	if (best <= floor && !is_small)
		return TP_TORCH_UNCOSTED;
	if (best <= floor || (memory > math &&
	    (double)cost->bytes <= platform->cache_bytes)) {
		*best_ps = (int64_t)nearbyint(best > floor && cost->spec &&
		    !strncmp(cost->spec, "matrix_", 7) ? best : floor);
		return is_small ? TP_TORCH_LATENCY : TP_TORCH_MEMORY;
	}
	*best_ps = (int64_t)nearbyint(best);
	return math >= memory ? TP_TORCH_MATH : TP_TORCH_MEMORY;
}
