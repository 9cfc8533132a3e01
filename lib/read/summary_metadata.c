/* summary_metadata - metadata of an artifact that holds a summary */
#include <cjson/cJSON.h>

#include <tp/doc.h>

#include "summary_private.h"

static void
number(struct tp_doc *j, const char *key, const struct cJSON *object,
    const char *name)
{
	double x;

	if (tp_json_number(object, name, &x))
		tp_doc_float(j, key, x);
	else
		tp_doc_null(j, key);
}

static void
part(struct tp_doc *j, const char *key, const struct cJSON *doc,
    const char *name)
{
	number(j, key, tp_json_get(tp_json_get(doc, "time_breakdown"), name),
	    "share_of_total");
}

static void
length(struct tp_doc *j, const char *key, const struct cJSON *doc,
    const char *name)
{
	tp_doc_int(j, key, cJSON_GetArraySize(tp_json_get(doc, name)));
}

void
tp_summary_metadata(const struct cJSON *doc, struct tp_doc *j)
{
	const struct cJSON *steady = tp_json_get(tp_json_get(doc,
	    "step_time"), "steady_state_steps");
	const struct cJSON *gap = tp_summary_first(tp_json_get(doc,
	    "gap_before_ops"), "name");
	struct tp_summary_origin o;

	tp_summary_origin_of(doc, &o);
	tp_doc_object(j, "metadata");
	part(j, "communication_share", doc, "communication");
	part(j, "compute_share", doc, "compute");
	tp_doc_maybe(j, "config_hash", o.config);
	tp_doc_maybe(j, "generated_at_utc",
	    tp_json_text(doc, "generated_at_utc"));
	tp_doc_maybe(j, "git_sha", o.git);
	tp_doc_maybe(j, "hardware_type", o.hardware);
	part(j, "host_share", doc, "host");
	tp_doc_maybe(j, "mesh_or_topology", o.mesh);
	length(j, "num_gap_region_contexts", doc, "gap_region_contexts");
	length(j, "num_hierarchical_regions", doc, "hierarchical_regions");
	tp_doc_maybe(j, "run_id", o.run_id);
	tp_doc_maybe(j, "run_path", o.run_path);
	tp_doc_maybe(j, "schema_version", tp_json_text(doc, "schema_version"));
	tp_doc_maybe(j, "source_artifact_ref", o.artifact_ref);
	tp_doc_maybe(j, "source_format", tp_json_text(doc, "source_format"));
	tp_doc_maybe(j, "source_path", o.source_path);
	part(j, "stall_share", doc, "stall");
	number(j, "step_median", steady, "median");
	number(j, "step_p90", steady, "p90");
	tp_doc_maybe(j, "top_pre_gap_op", tp_json_text(gap, "name"));
	number(j, "top_pre_gap_total", gap, "total_gap_duration");
	tp_doc_close(j, '}');
}

void
tp_summary_provenance(const struct cJSON *doc, struct tp_doc *j)
{
	const struct cJSON *steps = tp_json_get(doc, "step_time");
	struct tp_summary_origin o;
	int64_t warmup;

	tp_summary_origin_of(doc, &o);
	tp_doc_object(j, "provenance");
	tp_doc_maybe(j, "made_by", tp_json_get(doc, "tracepipe") ?
	    "tracepipe" : NULL);
	tp_doc_object(j, "options");
	tp_doc_maybe(j, "breakdown", tp_json_text(tp_json_get(doc,
	    "time_breakdown"), "duration_basis"));
	if (tp_summary_count(steps, "warmup_steps_ignored", &warmup))
		tp_doc_int(j, "warmup", warmup);
	else
		tp_doc_null(j, "warmup");
	tp_doc_close(j, '}');
	tp_doc_maybe(j, "trace_sha256", o.sha256);
	tp_doc_text(j, "version", TP_VERSION);
	tp_doc_close(j, '}');
}
