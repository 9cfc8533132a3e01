/* analysers - the analyser of an operation, and the library of its kernels */
#include <string.h>

#include <cjson/cJSON.h>

#include <tp/json.h>
#include <tp/share.h>

#include "gain.h"

#define FILE_NAME "ops/torch-analysis.json"

#define AT(MEMBER) offsetof(struct tp_torch_analysers, MEMBER)
static const struct tp_class_list lists[] = {
	{ "libraries", "op kernel", NULL, NULL, AT(libraries) },
	{ "analysers", "category op", NULL, NULL, AT(analysers) },
	{ "communication", NULL, NULL, NULL, AT(communication) },
	{ NULL, NULL, NULL, NULL, 0 }
};

static int
load_classes(struct tp_torch_analysers *j, struct tp_err *err)
{
	if (tp_class_lists_load(j, lists, j->doc, FILE_NAME, err) < 0)
		return -1;
	return j->analysers.has_rest ? 0 : tp_share_damaged(FILE_NAME,
	    "analysers", err);
}

static int
load_numbers(struct tp_torch_analysers *j, struct tp_err *err)
{
	const cJSON *e = tp_json_get(j->doc, "estimates"),
	    *g = tp_json_get(j->doc, "unmodelled"),
	    *bands = tp_json_get(e, "bands"), *i;

	if (!tp_json_number(e, "anomaly", &j->anomaly) ||
	    !tp_json_number(e, "wait_factor", &j->wait_factor) ||
	    !tp_json_number(e, "least", &j->least_ratio) ||
	    !tp_json_number(e, "low", &j->known[0]) ||
	    !tp_json_number(e, "middle", &j->known[1]) ||
	    !tp_json_number(e, "high", &j->known[2]) ||
	    !tp_json_number(g, "low", &j->guessed[0]) ||
	    !tp_json_number(g, "middle", &j->guessed[1]) ||
	    !tp_json_number(g, "high", &j->guessed[2]))
		return tp_share_damaged(FILE_NAME, "estimates", err);
	cJSON_ArrayForEach(i, bands) {
		if (!cJSON_IsNumber(i) || j->band_count == JUDGE_BANDS)
			return tp_share_damaged(FILE_NAME, "bands", err);
		j->bands[j->band_count++] = i->valuedouble;
	}
	return 0;
}

struct tp_torch_analysers *
tp_torch_analysers_load(struct tp_err *err)
{
	struct tp_torch_analysers *j = tp_zalloc(sizeof *j);

	j->doc = tp_share_json(FILE_NAME, err);
	if (j->doc && !load_classes(j, err) && !load_numbers(j, err))
		return j;
	tp_torch_analysers_free(j);
	return NULL;
}

void
tp_torch_analysers_free(struct tp_torch_analysers *j)
{
	if (!j)
		return;
	tp_class_lists_release(j, lists);
	cJSON_Delete(j->doc);
	tp_free(j);
}

const char *
tp_torch_library(const struct tp_torch_analysers *j, const char *op,
    const char *kernel)
{
	const char *const texts[] = { op, kernel };
	const struct tp_class *library = tp_class_of(&j->libraries, texts);

	return library ? library->name : NULL;
}

int
tp_torch_communicates(const struct tp_torch_analysers *j, const char *op)
{
	return tp_class_of_name(&j->communication, op) != NULL;
}

const char *
tp_torch_analyser(const struct tp_torch_analysers *j, const char *op,
    const char *category)
{
	const char *const texts[] = { category, op };

	return tp_class_of(&j->analysers, texts)->name;
}
