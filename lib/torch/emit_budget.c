/* emit_budget - where the time of a PyTorch trace went, as records */
#include <math.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/budget.h>
#include <tp/order.h>
#include <tp/timeline/path.h>
#include <tp/text.h>

#include "emit_torch.h"
#include "ival.h"
#include "replayed.h"
#include "timeline/path_budget.h"

/* Number and time of the work of a category, by limit. */
struct category {
	uint64_t count;
	int64_t sum_ps, limit_ps[TP_TORCH_LIMITS];
	unsigned at;
};

static void
out_limits(const struct tp_torch_out *o, const int64_t *ps)
{
	static const char *const keys[TP_TORCH_LIMITS] = {
		[TP_TORCH_UNCOSTED] = "uncosted_ns",
		[TP_TORCH_MATH] = "math_bound_ns",
		[TP_TORCH_MEMORY] = "memory_bound_ns",
		[TP_TORCH_LATENCY] = "latency_bound_ns",
	};

	for (int i = 0; i < TP_TORCH_LIMITS; i++)
		if (ps[i])
			tp_out_ps(o->out, keys[i], ps[i]);
}

static void
out_category(const struct tp_torch_out *o, const struct category *c,
    size_t rank, int64_t all_ps)
{
	tp_torch_out_begin(o, "gpu.category");
	tp_out_int(o->out, "rank", (int64_t)rank);
	tp_out_text(o->out, "category", tp_torch_work_category(o->categories,
	    c->at));
	tp_out_int(o->out, "count", (int64_t)c->count);
	tp_out_ps(o->out, "gpu_sum_ns", c->sum_ps);
	tp_out_ratio(o->out, "gpu_ratio", c->sum_ps, all_ps);
	out_limits(o, c->limit_ps);
	tp_out_end(o->out);
}

void
tp_torch_emit_categories(const struct tp_torch_out *o)
{
	const struct tp_torch *t = &o->file->torch;
	struct category list[TP_TORCH_CATEGORIES] = { 0 }, *most;
	const struct tp_path *window = o->promise ?
	    tp_torch_promise_path(o->promise) : NULL;
	int64_t all_ps = 0;

	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		unsigned at = o->work->category[t->gpu[i]];
		struct category *c = &list[at];
		int64_t ps = e->to_ps - e->from_ps;

		if (window && (e->to_ps <= window->from_ps ||
		    e->from_ps >= window->to_ps))
			continue;
		c->at = at;
		c->count++;
		c->sum_ps += ps;
		if (at != o->work->communication && at != o->work->copy)
			c->limit_ps[o->work->limit[t->gpu[i]]] += ps;
		all_ps += ps;
	}
	for (size_t rank = 1; ; rank++) {
		most = &list[0];
		for (size_t i = 1; i < TP_TORCH_CATEGORIES; i++)
			if (list[i].count && (!most->count ||
			    list[i].sum_ps > most->sum_ps))
				most = &list[i];
		if (!most->count)
			break;
		out_category(o, most, rank, all_ps);
		most->count = 0;
	}
}

/* GPU activities by precedence: at each instant the first counts. */
enum lane {
	MATH, MEMORY, LATENCY, UNCOSTED, EARLIER, COMMUNICATION, RANKS_AWAITED,
	TO_DEVICE_PAGEABLE, TO_HOST_PAGEABLE, TO_DEVICE, TO_HOST, ON_DEVICE,
	MIGRATION, SOMEWHERE, LANES
};
static const struct {
	enum tp_budget_part part;
	const char *cause;
} lanes[LANES] = {
	[MATH] = { TP_PART_MATH, NULL }, [MEMORY] = { TP_PART_MEMORY, NULL },
	[LATENCY] = { TP_PART_LATENCY, NULL },
	[UNCOSTED] = { TP_PART_DEVICE, "uncosted" },
	[EARLIER] = { TP_PART_DEVICE, "earlier" },
	[COMMUNICATION] = { TP_PART_COMMUNICATION, NULL },
	[RANKS_AWAITED] = { TP_PART_COMMUNICATION, "waiting-for-ranks" },
	[TO_DEVICE_PAGEABLE] = { TP_PART_COPIES, "to-device-pageable" },
	[TO_HOST_PAGEABLE] = { TP_PART_COPIES, "to-host-pageable" },
	[TO_DEVICE] = { TP_PART_COPIES, "to-device" },
	[TO_HOST] = { TP_PART_COPIES, "to-host" },
	[ON_DEVICE] = { TP_PART_COPIES, "on-device" },
	[MIGRATION] = { TP_PART_COPIES, "migrations" },
	[SOMEWHERE] = { TP_PART_COPIES, "way-not-recorded" },
};

