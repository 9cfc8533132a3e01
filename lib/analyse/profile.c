/* profile - a profile_summary.v1 document as records */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <tp/profile.h>

static const cJSON *
get(const cJSON *c, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(c, key);
}

/* 1 and *X when member KEY is a number that is one. */
static int
real(const cJSON *c, const char *key, double *x)
{
	const cJSON *n = get(c, key);

	if (!cJSON_IsNumber(n) || !isfinite(n->valuedouble))
		return 0;
	*x = n->valuedouble;
	return 1;
}

/* Microseconds as nanoseconds; 0 when that is no time. */
static int
time_of(const cJSON *c, const char *key, int64_t *ns)
{
	double us;

	if (!real(c, key, &us) || !(fabs(us) < 9e15))
		return 0;
	*ns = (int64_t)nearbyint(us * 1000);
	return 1;
}

static void
put_time(struct tp_out *out, const char *name, const cJSON *c,
    const char *key)
{
	int64_t ns;

	if (time_of(c, key, &ns))
		tp_out_int(out, name, ns);
}

static void
put_real(struct tp_out *out, const char *name, const cJSON *c,
    const char *key)
{
	double x;

	if (real(c, key, &x))
		tp_out_real(out, name, x);
}

static void
put_count(struct tp_out *out, const char *name, const cJSON *c,
    const char *key)
{
	double x;

	if (real(c, key, &x) && fabs(x) < 9e15)
		tp_out_int(out, name, (int64_t)x);
}

/* Nothing when it is no text, or empty. */
static void
put_text(struct tp_out *out, const char *name, const cJSON *c,
    const char *key)
{
	const char *text = cJSON_GetStringValue(get(c, key));

	if (text && *text)
		tp_out_text(out, name, text);
}

/* Of two names of one thing the newer first. */
static const char *
either(const cJSON *c, const char *key, const char *other)
{
	return cJSON_IsString(get(c, key)) ? key : other;
}

int
tp_profile_is(const cJSON *doc)
{
	const char *version = cJSON_GetStringValue(get(doc,
	    "schema_version"));

	return version && !strncmp(version, "profile_summary.", 16);
}

static void
emit_document(const cJSON *doc, struct tp_out *out)
{
	static const char *const texts[][2] = {
		{ "run_path", "run_path" }, { "run_id", "run_id" },
		{ "artifact", "artifact_ref" }, { "hardware", "hardware_type" },
		{ "topology", "mesh_or_topology" }, { "git_sha", "git_sha" },
		{ "config_hash", "config_hash" }
	};
	const cJSON *run = get(doc, "run_metadata");
	const cJSON *from = get(doc, "trace_provenance");

	tp_out_begin(out, "profile.document");
	put_text(out, "made_at", doc, "generated_at_utc");
	put_text(out, "file", doc, "source_path");
	put_text(out, "sha256", from, "trace_sha256");
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		put_text(out, texts[i][0], run, texts[i][1]);
	put_count(out, "device_count", run, "num_devices");
	put_count(out, "host_count", run, "num_hosts");
	tp_out_end(out);
}

static void
emit_overview(const cJSON *doc, struct tp_out *out)
{
	const cJSON *c = get(doc, "trace_overview");
	const char *run = cJSON_GetStringValue(cJSON_GetArrayItem(
	    get(get(doc, "trace_provenance"), "run_ids"), 0));
	const cJSON *devices = get(get(doc, "tracepipe"), "devices");
	int64_t first, last;

	tp_out_begin(out, "trace.summary");
	put_count(out, "event_count", c, "num_events_total");
	put_count(out, "complete_count", c, "num_complete_events");
	put_count(out, "named_process_count", c, "num_processes");
	put_count(out, "named_thread_count", c, "num_threads");
	if (cJSON_GetArraySize(devices))
		tp_out_int(out, "device_count", cJSON_GetArraySize(devices));
	if (time_of(c, "profile_start_ts", &first) &&
	    time_of(c, "profile_end_ts", &last))
		tp_out_int(out, "span_ns", last - first);
	if (cJSON_IsBool(get(c, "suspected_truncation")))
		tp_out_bool(out, "is_truncated",
		    cJSON_IsTrue(get(c, "suspected_truncation")));
	if (run)
		tp_out_text(out, "run_id", run);
	tp_out_end(out);
}

static const char *const parts[] = {
	"compute", "communication", "host", "stall", "other"
};

