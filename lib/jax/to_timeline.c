/* to_timeline - a JAX capture as a timeline */
#include <string.h>

#include <tp/alloc.h>
#include <tp/buf.h>
#include <tp/order.h>

#include "async.h"
#include "to_timeline.h"

/* An execution of a program on a device. */
struct execution {
	int64_t from_ps, to_ps;
	uint32_t device, slice;
};

struct filler {
	struct tp_jax_timeline *jt;
	struct tp_timeline *tl;
	struct tp_jax_trace *c;
	const struct tp_path_rules *rules;
	const struct tp_jax_links *links;
	uint32_t *slice_of;	/* by event of a host: 1 + slice; before that
				 * is made, 1 of what launched */
	uint32_t *track_of;	/* by track: 1 + that of the timeline */
	uint32_t *name_of;	/* by name: 1 + that of the timeline */
	uint32_t *launch_of;	/* by work: the event that launched it, or
				 * TP_NIL */
	uint8_t *hidden;	/* by event: HIDDEN launches several times */
	uint8_t *is_mark;	/* by event: it marks a step */
	int64_t *launched;	/* by event that launched: when the first work
				 * did that started after it */
	signed char *told;	/* by name of a host's event: enum told */
	struct execution *executions;	/* by device and start */
	size_t execution_count, execution_cap;
	uint32_t device;	/* of the lane that is walked */
	struct tp_buf text;
};

enum { HIDDEN = 2 };

/* What the name of an event of a host tells, less than 1 + its class. */
enum told { NOT_LOOKED_UP, NOTHING, CALL, PYTHON, TOLD };

TP_ORDER(by_device, struct execution, TP_UP(device) TP_UP(from_ps)
    TP_DOWN(to_ps) TP_UP(slice))

static uint32_t
device_of(const struct tp_jax_trace *c, const struct tp_track *k)
{
	for (size_t i = 0; i < c->time.device_count; i++)
		if (c->time.devices[i].host == k->host &&
		    c->time.devices[i].pid == k->pid)
			return (uint32_t)i;
	return TP_NIL;
}

/* What NAME tells of an event of a host. */
static int
told_by(struct filler *f, uint32_t name)
{
	const char *text = f->c->tracks.names.names[name].text;
	signed char *told = &f->told[name];
	const struct tp_class *c;

	if (*told != NOT_LOOKED_UP)
		return *told;
	c = tp_class_of_name(&f->c->jax->host, text);
	*told = c ? (signed char)(TOLD + c->number) : *text == '$' ? PYTHON :
	    tp_class_of_name(&f->rules->calls, text) ? CALL : NOTHING;
	return *told;
}

/*
 * The name of a function as other sources write it: "$FILE:LINE NAME", and
 * "$MODULE NAME" of one that is built in.
 */
static uint32_t
name_of(struct filler *f, uint32_t name)
{
	const struct tp_name *n = &f->c->tracks.names.names[name];
	const char *text = n->text + 1, *blank, *colon;

	if (f->name_of[name])
		return f->name_of[name] - 1;
	tp_buf_clear(&f->text);
	blank = *n->text == '$' ? strchr(text, ' ') : NULL;
	colon = blank ? memchr(text, ':', (size_t)(blank - text)) : NULL;
	if (colon)
		tp_buf_fmt(&f->text, "%.*s(%.*s): %s", (int)(colon - text),
		    text, (int)(blank - colon) - 1, colon + 1, blank + 1);
	else if (blank)
		tp_buf_fmt(&f->text, "<built-in function %s>", blank + 1);
	else
		tp_buf_add(&f->text, n->text, n->len);
	f->name_of[name] = 1 + (uint32_t)tp_names_add(&f->tl->names,
	    f->text.p, f->text.len);
	return f->name_of[name] - 1;
}

/* The event of a host that launched SLICE, which is of a device; or NIL. */
static uint32_t
launch_of(const struct filler *f, uint32_t slice)
{
	static const enum tp_jax_tie_kind kinds[] = { TP_JAX_CORRELATION,
	    TP_JAX_CONSUMED, TP_JAX_RUN };

	for (int i = 0; i < 3; i++) {
		ptrdiff_t by = tp_jax_link_follow(f->links, slice, kinds[i]);

		if (by >= 0)
			return (uint32_t)by;
	}
	return f->links->calls[slice] ? f->links->calls[slice] - 1 : TP_NIL;
}

