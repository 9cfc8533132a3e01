/* records - write and read the record stream */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Hand all that is held to the descriptor; an error sticks. */
static void
drain(struct tp_out *out)
{
	const char *p = out->buf.p;
	size_t left = out->buf.len;
	ssize_t n;

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
	if (!out->buf.failed)
		tp_buf_clear(&out->buf);
}

int
tp_out_flush(struct tp_out *out, struct tp_err *err)
{
	drain(out);
	if (out->buf.failed)
		return tp_fail_memory(err);
	if (out->error)
		return tp_fail(err, TP_IO, "output.failed", 0, "%s",
		    strerror(out->error));
	return 0;
}

static const char hex[] = "0123456789abcdef";

static void
escape_unit(struct tp_buf *buf, unsigned unit)
{
	char u[6] = { '\\', 'u', hex[unit >> 12 & 15], hex[unit >> 8 & 15],
	    hex[unit >> 4 & 15], hex[unit & 15] };

	tp_buf_add(buf, u, sizeof u);
}

static inline int
is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

/* Where TEXT first has what does not print as itself, or END. */
static const char *
skip_plain(const char *text, const char *end)
{
	uint64_t word;

	for (; end - text >= 8; text += 8) {
		memcpy(&word, text, 8);
		if (tp_json_unusual(word, 1))
			break;
	}
	while (text < end && is_plain((unsigned char)*text))
		text++;
	return text;
}

