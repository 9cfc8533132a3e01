/* time - what the time of a JAX trace went into */
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>

#include "ival.h"
#include "peel.h"
#include "time.h"

static const struct tp_track *
track_of(const struct tp_tracks *t, const struct tp_jax_event *s)
{
	return &t->tracks[s->track];
}

static int
union_ps(struct tp_ival *u, int64_t *ps)
{
	if (tp_ival_finish(u) < 0)
		return -1;
	*ps = tp_ival_busy(u);
	return 0;
}

static void
per_track(struct tp_jax_time *time, const struct tp_tracks *t,
    struct tp_jax *jax)
{
	struct tp_jax_breakdown *b = &time->per_track;

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_jax_event *s = &t->slices[i];
		enum tp_role role = track_of(t, s)->role;

		if (role == TP_ROLE_STEPS || role == TP_ROLE_FLIGHT)
			continue;
		tp_ps_add(&b->part_ps[tp_jax_part_of(jax, t, s)], s->own_ps);
		tp_ps_add(&b->total_ps, s->own_ps);
		if (role == TP_ROLE_DEVICE)
			tp_ps_add(&time->wrapper_ps, s->own_ps);
	}
}

/* Part of SLICE on a device lane that is not for steps, else OTHER. */
static enum tp_jax_part
device_part(const struct tp_tracks *t, struct tp_jax *jax,
    const struct tp_jax_event *s)
{
	enum tp_role role = track_of(t, s)->role;

	return role == TP_ROLE_DEVICE || role == TP_ROLE_OPS ?
	    tp_jax_part_of(jax, t, s) : TP_JAX_OTHER;
}

static int64_t
clip(int64_t at, int64_t first, int64_t last)
{
	return at < first ? first : at > last ? last : at;
}

/* What is merged over the devices of one host. */
struct merged {
	int64_t first, last;	/* of what is computed */
	struct tp_ival comm, both;	/* communication; and what computes */
	struct tp_ival host, active, either;	/* lanes: of the host, of
						 * operations, of both */
};

static int
merge_global(struct merged *m, const struct tp_jax_event *s,
    enum tp_jax_part part)
{
	int64_t from = clip(s->from_ps, m->first, m->last);
	int64_t to = clip(s->to_ps, m->first, m->last);
	int rc = 0;

	if (part != TP_JAX_COMMUNICATION && part != TP_JAX_COMPUTE)
		return 0;
	if (part == TP_JAX_COMMUNICATION)
		rc = tp_ival_add(&m->comm, from, to);
	return rc ? rc : tp_ival_add(&m->both, from, to);
}

static int
add_global(struct tp_jax_breakdown *b, struct merged *m)
{
	int64_t comm_ps, both_ps;

	if (m->first > m->last)
		return 0;
	if (union_ps(&m->comm, &comm_ps) < 0 ||
	    union_ps(&m->both, &both_ps) < 0)
		return -1;
	tp_ps_add(&b->part_ps[TP_JAX_COMMUNICATION], comm_ps);
	tp_ps_add(&b->part_ps[TP_JAX_COMPUTE], both_ps - comm_ps);
	tp_ps_add(&b->total_ps, m->last - m->first);
	tp_ps_add(&b->part_ps[TP_JAX_STALL], m->last - m->first - both_ps);
	return 0;
}

static int
global(struct tp_jax_time *time, const struct tp_tracks *t,
    struct tp_jax *jax, struct merged *all)
{
	int rc = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_jax_event *s = &t->slices[i];
		struct merged *m = &all[track_of(t, s)->host];

		if (device_part(t, jax, s) != TP_JAX_COMPUTE)
			continue;
		if (s->from_ps < m->first)
			m->first = s->from_ps;
		if (s->to_ps > m->last)
			m->last = s->to_ps;
	}
	for (size_t i = 0; !rc && i < t->count; i++) {
		const struct tp_jax_event *s = &t->slices[i];
		struct merged *m = &all[track_of(t, s)->host];

		if (m->first <= m->last)
			rc = merge_global(m, s, device_part(t, jax, s));
	}
	for (size_t h = 0; !rc && h < t->host_count; h++)
		rc = add_global(&time->global, &all[h]);
	return rc;
}

