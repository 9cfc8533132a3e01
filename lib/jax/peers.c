/* peers - how long devices of one host wait for each other in collectives */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "async.h"
#include "peers.h"

/* A collective on a device, or the end of one that runs beside others. */
struct visit {
	int64_t from_ps, to_ps;
	int64_t waited_ps;	/* from its start on, for others */
	uint32_t name;
	uint32_t device;	/* index, by host */
};

struct visits {
	struct visit *list;	/* by lane and start */
	size_t count, cap;
	struct visit **by_name;
	uint32_t *ends;		/* of each name in BY_NAME */
	unsigned char *halves;	/* per name, its half + 1; 0: not known */
};

TP_ORDER_POINTERS(by_device, struct visit, TP_UP(device) TP_UP(to_ps)
    TP_UP(from_ps))

static ptrdiff_t
device_of(const struct tp_jax_time *time, const struct tp_track *k)
{
	for (size_t i = 0; i < time->device_count; i++)
		if (time->devices[i].host == k->host &&
		    time->devices[i].pid == k->pid)
			return (ptrdiff_t)i;
	return -1;
}

static enum tp_jax_half
half_of(struct visits *v, const struct tp_tracks *t, const struct tp_jax *jax,
    uint32_t name)
{
	if (!v->halves[name])
		v->halves[name] = (unsigned char)(1 + tp_jax_half_of(jax,
		    t->names.names[name].text));
	return (enum tp_jax_half)(v->halves[name] - 1);
}

static void
add_lane(struct visits *v, const struct tp_tracks *t, struct tp_jax *jax,
    const struct tp_track *k, uint32_t device)
{
	for (uint32_t i = 0; i < k->count; i++) {
		const struct tp_jax_event *s = &t->slices[t->order[k->first +
		    i]];

		if (tp_jax_class_of(jax, t, s) != TP_JAX_COLLECTIVE ||
		    half_of(v, t, jax, s->name) == TP_JAX_START)
			continue;
		TP_APPEND(v->list, v->count, v->cap, (struct visit){
		    .from_ps = s->from_ps, .to_ps = s->to_ps, .name = s->name,
		    .device = device });
	}
}

static void
list_visits(struct visits *v, const struct tp_tracks *t, struct tp_jax *jax,
    const struct tp_jax_time *time)
{
	v->halves = tp_zalloc(t->names.count + 1);
	for (size_t i = 0; i < t->track_count; i++) {
		const struct tp_track *k = &t->tracks[i];
		ptrdiff_t device;

		if (k->role != TP_ROLE_OPS ||
		    time->hosts[k->host].device_count < 2 ||
		    (device = device_of(time, k)) < 0)
			continue;
		add_lane(v, t, jax, k, (uint32_t)device);
	}
}

/* Group the visits by name, and order those of a name by device and end. */
static void
order_visits(struct visits *v, size_t name_count)
{
	size_t at = 0;

	v->by_name = tp_alloc((v->count + 1) * sizeof *v->by_name);
	v->ends = tp_zalloc((name_count + 1) * sizeof *v->ends);
	for (size_t i = 0; i < v->count; i++)
		v->ends[v->list[i].name + 1]++;
	for (size_t i = 0; i < name_count; i++)
		v->ends[i + 1] += v->ends[i];
	/* from the first of each name to its end */
	for (size_t i = 0; i < v->count; i++)
		v->by_name[v->ends[v->list[i].name]++] = &v->list[i];
	for (size_t i = 0; i < name_count; at = v->ends[i++])
		for (size_t j = at + 1; j < v->ends[i]; j++)
			if (by_device(&v->by_name[j - 1], &v->by_name[j]) >
			    0) {
				TP_SORT(v->by_name + at, v->ends[i] - at,
				    by_device);
				break;
			}
}

