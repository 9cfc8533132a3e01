/* What is escaped renders as itself; see also tests of the sections. */
#include <stdio.h>
#include <string.h>

#include "show/md.h"

static int failed;

static void
expect(const char *what, const char *text, size_t len, int flags,
    const char *want)
{
	struct tp_buf got = { 0 };

	tp_md_add(&got, text, len, flags);
	if (got.len != strlen(want) ||
	    memcmp(got.p ? got.p : "", want, got.len)) {
		printf("not ok %s: '%.*s' gave '%s', not '%s'\n", what,
		    (int)len, text, got.p ? got.p : "", want);
		failed = 1;
	}
	tp_buf_release(&got);
}

static const struct escape {
	const char *text, *md, *code;
} escapes[] = {
	{ "Terminal", "Terminal", "`Terminal`" },
	{ "Discord Helper (GPU)", "Discord Helper (GPU)",
	    "`Discord Helper (GPU)`" },
	{ "", "", "" },
	{ "a|b", "a&#124;b", "`a`&#124;`b`" },
	{ "|a | b |", "&#124;a &#124; b &#124;",
	    "&#124;`a `&#124;`  b  `&#124;" },
	{ "a| |b", "a&#124; &#124;b", "`a`&#124;` `&#124;`b`" },
	{ "<script>&amp;", "&lt;script&gt;&amp;amp;", "`<script>&amp;`" },
	{ "*b* [x](y) `c` \\|", "\\*b\\* \\[x\\](y) \\`c\\` \\\\&#124;",
	    "``*b* [x](y) `c` \\``&#124;" },
	{ "a`b``c", "a\\`b\\`\\`c", "```a`b``c```" },
	{ "`x`", "\\`x\\`", "`` `x` ``" },
	{ "snake_case_name", "snake_case_name", "`snake_case_name`" },
	{ "_x __y_", "\\_x \\_\\_y\\_", "`_x __y_`" },
	{ "# head", "\\# head", "`# head`" },
	{ "#1 C# channel ##", "\\#1 C# channel \\##", "`#1 C# channel ##`" },
	{ ":-:", "\\:-:", "`:-:`" },
	{ "::a :- b", "::a :- b", "`::a :- b`" },
	{ "\xc2\xa0" "a\xc2\xa0" "b\xe3\x80\x80", "&#160;a\xc2\xa0" "b&#12288;",
	    "`\xc2\xa0" "a\xc2\xa0" "b\xe3\x80\x80`" },
	{ "12. item", "12\\. item", "`12. item`" },
	{ "1.5 ms", "1.5 ms", "`1.5 ms`" },
	{ "---", "\\---", "`---`" },
	{ "a - b", "a - b", "`a - b`" },
	{ "~~s~~ $x$ ^2", "\\~\\~s\\~\\~ \\$x\\$ \\^2", "`~~s~~ $x$ ^2`" },
	{ "http://a.b", "http&#58;//a&#46;b", "`http://a.b`" },
	{ "www.a.b", "www&#46;a&#46;b", "`www.a.b`" },
	{ "a@b.c", "`a@b.c`", "`a@b.c`" },
	{ "a@b.c|d", "`a@b.c`&#124;`d`", "`a@b.c`&#124;`d`" },
	{ "a\nb\r\n\tc\x1b[0m", "a b c \\[0m", "`a b c [0m`" },
	{ "  a  b  ", "a b", "`a b`" },
	{ "x\xe2\x80\xa8y\xc2\x85z", "x y z", "`x y z`" },
	{ "bad\xff\xc3(", "bad\xef\xbf\xbd\xef\xbf\xbd(",
	    "`bad\xef\xbf\xbd\xef\xbf\xbd(`" },
	{ "/Users/ann/x", "\\~/x", "`~/x`" },
	{ "in /home/j.doe-2/a /home/", "in \\~/a /home/",
	    "`in ~/a /home/`" },
	{ "'/Users/ann'", "'\\~'", "`'~'`" },
	{ "/Users/Shared/x", "/Users/Shared/x", "`/Users/Shared/x`" },
	{ "/mnt/home/ann/x", "/mnt/home/ann/x", "`/mnt/home/ann/x`" },
	{ "file:///Users/ann/x", "file&#58;//\\~/x", "`file://~/x`" },
};

