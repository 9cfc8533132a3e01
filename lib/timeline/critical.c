/* critical - where the wall-clock time of a process went */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>
#include <tp/records.h>

#include "critical.h"
#include "schedule.h"

struct walk {
	struct tp_graph *g;
	struct tp_path *p;
	int64_t at_ps;		/* the path is known from here on */
	uint32_t after;		/* work of the process: the path led from it */
	uint32_t exposer;	/* node: the next wait of the path, or TP_NIL */
	int64_t exposes_ns;	/* what else may count as exposed by it: no more
				 * than the device worked during it */
	int keeps;
};

static struct tp_path_sum *
sum_of(struct tp_path *p, uint32_t what)
{
	return TP_ITEM(p->sums, p->sum_cap, what);
}

static void
add(struct walk *w, int64_t from, int64_t to, uint32_t what, uint32_t node)
{
	struct tp_path *p = w->p;
	struct tp_path_piece piece = { from, to, what, node, TP_NIL };
	struct tp_path_sum *sum;
	int64_t ns;

	TP_MOST(piece.from_ps, p->from_ps);
	TP_LEAST(piece.to_ps, w->at_ps);
	if (piece.to_ps <= piece.from_ps)
		return;
	w->at_ps = piece.from_ps;
	ns = tp_ps_to_ns(piece.to_ps) - tp_ps_to_ns(piece.from_ps);
	p->piece_count++;
	sum = sum_of(p, what);
	sum->ns += ns;
	sum->count++;
	if (w->exposer != TP_NIL && node < w->g->host_count &&
	    w->exposes_ns > 0) {
		TP_LEAST(ns, w->exposes_ns);
		w->exposes_ns -= ns;
		sum->exposed_ns += ns;
		piece.exposed_by = w->g->nodes[w->exposer].first;
		sum = sum_of(p, w->g->stretches[piece.exposed_by].what);
		sum->exposing_ns += ns;
		sum->exposing_count++;
	}
	if (p->with)
		p->with(p->with_arg, p, &piece);
	if (w->keeps)
		TP_APPEND(p->pieces, p->count, p->cap, piece);
}

/* What a long delay of work AT after node ON is. */
static enum tp_path_class
unexplained(const struct tp_graph *g, uint32_t at, uint32_t on)
{
	const struct tp_launch *l = tp_node_launch(g, at);

	return !l ? TP_PATH_UNLINKED : g->nodes[on].kind == TP_NODE_WORK &&
	    tp_node_launch(g, on) == l ? TP_PATH_GRAPH_GAP :
	    TP_PATH_DEVICE_WAIT;
}

/* Add the time before work AT since ON ended, when it could start. */
static void
add_delay(struct walk *w, uint32_t at, uint32_t on, enum tp_path_class class,
    int64_t usual)
{
	struct tp_graph *g = w->g;
	int64_t from = g->nodes[on].to_ps;
	uint32_t name = g->timeline->slices[g->nodes[at].slice].name;

	if (w->at_ps - from > usual)
		add(w, from + usual, w->at_ps, tp_graph_what(g,
		    unexplained(g, at, on), name, TP_NIL), at);
	add(w, from, w->at_ps, tp_graph_what(g, class, name, TP_NIL), at);
}

/* Add the time of thread node AT. */
static void
add_thread(struct walk *w, uint32_t at)
{
	const struct tp_graph *g = w->g;
	const struct tp_node *n = &g->nodes[at];
	size_t first, last;

	tp_node_stretches(g, at, &first, &last);
	for (size_t i = last; i > first; i--) {
		const struct tp_graph_stretch *s = &g->stretches[i - 1];
		int64_t from = i - 1 > first ? g->stretches[i - 2].to_ps :
		    n->from_ps;

		add(w, from, s->to_ps, s->what, at);
	}
}

