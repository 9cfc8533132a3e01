/*
 * gpus - several GPUs in one trace: what each did, and how many at once
 *
 * A GPU that worked only a little ("gpus" of share/ops/torch-kernels.json),
 * for example because memory was set on the wrong one, counts as part of the
 * busiest.  Work is added by GPU and lane; each instant of a GPU counts for the
 * first lane that has work in it.
 *
 * Memory: 16 bytes per piece of work until it is swept, twice; nothing if
 * only one GPU worked.
 */
#ifndef TP_TORCH_GPUS_H
#define TP_TORCH_GPUS_H

#include <stddef.h>
#include <stdint.h>

#include "torch.h"

#define TP_TORCH_LANES_MAX 16

struct tp_torch_gpu {
	int16_t device;
	int64_t ps[TP_TORCH_LANES_MAX];	/* by lane */
	int64_t busy_ps;		/* in any */
	int64_t others_ps;		/* idle while another one worked */
	uint64_t count;			/* its kernels and copies */
};

struct tp_torch_gpus {
	struct tp_torch_gpu *list;	/* by number of the device; none if all
					 * work is of one device */
	size_t count, cap;
	size_t busiest;
	struct tp_torch_gpu_edge *edges;
	size_t edge_count, edge_cap;
	/* time in which at least one was in the lane, and in the group */
	int64_t lane_ps[TP_TORCH_LANES_MAX], group_ps[TP_TORCH_LANES_MAX];
	int64_t *at_once_ps;		/* by the number of GPUs that worked */
};

/* Find the GPUs that worked at least LEAST_RATIO of what the busiest did. */
void tp_torch_gpus_make(struct tp_torch_gpus *gpus,
    const struct tp_torch *torch, double least_ratio);
/* The place in the list of the GPU that work of DEVICE counts for. */
size_t tp_torch_gpus_of(const struct tp_torch_gpus *gpus, int16_t device);
/* Add [FROM, TO) of GPU in LANE. */
void tp_torch_gpus_add(struct tp_torch_gpus *gpus, size_t gpu, unsigned lane,
    int64_t from, int64_t to);
/* Sum the times.  GROUPS has a number for each lane. */
void tp_torch_gpus_sweep(struct tp_torch_gpus *gpus, const uint8_t *groups);
void tp_torch_gpus_release(struct tp_torch_gpus *gpus);

#endif
