/* work_edges - what each piece of work on a device depends on */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "graph.h"

/* Most candidates that are looked at for one inferred edge. */
#define TRIES 8
#define WIDE_TRIES 64

/* What one work may depend on. */
struct candidate {
	int64_t ready_ps;	/* when it could start, after the usual delay */
	uint32_t edge;
};

struct maker {
	struct tp_graph *g;
	uint32_t *before;	/* by work: that of its stream that ended
				 * last before it started; or TP_NIL */
	struct candidate *list;
	size_t count, cap;
	size_t await;		/* next of the timeline's */
};

static void
find_before(struct maker *m)
{
	struct tp_graph *g = m->g;
	uint32_t host = (uint32_t)g->host_count;

	for (uint32_t i = 0; i < g->work_count; i++) {
		const struct tp_node *n = &g->nodes[host + i];
		size_t at = tp_graph_ended(g, g->of_stream, n->track,
		    n->from_ps + US / 2), own;

		/* itself is among them if it is short, and what follows it */
		TP_SEEK(own, 0, at, mid, g->of_stream[mid].of < n->track ||
		    (g->of_stream[mid].of == n->track &&
		    (g->of_stream[mid].to_ps < n->to_ps ||
		    (g->of_stream[mid].to_ps == n->to_ps &&
		    g->of_stream[mid].work < i))));
		m->before[i] = own && g->of_stream[own - 1].of == n->track ?
		    g->of_stream[own - 1].work : TP_NIL;
	}
}

/* Median of the COUNT delays at LIST, at least LEAST; OR without any. */
static int64_t
middle(int64_t *list, size_t count, size_t at, int64_t least, int64_t or)
{
	int64_t ps = count ? tp_pick_int(list, count, at) : or;

	return ps < least ? least : ps;
}

struct delay {
	int64_t device, ps;
};

TP_ORDER(by_device, struct delay, TP_UP(device) TP_UP(ps))

/* Whether another process had the device just before work AT. */
static int
had_turn(const struct tp_graph *g, uint32_t at)
{
	const struct tp_node *n = &g->nodes[at];
	size_t i = g->timeline->is_shared ? tp_graph_ended(g, g->of_process, 0,
	    n->from_ps + US / 5) : 0;

	return i && tp_node_process(g, (uint32_t)g->host_count +
	    g->of_process[i - 1].work) != tp_node_process(g, at);
}

/*
 * The usual delays: from launch to start where the stream was empty, and by
 * device between two works of a stream of which the second was queued.
 */
static void
find_delays(struct maker *m)
{
	struct tp_graph *g = m->g;
	struct delay *gaps = tp_alloc((g->work_count + 1) * sizeof *gaps);
	int64_t *starts = tp_alloc((g->work_count + 1) * sizeof *starts);
	size_t gap_count = 0, start_count = 0, from = 0, to;
	int64_t all = 0, others = 0;

	for (uint32_t i = 0; i < g->work_count; i++) {
		uint32_t at = (uint32_t)g->host_count + i;
		const struct tp_launch *l = tp_node_launch(g, at);
		uint32_t before = m->before[i];
		int64_t launched, ended = before == TP_NIL ? INT64_MIN :
		    g->nodes[g->host_count + before].to_ps;
		int64_t took = g->nodes[at].to_ps - g->nodes[at].from_ps;

		all += took;
		others += tp_node_process(g, at) ? took : 0;
		TP_MOST(g->device_count, tp_node_device(g, at) + 1);
		if (!l)
			continue;
		launched = g->nodes[l->point].to_ps;
		if (had_turn(g, at))
			continue;
		if (before != TP_NIL && launched < ended - 20 * US)
			gaps[gap_count++] = (struct delay){
			    tp_node_device(g, at), g->nodes[at].from_ps -
			    ended };
		if (before == TP_NIL || ended < launched)
			starts[start_count++] = g->nodes[at].from_ps -
			    launched;
	}
	g->has_few_turns = g->timeline->is_shared && (double)others <=
	    g->rules->turns_ratio * (double)all;
	g->launch_ps = middle(starts, start_count, start_count / 4, US / 2,
	    5 * US);
	TP_LEAST(g->launch_ps, g->rules->launch_most_ps);
	g->gap_ps = tp_alloc((g->device_count + 1) * sizeof *g->gap_ps);
	for (size_t d = 0; d < g->device_count; d++)
		g->gap_ps[d] = 3 * US / 2;
	TP_SORT(gaps, gap_count, by_device);
	for (; from < gap_count; from = to) {
		for (to = from; to < gap_count && gaps[to].device ==
		    gaps[from].device; to++)
			;
		/* of few the median is not what is usual */
		if ((double)(to - from) < g->rules->gaps_least ||
		    (double)(to - from) < g->rules->gaps_least_ratio *
		    (double)g->work_count)
			continue;
		g->gap_ps[gaps[from].device] = gaps[from + (to - from) / 2].ps;
		TP_MOST(g->gap_ps[gaps[from].device], US / 5);
		TP_LEAST(g->gap_ps[gaps[from].device], g->rules->gap_most_ps);
	}
	tp_free(gaps);
	tp_free(starts);
}

