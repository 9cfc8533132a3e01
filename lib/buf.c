/* buf - a growing byte string */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/buf.h>

char *
tp_buf_room(struct tp_buf *buf, size_t len)
{
	if (len > (size_t)-1 / 2 - buf->len)
		tp_no_memory();
	tp_grow(&buf->p, &buf->cap, buf->len + len + 1, 1);
	return buf->p + buf->len;
}

void
tp_buf_add(struct tp_buf *buf, const char *bytes, size_t len)
{
	char *to = tp_buf_room(buf, len);

	if (len)
		memcpy(to, bytes, len);
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
	if (n < 0)
		return;
	va_start(ap, fmt);
	vsnprintf(tp_buf_room(buf, (size_t)n), (size_t)n + 1, fmt, ap);
	va_end(ap);
	buf->len += (size_t)n;
}

void
tp_buf_clear(struct tp_buf *buf)
{
	buf->len = 0;
	if (buf->p)
		buf->p[0] = '\0';
}

void
tp_buf_release(struct tp_buf *buf)
{
	tp_free(buf->p);
	memset(buf, 0, sizeof *buf);
}
