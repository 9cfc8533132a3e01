/* hand_over - which thread another one waited for */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "graph.h"

/* Shorter frames are not looked at. */
#define LEAST_FRAME_PS (60 * US)
#define LEAST_IDLE_PS (100 * US)
/* Most candidates that are looked at. */
#define TRIES 16

/* A thread stopped working at PS; or a frame began. */
struct turn {
	int64_t ps;
	uint32_t process, track;
	uint32_t at;		/* the last stretch, or node, that worked; of a
				 * frame its stretch */
};

TP_ORDER(by_time, struct turn, TP_UP(process) TP_UP(ps) TP_UP(track) TP_UP(at))

struct turns {
	struct turn *list;
	size_t count, cap;
};

/* The place after the last turn of PROCESS until PS. */
static size_t
place(const struct turns *t, uint32_t process, int64_t ps)
{
	size_t at;

	TP_SEEK(at, 0, t->count, mid, t->list[mid].process < process ||
	    (t->list[mid].process == process && t->list[mid].ps <= ps));
	return at;
}

/* Whether stretch S is one that may only stand while others work. */
static int
is_soft(const struct tp_graph *g, const struct tp_graph_stretch *s)
{
	switch (g->whats[s->what].class) {
	case TP_PATH_PYTHON:
	case TP_PATH_INTERPRETER:
	case TP_PATH_RANGE:
	case TP_PATH_UNTRACED:
	case TP_PATH_BLOCKED:
		return 1;
	default:
		return 0;
	}
}

/*
 * Whether a thread did nothing in stretch S: it is idle, or, without a thread
 * known to wake it, blocked in the system.
 */
static int
is_rest(const struct tp_graph *g, const struct tp_graph_stretch *s)
{
	return s->role == TP_NODE_IDLE ||
	    g->whats[s->what].class == TP_PATH_BLOCKED;
}

/* By stretch, the time before its end in which its thread was not idle. */
static int64_t *
sum_busy(const struct tp_graph *g)
{
	int64_t *busy = tp_alloc((g->stretch_count + 1) * sizeof *busy), sum;

	for (uint32_t t = 0; t < g->timeline->track_count; t++) {
		sum = 0;
		for (size_t i = g->first_stretch[t];
		    i < g->first_stretch[t + 1]; i++) {
			if (!is_rest(g, &g->stretches[i]))
				sum += g->stretches[i].to_ps -
				    tp_stretch_from(g, t, i);
			busy[i] = sum;
		}
	}
	return busy;
}

/*
 * How long the thread TRACK worked from PS on until the end of its stretch
 * LAST.
 */
static int64_t
worked(const struct tp_graph *g, const int64_t *busy, uint32_t track,
    size_t last, int64_t ps)
{
	size_t first = g->first_stretch[track], at;
	int64_t sum;

	TP_SEEK(at, first, last, mid, g->stretches[mid].to_ps <= ps);
	sum = busy[last] - busy[at];
	if (!is_rest(g, &g->stretches[at]))
		sum += g->stretches[at].to_ps - (tp_stretch_from(g, track,
		    at) > ps ? tp_stretch_from(g, track, at) : ps);
	return sum;
}

/*
 * The soft stretch AT of TRACK stood if another thread of its process worked
 * through most of it, and rested as it ended.  If it is blocked in the system
 * any that did so, else only the last one.
 */
static int
stood(const struct tp_graph *g, int64_t **busy, const struct turns *rests,
    uint32_t track, size_t at)
{
	const struct tp_graph_stretch *s = &g->stretches[at];
	uint32_t process = g->timeline->tracks[track].process;
	int64_t from = tp_stretch_from(g, track, at), took = s->to_ps - from;
	int64_t near = took / 10 > 100 * US ? took / 10 : 100 * US;
	size_t i = place(rests, process, s->to_ps);

	for (int k = 0; i && k < TRIES; i--, k++) {
		const struct turn *t = &rests->list[i - 1];

		if (t->process != process || t->ps <= from ||
		    t->ps <= s->to_ps - near)
			return 0;
		if (t->track == track)
			continue;
		if (!*busy)
			*busy = sum_busy(g);
		if (worked(g, *busy, t->track, t->at, from) > took / 2)
			return 1;
		if (!is_rest(g, s))
			return 0;
	}
	return 0;
}

