/*
 * activity - the time of a JAX trace by activity
 *
 * Three bases, because they answer different questions:
 * - device: per device, over every instant with an operation on one of its
 *   lanes: compute if the innermost operation of any lane computes, else
 *   exposed communication, else stall: it waits for a copy or another device.
 *   Sums of unions.
 * - per-track: exclusive times of every lane except steps, summed.
 * - global: from the first to the last compute slice, over all devices of a
 *   host merged: communication anywhere, else compute anywhere, else stall.
 *   Sums over hosts, because each has its own zero.
 * Memory: two unions (ival.h) for each class on each device, four more for
 * each device, three for each host, 8 bytes a lane, 24 per distinct name on
 * each device, and pairing's (async.h).
 */
#ifndef TP_JAX_ACTIVITY_H
#define TP_JAX_ACTIVITY_H

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
	int64_t first_ps, last_ps;	/* first start and last end */
	struct tp_jax_breakdown busy;	/* exposed; total is the union */
	int64_t hidden_ps;	/* communication hidden by compute */
	int64_t copies_ps;	/* part of busy: waits for copies */
	/*
	 * When it did what: each instant of a lane is in exactly one of AT;
	 * transfers in flight are separate and may overlap.
	 */
	struct tp_ival at[TP_JAX_CLASSES], in_flight[TP_JAX_CLASSES];
	struct tp_ival both_directions;	/* copies from and to host memory ran
					 * at once (async.h) */
	struct tp_ival work[TP_JAX_LIMITS];	/* parts of at[TP_JAX_WORK] */
	int64_t work_ps[TP_JAX_LIMITS], best_ps[TP_JAX_LIMITS];	/* sums */
	int64_t own_ps;		/* exclusive time, summed: exceeds busy when
				 * lanes overlap */
	/* Internal: */
	int has_flights;	/* it has a lane of transfers in flight, read or
				 * not yet */
	struct tp_ival active;	/* operations */
	struct tp_jax_pairing *pairing;
};

/* Of one host.  Times of two hosts are not comparable, only their steps. */
struct tp_jax_host_time {
	size_t device_count;	/* that have operations */
	int64_t first_ps, last_ps;	/* first and last operation; 0: none */
	int64_t device_ps;	/* busy time of its devices, summed */
	int64_t busy_ps;	/* union of its own lanes */
	int64_t all_idle_ps;	/* within the range of operations, no device
				 * working */
	int64_t alone_ps;	/* ... and a lane of the host working */
};

struct tp_jax_time {
	struct tp_jax_device *devices;	/* devices with operations, by host and
					 * pid */
	size_t device_count;
	struct tp_jax_breakdown device;	/* sums over devices */
	struct tp_jax_host_time *hosts;
	size_t host_count;
	int64_t device_span_ps;	/* host ranges, summed over devices */
	/* Means over the hosts that have devices. */
	int64_t span_ps, host_ps, all_idle_ps, host_alone_ps;
	struct tp_jax_breakdown per_track, global;
	struct tp_jax_flights flights;
	int64_t wrapper_ps;	/* exclusive time on device lanes without
				 * operations, summed */
	int only_devices;	/* omit per_track, global and what limits
				 * work */
	/* Internal: */
	struct tp_jax_merged *merged;	/* per host */
	size_t device_cap, host_cap, merged_cap;
};

/*
 * Add the slices of nested TRACKS with roles set; TIME is zeroed before the
 * first call.  With several calls, nested slices must be in the same call, and
 * lanes in order.
 */
void tp_jax_time_add(struct tp_jax_time *time, const struct tp_tracks *tracks,
    struct tp_jax *jax);
/* Add an interval in which a lane of HOST worked. */
void tp_jax_time_add_host(struct tp_jax_time *time, uint32_t host,
    int64_t from_ps, int64_t to_ps);
/* Call after the last slice. */
void tp_jax_time_end(struct tp_jax_time *time);
/* Time from the first to the last operation of HOST. */
int64_t tp_jax_span(const struct tp_jax_time *time, uint32_t host);

#endif
