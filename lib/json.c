/* json - members of parsed JSON objects */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include <tp/json.h>
#include <tp/text.h>

const struct cJSON *
tp_json_get(const struct cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

const char *
tp_json_text(const struct cJSON *object, const char *key)
{
	const char *text = cJSON_GetStringValue(tp_json_get(object, key));

	return text && *text ? text : NULL;
}

int
tp_json_number(const struct cJSON *object, const char *key, double *x)
{
	const struct cJSON *i = tp_json_get(object, key);

	if (!cJSON_IsNumber(i) || !isfinite(i->valuedouble))
		return 0;
	*x = i->valuedouble;
	return 1;
}

int
tp_json_holds(const struct cJSON *list, const char *text)
{
	const struct cJSON *i;

	cJSON_ArrayForEach(i, list)
		if (cJSON_IsString(i) && !strcmp(i->valuestring, text))
			return 1;
	return 0;
}

int
tp_json_fits(const struct cJSON *list, const char *text)
{
	const struct cJSON *i;

	cJSON_ArrayForEach(i, list)
		if (cJSON_IsString(i) &&
		    tp_glob(i->valuestring, text, strlen(text)))
			return 1;
	return 0;
}