/* When each thread began to rest, by its stretches. */
static void
find_rests(const struct tp_graph *g, struct turns *rests)
{
	const struct tp_timeline *tl = g->timeline;

	for (uint32_t t = 0; t < tl->track_count; t++) {
		size_t first = g->first_stretch[t];
		size_t last = g->first_stretch[t + 1];

		for (size_t i = first; i < last; i++)
			if (!is_rest(g, &g->stretches[i]) &&
			    (i + 1 == last ||
			    is_rest(g, &g->stretches[i + 1])))
				TP_APPEND(rests->list, rests->count,
				    rests->cap, (struct turn){
				    g->stretches[i].to_ps,
				    tl->tracks[t].process, t, (uint32_t)i });
	}
	TP_SORT(rests->list, rests->count, by_time);
}

/* Cut TRACK before soft frames during which another thread woke up. */
static void
cut_frames(struct tp_graph *g, const struct turns *wakes, uint32_t track)
{
	uint32_t process = g->timeline->tracks[track].process;

	for (size_t i = g->first_stretch[track] + 1;
	    i < g->first_stretch[track + 1]; i++) {
		struct tp_graph_stretch *s = &g->stretches[i];
		int64_t from = tp_stretch_from(g, track, i);
		size_t at;

		if (s->role != TP_NODE_RUNS || s->to_ps - from <=
		    LEAST_FRAME_PS || !is_soft(g, s))
			continue;
		at = place(wakes, process, from - 1);
		for (int k = 0; at < wakes->count && k < TRIES; at++, k++) {
			const struct turn *w = &wakes->list[at];

			if (w->process != process || w->ps >= s->to_ps)
				break;
			if (w->track != track) {
				s->is_cut = 1;
				break;
			}
		}
	}
}

void
tp_graph_stood(struct tp_graph *g)
{
	const struct tp_timeline *tl = g->timeline;
	struct turns rests = { 0 }, wakes = { 0 };
	int64_t *busy = NULL;

	find_rests(g, &rests);
	for (uint32_t t = 0; t < tl->track_count; t++)
		for (size_t i = g->first_stretch[t];
		    i < g->first_stretch[t + 1]; i++) {
			struct tp_graph_stretch *s = &g->stretches[i];

			if (s->role == TP_NODE_IDLE && s->to_ps -
			    tp_stretch_from(g, t, i) >= LEAST_IDLE_PS)
				TP_APPEND(wakes.list, wakes.count, wakes.cap,
				    (struct turn){ s->to_ps,
				    tl->tracks[t].process, t, (uint32_t)i });
			if (s->role == TP_NODE_RUNS && s->to_ps -
			    tp_stretch_from(g, t, i) > LEAST_FRAME_PS &&
			    is_soft(g, s) && stood(g, &busy, &rests, t, i))
				s->role = TP_NODE_IDLE;
		}
	TP_SORT(wakes.list, wakes.count, by_time);
	for (uint32_t t = 0; t < tl->track_count; t++)
		cut_frames(g, &wakes, t);
	tp_free(busy);
	tp_free(rests.list);
	tp_free(wakes.list);
}

/*
 * Whether thread TRACK only asks: it makes calls that launch nothing.  Such a
 * thread (a watchdog of collectives) rests now and then and hands nothing over,
 * nor does one of the profiler.
 */
