/* schedule - when everything would have ended, had something taken less */
#include <math.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "schedule.h"

struct maker {
	const struct tp_graph *g;
	uint8_t *is_seen;	/* by node */
	uint32_t *stack;
	size_t depth, cap;
};

/* Look at node AT next, or at all members of its group, the last one last. */
static void
push(struct maker *m, uint32_t at)
{
	const struct tp_group *group = tp_node_group(m->g, at);
	const uint32_t *list = group ? &m->g->members[group->first] : &at;

	for (uint32_t i = group ? group->count : 1; i; i--) {
		m->is_seen[list[i - 1]] = 1;
		TP_APPEND(m->stack, m->depth, m->cap, list[i - 1]);
	}
}

/* A node that AT depends on and that was not looked at yet, or TP_NIL. */
static uint32_t
next_needed(const struct maker *m, uint32_t at)
{
	const struct tp_graph *g = m->g;
	const struct tp_node *n = &g->nodes[at];
	uint32_t before;
	size_t first, last;

	if (n->kind == TP_NODE_WORK) {
		tp_node_edges(g, at, &first, &last);
		for (size_t i = first; i < last; i++) {
			uint32_t on = TP_EDGE_NODE(g->edges[i]);

			if (!m->is_seen[on])
				return on;
		}
		return TP_NIL;
	}
	before = tp_node_before(g, at);
	if (before != TP_NIL && !m->is_seen[before])
		return before;
	return n->release != TP_NIL && !m->is_seen[n->release] ? n->release :
	    TP_NIL;
}

void
tp_graph_order(struct tp_graph *g)
{
	struct maker m = { .g = g };
	size_t count = 0;

	g->order = tp_alloc((g->node_count + 1) * sizeof *g->order);
	m.is_seen = tp_zalloc(g->node_count + 1);
	for (uint32_t i = 0; i < g->node_count; i++) {
		if (!m.is_seen[i])
			push(&m, i);
		while (m.depth) {
			uint32_t at = m.stack[m.depth - 1];
			uint32_t next = next_needed(&m, at);

			if (next != TP_NIL) {
				push(&m, next);
				continue;
			}
			g->order[count++] = at;
			m.depth--;
		}
	}
	tp_free(m.is_seen);
	tp_free(m.stack);
}

struct player {
	const struct tp_graph *g;
	const struct tp_change *changes;
	size_t count;
	int64_t from_ps, to_ps, *ends, *less;
	double launch, gap, idle;
	int is_nominal, inputs_ahead, streams_apart, devices_apart;
};

/* The factor of WHAT a thread is in; WAITS: of its waits for a device. */
static double
factor_of(const struct player *p, uint32_t what, int waits)
{
	double x = 1;

	for (size_t i = 0; i < p->count; i++) {
		const double *list = waits ? p->changes[i].by_wait :
		    p->changes[i].by_what;

		if (list)
			x *= list[what];
	}
	return x;
}

static int64_t
scaled(int64_t ps, double factor)
{
	return factor == 1 ? ps : factor == 0 ? 0 :
	    (int64_t)llround((double)ps * factor);
}

void
tp_graph_less(const struct tp_graph *g, int64_t from_ps, int64_t to_ps,
    uint32_t process, const double *factors, int64_t *const *less)
{
	size_t i, last;

	for (uint32_t at = 0; at < g->host_count; at++) {
		int64_t from = g->nodes[at].from_ps, to, until;

		if (process != TP_NIL && tp_node_process(g, at) != process)
			continue;
		tp_node_stretches(g, at, &i, &last);
		for (; i < last; i++, from = to) {
			uint32_t what = g->stretches[i].what;

			to = g->stretches[i].to_ps;
			if (!less[what] || to <= from_ps || from >= to_ps)
				continue;
			TP_MOST(from, from_ps);
			until = to < to_ps ? to : to_ps;
			less[what][at] += until - from - scaled(until - from,
			    factors[what]);
		}
	}
}

void
tp_changes_prepare(const struct tp_graph *g, int64_t from_ps, int64_t to_ps,
    struct tp_change *const *changes, size_t count)
{
	double *factors = tp_alloc((g->what_count + 1) * sizeof *factors);
	int64_t **lists = tp_zalloc((g->what_count + 1) * sizeof *lists);

	for (size_t k = 0; k < count; k++) {
		struct tp_change *c = changes[k];

		c->less = tp_zalloc((g->host_count + 1) * sizeof *c->less);
		for (uint32_t what = 0; c->by_what && what < g->what_count;
		    what++)
			if (c->by_what[what] != 1) {
				factors[what] = c->by_what[what];
				lists[what] = c->less;
			}
	}
	tp_graph_less(g, from_ps, to_ps, TP_NIL, factors, lists);
	tp_free(factors);
	tp_free(lists);
}