/* The execution of DEVICE that runs at PS, or NULL. */
static const struct execution *
execution_at(const struct filler *f, uint32_t device, int64_t ps)
{
	const struct execution *list = f->executions;
	size_t at;

	TP_SEEK(at, 0, f->execution_count, mid, list[mid].device < device ||
	    (list[mid].device == device && list[mid].from_ps <= ps));
	return at && list[at - 1].device == device && list[at - 1].to_ps > ps ?
	    &list[at - 1] : NULL;
}

static void
find_executions(struct filler *f)
{
	const struct tp_tracks *t = &f->c->tracks;

	for (size_t i = 0; i < t->track_count; i++) {
		const struct tp_track *k = &t->tracks[i];
		uint32_t device = k->holds_programs ? device_of(f->c, k) :
		    TP_NIL;

		for (uint32_t j = 0; device != TP_NIL && j < k->count; j++) {
			uint32_t at = t->order[k->first + j];

			TP_APPEND(f->executions, f->execution_count,
			    f->execution_cap, (struct execution){
			    t->slices[at].from_ps, t->slices[at].to_ps, device,
			    at });
		}
	}
	TP_SORT(f->executions, f->execution_count, by_device);
}

/* Add a stretch of S, an operation. */
static void
add_stretch(void *arg, const struct tp_jax_event *s, int64_t from, int64_t to)
{
	struct filler *f = arg;

	if (to > from)
		TP_APPEND(f->jt->works, f->jt->count, f->jt->cap,
		    (struct tp_jax_work){ from, to, (uint32_t)(s -
		    f->c->tracks.slices), f->device });
}

TP_ORDER(by_start, struct tp_jax_work, TP_UP(from_ps) TP_UP(device)
    TP_UP(to_ps) TP_UP(slice))

/* Whether event AT of a host launches, or takes memory to do so. */
static int
is_launching(struct filler *f, uint32_t at)
{
	int told = told_by(f, f->c->tracks.slices[at].name);

	return told == TOLD + TP_PATH_DISPATCH ||
	    told == TOLD + TP_PATH_ALLOCATION;
}

/* Whether event AT of a host does, and lies in none that does. */
static int
is_dispatch(struct filler *f, uint32_t at)
{
	const struct tp_jax_event *all = f->c->tracks.slices;

	if (!is_launching(f, at))
		return 0;
	for (uint32_t up = all[at].parent; up; up = all[up - 1].parent)
		if (is_launching(f, up - 1))
			return 0;
	return 1;
}

/* Add what is missing at the times of U on device D, up to UNTIL. */
static void
add_missing(struct filler *f, const struct tp_ival *u, uint32_t device,
    int64_t until)
{
	struct tp_ival_walk walk;
	struct tp_span span;

	tp_ival_begin(&walk, u);
	while (tp_ival_next(&walk, &span))
		if (span.from < until)
			TP_APPEND(f->jt->works, f->jt->count, f->jt->cap,
			    (struct tp_jax_work){ span.from, span.to < until ?
			    span.to : until, TP_NIL, device });
	tp_ival_stop(&walk);
}

/* When HOST stopped the profiler after all that it launched, or never. */
static int64_t
profiler_stop(struct filler *f, uint32_t host)
{
	const struct tp_tracks *t = &f->c->tracks;
	int64_t last = INT64_MIN, stop = INT64_MAX;

	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < t->count; i++) {
			const struct tp_jax_event *s = &t->slices[i];
			const struct tp_track *k = &t->tracks[s->track];

			if (k->role != TP_ROLE_HOST || k->host != host)
				continue;
			if (!pass && is_launching(f, i))
				TP_MOST(last, s->from_ps);
			else if (pass && s->from_ps > last && told_by(f,
			    s->name) == TOLD + TP_PATH_PROFILER)
				TP_LEAST(stop, s->from_ps);
		}
	return stop;
}

/*
 * Marks of steps are nothing of their own; a function that launches several
 * times may wait, as what it does itself is not recorded.
 */
