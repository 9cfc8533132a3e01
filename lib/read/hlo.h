/*
 * hlo - instructions of an optimised XLA program (an HloProto)
 *
 * A GPU capture names only the instruction that a kernel runs; its shape,
 * source and cost are in the program, which the capture contains too.
 *
 * Cost is per execution.  Flops: of a dot, twice the elements of its result
 * times those of the contracted dimensions; of a convolution, twice the
 * elements of its output times the kernel elements that make one of them,
 * counting padding but not the holes of a dilated input; of calls of cuBLAS
 * and cuDNN (on AMD: rocBLAS and MIOpen, under the same names), those of the
 * dot or convolution they replace; of a fusion, the sum over its
 * instructions.  Otherwise unknown.  Bytes: operands and result, each once,
 * an estimate; of slices and in-place updates only the part touched; library
 * workspace does not count.  Unknown is -1, never 0; both are unknown for
 * instructions that run others (while, call), for halves (-start, -done),
 * and for calls of unknown work.
 *
 * Source: hlo.proto and xla_data.proto of openxla/xla.  Memory: the bytes,
 * which stay the caller's, and 150 bytes an instruction.  Time is linear in
 * the program's size: costs of a program that would need the same
 * computation again and again become unknown.
 */
#ifndef TP_READ_HLO_H
#define TP_READ_HLO_H

#include <stddef.h>
#include <stdint.h>

#include <tp/alloc.h>
#include <tp/buf.h>
#include <tp/hash.h>

#include "proto.h"

struct tp_hlo_computation {
	uint64_t id, root;
	size_t first, count;	/* its instructions */
};

/* Maps ids to indexes: the value of ids[I] is at[I]. */
struct tp_hlo_index {
	struct tp_ids ids;
	size_t *at, cap;
};

struct tp_hlo_list {
	struct tp_proto *list;
	size_t count, cap;
};

struct tp_hlo_place {
	struct tp_proto message;
	size_t computation;
};

/* A zeroed struct may be released. */
struct tp_hlo {
	struct tp_hlo_computation *computations;
	size_t computation_count, computation_cap;
	struct tp_hlo_place *places;	/* instructions */
	size_t count, cap;
	struct tp_hlo_index ids;	/* (computation, id) of each */
	struct tp_hlo_index names;	/* (hash, 0) of each */
	struct tp_hlo_index called;	/* computations by (id, 0) */
	struct tp_hlo_list files, lines, frames;	/* source positions */
	uint64_t looked, look_max;	/* bytes of instructions read again for
					 * texts and costs, and their limit */
	struct tp_buf text;
};

/* An instruction; unknown texts are NULL. */
struct tp_hlo_op {
	const char *opcode;
	const char *shape;	/* of its result, in XLA notation:
				 * f32[8,128]{1,0} */
	const char *text;	/* %name = shape opcode(%operand, ...) */
	const char *op_name;	/* operation of the framework */
	const char *source;	/* file:line */
	int64_t flops, bytes;	/* or -1 */
	size_t computation;	/* index of its computation */
	int is_fusion;		/* runs as one kernel */
};

/*
 * Index the program M, whose bytes must outlive HLO.  0, or 1 when it is
 * damaged: everything before the damage is indexed.
 */
int tp_hlo_open(struct tp_hlo *hlo, struct tp_proto m);
void tp_hlo_release(struct tp_hlo *hlo);

/*
 * Find the instruction NAME, with its texts in ARENA: 1, or 0 when there is
 * none (OP is untouched).
 */
int tp_hlo_find(struct tp_hlo *hlo, const char *name, size_t len,
    struct tp_arena *arena, struct tp_hlo_op *op);

#endif
