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

void
tp_summary_put_cut(const struct cJSON *doc, const char *kind,
    struct tp_out *out)
{
	static const struct {
		const char *kind, *key, *list;
	} cuts[] = {
		{ "op.summary", "is_cut", "hot_ops" },
		{ "op.summary", "family_is_cut", "semantic_families" },
		{ "gap.summary", "is_cut", "gap_before_ops" },
		{ "region.summary", "is_cut", "hierarchical_regions" },
	};

	for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
		if (!strcmp(kind, cuts[i].kind))
			tp_out_bool(out, cuts[i].key, tp_summary_is_cut(doc,
			    cuts[i].list));
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
	tp_summary_put_cut(doc, "op.summary", out);
	tp_out_end(out);
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
	tp_summary_put_cut(doc, "gap.summary", out);
	tp_out_end(out);
}

static void
region_summary(const struct cJSON *doc, struct tp_out *out)
{
	tp_out_begin(out, "region.summary");
	tp_summary_put_cut(doc, "region.summary", out);
	tp_out_end(out);
}

/*
 * How a member becomes a value.  ALIAS: a text other than the row's name;
 * PART: a text that op.json lists; OF_OPS, OF_TOTAL: a time as a share of a
 * base.
 */
enum as { TEXT, ALIAS, PART, COUNT, NS, OF_OPS, OF_TOTAL };

/* Lists and their records, in order.  Rows without a name are passed over. */
static const struct list {
	void (*summary)(const struct cJSON *doc, struct tp_out *out);
	const char *list, *kind, *name, *also;	/* ALSO: a second name */
	int is_ranked;
	struct {
		enum as as;
		const char *key, *member;
	} keys[12];
} lists[] = {
	{ op_summary, "hot_ops", "op", "name", NULL, 1, {
		{ TEXT, "name", "name" },
		{ TEXT, "canonical_name", "canonical_name" },
		{ PART, "category", "category" },
		{ COUNT, "count", "count" },
		{ NS, "duration_sum_ns", "total_duration" },
		{ NS, "mean_ns", "avg_duration" },
		{ NS, "exclusive_ns", "exclusive_duration" },
		{ OF_OPS, "exclusive_ratio", "exclusive_duration" },
		{ OF_TOTAL, "exclusive_of_total_factor", "exclusive_duration" },
		{ TEXT, "shape", "shape_signature" },
		{ TEXT, "source_file", "source_file" },
		{ TEXT, "tf_op", "tf_op_path" } } },
	{ NULL, "semantic_families", "op.family", "family", NULL, 0, {
		{ TEXT, "family", "family" },
		{ COUNT, "count", "count" },
		{ NS, "duration_sum_ns", "total_duration" },
		{ NS, "mean_ns", "avg_duration" },
		{ NS, "exclusive_ns", "exclusive_duration" },
		{ OF_OPS, "exclusive_ratio", "exclusive_duration" },
		{ OF_TOTAL, "exclusive_of_total_factor", "exclusive_duration" },
		{ TEXT, "example_op", "example_op" },
		{ TEXT, "shape", "dominant_shape_signature" } } },
	/* the document calls own time of collectives "total" */
	{ NULL, "communication_ops", "collective", "collective", NULL, 0, {
		{ TEXT, "collective", "collective" },
		{ COUNT, "count", "count" },
		{ NS, "exclusive_ns", "total_duration" },
		{ OF_OPS, "exclusive_ratio", "total_duration" } } },
	{ gap_summary, "gap_before_ops", "gap.op", "payload_op", NULL, 1, {
		{ TEXT, "name", "payload_op" },
		{ ALIAS, "marker", "marker_op" },
		{ COUNT, "count", "count" },
		{ NS, "gap_total_ns", "total_gap_duration" },
		{ NS, "gap_max_ns", "max_gap_duration" } } },
	{ NULL, "gap_region_contexts", "gap.region", "op_name", NULL, 0, {
		{ TEXT, "name", "op_name" },
		{ TEXT, "region", "region_path" },
		{ COUNT, "count", "count" },
		{ NS, "gap_total_ns", "total_gap_duration" },
		{ NS, "gap_max_ns", "max_gap_duration" } } },
	{ region_summary, "hierarchical_regions", "region", "path", NULL, 1, {
		{ TEXT, "region", "path" },
		{ COUNT, "depth", "depth" },
		{ COUNT, "count", "count" },
		{ NS, "inclusive_ns", "inclusive_duration" },
		{ NS, "exclusive_ns", "exclusive_duration" } } },
	{ NULL, "device_op_region_aggregates", "region.op", "region_path",
	    "op_name", 0, {
		{ TEXT, "region", "region_path" },
		{ TEXT, "name", "op_name" },
		{ COUNT, "count", "count" },
		{ NS, "duration_sum_ns", "total_duration" },
		{ NS, "exclusive_ns", "exclusive_duration" } } },
};

static void
put(const struct bases *b, const struct cJSON *row, const char *name,
    enum as as, const char *key, const char *member, struct tp_out *out)
{
	static const char *const parts[] = {
		"compute", "communication", "stall", NULL
	};
	const char *text = tp_json_text(row, member);
	int64_t ns;

	if (as == TEXT || (as == ALIAS && text && strcmp(text, name)))
		tp_out_text(out, key, text);
	else if (as == PART)
		tp_summary_put_listed(out, key, row, member, parts);
	else if (as == COUNT)
		tp_summary_put_count(out, key, row, member);
	else if (as >= NS && tp_summary_ns(row, member, &ns)) {
		if (as == NS)
			tp_out_int(out, key, ns);
		else if (as == OF_OPS ? b->has_ops : b->has_total)
			tp_out_ratio(out, key, ns, as == OF_OPS ? b->ops :
			    b->total);
	}
}

static void
put_list(const struct cJSON *doc, const struct bases *b,
    const struct list *l, struct tp_out *out)
{
	const struct cJSON *row;
	const char *name;
	int64_t rank = 0;

	cJSON_ArrayForEach(row, tp_json_get(doc, l->list)) {
		name = tp_json_text(row, l->name);
		if (!name || (l->also && !tp_json_text(row, l->also)))
			continue;
		tp_out_begin(out, l->kind);
		if (l->is_ranked)
			tp_out_int(out, "rank", ++rank);
		for (size_t i = 0; i < sizeof l->keys / sizeof *l->keys &&
		    l->keys[i].key; i++)
			put(b, row, name, l->keys[i].as, l->keys[i].key,
			    l->keys[i].member, out);
		tp_out_end(out);
	}
}

void
tp_summary_emit_lists(const struct cJSON *doc, struct tp_out *out)
{
	const struct bases bases = bases_of(doc);

	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		if (lists[i].summary)
			lists[i].summary(doc, out);
		put_list(doc, &bases, &lists[i], out);
	}
}