static void
put_parts(struct tp_out *out, const cJSON *c)
{
	char key[64];

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		const cJSON *part = get(c, parts[i]);

		snprintf(key, sizeof key, "%s_ns", parts[i]);
		put_time(out, key, part, "total_duration");
		snprintf(key, sizeof key, "%s_of_total_ratio", parts[i]);
		put_real(out, key, part, "share_of_total");
	}
}

static const char *
basis_of(const cJSON *breakdown)
{
	const char *text = cJSON_GetStringValue(get(breakdown,
	    "duration_basis"));

	if (!text)
		return NULL;
	return strstr(text, "device_union") ? "device" :
	    strstr(text, "per_track") ? "per-track" :
	    strstr(text, "global") ? "global" : NULL;
}

/* What the rules for candidates judge by. */
static void
put_tops(struct tp_out *out, const cJSON *doc)
{
	const cJSON *op = cJSON_GetArrayItem(get(doc, "hot_ops"), 0);
	const cJSON *gap = cJSON_GetArrayItem(get(doc, "gap_before_ops"), 0);
	const cJSON *steady = get(get(doc, "step_time"),
	    "steady_state_steps");
	double total, x, median;
	int attributed = real(get(doc, "time_breakdown"), "total_duration",
	    &total) && total > 0;

	put_text(out, "top_op", op, "name");
	put_time(out, "top_op_exclusive_ns", op, "exclusive_duration");
	if (attributed && real(op, "exclusive_duration", &x))
		tp_out_real(out, "top_op_of_total_factor", x / total);
	put_text(out, "top_gap_op", gap, "name");
	put_count(out, "top_gap_count", gap, "count");
	put_time(out, "top_gap_total_ns", gap, "total_gap_duration");
	put_time(out, "top_gap_max_ns", gap, "max_gap_duration");
	if (attributed && real(gap, "total_gap_duration", &x))
		tp_out_real(out, "top_gap_of_total_factor", x / total);
	put_count(out, "steady_count", steady, "count");
	if (real(steady, "p90", &x) && real(steady, "median", &median) &&
	    median > 0)
		tp_out_real(out, "wall_p90_of_median_factor", x / median);
}

static void
emit_breakdown(const cJSON *doc, struct tp_out *out)
{
	const cJSON *c = get(doc, "time_breakdown");
	const char *basis = basis_of(c);

	if (!cJSON_IsObject(c))
		return;
	tp_out_begin(out, "timeline.chosen");
	tp_out_text(out, "basis", basis);
	put_time(out, "accounted_ns", c, "total_duration");
	put_parts(out, c);
	put_tops(out, doc);
	tp_out_end(out);
	if (!basis)
		return;
	tp_out_begin(out, "timeline.basis");
	tp_out_text(out, "basis", basis);
	put_time(out, "accounted_ns", c, "total_duration");
	put_parts(out, c);
	tp_out_end(out);
}

/* What this project adds to a document. */
static void
emit_devices(const cJSON *doc, struct tp_out *out)
{
	static const char *const keys[][2] = {
		{ "busy_ns", "busy_duration" },
		{ "compute_ns", "compute_duration" },
		{ "communication_ns", "communication_duration" },
		{ "stall_ns", "stall_duration" },
		{ "communication_hidden_ns", "communication_hidden_duration" },
		{ "idle_ns", "idle_duration" }
	};
	enum { COUNT = sizeof keys / sizeof *keys, IDLE = COUNT - 1 };
	const cJSON *ours = get(doc, "tracepipe"), *c;
	const cJSON *devices = get(ours, "devices");
	int64_t sum[COUNT] = { 0 }, n, span = 0;

	if (!cJSON_GetArraySize(devices))
		return;
	cJSON_ArrayForEach(c, devices)
		for (size_t i = 0; i < COUNT; i++)
			if (time_of(c, keys[i][1], &n))
				sum[i] += n;
	time_of(ours, "span_duration", &span);
	tp_out_begin(out, "timeline.summary");
	tp_out_int(out, "device_count", cJSON_GetArraySize(devices));
	tp_out_int(out, "span_ns", span);
	for (size_t i = 0; i < IDLE; i++)
		tp_out_int(out, keys[i][0], sum[i]);
	tp_out_ratio(out, "compute_of_busy_ratio", sum[1], sum[0]);
	tp_out_ratio(out, "communication_of_busy_ratio", sum[2], sum[0]);
	tp_out_ratio(out, "stall_of_busy_ratio", sum[3], sum[0]);
	tp_out_ratio(out, "communication_hidden_ratio", sum[4],
	    sum[2] + sum[4]);
	put_real(out, "busy_of_span_ratio", ours, "busy_of_span_ratio");
	put_time(out, "host_busy_ns", ours, "host_busy_duration");
	put_time(out, "wrapper_exclusive_sum_ns", ours,
	    "wrapper_exclusive_duration");
	tp_out_end(out);
	cJSON_ArrayForEach(c, devices) {
		tp_out_begin(out, "timeline.device");
		put_text(out, "device_name", c, "name");
		for (size_t i = 0; i < COUNT; i++)
			put_time(out, keys[i][0], c, keys[i][1]);
		if (time_of(c, "busy_duration", &n))
			tp_out_ratio(out, "busy_of_span_ratio", n, span);
		tp_out_end(out);
	}
}