struct device_unions {
	struct tp_jax_device *device;
	const struct tp_tracks *tracks;
	struct tp_jax *jax;
};

/* A stretch of S: what limits it, and its part of what S takes at best. */
static int
add_work(struct tp_jax_device *d, const struct tp_jax_known *known,
    const struct tp_jax_event *s, int64_t from, int64_t to)
{
	int64_t all = tp_slice_ps(s), part = to - from;
	unsigned limit = all < TP_JAX_SHORT_PS && known->roof_ps < all / 2 ?
	    TP_JAX_TOO_SHORT : known->limit;

	/* where the estimate is above what was reached, nothing is gained */
	tp_ps_add(&d->work_ps[limit], part);
	tp_ps_add(&d->best_ps[limit], known->roof_ps < all ?
	    (int64_t)((double)part * (double)known->roof_ps / (double)all) :
	    part);
	return tp_ival_add(&d->work[limit], from, to);
}

static int
add_innermost(void *arg, const struct tp_jax_event *s, int64_t from, int64_t to)
{
	struct device_unions *u = arg;
	const struct tp_jax_known *known = tp_jax_known_of(u->jax, u->tracks,
	    s);
	enum tp_jax_use class = (enum tp_jax_use)(known->class - 1);

	if (class == TP_JAX_WORK && add_work(u->device, known, s, from,
	    to) < 0)
		return -1;
	return tp_ival_add(&u->device->at[class], from, to);
}

/* Sums and the range of the operations on lane K. */
static void
add_lane(struct tp_jax_device *d, const struct tp_tracks *t,
    const struct tp_track *k)
{
	d->count += k->count;
	for (uint32_t j = 0; j < k->count; j++) {
		const struct tp_jax_event *s = &t->slices[t->order[k->first +
		    j]];

		tp_ps_add(&d->own_ps, s->own_ps);
		if (s->from_ps < d->first_ps)
			d->first_ps = s->from_ps;
		if (s->to_ps > d->last_ps)
			d->last_ps = s->to_ps;
	}
}

/* Each instant of D from its first to its last operation is of one class. */
static int
divide_busy(struct tp_jax_device *d)
{
	struct tp_ival rest = { 0 };
	int64_t ps, comm, common;
	int rc = tp_ival_add(&rest, d->first_ps, d->last_ps) < 0 ||
	    tp_ival_finish(&rest) < 0 ? -1 : 0;

	for (int i = 0; !rc && i < TP_JAX_CLASSES; i++) {
		rc = tp_ival_finish(&d->at[i]) < 0 ||
		    tp_peel(&rest, &d->at[i], &ps) < 0 ? -1 : 0;
		if (rc)
			break;
		tp_ps_add(&d->busy.part_ps[tp_jax_class_part(
		    (enum tp_jax_use)i)], ps);
		tp_ps_add(&d->busy.total_ps, ps);
		if (i >= TP_JAX_TO_DEVICE && i <= TP_JAX_ON_DEVICE)
			d->copies_ps += ps;
	}
	for (int i = 0; !rc && i < TP_JAX_LIMITS; i++)
		rc = tp_ival_finish(&d->work[i]);
	/* a collective in flight and nothing else on the device */
	if (!rc)
		rc = tp_peel(&rest, &d->in_flight[TP_JAX_COLLECTIVE], &ps);
	tp_ival_release(&rest);
	if (rc < 0)
		return -1;
	tp_ps_add(&d->busy.part_ps[tp_jax_class_part(TP_JAX_COLLECTIVE)], ps);
	tp_ps_add(&d->busy.total_ps, ps);
	comm = tp_ival_busy(&d->in_flight[TP_JAX_COLLECTIVE]);
	rc = tp_ival_common(&d->in_flight[TP_JAX_COLLECTIVE],
	    &d->at[TP_JAX_WORK], &common);
	d->hidden_ps = comm ? common : 0;
	return rc;
}

