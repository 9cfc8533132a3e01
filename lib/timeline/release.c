/* release - which work let a call of a thread go on */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "graph.h"

/* Most works that are looked at for one call. */
#define TRIES 256
#define LATENT_TRIES 16

/* The start of a work, or its launch. */
struct moment {
	int64_t ps;
	uint32_t process;
};

TP_ORDER(by_moment, struct moment, TP_UP(process) TP_UP(ps))

struct finder {
	struct tp_graph *g;
	struct moment *starts, *launched;
	size_t launched_count;
	int64_t *most;			/* by process: launched but not
					 * started, ever */
};

/* When work AT was launched; INT64_MIN: unknown. */
static int64_t
launched(const struct tp_graph *g, uint32_t at)
{
	const struct tp_launch *l = tp_node_launch(g, at);

	return l ? g->nodes[l->point].to_ps : INT64_MIN;
}

/* The work that call AT, which launched it, waited for; or TP_NIL. */
static uint32_t
own_work(const struct tp_graph *g, uint32_t at)
{
	const struct tp_node *n = &g->nodes[at];
	uint32_t launch = g->timeline->slices[n->slice].launch, work;

	if (!launch || g->timeline->slices[n->slice].kind != TP_SLICE_CALL)
		return TP_NIL;
	work = (uint32_t)g->host_count + g->launches[launch - 1].first_work;
	return g->nodes[work].to_ps > n->from_ps &&
	    tp_node_precedes(g, work, at) ? work : TP_NIL;
}

/*
 * The work that ended last within node AT and was launched before it, at most
 * TAIL before its end; or TP_NIL.
 */
static uint32_t
released_by(const struct tp_graph *g, uint32_t at, int64_t tail)
{
	const struct tp_node *n = &g->nodes[at];
	uint32_t process = tp_node_process(g, at);
	size_t i = tp_graph_ended(g, g->of_process, process, n->to_ps);

	for (int k = 0; i && k < TRIES; i--, k++) {
		const struct tp_ended *e = &g->of_process[i - 1];
		uint32_t work = (uint32_t)g->host_count + e->work;

		if (e->of != process || e->to_ps <= n->from_ps)
			break;
		if (launched(g, work) <= n->from_ps &&
		    tp_node_precedes(g, work, at))
			return n->to_ps - e->to_ps <= tail ? work : TP_NIL;
	}
	return TP_NIL;
}

/* The same for what call AT is recorded to have waited for. */
static uint32_t
recorded(const struct tp_graph *g, uint32_t at)
{
	const struct tp_timeline *tl = g->timeline;
	const struct tp_node *n = &g->nodes[at];
	uint32_t best = TP_NIL;
	size_t i;

	TP_SEEK(i, 0, tl->await_count, mid, tl->awaits[mid].after < n->slice);
	for (; i < tl->await_count && tl->awaits[i].after == n->slice; i++) {
		uint32_t work = tl->awaits[i].awaited -
		    (uint32_t)tl->host_count + (uint32_t)g->host_count;

		if (g->nodes[work].to_ps > n->from_ps &&
		    tp_node_precedes(g, work, at) && (best == TP_NIL ||
		    g->nodes[work].to_ps > g->nodes[best].to_ps))
			best = work;
	}
	return best;
}

/* Work launched before node AT that ended last before it: it would wait. */
static uint32_t
latent(const struct tp_graph *g, uint32_t at)
{
	const struct tp_node *n = &g->nodes[at];
	uint32_t process = tp_node_process(g, at);
	size_t i = tp_graph_ended(g, g->of_process, process, n->from_ps);

	for (int k = 0; i && k < LATENT_TRIES; i--, k++) {
		const struct tp_ended *e = &g->of_process[i - 1];
		uint32_t work = (uint32_t)g->host_count + e->work;
		int64_t when;

		if (e->of != process)
			break;
		when = launched(g, work);
		if (when != INT64_MIN && when <= n->from_ps &&
		    tp_node_precedes(g, work, at))
			return work;
	}
	return TP_NIL;
}

