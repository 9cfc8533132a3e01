/* gpu_emit - the records of the GPU analysis */
#include <string.h>

#include <tp/alloc.h>
#include <tp/metal/cmdbuf.h>
#include <tp/order.h>

#include "gpu_private.h"
#include "tab.h"

/* First keys of all records of a scope. */
struct scope {
	const char *name;
	const struct tp_gpu *gpu;
	const struct tp_trace *trace;
	struct tp_gpu_part *part;
	ptrdiff_t proc;
	const char *how;
	struct tp_out *out;
};

static void
begin_gpu_record(const struct scope *s, const char *kind)
{
	tp_out_begin(s->out, kind);
	tp_out_text(s->out, "scope", s->name);
}

/* Whether the rows cover the whole trace, whose length is known. */
static int
is_whole(const struct tp_trace *trace)
{
	return trace->toc.duration_ns > 0 && trace->window.from_ns <= 0 &&
	    trace->window.to_ns >= trace->toc.duration_ns;
}

/* Write whether the program's own gaps are all of similar length. */
static void
long_gaps(struct tp_out *out, const struct tp_spread *gaps, int64_t span)
{
	tp_out_int(out, "long_gap_limit_ns", TP_GPU_LONG_GAP_NS);
	tp_out_int(out, "long_gap_count", (int64_t)gaps->count);
	tp_out_int(out, "long_gap_total_ns", tp_narrow(gaps->sum));
	tp_out_ratio(out, "long_gap_ratio", tp_narrow(gaps->sum), span);
	tp_out_real(out, "long_gap_cv_factor", tp_spread_cv(gaps));
}

static void
summary(const struct scope *s, struct tp_gpu_gaps *g)
{
	struct tp_gpu_part *p = s->part;
	struct tp_out *out = s->out;
	int64_t busy = p->all.busy_ns;
	int64_t span = p->last_ns - p->first_ns;
	int64_t sum = tp_narrow(p->all.duration_sum);

	begin_gpu_record(s, "gpu.summary");
	tp_out_target(out, &s->gpu->procs, s->proc, s->how);
	tp_out_int(out, "rows", (int64_t)p->all.rows);
	tp_out_int(out, "first_ns", p->first_ns);
	tp_out_int(out, "last_ns", p->last_ns);
	tp_out_int(out, "span_ns", span);
	tp_out_int(out, "busy_ns", busy);
	tp_out_int(out, "idle_ns", span - busy);
	tp_out_ratio(out, "busy_ratio", busy, span);
	if (is_whole(s->trace)) {
		tp_out_int(out, "trace_duration_ns",
		    s->trace->toc.duration_ns);
		tp_out_ratio(out, "busy_of_trace_ratio", busy,
		    s->trace->toc.duration_ns);
	}
	if (s->proc >= 0)
		tp_out_ratio(out, "busy_of_gpu_ratio", busy,
		    s->gpu->machine.all.busy_ns);
	tp_out_int(out, "duration_sum_ns", sum);
	tp_out_int(out, "gap_count", (int64_t)g->stat.count);
	tp_out_int(out, "gap_total_ns", tp_stat_sum(&g->stat));
	tp_stat_emit(&g->stat, out, "gap", "p50 p95 max", "_ns");
	if (g->stat.count)
		tp_out_int(out, "gap_max_at_ns", g->longest[0].from);
	if (g->long_ones.count > 1)
		long_gaps(out, &g->long_ones, span);
	tp_stat_emit(&p->duration, out, "duration",
	    "min mean p50 p95 p99 max", "_ns");
	tp_out_int(out, "short_limit_ns", s->gpu->short_limit_ns);
	tp_out_int(out, "short_count", (int64_t)p->short_count);
	tp_out_ratio(out, "short_row_ratio", (int64_t)p->short_count,
	    (int64_t)p->all.rows);
	tp_out_ratio(out, "short_time_ratio", tp_narrow(p->short_sum), sum);
	if (span)
		tp_out_real(out, "rows_per_s", (double)p->all.rows * 1e9 /
		    (double)span);
	tp_stat_emit(&p->latency, out, "start_latency", "p50 p95 max", "_ns");
	if (s->proc < 0) {
		tp_out_int(out, "process_count",
		    (int64_t)s->gpu->procs.ids.count);
		tp_out_int(out, "unattributed_count",
		    (int64_t)s->gpu->unattributed);
		tp_out_int(out, "zero_duration_count",
		    (int64_t)s->gpu->zero_durations);
	}
	tp_out_end(out);
}

