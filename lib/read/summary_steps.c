/* summary_steps - the steps of a profile_summary.v1 document as records */
#include <cjson/cJSON.h>
#include <math.h>

#include "summary_private.h"

void
tp_summary_put_tail(struct tp_out *out, const struct cJSON *spread)
{
	double median, p90;

	if (tp_json_number(spread, "median", &median) && median > 0 &&
	    tp_json_number(spread, "p90", &p90))
		tp_out_real(out, "wall_p90_of_median_factor", p90 / median);
}

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

static int64_t
samples_of(const struct cJSON *doc, int64_t warmup, struct tp_out *out)
{
	const struct cJSON *steps = tp_json_get(tp_json_get(doc,
	    "tracepipe"), "steady_steps");
	const struct cJSON *wall = first_of(steps, "wall_durations");
	const struct cJSON *apart = first_of(steps, "start_to_start_durations");
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

static void
put_spread(struct tp_out *out, const struct cJSON *spread)
{
	tp_summary_put_ns(out, "wall_mean_ns", spread, "mean");
	tp_summary_put_ns(out, "wall_median_ns", spread, "median");
	tp_summary_put_ns(out, "wall_p90_ns", spread, "p90");
	tp_summary_put_ns(out, "wall_min_ns", spread, "min");
	tp_summary_put_ns(out, "wall_max_ns", spread, "max");
}

/* Write how much slower steps of CLASS are than those of LIGHT. */
static void
put_slower(struct tp_out *out, const struct cJSON *class,
    const struct cJSON *light)
{
	double fast, slow, n, extra;

	if (class == light || !tp_json_number(tp_json_get(light,
	    "duration_stats"), "median", &fast) || fast <= 0 ||
	    !tp_json_number(tp_json_get(class, "duration_stats"), "median",
	    &slow))
		return;
	tp_out_real(out, "slower_factor", slow / fast);
	if (!tp_json_number(class, "count", &n))
		return;
	extra = n * (slow - fast);
	if (fabs(extra) <= SUMMARY_MOST)
		tp_out_int(out, "extra_wall_ns",
		    (int64_t)nearbyint(extra * 1000));
}

static void
classes(const struct cJSON *list, struct tp_out *out)
{
	static const char *const names[] = {
		"typical", "light", "heavy", NULL
	};
	const struct cJSON *light = cJSON_GetArrayItem(list, 0), *row;

	cJSON_ArrayForEach(row, list) {
		if (!tp_json_text(row, "name"))
			continue;
		tp_out_begin(out, "step.class");
		tp_summary_put_listed(out, "class", row, "name", names);
		tp_summary_put_count(out, "step_count", row, "count");
		tp_summary_put_real(out, "step_ratio", row,
		    "fraction_of_steady");
		put_spread(out, tp_json_get(row, "duration_stats"));
		tp_summary_put_count(out, "typical_number", row,
		    "representative_step");
		put_slower(out, row, light);
		tp_summary_put_count(out, "period_steps", row, "periodicity");
		tp_out_end(out);
	}
}

/* The number of all steps, of the steady ones in *USED, and the others. */
static int64_t
count_steps(const struct cJSON *doc, int64_t *used, int64_t *warmup)
{
	const struct cJSON *step_time = tp_json_get(doc, "step_time");
	int64_t all = 0;

	*used = 0;
	tp_summary_count(tp_json_get(step_time, "all_steps"), "count", &all);
	tp_summary_count(tp_json_get(step_time, "steady_state_steps"), "count",
	    used);
	*warmup = all > *used ? all - *used : 0;
	return all;
}

void
tp_summary_steps(const struct cJSON *doc, struct tp_out *out)
{
	const struct cJSON *step_time = tp_json_get(doc, "step_time");
	const struct cJSON *steady = tp_json_get(step_time,
	    "steady_state_steps");
	int64_t used, warmup, all = count_steps(doc, &used, &warmup);

	tp_out_begin(out, "step.summary");
	tp_out_text(out, "scope", "all");
	tp_out_text(out, "method", all > 0 ? "document" : "none");
	if (all <= 0)
		tp_out_text(out, "reason", "no-marker");
	tp_out_int(out, "step_count", all);
	tp_out_int(out, "warmup_count", warmup);
	tp_out_int(out, "used_step_count", used);
	put_spread(out, steady);
	tp_summary_put_tail(out, steady);
	tp_out_end(out);
	classes(tp_json_get(step_time, "classes"), out);
}

void
tp_summary_samples(const struct cJSON *doc, struct tp_out *out)
{
	const struct cJSON *ours = tp_json_get(doc, "tracepipe");
	int64_t used, warmup, kept;
	double median;

	count_steps(doc, &used, &warmup);
	kept = samples_of(doc, warmup, out);
	/* ours has steps without times when they are not known */
	if (!kept && used > 0 && (!ours || tp_json_number(tp_json_get(
	    tp_json_get(doc, "step_time"), "steady_state_steps"), "median",
	    &median)))
		tp_out_note(out, "summary.no-samples", 0, 1, "the document "
		    "has only medians of its steps, not the time of each: a "
		    "comparison cannot tell a change from noise");
	else if (kept && kept < used)
		tp_out_note(out, "summary.thinned", 0, (uint64_t)(used -
		    kept), "the document keeps the times of %lld of its %lld "
		    "steps, evenly chosen from the shortest to the longest",
		    (long long)kept, (long long)used);
}
