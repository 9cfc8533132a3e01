/*
 * emit_ranges - GPU work by marked ranges, as records
 *
 * Ranges (record_function, and those that PyTorch and servers mark) nest on
 * their thread.  Work counts for the innermost range around the call that
 * launched it and for all ranges around that.  If the thread of the call has
 * none, as autograd's, the range open on the thread with the most of them
 * counts.  If the host marked nothing, ranges on the GPU count for the work
 * inside them.  Names that differ only in numbers are one region.
 * Memory: at most 100 bytes a range, 100 a piece of GPU work, and distinct
 * paths.
 */
#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "cover.h"
#include "emit_torch.h"
#include "step_samples.h"

struct last_over_tree {
	int64_t *most;		/* a tree: of 2k and 2k + 1 in k; the value at
				 * k in leaf_count + k */
	size_t leaf_count;
};

/* Prepare for COUNT values, which are put into the result. */
static int64_t *
last_over_init(struct last_over_tree *l, size_t count)
{
	/* one more than the values: END may be their count */
	for (l->leaf_count = 1; l->leaf_count <= count; )
		l->leaf_count *= 2;
	l->most = tp_alloc(l->leaf_count * 2 * sizeof *l->most);
	for (size_t i = 0; i < l->leaf_count * 2; i++)
		l->most[i] = INT64_MIN;
	return l->most + l->leaf_count;
}

/* After all values were put: sum up. */
static void
last_over_ready(struct last_over_tree *l)
{
	for (size_t i = l->leaf_count; --i; )
		l->most[i] = l->most[2 * i] > l->most[2 * i + 1] ?
		    l->most[2 * i] : l->most[2 * i + 1];
}

/* The place of the last value over LIMIT before place END, or -1. */
static ptrdiff_t
last_over(const struct last_over_tree *l, size_t end, int64_t limit)
{
	size_t i = l->leaf_count + end;

	while (i > 1 && !(i % 2 && l->most[i - 1] > limit))
		i /= 2;
	if (i-- == 1)
		return -1;
	while (i < l->leaf_count) {
		i = 2 * i + 1;
		i -= l->most[i] <= limit;
	}
	return (ptrdiff_t)(i - l->leaf_count);
}

static void
last_over_release(struct last_over_tree *l)
{
	tp_free(l->most);
	l->most = NULL;
}

/* Most kernels listed per region. */
#define KERNELS_MAX 5
/* Most nested ranges in a path. */
#define DEPTH_MAX 64

/* A union of spans, which are added by start. */
struct covered {
	int64_t from_ps, to_ps, sum_ps;
	int any;
};

/* A graph capture serves no request, but ends the step before it. */
enum { NO_PHASE, PREFILL, DECODE, MIXED, DIFFUSION, CAPTURE, PHASES };

/* A range. */
struct range {
	int64_t from_ps, to_ps;
	int64_t first_ps, last_ps;	/* of its work: the first start, the
					 * last end */
	uint32_t lane, event;
	uint32_t parent, region;	/* indices of ranges and regions */
	uint8_t phase;			/* if it is the outermost step of a
					 * server; else 0 */
	uint8_t phases;			/* a bit for each around it, and its */
};

struct region {
	uint32_t parent, name;		/* parent region; name of the first
					 * range */
	int varies;			/* names of ranges differ */
	uint32_t normal;		/* index in normals */
	uint64_t count;
	uint32_t depth;
	uint32_t at;			/* where its next work goes */
	int64_t own_ps, all_ps, host_ps;
	int64_t busy_ps, idle_ps;	/* union of all work in it, and the rest
					 * of spans; TP_TAB_ABSENT: no work */
	int64_t host_own_ps;		/* without the ranges inside */
	struct covered spans;		/* from the first to the last work of
					 * each range */
	struct tp_spread steps;		/* of its own work, if that is known: */
	int has_steps;			/* 1; 0: it has none; -1: it is not */
};

/* Steps of a server with the same type of work. */
struct phase {
	uint64_t steps;
	int64_t requests, tokens, wall_ps;
	struct covered work;
	int unknown;		/* tokens of some steps are unknown */
};

