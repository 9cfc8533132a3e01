/*
 * call_stacks - time of a PyTorch trace by call stack
 *
 * Stacks consist of Python functions, if recorded, and operators, outermost
 * first.  GPU time is the sum of kernels, copies and fills below the call
 * that launched them; work of unknown launch is below "[not linked]".  Host
 * time is the own time of functions, operators and calls, without their
 * callees: over a thread it sums to the union of its events, except for
 * calls that fit into no tree (tree.c).
 */
#ifndef TP_TORCH_CALL_STACKS_H
#define TP_TORCH_CALL_STACKS_H

#include "folded.h"
#include "frame.h"
#include "torch.h"

/* Add the GPU time of T, which is analysed, below PARENT. */
void tp_torch_stacks_gpu(struct tp_folded *folded, uint32_t parent,
    const struct tp_torch *t, const struct tp_torch_frames *frames);
/*
 * Add the host time.  Must be called before frames are made, which releases the
 * functions.  Memory: 24 bytes per level of nesting.
 */
void tp_torch_stacks_host(struct tp_folded *folded, uint32_t parent,
    struct tp_torch *t);

#endif