size_t
tp_json_escape(struct tp_buf *buf, const char *text, size_t len)
{
	const char *end = text + len, *plain = text, *p = text;
	size_t n, bad = 0;
	uint32_t c;

	while ((p = skip_plain(p, end)) < end) {
		n = tp_utf8(p, (size_t)(end - p), &c);
		/* printable characters beyond ASCII stay as they are */
		if (n && c >= 0xa0 && c != 0x2028 && c != 0x2029) {
			p += n;
			continue;
		}
		tp_buf_add(buf, plain, (size_t)(p - plain));
		if (!n) {
			tp_buf_add(buf, "\xef\xbf\xbd", 3);
			bad++;
			n = 1;
		} else if (c == '"' || c == '\\') {
			tp_buf_chr(buf, '\\');
			tp_buf_chr(buf, (char)c);
		} else if (c == '\n') {
			tp_buf_add(buf, "\\n", 2);
		} else if (c == '\t') {
			tp_buf_add(buf, "\\t", 2);
		} else if (c == '\r') {
			tp_buf_add(buf, "\\r", 2);
		} else {
			escape_unit(buf, c);
		}
		p += n;
		plain = p;
	}
	tp_buf_add(buf, plain, (size_t)(p - plain));
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
 * The end of the output, with room for LEN bytes and a NUL: fields are
 * written with one look at the buffer each.  NULL without memory.
 */
static inline char *
room(struct tp_out *out, size_t len)
{
	struct tp_buf *buf = &out->buf;

	if (buf->cap - buf->len > len && !buf->failed)
		return buf->p + buf->len;
	return tp_buf_room(buf, len);
}

/* What room() gave was written up to END. */
static inline void
written(struct tp_out *out, char *end)
{
	*end = '\0';
	out->buf.len = (size_t)(end - out->buf.p);
}

/* ,"KEY": and room for LEN bytes behind it, and for a word that is written
 * over its end; where they go, or NULL. */
static inline char *
key_of(struct tp_out *out, const char *key, size_t len)
{
	size_t n = strlen(key);
	char *w = room(out, n + len + 4 + 8);

	if (!w)
		return NULL;
	*w++ = ',';
	*w++ = '"';
	tp_copy_short(w, key, n);
	w += n;
	*w++ = '"';
	*w++ = ':';
	return w;
}

static const char pairs[] =
    "00010203040506070809101112131415161718192021222324"
    "25262728293031323334353637383940414243444546474849"
    "50515253545556575859606162636465666768697071727374"
    "75767778798081828384858687888990919293949596979899";

/* Decimal digits of U, 1 to 20. */
static unsigned
digit_count(uint64_t u)
{
	static const uint64_t least[] = { 0, 10, 100, 1000, 10000, 100000,
	    1000000, 10000000, 100000000, 1000000000, 10000000000,
	    100000000000, 1000000000000, 10000000000000, 100000000000000,
	    1000000000000000, 10000000000000000, 100000000000000000,
	    1000000000000000000, 10000000000000000000u };
	/* bits times log10(2) is one too many for some */
	unsigned n = (unsigned)(64 - __builtin_clzll(u | 1)) * 1233 >> 12;

	return n + (u >= least[n]);
}

/* The digits of U to W; the end of them. */
static char *
digits_of(char *w, uint64_t u)
{
	char *end = w + digit_count(u), *p = end;

	for (; u >= 100; u /= 100)
		memcpy(p -= 2, pairs + 2 * (u % 100), 2);
	if (u >= 10)
		memcpy(p - 2, pairs + 2 * u, 2);
	else
		p[-1] = (char)('0' + u);
	return end;
}

void
tp_out_begin(struct tp_out *out, const char *kind)
{
	size_t at = out->buf.len;

	tp_out_text(out, "kind", kind);
	if (out->buf.len > at)
		out->buf.p[at] = '{';
	out->record_at = at;
	if (out->src)
		tp_out_text(out, "src", out->src);
}

/* tp_copy_short() of text that is all plain; 0 when it is not. */
static inline int
copy_plain(char *w, const char *text, size_t len)
{
	uint64_t word;
	size_t i;

	if (len < 8) {
		/* spaces for what lacks */
		word = len ? tp_word(text, len) : 0;
		tp_store64(w, word);
		return !tp_json_unusual(word | TP_EACH(' ') << 4 * len <<
		    4 * len, 1);
	}
	for (i = 0;; i = i + 16 <= len ? i + 8 : len - 8) {
		word = tp_load64(text + i);
		if (tp_json_unusual(word, 1))
			return 0;
		tp_store64(w + i, word);
		if (i + 8 == len)
			return 1;
	}
}

void
tp_out_bytes(struct tp_out *out, const char *key, const char *text,
    size_t len)
{
	char *w = key_of(out, key, len + 2);

	if (!w)
		return;
	*w++ = '"';
	if (copy_plain(w, text, len)) {
		w[len] = '"';
		written(out, w + len + 1);
		return;
	}
	written(out, w);
	out->replaced += tp_json_escape(&out->buf, text, len);
	tp_buf_chr(&out->buf, '"');
}

void
tp_out_text(struct tp_out *out, const char *key, const char *text)
{
	if (text)
		tp_out_bytes(out, key, text, strlen(text));
}

void
tp_out_int(struct tp_out *out, const char *key, int64_t n)
{
	char *w = key_of(out, key, 20);

	if (!w)
		return;
	if (n < 0)
		*w++ = '-';
	written(out, digits_of(w, n < 0 ? 0 - (uint64_t)n : (uint64_t)n));
}

void
tp_out_known(struct tp_out *out, const char *key, int64_t n)
{
	if (n >= 0)
		tp_out_int(out, key, n);
}

void
tp_out_id(struct tp_out *out, const char *key, uint64_t id)
{
	char *w = key_of(out, key, 22);

	if (!w)
		return;
	*w++ = '"';
	w = digits_of(w, id);
	*w++ = '"';
	written(out, w);
}

void
tp_out_real(struct tp_out *out, const char *key, double x)
{
	char *w;

	if (!isfinite(x))
		return;
	w = key_of(out, key, 0);
	if (!w)
		return;
	written(out, w);
	tp_json_real(&out->buf, x);
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
	size_t n = strlen(word);
	char *w = key_of(out, key, n);

	if (!w)
		return;
	memcpy(w, word, n);
	written(out, w + n);
}

/* Whether the record that just ended is one of those asked for. */
static int
wanted(const struct tp_out *out)
{
	struct tp_arena arena = { 0 };
	struct tp_err err;
	struct tp_rec rec;
	int yes;

	yes = !tp_rec_parse(&rec, out->buf.p + out->record_at,
	    out->buf.len - out->record_at - 1, &arena, &err) &&
	    tp_rec_is(&rec, out->only, strlen(out->only));
	tp_arena_release(&arena);
	return yes;
}

void
tp_out_end(struct tp_out *out)
{
	tp_buf_add(&out->buf, "}\n", 2);
	if (out->only && !out->buf.failed && !wanted(out))
		out->buf.len = out->record_at;
	if (out->buf.len >= OUT_BLOCK && out->fd >= 0)
		drain(out);
}

void
tp_out_note(struct tp_out *out, const char *code, int status, uint64_t count,
    const char *fmt, ...)
{
	char text[512];
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
	tp_buf_add(&out->buf, bytes, len);
	if (out->buf.len >= OUT_BLOCK && out->fd >= 0)
		drain(out);
}

/* Reading: one line at a time, by hand, so that no number is rounded. */

struct scan {
	const char *p, *end;
	struct tp_arena *arena;
	struct tp_buf *text;	/* scratch, of strings with escapes */
	const char *plain;	/* the last string, when it has none: */
	size_t plain_len;
};

static void
blanks(struct scan *s)
{
	while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' ||
	    *s->p == '\r'))
		s->p++;
}

