/* in - read a file or a descriptor in blocks */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tp/alloc.h>
#include <tp/in.h>
#include <tp/limits.h>
#include <tp/order.h>

#include "folded.h"
#include "unpack.h"

#define BLOCK ((size_t)512 * 1024)

struct tp_in {
	struct tp_feed raw;		/* input before unpacking */
	struct tp_unpack *unpack;	/* or NULL */
	const char *name;		/* for people */
	char *target;			/* target of a link, or NULL */
	char *peek;			/* bytes peeked at, not yet read */
	size_t peek_len;
	uint64_t len;			/* as tp_in_is_plain() last said */
	/* Read by other threads (tp_in_progress()): */
	_Atomic uint64_t given;
	_Atomic uint64_t place;		/* end of the last tp_in_at() */
	_Atomic int ended;		/* no more input */
	int stopped;			/* ends after the peeked bytes, so
					 * often, */
	size_t peeked;			/* which are this many, */
	struct tp_err late;		/* error to report after the bytes
					 * before it */
};

/*
 * A link is named after its target: recipes link their inputs under
 * generated names, which tell a reader nothing.  When base names clash,
 * "/./" in the target marks the start of a unique name.
 */
static void
name_input(struct tp_in *in, const char *path)
{
	char target[PATH_MAX];
	const char *mark, *slash;
	ssize_t n;

	in->name = path && strcmp(path, "-") ? path : "<stdin>";
	n = readlink(in->name, target, sizeof target - 1);
	if (n <= 0)
		return;
	target[n] = '\0';
	mark = strstr(target, "/./");
	slash = mark ? mark + 2 : strrchr(target, '/');
	in->target = tp_alloc((size_t)n + 1);
	in->name = strcpy(in->target, slash && slash[1] ? slash + 1 :
	    target);
}

struct tp_in *
tp_in_open(const char *path, struct tp_err *err)
{
	const char *block = getenv("TP_BLOCK");
	struct tp_in *in = tp_zalloc(sizeof *in);
	const struct tp_inflate *how;
	struct tp_feed *raw;
	int whole;

	raw = &in->raw;
	raw->size = block && atol(block) > 0 ? (size_t)atol(block) : BLOCK;
	raw->fd = -1;
	raw->mem = tp_alloc(raw->size + TP_LINE + TP_MAGIC);
	name_input(in, path);
	raw->block = tp_line_up(raw->mem);
	raw->fd = !path || !strcmp(path, "-") ? STDIN_FILENO :
	    open(path, O_RDONLY | O_CLOEXEC);
	if (raw->fd < 0) {
		tp_fail(err, TP_IO, "input.failed", 0, "cannot open: %s",
		    strerror(errno));
		goto fail;
	}
	if (tp_feed_fill(raw, err) < 0)
		goto fail;
	how = tp_feed_packing(raw, &whole);
	if (how && whole)
		in->unpack = tp_unpack_new(raw, how);
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
	tp_unpack_free(in->unpack);
	if (in->raw.fd > STDIN_FILENO)
		close(in->raw.fd);
	tp_free(in->raw.mem);
	tp_free(in->peek);
	tp_free(in->target);
	tp_free(in);
}

/* AHEAD: more will be read, not only a peek at the beginning. */
static ptrdiff_t
next_block(struct tp_in *in, const char **block, int ahead,
    struct tp_err *err)
{
	struct tp_feed *raw = &in->raw;
	ptrdiff_t n;

	if (in->stopped)
		return 0;
	if (in->late.status) {
		*err = in->late;
		return -1;
	}
	if (tp_limits.bytes && in->given > (uint64_t)tp_limits.bytes)
		return tp_limit_bytes(err);
	if (in->unpack) {
		n = tp_unpack_read(in->unpack, block, ahead, err);
		in->given += n > 0 ? (uint64_t)n : 0;
		in->ended = n <= 0;
		return n;
	}
	if (tp_feed_fill(raw, err) < 0)
		return -1;
	*block = raw->block + raw->at;
	n = (ptrdiff_t)(raw->len - raw->at);
	raw->at = raw->len;
	in->given += (uint64_t)n;
	in->ended = !n;
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
	n = next_block(in, block, 1, err);
	if (n < 0)
		err->fatal = 1;
	return n;
}

