/* activity - the time of a JAX trace by activity */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "ival.h"
#include "merge.h"
#include "peel.h"
#include "activity.h"

static const struct tp_track *
track_of(const struct tp_tracks *t, const struct tp_jax_event *s)
{
	return &t->tracks[s->track];
}

static void
per_track(struct tp_jax_time *time, const struct tp_tracks *t,
    struct tp_jax *jax)
{
	struct tp_jax_breakdown *b = &time->per_track;

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_jax_event *s = &t->slices[i];
		enum tp_role role = track_of(t, s)->role;

		if (role == TP_ROLE_DEVICE)
			tp_ps_add(&time->wrapper_ps, s->own_ps);
		if (role == TP_ROLE_STEPS || role == TP_ROLE_FLIGHT ||
		    time->only_devices)
			continue;
		tp_ps_add(&b->part_ps[tp_jax_part_of(jax, t, s)], s->own_ps);
		tp_ps_add(&b->total_ps, s->own_ps);
	}
}

/* Unions over the devices of one host. */
struct tp_jax_merged {
	int64_t first, last;	/* range of computation */
	struct tp_ival comm, both;	/* communication; communication or
					 * computation */
	struct tp_ival host;	/* lanes of the host */
};

/* Make room for COUNT hosts. */
static void
add_hosts(struct tp_jax_time *time, size_t count)
{
	tp_grow(&time->hosts, &time->host_cap, count + 1, sizeof *time->hosts);
	tp_grow(&time->merged, &time->merged_cap, count + 1,
	    sizeof *time->merged);
	for (; time->host_count < count; time->host_count++) {
		time->hosts[time->host_count] = (struct tp_jax_host_time){ 0 };
		time->merged[time->host_count] = (struct tp_jax_merged){
		    .first = INT64_MAX, .last = INT64_MIN };
	}
}

static void
merge_global(struct tp_jax_merged *m, const struct tp_jax_event *s,
    enum tp_jax_part part)
{
	if (part == TP_JAX_COMPUTE) {
		TP_LEAST(m->first, s->from_ps);
		TP_MOST(m->last, s->to_ps);
	} else if (part == TP_JAX_COMMUNICATION) {
		tp_ival_add(&m->comm, s->from_ps, s->to_ps);
	} else {
		return;
	}
	tp_ival_add(&m->both, s->from_ps, s->to_ps);
}

/* How much of U, which is finished, lies from FIRST to LAST. */
static int64_t
within(const struct tp_ival *u, int64_t first, int64_t last)
{
	struct tp_ival window = { 0 };
	int64_t ps;

	tp_ival_add(&window, first, last);
	tp_ival_finish(&window);
	ps = tp_ival_common(u, &window);
	tp_ival_release(&window);
	return ps;
}

static void
add_global(struct tp_jax_breakdown *b, struct tp_jax_merged *m)
{
	int64_t comm_ps, both_ps;

	if (m->first > m->last)
		return;
	tp_ival_finish(&m->comm);
	tp_ival_finish(&m->both);
	comm_ps = within(&m->comm, m->first, m->last);
	both_ps = within(&m->both, m->first, m->last);
	tp_ps_add(&b->part_ps[TP_JAX_COMMUNICATION], comm_ps);
	tp_ps_add(&b->part_ps[TP_JAX_COMPUTE], both_ps - comm_ps);
	tp_ps_add(&b->total_ps, m->last - m->first);
	tp_ps_add(&b->part_ps[TP_JAX_STALL], m->last - m->first - both_ps);
}

struct device_unions {
	int only_devices;	/* limits of work are not needed */
	struct tp_jax_device *device;
	const struct tp_tracks *tracks;
	struct tp_jax *jax;
};

/* Add an interval of S to its limit, with its share of S's shortest time. */
static void
add_work(struct tp_jax_device *d, const struct tp_jax_known *known,
    const struct tp_jax_event *s, int64_t from, int64_t to)
{
	int64_t all = tp_slice_ps(s), part = to - from;
	unsigned limit = tp_jax_limit_of(known, all);

	/* an estimate above the actual time gains nothing */
	tp_ps_add(&d->work_ps[limit], part);
	tp_ps_add(&d->best_ps[limit], known->roof_ps < all ?
	    (int64_t)((double)part * (double)known->roof_ps / (double)all) :
	    part);
	tp_ival_add(&d->work[limit], from, to);
}

static void
add_innermost(void *arg, const struct tp_jax_event *s, int64_t from, int64_t to)
{
	struct device_unions *u = arg;
	const struct tp_jax_known *known = tp_jax_known_of(u->jax, u->tracks,
	    s);
	enum tp_jax_use class = (enum tp_jax_use)known->class;

	if (class == TP_JAX_WORK && !u->only_devices)
		add_work(u->device, known, s, from, to);
	tp_ival_add(&u->device->at[class], from, to);
}

