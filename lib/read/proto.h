/*
 * proto - read the protocol buffers wire format, field by field
 *
 * A message is a sequence of fields: a number and wire type as one varint,
 * then a varint, 8 bytes, 4 bytes, or a length and as many bytes.  There are
 * no schemas and nothing is copied; every function checks that what it reads
 * lies within the bytes.  Inline, because they read every event of a
 * capture.  Format: protobuf.dev/programming-guides/encoding.  Memory: none.
 */
#ifndef TP_READ_PROTO_H
#define TP_READ_PROTO_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The rest of a message. */
struct tp_proto {
	const unsigned char *p, *end;
};

enum tp_wire {
	TP_WIRE_VARINT = 0, TP_WIRE_64 = 1, TP_WIRE_BYTES = 2, TP_WIRE_32 = 5
};

struct tp_proto_field {
	uint32_t number;
	enum tp_wire wire;
	uint64_t value;		/* zero-extended; of bytes, their number */
	const unsigned char *bytes;	/* borrowed; of TP_WIRE_BYTES */
};

/*
 * A varint of at most 10 bytes at *P, which moves past it: 1; 0 when the
 * bytes end within it; -1 when it is longer.
 */
static inline int
tp_varint(const unsigned char **p, const unsigned char *end, uint64_t *value)
{
	const unsigned char *at = *p;
	uint64_t v = 0;

	if (at < end && *at < 0x80) {
		*value = *at;
		*p = at + 1;
		return 1;
	}
	for (unsigned shift = 0; shift < 70; shift += 7, at++) {
		if (at == end)
			return 0;
		v |= shift < 64 ? (uint64_t)(*at & 0x7f) << shift : 0;
		if (*at < 0x80) {
			*value = v;
			*p = at + 1;
			return 1;
		}
	}
	return -1;
}

/*
 * Read the head of the next field of M: number, type and value; of bytes
 * only their number, and M then points to them.  1; 0 when M ends within it;
 * -1 when it is invalid: no field number, or an unknown wire type.
 */
static inline int
tp_proto_head(struct tp_proto *m, struct tp_proto_field *f)
{
	const unsigned char *p = m->p;
	uint64_t tag;
	int rc = tp_varint(&p, m->end, &tag);

	if (rc <= 0)
		return rc;
	f->number = (uint32_t)(tag >> 3);
	f->wire = (enum tp_wire)(tag & 7);
	if (!f->number || tag >> 3 > 0x1fffffff)
		return -1;
	switch (f->wire) {
	case TP_WIRE_VARINT:
	case TP_WIRE_BYTES:
		rc = tp_varint(&p, m->end, &f->value);
		if (rc <= 0)
			return rc;
		break;
	case TP_WIRE_64:
	case TP_WIRE_32:
		tag = f->wire == TP_WIRE_64 ? 8 : 4;
		if ((uint64_t)(m->end - p) < tag)
			return 0;
		f->value = 0;
		/* little-endian */
		for (unsigned i = 0; i < tag; i++)
			f->value |= (uint64_t)p[i] << 8 * i;
		p += tag;
		break;
	default:
		return -1;
	}
	m->p = p;
	return 1;
}

/*
 * Next field of M, a complete message: 1, 0 at the end, -1 when it is
 * invalid or exceeds M.
 */
static inline int
tp_proto_next(struct tp_proto *m, struct tp_proto_field *f)
{
	if (m->p == m->end)
		return 0;
	if (tp_proto_head(m, f) <= 0)
		return -1;
	f->bytes = m->p;
	if (f->wire != TP_WIRE_BYTES)
		return 1;
	if (f->value > (uint64_t)(m->end - m->p))
		return -1;
	m->p += f->value;
	return 1;
}

/* The value of F as a message. */
static inline struct tp_proto
tp_proto_of(const struct tp_proto_field *f)
{
	return (struct tp_proto){ f->bytes, f->bytes + f->value };
}

/*
 * The number, or the message or bytes, in field NUMBER of M; of several the
 * last; 0 or empty when missing.
 */
static inline uint64_t
tp_proto_number(struct tp_proto m, uint32_t number)
{
	struct tp_proto_field f;
	uint64_t value = 0;

	while (tp_proto_next(&m, &f) > 0)
		if (f.number == number && f.wire == TP_WIRE_VARINT)
			value = f.value;
	return value;
}

static inline struct tp_proto
tp_proto_bytes(struct tp_proto m, uint32_t number)
{
	struct tp_proto bytes = { m.end, m.end };
	struct tp_proto_field f;

	while (tp_proto_next(&m, &f) > 0)
		if (f.number == number && f.wire == TP_WIRE_BYTES)
			bytes = tp_proto_of(&f);
	return bytes;
}

static inline double
tp_proto_double(const struct tp_proto_field *f)
{
	double d;

	memcpy(&d, &f->value, sizeof d);
	return d;
}

#endif
