/* to_timeline - a PyTorch trace as a timeline */
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/order.h>

#include "frame.h"
#include "to_timeline.h"

struct filler {
	struct tp_torch *t;
	struct tp_timeline *tl;
	uint32_t *slice_of;	/* by event: 1 + slice */
	uint32_t *track_of;	/* by lane: 1 + track of the thread */
	uint32_t *name_of, *function_of;	/* by name: 1 + that of the
						 * timeline */
	struct tp_ids processes, streams, devices;
	struct tp_ids owned;	/* streams, and devices, */
	uint32_t *owners;	/* ... and the process that launched work there;
				 * TP_NIL: several did */
	size_t owner_cap;
	uint32_t process_base, device_base;	/* of this file */
	uint32_t clock;
	uint32_t busiest;	/* lane that launched most, or TP_TORCH_NO */
	uint32_t main;		/* process of work without a launch */
	struct tp_buf text;
};

/* A slice that is not in the tree: of an event, built in, or the profiler. */
struct loose {
	int64_t from_ps, to_ps;
	uint32_t lane, event;
	uint32_t built_in;	/* 1 + index */
};

TP_ORDER(by_lane, struct loose, TP_UP(lane) TP_UP(from_ps) TP_DOWN(to_ps)
    TP_UP(event))

static uint32_t
name_of(struct tp_timeline *tl, uint32_t *map, const struct tp_names *names,
    uint32_t name)
{
	if (!map[name])
		map[name] = 1 + (uint32_t)tp_names_add(&tl->names,
		    names->names[name].text, names->names[name].len);
	return map[name] - 1;
}

/* The process of LANE. */
static uint32_t
process_of(struct filler *f, uint32_t lane)
{
	const struct tp_torch_lane *l = &f->t->lanes[lane];
	size_t had = f->processes.count;
	ptrdiff_t at = tp_ids_add(&f->processes, l->process_id, 0);

	if ((size_t)at == had)
		TP_APPEND(f->tl->processes, f->tl->process_count,
		    f->tl->process_cap, (struct tp_process){ .pid = l->pid,
		    .rank = -1, .clock = f->clock });
	return f->process_base + (uint32_t)at;
}

static uint32_t
thread_of(struct filler *f, uint32_t lane)
{
	struct tp_timeline *tl = f->tl;
	const struct tp_torch_lane *l = &f->t->lanes[lane];
	const struct tp_name *name = &f->t->texts.names[l->thread];

	if (!f->track_of[lane]) {
		TP_APPEND(tl->tracks, tl->track_count, tl->track_cap,
		    (struct tp_timeline_track){ .process = process_of(f, lane),
		    .tid = l->tid, .name = l->thread ? (uint32_t)tp_names_add(
		    &tl->names, name->text, name->len) : TP_NIL });
		f->track_of[lane] = (uint32_t)tl->track_count;
	}
	return f->track_of[lane] - 1;
}

static int
is_host(const struct tp_torch_event *e)
{
	return !tp_torch_is_added(e) && (e->cat == TP_TORCH_OP ||
	    e->cat == TP_TORCH_RUNTIME || e->cat == TP_TORCH_ENQUEUE ||
	    e->cat == TP_TORCH_DEQUEUE || e->cat == TP_TORCH_ANNOTATION);
}

static void
add_event(struct filler *f, uint32_t at)
{
	const struct tp_torch *t = f->t;
	const struct tp_torch_event *e = &t->events[at];
	enum tp_slice_kind kind = e->cat == TP_TORCH_OP ? TP_SLICE_OPERATOR :
	    e->cat == TP_TORCH_ANNOTATION ? TP_SLICE_RANGE : TP_SLICE_CALL;

	if (!is_host(e) || (kind != TP_SLICE_CALL && e->to_ps <= e->from_ps))
		return;
	if (tp_torch_is_step(t, e)) {
		TP_APPEND(f->tl->steps, f->tl->step_count, f->tl->step_cap,
		    (struct tp_marked_step){ e->from_ps, e->to_ps,
		    thread_of(f, e->lane) });
		return;
	}
	f->slice_of[at] = 1 + tp_timeline_add(f->tl, (struct tp_slice){
	    .from_ps = e->from_ps, .to_ps = e->to_ps,
	    .track = thread_of(f, e->lane), .kind = (uint8_t)kind,
	    .name = name_of(f->tl, f->name_of, &t->names, e->name) });
}

