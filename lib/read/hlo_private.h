/* hlo_private - shared by the parts of the HLO reader */
#ifndef TP_READ_HLO_PRIVATE_H
#define TP_READ_HLO_PRIVATE_H

#include "hlo.h"

enum tp_hlo_field { TP_HLO_OPERANDS = 36 };

/* --- repeated numbers, packed or not */

struct tp_hlo_ints {
	struct tp_proto message, packed;
	uint32_t number;
};

static inline struct tp_hlo_ints
tp_hlo_ints_of(struct tp_proto m, uint32_t number)
{
	return (struct tp_hlo_ints){ m, { m.p, m.p }, number };
}

/* 1, or 0 at the end and at damage. */
static inline int
tp_hlo_ints_next(struct tp_hlo_ints *i, uint64_t *value)
{
	struct tp_proto_field f;

	for (;;) {
		if (i->packed.p < i->packed.end)
			return tp_varint(&i->packed.p, i->packed.end,
			    value) > 0;
		if (tp_proto_next(&i->message, &f) <= 0)
			return 0;
		if (f.number != i->number)
			continue;
		if (f.wire == TP_WIRE_BYTES) {
			i->packed = tp_proto_of(&f);
		} else if (f.wire == TP_WIRE_VARINT) {
			*value = f.value;
			return 1;
		}
	}
}

/* --- shapes (hlo_shape.c) */

#define TP_HLO_RANK 32

struct tp_hlo_shape {
	int64_t dims[TP_HLO_RANK];
	size_t rank;
	int64_t elements;
	int bits;		/* per element */
};

/*
 * Read the shape M of an array, or the first of a tuple; -1 when its size is
 * unknown.
 */
int tp_hlo_shape_read(struct tp_proto m, struct tp_hlo_shape *shape);
/*
 * Bytes of the shape M, all elements of a tuple; without WORKSPACE, except a
 * last element u8[n].  -1: unknown.
 */
int64_t tp_hlo_shape_bytes(struct tp_proto m, int workspace);
/*
 * Append M as text to BUF.  0, or -1 when it is damaged; BUF is then
 * unchanged.
 */
int tp_hlo_shape_text(struct tp_buf *buf, struct tp_proto m);

/* --- instructions (hlo.c) */

struct tp_hlo_text {
	const char *text;
	size_t len;
};

/* The fields of an instruction; empty when missing. */
struct tp_hlo_instruction {
	struct tp_proto message, shape, metadata, window, convolution, dot;
	struct tp_hlo_text name, opcode, target, config;
	uint64_t id, parameter;
	size_t computation;
};

/* Read instruction AT; -1 when it is damaged. */
int tp_hlo_read(struct tp_hlo *hlo, size_t at,
    struct tp_hlo_instruction *i);
/*
 * Read the instruction ID of COMPUTATION: 1, or 0 when it is missing or
 * damaged.
 */
int tp_hlo_by_id(struct tp_hlo *hlo, size_t computation, uint64_t id,
    struct tp_hlo_instruction *i);
/* Operand N (from 0) of I: 1, or 0 when there is none or it is unknown. */
int tp_hlo_operand(struct tp_hlo *hlo,
    const struct tp_hlo_instruction *i, size_t n,
    struct tp_hlo_instruction *operand);
/* The first computation that I calls, or NULL. */
const struct tp_hlo_computation *tp_hlo_called(struct tp_hlo *hlo,
    const struct tp_hlo_instruction *i);
int tp_hlo_is(struct tp_hlo_text text, const char *word);
int tp_hlo_begins(struct tp_hlo_text text, const char *word);

/* --- cost (hlo_cost.c) */

/* Flops and bytes of I, -1 where unknown. */
void tp_hlo_cost(struct tp_hlo *hlo, const struct tp_hlo_instruction *i,
    int64_t *flops, int64_t *bytes);

#endif
