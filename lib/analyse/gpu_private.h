/* gpu_private - unions of the GPU analysis; not installed */
#ifndef TP_GPU_PRIVATE_H
#define TP_GPU_PRIVATE_H

#include <tp/gpu.h>

/* Told of each gap of a union in order; 0, or -1 to end it all. */
typedef int tp_gpu_gap(void *arg, int64_t from_ns, int64_t to_ns);

/*
 * Make every busy time, in one pass over the spans of all lanes; of the
 * machine and of TARGET (-1: none) the gaps go to GAP, with its MACHINE or
 * OF_TARGET.  After tp_gpu_sum().  0, or -1 without memory.
 */
int tp_gpu_unite(struct tp_gpu *gpu, ptrdiff_t target, tp_gpu_gap *gap,
    void *machine, void *of_target);

#endif