static void
add_function(struct filler *f, const struct tp_torch_function *function)
{
	if (function->to_ps > function->from_ps)
		tp_timeline_add(f->tl, (struct tp_slice){
		    .from_ps = function->from_ps, .to_ps = function->to_ps,
		    .track = thread_of(f, function->lane),
		    .kind = TP_SLICE_FUNCTION, .name = name_of(f->tl,
		    f->function_of, &f->t->function_names, function->name) });
}

/* The lane that launched most; or TP_TORCH_NO. */
static uint32_t
busiest_lane(const struct tp_torch *t)
{
	uint64_t *counts = tp_zalloc((t->lane_count + 1) * sizeof *counts);
	uint32_t best = TP_TORCH_NO;

	for (size_t i = 0; i < t->link_count; i++) {
		uint32_t lane = t->events[t->links[i].call].lane;

		counts[lane]++;
		if (best == TP_TORCH_NO || counts[lane] > counts[best])
			best = lane;
	}
	for (size_t i = 0; best == TP_TORCH_NO && i < t->tree_count; i++)
		if (is_host(&t->events[t->tree[i]]))
			best = t->events[t->tree[i]].lane;
	tp_free(counts);
	return best;
}

/* Ranges, events without a place in the tree, and when the profiler worked. */
static struct loose *
find_loose(const struct tp_torch *t, uint32_t lane, size_t *count)
{
	struct loose *list = NULL;
	size_t n = 0, cap = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];

		if (e->cat == TP_TORCH_ANNOTATION ||
		    (is_host(e) && e->order == TP_TORCH_NO))
			TP_APPEND(list, n, cap, (struct loose){ e->from_ps,
			    e->to_ps, e->lane, (uint32_t)i, 0 });
	}
	for (size_t i = 0; i < t->built_in_count; i++) {
		const struct tp_torch_function *b = &t->built_ins[i];

		TP_APPEND(list, n, cap, (struct loose){ b->from_ps, b->to_ps,
		    b->lane, TP_TORCH_NO, (uint32_t)i + 1 });
	}
	for (size_t i = 0; lane != TP_TORCH_NO && i < t->profiler_count; i++)
		TP_APPEND(list, n, cap, (struct loose){ t->profiler[i].from,
		    t->profiler[i].to, lane, TP_TORCH_NO, 0 });
	TP_SORT(list, n, by_lane);
	*count = n;
	return list;
}

/* Whether A comes before host event E. */
static int
is_first(const struct loose *a, const struct tp_torch_event *e)
{
	const struct tp_torch_function f = { a->from_ps, a->to_ps, 0, a->lane };

	return tp_torch_function_is_first(&f, e);
}

/* Whether A comes before function K: one that is built in calls none. */
static int
is_around(const struct loose *a, const struct tp_torch_function *k)
{
	const struct tp_torch_event e = { .from_ps = k->from_ps,
	    .to_ps = k->to_ps, .lane = k->lane };

	return is_first(a, &e) && !(a->built_in && a->lane == k->lane &&
	    a->from_ps == k->from_ps && a->to_ps == k->to_ps);
}