/* By node of a thread how much less of its own time it would take. */
static int64_t *
find_less(const struct player *p)
{
	const struct tp_graph *g = p->g;
	int64_t *less = tp_zalloc((g->host_count + 1) * sizeof *less);
	double *factors = tp_alloc((g->what_count + 1) * sizeof *factors);
	int64_t **lists = tp_zalloc((g->what_count + 1) * sizeof *lists);
	int any = 0;

	for (uint32_t what = 0; what < g->what_count; what++) {
		factors[what] = 1;
		for (size_t k = 0; k < p->count; k++)
			if (!p->changes[k].less && p->changes[k].by_what)
				factors[what] *= p->changes[k].by_what[what];
		lists[what] = factors[what] != 1 ? less : NULL;
		any |= factors[what] != 1;
	}
	if (any)
		tp_graph_less(g, p->from_ps, p->to_ps, TP_NIL, factors, lists);
	tp_free(factors);
	tp_free(lists);
	for (size_t k = 0; k < p->count; k++)
		for (size_t i = 0; p->changes[k].less && i < g->host_count; i++)
			less[i] += p->changes[k].less[i];
	return less;
}

static int64_t
end_of_thread(const struct player *p, uint32_t at)
{
	const struct tp_graph *g = p->g;
	const struct tp_node *n = &g->nodes[at];
	uint32_t before = tp_node_before(g, at);
	int64_t from = before == TP_NIL ? n->from_ps : p->ends[before];
	int64_t took = n->to_ps - n->from_ps, cost, until, tail;
	int64_t less = p->less[at] < took ? p->less[at] : took;
	uint32_t what = g->stretches[n->first].what;
	double own = 1, wait = 1;
	int is_ahead;

	if (tp_node_is_fed(g, at) && factor_of(p, what, 0) == 1)
		return from > n->to_ps ? from : n->to_ps;
	if (n->release == TP_NIL)
		return from + took - less;
	tail = n->to_ps - g->nodes[n->release].to_ps;
	/* what had ended before the call did not hold it up until then */
	if (n->released_by != TP_RELEASE_HAND_OVER &&
	    n->released_by != TP_RELEASE_LATENT)
		TP_LEAST(tail, took);
	if (n->released_by == TP_RELEASE_HAND_OVER) {
		until = p->ends[n->release] + (p->is_nominal &&
		    tail > g->tail_ps ? g->tail_ps : tail);
		return until > from ? until : from;
	}
	if (p->count) {
		own = factor_of(p, what, 0);
		wait = factor_of(p, what, 1);
	}
	/* nor does a call wait that makes sure of such a copy */
	is_ahead = p->inputs_ahead && g->timeline->slices[g->nodes[
	    n->release].slice].is_input;
	if (n->released_by == TP_RELEASE_LATENT) {
		took -= less;
		if (wait <= 0 || p->ends[n->release] <= from || is_ahead)
			return from + took;
		/* it waits first, and is woken as others are */
		TP_LEAST(tail, g->tail_ps);
		TP_MOST(took, tail);
		return p->ends[n->release] + took;
	}
	cost = took < g->rules->least_cost_ps ? took : g->rules->least_cost_ps;
	cost = scaled(cost, own);
	if (is_ahead)
		return from + cost;
	if (p->is_nominal)
		TP_LEAST(tail, g->tail_ps);
	until = p->ends[n->release] + (own < 1 ? scaled(tail, own) : tail);
	if (n->released_by == TP_RELEASE_IDLE)
		wait = p->idle;
	if ((n->released_by == TP_RELEASE_SYNC ||
	    n->released_by == TP_RELEASE_IDLE) && wait != 1)
		until = from + cost + scaled(until - from - cost, wait);
	return until > from + cost ? until : from + cost;
}

/* The factor of the delay of KIND before work AT. */
static double
delay_factor(const struct player *p, uint32_t at, enum tp_edge_kind kind)
{
	double x = p->gap;

	if (kind == TP_EDGE_LAUNCH)
		return p->launch;
	for (size_t i = 0; i < p->count; i++)
		if (p->changes[i].by_gap)
			x *= p->changes[i].by_gap[at - p->g->host_count];
	return x;
}

/* The factor of the time of work AT. */
static double
work_factor(const struct player *p, uint32_t at)
{
	double x = 1;

	for (size_t i = 0; i < p->count; i++) {
		const struct tp_change *c = &p->changes[i];

		if (c->by_work)
			x *= c->by_work[at - p->g->host_count];
	}
	return x;
}

/*
 * Whether the first edge of work AT, from FIRST to LAST, is of another process
 * whose turn would come when AT has had its own: that process goes on at its
 * own pace.  Where it has much work, there would be another turn by then.
 */
