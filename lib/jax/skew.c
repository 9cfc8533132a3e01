/* skew - whether one device of a JAX trace has more to do than the others */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>
#include <tp/text.h>

#include "emit_jax.h"
#include "skew.h"

struct own {
	int64_t work_ns, copies_ns, wait_ns;
	int computes;
};

static struct own
own_of(const struct tp_budget *b)
{
	struct own o = { 0 };

	for (size_t i = 0; i < b->count; i++) {
		const struct tp_budget_row *row = &b->rows[i];

		if (row->part <= TP_PART_LATENCY) {
			o.work_ns += row->time_ns;
			o.computes |= row->time_ns > 0;
		} else if (row->part == TP_PART_COPIES) {
			o.work_ns += row->time_ns;
			o.copies_ns += row->time_ns;
		} else if (tp_same(row->cause, TP_JAX_AWAITED)) {
			o.wait_ns += row->time_ns;
		}
	}
	return o;
}

/* Compare device AT with the others of its host. */
static struct tp_jax_skew
compare(const struct tp_jax_budgets *all, const struct tp_jax_time *time,
    size_t at)
{
	struct own own = own_of(&all->list[at]);
	struct tp_jax_skew s = { .device = at, .count = own.computes,
	    .work_ns = own.work_ns, .copies_ns = own.copies_ns,
	    .matched_count = all->peers.devices[at].count };

	for (size_t i = 0; i < all->count; i++) {
		struct own o;

		if (i == at || time->devices[i].host !=
		    time->devices[at].host || !s.count)
			continue;
		o = own_of(&all->list[i]);
		if (!o.computes)
			continue;
		s.count++;
		s.others_work_ns += o.work_ns;
		s.others_copies_ns += o.copies_ns;
		s.others_wait_ns += o.wait_ns;
	}
	if (s.count > 1) {
		int64_t n = (int64_t)s.count - 1;

		s.others_work_ns /= n;
		s.others_copies_ns /= n;
		s.others_wait_ns /= n;
	}
	return s;
}

static void
find_awaited(struct tp_jax_skew *s, const struct tp_jax_budgets *all,
    const struct tp_jax_time *time)
{
	const struct tp_budget *b = &all->list[all->main];
	int64_t most = 0;

	for (size_t i = 0; i < all->count; i++) {
		int64_t ps = 0;

		if (time->devices[i].host != time->devices[all->main].host)
			continue;
		for (size_t j = 0; j < all->peers.meeting_count; j++) {
			const struct tp_jax_meeting *m =
			    &all->peers.meetings[j];

			if (m->last == i && tp_ps_to_ns(m->end_ps) >
			    b->start_ns && tp_ps_to_ns(m->end_ps) <= b->end_ns)
				tp_ps_add(&ps, m->waited_ps);
		}
		tp_ps_add(&s->all_awaited_ps, ps);
		if (ps <= most)
			continue;
		most = s->awaited_ps = ps;
		s->awaited = i;
	}
}

/* Set SPANS to when D computed or waited for copies. */
static void
find_own(struct tp_jax_spans *spans, const struct tp_jax_device *d)
{
	struct tp_ival u = { 0 };
	const struct tp_ival *own[] = { &d->at[TP_JAX_WORK],
	    &d->at[TP_JAX_TO_DEVICE], &d->at[TP_JAX_TO_HOST],
	    &d->at[TP_JAX_ON_DEVICE], &d->at[TP_JAX_ANY_DIRECTION] };

	tp_jax_unite(&u, own, 5);
	tp_jax_spans_set(spans, &u);
	tp_ival_release(&u);
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
find_late(struct tp_jax_skew *s, const struct tp_jax_budgets *all,
    const struct tp_jax_trace *c)
{
	const struct tp_jax_device *list = c->time.devices;
	struct tp_jax_lag *lags = tp_zalloc((c->steps.count + 1) *
	    sizeof *lags);
	struct tp_jax_spans spans = { 0 };
	uint32_t host = list[s->device].host;
	size_t n = c->steps.count - c->steps.warmup_count;

	for (size_t i = 0; i < n; i++)
		lags[i].number = c->steps.list[c->steps.warmup_count +
		    i].number;
	for (size_t i = 0; i < all->count; i++) {
		if (list[i].host != host || !own_of(&all->list[i]).computes)
			continue;
		find_own(&spans, &list[i]);
		add_steps(lags, n, c, &list[i], &spans, i ==
		    s->device ? (int64_t)s->count - 1 : -1);
	}
	tp_jax_late_find(&s->late, lags, n);
	tp_jax_spans_release(&spans);
	tp_free(lags);
}

void
tp_jax_skew_find(struct tp_jax_skew *s, const struct tp_jax_budgets *all,
    const struct tp_jax_trace *c)
{
	memset(s, 0, sizeof *s);
	for (size_t i = 0; i < all->count; i++) {
		struct tp_jax_skew one = compare(all, &c->time, i);

		if (one.count > 1 && (s->count < 2 || one.work_ns -
		    one.others_work_ns > s->work_ns - s->others_work_ns))
			*s = one;
	}
	if (s->count < 2)
		return;
	find_awaited(s, all, &c->time);
	find_late(s, all, c);
}

void
tp_jax_skew_emit(const struct tp_jax_skew *s,
    const struct tp_jax_budgets *all, const struct tp_jax_trace *c,
    struct tp_out *out)
{
	const struct tp_budget *b = &all->list[s->device];
	const struct tp_jax_device *d = &c->time.devices[s->device];
	int64_t lag = s->work_ns - s->others_work_ns;

	if (s->count < 2)
		return;
	tp_out_begin(out, "device.summary");
	tp_jax_out_host(out, c, "host", d->host);
	tp_out_int(out, "device_count", (int64_t)s->count);
	tp_out_int(out, "wall_ns", b->end_ns - b->start_ns);
	tp_out_text(out, "slowest_device", d->name);
	tp_out_int(out, "slowest_work_ns", s->work_ns);
	tp_out_int(out, "others_work_mean_ns", s->others_work_ns);
	tp_out_int(out, "device_lag_ns", lag);
	tp_out_ratio(out, "device_lag_of_wall_ratio", lag,
	    b->end_ns - b->start_ns);
	tp_jax_late_emit(&s->late, out);
	if (s->copies_ns > s->others_copies_ns)
		tp_out_int(out, "copies_lag_ns", s->copies_ns -
		    s->others_copies_ns);
	tp_out_int(out, "matched_count", (int64_t)s->matched_count);
	if (s->matched_count)
		tp_out_int(out, "others_wait_mean_ns", s->others_wait_ns);
	if (s->all_awaited_ps) {
		tp_out_text(out, "awaited_device",
		    c->time.devices[s->awaited].name);
		tp_out_ratio(out, "awaited_device_ratio", s->awaited_ps,
		    s->all_awaited_ps);
	}
	tp_out_end(out);
}
