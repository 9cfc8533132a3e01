/*
 * perf - which operations of a PyTorch trace stand for its GPU work
 *
 * Operations nest, and a kernel lies below all that surround it.  Counted are
 * the outermost operations that a model knows (model.h), then those that
 * launch work themselves, so that no work counts twice; collectives are left
 * out.  Work that is below none of these stands for itself, under the name of
 * what launched it.
 * Memory: 10 bytes an event and 32 an operation that is counted.
 */
#ifndef TP_TORCH_PERF_H
#define TP_TORCH_PERF_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>

#include "launch.h"
#include "model.h"
#include "torch.h"

struct tp_torch_counted {
	int64_t from_ps;	/* when it began */
	int64_t gpu_ps;		/* union of the GPU work below it */
	uint32_t event;		/* the operation, or what launched WORK */
	uint32_t work;		/* GPU work that stands for itself, or
				 * TP_TORCH_NO */
	uint32_t forward;	/* the operation whose backward pass it is, by
				 * which it is counted; or TP_TORCH_NO */
	uint32_t uid;		/* of the event; work that stands for itself
				 * has numbers behind all events */
};

struct tp_torch_counts {
	struct tp_torch_counted *list;
	size_t count, cap;
};

/* A backward pass (an event that autograd calls) and the operation of the
 * forward pass that it belongs to. */
struct tp_torch_pass {
	uint32_t forward, backward;
};

/* By the place of the forward operation in the tree. */
struct tp_torch_passes {
	struct tp_torch_pass *list;
	size_t count, cap;
};

/* All from an analysed trace: 0 or -1 with ERR; _release also after failure.
 */
int tp_torch_passes_make(struct tp_torch_passes *passes,
    const struct tp_torch *torch, struct tp_err *err);
void tp_torch_passes_release(struct tp_torch_passes *passes);

/* Operations that stand for all GPU work, in the order of time. */
int tp_torch_unify(struct tp_torch_counts *counts,
    const struct tp_torch *torch, const struct tp_torch_launchers *launchers,
    const struct tp_torch_passes *passes,
    const struct tp_torch_models *models, struct tp_err *err);
/* All operations of which there is a model, in the order of the file: also
 * those that lie in others and those that the GPU had nothing to do with.
 * With BACKWARD those that have a backward pass, whose work counts then. */
int tp_torch_modelled(struct tp_torch_counts *counts,
    const struct tp_torch *torch, const struct tp_torch_passes *passes,
    const struct tp_torch_models *models, int backward, struct tp_err *err);
void tp_torch_counts_release(struct tp_torch_counts *counts);

#endif
