/* summary_compare - compare two profile_summary.v1 documents */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/hash.h>
#include <tp/json.h>
#include <tp/judge/compare.h>
#include <tp/judge/summary_compare.h>
#include <tp/order.h>
#include <tp/read/summary.h>

/* A number that may be unknown. */
struct maybe {
	int has;
	double x;
};

struct pair {
	const char *name;
	const struct cJSON *row[TP_SIDES];
	struct maybe x[TP_SIDES];
};

struct pairs {
	struct pair *list;
	size_t count, cap;
	struct tp_names names;
};

static struct maybe
number(const struct cJSON *object, const char *key)
{
	struct maybe m = { 0 };

	m.has = tp_json_number(object, key, &m.x);
	return m;
}

static struct maybe
minus(struct maybe a, struct maybe b)
{
	struct maybe m = { a.has && b.has, a.x - b.x };

	return m;
}

static struct maybe
over(struct maybe a, struct maybe b)
{
	struct maybe m = { a.has && b.has && b.x > 0, 0 };

	if (m.has)
		m.x = a.x / b.x;
	return m;
}

/* Growth from B to A in percent. */
static struct maybe
percent(struct maybe a, struct maybe b)
{
	struct maybe m = { a.has && b.has && b.x > 0, 0 };

	if (m.has)
		m.x = (a.x - b.x) / b.x * 100;
	return m;
}

static void
out(struct tp_doc *j, const char *key, struct maybe m)
{
	tp_doc_float(j, key, m.has ? m.x : NAN);
}

static void
out_text(struct tp_doc *j, const char *key, const struct cJSON *object,
    const char *name)
{
	tp_doc_maybe(j, key, tp_json_text(object, name));
}

static void
out_copy(struct tp_doc *j, const char *key, const struct cJSON *value)
{
	if (value)
		tp_doc_json(j, key, value);
	else
		tp_doc_null(j, key);
}

static void
pairs_release(struct pairs *p)
{
	tp_free(p->list);
	tp_names_release(&p->names);
}

/*
 * Match the rows of LIST in both documents by NAME.  A row missing on one
 * side counts as 0 there if that list is complete.
 */
static void
pair_up(struct pairs *p, const struct cJSON *const docs[], const char *list,
    const char *name, const char *key)
{
	const struct cJSON *row;
	const char *text;
	ptrdiff_t at;

	memset(p, 0, sizeof *p);
	for (int s = 0; s < TP_SIDES; s++)
		cJSON_ArrayForEach(row, tp_json_get(docs[s], list)) {
			if (!(text = tp_json_text(row, name)))
				continue;
			at = tp_names_add(&p->names, text, strlen(text));
			TP_ITEM(p->list, p->cap, at);
			if ((size_t)at == p->count)
				memset(&p->list[p->count++], 0,
				    sizeof *p->list);
			p->list[at].name = text;
			p->list[at].row[s] = row;
			p->list[at].x[s] = number(row, key);
		}
	for (int s = 0; s < TP_SIDES; s++) {
		if (tp_summary_is_cut(docs[s], list))
			continue;
		for (size_t i = 0; i < p->count; i++)
			if (!p->list[i].row[s])
				p->list[i].x[s].has = 1;
	}
}

static double
delta(const struct pair *p)
{
	return p->x[TP_AFTER].x - p->x[TP_BEFORE].x;
}

TP_ORDER(by_name, struct pair, TP_BY(strcmp(a->name, b->name)))

TP_ORDER(by_growth, struct pair, TP_BY(TP_CMP(delta(b), delta(a)))
    TP_BY(strcmp(a->name, b->name)))

TP_ORDER(by_decline, struct pair, TP_BY(TP_CMP(delta(a), delta(b)))
    TP_BY(strcmp(a->name, b->name)))

static void
sort(struct pairs *p, int (*order)(const void *, const void *))
{
	TP_SORT(p->list, p->count, order);
}

static void
op(struct tp_doc *j, const struct pair *p)
{
	tp_doc_object(j, NULL);
	out(j, "after", p->x[TP_AFTER]);
	out(j, "before", p->x[TP_BEFORE]);
	out(j, "delta", minus(p->x[TP_AFTER], p->x[TP_BEFORE]));
	tp_doc_text(j, "name", p->name);
	tp_doc_close(j, '}');
}

/* Write the first TOP of P in ORDER with SIGN (1 grew, -1 fell, 0 unknown). */
static void
ops(struct tp_doc *j, const char *key, struct pairs *p, int sign, size_t top,
    int (*order)(const void *, const void *))
{
	size_t n = 0;

	sort(p, order);
	tp_doc_array(j, key);
	for (size_t i = 0; i < p->count && n < top; i++) {
		const struct pair *o = &p->list[i];
		int known = o->x[TP_BEFORE].has && o->x[TP_AFTER].has;

		if (sign ? known && delta(o) * sign > 0 : !known) {
			op(j, o);
			n++;
		}
	}
	tp_doc_close(j, ']');
}

