/* emit_budget - where the time of a PyTorch trace went, as records */
#include <string.h>

#include <tp/alloc.h>
#include <tp/budget.h>
#include <tp/order.h>
#include <tp/text.h>

#include "emit_torch.h"
#include "ival.h"

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
	int64_t all_ps = 0;

	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		unsigned at = o->work->category[t->gpu[i]];
		struct category *c = &list[at];
		int64_t ps = e->to_ps - e->from_ps;

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
	MATH, MEMORY, LATENCY, UNCOSTED, COMMUNICATION, RANKS_AWAITED,
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

/* Work of one lane in the window, and of copies what is known of their size. */
struct lane_work {
	struct tp_sweep upto;		/* with the lanes before it */
	int64_t copied_ps;		/* copies of known size */
	double copied_bytes;
};

/* Computation that copies have not been put beside yet, by direction. */
struct room {
	int64_t to_device_ps, to_host_ps;
};

/*
 * Time that the link needs for copies that took EXPOSED, at most EXPOSED; 0 if
 * its rate is not known.
 */
static int64_t
at_link(const struct tp_torch_out *o, const struct lane_work *lane,
    int64_t exposed)
{
	double link = o->platform ? o->platform->host_bytes_per_s : 0;
	double part = link > 0 && lane->copied_ps ? lane->copied_bytes / link *
	    1e12 / (double)lane->copied_ps : 0;

	return part < 1 ? (int64_t)((double)exposed * part) : exposed;
}

/*
 * Least time for the work of lane K that is EXPOSED.  Copies between host and
 * GPU, at the rate of the link, can be hidden by the computation left in ROOM;
 * both directions may use the same computation.
 */
static int64_t
floor_of(const struct tp_torch_out *o, int k, const struct lane_work *lane,
    int64_t exposed, struct room *room)
{
	static const enum tp_torch_limit limits[] = {
		[MATH] = TP_TORCH_MATH, [MEMORY] = TP_TORCH_MEMORY,
		[LATENCY] = TP_TORCH_LATENCY,
	};
	int64_t *left = k == TO_DEVICE_PAGEABLE || k == TO_DEVICE ?
	    &room->to_device_ps : &room->to_host_ps;
	int64_t least, hidden;

	if (k < UNCOSTED && o->work->sum_ps[limits[k]] > 0)
		return (int64_t)((double)exposed / 1000 *
		    ((double)o->work->best_ps[limits[k]] /
		    (double)o->work->sum_ps[limits[k]]));
	if (k < TO_DEVICE_PAGEABLE || k > TO_HOST)
		return k > UNCOSTED ? 0 : TP_FLOOR_UNKNOWN;
	least = at_link(o, lane, exposed);
	hidden = least < *left ? least : *left;
	*left -= hidden;
	return tp_ps_to_ns(least - hidden);
}

_Static_assert(LANES <= TP_TORCH_LANES_MAX &&
    TP_PART_COPIES < TP_TORCH_LANES_MAX, "gpus.h has too few lanes");

/* Collectives of one GPU. */
struct collectives {
	struct tp_sweep in_window;
	int64_t awaited_to_ps;		/* end of those that have moves */
};

/* The work that goes into a budget. */
struct adder {
	const struct tp_torch_out *o;
	const struct tp_torch_window *w;
	struct lane_work all[LANES];
	struct collectives *of_gpu;	/* at least one */
	size_t count;
	uint32_t *gpu_of_lane;		/* 1 + the GPU of its collectives */
};

static int
are_several(const struct adder *a)
{
	return a->o->gpus->count > 1;
}

static void
add_span(struct adder *a, size_t gpu, enum lane lane, int64_t from,
    int64_t to)
{
	TP_MOST(from, a->w->from_ps);
	TP_LEAST(to, a->w->to_ps);
	if (are_several(a)) {
		tp_torch_gpus_add(a->o->gpus, gpu, lane, from, to);
		return;
	}
	for (int k = (int)lane; k < LANES && from < to; k++)
		tp_sweep_add(&a->all[k].upto, from, to);
}

