/* windows - operations by what the host or a scope lane ran */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "heap.h"
#include "regions.h"
#include "stat.h"

struct window {
	int64_t from_ps, to_ps;
	uint32_t host, region;
};

struct build {
	const struct tp_tracks *tracks;
	struct tp_jax *jax;
	struct window *windows;
	size_t count, cap;
	uint32_t *ops;		/* slices, by midpoint */
	size_t op_count, op_cap;
	uint32_t *heap;		/* open windows, innermost on top */
	size_t heap_count, heap_cap;
};

/* Twice the midpoint of S. */
static tp_int128
middle(const struct tp_jax_event *s)
{
	return (tp_int128)s->from_ps + s->to_ps;
}

/* Whether window X is further inside than Y. */
static int
inside(const void *of, uint32_t x, uint32_t y)
{
	const struct build *b = of;
	const struct window *wx = &b->windows[x], *wy = &b->windows[y];
	uint32_t dx = tp_jax_region_at(b->jax, wx->region)->depth;
	uint32_t dy = tp_jax_region_at(b->jax, wy->region)->depth;
	int64_t lx = wx->to_ps - wx->from_ps, ly = wy->to_ps - wy->from_ps;

	if (dx != dy)
		return dx > dy;
	if (lx != ly)
		return lx < ly;
	return tp_jax_region_order(b->jax, wx->region, wy->region) > 0;
}

static void
push(struct build *b, uint32_t window)
{
	size_t at = b->heap_count;

	tp_grow(&b->heap, &b->heap_cap, at + 1, sizeof *b->heap);
	b->heap_count++;
	tp_heap_rise(b->heap, at, window, inside, b);
}

static void
pop(struct build *b)
{
	b->heap[0] = b->heap[--b->heap_count];
	tp_heap_sink(b->heap, b->heap_count, 0, inside, b);
}

TP_ORDER(by_start, struct window, TP_UP(host) TP_UP(from_ps) TP_UP(to_ps))

/* For qsort(). */
static const struct tp_tracks *sorting;

static uint32_t
host_of(const struct tp_tracks *t, uint32_t slice)
{
	return t->tracks[t->slices[slice].track].host;
}

static int
by_middle(const void *pa, const void *pb)
{
	uint32_t ia = *(const uint32_t *)pa, ib = *(const uint32_t *)pb;
	tp_int128 a = middle(&sorting->slices[ia]);
	tp_int128 b = middle(&sorting->slices[ib]);
	uint32_t ha = host_of(sorting, ia), hb = host_of(sorting, ib);

	if (ha != hb)
		return ha < hb ? -1 : 1;
	if (a != b)
		return a < b ? -1 : 1;
	return ia < ib ? -1 : ia > ib;
}

static void
collect(struct build *b)
{
	const struct tp_tracks *t = b->tracks;

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_jax_event *s = &t->slices[i];
		uint32_t region;
		int bare;

		if (t->tracks[s->track].role == TP_ROLE_OPS) {
			TP_APPEND(b->ops, b->op_count, b->op_cap, (uint32_t)i);
			continue;
		}
		/* transfers in flight are not around an operation */
		if (t->tracks[s->track].role == TP_ROLE_FLIGHT)
			continue;
		region = tp_jax_slice_region(b->jax, t, s, &bare);
		if (bare)
			continue;
		TP_APPEND(b->windows, b->count, b->cap,
		    (struct window){ s->from_ps, s->to_ps,
		    t->tracks[s->track].host, region });
	}
	sorting = t;
	if (!b->count) {
		b->op_count = 0;	/* no operation is in any */
		return;
	}
	TP_SORT(b->windows, b->count, by_start);
	TP_SORT(b->ops, b->op_count, by_middle);
}

/*
 * Sweep over midpoints, opening and closing windows; an ended window stays
 * in the heap until it is on top.
 */
static void
join(struct build *b, struct tp_jax_windows *w)
{
	struct tp_ids ids = { 0 };
	size_t next = 0, cap = 0;

	for (size_t i = 0; i < b->op_count; i++) {
		const struct tp_jax_event *s = &b->tracks->slices[b->ops[i]];
		tp_int128 at = middle(s);
		uint32_t host = host_of(b->tracks, b->ops[i]), region;
		struct tp_jax_window *to;
		ptrdiff_t id;

		/* skip windows of earlier hosts */
		for (; next < b->count && b->windows[next].host < host; next++)
			b->heap_count = 0;
		if (b->heap_count && b->windows[b->heap[0]].host != host)
			b->heap_count = 0;
		while (next < b->count && b->windows[next].host == host && 2 *
		    (tp_int128)b->windows[next].from_ps <= at) {
			push(b, (uint32_t)next++);
		}
		while (b->heap_count &&
		    2 * (tp_int128)b->windows[b->heap[0]].to_ps < at)
			pop(b);
		if (!b->heap_count)
			continue;
		region = b->windows[b->heap[0]].region;
		id = tp_ids_add(&ids, region, s->name);
		TP_ITEM(w->list, cap, id);
		to = &w->list[id];
		if ((size_t)id == w->count) {
			*to = (struct tp_jax_window){ .region = region,
			    .name = s->name };
			w->count++;
		}
		to->count++;
		tp_ps_add(&to->total_ps, tp_slice_ps(s));
		tp_ps_add(&to->own_ps, s->own_ps);
	}
	tp_ids_release(&ids);
}

/* For qsort(), with sorting. */
static struct tp_jax *sorting_jax;

TP_ORDER(by_own, struct tp_jax_window, TP_DOWN(own_ps) TP_DOWN(total_ps)
    TP_BY(tp_jax_region_order(sorting_jax, a->region, b->region))
    TP_BY(strcmp(sorting->names.names[a->name].text,
    sorting->names.names[b->name].text)))

/* Set the shapes, which are known per operation. */
static void
add_shapes(struct tp_jax_windows *w, const struct tp_jax_ops *ops,
    const struct tp_tracks *t)
{
	uint32_t *shapes = tp_zalloc((t->names.count + 1) * sizeof *shapes);

	for (size_t i = 0; i < ops->count; i++)
		shapes[ops->list[i].name] = ops->list[i].shape;
	for (size_t i = 0; i < w->count; i++)
		w->list[i].shape = shapes[w->list[i].name];
	tp_free(shapes);
}

void
tp_jax_windows_make(struct tp_jax_windows *w, const struct tp_jax_ops *ops,
    const struct tp_tracks *tracks, struct tp_jax *jax)
{
	struct build b = { .tracks = tracks, .jax = jax };

	memset(w, 0, sizeof *w);
	collect(&b);
	join(&b, w);
	add_shapes(w, ops, tracks);
	sorting_jax = jax;
	TP_SORT(w->list, w->count, by_own);
	tp_free(b.windows);
	tp_free(b.ops);
	tp_free(b.heap);
}

void
tp_jax_windows_release(struct tp_jax_windows *w)
{
	tp_free(w->list);
	memset(w, 0, sizeof *w);
}