static void
put_spread(struct tp_out *out, const cJSON *c)
{
	put_time(out, "wall_mean_ns", c, "mean");
	put_time(out, "wall_median_ns", c, "median");
	put_time(out, "wall_p90_ns", c, "p90");
	put_time(out, "wall_min_ns", c, "min");
	put_time(out, "wall_max_ns", c, "max");
}

static void
emit_classes(const cJSON *classes, struct tp_out *out)
{
	double light = 0, median, count;
	const cJSON *c;

	real(get(cJSON_GetArrayItem(classes, 0), "duration_stats"), "median",
	    &light);
	cJSON_ArrayForEach(c, classes) {
		const cJSON *spread = get(c, "duration_stats");

		tp_out_begin(out, "step.class");
		put_text(out, "class", c, "name");
		put_count(out, "step_count", c, "count");
		put_real(out, "step_ratio", c, "fraction_of_steady");
		put_spread(out, spread);
		put_count(out, "typical_number", c, "representative_step");
		if (c != classes->child && light > 0 &&
		    real(spread, "median", &median) &&
		    real(c, "count", &count)) {
			tp_out_real(out, "slower_factor", median / light);
			tp_out_int(out, "extra_wall_ns", (int64_t)nearbyint(
			    count * (median - light) * 1000));
		}
		put_count(out, "period_steps", c, "periodicity");
		tp_out_end(out);
	}
}

static void
emit_steps(const cJSON *doc, struct tp_out *out)
{
	const cJSON *c = get(doc, "step_time");
	const cJSON *steady = get(c, "steady_state_steps");
	double all = 0, used = 0, p90, median;

	if (!cJSON_IsObject(c))
		return;
	real(get(c, "all_steps"), "count", &all);
	real(steady, "count", &used);
	tp_out_begin(out, "step.summary");
	tp_out_text(out, "scope", "all");
	tp_out_text(out, "method", all > 0 ? "document" : "none");
	if (!(all > 0))
		tp_out_text(out, "reason", "no-marker");
	tp_out_int(out, "step_count", (int64_t)all);
	tp_out_int(out, "warmup_count", (int64_t)(all - used));
	tp_out_int(out, "used_step_count", (int64_t)used);
	put_spread(out, steady);
	if (real(steady, "p90", &p90) && real(steady, "median", &median) &&
	    median > 0)
		tp_out_real(out, "wall_p90_of_median_factor", p90 / median);
	tp_out_end(out);
	emit_classes(get(c, "classes"), out);
}

/* Exclusive time of ROW as a share of what was attributed. */
static void
put_share(struct tp_out *out, const cJSON *doc, const cJSON *row)
{
	int64_t own, total;

	if (time_of(row, "exclusive_duration", &own) && time_of(get(doc,
	    "time_breakdown"), "total_duration", &total))
		tp_out_ratio(out, "exclusive_of_total_factor", own, total);
}

