/*
 * time - what the time of a JAX trace went into
 *
 * Three bases, because they answer different questions:
 * - device: per device, at every instant with an operation on one of its
 *   lanes: compute if the innermost operation of any lane computes, else
 *   communication that nothing hides, else stall: it waits, for a copy or for
 *   another device.  Sums of unions.
 * - per-track: exclusive times of every lane but steps, summed.
 * - global: from the first to the last compute slice, over all devices of a
 *   host merged: communication anywhere, else compute anywhere, else stall.
 *   Sums over hosts, each of which has its own zero.
 * Memory: two unions (ival.h) for each class on each device, three for each
 * host, 8 bytes a lane, and 24 per distinct name on each device.
 */
#ifndef TP_JAX_TIME_H
#define TP_JAX_TIME_H

#include <stdint.h>

#include <tp/err.h>

#include "async.h"
#include "names.h"

struct tp_jax_breakdown {
	int64_t part_ps[TP_JAX_PARTS];
	int64_t total_ps;
};

struct tp_jax_device {
	const char *name;	/* of its process */
	uint32_t host;
	int64_t pid;
	uint64_t count;		/* operations */
	int64_t first_ps, last_ps;	/* range of them */
	struct tp_jax_breakdown busy;	/* exposed; total is the union */
	int64_t hidden_ps;	/* communication under compute */
	int64_t copies_ps;	/* of busy: waits for copies */
	/* when it was at what: each instant of a lane is in one of these; and
	 * what was in flight, which may be beside them */
	struct tp_ival at[TP_JAX_CLASSES], in_flight[TP_JAX_CLASSES];
	struct tp_ival work[TP_JAX_LIMITS];	/* of at[TP_JAX_WORK], */
	int64_t work_ps[TP_JAX_LIMITS], best_ps[TP_JAX_LIMITS];	/* and sums */
	int64_t own_ps;		/* exclusive time, summed: over busy where
				 * lanes overlap */
	/* inside */
	int has_flights;	/* a lane of what is in flight, even if it is
				 * still to come */
	struct tp_ival active;	/* operations */
	struct tp_jax_pairing *pairing;
};

/* What is of one host; times of two have nothing in common but steps. */
struct tp_jax_host_time {
	size_t device_count;	/* that have operations */
	int64_t first_ps, last_ps;	/* range of operations; 0: none */
	int64_t device_ps;	/* its devices were busy, summed */
	int64_t busy_ps;	/* union of its lanes */
	int64_t all_idle_ps;	/* in the range of operations, no device at
				 * work */
	int64_t alone_ps;	/* of that, with a lane of it at work */
};

struct tp_jax_time {
	struct tp_jax_device *devices;	/* that have operations, in order of
					 * host and pid */
	size_t device_count;
	struct tp_jax_breakdown device;	/* sums over devices */
	struct tp_jax_host_time *hosts;
	size_t host_count;
	int64_t device_span_ps;	/* of the host of each device, summed */
	/* the mean over the hosts that have devices */
	int64_t span_ps, host_ps, all_idle_ps, host_alone_ps;
	struct tp_jax_breakdown per_track, global;
	struct tp_jax_flights flights;
	int64_t wrapper_ps;	/* exclusive time on device lanes that hold no
				 * operations, summed */
	int only_devices;	/* per_track, global and what limits work
				 * are left out */
	/* inside */
	struct tp_jax_merged *merged;	/* of each host */
	size_t device_cap, host_cap, merged_cap;
};

/*
 * Add the slices of nested TRACKS whose roles are set, to a zeroed struct
 * first.  In several parts each slice that lies in another one is in its part,
 * and lanes come in order.  0 or -1 with ERR; _release also after failure.
 */
int tp_jax_time_add(struct tp_jax_time *time, const struct tp_tracks *tracks,
    struct tp_jax *jax, struct tp_err *err);
/* A lane of HOST was at work. */
int tp_jax_time_add_host(struct tp_jax_time *time, uint32_t host,
    int64_t from_ps, int64_t to_ps, struct tp_err *err);
/* That was all. */
int tp_jax_time_end(struct tp_jax_time *time, struct tp_err *err);
/* From the first operation of HOST to its last. */
int64_t tp_jax_span(const struct tp_jax_time *time, uint32_t host);
void tp_jax_time_release(struct tp_jax_time *time);

#endif
