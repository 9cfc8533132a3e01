/* missing - work that should be on the lanes of devices and is not */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "missing.h"

static void
add_up(struct tp_jax_launched *all, const struct tp_jax_launched *l, int first)
{
	all->count += l->count;
	all->call_count += l->call_count;
	all->late_count += l->late_count;
	all->held_count += l->held_count;
	all->held_device_count += l->held_device_count;
	all->device_count = l->device_count && (first || all->device_count) ?
	    all->device_count + l->device_count : 0;
	all->is_missing = 1;
	all->is_mostly_missing = all->held_count * 2 < all->count;
}

static void
find_executions(struct tp_jax_missing *m, const struct tp_tracks *t,
    struct tp_jax *jax, const struct tp_jax_time *time)
{
	tp_jax_count_launched(m->hosts, t, jax, time);
	for (size_t i = 0; i < m->host_count; i++)
		if (m->hosts[i].is_missing)
			add_up(&m->all, &m->hosts[i], !m->all.is_missing);
}

/* A step on a device, or on a host when the host marks the steps. */
struct window {
	uint32_t host;
	int64_t pid, from_ps, to_ps;
	int64_t reach_ps;	/* latest end up to here, of this device */
	size_t step;		/* index in steps->list */
	int has_op;
};

TP_ORDER(by_start, struct window, TP_UP(host) TP_UP(pid) TP_UP(from_ps)
    TP_UP(to_ps))

struct windows {
	struct window *list;
	size_t count, cap;
};

static void
add_window(struct windows *w, const struct tp_jax_steps *st, uint32_t host,
    int64_t pid, int64_t number, int64_t from_ps, int64_t to_ps)
{
	size_t at;

	TP_SEEK(at, 0, st->count, mid, st->list[mid].number < number);
	TP_APPEND(w->list, w->count, w->cap, (struct window){ .host = host,
	    .pid = pid, .from_ps = from_ps, .to_ps = to_ps, .reach_ps = to_ps,
	    .step = at });
}

static int
is_same_device(const struct window *a, uint32_t host, int64_t pid)
{
	return a->host == host && a->pid == pid;
}

static void
list_windows(struct windows *w, const struct tp_tracks *t,
    const struct tp_jax_steps *st)
{
	for (size_t i = 0; !st->from_host && i < st->window_count; i++) {
		const struct tp_jax_step_window *one = &st->windows[i];
		const struct tp_track *k = &t->tracks[one->track];

		add_window(w, st, k->host, k->pid, one->number, one->from_ps,
		    one->to_ps);
	}
	for (size_t i = 0; st->from_host && i < st->part_count; i++) {
		const struct tp_jax_step_part *p = &st->parts[i];

		add_window(w, st, p->host, 0, p->number, p->host_span.from_ps,
		    p->host_span.to_ps);
	}
	TP_SORT(w->list, w->count, by_start);
	for (size_t i = 1; i < w->count; i++)
		if (is_same_device(&w->list[i], w->list[i - 1].host,
		    w->list[i - 1].pid))
			TP_MOST(w->list[i].reach_ps, w->list[i - 1].reach_ps);
}

/* The first window of HOST and PID, or after it, that reaches beyond AT. */
static size_t
seek(const struct windows *w, uint32_t host, int64_t pid, int64_t at)
{
	size_t low;

	TP_SEEK(low, 0, w->count, mid, w->list[mid].host < host ||
	    (w->list[mid].host == host && (w->list[mid].pid < pid ||
	    (w->list[mid].pid == pid && w->list[mid].reach_ps <= at))));
	return low;
}

/* Mark the windows in which S, an operation of their device, runs. */
static void
mark(struct windows *w, const struct tp_track *k, const struct tp_jax_event *s)
{
	size_t at = seek(w, k->host, k->pid, s->from_ps);

	for (; at < w->count && is_same_device(&w->list[at], k->host,
	    k->pid) && w->list[at].from_ps < s->to_ps; at++)
		w->list[at].has_op |= w->list[at].to_ps > s->from_ps;
}