static void
find_hidden(struct filler *f)
{
	const struct tp_tracks *t = &f->c->tracks;

	for (uint32_t i = 0; i < t->count; i++) {
		uint32_t up = t->slices[i].parent;

		if (t->tracks[t->slices[i].track].role != TP_ROLE_HOST ||
		    !is_dispatch(f, i))
			continue;
		for (; up; up = t->slices[up - 1].parent)
			f->hidden[up - 1] += f->hidden[up - 1] < HIDDEN;
	}
	for (size_t i = 0; i < f->c->mark_count; i++)
		f->is_mark[f->c->marks[i].slice] = 1;
}

/* A call that launches, and when. */
struct dispatch {
	int64_t from_ps;
	uint32_t host, slice;
};

TP_ORDER(by_call, struct dispatch, TP_UP(host) TP_UP(from_ps) TP_UP(slice))

/*
 * Where HOST has no launch that is known, take for that of work of a device
 * that had none the last of COUNT calls before it, and for what follows too.
 */
static void
infer_launches(struct filler *f, uint32_t host, const struct dispatch *list,
    size_t count)
{
	const struct tp_jax_time *time = &f->c->time;
	int64_t *ends = tp_alloc((time->device_count + 1) * sizeof *ends);
	uint32_t *by = tp_alloc((time->device_count + 1) * sizeof *by);

	for (size_t i = 0; i < time->device_count; i++) {
		ends[i] = INT64_MIN / 2;
		by[i] = TP_NIL;
	}
	for (size_t i = 0; i < f->jt->count; i++) {
		const struct tp_jax_work *w = &f->jt->works[i];
		size_t at;

		if (time->devices[w->device].host != host || w->slice == TP_NIL)
			continue;
		if (w->from_ps - ends[w->device] >= f->rules->idle_ps) {
			TP_SEEK(at, 0, count, mid, list[mid].host < host ||
			    (list[mid].host == host && list[mid].from_ps <=
			    w->from_ps));
			by[w->device] = at && list[at - 1].host == host ?
			    list[at - 1].slice : TP_NIL;
		}
		TP_MOST(ends[w->device], w->to_ps);
		f->launch_of[i] = by[w->device];
	}
	tp_free(ends);
	tp_free(by);
}

/* Infer the launches of hosts where none is known. */
static void
find_unlinked(struct filler *f)
{
	const struct tp_tracks *t = &f->c->tracks;
	struct dispatch *list = NULL;
	uint8_t *linked = tp_zalloc(t->host_count + 1);
	size_t count = 0, cap = 0;

	for (size_t i = 0; i < f->jt->count; i++)
		if (f->launch_of[i] != TP_NIL)
			linked[f->c->time.devices[f->jt->works[i].device].host]
			    = 1;
	for (uint32_t i = 0; i < t->count; i++) {
		const struct tp_track *k = &t->tracks[t->slices[i].track];

		if (k->role == TP_ROLE_HOST && !linked[k->host] &&
		    is_dispatch(f, i))
			TP_APPEND(list, count, cap, (struct dispatch){
			    t->slices[i].from_ps, k->host, i });
	}
	TP_SORT(list, count, by_call);
	for (uint32_t i = 0; count && i < t->host_count; i++)
		if (!linked[i])
			infer_launches(f, i, list, count);
	tp_free(list);
	tp_free(linked);
}

