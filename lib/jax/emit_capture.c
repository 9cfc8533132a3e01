/* emit_capture - a JAX capture as records */
#include <stdio.h>
#include <string.h>

#include <tp/order.h>

#include "emit_jax.h"
#include "step_programs.h"

/* Write the range of the events of one host, or the longest of several. */
static void
out_span(const struct tp_tracks *t, struct tp_out *out)
{
	int64_t span = -1;

	for (size_t i = 0; i < t->host_count; i++) {
		const struct tp_tracks_axis *a = &t->axes[i];

		if (a->first_ps > a->last_ps)
			continue;
		if (t->host_count == 1) {
			tp_out_ps(out, "first_ns", a->first_ps);
			tp_out_ps(out, "last_ns", a->last_ps);
		}
		TP_MOST(span, a->last_ps - a->first_ps);
	}
	if (span >= 0)
		tp_out_ps(out, "span_ns", span);
}

/* What the host launched, when lanes of devices lack some of it. */
static void
out_missing(const struct tp_jax_launched *l, struct tp_out *out)
{
	if (!l->is_missing)
		return;
	tp_out_int(out, "launched_execution_count", (int64_t)l->count);
	tp_out_int(out, "held_execution_count", (int64_t)l->held_count);
	if (l->device_count)
		tp_out_int(out, "launched_device_count",
		    (int64_t)l->device_count);
	tp_out_int(out, "held_device_count", (int64_t)l->held_device_count);
}

static const char *
plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void
note_missing(const struct tp_jax_launched *l, struct tp_out *out)
{
	char devices[64] = "", late[96] = "";

	if (!l->is_missing)
		return;
	if (l->device_count)
		snprintf(devices, sizeof devices, " on %llu device%s",
		    (unsigned long long)l->device_count,
		    plural(l->device_count));
	if (l->late_count)
		snprintf(late, sizeof late, "; %llu were launched after the "
		    "last of these had ended",
		    (unsigned long long)l->late_count);
	tp_out_note(out, "execution.missing", 0, l->count - l->held_count,
	    "the host launched %llu executions%s; the lanes of devices hold "
	    "at most %llu, on %llu device%s%s: missing work cannot be told "
	    "from idle time", (unsigned long long)l->count, devices,
	    (unsigned long long)l->held_count,
	    (unsigned long long)l->held_device_count,
	    plural(l->held_device_count), late);
}

static void
emit_trace(const struct tp_jax_trace *c, struct tp_out *out)
{
	const struct tp_tracks *t = &c->tracks;
	const char *cut = tp_jax_trace_truncated(c);

	tp_out_begin(out, "trace.summary");
	tp_out_int(out, "event_count", (int64_t)c->event_count);
	tp_out_int(out, "complete_count", (int64_t)c->complete_count);
	tp_out_int(out, "named_process_count", (int64_t)t->named_processes);
	tp_out_int(out, "named_thread_count", (int64_t)t->named_threads);
	tp_out_int(out, "host_count", c->host_count);
	tp_out_int(out, "device_count", (int64_t)c->time.device_count);
	out_span(t, out);
	if (c->on_cpu)
		tp_out_text(out, "device_kind", "CPU");
	tp_out_bool(out, "is_truncated", cut != NULL);
	tp_out_text(out, "truncated_by", cut);
	if (c->python_count)
		tp_out_int(out, "python_function_count",
		    (int64_t)c->python_count);
	if (c->run_ids.names.count)
		tp_out_text(out, "run_id", c->run_ids.names.names[0].text);
	if (c->day_ns)
		tp_out_date(out, "recorded_at", (double)(c->day_ns /
		    1000000000));
	out_missing(&c->missing.all, out);
	tp_out_end(out);
	if (cut)
		tp_out_note(out, "trace.cut", 0, 1, !strcmp(cut,
		    TP_JAX_AT_LIMIT) ?
		    "the exporter dropped the latest events: the capture has "
		    "as many as it keeps" : "some devices end long before "
		    "others: their latest events may be missing");
	note_missing(&c->missing.all, out);
}

static void
out_parts(struct tp_out *out, const struct tp_jax_breakdown *b)
{
	char key[64];

	for (int p = 0; p < TP_JAX_PARTS; p++) {
		snprintf(key, sizeof key, "%s_ns", tp_jax_part_name(p));
		tp_out_ps(out, key, b->part_ps[p]);
		snprintf(key, sizeof key, "%s_of_total_ratio",
		    tp_jax_part_name(p));
		tp_out_ratio(out, key, b->part_ps[p], b->total_ps);
	}
}

