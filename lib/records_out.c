/* records_out - write the record stream */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <tp/cond.h>
#include <tp/records.h>
#include <tp/text.h>

#include "json_plain.h"

#define OUT_BLOCK ((size_t)256 * 1024)

void
tp_out_init(struct tp_out *out, int fd)
{
	memset(out, 0, sizeof *out);
	out->fd = fd;
}

void
tp_out_release(struct tp_out *out)
{
	tp_buf_release(&out->buf);
}

/* Write all buffered bytes to the descriptor; errors stick. */
static void
drain(struct tp_out *out)
{
	const char *p = out->buf.p;
	size_t left = out->buf.len;
	ssize_t n;

	if (left && out->starts) {
		out->starts(out->starts_arg);
		out->starts = NULL;
	}
	while (left && !out->error) {
		n = write(out->fd, p, left);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			out->error = errno;
			break;
		}
		p += n;
		left -= (size_t)n;
		out->bytes += (uint64_t)n;
	}
	tp_buf_clear(&out->buf);
}

int
tp_out_flush(struct tp_out *out, struct tp_err *err)
{
	drain(out);
	if (out->error)
		return tp_fail(err, TP_IO, "output.failed", 0, "%s",
		    strerror(out->error));
	return 0;
}

/*
 * Escaping checks for room once per PIECE bytes of text: a byte becomes at
 * most six; a character that starts in the last byte, and an overlapping
 * store, need the rest.
 */
#define PIECE 64
#define PIECE_ROOM (6 * PIECE + 6 + 16)

static char *
escape_unit(char *w, unsigned unit)
{
	static const char hex[] = "0123456789abcdef";
	char u[6] = { '\\', 'u', hex[unit >> 12 & 15], hex[unit >> 8 & 15],
	    hex[unit >> 4 & 15], hex[unit & 15] };

	memcpy(w, u, sizeof u);
	return w + sizeof u;
}

static inline int
is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* Escape the character at *P to W and move past it. */
static char *
escape_one(char *w, const char **p, const char *end, size_t *bad)
{
	const char *from = *p;
	uint32_t c;
	size_t n;

	/* most of non-ASCII text: two bytes, U+00C0 to U+07FF */
	if (end - from >= 2 && (unsigned char)(from[0] + 0x3d) < 0x1d &&
	    (from[1] & 0xc0) == 0x80) {
		memcpy(w, from, 2);
		*p += 2;
		return w + 2;
	}
	n = tp_utf8(from, (size_t)(end - from), &c);
	*p += n ? n : 1;
	if (!n) {
		++*bad;
		memcpy(w, "\xef\xbf\xbd", 3);
		return w + 3;
	}
	/* printable non-ASCII characters are not escaped */
	if (c >= 0xa0 && c != 0x2028 && c != 0x2029) {
		memcpy(w, from, n);
		return w + n;
	}
	if (c == '"' || c == '\\' || c == '\n' || c == '\t' || c == '\r') {
		*w++ = '\\';
		*w++ = c == '\n' ? 'n' : c == '\t' ? 't' : c == '\r' ? 'r' :
		    (char)c;
		return w;
	}
	return escape_unit(w, c);
}

/* Escape the PIECE bytes at *P; returns the end of the output. */
static char *
escape_piece(char *w, const char **p, const char *end, size_t *bad)
{
	const char *stop = end - *p > PIECE ? *p + PIECE : end;
	size_t n;

	while (*p < stop) {
		n = tp_json_copy(w, *p, (size_t)(stop - *p));
		w += n;
		*p += n;
		while (*p < stop && !is_plain((unsigned char)**p))
			w = escape_one(w, p, end, bad);
	}
	return w;
}

size_t
tp_json_escape(struct tp_buf *buf, const char *text, size_t len)
{
	const char *end = text + len;
	size_t bad = 0;
	char *w;

	do {
		w = tp_buf_room(buf, PIECE_ROOM);
		w = escape_piece(w, &text, end, &bad);
		*w = '\0';
		buf->len = (size_t)(w - buf->p);
	} while (text < end);
	return bad;
}

void
tp_json_real(struct tp_buf *buf, double x)
{
	char s[40];
	int digits;

	for (digits = 15; digits <= 17; digits++) {
		snprintf(s, sizeof s, "%.*g", digits, x);
		if (strtod(s, NULL) == x)
			break;
	}
	tp_buf_str(buf, s);
}

