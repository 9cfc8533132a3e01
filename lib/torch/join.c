/*
 * join - match GPU work with the calls that launched it
 *
 * A launch and its work have one number (correlation, or External id in traces
 * without it) and are connected by an arrow.  Without the end of an arrow they
 * do not belong together, unless the trace has no arrows at all.  Its start is
 * missing where ROCm sets memory: then the call is known, but the work is in no
 * table of operators, as in those of others.  A launch of a graph has all work
 * with its number.  If several calls have one number, as the calls of an
 * operator do by External id, and there are as many pieces of work, they are
 * paired by start; otherwise work belongs to the last call that began before
 * it.
 *
 * If operators put calls into a queue and another thread makes them, the
 * parent of the work is the call that was put in; tp_torch_submit_call() is the
 * call that was made.
 */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "torch.h"

/* GPU work by number: the first, and for each the next with its number. */
struct works {
	struct tp_ids by_lane, by_number;
	uint32_t *last;			/* by (lane, number): the last */
	uint32_t *first, *tail;		/* by number */
	uint32_t *next;			/* by place in t->gpu */
	size_t lane_cap, first_cap, tail_cap;
	struct numbered_call {
		uint32_t number, call;	/* calls that may have any work of their
					 * number */
	} *numbered_calls;
	size_t numbered_count, numbered_cap;
};

static void
add_work(struct tp_torch *t, struct works *w, uint32_t place)
{
	const struct tp_torch_event *e = &t->events[t->gpu[place]];
	int64_t key = tp_torch_link_number(t, e);
	size_t had = w->by_number.count;
	ptrdiff_t lane, number;

	w->next[place] = TP_TORCH_NO;
	if (key == TP_TORCH_NONE)
		return;
	lane = tp_ids_add(&w->by_lane, (uint64_t)key, e->lane);
	number = tp_ids_add(&w->by_number, (uint64_t)key, 0);
	TP_ITEM(w->last, w->lane_cap, lane);
	tp_grow(&w->first, &w->first_cap, (size_t)number + 1, sizeof *w->first);
	tp_grow(&w->tail, &w->tail_cap, (size_t)number + 1, sizeof *w->tail);
	w->last[lane] = t->gpu[place];
	if ((size_t)number == had)
		w->first[number] = place;
	else
		w->next[w->tail[number]] = place;
	w->tail[number] = place;
}

static void
link_up(struct tp_torch *t, uint32_t call, uint32_t work)
{
	TP_APPEND(t->links, t->link_count, t->link_cap, (struct tp_torch_link){
	    call, work });
}

/* Note that CALL made WORK, unless an earlier one did. */
static void
add_alone(struct tp_torch *t, uint32_t call, uint32_t work)
{
	if (!t->alone)
		t->alone = tp_zalloc((t->count + 1) * sizeof *t->alone);
	if (t->alone[work])
		return;
	t->alone[work] = call + 1;
	t->alone_count++;
}

/*
 * Link the work that CALL, with number KEY, launched, or add CALL to the
 * numbered calls.
 */
static void
join(struct tp_torch *t, struct works *w, uint32_t call, int64_t key)
{
	const struct tp_torch_event *e = &t->events[call];
	ptrdiff_t at;
	int has_start;

	if (tp_torch_trait(t, e)->launches_graph ||
	    (!t->arrow_ids.count && !t->by_external)) {
		at = tp_ids_find(&w->by_number, (uint64_t)key, 0);
		if (at >= 0)
			tp_grow(&w->numbered_calls, &w->numbered_cap,
			    w->numbered_count + 1, sizeof *w->numbered_calls);
		if (at >= 0)
			w->numbered_calls[w->numbered_count++] =
			    (struct numbered_call){ (uint32_t)at, call };
		return;
	}
	at = tp_ids_find(&t->arrow_ids, (uint64_t)key, 0);
	if (at < 0 || t->arrows[at].end == TP_TORCH_NO)
		return;
	has_start = t->arrows[at].start;
	at = tp_ids_find(&w->by_lane, (uint64_t)key, t->arrows[at].end);
	if (at >= 0 && has_start)
		link_up(t, call, w->last[at]);
	else if (at >= 0 && t->events[w->last[at]].from_ps >= e->from_ps)
		add_alone(t, call, w->last[at]);
}

/* The trace whose events by_number() compares. */
static const struct tp_torch *sorting;

static int
by_number(const void *pa, const void *pb)
{
	const struct numbered_call *a = pa, *b = pb;
	int64_t from = sorting->events[a->call].from_ps;
	int64_t other = sorting->events[b->call].from_ps;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	if (from != other)
		return from < other ? -1 : 1;
	return a->call < b->call ? -1 : a->call > b->call;
}

/*
 * Link COUNT pieces of work, WORKS by start, to the calls A to END with the
 * same number.
 */
