/*
 * gaps - idle time before the operations of a JAX trace
 *
 * A gap is the time from the latest end so far to the next start, over all
 * lanes of a device together, or per lane; a single lane may have gaps while
 * another works, when nothing is idle.  The operation after a gap is its
 * marker; when the marker does no work itself (iota, bitcast, ...), the work
 * that follows immediately is the payload.  Memory: 40 bytes per distinct
 * payload and per (payload, region), 4 per operation of a device.
 */
#ifndef TP_JAX_GAPS_H
#define TP_JAX_GAPS_H

#include <stdint.h>

#include <tp/err.h>

#include "names.h"

/* Shorter gaps are rounding of times and switches between operations. */
enum { TP_JAX_LONG_GAP_NS = 1000 };

struct tp_jax_gap {
	uint32_t name;		/* of the payload, in tracks->names */
	uint32_t marker;	/* most frequent; ties by name */
	uint32_t label;		/* region, in texts (contexts) */
	uint64_t count;
	int64_t total_ps, max_ps;
};

struct tp_jax_gap_list {
	struct tp_jax_gap *list;
	size_t count;
};

struct tp_jax_gaps {
	struct tp_jax_gap_list ops;	/* by total, max, then name */
	struct tp_jax_gap_list contexts;	/* per payload and region: by
						 * total, name, region */
	uint64_t count, long_count;	/* long: above TP_JAX_LONG_GAP_NS */
	int64_t total_ps, max_ps;
};

/* Find the gaps of ordered TRACKS with roles set; BY_LANE: per lane. */
void tp_jax_gaps_make(struct tp_jax_gaps *gaps, struct tp_tracks *tracks,
    struct tp_jax *jax, int by_lane);

#endif