static void
add_loose(struct filler *f, const struct loose *a)
{
	if (a->event != TP_TORCH_NO) {
		add_event(f, a->event);
		return;
	}
	if (a->built_in) {
		add_function(f, &f->t->built_ins[a->built_in - 1]);
		return;
	}
	if (a->to_ps > a->from_ps)
		tp_timeline_add(f->tl, (struct tp_slice){
		    .from_ps = a->from_ps, .to_ps = a->to_ps,
		    .track = thread_of(f, a->lane), .kind = TP_SLICE_PROFILER,
		    .name = (uint32_t)tp_names_add(&f->tl->names, "profiler",
		    8) });
}

/* Add what the threads were in, in the order of the timeline. */
static void
add_host(struct filler *f)
{
	struct tp_torch *t = f->t;
	size_t loose_count, k = 0, l = 0;
	struct loose *loose;

	f->busiest = busiest_lane(t);
	loose = find_loose(t, f->busiest, &loose_count);
	tp_torch_sort_functions(t);
	tp_timeline_reserve(f->tl, t->tree_count + t->function_count +
	    loose_count + t->gpu_count + 1);
	for (size_t i = 0; i <= t->tree_count; i++) {
		const struct tp_torch_event *e = i < t->tree_count ?
		    &t->events[t->tree[i]] : NULL;

		for (; k < t->function_count && (!e ||
		    tp_torch_function_is_first(&t->functions[k], e)); k++) {
			for (; l < loose_count && is_around(&loose[l],
			    &t->functions[k]); l++)
				add_loose(f, &loose[l]);
			add_function(f, &t->functions[k]);
		}
		for (; l < loose_count && (!e || is_first(&loose[l], e)); l++)
			add_loose(f, &loose[l]);
		if (e)
			add_event(f, t->tree[i]);
	}
	tp_free(loose);
	f->main = process_of(f, f->busiest == TP_TORCH_NO ? 0 : f->busiest);
}

/* The number of the stream of E, or of its lane. */
static uint64_t
stream_number(const struct tp_torch_event *e)
{
	return (uint64_t)(e->stream < 0 ? e->lane : (uint32_t)e->stream) << 1 |
	    (e->stream < 0);
}

static uint32_t
stream_of(struct filler *f, const struct tp_torch_event *e, uint32_t process)
{
	struct tp_timeline *tl = f->tl;
	size_t had = f->streams.count;
	uint32_t device = f->device_base + (uint32_t)tp_ids_add(&f->devices,
	    (uint16_t)e->device, 0);
	ptrdiff_t at = tp_ids_add(&f->streams, (uint64_t)process << 32 |
	    device, stream_number(e));

	if ((size_t)at == had)
		TP_APPEND(tl->tracks, tl->track_count, tl->track_cap,
		    (struct tp_timeline_track){ .process = process,
		    .device = device, .tid = e->stream, .name = TP_NIL,
		    .is_stream = 1 });
	return (uint32_t)(tl->track_count - f->streams.count + (size_t)at);
}

static enum tp_path_class
class_of(const struct tp_torch *t, const struct tp_torch_event *e)
{
	switch (tp_torch_bucket_of(t, e)) {
	case TP_TORCH_COMMUNICATION:
		return TP_PATH_COMMUNICATION;
	case TP_TORCH_COPY:
		return TP_PATH_COPY;
	default:
		return e->cat == TP_TORCH_MEMSET ? TP_PATH_MEMSET :
		    TP_PATH_KERNEL;
	}
}

/* Say of call SUBMIT in which operator LAUNCH put its work into a queue. */
static void
add_queued(struct filler *f, uint32_t submit, uint32_t launch)
{
	const struct tp_torch *t = f->t;
	uint32_t op = tp_torch_calling_op(t, launch);

	if (submit != launch && f->slice_of[submit] && f->slice_of[launch])
		TP_APPEND(f->tl->queued, f->tl->queued_count,
		    f->tl->queued_cap, (struct tp_queued_call){
		    f->slice_of[submit] - 1, f->slice_of[launch] - 1,
		    op == TP_TORCH_NO ? TP_NIL : name_of(f->tl, f->name_of,
		    &t->names, t->events[op].name) });
}

