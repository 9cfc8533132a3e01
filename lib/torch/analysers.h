/* analysers - what share/ops/torch-analysis.json holds */
#ifndef TP_TORCH_ANALYSERS_H
#define TP_TORCH_ANALYSERS_H

#include "gain.h"
#include "pattern.h"

#define JUDGE_BANDS 8

struct cJSON;

struct analyser_library {
	const char *name;
	struct tp_pattern op, kernel;
};

struct analyser {
	const char *name;
	const struct cJSON *categories;
	struct tp_pattern ops;	/* come before all categories */
};

struct tp_torch_analysers {
	struct cJSON *doc;
	struct analyser_library *libraries;
	size_t library_count;
	struct analyser *analysers;
	size_t analyser_count;
	struct tp_pattern communication;
	double anomaly, wait_factor;
	double known[3], guessed[3];	/* low, middle, high */
	double bands[JUDGE_BANDS];
	size_t band_count;
};

#endif
