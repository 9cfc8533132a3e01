/* A table fits whatever its columns are, and no number of it is cut. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/show/fit.h>
#include <tp/width.h>

static int failed;

static void
check(int ok, const char *what, size_t got, size_t want)
{
	if (ok)
		return;
	printf("not ok %s: %zu, not %zu\n", what, got, want);
	failed = 1;
}

static void
done(const char *what)
{
	if (!failed)
		printf("ok %s\n", what);
}

/* The same numbers wherever it runs. */
static size_t
pick(unsigned *state, size_t below)
{
	*state = *state * 1103515245u + 12345u;
	return (*state >> 16) % below;
}

static void
fit_any(unsigned seed)
{
	struct tp_fit_column c[40] = { { 0 } };
	size_t count = pick(&seed, 41), gap = pick(&seed, 4), width =
	    pick(&seed, 10) ? 20 + pick(&seed, 200) : pick(&seed, 20), used = 0,
	    least = 0, shown = 0, i, n;

	for (i = 0; i < count; i++) {
		c[i].cells = pick(&seed, 4) ? pick(&seed, 30) :
		    pick(&seed, 500);
		c[i].whole = pick(&seed, 2) ? c[i].cells :
		    pick(&seed, c[i].cells + 1);
		c[i].head = pick(&seed, 20);
	}
	n = tp_fit_columns(c, count, gap, width);
	for (i = 0; i < count; i++) {
		if (!c[i].width)
			continue;
		used += c[i].width + (shown++ ? gap : 0);
		check(c[i].width >= c[i].whole, "a number is cut", c[i].width,
		    c[i].whole);
		check(c[i].width >= c[i].head, "a header is cut", c[i].width,
		    c[i].head);
		check(c[i].width <= c[i].cells || c[i].width == c[i].head ||
		    c[i].width == 1, "wider than it has to be", c[i].width,
		    c[i].cells);
	}
	check(used <= width, "wider than the terminal", used, width);
	check(n == shown, "columns shown", n, shown);
	/* nothing is lost for which there was room */
	for (i = 0, used = 0; i < count; i++) {
		least = c[i].cells > c[i].head ? c[i].cells : c[i].head;
		used += (least ? least : 1) + (i ? gap : 0);
	}
	if (used <= width)
		check(shown == count && !tp_fit_lost(c, count),
		    "left out though there was room", shown, count);
}

static void
left_out(void)
{
	/* rank, name, five numbers, two texts */
	struct tp_fit_column c[] = {
		{ 4, 4, 4, 0, 0 }, { 90, 0, 4, 0, 0 }, { 7, 7, 10, 0, 0 },
		{ 7, 7, 10, 0, 0 }, { 7, 7, 10, 0, 0 }, { 7, 7, 10, 0, 0 },
		{ 7, 7, 10, 0, 0 }, { 50, 0, 6, 0, 0 }, { 8, 0, 6, 0, 0 },
	};

	check(tp_fit_columns(c, 9, 2, 80) == 5, "of nine columns", 0, 5);
	check(c[1].width == 38 && c[4].width && !c[5].width && !c[6].width &&
	    !c[7].width && !c[8].width, "the last are left out", c[1].width,
	    38);
	/* a number that is wider than all leaves nothing */
	c[0] = (struct tp_fit_column){ 100, 100, 0, 0, 0 };
	check(tp_fit_columns(c, 1, 2, 80) == 0, "shown", 1, 0);
	check(tp_fit_columns(c, 0, 2, 80) == 0, "of none", 1, 0);
}

static void
cut(const char *text, size_t width, const char *dots, const char *want)
{
	struct tp_buf got = { 0 };
	size_t n = tp_fit_cut(&got, text, strlen(text), width, dots);

	if (strcmp(got.p ? got.p : "", want)) {
		printf("not ok '%s' in %zu: '%s', not '%s'\n", text, width,
		    got.p ? got.p : "", want);
		failed = 1;
	}
	check(n == tp_text_width(want, strlen(want)) && n <= width, want, n,
	    width);
	tp_buf_release(&got);
}

#define ELLIPSIS "\xe2\x80\xa6"
#define HAN "\xe6\xbc\xa2"		/* takes two columns */
#define E_ACUTE "e\xcc\x81"		/* a letter and a mark */

