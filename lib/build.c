/* build - whether a run was built with a feature, judged by its name */
#include <cjson/cJSON.h>
#include <string.h>

#include "build.h"

const char *
tp_build_word(const struct cJSON *list, const char *name, const char **at)
{
	const struct cJSON *i;

	cJSON_ArrayForEach(i, list)
		if (i->valuestring && (*at = strstr(name, i->valuestring)))
			return i->valuestring;
	return NULL;
}

enum tp_build
tp_build_of(const struct cJSON *off, const struct cJSON *on, const char *name)
{
	const char *at;
	int is_off = tp_build_word(off, name, &at) != NULL;
	int is_on = tp_build_word(on, name, &at) != NULL;

	return is_off == is_on ? TP_BUILD_UNKNOWN :
	    is_on ? TP_BUILD_ON : TP_BUILD_OFF;
}
