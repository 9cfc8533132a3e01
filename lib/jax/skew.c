/* skew - whether one device of a JAX trace has more to do than the others */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "emit_jax.h"
#include "skew.h"
#include "timeline/critical.h"

/* What a device does in the window. */
struct own {
	int64_t work_ps, copies_ps;
	int64_t wait_ps;	/* in collectives, for other devices */
	int64_t awaited_ps;	/* by the others for it, in these */
	uint64_t matched_count;	/* its collectives found on others */
	int computes;
};

struct skew {
	const struct tp_jax_trace *c;
	const struct tp_jax_timeline *jt;
	const struct tp_path *path;
	struct own *own;	/* by device; of those of the host */
	size_t device;		/* with most to do, beyond the others */
	size_t count;		/* devices that compute */
	int64_t lag_ps, others_ps, others_copies_ps, others_wait_ps;
	struct tp_jax_late late;	/* the steps with its lag */
};

/* Set SPANS to when D did what CLASSES, COUNT of them, are. */
static void
find_spans(struct tp_jax_spans *spans, const struct tp_jax_device *d,
    const enum tp_jax_use *classes, size_t count)
{
	const struct tp_ival *of[TP_JAX_UNITE_MAX];
	struct tp_ival u = { 0 };

	for (size_t i = 0; i < count; i++)
		of[i] = &d->at[classes[i]];
	tp_jax_unite(&u, of, count);
	tp_jax_spans_set(spans, &u);
	tp_ival_release(&u);
}

/* Set SPANS to when D computed or waited for copies. */
static void
find_own(struct tp_jax_spans *spans, const struct tp_jax_device *d)
{
	static const enum tp_jax_use own[] = { TP_JAX_WORK, TP_JAX_TO_DEVICE,
	    TP_JAX_TO_HOST, TP_JAX_ON_DEVICE, TP_JAX_ANY_DIRECTION };

	find_spans(spans, d, own, 5);
}

static int
is_of_host(const struct skew *s, size_t device)
{
	return s->c->time.devices[device].host == s->path->process;
}

/* Find what each device of the host does. */
static void
sum_own(struct skew *s)
{
	static const enum tp_jax_use work[] = { TP_JAX_WORK };
	struct tp_jax_spans spans = { 0 };

	for (size_t i = 0; i < s->c->time.device_count; i++) {
		const struct tp_jax_device *d = &s->c->time.devices[i];
		int64_t from = s->path->from_ps - s->jt->shifts[i];
		int64_t to = s->path->to_ps - s->jt->shifts[i];
		int64_t work_ps;

		if (!is_of_host(s, i))
			continue;
		find_spans(&spans, d, work, 1);
		work_ps = tp_jax_spans_inside(&spans, from, to);
		find_own(&spans, d);
		s->own[i].work_ps = tp_jax_spans_inside(&spans, from, to);
		s->own[i].copies_ps = s->own[i].work_ps - work_ps;
		s->own[i].computes = work_ps > 0;
	}
	tp_jax_spans_release(&spans);
}

/* Sum how long devices waited for each other in collectives. */
static void
sum_waits(struct skew *s)
{
	const struct tp_graph *g = s->path->graph;

	for (size_t i = 0; i < g->group_count; i++) {
		const struct tp_group *group = &g->groups[i];
		const struct tp_node *last = &g->nodes[group->last_node];
		struct own *awaited = &s->own[s->jt->works[group->last_node -
		    g->host_count].device];

		if (last->to_ps <= s->path->from_ps ||
		    last->to_ps > s->path->to_ps)
			continue;
		for (uint32_t k = 0; k < group->count; k++) {
			uint32_t at = g->members[group->first + k];
			struct own *own = &s->own[s->jt->works[at -
			    g->host_count].device];
			int64_t ps = last->from_ps - g->nodes[at].from_ps;

			own->matched_count++;
			tp_ps_add(&own->wait_ps, ps);
			tp_ps_add(&awaited->awaited_ps, ps);
		}
	}
}

/* Compare device AT with the others of its host. */
static void
compare(struct skew *s, size_t at)
{
	struct own sum = { 0 };
	size_t others = 0;
	int64_t n, lag;

	for (size_t i = 0; i < s->c->time.device_count; i++) {
		if (i == at || !is_of_host(s, i) || !s->own[i].computes)
			continue;
		others++;
		tp_ps_add(&sum.work_ps, s->own[i].work_ps);
		tp_ps_add(&sum.copies_ps, s->own[i].copies_ps);
		tp_ps_add(&sum.wait_ps, s->own[i].wait_ps);
	}
	n = (int64_t)others;
	if (!n)
		return;
	lag = s->own[at].work_ps - sum.work_ps / n;
	if (s->count && lag <= s->lag_ps)
		return;
	s->device = at;
	s->count = others + 1;
	s->lag_ps = lag;
	s->others_ps = sum.work_ps / n;
	s->others_copies_ps = sum.copies_ps / n;
	s->others_wait_ps = sum.wait_ps / n;
}

/* Add to the lag of step NUMBER, of N, SHARE times what SPANS have in it. */
static void
add_step(struct tp_jax_lag *lags, size_t n, int64_t number, int64_t from_ps,
    int64_t to_ps, const struct tp_jax_spans *spans, int64_t share)
{
	size_t at;

	TP_SEEK(at, 0, n, middle, lags[middle].number < number);
	if (at < n && lags[at].number == number)
		lags[at].ps += share * tp_jax_spans_inside(spans, from_ps,
		    to_ps);
}

