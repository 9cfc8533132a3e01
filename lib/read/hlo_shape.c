/* hlo_shape - shapes in XLA programs */
#include "hlo_private.h"

enum { SHAPE_TYPE = 2, SHAPE_DIMS = 3, SHAPE_PARTS = 4, SHAPE_LAYOUT = 5 };
enum { LAYOUT_ORDER = 1, LAYOUT_TILES = 6, LAYOUT_BITS = 7, LAYOUT_MEMORY = 8 };
enum { TYPE_U8 = 6, TYPE_TUPLE = 13, DEEPEST = 16 };

/*
 * Element types by number; without BITS the size is unknown; a token has no
 * size.
 */
static const struct {
	const char *name;
	int bits;
} types[] = {
	[1] = { "pred", 8 }, [2] = { "s8", 8 }, [3] = { "s16", 16 },
	[4] = { "s32", 32 }, [5] = { "s64", 64 }, [6] = { "u8", 8 },
	[7] = { "u16", 16 }, [8] = { "u32", 32 }, [9] = { "u64", 64 },
	[10] = { "f16", 16 }, [11] = { "f32", 32 }, [12] = { "f64", 64 },
	[13] = { "tuple", 0 }, [14] = { "opaque", 0 }, [15] = { "c64", 64 },
	[16] = { "bf16", 16 }, [17] = { "token", 0 }, [18] = { "c128", 128 },
	[19] = { "f8e5m2", 8 }, [20] = { "f8e4m3fn", 8 }, [21] = { "s4", 4 },
	[22] = { "u4", 4 }, [23] = { "f8e4m3b11fnuz", 8 },
	[24] = { "f8e5m2fnuz", 8 }, [25] = { "f8e4m3fnuz", 8 },
	[26] = { "s2", 2 }, [27] = { "u2", 2 }, [28] = { "f8e4m3", 8 },
	[29] = { "f8e3m4", 8 }, [30] = { "s1", 1 }, [31] = { "u1", 1 },
	[32] = { "f4e2m1fn", 4 }, [33] = { "f8e8m0fnu", 8 },
};

static uint64_t
type_of(struct tp_proto m)
{
	uint64_t type = tp_proto_number(m, SHAPE_TYPE);

	return type < sizeof types / sizeof *types ? type : 0;
}

/* Next part of the tuple M; 0 at the end. */
static int
next_part(struct tp_proto *m, struct tp_proto *part)
{
	struct tp_proto_field f;

	while (tp_proto_next(m, &f) > 0)
		if (f.number == SHAPE_PARTS && f.wire == TP_WIRE_BYTES) {
			*part = tp_proto_of(&f);
			return 1;
		}
	return 0;
}

int
tp_hlo_shape_read(struct tp_proto m, struct tp_hlo_shape *shape)
{
	struct tp_hlo_ints dims;
	uint64_t type, d;

	/* the first part of a tuple, recursively */
	for (int depth = 0; (type = type_of(m)) == TYPE_TUPLE; depth++)
		if (depth == DEEPEST || !next_part(&m, &m))
			return -1;
	*shape = (struct tp_hlo_shape){ .elements = 1,
	    .bits = types[type].bits };
	if (!shape->bits)
		return -1;
	dims = tp_hlo_ints_of(m, SHAPE_DIMS);
	while (tp_hlo_ints_next(&dims, &d)) {
		if (shape->rank == TP_HLO_RANK || d > INT64_MAX ||
		    __builtin_mul_overflow(shape->elements, (int64_t)d,
		    &shape->elements))
			return -1;
		shape->dims[shape->rank++] = (int64_t)d;
	}
	return 0;
}

static int64_t
array_bytes(struct tp_proto m)
{
	struct tp_hlo_shape shape;
	int64_t bits;

	if (tp_hlo_shape_read(m, &shape) < 0 ||
	    __builtin_mul_overflow(shape.elements, (int64_t)shape.bits, &bits))
		return -1;
	return bits / 8 + !!(bits % 8);
}

/* Whether M is the workspace of a library. */
static int
is_workspace(struct tp_proto m)
{
	struct tp_hlo_shape shape;

	return type_of(m) == TYPE_U8 && !tp_hlo_shape_read(m, &shape) &&
	    shape.rank == 1;
}

