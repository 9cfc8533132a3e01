/* Inputs: what they are at first sight, and gzip. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include <tp/buf.h>
#include <tp/in.h>

static int failed;
static char path[] = "/tmp/test_in.XXXXXX";

static void
complain(const char *what, const char *text)
{
	printf("not ok in: %s: %.60s\n", what, text);
	failed = 1;
}

static void
put(const char *mode, const char *text, size_t len)
{
	FILE *f = fopen(path, mode);

	if (!f || fwrite(text, 1, len, f) != len || fclose(f))
		abort();
}

static void
put_gzip(const char *mode, const char *text, size_t len)
{
	gzFile f = gzopen(path, mode);

	if (!f || gzwrite(f, text, (unsigned)len) < 0 ||
	    gzclose(f) != Z_OK)
		abort();
}

/* A text that may hold NULs, and its length. */
#define SIZED(text) text, sizeof text - 1

static const struct sniff {
	const char *text;
	size_t len;
	enum tp_format want;
} sniffs[] = {
	{ SIZED(""), TP_FORMAT_EMPTY }, { SIZED(" \n\t\n"), TP_FORMAT_EMPTY },
	{ SIZED("a,b\n1,2\n"), TP_FORMAT_CSV },
	{ SIZED("\xef\xbb\xbf" "a;b\n"), TP_FORMAT_CSV },
	{ SIZED("<?xml version=\"1.0\"?>\n<trace-query-result>\n"),
	    TP_FORMAT_XCTRACE },
	{ SIZED("<trace-query-result/>"), TP_FORMAT_XCTRACE },
	{ SIZED("<?xml version=\"1.0\"?>\n\n<trace-toc>"), TP_FORMAT_TOC },
	{ SIZED("<!DOCTYPE html><html>"), TP_FORMAT_HTML },
	{ SIZED("\n<HTML><body>"), TP_FORMAT_HTML },
	{ SIZED("{\"kind\":\"a\"}\n"), TP_FORMAT_RECORDS },
	{ SIZED("{\"runs\": []}"), TP_FORMAT_JSON },
	{ SIZED("{\"traceEvents\":[]}"), TP_FORMAT_TRACE_EVENTS },
	{ SIZED("version https://git-lfs.github.com/spec/v1\n"),
	    TP_FORMAT_LFS },
	{ SIZED("\xff\xfe" "a"), TP_FORMAT_UTF16 },
	{ SIZED("\xfe\xff"), TP_FORMAT_UTF16 },
	{ SIZED("\033[1mName\033[0m: x\n"), TP_FORMAT_CSV },
	{ SIZED("bplist00\324\001\002"), TP_FORMAT_BINARY },
	{ SIZED("SQLite format 3\020\n"), TP_FORMAT_BINARY },
	{ SIZED("\f\t\b\bED0\n"), TP_FORMAT_BINARY },
	{ SIZED("[\t\0\0ED00\b\0\0\0"), TP_FORMAT_ETDUMP },
	{ SIZED("\t\t\0\0\b\0\0\0ED00"), TP_FORMAT_ETDUMP },
	{ SIZED("abc\1ED00,x\n"), TP_FORMAT_BINARY },
	{ SIZED("abcdED00,x\n"), TP_FORMAT_CSV },
	{ SIZED("a\0,\0b\0\n\0"), TP_FORMAT_UTF16 },
	{ SIZED("\0a\0,\0b\0\n"), TP_FORMAT_UTF16 },
	{ SIZED("\n\007\b\001\022\f/host:CPU\""), TP_FORMAT_XPLANE },
	/* its first packet is longer than what was seen */
	{ SIZED("\n\227\350\004h\001b\217\350\004\n\n\b\001"),
	    TP_FORMAT_PERFETTO },
	{ SIZED("\n\227\350\004\b\001b\217\350\004\n\n\b\001"),
	    TP_FORMAT_BINARY },
	{ SIZED("SQLite format 3\0\020\0\001\001"), TP_FORMAT_SQLITE },
	{ SIZED("\n\b\022\006/other"), TP_FORMAT_BINARY },
};

static void
check_sniff(const char *block)
{
	struct tp_err err;
	struct tp_in *in;

	setenv("TP_BLOCK", block, 1);
	for (size_t i = 0; i < sizeof sniffs / sizeof *sniffs; i++)
		for (int gz = 0; gz < 2; gz++) {
			if (gz)
				put_gzip("wb", sniffs[i].text, sniffs[i].len);
			else
				put("wb", sniffs[i].text, sniffs[i].len);
			in = tp_in_open(path, &err);
			if (!in || tp_in_sniff(in, &err) != sniffs[i].want)
				complain("taken for something else",
				    sniffs[i].text);
			tp_in_close(in);
		}
}

