/* time - what the time of a JAX trace went into */
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>

#include "ival.h"
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

/* Unions of one device: compute; that and communication; all; and
 * communication alone. */
struct device_unions {
	struct tp_ival compute, active, all, comm;
	const struct tp_tracks *tracks;
	struct tp_jax *jax;
};

static int
add_innermost(void *arg, const struct tp_jax_event *s, int64_t from, int64_t to)
{
	struct device_unions *u = arg;
	enum tp_jax_part part = tp_jax_op_part(u->jax, u->tracks, s->name);

	return (part == TP_JAX_COMPUTE &&
	    tp_ival_add(&u->compute, from, to) < 0) ||
	    (part == TP_JAX_COMMUNICATION &&
	    tp_ival_add(&u->comm, from, to) < 0) ||
	    (part != TP_JAX_STALL &&
	    tp_ival_add(&u->active, from, to) < 0) ||
	    tp_ival_add(&u->all, from, to) < 0 ? -1 : 0;
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

/* The COUNT lanes of one device, from LANES. */
static int
measure_device(struct tp_jax_device *d, const struct tp_tracks *t,
    struct tp_jax *jax, const struct tp_track *const *lanes, size_t count)
{
	struct device_unions u = { .tracks = t, .jax = jax };
	int64_t active = 0, comm = 0, *part = d->busy.part_ps;
	int rc = 0;

	for (size_t i = 0; !rc && i < count; i++) {
		add_lane(d, t, lanes[i]);
		rc = tp_tracks_innermost(t, lanes[i], add_innermost, &u);
	}
	if (!rc && (union_ps(&u.compute, &part[TP_JAX_COMPUTE]) < 0 ||
	    union_ps(&u.active, &active) < 0 ||
	    union_ps(&u.all, &d->busy.total_ps) < 0 ||
	    union_ps(&u.comm, &comm) < 0))
		rc = -1;
	part[TP_JAX_COMMUNICATION] = active - part[TP_JAX_COMPUTE];
	part[TP_JAX_STALL] = d->busy.total_ps - active;
	d->hidden_ps = comm - part[TP_JAX_COMMUNICATION];
	tp_ival_release(&u.compute);
	tp_ival_release(&u.active);
	tp_ival_release(&u.all);
	tp_ival_release(&u.comm);
	return rc;
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
		if (measure_device(d, t, jax, &l->list[i], next - i) < 0)
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
	tp_free(time->devices);
	memset(time, 0, sizeof *time);
}