/*
 * Each field checks for room once, including what is stored past its end.
 * When there is none, a separate cold function makes room and starts again,
 * so that the hot path calls nothing.
 */
#define LATER __attribute__((noinline, cold)) static void

static inline int
has_room(const struct tp_out *out, size_t len)
{
	return out->buf.cap - out->buf.len > len + TP_SLACK;
}

static void
make_room(struct tp_out *out, size_t len)
{
	tp_buf_room(&out->buf, len + TP_SLACK);
}

/* The output now ends at END. */
static inline void
written(struct tp_out *out, char *end)
{
	*end = '\0';
	out->buf.len = (size_t)(end - out->buf.p);
}

/* Write ,"KEY": (KEY_LEN bytes) at the end of OUT; returns its end. */
static inline char *
put_key(struct tp_out *out, const char *key, size_t key_len)
{
	char *w = out->buf.p + out->buf.len;

	memcpy(w, ",\"", 2);
	tp_copy_short(w + 2, key, key_len);
	w += key_len + 2;
	memcpy(w, "\":", 2);
	return w + 2;
}

void
tp_out_begin(struct tp_out *out, const char *kind)
{
	size_t at = out->buf.len;

	tp_out_text(out, "kind", kind);
	if (out->buf.len > at)
		out->buf.p[at] = '{';
	out->record_at = at;
	tp_out_text(out, "src", out->src);
}

/* Write LEN bytes, not all plain, escaped to W, and the closing quote. */
__attribute__((noinline)) static void
put_escaped(struct tp_out *out, char *w, const char *text, size_t len)
{
	written(out, w);
	out->replaced += tp_json_escape(&out->buf, text, len);
	if (!has_room(out, 1))
		make_room(out, 1);
	out->buf.p[out->buf.len] = '"';
	written(out, out->buf.p + out->buf.len + 1);
}

LATER
bytes_later(struct tp_out *out, const char *key, size_t key_len,
    const char *text, size_t len)
{
	make_room(out, key_len + len + 6);
	tp_out_key_bytes(out, key, key_len, text, len);
}

void
tp_out_key_bytes(struct tp_out *out, const char *key, size_t key_len,
    const char *text, size_t len)
{
	char *w;

	if (!has_room(out, key_len + len + 6)) {
		bytes_later(out, key, key_len, text, len);
		return;
	}
	w = put_key(out, key, key_len);
	*w++ = '"';
	if (tp_json_copy_plain(w, text, len)) {
		w[len] = '"';
		written(out, w + len + 1);
		return;
	}
	put_escaped(out, w, text, len);
}

LATER
int_later(struct tp_out *out, const char *key, size_t key_len, int64_t n)
{
	make_room(out, key_len + 24);
	tp_out_key_int(out, key, key_len, n);
}

void
tp_out_key_int(struct tp_out *out, const char *key, size_t key_len,
    int64_t n)
{
	uint64_t u = (uint64_t)n;
	char *w;

	if (!has_room(out, key_len + 24)) {
		int_later(out, key, key_len, n);
		return;
	}
	w = put_key(out, key, key_len);
	if (n < 0) {
		*w++ = '-';
		u = 0 - u;
	}
	written(out, tp_put_digits(w, u));
}

LATER
id_later(struct tp_out *out, const char *key, size_t key_len, uint64_t id)
{
	make_room(out, key_len + 26);
	tp_out_key_id(out, key, key_len, id);
}

void
tp_out_key_id(struct tp_out *out, const char *key, size_t key_len,
    uint64_t id)
{
	char *w;

	if (!has_room(out, key_len + 26)) {
		id_later(out, key, key_len, id);
		return;
	}
	w = put_key(out, key, key_len);
	*w++ = '"';
	w = tp_put_digits(w, id);
	*w++ = '"';
	written(out, w);
}

void
tp_out_real(struct tp_out *out, const char *key, double x)
{
	size_t n = strlen(key);

	if (!isfinite(x))
		return;
	if (!has_room(out, n + 4))
		make_room(out, n + 4);
	written(out, put_key(out, key, n));
	tp_json_real(&out->buf, x);
}