/* Add work SLICE of PROCESS, event E, if it is a collective. */
static void
add_collective(struct filler *f, const struct tp_torch_event *e,
    uint32_t slice, uint32_t process)
{
	const struct tp_torch *t = f->t;
	const struct tp_torch_collective *c = &t->collectives[e->collective];
	uint32_t name = f->tl->slices[slice].name;
	struct tp_collective one = { .slice = slice, .process = process,
	    .communicator = name, .what = name, .size = -1, .group = TP_NIL };

	if (f->tl->slices[slice].class != TP_PATH_COMMUNICATION)
		return;
	if (e->collective && c->name)
		one.what = (uint32_t)tp_names_add(&f->tl->names,
		    t->texts.names[c->name].text, t->texts.names[c->name].len);
	if (e->collective && c->group) {
		tp_buf_clear(&f->text);
		tp_buf_fmt(&f->text, "%s ", t->texts.names[c->group].text);
		tp_buf_str(&f->text, t->texts.names[c->ranks].text);
		one.communicator = (uint32_t)tp_names_add(&f->tl->names,
		    f->text.p, f->text.len);
		one.size = c->in_count;
	}
	TP_APPEND(f->tl->collectives, f->tl->collective_count,
	    f->tl->collective_cap, one);
}

/*
 * When work E, launched by CALL (or TP_TORCH_NO), ended.  A call that copies
 * pageable memory returns as its copy ends; by the clock of the device that may
 * be a little earlier, and would not be a wait for it.
 */
static int64_t
end_of(const struct tp_torch *t, const struct tp_torch_event *e, uint32_t call)
{
	int64_t until;

	if (call == TP_TORCH_NO || e->cat != TP_TORCH_MEMCPY)
		return e->to_ps;
	until = t->events[call].to_ps;
	return until < e->to_ps && (double)(e->to_ps - until) <
	    t->ops->copy_end * (double)(e->to_ps - e->from_ps) &&
	    t->events[call].from_ps < e->from_ps ? until : e->to_ps;
}

/* The call that made work AT (an event), or TP_TORCH_NO. */
static uint32_t
call_of(const struct tp_torch *t, uint32_t at)
{
	return tp_torch_is_linked(&t->events[at]) ?
	    tp_torch_submit_call(t, at) : t->alone && t->alone[at] ?
	    t->alone[at] - 1 : TP_TORCH_NO;
}

/* Say that PROCESS owns what has the numbers A and B, if no other one does. */
static void
own(struct filler *f, uint64_t a, uint64_t b, uint32_t process)
{
	size_t had = f->owned.count;
	ptrdiff_t at = tp_ids_add(&f->owned, a, b);
	uint32_t *owner = TP_ITEM(f->owners, f->owner_cap, at);

	*owner = (size_t)at == had || *owner == process ? process : TP_NIL;
}

static void
find_owners(struct filler *f)
{
	const struct tp_torch *t = f->t;

	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		uint32_t call = call_of(t, t->gpu[i]), process;

		if (call == TP_TORCH_NO)
			continue;
		process = process_of(f, t->events[call].lane);
		own(f, (uint16_t)e->device, stream_number(e), process);
		own(f, (uint16_t)e->device, UINT64_MAX, process);
	}
}

/* The process of E, whose launch is not in the trace. */
static uint32_t
owner_of(const struct filler *f, const struct tp_torch_event *e)
{
	ptrdiff_t at = tp_ids_find(&f->owned, (uint16_t)e->device,
	    stream_number(e));

	if (at < 0 || f->owners[at] == TP_NIL)
		at = tp_ids_find(&f->owned, (uint16_t)e->device, UINT64_MAX);
	return at < 0 || f->owners[at] == TP_NIL ? f->main : f->owners[at];
}