/* Whether the trace tells when collective E itself moved bytes. */
static int
has_moves(const struct tp_torch *t, const struct tp_torch_event *e)
{
	size_t at;

	TP_SEEK(at, 0, t->move_count, middle,
	    t->moves[middle].from < e->from_ps);
	for (; at < t->move_count && t->moves[at].from < e->to_ps; at++)
		if (t->moves[at].lane == e->lane ||
		    t->moves[at].lane == TP_TORCH_NO)
			return 1;
	return 0;
}

static enum lane
lane_of(const struct tp_torch_out *o, uint32_t at)
{
	static const enum lane by_limit[TP_TORCH_LIMITS] = {
		[TP_TORCH_UNCOSTED] = UNCOSTED, [TP_TORCH_MATH] = MATH,
		[TP_TORCH_MEMORY] = MEMORY, [TP_TORCH_LATENCY] = LATENCY,
	};
	const struct tp_torch *t = &o->file->torch;
	const struct tp_torch_event *e = &t->events[at];
	const char *direction;
	int pageable;

	/* its moves are communication, the rest is waiting */
	if (o->work->category[at] == o->work->communication)
		return has_moves(t, e) ? RANKS_AWAITED : COMMUNICATION;
	if (o->work->category[at] != o->work->copy)
		return by_limit[o->work->limit[at]];
	if (tp_torch_is_migration(t, e))
		return MIGRATION;
	direction = tp_torch_copy_direction(t, at);
	pageable = tp_torch_trait(t, e)->memory == TP_TORCH_PAGEABLE;
	if (!strcmp(direction, "H2D"))
		return pageable ? TO_DEVICE_PAGEABLE : TO_DEVICE;
	if (!strcmp(direction, "D2H"))
		return pageable ? TO_HOST_PAGEABLE : TO_HOST;
	return strcmp(direction, "D2D") ? SOMEWHERE : ON_DEVICE;
}

_Static_assert(LANES <= TP_TORCH_LANES_MAX &&
    TP_PART_COPIES < TP_TORCH_LANES_MAX && LANES <= TP_WORK_KINDS,
    "too few lanes");

/* Add all work to the GPUs that it ran on. */
static void
add_gpus(const struct tp_torch_out *o, const struct tp_path *window)
{
	const struct tp_torch *t = &o->file->torch;
	struct tp_torch_gpus *g = o->gpus;
	uint8_t groups[TP_TORCH_LANES_MAX] = { 0 };

	for (int k = 0; k < LANES; k++)
		groups[k] = (uint8_t)lanes[k].part;
	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		size_t gpu = tp_torch_gpus_of(g, e->device);
		int64_t from = e->from_ps, to = e->to_ps;

		g->list[gpu].count++;
		TP_MOST(from, window->from_ps);
		TP_LEAST(to, window->to_ps);
		tp_torch_gpus_add(g, gpu, lane_of(o, t->gpu[i]), from, to);
	}
	tp_torch_gpus_sweep(g, groups);
}

/* Write PS of a GPU, and its share of the window. */
static void
out_share(const struct tp_torch_out *o, const char *key, const char *ratio,
    int64_t ps, int64_t window_ps)
{
	tp_out_ps(o->out, key, ps);
	tp_out_ratio(o->out, ratio, ps, window_ps);
}

static void
begin(const struct tp_torch_out *o, const char *kind)
{
	tp_torch_out_begin(o, kind);
	tp_out_text(o->out, "scope", "span");
	tp_out_text(o->out, "role", "main");
}

/* The time of GPU in lanes FROM to LAST. */
static int64_t
in_lanes(const struct tp_torch_gpu *gpu, int from, int last)
{
	int64_t ps = 0;

	for (int k = from; k <= last; k++)
		ps += gpu->ps[k];
	return ps;
}

