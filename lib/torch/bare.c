/*
 * bare - types of events without a category
 *
 * Ascend's trace_view.json has such events: calls of the runtime, device work,
 * and events derived from both.  The names of process and thread and the type
 * of the task tell them apart ("bare" of share/ops/torch.json); these names may
 * come after the events.  Calls are in a process of their own; each belongs to
 * the thread with the same number that has operators.
 *
 * So do the lists of PyTorch's profiler before 1.8, whose processes are "CPU
 * functions" and "CUDA functions", and rocprof's JSON.  In such a list a row of
 * the device is the time between two events around an operator, not a kernel,
 * unless it has a name of its own.  A trace of which nothing is known is of
 * another program: all its events are then as operators.
 *
 * Memory: these events until then; distinct tasks per lane.
 */
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include <tp/alloc.h>
#include <tp/buf.h>
#include <tp/json.h>
#include <tp/order.h>

#include "torch.h"

/* Categories of events that are not kept: parts of a collective that move
 * bytes, until they end or until an unknown time, or that wait for a rank. */
enum { MOVES = TP_TORCH_STRANGE + 1, MOVES_LONGER, WAITS,
    /* times of operators, if they are called as one; else a kernel */
    OP_TIMES };

struct settling {
	struct tp_torch *t;
	const struct tp_events *events;
	struct tp_ids ids;	/* pairs of lane and task */
	int *cats;		/* by index in ids: category, -1: unknown */
	size_t cap;
	struct tp_buf text;
	uint32_t *thread;	/* by lane: the lane its calls belong to */
	const struct tp_class *by;	/* another profiler, or NULL */
	int gpus, gpu;		/* 0, 1, or 2: several GPUs have kernels; the
				 * last one */
	unsigned char *is_op;	/* by name: an operator has it */
	struct tp_names pids;	/* of processes with a name, as text, */
	uint32_t *called;	/* ... and that name, in texts */
	size_t called_cap;
};

static void
add_text(struct settling *s, uint32_t text)
{
	const struct tp_name *name = &s->t->texts.names[text];

	tp_buf_add(&s->text, name->text, name->len);
}

/* Set s->text to the process of E, or its id if that is a text. */
static void
describe_process(struct settling *s, const struct tp_torch_event *e)
{
	uint32_t process = s->t->lanes[e->lane].process;
	const struct tp_arg *pid = &tp_events_lane(s->events, e->lane)->pid;
	ptrdiff_t at = pid->type != TP_ARG_STRING ? -1 :
	    tp_names_find(&s->pids, pid->text, pid->len);

	tp_buf_clear(&s->text);
	if (s->by) {
		tp_buf_str(&s->text, s->by->name);
		tp_buf_chr(&s->text, '/');
	}
	if (process || pid->type != TP_ARG_STRING)
		add_text(s, process);
	else if (at >= 0)
		add_text(s, s->called[at]);	/* rocprof: 6 and "6" */
	else
		tp_buf_add(&s->text, pid->text, pid->len);
}

/* Set s->text to PROCESS/THREAD/TASK. */
static void
describe(struct settling *s, const struct tp_torch_event *e)
{
	const struct tp_torch_lane *lane = &s->t->lanes[e->lane];

	describe_process(s, e);
	tp_buf_chr(&s->text, '/');
	add_text(s, lane->thread);
	tp_buf_chr(&s->text, '/');
	add_text(s, e->task);
}

/* The category of C or one of those above, or -1 if C is NULL. */
static int
cat_of_class(const struct tp_class *c)
{
	const char *moves = c ? tp_json_text(c->row, "moves") : NULL;

	if (moves)
		return strcmp(moves, "longer") ? MOVES : MOVES_LONGER;
	if (c && tp_json_text(c->row, "times"))
		return OP_TIMES;
	if (c && tp_json_text(c->row, "awaits"))
		return WAITS;
	return c ? c->number : -1;
}

/* Set *CAT to the category of E. */
static void
cat_of(struct settling *s, const struct tp_torch_event *e, int *cat)
{
	size_t had = s->ids.count;
	ptrdiff_t at = tp_ids_add(&s->ids, e->lane, e->task);
	const struct tp_class *c;

	if (s->ids.count > had) {
		describe(s, e);
		tp_grow(&s->cats, &s->cap, s->ids.count, sizeof *s->cats);
		c = tp_class_of_part(&s->t->ops->bare, s->text.p, s->text.len);
		s->cats[at] = cat_of_class(c);
		if (c && tp_torch_device_of(c))
			s->t->device_kind = tp_torch_device_of(c);
	}
	*cat = s->cats[at];
}

/* Count E as an event that is not read. */
static void
pass_over(struct settling *s, const struct tp_torch_event *e)
{
	describe_process(s, e);
	if (e->task) {
		tp_buf_chr(&s->text, '/');
		add_text(s, e->task);
	}
	if (!s->text.len)
		tp_buf_add(&s->text, "(none)", 6);
	tp_torch_add_unread(s->t, s->text.p, s->text.len);
}

/*
 * Assign lanes of calls to the lanes of operators with the same thread number.
 */
