/* launched - executions that hosts launched, and those on lanes of devices */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "launched.h"

/* A launch: when, and by what it is known (a class of jax->launches). */
struct launch {
	int64_t at_ps;
	uint32_t host;
	uint32_t class;
};

/* A call that launches an execution on each of its devices. */
struct call {
	uint32_t host;
	int64_t from_ps, to_ps;
	uint64_t count;		/* launches that begin in it */
};

TP_ORDER(by_start, struct call, TP_UP(host) TP_UP(from_ps) TP_UP(to_ps))

/* Of a host. */
struct end {
	int64_t last_ps;	/* end of the operations of its devices */
	uint32_t class;		/* of launches that are counted */
};

/* What the lanes of a device hold. */
struct held {
	uint64_t counts;	/* executions by its operations, at most */
	uint64_t programs;	/* by its lane of programs */
};

struct build {
	struct tp_jax_launched *hosts;
	const struct tp_tracks *t;
	struct tp_jax *jax;
	signed char *class_of;	/* per name, of launches; -1: a call, -2:
				 * neither, -3: not looked up */
	struct launch *launches;
	size_t launch_count, launch_cap;
	struct call *calls;
	size_t call_count, call_cap;
	struct end *ends;	/* per host */
	struct tp_ids devices;	/* (host, pid) */
	struct held *held;	/* of each */
	size_t held_cap;
	/* operations of a device: (device and program, name), calls of each */
	struct tp_ids ops;
	uint64_t *counts;
	size_t count_cap;
};

enum { CALL = -1, NEITHER = -2, UNKNOWN = -3 };

static const struct tp_track *
track_of(const struct build *b, const struct tp_jax_event *s)
{
	return &b->t->tracks[s->track];
}

static int
kind_of(struct build *b, uint32_t name)
{
	const char *text = b->t->names.names[name].text;
	signed char *kind = &b->class_of[name];

	if (*kind == UNKNOWN) {
		*kind = (signed char)tp_class_index(&b->jax->launches,
		    tp_class_of_name(&b->jax->launches, text));
		if (*kind < 0)
			*kind = tp_class_of_name(&b->jax->calls, text) ?
			    CALL : NEITHER;
	}
	return *kind;
}

/* Whether an event around S is of the same KIND. */
static int
is_inside(struct build *b, const struct tp_jax_event *s, int kind)
{
	while (s->parent) {
		s = &b->t->slices[s->parent - 1];
		if (kind_of(b, s->name) == kind)
			return 1;
	}
	return 0;
}

/* Collect what the hosts launched. */
static void
collect(struct build *b)
{
	for (size_t i = 0; i < b->t->count; i++) {
		const struct tp_jax_event *s = &b->t->slices[i];
		const struct tp_track *k = track_of(b, s);
		int kind;

		if (k->role != TP_ROLE_HOST || (kind = kind_of(b, s->name)) ==
		    NEITHER || is_inside(b, s, kind))
			continue;
		if (kind == CALL)
			TP_APPEND(b->calls, b->call_count, b->call_cap,
			    (struct call){ k->host, s->from_ps, s->to_ps, 0 });
		else
			TP_APPEND(b->launches, b->launch_count, b->launch_cap,
			    (struct launch){ s->from_ps, k->host,
			    (uint32_t)kind });
	}
}

/* Add S, on a lane of a device, to what the device holds. */
static void
hold(struct build *b, const struct tp_jax_event *s)
{
	const struct tp_track *k = track_of(b, s);
	uint32_t program;
	size_t had = b->ops.count;
	ptrdiff_t device, at;

	if (k->role == TP_ROLE_OPS && tp_jax_class_part(tp_jax_class_of(
	    b->jax, b->t, s)) == TP_JAX_STALL)
		return;
	device = tp_ids_add(&b->devices, k->host, (uint64_t)k->pid);
	TP_ITEM(b->held, b->held_cap, device);
	TP_MOST(b->ends[k->host].last_ps, s->to_ps);
	if (k->holds_programs) {
		b->held[device].programs++;
		return;
	}
	program = b->t->details[s->detail].of[TP_DETAIL_PROGRAM];
	if (!program) {
		b->held[device].counts++;
		return;
	}
	at = tp_ids_add(&b->ops, (uint64_t)device << 32 | program, s->name);
	TP_ITEM(b->counts, b->count_cap, at);
	if ((size_t)at == had)
		b->counts[at] = 0;
	b->counts[at]++;
}

/*
 * An execution runs each of its operations at least once, but for those of
 * branches; so a program ran at most as often as its most frequent one.
 */
