/* torch_fuser - what share/ops/pytorch-fusion.json holds */
#ifndef TORCH_FUSER_H
#define TORCH_FUSER_H

#include <regex.h>

#include "candidate.h"

/* More kernels than a candidate may have. */
#define FUSION_KERNELS 64

struct cJSON;

struct fuser_type {
	const char *name;
	enum tp_torch_role role;
	regex_t regex;
	int is_set;
};

struct tp_torch_fuser {
	struct cJSON *doc;
	struct fuser_type *types;
	size_t type_count;
	struct fuser_type fused, hints;
	double kernels_max, few, known_few, known_many;
	double rest[3];		/* low, middle, high */
};

int fuser_matches(const struct fuser_type *type, const char *text);

#endif
