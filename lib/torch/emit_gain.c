/* emit_gain - distance of operations from their rooflines, as records */
#include <string.h>

#include "emit_torch.h"
#include "replayed.h"

static const char *const bounds[] = {
	[TP_GAIN_UNASKED] = "unknown",
	[TP_GAIN_COMMUNICATION] = "communication",
	[TP_GAIN_COPY] = "copy",
	[TP_GAIN_UNMODELLED] = "unmodelled",
	[TP_GAIN_ANOMALY] = "anomaly", [TP_GAIN_COMPUTE] = "compute",
	[TP_GAIN_MEMORY] = "memory",
};

void
tp_torch_out_gain(const struct tp_torch_out *o,
    int (*is_in)(const void *arg, uint32_t event), const void *arg,
    int64_t save_ps, int launches)
{
	int64_t gain_ps, window_ps;

	if (!o->promise || !tp_torch_promises(o->promise))
		return;
	gain_ps = tp_torch_promised_ps(o->promise, is_in, arg, save_ps > 0 ?
	    save_ps : INT64_MAX, launches, &window_ps);
	if (save_ps <= 0 && (double)gain_ps >= o->analysers->least_ratio *
	    (double)window_ps)
		return;
	tp_out_ps(o->out, "gain_ns", gain_ps);
	tp_out_ratio(o->out, "gain_ratio", gain_ps, window_ps);
}

/* The operations of a group. */
struct members {
	const struct tp_torch_out *o;
	const struct tp_torch_gains *gains;
	uint32_t group;
};

static int
is_member(const void *arg, uint32_t event)
{
	const struct members *m = arg;
	uint32_t item = m->o->work->item[event];

	return item && m->gains->items[item - 1].group == m->group;
}

/* Write what the run gains at most by G, if that may be much. */
static void
out_replayed(const struct tp_torch_out *o, const struct tp_torch_gains *gains,
    const struct tp_torch_gain_group *g)
{
	struct members m = { o, gains, g->id };

	if ((double)tp_torch_mean_ps(o, g->gain.middle_ps) >=
	    o->analysers->least_ratio * (double)o->span_ps)
		tp_torch_out_gain(o, is_member, &m, g->gain.high_ps, 0);
}

static void
out_savings(const struct tp_torch_out *o, const struct tp_torch_gain *gain,
    int64_t span)
{
	int64_t middle = tp_torch_mean_ps(o, gain->middle_ps);

	tp_out_ps(o->out, "saving_low_ns", tp_torch_mean_ps(o, gain->low_ps));
	tp_out_ps(o->out, "saving_ns", middle);
	tp_out_ps(o->out, "saving_high_ns",
	    tp_torch_mean_ps(o, gain->high_ps));
	tp_out_ratio(o->out, "saving_of_span_ratio", middle, span);
}

/*
 * Write the part left out of the estimate because candidates for fusion count
 * it.
 */
static void
out_left(const struct tp_torch_out *o, const struct tp_torch_gain_group *g)
{
	if (!g->merged_ps)
		return;
	tp_out_ps(o->out, "fusion_overlap_ns", g->merged_ps);
	tp_out_ps(o->out, "saving_left_out_ns",
	    tp_torch_mean_ps(o, g->left_ps));
}

static void
out_sums(const struct tp_torch_out *o, const struct tp_torch_gain_group *g,
    int64_t span)
{
	tp_out_int(o->out, "variant_count", (int64_t)g->variant_count);
	tp_out_int(o->out, "count", (int64_t)g->count);
	tp_out_ps(o->out, "gpu_sum_ns", g->gpu_ps);
	tp_out_ratio(o->out, "gpu_of_span_ratio",
	    tp_torch_mean_ps(o, g->gpu_ps), span);
	tp_out_ps(o->out, "host_sum_ns", g->host_ps);
}

/* Write "compute.category" or "compute.analyser". */
static void
emit_kind(const struct tp_torch_out *o, const struct tp_torch_gain_group *g,
    enum tp_torch_gain_by by, int64_t all, int64_t span)
{
	int category = by == TP_GAIN_BY_CATEGORY;