/* Visits of one device to the collectives of one name. */
struct queue {
	struct visit **at, **end;
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
		TP_MOST(last_ps, (*q[i].at)->to_ps);
	for (size_t i = 0; i < n; i++)
		if (q[i].at + 1 < q[i].end && q[i].at[1]->to_ps - last_ps <
		    last_ps - q[i].at[0]->to_ps) {
			q[i].at++;
			return 1;
		}
	return 0;
}

/*
 * Add the collective that the first visits of N devices are; IS_WHOLE: each
 * began when its device came to it.
 */
static void
meet(struct tp_jax_peers *p, const struct queue *q, size_t n, int is_whole)
{
	int64_t least_ps = INT64_MAX, came_ps = INT64_MIN;
	struct tp_jax_meeting m = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct visit *v = *q[i].at;

		TP_MOST(came_ps, v->from_ps);
		if (v->to_ps - v->from_ps >= least_ps)
			continue;
		least_ps = v->to_ps - v->from_ps;
		m.last = v->device;
		m.end_ps = v->to_ps;
	}
	for (size_t i = 0; i < n; i++) {
		struct visit *v = *q[i].at;
		int64_t ps = v->to_ps - v->from_ps - least_ps;

		p->devices[v->device].count++;
		/* time that is longer for another reason is not a wait */
		if (is_whole)
			TP_LEAST(ps, came_ps - v->from_ps);
		if (ps <= 0)
			continue;
		tp_ps_add(&m.waited_ps, ps);
		v->waited_ps = ps;
	}
	if (m.waited_ps)
		TP_APPEND(p->meetings, p->meeting_count, p->meeting_cap, m);
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
static void
match(struct tp_jax_peers *p, struct queue *q, size_t n, int is_whole)
{
	while (n > 1 && !is_over(q, n)) {
		if (drop(q, n))
			continue;
		meet(p, q, n, is_whole);
		for (size_t i = 0; i < n; i++)
			q[i].at++;
	}
}

/* Match the visits FROM to END, of one name, host by host. */
static void
match_name(struct tp_jax_peers *p, struct visit **from, struct visit **end,
    const struct tp_jax_time *time, struct queue *q, int is_whole)
{
	struct visit **at = from;

	while (at < end) {
		uint32_t host = time->devices[(*at)->device].host;
		size_t n = 0;

		while (at < end && time->devices[(*at)->device].host ==
		    host) {
			from = at;
			while (at < end && (*at)->device == (*from)->device)
				at++;
			q[n++] = (struct queue){ from, at };
		}
		match(p, q, n, is_whole);
	}
}

static void
match_all(struct tp_jax_peers *p, const struct visits *v, size_t name_count,
    const struct tp_jax_time *time, struct queue *q)
{
	size_t at = 0;

	for (size_t i = 0; i < name_count; at = v->ends[i++])
		match_name(p, v->by_name + at, v->by_name + v->ends[i], time, q,
		    v->halves[i] == 1 + TP_JAX_WHOLE);
	/* in the order of lanes, in which a union takes them best */
	for (size_t i = 0; i < v->count; i++)
		tp_ival_add(&p->devices[v->list[i].device].waits,
		    v->list[i].from_ps, v->list[i].from_ps +
		    v->list[i].waited_ps);
}

void
tp_jax_peers_make(struct tp_jax_peers *p, const struct tp_tracks *t,
    struct tp_jax *jax, const struct tp_jax_time *time)
{
	struct visits v = { 0 };
	struct queue *q = tp_alloc((time->device_count + 1) * sizeof *q);

	memset(p, 0, sizeof *p);
	p->devices = tp_zalloc((time->device_count + 1) * sizeof *p->devices);
	p->count = time->device_count;
	list_visits(&v, t, jax, time);
	order_visits(&v, t->names.count);
	match_all(p, &v, t->names.count, time, q);
	for (size_t i = 0; i < p->count; i++)
		tp_ival_finish(&p->devices[i].waits);
	tp_free(v.list);
	tp_free(v.by_name);
	tp_free(v.ends);
	tp_free(v.halves);
	tp_free(q);
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