static void
count_held(struct build *b)
{
	struct tp_ids programs = { 0 };
	uint64_t *most = NULL;
	size_t cap = 0;

	for (size_t i = 0; i < b->ops.count; i++) {
		ptrdiff_t at = tp_ids_add(&programs, b->ops.ids[i].a, 0);

		TP_ITEM(most, cap, at);
		TP_MOST(most[at], b->counts[i]);
	}
	for (size_t i = 0; i < programs.count; i++)
		b->held[programs.ids[i].a >> 32].counts += most[i];
	for (size_t i = 0; i < b->devices.count; i++) {
		struct tp_jax_launched *l = &b->hosts[b->devices.ids[i].a];

		TP_MOST(b->held[i].counts, b->held[i].programs);
		l->held_count += b->held[i].counts;
		l->held_device_count++;
	}
	tp_ids_release(&programs);
	tp_free(most);
}

/* Count the launch ONE in the last call before it, if that still runs. */
static void
count_in_call(struct build *b, const struct launch *one)
{
	size_t at;

	TP_SEEK(at, 0, b->call_count, mid, b->calls[mid].host < one->host ||
	    (b->calls[mid].host == one->host && b->calls[mid].from_ps <=
	    one->at_ps));
	if (at && b->calls[at - 1].host == one->host &&
	    b->calls[at - 1].to_ps >= one->at_ps)
		b->calls[at - 1].count++;
}

/* Count the launches of each host by the first class that it has any of. */
static void
count_launches(struct build *b)
{
	for (size_t i = 0; i < b->launch_count; i++)
		TP_LEAST(b->ends[b->launches[i].host].class,
		    b->launches[i].class);
	for (size_t i = 0; i < b->launch_count; i++) {
		const struct launch *one = &b->launches[i];
		const struct end *end = &b->ends[one->host];
		struct tp_jax_launched *l = &b->hosts[one->host];

		if (one->class != end->class)
			continue;
		l->count++;
		l->late_count += one->at_ps - b->jax->host_wake_ps >
		    end->last_ps;
		count_in_call(b, one);
	}
}

/*
 * The devices of a call are known when each call has as many launches in it;
 * calls that do not wait for theirs, as on a TPU, only come to the same in
 * all.
 */
static void
count_devices(struct build *b)
{
	for (size_t i = 0; i < b->call_count; i++) {
		const struct call *c = &b->calls[i];
		struct tp_jax_launched *l = &b->hosts[c->host];

		if (!l->call_count++)
			l->device_count = c->count;
		else if (l->device_count != c->count)
			l->device_count = 0;
	}
}

/*
 * A call launches at least on this many devices.  Where they are not known,
 * calls that the capture did not see whole may have launched some of COUNT.
 */
static uint64_t
least_devices(const struct tp_jax_launched *l)
{
	uint64_t least = l->device_count ? l->device_count :
	    l->count / (l->call_count + 1);

	return l->call_count && least ? least : 1;
}

/* HAS_DEVICES: some device of the host has operations. */
static void
judge(struct tp_jax_launched *l, int has_devices)
{
	uint64_t devices = least_devices(l), most = l->count - l->late_count;

	if (!l->device_count && l->call_count && l->count % l->call_count == 0)
		l->device_count = l->count / l->call_count;
	if (l->device_count && l->call_count * l->device_count == l->count)
		TP_LEAST(most, l->held_device_count * l->call_count);
	TP_LEAST(l->held_count, most);
	l->is_missing = has_devices && l->held_count < l->count &&
	    (l->held_device_count < devices || l->late_count >
	    (l->device_count ? l->device_count : devices));
	l->is_mostly_missing = l->is_missing && l->held_count * 2 < l->count;
}

/* Compare launches to lanes. */
static void
compare(struct build *b, const struct tp_jax_time *time)
{
	const struct tp_tracks *t = b->t;

	for (size_t i = 0; b->launch_count && i < t->count; i++) {
		const struct tp_track *k = track_of(b, &t->slices[i]);

		if (k->role == TP_ROLE_OPS || k->holds_programs)
			hold(b, &t->slices[i]);
	}
	count_held(b);
	TP_SORT(b->calls, b->call_count, by_start);
	count_launches(b);
	count_devices(b);
	for (size_t i = 0; i < t->host_count; i++)
		judge(&b->hosts[i], time->hosts[i].device_count > 0);
}

void
tp_jax_count_launched(struct tp_jax_launched *hosts,
    const struct tp_tracks *t, struct tp_jax *jax,
    const struct tp_jax_time *time)
{
	struct build b = { .hosts = hosts, .t = t, .jax = jax };

	b.class_of = tp_alloc(t->names.count + 1);
	b.ends = tp_alloc((t->host_count + 1) * sizeof *b.ends);
	memset(b.class_of, UNKNOWN, t->names.count + 1);
	for (size_t i = 0; i < t->host_count; i++)
		b.ends[i] = (struct end){ INT64_MIN, UINT32_MAX };
	collect(&b);
	compare(&b, time);
	tp_free(b.class_of);
	tp_free(b.ends);
	tp_free(b.launches);
	tp_free(b.calls);
	tp_free(b.held);
	tp_free(b.counts);
	tp_ids_release(&b.devices);
	tp_ids_release(&b.ops);
}