int64_t
tp_ps_to_ns(int64_t ps)
{
	int64_t ns = ps / 1000, rest = ps % 1000;

	if (rest < 0) {
		ns--;
		rest += 1000;
	}
	return ns + (rest > 500 || (rest == 500 && (ns & 1)));
}

void
tp_out_ps(struct tp_out *out, const char *key, int64_t ps)
{
	size_t len = strlen(key);
	char name[64];

	tp_out_key_int(out, key, len, tp_ps_to_ns(ps));
	if (!out->exact || len >= sizeof name)
		return;
	memcpy(name, key, len + 1);
	name[len - 2] = 'p';
	tp_out_key_int(out, name, len, ps);
}

void
tp_out_real_ps(struct tp_out *out, const char *key, double ps)
{
	tp_out_int(out, key, (int64_t)nearbyint(ps / 1000));
}

void
tp_out_ratio(struct tp_out *out, const char *key, int64_t num, int64_t den)
{
	if (den)
		tp_out_real(out, key, (double)num / (double)den);
}

void
tp_out_bool(struct tp_out *out, const char *key, int yes)
{
	const char *word = yes ? "true" : "false";
	size_t n = strlen(key), most = n + 4 + strlen(word);
	char *w;

	if (!has_room(out, most))
		make_room(out, most);
	w = put_key(out, key, n);
	strcpy(w, word);
	written(out, w + strlen(word));
}

int
tp_only_next(const char **only, const char **from, size_t *len)
{
	const char *p = *only;

	if (!*p)
		return 0;
	*from = p;
	p = tp_cond_scan(p, p + strlen(p), ",");
	*len = (size_t)(p - *from);
	*only = *p ? p + 1 : p;
	return 1;
}

int
tp_only_has(const char *only, const struct tp_rec *rec)
{
	const char *from;
	size_t len;

	while (tp_only_next(&only, &from, &len))
		if (tp_rec_is(rec, from, len))
			return 1;
	return 0;
}

void
tp_out_date(struct tp_out *out, const char *key, double seconds)
{
	char text[64];
	struct tm tm;
	time_t t;

	if (!(seconds >= 0 && seconds < 253402300800.))
		return;		/* the year 10000 */
	t = (time_t)seconds;
	if (gmtime_r(&t, &tm) && strftime(text, sizeof text,
	    "%Y-%m-%dT%H:%M:%SZ", &tm))
		tp_out_text(out, key, text);
}

/* Whether the record that just ended was requested. */
static int
wanted(const struct tp_out *out)
{
	struct tp_arena arena = { 0 };
	struct tp_err err;
	struct tp_rec rec;
	int yes;

	yes = !tp_rec_parse(&rec, out->buf.p + out->record_at,
	    out->buf.len - out->record_at - 1, &arena, &err) &&
	    tp_only_has(out->only, &rec);
	tp_arena_release(&arena);
	return yes;
}

void
tp_out_end(struct tp_out *out)
{
	if (!has_room(out, 2))
		make_room(out, 2);
	memcpy(out->buf.p + out->buf.len, "}\n", 2);
	written(out, out->buf.p + out->buf.len + 2);
	if (out->only && !wanted(out))
		out->buf.len = out->record_at;
	if (out->buf.len >= OUT_BLOCK && out->fd >= 0)
		drain(out);
}

void
tp_out_note(struct tp_out *out, const char *code, int status, uint64_t count,
    const char *fmt, ...)
{
	char text[8192];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	tp_out_begin(out, "note");
	tp_out_text(out, "code", code);
	tp_out_text(out, "text", text);
	tp_out_int(out, "count", (int64_t)count);
	tp_out_int(out, "status", status);
	tp_out_end(out);
}

void
tp_out_raw(struct tp_out *out, const char *bytes, size_t len)
{
	/* copy no more than a block of a long text */
	while (out->fd >= 0 && len > OUT_BLOCK) {
		tp_buf_add(&out->buf, bytes, OUT_BLOCK);
		drain(out);
		bytes += OUT_BLOCK;
		len -= OUT_BLOCK;
	}
	tp_buf_add(&out->buf, bytes, len);
	if (out->buf.len >= OUT_BLOCK && out->fd >= 0)
		drain(out);
}