/*
 * Add moves from index NEXT on that begin before AT_PS, cut where the
 * collectives of their GPU end; one of unknown GPU may be part of those of
 * any.  Returns the index behind the last one.
 */
static size_t
add_moves(struct adder *a, size_t next, int64_t at_ps)
{
	const struct tp_torch *t = &a->o->file->torch;

	for (; next < t->move_count && t->moves[next].from < at_ps; next++) {
		uint32_t lane = t->moves[next].lane;
		size_t gpu = a->gpu_of_lane && lane != TP_TORCH_NO ?
		    a->gpu_of_lane[lane] : 0;
		size_t end = gpu ? gpu : a->count;

		for (gpu -= gpu > 0; gpu < end; gpu++) {
			int64_t to = t->moves[next].to;

			TP_LEAST(to, a->of_gpu[gpu].awaited_to_ps);
			add_span(a, gpu, COMMUNICATION, t->moves[next].from,
			    to);
		}
	}
	return next;
}

/* Count copy E, whose bytes may be known. */
static void
add_copy(struct adder *a, enum lane lane, const struct tp_torch_event *e)
{
	int64_t bytes = tp_torch_number(&a->o->file->torch, e->bytes);

	if (bytes < 0 || e->from_ps >= e->to_ps)
		return;
	a->all[lane].copied_ps += e->to_ps - e->from_ps;
	a->all[lane].copied_bytes += (double)bytes;
}

/* Add event E of GPU, in LANE. */
static void
add_event(struct adder *a, size_t gpu, enum lane lane,
    const struct tp_torch_event *e)
{
	struct collectives *c = &a->of_gpu[gpu];
	int64_t from = e->from_ps, to = e->to_ps;

	if (lane == RANKS_AWAITED)
		TP_MOST(c->awaited_to_ps, to);
	add_span(a, gpu, lane, from, to);
	TP_MOST(from, a->w->from_ps);
	TP_LEAST(to, a->w->to_ps);
	if (from >= to)
		return;
	if (lane > RANKS_AWAITED)
		add_copy(a, lane, e);
	else if (lane >= COMMUNICATION)
		tp_sweep_add(&c->in_window, from, to);
}

static void
add_events(struct adder *a)
{
	const struct tp_torch *t = &a->o->file->torch;
	struct tp_torch_gpus *g = a->o->gpus;
	size_t next = 0, gpu = 0;

	for (size_t i = 0; i < a->count; i++)
		a->of_gpu[i].awaited_to_ps = INT64_MIN;
	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];

		if (are_several(a)) {
			gpu = tp_torch_gpus_of(g, e->device);
			g->list[gpu].count++;
		}
		next = add_moves(a, next, e->from_ps);
		add_event(a, gpu, lane_of(a->o, t->gpu[i]), e);
	}
	add_moves(a, next, INT64_MAX);
}

/* Time of collectives, summed over the GPUs. */
static int64_t
communication_ps(const struct adder *a)
{
	int64_t ps = 0;

	for (size_t i = 0; i < a->count; i++)
		ps += a->of_gpu[i].in_window.busy;
	return ps;
}

/* Add the work of one GPU, where at each instant one activity counts. */
static void
add_one(struct adder *a, struct tp_budget *b)
{
	int64_t exposed, before = 0;
	struct room room;

	room.to_device_ps = room.to_host_ps = a->all[UNCOSTED].upto.busy;
	b->communication_ns = tp_ps_to_ns(communication_ps(a));
	for (int k = 0; k < LANES; k++) {
		exposed = a->all[k].upto.busy - before;
		before = a->all[k].upto.busy;
		tp_budget_add_ps(b, lanes[k].part, lanes[k].cause, exposed,
		    floor_of(a->o, k, &a->all[k], exposed, &room));
	}
}