/* Add the operations on lane K: sums, range and union. */
static void
add_lane(struct tp_jax_device *d, const struct tp_tracks *t,
    const struct tp_track *k)
{
	d->count += k->count;
	for (uint32_t j = 0; j < k->count; j++) {
		const struct tp_jax_event *s = &t->slices[t->order[k->first +
		    j]];

		tp_ps_add(&d->own_ps, s->own_ps);
		TP_LEAST(d->first_ps, s->from_ps);
		TP_MOST(d->last_ps, s->to_ps);
		/* nested ones lie within these */
		if (!s->depth)
			tp_ival_add(&d->active, s->from_ps, s->to_ps);
	}
}

/*
 * Assign each instant of D, from its first to its last operation, to one
 * class; the last class is a collective in flight with nothing else on the
 * device.
 */
static void
divide_busy(struct tp_jax_device *d)
{
	const struct tp_ival *of[TP_JAX_CLASSES + 1];
	const struct tp_ival *flown = &d->in_flight[TP_JAX_COLLECTIVE];
	int64_t ps[TP_JAX_CLASSES + 1], common;

	for (int i = 0; i < TP_JAX_CLASSES; i++) {
		tp_ival_finish(&d->at[i]);
		of[i] = &d->at[i];
	}
	of[TP_JAX_CLASSES] = flown;
	for (int i = 0; i < TP_JAX_LIMITS; i++)
		tp_ival_finish(&d->work[i]);
	tp_peel_all(of, TP_JAX_CLASSES + 1, d->first_ps, d->last_ps, ps);
	common = tp_ival_common(flown, &d->at[TP_JAX_WORK]);
	for (int i = 0; i <= TP_JAX_CLASSES; i++) {
		enum tp_jax_use use = i < TP_JAX_CLASSES ?
		    (enum tp_jax_use)i : TP_JAX_COLLECTIVE;

		tp_ps_add(&d->busy.part_ps[tp_jax_class_part(use)], ps[i]);
		tp_ps_add(&d->busy.total_ps, ps[i]);
		if (i >= TP_JAX_TO_DEVICE && i <= TP_JAX_ANY_DIRECTION)
			d->copies_ps += ps[i];
	}
	d->hidden_ps = tp_ival_busy(flown) ? common : 0;
}

/* Add device D to the totals. */
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
release_jax_device(struct tp_jax_device *d)
{
	for (int i = 0; i < TP_JAX_CLASSES; i++) {
		tp_ival_release(&d->at[i]);
		tp_ival_release(&d->in_flight[i]);
	}
	for (int i = 0; i < TP_JAX_LIMITS; i++)
		tp_ival_release(&d->work[i]);
	tp_ival_release(&d->both_directions);
	tp_ival_release(&d->active);
	tp_jax_pairing_free(d->pairing);
}

/* Whether the device of lane K has a lane of transfers in flight. */
static int
has_flights(const struct tp_tracks *t, const struct tp_track *k)
{
	for (size_t i = 0; i < t->track_count; i++)
		if (t->tracks[i].role == TP_ROLE_FLIGHT &&
		    t->tracks[i].host == k->host &&
		    t->tracks[i].pid == k->pid)
			return 1;
	return 0;
}

/* The device of lane K of T, added when new. */
static struct tp_jax_device *
device_of(struct tp_jax_time *time, const struct tp_tracks *t,
    const struct tp_track *k)
{
	struct tp_jax_device *d;

	for (size_t i = 0; i < time->device_count; i++)
		if (time->devices[i].host == k->host &&
		    time->devices[i].pid == k->pid)
			return &time->devices[i];
	tp_grow(&time->devices, &time->device_cap, time->device_count + 1,
	    sizeof *time->devices);
	d = &time->devices[time->device_count];
	*d = (struct tp_jax_device){ .name = k->process, .host = k->host,
	    .pid = k->pid, .first_ps = INT64_MAX, .last_ps = INT64_MIN,
	    .has_flights = has_flights(t, k),
	    .pairing = tp_jax_pairing_new(&time->flights) };
	time->device_count++;
	return d;
}

static void
add_devices(struct tp_jax_time *time, const struct tp_tracks *t,
    struct tp_jax *jax, const struct tp_track_list *l)
{
	struct device_unions u = { .only_devices = time->only_devices,
	    .tracks = t, .jax = jax };

	for (size_t i = 0; i < l->count; i++) {
		const struct tp_track *k = l->list[i];
		struct tp_jax_device *d = device_of(time, t, k);

		u.device = d;
		if (k->role == TP_ROLE_OPS) {
			add_lane(d, t, k);
			tp_tracks_innermost(t, k, add_innermost, &u);
		}
		tp_jax_pairing_add(d->pairing, d->in_flight, t, jax, k,
		    d->has_flights);
	}
}

TP_ORDER(by_place, struct tp_jax_device, TP_UP(host) TP_UP(pid))

