/* sync - who waited for which GPU work, as recorded by the driver */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "sync.h"

/*
 * By call, then by all properties, so that the order in the file does not
 * matter.
 */
TP_ORDER(by_call, struct tp_torch_sync, TP_UP(call) TP_UP(correlation)
    TP_UP(from_ps) TP_UP(to_ps) TP_UP(kind) TP_UP(device) TP_UP(stream)
    TP_UP(awaited) TP_UP(record) TP_UP(uid))

/* Add a call for a wait of the host whose call was not recorded. */
static void
add_call(struct tp_torch *t, struct tp_torch_sync *s)
{
	uint32_t correlation;

	if (t->count >= TP_TORCH_MOST)
		tp_no_memory();
	tp_grow(&t->events, &t->cap, t->count + 1, sizeof *t->events);
	tp_torch_put_number(t, &correlation, s->correlation);
	s->call = (uint32_t)t->count;
	t->events[t->count++] = (struct tp_torch_event){
	    .from_ps = s->from_ps, .to_ps = s->to_ps,
	    .correlation = correlation, .external = TP_TORCH_NO,
	    .number = TP_TORCH_NO, .name = s->name, .lane = s->lane,
	    .uid = s->uid, .parent = TP_TORCH_NO, .order = TP_TORCH_NO,
	    .last = TP_TORCH_NO, .stream = -1, .device = -1,
	    .cat = TP_TORCH_RUNTIME };
}

/* Find the calls of all waits of the host by their numbers. */
static void
find_calls(struct tp_torch *t)
{
	struct tp_ids ids = { 0 };
	uint32_t *calls = tp_alloc((t->sync_count + 1) * sizeof *calls);

	for (size_t i = 0; i < t->sync_count; i++)
		calls[tp_ids_add(&ids, (uint64_t)t->syncs[i].correlation,
		    0)] = TP_TORCH_NO;
	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];
		ptrdiff_t of = e->cat != TP_TORCH_RUNTIME ||
		    e->correlation == TP_TORCH_NO ? -1 :
		    tp_ids_find(&ids, (uint64_t)tp_torch_number(t,
		    e->correlation), 0);

		if (of >= 0)
			calls[of] = (uint32_t)i;
	}
	for (size_t i = 0; i < t->sync_count; i++) {
		struct tp_torch_sync *s = &t->syncs[i];

		if (s->kind == TP_TORCH_STREAM_EVENT)
			continue;
		s->call = calls[tp_ids_find(&ids, (uint64_t)s->correlation,
		    0)];
		if (s->call == TP_TORCH_NO)
			add_call(t, s);
	}
	tp_ids_release(&ids);
	tp_free(calls);
}

void
tp_torch_join_syncs(struct tp_torch *t)
{
	if (!t->sync_count)
		return;
	find_calls(t);
	TP_SORT(t->syncs, t->sync_count, by_call);
}

static uint64_t
stream_key(int16_t device, int32_t stream)
{
	return (uint64_t)(uint16_t)device << 32 | (uint32_t)stream;
}

TP_ORDER(by_launch, struct tp_torch_ordered, TP_UP(stream) TP_UP(number)
    TP_UP(last))

static void
order_work(struct tp_torch_waits *w, const struct tp_torch *t)
{
	w->order = tp_alloc((t->gpu_count + 1) * sizeof *w->order);
	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];

		if (e->correlation == TP_TORCH_NO || e->stream < 0)
			continue;
		/* last is the place by start until order is sorted */
		w->order[w->order_count++] = (struct tp_torch_ordered){
		    stream_key(e->device, e->stream), tp_torch_number(t,
		    e->correlation), t->gpu[i], (uint32_t)i };
	}
	TP_SORT(w->order, w->order_count, by_launch);
	for (size_t i = 0; i < w->order_count; i++) {
		struct tp_torch_ordered *o = &w->order[i];

		o->last = o->event;
		if (i && o[-1].stream == o->stream &&
		    t->events[o[-1].last].to_ps > t->events[o->event].to_ps)
			o->last = o[-1].last;
	}
}

/*
 * The first place with work of STREAM launched by call NUMBER or later, or of a
 * later stream.
 */
static size_t
place_of(const struct tp_torch_waits *w, uint64_t stream, int64_t number)
{
	size_t from;

	TP_SEEK(from, 0, w->order_count, middle, w->order[middle].stream <
	    stream || (w->order[middle].stream == stream &&
	    w->order[middle].number < number));
	return from;
}

/* Returns that place if work of STREAM is before it; else 0. */
static uint32_t
behind(const struct tp_torch_waits *w, uint64_t stream, int64_t number)
{
	size_t at = place_of(w, stream, number);

	return at && w->order[at - 1].stream == stream ? (uint32_t)at : 0;
}

