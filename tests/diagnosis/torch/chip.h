/*
 * chip - what kernels run on an H100 SXM, and how long they take
 *
 * The time is that of the roofline at the share of it that JOB says is
 * reached (math, band), and never below the floor of a launch.  Tensors are
 * bfloat16.  Names are those of cuBLAS, CUTLASS and PyTorch.
 */
#ifndef CHIP_H
#define CHIP_H

#include "sim.h"

/* How an operand of a product lies: as it is, or turned (weights). */
enum layout { TN, NN, NT };

/* BATCH products of MxK by KxN.  Odd N or K leave the fast kernels. */
struct kernel chip_matrix(const struct job *job, int64_t batch, int64_t m,
    int64_t n, int64_t k, enum layout layout, int bias);
/* NAME moves BYTES, by N threads. */
struct kernel chip_moves(const struct job *job, const char *name,
    int64_t bytes, int64_t n);
/* Attention in one kernel: forward, or a part of the backward pass. */
struct kernel chip_flash(const struct job *job, const char *name,
    int64_t flops, int64_t bytes);
/* BYTES from the host. */
struct kernel chip_copy(const struct job *job, int64_t bytes);
/* From a GPU to another. */
struct kernel chip_peer(int64_t bytes);
/* BYTES summed over the ranks. */
struct kernel chip_reduce(const struct job *job, int64_t bytes);

#endif