static void
emit_gpu(const struct tp_torch_out *o, const struct tp_torch_gpu *gpu,
    const struct tp_path *window)
{
	int64_t all = window->to_ps - window->from_ps;

	begin(o, "budget.device");
	tp_out_known(o->out, "device_index", gpu->device);
	tp_out_int(o->out, "gpu_count", (int64_t)gpu->count);
	out_share(o, "busy_ns", "busy_of_wall_ratio", gpu->busy_ps, all);
	out_share(o, "compute_ns", "compute_of_wall_ratio",
	    in_lanes(gpu, 0, COMMUNICATION - 1), all);
	out_share(o, "communication_ns", "communication_of_wall_ratio",
	    in_lanes(gpu, COMMUNICATION, RANKS_AWAITED), all);
	out_share(o, "memcpy_ns", "memcpy_of_wall_ratio",
	    in_lanes(gpu, RANKS_AWAITED + 1, LANES - 1), all);
	out_share(o, "idle_ns", "idle_of_wall_ratio",
	    all - gpu->busy_ps, all);
	out_share(o, "other_device_ns", "other_device_of_wall_ratio",
	    gpu->others_ps, all);
	tp_out_end(o->out);
}

/* How many processes launched GPU work; 0: unknown. */
static int64_t
count_processes(const struct tp_torch *t)
{
	struct tp_ids ids = { 0 };
	int64_t count;

	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];

		if (tp_torch_is_linked(e))
			tp_ids_add(&ids, (uint64_t)
			    t->lanes[t->events[e->launch].lane].process_id, 0);
	}
	count = (int64_t)ids.count;
	tp_ids_release(&ids);
	return count;
}

/* Write how many GPUs worked at once, and what each did. */
static void
emit_gpus(const struct tp_torch_out *o, const struct tp_path *window)
{
	const struct tp_torch_gpus *g = o->gpus;
	int64_t all = window->to_ps - window->from_ps;
	int64_t n = (int64_t)g->count;
	int64_t processes = count_processes(&o->file->torch);
	int64_t any = 0, sum = 0, most = 0, compute = 0, communication = 0;
	size_t at_once = 0;

	for (size_t i = 0; i < g->count; i++) {
		const struct tp_torch_gpu *gpu = &g->list[i];

		any += g->at_once_ps[i + 1];
		sum += gpu->busy_ps;
		compute += in_lanes(gpu, 0, COMMUNICATION - 1);
		communication += in_lanes(gpu, COMMUNICATION, RANKS_AWAITED);
	}
	while (at_once < g->count && (double)most < (double)any *
	    o->categories->at_once_ratio)
		most += g->at_once_ps[++at_once];
	begin(o, "budget.devices");
	tp_out_int(o->out, "device_count", (int64_t)g->count);
	if (processes)
		tp_out_int(o->out, "launching_process_count", processes);
	out_share(o, "busy_ns", "busy_of_wall_ratio", any, all);
	tp_out_ratio(o->out, "at_once_factor", sum, any);
	tp_out_int(o->out, "at_once_count", (int64_t)at_once);
	tp_out_ps(o->out, "at_once_ns", most);
	tp_out_ratio(o->out, "at_once_of_busy_ratio", most, any);
	tp_out_ratio(o->out, "compute_of_wall_ratio", compute / n, all);
	tp_out_ratio(o->out, "communication_of_wall_ratio", communication / n,
	    all);
	tp_out_ratio(o->out, "idle_of_wall_ratio", all - sum / n, all);
	tp_out_end(o->out);
	for (size_t i = 0; i < g->count; i++)
		emit_gpu(o, &g->list[i], window);
}

/* What the path is in, and how collectives on it moved bytes. */
struct on_path {
	struct tp_work_kinds kinds;
	const struct tp_torch *t;
	uint8_t *of;		/* that of kinds */
};

/* Time between FROM and TO in which collectives of LANE moved bytes. */
static int64_t
moved_ps(const struct tp_torch *t, uint32_t lane, int64_t from, int64_t to)
{
	struct tp_sweep moved = { 0 };
	size_t at;

	TP_SEEK(at, 0, t->move_count, mid, t->moves[mid].from < from);
	/* one that began before may go on; more are not looked for */
	at -= at > 0;
	for (; at < t->move_count && t->moves[at].from < to; at++) {
		const struct tp_torch_move *move = &t->moves[at];
		int64_t a = move->from > from ? move->from : from;
		int64_t b = move->to < to ? move->to : to;

		if (a < b && (move->lane == lane || move->lane == TP_TORCH_NO))
			tp_sweep_add(&moved, a, b);
	}
	return moved.busy;
}

