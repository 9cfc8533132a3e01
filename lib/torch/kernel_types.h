/* kernel_types - what share/ops/torch-fusion.json holds */
#ifndef TP_TORCH_KERNEL_TYPES_H
#define TP_TORCH_KERNEL_TYPES_H

#include "candidate.h"
#include "pattern.h"

/* More kernels than a candidate may have. */
#define FUSION_KERNELS 64

struct cJSON;

struct kernel_type {
	const char *name;
	enum tp_torch_role role;
	struct tp_pattern match;
};

struct tp_torch_kernel_types {
	struct cJSON *doc;
	struct kernel_type *types;
	size_t type_count;
	struct tp_pattern fused, hints;
	double kernels_max, few, known_few, known_many;
	double rest[3];		/* low, middle, high */
};

#endif
