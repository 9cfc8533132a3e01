/* summary_records - a profile_summary.v1 document as records */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <tp/json.h>
#include <tp/summary.h>

static const char *const parts[] = {
	"compute", "communication", "host", "stall", "other"
};

struct rows {
	const struct cJSON *doc;
	struct tp_out *out;
};

static void
text(struct tp_out *out, const char *key, const struct cJSON *object,
    const char *name)
{
	const char *t = tp_json_text(object, name);

	if (t)
		tp_out_text(out, key, t);
}

static void
ns(struct tp_out *out, const char *key, const struct cJSON *object,
    const char *name)
{
	int64_t n;

	if (tp_summary_ns(object, name, &n))
		tp_out_int(out, key, n);
}

static int
whole(const struct cJSON *object, const char *name, int64_t *n)
{
	double x;

	if (!tp_json_number(object, name, &x) || fabs(x) > 9e15)
		return 0;
	*n = (int64_t)x;
	return 1;
}

static void
count(struct tp_out *out, const char *key, const struct cJSON *object,
    const char *name)
{
	int64_t n;

	if (whole(object, name, &n))
		tp_out_int(out, key, n);
}

static void
real(struct tp_out *out, const char *key, const struct cJSON *object,
    const char *name)
{
	double x;

	if (tp_json_number(object, name, &x))
		tp_out_real(out, key, x);
}

/* Sum of NAME over LIST as KEY. */
static void
sum_ns(struct tp_out *out, const char *key, const struct cJSON *list,
    const char *name)
{
	const struct cJSON *row;
	double all = 0, x;

	cJSON_ArrayForEach(row, list)
		if (tp_json_number(row, name, &x))
			all += x;
	if (fabs(all) < 9e15)
		tp_out_int(out, key, (int64_t)nearbyint(all * 1000));
}

static void
origin(const struct rows *r)
{
	const struct cJSON *run = tp_json_get(r->doc, "run_metadata");
	struct tp_summary_origin o;
	const struct {
		const char *key, *value;
	} keys[] = {
		{ "file", (tp_summary_origin(r->doc, &o),
		    o.source_path) },
		{ "sha256", o.sha256 }, { "run_id", o.run_id },
		{ "run_path", o.run_path }, { "artifact", o.artifact_ref },
		{ "hardware", o.hardware }, { "topology", o.mesh },
		{ "config_hash", o.config }, { "git_sha", o.git },
	};

	tp_out_begin(r->out, "profile.document");
	text(r->out, "made_at", r->doc, "generated_at_utc");
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (keys[i].value)
			tp_out_text(r->out, keys[i].key, keys[i].value);
	count(r->out, "device_count", run, "num_devices");
	count(r->out, "host_count", run, "num_hosts");
	tp_out_end(r->out);
}

static void
trace(const struct rows *r)
{
	const struct cJSON *o = tp_json_get(r->doc, "trace_overview");
	const struct cJSON *devices = tp_json_get(tp_json_get(r->doc,
	    "tracepipe"), "devices");
	double from, to;

	tp_out_begin(r->out, "trace.summary");
	count(r->out, "event_count", o, "num_events_total");
	count(r->out, "complete_count", o, "num_complete_events");
	count(r->out, "named_process_count", o, "num_processes");
	count(r->out, "named_thread_count", o, "num_threads");
	if (cJSON_IsArray(devices))
		tp_out_int(r->out, "device_count",
		    cJSON_GetArraySize(devices));
	if (tp_json_number(o, "profile_start_ts", &from) &&
	    tp_json_number(o, "profile_end_ts", &to) &&
	    fabs(to - from) < 9e15)
		tp_out_int(r->out, "span_ns",
		    (int64_t)nearbyint((to - from) * 1000));
	if (cJSON_IsBool(tp_json_get(o, "suspected_truncation")))
		tp_out_bool(r->out, "is_truncated",
		    cJSON_IsTrue(tp_json_get(o, "suspected_truncation")));
	tp_out_end(r->out);
}

