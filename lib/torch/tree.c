/*
 * tree - nest the host events of each thread
 *
 * Events are placed thread by thread in order of start.  If an event outlasts
 * the one it started in, and they overlap by less than a microsecond, that is
 * an error of the clock and the earlier event has ended.  Otherwise the event
 * has no place in the tree.
 */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "torch.h"

/* A smaller overlap is an error of the clock. */
#define BLEED_PS 1000000

struct by_start {
	int64_t from_ps;
	uint32_t lane, event;
};

TP_ORDER(compare, struct by_start, TP_UP(lane) TP_UP(from_ps) TP_UP(event))

static int
is_host(const struct tp_torch_event *e)
{
	return e->cat >= TP_TORCH_OP && e->cat <= TP_TORCH_DEQUEUE;
}

/* Host events by lane, start and file order. */
static struct by_start *
sorted(const struct tp_torch *t, size_t *count)
{
	struct by_start *list = tp_alloc((t->count + 1) * sizeof *list);
	size_t n = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];

		if (!is_host(e))
			continue;
		list[n++] = (struct by_start){ e->from_ps, e->lane,
		    (uint32_t)i };
	}
	TP_SORT(list, n, compare);
	*count = n;
	return list;
}

/* The events of a thread that have not ended. */
struct stack {
	uint32_t *at;
	size_t depth;
};

static void
pop(struct tp_torch *t, struct stack *s)
{
	t->events[s->at[--s->depth]].last = (uint32_t)t->tree_count;
}

/*
 * End events so that E can go on top of the stack.  Returns 1, or 0 if E has no
 * place there.
 */
static int
fits(struct tp_torch *t, struct stack *s, const struct tp_torch_event *e)
{
	const struct tp_torch_event *top;

	while (s->depth &&
	    e->from_ps >= t->events[s->at[s->depth - 1]].to_ps)
		pop(t, s);
	if (!s->depth)
		return 1;
	top = &t->events[s->at[s->depth - 1]];
	if (e->to_ps <= top->to_ps)
		return 1;
	if (top->to_ps - e->from_ps >= BLEED_PS || s->depth < 2)
		return 0;
	pop(t, s);
	return 1;
}

static void
nest(struct tp_torch *t, const struct by_start *list, size_t count,
    struct stack *s)
{
	for (size_t i = 0; i < count; i++) {
		struct tp_torch_event *e = &t->events[list[i].event];

		if (i && list[i].lane != list[i - 1].lane)
			while (s->depth)
				pop(t, s);
		if (!fits(t, s, e)) {
			/* events outside the tree fill the list from its end */
			t->unnested_count++;
			t->tree[count - t->unnested_count] = list[i].event;
			continue;
		}
		if (s->depth)
			e->parent = s->at[s->depth - 1];
		e->order = (uint32_t)t->tree_count;
		t->tree[t->tree_count++] = list[i].event;
		s->at[s->depth++] = list[i].event;
	}
	while (s->depth)
		pop(t, s);
	t->unnested = t->tree + t->tree_count;
}

void
tp_torch_nest(struct tp_torch *t)
{
	size_t count = 0;
	struct by_start *list = sorted(t, &count);
	struct stack s = { tp_alloc((count + 1) * sizeof *s.at), 0 };

	t->tree = tp_alloc((count + 1) * sizeof *t->tree);
	nest(t, list, count, &s);
	tp_free(s.at);
	tp_free(list);
}

void
tp_torch_count_links(struct tp_torch *t)
{
	uint32_t link = 0;

	tp_free(t->links_before);
	t->links_before = tp_alloc((t->tree_count + 1) *
	    sizeof *t->links_before);
	for (size_t i = 0; i <= t->tree_count; i++) {
		while (link < t->tree_link_count &&
		    t->events[t->links[link].call].order < i)
			link++;
		t->links_before[i] = link;
	}
}

/*
 * Insert LIST into the tree, written to TO.  SHIFT gets for each place how many
 * of LIST begin before it.
 */
static void
surround(struct tp_torch *t, const struct tp_torch_around *list,
    size_t count, uint32_t *to, uint32_t *shift)
{
	size_t n = 0;

	for (uint32_t i = 0; i <= t->tree_count; i++) {
		shift[i] = (uint32_t)n;
		if (n < count && list[n].start == i)
			to[i + n] = list[n].event, n++;
		if (i < t->tree_count)
			to[i + n] = t->tree[i];
	}
	for (uint32_t i = 0; i < t->tree_count; i++) {
		struct tp_torch_event *e = &t->events[t->tree[i]];

		e->order = i + shift[i + 1];
		e->last += shift[e->last];
	}
	for (size_t k = 0; k < count; k++) {
		struct tp_torch_event *e = &t->events[list[k].event], *in;

		e->parent = t->events[t->tree[list[k].start]].parent;
		e->order = list[k].start + shift[list[k].start];
		e->last = list[k].stop + shift[list[k].stop];
		for (uint32_t i = e->order + 1; i < e->last; i = in->last) {
			in = &t->events[to[i]];
			in->parent = list[k].event;
		}
	}
}

void
tp_torch_surround(struct tp_torch *t, const struct tp_torch_around *list,
    size_t count)
{
	size_t n = t->tree_count + count;
	uint32_t *to = tp_alloc((n + t->unnested_count + 1) * sizeof *to);
	uint32_t *shift = tp_alloc((t->tree_count + 1) * sizeof *shift);

	surround(t, list, count, to, shift);
	if (t->unnested_count)
		memcpy(to + n, t->unnested, t->unnested_count * sizeof *to);
	tp_free(shift);
	tp_free(t->tree);
	t->tree = to;
	t->tree_count = n;
	t->unnested = to + n;
	tp_torch_count_links(t);
}

uint32_t
tp_torch_tree_place(const struct tp_torch *t, size_t from, uint32_t lane,
    int64_t ps)
{
	size_t to = from, step = 1;

	for (; to < t->tree_count && tp_torch_is_before(
	    &t->events[t->tree[to]], lane, ps); step *= 2) {
		from = to + 1;
		to += step;
	}
	TP_LEAST(to, t->tree_count);
	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (tp_torch_is_before(&t->events[t->tree[middle]], lane, ps))
			from = middle + 1;
		else
			to = middle;
	}
	return (uint32_t)from;
}

uint32_t *
tp_torch_calling_ops(const struct tp_torch *t, int passing)
{
	uint32_t *callers = tp_alloc((t->count + 1) * sizeof *callers);

	memset(callers, 0xff, (t->count + 1) * sizeof *callers);
	for (size_t i = 0; i < t->tree_count; i++) {
		uint32_t at = t->tree[i], in = t->events[at].parent;

		callers[at] = in == TP_TORCH_NO ||
		    (t->events[in].cat == TP_TORCH_OP && (passing ||
		    !tp_torch_trait(t, &t->events[in])->passes)) ? in :
		    callers[in];
	}
	return callers;
}

uint32_t
tp_torch_op_around(const struct tp_torch *t, const struct tp_torch_event *e)
{
	uint32_t at = e->parent, op = TP_TORCH_NO;

	for (; at != TP_TORCH_NO; at = t->events[at].parent)
		if (t->events[at].cat == TP_TORCH_OP)
			op = at;
	return op;
}
