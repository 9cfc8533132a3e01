/* cpu_private - what the parts of the CPU analysis share; not installed */
#ifndef TP_METAL_CPU_PRIVATE_H
#define TP_METAL_CPU_PRIVATE_H

#include <tp/metal/cpu.h>

/* Write N as KEY plus the unit of the weights. */
void tp_cpu_weight(struct tp_out *out, const struct tp_cpu *cpu,
    const char *key, tp_int128 n);
/* Name of the library of function I, or "". */
const char *tp_cpu_library(const struct tp_cpu *cpu, size_t i);
/*
 * Add SAMPLES of WEIGHT together to the call tree: the COUNT functions of
 * PATH, leaf first.
 */
void tp_cpu_tree_add(struct tp_cpu *cpu, const uint32_t *path, size_t count,
    tp_int128 weight, uint64_t samples);

#endif
