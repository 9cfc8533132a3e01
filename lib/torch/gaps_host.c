/*
 * gaps_host - activity of a thread while the GPU was idle
 *
 * Gaps do not overlap, so one walk over the calls of a thread visits its gaps
 * in order.
 */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "gaps.h"

/* State of the walk. */
struct walk {
	const struct tp_torch *t;
	const struct tp_torch_gap_limits *limits;
	struct tp_torch_gaps *gaps;
	struct tp_torch_gap_host *h;
	uint32_t lane;
	int64_t at_ps;		/* time before this is attributed */
};

int
tp_torch_gap_host_add(struct tp_torch_gap_host *h, const struct tp_torch *t,
    const struct tp_torch_gaps *s, size_t at)
{
	const struct tp_torch_gap *g = &s->list[at];
	const struct tp_torch_event *call = tp_torch_gap_call(t, g);

	return TP_APPEND(h->list, h->count, h->cap, (struct gap_window){
	    g->from_ps, call->to_ps < g->to_ps ? call->to_ps : g->to_ps,
	    call->lane, (uint32_t)at });
}

void
tp_torch_gap_host_release(struct tp_torch_gap_host *h)
{
	tp_free(h->list);
	tp_free(h->named);
	tp_free(h->touched);
	memset(h, 0, sizeof *h);
}

TP_ORDER(by_lane, struct gap_window, TP_UP(lane) TP_UP(gap))

/* Attributes PS of the current gap to E. */
static int
give(struct walk *w, const struct tp_torch_event *e, int64_t ps)
{
	struct tp_torch_gap_host *h = w->h;
	int is_op = e->cat == TP_TORCH_OP;
	uint32_t at = e->name * 2 + (uint32_t)is_op;

	if (!h->named[at]) {
		if (TP_APPEND(h->touched, h->touched_count, h->touched_cap, at)
		    < 0)
			return -1;
	}
	h->named[at] += ps;
	if (is_op)
		h->op_ps += ps;
	else
		h->class_ps[tp_torch_trait(w->t, e)->runtime_class] += ps;
	return 0;
}

/*
 * Sets the name that took most of the gap: of calls of CLASS, or of
 * operators if CLASS is -1.
 */
static void
name_most(const struct walk *w, struct tp_torch_gap *g, int class)
{
	const struct tp_torch_gap_host *h = w->h;

	for (size_t i = 0; i < h->touched_count; i++) {
		uint32_t at = h->touched[i], name = at / 2;
		int64_t ps = h->named[at];
		int is = at % 2 ? -1 : w->t->traits[name].runtime_class;

		if (is != class || ps < g->host_ps ||
		    (ps == g->host_ps && name > g->host_name))
			continue;
		g->host_name = name;
		g->host_ps = ps;
	}
}

/* Sets the cause of G, whose times are complete. */
static void
find_cause(const struct walk *w, struct tp_torch_gap *g)
{
	const struct tp_torch_gap_host *h = w->h;
	double gap = (double)(g->to_ps - g->from_ps);
	int64_t all_ps = h->op_ps;
	int most = 0, is_most;

	for (int i = 0; i < TP_TORCH_CLASSES; i++) {
		all_ps += h->class_ps[i];
		if (h->class_ps[i] > h->class_ps[most])
			most = i;
	}
	is_most = (double)h->class_ps[most] >= w->limits->runtime_ratio * gap;
	g->cause = TP_TORCH_UNTRACED;
	if (!all_ps || (!is_most &&
	    (double)all_ps < w->limits->traced_ratio * gap))
		return;
	g->cause = is_most || !h->op_ps ? TP_TORCH_IN_RUNTIME : TP_TORCH_CPU;
	if (g->cause == TP_TORCH_IN_RUNTIME)
		g->runtime_class = (uint8_t)most;
	name_most(w, g, g->cause == TP_TORCH_CPU ? -1 : most);
}

/* Finishes the current gap. */
static void
finish(struct walk *w)
{
	struct tp_torch_gap_host *h = w->h;

	find_cause(w, &w->gaps->list[h->list[h->at++].gap]);
	for (size_t i = 0; i < h->touched_count; i++)
		h->named[h->touched[i]] = 0;
	h->touched_count = 0;
	h->op_ps = 0;
	memset(h->class_ps, 0, sizeof h->class_ps);
}

/* E ran on the lane of the walk until TO: attributes its time to gaps. */
static int
ran(struct walk *w, const struct tp_torch_event *e, int64_t to)
{
	struct tp_torch_gap_host *h = w->h;
	int64_t from = w->at_ps;

	TP_MOST(w->at_ps, to);
	while (h->at < h->count && h->list[h->at].lane == w->lane) {
		const struct gap_window *g = &h->list[h->at];
		int64_t a = from > g->from_ps ? from : g->from_ps;
		int64_t b = to < g->to_ps ? to : g->to_ps;

		if (a < b && give(w, e, b - a) < 0)
			return -1;
		if (g->to_ps > to)
			break;
		finish(w);
	}
	return 0;
}

/* Ends events from *TOP up to UNTIL (exclusive); TP_TORCH_NO: all. */
static int
leave(struct walk *w, uint32_t *top, uint32_t until)
{
	while (*top != until && *top != TP_TORCH_NO) {
		const struct tp_torch_event *e = &w->t->events[*top];

		if (ran(w, e, e->to_ps) < 0)
			return -1;
		*top = e->parent;
	}
	return 0;
}

static int
walk(struct walk *w)
{
	const struct tp_torch *t = w->t;
	struct tp_torch_gap_host *h = w->h;
	uint32_t top = TP_TORCH_NO;

	for (size_t i = 0; i < t->tree_count; i++) {
		const struct tp_torch_event *e = &t->events[t->tree[i]];

		if (leave(w, &top, e->parent) < 0)
			return -1;
		while (h->at < h->count && h->list[h->at].lane < e->lane)
			finish(w);
		if (h->at == h->count)
			return 0;
		if (w->lane != e->lane)
			w->at_ps = INT64_MIN;
		w->lane = e->lane;
		if (top != TP_TORCH_NO &&
		    ran(w, &t->events[top], e->from_ps) < 0)
			return -1;
		TP_MOST(w->at_ps, e->from_ps);
		top = t->tree[i];
	}
	return leave(w, &top, TP_TORCH_NO);
}

int
tp_torch_gap_host_judge(struct tp_torch_gap_host *h, const struct tp_torch *t,
    const struct tp_torch_gap_limits *limits, struct tp_torch_gaps *gaps)
{
	struct walk w = { t, limits, gaps, h, 0, INT64_MIN };

	TP_SORT(h->list, h->count, by_lane);
	h->named = tp_zalloc((t->names.count + 1) * 2 * sizeof *h->named);
	if (!h->named || walk(&w) < 0)
		return -1;
	while (h->at < h->count)
		finish(&w);
	return 0;
}
