/*
 * pass - match backward passes with forward operations
 *
 * Autograd numbers operations; the backward pass it calls later has the same
 * number, on another thread.  Of several operations with one number the one
 * that began last is meant.
 */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "perf.h"

struct numbered {
	int64_t number, from_ps;
	uint32_t event, process;
	int backward;
};

/*
 * By process and number; backward passes first, in file order; then by start.
 */
TP_ORDER(compare, struct numbered, TP_UP(process) TP_UP(number)
    TP_DOWN(backward)
    TP_BY(a->backward ? 0 : TP_CMP(a->from_ps, b->from_ps)) TP_UP(event))

static int
is_backward(const struct tp_torch *t, const struct tp_torch_event *e)
{
	return tp_torch_starts(t, e, t->ops->backward);
}

/*
 * The number of E, which is in the tree.  A backward pass with a negative
 * number has that of its first call.  Negative: none.
 */
static int64_t
number_of(const struct tp_torch *t, const struct tp_torch_event *e)
{
	int64_t number = tp_torch_number(t, e->sequence);

	if (number < 0 && number != TP_TORCH_NONE && is_backward(t, e) &&
	    e->order + 1 < e->last) {
		e = &t->events[t->tree[e->order + 1]];
		number = tp_torch_number(t, e->sequence);
	}
	return e->cat == TP_TORCH_OP ? number : -1;
}

/* The operators with a number, sorted; NULL: none. */
static struct numbered *
collect(const struct tp_torch *t, size_t *count)
{
	struct numbered *list = NULL;
	int64_t number;
	size_t cap = 0;

	*count = 0;
	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];

		if (e->cat != TP_TORCH_OP || e->order == TP_TORCH_NO ||
		    (number = number_of(t, e)) < 0)
			continue;
		TP_APPEND(list, *count, cap,
		    (struct numbered){ number, e->from_ps, (uint32_t)i,
		    t->lanes[e->lane].process_id, is_backward(t, e) });
	}
	TP_SORT(list, *count, compare);
	return list;
}

TP_ORDER(by_place, struct tp_torch_pass, TP_UP(forward))

void
tp_torch_passes_make(struct tp_torch_passes *p, const struct tp_torch *t)
{
	size_t count, next;
	struct numbered *list = collect(t, &count);

	memset(p, 0, sizeof *p);
	for (size_t i = 0; i < count; i = next) {
		const struct tp_torch_event *first = &t->events[list[i].event];
		uint32_t forward = TP_TORCH_NO;

		for (next = i; next < count &&
		    list[next].process == list[i].process &&
		    list[next].number == list[i].number; next++)
			if (t->events[list[next].event].lane != first->lane)
				forward = list[next].event;
		if (!list[i].backward || forward == TP_TORCH_NO)
			continue;
		/* forward is a place in the tree until sorted, then an event */
		TP_APPEND(p->list, p->count, p->cap,
		    (struct tp_torch_pass){ t->events[forward].order,
		    list[i].event });
	}
	tp_free(list);
	TP_SORT(p->list, p->count, by_place);
	for (size_t i = 0; i < p->count; i++)
		p->list[i].forward = t->tree[p->list[i].forward];
}

void
tp_torch_passes_release(struct tp_torch_passes *p)
{
	tp_free(p->list);
	memset(p, 0, sizeof *p);
}