size_t
tp_in_block(const struct tp_in *in)
{
	return in->raw.size;
}

int
tp_in_is_plain(struct tp_in *in, uint64_t *len)
{
	struct stat st;

	/* a shell may have read part of it */
	if (in->unpack || fstat(in->raw.fd, &st) || !S_ISREG(st.st_mode) ||
	    !st.st_size || lseek(in->raw.fd, 0, SEEK_CUR) !=
	    (off_t)in->raw.taken)
		return 0;
	*len = in->len = (uint64_t)st.st_size;
	return 1;
}

ptrdiff_t
tp_in_part(const struct tp_in *in, uint64_t at, void *to, size_t len,
    struct tp_err *err)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = pread(in->raw.fd, (char *)to + done, len - done,
		    (off_t)(at + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			err->fatal = 1;
			return tp_fail(err, TP_IO, "input.failed", 0,
			    "cannot read: %s", strerror(errno));
		}
		if (!n)
			break;
		done += (size_t)n;
	}
	return (ptrdiff_t)done;
}

ptrdiff_t
tp_in_at(struct tp_in *in, uint64_t at, void *to, size_t len,
    struct tp_err *err)
{
	ptrdiff_t n = tp_in_part(in, at, to, len, err);

	if (n >= 0)
		in->place = at + (uint64_t)n;
	if (n >= 0 && in->given < in->place)
		in->given = in->place;
	return n;
}

void
tp_in_passed(struct tp_in *in, uint64_t at)
{
	uint64_t blocks, end;

	in->place = at;
	if (at <= in->given)
		return;
	blocks = (at - in->given + in->raw.size - 1) / in->raw.size;
	end = in->given + blocks * in->raw.size;
	/* the file may have grown since */
	in->given = end <= in->len ? end : at > in->len ? at : in->len;
}

ptrdiff_t
tp_in_peek(struct tp_in *in, const char **bytes, struct tp_err *err)
{
	const char *block;
	ptrdiff_t n;
	size_t cap = 0;

	if (!in->peek) {
		/* whole blocks are kept; nothing is split */
		while (in->peek_len < TP_PEEK) {
			n = next_block(in, &block, 0, err);
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
			tp_grow(&in->peek, &cap, in->peek_len + (size_t)n, 1);
			memcpy(in->peek + in->peek_len, block, (size_t)n);
			in->peeked = in->peek_len += (size_t)n;
		}
	}
	*bytes = in->peek;
	return (ptrdiff_t)(in->peek_len < TP_PEEK ? in->peek_len : TP_PEEK);
}

void
tp_in_stop(struct tp_in *in)
{
	in->stopped++;
}