struct tally {
	const struct tp_torch_out *o;
	const struct tp_torch *t;
	struct range *ranges;		/* by lane and start, the longer
					 * first */
	size_t count, cap;
	struct last_over_tree ends;	/* of ranges */
	int on_gpu;			/* the ranges are on the GPU */
	uint32_t main_lane;
	struct tp_names normals;	/* names with '*' for numbers */
	struct tp_ids paths;		/* parent region + 1, normal */
	struct region *regions;		/* by index in paths */
	size_t region_cap;
	struct phase phases[PHASES];
	uint32_t *groups;		/* by piece of GPU work: its region */
	uint64_t sample_count;		/* steps */
	struct tp_buf text;
};

TP_ORDER(by_lane, struct range, TP_UP(lane) TP_UP(from_ps) TP_DOWN(to_ps)
    TP_UP(event))

/* Collect the ranges of CAT, sorted. */
static void
collect(struct tally *y, enum tp_torch_cat cat)
{
	for (size_t i = 0; i < y->t->count; i++) {
		const struct tp_torch_event *e = &y->t->events[i];

		/* steps have records of their own */
		if (e->cat != cat || tp_torch_trait(y->t, e)->is_step ||
		    tp_class_of_name(&y->t->ops->unmarked,
		    tp_torch_event_name(y->t, e)->text))
			continue;
		tp_grow(&y->ranges, &y->cap, y->count + 1, sizeof *y->ranges);
		y->ranges[y->count] = (struct range){ .from_ps = e->from_ps,
		    .to_ps = e->to_ps, .lane = e->lane,
		    .first_ps = INT64_MAX, .last_ps = INT64_MIN,
		    .event = (uint32_t)i, .parent = TP_TORCH_NO };
		y->count++;
	}
	TP_SORT(y->ranges, y->count, by_lane);
}

/* The index of NAME with '*' for each number. */
static ptrdiff_t
normal_of(struct tally *y, const struct tp_name *name)
{
	tp_buf_clear(&y->text);
	for (size_t i = 0; i < name->len; i++) {
		if (!isdigit((unsigned char)name->text[i]))
			tp_buf_chr(&y->text, name->text[i]);
		else if (!i || !isdigit((unsigned char)name->text[i - 1]))
			tp_buf_chr(&y->text, '*');
	}
	return tp_names_add(&y->normals, y->text.p ? y->text.p : "",
	    y->text.len);
}

static void
assign_region(struct tally *y, struct range *r)
{
	uint32_t name = y->t->events[r->event].name, around;
	ptrdiff_t normal = normal_of(y, &y->t->names.names[name]), at;
	size_t had = y->paths.count;
	struct region *g;

	around = r->parent == TP_TORCH_NO ? TP_TORCH_NO :
	    y->ranges[r->parent].region;
	at = tp_ids_add(&y->paths, around == TP_TORCH_NO ? 0 : (uint64_t)around
	    + 1, (uint64_t)normal);
	TP_ITEM(y->regions, y->region_cap, at);
	g = &y->regions[at];
	if (y->paths.count > had) {
		g->parent = around;
		g->name = name;
		g->normal = (uint32_t)normal;
		g->depth = around == TP_TORCH_NO ? 1 :
		    y->regions[around].depth + 1;
	}
	g->varies |= g->name != name;
	g->host_ps += r->to_ps - r->from_ps;
	g->host_own_ps += r->to_ps - r->from_ps;
	if (around != TP_TORCH_NO) {
		const struct range *p = &y->ranges[r->parent];

		y->regions[around].host_own_ps -= (r->to_ps < p->to_ps ?
		    r->to_ps : p->to_ps) - r->from_ps;
	}
	r->region = (uint32_t)at;
}

/* Nest the ranges and find the lane with the most of their time. */
static void
nest(struct tally *y)
{
	int64_t most = -1, sum = 0, *ends;
	uint32_t top = TP_TORCH_NO;

	ends = last_over_init(&y->ends, y->count);
	for (uint32_t i = 0; i < y->count; i++) {
		struct range *r = &y->ranges[i];

		ends[i] = r->to_ps;
		if (!i || y->ranges[i - 1].lane != r->lane) {
			top = TP_TORCH_NO;
			sum = 0;
		}
		while (top != TP_TORCH_NO && y->ranges[top].to_ps <=
		    r->from_ps)
			top = y->ranges[top].parent;
		r->parent = top;
		if (top == TP_TORCH_NO) {
			sum += r->to_ps - r->from_ps;
			if (sum > most) {
				most = sum;
				y->main_lane = r->lane;
			}
		}
		assign_region(y, r);
		top = i;
	}
	last_over_ready(&y->ends);
}