/* Count PIECE of the path. */
static void
add_piece(void *arg, const struct tp_path *path,
    const struct tp_path_piece *piece)
{
	struct on_path *on = arg;
	const struct tp_graph *g = path->graph;
	size_t work = piece->node - g->host_count;
	int64_t ns;

	/* of computation; what moves bytes does so whenever it was launched */
	if (piece->node >= g->host_count && on->of[work] < EARLIER &&
	    tp_path_is_earlier(path, piece->node))
		on->of[work] = EARLIER;
	tp_work_add(&on->kinds, path, piece);
	if (piece->node < g->host_count || on->kinds.of[work] !=
	    RANKS_AWAITED || piece->what != g->work_what[work])
		return;
	ns = tp_ps_to_ns(moved_ps(on->t, on->t->events[on->t->gpu[work]].lane,
	    piece->from_ps, piece->to_ps));
	on->kinds.ns[RANKS_AWAITED] -= ns;
	on->kinds.ns[COMMUNICATION] += ns;
}

/* Set what each work is; free ON->of. */
static void
find_kinds(const struct tp_torch_out *o, struct on_path *on)
{
	static const enum tp_torch_limit limits[] = {
		[MATH] = TP_TORCH_MATH, [MEMORY] = TP_TORCH_MEMORY,
		[LATENCY] = TP_TORCH_LATENCY,
	};
	const struct tp_torch *t = &o->file->torch;

	on->of = tp_alloc(t->gpu_count + 1);
	for (size_t i = 0; i < t->gpu_count; i++)
		on->of[i] = (uint8_t)lane_of(o, t->gpu[i]);
	on->kinds.of = on->of;
	for (int k = 0; k < LANES; k++)
		on->kinds.list[k] = (struct tp_work_kind){ lanes[k].part,
		    lanes[k].cause, k == UNCOSTED || k == EARLIER ? NAN :
		    k > UNCOSTED ? 0 :
		    o->work->sum_ps[limits[k]] > 0 ?
		    (double)o->work->best_ps[limits[k]] /
		    (double)o->work->sum_ps[limits[k]] : 1,
		    k == TO_DEVICE_PAGEABLE || k == TO_DEVICE,
		    k == TO_DEVICE_PAGEABLE || k == TO_HOST_PAGEABLE };
}

/* Time of collectives in the window of PATH. */
static int64_t
communication_ns(const struct tp_torch_out *o, const struct tp_path *path)
{
	const struct tp_graph *g = path->graph;
	struct tp_sweep sweep = { 0 };

	for (size_t i = g->host_count; i < g->node_count; i++) {
		const struct tp_node *n = &g->nodes[i];
		int64_t from = n->from_ps, to = n->to_ps;

		if (o->work->category[o->file->torch.gpu[i - g->host_count]] !=
		    o->work->communication ||
		    tp_node_process(g, (uint32_t)i) != path->process)
			continue;
		TP_MOST(from, path->from_ps);
		TP_LEAST(to, path->to_ps);
		if (from < to)
			tp_sweep_add(&sweep, from, to);
	}
	return tp_ps_to_ns(sweep.busy);
}

void
tp_torch_emit_budget(const struct tp_torch_out *o)
{
	struct on_path on = { .t = &o->file->torch };
	struct tp_budget b = { .scope = "span", .is_main = 1, .rank = o->rank,
	    .has_rank = o->rank >= 0 };
	struct tp_path *path;

	if (!o->promise)
		return;
	path = tp_torch_promise_path(o->promise);
	find_kinds(o, &on);
	tp_path_again(path, o->graph, add_piece, &on);
	b.start_ns = tp_ps_to_ns(path->from_ps);
	b.end_ns = tp_ps_to_ns(path->to_ps);
	b.communication_ns = communication_ns(o, path);
	tp_path_budget(&b, path, &on.kinds);
	tp_budget_emit(&b, o->out);
	tp_path_emit_tables(path, o->rank, o->out);
	tp_path_emit_lanes(path, o->graph, o->pixels, o->rank, o->out);
	if (o->graph->device_count > 1)
		tp_path_emit_gain(path, "devices=apart", o->rank, o->out);
	if (o->gpus->count > 1) {
		add_gpus(o, path);
		emit_gpus(o, path);
	}
	tp_free(on.of);
}