/* Whether N, of a thread, ended because what it waited for did. */
static int
was_released(const struct tp_graph *g, const struct tp_node *n, int64_t at_ps)
{
	return n->release != TP_NIL &&
	    n->released_by != TP_RELEASE_LATENT &&
	    g->nodes[n->release].to_ps <= at_ps;
}

/*
 * Whether the wait of N leaves nothing queued, so that what follows counts.  A
 * short one found it so: the host was late before.
 */
static int
exposes(const struct tp_graph *g, const struct tp_node *n)
{
	return n->to_ps - n->from_ps >= g->rules->exposing_ps &&
	    n->released_by != TP_RELEASE_HAND_OVER &&
	    n->released_by != TP_RELEASE_IDLE &&
	    n->released_by != TP_RELEASE_INPUT;
}

/*
 * The node whose own time ends at *AT_PS if AT is on the path there: a
 * collective is on it where its last rank began it.
 */
static uint32_t
on_path(const struct tp_graph *g, uint32_t at, int64_t at_ps)
{
	const struct tp_group *group = tp_node_group(g, at);

	return group && g->nodes[group->last_node].from_ps < at_ps ?
	    group->last_node : at;
}

/* The usual delay, and three times it, of work AT by what bound it first. */
static int64_t
usual_delay(const struct tp_graph *g, uint32_t at)
{
	uint32_t edge = g->edges[g->nodes[at].first];

	return 3 * tp_edge_usual(g, at, edge) + (TP_EDGE_KIND(edge) ==
	    TP_EDGE_LAUNCH ? 10 * US : 6 * US);
}

/* The work that held up work AT for far longer than usual, or TP_NIL. */
static uint32_t
held_up(const struct tp_graph *g, uint32_t at)
{
	const struct tp_node *n = &g->nodes[at];
	int64_t ready = g->nodes[TP_EDGE_NODE(g->edges[n->first])].to_ps;

	return n->from_ps - ready > usual_delay(g, at) ?
	    tp_graph_taken_by(g, at, ready) : TP_NIL;
}

/*
 * What node AT (on_path()) waited for, or TP_NIL; *AT_PS gets when that was no
 * more.
 */
static uint32_t
behind(const struct tp_graph *g, uint32_t at, int64_t *at_ps)
{
	const struct tp_node *n = &g->nodes[at];
	uint32_t on;
	size_t first, last;

	if (n->kind != TP_NODE_WORK && was_released(g, n, *at_ps)) {
		TP_LEAST(*at_ps, g->nodes[n->release].to_ps);
		return n->release;
	}
	TP_LEAST(*at_ps, n->from_ps);
	if (n->kind != TP_NODE_WORK)
		return tp_node_before(g, at);
	tp_node_edges(g, at, &first, &last);
	if (first == last)
		return TP_NIL;
	on = held_up(g, at);
	if (on != TP_NIL)
		return on;
	on = TP_EDGE_NODE(g->edges[first]);
	TP_LEAST(*at_ps, g->nodes[on].to_ps);
	return on;
}

/* Find the next wait back from node AT that exposes what follows it. */
static void
find_exposer(struct walk *w, uint32_t at)
{
	const struct tp_graph *g = w->g;
	int64_t at_ps = w->at_ps;
	uint32_t last = TP_NIL;

	for (w->exposer = TP_NIL; at != TP_NIL && at_ps > w->p->from_ps;
	    at = behind(g, at, &at_ps)) {
		const struct tp_node *n;

		at = on_path(g, at, at_ps);
		n = &g->nodes[at];
		last = n->kind == TP_NODE_WORK ? TP_NIL : at;
		if (n->kind == TP_NODE_WORK || !was_released(g, n, at_ps) ||
		    !exposes(g, n))
			continue;
		w->exposer = at;
		break;
	}
	if (w->exposer == TP_NIL && w->p->exposers && last != TP_NIL)
		w->exposer = w->p->exposers[last];
	if (w->exposer != TP_NIL) {
		const struct tp_node *n = &g->nodes[w->exposer];

		w->exposes_ns = tp_ps_to_ns(g->nodes[n->release].to_ps) -
		    tp_ps_to_ns(n->from_ps);
	}
}