static int
comes_before(const struct player *p, uint32_t at, size_t first, size_t last)
{
	const struct tp_graph *g = p->g;
	uint32_t other = TP_EDGE_NODE(g->edges[first]);
	int64_t ready = INT64_MIN, start = INT64_MIN, late;

	if (!g->timeline->is_shared || tp_node_process(g, other) ==
	    tp_node_process(g, at) || (!g->has_few_turns &&
	    work_factor(p, other) == 1))
		return 0;
	for (size_t i = first + 1; i < last; i++) {
		uint32_t on = TP_EDGE_NODE(g->edges[i]);
		int64_t delay = g->nodes[at].from_ps - g->nodes[on].to_ps,
		    usual = tp_edge_usual(g, at, g->edges[i]);

		TP_LEAST(delay, usual);
		TP_MOST(ready, g->nodes[on].to_ps + delay);
		TP_MOST(start, p->ends[on] + delay);
	}
	late = g->nodes[other].from_ps - ready;
	return ready > INT64_MIN && p->ends[other] - (g->nodes[other].to_ps -
	    g->nodes[other].from_ps) > start + (late > 0 ? late : 0);
}

static int64_t
start_of_work(const struct player *p, uint32_t at)
{
	const struct tp_graph *g = p->g;
	const struct tp_node *n = &g->nodes[at];
	int64_t start = INT64_MIN;
	size_t first, last, i;

	tp_node_edges(g, at, &first, &last);
	i = first + (first < last && comes_before(p, at, first, last));
	for (; i < last; i++) {
		uint32_t on = TP_EDGE_NODE(g->edges[i]);
		enum tp_edge_kind kind = TP_EDGE_KIND(g->edges[i]);
		int64_t delay = n->from_ps - g->nodes[on].to_ps, usual;

		if ((p->streams_apart && kind >= TP_EDGE_EVENT) ||
		    (p->devices_apart && kind != TP_EDGE_LAUNCH &&
		    tp_node_device(g, on) != tp_node_device(g, at)))
			continue;
		if (i > first || p->is_nominal) {
			usual = tp_edge_usual(g, at, g->edges[i]);
			TP_LEAST(delay, usual);
		}
		/* clocks of host and device may differ */
		if (delay > 0)
			delay = scaled(delay, delay_factor(p, at, kind));
		TP_MOST(start, p->ends[on] + delay);
	}
	return start == INT64_MIN ? n->from_ps : start;
}

static int64_t
end_of_work(const struct player *p, uint32_t at)
{
	const struct tp_node *n = &p->g->nodes[at];

	if (n->from_ps <= p->from_ps)
		return n->to_ps;
	return start_of_work(p, at) + scaled(n->to_ps - n->from_ps,
	    work_factor(p, at));
}

/*
 * Set the ends of the members of GROUP: the last start, their own time, and
 * what else each one took.
 */
static void
end_group(const struct player *p, const struct tp_group *group)
{
	const struct tp_graph *g = p->g;
	const uint32_t *members = &g->members[group->first];
	int64_t last = INT64_MIN, ended = g->nodes[group->last_node].from_ps +
	    group->own_ps;

	for (uint32_t i = 0; i < group->count; i++) {
		const struct tp_node *n = &g->nodes[members[i]];

		p->ends[members[i]] = n->from_ps <= p->from_ps ? n->from_ps :
		    start_of_work(p, members[i]);
		TP_MOST(last, p->ends[members[i]]);
	}
	for (uint32_t i = 0; i < group->count; i++) {
		const struct tp_node *n = &g->nodes[members[i]];
		int64_t to = last + n->to_ps - ended + scaled(group->own_ps,
		    work_factor(p, members[i]));

		TP_MOST(p->ends[members[i]], to);
		if (n->to_ps <= p->from_ps)
			p->ends[members[i]] = n->to_ps;
	}
}

void
tp_graph_replay(const struct tp_graph *g, int64_t from_ps, int64_t to_ps,
    const struct tp_change *changes, size_t count, int64_t *ends)
{
	struct player p = { .g = g, .changes = changes, .count = count,
	    .from_ps = from_ps, .to_ps = to_ps, .ends = ends, .launch = 1,
	    .gap = 1, .idle = 1 };

	for (size_t i = 0; i < count; i++) {
		p.launch *= changes[i].launch;
		p.gap *= changes[i].gap;
		p.idle *= changes[i].idle;
		p.is_nominal |= changes[i].is_nominal;
		p.inputs_ahead |= changes[i].inputs_ahead;
		p.streams_apart |= changes[i].streams_apart;
		p.devices_apart |= changes[i].devices_apart;
	}
	p.less = find_less(&p);
	for (size_t i = 0; i < g->node_count; i++) {
		uint32_t at = g->order[i];
		const struct tp_node *n = &g->nodes[at];
		const struct tp_group *group = tp_node_group(g, at);

		if (group) {
			if (at == g->members[group->first + group->count - 1])
				end_group(&p, group);
			continue;
		}
		ends[at] = n->to_ps <= from_ps ? n->to_ps : n->kind ==
		    TP_NODE_WORK ? end_of_work(&p, at) : end_of_thread(&p, at);
	}
	tp_free(p.less);
}
