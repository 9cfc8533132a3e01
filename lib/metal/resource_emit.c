/* resource_emit - the records of the analysis of Metal resources */
#include <string.h>

#include <tp/alloc.h>
#include <tp/metal/resource.h>
#include <tp/order.h>

static const char *const series_names[] = { "resource", "kernel" };

/* What the records of a scope need. */
struct scope {
	const struct tp_resources *res;
	const struct tp_resource_list *list;
	const struct tp_resource_limits *limits;
	const struct tp_phase_view *steps;
	const char *name, *series, *how;
	ptrdiff_t proc;			/* -1: all */
	struct tp_out *out;
};

static void
begin_resource_record(const struct scope *s, const char *kind)
{
	tp_out_begin(s->out, kind);
	tp_out_text(s->out, "scope", s->name);
	tp_out_text(s->out, "series", s->series);
	tp_out_target(s->out, &s->res->procs, s->proc,
	    strcmp(kind, "resource.summary") ? NULL : s->how);
}

static void
wide(struct tp_out *out, const char *key, tp_int128 n)
{
	tp_out_int(out, key, tp_narrow(n));
}

/* Write what is known only when some ends were seen. */
static void
ends(struct tp_resource_sums *x, const struct tp_phase_view *steps,
    struct tp_out *out)
{
	tp_stat_emit(&x->lifetime, out, "lifetime", "p50 p95 max", "_ns");
	tp_out_int(out, "lifetime_unknown_count", x->lifetime_unknown);
	wide(out, "live_peak_bytes", x->peak_bytes);
	if (x->peak_bytes) {
		tp_out_int(out, "live_peak_at_ns", x->peak_at_ns);
		tp_out_phase(out, "live_peak_", steps, x->peak_at_ns);
		tp_out_real(out, "churn_factor", (double)x->bytes /
		    (double)x->peak_bytes);
	}
	tp_out_int(out, "still_live_count", x->live);
	wide(out, "still_live_bytes", x->live_bytes);
	tp_out_int(out, "reusable_count", x->reusable);
	wide(out, "reusable_bytes", x->reusable_bytes);
	tp_out_ratio(out, "reusable_ratio", x->reusable, x->allocated);
}

static void
rates(const struct tp_resource_sums *x, struct tp_out *out)
{
	double ns = (double)x->last_ns - (double)x->first_ns;

	if (!(ns > 0))
		return;
	tp_out_real(out, "allocations_per_s", (double)x->allocated * 1e9 /
	    ns);
	tp_out_real(out, "allocated_bytes_per_s", (double)x->bytes * 1e9 /
	    ns);
}

static void
summary(const struct scope *s, struct tp_resource_sums *x)
{
	struct tp_out *out = s->out;

	begin_resource_record(s, "resource.summary");
	tp_out_int(out, "rows", x->rows.rows);
	if (x->first_ns <= x->last_ns) {
		tp_out_int(out, "first_ns", x->first_ns);
		tp_out_int(out, "last_ns", x->last_ns);
		tp_out_int(out, "span_ns", x->last_ns - x->first_ns);
	}
	tp_out_int(out, "allocation_count", x->allocated);
	tp_out_int(out, "deallocation_count", x->freed);
	tp_out_int(out, "unmatched_count", x->freed_unseen);
	tp_out_int(out, "other_event_count", x->rows.others);
	tp_out_int(out, "resource_count", x->ids);
	wide(out, "allocated_bytes", x->bytes);
	if (x->rows.vidmem_known)
		wide(out, "vidmem_bytes", x->rows.vidmem);
	if (x->rows.sysmem_known)
		wide(out, "sysmem_bytes", x->rows.sysmem);
	tp_stat_emit(&x->size, out, "size", "p50 p95 max", "_bytes");
	tp_out_int(out, "size_unknown_count", x->size_unknown);
	tp_out_int(out, "small_limit_bytes", s->limits->small_bytes);
	tp_out_int(out, "small_count", x->small);
	tp_out_ratio(out, "small_ratio", x->small, x->allocated);
	wide(out, "small_bytes", x->small_bytes);
	rates(x, out);
	if (x->ends_known)
		ends(x, s->steps, out);
	if (s->steps->count) {
		tp_out_int(out, "in_step_count", x->in_steps);
		tp_out_ratio(out, "in_step_ratio", x->in_steps,
		    x->allocated);
		wide(out, "in_step_bytes", x->in_step_bytes);
	}
	tp_out_end(out);
}

/* Write label and type of KIND; either may be unknown. */
static void
called(const struct scope *s, size_t kind)
{
	const struct tp_id *id = &s->res->kinds.ids[kind];

	if (id->a)
		tp_out_text(s->out, "label",
		    s->res->labels.names[id->a - 1].text);
	if (id->b)
		tp_out_text(s->out, "resource_type",
		    s->res->types.names[id->b - 1].text);
}

static int
is_of(const struct scope *s, const struct tp_resource_event *e)
{
	return e->state <= TP_RES_REPLACED && e->bytes >= 0 &&
	    (s->proc < 0 || e->proc == s->proc);
}

struct label {
	tp_int128 bytes;
	int64_t count, max;
	size_t kind;
};

/* Most bytes first; ties as they came. */
TP_ORDER(most_bytes, struct label, TP_DOWN(bytes) TP_UP(kind))