/* Find the GPU of each lane on which moves may be. */
static void
find_lanes(struct adder *a)
{
	const struct tp_torch *t = &a->o->file->torch;

	if (!t->move_count)
		return;
	a->gpu_of_lane = tp_zalloc((t->lane_count + 1) *
	    sizeof *a->gpu_of_lane);
	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];

		a->gpu_of_lane[e->lane] = 1 +
		    (uint32_t)tp_torch_gpus_of(a->o->gpus, e->device);
	}
}

/*
 * Add the mean of what the GPUs did: of each instant in which one works, all
 * have the same share.  What is left of a division goes to the next lane.
 */
static void
add_mean(struct adder *a, struct tp_budget *b)
{
	const struct tp_torch_gpus *g = a->o->gpus;
	int64_t n = (int64_t)g->count, any = 0, rest = 0, ps;
	struct room room = { 0 };

	for (int64_t i = 1; i <= n; i++)
		any += g->at_once_ps[i];
	b->communication_ns = tp_ps_to_ns(communication_ps(a) / n);
	for (int k = 0; k < LANES; k++) {
		for (size_t i = 0; i < g->count; i++)
			rest += g->list[i].ps[k];
		ps = rest / n;
		rest %= n;
		any -= ps;
		if (k <= UNCOSTED) {
			room.to_device_ps += ps;
			room.to_host_ps += ps;
		}
		tp_budget_add_ps(b, lanes[k].part, lanes[k].cause, ps,
		    floor_of(a->o, k, &a->all[k], ps, &room));
		tp_budget_say_any(b, lanes[k].part, lanes[k].cause,
		    tp_ps_to_ns(g->lane_ps[k]),
		    tp_ps_to_ns(g->group_ps[lanes[k].part]));
	}
	tp_budget_add_ps(b, TP_PART_OTHERS, NULL, any, 0);
}

/* Add the work of all GPUs. */
static void
add_work(struct adder *a, struct tp_budget *b)
{
	uint8_t groups[TP_TORCH_LANES_MAX] = { 0 };

	for (int k = 0; k < LANES; k++)
		groups[k] = (uint8_t)lanes[k].part;
	a->count = are_several(a) ? a->o->gpus->count : 1;
	a->of_gpu = tp_zalloc(a->count * sizeof *a->of_gpu);
	if (are_several(a))
		find_lanes(a);
	add_events(a);
	if (are_several(a)) {
		tp_torch_gpus_sweep(a->o->gpus, groups);
		add_mean(a, b);
	} else {
		add_one(a, b);
	}
}

static const char between_operators[] = "between-operators";

/* Add the pieces of G; *LONGEST_PS: the most between operators in one gap. */
static void
add_gap(const struct tp_torch_out *o, const struct tp_torch_gap *g,
    struct tp_budget *b, int64_t *longest_ps)
{
	struct tp_torch_gap_piece p;
	int64_t between_ps = 0;

	for (size_t i = 0; tp_torch_gap_piece(o, g, i, &p); i++) {
		between_ps += tp_same(p.in.cause, between_operators) ? p.ps :
		    0;
		/* without a profiler there is no such time to gain */
		tp_budget_add_ps(b, p.in.part, p.in.cause, p.ps,
		    p.in.part == TP_PART_UNRECORDED &&
		    tp_same(p.in.cause, "profiler") ? INT64_MAX : 0);
	}
	TP_MOST(*longest_ps, between_ps);
}

/* Write PS of a GPU, and its share of the window. */
static void
out_share(const struct tp_torch_out *o, const char *key, const char *ratio,
    int64_t ps)
{
	tp_out_ps(o->out, key, ps);
	tp_out_ratio(o->out, ratio, ps, tp_torch_window_ps(o));
}

