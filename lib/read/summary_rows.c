/* summary_rows - lists of a profile_summary.v1 document as records */
#include <cjson/cJSON.h>
#include <string.h>

#include "summary_private.h"

static void
put_sum_ns(struct tp_out *out, const char *key, const struct cJSON *list,
    const char *name)
{
	int64_t sum;

	if (tp_summary_sum_ns(list, name, &sum))
		tp_out_int(out, key, sum);
}

static void
put_times(struct tp_out *out, const struct cJSON *row)
{
	tp_summary_put_count(out, "count", row, "count");
	tp_summary_put_ns(out, "duration_sum_ns", row, "total_duration");
	tp_summary_put_ns(out, "mean_ns", row, "avg_duration");
	tp_summary_put_ns(out, "exclusive_ns", row, "exclusive_duration");
}

/* Number of rows of LIST that have a text NAME. */
static int64_t
named(const struct cJSON *list, const char *name)
{
	const struct cJSON *row;
	int64_t n = 0;

	cJSON_ArrayForEach(row, list)
		n += tp_json_text(row, name) != NULL;
	return n;
}

/* Totals that shares of exclusive time refer to. */
struct bases {
	int64_t ops, total;	/* all operations; the attributed part */
	int has_ops, has_total;
};

/* A truncated list does not give the total of all operations. */
static struct bases
bases_of(const struct cJSON *doc)
{
	struct bases b = { 0 };

	b.has_ops = !tp_summary_is_cut(doc, "hot_ops") &&
	    tp_summary_sum_ns(tp_json_get(doc, "hot_ops"), "exclusive_duration",
	    &b.ops);
	b.has_total = tp_summary_ns(tp_json_get(doc, "time_breakdown"),
	    "total_duration", &b.total);
	return b;
}

static void
put_shares(struct tp_out *out, const struct bases *b,
    const struct cJSON *row)
{
	int64_t own;

	if (!tp_summary_ns(row, "exclusive_duration", &own))
		return;
	if (b->has_ops)
		tp_out_ratio(out, "exclusive_ratio", own, b->ops);
	if (b->has_total)
		tp_out_ratio(out, "exclusive_of_total_factor", own, b->total);
}

static void
op_summary(const struct cJSON *doc, struct tp_out *out)
{
	const struct cJSON *list = tp_json_get(doc, "hot_ops");
	int cut = tp_summary_is_cut(doc, "hot_ops");

	tp_out_begin(out, "op.summary");
	if (!cut) {
		tp_out_int(out, "op_count", named(list, "name"));
		put_sum_ns(out, "duration_sum_ns", list, "total_duration");
		put_sum_ns(out, "exclusive_ns", list, "exclusive_duration");
	}
	tp_out_bool(out, "is_cut", cut);
	tp_out_bool(out, "family_is_cut",
	    tp_summary_is_cut(doc, "semantic_families"));
	tp_out_end(out);
}

static void
ops(const struct cJSON *doc, struct tp_out *out)
{
	const struct bases bases = bases_of(doc);
	const struct cJSON *row;
	int64_t rank = 0;

	cJSON_ArrayForEach(row, tp_json_get(doc, "hot_ops")) {
		if (!tp_json_text(row, "name"))
			continue;
		tp_out_begin(out, "op");
		tp_out_int(out, "rank", ++rank);
		tp_summary_put_text(out, "name", row, "name");
		tp_summary_put_text(out, "canonical_name", row,
		    "canonical_name");
		tp_summary_put_text(out, "category", row, "category");
		put_times(out, row);
		put_shares(out, &bases, row);
		tp_summary_put_text(out, "shape", row, "shape_signature");
		tp_summary_put_text(out, "source_file", row, "source_file");
		tp_summary_put_text(out, "tf_op", row, "tf_op_path");
		tp_out_end(out);
	}
}

static void
families(const struct cJSON *doc, struct tp_out *out)
{
	const struct bases bases = bases_of(doc);
	const struct cJSON *row;

	cJSON_ArrayForEach(row, tp_json_get(doc, "semantic_families")) {
		if (!tp_json_text(row, "family"))
			continue;
		tp_out_begin(out, "op.family");
		tp_summary_put_text(out, "family", row, "family");
		put_times(out, row);
		put_shares(out, &bases, row);
		tp_summary_put_text(out, "example_op", row, "example_op");
		tp_summary_put_text(out, "shape", row,
		    "dominant_shape_signature");
		tp_out_end(out);
	}
}

static void
collectives(const struct cJSON *doc, struct tp_out *out)
{
	const struct bases bases = bases_of(doc);
	const struct cJSON *row;
	int64_t own;

	cJSON_ArrayForEach(row, tp_json_get(doc, "communication_ops")) {
		if (!tp_json_text(row, "collective"))
			continue;
		tp_out_begin(out, "collective");
		tp_summary_put_text(out, "collective", row, "collective");
		tp_summary_put_count(out, "count", row, "count");
		/* the document calls own time "total" */
		if (tp_summary_ns(row, "total_duration", &own)) {
			tp_out_int(out, "exclusive_ns", own);
			if (bases.has_ops)
				tp_out_ratio(out, "exclusive_ratio", own,
				    bases.ops);
		}
		tp_out_end(out);
	}
}

