/*
 * samples - how much rows of a PyTorch trace vary from step to step
 *
 * A sample is what the items of a row (table.h) took in one step that the host
 * marks, on all GPUs together.  A launcher is in the step in which it began, a
 * kernel in that in which the call began that launched it, as work is in
 * time.h; outside of steps it is in none.  A step whose launches left no work
 * in the trace is no sample.  Where no item of a row is in a step, its time
 * there is 0; a row with kernels of unknown launch has no samples.
 *
 * Items may be in any order.  Memory: 4 bytes an item, 16 a step.
 */
#ifndef TP_TORCH_SAMPLES_H
#define TP_TORCH_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include <tp/records.h>

#include "table.h"
#include "time.h"

struct tp_torch_samples {
	const struct tp_torch_times *times;	/* these two borrowed */
	const struct tp_torch *torch;
	uint32_t *step_of;	/* per item */
	int64_t *sums;		/* per step, of the row at hand; -1: it is not
				 * in it */
	uint32_t *now;		/* steps that it is in */
	uint64_t count;		/* steps that are samples */
};

/* For ITEMS items.  0, or -1 without memory; _release also after failure. */
int tp_torch_samples_init(struct tp_torch_samples *samples,
    const struct tp_torch_times *times, const struct tp_torch *torch,
    size_t items);
void tp_torch_samples_release(struct tp_torch_samples *samples);

/* ITEM is due to event CALL, or to TP_TORCH_NO: that is not known. */
void tp_torch_samples_put(struct tp_torch_samples *samples, size_t item,
    uint32_t call);
/* Emit what the VALUES of ROW come to, step by step (spread.h). */
void tp_torch_samples_emit(struct tp_torch_samples *samples,
    const struct tp_torch_table *table, const struct tp_torch_row *row,
    const int64_t *values, struct tp_out *out);

#endif