/* Collect the work of all devices, and what launched it. */
static void
find_work(struct filler *f)
{
	const struct tp_tracks *t = &f->c->tracks;
	struct tp_jax_timeline *jt = f->jt;
	int64_t stop = INT64_MAX;

	for (size_t i = 0; i < t->track_count; i++) {
		f->device = t->tracks[i].role == TP_ROLE_OPS ?
		    device_of(f->c, &t->tracks[i]) : TP_NIL;
		if (f->device != TP_NIL)
			tp_tracks_innermost(t, &t->tracks[i], add_stretch, f);
	}
	for (uint32_t i = 0; i < f->c->missing.device_count; i++) {
		const struct tp_jax_unrecorded *u = &f->c->missing.devices[i];
		uint32_t host = f->c->time.devices[i].host;

		add_missing(f, &u->steps, i, INT64_MAX);
		if (!f->c->missing.hosts[host].is_mostly_missing)
			continue;
		/* devices are by host */
		if (!i || f->c->time.devices[i - 1].host != host)
			stop = profiler_stop(f, host);
		add_missing(f, &u->executions, i, stop);
	}
	TP_SORT(jt->works, jt->count, by_start);
	f->launch_of = tp_alloc((jt->count + 1) * sizeof *f->launch_of);
	for (size_t i = 0; i < jt->count; i++) {
		const struct tp_jax_work *w = &jt->works[i];
		const struct execution *x;
		uint32_t by = w->slice == TP_NIL ? TP_NIL :
		    launch_of(f, w->slice);

		if (by == TP_NIL && w->slice != TP_NIL) {
			x = execution_at(f, w->device, w->from_ps);
			by = x ? launch_of(f, x->slice) : TP_NIL;
		}
		f->launch_of[i] = by;
	}
	find_unlinked(f);
}

/*
 * Move the times of devices whose work would start before it was launched, by
 * what makes the earliest start follow its launch.
 */
static void
align(struct filler *f)
{
	struct tp_jax_timeline *jt = f->jt;
	size_t devices = f->c->time.device_count;

	jt->shifts = tp_zalloc((devices + 1) * sizeof *jt->shifts);
	for (size_t i = 0; i < jt->count; i++)
		if (f->launch_of[i] != TP_NIL)
			TP_MOST(jt->shifts[jt->works[i].device],
			    f->c->tracks.slices[f->launch_of[i]].from_ps -
			    jt->works[i].from_ps);
	for (size_t i = 0; i < devices; i++)
		/* less is how exactly two clocks agree */
		if (jt->shifts[i] < f->rules->clocks_agree_ps)
			jt->shifts[i] = 0;
}

/* Note which events launched, and when the first work of each started. */
static void
note_launches(struct filler *f)
{
	for (size_t i = 0; i < f->jt->count; i++) {
		const struct tp_jax_work *w = &f->jt->works[i];
		uint32_t by = f->launch_of[i];
		int64_t ps = w->from_ps + f->jt->shifts[w->device];

		if (by == TP_NIL)
			continue;
		if (!f->slice_of[by] || ps < f->launched[by])
			f->launched[by] = ps;
		f->slice_of[by] = 1;
	}
}

/* The track of the timeline for lane K, of DEVICE or of a host. */
static uint32_t
track_of(struct filler *f, const struct tp_track *k, uint32_t device)
{
	struct tp_timeline *tl = f->tl;
	uint32_t *track = &f->track_of[k - f->c->tracks.tracks];

	if (!*track) {
		TP_APPEND(tl->tracks, tl->track_count, tl->track_cap,
		    (struct tp_timeline_track){ .process = k->host,
		    .device = device == TP_NIL ? 0 : device, .tid = k->tid,
		    .name = k->thread ? (uint32_t)tp_names_add(&tl->names,
		    k->thread, strlen(k->thread)) : TP_NIL,
		    .is_stream = device != TP_NIL });
		*track = (uint32_t)tl->track_count;
	}
	return *track - 1;
}

/* How many events of lane K lie in one of lane OF. */
static size_t
lie_in(const struct tp_tracks *t, const struct tp_track *k,
    const struct tp_track *of)
{
	int64_t to = INT64_MIN;
	size_t inside = 0;
	uint32_t j = 0;

	for (uint32_t i = 0; i < k->count; i++) {
		const struct tp_jax_event *s =
		    &t->slices[t->order[k->first + i]];

		for (; j < of->count && t->slices[t->order[of->first +
		    j]].from_ps <= s->from_ps; j++)
			TP_MOST(to, t->slices[t->order[of->first + j]].to_ps);
		inside += s->to_ps <= to;
	}
	return inside;
}

