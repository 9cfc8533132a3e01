/*
 * gaps_pause - operators that held the GPU up for far longer than they take
 *
 * An operator that holds a gap many times longer than its calls usually take
 * did not do more work there: its thread did not run, or ran something else
 * (garbage collection, another thread or process).  Its first calls are no
 * pauses: they may set up what later calls use.
 */
#include <tp/alloc.h>
#include <tp/order.h>

#include "gaps.h"

/* A call of an operator that may have paused. */
struct call {
	int64_t from_ps, ps;
	uint32_t name;
};

/* All calls of one name. */
struct named {
	const struct call *list;	/* by length */
	size_t count;
};

TP_ORDER(by_length, struct call, TP_UP(name) TP_UP(ps))

/* Lists the calls of names that AT marks, by name and length. */
static void
list_calls(const struct tp_torch *t, const uint32_t *at, struct call **list,
    size_t *count)
{
	size_t cap = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];

		if (e->cat == TP_TORCH_OP && at[e->name] &&
		    !tp_torch_is_added(e))
			TP_APPEND(*list, *count, cap, (struct call){ e->from_ps,
			    e->to_ps - e->from_ps, e->name });
	}
	TP_SORT(*list, *count, by_length);
}

/* The calls of NAME. */
static struct named
calls_of(const struct call *list, size_t count, uint32_t name)
{
	size_t from, to;

	TP_SEEK(from, 0, count, middle, list[middle].name < name);
	TP_SEEK(to, from, count, middle, list[middle].name <= name);
	return (struct named){ list + from, to - from };
}

/* Whether enough calls came before gap G to know what one takes. */
static int
is_known(const struct named *calls, const struct tp_torch_gap *g,
    const struct tp_torch_gap_limits *l)
{
	double before = 0;

	for (size_t i = 0; i < calls->count && before < l->pause_calls; i++)
		before += calls->list[i].from_ps < g->from_ps;
	return before >= l->pause_calls;
}

/* Whether share S of gap G, long enough, is a pause. */
static int
is_pause(const struct tp_torch_gap *g, const struct tp_torch_share *s,
    const struct tp_torch_gap_limits *l, const struct named *calls)
{
	return calls->count && (double)s->ps >= l->pause_factor *
	    (double)calls->list[calls->count / 2].ps && is_known(calls, g, l);
}

static void
mark(struct tp_torch_gaps *s, const struct tp_torch_gap_limits *l,
    const struct call *list, size_t count)
{
	for (size_t i = 0; i < s->count; i++)
		for (size_t k = 0; k < s->list[i].share_count; k++) {
			struct tp_torch_share *share =
			    &s->shares[s->list[i].share + k];
			struct named calls;

			if (share->of != TP_TORCH_OF_PAUSE)
				continue;
			calls = calls_of(list, count, share->name);
			if (!is_pause(&s->list[i], share, l, &calls))
				share->of = TP_TORCH_OF_OPS;
		}
}

void
tp_torch_gaps_pause(struct tp_torch_gaps *s, const struct tp_torch *t,
    const struct tp_torch_gap_limits *l)
{
	uint32_t *at = tp_zalloc((t->names.count + 1) * sizeof *at);
	struct call *list = NULL;
	size_t count = 0, found = 0;

	for (size_t i = 0; i < s->shared; i++)
		if (s->shares[i].of == TP_TORCH_OF_PAUSE) {
			at[s->shares[i].name] = 1;
			found++;
		}
	if (found)
		list_calls(t, at, &list, &count);
	mark(s, l, list, count);
	tp_free(list);
	tp_free(at);
}