	tp_torch_out_begin(o, category ? "compute.category" :
	    "compute.analyser");
	if (category)
		tp_out_text(o->out, "category", g->first.category);
	tp_out_text(o->out, "analyser", !category ? g->first.analyser :
	    tp_torch_analyser(o->analysers, "", g->first.category));
	out_sums(o, g, span);
	tp_out_ratio(o->out, "gpu_ratio", g->gpu_ps, all);
	tp_out_int(o->out, "wait_count", (int64_t)g->wait_count);
	tp_out_ps(o->out, "wait_ns", g->wait_ps);
	tp_out_ratio(o->out, "wait_of_gpu_factor", g->wait_ps, g->gpu_ps);
	if (o->platform) {
		tp_out_ratio(o->out, "modelled_ratio", g->modelled_ps,
		    g->gpu_ps);
		tp_out_ps(o->out, "anomaly_ns", g->anomaly_ps);
		out_savings(o, &g->gain, span);
		out_left(o, g);
	}
	tp_out_end(o->out);
}

static void
emit_group(const struct tp_torch_out *o, const struct tp_torch_gains *gains,
    const struct tp_torch_gain_group *g, size_t rank, int64_t span)
{
	enum tp_torch_basis basis = g->first.basis;
	double from, to;

	tp_torch_out_begin(o, "compute.group");
	tp_out_int(o->out, "rank", (int64_t)rank);
	tp_out_text(o->out, "analyser", g->first.analyser);
	tp_out_text(o->out, "category", g->first.category);
	tp_out_text(o->out, "bound", bounds[basis]);
	tp_out_text(o->out, "kernel_library", g->first.library);
	if (g->first.pattern)
		tp_out_text(o->out, "pattern", o->categories->patterns.list[
		    g->first.pattern - 1].name);
	tp_out_text(o->out, "op", g->first.op);
	tp_torch_out_text(o, "input_dims", g->first.dims);
	out_sums(o, g, span);
	tp_out_ratio(o->out, "gpu_of_op_ratio", g->first.gpu_ps, g->gpu_ps);
	if (basis >= TP_GAIN_ANOMALY)
		tp_out_ratio(o->out, "roofline_of_gpu_factor", g->best_ps,
		    g->gpu_ps);
	if (basis > TP_GAIN_ANOMALY) {
		if (g->best_ps <= g->gpu_ps)
			tp_out_ratio(o->out, "efficiency_ratio", g->best_ps,
			    g->gpu_ps);
		tp_torch_band(o->analysers, g->first.band, &from, &to);
		tp_out_real(o->out, "band_from_ratio", from);
		tp_out_real(o->out, "band_to_ratio", to);
	}
	if (basis >= TP_GAIN_UNMODELLED && basis != TP_GAIN_ANOMALY) {
		tp_out_bool(o->out, "guessed", basis == TP_GAIN_UNMODELLED);
		out_savings(o, &g->gain, span);
		out_left(o, g);
		if (basis > TP_GAIN_ANOMALY)
			out_replayed(o, gains, g);
	}
	tp_out_end(o->out);
}

/* The same operations grouped in three ways. */
struct sides {
	struct side {
		struct tp_torch_gain_group *list;
		size_t count, variants;
		int64_t gpu_ps, gain_ps;	/* without guesses */
	} by[3];
};

static void
find_sides(struct sides *s, struct tp_torch_gains *gains)
{
	memset(s, 0, sizeof *s);
	/* the rows keep the groups by reason, the first */
	for (int i = 2; i >= 0; i--) {
		struct side *side = &s->by[i];

		side->list = tp_torch_gain_groups(gains,
		    (enum tp_torch_gain_by)i, &side->count);
		for (size_t k = 0; k < side->count; k++) {
			const struct tp_torch_gain_group *g = &side->list[k];

			side->variants += g->variant_count;
			side->gpu_ps += g->gpu_ps;
			if (i != TP_GAIN_BY_REASON ||
			    g->first.basis != TP_GAIN_UNMODELLED)
				side->gain_ps += g->gain.middle_ps;
		}
	}
}

/*
 * Write whether the analyses agree: sums of operations against the time line.
 */