static int
hex4(struct scan *s, uint32_t *unit)
{
	if (tp_hex4(s->p, s->end, unit) < 0)
		return -1;
	s->p += 4;
	return 0;
}

/* After "\u": the character, both halves of a surrogate pair taken. */
static int
unicode(struct scan *s, uint32_t *c)
{
	uint32_t low;

	if (hex4(s, c) < 0)
		return -1;
	if (*c >= 0xd800 && *c < 0xdc00 && s->end - s->p >= 6 &&
	    s->p[0] == '\\' && s->p[1] == 'u') {
		s->p += 2;
		if (hex4(s, &low) < 0)
			return -1;
		if (low >= 0xdc00 && low < 0xe000)
			*c = 0x10000 + ((*c - 0xd800) << 10) + (low - 0xdc00);
		else
			*c = 0xfffd;
	} else if (*c >= 0xd800 && *c < 0xe000) {
		*c = 0xfffd;
	}
	return 0;
}

/* A string from its opening quote on: s->plain, or unescaped s->text. */
static int
string(struct scan *s)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *plain, *at;
	uint32_t c;

	if (s->p >= s->end || *s->p != '"')
		return -1;
	s->plain = plain = ++s->p;
	s->p = tp_json_run(s->p, s->end);
	if (s->p < s->end && *s->p == '"') {
		s->plain_len = (size_t)(s->p++ - plain);
		return 0;
	}
	s->plain = NULL;
	tp_buf_clear(s->text);
	while (s->p < s->end && *s->p != '"') {
		if ((unsigned char)*s->p < 0x20)
			return -1;
		tp_buf_add(s->text, plain, (size_t)(s->p - plain));
		if (++s->p >= s->end)
			return -1;
		if (*s->p == 'u') {
			s->p++;
			if (unicode(s, &c) < 0)
				return -1;
			tp_utf8_add(s->text, c);
		} else {
			at = *s->p ? strchr(from, *s->p) : NULL;
			if (!at)
				return -1;
			tp_buf_chr(s->text, to[at - from]);
			s->p++;
		}
		plain = s->p;
		s->p = tp_json_run(s->p, s->end);
	}
	if (s->p >= s->end)
		return -1;
	tp_buf_add(s->text, plain, (size_t)(s->p++ - plain));
	return 0;
}

/* Set F from its text, an integer; 0: it may pass 64 bits, or is -0. */
static int
small_int(struct tp_field *f)
{
	const char *p = f->text + (*f->text == '-');
	uint64_t u = 0;

	if (f->text + f->len - p > 18 || (*p == '0' && p > f->text))
		return 0;
	for (; *p; p++)
		u = u * 10 + (uint64_t)(*p - '0');
	f->n = *f->text == '-' ? -(int64_t)u : (int64_t)u;
	f->x = (double)f->n;
	f->type = TP_FIELD_INT;
	return 1;
}

