/* analysers - who looks at an operation, and of which library it is */
#include <regex.h>
#include <string.h>

#include <cjson/cJSON.h>

#include <tp/json.h>
#include <tp/share.h>

#include "analysers.h"

#define FILE_NAME "ops/torch-analysis.json"

static int
damaged(struct tp_err *err, const char *key)
{
	return tp_fail(err, TP_BAD, "share.damaged", 0,
	    FILE_NAME ": bad '%s'", key);
}

/* KEY of FROM as a pattern; an absent one matches nothing. */
static int
load_pattern(struct analyser_pattern *p, const cJSON *from, const char *key,
    struct tp_err *err)
{
	const char *text = tp_json_text(from, key);

	if (!text)
		return 0;
	if (regcomp(&p->regex, text, REG_EXTENDED | REG_NOSUB | REG_ICASE))
		return damaged(err, key);
	p->is_set = 1;
	return 0;
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
			return damaged(err, "libraries");
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
			return damaged(err, "analysers");
		if (load_pattern(&a->ops, i, "ops", err) < 0)
			return -1;
	}
	return j->analyser_count ? 0 : damaged(err, "analysers");
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
		return damaged(err, "estimates");
	cJSON_ArrayForEach(i, bands) {
		if (!cJSON_IsNumber(i) || j->band_count == JUDGE_BANDS)
			return damaged(err, "bands");
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

static void
release_pattern(struct analyser_pattern *p)
{
	if (p->is_set)
		regfree(&p->regex);
}

void
tp_torch_analysers_free(struct tp_torch_analysers *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->library_count; i++) {
		release_pattern(&j->libraries[i].op);
		release_pattern(&j->libraries[i].kernel);
	}
	for (size_t i = 0; i < j->analyser_count; i++)
		release_pattern(&j->analysers[i].ops);
	release_pattern(&j->communication);
	tp_free(j->libraries);
	tp_free(j->analysers);
	cJSON_Delete(j->doc);
	tp_free(j);
}

static int
matches(const struct analyser_pattern *p, const char *text)
{
	return p->is_set && text && !regexec(&p->regex, text, 0, NULL, 0);
}

const char *
tp_torch_library(const struct tp_torch_analysers *j, const char *op,
    const char *kernel)
{
	for (size_t i = 0; i < j->library_count; i++)
		if (matches(&j->libraries[i].op, op) ||
		    matches(&j->libraries[i].kernel, kernel))
			return j->libraries[i].name;
	return NULL;
}

int
tp_torch_communicates(const struct tp_torch_analysers *j, const char *op)
{
	return matches(&j->communication, op);
}

static int
holds(const cJSON *names, const char *name)
{
	const cJSON *i;

	cJSON_ArrayForEach(i, names)
		if (cJSON_IsString(i) && !strcmp(i->valuestring, name))
			return 1;
	return 0;
}

const char *
tp_torch_analyser(const struct tp_torch_analysers *j, const char *op,
    const char *category)
{
	for (size_t i = 0; i < j->analyser_count; i++)
		if (matches(&j->analysers[i].ops, op))
			return j->analysers[i].name;
	for (size_t i = 0; i < j->analyser_count; i++)
		if (holds(j->analysers[i].categories, category))
			return j->analysers[i].name;
	return j->analysers[j->analyser_count - 1].name;
}