static void
labels(const struct scope *s, const struct tp_resource_sums *x)
{
	size_t n = s->res->kinds.count, i;
	struct label *l = tp_zalloc((n + 1) * sizeof *l);

	for (i = 0; i < n; i++)
		l[i].kind = i;
	for (i = 0; i < s->list->count; i++) {
		const struct tp_resource_event *e = &s->list->events[i];

		if (!is_of(s, e))
			continue;
		l[e->kind].count++;
		l[e->kind].bytes += e->bytes;
		TP_MOST(l[e->kind].max, e->bytes);
	}
	TP_SORT(l, n, most_bytes);
	for (i = 0; i < n && l[i].count && (int64_t)i < s->limits->top;
	    i++) {
		begin_resource_record(s, "resource.label");
		tp_out_int(s->out, "rank", (int64_t)i + 1);
		called(s, l[i].kind);
		tp_out_int(s->out, "allocation_count", l[i].count);
		wide(s->out, "allocated_bytes", l[i].bytes);
		if (x->bytes)
			tp_out_real(s->out, "allocated_ratio",
			    (double)l[i].bytes / (double)x->bytes);
		tp_out_int(s->out, "size_max_bytes", l[i].max);
		tp_out_end(s->out);
	}
	tp_free(l);
}

struct big {
	int64_t bytes, at_ns;
	size_t event;
};

/* Largest first; of equals the earliest. */
TP_ORDER(largest_first, struct big, TP_DOWN(bytes) TP_UP(at_ns) TP_UP(event))

static void
one_of_the_largest(const struct scope *s, const struct big *b, int64_t rank)
{
	const struct tp_resource_event *e = &s->list->events[b->event];
	struct scope whose = *s;

	whose.proc = e->proc;
	begin_resource_record(&whose, "resource.largest");
	tp_out_int(s->out, "rank", rank);
	called(s, e->kind);
	tp_out_int(s->out, "at_ns", e->at_ns);
	tp_out_phase(s->out, "", s->steps, e->at_ns);
	tp_out_int(s->out, "size_bytes", e->bytes);
	if (e->state == TP_RES_ALLOCATED && e->lifetime_ns >= 0)
		tp_out_int(s->out, "lifetime_ns", e->lifetime_ns);
	tp_out_end(s->out);
}

static void
largest(const struct scope *s)
{
	struct big *b = NULL;
	size_t n = 0, cap = 0, i;

	for (i = 0; i < s->list->count; i++) {
		const struct tp_resource_event *e = &s->list->events[i];

		if (!is_of(s, e))
			continue;
		TP_APPEND(b, n, cap, (struct big){ e->bytes, e->at_ns, i });
	}
	TP_SORT(b, n, largest_first);
	for (i = 0; i < n && (int64_t)i < s->limits->top; i++)
		one_of_the_largest(s, &b[i], (int64_t)i + 1);
	tp_free(b);
}

/* DETAILS: also write labels and the largest resources. */
static void
emit_scope(const struct scope *s, int details)
{
	struct tp_resource_sums x;

	tp_resource_sum(s->list, s->proc, s->limits->small_bytes, s->steps,
	    &x);
	if (x.rows.rows) {
		summary(s, &x);
		if (details) {
			labels(s, &x);
			largest(s);
		}
	}
	tp_resource_sums_release(&x);
}

/*
 * The process that allocated most bytes, unless an option or the TOC names
 * one.
 */
static ptrdiff_t
choose(const struct tp_resources *res, const struct tp_trace *trace,
    const char *process, const char **how)
{
	size_t n = res->procs.ids.count, i, k;
	int64_t *weights = tp_zalloc((n + 1) * sizeof *weights);
	const struct tp_resource_event *e;
	ptrdiff_t target;

	for (k = 0; k < TP_RESOURCE_SERIES; k++)
		for (i = 0; i < res->lists[k].count; i++) {
			e = &res->lists[k].events[i];
			if (e->proc < 0 || e->bytes < 0 ||
			    e->state > TP_RES_REPLACED)
				continue;
			weights[e->proc] = tp_narrow(
			    (tp_int128)weights[e->proc] + e->bytes);
		}
	target = tp_target_choose(&res->procs, process, &trace->toc,
	    weights, "size", how);
	tp_free(weights);
	return target;
}

void
tp_resource_emit(struct tp_resources *res, const struct tp_trace *trace,
    const char *process, const struct tp_resource_limits *limits,
    const struct tp_phase_view *steps, struct tp_out *out)
{
	struct scope all = { .res = res, .limits = limits, .steps = steps,
	    .name = "all", .proc = -1, .out = out }, one;

	one = all;
	one.name = "target";
	one.proc = choose(res, trace, process, &one.how);
	/* the driver also works for other processes */
	if (one.proc < 0 && res->lists[TP_RESOURCE].count)
		tp_target_note(&res->procs, process, &trace->toc,
		    "the resource allocations", out);
	for (size_t k = 0; k < TP_RESOURCE_SERIES; k++) {
		all.list = one.list = &res->lists[k];
		all.series = one.series = series_names[k];
		tp_resource_pair(&res->lists[k]);
		emit_scope(&all, one.proc < 0);
		if (one.proc >= 0)
			emit_scope(&one, 1);
	}
}