/* A number by the grammar of RFC 8259; what it is decides its type. */
static int
number(struct scan *s, struct tp_field *f)
{
	const char *start = s->p, *digits;
	int real = 0;

	if (s->p < s->end && *s->p == '-')
		s->p++;
	digits = s->p;
	while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
		s->p++;
	if (s->p == digits || (*digits == '0' && s->p - digits > 1))
		return -1;
	if (s->p < s->end && *s->p == '.') {
		real = 1;
		digits = ++s->p;
		while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
			s->p++;
		if (s->p == digits)
			return -1;
	}
	if (s->p < s->end && (*s->p == 'e' || *s->p == 'E')) {
		real = 1;
		s->p++;
		if (s->p < s->end && (*s->p == '+' || *s->p == '-'))
			s->p++;
		digits = s->p;
		while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
			s->p++;
		if (s->p == digits)
			return -1;
	}
	f->len = (size_t)(s->p - start);
	f->text = tp_arena_text(s->arena, start, f->len);
	if (!f->text)
		return -2;
	if (!real && small_int(f))
		return 0;
	f->x = strtod(f->text, NULL);
	if (!isfinite(f->x)) {
		/* beyond what a double holds: as good as not known */
		f->x = 0;
		return 0;
	}
	f->type = TP_FIELD_REAL;
	errno = 0;
	if (!real) {
		f->n = strtoll(f->text, NULL, 10);
		if (!errno)
			f->type = TP_FIELD_INT;
		else
			f->n = 0;
	}
	return 0;
}

static int
literal(struct scan *s, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n))
		return 0;
	s->p += n;
	return 1;
}

static int
keep(struct scan *s, const char **text, size_t *len)
{
	if (s->plain) {
		*len = s->plain_len;
		*text = tp_arena_text(s->arena, s->plain, s->plain_len);
		return *text ? 0 : -2;
	}
	if (s->text->failed)
		return -2;
	*text = tp_arena_text(s->arena, s->text->p ? s->text->p : "",
	    s->text->len);
	*len = s->text->len;
	return *text ? 0 : -2;
}

static int
value(struct scan *s, struct tp_field *f)
{
	f->text = "";
	if (s->p >= s->end)
		return -1;
	if (*s->p == '"') {
		if (string(s) < 0)
			return -1;
		f->type = TP_FIELD_TEXT;
		return keep(s, &f->text, &f->len);
	}
	if (literal(s, "null"))
		return 0;
	if (literal(s, "true") || literal(s, "false")) {
		f->type = TP_FIELD_BOOL;
		f->n = s->p[-2] == 'u';
		f->text = f->n ? "true" : "false";
		f->len = strlen(f->text);
		return 0;
	}
	return number(s, f);
}

/* {"key":value,...}: 0; -1 not a flat object; -2 no memory. */
static int
object(struct scan *s, struct tp_rec *rec)
{
	struct tp_field fields[TP_REC_MAX], *f;
	size_t n = 0, len;
	int rc;

	blanks(s);
	if (s->p >= s->end || *s->p++ != '{')
		return -1;
	for (;;) {
		blanks(s);
		if (!n && s->p < s->end && *s->p == '}')
			break;
		if (n == TP_REC_MAX)
			return -1;
		f = &fields[n++];
		memset(f, 0, sizeof *f);
		if (string(s) < 0)
			return -1;
		if ((rc = keep(s, &f->key, &len)) < 0)
			return rc;
		blanks(s);
		if (s->p >= s->end || *s->p++ != ':')
			return -1;
		blanks(s);
		if ((rc = value(s, f)) < 0)
			return rc;
		blanks(s);
		if (s->p >= s->end)
			return -1;
		if (*s->p == '}')
			break;
		if (*s->p++ != ',')
			return -1;
	}
	s->p++;
	blanks(s);
	if (s->p != s->end)
		return -1;
	rec->fields = tp_arena_get(s->arena, n * sizeof *f);
	if (!rec->fields)
		return -2;
	memcpy(rec->fields, fields, n * sizeof *f);
	rec->count = n;
	return 0;
}

int
tp_rec_parse(struct tp_rec *rec, const char *line, size_t len,
    struct tp_arena *arena, struct tp_err *err)
{
	struct tp_buf text = { 0 };
	struct scan s = { line, line + len, arena, &text, NULL, 0 };
	int rc;

	memset(rec, 0, sizeof *rec);
	rc = object(&s, rec);
	tp_buf_release(&text);
	if (rc == -2)
		return tp_fail_memory(err);
	if (rc < 0)
		return tp_fail(err, TP_BAD, "record.damaged", 0,
		    "not a flat JSON object at byte %zu",
		    (size_t)(s.p - line) + 1);
	rec->kind = tp_rec_text(rec, "kind");
	rec->src = tp_rec_text(rec, "src");
	if (!rec->src)
		rec->src = "";
	if (!rec->kind)
		return tp_fail(err, TP_BAD, "record.damaged", 0,
		    "an object without \"kind\" is not a record");
	return 0;
}

