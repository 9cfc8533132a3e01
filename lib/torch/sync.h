/*
 * sync - who waited for which GPU work, as recorded by the driver
 *
 * A wait for an event is a wait for the work submitted to its stream before
 * the event was recorded; a wait for a stream or a device is one for all
 * work submitted by then.  Calls are numbered in the order they are made,
 * and work has the number of the call that launched it, so numbers give the
 * order.
 *
 * The record of a stream's wait spans the call that requested it.  The
 * stream itself waits before the first work submitted after that: from the
 * time it has nothing else to do and that work has been launched, until the
 * awaited work has ended.  Before the launch it waited for the host.
 *
 * The host waits while its call lasts and the awaited work has not ended.
 *
 * Memory: 24 bytes a piece of GPU work, 24 a wait, if waits were recorded.
 */
#ifndef TP_TORCH_SYNC_H
#define TP_TORCH_SYNC_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>

#include "torch.h"

struct tp_torch_wait {
	int64_t from_ps, to_ps;	/* equal: there was nothing to wait for, or
				 * another wait of the list has that time */
	uint32_t next;		/* of a stream: the work that had to wait */
	uint32_t place;		/* of the awaited work in order: 1 + index of
				 * the last; 0: none */
};

/* GPU work, by stream and in order of launch. */
struct tp_torch_ordered {
	uint64_t stream;	/* stream and device */
	int64_t number;		/* of the launch */
	uint32_t event;
	uint32_t last;		/* event: of this and all earlier work of the
				 * stream the one that ends last */
};

struct tp_torch_waits {
	struct tp_torch_wait *list;	/* by index in torch->syncs */
	struct tp_torch_ordered *order;
	size_t count, order_count;
};

/* Analyse the waits of an analysed trace. */
void tp_torch_waits_make(struct tp_torch_waits *waits,
    const struct tp_torch *torch);

#endif