/* Reads the file; WANT is its content, STATUS how it ends. */
static void
check_read(const char *want, enum tp_status status, uint64_t trailing,
    const char *block)
{
	struct tp_buf got = { 0 };
	struct tp_err err = { 0 };
	const char *bytes;
	struct tp_in *in;
	ptrdiff_t n;

	setenv("TP_BLOCK", block, 1);
	in = tp_in_open(path, &err);
	if (!in)
		abort();
	if (tp_in_peek(in, &bytes, &err) > 0 && *bytes != *want)
		complain("peek", want);
	while ((n = tp_in_read(in, &bytes, &err)) > 0)
		tp_buf_add(&got, bytes, (size_t)n);
	if ((n < 0) != (status != TP_OK) || (n < 0 && err.status != status))
		complain("ends otherwise", n < 0 ? err.text : "well");
	if (strcmp(got.p ? got.p : "", want))
		complain("content", got.p ? got.p : "");
	if (tp_in_trailing(in) != trailing)
		complain("bytes behind the end", block);
	if (tp_in_bytes(in) != got.len)
		complain("bytes counted", block);
	tp_in_close(in);
	tp_buf_release(&got);
}

static void
check_gzip(const char *block)
{
	char head[4096];
	size_t len;
	FILE *f;

	put("wb", "plain\n", 6);
	check_read("plain\n", TP_OK, 0, block);
	put_gzip("wb", "one\n", 4);
	put_gzip("ab", "two\n", 4);
	check_read("one\ntwo\n", TP_OK, 0, block);
	put("ab", "junk", 4);
	check_read("one\ntwo\n", TP_OK, 4, block);
	/* a file that was cut off gives what it held */
	put_gzip("wb", "one\n", 4);
	f = fopen(path, "rb");
	if (!f)
		abort();
	len = fread(head, 1, sizeof head, f);
	fclose(f);
	put("wb", head, len - 8);
	check_read("one\n", TP_BAD, 0, block);
	put("wb", "\x1f\x8b\x08\x00", 4);
	check_read("", TP_BAD, 0, block);
}

/* Text that grows past every block; *LEN is its length. */
static char *
much(size_t *len)
{
	struct tp_buf buf = { 0 };

	for (int i = 0; i < 60000; i++)
		tp_buf_fmt(&buf, "%d,%d\n", i, i * 7 % 1000);
	*len = buf.len;
	return buf.p;
}

/* A stream of several blocks: read whole, cut, its checksum wrong, and closed
 * while more could be read. */
static void
check_long(const char *block)
{
	static char head[1 << 20];
	const char *bytes;
	struct tp_err err;
	struct tp_in *in;
	size_t size, len;
	char *text = much(&len);
	FILE *f;

	put_gzip("wb", text, strlen(text));
	check_read(text, TP_OK, 0, block);
	f = fopen(path, "rb");
	if (!f)
		abort();
	size = fread(head, 1, sizeof head, f);
	fclose(f);
	put("wb", head, size - 8);
	check_read(text, TP_BAD, 0, block);
	head[size - 8] ^= 1;
	put("wb", head, size);
	check_read(text, TP_BAD, 0, block);
	for (int blocks = 0; blocks < 4; blocks++) {
		in = tp_in_open(path, &err);
		if (!in || tp_in_peek(in, &bytes, &err) <= 0)
			abort();
		for (int i = 0; i < blocks; i++)
			if (tp_in_read(in, &bytes, &err) <= 0)
				complain("ends before its end", block);
		tp_in_close(in);
	}
	tp_buf_release(&(struct tp_buf){ .p = text });
}

/* Closing must not wait for a pipe that is silent. */
static void
check_silent_pipe(void)
{
	static char head[1 << 20];
	int fds[2], keep = dup(STDIN_FILENO);
	const char *bytes;
	struct tp_err err;
	struct tp_in *in;
	size_t size, len;
	char *text = much(&len);
	FILE *f;

	put_gzip("wb", text, strlen(text));
	f = fopen(path, "rb");
	if (!f || pipe(fds))
		abort();
	size = fread(head, 1, sizeof head, f) - 1000;
	fclose(f);
	if (size > 65536)
		size = 65536;		/* what a pipe holds */
	if (write(fds[1], head, size) != (ssize_t)size)
		abort();
	dup2(fds[0], STDIN_FILENO);
	setenv("TP_BLOCK", "4096", 1);
	in = tp_in_open("-", &err);
	if (!in || tp_in_peek(in, &bytes, &err) <= 0 ||
	    tp_in_read(in, &bytes, &err) <= 0 ||
	    tp_in_read(in, &bytes, &err) <= 0)
		complain("a pipe", "not read");
	alarm(20);
	tp_in_close(in);
	alarm(0);
	dup2(keep, STDIN_FILENO);
	close(keep);
	close(fds[0]);
	close(fds[1]);
	tp_buf_release(&(struct tp_buf){ .p = text });
}

/* All of it with the library that TP_INFLATE names. */
static void
check_library(const char *name)
{
	static const char *const blocks[] = { "1", "7", "4096" };

	setenv("TP_INFLATE", name, 1);
	for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
		check_sniff(blocks[b]);
		check_gzip(blocks[b]);
	}
	check_long("1000");
	check_long("100000");
	check_silent_pipe();
}

int
main(void)
{
	struct tp_err err = { 0 };
	int fd = mkstemp(path);

	if (fd < 0)
		abort();
	close(fd);
	check_library("isa-l");
	check_library("zlib");
	if (tp_in_open("/nonexistent/file", &err) || err.status != TP_IO)
		complain("a file that is not there", err.text);
	unlink(path);
	if (!failed)
		printf("ok in: formats and gzip, in blocks of any size\n");
	return failed;
}
