/* op_samples - variation of operations of a JAX trace from step to step */
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "op_samples.h"

enum { CANONICAL, FAMILY, COLLECTIVE, GROUPS };	/* groups an operation belongs
						 * to */
#define NONE UINT32_MAX

/* A step on one device. */
struct window {
	int64_t from_ps, to_ps;
	uint32_t step;		/* index in steps->list */
	uint32_t device;
};

struct build {
	struct tp_jax_samples *samples;
	const struct tp_jax_steps *steps;
	const struct tp_jax_ops *ops;
	const struct tp_tracks *tracks;
	struct tp_jax *jax;
	int as_peer;
	struct tp_jax_step_window *step_windows;	/* by host, process and
							 * start */
	struct tp_track_list lanes;	/* of operations */
	const struct tp_track **sampled;	/* those of devices with steps,
						 * by device */
	const struct tp_track **rest;	/* of the current host, on devices
					 * without steps */
	size_t rest_count;
	size_t *lane_of;		/* first index in sampled per device */
	size_t device_count;
	struct window *windows;		/* by step and device */
	size_t count, cap;
	uint32_t *op_of;		/* per name: its first operation + 1 */
	struct tp_ids ops_of;		/* (name, program), parallel to
					 * ops->list */
	uint32_t (*groups)[GROUPS];	/* group rows per operation, or NONE */
	struct {
		uint32_t detail, region;	/* of its last call; 0: none */
	} *last;			/* per operation */
	uint32_t *now;			/* rows of the current step */
	size_t now_count;
};

/* For qsort(). */
static const struct tp_tracks *sorting;

/*
 * Whether lane X is of a device before (-1), equal to (0) or after (1) that
 * of K.
 */
static int
compare_devices(const struct tp_track *x, const struct tp_track *k)
{
	if (x->host != k->host)
		return x->host < k->host ? -1 : 1;
	return x->pid < k->pid ? -1 : x->pid > k->pid;
}

TP_ORDER(by_device, struct tp_jax_step_window,
    TP_BY(compare_devices(&sorting->tracks[a->track],
    &sorting->tracks[b->track]))
    TP_UP(from_ps) TP_UP(number))

TP_ORDER(by_start, struct window, TP_UP(from_ps) TP_UP(step))

TP_ORDER(by_step, struct window, TP_UP(step) TP_UP(device)
    TP_BY(by_start(tp_a, tp_b)))

/* Index of the step NUMBER, which must exist. */
static uint32_t
step_of(const struct tp_jax_steps *st, int64_t number)
{
	size_t low;

	TP_SEEK(low, 0, st->count - 1, middle, st->list[middle].number <
	    number);
	return (uint32_t)low;
}

static void
push(struct build *b, size_t device, int64_t number, int64_t from_ps,
    int64_t to_ps)
{
	TP_APPEND(b->windows, b->count, b->cap, (struct window){ from_ps, to_ps,
	    step_of(b->steps, number), (uint32_t)device });
}

/*
 * Assign the windows from FIRST on to a device of COUNT LANES, if there are
 * any; of two at once the later counts.
 */
static void
add_device(struct build *b, size_t first, const struct tp_track **lanes,
    size_t count)
{
	size_t at = b->lane_of[b->device_count];

	if (b->count == first)
		return;
	qsort(b->windows + first, b->count - first, sizeof *b->windows,
	    by_start);
	for (; first + 1 < b->count; first++)
		TP_LEAST(b->windows[first].to_ps, b->windows[first +
		    1].from_ps);
	memcpy(b->sampled + at, lanes, count * sizeof *lanes);
	b->lane_of[++b->device_count] = at + count;
}

/*
 * Treat devices of HOST without steps of their own as one, with the host's
 * steps.
 */
static void
add_rest(struct build *b, uint32_t host)
{
	const struct tp_jax_steps *st = b->steps;
	size_t first = b->count;

	for (size_t i = 0; b->rest_count && i < st->part_count; i++) {
		const struct tp_jax_step_part *p = &st->parts[i];

		if (p->host == host && p->count && (!st->from_host ||
		    p->apart_ps))
			push(b, b->device_count, p->number, p->from_ps,
			    st->from_host ? p->from_ps + p->apart_ps :
			    p->to_ps);
	}
	add_device(b, first, b->rest, b->rest_count);
	b->rest_count = 0;
}

/* Find the steps of each device. */
static void
find_windows(struct build *b)
{
	const struct tp_jax_steps *st = b->steps;
	const struct tp_track *tracks = b->tracks->tracks;
	const struct tp_jax_step_window *windows = b->step_windows;
	size_t at = 0, first, next;

	b->lane_of[0] = 0;
	for (size_t i = 0; i < b->lanes.count; i = next) {
		const struct tp_track *k = b->lanes.list[i];

		next = tp_track_list_next(&b->lanes, i);
		first = b->count;
		while (at < st->window_count && compare_devices(
		    &tracks[windows[at].track], k) < 0)
			at++;
		for (; at < st->window_count && !compare_devices(
		    &tracks[windows[at].track], k); at++)
			push(b, b->device_count, windows[at].number,
			    windows[at].from_ps, windows[at].to_ps);
		for (size_t j = i; b->count == first && j < next; j++)
			b->rest[b->rest_count++] = b->lanes.list[j];
		add_device(b, first, b->lanes.list + i, next - i);
		if ((next == b->lanes.count || b->lanes.list[next]->host !=
		    k->host))
			add_rest(b, k->host);
	}
}