/* The innermost range around AT_PS on LANE, or TP_TORCH_NO. */
static uint32_t
range_at(const struct tally *y, uint32_t lane, int64_t at_ps)
{
	size_t from;
	ptrdiff_t at;

	TP_SEEK(from, 0, y->count, middle, y->ranges[middle].lane < lane ||
	    (y->ranges[middle].lane == lane && y->ranges[middle].from_ps <=
	    at_ps));
	at = last_over(&y->ends, from, at_ps);
	return at >= 0 && y->ranges[at].lane == lane ? (uint32_t)at :
	    TP_TORCH_NO;
}

static uint32_t
range_of(const struct tally *y, const struct tp_torch_event *work)
{
	const struct tp_torch_event *call;
	uint32_t at;

	if (y->on_gpu)
		return range_at(y, work->lane, work->from_ps);
	if (!tp_torch_is_linked(work))
		return TP_TORCH_NO;
	call = &y->t->events[work->launch];
	at = range_at(y, call->lane, call->from_ps);
	return at != TP_TORCH_NO || call->lane == y->main_lane ? at :
	    range_at(y, y->main_lane, call->from_ps);
}

/* Add FROM .. TO, which must not begin before earlier spans. */
static void
cover(struct covered *c, int64_t from, int64_t to)
{
	if (!c->any) {
		c->from_ps = c->to_ps = from;
		c->any = 1;
	}
	if (to > c->to_ps) {
		c->sum_ps += to - (from > c->to_ps ? from : c->to_ps);
		c->to_ps = to;
	}
}

/* Count WORK, which is added by start, for range AT. */
static void
add_work(struct tally *y, uint32_t at, const struct tp_torch_event *work)
{
	struct range *r = &y->ranges[at];

	y->regions[r->region].own_ps += work->to_ps - work->from_ps;
	y->regions[r->region].count++;
	TP_LEAST(r->first_ps, work->from_ps);
	TP_MOST(r->last_ps, work->to_ps);
	for (int i = PREFILL; i < PHASES; i++)
		if (r->phases >> i & 1)
			cover(&y->phases[i].work, work->from_ps, work->to_ps);
}

/*
 * Lay the work of each region behind that of the regions in it, in SPANS.
 * QUERIES gets by region where that of all begins and ends.  Returns how much
 * there is.
 */
static size_t
lay_out(struct tally *y, struct tp_span *spans, struct tp_cover *queries)
{
	uint32_t count = 0;

	/* a region comes after the one around it */
	for (size_t i = y->paths.count; i--; ) {
		struct region *g = &y->regions[i], *around;

		g->all_ps += g->own_ps;
		if (g->parent == TP_TORCH_NO)
			continue;
		around = &y->regions[g->parent];
		around->all_ps += g->all_ps;
		around->count += g->count;
	}
	for (size_t i = 0; i < y->paths.count; i++) {
		struct region *g = &y->regions[i];
		uint32_t *next = g->parent == TP_TORCH_NO ? &count :
		    &y->regions[g->parent].at;

		g->at = queries[i].first = *next;
		queries[i].last = *next += (uint32_t)g->count;
	}
	for (size_t i = 0; i < y->t->gpu_count; i++) {
		const struct tp_torch_event *work =
		    &y->t->events[y->t->gpu[i]];

		if (y->groups[i] != TP_TORCH_NO)
			spans[y->regions[y->groups[i]].at++] =
			    (struct tp_span){ work->from_ps, work->to_ps };
	}
	return count;
}

/* Count work for all that is around its range. */
static void
sum_up(struct tally *y)
{
	struct tp_span *spans = tp_alloc((y->t->gpu_count + 1) *
	    sizeof *spans);
	struct tp_cover *queries = tp_alloc((y->paths.count + 1) *
	    sizeof *queries);

	for (size_t i = y->count; i--; ) {
		const struct range *r = &y->ranges[i];

		if (r->parent == TP_TORCH_NO)
			continue;
		TP_LEAST(y->ranges[r->parent].first_ps, r->first_ps);
		TP_MOST(y->ranges[r->parent].last_ps, r->last_ps);
	}
	tp_cover_measure(spans, lay_out(y, spans, queries), queries,
	    y->paths.count);
	for (size_t i = 0; i < y->paths.count; i++)
		y->regions[i].busy_ps = queries[i].length;
	tp_free(spans);
	tp_free(queries);
}