static void
out_busy(struct tp_out *out, const struct tp_jax_breakdown *b,
    int64_t hidden_ps, int64_t copies_ps, int64_t own_ps)
{
	static const enum tp_jax_part parts[] = {
		TP_JAX_COMPUTE, TP_JAX_COMMUNICATION, TP_JAX_STALL
	};
	char key[64];

	tp_out_ps(out, "busy_ns", b->total_ps);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		const char *name = tp_jax_part_name(parts[i]);

		snprintf(key, sizeof key, "%s_ns", name);
		tp_out_ps(out, key, b->part_ps[parts[i]]);
		snprintf(key, sizeof key, "%s_of_busy_ratio", name);
		tp_out_ratio(out, key, b->part_ps[parts[i]], b->total_ps);
	}
	if (copies_ps)
		tp_out_ps(out, "copies_ns", copies_ps);
	tp_out_ps(out, "communication_hidden_ns", hidden_ps);
	tp_out_ratio(out, "communication_hidden_ratio", hidden_ps,
	    hidden_ps + b->part_ps[TP_JAX_COMMUNICATION]);
	tp_out_ps(out, "exclusive_sum_ns", own_ps);
}

/*
 * Find the devices of HOST with most and least computation: 1, or 0 when it
 * has fewer than two.
 */
static int
find_extremes(const struct tp_jax_time *t, uint32_t host,
    const struct tp_jax_device *found[2])
{
	const struct tp_jax_device *most = NULL, *least = NULL;

	for (size_t i = 0; i < t->device_count; i++) {
		const struct tp_jax_device *d = &t->devices[i];

		if (d->host != host)
			continue;
		if (!most || d->busy.part_ps[TP_JAX_COMPUTE] >
		    most->busy.part_ps[TP_JAX_COMPUTE])
			most = d;
		if (!least || d->busy.part_ps[TP_JAX_COMPUTE] <
		    least->busy.part_ps[TP_JAX_COMPUTE])
			least = d;
	}
	found[0] = most;
	found[1] = least;
	return t->hosts[host].device_count > 1;
}

/* Ratio of their computation. */
static double
unevenness(const struct tp_jax_device *const found[2])
{
	return (double)found[0]->busy.part_ps[TP_JAX_COMPUTE] /
	    ((double)found[1]->busy.part_ps[TP_JAX_COMPUTE] + 1);
}

/*
 * Within a step devices wait for each other, so busy time shows little.
 * Captures of hosts differ in length, so this is of the host whose devices
 * differ most.
 */
static void
out_extremes(struct tp_out *out, const struct tp_jax_time *t)
{
	const struct tp_jax_device *here[2], *found[2] = { NULL, NULL };

	for (uint32_t host = 0; host < t->host_count; host++)
		if (find_extremes(t, host, here) && (!found[0] ||
		    unevenness(here) > unevenness(found))) {
			found[0] = here[0];
			found[1] = here[1];
		}
	if (!found[0])
		return;
	if (t->host_count > 1)
		tp_out_int(out, "host_index", found[0]->host + 1);
	tp_out_text(out, "compute_max_device", found[0]->name);
	tp_out_ps(out, "compute_max_ns",
	    found[0]->busy.part_ps[TP_JAX_COMPUTE]);
	tp_out_text(out, "compute_min_device", found[1]->name);
	tp_out_ps(out, "compute_min_ns",
	    found[1]->busy.part_ps[TP_JAX_COMPUTE]);
	tp_out_ratio(out, "compute_max_of_min_factor",
	    found[0]->busy.part_ps[TP_JAX_COMPUTE],
	    found[1]->busy.part_ps[TP_JAX_COMPUTE]);
}

static void
emit_devices_together(const struct tp_jax_trace *c, struct tp_out *out)
{
	const struct tp_jax_time *t = &c->time;
	int64_t hidden = 0, copies = 0, own = 0;

	for (size_t i = 0; i < t->device_count; i++) {
		tp_ps_add(&hidden, t->devices[i].hidden_ps);
		tp_ps_add(&copies, t->devices[i].copies_ps);
		tp_ps_add(&own, t->devices[i].own_ps);
	}
	tp_out_begin(out, "timeline.summary");
	tp_out_int(out, "device_count", (int64_t)t->device_count);
	tp_out_ps(out, "span_ns", t->span_ps);
	out_busy(out, &t->device, hidden, copies, own);
	tp_out_ratio(out, "busy_of_span_ratio", t->device.total_ps,
	    t->device_span_ps);
	tp_out_real_ps(out, "communication_device_mean_ns",
	    (double)t->device.part_ps[TP_JAX_COMMUNICATION] /
	    (double)t->device_count);
	tp_out_ps(out, "all_idle_ns", t->all_idle_ps);
	tp_out_ratio(out, "all_idle_ratio", t->all_idle_ps, t->span_ps);
	tp_out_ps(out, "host_busy_ns", t->host_ps);
	tp_out_ps(out, "host_in_idle_ns", t->host_alone_ps);
	tp_out_ratio(out, "host_in_idle_ratio", t->host_alone_ps,
	    t->all_idle_ps);
	tp_out_ps(out, "wrapper_exclusive_sum_ns", t->wrapper_ps);
	out_extremes(out, t);
	tp_out_end(out);
}