/* Write the mean of PS, a sum over all GPUs, as a share of the window. */
static void
out_mean(const struct tp_torch_out *o, const char *ratio, int64_t ps)
{
	tp_out_ratio(o->out, ratio, tp_torch_mean_ps(o, ps),
	    tp_torch_window_ps(o));
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
emit_gpu(const struct tp_torch_out *o, const struct tp_torch_gpu *gpu)
{
	begin(o, "budget.device");
	tp_out_known(o->out, "device_index", gpu->device);
	tp_out_int(o->out, "gpu_count", (int64_t)gpu->count);
	out_share(o, "busy_ns", "busy_of_wall_ratio", gpu->busy_ps);
	out_share(o, "compute_ns", "compute_of_wall_ratio",
	    in_lanes(gpu, 0, COMMUNICATION - 1));
	out_share(o, "communication_ns", "communication_of_wall_ratio",
	    in_lanes(gpu, COMMUNICATION, RANKS_AWAITED));
	out_share(o, "memcpy_ns", "memcpy_of_wall_ratio",
	    in_lanes(gpu, RANKS_AWAITED + 1, LANES - 1));
	out_share(o, "idle_ns", "idle_of_wall_ratio",
	    tp_torch_window_ps(o) - gpu->busy_ps);
	out_share(o, "other_device_ns", "other_device_of_wall_ratio",
	    gpu->others_ps);
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
emit_gpus(const struct tp_torch_out *o)
{
	const struct tp_torch_gpus *g = o->gpus;
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
	out_share(o, "busy_ns", "busy_of_wall_ratio", any);
	tp_out_ratio(o->out, "at_once_factor", sum, any);
	tp_out_int(o->out, "at_once_count", (int64_t)at_once);
	tp_out_ps(o->out, "at_once_ns", most);
	tp_out_ratio(o->out, "at_once_of_busy_ratio", most, any);
	out_mean(o, "compute_of_wall_ratio", compute);
	out_mean(o, "communication_of_wall_ratio", communication);
	tp_out_ratio(o->out, "idle_of_wall_ratio", tp_torch_window_ps(o) -
	    tp_torch_mean_ps(o, sum), tp_torch_window_ps(o));
	tp_out_end(o->out);
	for (size_t i = 0; i < g->count; i++)
		emit_gpu(o, &g->list[i]);
}

void
tp_torch_emit_budget(const struct tp_torch_out *o)
{
	const struct tp_torch_gaps *g = &o->file->gaps;
	const struct tp_torch_window w = o->window;
	struct adder a = { .o = o, .w = &w };
	struct tp_budget b = { .scope = "span", .is_main = 1,
	    .rank = o->rank, .has_rank = o->rank >= 0 };
	int64_t listed = 0, longest_ps = 0, idle;

	/* what was left out may be what the GPU did */
	if (!o->file->torch.gpu_count || o->kept_ratio > 0)
		return;
	b.start_ns = tp_ps_to_ns(w.from_ps);
	b.end_ns = b.start_ns + tp_ps_to_ns(w.to_ps - w.from_ps);
	add_work(&a, &b);
	idle = w.to_ps - w.from_ps;
	for (size_t i = 0; i < b.count; i++)
		idle -= b.rows[i].time_ns * 1000;
	idle -= b.rest_ps;
	for (size_t i = 0; i < g->count; i++)
		if (g->list[i].cause != TP_TORCH_EDGE) {
			add_gap(o, &g->list[i], &b, &longest_ps);
			listed += g->list[i].to_ps - g->list[i].from_ps;
		}
	if (tp_torch_may_recur(o))
		tp_budget_say_gap(&b, TP_PART_UNRECORDED, between_operators,
		    tp_ps_to_ns(longest_ps), 0);
	tp_budget_add_ps(&b, TP_PART_LAUNCH, "short-gaps", idle - listed, 0);
	b.cut_ns = tp_ps_to_ns(w.cut_ps);
	tp_budget_emit(&b, o->out);
	if (are_several(&a))
		emit_gpus(o);
	tp_free(a.of_gpu);
	tp_free(a.gpu_of_lane);
}