/* Finish the devices; drop those with only transfers in flight. */
static void
end_devices(struct tp_jax_time *time)
{
	size_t kept = 0;

	TP_SORT(time->devices, time->device_count, by_place);
	for (size_t i = 0; i < time->device_count; i++) {
		struct tp_jax_device *d = &time->devices[i];

		if (!d->count) {
			release_jax_device(d);
			*d = (struct tp_jax_device){ 0 };
			continue;
		}
		if (kept < i) {
			time->devices[kept] = *d;
			*d = (struct tp_jax_device){ 0 };
		}
		d = &time->devices[kept++];
		tp_ival_finish(&d->active);
		tp_ival_finish(&d->at[TP_JAX_WORK]);
		tp_jax_pairing_end(d->pairing, d->in_flight,
		    &d->at[TP_JAX_WORK], &d->both_directions);
		divide_busy(d);	/* all must still be released */
		add_device(time, d);
	}
	time->device_count = kept;
	tp_jax_flights_sort(&time->flights);
}

int64_t
tp_jax_span(const struct tp_jax_time *time, uint32_t host)
{
	return time->hosts[host].last_ps - time->hosts[host].first_ps;
}

/*
 * Length of the union of the COUNT unions OF from FIRST to LAST into *ALL,
 * and of all but the last into *BUT_ONE.
 */
static void
together(const struct tp_ival *const *of, size_t count, int64_t first,
    int64_t last, int64_t *all, int64_t *but_one)
{
	struct tp_sweep sweep = { 0 }, but = { 0 };
	const struct tp_span *spans;
	struct tp_merge merge;
	size_t n, which;

	tp_merge_begin(&merge, of, count);
	while (tp_merge_next(&merge, &spans, &n, &which))
		for (size_t i = 0; i < n; i++) {
			int64_t from = spans[i].from < first ? first :
			    spans[i].from;
			int64_t to = spans[i].to > last ? last : spans[i].to;

			if (from >= to)
				continue;
			tp_sweep_add(&sweep, from, to);
			if (which < count - 1)
				tp_sweep_add(&but, from, to);
		}
	tp_merge_stop(&merge);
	*all = sweep.busy;
	*but_one = but.busy;
}

/* Measure the lanes of HOST, also while no device worked. */
static void
measure_host(struct tp_jax_time *time, uint32_t host)
{
	struct tp_jax_host_time *h = &time->hosts[host];
	struct tp_jax_merged *m = &time->merged[host];
	const struct tp_ival **of = tp_alloc((time->device_count + 1) *
	    sizeof *of);
	int64_t active_ps, either_ps;
	size_t n = 0;

	tp_ival_finish(&m->host);
	for (size_t i = 0; i < time->device_count; i++)
		if (time->devices[i].host == host)
			of[n++] = &time->devices[i].active;
	of[n] = &m->host;
	together(of, n + 1, h->first_ps, h->last_ps, &either_ps, &active_ps);
	h->busy_ps = tp_ival_busy(&m->host);
	h->all_idle_ps = h->last_ps - h->first_ps - active_ps;
	h->alone_ps = either_ps - active_ps;
	tp_free(of);
}

/* SUM / N, rounded half up. */
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

void
tp_jax_time_add_host(struct tp_jax_time *time, uint32_t host,
    int64_t from_ps, int64_t to_ps)
{
	add_hosts(time, (size_t)host + 1);
	tp_ival_add(&time->merged[host].host, from_ps, to_ps);
}

/* Add all slices to the totals, whatever their device. */
static void
add_slices(struct tp_jax_time *time, const struct tp_tracks *t,
    struct tp_jax *jax)
{
	for (size_t i = 0; i < t->count; i++) {
		const struct tp_jax_event *s = &t->slices[i];
		const struct tp_track *k = track_of(t, s);
		struct tp_jax_merged *m = &time->merged[k->host];

		if (k->role == TP_ROLE_HOST)
			tp_ival_add(&m->host, s->from_ps, s->to_ps);
		else if (!time->only_devices && (k->role == TP_ROLE_DEVICE ||
		    k->role == TP_ROLE_OPS))
			merge_global(m, s, tp_jax_part_of(jax, t, s));
	}
}

void
tp_jax_time_add(struct tp_jax_time *time, const struct tp_tracks *tracks,
    struct tp_jax *jax)
{
	struct tp_track_list lanes = { 0 };

	add_hosts(time, tracks->host_count);
	per_track(time, tracks, jax);
	add_slices(time, tracks, jax);
	tp_tracks_of(tracks, TP_ROLE_OPS, TP_ROLE_FLIGHT, &lanes);
	add_devices(time, tracks, jax, &lanes);
	tp_free(lanes.list);
}

void
tp_jax_time_end(struct tp_jax_time *time)
{
	end_devices(time);
	for (uint32_t h = 0; h < time->host_count; h++) {
		add_global(&time->global, &time->merged[h]);
		measure_host(time, h);
	}
	average_hosts(time);
}
