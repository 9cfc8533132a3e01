/* in - bytes from a file or a descriptor, block by block */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <tp/alloc.h>
#include <tp/in.h>

#define BLOCK ((size_t)1024 * 1024)
#define PEEK ((size_t)64 * 1024)
/* A gzip bomb: more than this many times its size, past the free part. */
#define EXPAND_MAX 1000
#define EXPAND_FREE ((uint64_t)64 * 1024 * 1024)

struct tp_in {
	int fd, eof, gzip, between;	/* between: after a whole member */
	const char *name;		/* for people */
	char *target;			/* what a link points to, or NULL */
	size_t size;			/* of a block; tests make it small */
	char *raw, *plain;		/* as read; inflated */
	size_t raw_at, raw_len;
	char *peek;			/* bytes looked at, not yet taken */
	size_t peek_len;
	uint64_t given, taken, trailing;
	z_stream z;
	int z_open;
	struct tp_err late;		/* found, told after the bytes before */
};

static void *
z_alloc(void *arg, unsigned items, unsigned size)
{
	(void)arg;
	return tp_alloc((size_t)items * size);
}

static void
z_free(void *arg, void *p)
{
	(void)arg;
	tp_free(p);
}

/* Fill the raw block when it is used up; 0, or -1 with ERR. */
static int
fill(struct tp_in *in, struct tp_err *err)
{
	ssize_t n;

	if (in->raw_at < in->raw_len || in->eof)
		return 0;
	/* the first look is short: sniffing must not read a megabyte */
	do
		n = read(in->fd, in->raw, !in->taken && in->size > PEEK ?
		    PEEK : in->size);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return tp_fail(err, TP_IO, "input.failed", 0,
		    "cannot read: %s%s", strerror(errno), errno == EISDIR ?
		    "; name the files in it" : "");
	in->raw_at = 0;
	in->raw_len = (size_t)n;
	in->taken += (uint64_t)n;
	if (!n)
		in->eof = 1;
	return 0;
}

/* Whether what comes may be a member; one byte alone can only be tried. */
static int
is_gzip(const struct tp_in *in)
{
	size_t n = in->raw_len - in->raw_at;

	return n && (unsigned char)in->raw[in->raw_at] == 0x1f &&
	    (n < 2 || (unsigned char)in->raw[in->raw_at + 1] == 0x8b);
}

/* A link is called by the file it points to: a recipe links what it reads
 * under names of its own, which would tell a reader nothing. */
static int
name_input(struct tp_in *in, const char *path)
{
	char target[PATH_MAX];
	const char *slash;
	ssize_t n;

	in->name = path && strcmp(path, "-") ? path : "<stdin>";
	n = readlink(in->name, target, sizeof target - 1);
	if (n <= 0)
		return 0;
	target[n] = '\0';
	slash = strrchr(target, '/');
	in->target = tp_alloc((size_t)n + 1);
	if (!in->target)
		return -1;
	in->name = strcpy(in->target, slash && slash[1] ? slash + 1 :
	    target);
	return 0;
}

struct tp_in *
tp_in_open(const char *path, struct tp_err *err)
{
	const char *block = getenv("TP_BLOCK");
	struct tp_in *in = tp_zalloc(sizeof *in);
	size_t got;

	if (!in) {
		tp_fail_memory(err);
		return NULL;
	}
	in->size = block && atol(block) > 0 ? (size_t)atol(block) : BLOCK;
	in->fd = -1;
	in->raw = tp_alloc(in->size < 2 ? 2 : in->size);
	if (!in->raw || name_input(in, path) < 0) {
		tp_fail_memory(err);
		goto fail;
	}
	in->fd = !path || !strcmp(path, "-") ? STDIN_FILENO :
	    open(path, O_RDONLY | O_CLOEXEC);
	if (in->fd < 0) {
		tp_fail(err, TP_IO, "input.failed", 0, "cannot open: %s",
		    strerror(errno));
		goto fail;
	}
	if (fill(in, err) < 0)
		goto fail;
	/* a pipe may give one byte first: the magic needs two */
	while (in->raw_len == 1 && !in->eof) {
		ssize_t n = read(in->fd, in->raw + 1, 1);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		in->raw_len++;
		in->taken++;
	}
	got = in->raw_len - in->raw_at;
	if (got >= 2 && is_gzip(in)) {
		in->gzip = 1;
		in->z.zalloc = z_alloc;
		in->z.zfree = z_free;
		in->plain = tp_alloc(in->size);
		if (!in->plain || inflateInit2(&in->z, 15 + 16) != Z_OK) {
			tp_fail_memory(err);
			goto fail;
		}
		in->z_open = 1;
	}
	return in;
fail:
	tp_in_close(in);
	return NULL;
}

