/*
 * module - GPU time of a PyTorch trace by nn.Module
 *
 * Modules of one class count together, however many there are.  Work counts
 * for all modules around the call that launched it, once for each class; the
 * work of a backward pass for those around the operation it belongs to, unless
 * modules were called again in it (activation checkpointing): that counts as
 * calls.  Nothing is known of modules without Python stacks.
 * A path is the classes of modules in each other; the same path is one node,
 * however many instances and calls have it.
 * Memory: 12 bytes a frame, 4 a launch, 60 a class, 70 a path.
 */
#ifndef TP_TORCH_MODULE_H
#define TP_TORCH_MODULE_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/hash.h>

#include "frame.h"
#include "perf.h"

struct tp_torch_module {
	uint32_t frame;		/* the first of its calls */
	uint32_t instance_count;	/* that had GPU work */
	uint64_t call_count;	/* with GPU work */
	uint64_t gpu_count, backward_count;
	int64_t duration_ps;	/* of the work that calls launched, added */
	int64_t own_ps;		/* of that, what is of no module in it */
	int64_t backward_ps;	/* of backward passes, added */
	int64_t busy_ps;	/* union of what calls launched */
};

/* A node of the tree of paths: work of its own, of both passes, is that of no
 * module in it. */
struct tp_torch_module_node {
	uint32_t frame;		/* the first of its calls */
	uint64_t call_count;
	int64_t own_ps;
};

struct tp_torch_modules {
	struct tp_torch_module *list;	/* by time */
	struct tp_ids paths;	/* a: node around it + 1, b: class; what lies
				 * in a node comes behind it */
	struct tp_torch_module_node *nodes;
	size_t node_cap;
	size_t count, cap;
	uint64_t call_count;
	int64_t inside_ps, backward_ps;	/* work that is of any module, and of
					 * a backward pass of one */
};

/* From an analysed trace.  0 or -1 with ERR; _release also after failure. */
int tp_torch_modules_make(struct tp_torch_modules *modules,
    const struct tp_torch *torch, const struct tp_torch_frames *frames,
    const struct tp_torch_passes *passes, struct tp_err *err);
void tp_torch_modules_release(struct tp_torch_modules *modules);

/* Append the classes around frame AT, itself included, outermost first, with
 * slashes between; of more than 32 the inmost, behind ".../".  BUF says whether
 * it failed. */
struct tp_buf;
void tp_torch_module_path(const struct tp_torch *torch,
    const struct tp_torch_frames *frames, uint32_t at, struct tp_buf *buf);

#endif
