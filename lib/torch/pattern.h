/*
 * pattern - patterns that operations and kernels indicate
 *
 * Attention that is not fused: a softmax over (.., N, M) in a trace with
 * matrix products of which two of the three sizes are N and M. Kernels with
 * telling names (share/ops/torch-kernels.json).
 *
 * Memory: 72 bytes an operation that may be part of attention.
 */
#ifndef TP_TORCH_PATTERN_H
#define TP_TORCH_PATTERN_H

#include "launch.h"
#include "model.h"
#include <tp/roofline.h>
#include "grouping.h"

/* A row of op.perf that may be part of attention. */
struct tp_torch_part_of {
	uint32_t name, dims;		/* of its first operation */
	int is_softmax;
	int64_t m, n, k;		/* a softmax has m rows of n */
	int64_t gpu_ps, best_ps;	/* best: by arithmetic alone */
	int64_t again_ps;		/* part of gpu_ps whose gain is
					 * counted elsewhere */
	uint64_t count;
};

struct tp_torch_patterns {
	struct tp_torch_part_of *list;
	size_t count, cap;
};

/*
 * Add a row: NAME with PERF, whose shapes are DIMS (in texts), took GPU_PS in
 * COUNT calls, AGAIN_PS of it promised elsewhere.
 */
void tp_torch_patterns_add(struct tp_torch_patterns *patterns,
    const struct tp_torch *torch, uint32_t name, uint32_t dims,
    const struct tp_torch_perf *perf, const struct tp_platform *platform,
    int64_t gpu_ps, int64_t again_ps, uint64_t count);
void tp_torch_patterns_release(struct tp_torch_patterns *patterns);

/*
 * Find the unfused attention that takes most GPU time: a softmax over at least
 * LEAST_KEYS keys with two or more products.  Returns the time of all its
 * parts, 0 if there is none; else *BEST_PS gets the best time of its products,
 * *AGAIN_PS what of its time is promised elsewhere, *CALLS and *SOFTMAX its
 * softmax.
 */
int64_t tp_torch_attention_of(const struct tp_torch_patterns *patterns,
    int64_t least_keys, int64_t *best_ps, int64_t *again_ps, uint64_t *calls,
    const struct tp_torch_part_of **softmax);

#endif
