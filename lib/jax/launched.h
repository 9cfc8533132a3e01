/*
 * launched - executions that hosts launched, and those on lanes of devices
 *
 * The lists "launches" and "calls" of share/ops/jax.json name the events.
 * How many executions a lane holds is an upper bound: what its programs ran
 * most often.  Some are certainly missing when fewer devices hold any than a
 * call launches on, or when a host launched more than one call's after the
 * last operation of its devices.  Memory: 24 bytes per launch and call, and
 * per operation of a program on each device.
 */
#ifndef TP_JAX_LAUNCHED_H
#define TP_JAX_LAUNCHED_H

#include <stdint.h>

#include "names.h"
#include "activity.h"

/* What a host launched, each execution counted once per device. */
struct tp_jax_launched {
	uint64_t count, call_count;	/* executions; calls that launched */
	uint64_t late_count;	/* after the last operation of its devices */
	uint64_t device_count;	/* that each call launches on; 0: differs */
	uint64_t held_count;	/* on the lanes, at most */
	uint64_t held_device_count;	/* devices whose lanes hold any */
	int is_missing;		/* some are certainly on no lane */
	int is_mostly_missing;	/* more than half of them */
};

/*
 * Fill HOSTS, zeroed, one for each host of nested TRACKS, whose roles are set
 * and whose times are TIME.
 */
void tp_jax_count_launched(struct tp_jax_launched *hosts,
    const struct tp_tracks *tracks, struct tp_jax *jax,
    const struct tp_jax_time *time);

#endif
