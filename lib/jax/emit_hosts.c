/* emit_hosts - the hosts of a run as records */
#include "emit_jax.h"

void
tp_jax_out_host(struct tp_out *out, const struct tp_jax_trace *c,
    const char *key, size_t host)
{
	char index[64];

	snprintf(index, sizeof index, "%s_index", key);
	if (c->host_count > 1)
		tp_out_int(out, index, (int64_t)host + 1);
	if (tp_jax_is_one_of_hosts(c) && tp_jax_host_name(c, host))
		tp_out_text(out, key, tp_jax_host_name(c, host));
}

static void
emit_summary(const struct tp_jax_trace *c, struct tp_out *out)
{
	const struct tp_jax_hosts *h = &c->hosts;
	const struct tp_jax_host *s = &h->list[h->slowest];

	tp_out_begin(out, "host.summary");
	tp_out_int(out, "host_count", (int64_t)h->count);
	tp_out_int(out, "step_count", (int64_t)h->step_count);
	if (h->step_count) {
		tp_out_text(out, "basis", h->basis == TP_JAX_IN_STEP ?
		    "step" : "start-to-start");
		tp_out_real_ps(out, "skew_median_ns", h->skew.median);
		tp_out_real_ps(out, "skew_max_ns", h->skew.max);
		tp_out_real_ps(out, "own_work_skew_median_ns",
		    h->own_skew.median);
		tp_out_real_ps(out, "own_work_skew_max_ns", h->own_skew.max);
	}
	tp_out_bool(out, "is_aligned", h->is_aligned);
	if (h->start_skew.count) {
		tp_out_real_ps(out, "start_skew_median_ns",
		    h->start_skew.median);
		tp_out_real_ps(out, "start_skew_max_ns", h->start_skew.max);
	}
	if (h->step_count && s->lag_ps > 0) {
		tp_jax_out_host(out, c, "slowest_host", h->slowest);
		tp_out_int(out, "slowest_count", (int64_t)s->slowest_count);
		tp_out_ratio(out, "slowest_ratio", (int64_t)s->slowest_count,
		    (int64_t)s->step_count);
		tp_out_ps(out, "lag_ns", s->lag_ps);
		tp_out_ratio(out, "lag_of_steps_ratio", s->lag_ps,
		    s->whole_ps);
		tp_jax_late_emit(&h->late, out);
	}
	tp_out_end(out);
}

static void
emit_host(const struct tp_jax_trace *c, size_t i, struct tp_out *out)
{
	const struct tp_jax_host_time *t = &c->time.hosts[i];
	const struct tp_jax_host *h = &c->hosts.list[i];
	int64_t span = tp_jax_span(&c->time, (uint32_t)i);

	tp_out_begin(out, "host");
	tp_jax_out_host(out, c, "host", i);
	tp_out_int(out, "device_count", (int64_t)t->device_count);
	if (t->device_count) {
		tp_out_ps(out, "span_ns", span);
		tp_out_ps(out, "busy_ns", t->device_ps);
		tp_out_ratio(out, "busy_of_span_ratio", t->device_ps,
		    span * (int64_t)t->device_count);
		tp_out_ps(out, "all_idle_ns", t->all_idle_ps);
	}
	tp_out_int(out, "step_count", (int64_t)h->wall.count);
	if (h->wall.count) {
		tp_out_real_ps(out, "wall_median_ns", h->wall.median);
		tp_out_real_ps(out, "own_work_median_ns", h->own.median);
	}
	if (h->apart.count)
		tp_out_real_ps(out, "start_to_start_median_ns",
		    h->apart.median);
	if (h->step_count) {
		tp_out_int(out, "slowest_count", (int64_t)h->slowest_count);
		tp_out_ps(out, "lag_ns", h->lag_ps);
	}
	tp_out_end(out);
}

static void
emit_step(const struct tp_jax_trace *c, size_t i, struct tp_out *out)
{
	const struct tp_jax_step *step = &c->steps.list[i];
	int64_t wall, apart, own;
	size_t slowest;

	if (!tp_jax_hosts_skew(&c->hosts, &c->steps, step, &wall, &apart,
	    &own, &slowest))
		return;
	tp_out_begin(out, "host.step");
	tp_out_int(out, "number", step->number);
	tp_out_int(out, "host_count", (int64_t)step->part_count);
	tp_jax_out_host(out, c, "slowest_host", c->steps.parts[slowest].host);
	tp_out_ps(out, "skew_ns", wall);
	if (apart >= 0)
		tp_out_ps(out, "start_to_start_skew_ns", apart);
	tp_out_ps(out, "own_work_skew_ns", own);
	if (c->hosts.is_aligned)
		tp_out_ps(out, "start_skew_ns", tp_jax_hosts_start_skew(
		    &c->steps, step));
	tp_out_bool(out, "is_warmup", i < c->steps.warmup_count);
	tp_out_end(out);
}

static void
emit_part(const struct tp_jax_trace *c, size_t step, size_t at,
    struct tp_out *out)
{
	const struct tp_jax_step_part *p = &c->steps.parts[at];

	tp_out_begin(out, "step.host");
	tp_out_int(out, "number", p->number);
	tp_jax_out_host(out, c, "host", p->host);
	tp_out_ps(out, "start_ns", p->from_ps);
	tp_out_ps(out, "end_ns", p->to_ps);
	tp_out_ps(out, "wall_ns", p->to_ps - p->from_ps);
	if (p->apart_ps)
		tp_out_ps(out, "start_to_start_ns", p->apart_ps);
	if (c->hosts.parts[at].own_ps[TP_JAX_IN_STEP] >= 0)
		tp_out_ps(out, "own_work_ns",
		    c->hosts.parts[at].own_ps[TP_JAX_IN_STEP]);
	tp_out_int(out, "device_count", (int64_t)p->count);
	tp_out_bool(out, "is_warmup", step < c->steps.warmup_count);
	tp_out_end(out);
}

void
tp_jax_emit_hosts(const struct tp_jax_trace *c, struct tp_out *out)
{
	if (!c->hosts.count)
		return;
	emit_summary(c, out);
	for (size_t i = 0; i < c->hosts.count; i++)
		emit_host(c, i, out);
	for (size_t i = 0; i < c->steps.count; i++) {
		const struct tp_jax_step *s = &c->steps.list[i];

		emit_step(c, i, out);
		for (size_t j = 0; j < s->part_count; j++)
			if (c->steps.parts[s->part + j].count)
				emit_part(c, i, s->part + j, out);
	}
}