static void
channels(const struct scope *s)
{
	const struct tp_names *names = &s->gpu->channels;
	const struct tp_gpu_lane *list = s->part->channels;
	struct tp_tab tab = { .count = s->part->channel_cap, .process_rank =
	    -1 };

	TP_LEAST(tab.count, names->count);
	TP_TAB_ONE(&tab, "scope", TP_TAB_TEXT, s->name);
	TP_TAB_FIELD(&tab, NULL, "channel", TP_TAB_TEXT, names->names, text);
	TP_TAB_FIELD(&tab, NULL, "rows", TP_TAB_INT, list, rows);
	TP_TAB_FIELD(&tab, NULL, "busy_ns", TP_TAB_INT, list, busy_ns);
	TP_TAB_FIELD(&tab, NULL, "duration_sum_ns", TP_TAB_INT, list,
	    duration_sum);
	tp_tab_total(&tab, "span", s->part->last_ns - s->part->first_ns);
	tp_tab_emit(&tab, "gpu.channel", "rows", s->out);
}

static void
gap_records(const struct scope *s, const struct tp_gpu_gaps *g)
{
	size_t i;

	for (i = 0; i < TP_GPU_BUCKETS && g->stat.count; i++) {
		begin_gpu_record(s, "gpu.gap_bucket");
		tp_out_text(s->out, "bucket", tp_gpu_buckets[i].name);
		tp_out_int(s->out, "gap_count", (int64_t)g->bucket_count[i]);
		tp_out_int(s->out, "gap_total_ns", g->bucket_ns[i]);
		tp_out_end(s->out);
	}
	for (i = 0; i < g->longest_count; i++) {
		begin_gpu_record(s, "gpu.gap");
		tp_out_int(s->out, "rank", (int64_t)i + 1);
		tp_out_int(s->out, "start_ns", g->longest[i].from);
		tp_out_int(s->out, "duration_ns", g->longest[i].to -
		    g->longest[i].from);
		tp_out_end(s->out);
	}
}

int64_t
tp_gpu_channel_busy(const struct tp_gpu *gpu, ptrdiff_t proc,
    const char *name)
{
	const struct tp_gpu_part *p = &gpu->parts[proc];
	ptrdiff_t i = tp_names_find(&gpu->channels, name, strlen(name));

	return i < 0 || (size_t)i >= p->channel_cap ? 0 :
	    p->channels[i].busy_ns;
}

ptrdiff_t
tp_gpu_target(struct tp_gpu *gpu, const struct tp_trace *trace,
    const char *process, const char **how)
{
	size_t n = gpu->procs.ids.count, i;
	int64_t *weights = tp_zalloc((n + 1) * sizeof *weights), any = 0;
	ptrdiff_t target;

	if (!gpu->summed)
		tp_gpu_sum(gpu);
	for (i = 0; i < n; i++)
		any |= weights[i] = tp_gpu_channel_busy(gpu, (ptrdiff_t)i,
		    "Compute");
	if (!any && !gpu->united)
		tp_gpu_unite(gpu, -1, NULL);
	for (i = 0; i < n && !any; i++)
		weights[i] = gpu->parts[i].all.busy_ns;
	target = tp_target_choose(&gpu->procs, process, &trace->toc, weights,
	    any ? "compute" : "gpu", how);
	tp_free(weights);
	/* named, but without a row that counts */
	if (target >= 0 && !gpu->parts[target].all.rows)
		target = -1;
	return target;
}

struct whose {
	const struct tp_gpu *gpu;
	ptrdiff_t target;
};

static void
out_process(void *arg, const char *key, const uint32_t *items, size_t count,
    struct tp_out *out)
{
	const struct whose *w = arg;

	(void)count;
	if (!strcmp(key, "role"))
		tp_out_text(out, key, *items == w->target ? "target" : "other");
	else
		tp_out_int(out, key, tp_gpu_channel_busy(w->gpu, *items,
		    "Compute"));
}

