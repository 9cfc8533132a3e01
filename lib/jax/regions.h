/*
 * regions - where in the model the time of a JAX trace went
 *
 * Regions are paths of named scopes (names.h); their time is the exclusive
 * time of operations.  Memory: 40 bytes per region and per (region,
 * operation).
 */
#ifndef TP_JAX_REGIONS_H
#define TP_JAX_REGIONS_H

#include <stdint.h>

#include <tp/err.h>

#include "hlo_ops.h"

struct tp_jax_region_time {
	uint32_t region;
	uint64_t count;		/* operations in it and below */
	int64_t inclusive_ps, own_ps;
	int is_scope;		/* else the name of operations without one */
};

struct tp_jax_regions {
	struct tp_jax_region_time *list;	/* by inclusive, own, path; a
						 * region that only wraps one
						 * other is left out */
	size_t count;
	int64_t named_ps;	/* exclusive time of operations with a region
				 * below the root */
	int64_t total_ps;	/* and of all */
};

/* Make the regions from nested TRACKS with roles set. */
void tp_jax_regions_make(struct tp_jax_regions *regions,
    const struct tp_tracks *tracks, struct tp_jax *jax);

/* Operations by what the host or a scope lane ran at their midpoint. */
struct tp_jax_window {
	uint32_t region, name;
	uint32_t shape;		/* of the operation, in texts; 0: unknown */
	uint64_t count;
	int64_t total_ps, own_ps;
};

struct tp_jax_windows {
	struct tp_jax_window *list;	/* by own, total, path, name */
	size_t count;
};

/*
 * For each operation, find the innermost named slice of any other lane at its
 * midpoint: deepest path, then shortest, then by path.
 */
void tp_jax_windows_make(struct tp_jax_windows *windows,
    const struct tp_jax_ops *ops, const struct tp_tracks *tracks,
    struct tp_jax *jax);
void tp_jax_windows_release(struct tp_jax_windows *windows);

#endif
