/* gpu_private - unions and gaps of the GPU analysis; not installed */
#ifndef TP_METAL_GPU_PRIVATE_H
#define TP_METAL_GPU_PRIVATE_H

#include <tp/metal/gpu.h>

#include "spread.h"

#define TP_GPU_LONGEST 10	/* gaps listed one by one */
/* Shorter gaps occur at every change of encoder, in any program. */
#define TP_GPU_LONG_GAP_NS 20000

/* The gap histogram. */
#define TP_GPU_BUCKETS 6
extern const struct tp_gpu_bucket {
	const char *name;
	int64_t below_ns;
} tp_gpu_buckets[TP_GPU_BUCKETS];

/* The gaps of a union. */
struct tp_gpu_gaps {
	struct tp_stat stat;
	struct tp_spread long_ones;
	uint64_t bucket_count[TP_GPU_BUCKETS];
	int64_t bucket_ns[TP_GPU_BUCKETS];
	struct tp_span longest[TP_GPU_LONGEST];	/* longest first */
	size_t longest_count;
	int64_t plain_ns;	/* gaps up to this are only counted */
	struct tp_gpu_part *pauses;	/* part that keeps pauses; or NULL */
};

/*
 * Nearly all gaps of the target are gaps of the machine: such gaps are
 * counted once, in BOTH, and added to the two at the end.
 */
struct tp_gpu_all_gaps {
	struct tp_gpu_gaps machine, target, both;
};

enum tp_gpu_whose { TP_GPU_MACHINE, TP_GPU_TARGET, TP_GPU_BOTH };

/* Add the gaps between N spans in time order, at most TP_MERGE_RUN. */
void tp_gpu_gaps_add(struct tp_gpu_all_gaps *all, enum tp_gpu_whose whose,
    const struct tp_span *spans, size_t n);
/* Call after the last span. */
void tp_gpu_gaps_finish(struct tp_gpu_all_gaps *all);
void tp_gpu_gaps_release(struct tp_gpu_all_gaps *all);

/*
 * Compute all busy times in one pass over the spans of all lanes; and,
 * unless GAPS is NULL, the gaps of the machine and of TARGET (-1: none).
 * Call after tp_gpu_sum().
 */
void tp_gpu_unite(struct tp_gpu *gpu, ptrdiff_t target,
    struct tp_gpu_all_gaps *gaps);

#endif