void
tp_in_close(struct tp_in *in)
{
	if (!in)
		return;
	if (in->z_open)
		inflateEnd(&in->z);
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	tp_free(in->raw);
	tp_free(in->plain);
	tp_free(in->peek);
	tp_free(in->target);
	tp_free(in);
}

/* Inflate one block; bytes, 0 at the end, -1 with ERR. */
static ptrdiff_t
inflate_block(struct tp_in *in, struct tp_err *err)
{
	size_t got = 0;
	int rc;

	while (!got) {
		if (fill(in, err) < 0)
			return -1;
		if (in->between) {
			if (in->raw_at == in->raw_len && in->eof)
				return 0;
			if (!is_gzip(in) && in->raw_at < in->raw_len) {
				/* not a member: count what is left */
				in->trailing += in->raw_len - in->raw_at;
				in->raw_at = in->raw_len;
				continue;
			}
			if (in->trailing) {
				in->trailing += in->raw_len - in->raw_at;
				in->raw_at = in->raw_len;
				continue;
			}
			inflateReset(&in->z);
			in->between = 0;
		}
		if (in->raw_at == in->raw_len && in->eof)
			return tp_fail(err, TP_BAD, "input.truncated", 0,
			    "gzip data ends early; copy it again");
		in->z.next_in = (unsigned char *)in->raw + in->raw_at;
		in->z.avail_in = (unsigned)(in->raw_len - in->raw_at);
		in->z.next_out = (unsigned char *)in->plain;
		in->z.avail_out = (unsigned)in->size;
		rc = inflate(&in->z, Z_NO_FLUSH);
		in->raw_at = in->raw_len - in->z.avail_in;
		got = in->size - in->z.avail_out;
		if (rc == Z_STREAM_END)
			in->between = 1;
		else if (rc == Z_MEM_ERROR)
			return tp_fail_memory(err);
		else if (rc != Z_OK && rc != Z_BUF_ERROR) {
			tp_fail(&in->late, TP_BAD, "input.truncated", 0,
			    "gzip data is damaged; copy it again");
			in->eof = 1;
			in->raw_at = in->raw_len;
			in->z_open = 2;
			if (!got) {
				*err = in->late;
				return -1;
			}
		}
	}
	in->given += got;
	if (in->given > EXPAND_FREE && in->given / EXPAND_MAX > in->taken) {
		tp_fail(err, TP_LIMIT, "limit.expand", 0,
		    "gzip data inflates more than %d times", EXPAND_MAX);
		err->fatal = 1;
		return -1;
	}
	return (ptrdiff_t)got;
}

static ptrdiff_t
next_block(struct tp_in *in, const char **block, struct tp_err *err)
{
	ptrdiff_t n;

	if (in->late.status) {
		*err = in->late;
		return -1;
	}
	if (in->gzip) {
		*block = in->plain;
		return inflate_block(in, err);
	}
	if (fill(in, err) < 0)
		return -1;
	*block = in->raw + in->raw_at;
	n = (ptrdiff_t)(in->raw_len - in->raw_at);
	in->raw_at = in->raw_len;
	in->given += (uint64_t)n;
	return n;
}

ptrdiff_t
tp_in_read(struct tp_in *in, const char **block, struct tp_err *err)
{
	ptrdiff_t n;

	if (in->peek_len) {
		*block = in->peek;
		n = (ptrdiff_t)in->peek_len;
		in->peek_len = 0;
		return n;
	}
	n = next_block(in, block, err);
	if (n < 0)
		err->fatal = 1;
	return n;
}

ptrdiff_t
tp_in_peek(struct tp_in *in, const char **bytes, struct tp_err *err)
{
	const char *block;
	ptrdiff_t n;
	size_t cap = 0;

	if (!in->peek) {
		/* whole blocks are kept, so nothing is taken apart */
		while (in->peek_len < PEEK) {
			n = next_block(in, &block, err);
			if (n < 0 && in->peek_len) {
				in->late = *err;
				break;
			}
			if (n < 0) {
				err->fatal = 1;
				return -1;
			}
			if (!n)
				break;
			if (tp_grow(&in->peek, &cap, in->peek_len + (size_t)n,
			    1) < 0)
				return tp_fail_memory(err);
			memcpy(in->peek + in->peek_len, block, (size_t)n);
			in->peek_len += (size_t)n;
		}
	}
	*bytes = in->peek;
	return (ptrdiff_t)(in->peek_len < PEEK ? in->peek_len : PEEK);
}

