/* torch_judge - what share/ops/pytorch-analysis.json holds */
#ifndef TORCH_JUDGE_H
#define TORCH_JUDGE_H

#include <regex.h>

#include "gain.h"

#define JUDGE_BANDS 8

struct cJSON;

struct judge_pattern {
	regex_t regex;
	int is_set;
};

struct judge_library {
	const char *name;
	struct judge_pattern op, kernel;
};

struct judge_analyser {
	const char *name;
	const struct cJSON *categories;
	struct judge_pattern ops;	/* come before all categories */
};

struct tp_torch_judge {
	struct cJSON *doc;
	struct judge_library *libraries;
	size_t library_count;
	struct judge_analyser *analysers;
	size_t analyser_count;
	struct judge_pattern communication;
	double anomaly, wait_factor;
	double known[3], guessed[3];	/* low, middle, high */
	double bands[JUDGE_BANDS];
	size_t band_count;
};

#endif
