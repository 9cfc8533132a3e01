/* kernel_types - what kernels are, and which of them one could do */
#include <string.h>

#include <cjson/cJSON.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/share.h>

#include "candidate.h"

#define FILE_NAME "ops/torch-fusion.json"

static const char *const roles[TP_FUSION_ROLES] = {
	[TP_FUSION_GEMM] = "gemm", [TP_FUSION_POINTWISE] = "pointwise",
	[TP_FUSION_FUSIBLE] = "fusible",
	[TP_FUSION_COMMUNICATION] = "communication",
};

static int
load_pattern(struct tp_pattern *p, const cJSON *from, const char *key,
    struct tp_err *err)
{
	return tp_json_text(from, key) ? tp_pattern_load(p, from, key, 0,
	    FILE_NAME, err) : tp_share_damaged(FILE_NAME, key, err);
}

static int
load_role(struct kernel_type *type, const char *role, struct tp_err *err)
{
	for (unsigned i = 0; role && i < TP_FUSION_ROLES; i++)
		if (roles[i] && !strcmp(role, roles[i])) {
			type->role = i;
			return 0;
		}
	return role ? tp_share_damaged(FILE_NAME, "role", err) : 0;
}

static int
load_types(struct tp_torch_kernel_types *f, struct tp_err *err)
{
	const cJSON *list = tp_json_get(f->doc, "types"), *i;

	f->types = tp_zalloc(((size_t)cJSON_GetArraySize(list) + 1) *
	    sizeof *f->types);
	if (!f->types)
		return tp_fail_memory(err);
	cJSON_ArrayForEach(i, list) {
		struct kernel_type *t = &f->types[f->type_count++];

		t->name = tp_json_text(i, "name");
		if (!t->name)
			return tp_share_damaged(FILE_NAME, "types", err);
		if (load_role(t, tp_json_text(i, "role"), err) < 0 ||
		    load_pattern(&t->match, i, "match", err) < 0)
			return -1;
	}
	return f->type_count ? 0 : tp_share_damaged(FILE_NAME, "types", err);
}

static int
load_numbers(struct tp_torch_kernel_types *f, struct tp_err *err)
{
	const cJSON *rest = tp_json_get(f->doc, "rest"), *i;
	size_t n = 0;

	if (!tp_json_number(f->doc, "kernels_max", &f->kernels_max) ||
	    f->kernels_max < 2 || f->kernels_max > FUSION_KERNELS)
		return tp_share_damaged(FILE_NAME, "kernels_max", err);
	if (!tp_json_number(f->doc, "few", &f->few) ||
	    !tp_json_number(f->doc, "known_few", &f->known_few) ||
	    !tp_json_number(f->doc, "known_many", &f->known_many))
		return tp_share_damaged(FILE_NAME, "few", err);
	cJSON_ArrayForEach(i, rest) {
		if (!cJSON_IsNumber(i) || i->valuedouble < 0 ||
		    i->valuedouble > 1 || n == 3)
			return tp_share_damaged(FILE_NAME, "rest", err);
		f->rest[n++] = i->valuedouble;
	}
	return n == 3 ? 0 : tp_share_damaged(FILE_NAME, "rest", err);
}

struct tp_torch_kernel_types *
tp_torch_kernel_types_load(struct tp_err *err)
{
	struct tp_torch_kernel_types *f = tp_zalloc(sizeof *f);

	if (!f) {
		tp_fail_memory(err);
		return NULL;
	}
	f->doc = tp_share_json(FILE_NAME, err);
	if (f->doc && !load_types(f, err) && !load_numbers(f, err) &&
	    !load_pattern(&f->fused, f->doc, "fused", err) &&
	    !load_pattern(&f->hints, f->doc, "hints", err))
		return f;
	tp_torch_kernel_types_free(f);
	return NULL;
}

void
tp_torch_kernel_types_free(struct tp_torch_kernel_types *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->type_count; i++)
		tp_pattern_release(&f->types[i].match);
	tp_pattern_release(&f->fused);
	tp_pattern_release(&f->hints);
	tp_free(f->types);
	cJSON_Delete(f->doc);
	tp_free(f);
}

const char *
tp_torch_kernel_type(const struct tp_torch_kernel_types *f, const char *kernel,
    enum tp_torch_role *role)
{
	for (size_t i = 0; i < f->type_count; i++)
		if (tp_pattern_fits(&f->types[i].match, kernel)) {
			*role = f->types[i].role;
			return f->types[i].name;
		}
	*role = TP_FUSION_ALONE;
	return NULL;
}