static void
emit_ops(const cJSON *doc, struct tp_out *out)
{
	int64_t rank = 0;
	const cJSON *c;

	cJSON_ArrayForEach(c, get(doc, "hot_ops")) {
		if (!cJSON_IsString(get(c, "name")))
			continue;
		tp_out_begin(out, "op");
		tp_out_int(out, "rank", ++rank);
		put_text(out, "name", c, "name");
		put_text(out, "canonical_name", c,
		    either(c, "canonical_name", "name"));
		put_text(out, "category", c, "category");
		put_count(out, "count", c, "count");
		put_time(out, "duration_sum_ns", c, "total_duration");
		put_time(out, "mean_ns", c, "avg_duration");
		put_time(out, "exclusive_ns", c, "exclusive_duration");
		put_share(out, doc, c);
		put_text(out, "shape", c, "shape_signature");
		put_text(out, "source_file", c, "source_file");
		put_text(out, "tf_op", c, "tf_op_path");
		tp_out_end(out);
	}
	cJSON_ArrayForEach(c, get(doc, "semantic_families")) {
		tp_out_begin(out, "op.family");
		put_text(out, "family", c, "family");
		put_count(out, "count", c, "count");
		put_time(out, "duration_sum_ns", c, "total_duration");
		put_time(out, "mean_ns", c, "avg_duration");
		put_time(out, "exclusive_ns", c, "exclusive_duration");
		put_share(out, doc, c);
		put_text(out, "example_op", c, "example_op");
		put_text(out, "shape", c, "dominant_shape_signature");
		tp_out_end(out);
	}
	cJSON_ArrayForEach(c, get(doc, "communication_ops")) {
		tp_out_begin(out, "collective");
		put_text(out, "collective", c, "collective");
		put_count(out, "count", c, "count");
		/* the document's total is the exclusive time */
		put_time(out, "exclusive_ns", c, "total_duration");
		tp_out_end(out);
	}
}

static void
put_gap(struct tp_out *out, const cJSON *c)
{
	put_count(out, "count", c, "count");
	put_time(out, "gap_total_ns", c, "total_gap_duration");
	put_time(out, "gap_max_ns", c, "max_gap_duration");
	tp_out_end(out);
}

/* What began first after the gap, if that is another operation. */
static void
put_marker(struct tp_out *out, const cJSON *c)
{
	const char *name = cJSON_GetStringValue(get(c,
	    either(c, "payload_op", "name")));
	const char *marker = cJSON_GetStringValue(get(c, "marker_op"));

	if (marker && *marker && (!name || strcmp(name, marker)))
		tp_out_text(out, "marker", marker);
}

static void
emit_gaps(const cJSON *doc, struct tp_out *out)
{
	int64_t rank = 0;
	const cJSON *c;

	cJSON_ArrayForEach(c, get(doc, "gap_before_ops")) {
		tp_out_begin(out, "gap.op");
		tp_out_int(out, "rank", ++rank);
		put_text(out, "name", c, either(c, "payload_op", "name"));
		put_marker(out, c);
		put_gap(out, c);
	}
	cJSON_ArrayForEach(c, get(doc, "gap_region_contexts")) {
		tp_out_begin(out, "gap.region");
		put_text(out, "name", c, "op_name");
		put_text(out, "region", c, "region_path");
		put_gap(out, c);
	}
}

static void
emit_regions(const cJSON *doc, struct tp_out *out)
{
	const cJSON *ours = get(doc, "tracepipe"), *c;
	int64_t rank = 0;

	if (cJSON_IsNumber(get(ours, "named_region_ratio"))) {
		tp_out_begin(out, "region.summary");
		put_real(out, "named_ratio", ours, "named_region_ratio");
		tp_out_end(out);
	}
	cJSON_ArrayForEach(c, get(doc, "hierarchical_regions")) {
		tp_out_begin(out, "region");
		tp_out_int(out, "rank", ++rank);
		put_text(out, "region", c, "path");
		put_count(out, "depth", c, "depth");
		put_count(out, "count", c, "count");
		put_time(out, "inclusive_ns", c, "inclusive_duration");
		put_time(out, "exclusive_ns", c, "exclusive_duration");
		tp_out_end(out);
	}
	cJSON_ArrayForEach(c, get(doc, "device_op_region_aggregates")) {
		tp_out_begin(out, "region.op");
		put_text(out, "region", c, "region_path");
		put_text(out, "name", c, "op_name");
		put_count(out, "count", c, "count");
		put_time(out, "duration_sum_ns", c, "total_duration");
		put_time(out, "exclusive_ns", c, "exclusive_duration");
		tp_out_end(out);
	}
}

void
tp_profile_emit(const cJSON *doc, struct tp_out *out)
{
	emit_document(doc, out);
	emit_overview(doc, out);
	emit_devices(doc, out);
	emit_breakdown(doc, out);
	emit_steps(doc, out);
	emit_ops(doc, out);
	emit_gaps(doc, out);
	emit_regions(doc, out);
}