int64_t
tp_hlo_shape_bytes(struct tp_proto m, int workspace)
{
	struct tp_proto open[DEEPEST], part;
	size_t depth = 0;
	int64_t sum = 0, bytes;

	if (type_of(m) != TYPE_TUPLE)
		return types[type_of(m)].name && type_of(m) == 17 ? 0 :
		    array_bytes(m);
	open[depth++] = m;
	while (depth) {
		if (!next_part(&open[depth - 1], &part)) {
			depth--;
			continue;
		}
		if (type_of(part) == TYPE_TUPLE) {
			if (depth == DEEPEST)
				return -1;
			open[depth++] = part;
			continue;
		}
		if (!workspace && depth == 1 && sum && is_workspace(part)) {
			struct tp_proto left = open[0], other;

			if (!next_part(&left, &other))
				continue;
		}
		bytes = type_of(part) == 17 ? 0 : array_bytes(part);
		if (bytes < 0 || __builtin_add_overflow(sum, bytes, &sum))
			return -1;
	}
	return sum;
}

static void
add_numbers(struct tp_buf *buf, struct tp_proto m, uint32_t number)
{
	struct tp_hlo_ints ints = tp_hlo_ints_of(m, number);
	uint64_t n;

	for (int i = 0; tp_hlo_ints_next(&ints, &n); i++) {
		if (i)
			tp_buf_chr(buf, ',');
		tp_buf_int(buf, (int64_t)n);
	}
}

/* {1,0:T(8,128)(2,1)E(4)S(5)} */
static void
add_layout(struct tp_buf *buf, struct tp_proto m)
{
	struct tp_proto rest = m;
	struct tp_proto_field f;
	uint64_t bits = 0, memory = 0;
	int is_tiled = 0;

	tp_buf_chr(buf, '{');
	add_numbers(buf, m, LAYOUT_ORDER);
	while (tp_proto_next(&rest, &f) > 0)
		if (f.number == LAYOUT_BITS) {
			bits = f.value;
		} else if (f.number == LAYOUT_MEMORY) {
			memory = f.value;
		} else if (f.number == LAYOUT_TILES &&
		    f.wire == TP_WIRE_BYTES) {
			tp_buf_str(buf, is_tiled ? "(" : ":T(");
			add_numbers(buf, tp_proto_of(&f), 1);
			tp_buf_chr(buf, ')');
			is_tiled = 1;
		}
	if (!is_tiled && (bits || memory))
		tp_buf_chr(buf, ':');
	if (bits)
		tp_buf_fmt(buf, "E(%llu)", (unsigned long long)bits);
	if (memory)
		tp_buf_fmt(buf, "S(%llu)", (unsigned long long)memory);
	tp_buf_chr(buf, '}');
}

static int
add_array(struct tp_buf *buf, struct tp_proto m)
{
	uint64_t type = type_of(m), n;
	struct tp_hlo_ints dims = tp_hlo_ints_of(m, SHAPE_DIMS);
	struct tp_proto_field f;
	int has_dims;

	if (!type)
		return -1;
	tp_buf_fmt(buf, "%s[", types[type].name);
	has_dims = tp_hlo_ints_next(&dims, &n);
	add_numbers(buf, m, SHAPE_DIMS);
	tp_buf_chr(buf, ']');
	while (has_dims && tp_proto_next(&m, &f) > 0)
		if (f.number == SHAPE_LAYOUT && f.wire == TP_WIRE_BYTES) {
			add_layout(buf, tp_proto_of(&f));
			break;
		}
	return 0;
}

int
tp_hlo_shape_text(struct tp_buf *buf, struct tp_proto m)
{
	struct tp_proto open[DEEPEST], part;
	size_t depth = 0, had = buf->len;
	int is_first = 1, rc = 0;

	if (type_of(m) != TYPE_TUPLE) {
		rc = add_array(buf, m);
	} else {
		tp_buf_chr(buf, '(');
		open[depth++] = m;
	}
	while (!rc && depth) {
		if (!next_part(&open[depth - 1], &part)) {
			tp_buf_chr(buf, ')');
			is_first = 0;
			depth--;
			continue;
		}
		if (!is_first)
			tp_buf_str(buf, ", ");
		is_first = type_of(part) == TYPE_TUPLE;
		if (!is_first) {
			rc = add_array(buf, part);
			continue;
		}
		tp_buf_chr(buf, '(');
		if (depth == DEEPEST)
			rc = -1;
		else
			open[depth++] = part;
	}
	if (rc && buf->p) {
		buf->len = had;
		buf->p[had] = '\0';
	}
	return rc;
}
