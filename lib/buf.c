/* buf - a growing byte string */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/buf.h>

/* Make room for LEN more bytes and a NUL.  0, or -1 without memory. */
static int
room(struct tp_buf *buf, size_t len)
{
	if (buf->failed)
		return -1;
	if (len > (size_t)-1 / 2 - buf->len ||
	    tp_grow(&buf->p, &buf->cap, buf->len + len + 1, 1) < 0) {
		buf->failed = 1;
		return -1;
	}
	return 0;
}

char *
tp_buf_room(struct tp_buf *buf, size_t len)
{
	return room(buf, len) < 0 ? NULL : buf->p + buf->len;
}

void
tp_buf_add(struct tp_buf *buf, const char *bytes, size_t len)
{
	if (room(buf, len) < 0)
		return;
	if (len)
		memcpy(buf->p + buf->len, bytes, len);
	buf->len += len;
	buf->p[buf->len] = '\0';
}

void
tp_buf_str(struct tp_buf *buf, const char *text)
{
	tp_buf_add(buf, text, strlen(text));
}

void
tp_buf_chr(struct tp_buf *buf, char c)
{
	tp_buf_add(buf, &c, 1);
}

void
tp_buf_int(struct tp_buf *buf, int64_t n)
{
	char digits[24], *p = digits + sizeof digits;
	uint64_t u = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;

	do {
		*--p = (char)('0' + u % 10);
		u /= 10;
	} while (u);
	if (n < 0)
		*--p = '-';
	tp_buf_add(buf, p, (size_t)(digits + sizeof digits - p));
}

void
tp_buf_fmt(struct tp_buf *buf, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || room(buf, (size_t)n) < 0) {
		buf->failed = 1;
		return;
	}
	va_start(ap, fmt);
	vsnprintf(buf->p + buf->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	buf->len += (size_t)n;
}

void
tp_buf_clear(struct tp_buf *buf)
{
	buf->len = 0;
	buf->failed = 0;
	if (buf->p)
		buf->p[0] = '\0';
}

void
tp_buf_release(struct tp_buf *buf)
{
	tp_free(buf->p);
	memset(buf, 0, sizeof *buf);
}
