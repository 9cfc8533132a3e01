/*
 * perf - the operations of a PyTorch trace that GPU work is counted for
 *
 * Operations nest, and a kernel is below all that surround it.  To count no
 * work twice, the outermost operations with a model (model.h) count, of those
 * that call themselves the innermost (tp_torch_unify()), then those that launch
 * work themselves.  Collectives are left out.  Work below none of these counts
 * on its own, under the name of its launcher.  Memory: 10 bytes an event and 32
 * a counted operation.
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
	int64_t from_ps;	/* start of the operation */
	int64_t gpu_ps;		/* union of the GPU work below it */
	uint32_t event;		/* the operation, or the launcher of work */
	uint32_t work;		/* GPU work that counts on its own, or
				 * TP_TORCH_NO */
	uint32_t forward;	/* if it is a backward pass that counts for its
				 * forward operation: that; else TP_TORCH_NO */
	uint32_t uid;		/* of the event; work that counts on its own has
				 * numbers after all events */
};

struct tp_torch_counts {
	struct tp_torch_counted *list;
	size_t count, cap;
	int is_inner;		/* see tp_torch_unify() */
};

/* A backward pass (an event that autograd calls) and its forward operation. */
struct tp_torch_pass {
	uint32_t forward, backward;
};

/* By the place of the forward operation in the tree. */
struct tp_torch_passes {
	struct tp_torch_pass *list;
	size_t count, cap;
};

/* All take an analysed trace. */
void tp_torch_passes_make(struct tp_torch_passes *passes,
    const struct tp_torch *torch);
void tp_torch_passes_release(struct tp_torch_passes *passes);

/*
 * List the operations that all GPU work is counted for, by start.  An operation
 * may call itself with other arguments: of a tensor that several GPUs share
 * (DTensor) the outer call has the whole shape, and the inner call, which
 * launches the work, the shape of this GPU.  The inner ones count, and set
 * COUNTS->is_inner if there are any; with OUTERMOST the outer ones do.
 */
void tp_torch_unify(struct tp_torch_counts *counts, int outermost,
    const struct tp_torch *torch, const struct tp_torch_launchers *launchers,
    const struct tp_torch_passes *passes,
    const struct tp_torch_models *models);
/*
 * List all operations with a model in file order, including nested ones and
 * those without GPU work.  With BACKWARD, lists operations with a backward
 * pass, whose work counts instead.
 */
void tp_torch_modelled(struct tp_torch_counts *counts,
    const struct tp_torch *torch, const struct tp_torch_passes *passes,
    const struct tp_torch_models *models, int backward);
void tp_torch_counts_release(struct tp_torch_counts *counts);

#endif