static void
add_work(struct filler *f)
{
	const struct tp_torch *t = f->t;

	find_owners(f);
	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		uint32_t call = call_of(t, t->gpu[i]);
		uint32_t process = call == TP_TORCH_NO ? owner_of(f, e) :
		    process_of(f, t->events[call].lane);

		if (tp_torch_is_linked(e))
			add_queued(f, call, e->launch);

		f->slice_of[t->gpu[i]] = 1 + tp_timeline_add(f->tl,
		    (struct tp_slice){ .from_ps = e->from_ps,
		    .to_ps = end_of(t, e, call),
		    .track = stream_of(f, e, process),
		    .name = name_of(f->tl, f->name_of, &t->names, e->name),
		    .launch = call == TP_TORCH_NO ? 0 : f->slice_of[call],
		    .kind = TP_SLICE_WORK, .class = (uint8_t)class_of(t, e),
		    .told = (uint8_t)tp_torch_is_migration(t, e),
		    .is_input = e->cat == TP_TORCH_MEMCPY &&
		    !strcmp(tp_torch_copy_direction(t, t->gpu[i]), "H2D") });
		add_collective(f, e, f->slice_of[t->gpu[i]] - 1, process);
	}
}

static void
add_waits(struct filler *f, const struct tp_torch_waits *waits)
{
	for (size_t i = 0; i < waits->count; i++) {
		const struct tp_torch_sync *s = &f->t->syncs[i];
		uint32_t after = s->kind == TP_TORCH_STREAM_EVENT ?
		    waits->list[i].next : s->call, awaited;

		if (!waits->list[i].place || after == TP_TORCH_NO ||
		    !f->slice_of[after])
			continue;
		awaited = waits->order[waits->list[i].place - 1].last;
		if (f->slice_of[awaited])
			TP_APPEND(f->tl->awaits, f->tl->await_count,
			    f->tl->await_cap, (struct tp_await){
			    f->slice_of[after] - 1, f->slice_of[awaited] - 1 });
	}
}

/*
 * Without marked steps, add those from the end of one step of the optimizer to
 * that of the next.  The first iteration is none: when it began is not known,
 * and what is done once is in it.
 */
static void
add_iterations(struct filler *f)
{
	const struct tp_torch *t = f->t;
	uint32_t *list = NULL;
	size_t count = 0, cap = 0, kept = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];

		if ((e->cat == TP_TORCH_OP || e->cat == TP_TORCH_ANNOTATION) &&
		    is_host(e) && tp_torch_starts(t, e, t->ops->optimizer))
			TP_APPEND(list, count, cap, (uint32_t)i);
	}
	if (count)
		tp_torch_sort(t, list, count);
	for (size_t i = 0; i < count; i++) {
		const struct tp_torch_event *e = &t->events[list[i]];

		if (e->lane == t->events[list[0]].lane && (!kept ||
		    e->from_ps >= t->events[list[kept - 1]].to_ps))
			list[kept++] = list[i];
	}
	for (size_t i = 1; (double)kept >= t->ops->iterations && i < kept;
	    i++) {
		const struct tp_torch_event *e = &t->events[list[i]];

		TP_APPEND(f->tl->steps, f->tl->step_count, f->tl->step_cap,
		    (struct tp_marked_step){ t->events[list[i - 1]].to_ps,
		    e->to_ps, thread_of(f, e->lane) });
	}
	tp_free(list);
}

/* Whether E is a range of the program on the lane that launches. */
static int
is_marked(const struct tp_torch *t, const struct tp_torch_event *e,
    uint32_t lane)
{
	return e->cat == TP_TORCH_ANNOTATION && e->lane == lane && is_host(e) &&
	    !tp_class_of_name(&t->ops->unmarked,
	    tp_torch_event_name(t, e)->text);
}

