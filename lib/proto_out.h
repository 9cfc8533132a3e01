/*
 * proto_out - write the protocol buffers wire format
 *
 * The counterpart of read/proto.h: each call appends one field to a buffer.
 * A nested message is built in its own buffer and appended as bytes.  Fields
 * with value 0 are written too.  Inline, because they write every event of a
 * trace.  Format: protobuf.dev/programming-guides/encoding.  Errors stick to
 * the buffer (tp/buf.h); no other memory is used.
 */
#ifndef TP_PROTO_OUT_H
#define TP_PROTO_OUT_H

#include <stdint.h>
#include <string.h>

#include <tp/buf.h>

#define TP_VARINT_MAX 10	/* bytes */

/* V without a field number. */
static inline void
tp_put_varint(struct tp_buf *buf, uint64_t v)
{
	char *p = tp_buf_room(buf, TP_VARINT_MAX);

	if (!p)
		return;
	for (; v > 0x7f; v >>= 7, buf->len++)
		*p++ = (char)(v | 0x80);
	*p++ = (char)v;
	*p = '\0';
	buf->len++;
}

/* An integer field, unsigned or int64 (encoded as its two's complement). */
static inline void
tp_put_int(struct tp_buf *buf, unsigned field, uint64_t v)
{
	tp_put_varint(buf, (uint64_t)field << 3);
	tp_put_varint(buf, v);
}

static inline void
tp_put_fixed64(struct tp_buf *buf, unsigned field, uint64_t v)
{
	char bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (char)(v >> 8 * i);
	tp_put_varint(buf, (uint64_t)field << 3 | 1);
	tp_buf_add(buf, bytes, sizeof bytes);
}

static inline void
tp_put_double(struct tp_buf *buf, unsigned field, double x)
{
	uint64_t v;

	memcpy(&v, &x, sizeof v);
	tp_put_fixed64(buf, field, v);
}

/* Bytes, or a message. */
static inline void
tp_put_bytes(struct tp_buf *buf, unsigned field, const char *bytes,
    size_t len)
{
	tp_put_varint(buf, (uint64_t)field << 3 | 2);
	tp_put_varint(buf, len);
	if (len)
		tp_buf_add(buf, bytes, len);
}

/*
 * A string for people, which must be UTF-8: controls are shown as by
 * tp_show_text(), invalid UTF-8 as U+FFFD.
 */
void tp_put_text(struct tp_buf *buf, unsigned field, const char *text,
    size_t len);

/* A nested MESSAGE, which is emptied. */
static inline void
tp_put_message(struct tp_buf *buf, unsigned field, struct tp_buf *message)
{
	tp_put_bytes(buf, field, message->p, message->len);
	tp_buf_clear(message);
}

#endif