/* The thread whose calls lane K shows, where nearly all lie in it; else K. */
static const struct tp_track *
shown_by(const struct filler *f, const struct tp_track *k)
{
	const struct tp_tracks *t = &f->c->tracks;
	const struct tp_track *best = k;
	size_t most = k->count - (size_t)(f->c->jax->view_outside_ratio *
	    (double)k->count);

	if (k->role != TP_ROLE_HOST || !k->thread ||
	    !tp_class_of_name(&f->c->jax->views, k->thread))
		return k;
	for (size_t i = 0; i < t->track_count; i++) {
		const struct tp_track *of = &t->tracks[i];
		size_t inside;

		if (of == k || of->role != TP_ROLE_HOST || of->host != k->host)
			continue;
		inside = lie_in(t, k, of);
		if (inside >= most) {
			most = inside + 1;
			best = of;
		}
	}
	return best;
}

/* What a thread is in, and what will not be added below it. */
struct around {
	int64_t to_ps;
	int told;
	int64_t wait_to_ps;	/* of the last call that waits */
};

/*
 * Add event AT of thread K.  AROUND is the innermost event with a meaning; what
 * has none, or the same, is part of it.
 */
static void
add_event(struct filler *f, const struct tp_track *k, uint32_t at,
    struct around *around)
{
	const struct tp_jax_event *s = &f->c->tracks.slices[at];
	int told = told_by(f, s->name), launches = f->slice_of[at] != 0;
	enum tp_path_class class = told >= TOLD ?
	    (enum tp_path_class)(told - TOLD) : TP_PATH_CLASSES;
	int waits = class == TP_PATH_SYNC;
	struct tp_slice slice = { .from_ps = s->from_ps, .to_ps = s->to_ps,
	    .track = track_of(f, k, TP_NIL), .name = name_of(f, s->name) };
	struct tp_slice launch = { 0 };

	if (s->from_ps >= around->to_ps)
		*around = (struct around){ INT64_MIN, NOTHING, INT64_MIN };
	if (!launches && (f->is_mark[at] || (s->parent && (told == NOTHING ||
	    (told >= TOLD && told == around->told) ||
	    s->to_ps <= around->wait_to_ps))))
		return;
	/* a function that launches several times is none of its classes */
	if (f->hidden[at] == HIDDEN) {
		class = TP_PATH_CLASSES;
		told = PYTHON;
		waits = 0;
		slice.class = TP_SLICE_WAITS;
	}
	/* what loads or saves and waits for that does so until it goes on */
	if (waits && (around->told == TOLD + TP_PATH_READING ||
	    around->told == TOLD + TP_PATH_DATA_LOADING))
		class = (enum tp_path_class)(around->told - TOLD);
	if (class == TP_PATH_BLOCKED)
		slice.class = TP_SLICE_WAITS;
	if (told >= TOLD && s->to_ps >= around->to_ps)
		*around = (struct around){ s->to_ps, told, INT64_MIN };
	if (waits)
		around->wait_to_ps = s->to_ps;
	/* a function launches somewhere before it returns */
	if (launches && is_launching(f, at) && !tp_class_of_name(
	    &f->rules->calls, tp_slice_name(&f->c->tracks, s))) {
		launch = slice;
		launch.kind = TP_SLICE_CALL;
		launch.from_ps = f->launched[at] -
		    f->rules->least_launch_ps;
		TP_LEAST(launch.from_ps, s->to_ps);
		TP_MOST(launch.from_ps, s->from_ps);
		launch.to_ps = launch.from_ps;
		launches = 0;
	}
	slice.kind = launches || waits || told == CALL ? TP_SLICE_CALL :
	    tp_jax_is_python(&f->c->tracks, s) ? TP_SLICE_FUNCTION :
	    class == TP_PATH_DISPATCH ? TP_SLICE_OPERATOR : TP_SLICE_RANGE;
	/* what launches is a launch, whatever else its name says */
	if (class < TP_PATH_CLASSES && !(launches && !waits))
		slice.told = (uint8_t)(1 + class);
	f->slice_of[at] = 1 + tp_timeline_add(f->tl, slice);
	if (launch.kind == TP_SLICE_CALL)
		f->slice_of[at] = 1 + tp_timeline_add(f->tl, launch);
}