const struct tp_field *
tp_rec_field(const struct tp_rec *rec, const char *key)
{
	for (size_t i = 0; i < rec->count; i++)
		if (!strcmp(rec->fields[i].key, key))
			return &rec->fields[i];
	return NULL;
}

const char *
tp_rec_text(const struct tp_rec *rec, const char *key)
{
	const struct tp_field *f = tp_rec_field(rec, key);

	return f && f->type == TP_FIELD_TEXT ? f->text : NULL;
}

int
tp_rec_int(const struct tp_rec *rec, const char *key, int64_t *n)
{
	const struct tp_field *f = tp_rec_field(rec, key);

	if (!f || f->type != TP_FIELD_INT)
		return 0;
	*n = f->n;
	return 1;
}

int
tp_rec_real(const struct tp_rec *rec, const char *key, double *x)
{
	const struct tp_field *f = tp_rec_field(rec, key);

	if (!f || (f->type != TP_FIELD_INT && f->type != TP_FIELD_REAL))
		return 0;
	*x = f->x;
	return 1;
}

int
tp_set_add(struct tp_set *set, const char *line, size_t len,
    struct tp_err *err)
{
	if (tp_grow(&set->recs, &set->cap, set->count + 1,
	    sizeof *set->recs) < 0)
		return tp_fail_memory(err);
	if (tp_rec_parse(&set->recs[set->count], line, len, &set->arena,
	    err) < 0)
		return -1;
	set->count++;
	return 0;
}

int
tp_set_take(struct tp_set *set, struct tp_out *out, struct tp_err *err)
{
	const char *text = out->buf.p ? out->buf.p : "";
	const char *end = text + out->buf.len, *line;

	if (out->buf.failed)
		return tp_fail_memory(err);
	for (; text < end; text = line + 1) {
		line = memchr(text, '\n', (size_t)(end - text));
		if (!line)
			line = end;
		if (tp_set_add(set, text, (size_t)(line - text), err) < 0)
			return -1;
	}
	tp_buf_clear(&out->buf);
	return 0;
}

void
tp_set_release(struct tp_set *set)
{
	tp_free(set->recs);
	tp_arena_release(&set->arena);
	memset(set, 0, sizeof *set);
}

/* Keys whose value tells records of one kind apart in KIND[VALUE]. */
static const char *const selecting[] = { "scope", "series", "category",
    "section", "role", "bucket", "cause", "order", "state", "channel",
    "code", "family", "basis", "class" };

const struct tp_field *
tp_rec_choice(const struct tp_rec *rec, size_t *at)
{
	const struct tp_field *f;

	while (*at < sizeof selecting / sizeof *selecting) {
		f = tp_rec_field(rec, selecting[(*at)++]);
		if (f && f->type == TP_FIELD_TEXT)
			return f;
	}
	return NULL;
}

/* By a choice, else by the operation: too many to be offered as choices. */
static int
selected(const struct tp_rec *rec, const char *want, size_t len)
{
	const struct tp_field *f;
	size_t at = 0;

	while ((f = tp_rec_choice(rec, &at)))
		if (f->len == len && !memcmp(f->text, want, len))
			return 1;
	f = tp_rec_field(rec, "op");
	return f && f->type == TP_FIELD_TEXT && f->len == len &&
	    !memcmp(f->text, want, len);
}

int
tp_rec_is(const struct tp_rec *rec, const char *selector, size_t len)
{
	const char *end = selector + len, *open, *close;
	size_t n;

	open = memchr(selector, '[', len);
	n = open ? (size_t)(open - selector) : len;
	if (strlen(rec->kind) != n || memcmp(rec->kind, selector, n))
		return 0;
	while (open && open < end && *open == '[') {
		close = memchr(open, ']', (size_t)(end - open));
		if (!close || !selected(rec, open + 1,
		    (size_t)(close - open - 1)))
			return 0;
		open = close + 1;
	}
	return !open || open == end;
}

const struct tp_rec *
tp_set_next(const struct tp_set *set, const char *selector, size_t len,
    size_t *at)
{
	while (*at < set->count) {
		const struct tp_rec *rec = &set->recs[(*at)++];

		if (tp_rec_is(rec, selector, len))
			return rec;
	}
	return NULL;
}
