/* A writer of protocol buffers, for tests that make their own. */
#ifndef TP_TEST_WIRE_H
#define TP_TEST_WIRE_H

#include <stdint.h>
#include <string.h>

#include <tp/buf.h>

static inline void
varint(struct tp_buf *b, uint64_t n)
{
	for (; n > 127; n >>= 7)
		tp_buf_chr(b, (char)(n | 128));
	tp_buf_chr(b, (char)n);
}

static inline void
number(struct tp_buf *b, uint32_t field, uint64_t n)
{
	varint(b, field << 3);
	varint(b, n);
}

static inline void
bytes(struct tp_buf *b, uint32_t field, const char *p, size_t len)
{
	varint(b, field << 3 | 2);
	varint(b, len);
	tp_buf_add(b, p, len);
}

/* PART becomes field FIELD of B and is empty again. */
static inline void
message(struct tp_buf *b, uint32_t field, struct tp_buf *part)
{
	bytes(b, field, part->p ? part->p : "", part->len);
	tp_buf_clear(part);
}

static inline void
text(struct tp_buf *b, uint32_t field, const char *s)
{
	bytes(b, field, s, strlen(s));
}

#endif
