/* summary_records - a profile_summary.v1 document as records */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "summary_private.h"

static void
origin(const struct cJSON *doc, struct tp_out *out)
{
	const struct cJSON *run = tp_json_get(doc, "run_metadata");
	struct tp_summary_origin o;
	const struct {
		const char *key, *value;
	} keys[] = {
		{ "file", (tp_summary_origin_of(doc, &o), o.source_path) },
		{ "sha256", o.sha256 }, { "run_path", o.run_path },
		{ "run_id", o.run_id }, { "artifact", o.artifact_ref },
		{ "hardware", o.hardware }, { "topology", o.mesh },
		{ "git_sha", o.git }, { "config_hash", o.config },
	};

	tp_out_begin(out, "profile.document");
	tp_summary_put_text(out, "made_at", doc, "generated_at_utc");
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (keys[i].value)
			tp_out_text(out, keys[i].key, keys[i].value);
	tp_summary_put_count(out, "device_count", run, "num_devices");
	tp_summary_put_count(out, "host_count", run, "num_hosts");
	tp_out_end(out);
}

static void
trace(const struct cJSON *doc, struct tp_out *out)
{
	const struct cJSON *o = tp_json_get(doc, "trace_overview");
	const struct cJSON *cut = tp_json_get(o, "suspected_truncation");
	const char *run = cJSON_GetStringValue(cJSON_GetArrayItem(tp_json_get(
	    tp_json_get(doc, "trace_provenance"), "run_ids"), 0));
	double from, to;

	tp_out_begin(out, "trace.summary");
	tp_summary_put_count(out, "event_count", o, "num_events_total");
	tp_summary_put_count(out, "complete_count", o, "num_complete_events");
	tp_summary_put_count(out, "named_process_count", o, "num_processes");
	tp_summary_put_count(out, "named_thread_count", o, "num_threads");
	if (tp_json_number(o, "profile_start_ts", &from) &&
	    tp_json_number(o, "profile_end_ts", &to) &&
	    fabs(to - from) <= SUMMARY_MOST)
		tp_out_int(out, "span_ns",
		    (int64_t)nearbyint((to - from) * 1000));
	if (cJSON_IsBool(cut))
		tp_out_bool(out, "is_truncated", cJSON_IsTrue(cut));
	if (run && *run)
		tp_out_text(out, "run_id", run);
	tp_out_end(out);
}

/* Basis of the times in BREAKDOWN, or NULL. */
static const char *
basis_of(const struct cJSON *breakdown)
{
	static const char *const names[][2] = {
		{ "exclusive_duration_device_union", "device" },
		{ "exclusive_duration_per_track", "per-track" },
		{ "exclusive_duration_global_timeline", "global" },
	};
	const char *text = tp_json_text(breakdown, "duration_basis");

	for (size_t i = 0; text && i < sizeof names / sizeof *names; i++)
		if (!strcmp(text, names[i][0]))
			return names[i][1];
	return NULL;
}

static void
begin_breakdown(const struct cJSON *breakdown, const char *kind,
    struct tp_out *out)
{
	static const char *const parts[] = {
		"compute", "communication", "host", "stall", "other"
	};
	const char *basis = basis_of(breakdown);
	const struct cJSON *part;
	char key[64];

	tp_out_begin(out, kind);
	if (basis)
		tp_out_text(out, "basis", basis);
	tp_summary_put_ns(out, "accounted_ns", breakdown, "total_duration");
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		part = tp_json_get(breakdown, parts[i]);
		snprintf(key, sizeof key, "%s_ns", parts[i]);
		tp_summary_put_ns(out, key, part, "total_duration");
		snprintf(key, sizeof key, "%s_of_total_ratio", parts[i]);
		tp_summary_put_real(out, key, part, "share_of_total");
	}
}

/*
 * Write NAME of TOP, the first row of LIST, divided by TOTAL, as analyses of
 * a trace do; 0 when there is no row.
 */
