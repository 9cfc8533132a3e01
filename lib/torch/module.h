/*
 * module - GPU time of a PyTorch trace by nn.Module
 *
 * All modules of one class count together.  GPU work counts for all modules
 * around the call that launched it, once per class.  The work of a backward
 * pass counts for the modules around its forward operation, unless it calls
 * modules again (activation checkpointing): those count as calls.  Without
 * Python stacks modules are unknown.  A path is the list of classes of
 * nested modules.  Equal paths are one node, whatever the instance or the
 * call.  Memory: 12 bytes a frame, 4 a launch, 64 a class, 70 a path.
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
	uint32_t frame;		/* of its first call */
	uint32_t instance_count;	/* with GPU work */
	uint64_t call_count;	/* with GPU work */
	uint64_t gpu_count, backward_count;
	int64_t duration_ps;	/* sum of the work that its calls launched */
	int64_t own_ps;		/* part of it in no inner module */
	int64_t backward_ps;	/* sum of its backward passes */
	int64_t busy_ps;	/* union of the work its calls launched */
};

/*
 * A node of the tree of paths.  Its own work, forward and backward, is in no
 * inner module.
 */
struct tp_torch_module_node {
	uint32_t frame;		/* of its first call */
	uint64_t call_count;
	int64_t own_ps;
};

struct tp_torch_modules {
	struct tp_torch_module *list;	/* by time */
	struct tp_ids paths;	/* a: parent node + 1, b: class; children come
				 * after their parent */
	struct tp_torch_module_node *nodes;
	size_t node_cap;
	size_t count, cap;
	uint64_t call_count;
	int64_t inside_ps, backward_ps;	/* work in any module, and in backward
					 * passes of modules */
};

/* Sum the modules of an analysed trace. */
void tp_torch_modules_make(struct tp_torch_modules *modules,
    const struct tp_torch *torch, const struct tp_torch_frames *frames,
    const struct tp_torch_passes *passes);
void tp_torch_modules_release(struct tp_torch_modules *modules);

/*
 * Append the classes of the modules around frame AT and of AT, outermost first,
 * separated by slashes.  If there are more than 32, the innermost after ".../".
 * Failure shows in BUF.
 */
struct tp_buf;
void tp_torch_module_path(const struct tp_torch *torch,
    const struct tp_torch_frames *frames, uint32_t at, struct tp_buf *buf);

#endif