/* The COUNT lanes of one device, from LANES. */
static int
measure_device(struct tp_jax_device *d, struct tp_jax_flights *flights,
    const struct tp_tracks *t, struct tp_jax *jax,
    const struct tp_track *const *lanes, size_t count)
{
	struct device_unions u = { .device = d, .tracks = t, .jax = jax };
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++) {
		if (lanes[i]->role == TP_ROLE_FLIGHT)
			continue;
		add_lane(d, t, lanes[i]);
		rc = tp_tracks_innermost(t, lanes[i], add_innermost, &u);
	}
	if (rc || tp_ival_finish(&d->at[TP_JAX_WORK]) < 0 ||
	    tp_jax_flights_add(flights, d->in_flight, &d->at[TP_JAX_WORK], t,
	    jax, lanes, count) < 0)
		return -1;
	return divide_busy(d);
}

/* Add what device D adds to all. */
static void
add_device(struct tp_jax_time *time, const struct tp_jax_device *d)
{
	struct tp_jax_host_time *h = &time->hosts[d->host];

	for (int p = 0; p < TP_JAX_PARTS; p++)
		tp_ps_add(&time->device.part_ps[p], d->busy.part_ps[p]);
	tp_ps_add(&time->device.total_ps, d->busy.total_ps);
	if (!h->device_count++ || d->first_ps < h->first_ps)
		h->first_ps = d->first_ps;
	if (h->device_count == 1 || d->last_ps > h->last_ps)
		h->last_ps = d->last_ps;
	tp_ps_add(&h->device_ps, d->busy.total_ps);
}

static void
release(struct tp_jax_device *d)
{
	for (int i = 0; i < TP_JAX_CLASSES; i++) {
		tp_ival_release(&d->at[i]);
		tp_ival_release(&d->in_flight[i]);
	}
	for (int i = 0; i < TP_JAX_LIMITS; i++)
		tp_ival_release(&d->work[i]);
}

static int
holds_operations(const struct tp_track *const *lanes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (lanes[i]->role == TP_ROLE_OPS)
			return 1;
	return 0;
}

static int
devices(struct tp_jax_time *time, const struct tp_tracks *t,
    struct tp_jax *jax, const struct tp_track_list *l)
{
	size_t cap = 0, next;

	for (size_t i = 0; i < l->count; i = next) {
		const struct tp_track *k = l->list[i];
		struct tp_jax_device *d;

		next = tp_track_list_next(l, i);
		if (!holds_operations(&l->list[i], next - i))
			continue;
		if (tp_grow(&time->devices, &cap, time->device_count + 1,
		    sizeof *time->devices) < 0)
			return -1;
		d = &time->devices[time->device_count++];
		*d = (struct tp_jax_device){ .name = k->process,
		    .host = k->host, .pid = k->pid, .first_ps = INT64_MAX,
		    .last_ps = INT64_MIN };
		if (measure_device(d, &time->flights, t, jax, &l->list[i],
		    next - i) < 0)
			return -1;
		add_device(time, d);
	}
	return 0;
}

int64_t
tp_jax_span(const struct tp_jax_time *time, uint32_t host)
{
	return time->hosts[host].last_ps - time->hosts[host].first_ps;
}

static int
merge_lanes(struct merged *m, const struct tp_jax_host_time *h,
    const struct tp_jax_event *s, enum tp_role role)
{
	int64_t from = clip(s->from_ps, h->first_ps, h->last_ps);
	int64_t to = clip(s->to_ps, h->first_ps, h->last_ps);
	int rc = 0;

	if (role == TP_ROLE_HOST)
		rc = tp_ival_add(&m->host, s->from_ps, s->to_ps);
	else if (role == TP_ROLE_OPS)
		rc = tp_ival_add(&m->active, s->from_ps, s->to_ps);
	else
		return 0;
	return !rc && from < to ? tp_ival_add(&m->either, from, to) : rc;
}

