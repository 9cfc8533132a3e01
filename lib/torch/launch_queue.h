/*
 * launch_queue - how launches reach the GPU: delays, queues
 *
 * A launch is a call and the work that it started, hundreds of kernels if it
 * replays a graph.  Its delay is from the end of the call to the start of
 * its first work, 0 if that began earlier.  The queue of a stream is the
 * work that was launched but has not started.
 *
 * The limits are "queue" of share/ops/torch.json.  Memory: 32 bytes per piece
 * of GPU work during analysis; distributions (stat.h).
 */
#ifndef TP_TORCH_LAUNCH_QUEUE_H
#define TP_TORCH_LAUNCH_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>

#include "stat.h"
#include "sync.h"

struct tp_torch_queue {
	int32_t stream;
	int16_t device;
	uint64_t launch_count;
	struct tp_stat depth;	/* after each launch and each start */
	int64_t full_ps;	/* time with a depth of full or more */
};

struct tp_torch_queues {
	struct tp_torch_queue *list;	/* by device and stream */
	size_t count, cap;
	struct tp_stat call_ns, delay_ns;	/* of launches */
	int64_t slow_call_ps, late_ps, full;	/* limits */
	uint64_t slow_call_count, late_count;	/* launches above them */
	uint64_t short_count;	/* calls longer than all they launched */
};

/* Analyse the launches of an analysed trace.  Returns 0, or -1 with ERR. */
int tp_torch_queues_make(struct tp_torch_queues *queues,
    const struct tp_torch *torch, struct tp_err *err);

#endif