static void
put_of_total(struct tp_out *out, const char *key, const struct cJSON *list,
    const struct cJSON *top, const char *name, const double *total)
{
	double part = 0;

	if (total && cJSON_IsArray(list) && (!cJSON_GetArraySize(list) ||
	    tp_json_number(top, name, &part)))
		tp_out_real(out, key, !part ? 0 : *total > 0 ?
		    part / *total : 1);
}

static void
chosen(const struct cJSON *doc, struct tp_out *out)
{
	const struct cJSON *breakdown = tp_json_get(doc, "time_breakdown");
	const struct cJSON *ops = tp_json_get(doc, "hot_ops");
	const struct cJSON *gaps = tp_json_get(doc, "gap_before_ops");
	const struct cJSON *op = tp_summary_first(ops, "name");
	const struct cJSON *gap = tp_summary_first(gaps, "payload_op");
	const struct cJSON *steady = tp_json_get(tp_json_get(doc,
	    "step_time"), "steady_state_steps");
	double number, *total = tp_json_number(breakdown, "total_duration",
	    &number) ? &number : NULL;

	begin_breakdown(breakdown, "timeline.chosen", out);
	tp_summary_put_text(out, "top_op", op, "name");
	tp_summary_put_ns(out, "top_op_exclusive_ns", op, "exclusive_duration");
	put_of_total(out, "top_op_of_total_factor", ops, op,
	    "exclusive_duration", total);
	tp_summary_put_text(out, "top_gap_op", gap, "payload_op");
	tp_summary_put_count(out, "top_gap_count", gap, "count");
	tp_summary_put_ns(out, "top_gap_total_ns", gap, "total_gap_duration");
	tp_summary_put_ns(out, "top_gap_max_ns", gap, "max_gap_duration");
	put_of_total(out, "top_gap_of_total_factor", gaps, gap,
	    "total_gap_duration", total);
	tp_summary_put_count(out, "steady_count", steady, "count");
	tp_summary_put_tail(out, steady);
	tp_out_end(out);
	if (!basis_of(breakdown))
		return;
	begin_breakdown(breakdown, "timeline.basis", out);
	tp_out_end(out);
}

/* Whether TEXT is made of small letters, digits, '_' and '.'. */
static int
is_name(const char *text)
{
	return text && *text && !text[strspn(text,
	    "abcdefghijklmnopqrstuvwxyz0123456789_.")];
}

/* Write R, a record that the document keeps. */
static void
record(const struct cJSON *doc, const struct cJSON *r, struct tp_out *out)
{
	const char *kind = tp_json_text(r, "kind");
	const struct cJSON *v;

	if (!is_name(kind))
		return;
	tp_out_begin(out, kind);
	cJSON_ArrayForEach(v, r) {
		if (!is_name(v->string) || !strcmp(v->string, "kind") ||
		    !strcmp(v->string, "src"))
			continue;
		if (cJSON_IsString(v))
			tp_out_text(out, v->string, v->valuestring);
		else if (cJSON_IsBool(v))
			tp_out_bool(out, v->string, cJSON_IsTrue(v));
		else if (cJSON_IsNumber(v) && v->valuedouble ==
		    nearbyint(v->valuedouble) &&
		    fabs(v->valuedouble) <= SUMMARY_MOST)
			tp_out_int(out, v->string, (int64_t)v->valuedouble);
		else if (cJSON_IsNumber(v))
			tp_out_real(out, v->string, v->valuedouble);
	}
	tp_summary_put_cut(doc, kind, out);
	tp_out_end(out);
}

void
tp_summary_records(const struct cJSON *doc, struct tp_out *out)
{
	const struct cJSON *kept = tp_json_get(tp_json_get(doc, "tracepipe"),
	    "records"), *r;

	origin(doc, out);
	cJSON_ArrayForEach(r, kept)
		record(doc, r, out);
	if (!kept) {
		trace(doc, out);
		chosen(doc, out);
		tp_summary_steps(doc, out);
		tp_summary_emit_lists(doc, out);
	}
	tp_summary_samples(doc, out);
}
