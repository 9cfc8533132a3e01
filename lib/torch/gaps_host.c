/*
 * gaps_host - activity of a thread while the GPU was idle
 *
 * Gaps do not overlap, so one walk over the calls of a thread visits its gaps
 * in order.
 */
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/order.h>

#include "gaps.h"
#include "launch.h"

/* State of the walk. */
struct walk {
	const struct tp_torch *t;
	const struct tp_torch_gap_limits *limits;
	struct tp_torch_gaps *gaps;
	struct tp_torch_gap_host *h;
	uint32_t lane;
	int64_t at_ps;		/* time before this is attributed */
};

void
tp_torch_gap_host_add(struct tp_torch_gap_host *h, const struct tp_torch *t,
    const struct tp_torch_gaps *s, size_t at)
{
	const struct tp_torch_gap *g = &s->list[at];
	const struct tp_torch_event *call = tp_torch_gap_call(t, g);

	TP_APPEND(h->list, h->count, h->cap, (struct gap_window){ g->from_ps,
	    call->to_ps < g->to_ps ? call->to_ps : g->to_ps, call->lane,
	    (uint32_t)at });
}

void
tp_torch_gap_host_release(struct tp_torch_gap_host *h)
{
	tp_free(h->list);
	tp_free(h->named);
	tp_free(h->touched);
	tp_free(h->share_at);
	memset(h, 0, sizeof *h);
}

TP_ORDER(by_lane, struct gap_window, TP_UP(lane) TP_UP(gap))

/* Whether operator E worked on the host alone, for long. */
static int
is_alone(const struct tp_torch *t, const struct tp_torch_event *e)
{
	const struct tp_torch_name *trait = tp_torch_trait(t, e);
	uint32_t first, last;
	double least_ns;

	if (!trait->alone || !tp_json_number(
	    t->ops->alone.list[trait->alone - 1].row, "least_ns", &least_ns) ||
	    (double)(e->to_ps - e->from_ps) < least_ns * 1000)
		return 0;
	tp_torch_links_below(t, e, &first, &last);
	return first == last;
}

/* Adds PS of the current gap to the share of E. */
static void
share(struct walk *w, const struct tp_torch_event *e, int64_t ps)
{
	struct tp_torch_gaps *s = w->gaps;
	enum tp_torch_share_of of = e->cat != TP_TORCH_OP ? TP_TORCH_OF_CALLS :
	    is_alone(w->t, e) ? TP_TORCH_OF_OPS_ALONE :
	    ps >= w->limits->pause_ps ? TP_TORCH_OF_PAUSE : TP_TORCH_OF_OPS;
	uint32_t *at = &w->h->share_at[e->name * TP_TORCH_SHARES + of];

	if (!*at) {
		if (s->shared >= UINT32_MAX)
			tp_no_memory();
		TP_APPEND(s->shares, s->shared, s->shared_cap, (struct
		    tp_torch_share){ 0, e->name, (uint8_t)of });
		*at = (uint32_t)s->shared;
	}
	s->shares[*at - 1].ps += ps;
}

/* Time from FROM to TO in which the profiler did not hold the program up. */
static int64_t
unheld(const struct walk *w, int64_t from, int64_t to)
{
	return to - from - tp_torch_profiled(w->t, from, to);
}