/* The device rows that only this toolchain writes. */
static void
devices(const struct rows *r)
{
	const struct cJSON *t = tp_json_get(r->doc, "tracepipe"), *d;
	const struct cJSON *list = tp_json_get(t, "devices");
	static const struct {
		const char *key, *name;
	} keys[] = {
		{ "busy_ns", "busy_duration" },
		{ "compute_ns", "compute_duration" },
		{ "communication_ns", "communication_duration" },
		{ "stall_ns", "stall_duration" },
		{ "communication_hidden_ns", "communication_hidden_duration" },
	};
	enum { KEYS = sizeof keys / sizeof *keys };

	if (!cJSON_GetArraySize(list))
		return;
	tp_out_begin(r->out, "timeline.summary");
	tp_out_int(r->out, "device_count", cJSON_GetArraySize(list));
	ns(r->out, "span_ns", t, "span_duration");
	for (int i = 0; i < KEYS; i++)
		sum_ns(r->out, keys[i].key, list, keys[i].name);
	real(r->out, "busy_of_span_ratio", t, "busy_of_span_ratio");
	ns(r->out, "host_busy_ns", t, "host_busy_duration");
	ns(r->out, "wrapper_exclusive_sum_ns", t,
	    "wrapper_exclusive_duration");
	tp_out_end(r->out);
	cJSON_ArrayForEach(d, list) {
		tp_out_begin(r->out, "timeline.device");
		text(r->out, "device_name", d, "name");
		for (int i = 0; i < KEYS; i++)
			ns(r->out, keys[i].key, d, keys[i].name);
		ns(r->out, "idle_ns", d, "idle_duration");
		tp_out_end(r->out);
	}
}

static const char *
basis_of(const struct cJSON *breakdown)
{
	const char *basis = tp_json_text(breakdown, "duration_basis");

	return !basis || !strcmp(basis, "exclusive_duration_per_track") ?
	    "per-track" : !strcmp(basis,
	    "exclusive_duration_global_timeline") ? "global" :
	    !strcmp(basis, "exclusive_duration_device_union") ? "device" :
	    "other";
}

static void
breakdown(const struct rows *r, const char *kind)
{
	const struct cJSON *b = tp_json_get(r->doc, "time_breakdown");
	char key[64];

	tp_out_begin(r->out, kind);
	tp_out_text(r->out, "basis", basis_of(b));
	ns(r->out, "accounted_ns", b, "total_duration");
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		snprintf(key, sizeof key, "%s_ns", parts[i]);
		ns(r->out, key, tp_json_get(b, parts[i]), "total_duration");
		snprintf(key, sizeof key, "%s_of_total_ratio", parts[i]);
		real(r->out, key, tp_json_get(b, parts[i]),
		    "share_of_total");
	}
}

/* PART of WHOLE as analyses of a trace say it. */
static void
of_total(struct tp_out *out, const char *key, double part, double all)
{
	tp_out_real(out, key, !part ? 0 : all > 0 ? part / all : 1);
}

static void
chosen(const struct rows *r)
{
	const struct cJSON *op = cJSON_GetArrayItem(tp_json_get(r->doc,
	    "hot_ops"), 0);
	const struct cJSON *gap = cJSON_GetArrayItem(tp_json_get(r->doc,
	    "gap_before_ops"), 0);
	const struct cJSON *steady = tp_json_get(tp_json_get(r->doc,
	    "step_time"), "steady_state_steps");
	double total = 0, x = 0, median;

	tp_json_number(tp_json_get(r->doc, "time_breakdown"),
	    "total_duration", &total);
	breakdown(r, "timeline.chosen");
	text(r->out, "top_op", op, "name");
	ns(r->out, "top_op_exclusive_ns", op, "exclusive_duration");
	tp_json_number(op, "exclusive_duration", &x);
	of_total(r->out, "top_op_of_total_factor", x, total);
	text(r->out, "top_gap_op", gap, "name");
	count(r->out, "top_gap_count", gap, "count");
	x = 0;
	tp_json_number(gap, "total_gap_duration", &x);
	ns(r->out, "top_gap_total_ns", gap, "total_gap_duration");
	ns(r->out, "top_gap_max_ns", gap, "max_gap_duration");
	of_total(r->out, "top_gap_of_total_factor", x, total);
	count(r->out, "steady_count", steady, "count");
	if (tp_json_number(steady, "median", &median) && median > 0 &&
	    tp_json_number(steady, "p90", &x))
		tp_out_real(r->out, "wall_p90_of_median_factor", x / median);
	tp_out_end(r->out);
}