uint32_t *
tp_path_exposers(const struct tp_graph *g)
{
	uint32_t *list = tp_alloc((g->host_count + 1) * sizeof *list);
	uint32_t last = TP_NIL;

	for (uint32_t i = 0; i < g->host_count; i++) {
		const struct tp_node *n = &g->nodes[i];

		list[i] = n->is_first ? TP_NIL : last;
		last = n->is_first || n->kind == TP_NODE_IDLE ? TP_NIL :
		    list[i];
		if (was_released(g, n, n->to_ps) && exposes(g, n))
			last = i;
	}
	return list;
}

/* Add the time of work AT, and the delay before it. */
static void
add_work(struct walk *w, uint32_t at)
{
	struct tp_graph *g = w->g;
	const struct tp_node *n = &g->nodes[at];
	size_t first, last;

	add(w, n->from_ps, w->at_ps, g->work_what[at - g->host_count], at);
	TP_LEAST(w->at_ps, n->from_ps);
	tp_node_edges(g, at, &first, &last);
	if (first == last || held_up(g, at) != TP_NIL)
		return;
	add_delay(w, at, TP_EDGE_NODE(g->edges[first]),
	    TP_EDGE_KIND(g->edges[first]) == TP_EDGE_LAUNCH ?
	    TP_PATH_LAUNCH_LATENCY : TP_PATH_DEVICE_GAP, usual_delay(g, at));
}

/*
 * The path leads from work of the process to AT, that of another one which
 * had the device: it counts from when the work was ready.  Returns what made it
 * ready then; TP_NIL if it was ready before AT began.
 */
static uint32_t
add_other(struct walk *w, uint32_t at)
{
	struct tp_graph *g = w->g;
	uint32_t by = TP_NIL;
	size_t first, last;

	if (!g->timeline->is_shared || w->after == TP_NIL ||
	    tp_node_process(g, at) == w->p->process)
		return TP_NIL;
	tp_node_edges(g, w->after, &first, &last);
	for (; first < last; first++) {
		uint32_t on = TP_EDGE_NODE(g->edges[first]);

		if (tp_node_process(g, on) == w->p->process && (by == TP_NIL ||
		    g->nodes[on].to_ps > g->nodes[by].to_ps))
			by = on;
	}
	if (by == TP_NIL || g->nodes[by].to_ps <= g->nodes[at].from_ps ||
	    g->nodes[by].to_ps >= w->at_ps)
		return TP_NIL;
	add(w, g->nodes[by].to_ps, w->at_ps, g->work_what[at - g->host_count],
	    at);
	return by;
}

/* Add the time of thread node AT since what it waited for ended. */
static void
add_return(struct walk *w, uint32_t at)
{
	struct tp_graph *g = w->g;
	const struct tp_node *n = &g->nodes[at];
	enum tp_path_class class = n->released_by == TP_RELEASE_QUEUE ?
	    TP_PATH_QUEUE_FULL : n->released_by == TP_RELEASE_HAND_OVER ?
	    TP_PATH_HAND_OVER : TP_PATH_SYNC_RETURN;

	/* what a call is told to be it is until it returns */
	if (n->released_by == TP_RELEASE_IDLE || (class ==
	    TP_PATH_SYNC_RETURN && !tp_path_is_sync((enum tp_path_class)
	    g->whats[g->stretches[n->first].what].class) &&
	    g->timeline->hides_waits))
		add(w, g->nodes[n->release].to_ps, w->at_ps,
		    g->stretches[n->first].what, at);
	else
		add(w, g->nodes[n->release].to_ps, w->at_ps, tp_graph_what(g,
		    class, g->whats[g->stretches[n->first].what].name, TP_NIL),
		    at);
}