/* Whether COUNT events, LIST by start, follow each other and launch most. */
static int
is_loop(const struct tp_torch *t, const uint32_t *list, size_t count)
{
	size_t inside = 0, at;

	for (size_t i = 1; i < count; i++)
		if (t->events[list[i]].from_ps < t->events[list[i - 1]].to_ps)
			return 0;
	for (size_t i = 0; i < t->link_count; i++) {
		const struct tp_torch_event *e = &t->events[t->links[i].call];

		TP_SEEK(at, 0, count, mid, t->events[list[mid]].from_ps <=
		    e->from_ps);
		inside += at && e->lane == t->events[list[0]].lane &&
		    e->from_ps < t->events[list[at - 1]].to_ps;
	}
	return (double)inside >= t->ops->repeats_launch *
	    (double)t->link_count;
}

/*
 * Without steps of an optimizer, add the ranges of one name in which nearly all
 * is launched, each until the next one.  The first is none if it takes far
 * longer than the others: what is done once is in it.
 */
static void
add_repeats(struct filler *f, uint32_t lane)
{
	const struct tp_torch *t = f->t;
	uint32_t *list = NULL, name = 0;
	uint64_t *counts = tp_zalloc((t->names.count + 1) * sizeof *counts);
	int64_t *times;
	size_t count = 0, cap = 0, first;

	for (size_t i = 0; i < t->count; i++)
		if (is_marked(t, &t->events[i], lane) &&
		    ++counts[t->events[i].name] > counts[name])
			name = t->events[i].name;
	for (size_t i = 0; i < t->count; i++)
		if (t->events[i].name == name && is_marked(t, &t->events[i],
		    lane))
			TP_APPEND(list, count, cap, (uint32_t)i);
	tp_free(counts);
	if (count)
		tp_torch_sort(t, list, count);
	if ((double)count < t->ops->repeats || !is_loop(t, list, count)) {
		tp_free(list);
		return;
	}
	times = tp_alloc(count * sizeof *times);
	for (size_t i = 0; i < count; i++)
		times[i] = t->events[list[i]].to_ps -
		    t->events[list[i]].from_ps;
	first = (double)times[0] > t->ops->warm_up * (double)tp_pick_int(
	    times + 1, count - 1, (count - 1) / 2);
	for (size_t i = first; i < count; i++)
		TP_APPEND(f->tl->steps, f->tl->step_count, f->tl->step_cap,
		    (struct tp_marked_step){ t->events[list[i]].from_ps,
		    i + 1 < count ? t->events[list[i + 1]].from_ps :
		    t->events[list[i]].to_ps, thread_of(f, lane) });
	tp_free(times);
	tp_free(list);
}

/*
 * The name of state S; of a sample the function, or its binary (in the next
 * line) where that is unknown.
 */
static uint32_t
name_of_state(struct filler *f, const struct tp_torch_state *s)
{
	const struct tp_name *name = &f->t->texts.names[s->name];
	const char *line = memchr(name->text, '\n', name->len);
	size_t len = line ? (size_t)(line - name->text) : name->len;

	tp_buf_clear(&f->text);
	if (line && *name->text == '[')
		tp_buf_str(&f->text, line + 1);
	else
		tp_buf_add(&f->text, name->text, len);
	return (uint32_t)tp_names_add(&f->tl->names, f->text.p, f->text.len);
}

static enum tp_path_class
class_of_state(const struct tp_torch *t, const struct tp_torch_state *s)
{
	const struct tp_class *c = s->kind == TP_TORCH_OS_CALL ?
	    tp_class_of_name(&t->ops->blocking, t->texts.names[s->name].text) :
	    NULL;

	if (!c)
		return s->kind == TP_TORCH_ON_CPU ? TP_PATH_BLOCKED :
		    s->kind == TP_TORCH_SAMPLE ? TP_PATH_SAMPLED :
		    TP_PATH_UNTRACED;
	return tp_path_class_called(tp_json_text(c->row, "class"),
	    TP_PATH_UNTRACED);
}