static void
cuts(void)
{
	cut("", 0, "..", "");
	cut("kernel", 6, "..", "kernel");
	cut("kernels", 6, "..", "ke..ls");
	cut("kernels", 6, ELLIPSIS, "ker" ELLIPSIS "ls");
	cut("kernels", 5, ELLIPSIS, "ke" ELLIPSIS "ls");
	cut("kernels", 3, "..", "k..");
	cut("kernels", 2, "..", "..");
	cut("kernels", 1, "..", "k");
	cut("kernels", 1, ELLIPSIS, ELLIPSIS);
	cut("kernels", 0, "..", "");
	cut(HAN HAN HAN HAN, 8, ELLIPSIS, HAN HAN HAN HAN);
	cut(HAN HAN HAN HAN, 7, ELLIPSIS, HAN ELLIPSIS HAN);
	cut(HAN HAN HAN HAN, 6, ELLIPSIS, HAN ELLIPSIS HAN);
	cut(HAN HAN HAN HAN, 1, ELLIPSIS, ELLIPSIS);
	cut(HAN, 1, "..", "");
	cut(E_ACUTE E_ACUTE E_ACUTE E_ACUTE, 4, ELLIPSIS,
	    E_ACUTE E_ACUTE E_ACUTE E_ACUTE);
	cut(E_ACUTE E_ACUTE E_ACUTE E_ACUTE, 3, ELLIPSIS,
	    E_ACUTE ELLIPSIS E_ACUTE);
	done("names keep both ends");
}

/* Characters of all widths, cut to all widths. */
static void
cut_any(unsigned seed)
{
	static const char *const some[] = { "a", "B", "::", HAN, E_ACUTE,
	    "\xcc\x81", "\xf0\x9f\x98\x80", "\xe2\x80\x8d", "\xff", "\xe6" };
	struct tp_buf text = { 0 }, got = { 0 };
	size_t width = pick(&seed, 30), all, n;

	for (n = pick(&seed, 30); n; n--)
		tp_buf_str(&text, some[pick(&seed, 10)]);
	all = text.len ? tp_text_width(text.p, text.len) : 0;
	n = tp_fit_cut(&got, text.len ? text.p : "", text.len, width,
	    pick(&seed, 2) ? ".." : ELLIPSIS);
	check(n <= width && (all > width || n == all), "cut", n, width);
	check((got.len ? tp_text_width(got.p, got.len) : 0) == n, "is as wide",
	    got.len, n);
	tp_buf_release(&text);
	tp_buf_release(&got);
}

static void
wrap(const char *text, size_t at, size_t indent, size_t width,
    const char *want)
{
	struct tp_buf got = { 0 };

	tp_wrap(&got, text, at, indent, width);
	if (strcmp(got.p ? got.p : "", want)) {
		printf("not ok '%s' wrapped: '%s', not '%s'\n", text,
		    got.p ? got.p : "", want);
		failed = 1;
	}
	tp_buf_release(&got);
}

static void
widths(void)
{
	static const struct {
		uint32_t c;
		size_t width;
	} chars[] = {
		{ 'a', 1 }, { 0xe9, 1 }, { 0xad, 1 }, { 0x301, 0 },
		{ 0x200b, 0 }, { 0x200d, 0 }, { 0xfe0f, 0 }, { 0xfeff, 0 },
		{ 0x2026, 1 }, { 0xfffd, 1 }, { 0x1100, 2 }, { 0x1161, 0 },
		{ 0x3042, 2 }, { 0x4e00, 2 }, { 0xac00, 2 }, { 0xff01, 2 },
		{ 0xff61, 1 }, { 0x1f600, 2 }, { 0x20000, 2 }, { 0x10ffff, 1 },
		{ 0x600, 1 }, { 0xe0001, 0 },
	};

	for (size_t i = 0; i < sizeof chars / sizeof *chars; i++)
		if (tp_char_width(chars[i].c) != chars[i].width) {
			printf("not ok U+%04X takes %zu\n",
			    (unsigned)chars[i].c, tp_char_width(chars[i].c));
			failed = 1;
		}
	done("characters take 0, 1 or 2 columns");
	wrap("", 4, 2, 10, "");
	wrap("one two  three\nfour", 0, 2, 9, "one two\n  three\n  four");
	wrap("one two", 3, 2, 10, "one two");
	wrap("one two", 4, 2, 10, "one\n  two");
	wrap("a-word-that-is-long b", 0, 4, 10, "a-word-that-is-long\n    b");
	wrap(HAN HAN " " HAN, 0, 0, 6, HAN HAN "\n" HAN);
	done("text is broken at blanks");
}

int
main(void)
{
	unsigned seed;

	for (seed = 1; seed < 20000; seed++)
		fit_any(seed);
	done("columns fit and numbers are whole");
	left_out();
	done("the last columns are left out");
	for (seed = 1; seed < 20000; seed++)
		cut_any(seed);
	done("a cut name has the width it is said to have");
	cuts();
	widths();
	return failed;
}