/* Add what the path is in at node AT.  Returns the node before it. */
static uint32_t
step_back(struct walk *w, uint32_t at)
{
	const struct tp_graph *g = w->g;
	const struct tp_node *n;
	int64_t at_ps;
	int is_exposer;
	uint32_t by;

	at = on_path(g, at, w->at_ps);
	n = &g->nodes[at];
	by = n->kind == TP_NODE_WORK ? add_other(w, at) : TP_NIL;
	if (by != TP_NIL) {
		find_exposer(w, by);
		return by;
	}
	if (n->kind == TP_NODE_WORK && tp_node_process(g, at) ==
	    w->p->process)
		w->after = at;
	at_ps = w->at_ps;
	is_exposer = at == w->exposer;
	if (n->kind == TP_NODE_WORK)
		add_work(w, at);
	else if (was_released(g, n, at_ps))
		add_return(w, at);
	else
		add_thread(w, at);
	at = behind(g, at, &at_ps);
	TP_LEAST(w->at_ps, at_ps);
	if (is_exposer)
		find_exposer(w, at);
	return at;
}

void
tp_path_walk(struct tp_path *p, struct tp_graph *g, int keep_pieces)
{
	struct walk w = { .g = g, .p = p, .at_ps = p->to_ps,
	    .after = TP_NIL, .keeps = keep_pieces };
	uint32_t at = p->end, first = at;

	find_exposer(&w, at);
	/* each step leads to a node earlier in the order */
	for (; at != TP_NIL && w.at_ps > p->from_ps; at = step_back(&w, at))
		first = at;
	add(&w, p->from_ps, w.at_ps, tp_graph_what(g, g->nodes[first].kind ==
	    TP_NODE_WORK ? TP_PATH_UNLINKED : TP_PATH_UNTRACED, TP_NIL,
	    TP_NIL), first);
	if (g->what_count)
		sum_of(p, (uint32_t)g->what_count - 1);
}

/* The thread of the steps of PROCESS, or that which launched most. */
static uint32_t
main_thread(const struct tp_graph *g, uint32_t process)
{
	const struct tp_timeline *tl = g->timeline;
	uint64_t *counts, most = 0;
	uint32_t main = TP_NIL;

	for (size_t i = 0; i < tl->step_count; i++)
		if (tl->tracks[tl->steps[i].track].process == process)
			return tl->steps[i].track;
	for (uint32_t i = 0; i < tl->track_count; i++)
		if (tl->tracks[i].is_main && tl->tracks[i].process == process)
			return i;
	counts = tp_zalloc((tl->track_count + 1) * sizeof *counts);
	for (size_t i = 0; i < g->launch_count; i++)
		counts[tl->slices[g->launches[i].slice].track] += UINT32_MAX;
	for (uint32_t i = 0; i < tl->track_count; i++) {
		const struct tp_timeline_track *t = &tl->tracks[i];

		if (t->process != process || !t->count)
			continue;
		counts[i] += t->count;
		if (counts[i] > most) {
			most = counts[i];
			main = i;
		}
	}
	tp_free(counts);
	return main;
}

/* Whether stretch AT of the main thread is the profiler, or no work yet. */
static int
is_around(const struct tp_path *p, const struct tp_graph *g, size_t at)
{
	enum tp_path_class class = (enum tp_path_class)
	    g->whats[g->stretches[at].what].class;

	return class == TP_PATH_PROFILER || (class == TP_PATH_UNTRACED &&
	    at == g->first_stretch[p->track]);
}

/* Take how the profiler was started and stopped off the window. */
static void
leave_profiler(struct tp_path *p, const struct tp_graph *g)
{
	size_t first, last, from, to;

	if (p->track == TP_NIL)
		return;
	from = first = g->first_stretch[p->track];
	to = last = g->first_stretch[p->track + 1];
	while (from < to && is_around(p, g, from))
		from++;
	while (to > from && is_around(p, g, to - 1))
		to--;
	if (from == to)
		return;
	if (from > first && g->whats[g->stretches[from - 1].what].class ==
	    TP_PATH_PROFILER)
		TP_MOST(p->from_ps, g->stretches[from - 1].to_ps);
	if (to < last && g->stretches[to - 1].to_ps > p->from_ps)
		TP_LEAST(p->until_ps, g->stretches[to - 1].to_ps);
}