/* Add the states of threads from the first of the slices from FIRST on. */
static void
add_states(struct filler *f, size_t first)
{
	const struct tp_torch *t = f->t;
	struct tp_timeline *tl = f->tl;
	int64_t from = INT64_MAX, to = INT64_MIN;

	for (size_t i = first; i < tl->slice_count; i++) {
		TP_LEAST(from, tl->slices[i].from_ps);
		TP_MOST(to, tl->slices[i].to_ps);
	}
	for (size_t i = 0; i < t->state_count; i++) {
		const struct tp_torch_state *s = &t->states[i];

		if (s->to_ps > from && s->from_ps < to && tp_ids_find(
		    &f->processes, t->lanes[s->lane].process_id, 0) >= 0)
			TP_APPEND(tl->states, tl->state_count, tl->state_cap,
			    (struct tp_state){ s->from_ps,
			    s->to_ps < to ? s->to_ps : to,
			    s->kind == TP_TORCH_SAMPLE ? s->to_ps : s->from_ps,
			    thread_of(f, s->lane), s->name ?
			    name_of_state(f, s) : TP_NIL,
			    (uint8_t)class_of_state(t, s),
			    s->kind == TP_TORCH_SAMPLE });
	}
}

void
tp_torch_to_timeline(struct tp_torch *t, const struct tp_torch_waits *waits,
    struct tp_timeline *tl, int64_t rank, int64_t shift_ps)
{
	size_t slices = tl->slice_count, steps = tl->step_count;
	size_t states = tl->state_count;
	struct filler f = { .t = t, .tl = tl,
	    .process_base = (uint32_t)tl->process_count };

	if (!t->lane_count)
		return;
	if (tl->process_count)
		f.clock = tl->processes[tl->process_count - 1].clock + 1;
	for (size_t i = 0; i < tl->track_count; i++)
		TP_MOST(f.device_base, tl->tracks[i].device + 1);
	f.slice_of = tp_zalloc((t->count + 1) * sizeof *f.slice_of);
	f.track_of = tp_zalloc((t->lane_count + 1) * sizeof *f.track_of);
	f.name_of = tp_zalloc((t->names.count + 1) * sizeof *f.name_of);
	f.function_of = tp_zalloc((t->function_names.count + 1) *
	    sizeof *f.function_of);
	add_host(&f);
	if (tl->step_count == steps)
		add_iterations(&f);
	if (tl->step_count == steps && f.busiest != TP_TORCH_NO &&
	    t->link_count)
		add_repeats(&f, f.busiest);
	add_work(&f);
	add_waits(&f, waits);
	add_states(&f, slices);
	tl->processes[f.main].rank = rank;
	if (t->profiled_ps > 0 && (!tl->is_recorded ||
	    t->profiled_from_ps + shift_ps < tl->recorded_ps)) {
		tl->recorded_ps = t->profiled_from_ps + shift_ps;
		tl->is_recorded = 1;
	}
	for (size_t i = slices; i < tl->slice_count; i++) {
		tl->slices[i].from_ps += shift_ps;
		tl->slices[i].to_ps += shift_ps;
	}
	for (size_t i = states; i < tl->state_count; i++) {
		tl->states[i].from_ps += shift_ps;
		tl->states[i].to_ps += shift_ps;
		tl->states[i].at_ps += shift_ps;
	}
	for (size_t i = steps; i < tl->step_count; i++) {
		tl->steps[i].from_ps += shift_ps;
		tl->steps[i].to_ps += shift_ps;
	}
	tp_free(f.slice_of);
	tp_free(f.track_of);
	tp_free(f.name_of);
	tp_free(f.function_of);
	tp_ids_release(&f.processes);
	tp_ids_release(&f.streams);
	tp_ids_release(&f.devices);
	tp_ids_release(&f.owned);
	tp_free(f.owners);
	tp_buf_release(&f.text);
}