/* Whether work AT may depend on node ON. */
static int
may_need(const struct tp_graph *g, uint32_t at, uint32_t on)
{
	const struct tp_group *group = tp_node_group(g, at);

	return tp_node_precedes(g, on, at) && (!group ||
	    g->nodes[on].to_ps < group->to_ps);
}

static void
add(struct maker *m, uint32_t node, enum tp_edge_kind kind, int64_t delay)
{
	TP_APPEND(m->list, m->count, m->cap, (struct candidate){
	    m->g->nodes[node].to_ps + delay, TP_EDGE(node, kind) });
}

/* Other work that must have held up work AT, which could start at READY. */
static void
infer(struct maker *m, uint32_t at, int64_t ready)
{
	struct tp_graph *g = m->g;
	const struct tp_node *n = &g->nodes[at];
	uint32_t process = g->timeline->is_shared ? 0 : tp_node_process(g, at);
	int64_t gap = g->gap_ps[tp_node_device(g, at)];
	int64_t far = ready == INT64_MIN ? 50 * US : (n->from_ps - ready) / 10;
	/* where waits are not recorded, any within the delay on its device */
	int is_wide = g->timeline->hides_waits && ready != INT64_MIN;
	int64_t most;
	size_t i;

	TP_LEAST(far, 50 * US);
	TP_MOST(far, 2 * gap + 6 * US);
	most = is_wide && n->from_ps - ready > far ? n->from_ps - ready : far;
	i = tp_graph_ended(g, g->of_process, process, n->from_ps + US / 5);
	for (int k = 0; i && k < (is_wide ? WIDE_TRIES : TRIES); i--, k++) {
		const struct tp_ended *e = &g->of_process[i - 1];
		uint32_t other = (uint32_t)g->host_count + e->work;

		if (e->of != process || e->to_ps < n->from_ps - most)
			return;
		if (g->nodes[other].track == n->track ||
		    !may_need(g, at, other) || (e->to_ps < n->from_ps - far &&
		    tp_node_device(g, other) != tp_node_device(g, at)) ||
		    (ready != INT64_MIN && e->to_ps <= ready - gap))
			continue;
		add(m, other, TP_EDGE_INFERRED, gap);
		g->inferred_count++;
		return;
	}
}

static int64_t
latest(const struct maker *m)
{
	int64_t ps = INT64_MIN;

	for (size_t i = 0; i < m->count; i++)
		TP_MOST(ps, m->list[i].ready_ps);
	return ps;
}

/*
 * The node after which launch L was made of work AT.  Where the clock of the
 * device is ahead, short work ends before it: then an earlier one of the
 * thread.  TP_NIL: none is near, the work has the number of another launch.
 */
static uint32_t
launched_at(const struct tp_graph *g, const struct tp_launch *l, uint32_t at)
{
	uint32_t point = l->point;

	for (int k = 0; point != TP_NIL && k < TRIES; k++) {
		if (may_need(g, at, point))
			return point;
		point = tp_node_before(g, point);
	}
	return TP_NIL;
}

/* Find what work AT depends on. */
static void
find_edges(struct maker *m, uint32_t at)
{
	struct tp_graph *g = m->g;
	const struct tp_timeline *tl = g->timeline;
	struct tp_node *n = &g->nodes[at];
	uint32_t work = at - (uint32_t)g->host_count;
	int64_t gap = g->gap_ps[tp_node_device(g, at)], ready;
	const struct tp_launch *l = tp_node_launch(g, at);
	size_t bound = 0;
	uint32_t point, before = m->before[work];

	m->count = 0;
	if (l && (point = launched_at(g, l, at)) != TP_NIL)
		add(m, point, TP_EDGE_LAUNCH, g->launch_ps);
	else if (l)
		g->circle_count++;
	before += before == TP_NIL ? 0 : (uint32_t)g->host_count;
	if (before != TP_NIL && may_need(g, at, before))
		add(m, before, TP_EDGE_STREAM, gap);
	for (; m->await < tl->await_count &&
	    tl->awaits[m->await].after <= n->slice; m->await++) {
		uint32_t other = tl->awaits[m->await].awaited -
		    (uint32_t)tl->host_count + (uint32_t)g->host_count;

		if (tl->awaits[m->await].after == n->slice &&
		    g->nodes[other].to_ps <= n->from_ps + US &&
		    may_need(g, at, other))
			add(m, other, TP_EDGE_EVENT, gap);
	}
	ready = latest(m);
	if (ready == INT64_MIN || n->from_ps - ready > (2 * gap > 4 * US ?
	    2 * gap : 4 * US))
		infer(m, at, ready);
	/* what would have been ready later was ready in time: of two such a
	 * device that went on at once was not kept waiting by its launch */
	for (size_t i = 0; i < m->count; i++) {
		TP_LEAST(m->list[i].ready_ps, n->from_ps);
		if (m->list[i].ready_ps >= m->list[bound].ready_ps)
			bound = i;
	}
	n->first = (uint32_t)g->edge_count;
	for (size_t i = 0; i < m->count; i++) {
		size_t which = !i ? bound : i <= bound ? i - 1 : i;

		if (g->edge_count >= UINT32_MAX)
			tp_no_memory();
		TP_APPEND(g->edges, g->edge_count, g->edge_cap,
		    m->list[which].edge);
	}
}

