/*
 * peers - how long devices of one host wait for each other in collectives
 *
 * The n-th operation of one name on each device of a host is one collective.
 * The device that spent the least time in it came last: that time is the
 * transfer.  The others came earlier and waited for the rest of their time.
 * Memory: 40 bytes per collective and device, 5 per name, and a union (ival.h)
 * per device.
 */
#ifndef TP_JAX_PEERS_H
#define TP_JAX_PEERS_H

#include <stdint.h>

#include <tp/err.h>

#include "activity.h"

struct tp_jax_peers {
	struct tp_jax_peer {
		struct tp_ival waits;	/* in collectives, for others */
		uint64_t count;		/* collectives also found on others */
	} *devices;			/* as those of time */
	size_t count;
	struct tp_jax_meeting {
		int64_t end_ps;		/* on the last device */
		int64_t waited_ps;	/* by the others for it, summed */
		size_t last;		/* device that was in it shortest */
	} *meetings;			/* with such waits */
	size_t meeting_count, meeting_cap;
};

/* Compare the devices of TIME by nested TRACKS with roles set. */
void tp_jax_peers_make(struct tp_jax_peers *peers,
    const struct tp_tracks *tracks, struct tp_jax *jax,
    const struct tp_jax_time *time);
void tp_jax_peers_release(struct tp_jax_peers *peers);

#endif