/*
 * Add to the N LAGS, one for each steady step, SHARE times what SPANS of D
 * have in it: in its own steps, as devices that nothing holds together drift
 * apart, or in those that the host marks.
 */
static void
add_steps(struct tp_jax_lag *lags, size_t n, const struct tp_jax_trace *c,
    const struct tp_jax_device *d, const struct tp_jax_spans *spans,
    int64_t share)
{
	const struct tp_jax_steps *st = &c->steps;

	for (size_t i = 0; !st->from_host && i < st->window_count; i++) {
		const struct tp_jax_step_window *w = &st->windows[i];
		const struct tp_track *k = &c->tracks.tracks[w->track];

		if (k->host == d->host && k->pid == d->pid)
			add_step(lags, n, w->number, w->from_ps, w->to_ps,
			    spans, share);
	}
	for (size_t i = 0; st->from_host && i < st->part_count; i++) {
		const struct tp_jax_step_part *p = &st->parts[i];

		if (p->host == d->host && p->count)
			add_step(lags, n, p->number, p->from_ps, p->to_ps,
			    spans, share);
	}
}

/* Find in which steps the device with most to do lags. */
static void
find_late(struct skew *s)
{
	const struct tp_jax_trace *c = s->c;
	struct tp_jax_lag *lags = tp_zalloc((c->steps.count + 1) *
	    sizeof *lags);
	struct tp_jax_spans spans = { 0 };
	size_t n = c->steps.count - c->steps.warmup_count;

	for (size_t i = 0; i < n; i++)
		lags[i].number = c->steps.list[c->steps.warmup_count +
		    i].number;
	for (size_t i = 0; i < c->time.device_count; i++) {
		if (!is_of_host(s, i) || !s->own[i].computes)
			continue;
		find_own(&spans, &c->time.devices[i]);
		add_steps(lags, n, c, &c->time.devices[i], &spans,
		    i == s->device ? (int64_t)s->count - 1 : -1);
	}
	tp_jax_late_find(&s->late, lags, n);
	tp_jax_spans_release(&spans);
	tp_free(lags);
}

/* Write which device the others wait for most in collectives. */
static void
out_awaited(const struct skew *s, struct tp_out *out)
{
	int64_t all = 0, most = 0;
	size_t awaited = 0;

	for (size_t i = 0; i < s->c->time.device_count; i++) {
		if (!is_of_host(s, i))
			continue;
		tp_ps_add(&all, s->own[i].awaited_ps);
		if (s->own[i].awaited_ps > most) {
			most = s->own[i].awaited_ps;
			awaited = i;
		}
	}
	if (!all)
		return;
	tp_out_text(out, "awaited_device", s->c->time.devices[awaited].name);
	tp_out_ratio(out, "awaited_device_ratio", most, all);
}

static void
emit(const struct skew *s, struct tp_out *out)
{
	const struct tp_jax_device *d = &s->c->time.devices[s->device];
	const struct own *own = &s->own[s->device];
	int64_t wall_ns = tp_ps_to_ns(s->path->to_ps) -
	    tp_ps_to_ns(s->path->from_ps);
	int64_t lag_ns = tp_ps_to_ns(own->work_ps) -
	    tp_ps_to_ns(s->others_ps);

	tp_out_begin(out, "device.summary");
	tp_jax_out_host(out, s->c, "host", d->host);
	tp_out_int(out, "device_count", (int64_t)s->count);
	tp_out_int(out, "wall_ns", wall_ns);
	tp_out_text(out, "slowest_device", d->name);
	tp_out_ps(out, "slowest_work_ns", own->work_ps);
	tp_out_ps(out, "others_work_mean_ns", s->others_ps);
	tp_out_int(out, "device_lag_ns", lag_ns);
	tp_out_ratio(out, "device_lag_of_wall_ratio", lag_ns, wall_ns);
	tp_jax_late_emit(&s->late, out);
	if (own->copies_ps > s->others_copies_ps)
		tp_out_ps(out, "copies_lag_ns", own->copies_ps -
		    s->others_copies_ps);
	tp_out_int(out, "matched_count", (int64_t)own->matched_count);
	if (own->matched_count) {
		tp_out_ps(out, "others_wait_mean_ns", s->others_wait_ps);
		tp_out_ps(out, "slowest_wait_ns", own->wait_ps);
		tp_out_ratio(out, "slowest_wait_ratio",
		    tp_ps_to_ns(own->wait_ps), wall_ns);
	}
	out_awaited(s, out);
	tp_out_end(out);
}

void
tp_jax_emit_skew(const struct tp_jax_trace *c,
    const struct tp_jax_timeline *jt, const struct tp_path *path,
    struct tp_out *out)
{
	struct skew s = { .c = c, .jt = jt, .path = path };

	s.own = tp_zalloc((c->time.device_count + 1) * sizeof *s.own);
	sum_own(&s);
	sum_waits(&s);
	for (size_t i = 0; i < c->time.device_count; i++)
		if (is_of_host(&s, i) && s.own[i].computes)
			compare(&s, i);
	if (s.count > 1) {
		find_late(&s);
		emit(&s, out);
	}
	tp_free(s.own);
}