static int
is_watcher(const struct tp_graph *g, uint32_t track)
{
	const struct tp_timeline_track *t = &g->timeline->tracks[track];

	for (uint32_t i = t->first; i < t->first + t->count; i++)
		if (g->timeline->slices[i].kind != TP_SLICE_CALL ||
		    g->timeline->slices[i].launch)
			return 0;
	return t->count || (t->name != TP_NIL &&
	    tp_class_of_name(&g->rules->watchers,
	    g->timeline->names.names[t->name].text));
}

/* When each thread began to rest, by its nodes; and when soft frames began. */
static void
find_turns(const struct tp_graph *g, struct turns *rests, struct turns *soft)
{
	int watches = 0;

	for (uint32_t i = 0; i < g->host_count; i++) {
		const struct tp_node *n = &g->nodes[i];
		const struct tp_graph_stretch *s = &g->stretches[n->first];
		int is_end = i + 1 == g->host_count || g->nodes[i + 1].is_first;

		if (n->is_first)
			watches = is_watcher(g, n->track);
		if (watches)
			continue;
		if (!is_rest(g, s) && (is_end || is_rest(g,
		    &g->stretches[g->nodes[i + 1].first])))
			TP_APPEND(rests->list, rests->count, rests->cap,
			    (struct turn){ n->to_ps, tp_node_process(g, i),
			    n->track, i });
		if (s->to_ps - n->from_ps > LEAST_FRAME_PS && is_soft(g, s) &&
		    (n->kind == TP_NODE_IDLE || !is_rest(g, s)) &&
		    !n->is_first)
			TP_APPEND(soft->list, soft->count, soft->cap,
			    (struct turn){ n->from_ps, tp_node_process(g, i),
			    n->track, i });
	}
	TP_SORT(rests->list, rests->count, by_time);
	TP_SORT(soft->list, soft->count, by_time);
}

/*
 * The thread that rested last before idle node AT ended; or TP_NIL.  What was
 * blocked in the system, or where waits are not recorded, waited for one that
 * worked through most of it.
 */
static uint32_t
rested(const struct tp_graph *g, int64_t **busy, const struct turns *rests,
    uint32_t at)
{
	const struct tp_node *n = &g->nodes[at];
	uint32_t process = tp_node_process(g, at);
	int64_t took = n->to_ps - n->from_ps, near = took / 50;
	int must_work = g->timeline->hides_waits ||
	    g->stretches[n->first].slice == TP_SYSTEM;
	size_t i = place(rests, process, n->to_ps), first, last;

	TP_MOST(near, g->rules->hand_over_ps);
	for (int k = 0; i && k < TRIES; i--, k++) {
		const struct turn *t = &rests->list[i - 1];

		if (t->process != process || t->ps < n->to_ps - near ||
		    t->ps <= n->from_ps)
			break;
		if (t->track == n->track || !tp_node_precedes(g, t->at, at))
			continue;
		if (must_work && !*busy)
			*busy = sum_busy(g);
		tp_node_stretches(g, t->at, &first, &last);
		if (!must_work || worked(g, *busy, t->track, last - 1,
		    n->from_ps) > took / 2)
			return t->at;
	}
	return TP_NIL;
}

/* The node before a frame that began shortly before idle node AT ended. */
static uint32_t
began(const struct tp_graph *g, const struct turns *soft, uint32_t at)
{
	const struct tp_node *n = &g->nodes[at];
	uint32_t process = tp_node_process(g, at);
	size_t i = place(soft, process, n->to_ps);

	for (int k = 0; i && k < TRIES / 2; i--, k++) {
		const struct turn *t = &soft->list[i - 1];
		int64_t to, near;

		if (t->process != process)
			break;
		to = g->stretches[g->nodes[t->at].first].to_ps;
		near = (to - t->ps) / 10;
		TP_MOST(near, g->rules->hand_over_ps);
		if (t->track != n->track && to > n->to_ps &&
		    n->to_ps - t->ps < near && tp_node_precedes(g, t->at - 1,
		    at))
			return t->at - 1;
	}
	return TP_NIL;
}

/*
 * The idle time before a call that came out of a queue ends when the call was
 * put in.
 */