void
tp_in_again(struct tp_in *in)
{
	in->stopped--;
	in->peek_len = in->peeked;
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

/*
 * Whether the LEN bytes at P, or as many as there are, match the start of
 * WORD, ignoring case.
 */
static int
starts_like(const char *p, size_t len, const char *word)
{
	size_t n = strlen(word);

	return !strncasecmp(p, word, n < len ? n : len);
}

/*
 * Classify text that begins with '<': an export, a web page, or other XML,
 * which the parser will judge.
 */
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

/* Whether it is ASCII encoded as UTF-16, with or without a BOM. */
static int
is_utf16(const char *p, size_t len)
{
	if (starts(p, len, "\xff\xfe") || starts(p, len, "\xfe\xff"))
		return 1;
	return len >= 4 && ((isprint((unsigned char)p[0]) && !p[1] &&
	    isprint((unsigned char)p[2]) && !p[3]) ||
	    (!p[0] && isprint((unsigned char)p[1]) && !p[2] &&
	    isprint((unsigned char)p[3])));
}

/*
 * Whether the first line has bytes that no text has; colours of a log are
 * text.
 */
static int
is_binary(const char *p, size_t len)
{
	for (; len && *p != '\n' && *p != '\r'; p++, len--)
		if ((unsigned char)*p < ' ' && *p != '\t' && *p != '\033')
			return 1;
	return 0;
}

/*
 * A file of Riegeli records: it has a line feed before the first byte that
 * no text has.
 */
static int
is_riegeli(const char *p, size_t len)
{
	return len >= 8 && starts(p, len, "\x83\xaf\x70\xd1\x0d\x88\x4a\x3f");
}

/*
 * Whether it is a FlatBuffer with the file identifier MARK, which follows
 * the root offset, a 4-byte number below 16 MiB.
 */
static int
is_flatbuffer(const char *p, size_t len, const char *mark)
{
	return len >= 8 && !p[3] && starts(p + 4, len - 4, mark);
}

/* A size prefix may come first. */
static int
is_etdump(const char *p, size_t len)
{
	return is_flatbuffer(p, len, "ED00") ||
	    (len >= 12 && is_flatbuffer(p + 4, len - 4, "ED00"));
}

/*
 * A protobuf: the first field of an XSpace is its list of planes, and a
 * plane begins with its id or its name.  A copy that was converted as text
 * has lost the lengths.
 */
static int
is_xplane(const char *p, size_t len)
{
	size_t at = 1;

	if (len < 4 || *p != '\n' || (!has(p, len, "/host:") &&
	    !has(p, len, "/device:") && !has(p, len, "Task Environment")))
		return 0;
	while (at < len - 1 && at < 10 && p[at] & 0x80)
		at++;
	at++;
	return (at < len && (p[at] == 0x08 || p[at] == 0x12)) ||
	    is_binary(p + 1, len - 1);
}

/*
 * A Perfetto trace: packets one after the other, each field 1 with its length,
 * of which the first three, or those that begin in view, begin with a field
 * that packets have.
 */
static int
is_perfetto(const char *p, size_t len)
{
	size_t at = 0, n;
	int shift, packets;

	for (packets = 0; packets < 3 && at < len; packets++) {
		if (p[at++] != '\n')
			return 0;
		for (n = 0, shift = 0; at < len && p[at] & 0x80 &&
		    shift < 28; shift += 7)
			n |= (size_t)(p[at++] & 0x7f) << shift;
		if (at == len)
			break;
		n |= (size_t)(p[at++] & 0x7f) << shift;
		/* a number or a message, and no text */
		if (n < 2 || (at < len && ((p[at] & 5) ||
		    (p[at] & 0xf8) < 0x18)))
			return 0;
		at += n;
	}
	/* a text has no such bytes */
	for (n = 0; n < len && n < 512 && (unsigned char)p[n] >= '\t'; n++)
		continue;
	return packets > 0 && (packets == 3 || at >= len) && n < len &&
	    n < 512;
}

enum tp_format
tp_in_sniff(struct tp_in *in, struct tp_err *err)
{
	const char *p;
	ptrdiff_t n = tp_in_peek(in, &p, err);
	size_t len;

	if (n < 0)
		return TP_FORMAT_UNKNOWN;
	len = (size_t)n;
	/* these begin with numbers that may look like text */
	if (is_etdump(p, len))
		return TP_FORMAT_ETDUMP;
	if (is_flatbuffer(p, len, "ET12"))
		return TP_FORMAT_PTE;
	if (is_xplane(p, len))
		return TP_FORMAT_XPLANE;
	if (is_perfetto(p, len))
		return TP_FORMAT_PERFETTO;
	if (len >= 16 && !memcmp(p, "SQLite format 3", 16))
		return TP_FORMAT_SQLITE;
	if (is_utf16(p, len))
		return TP_FORMAT_UTF16;
	if (starts(p, len, "\xef\xbb\xbf"))
		p += 3, len -= 3;
	while (len && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'))
		p++, len--;
	if (!len)
		return TP_FORMAT_EMPTY;
	if (starts(p, len, "version https://git-lfs"))
		return TP_FORMAT_LFS;
	if (tp_folded_is(p, len, (size_t)n < TP_PEEK))
		return TP_FORMAT_STACKS;	/* "<module> (x.py:1) 3" */
	if (*p == '<')
		return sniff_xml(p, len);
	if (*p == '{' || *p == '[')
		return sniff_json(p, len);
	if (is_binary(p, len) || is_riegeli(p, len))
		return TP_FORMAT_BINARY;
	/* a table may have one column, so words without a separator count */
	return TP_FORMAT_CSV;
}

int
tp_in_is_xla(struct tp_in *in, struct tp_err *err)
{
	static const char *const signs[] = { "\"/device:", "\"/host:",
	    "\"hlo_op\"", "\"hlo_module\"", "\"hlo_category\"",
	    "\"tf_op\"", "\"step_num\"" };
	const char *p;
	ptrdiff_t n = tp_in_peek(in, &p, err);

	for (size_t i = 0; n > 0 && i < sizeof signs / sizeof *signs; i++)
		if (has(p, (size_t)n, signs[i]))
			return 1;
	return 0;
}

enum tp_document
tp_in_document(struct tp_in *in, struct tp_err *err)
{
	const char *p;
	ptrdiff_t n = tp_in_peek(in, &p, err);
	size_t len = n > 0 ? (size_t)n : 0;

	if (has(p, len, "\"profile_summary.v") ||
	    has(p, len, "\"communication_ops\""))
		return TP_DOCUMENT_SUMMARY;
	return has(p, len, "\"runs\"") && has(p, len, "\"latency\"") ?
	    TP_DOCUMENT_BENCHMARK : TP_DOCUMENT_OTHER;
}

const char *
tp_format_name(enum tp_format format)
{
	static const char *const names[] = { "unknown", "empty", "xml", "toc",
	    "csv", "records", "json", "trace-events", "lfs-pointer", "html",
	    "utf-16", "binary", "etdump", "xplane", "pte", "sqlite", "perfetto",
	    "stacks" };

	return names[format];
}

const char *
tp_in_name(const struct tp_in *in)
{
	return in->name;
}

int
tp_in_has_beside(const struct tp_in *in, const char *suffix)
{
	char path[PATH_MAX];
	struct stat st;

	return snprintf(path, sizeof path, "%s%s", in->target ? in->target :
	    in->name, suffix) < (int)sizeof path && !stat(path, &st) &&
	    st.st_size > 0;
}

uint64_t
tp_in_bytes(const struct tp_in *in)
{
	return in->given;
}

const char *
tp_in_packing(const struct tp_in *in)
{
	return in->unpack ? tp_unpack_name(in->unpack) : NULL;
}

size_t
tp_in_stem(const char *name, size_t len)
{
	static const char *const ends[] = { ".gz", ".bgz", ".zst" };
	size_t n;

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		n = strlen(ends[i]);
		if (len > n && !memcmp(name + len - n, ends[i], n))
			return len - n;
	}
	return len;
}

uint64_t
tp_in_trailing(const struct tp_in *in)
{
	return in->unpack ? tp_unpack_trailing(in->unpack) : 0;
}

void
tp_in_progress(const struct tp_in *in, uint64_t *done, uint64_t *total)
{
	struct stat st;
	off_t at;

	*total = 0;
	if (fstat(in->raw.fd, &st) || !S_ISREG(st.st_mode) || !st.st_size) {
		*done = in->given;
		*total = in->ended ? *done : 0;
		return;
	}
	if (in->place) {
		*done = in->place;
		*total = (uint64_t)st.st_size;
		return;
	}
	/* the file position, which another thread may change */
	at = lseek(in->raw.fd, 0, SEEK_CUR);
	*done = at > 0 ? (uint64_t)at : 0;
	*total = (uint64_t)st.st_size;
}
