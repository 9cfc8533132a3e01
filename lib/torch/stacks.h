/*
 * stacks - time of a PyTorch trace by call stack
 *
 * Python functions, where they were recorded, and operators, outermost first.
 * GPU time is the durations of kernels, copies and fills below the call that
 * launched them; what nothing is known to have launched is below
 * "[not linked]".  Host time is that of functions, operators and calls without
 * what they called: all of a thread's come to the union of what it did, but
 * for calls that fit into no tree (tree.c).
 */
#ifndef TP_TORCH_STACKS_H
#define TP_TORCH_STACKS_H

#include "folded.h"
#include "frame.h"
#include "torch.h"

/* Add the GPU time of T, analysed, below PARENT. */
void tp_torch_stacks_gpu(struct tp_folded *folded, uint32_t parent,
    const struct tp_torch *t, const struct tp_torch_frames *frames);
/* The same of the host; before frames are made, which lets functions go.
 * Memory: 24 bytes for each event that another lies in, at a time. */
void tp_torch_stacks_host(struct tp_folded *folded, uint32_t parent,
    struct tp_torch *t);

#endif