static void
find_threads(struct settling *s, const struct tp_events *events)
{
	const struct tp_torch *t = s->t;
	struct tp_names threads = { 0 };
	uint32_t *first = tp_alloc((t->lane_count + 1) * sizeof *first);
	unsigned char *has = tp_zalloc(t->lane_count + 1);
	ptrdiff_t at;

	for (size_t i = 0; i < t->count; i++)
		if (t->events[i].cat == TP_TORCH_OP ||
		    t->events[i].cat == TP_TORCH_DEQUEUE)
			has[t->events[i].lane] = 1;
	/* lanes with operators first: others are assigned to them */
	for (int other = 0; other < 2; other++)
		for (size_t i = 0; i < t->lane_count; i++) {
			const struct tp_arg *tid =
			    &tp_events_lane(events, i)->tid;
			size_t had = threads.count;

			if (has[i] == other)
				continue;
			at = tp_names_add(&threads, tid->text ? tid->text :
			    "", tid->len);
			if (threads.count > had)
				first[at] = (uint32_t)i;
			s->thread[i] = has[first[at]] ? first[at] : (uint32_t)i;
		}
	tp_names_release(&threads);
	tp_free(first);
	tp_free(has);
}

/* Remember what processes are called. */
static void
find_names(struct settling *s)
{
	for (size_t i = 0; i < s->t->lane_count; i++) {
		const struct tp_arg *pid = &tp_events_lane(s->events, i)->pid;
		ptrdiff_t at;

		if (!s->t->lanes[i].process || !pid->type)
			continue;
		at = tp_names_add(&s->pids, pid->text, pid->len);
		TP_ITEM(s->called, s->called_cap, at);
		s->called[at] = s->t->lanes[i].process;
	}
}

/* A lane of a trace, to sort. */
struct place {
	size_t process;
	int64_t tid;
	uint32_t lane;
};

TP_ORDER(by_place, struct place, TP_UP(process) TP_UP(tid) TP_UP(lane))

TP_ORDER(by_start, struct tp_torch_move, TP_UP(from) TP_UP(to))

TP_ORDER(by_peer, struct tp_torch_for_rank, TP_UP(lane) TP_UP(peer)
    TP_UP(from) TP_UP(to))

/*
 * The planes of a group of ranks come behind the lane of its collectives:
 * assigns moves and waits to the latter.
 */
static void
find_groups(struct tp_torch *t, const struct tp_events *events)
{
	struct place *list = tp_alloc((t->lane_count + 1) * sizeof *list);
	uint32_t *group = tp_alloc((t->lane_count + 1) * sizeof *group);
	unsigned char *has = tp_zalloc(t->lane_count + 1);

	for (size_t i = 0; i < t->count; i++)
		has[t->events[i].lane] |= tp_torch_is_gpu(&t->events[i]) != 0;
	for (size_t i = 0; i < t->lane_count; i++) {
		const struct tp_lane *lane = tp_events_lane(events, i);

		list[i] = (struct place){ lane->process, lane->tid_n,
		    (uint32_t)i };
	}
	TP_SORT(list, t->lane_count, by_place);
	for (size_t i = 0; i < t->lane_count; i++)
		group[list[i].lane] = has[list[i].lane] ? list[i].lane :
		    i && list[i].process == list[i - 1].process ?
		    group[list[i - 1].lane] : TP_TORCH_NO;
	for (size_t i = 0; i < t->move_count; i++)
		t->moves[i].lane = group[t->moves[i].lane];
	for (size_t i = 0; i < t->wait_count; i++)
		t->waits[i].lane = group[t->waits[i].lane];
	tp_free(list);
	tp_free(group);
	tp_free(has);
}

/*
 * Keep E, which moves bytes or waits by CAT, for its collective.  A wait for no
 * known rank is left out.
 */
static void
keep_part(struct tp_torch *t, const struct tp_torch_event *e, int cat)
{
	int64_t peer = tp_torch_number(t, e->peer);

	if (cat != WAITS) {
		TP_APPEND(t->moves, t->move_count, t->move_cap,
		    (struct tp_torch_move){ e->from_ps, cat == MOVES ?
		    e->to_ps : INT64_MAX, e->lane });
		return;
	}
	/* ranks that do not exist are written as 2^32 - 1 */
	if (peer < 0 || peer > INT32_MAX)
		return;
	TP_APPEND(t->waits, t->wait_count, t->wait_cap,
	    (struct tp_torch_for_rank){ e->from_ps, e->to_ps, e->lane,
	    (int32_t)peer });
}

