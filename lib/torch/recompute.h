/*
 * recompute - forward work that a backward pass runs again
 *
 * Activation checkpointing keeps less for the backward pass and runs a part
 * of the forward pass again in it.  Such a run is found in three ways:
 * below Python functions that do it (ops->recompute); below the node of a
 * checkpoint function, up to the backward pass that this calls in turn;
 * and, in a trace without those functions, by sequence numbers.
 *
 * An operator has a number if gradients are enabled.  In a backward pass
 * they are not, so a node of PyTorch's own whose first operators have
 * numbers and whose last has none ran those first ones for what it had not
 * kept.  With create_graph=True (double backward) all operators of a node
 * have numbers: if there is one such node, numbers show nothing.
 *
 * Recomputation inside a compiled graph is not visible.  Communication and
 * copies do not count: a backward pass needs most of them anyway.
 *
 * Memory: 1 byte an event; during analysis 1 a host event and a frame.
 */
#ifndef TP_TORCH_RECOMPUTE_H
#define TP_TORCH_RECOMPUTE_H

#include <stdint.h>

#include <tp/err.h>

#include "frame.h"
#include "torch.h"

struct tp_torch_recompute {
	uint8_t *again;		/* by event: computation that is run again;
				 * NULL: none is */
	uint64_t region_count;	/* runs of a part of the forward pass, */
	uint64_t op_count;	/* ... outermost operators with work in them, */
	uint64_t gpu_count;	/* ... and the computation they launched */
	uint32_t module;	/* frame of the outermost module with most of
				 * it, or TP_TORCH_NO */
	uint64_t module_count;	/* calls of that class */
};

/* Find what is run again in an analysed trace. */
void tp_torch_recompute_make(struct tp_torch_recompute *r,
    const struct tp_torch *torch, const struct tp_torch_frames *frames);
void tp_torch_recompute_release(struct tp_torch_recompute *r);

#endif
