/* summary_put - members of a profile_summary.v1 document as keys of records */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include "summary_private.h"

void
tp_summary_put_text(struct tp_out *out, const char *key,
    const struct cJSON *object, const char *name)
{
	const char *t = tp_json_text(object, name);

	if (t)
		tp_out_text(out, key, t);
}

void
tp_summary_put_listed(struct tp_out *out, const char *key,
    const struct cJSON *object, const char *name, const char *const *listed)
{
	const char *t = tp_json_text(object, name);

	while (t && *listed && strcmp(t, *listed))
		listed++;
	if (t && *listed)
		tp_out_text(out, key, t);
}

void
tp_summary_put_ns(struct tp_out *out, const char *key,
    const struct cJSON *object, const char *name)
{
	int64_t n;

	if (tp_summary_ns(object, name, &n))
		tp_out_int(out, key, n);
}

int
tp_summary_count(const struct cJSON *object, const char *name, int64_t *n)
{
	double x;

	if (!tp_json_number(object, name, &x) || fabs(x) > SUMMARY_MOST)
		return 0;
	*n = (int64_t)x;
	return 1;
}

void
tp_summary_put_count(struct tp_out *out, const char *key,
    const struct cJSON *object, const char *name)
{
	int64_t n;

	if (tp_summary_count(object, name, &n))
		tp_out_int(out, key, n);
}

void
tp_summary_put_real(struct tp_out *out, const char *key,
    const struct cJSON *object, const char *name)
{
	double x;

	if (tp_json_number(object, name, &x))
		tp_out_real(out, key, x);
}

int
tp_summary_sum_ns(const struct cJSON *list, const char *name, int64_t *sum)
{
	const struct cJSON *row;
	double all = 0, x;

	cJSON_ArrayForEach(row, list) {
		if (!tp_json_number(row, name, &x))
			return 0;
		all += x;
	}
	if (fabs(all) > SUMMARY_MOST)
		return 0;
	*sum = (int64_t)nearbyint(all * 1000);
	return 1;
}

const struct cJSON *
tp_summary_first(const struct cJSON *list, const char *name)
{
	const struct cJSON *row;

	cJSON_ArrayForEach(row, list)
		if (tp_json_text(row, name))
			return row;
	return NULL;
}