/* Find what the devices did until each work started. */
static void
find_taken(struct tp_graph *g)
{
	struct tp_taken *devices;
	size_t streams = 0;

	for (size_t i = 0; i < g->timeline->track_count; i++)
		streams += g->timeline->tracks[i].is_stream;
	if (streams < 2)
		return;
	g->taken = tp_alloc((g->work_count + 1) * sizeof *g->taken);
	devices = tp_zalloc((g->device_count + 1) * sizeof *devices);
	for (size_t i = 0; i < g->device_count; i++)
		devices[i].last = TP_NIL;
	for (uint32_t i = 0; i < g->work_count; i++) {
		const struct tp_node *n = &g->nodes[g->host_count + i];
		struct tp_taken *d = &devices[tp_node_device(g,
		    (uint32_t)g->host_count + i)];
		int64_t until = d->last == TP_NIL ? n->from_ps :
		    g->nodes[g->host_count + d->last].to_ps;

		/* busy_ps: until the last one ends */
		g->taken[i] = *d;
		g->taken[i].busy_ps -= until > n->from_ps ? until -
		    n->from_ps : 0;
		if (d->last != TP_NIL && n->to_ps <= until)
			continue;
		TP_MOST(until, n->from_ps);
		d->busy_ps += n->to_ps - until;
		d->last = i;
	}
	tp_free(devices);
}

uint32_t
tp_graph_taken_by(const struct tp_graph *g, uint32_t at, int64_t ready_ps)
{
	const struct tp_node *nodes = &g->nodes[g->host_count], *x;
	uint32_t i = at - (uint32_t)g->host_count, last;
	int64_t start = nodes[i].from_ps, busy;
	double least;
	size_t first;

	if (!g->taken || g->taken[i].last == TP_NIL || !tp_node_launch(g, at))
		return TP_NIL;
	x = &nodes[g->taken[i].last];
	/* copies and collectives leave room for others, and make nothing */
	if (g->timeline->slices[x->slice].class != TP_PATH_KERNEL ||
	    x->track == nodes[i].track || x->to_ps < start ||
	    x->from_ps >= start)
		return TP_NIL;
	TP_SEEK(first, 0, i, mid, nodes[mid].from_ps < ready_ps);
	while (tp_node_device(g, (uint32_t)(g->host_count + first)) !=
	    tp_node_device(g, at))
		first++;
	last = g->taken[first].last;
	busy = g->taken[i].busy_ps - g->taken[first].busy_ps;
	if (last != TP_NIL && nodes[last].to_ps > ready_ps)
		busy += (nodes[last].to_ps < nodes[first].from_ps ?
		    nodes[last].to_ps : nodes[first].from_ps) - ready_ps;
	/* a kernel lacks room; another one waits for what kernels make */
	least = g->timeline->slices[nodes[i].slice].class == TP_PATH_KERNEL ?
	    g->rules->taken_ratio : g->rules->beside_ratio;
	return (double)busy >= least * (double)(start - ready_ps) ?
	    (uint32_t)g->host_count + g->taken[i].last : TP_NIL;
}

void
tp_graph_work(struct tp_graph *g)
{
	const struct tp_timeline *tl = g->timeline;
	struct maker m = { .g = g };

	m.before = tp_alloc((g->work_count + 1) * sizeof *m.before);
	find_before(&m);
	find_delays(&m);
	while (m.await < tl->await_count &&
	    tl->awaits[m.await].after < tl->host_count)
		m.await++;
	g->work_what = tp_alloc((g->work_count + 1) * sizeof *g->work_what);
	for (uint32_t i = 0; i < g->work_count; i++) {
		const struct tp_slice *s = &tl->slices[tl->host_count + i];

		find_edges(&m, (uint32_t)g->host_count + i);
		g->work_what[i] = tp_graph_what(g,
		    (enum tp_path_class)s->class, s->name, TP_NIL);
	}
	find_taken(g);
	tp_free(m.before);
	tp_free(m.list);
}