static void
set(struct tp_node *n, uint32_t work, enum tp_release by)
{
	n->release = work;
	n->released_by = (uint8_t)by;
}

/* The work of its process that ended last within node AT; or TP_NIL. */
static uint32_t
last_ended(const struct tp_graph *g, uint32_t at)
{
	const struct tp_node *n = &g->nodes[at];
	uint32_t process = tp_node_process(g, at), work;
	size_t i = tp_graph_ended(g, g->of_process, process, n->to_ps);

	if (!i || g->of_process[i - 1].of != process ||
	    g->of_process[i - 1].to_ps <= n->from_ps)
		return TP_NIL;
	work = (uint32_t)g->host_count + g->of_process[i - 1].work;
	return tp_node_precedes(g, work, at) ? work : TP_NIL;
}

/* Find what call AT waited for; without anything it ran. */
static void
find_wait(struct tp_graph *g, uint32_t at)
{
	struct tp_node *n = &g->nodes[at];
	enum tp_path_class class = (enum tp_path_class)
	    g->whats[g->stretches[n->first].what].class;
	uint32_t own = own_work(g, at), work = own;
	int is_told = class == TP_PATH_SYNC ||
	    g->timeline->slices[n->slice].told;
	int64_t took = n->to_ps - n->from_ps, tail;

	if (work == TP_NIL && is_told)
		work = recorded(g, at);
	if (work == TP_NIL)
		work = released_by(g, at, INT64_MAX);
	/* what other threads launched meanwhile */
	if (work == TP_NIL && g->timeline->hides_waits) {
		work = last_ended(g, at);
		tail = (int64_t)((double)took * (is_told ?
		    g->rules->told_return_ratio : g->rules->return_ratio));
		TP_MOST(tail, g->rules->hand_over_ps);
		if (work != TP_NIL && n->to_ps - g->nodes[work].to_ps > tail)
			work = TP_NIL;
	}
	if (work != TP_NIL) {
		tail = n->to_ps - g->nodes[work].to_ps;
		if (class == TP_PATH_COPY_CALL && own == TP_NIL &&
		    tail > (took / 10 > 30 * US ? took / 10 : 30 * US))
			work = TP_NIL;
		if (class == TP_PATH_FREE &&
		    tail > (took / 2 > 200 * US ? took / 2 : 200 * US))
			work = TP_NIL;
	}
	if (work != TP_NIL) {
		set(n, work, class == TP_PATH_QUEUE_FULL ? TP_RELEASE_QUEUE :
		    work == own && g->timeline->slices[
		    g->nodes[work].slice].is_input ? TP_RELEASE_INPUT :
		    TP_RELEASE_SYNC);
		return;
	}
	n->kind = TP_NODE_RUNS;
	if (class == TP_PATH_COPY_CALL)
		return;
	work = latent(g, at);
	if (work != TP_NIL)
		set(n, work, TP_RELEASE_LATENT);
}

/*
 * A thread that was in nothing recorded may have waited for the work that ended
 * meanwhile, of which another thread may have told it: only what follows can be
 * its own.
 */
static void
find_hidden(struct tp_graph *g, uint32_t at)
{
	struct tp_node *n = &g->nodes[at];
	enum tp_path_class class = (enum tp_path_class)
	    g->whats[g->stretches[n->first].what].class;
	uint32_t work;

	if (n->kind != TP_NODE_IDLE || n->to_ps - n->from_ps <
	    g->rules->idle_ps || (class != TP_PATH_UNTRACED && class !=
	    TP_PATH_PYTHON))
		return;
	work = released_by(g, at, INT64_MAX);
	if (work == TP_NIL)
		work = last_ended(g, at);
	if (work != TP_NIL)
		set(n, work, TP_RELEASE_IDLE);
}

/* The moments of LIST until PS in PROCESS and those before it, of COUNT. */
static int64_t
until(const struct moment *list, size_t count, uint32_t process, int64_t ps)
{
	size_t at;

	TP_SEEK(at, 0, count, mid, list[mid].process < process ||
	    (list[mid].process == process && list[mid].ps <= ps));
	return (int64_t)at;
}