/* Sum up each region's own work by step. */
static void
take_steps(struct tally *y)
{
	const struct tp_torch *t = y->t;
	struct tp_torch_samples samples;
	struct tp_ids ids = { 0 };
	int64_t *sums = NULL;
	size_t cap = 0;

	tp_torch_samples_init(&samples, &y->o->file->times, t, 1);
	y->sample_count = samples.count;
	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *work = &t->events[t->gpu[i]];
		size_t had = ids.count;
		struct region *g;
		ptrdiff_t at;

		if (y->groups[i] == TP_TORCH_NO)
			continue;
		g = &y->regions[y->groups[i]];
		tp_torch_samples_put(&samples, 0, work->launch);
		g->has_steps = samples.step_of[0] == TP_TAB_UNKNOWN ||
		    g->has_steps < 0 ? -1 : 1;
		if (samples.step_of[0] >= TP_TAB_OUTSIDE)
			continue;
		at = tp_ids_add(&ids, y->groups[i], samples.step_of[0]);
		TP_ITEM(sums, cap, at);
		sums[at] = (ids.count > had ? 0 : sums[at]) +
		    tp_torch_took(work);
	}
	for (size_t i = 0; i < ids.count; i++)
		tp_spread_add(&y->regions[ids.ids[i].a].steps, sums[i]);
	tp_torch_samples_release(&samples);
	tp_ids_release(&ids);
	tp_free(sums);
}

/* Write the path of G as KEY; levels beyond DEPTH_MAX become "...". */
static void
out_path(struct tally *y, const char *key, const struct region *g,
    struct tp_out *out)
{
	const struct region *up[DEPTH_MAX];
	size_t depth = 0;

	tp_buf_clear(&y->text);
	for (; depth < DEPTH_MAX; g = &y->regions[g->parent]) {
		up[depth++] = g;
		if (g->parent == TP_TORCH_NO)
			break;
	}
	if (up[depth - 1]->parent != TP_TORCH_NO)
		tp_buf_str(&y->text, "...=>");
	while (depth--) {
		const struct tp_name *name = up[depth]->varies ?
		    &y->normals.names[up[depth]->normal] :
		    &y->t->names.names[up[depth]->name];

		tp_buf_add(&y->text, name->text, name->len);
		if (depth)
			tp_buf_str(&y->text, "=>");
	}
	tp_out_bytes(out, key, y->text.p ? y->text.p : "", y->text.len);
}

static void
also_of_regions(void *arg, const char *key, const uint32_t *ranges,
    size_t count, struct tp_out *out)
{
	struct tally *y = arg;
	const struct region *g = &y->regions[y->ranges[*ranges].region];

	if (!strcmp(key, "region"))
		out_path(y, key, g, out);
	else if (count && g->has_steps > 0 && y->sample_count > 1)
		tp_spread_emit_steps(&g->steps, y->sample_count, out);
}

/* Write the regions of ranges; ALL: the sum of all work. */
static void
emit_regions(struct tally *y, int64_t all)
{
	const struct region *list = y->regions;
	struct tp_tab tab = { .count = y->count, .process_rank = y->o->rank,
	    .also = also_of_regions, .also_arg = y };
	const struct tp_column *of = TP_TAB_FIELD(&tab, NULL, "of", TP_TAB_INT,
	    y->ranges, region);

	if (!y->on_gpu)
		TP_TAB_SPAN(&tab, NULL, "host", y->ranges, from_ps, to_ps);
	/* unless the work of the GPU says more */
	if (!y->t->gpu_count && y->t->recorder) {
		TP_TAB_SPAN(&tab, NULL, "host_each", y->ranges, from_ps, to_ps);
		TP_TAB_FIELD(&tab, of, "host_own", TP_TAB_PS, list,
		    host_own_ps);
		TP_TAB_FIELD(&tab, NULL, "lane", TP_TAB_INT, y->ranges, lane);
	}
	TP_TAB_FIELD(&tab, of, "host_all", TP_TAB_PS, list, host_ps);
	TP_TAB_FIELD(&tab, of, "depth", TP_TAB_INT, list, depth);
	TP_TAB_FIELD(&tab, of, "gpu_count", TP_TAB_INT, list, count);
	TP_TAB_FIELD(&tab, of, "inclusive", TP_TAB_PS, list, all_ps);
	TP_TAB_FIELD(&tab, of, "exclusive", TP_TAB_PS, list, own_ps);
	TP_TAB_FIELD(&tab, of, "busy", TP_TAB_PS, list, busy_ps);
	TP_TAB_FIELD(&tab, of, "idle", TP_TAB_PS, list, idle_ps);
	tp_tab_total(&tab, "all", all);
	tp_tab_emit(&tab, "region", NULL, y->o->out);
}