static void
emit_devices(const struct tp_jax_trace *c, struct tp_out *out)
{
	const struct tp_jax_time *t = &c->time;

	if (!t->device_count)
		return;
	emit_devices_together(c, out);
	for (size_t i = 0; i < t->device_count; i++) {
		const struct tp_jax_device *d = &t->devices[i];
		int64_t span = tp_jax_span(t, d->host);

		tp_out_begin(out, "timeline.device");
		tp_out_text(out, "device_name", d->name ? d->name : "?");
		tp_out_int(out, "pid", d->pid);
		tp_jax_out_host(out, c, "host", d->host);
		tp_out_int(out, "count", (int64_t)d->count);
		out_busy(out, &d->busy, d->hidden_ps, d->copies_ps, d->own_ps);
		tp_out_ps(out, "idle_ns", span - d->busy.total_ps);
		tp_out_ratio(out, "busy_of_span_ratio", d->busy.total_ps,
		    span);
		tp_out_end(out);
	}
}

static void
emit_time(const struct tp_jax_trace *c, struct tp_out *out)
{
	const struct {
		const char *basis;
		const struct tp_jax_breakdown *b;
	} bases[] = {
		{ "device", &c->time.device },
		{ "per-track", &c->time.per_track },
		{ "global", &c->time.global },
	};

	emit_devices(c, out);
	tp_jax_emit_chosen(c, TP_JAX_DEVICE, out);
	for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
		if (!bases[i].b->total_ps)
			continue;
		tp_out_begin(out, "timeline.basis");
		tp_out_text(out, "basis", bases[i].basis);
		tp_out_ps(out, "accounted_ns", bases[i].b->total_ps);
		out_parts(out, bases[i].b);
		tp_out_end(out);
	}
}

void
tp_jax_emit_chosen(const struct tp_jax_trace *c, enum tp_jax_basis basis,
    struct tp_out *out)
{
	static const char *const names[] = { "device", "per-track", "global" };
	const struct tp_jax_breakdown *const bases[] = {
		&c->time.device, &c->time.per_track, &c->time.global
	};
	const struct tp_jax_breakdown *b = bases[basis];
	int64_t op = c->ops.count ? c->ops.list[0].own_ps : 0, gap = 0,
	    longest = 0;

	if (c->gaps.ops.count) {
		gap = c->gaps.ops.list[0].total_ps;
		longest = c->gaps.ops.list[0].max_ps;
	}
	tp_out_begin(out, "timeline.chosen");
	tp_out_text(out, "basis", names[basis]);
	tp_out_ps(out, "accounted_ns", b->total_ps);
	out_parts(out, b);
	if (c->ops.count) {
		out_name(out, "top_op", &c->tracks, c->ops.list[0].name);
		tp_out_ps(out, "top_op_exclusive_ns", op);
	}
	tp_out_real(out, "top_op_of_total_factor", !c->ops.count ? 0 :
	    b->total_ps ? (double)op / (double)b->total_ps : 1);
	if (c->gaps.ops.count) {
		out_name(out, "top_gap_op", &c->tracks,
		    c->gaps.ops.list[0].name);
		tp_out_int(out, "top_gap_count",
		    (int64_t)c->gaps.ops.list[0].count);
	}
	tp_out_ps(out, "top_gap_total_ns", gap);
	tp_out_ps(out, "top_gap_max_ns", longest);
	tp_out_real(out, "top_gap_of_total_factor", !gap ? 0 :
	    b->total_ps ? (double)gap / (double)b->total_ps : 1);
	tp_out_int(out, "steady_count", (int64_t)c->steps.steady.count);
	if (c->steps.steady.count && c->steps.steady.median > 0)
		tp_out_real(out, "wall_p90_of_median_factor",
		    c->steps.steady.p90 / c->steps.steady.median);
	tp_out_end(out);
}

