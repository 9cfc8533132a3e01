/* Lines of an input, whatever the size of its blocks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tp/lines.h>

static int failed;
static char path[] = "/tmp/test_lines.XXXXXX";

static void
put(const char *text, size_t len)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(text, 1, len, f) != len || fclose(f))
		abort();
}

/* The lines of TEXT are WANT, each with a '|' behind it. */
static void
check(const char *text, size_t len, const char *want, const char *block)
{
	struct tp_buf got = { 0 };
	struct tp_lines lines;
	struct tp_err err = { 0 };
	const char *line;
	uint64_t number = 0;
	struct tp_in *in;
	size_t n;
	int rc;

	put(text, len);
	setenv("TP_BLOCK", block, 1);
	in = tp_in_open(path, &err);
	if (!in)
		abort();
	tp_lines_init(&lines, in);
	while ((rc = tp_lines_next(&lines, &line, &n, &err)) > 0) {
		tp_buf_add(&got, line, n);
		tp_buf_chr(&got, '|');
		number++;
		if (lines.line != number) {
			printf("not ok lines: number %d\n", (int)lines.line);
			failed = 1;
		}
	}
	if (rc || strcmp(got.p ? got.p : "", want)) {
		printf("not ok lines: blocks of %s: '%s', not '%s'\n", block,
		    got.p ? got.p : "", want);
		failed = 1;
	}
	tp_lines_release(&lines);
	tp_in_close(in);
	tp_buf_release(&got);
}

/* With a limit, what a block cuts is given up to it and counted. */
static void
check_cut(const char *text, const char *want, uint64_t cut)
{
	struct tp_buf got = { 0 };
	struct tp_lines lines;
	struct tp_err err = { 0 };
	const char *line;
	struct tp_in *in;
	size_t n;

	put(text, strlen(text));
	setenv("TP_BLOCK", "3", 1);
	in = tp_in_open(path, &err);
	if (!in)
		abort();
	tp_lines_init(&lines, in);
	lines.max = 5;
	while (tp_lines_next(&lines, &line, &n, &err) > 0) {
		tp_buf_add(&got, line, n);
		tp_buf_chr(&got, '|');
	}
	if (strcmp(got.p, want) || lines.cut != cut) {
		printf("not ok lines: cut: '%s', not '%s'; %d cut\n", got.p,
		    want, (int)lines.cut);
		failed = 1;
	}
	tp_lines_release(&lines);
	tp_in_close(in);
	tp_buf_release(&got);
}

int
main(void)
{
	static const char *const blocks[] = { "1", "2", "3", "7", "64",
	    "1048576" };
	static const struct { const char *text, *want; } cases[] = {
		{ "", "" }, { "\n", "|" }, { "a", "a|" }, { "a\n", "a|" },
		{ "a\r\nb\r\n", "a|b|" }, { "a\n\nb", "a||b|" },
		{ "a\rb\n", "a\rb|" }, { "\r\n", "|" },
		{ "one\ntwo\nthree", "one|two|three|" },
		{ "a\r\r\n", "a\r|" },
	};
	struct tp_buf large = { 0 }, want = { 0 };
	int fd = mkstemp(path);

	if (fd < 0)
		abort();
	close(fd);
	for (int i = 0; i < 100000; i++)
		tp_buf_chr(&large, (char)('a' + i % 26));
	tp_buf_add(&want, large.p, large.len);
	tp_buf_str(&large, "\r\nend\n");
	tp_buf_str(&want, "|end|");
	for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
		for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
			check(cases[i].text, strlen(cases[i].text),
			    cases[i].want, blocks[b]);
		check(large.p, large.len, want.p, blocks[b]);
	}
	check_cut("abcde\nabcdefghij\nxy\n", "abcde|abcde|xy|", 1);
	check_cut("abcdefgh", "abcde|", 1);
	check_cut("abcdef\n\nabcdef\nabcde", "abcde||abcde|abcde|", 2);
	tp_buf_release(&large);
	tp_buf_release(&want);
	unlink(path);
	if (!failed)
		printf("ok lines: the same in blocks of any size\n");
	return failed;
}