static void
family(struct tp_doc *j, const struct pair *p)
{
	const struct cJSON *b = p->row[TP_BEFORE], *a = p->row[TP_AFTER];
	struct maybe work[TP_SIDES] = { number(b, "flop_proxy_total"),
	    number(a, "flop_proxy_total") };
	struct maybe per[TP_SIDES] = { number(b, "time_per_flop_proxy"),
	    number(a, "time_per_flop_proxy") };
	struct maybe time_ratio = over(p->x[TP_AFTER], p->x[TP_BEFORE]);
	struct maybe work_ratio = over(work[TP_AFTER], work[TP_BEFORE]);

	tp_doc_object(j, NULL);
	out(j, "after_exclusive_duration", p->x[TP_AFTER]);
	out(j, "after_flop_proxy_total", work[TP_AFTER]);
	out(j, "after_time_per_flop_proxy", per[TP_AFTER]);
	out(j, "before_exclusive_duration", p->x[TP_BEFORE]);
	out(j, "before_flop_proxy_total", work[TP_BEFORE]);
	out(j, "before_time_per_flop_proxy", per[TP_BEFORE]);
	out(j, "efficiency_ratio", over(time_ratio, work_ratio));
	out_text(j, "example_after", a, "example_op");
	out_text(j, "example_before", b, "example_op");
	out(j, "exclusive_duration_delta", minus(p->x[TP_AFTER],
	    p->x[TP_BEFORE]));
	out(j, "exclusive_regression_pct", percent(p->x[TP_AFTER],
	    p->x[TP_BEFORE]));
	tp_doc_text(j, "family", p->name);
	out(j, "flop_proxy_ratio", work_ratio);
	out_text(j, "shape_signature_after", a, "dominant_shape_signature");
	out_text(j, "shape_signature_before", b, "dominant_shape_signature");
	out(j, "time_per_flop_regression_pct", percent(per[TP_AFTER],
	    per[TP_BEFORE]));
	out(j, "time_ratio", time_ratio);
	out(j, "work_ratio", work_ratio);
	tp_doc_close(j, '}');
}

static const struct cJSON *
classes(const struct cJSON *doc)
{
	return tp_json_get(tp_json_get(doc, "step_time"), "classes");
}

static void
class_list(struct tp_doc *j, const char *key, const struct cJSON *doc)
{
	const struct cJSON *k, *stats;

	tp_doc_array(j, key);
	cJSON_ArrayForEach(k, classes(doc)) {
		stats = tp_json_get(k, "duration_stats");
		tp_doc_object(j, NULL);
		out_copy(j, "count", tp_json_get(k, "count"));
		out(j, "fraction_of_steady", number(k,
		    "fraction_of_steady"));
		out(j, "median_duration", number(stats, "median"));
		out_text(j, "name", k, "name");
		out(j, "p90_duration", number(stats, "p90"));
		out_copy(j, "periodicity", tp_json_get(k, "periodicity"));
		out(j, "representative_duration", number(k,
		    "representative_duration"));
		out_copy(j, "representative_step", tp_json_get(k,
		    "representative_step"));
		tp_doc_close(j, '}');
	}
	tp_doc_close(j, ']');
}

static void
class_pairs(struct pairs *p, const struct cJSON *const docs[])
{
	const struct cJSON *times[TP_SIDES] = { tp_json_get(docs[TP_BEFORE],
	    "step_time"), tp_json_get(docs[TP_AFTER], "step_time") };

	pair_up(p, times, "classes", "name", "fraction_of_steady");
}

static void
class_delta(struct tp_doc *j, struct pairs *p)
{
	sort(p, by_name);
	tp_doc_array(j, "delta");
	for (size_t i = 0; i < p->count; i++) {
		const struct cJSON *b = p->list[i].row[TP_BEFORE];
		const struct cJSON *a = p->list[i].row[TP_AFTER];
		struct maybe before = number(tp_json_get(b,
		    "duration_stats"), "median");
		struct maybe after = number(tp_json_get(a, "duration_stats"),
		    "median");

		tp_doc_object(j, NULL);
		out_copy(j, "after_count", tp_json_get(a, "count"));
		out(j, "after_fraction", number(a, "fraction_of_steady"));
		out_copy(j, "before_count", tp_json_get(b, "count"));
		out(j, "before_fraction", number(b, "fraction_of_steady"));
		out(j, "median_after", after);
		out(j, "median_before", before);
		out(j, "median_delta", minus(after, before));
		out(j, "median_regression_pct", percent(after, before));
		tp_doc_text(j, "name", p->list[i].name);
		tp_doc_close(j, '}');
	}
	tp_doc_close(j, ']');
}

static struct maybe
steady(const struct cJSON *doc, const char *key)
{
	return number(tp_json_get(tp_json_get(doc, "step_time"),
	    "steady_state_steps"), key);
}