/* Set the times of the window without what follows it. */
static void
find_window(struct tp_path *p, const struct tp_graph *g)
{
	const struct tp_timeline *tl = g->timeline;
	int64_t from = INT64_MAX, to = INT64_MIN;

	for (size_t i = 0; i < tl->step_count; i++)
		if (tl->tracks[tl->steps[i].track].process == p->process) {
			TP_LEAST(from, tl->steps[i].from_ps);
			TP_MOST(to, tl->steps[i].to_ps);
			p->step_count++;
		}
	if (!p->step_count) {
		for (uint32_t i = 0; i < g->node_count; i++) {
			const struct tp_node *n = &g->nodes[i];

			if (tp_node_process(g, i) != p->process ||
			    (n->kind != TP_NODE_WORK && n->track != p->track))
				continue;
			if (n->is_first && n->kind == TP_NODE_IDLE)
				continue;
			TP_LEAST(from, n->from_ps);
			TP_MOST(to, n->to_ps);
		}
		for (size_t i = 0; i < g->launch_count; i++) {
			const struct tp_slice *s =
			    &tl->slices[g->launches[i].slice];

			if (tl->tracks[s->track].process == p->process)
				TP_LEAST(from, s->from_ps);
		}
	}
	p->from_ps = from;
	p->until_ps = to;
	if (!p->step_count)
		leave_profiler(p, g);
}

/* Whether work AT was launched in the window; of steps of devices, started. */
static int
is_in(const struct tp_path *p, const struct tp_graph *g, uint32_t at)
{
	const struct tp_node *n = &g->nodes[at];
	const struct tp_launch *l;

	if (tp_node_process(g, at) != p->process || n->to_ps <= p->from_ps)
		return 0;
	if (p->is_cut)
		return n->to_ps <= p->until_ps;
	l = g->timeline->has_device_steps ? NULL : tp_node_launch(g, at);
	return (l ? g->nodes[l->point].to_ps : n->from_ps) < p->until_ps;
}

/* Find the node that ends the window. */
static void
find_end(struct tp_path *p, const struct tp_graph *g)
{
	p->last = p->end = TP_NIL;
	p->to_ps = p->last_ps = p->work_end_ps = p->from_ps;
	for (uint32_t i = 0; i < g->host_count; i++)
		if (!p->is_cut && g->nodes[i].track == p->track &&
		    !(g->timeline->has_device_steps && p->step_count) &&
		    g->nodes[i].from_ps < p->until_ps &&
		    g->nodes[i].to_ps > p->from_ps)
			p->last = i;
	if (p->last != TP_NIL) {
		p->last_ps = g->nodes[p->last].to_ps;
		TP_LEAST(p->last_ps, p->until_ps);
		p->end = p->last;
		p->to_ps = p->last_ps;
	}
	p->linked_ps = INT64_MAX;
	for (uint32_t i = (uint32_t)g->host_count; i < g->node_count; i++)
		if (tp_node_process(g, i) == p->process && tp_node_launch(g, i))
			TP_LEAST(p->linked_ps, g->nodes[i].from_ps);
	for (uint32_t i = (uint32_t)g->host_count; i < g->node_count; i++) {
		const struct tp_node *n = &g->nodes[i];

		if (!is_in(p, g, i))
			continue;
		p->work_ps += n->to_ps - n->from_ps;
		TP_MOST(p->work_end_ps, n->to_ps);
		if (!tp_node_launch(g, i) && (n->to_ps > p->linked_ps ||
		    p->linked_ps == INT64_MAX))
			p->unlinked_ps += n->to_ps - n->from_ps;
		if (n->to_ps > p->to_ps) {
			p->to_ps = n->to_ps;
			p->end = i;
		}
	}
}