static void
also_of_kernels(void *arg, const char *key, const uint32_t *works,
    size_t count, struct tp_out *out)
{
	struct tally *y = arg;

	if (count)
		out_path(y, key, &y->regions[y->groups[*works]], out);
}

/* Write the kernels directly in each region. */
static void
emit_kernels(struct tally *y)
{
	const struct tp_torch *t = y->t;
	struct tp_tab tab = { .count = t->gpu_count,
	    .process_rank = y->o->rank, .also = also_of_kernels,
	    .also_arg = y, .row_limit = KERNELS_MAX, .limits_each = 1 };
	const struct tp_column *event = TP_TAB_ARRAY(&tab, NULL, "event",
	    TP_TAB_INT, t->gpu);

	TP_TAB_FIELD(&tab, TP_TAB_ARRAY(&tab, NULL, "of", TP_TAB_INT,
	    y->groups), "depth", TP_TAB_INT, y->regions, depth);
	TP_TAB_NAMES(&tab, event, "name", t->events, name, &t->names,
	    TP_TAB_ABSENT);
	TP_TAB_SPAN(&tab, event, "duration", t->events, from_ps, to_ps);
	tp_tab_emit(&tab, "region.op", "depth", y->o->out);
}

/* Whether there is any range besides steps of a server. */
static int
is_more_than_served(const struct tally *y)
{
	struct tp_torch_served served;

	for (size_t i = 0; i < y->count; i++) {
		const struct tp_name *name = tp_torch_event_name(y->t,
		    &y->t->events[y->ranges[i].event]);

		if (tp_torch_served(name->text, name->len, &served) < 0)
			return 1;
	}
	return 0;
}

static void
out_regions(struct tally *y)
{
	int64_t all = tp_torch_gpu_sum_ps(y->t), named = 0;

	take_steps(y);
	for (size_t i = 0; i < y->paths.count; i++) {
		struct region *g = &y->regions[i];

		named += g->own_ps;
		g->idle_ps = g->count ? g->spans.sum_ps - g->busy_ps :
		    TP_TAB_ABSENT;
		g->busy_ps = g->count ? g->busy_ps : TP_TAB_ABSENT;
	}
	tp_torch_out_begin(y->o, "region.summary");
	tp_out_int(y->o->out, "region_count", (int64_t)y->paths.count);
	tp_out_ps(y->o->out, "named_ns", named);
	tp_out_ps(y->o->out, "exclusive_ns", all);
	tp_out_ratio(y->o->out, "named_ratio", named, all);
	tp_out_end(y->o->out);
	emit_regions(y, all);
	emit_kernels(y);
}

static void
emit_phases(struct tally *y)
{
	static const char *const names[] = { "", "prefill", "decode", "mixed",
	    "diffusion" };
	struct phase *p = y->phases;
	struct tp_tab tab = { .count = CAPTURE, .process_rank = y->o->rank };

	for (int i = PREFILL; i < CAPTURE; i++)
		if (p[i].unknown || i == DIFFUSION)
			p[i].tokens = TP_TAB_ABSENT;
	TP_TAB_ARRAY(&tab, NULL, "served", TP_TAB_TEXT, names);
	TP_TAB_FIELD(&tab, NULL, "step_count", TP_TAB_INT, p, steps);
	TP_TAB_FIELD(&tab, NULL, "request_count", TP_TAB_INT, p, requests);
	TP_TAB_FIELD(&tab, NULL, "token_count", TP_TAB_INT, p, tokens);
	TP_TAB_FIELD(&tab, NULL, "wall", TP_TAB_PS, p, wall_ps);
	TP_TAB_FIELD(&tab, NULL, "busy", TP_TAB_PS, p, work.sum_ps);
	tp_tab_emit(&tab, "server.phase", "step_count", y->o->out);
}

/*
 * Find ranges that are steps of a server; only the outermost of a stack counts.
 */