static void
step_time(struct tp_doc *j, const struct cJSON *const docs[])
{
	static const char *const keys[] = { "median", "p90" };
	char key[64];

	tp_doc_object(j, "step_time");
	for (int k = 0; k < 2; k++) {
		struct maybe b = steady(docs[TP_BEFORE], keys[k]);
		struct maybe a = steady(docs[TP_AFTER], keys[k]);

		snprintf(key, sizeof key, "steady_state_%s_after", keys[k]);
		out(j, key, a);
		snprintf(key, sizeof key, "steady_state_%s_before", keys[k]);
		out(j, key, b);
		snprintf(key, sizeof key, "steady_state_%s_delta", keys[k]);
		out(j, key, minus(a, b));
	}
	tp_doc_close(j, '}');
}

static struct maybe
share(const struct cJSON *doc, const char *part)
{
	return number(tp_json_get(tp_json_get(doc, "time_breakdown"),
	    part), "share_of_total");
}

static void
shares(struct tp_doc *j, const struct cJSON *const docs[])
{
	static const char *const parts[] = { "communication", "compute",
	    "host", "other", "stall" };

	tp_doc_object(j, "time_breakdown_share_delta");
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		out(j, parts[i], minus(share(docs[TP_AFTER], parts[i]),
		    share(docs[TP_BEFORE], parts[i])));
	tp_doc_close(j, '}');
}

static int
same_text(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static void
provenance(struct tp_doc *j, const struct cJSON *const docs[])
{
	struct tp_summary_origin b, a;
	const char *messages[5];
	int n = 0, same;

	tp_summary_origin_of(docs[TP_BEFORE], &b);
	tp_summary_origin_of(docs[TP_AFTER], &a);
	same = same_text(a.sha256, b.sha256);
	if (same)
		messages[n++] = "Both summaries are of the same trace: its "
		    "SHA-256 is equal.";
	if (same_text(a.source_path, b.source_path))
		messages[n++] = "Both summaries name the same source_path.";
	if (same_text(a.run_id, b.run_id))
		messages[n++] = "Both summaries name the same run_id.";
	if (same_text(a.artifact_ref, b.artifact_ref))
		messages[n++] = "Both summaries name the same artifact_ref.";
	if (!a.sha256 || !b.sha256)
		messages[n++] = "A summary does not tell the SHA-256 of its "
		    "trace.";
	tp_doc_object(j, "provenance_checks");
	tp_doc_maybe(j, "after_run_id", a.run_id);
	tp_doc_maybe(j, "after_trace_sha256", a.sha256);
	tp_doc_maybe(j, "before_run_id", b.run_id);
	tp_doc_maybe(j, "before_trace_sha256", b.sha256);
	tp_doc_array(j, "messages");
	for (int i = 0; i < n; i++)
		tp_doc_text(j, NULL, messages[i]);
	tp_doc_close(j, ']');
	tp_doc_text(j, "status", same ? "fail" : n ? "warn" : "pass");
	tp_doc_close(j, '}');
}

void
tp_summary_compare(struct tp_doc *j, const char *key,
    const struct cJSON *before, const struct cJSON *after, size_t top)
{
	const struct cJSON *const docs[] = { before, after };
	struct pairs hot = { 0 }, families = { 0 }, steps = { 0 };

	pair_up(&hot, docs, "hot_ops", "name", "exclusive_duration");
	pair_up(&families, docs, "semantic_families", "family",
	    "exclusive_duration");
	class_pairs(&steps, docs);
	tp_doc_object(j, key);
	out_text(j, "after_source", after, "source_path");
	out_text(j, "before_source", before, "source_path");
	ops(j, "improved_ops", &hot, -1, top, by_decline);
	provenance(j, docs);
	ops(j, "regressed_ops", &hot, 1, top, by_growth);
	tp_doc_array(j, "semantic_family_delta");
	sort(&families, by_name);
	for (size_t i = 0; i < families.count; i++)
		family(j, &families.list[i]);
	tp_doc_close(j, ']');
	tp_doc_object(j, "step_classes");
	class_list(j, "after", after);
	class_list(j, "before", before);
	class_delta(j, &steps);
	tp_doc_close(j, '}');
	step_time(j, docs);
	shares(j, docs);
	ops(j, "unknown_ops", &hot, 0, top, by_name);
	tp_doc_close(j, '}');
	pairs_release(&hot);
	pairs_release(&families);
	pairs_release(&steps);
}

void
tp_summary_change_of(const struct cJSON *before, const struct cJSON *after,
    struct tp_summary_change *c)
{
	struct maybe m;

	m = percent(steady(after, "median"), steady(before, "median"));
	c->has_median = m.has;
	c->median_pct = m.x;
	m = percent(steady(after, "p90"), steady(before, "p90"));
	c->has_p90 = m.has;
	c->p90_pct = m.x;
	m = minus(share(after, "communication"), share(before,
	    "communication"));
	c->has_communication = m.has;
	c->communication = m.x;
	m = minus(share(after, "stall"), share(before, "stall"));
	c->has_stall = m.has;
	c->stall = m.x;
}