/* Steps whose time on the devices is not known. */
static int64_t
untimed(const struct tp_jax_steps *st)
{
	int64_t count = 0;

	for (size_t i = 0; i < st->count; i++)
		count += !st->list[i].count;
	return count;
}

/* Write what the time of marked steps is of, and both of their times. */
static void
out_marked(struct tp_out *out, const struct tp_jax_steps *st)
{
	if (!st->from_host)
		return;
	tp_out_text(out, "timed_on", tp_jax_step_basis(st));
	if (st->basis == TP_JAX_BY_DEVICE && untimed(st))
		tp_out_int(out, "untimed_step_count", untimed(st));
	if (st->basis != TP_JAX_BY_HOST && st->host.count)
		tp_out_real_ps(out, "host_wall_median_ns", st->host.median);
	if (st->basis == TP_JAX_BY_HOST && st->device.count)
		tp_out_real_ps(out, "device_wall_median_ns",
		    st->device.median);
}

/* Index of the last steady step whose time is known, from 1. */
static size_t
last_used(const struct tp_jax_steps *st)
{
	size_t last = st->count;

	while (last && !st->list[last - 1].count)
		last--;
	return last;
}

static size_t
first_used(const struct tp_jax_steps *st)
{
	size_t first = st->warmup_count;

	while (first < st->count && !st->list[first].count)
		first++;
	return first + 1;
}

static void
emit_step(const struct tp_jax_trace *c, size_t i, struct tp_out *out)
{
	const struct tp_jax_steps *st = &c->steps;
	const struct tp_jax_step *p = &st->list[i];

	tp_out_begin(out, "step");
	tp_out_text(out, "scope", "all");
	tp_out_int(out, "index", (int64_t)i + 1);
	tp_out_int(out, "number", p->number);
	if (p->count) {
		tp_out_ps(out, "start_ns", p->from_ps);
		tp_out_ps(out, "end_ns", p->to_ps);
		tp_out_real_ps(out, "wall_ns", tp_jax_step_ps(p));
	}
	if (st->from_host && st->basis != TP_JAX_BY_HOST && p->host_count)
		tp_out_real_ps(out, "host_wall_ns", (double)p->host_sum_ps /
		    (double)p->host_count);
	if (st->from_host && st->basis == TP_JAX_BY_HOST && p->device_count)
		tp_out_real_ps(out, "device_wall_ns",
		    (double)p->device_sum_ps / (double)p->device_count);
	if (p->apart_ps)
		tp_out_ps(out, "start_to_start_ns", p->apart_ps);
	if (p->count)
		tp_out_int(out, "device_count", (int64_t)p->count);
	tp_out_bool(out, "is_warmup", i < st->warmup_count);
	tp_out_end(out);
}

static void
emit_step_summary(const struct tp_jax_trace *c, struct tp_out *out)
{
	const struct tp_jax_steps *st = &c->steps;
	const struct tp_step_times *s = &st->steady;

	tp_out_begin(out, "step.summary");
	tp_out_text(out, "scope", "all");
	tp_out_text(out, "method", !st->count ? "none" :
	    st->from_program ? "program" :
	    st->from_host ? "host-event" : "lane");
	if (st->from_program)
		out_name(out, "program", &c->tracks, st->program);
	if (!st->count)
		tp_out_text(out, "reason", "no-marker");
	tp_out_int(out, "step_count", (int64_t)st->count);
	if (st->cut_count)
		tp_out_int(out, "cut_step_count", (int64_t)st->cut_count);
	tp_out_int(out, "warmup_count", (int64_t)st->warmup_count);
	tp_out_int(out, "used_step_count", (int64_t)(st->basis ==
	    TP_JAX_BY_DISPATCH ? st->host.count : s->count));
	if (s->count) {
		tp_out_int(out, "first_used", (int64_t)first_used(st));
		tp_out_int(out, "last_used", (int64_t)last_used(st));
	}
	tp_step_times_put(out, s);
	if (st->apart.count)
		tp_out_real_ps(out, "start_to_start_median_ns",
		    st->apart.median);
	else if (st->all_apart.count)
		tp_out_real_ps(out, "all_start_to_start_median_ns",
		    st->all_apart.median);
	if (s->count && s->median > 0)
		tp_out_real(out, "wall_p90_of_median_factor",
		    s->p90 / s->median);
	out_marked(out, st);
	if (c->missing.step_count) {
		tp_out_int(out, "step_without_work_count",
		    (int64_t)c->missing.step_count);
		tp_out_int(out, "used_step_without_work_count",
		    (int64_t)c->missing.used_step_count);
	}
	tp_out_end(out);
}