/* Long names lose their middle and stay whole characters. */
static void
test_cut(void)
{
	static const char letter[] = "\xc3\xa4";
	char name[2 * 400];
	struct tp_buf got = { 0 };

	for (size_t i = 0; i < sizeof name; i++)
		name[i] = letter[i % 2];
	tp_md_add(&got, name, sizeof name, 0);
	if (got.len > TP_MD_NAME_MAX || got.len < TP_MD_NAME_MAX - 4 ||
	    !strstr(got.p, "\xc3\xa4...\xc3\xa4")) {
		printf("not ok a long name: %zu bytes '%s'\n", got.len,
		    got.p);
		failed = 1;
	}
	tp_buf_clear(&got);
	memset(name, 'x', sizeof name);
	memcpy(name, "Cijk_Ailk_Bljk_BBS_BH_MT256x128x64_MI16x16x16x1_", 48);
	tp_md_add(&got, name, TP_MD_NAME_MAX, 0);
	if (got.len > TP_MD_NAME_MAX / 2 + 8 ||
	    !strstr(got.p, "MI16x16x16x1") || !strstr(got.p, "x...x")) {
		printf("not ok a kernel of Tensile: %zu bytes '%s'\n",
		    got.len, got.p);
		failed = 1;
	}
	for (size_t i = 0; i < sizeof name; i++)
		name[i] = letter[i % 2];
	tp_buf_clear(&got);
	tp_md_add(&got, name, sizeof name, TP_MD_FULL);
	if (got.len != sizeof name) {
		printf("not ok a long name in full: %zu bytes\n", got.len);
		failed = 1;
	}
	tp_buf_release(&got);
}

/* No reader finds the end of a span behind so many. */
static void
test_backquotes(void)
{
	char text[81 + 2], want[2 * 81 + 5], *p = want;

	memset(text, '`', 81);
	memcpy(text + 81, "x", 2);
	for (int i = 0; i < 81; i++) {
		*p++ = '\\';
		*p++ = '`';
	}
	memcpy(p, "`x`", 4);
	expect("backquotes without end", text, strlen(text),
	    TP_MD_CODE | TP_MD_FULL, want);
}

/* Whatever the bytes: one line, no cell border, no tag. */
static void
test_any_bytes(void)
{
	struct tp_buf got = { 0 };
	unsigned long seed = 1;
	char text[24];

	for (int round = 0; round < 20000 && !failed; round++) {
		for (size_t i = 0; i < sizeof text; i++) {
			seed = seed * 1103515245 + 12345;
			text[i] = (char)(seed >> 16);
		}
		for (int flags = 0; flags < 2; flags++) {
			tp_buf_clear(&got);
			tp_md_add(&got, text, sizeof text, flags);
			if (!strpbrk(got.p, "|\n\r\x1b\x7f"))
				continue;
			printf("not ok random bytes %d: '%s'\n", round,
			    got.p);
			failed = 1;
		}
	}
	tp_buf_release(&got);
}

/* C++ names as profilers print them, and names that only look like them. */
static const struct {
	const char *name, *brief;
} briefs[] = {
	{ "std::vector<std::pair<int, f(*)(x)>>::at(unsigned long) const",
	    "std::vector::at const" },
	{ "mlx::core::(anonymous namespace)::go(int)",
	    "mlx::core::(anonymous namespace)::go" },
	{ "a::operator<(b const&)", "a::operator<(b const&)" },
	{ "f<(lambda at x.cpp:1)>()->int", "f->int" },
	{ "g<a->b>(int)", "g" },
	{ "-[MTLDevice newBufferWithLength:options:]",
	    "-[MTLDevice newBufferWithLength:options:]" },
	{ "step (train.py:12)", "step (train.py:12)" },
	{ "(no backtrace)", "(no backtrace)" },
	{ "<deduplicated_symbol>", "<deduplicated_symbol>" },
	{ "cut<off", "cut<off" }, { "a > b)", "a > b)" },
};

int
main(void)
{
	const struct escape *e = escapes;

	for (size_t i = 0; i < sizeof escapes / sizeof *e; i++, e++) {
		expect("text", e->text, strlen(e->text), 0, e->md);
		expect("code", e->text, strlen(e->text), TP_MD_CODE, e->code);
	}
	expect("a NUL is a blank", "a\0b", 3, 0, "a b");
	expect("plain", "\x1b[31m<a>|_\n\x01", 12, TP_MD_PLAIN,
	    "\\e[31m<a>|_\\n\\x01");
	expect("plain hides homes", "/Users/ann/x", 12, TP_MD_PLAIN, "~/x");
	expect("what turns text is shown", "a\xe2\x80\xae|b", 6, 0,
	    "a\\\\u{202e}&#124;b");
	expect("an Arabic letter mark turns text", "\xd8\x9c", 2, TP_MD_PLAIN,
	    "\\u{61c}");
	expect("plain shows what turns text", "\xe2\x80\xae", 3, TP_MD_PLAIN,
	    "\\u{202e}");
	for (size_t i = 0; i < sizeof briefs / sizeof *briefs; i++)
		expect("brief", briefs[i].name, strlen(briefs[i].name),
		    TP_MD_BRIEF | TP_MD_PLAIN, briefs[i].brief);
	test_cut();
	test_backquotes();
	test_any_bytes();
	return failed;
}
