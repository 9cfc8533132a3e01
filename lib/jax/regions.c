/* regions - where in the model the time of a JAX trace went */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "regions.h"

/* For qsort(). */
static struct tp_jax *sorting;

TP_ORDER(by_inclusive, struct tp_jax_region_time, TP_DOWN(inclusive_ps)
    TP_DOWN(own_ps) TP_BY(tp_jax_region_order(sorting, a->region, b->region)))

/* Add the time of each operation to its region. */
static void
add_ops(struct tp_jax_regions *r, size_t *cap, const struct tp_tracks *t,
    struct tp_jax *jax)
{
	for (size_t i = 0; i < t->count; i++) {
		const struct tp_jax_event *s = &t->slices[i];
		uint32_t region;
		int bare;

		if (t->tracks[s->track].role != TP_ROLE_OPS)
			continue;
		region = tp_jax_slice_region(jax, t, s, &bare);
		tp_grow(&r->list, cap, (size_t)region + 1, sizeof *r->list);
		for (; r->count <= region; r->count++)
			r->list[r->count] = (struct tp_jax_region_time){
			    .region = (uint32_t)r->count };
		r->list[region].count++;
		r->list[region].is_scope |= !bare;
		tp_ps_add(&r->list[region].own_ps, s->own_ps);
		tp_ps_add(&r->total_ps, s->own_ps);
		/* a single root is the program ("XlaModule", "jit(f)") */
		if (!bare && tp_jax_region_at(jax, region)->depth > 1)
			tp_ps_add(&r->named_ps, s->own_ps);
	}
}

/* Sum up the tree; parents have smaller indexes than their children. */
static void
add_up(struct tp_jax_regions *r, const struct tp_jax *jax)
{
	for (size_t i = 0; i < r->count; i++)
		r->list[i].inclusive_ps = r->list[i].own_ps;
	for (size_t i = r->count; i-- > 1; ) {
		uint32_t parent = tp_jax_region_at(jax, (uint32_t)i)->parent;

		if (!parent)
			continue;
		r->list[parent].count += r->list[i].count;
		r->list[parent].is_scope |= r->list[i].is_scope;
		tp_ps_add(&r->list[parent].inclusive_ps,
		    r->list[i].inclusive_ps);
	}
}

/*
 * Whether a child's time A equals its parent's B within 1 ps or 1e-9: the
 * exporter makes events of 0 ps 1 ps long.
 */
static int
alike(int64_t a, int64_t b)
{
	return b - a <= 1 || b - a <= b / 1000000000;
}

/*
 * Drop regions without operations, and regions below the root that only wrap
 * one other of equal time.
 */
static void
prune(struct tp_jax_regions *r, const struct tp_jax *jax)
{
	struct { uint32_t count, child; } *below =
	    tp_zalloc((r->count + 1) * sizeof *below);
	size_t kept = 0;

	for (size_t i = 1; i < r->count; i++) {
		uint32_t parent = tp_jax_region_at(jax, (uint32_t)i)->parent;

		if (!r->list[i].count)
			continue;
		below[parent].count++;
		below[parent].child = (uint32_t)i;
	}
	/* children come later, so no index used later has moved */
	for (size_t i = 1; i < r->count; i++) {
		const struct tp_jax_region_time *t = &r->list[i];

		if (!t->count || (below[i].count == 1 &&
		    tp_jax_region_at(jax, (uint32_t)i)->depth > 1 &&
		    alike(r->list[below[i].child].inclusive_ps,
		    t->inclusive_ps)))
			continue;
		r->list[kept++] = *t;
	}
	r->count = kept;
	tp_free(below);
}

void
tp_jax_regions_make(struct tp_jax_regions *r, const struct tp_tracks *tracks,
    struct tp_jax *jax)
{
	size_t cap = 0;

	memset(r, 0, sizeof *r);
	add_ops(r, &cap, tracks, jax);
	if (!r->count)
		return;
	add_up(r, jax);
	prune(r, jax);
	sorting = jax;
	TP_SORT(r->list, r->count, by_inclusive);
}