static void
emit_steps(const struct tp_jax_trace *c, struct tp_out *out)
{
	const struct tp_jax_steps *st = &c->steps;

	emit_step_summary(c, out);
	if (c->missing.step_count)
		tp_out_note(out, "step.empty", 0, c->missing.step_count,
		    "%zu of %zu steps hold no operation of a device: missing "
		    "work cannot be told from idle time",
		    c->missing.step_count, st->count);
	for (size_t i = 0; i < st->class_count; i++) {
		tp_out_begin(out, "step.class");
		tp_step_class_put(out, st->classes, i);
		if (st->has_kinds) {
			const char *name = c->tracks.names.names[
			    st->kinds[i]].text;

			tp_out_bytes(out, "program", name,
			    tp_jax_program_len(name));
		}
		tp_out_end(out);
	}
	for (size_t i = 0; i < st->count; i++)
		emit_step(c, i, out);
}

/* Write gaps of TOTAL_PS in total, at most MAX_PS each. */
static void
out_gaps(struct tp_out *out, const struct tp_jax_trace *c, int64_t total_ps,
    int64_t max_ps)
{
	tp_out_ps(out, "gap_total_ns", total_ps);
	tp_out_ps(out, "gap_max_ns", max_ps);
	if (c->time.device_count)
		tp_out_real_ps(out, "gap_device_mean_ns", (double)total_ps /
		    (double)c->time.device_count);
}

static void
emit_gaps(const struct tp_jax_trace *c, struct tp_out *out)
{
	const struct tp_tracks *t = &c->tracks;

	tp_out_begin(out, "gap.summary");
	tp_out_int(out, "op_count", (int64_t)c->gaps.ops.count);
	tp_out_int(out, "gap_count", (int64_t)c->gaps.count);
	out_gaps(out, c, c->gaps.total_ps, c->gaps.max_ps);
	tp_out_int(out, "long_gap_limit_ns", TP_JAX_LONG_GAP_NS);
	tp_out_int(out, "long_gap_count", (int64_t)c->gaps.long_count);
	tp_out_ratio(out, "gap_of_busy_factor", c->gaps.total_ps,
	    c->time.device.total_ps);
	tp_out_end(out);
	for (size_t i = 0; i < c->gaps.ops.count; i++) {
		const struct tp_jax_gap *g = &c->gaps.ops.list[i];

		tp_out_begin(out, "gap.op");
		tp_out_int(out, "rank", (int64_t)i + 1);
		out_name(out, "name", t, g->name);
		if (g->marker != g->name)
			out_name(out, "marker", t, g->marker);
		tp_out_int(out, "count", (int64_t)g->count);
		out_gaps(out, c, g->total_ps, g->max_ps);
		tp_out_ratio(out, "gap_of_busy_factor", g->total_ps,
		    c->time.device.total_ps);
		tp_out_end(out);
	}
	for (size_t i = 0; i < c->gaps.contexts.count; i++) {
		const struct tp_jax_gap *g = &c->gaps.contexts.list[i];

		tp_out_begin(out, "gap.region");
		out_name(out, "name", t, g->name);
		out_text(out, "region", t, g->label);
		tp_out_int(out, "count", (int64_t)g->count);
		out_gaps(out, c, g->total_ps, g->max_ps);
		tp_out_end(out);
	}
}

int
tp_jax_emit(struct tp_jax_trace *c, unsigned groups, struct tp_out *out,
    struct tp_err *err)
{
	if (groups & TP_JAX_EMIT_TRACE)
		emit_trace(c, out);
	if (groups & TP_JAX_EMIT_TIME) {
		emit_time(c, out);
		if (c->on_cpu)
			tp_jax_emit_threads(c, out);
		tp_jax_emit_memory(c, out);
		tp_jax_emit_stages(c, out);
	}
	/* the CPU that would wait for a device is the device */
	if ((groups & TP_JAX_EMIT_BUDGET) && !c->on_cpu &&
	    tp_jax_emit_budget(c, out, err) < 0)
		return -1;
	if (groups & TP_JAX_EMIT_STEPS) {
		emit_steps(c, out);
		tp_jax_emit_changes(c, out);
		tp_jax_emit_hosts(c, out);
	}
	if (groups & TP_JAX_EMIT_OPS)
		tp_jax_emit_ops(c, out);
	if (groups & TP_JAX_EMIT_COMM)
		tp_jax_emit_comm(c, out);
	if (groups & TP_JAX_EMIT_GAPS)
		emit_gaps(c, out);
	if (groups & TP_JAX_EMIT_REGIONS)
		tp_jax_emit_regions(c, out);
	return 0;
}