static void
spread(struct tp_out *out, const struct cJSON *s)
{
	ns(out, "wall_mean_ns", s, "mean");
	ns(out, "wall_median_ns", s, "median");
	ns(out, "wall_p90_ns", s, "p90");
	ns(out, "wall_min_ns", s, "min");
	ns(out, "wall_max_ns", s, "max");
}

static void
steps(const struct rows *r)
{
	const struct cJSON *st = tp_json_get(r->doc, "step_time"), *k;
	const struct cJSON *steady = tp_json_get(st, "steady_state_steps");
	int64_t all = 0, used = 0;
	double median, p90;

	whole(tp_json_get(st, "all_steps"), "count", &all);
	whole(steady, "count", &used);
	tp_out_begin(r->out, "step.summary");
	tp_out_text(r->out, "scope", "all");
	tp_out_text(r->out, "method", all ? "document" : "none");
	if (!all)
		tp_out_text(r->out, "reason", "no-marker");
	tp_out_int(r->out, "step_count", all);
	tp_out_int(r->out, "warmup_count", all > used ? all - used : 0);
	tp_out_int(r->out, "used_step_count", used);
	spread(r->out, steady);
	if (tp_json_number(steady, "median", &median) && median > 0 &&
	    tp_json_number(steady, "p90", &p90))
		tp_out_real(r->out, "wall_p90_of_median_factor",
		    p90 / median);
	tp_out_end(r->out);
	cJSON_ArrayForEach(k, tp_json_get(st, "classes")) {
		tp_out_begin(r->out, "step.class");
		text(r->out, "class", k, "name");
		count(r->out, "step_count", k, "count");
		real(r->out, "step_ratio", k, "fraction_of_steady");
		spread(r->out, tp_json_get(k, "duration_stats"));
		count(r->out, "typical_number", k, "representative_step");
		count(r->out, "period_steps", k, "periodicity");
		tp_out_end(r->out);
	}
}

static void
times(struct tp_out *out, const struct cJSON *row)
{
	count(out, "count", row, "count");
	ns(out, "duration_sum_ns", row, "total_duration");
	ns(out, "exclusive_ns", row, "exclusive_duration");
}

static void
ops(const struct rows *r)
{
	const struct cJSON *list = tp_json_get(r->doc, "hot_ops"), *row;
	int cut = tp_summary_is_cut(r->doc, "hot_ops");
	int64_t rank = 0;

	tp_out_begin(r->out, "op.summary");
	if (!cut) {
		tp_out_int(r->out, "op_count", cJSON_GetArraySize(list));
		sum_ns(r->out, "duration_sum_ns", list, "total_duration");
		sum_ns(r->out, "exclusive_ns", list, "exclusive_duration");
	}
	tp_out_bool(r->out, "is_cut", cut);
	tp_out_bool(r->out, "family_is_cut",
	    tp_summary_is_cut(r->doc, "semantic_families"));
	tp_out_end(r->out);
	cJSON_ArrayForEach(row, tp_json_get(r->doc, "semantic_families")) {
		tp_out_begin(r->out, "op.family");
		text(r->out, "family", row, "family");
		times(r->out, row);
		text(r->out, "example_op", row, "example_op");
		text(r->out, "shape", row, "dominant_shape_signature");
		tp_out_end(r->out);
	}
	cJSON_ArrayForEach(row, list) {
		tp_out_begin(r->out, "op");
		tp_out_int(r->out, "rank", ++rank);
		text(r->out, "name", row, "name");
		text(r->out, "canonical_name", row, "canonical_name");
		text(r->out, "category", row, "category");
		times(r->out, row);
		text(r->out, "shape", row, "shape_signature");
		text(r->out, "source_file", row, "source_file");
		text(r->out, "tf_op", row, "tf_op_path");
		tp_out_end(r->out);
	}
	cJSON_ArrayForEach(row, tp_json_get(r->doc, "communication_ops")) {
		tp_out_begin(r->out, "collective");
		text(r->out, "collective", row, "collective");
		count(r->out, "count", row, "count");
		/* the document calls its own time the total */
		ns(r->out, "exclusive_ns", row, "total_duration");
		tp_out_end(r->out);
	}
}

