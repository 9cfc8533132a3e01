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

		if (role == TP_ROLE_STEPS)
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

static int
global(struct tp_jax_time *time, const struct tp_tracks *t,
    struct tp_jax *jax)
{
	struct tp_jax_breakdown *b = &time->global;
	struct tp_ival comm = { 0 }, both = { 0 };
	int64_t first = INT64_MAX, last = INT64_MIN, both_ps = 0;
	int rc = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_jax_event *s = &t->slices[i];

		if (device_part(t, jax, s) != TP_JAX_COMPUTE)
			continue;
		if (s->from_ps < first)
			first = s->from_ps;
		if (s->to_ps > last)
			last = s->to_ps;
	}
	if (first > last)
		return 0;
	for (size_t i = 0; !rc && i < t->count; i++) {
		const struct tp_jax_event *s = &t->slices[i];
		enum tp_jax_part part = device_part(t, jax, s);
		int64_t from = clip(s->from_ps, first, last);
		int64_t to = clip(s->to_ps, first, last);

		if (part == TP_JAX_COMMUNICATION)
			rc = tp_ival_add(&comm, from, to);
		if (!rc && (part == TP_JAX_COMMUNICATION ||
		    part == TP_JAX_COMPUTE))
			rc = tp_ival_add(&both, from, to);
	}
	if (!rc)
		rc = union_ps(&comm, &b->part_ps[TP_JAX_COMMUNICATION]);
	if (!rc)
		rc = union_ps(&both, &both_ps);
	b->part_ps[TP_JAX_COMPUTE] = both_ps -
	    b->part_ps[TP_JAX_COMMUNICATION];
	b->total_ps = last - first;
	b->part_ps[TP_JAX_STALL] = b->total_ps - both_ps;
	tp_ival_release(&comm);
	tp_ival_release(&both);
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

	/* where the estimate is above what was reached, nothing is gained */
	tp_ps_add(&d->work_ps[known->limit], part);
	tp_ps_add(&d->best_ps[known->limit], known->roof_ps < all ?
	    (int64_t)((double)part * (double)known->roof_ps / (double)all) :
	    part);
	return tp_ival_add(&d->work[known->limit], from, to);
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
		add_lane(d, t, lanes[i]);
		if (lanes[i]->in_flight)
			continue;
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
	for (int p = 0; p < TP_JAX_PARTS; p++)
		tp_ps_add(&time->device.part_ps[p], d->busy.part_ps[p]);
	tp_ps_add(&time->device.total_ps, d->busy.total_ps);
	if (d->first_ps < time->first_ps)
		time->first_ps = d->first_ps;
	if (d->last_ps > time->last_ps)
		time->last_ps = d->last_ps;
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
devices(struct tp_jax_time *time, const struct tp_tracks *t,
    struct tp_jax *jax, const struct tp_track_list *l)
{
	size_t cap = 0, next;

	time->first_ps = INT64_MAX;
	time->last_ps = INT64_MIN;
	for (size_t i = 0; i < l->count; i = next) {
		const struct tp_track *k = l->list[i];
		struct tp_jax_device *d;

		next = tp_track_list_next(l, i);
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
	if (!time->device_count)
		time->first_ps = time->last_ps = 0;
	return 0;
}

/* The lanes of hosts, and what they were doing while no device worked. */
static int
hosts(struct tp_jax_time *time, const struct tp_tracks *t)
{
	struct tp_ival host = { 0 }, active = { 0 }, either = { 0 };
	int64_t active_ps = 0, either_ps = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < t->count; i++) {
		const struct tp_jax_event *s = &t->slices[i];
		enum tp_role role = track_of(t, s)->role;
		int64_t from = s->from_ps, to = s->to_ps;

		if (role == TP_ROLE_HOST)
			rc = tp_ival_add(&host, from, to);
		else if (role == TP_ROLE_OPS)
			rc = tp_ival_add(&active, from, to);
		if (rc || !time->device_count ||
		    (role != TP_ROLE_HOST && role != TP_ROLE_OPS))
			continue;
		from = clip(from, time->first_ps, time->last_ps);
		to = clip(to, time->first_ps, time->last_ps);
		if (from < to)
			rc = tp_ival_add(&either, from, to);
	}
	if (!rc && (union_ps(&host, &time->host_ps) < 0 ||
	    union_ps(&active, &active_ps) < 0 ||
	    union_ps(&either, &either_ps) < 0))
		rc = -1;
	if (time->device_count)
		time->all_idle_ps = time->last_ps - time->first_ps -
		    active_ps;
	time->host_alone_ps = either_ps - active_ps;
	tp_ival_release(&host);
	tp_ival_release(&active);
	tp_ival_release(&either);
	return rc;
}

int
tp_jax_time_make(struct tp_jax_time *time, const struct tp_tracks *tracks,
    struct tp_jax *jax, struct tp_err *err)
{
	struct tp_track_list lanes = { 0 };
	int rc;

	memset(time, 0, sizeof *time);
	per_track(time, tracks, jax);
	rc = global(time, tracks, jax) < 0 ||
	    tp_tracks_of(tracks, TP_ROLE_OPS, &lanes) < 0 ||
	    devices(time, tracks, jax, &lanes) < 0 ||
	    hosts(time, tracks) < 0;
	tp_free(lanes.list);
	return rc ? tp_fail_memory(err) : 0;
}

void
tp_jax_time_release(struct tp_jax_time *time)
{
	for (size_t i = 0; i < time->device_count; i++)
		release(&time->devices[i]);
	tp_free(time->devices);
	tp_jax_flights_release(&time->flights);
	memset(time, 0, sizeof *time);
}