/* How many works of PROCESS were launched before PS and had not started. */
static int64_t
outstanding(const struct finder *f, uint32_t process, int64_t ps)
{
	const struct moment *in = f->launched, *out = f->starts;
	size_t ins = f->launched_count, outs = f->g->work_count;

	return until(in, ins, process, ps - 1) - until(in, ins, process,
	    INT64_MIN) - until(out, outs, process, ps) + until(out, outs,
	    process, INT64_MIN);
}

/* Whether the queue was full when launch L was made. */
static void
find_full(const struct finder *f, const struct tp_launch *l)
{
	struct tp_graph *g = f->g;
	uint32_t at = l->point + 1, work, process;
	struct tp_node *n = &g->nodes[at];
	int64_t out;

	if (at >= g->host_count || n->kind != TP_NODE_RUNS || n->is_first ||
	    n->release != TP_NIL || g->stretches[n->first].slice != l->slice ||
	    g->stretches[n->first].to_ps - n->from_ps <= 50 * US)
		return;
	process = tp_node_process(g, at);
	out = outstanding(f, process, n->from_ps);
	if ((double)out < g->rules->full_queue || (double)out < 0.9 *
	    (double)f->most[process])
		return;
	work = released_by(g, at, 30 * US);
	if (work == TP_NIL)
		return;
	n->kind = TP_NODE_WAITS;
	set(n, work, TP_RELEASE_QUEUE);
}

static void
find_queues(struct tp_graph *g)
{
	struct finder f = { .g = g };

	if (!g->launch_count)
		return;
	f.starts = tp_alloc((g->work_count + 1) * sizeof *f.starts);
	f.launched = tp_alloc((g->work_count + 1) * sizeof *f.launched);
	f.most = tp_zalloc((g->timeline->process_count + 1) * sizeof *f.most);
	for (uint32_t i = 0; i < g->work_count; i++) {
		uint32_t at = (uint32_t)g->host_count + i;
		uint32_t process = tp_node_process(g, at);
		int64_t when = launched(g, at);

		f.starts[i] = (struct moment){ g->nodes[at].from_ps, process };
		if (when != INT64_MIN)
			f.launched[f.launched_count++] = (struct moment){ when,
			    process };
	}
	TP_SORT(f.starts, g->work_count, by_moment);
	TP_SORT(f.launched, f.launched_count, by_moment);
	for (size_t i = 0; i < g->launch_count; i++) {
		uint32_t at = g->launches[i].point;
		uint32_t process = tp_node_process(g, at);
		int64_t out = outstanding(&f, process, g->nodes[at].to_ps);

		TP_MOST(f.most[process], out);
	}
	for (size_t i = 0; i < g->launch_count; i++)
		find_full(&f, &g->launches[i]);
	tp_free(f.starts);
	tp_free(f.launched);
	tp_free(f.most);
}

void
tp_graph_releases(struct tp_graph *g)
{
	int64_t *tails = tp_alloc((g->host_count + 1) * sizeof *tails);
	size_t count = 0;

	for (uint32_t i = 0; i < g->host_count; i++)
		if (g->nodes[i].kind == TP_NODE_WAITS)
			find_wait(g, i);
		else if (g->timeline->hides_waits)
			find_hidden(g, i);
	find_queues(g);
	for (uint32_t i = 0; i < g->host_count; i++) {
		const struct tp_node *n = &g->nodes[i];
		int64_t tail = n->release == TP_NIL ? 0 :
		    n->to_ps - g->nodes[n->release].to_ps;

		/* far later it was told of something else */
		if ((n->released_by == TP_RELEASE_SYNC ||
		    n->released_by == TP_RELEASE_INPUT ||
		    n->released_by == TP_RELEASE_QUEUE) &&
		    tail <= g->rules->hand_over_ps)
			tails[count++] = tail;
	}
	g->tail_ps = count ? tp_pick_int(tails, count, count / 2) : 5 * US;
	tp_free(tails);
}
