/*
 * pattern - what operations and kernels are a sign of
 *
 * Attention that is not fused: a softmax over (.., N, M) beside products of
 * matrices of which two of the three sizes are N and M, in one trace.
 * Kernels whose names tell something (share/ops/torch-kernels.json).
 *
 * Memory: 64 bytes an operation that may be part of attention.
 */
#ifndef TP_TORCH_PATTERN_H
#define TP_TORCH_PATTERN_H

#include "launch.h"
#include "model.h"
#include <tp/roofline.h>
#include "table.h"

/* One row of op.perf that may belong to attention. */
struct tp_torch_part_of {
	uint32_t name, dims;		/* of the first operation */
	int is_softmax;
	int64_t m, n, k;		/* a softmax has m rows of n */
	int64_t gpu_ps, best_ps;	/* best: of arithmetic alone */
	uint64_t count;
};

struct tp_torch_patterns {
	struct tp_torch_part_of *list;
	size_t count, cap;
};

/* Add a row: OP of PERF, whose arguments have DIMS (in texts), took GPU_PS on
 * the GPU in COUNT calls.  0, or -1 without memory. */
int tp_torch_patterns_add(struct tp_torch_patterns *patterns,
    const struct tp_torch *torch, uint32_t name, uint32_t dims,
    const struct tp_torch_perf *perf, const struct tp_platform *platform,
    int64_t gpu_ps, uint64_t count);
void tp_torch_patterns_release(struct tp_torch_patterns *patterns);

/* The attention that takes most time: its parts are marked in IN (per row),
 * the softmax is *SOFTMAX.  GPU time of all, 0: there is none. */
int64_t tp_torch_attention_of(const struct tp_torch_patterns *patterns,
    int64_t least_keys, int64_t *best_ps, uint64_t *calls,
    const struct tp_torch_part_of **softmax);

#endif