/*
 * The same for all streams of the device of S: the place after the work that
 * ends last.
 */
static uint32_t
behind_all(const struct tp_torch_waits *w, const struct tp_torch *t,
    const struct tp_torch_sync *s)
{
	uint64_t end = stream_key(s->device, -1);
	uint32_t last = 0, at;

	for (size_t i = place_of(w, stream_key(s->device, 0), INT64_MIN);
	    i < w->order_count && w->order[i].stream < end;
	    i = place_of(w, w->order[i].stream, INT64_MAX)) {
		at = behind(w, w->order[i].stream, s->correlation);
		if (at && (!last || t->events[w->order[at - 1].last].to_ps >
		    t->events[w->order[last - 1].last].to_ps))
			last = at;
	}
	return last;
}

/* Compute how long the host waited in S. */
static void
wait_of_host(const struct tp_torch_waits *w, const struct tp_torch *t,
    const struct tp_torch_sync *s, struct tp_torch_wait *wait)
{
	int64_t end;

	wait->place = s->kind == TP_TORCH_HOST_DEVICE ?
	    behind_all(w, t, s) : behind(w, stream_key(s->device, s->awaited),
	    s->kind == TP_TORCH_HOST_EVENT ? s->record : s->correlation);
	if (!wait->place)
		return;
	end = t->events[w->order[wait->place - 1].last].to_ps;
	wait->from_ps = s->from_ps;
	wait->to_ps = end < s->from_ps ? s->from_ps : end < s->to_ps ? end :
	    s->to_ps;
}

/* Compute how long a stream waited in S, as if that were its only wait. */
static void
wait_of_stream(const struct tp_torch_waits *w, const struct tp_torch *t,
    const struct tp_torch_sync *s, struct tp_torch_wait *wait)
{
	uint64_t stream = stream_key(s->device, s->stream);
	size_t at = place_of(w, stream, s->correlation);
	const struct tp_torch_event *next;
	int64_t from, to;

	if (s->record != TP_TORCH_NONE)
		wait->place = behind(w, stream_key(s->device, s->awaited),
		    s->record);
	if (!wait->place || at == w->order_count ||
	    w->order[at].stream != stream)
		return;
	wait->next = w->order[at].event;
	next = &t->events[wait->next];
	to = t->events[w->order[wait->place - 1].last].to_ps;
	TP_LEAST(to, next->from_ps);
	/* a stream does not wait before its first work */
	if (!at || w->order[at - 1].stream != stream) {
		wait->from_ps = wait->to_ps = to;
		return;
	}
	from = tp_torch_is_linked(next) ? t->events[next->launch].from_ps :
	    s->to_ps;
	TP_MOST(from, t->events[w->order[at - 1].last].to_ps);
	wait->from_ps = from;
	wait->to_ps = to > from ? to : from;
}

/*
 * Waits for one stream before the same work begin together: only the longest
 * keeps its time.  WAIT is for stream AWAITED.
 */
static void
count_once(struct tp_torch_waits *w, struct tp_ids *pairs, uint32_t **longest,
    size_t *cap, int32_t awaited, struct tp_torch_wait *wait)
{
	size_t had = pairs->count;
	ptrdiff_t one = tp_ids_add(pairs, wait->next, (uint64_t)awaited);
	struct tp_torch_wait *other;

	tp_grow(longest, cap, (size_t)one + 1, sizeof **longest);
	if ((size_t)one == had) {
		(*longest)[one] = (uint32_t)(wait - w->list);
		return;
	}
	other = &w->list[(*longest)[one]];
	if (wait->to_ps > other->to_ps)
		(*longest)[one] = (uint32_t)(wait - w->list);
	else
		other = wait;
	other->to_ps = other->from_ps;
}

void
tp_torch_waits_make(struct tp_torch_waits *w, const struct tp_torch *t)
{
	struct tp_ids pairs = { 0 };
	uint32_t *longest = NULL;
	size_t cap = 0;

	memset(w, 0, sizeof *w);
	if (!t->sync_count)
		return;
	w->count = t->sync_count;
	w->list = tp_zalloc(w->count * sizeof *w->list);
	order_work(w, t);
	for (size_t i = 0; i < w->count; i++) {
		const struct tp_torch_sync *s = &t->syncs[i];
		struct tp_torch_wait *wait = &w->list[i];

		wait->next = TP_TORCH_NO;
		if (s->correlation == TP_TORCH_NONE)
			continue;
		if (s->kind != TP_TORCH_STREAM_EVENT) {
			wait_of_host(w, t, s, wait);
			continue;
		}
		wait_of_stream(w, t, s, wait);
		if (wait->next != TP_TORCH_NO)
			count_once(w, &pairs, &longest, &cap, s->awaited, wait);
	}
	tp_ids_release(&pairs);
	tp_free(longest);
}
