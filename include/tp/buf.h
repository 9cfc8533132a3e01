/*
 * buf - a growing byte string
 *
 * A zeroed struct is an empty buffer.  Memory: up to twice the bytes it
 * holds.
 */
#ifndef TP_BUF_H
#define TP_BUF_H

#include <stddef.h>
#include <stdint.h>

struct tp_buf {
	char *p;		/* NUL-terminated once anything was added */
	size_t len, cap;
};

void tp_buf_add(struct tp_buf *buf, const char *bytes, size_t len);
void tp_buf_str(struct tp_buf *buf, const char *text);
void tp_buf_chr(struct tp_buf *buf, char c);
void tp_buf_int(struct tp_buf *buf, int64_t n);
void tp_buf_fmt(struct tp_buf *buf, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/*
 * Make room for LEN bytes and a NUL at the end of BUF and return a pointer
 * to it.  The caller writes there, then adds to buf->len.
 */
char *tp_buf_room(struct tp_buf *buf, size_t len);
/* Forget the content, keep the memory. */
void tp_buf_clear(struct tp_buf *buf);
void tp_buf_release(struct tp_buf *buf);

#endif