/*
 * A host runs ahead of its devices, so the operations of a step that it
 * marks come at any time after the start of the step: only a step that none
 * follows certainly has none.
 */
static void
mark_of_host(struct windows *w, const struct tp_jax_time *time)
{
	for (size_t i = 0; i < w->count; i++) {
		const struct tp_jax_host_time *h =
		    &time->hosts[w->list[i].host];

		w->list[i].has_op = h->device_count > 0 &&
		    h->last_ps > w->list[i].from_ps;
	}
}

static void
mark_windows(struct windows *w, const struct tp_tracks *t,
    const struct tp_jax_time *time, int from_host)
{
	if (from_host)
		mark_of_host(w, time);
	for (size_t i = 0; !from_host && w->count && i < t->count; i++) {
		const struct tp_jax_event *s = &t->slices[i];
		const struct tp_track *k = &t->tracks[s->track];

		if (k->role == TP_ROLE_OPS || k->role == TP_ROLE_FLIGHT)
			mark(w, k, s);
	}
}

/* Count the steps without operations on any device. */
static void
count_steps(struct tp_jax_missing *m, const struct windows *w,
    const struct tp_jax_steps *st)
{
	unsigned char *has_op = tp_zalloc(st->count + 1);

	for (size_t i = 0; i < w->count; i++)
		has_op[w->list[i].step] |= w->list[i].has_op != 0;
	for (size_t i = 0; i < st->count; i++) {
		m->step_count += !has_op[i];
		m->used_step_count += !has_op[i] && i >= st->warmup_count;
	}
	tp_free(has_op);
}

/* Steps without operations that follow each other are one stretch. */
static void
add_steps(struct tp_jax_unrecorded *u, const struct windows *w, uint32_t host,
    int64_t pid)
{
	size_t at = seek(w, host, pid, INT64_MIN);
	int64_t from = 0;
	int inside = 0;

	for (; at < w->count && is_same_device(&w->list[at], host, pid); at++) {
		const struct window *one = &w->list[at];

		if (!one->has_op && !inside)
			from = one->from_ps;
		inside = !one->has_op;
		if (inside)
			tp_ival_add(&u->steps, from, one->to_ps);
	}
	u->is_cut |= inside;
}

/* Find the steps without operations, when some device has operations. */
static void
find_steps(struct tp_jax_missing *m, const struct tp_tracks *t,
    const struct tp_jax_time *time, const struct tp_jax_steps *st)
{
	struct windows w = { 0 };

	list_windows(&w, t, st);
	if (time->device_count) {
		mark_windows(&w, t, time, st->from_host);
		count_steps(m, &w, st);
	}
	for (size_t i = 0; i < time->device_count; i++) {
		const struct tp_jax_device *d = &time->devices[i];

		add_steps(&m->devices[i], &w, d->host, st->from_host ? 0 :
		    d->pid);
	}
	tp_free(w.list);
}

/* Find when each device may have run executions that no lane holds. */
static void
find_times(struct tp_jax_missing *m, const struct tp_tracks *t,
    const struct tp_jax_time *time)
{
	for (size_t i = 0; i < time->device_count; i++) {
		struct tp_jax_unrecorded *u = &m->devices[i];
		uint32_t host = time->devices[i].host;

		u->is_cut |= m->hosts[host].is_missing;
		if (m->hosts[host].is_mostly_missing)
			tp_ival_add(&u->executions, t->axes[host].first_ps,
			    t->axes[host].last_ps);
		tp_ival_finish(&u->executions);
		tp_ival_finish(&u->steps);
	}
}

void
tp_jax_missing_make(struct tp_jax_missing *m, const struct tp_tracks *t,
    struct tp_jax *jax, const struct tp_jax_time *time,
    const struct tp_jax_steps *st)
{
	memset(m, 0, sizeof *m);
	m->host_count = t->host_count;
	m->hosts = tp_zalloc((m->host_count + 1) * sizeof *m->hosts);
	m->devices = tp_zalloc((time->device_count + 1) * sizeof *m->devices);
	m->device_count = time->device_count;
	find_executions(m, t, jax, time);
	find_steps(m, t, time, st);
	find_times(m, t, time);
}