/* Keep the windows of steady steps that every device has exactly once. */
static void
keep_whole(struct build *b)
{
	size_t kept = 0, next;

	TP_SORT(b->windows, b->count, by_step);
	for (size_t i = 0; i < b->count; i = next) {
		size_t devices = 1;

		for (next = i + 1; next < b->count && b->windows[next].step ==
		    b->windows[i].step; next++)
			devices += b->windows[next].device !=
			    b->windows[next - 1].device;
		if (b->windows[i].step < b->steps->warmup_count ||
		    devices != b->device_count || next - i != devices)
			continue;
		memmove(b->windows + kept, b->windows + i,
		    (next - i) * sizeof *b->windows);
		kept += next - i;
		b->samples->count++;
	}
	b->count = kept;
}

/* The row of TEXT or NUMBER among groups of KIND. */
static uint32_t
group(struct tp_jax_samples *s, int kind, const char *text, uint64_t number)
{
	ptrdiff_t at = text ? tp_names_add(&s->texts, text, strlen(text)) :
	    (ptrdiff_t)number;

	at = tp_ids_add(&s->groups, (uint64_t)kind, (uint64_t)at);
	return (uint32_t)(s->op_count + (size_t)at);
}

/* A key of canonical name and part. */
static uint64_t
canonical_of(uint32_t canonical, enum tp_jax_part part)
{
	return (uint64_t)canonical * TP_JAX_PARTS + (uint64_t)part;
}

/* Find the operations and their groups. */
static void
find_groups(struct build *b)
{
	struct tp_jax_samples *s = b->samples;
	struct tp_buf text = { 0 };

	for (size_t i = 0; i < b->ops->count; i++) {
		const struct tp_jax_op *op = &b->ops->list[i];
		uint32_t *g = b->groups[i];
		const char *family = tp_jax_op_family(op, b->tracks, b->jax,
		    b->as_peer, &text);
		const char *collective = tp_jax_op_collective(op, b->tracks,
		    b->jax, b->as_peer);

		g[CANONICAL] = group(s, CANONICAL, NULL, canonical_of(
		    op->canonical, op->part));
		g[FAMILY] = group(s, FAMILY, family, 0);
		g[COLLECTIVE] = collective ? group(s, COLLECTIVE, collective,
		    0) : NONE;
		tp_ids_add(&b->ops_of, op->name, op->program);
		if (!b->op_of[op->name])
			b->op_of[op->name] = (uint32_t)i + 1;
	}
	tp_buf_release(&text);
}

/* Index of the operation of S. */
static size_t
op_of(const struct build *b, const struct tp_jax_event *s)
{
	uint32_t only = b->op_of[s->name] - 1;
	ptrdiff_t at;

	if (!b->ops->list[only].has_twin)
		return only;
	at = tp_ids_find(&b->ops_of, s->name,
	    tp_detail_program(b->tracks, s->detail));
	return at < 0 ? only : (size_t)at;
}

/* Add PS of the current step to ROW. */
static void
add_step_time(struct build *b, uint32_t row, int64_t ps)
{
	struct tp_jax_sampled *r = &b->samples->series[row];

	if (!r->is_now) {
		r->is_now = 1;
		r->now_ps = 0;
		b->now[b->now_count++] = row;
	}
	tp_ps_add(&r->now_ps, ps);
}

/* End the current step: add its operations to their groups. */
static void
end_step(struct build *b)
{
	for (size_t i = 0; i < b->now_count; i++) {
		uint32_t row = b->now[i];
		struct tp_jax_sampled *r = &b->samples->series[row];

		tp_spread_add(&r->spread, r->now_ps);
		r->is_now = 0;
		for (int g = 0; row < b->samples->op_count && g < GROUPS; g++)
			if (b->groups[row][g] != NONE)
				add_step_time(b, b->groups[row][g], r->now_ps);
	}
	b->now_count = 0;
}

/* The region of S, a call of operation OP. */
static uint32_t
region_of(struct build *b, size_t op, const struct tp_jax_event *s)
{
	int bare;

	if (!b->last[op].region || b->last[op].detail != s->detail) {
		b->last[op].detail = s->detail;
		b->last[op].region = tp_jax_slice_region(b->jax, b->tracks, s,
		    &bare);
	}
	return b->last[op].region;
}

