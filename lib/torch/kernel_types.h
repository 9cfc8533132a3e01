/* kernel_types - what share/ops/torch-fusion.json holds */
#ifndef TP_TORCH_KERNEL_TYPES_H
#define TP_TORCH_KERNEL_TYPES_H

#include <regex.h>

#include "candidate.h"

/* More kernels than a candidate may have. */
#define FUSION_KERNELS 64

struct cJSON;

struct kernel_type {
	const char *name;
	enum tp_torch_role role;
	regex_t regex;
	int is_set;
};

struct tp_torch_kernel_types {
	struct cJSON *doc;
	struct kernel_type *types;
	size_t type_count;
	struct kernel_type fused, hints;
	double kernels_max, few, known_few, known_many;
	double rest[3];		/* low, middle, high */
};

int tp_torch_kernel_type_fits(const struct kernel_type *type, const char *text);

#endif