static void
divide(struct tp_torch *t, const struct numbered_call *a,
    const struct numbered_call *end, const uint32_t *works, size_t count)
{
	int paired = (size_t)(end - a) == count;

	for (size_t i = 0; i < count; i++) {
		const struct tp_torch_event *e = &t->events[works[i]];

		while (!paired && end - a > 1 &&
		    t->events[a[1].call].from_ps <= e->from_ps)
			a++;
		link_up(t, t->captured_call && t->captured_call[works[i]] ?
		    t->captured_call[works[i]] - 1 : a->call, works[i]);
		a += paired;
	}
}

static void
join_numbered(struct tp_torch *t, struct works *w)
{
	struct numbered_call *a = w->numbered_calls,
	    *all = a + w->numbered_count, *end;
	uint32_t *works = NULL;
	size_t count, cap = 0;

	sorting = t;
	TP_SORT(a, w->numbered_count, by_number);
	for (; a < all; a = end) {
		for (end = a; end < all && end->number == a->number; end++)
			;
		count = 0;
		for (uint32_t p = w->first[a->number]; p != TP_TORCH_NO;
		    p = w->next[p])
			TP_APPEND(works, count, cap, t->gpu[p]);
		if (end - a > 1)
			tp_torch_sort(t, works, count);
		divide(t, a, end, works, count);
	}
	tp_free(works);
}

struct placed {
	uint32_t order, index;
	struct tp_torch_link link;
};

TP_ORDER(by_order, struct placed, TP_UP(order) TP_UP(index))

/*
 * Sort links by the place of their call in the tree; calls outside the tree
 * come last.
 */
static void
sort_links(struct tp_torch *t)
{
	struct placed *list = tp_alloc((t->link_count + 1) * sizeof *list);

	for (size_t i = 0; i < t->link_count; i++)
		list[i] = (struct placed){
		    t->events[t->links[i].call].order, (uint32_t)i,
		    t->links[i] };
	TP_SORT(list, t->link_count, by_order);
	t->tree_link_count = 0;
	for (size_t i = 0; i < t->link_count; i++) {
		t->links[i] = list[i].link;
		t->tree_link_count += list[i].order != TP_TORCH_NO;
	}
	tp_free(list);
	tp_torch_count_links(t);
}

struct by_start {
	int64_t from_ps;
	uint32_t event;
};

TP_ORDER(earlier, struct by_start, TP_UP(from_ps) TP_UP(event))

void
tp_torch_sort(const struct tp_torch *t, uint32_t *events, size_t count)
{
	struct by_start *list = tp_alloc((count + 1) * sizeof *list);

	for (size_t i = 0; i < count; i++)
		list[i] = (struct by_start){ t->events[events[i]].from_ps,
		    events[i] };
	TP_SORT(list, count, earlier);
	for (size_t i = 0; i < count; i++)
		events[i] = list[i].event;
	tp_free(list);
}

/* The event around CALL that took it out of a queue, or TP_TORCH_NO. */
static uint32_t
taken_in(const struct tp_torch *t, uint32_t call)
{
	while (call != TP_TORCH_NO && t->events[call].cat != TP_TORCH_DEQUEUE)
		call = t->events[call].parent;
	return call;
}

/*
 * If IN, which put a call into a queue, lies in an event with the name of
 * the call that OUT took from it, that event is the call.  If an operator is
 * around it, it must not count as an operator itself.
 */
static void
pass_over(struct tp_torch *t, uint32_t in, uint32_t out)
{
	const struct tp_name *name = tp_torch_event_name(t, &t->events[out]);
	size_t skip = strlen(t->ops->dequeue);
	uint32_t call = tp_torch_calling_op(t, in);
	const struct tp_name *own = call == TP_TORCH_NO ? NULL :
	    tp_torch_event_name(t, &t->events[call]);

	if (own && name->len == skip + own->len &&
	    !memcmp(name->text, t->ops->dequeue, skip) &&
	    !memcmp(name->text + skip, own->text, own->len) &&
	    tp_torch_calling_op(t, call) != TP_TORCH_NO) {
		t->events[call].cat = TP_TORCH_ENQUEUE;
		t->cat_count[TP_TORCH_OP]--;
		t->cat_count[TP_TORCH_ENQUEUE]++;
	}
}

/*
 * The name of WORK.  If it is a copy without a direction and the call that OUT
 * took from a queue has one, that call's name is appended.
 */
static ptrdiff_t
work_name_of(struct tp_torch *t, const struct tp_torch_event *work,
    uint32_t out)
{
	const struct tp_name *own = tp_torch_event_name(t, work);
	const struct tp_name *call = tp_torch_event_name(t, &t->events[out]);
	size_t skip = strlen(t->ops->dequeue);

	if (work->bucket != TP_TORCH_COPY || call->len <= skip ||
	    strcmp(tp_torch_direction(t->ops, own->text), "other") ||
	    !strcmp(tp_torch_direction(t->ops, call->text), "other"))
		return work->name;
	tp_buf_clear(&t->text);
	tp_buf_add(&t->text, own->text, own->len);
	tp_buf_chr(&t->text, ' ');
	tp_buf_add(&t->text, call->text + skip, call->len - skip);
	return tp_torch_add_name(t, t->text.p, t->text.len);
}

