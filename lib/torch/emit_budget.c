/* emit_budget - where the time of a PyTorch trace went, as records */
#include <string.h>

#include <tp/budget.h>
#include <tp/order.h>

#include "emit_private.h"
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
	SOMEWHERE, LANES
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
	const char *way;
	int pageable;

	/* its moves are communication, the rest is waiting */
	if (o->work->category[at] == o->work->communication)
		return has_moves(t, e) ? RANKS_AWAITED : COMMUNICATION;
	if (o->work->category[at] != o->work->copy)
		return by_limit[o->work->limit[at]];
	way = tp_torch_way(t, at);
	pageable = tp_torch_trait(t, e)->memory == TP_TORCH_PAGEABLE;
	if (!strcmp(way, "H2D"))
		return pageable ? TO_DEVICE_PAGEABLE : TO_DEVICE;
	if (!strcmp(way, "D2H"))
		return pageable ? TO_HOST_PAGEABLE : TO_HOST;
	return strcmp(way, "D2D") ? SOMEWHERE : ON_DEVICE;
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

/* What the link needs for copies that took EXPOSED, at most that. */
static int64_t
at_link(const struct tp_torch_out *o, const struct lane_work *lane,
    int64_t exposed)
{
	double link = o->platform ? o->platform->host_bytes_per_s : 0;
	double part = link > 0 && lane->copied_ps ? lane->copied_bytes / link *
	    1e12 / (double)lane->copied_ps : 1;

	return part < 1 ? (int64_t)((double)exposed * part) : exposed;
}

/*
 * The least time of what lane K had EXPOSED alone.  Copies between host and
 * GPU, at the rate of the link, need none of their own as far as computation
 * has ROOM beside it; both directions may use the same.
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

static void
add_span(struct lane_work *all, enum lane lane, const struct tp_torch_window *w,
    int64_t from, int64_t to)
{
	TP_MOST(from, w->from_ps);
	TP_LEAST(to, w->to_ps);
	for (int k = (int)lane; k < LANES && from < to; k++)
		tp_sweep_add(&all[k].upto, from, to);
}

/*
 * Add moves from index NEXT on that begin before AT_PS, cut at COLLECTIVES_PS.
 * Returns the index behind the last one.
 */
static size_t
add_moves(const struct tp_torch *t, struct lane_work *all,
    const struct tp_torch_window *w, size_t next, int64_t at_ps,
    int64_t collectives_ps)
{
	for (; next < t->move_count && t->moves[next].from < at_ps; next++) {
		int64_t to = t->moves[next].to;

		TP_LEAST(to, collectives_ps);
		add_span(all, COMMUNICATION, w, t->moves[next].from, to);
	}
	return next;
}

/* Add GPU work; at each instant one activity counts. */
static void
add_work(const struct tp_torch_out *o, const struct tp_torch_window *w,
    struct tp_budget *b)
{
	const struct tp_torch *t = &o->file->torch;
	struct lane_work all[LANES] = { 0 };
	struct room room;
	struct tp_sweep communication = { 0 };
	int64_t exposed, before = 0, collectives_ps = INT64_MIN;
	size_t next = 0;

	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		int64_t bytes = tp_torch_number(t, e->number);
		enum lane lane = lane_of(o, t->gpu[i]);

		next = add_moves(t, all, w, next, e->from_ps, collectives_ps);
		if (lane == RANKS_AWAITED)
			TP_MOST(collectives_ps, e->to_ps);
		if (lane > RANKS_AWAITED && bytes >= 0 &&
		    e->from_ps < e->to_ps && e->from_ps < w->to_ps &&
		    e->to_ps > w->from_ps) {
			all[lane].copied_ps += e->to_ps - e->from_ps;
			all[lane].copied_bytes += (double)bytes;
		}
		add_span(all, lane, w, e->from_ps, e->to_ps);
		if ((lane == COMMUNICATION || lane == RANKS_AWAITED) &&
		    e->from_ps < w->to_ps && e->to_ps > w->from_ps)
			tp_sweep_add(&communication, e->from_ps > w->from_ps ?
			    e->from_ps : w->from_ps, e->to_ps < w->to_ps ?
			    e->to_ps : w->to_ps);
	}
	b->communication_ns = tp_ps_to_ns(communication.busy);
	add_moves(t, all, w, next, INT64_MAX, collectives_ps);
	room.to_device_ps = room.to_host_ps = all[UNCOSTED].upto.busy;
	for (int k = 0; k < LANES; k++) {
		exposed = all[k].upto.busy - before;
		before = all[k].upto.busy;
		tp_budget_add_ps(b, lanes[k].part, lanes[k].cause, exposed,
		    floor_of(o, k, &all[k], exposed, &room));
	}
}

static void
add_gap(const struct tp_torch_out *o, const struct tp_torch_gap *g,
    struct tp_budget *b)
{
	struct tp_torch_gap_piece p;

	for (size_t i = 0; tp_torch_gap_piece(o, g, i, &p); i++)
		/* without a profiler there is no such time to gain */
		tp_budget_add_ps(b, p.in.part, p.in.cause, p.ps,
		    p.in.part == TP_PART_UNRECORDED &&
		    !strcmp(p.in.cause, "profiler") ? INT64_MAX : 0);
}

void
tp_torch_emit_budget(const struct tp_torch_out *o)
{
	const struct tp_torch_gaps *g = &o->file->gaps;
	struct tp_torch_window w;
	struct tp_budget b = { .scope = "span", .is_main = 1,
	    .rank = o->rank, .has_rank = o->rank >= 0 };
	int64_t listed = 0, idle;
	double kept;

	/* what was left out may be what the GPU did */
	if (!o->file->torch.gpu_count ||
	    tp_torch_is_thinned(&o->file->torch, &kept))
		return;
	w = o->window;
	b.start_ns = tp_ps_to_ns(w.from_ps);
	b.end_ns = b.start_ns + tp_ps_to_ns(w.to_ps - w.from_ps);
	add_work(o, &w, &b);
	idle = w.to_ps - w.from_ps;
	for (size_t i = 0; i < b.count; i++)
		idle -= b.rows[i].time_ns * 1000;
	idle -= b.rest_ps;
	for (size_t i = 0; i < g->count; i++)
		if (g->list[i].cause != TP_TORCH_EDGE) {
			add_gap(o, &g->list[i], &b);
			listed += g->list[i].to_ps - g->list[i].from_ps;
		}
	tp_budget_add_ps(&b, TP_PART_LAUNCH, "short-gaps", idle - listed, 0);
	b.cut_ns = tp_ps_to_ns(w.cut_ps);
	tp_budget_emit(&b, o->out);
}