static void
processes(const struct tp_gpu *gpu, ptrdiff_t target, struct tp_out *out)
{
	const struct tp_id *ids = gpu->procs.ids.ids;
	struct whose whose = { gpu, target };
	struct tp_tab tab = { .count = gpu->procs.ids.count,
	    .process_rank = -1, .also = out_process, .also_arg = &whose };

	TP_TAB_FIELD(&tab, TP_TAB_FIELD(&tab, NULL, "name", TP_TAB_INT, ids,
	    a), "process", TP_TAB_TEXT, gpu->procs.names.names, text);
	TP_TAB_FIELD(&tab, NULL, "pid", TP_TAB_INT, ids, b)->absent = -1;
	TP_TAB_FIELD(&tab, NULL, "rows", TP_TAB_INT, gpu->parts, all.rows);
	TP_TAB_FIELD(&tab, NULL, "busy_ns", TP_TAB_INT, gpu->parts,
	    all.busy_ns);
	tp_tab_total(&tab, "gpu", gpu->machine.all.busy_ns);
	tp_tab_emit(&tab, "gpu.process", "rows", out);
}

/* Write the work of all other processes, and its overlap with the target's. */
static void
others(const struct tp_gpu *gpu, ptrdiff_t target, struct tp_out *out)
{
	int64_t count = 0;

	for (size_t i = 0; i < gpu->procs.ids.count; i++)
		count += (ptrdiff_t)i != target && gpu->parts[i].all.rows;
	tp_out_begin(out, "gpu.other");
	tp_out_int(out, "other_process_count", count);
	tp_out_int(out, "other_busy_ns", gpu->rest_busy_ns);
	tp_out_ratio(out, "other_busy_of_gpu_ratio", gpu->rest_busy_ns,
	    gpu->machine.all.busy_ns);
	tp_out_int(out, "overlap_ns", gpu->overlap_ns);
	tp_out_end(out);
}

static void
scope_emit(const struct scope *s, struct tp_gpu_gaps *g)
{
	s->part->gap_p50_ns = tp_stat_quantile(&g->stat, 50, 100);
	summary(s, g);
	channels(s);
	gap_records(s, g);
}

/*
 * Write all records of the machine and of TARGET; ALL is the scope of the
 * machine.
 */
static void
emit_both_scopes(struct tp_gpu *gpu, const struct scope *all,
    const char *process, ptrdiff_t target, const char *how,
    struct tp_gpu_all_gaps *gaps)
{
	struct scope s = *all;

	scope_emit(&s, &gaps->machine);
	if (target < 0) {
		tp_target_note(&gpu->procs, process, &s.trace->toc,
		    "the GPU intervals", s.out);
		processes(gpu, target, s.out);
		return;
	}
	s.name = "target";
	s.part = &gpu->parts[target];
	s.proc = target;
	s.how = how;
	scope_emit(&s, &gaps->target);
	processes(gpu, target, s.out);
	others(gpu, target, s.out);
}

int
tp_gpu_emit(struct tp_gpu *gpu, const struct tp_trace *trace,
    const char *process, struct tp_out *out, struct tp_err *err)
{
	const struct scope all = { .name = "all", .gpu = gpu, .trace = trace,
	    .part = &gpu->machine, .proc = -1, .out = out };
	struct tp_gpu_all_gaps gaps = { 0 };
	const char *how = NULL;
	ptrdiff_t target;

	tp_gpu_sum(gpu);
	if (!gpu->machine.all.rows)
		return 0;
	target = tp_gpu_target(gpu, trace, process, &how);
	if (target >= 0) {
		gaps.target.pauses = &gpu->parts[target];
		gpu->parts[target].pause_count = 0;
		gpu->parts[target].gap_under_ns = 0;
	}
	tp_gpu_unite(gpu, target, &gaps);
	emit_both_scopes(gpu, &all, process, target, how, &gaps);
	tp_gpu_gaps_release(&gaps);
	return target >= 0 && gpu->has_labels ? tp_labels_emit(&gpu->labels,
	    &gpu->procs, target, how, out, err) : 0;
}