/* Add E with category CAT. */
static void
settle_event(struct settling *s, struct tp_torch_event *e, int cat)
{
	const struct tp_arg *tid = &tp_events_lane(s->events, e->lane)->tid;

	/* as tp_torch_add() does */
	if (cat == TP_TORCH_OP && !s->t->is_strange &&
	    (tp_torch_trait(s->t, e)->is_step || tp_torch_trait(s->t,
	    e)->about))
		cat = TP_TORCH_ANNOTATION;
	e->cat = (uint8_t)cat;
	e->last = e->number = TP_TORCH_NO;
	s->t->cat_count[cat]++;
	if (tp_torch_is_gpu(e)) {
		e->bucket = tp_torch_bucket_of(s->t, e);
		/* the thread of a kernel without a stream is its stream, and in
		 * PyTorch's lists its device */
		if (s->by && cat == TP_TORCH_KERNEL && e->stream < 0)
			e->stream = (int32_t)tp_torch_natural(tid, INT32_MAX);
		else if (!s->by && s->is_op)
			e->device = (int16_t)tp_torch_natural(tid, INT16_MAX);
		return;
	}
	e->args = 0;
	e->stream = -1;		/* of an operator it would be its stack */
	e->lane = s->thread[e->lane];
}

/* Whose trace it is, if another profiler wrote it without categories. */
static const struct tp_class *
recorder_of(const struct tp_torch *t, const struct tp_events *events)
{
	const struct tp_classes *list = &t->ops->recorders;
	const struct cJSON *i;
	const struct tp_class *found = NULL;
	char text[100];

	for (size_t p = 0; !found && p < tp_events_process_count(events); p++)
		if (tp_events_process_name(events, p))
			found = tp_class_of_name(list,
			    tp_events_process_name(events, p));
	cJSON_ArrayForEach(i, tp_events_member(events, "otherData")) {
		snprintf(text, sizeof text, "otherData/%s", i->string ?
		    i->string : "");
		found = found ? found : tp_class_of_name(list, text);
	}
	return found;
}

/*
 * Whether the type of any event is known, and which names operators have.
 * Returns 1 or 0.
 */
static int
look_through(struct settling *s)
{
	struct tp_torch *t = s->t;
	int any = t->cats_seen || t->recorder || s->by, times = 0, cat;

	s->is_op = tp_zalloc(t->names.count + 1);
	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];

		cat = -1;
		if (e->cat == TP_TORCH_BARE)
			cat_of(s, e, &cat);
		any |= cat >= 0;
		times |= cat == OP_TIMES;
		if (cat == TP_TORCH_KERNEL && (!s->gpus ||
		    s->gpu != e->device)) {
			s->gpus += s->gpus < 2;
			s->gpu = e->device;
		}
		s->is_op[e->name] |= cat == TP_TORCH_OP;
	}
	if (!times) {
		tp_free(s->is_op);
		s->is_op = NULL;
	}
	return any;
}

/* Take all events as operators, as nothing is known of the trace. */
static void
take_all(struct settling *s)
{
	struct tp_torch *t = s->t;

	t->is_strange = 1;
	for (size_t i = 0; i < t->count; i++) {
		settle_event(s, &t->events[i], TP_TORCH_OP);
		t->events[i].correlation = t->events[i].external = TP_TORCH_NO;
	}
}

void
tp_torch_settle_bare(struct tp_torch *t, const struct tp_events *events)
{
	struct settling s = { .t = t, .events = events,
	    .by = recorder_of(t, events), .thread = tp_alloc(
	    (t->lane_count + 1) * sizeof *s.thread) };
	int cat, known;
	size_t n = 0;

	find_threads(&s, events);
	find_names(&s);
	known = look_through(&s);
	if (s.by && !t->recorder) {
		t->recorder = s.by->name;
		t->framework = tp_json_text(s.by->row, "framework");
	}
	if (!known)
		take_all(&s);
	for (size_t i = 0; known && i < t->count; i++) {
		struct tp_torch_event *e = &t->events[i];

		if (e->cat == TP_TORCH_STRANGE) {
			t->sum_ps -= e->to_ps - e->from_ps;
			continue;
		}
		if (e->cat == TP_TORCH_BARE) {
			cat_of(&s, e, &cat);
			if (cat == OP_TIMES && s.is_op[e->name]) {
				t->op_time_count++;
				cat = TP_TORCH_OTHER;
			} else if (cat == OP_TIMES) {
				cat = TP_TORCH_KERNEL;
			} else if (s.by && cat == TP_TORCH_MEMCPY) {
				/* rocprof does not say which GPU it is of */
				e->device = (int16_t)(s.gpus == 1 ? s.gpu : -1);
				cat = s.gpus > 1 ? -1 : cat;
			}
			if (cat < 0 && e->to_ps > e->from_ps)
				pass_over(&s, e);
			if (cat >= MOVES)
				keep_part(t, e, cat);
			if (cat <= TP_TORCH_OTHER || cat >= MOVES) {
				t->sum_ps -= e->to_ps - e->from_ps;
				continue;
			}
			settle_event(&s, e, cat);
		}
		t->events[n++] = *e;
	}
	if (known)
		t->count = n;
	if (t->move_count + t->wait_count)
		find_groups(t, events);
	TP_SORT(t->moves, t->move_count, by_start);
	TP_SORT(t->waits, t->wait_count, by_peer);
	tp_ids_release(&s.ids);
	tp_free(s.cats);
	tp_buf_release(&s.text);
	tp_free(s.thread);
	tp_free(s.is_op);
	tp_names_release(&s.pids);
	tp_free(s.called);
}