/* Add what the threads of hosts were in. */
static void
add_hosts(struct filler *f)
{
	const struct tp_tracks *t = &f->c->tracks;
	uint64_t *calls = tp_zalloc((t->host_count + 1) * sizeof *calls);
	uint32_t *main = tp_zalloc((t->host_count + 1) * sizeof *main);

	for (size_t i = 0; i < t->track_count; i++) {
		const struct tp_track *k = &t->tracks[i];
		const struct tp_track *of = shown_by(f, k);
		struct around around = { INT64_MIN, NOTHING, INT64_MIN };
		uint64_t python = 0;

		for (uint32_t j = 0; k->role == TP_ROLE_HOST && j < k->count;
		    j++) {
			uint32_t at = t->order[k->first + j];

			add_event(f, of, at, &around);
			python += tp_jax_is_python(t, &t->slices[at]) ||
			    told_by(f, t->slices[at].name) == TOLD +
			    TP_PATH_DISPATCH;
		}
		if (python > calls[k->host]) {
			calls[k->host] = python;
			main[k->host] = f->track_of[of - t->tracks];
		}
	}
	for (size_t i = 0; i < t->host_count; i++)
		if (main[i])
			f->tl->tracks[main[i] - 1].is_main = 1;
	tp_free(calls);
	tp_free(main);
}

/* A lane of DEVICE, which has operations. */
static const struct tp_track *
lane_of(const struct filler *f, uint32_t device)
{
	const struct tp_track *k = f->c->tracks.tracks;

	while (k->role != TP_ROLE_OPS || device_of(f->c, k) != device)
		k++;
	return k;
}

static void
add_works(struct filler *f)
{
	const struct tp_tracks *t = &f->c->tracks;
	struct tp_jax_timeline *jt = f->jt;

	for (size_t i = 0; i < jt->count; i++) {
		const struct tp_jax_work *w = &jt->works[i];
		const struct tp_jax_event *s = w->slice == TP_NIL ? NULL :
		    &t->slices[w->slice];
		enum tp_jax_use use = s ? tp_jax_class_of(f->c->jax, t, s) :
		    TP_JAX_WORK;
		uint32_t host = f->c->time.devices[w->device].host, at;
		int64_t shift = jt->shifts[w->device];

		at = tp_timeline_add(f->tl, (struct tp_slice){
		    .from_ps = w->from_ps + shift, .to_ps = w->to_ps + shift,
		    .track = track_of(f, s ? &t->tracks[s->track] :
		    lane_of(f, w->device), w->device),
		    .name = s ? name_of(f, s->name) : (uint32_t)tp_names_add(
		    &f->tl->names, "", 0),
		    .launch = f->launch_of[i] == TP_NIL ? 0 :
		    f->slice_of[f->launch_of[i]], .kind = TP_SLICE_WORK,
		    .class = use == TP_JAX_COLLECTIVE ? TP_PATH_COMMUNICATION :
		    use >= TP_JAX_TO_DEVICE && use <= TP_JAX_ANY_DIRECTION ?
		    TP_PATH_COPY : TP_PATH_KERNEL,
		    .is_input = use == TP_JAX_TO_DEVICE });
		/* the start and the end of one that runs beside others wait
		 * for no other device to come there */
		if (use != TP_JAX_COLLECTIVE || w->to_ps != s->to_ps ||
		    tp_jax_half_of(f->c->jax, tp_slice_name(t, s)) !=
		    TP_JAX_WHOLE)
			continue;
		TP_APPEND(f->tl->collectives, f->tl->collective_count,
		    f->tl->collective_cap, (struct tp_collective){
		    .slice = at, .process = host, .device = w->device,
		    .communicator = f->tl->slices[at].name,
		    .what = f->tl->slices[at].name, .size = -1,
		    .group = TP_NIL });
	}
}

/* A thread of HOST for its steps. */
static uint32_t
thread_of(struct filler *f, uint32_t host)
{
	struct tp_timeline *tl = f->tl;
	uint32_t some = TP_NIL;

	for (uint32_t i = 0; i < tl->track_count; i++) {
		if (tl->tracks[i].process != host || tl->tracks[i].is_stream)
			continue;
		if (tl->tracks[i].is_main)
			return i;
		some = i;
	}
	if (some == TP_NIL) {
		TP_APPEND(tl->tracks, tl->track_count, tl->track_cap,
		    (struct tp_timeline_track){ .process = host,
		    .name = TP_NIL });
		some = (uint32_t)tl->track_count - 1;
	}
	return some;
}

