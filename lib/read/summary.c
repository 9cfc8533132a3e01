/* summary - read profile_summary.v1 documents */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include <tp/json.h>
#include <tp/read/summary.h>

enum { HOT_OPS = 25, FAMILIES = 50, ROWS = 500 };

static const struct rename {
	const char *list, *old, *name;
} renames[] = {
	{ "hot_ops", "work_proxy_per_invocation",
	    "flop_proxy_per_invocation" },
	{ "semantic_families", "work_proxy_total", "flop_proxy_total" },
	{ "semantic_families", "normalized_exclusive_per_work",
	    "time_per_flop_proxy" },
};

/* Default: KEY of a row of LIST is copied from FROM when absent. */
static const struct default_name {
	const char *list, *key, *from;
} default_names[] = {
	{ "hot_ops", "canonical_name", "name" },
	{ "gap_before_ops", "payload_op", "name" },
	{ "gap_before_ops", "marker_op", "name" },
	{ "device_op_region_aggregates", "canonical_name", "op_name" },
};

size_t
tp_json_mend(const char *text, size_t len, struct tp_buf *out)
{
	static const char *const words[] = { "NaN", "Infinity", "-Infinity" };
	size_t from = 0, count = 0, i, w, n;
	int quoted = 0;

	for (i = 0; i < len; i++) {
		if (quoted && text[i] == '\\') {
			i++;
			continue;
		}
		if (text[i] == '"')
			quoted = !quoted;
		if (quoted || !strchr("NI-", text[i]) || !text[i])
			continue;
		for (w = 0; w < 3; w++) {
			n = strlen(words[w]);
			if (len - i < n || memcmp(text + i, words[w], n))
				continue;
			tp_buf_add(out, text + from, i - from);
			tp_buf_str(out, "null");
			from = i + n;
			i = from - 1;
			count++;
			break;
		}
	}
	if (count)
		tp_buf_add(out, text + from, len - from);
	return count;
}

int
tp_summary_ns(const struct cJSON *object, const char *key, int64_t *ns)
{
	double us;

	if (!tp_json_number(object, key, &us) || fabs(us) > 9e15)
		return 0;
	*ns = (int64_t)nearbyint(us * 1000);
	return 1;
}

/* Add members that older writers did not know to every row of a list. */
static void
complete(struct cJSON *doc)
{
	const struct default_name *d = default_names;
	const struct rename *r = renames;
	struct cJSON *row, *old;
	const char *from;

	for (size_t i = 0; i < sizeof renames / sizeof *renames; i++, r++)
		cJSON_ArrayForEach(row, tp_json_get(doc, r->list)) {
			if (tp_json_get(row, r->name))
				continue;
			old = cJSON_DetachItemFromObjectCaseSensitive(row,
			    r->old);
			if (old)
				cJSON_AddItemToObject(row, r->name, old);
		}
	for (size_t i = 0; i < sizeof default_names / sizeof *d; i++, d++)
		cJSON_ArrayForEach(row, tp_json_get(doc, d->list)) {
			from = tp_json_text(row, d->from);
			if (from && !tp_json_get(row, d->key))
				cJSON_AddStringToObject(row, d->key, from);
		}
}

int
tp_summary_check(struct cJSON *doc, struct tp_err *err)
{
	const char *version = tp_json_text(doc, "schema_version");

	if (!version)
		return tp_fail(err, TP_BAD, "input.unknown", 0,
		    "not a profile summary: it has no schema_version");
	if (strcmp(version, "profile_summary.v1"))
		return tp_fail(err, TP_BAD, "input.unknown", 0,
		    "schema_version is '%.60s'; known is profile_summary.v1",
		    version);
	if (!cJSON_IsObject(tp_json_get(doc, "step_time")) ||
	    !cJSON_IsObject(tp_json_get(doc, "time_breakdown")))
		return tp_fail(err, TP_BAD, "input.unknown", 0,
		    "a profile summary without step_time or time_breakdown");
	complete(doc);
	return 0;
}

void
tp_summary_origin_of(const struct cJSON *doc, struct tp_summary_origin *o)
{
	const struct cJSON *run = tp_json_get(doc, "run_metadata");

	o->sha256 = tp_json_text(tp_json_get(doc, "trace_provenance"),
	    "trace_sha256");
	o->source_path = tp_json_text(doc, "source_path");
	o->run_id = tp_json_text(run, "run_id");
	o->run_path = tp_json_text(run, "run_path");
	o->artifact_ref = tp_json_text(run, "artifact_ref");
	o->hardware = tp_json_text(run, "hardware_type");
	o->mesh = tp_json_text(run, "mesh_or_topology");
	o->config = tp_json_text(run, "config_hash");
	o->git = tp_json_text(run, "git_sha");
}

/* Sum of KEY over the rows of LIST (roots of regions only), in us. */
static double
sum(const struct cJSON *list, const char *key)
{
	const struct cJSON *row;
	double all = 0, x, depth;

	cJSON_ArrayForEach(row, list) {
		if (tp_json_number(row, "depth", &depth) && depth != 1)
			continue;
		if (tp_json_number(row, key, &x))
			all += x;
	}
	return all;
}

int
tp_summary_is_cut(const struct cJSON *doc, const char *key)
{
	const struct cJSON *list = tp_json_get(doc, key);
	const struct cJSON *regions = tp_json_get(doc,
	    "hierarchical_regions");
	int n = cJSON_GetArraySize(list);
	double all;

	if (!cJSON_IsArray(list))
		return 1;
	if (!strcmp(key, "communication_ops"))
		return 0;
	/* other writers compute families from the kept operations only */
	if (!strcmp(key, "semantic_families"))
		return n >= FAMILIES || (!tp_json_get(doc, "tracepipe") &&
		    tp_summary_is_cut(doc, "hot_ops"));
	if (strcmp(key, "hot_ops"))
		return n >= ROWS;
	if (n >= ROWS)
		return 1;
	all = sum(regions, "inclusive_duration");
	if (all > 0 && cJSON_GetArraySize(regions) < ROWS)
		return sum(list, "exclusive_duration") < all * (1 - 1e-6);
	return n >= HOT_OPS;
}
