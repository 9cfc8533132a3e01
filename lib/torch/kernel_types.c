/* kernel_types - types of kernels, and which of them can be fused */
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

/*
 * The role of TYPE: TP_FUSION_ALONE if it states none, TP_FUSION_ROLES if that
 * is unknown.
 */
static enum tp_torch_role
role_of(const struct tp_class *type)
{
	const char *role = tp_json_text(type->row, "role");
	unsigned i = 0;

	if (!role)
		return TP_FUSION_ALONE;
	while (i < TP_FUSION_ROLES && !(roles[i] && !strcmp(role, roles[i])))
		i++;
	return i;
}

#define AT(MEMBER) offsetof(struct tp_torch_kernel_types, MEMBER)
static const struct tp_class_list lists[] = {
	{ "types", NULL, "role", NULL, AT(types) },
	{ "fused", NULL, NULL, NULL, AT(fused) },
	{ "hints", NULL, NULL, NULL, AT(hints) },
	{ NULL, NULL, NULL, NULL, 0 }
};

static int
load_classes(struct tp_torch_kernel_types *f, struct tp_err *err)
{
	if (tp_class_lists_load(f, lists, f->doc, FILE_NAME, err) < 0)
		return -1;
	for (size_t i = 0; i < f->types.count; i++)
		if (role_of(&f->types.list[i]) == TP_FUSION_ROLES)
			return tp_share_damaged(FILE_NAME, "role", err);
	return 0;
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

	f->doc = tp_share_json(FILE_NAME, err);
	if (f->doc && !load_classes(f, err) && !load_numbers(f, err))
		return f;
	tp_torch_kernel_types_free(f);
	return NULL;
}

void
tp_torch_kernel_types_free(struct tp_torch_kernel_types *f)
{
	if (!f)
		return;
	tp_class_lists_release(f, lists);
	cJSON_Delete(f->doc);
	tp_free(f);
}

const char *
tp_torch_kernel_type(const struct tp_torch_kernel_types *f, const char *kernel,
    enum tp_torch_role *role)
{
	const struct tp_class *type = tp_class_of_name(&f->types, kernel);

	*role = type ? role_of(type) : TP_FUSION_ALONE;
	return type ? type->name : NULL;
}
