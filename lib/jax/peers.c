/* peers - how long devices of one host wait for each other in collectives */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "async.h"
#include "peers.h"

/* A collective on a device, or the end of one that runs beside others. */
struct visit {
	uint32_t host, name;
	uint32_t device;	/* index */
	int is_whole;		/* it began when the device came to it */
	int64_t from_ps, to_ps;
};

struct visits {
	struct visit *list;
	size_t count, cap;
};

TP_ORDER(by_collective, struct visit, TP_UP(host) TP_UP(name) TP_UP(device)
    TP_UP(to_ps) TP_UP(from_ps))

static ptrdiff_t
device_of(const struct tp_jax_time *time, const struct tp_track *k)
{
	for (size_t i = 0; i < time->device_count; i++)
		if (time->devices[i].host == k->host &&
		    time->devices[i].pid == k->pid)
			return (ptrdiff_t)i;
	return -1;
}

static int
add_lane(struct visits *v, const struct tp_tracks *t, struct tp_jax *jax,
    const struct tp_track *k, uint32_t device)
{
	for (uint32_t i = 0; i < k->count; i++) {
		const struct tp_jax_event *s = &t->slices[t->order[k->first +
		    i]];
		enum tp_jax_half half;

		if (tp_jax_class_of(jax, t, s) != TP_JAX_COLLECTIVE ||
		    (half = tp_jax_half_of(jax, tp_slice_name(t, s))) ==
		    TP_JAX_START)
			continue;
		if (TP_APPEND(v->list, v->count, v->cap, (struct visit){
		    .host = k->host, .name = s->name, .device = device,
		    .is_whole = half == TP_JAX_WHOLE,
		    .from_ps = s->from_ps, .to_ps = s->to_ps }) < 0)
			return -1;
	}
	return 0;
}

static int
list_visits(struct visits *v, const struct tp_tracks *t, struct tp_jax *jax,
    const struct tp_jax_time *time)
{
	for (size_t i = 0; i < t->track_count; i++) {
		const struct tp_track *k = &t->tracks[i];
		ptrdiff_t device;

		if (k->role != TP_ROLE_OPS ||
		    time->hosts[k->host].device_count < 2 ||
		    (device = device_of(time, k)) < 0)
			continue;
		if (add_lane(v, t, jax, k, (uint32_t)device) < 0)
			return -1;
	}
	TP_SORT(v->list, v->count, by_collective);
	return 0;
}

/* Visits of one device to the collectives of one name. */
struct queue {
	const struct visit *at, *end;
};

/*
 * Devices leave a collective at about the same time.  Drop the first visit of a
 * device whose next one ends closer to the last of the first ones: in that
 * collective another device was not recorded.  1: one was dropped.
 */
static int
drop(struct queue *q, size_t n)
{
	int64_t last_ps = INT64_MIN;

	for (size_t i = 0; i < n; i++)
		TP_MOST(last_ps, q[i].at->to_ps);
	for (size_t i = 0; i < n; i++)
		if (q[i].at + 1 < q[i].end && q[i].at[1].to_ps - last_ps <
		    last_ps - q[i].at->to_ps) {
			q[i].at++;
			return 1;
		}
	return 0;
}

/* Add the collective that the first visits of N devices are. */
static int
meet(struct tp_jax_peers *p, const struct queue *q, size_t n)
{
	int64_t least_ps = INT64_MAX, came_ps = INT64_MIN;
	struct tp_jax_meeting m = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct visit *v = q[i].at;

		TP_MOST(came_ps, v->from_ps);
		if (v->to_ps - v->from_ps >= least_ps)
			continue;
		least_ps = v->to_ps - v->from_ps;
		m.last = v->device;
		m.end_ps = v->to_ps;
	}
	for (size_t i = 0; i < n; i++) {
		const struct visit *v = q[i].at;
		struct tp_jax_peer *d = &p->devices[v->device];
		int64_t ps = v->to_ps - v->from_ps - least_ps;

		d->count++;
		/* what is longer for another reason is no wait */
		if (v->is_whole)
			TP_LEAST(ps, came_ps - v->from_ps);
		if (ps <= 0)
			continue;
		tp_ps_add(&m.waited_ps, ps);
		if (tp_ival_add(&d->waits, v->from_ps, v->from_ps + ps) < 0)
			return -1;
	}
	return m.waited_ps ? TP_APPEND(p->meetings, p->meeting_count,
	    p->meeting_cap, m) : 0;
}

static int
is_over(const struct queue *q, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (q[i].at == q[i].end)
			return 1;
	return 0;
}

/* Match what N devices did in the collectives of one name. */
static int
match(struct tp_jax_peers *p, struct queue *q, size_t n)
{
	while (n > 1 && !is_over(q, n)) {
		if (drop(q, n))
			continue;
		if (meet(p, q, n) < 0)
			return -1;
		for (size_t i = 0; i < n; i++)
			q[i].at++;
	}
	return 0;
}

static int
is_same(const struct visit *a, const struct visit *b)
{
	return a->host == b->host && a->name == b->name;
}

static int
match_all(struct tp_jax_peers *p, const struct visits *v, struct queue *q)
{
	const struct visit *end = v->list + v->count;
	int rc = 0;

	for (const struct visit *at = v->list; !rc && at < end;) {
		const struct visit *first = at;
		size_t n = 0;

		while (at < end && is_same(at, first)) {
			const struct visit *from = at;

			while (at < end && is_same(at, first) &&
			    at->device == from->device)
				at++;
			q[n++] = (struct queue){ from, at };
		}
		rc = match(p, q, n);
	}
	return rc;
}

int
tp_jax_peers_make(struct tp_jax_peers *p, const struct tp_tracks *t,
    struct tp_jax *jax, const struct tp_jax_time *time, struct tp_err *err)
{
	struct visits v = { 0 };
	struct queue *q = tp_alloc((time->device_count + 1) * sizeof *q);
	int rc;

	memset(p, 0, sizeof *p);
	p->devices = tp_zalloc((time->device_count + 1) * sizeof *p->devices);
	p->count = p->devices ? time->device_count : 0;
	rc = !q || !p->devices || list_visits(&v, t, jax, time) < 0 ||
	    match_all(p, &v, q) < 0;
	for (size_t i = 0; !rc && i < p->count; i++)
		rc = tp_ival_finish(&p->devices[i].waits) < 0;
	tp_free(v.list);
	tp_free(q);
	return rc ? tp_fail_memory(err) : 0;
}

void
tp_jax_peers_release(struct tp_jax_peers *p)
{
	for (size_t i = 0; i < p->count; i++)
		tp_ival_release(&p->devices[i].waits);
	tp_free(p->devices);
	tp_free(p->meetings);
	memset(p, 0, sizeof *p);
}
