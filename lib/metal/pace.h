/*
 * pace - how command buffers follow each other, and how steadily
 *
 * A run is cut into TP_PACE_PARTS parts in time order.  How much their
 * medians and means vary is how far a run strays from itself; runs of one
 * program stray from each other by at least as much.
 *
 * Where the CPU commits a buffer only after the previous one has ended, CPU
 * and GPU take turns, and the time between them has three parts: until the
 * CPU was told, until it committed, until the GPU began.
 *
 * Memory: 16 bytes a buffer while it runs, and four struct tp_stat.
 */
#ifndef TP_METAL_PACE_H
#define TP_METAL_PACE_H

#include <tp/metal/cmdbuf.h>

#include "stat.h"

#define TP_PACE_PARTS 5

/* A zeroed struct is empty. */
struct tp_pace {
	struct tp_stat apart;		/* from start to start */
	struct tp_stat notified, commit, start;	/* of turns */
	uint64_t serialized;		/* commits after the previous end */
	/* standard deviation of the logarithms of the parts' medians and
	 * means; below 0: unknown */
	double apart_drift, apart_mean_drift, busy_drift, busy_mean_drift;
	int64_t busy_first_ns, busy_last_ns;	/* medians of those parts */
};

/*
 * Walk the N buffers of CB that ROWS name, in order of their start on the
 * GPU; BUSY: GPU time by buffer.
 */
void tp_pace_walk(struct tp_pace *pace, const struct tp_cmdbuf *cb,
    const struct tp_buffer_row *rows, size_t n, const int64_t *busy);
/* Write its keys of the open record. */
void tp_pace_emit(struct tp_pace *pace, struct tp_out *out);
void tp_pace_release(struct tp_pace *pace);

#endif