/* Add what starts on lane K in window W. */
static void
walk_lane(struct build *b, const struct tp_track *k, const struct window *w)
{
	const uint32_t *order = b->tracks->order + k->first;
	const struct tp_jax_event *slices = b->tracks->slices;
	uint32_t region_row = (uint32_t)(b->samples->op_count +
	    b->samples->groups.count);
	size_t low, op;
	uint32_t region;

	TP_SEEK(low, 0, k->count, middle, slices[order[middle]].from_ps <
	    w->from_ps);
	for (; low < k->count; low++) {
		const struct tp_jax_event *s = &slices[order[low]];

		if (s->from_ps >= w->to_ps)
			break;
		op = op_of(b, s);
		add_step_time(b, (uint32_t)op, s->own_ps);
		region = region_of(b, op, s);
		if (region < b->samples->region_count)
			add_step_time(b, region_row + region, s->own_ps);
	}
}

static void
walk(struct build *b)
{
	for (size_t i = 0; i < b->count; i++) {
		const struct window *w = &b->windows[i];

		for (size_t k = b->lane_of[w->device];
		    k < b->lane_of[w->device + 1]; k++)
			walk_lane(b, b->sampled[k], w);
		if (i + 1 == b->count || w[1].step != w->step)
			end_step(b);
	}
}

/* Sort the step windows by device, and the lanes of operations likewise. */
static void
sort_step_windows(struct build *b)
{
	size_t size = b->steps->window_count * sizeof *b->step_windows, lanes;

	b->step_windows = tp_alloc(size + 1);
	sorting = b->tracks;
	if (size) {
		memcpy(b->step_windows, b->steps->windows, size);
		TP_SORT(b->step_windows, b->steps->window_count, by_device);
	}
	tp_tracks_of(b->tracks, TP_ROLE_OPS, TP_ROLE_OPS, &b->lanes);
	lanes = b->lanes.count + 1;
	b->sampled = tp_alloc(lanes * sizeof *b->sampled);
	b->rest = tp_alloc(lanes * sizeof *b->rest);
	b->lane_of = tp_alloc(lanes * sizeof *b->lane_of);
}

/* Allocate the counters of the walk. */
static void
prepare(struct build *b)
{
	struct tp_jax_samples *s = b->samples;
	size_t rows;

	b->op_of = tp_zalloc((b->tracks->names.count + 1) *
	    sizeof *b->op_of);
	b->groups = tp_alloc((b->ops->count + 1) * sizeof *b->groups);
	b->last = tp_zalloc((b->ops->count + 1) * sizeof *b->last);
	s->op_count = b->ops->count;
	s->region_count = b->jax->region_count;
	find_groups(b);
	rows = s->op_count + s->groups.count + s->region_count + 1;
	s->series = tp_zalloc(rows * sizeof *s->series);
	b->now = tp_alloc(rows * sizeof *b->now);
}

void
tp_jax_samples_make(struct tp_jax_samples *s, const struct tp_jax_steps *steps,
    const struct tp_jax_ops *ops, const struct tp_tracks *tracks,
    struct tp_jax *jax, int as_peer)
{
	struct build b = { .samples = s, .steps = steps, .ops = ops,
	    .tracks = tracks, .jax = jax, .as_peer = as_peer };

	memset(s, 0, sizeof *s);
	if (steps->count < steps->warmup_count + 2)
		return;
	sort_step_windows(&b);
	find_windows(&b);
	keep_whole(&b);
	if (s->count > 1) {
		prepare(&b);
		walk(&b);
	}
	tp_free(b.step_windows);
	tp_free(b.lanes.list);
	tp_free(b.sampled);
	tp_free(b.rest);
	tp_free(b.lane_of);
	tp_free(b.windows);
	tp_free(b.op_of);
	tp_ids_release(&b.ops_of);
	tp_free(b.groups);
	tp_free(b.last);
	tp_free(b.now);
}

void
tp_jax_samples_emit(const struct tp_jax_samples *s, size_t at,
    struct tp_out *out)
{
	if (s->series)
		tp_spread_emit_steps(&s->series[at].spread, s->count, out);
}

static void
emit_group(const struct tp_jax_samples *s, int kind, ptrdiff_t text,
    struct tp_out *out)
{
	ptrdiff_t at = text < 0 ? -1 : tp_ids_find(&s->groups, (uint64_t)kind,
	    (uint64_t)text);

	if (at >= 0)
		tp_jax_samples_emit(s, s->op_count + (size_t)at, out);
}

void
tp_jax_samples_emit_canonical(const struct tp_jax_samples *s,
    uint32_t canonical, enum tp_jax_part part, struct tp_out *out)
{
	emit_group(s, CANONICAL, (ptrdiff_t)canonical_of(canonical, part),
	    out);
}

void
tp_jax_samples_emit_family(const struct tp_jax_samples *s,
    const char *family, struct tp_out *out)
{
	emit_group(s, FAMILY, tp_names_find(&s->texts, family,
	    strlen(family)), out);
}

void
tp_jax_samples_emit_collective(const struct tp_jax_samples *s,
    const char *collective, struct tp_out *out)
{
	emit_group(s, COLLECTIVE, tp_names_find(&s->texts, collective,
	    strlen(collective)), out);
}

void
tp_jax_samples_emit_region(const struct tp_jax_samples *s, uint32_t region,
    struct tp_out *out)
{
	if (region < s->region_count)
		tp_jax_samples_emit(s, s->op_count + s->groups.count + region,
		    out);
}