int
tp_path_is_earlier(const struct tp_path *p, uint32_t node)
{
	const struct tp_launch *l = tp_node_launch(p->graph, node);

	return l ? p->step_count && p->graph->nodes[l->point].to_ps <
	    p->from_ps :
	    p->graph->nodes[node].from_ps < p->linked_ps &&
	    p->linked_ps < INT64_MAX;
}

int64_t
tp_path_end(const struct tp_path *p, const int64_t *ends)
{
	const struct tp_graph *g = p->graph;
	int64_t end = p->from_ps;
	uint32_t before;

	if (p->last != TP_NIL) {
		before = tp_node_before(g, p->last);
		if (before != TP_NIL)
			TP_MOST(end, ends[before]);
		TP_MOST(end, ends[p->last] - (g->nodes[p->last].to_ps -
		    p->last_ps));
	}
	for (uint32_t i = (uint32_t)g->host_count; i < g->node_count; i++)
		if (ends[i] > end && is_in(p, g, i))
			end = ends[i];
	return end;
}

int64_t
tp_path_residual_ns(const struct tp_path *p)
{
	const struct tp_graph *g = p->graph;
	int64_t ns = 0;

	for (uint32_t i = 0; i < g->what_count; i++)
		if (g->whats[i].class == TP_PATH_DEVICE_WAIT ||
		    g->whats[i].class == TP_PATH_GRAPH_GAP)
			ns += p->sums[i].ns;
	return ns;
}

int
tp_path_make(struct tp_path *p, struct tp_graph *g, uint32_t process,
    int keep_pieces)
{
	p->graph = g;
	p->process = process;
	p->track = main_thread(g, process);
	if (!p->is_cut)
		find_window(p, g);
	if (p->from_ps >= p->until_ps)
		return 0;
	find_end(p, g);
	if (p->end == TP_NIL)
		return 0;
	tp_path_walk(p, g, keep_pieces);
	return 1;
}

int
tp_path_cut(struct tp_path *p, struct tp_graph *g, uint32_t process,
    int64_t from_ps, int64_t to_ps)
{
	p->is_cut = 1;
	p->from_ps = from_ps;
	p->until_ps = to_ps;
	return tp_path_make(p, g, process, 0);
}

void
tp_path_again(struct tp_path *p, struct tp_graph *g,
    void (*with)(void *arg, const struct tp_path *path,
    const struct tp_path_piece *piece), void *with_arg)
{
	memset(p->sums, 0, p->sum_cap * sizeof *p->sums);
	p->piece_count = 0;
	p->with = with;
	p->with_arg = with_arg;
	tp_path_walk(p, g, 0);
}

int64_t
tp_path_nominal_ps(const struct tp_path *p)
{
	const struct tp_graph *g = p->graph;
	int64_t *ends = tp_alloc((g->node_count + 1) * sizeof *ends), ps;
	struct tp_change nominal = TP_CHANGE_NONE;

	nominal.is_nominal = 1;
	tp_graph_replay(g, p->from_ps, p->until_ps, &nominal, 1, ends);
	ps = tp_path_end(p, ends) - p->to_ps;
	tp_free(ends);
	return ps;
}

void
tp_path_release(struct tp_path *p)
{
	tp_free(p->sums);
	tp_free(p->pieces);
	memset(p, 0, sizeof *p);
}

int
tp_path_promises(const struct tp_path *p)
{
	const struct tp_path_rules *rules = p->graph->rules;
	double window_ns = (double)(tp_ps_to_ns(p->to_ps) -
	    tp_ps_to_ns(p->from_ps));

	/* without any launch the path is that of the devices alone */
	int is_alone = p->graph->timeline->hides_waits && p->linked_ps ==
	    INT64_MAX;

	return (is_alone || (double)p->unlinked_ps <= rules->unlinked_ratio *
	    (double)p->work_ps) && (double)tp_path_residual_ns(p) <=
	    rules->residual_ratio * window_ns;
}