static void
gaps(const struct rows *r)
{
	const struct cJSON *list = tp_json_get(r->doc, "gap_before_ops");
	const struct cJSON *row;
	int cut = tp_summary_is_cut(r->doc, "gap_before_ops");
	int64_t rank = 0, n, all = 0;

	cJSON_ArrayForEach(row, list)
		if (whole(row, "count", &n) && all < INT64_MAX - n)
			all += n;
	tp_out_begin(r->out, "gap.summary");
	if (!cut) {
		tp_out_int(r->out, "gap_count", all);
		sum_ns(r->out, "gap_total_ns", list, "total_gap_duration");
	}
	tp_out_bool(r->out, "is_cut", cut);
	tp_out_end(r->out);
	cJSON_ArrayForEach(row, list) {
		tp_out_begin(r->out, "gap.op");
		tp_out_int(r->out, "rank", ++rank);
		text(r->out, "name", row, "name");
		text(r->out, "marker", row, "marker_op");
		count(r->out, "count", row, "count");
		ns(r->out, "gap_total_ns", row, "total_gap_duration");
		ns(r->out, "gap_max_ns", row, "max_gap_duration");
		tp_out_end(r->out);
	}
	cJSON_ArrayForEach(row, tp_json_get(r->doc, "gap_region_contexts")) {
		tp_out_begin(r->out, "gap.region");
		text(r->out, "name", row, "op_name");
		text(r->out, "region", row, "region_path");
		count(r->out, "count", row, "count");
		ns(r->out, "gap_total_ns", row, "total_gap_duration");
		tp_out_end(r->out);
	}
}

static void
regions(const struct rows *r)
{
	const struct cJSON *list = tp_json_get(r->doc, "hierarchical_regions");
	const struct cJSON *row;
	int64_t rank = 0;

	tp_out_begin(r->out, "region.summary");
	real(r->out, "named_ratio", tp_json_get(r->doc, "tracepipe"),
	    "named_region_ratio");
	tp_out_bool(r->out, "is_cut",
	    tp_summary_is_cut(r->doc, "hierarchical_regions"));
	tp_out_end(r->out);
	cJSON_ArrayForEach(row, list) {
		tp_out_begin(r->out, "region");
		tp_out_int(r->out, "rank", ++rank);
		text(r->out, "region", row, "path");
		count(r->out, "depth", row, "depth");
		count(r->out, "count", row, "count");
		ns(r->out, "inclusive_ns", row, "inclusive_duration");
		ns(r->out, "exclusive_ns", row, "exclusive_duration");
		tp_out_end(r->out);
	}
	cJSON_ArrayForEach(row, tp_json_get(r->doc,
	    "device_op_region_aggregates")) {
		tp_out_begin(r->out, "region.op");
		text(r->out, "region", row, "region_path");
		text(r->out, "name", row, "op_name");
		times(r->out, row);
		tp_out_end(r->out);
	}
}

int
tp_summary_records(const struct cJSON *doc, struct tp_out *out,
    struct tp_err *err)
{
	const struct rows r = { doc, out };

	origin(&r);
	trace(&r);
	devices(&r);
	chosen(&r);
	breakdown(&r, "timeline.basis");
	tp_out_end(out);
	steps(&r);
	ops(&r);
	gaps(&r);
	regions(&r);
	return out->buf.failed ? tp_fail_memory(err) : 0;
}
