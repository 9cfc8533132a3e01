/* analysers - who looks at an operation, and of which library it is */
#include <string.h>

#include <cjson/cJSON.h>

#include <tp/json.h>
#include <tp/share.h>

#include "gain.h"

#define FILE_NAME "ops/torch-analysis.json"

static int
load_pattern(struct tp_pattern *p, const cJSON *from, const char *key,
    struct tp_err *err)
{
	return tp_pattern_load(p, from, key, REG_ICASE, FILE_NAME, err);
}

static int
load_libraries(struct tp_torch_analysers *j, struct tp_err *err)
{
	const cJSON *list = tp_json_get(j->doc, "libraries"), *i;

	j->libraries = tp_zalloc(((size_t)cJSON_GetArraySize(list) + 1) *
	    sizeof *j->libraries);
	if (!j->libraries)
		return tp_fail_memory(err);
	cJSON_ArrayForEach(i, list) {
		struct analyser_library *l = &j->libraries[j->library_count++];

		l->name = tp_json_text(i, "name");
		if (!l->name)
			return tp_share_damaged(FILE_NAME, "libraries", err);
		if (load_pattern(&l->op, i, "op", err) < 0 ||
		    load_pattern(&l->kernel, i, "kernel", err) < 0)
			return -1;
	}
	return 0;
}

static int
load_analysers(struct tp_torch_analysers *j, struct tp_err *err)
{
	const cJSON *list = tp_json_get(j->doc, "analysers"), *i;

	j->analysers = tp_zalloc(((size_t)cJSON_GetArraySize(list) + 1) *
	    sizeof *j->analysers);
	if (!j->analysers)
		return tp_fail_memory(err);
	cJSON_ArrayForEach(i, list) {
		struct analyser *a = &j->analysers[j->analyser_count++];

		a->name = tp_json_text(i, "name");
		a->categories = tp_json_get(i, "categories");
		if (!a->name || !cJSON_IsArray(a->categories))
			return tp_share_damaged(FILE_NAME, "analysers", err);
		if (load_pattern(&a->ops, i, "ops", err) < 0)
			return -1;
	}
	return j->analyser_count ? 0 : tp_share_damaged(FILE_NAME, "analysers",
	    err);
}

static int
load_numbers(struct tp_torch_analysers *j, struct tp_err *err)
{
	const cJSON *e = tp_json_get(j->doc, "estimates"),
	    *g = tp_json_get(j->doc, "unmodelled"),
	    *bands = tp_json_get(e, "bands"), *i;

	if (!tp_json_number(e, "anomaly", &j->anomaly) ||
	    !tp_json_number(e, "wait_factor", &j->wait_factor) ||
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

	if (!j) {
		tp_fail_memory(err);
		return NULL;
	}
	j->doc = tp_share_json(FILE_NAME, err);
	if (j->doc && !load_libraries(j, err) && !load_analysers(j, err) &&
	    !load_numbers(j, err) && !load_pattern(&j->communication, j->doc,
	    "communication", err))
		return j;
	tp_torch_analysers_free(j);
	return NULL;
}

void
tp_torch_analysers_free(struct tp_torch_analysers *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->library_count; i++) {
		tp_pattern_release(&j->libraries[i].op);
		tp_pattern_release(&j->libraries[i].kernel);
	}
	for (size_t i = 0; i < j->analyser_count; i++)
		tp_pattern_release(&j->analysers[i].ops);
	tp_pattern_release(&j->communication);
	tp_free(j->libraries);
	tp_free(j->analysers);
	cJSON_Delete(j->doc);
	tp_free(j);
}

const char *
tp_torch_library(const struct tp_torch_analysers *j, const char *op,
    const char *kernel)
{
	for (size_t i = 0; i < j->library_count; i++)
		if (tp_pattern_fits(&j->libraries[i].op, op) ||
		    tp_pattern_fits(&j->libraries[i].kernel, kernel))
			return j->libraries[i].name;
	return NULL;
}

int
tp_torch_communicates(const struct tp_torch_analysers *j, const char *op)
{
	return tp_pattern_fits(&j->communication, op);
}

const char *
tp_torch_analyser(const struct tp_torch_analysers *j, const char *op,
    const char *category)
{
	for (size_t i = 0; i < j->analyser_count; i++)
		if (tp_pattern_fits(&j->analysers[i].ops, op))
			return j->analysers[i].name;
	for (size_t i = 0; i < j->analyser_count; i++)
		if (tp_json_holds(j->analysers[i].categories, category))
			return j->analysers[i].name;
	return j->analysers[j->analyser_count - 1].name;
}
