/* summary_samples - single steps of a profile_summary.v1 document */
#include <cjson/cJSON.h>
#include <math.h>

#include "summary_private.h"

/* Time ITEM of a list into *NS; 1, or 0 when it is none. */
static int
time_of(const struct cJSON *item, int64_t *ns)
{
	if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) ||
	    item->valuedouble > SUMMARY_MOST)
		return 0;
	*ns = (int64_t)nearbyint(item->valuedouble * 1000);
	return 1;
}

static const struct cJSON *
first_of(const struct cJSON *object, const char *name)
{
	const struct cJSON *list = tp_json_get(object, name);

	return cJSON_IsArray(list) ? list->child : NULL;
}

int64_t
tp_summary_samples(const struct cJSON *doc, int64_t warmup,
    struct tp_out *out)
{
	const struct cJSON *steps = tp_json_get(tp_json_get(doc,
	    "tracepipe"), "steady_steps");
	const struct cJSON *wall = first_of(steps, "wall_durations");
	const struct cJSON *apart = first_of(steps,
	    "start_to_start_durations");
	int64_t n = 0, index = warmup, ns;

	for (; wall; wall = wall->next, apart = apart ? apart->next : NULL) {
		index++;
		if (!time_of(wall, &ns))
			continue;
		tp_out_begin(out, "step");
		tp_out_text(out, "scope", "all");
		tp_out_int(out, "index", index);
		tp_out_int(out, "wall_ns", ns);
		if (time_of(apart, &ns))
			tp_out_int(out, "start_to_start_ns", ns);
		tp_out_bool(out, "is_warmup", 0);
		tp_out_end(out);
		n++;
	}
	return n;
}
