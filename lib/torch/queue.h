/*
 * queue - how launches reach the GPU: delays, queues, waits of streams
 *
 * A launch is a call and the work it made the GPU do, hundreds of kernels where
 * it replays a graph.  Its delay is from the end of the call to the start of
 * its first work, 0 where that came first.  The
 * queue of a stream is what was launched and has not started.
 *
 * Before each work of a stream, it waited for another stream as long as sync.h
 * tells, where that was recorded.  For the rest it waited for the host when
 * the call that launched it began after the work before it ended; else for the
 * next kernel when that took less than next_kernel_ns; else for something else
 * (another stream, a copy, another rank).
 *
 * The limits are "queue" and "gaps" of share/ops/torch.json.
 * Memory: 24 bytes a launch and end of one while it works; distributions
 * (stat.h).
 */
#ifndef TP_TORCH_QUEUE_H
#define TP_TORCH_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>

#include "stat.h"
#include "sync.h"

enum { TP_TORCH_WAIT_HOST, TP_TORCH_WAIT_KERNEL, TP_TORCH_WAIT_OTHER,
    TP_TORCH_WAIT_STREAM, TP_TORCH_WAITS };

struct tp_torch_queue {
	int32_t stream;
	int16_t device;
	int64_t end_ps;		/* of the work so far */
	uint64_t launch_count;
	struct { uint64_t count; int64_t ps; } waits[TP_TORCH_WAITS];
	struct tp_stat depth;	/* after each launch and each start */
	int64_t full_ps;	/* how long it held full or more */
};

struct tp_torch_queues {
	struct tp_torch_queue *list;	/* by device and stream */
	size_t count, cap;
	struct tp_stat call_ns, delay_ns;	/* of launches */
	int64_t slow_call_ps, late_ps, next_kernel_ps, full;	/* limits */
	uint64_t slow_call_count, late_count;	/* above them */
	uint64_t short_count;	/* calls that are longer than all they
				 * launched */
};

/* From an analysed trace.  0 or -1 with ERR; _release also after failure. */
int tp_torch_queues_make(struct tp_torch_queues *queues,
    const struct tp_torch *torch, const struct tp_torch_waits *waits,
    struct tp_err *err);
void tp_torch_queues_release(struct tp_torch_queues *queues);

#endif