static int
starts(const char *p, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len >= n && !memcmp(p, word, n);
}

static int
has(const char *p, size_t len, const char *word)
{
	size_t n = strlen(word);

	for (; len >= n; p++, len--)
		if (*p == *word && !memcmp(p, word, n))
			return 1;
	return 0;
}

/* LEN bytes at P, or as many as there are, start like WORD whatever the
 * case. */
static int
starts_like(const char *p, size_t len, const char *word)
{
	size_t n = strlen(word);

	return !strncasecmp(p, word, n < len ? n : len);
}

/* Text that begins with '<': an export, a web page, or some other XML, about
 * which the parser has the last word. */
static enum tp_format
sniff_xml(const char *p, size_t len)
{
	size_t head = len < 4096 ? len : 4096;

	if (has(p, head, "<trace-toc") &&
	    !has(p, head, "<trace-query-result"))
		return TP_FORMAT_TOC;
	if (starts_like(p, len, "<?xml") ||
	    has(p, head, "<trace-query-result"))
		return has(p, head, "<html") || has(p, head, "<!DOCTYPE html") ?
		    TP_FORMAT_HTML : TP_FORMAT_XCTRACE;
	return starts_like(p, len, "<!doctype html") ||
	    starts_like(p, len, "<html") || starts_like(p, len, "<head") ||
	    starts_like(p, len, "<body") ? TP_FORMAT_HTML : TP_FORMAT_XCTRACE;
}

static enum tp_format
sniff_json(const char *p, size_t len)
{
	const char *lf = memchr(p, '\n', len);
	size_t line = lf ? (size_t)(lf - p) : len;

	if (*p == '{' && has(p, line < 64 ? line : 64, "\"kind\""))
		return TP_FORMAT_RECORDS;
	if (has(p, len, "\"traceEvents\"") ||
	    (*p == '[' && has(p, len, "\"ph\"")))
		return TP_FORMAT_TRACE_EVENTS;
	return TP_FORMAT_JSON;
}

enum tp_format
tp_in_sniff(struct tp_in *in, struct tp_err *err)
{
	const char *p;
	ptrdiff_t n = tp_in_peek(in, &p, err);
	size_t len, line;

	if (n < 0)
		return TP_FORMAT_UNKNOWN;
	len = (size_t)n;
	if (len >= 2 && (!memcmp(p, "\xff\xfe", 2) ||
	    !memcmp(p, "\xfe\xff", 2)))
		return TP_FORMAT_UTF16;
	if (starts(p, len, "\xef\xbb\xbf"))
		p += 3, len -= 3;
	while (len && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
		p++, len--;
	if (!len)
		return TP_FORMAT_EMPTY;
	if (starts(p, len, "version https://git-lfs"))
		return TP_FORMAT_LFS;
	if (*p == '<')
		return sniff_xml(p, len);
	if (*p == '{' || *p == '[')
		return sniff_json(p, len);
	for (line = 0; line < len && p[line] != '\n' && p[line] != '\r';)
		line++;
	if (memchr(p, '\0', line))
		return TP_FORMAT_UNKNOWN;
	/* one column is a table too, so words with no separator count */
	return TP_FORMAT_CSV;
}

const char *
tp_format_name(enum tp_format format)
{
	static const char *const names[] = { "unknown", "empty", "xml", "toc",
	    "csv", "records", "json", "trace-events", "lfs-pointer", "html",
	    "utf-16" };

	return names[format];
}

const char *
tp_in_name(const struct tp_in *in)
{
	return in->name;
}

uint64_t
tp_in_bytes(const struct tp_in *in)
{
	return in->given;
}

uint64_t
tp_in_trailing(const struct tp_in *in)
{
	return in->trailing;
}

void
tp_in_progress(const struct tp_in *in, uint64_t *done, uint64_t *total)
{
	struct stat st;

	*done = in->taken;
	*total = !fstat(in->fd, &st) && S_ISREG(st.st_mode) ?
	    (uint64_t)st.st_size : 0;
}
