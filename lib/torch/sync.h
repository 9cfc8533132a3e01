/*
 * sync - who waited for which work of the GPU, where the driver recorded it
 *
 * A wait for an event is one for the work that its stream had been given when
 * the event was recorded; a wait for a stream or a device is one for all they
 * had been given by then.  Calls are numbered as they are made, and work bears
 * the number of the call that launched it: so numbers say what came before.
 *
 * The record of a stream's wait lasts as long as the call that asked for it.
 * The stream itself waits before the first work it was given after that: from
 * when it has nothing else to do and that work has been launched, until the
 * work that is waited for has ended.  Before the launch it waited for the host.
 *
 * The host waits as long as its call lasts and that work has not ended.
 *
 * Memory: 32 bytes a piece of GPU work, 24 a wait, where waits were recorded.
 */
#ifndef TP_TORCH_SYNC_H
#define TP_TORCH_SYNC_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>

#include "torch.h"

struct tp_torch_wait {
	int64_t from_ps, to_ps;	/* alike: there was nothing to wait for, or
				 * another wait of the list has that time */
	uint32_t next;		/* of a stream the work that had to wait, */
	uint32_t place;		/* of what was waited for the place in order,
				 * behind what ended last */
};

/* GPU work, stream by stream in the order of its launches. */
struct tp_torch_ordered {
	uint64_t stream;	/* and device */
	int64_t number;		/* of the launch */
	uint32_t event;
	uint32_t last;		/* of this and all before in the stream the one
				 * that ends last: event */
};

struct tp_torch_waits {
	struct tp_torch_wait *list;	/* of each of torch->syncs */
	struct tp_torch_ordered *order;
	size_t count, order_count;
	struct tp_ids held;	/* work that its stream could not start */
	int64_t *until;		/* before this: when all it waited for ended */
	size_t until_cap;
};

/* From an analysed trace.  0 or -1 with ERR; _release also after failure. */
int tp_torch_waits_make(struct tp_torch_waits *waits,
    const struct tp_torch *torch, struct tp_err *err);
void tp_torch_waits_release(struct tp_torch_waits *waits);

/* Until when the stream of WORK had to wait for others before it started that;
 * INT64_MIN: it did not. */
int64_t tp_torch_held_until(const struct tp_torch_waits *waits, uint32_t work);
/* What was waited for by W, the event that ended last; TP_TORCH_NO: nothing is
 * known of it. */
static inline uint32_t
tp_torch_awaited(const struct tp_torch_waits *waits,
    const struct tp_torch_wait *w)
{
	return w->place ? waits->order[w->place - 1].last : TP_TORCH_NO;
}

/* The wait of the host that CALL is, or NULL. */
const struct tp_torch_sync *tp_torch_sync_of(const struct tp_torch *torch,
    uint32_t call);

#endif