static void
find_phases(struct tally *y)
{
	const struct range *last = NULL;

	for (size_t i = 0; i < y->count; i++) {
		struct range *r = &y->ranges[i];
		const struct tp_name *name = tp_torch_event_name(y->t,
		    &y->t->events[r->event]);
		struct tp_torch_served s;
		struct phase *p;

		if (r->parent != TP_TORCH_NO)
			r->phases = y->ranges[r->parent].phases;
		if ((last && last->lane == r->lane &&
		    r->from_ps < last->to_ps) ||
		    tp_torch_served(name->text, name->len, &s) < 0 ||
		    s.requests[0] + s.requests[1] <= 0)
			continue;
		last = r;
		r->phase = s.is_capture ? CAPTURE : s.is_diffusion ?
		    DIFFUSION : !s.requests[1] ? PREFILL : !s.requests[0] ?
		    DECODE : MIXED;
		r->phases |= (uint8_t)(1 << r->phase);
		p = &y->phases[r->phase];
		p->steps++;
		p->requests += s.requests[0] + s.requests[1];
		p->unknown |= s.tokens[0] < 0 || s.tokens[1] < 0;
		p->tokens += s.tokens[0] + s.tokens[1];
	}
}

/* When range R and its work have ended. */
static int64_t
end_of(const struct range *r)
{
	return r->last_ps > r->to_ps ? r->last_ps : r->to_ps;
}

/*
 * Add the wall time of steps.  A step lasts from the end of the one before it
 * (the first from its start) to its own end.  Starts are meaningless because
 * the host may run steps ahead of the GPU.
 */
static void
add_walls(struct tally *y)
{
	const struct range *last = NULL;
	int64_t from = 0;

	for (size_t i = 0; i < y->count; i++) {
		const struct range *r = &y->ranges[i];

		if (!r->phase)
			continue;
		if (!last || last->lane != r->lane)
			from = r->from_ps;
		if (end_of(r) > from) {
			y->phases[r->phase].wall_ps += end_of(r) - from;
			from = end_of(r);
		}
		last = r;
	}
}

TP_ORDER(by_work, struct range, TP_UP(first_ps))

/* Add the spans of ranges to their regions.  Changes the order of ranges. */
static void
add_spans(struct tally *y)
{
	TP_SORT(y->ranges, y->count, by_work);
	for (size_t i = 0; i < y->count; i++) {
		const struct range *r = &y->ranges[i];

		if (r->first_ps <= r->last_ps)
			cover(&y->regions[r->region].spans, r->first_ps,
			    r->last_ps);
	}
}

/* Write the work of ranges over time. */
static void
emit_bands(const struct tally *y)
{
	struct tp_torch_band *list = tp_alloc((y->count + 1) * sizeof *list);
	size_t count = 0;

	for (size_t i = 0; i < y->count; i++) {
		const struct range *r = &y->ranges[i];

		if (r->first_ps < r->last_ps)
			list[count++] = (struct tp_torch_band){ r->first_ps,
			    r->last_ps, y->regions[r->region].depth,
			    *tp_torch_event_name(y->t,
			    &y->t->events[r->event]) };
	}
	tp_torch_emit_bands(y->o, "region", list, count);
	tp_free(list);
}

void
tp_torch_emit_regions(const struct tp_torch_out *o)
{
	const struct tp_torch *t = &o->file->torch;
	struct tally y = { .o = o, .t = t };

	collect(&y, TP_TORCH_ANNOTATION);
	if (!y.count) {
		y.on_gpu = 1;
		collect(&y, TP_TORCH_GPU_ANNOTATION);
	}
	nest(&y);
	find_phases(&y);
	y.groups = tp_alloc((t->gpu_count + 1) * sizeof *y.groups);
	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *work = &t->events[t->gpu[i]];
		uint32_t at = range_of(&y, work);

		y.groups[i] = at == TP_TORCH_NO ? TP_TORCH_NO :
		    y.ranges[at].region;
		if (at != TP_TORCH_NO)
			add_work(&y, at, work);
	}
	sum_up(&y);
	add_walls(&y);
	add_spans(&y);
	if (is_more_than_served(&y))
		out_regions(&y);
	emit_phases(&y);
	if (o->pixels)
		emit_bands(&y);
	tp_free(y.ranges);
	last_over_release(&y.ends);
	tp_names_release(&y.normals);
	tp_ids_release(&y.paths);
	tp_free(y.regions);
	tp_free(y.groups);
	tp_buf_release(&y.text);
}