static void
find_puts(struct tp_graph *g)
{
	const struct tp_timeline *tl = g->timeline;

	for (size_t i = 0; i < tl->queued_count; i++) {
		const struct tp_slice *call = &tl->slices[tl->queued[i].call];
		const struct tp_slice *put = &tl->slices[tl->queued[i].put];
		uint32_t idle = call->launch ?
		    g->launches[call->launch - 1].point : TP_NIL;
		size_t by;

		for (int k = 0; k < 4 && idle != TP_NIL &&
		    g->nodes[idle].kind != TP_NODE_IDLE; k++)
			idle = tp_node_before(g, idle);
		if (idle == TP_NIL || g->nodes[idle].kind != TP_NODE_IDLE ||
		    put->from_ps <= g->nodes[idle].from_ps)
			continue;
		TP_SEEK(by, 0, g->host_count, mid, g->nodes[mid].track <
		    put->track || (g->nodes[mid].track == put->track &&
		    g->nodes[mid].to_ps < put->from_ps));
		if (by == g->host_count || g->nodes[by].track != put->track ||
		    g->nodes[by].to_ps != put->from_ps ||
		    !tp_node_precedes(g, (uint32_t)by, idle))
			continue;
		g->nodes[idle].release = (uint32_t)by;
		g->nodes[idle].released_by = TP_RELEASE_HAND_OVER;
		g->hand_over_count++;
	}
}

/*
 * Where operators are recorded, a thread that rests for no longer than they
 * take to launch goes from one to the next.
 */
static void
find_in_between(struct tp_graph *g)
{
	uint32_t what;
	size_t i;

	for (i = 0; i < g->what_count && g->whats[i].class !=
	    TP_PATH_DISPATCH; i++)
		;
	if (i == g->what_count)
		return;
	what = tp_graph_what(g, TP_PATH_IN_BETWEEN, TP_NIL, TP_NIL);
	for (i = 0; i + 1 < g->host_count; i++) {
		const struct tp_node *n = &g->nodes[i];

		if (n->release != TP_NIL || n->is_first || n[1].track !=
		    n->track)
			continue;
		for (uint32_t k = n->first; k < n[1].first; k++) {
			struct tp_graph_stretch *s = &g->stretches[k];

			if (s->to_ps - tp_stretch_from(g, n->track, k) <
			    g->rules->dispatch_ps && g->whats[s->what].class ==
			    TP_PATH_UNTRACED && g->whats[s->what].name ==
			    TP_NIL)
				s->what = what;
		}
	}
}

void
tp_graph_hand_overs(struct tp_graph *g)
{
	struct turns rests = { 0 }, soft = { 0 };
	int64_t *busy = NULL;

	/* such a thread often rests while another one takes what it gave */
	int64_t least = g->timeline->hides_waits ? LEAST_IDLE_PS :
	    g->rules->idle_ps;

	find_turns(g, &rests, &soft);
	find_puts(g);
	for (uint32_t i = 0; i < g->host_count; i++) {
		struct tp_node *n = &g->nodes[i];
		int64_t took = n->to_ps - n->from_ps;
		uint32_t by;

		if (n->kind != TP_NODE_IDLE || took < least ||
		    (n->release != TP_NIL && n->released_by !=
		    TP_RELEASE_IDLE) || tp_node_is_fed(g, i))
			continue;
		by = rested(g, &busy, &rests, i);
		if (by == TP_NIL && took >= LEAST_IDLE_PS)
			by = began(g, &soft, i);
		if (by == TP_NIL || (n->release != TP_NIL &&
		    g->nodes[by].to_ps < g->nodes[n->release].to_ps))
			continue;
		n->release = by;
		n->released_by = TP_RELEASE_HAND_OVER;
		g->hand_over_count++;
	}
	tp_free(busy);
	tp_free(rests.list);
	tp_free(soft.list);
	find_in_between(g);
}