static void
gap_summary(const struct cJSON *doc, struct tp_out *out)
{
	const struct cJSON *list = tp_json_get(doc, "gap_before_ops"), *row;
	int cut = tp_summary_is_cut(doc, "gap_before_ops");
	int64_t n, all = 0, longest = 0;
	int counted = 1, timed = 1;

	cJSON_ArrayForEach(row, list) {
		counted &= tp_summary_count(row, "count", &n) && n >= 0 &&
		    n <= INT64_MAX - all;
		all += counted ? n : 0;
		timed &= tp_summary_ns(row, "max_gap_duration", &n);
		if (timed && longest < n)
			longest = n;
	}
	tp_out_begin(out, "gap.summary");
	if (!cut) {
		tp_out_int(out, "op_count", named(list, "payload_op"));
		if (counted)
			tp_out_int(out, "gap_count", all);
		put_sum_ns(out, "gap_total_ns", list, "total_gap_duration");
		if (timed)
			tp_out_int(out, "gap_max_ns", longest);
	}
	tp_out_bool(out, "is_cut", cut);
	tp_out_end(out);
}

static void
put_gap(struct tp_out *out, const struct cJSON *row)
{
	tp_summary_put_count(out, "count", row, "count");
	tp_summary_put_ns(out, "gap_total_ns", row, "total_gap_duration");
	tp_summary_put_ns(out, "gap_max_ns", row, "max_gap_duration");
}

static void
gaps(const struct cJSON *doc, struct tp_out *out)
{
	const struct cJSON *row;
	const char *name, *marker;
	int64_t rank = 0;

	cJSON_ArrayForEach(row, tp_json_get(doc, "gap_before_ops")) {
		name = tp_json_text(row, "payload_op");
		marker = tp_json_text(row, "marker_op");
		if (!name)
			continue;
		tp_out_begin(out, "gap.op");
		tp_out_int(out, "rank", ++rank);
		tp_out_text(out, "name", name);
		if (marker && strcmp(name, marker))
			tp_out_text(out, "marker", marker);
		put_gap(out, row);
		tp_out_end(out);
	}
	cJSON_ArrayForEach(row, tp_json_get(doc, "gap_region_contexts")) {
		if (!tp_json_text(row, "op_name"))
			continue;
		tp_out_begin(out, "gap.region");
		tp_summary_put_text(out, "name", row, "op_name");
		tp_summary_put_text(out, "region", row, "region_path");
		put_gap(out, row);
		tp_out_end(out);
	}
}

static void
regions(const struct cJSON *doc, struct tp_out *out)
{
	const struct cJSON *row;
	int64_t rank = 0;

	tp_out_begin(out, "region.summary");
	tp_summary_put_real(out, "named_ratio", tp_json_get(doc, "tracepipe"),
	    "named_region_ratio");
	tp_out_bool(out, "is_cut",
	    tp_summary_is_cut(doc, "hierarchical_regions"));
	tp_out_end(out);
	cJSON_ArrayForEach(row, tp_json_get(doc, "hierarchical_regions")) {
		if (!tp_json_text(row, "path"))
			continue;
		tp_out_begin(out, "region");
		tp_out_int(out, "rank", ++rank);
		tp_summary_put_text(out, "region", row, "path");
		tp_summary_put_count(out, "depth", row, "depth");
		tp_summary_put_count(out, "count", row, "count");
		tp_summary_put_ns(out, "inclusive_ns", row,
		    "inclusive_duration");
		tp_summary_put_ns(out, "exclusive_ns", row,
		    "exclusive_duration");
		tp_out_end(out);
	}
}

static void
region_ops(const struct cJSON *doc, struct tp_out *out)
{
	const struct cJSON *row;

	cJSON_ArrayForEach(row, tp_json_get(doc,
	    "device_op_region_aggregates")) {
		if (!tp_json_text(row, "region_path") ||
		    !tp_json_text(row, "op_name"))
			continue;
		tp_out_begin(out, "region.op");
		tp_summary_put_text(out, "region", row, "region_path");
		tp_summary_put_text(out, "name", row, "op_name");
		tp_summary_put_count(out, "count", row, "count");
		tp_summary_put_ns(out, "duration_sum_ns", row,
		    "total_duration");
		tp_summary_put_ns(out, "exclusive_ns", row,
		    "exclusive_duration");
		tp_out_end(out);
	}
}

void
tp_summary_rows(const struct cJSON *doc, struct tp_out *out)
{
	op_summary(doc, out);
	ops(doc, out);
	families(doc, out);
	collectives(doc, out);
	gap_summary(doc, out);
	gaps(doc, out);
	regions(doc, out);
	region_ops(doc, out);
}
