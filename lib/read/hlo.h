/*
 * hlo - what an optimised program of XLA (an HloProto) says of its instructions
 *
 * A GPU capture names the instruction that a kernel runs and nothing else;
 * its shape, its source and its cost stand in the program, which the capture
 * holds too.
 *
 * Cost is of one execution.  Flops: of a dot twice the elements of its result
 * times those of the contracted dimensions; of a convolution twice the
 * elements of its output times those of the kernel that make one of them,
 * padding counted, holes of a dilated input not; of calls of cuBLAS and cuDNN
 * (on AMD: rocBLAS and MIOpen, under the same names) those of the dot or
 * convolution they stand for; of a fusion the sum of what it holds.  Of
 * all else they are unknown.  Bytes: operands and result, each once, an
 * estimate; of what is sliced or updated in place only the part; workspace of
 * a library is none.  Unknown is -1, never 0: so are both of what runs other
 * instructions (while, call), of halves (-start, -done), and of calls whose
 * work nothing tells.
 *
 * Facts: hlo.proto and xla_data.proto of openxla/xla.
 * Memory: the bytes, which stay the caller's, and 150 bytes an instruction.
 * What a program costs to read grows with its bytes: one that makes costs go
 * through the same computation again and again gets unknown ones.
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
	size_t first, count;	/* of its instructions */
};

/* A map to places: what IDS has at I is AT[I]. */
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
	struct tp_hlo_list files, lines, frames;	/* stacks */
	uint64_t looked, look_max;	/* bytes of instructions, read again for
					 * texts and costs; no more than that */
	struct tp_buf text;
};

/* An instruction; a text that is unknown is NULL. */
struct tp_hlo_op {
	const char *opcode;
	const char *shape;	/* of its result, as XLA writes it:
				 * f32[8,128]{1,0} */
	const char *text;	/* %name = shape opcode(%operand, ...) */
	const char *op_name;	/* what of the framework it is of */
	const char *source;	/* file:line */
	int64_t flops, bytes;	/* or -1 */
	size_t computation;	/* index of the one it is in */
	int is_fusion;		/* what runs as one kernel */
};

/* Index the program M, whose bytes must outlive HLO.  0, 1 when it is damaged
 * (what was before that is there), -1 without memory. */
int tp_hlo_open(struct tp_hlo *hlo, struct tp_proto m);
void tp_hlo_release(struct tp_hlo *hlo);

/* The instruction NAME, its texts in ARENA: 1, 0 when there is none (OP is
 * then untouched), -1 without memory. */
int tp_hlo_find(struct tp_hlo *hlo, const char *name, size_t len,
    struct tp_arena *arena, struct tp_hlo_op *op);

#endif
