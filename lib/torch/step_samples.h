/*
 * step_samples - variation of rows of a PyTorch trace from step to step
 *
 * A sample is the time of a row's items (tab.h) in one step marked on the host,
 * summed over all GPUs.  A launcher belongs to the step in which it began; a
 * kernel to that in which the call that launched it began (gpu_time.h).
 * Outside of steps they belong to none.  A step whose launches left no work in
 * the trace, or in which the trace ends, is not a sample.  A row without items
 * in a step took 0 there.  A row with kernels whose launch is unknown has no
 * samples.
 *
 * Items may be in any order.  Memory: 4 bytes an item.
 */
#ifndef TP_TORCH_STEP_SAMPLES_H
#define TP_TORCH_STEP_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include <tp/records.h>

#include "tab.h"
#include "gpu_time.h"

struct tp_torch_samples {
	const struct tp_torch_times *times;	/* both borrowed */
	const struct tp_torch *torch;
	uint32_t *step_of;	/* by item */
	uint64_t count;		/* steps that are samples */
};

/* Prepare for ITEMS items. */
void tp_torch_samples_init(struct tp_torch_samples *samples,
    const struct tp_torch_times *times, const struct tp_torch *torch,
    size_t items);
void tp_torch_samples_release(struct tp_torch_samples *samples);

/* Assign ITEM to the step of event CALL; TP_TORCH_NO: unknown. */
void tp_torch_samples_put(struct tp_torch_samples *samples, size_t item,
    uint32_t call);
/* Give TAB the steps of its items. */
void tp_torch_samples_tab(const struct tp_torch_samples *samples,
    struct tp_tab *tab);

#endif