/*
 * Whether executions of one program, taken for steps, are less than half of
 * the time of the devices: what else there is may matter more.
 */
static int
are_few(const struct filler *f)
{
	const struct tp_jax_steps *st = &f->c->steps;
	const struct tp_jax_time *time = &f->c->time;
	int64_t from = INT64_MAX, to = INT64_MIN;
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (size_t i = st->warmup_count; i < st->count; i++)
		for (size_t j = 0; j < st->list[i].part_count; j++) {
			const struct tp_jax_step_part *p =
			    &st->parts[st->list[i].part + j];

			TP_LEAST(from, p->from_ps);
			TP_MOST(to, p->to_ps);
		}
	for (size_t i = 0; i < f->c->tracks.host_count; i++) {
		if (!time->hosts[i].device_count)
			continue;
		TP_LEAST(first, time->hosts[i].first_ps);
		TP_MOST(last, time->hosts[i].last_ps);
	}
	return st->from_program && from < to && to - from < (last - first) / 2;
}

/* Add the steady steps. */
static void
add_steps(struct filler *f)
{
	const struct tp_jax_steps *st = &f->c->steps;
	int64_t shift = 0;

	if (are_few(f))
		return;
	f->tl->has_device_steps = !st->from_host ||
	    st->basis == TP_JAX_BY_DEVICE;
	for (size_t i = 0; i < f->c->time.device_count; i++)
		TP_MOST(shift, f->jt->shifts[i]);
	for (size_t i = st->warmup_count; i < st->count; i++)
		for (size_t j = 0; j < st->list[i].part_count; j++) {
			const struct tp_jax_step_part *p =
			    &st->parts[st->list[i].part + j];
			int64_t more = f->tl->has_device_steps ? shift : 0;

			if (p->count)
				TP_APPEND(f->tl->steps, f->tl->step_count,
				    f->tl->step_cap, (struct tp_marked_step){
				    p->from_ps + more, p->to_ps + more,
				    thread_of(f, p->host) });
		}
}

void
tp_jax_to_timeline(struct tp_jax_timeline *jt, struct tp_jax_trace *c,
    const struct tp_path_rules *rules)
{
	const struct tp_tracks *t = &c->tracks;
	struct filler f = { .jt = jt, .tl = &jt->timeline, .c = c,
	    .rules = rules };

	memset(jt, 0, sizeof *jt);
	f.links = tp_jax_trace_links(c);
	f.slice_of = tp_zalloc((t->count + 1) * sizeof *f.slice_of);
	f.track_of = tp_zalloc((t->track_count + 1) * sizeof *f.track_of);
	f.name_of = tp_zalloc((t->names.count + 1) * sizeof *f.name_of);
	f.told = tp_zalloc(t->names.count + 1);
	f.hidden = tp_zalloc(t->count + 1);
	f.is_mark = tp_zalloc(t->count + 1);
	f.launched = tp_zalloc((t->count + 1) * sizeof *f.launched);
	find_hidden(&f);
	for (uint32_t i = 0; i < t->host_count; i++)
		TP_APPEND(f.tl->processes, f.tl->process_count,
		    f.tl->process_cap, (struct tp_process){ .pid = i + 1,
		    .rank = t->host_count > 1 ? (int64_t)i : -1, .clock = i });
	f.tl->hides_waits = 1;
	f.tl->has_epoch = t->host_count == 1 || t->is_aligned;
	find_executions(&f);
	find_work(&f);
	align(&f);
	note_launches(&f);
	add_hosts(&f);
	add_works(&f);
	add_steps(&f);
	tp_timeline_match(f.tl, rules);
	tp_timeline_end(f.tl);
	tp_free(f.slice_of);
	tp_free(f.track_of);
	tp_free(f.name_of);
	tp_free(f.launch_of);
	tp_free(f.told);
	tp_free(f.hidden);
	tp_free(f.is_mark);
	tp_free(f.launched);
	tp_free(f.executions);
	tp_buf_release(&f.text);
}

void
tp_jax_timeline_release(struct tp_jax_timeline *jt)
{
	tp_timeline_release(&jt->timeline);
	tp_free(jt->works);
	tp_free(jt->shifts);
	memset(jt, 0, sizeof *jt);
}