static void
emit_check(const struct tp_torch_out *o, const struct tp_torch_gains *gains,
    const struct sides *s)
{
	const struct side *groups = &s->by[TP_GAIN_BY_REASON],
	    *categories = &s->by[TP_GAIN_BY_CATEGORY];
	int64_t all = categories->gpu_ps;
	const struct tp_torch_time *t = &o->file->times.linked;
	int64_t compute = tp_torch_exposed(t, TP_TORCH_COMPUTATION);
	int64_t anomaly = 0, modelled = 0;
	int64_t anomalies = 0;

	for (size_t i = 0; i < gains->count; i++) {
		const struct tp_torch_gain_item *r = &gains->items[i];

		if (r->basis == TP_GAIN_ANOMALY) {
			anomaly += r->gpu_ps;
			anomalies++;
		}
		if (r->basis > TP_GAIN_ANOMALY)
			modelled += r->gpu_ps;
	}
	tp_torch_out_begin(o, "compute.summary");
	tp_out_text(o->out, "gpu_name", tp_torch_file_gpu(o->file));
	tp_out_text(o->out, "platform_basis",
	    tp_platform_basis_name(o->basis));
	if (o->platform) {
		tp_out_text(o->out, "platform_name", o->platform->name);
		tp_out_text(o->out, "figures", o->platform->figures);
	}
	tp_out_ps(o->out, "gpu_sum_ns", all);
	tp_out_ps(o->out, "compute_ns", compute);
	tp_out_ratio(o->out, "gpu_of_compute_factor", all, compute);
	if (o->platform) {
		tp_out_ratio(o->out, "modelled_ratio", modelled, all);
		tp_out_int(o->out, "anomaly_count", anomalies);
		tp_out_ps(o->out, "anomaly_ns", anomaly);
		tp_out_ps(o->out, "category_saving_ns",
		    tp_torch_mean_ps(o, categories->gain_ps));
		tp_out_ps(o->out, "group_saving_ns",
		    tp_torch_mean_ps(o, groups->gain_ps));
	}
	tp_out_ps(o->out, "group_sum_ns", groups->gpu_ps);
	tp_out_ps(o->out, "analyser_sum_ns",
	    s->by[TP_GAIN_BY_ANALYSER].gpu_ps);
	tp_out_int(o->out, "variant_count",
	    (int64_t)s->by[TP_GAIN_BY_ANALYSER].variants);
	tp_out_end(o->out);
}

/* Write the peak rates of the platform for reference. */
static void
emit_rates(const struct tp_torch_out *o)
{
	const char *spec;

	for (size_t i = 0; o->platform && (spec =
	    tp_platform_spec(o->platform, i)); i++) {
		tp_torch_out_begin(o, "platform.rate");
		tp_out_text(o->out, "platform_name", o->platform->name);
		tp_out_text(o->out, "compute_spec", spec);
		tp_out_real(o->out, "peak_flops_per_s",
		    tp_platform_flops(o->platform, spec));
		tp_out_real(o->out, "memory_bytes_per_s",
		    o->platform->memory_bytes_per_s);
		if (o->platform->memory_bytes_per_s > 0)
			tp_out_real(o->out, "ridge_flops_per_byte",
			    tp_platform_flops(o->platform, spec) /
			    o->platform->memory_bytes_per_s);
		tp_out_end(o->out);
	}
}

static void
emit_sides(const struct tp_torch_out *o, const struct tp_torch_gains *gains,
    const struct sides *s)
{
	int64_t span = o->span_ps;
	const struct side *groups = &s->by[TP_GAIN_BY_REASON];

	for (int i = TP_GAIN_BY_CATEGORY; i <= TP_GAIN_BY_ANALYSER; i++)
		for (size_t k = 0; k < s->by[i].count; k++)
			emit_kind(o, &s->by[i].list[k],
			    (enum tp_torch_gain_by)i, s->by[i].gpu_ps, span);
	for (size_t k = 0; k < groups->count; k++)
		emit_group(o, gains, &groups->list[k], k + 1, span);
}

void
tp_torch_emit_gains(const struct tp_torch_out *o, struct tp_torch_gains *gains)
{
	struct sides s;

	if (!gains->count)
		return;
	find_sides(&s, gains);
	emit_check(o, gains, &s);
	emit_rates(o);
	emit_sides(o, gains, &s);
	for (int i = 0; i < 3; i++)
		tp_free(s.by[i].list);
}
