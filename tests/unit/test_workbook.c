/* What is a number, and what a sheet may be called. */
#include <stdio.h>
#include <string.h>

#include <tp/show/workbook.h>

static int failed;

static void
check(int ok, const char *what)
{
	printf("%s - %s\n", ok ? "ok" : "not ok", what);
	failed |= !ok;
}

static int
is_number(const char *text)
{
	double x;

	return tp_workbook_number(text, strlen(text), &x);
}

static int
is_named(struct tp_names *taken, const char *wanted, const char *name)
{
	struct tp_buf buf = { 0 };
	int is;

	tp_buf_str(&buf, "before ");
	tp_workbook_name(&buf, wanted, taken);
	is = !strcmp(buf.p + 7, name);
	tp_buf_release(&buf);
	return is;
}

static void
numbers(void)
{
	static const char *const yes[] = { "0", "-1", "10", "0.5", "0.50",
	    "100.00", "-0.25", "1e-05", "1.5e+20", "999999999999999",
	    "0.1", "0.3333333333333333", NULL };
	static const char *const no[] = { "", "-", ".", "e", "00", "01",
	    "1.", ".1", "+1", "1e", "1e5", "1E5", "1e400", "0x1", "nan",
	    "inf", "1 ", " 1", "1,5", "1000000000000000", "1_0", "--1",
	    "0.10000000000000001", "1-1", NULL };

	for (size_t i = 0; yes[i]; i++)
		check(is_number(yes[i]), yes[i]);
	for (size_t i = 0; no[i]; i++)
		check(!is_number(no[i]), no[i]);
}

static void
names(void)
{
	struct tp_names taken = { 0 };

	check(is_named(&taken, "GEMM", "GEMM"), "a name stays");
	check(is_named(&taken, "gemm", "gemm (2)"), "case does not count");
	check(is_named(&taken, "GEMM", "GEMM (3)"), "and again");
	check(is_named(&taken, "", "table"), "no name");
	check(is_named(&taken, "'", "_"), "an apostrophe at the edge");
	check(is_named(&taken, "a\tb/c", "a_b_c"), "characters of no name");
	check(is_named(&taken,
	    "0123456789012345678901234567890123456789",
	    "0123456789012345678901234567890"), "31 characters");
	check(is_named(&taken,
	    "012345678901234567890123456789\360\237\230\200",
	    "012345678901234567890123456789"), "a pair is not cut in two");
	tp_names_release(&taken);
}

static void
cells(void)
{
	static char text[TP_SHEET_CELL * 4 + 8];
	struct tp_buf buf = { 0 };

	for (int i = 0; i < TP_SHEET_CELL; i++)
		memcpy(text + 4 * i, "\360\237\230\200", 4);
	check(tp_workbook_text(&buf, text, sizeof text - 8) == 1 &&
	    buf.len == (TP_SHEET_CELL - 6) / 2 * 4 + 6,
	    "pairs count twice");
	tp_buf_clear(&buf);
	check(!tp_workbook_text(&buf, "_x004_ _x0041 _X0041_", 21) &&
	    buf.len == 21, "what is no escape stays");
	tp_buf_release(&buf);
}

int
main(void)
{
	numbers();
	names();
	cells();
	return failed;
}