/* Attributes [FROM, TO) of the current gap to E. */
static void
give(struct walk *w, const struct tp_torch_event *e, int64_t from, int64_t to)
{
	struct tp_torch_gap_host *h = w->h;
	struct tp_torch_gap *g = &w->gaps->list[h->list[h->at].gap];
	int is_op = e->cat == TP_TORCH_OP;
	uint32_t at = e->name * 2 + (uint32_t)is_op;
	int64_t ps = to - from, used = g->from_ps + tp_torch_gap_waited(g);

	if (!h->named[at])
		TP_APPEND(h->touched, h->touched_count, h->touched_cap, at);
	h->named[at] += ps;
	if (is_op)
		h->op_ps += ps;
	else
		h->class_ps[tp_torch_trait(w->t, e)->runtime_class] += ps;
	if (is_op || !tp_torch_trait(w->t, e)->drains)
		TP_MOST(from, used);
	else if (from < used)
		g->drained_ps += unheld(w, from, to < used ? to : used);
	ps = from < to ? unheld(w, from, to) : 0;
	if (ps > 0)
		share(w, e, ps);
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

	g->cause = TP_TORCH_PROFILER;
	if (tp_torch_profiled(w->t, g->from_ps, g->to_ps) >=
	    (g->to_ps - g->from_ps) / 2)
		return;
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
	struct tp_torch_gaps *s = w->gaps;
	struct tp_torch_gap *g = &s->list[h->list[h->at].gap];

	g->host_to_ps = g->launched_ps = h->list[h->at++].to_ps;
	TP_MOST(g->launched_ps, w->t->events[tp_torch_submit_call(w->t,
	    g->next)].to_ps);
	TP_LEAST(g->launched_ps, g->to_ps);
	find_cause(w, g);
	g->share_count = (uint32_t)s->shared - g->share;
	for (size_t i = g->share; i < s->shared; i++)
		h->share_at[s->shares[i].name * TP_TORCH_SHARES +
		    s->shares[i].of] = 0;
	if (h->at < h->count)
		s->list[h->list[h->at].gap].share = (uint32_t)s->shared;
	for (size_t i = 0; i < h->touched_count; i++)
		h->named[h->touched[i]] = 0;
	h->touched_count = 0;
	h->op_ps = 0;
	memset(h->class_ps, 0, sizeof h->class_ps);
}

/* E ran on the lane of the walk until TO: attributes its time to gaps. */
static void
ran(struct walk *w, const struct tp_torch_event *e, int64_t to)
{
	struct tp_torch_gap_host *h = w->h;
	int64_t from = w->at_ps;

	TP_MOST(w->at_ps, to);
	while (h->at < h->count && h->list[h->at].lane == w->lane) {
		const struct gap_window *g = &h->list[h->at];
		int64_t a = from > g->from_ps ? from : g->from_ps;
		int64_t b = to < g->to_ps ? to : g->to_ps;

		if (a < b)
			give(w, e, a, b);
		if (g->to_ps > to)
			break;
		finish(w);
	}
}

/* Ends events from *TOP up to UNTIL (exclusive); TP_TORCH_NO: all. */
static void
leave(struct walk *w, uint32_t *top, uint32_t until)
{
	while (*top != until && *top != TP_TORCH_NO) {
		const struct tp_torch_event *e = &w->t->events[*top];

		ran(w, e, e->to_ps);
		*top = e->parent;
	}
}

static void
walk(struct walk *w)
{
	const struct tp_torch *t = w->t;
	struct tp_torch_gap_host *h = w->h;
	uint32_t top = TP_TORCH_NO;

	for (size_t i = 0; i < t->tree_count; i++) {
		const struct tp_torch_event *e = &t->events[t->tree[i]];

		leave(w, &top, e->parent);
		while (h->at < h->count && h->list[h->at].lane < e->lane)
			finish(w);
		if (h->at == h->count)
			return;
		if (w->lane != e->lane)
			w->at_ps = INT64_MIN;
		w->lane = e->lane;
		if (top != TP_TORCH_NO)
			ran(w, &t->events[top], e->from_ps);
		TP_MOST(w->at_ps, e->from_ps);
		top = t->tree[i];
	}
	leave(w, &top, TP_TORCH_NO);
}

void
tp_torch_gap_host_judge(struct tp_torch_gap_host *h, const struct tp_torch *t,
    const struct tp_torch_gap_limits *limits, struct tp_torch_gaps *gaps)
{
	struct walk w = { t, limits, gaps, h, 0, INT64_MIN };

	TP_SORT(h->list, h->count, by_lane);
	h->named = tp_zalloc((t->names.count + 1) * 2 * sizeof *h->named);
	h->share_at = tp_zalloc((t->names.count + 1) * TP_TORCH_SHARES *
	    sizeof *h->share_at);
	walk(&w);
	while (h->at < h->count)
		finish(&w);
}
