/* analysers - what share/ops/torch-analysis.json holds */
#ifndef TP_TORCH_ANALYSERS_H
#define TP_TORCH_ANALYSERS_H

#include <regex.h>

#include "gain.h"

#define JUDGE_BANDS 8

struct cJSON;

struct analyser_pattern {
	regex_t regex;
	int is_set;
};

struct analyser_library {
	const char *name;
	struct analyser_pattern op, kernel;
};

struct analyser {
	const char *name;
	const struct cJSON *categories;
	struct analyser_pattern ops;	/* come before all categories */
};

struct tp_torch_analysers {
	struct cJSON *doc;
	struct analyser_library *libraries;
	size_t library_count;
	struct analyser *analysers;
	size_t analyser_count;
	struct analyser_pattern communication;
	double anomaly, wait_factor;
	double known[3], guessed[3];	/* low, middle, high */
	double bands[JUDGE_BANDS];
	size_t band_count;
};

#endif