/* The lanes of a host, and what they were doing while no device worked. */
static int
measure_host(struct tp_jax_host_time *h, struct merged *m)
{
	int64_t active_ps, either_ps;

	if (union_ps(&m->host, &h->busy_ps) < 0 ||
	    union_ps(&m->active, &active_ps) < 0 ||
	    union_ps(&m->either, &either_ps) < 0)
		return -1;
	h->all_idle_ps = h->last_ps - h->first_ps - active_ps;
	h->alone_ps = either_ps - active_ps;
	return 0;
}

/* SUM divided by N, half up. */
static int64_t
mean(int64_t sum, size_t n)
{
	return n ? (sum + (int64_t)n / 2) / (int64_t)n : 0;
}

static void
average_hosts(struct tp_jax_time *time)
{
	int64_t busy = 0, idle = 0, alone = 0, span = 0;
	size_t n = 0;

	for (uint32_t i = 0; i < time->host_count; i++) {
		const struct tp_jax_host_time *h = &time->hosts[i];

		if (!h->device_count && time->device_count)
			continue;
		n++;
		tp_ps_add(&span, tp_jax_span(time, i));
		tp_ps_add(&busy, h->busy_ps);
		tp_ps_add(&idle, h->all_idle_ps);
		tp_ps_add(&alone, h->alone_ps);
	}
	time->span_ps = mean(span, n);
	time->host_ps = mean(busy, n);
	time->all_idle_ps = mean(idle, n);
	time->host_alone_ps = mean(alone, n);
	for (size_t i = 0; i < time->device_count; i++)
		tp_ps_add(&time->device_span_ps, tp_jax_span(time,
		    time->devices[i].host));
}

static int
hosts(struct tp_jax_time *time, const struct tp_tracks *t,
    struct merged *all)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < t->count; i++) {
		const struct tp_jax_event *s = &t->slices[i];
		const struct tp_track *k = track_of(t, s);

		rc = merge_lanes(&all[k->host], &time->hosts[k->host], s,
		    k->role);
	}
	for (size_t h = 0; !rc && h < t->host_count; h++)
		rc = measure_host(&time->hosts[h], &all[h]);
	average_hosts(time);
	return rc;
}

static struct merged *
merged_new(size_t count)
{
	struct merged *all = tp_zalloc((count + 1) * sizeof *all);

	for (size_t h = 0; all && h < count; h++) {
		all[h].first = INT64_MAX;
		all[h].last = INT64_MIN;
	}
	return all;
}

static void
merged_free(struct merged *all, size_t count)
{
	for (size_t h = 0; all && h < count; h++) {
		tp_ival_release(&all[h].comm);
		tp_ival_release(&all[h].both);
		tp_ival_release(&all[h].host);
		tp_ival_release(&all[h].active);
		tp_ival_release(&all[h].either);
	}
	tp_free(all);
}

int
tp_jax_time_make(struct tp_jax_time *time, const struct tp_tracks *tracks,
    struct tp_jax *jax, struct tp_err *err)
{
	struct merged *all = merged_new(tracks->host_count);
	struct tp_track_list lanes = { 0 };
	int rc;

	memset(time, 0, sizeof *time);
	time->host_count = tracks->host_count;
	time->hosts = tp_zalloc((time->host_count + 1) *
	    sizeof *time->hosts);
	per_track(time, tracks, jax);
	rc = !all || !time->hosts || global(time, tracks, jax, all) < 0 ||
	    tp_tracks_of(tracks, TP_ROLE_OPS, TP_ROLE_FLIGHT,
	    &lanes) < 0 || devices(time, tracks, jax, &lanes) < 0 ||
	    hosts(time, tracks, all) < 0;
	merged_free(all, tracks->host_count);
	tp_free(lanes.list);
	return rc ? tp_fail_memory(err) : 0;
}

void
tp_jax_time_release(struct tp_jax_time *time)
{
	for (size_t i = 0; i < time->device_count; i++)
		release(&time->devices[i]);
	tp_free(time->devices);
	tp_free(time->hosts);
	tp_jax_flights_release(&time->flights);
	memset(time, 0, sizeof *time);
}