const char *
tp_torch_copy_direction(const struct tp_torch *t, uint32_t at)
{
	static const char *const kinds[] = { NULL, NULL, "H2D", "D2H", "D2D" };
	const struct tp_torch_event *e = &t->events[at], *call;

	if (e->launch != TP_TORCH_NO) {
		call = &t->events[tp_torch_captured_call(t, at)];
		if (call->cat == TP_TORCH_RUNTIME && call->copy_kind <
		    sizeof kinds / sizeof *kinds && kinds[call->copy_kind])
			return kinds[call->copy_kind];
	}
	return tp_torch_direction(t->ops, tp_torch_event_name(t, e)->text);
}

static uint64_t
external_of(const struct tp_torch *t, size_t event)
{
	return (uint64_t)tp_torch_number(t, t->events[event].external);
}

/*
 * Link work of calls taken out of a queue to the calls that put them in; both
 * have one number.
 */
static void
take_queue(struct tp_torch *t)
{
	struct tp_ids ids = { 0 };
	uint32_t *in = NULL;
	size_t cap = 0;
	ptrdiff_t at;

	if (!t->cat_count[TP_TORCH_DEQUEUE])
		return;
	t->submit_call = tp_zalloc((t->count + 1) * sizeof *t->submit_call);
	for (size_t i = 0; i < t->count; i++) {
		if (t->events[i].cat != TP_TORCH_ENQUEUE ||
		    t->events[i].external == TP_TORCH_NO)
			continue;
		at = tp_ids_add(&ids, external_of(t, i), 0);
		tp_grow(&in, &cap, ids.count, sizeof *in);
		in[at] = (uint32_t)i;
	}
	for (size_t i = 0; i < t->count; i++) {
		ptrdiff_t found = t->events[i].cat != TP_TORCH_DEQUEUE ? -1 :
		    tp_ids_find(&ids, external_of(t, i), 0);

		if (found >= 0)
			pass_over(t, in[found], (uint32_t)i);
	}
	for (size_t i = 0; i < t->link_count; i++) {
		struct tp_torch_link *link = &t->links[i];
		uint32_t out = taken_in(t, link->call);
		ptrdiff_t found = out == TP_TORCH_NO ? -1 :
		    tp_ids_find(&ids, external_of(t, out), 0);

		if (found < 0)
			continue;
		t->submit_call[link->work] = link->call + 1;
		link->call = in[found];
		t->events[link->work].name = (uint32_t)work_name_of(t,
		    &t->events[link->work], out);
	}
	tp_ids_release(&ids);
	tp_free(in);
}

static void
join_all(struct tp_torch *t, struct works *w)
{
	uint32_t outer;

	for (uint32_t i = 0; i < t->gpu_count; i++)
		add_work(t, w, i);
	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];
		int64_t key = tp_torch_link_number(t, e);

		if (e->cat != TP_TORCH_RUNTIME || key == TP_TORCH_NONE)
			continue;
		/*
		 * a driver call may have the number of the runtime call around
		 * it
		 */
		outer = tp_torch_outer_call(t, (uint32_t)i);
		if (outer == TP_TORCH_NO || tp_torch_is_captured(e) ||
		    tp_torch_link_number(t, &t->events[outer]) != key)
			join(t, w, (uint32_t)i, key);
	}
	join_numbered(t, w);
	take_queue(t);
	for (size_t i = 0; i < t->link_count; i++) {
		struct tp_torch_event *e = &t->events[t->links[i].work];
		uint32_t call = t->links[i].call;

		/* the call that launched the graph */
		while (tp_torch_is_captured(&t->events[call]) &&
		    t->events[call].parent != TP_TORCH_NO)
			call = t->events[call].parent;
		t->linked_count += e->launch == TP_TORCH_NO;
		e->launch = call;
	}
	sort_links(t);
	tp_torch_sort(t, t->gpu, t->gpu_count);
}

void
tp_torch_join(struct tp_torch *t)
{
	struct works w = { 0 };

	for (size_t i = 0; i < t->count; i++)
		t->gpu_count += (size_t)tp_torch_is_gpu(&t->events[i]);
	t->gpu = tp_alloc((t->gpu_count + 1) * sizeof *t->gpu);
	w.next = tp_alloc((t->gpu_count + 1) * sizeof *w.next);
	for (size_t i = 0, n = 0; i < t->count; i++)
		if (tp_torch_is_gpu(&t->events[i]))
			t->gpu[n++] = (uint32_t)i;
	join_all(t, &w);
	t->arrow_count = t->arrow_ids.count;
	tp_ids_release(&t->arrow_ids);
	tp_free(t->arrows);
	t->arrows = NULL;
	tp_ids_release(&w.by_lane);
	tp_ids_release(&w.by_number);
	tp_free(w.last);
	tp_free(w.first);
	tp_free(w.tail);
	tp_free(w.numbered_calls);
	tp_free(w.next);
}
