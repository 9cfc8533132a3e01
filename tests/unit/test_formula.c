/* Formulas of the table of operators: what they come to, and what is none. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "torch/formula.h"

static int failed;

/* TEXT comes to WANT (NAN: unknown), with x = 6 and no = unknown. */
static void
comes_to(const char *text, double want)
{
	struct tp_torch_scope scope = { 0 };
	const char *at;
	double got = 0;
	int ok = !tp_torch_let(&scope, "x = 2 * 3", &at) &&
	    !tp_torch_let(&scope, "no = n(0)", &at) &&
	    !tp_torch_formula(&scope, text, &got, &at) &&
	    (isnan(want) ? isnan(got) : got == want);

	failed |= !ok;
	printf("%s formula: %s is %g\n", ok ? "ok" : "not ok", text, want);
	if (!ok)
		printf("# got %g\n", got);
}

/* TEXT is none, from PLACE on. */
static void
is_none(const char *text, size_t place)
{
	struct tp_torch_scope scope = { 0 };
	const char *at = NULL;
	double got;
	int ok = tp_torch_formula(&scope, text, &got, &at) < 0 &&
	    at == text + place;

	failed |= !ok;
	printf("%s formula: '%s' is none\n", ok ? "ok" : "not ok", text);
	if (!ok)
		printf("# at %ld\n", at ? (long)(at - text) : -1);
}

static void
nested(size_t depth, int good)
{
	struct tp_torch_scope scope = { 0 };
	char text[256] = "";
	const char *at;
	double got;

	memset(text, '(', depth);
	text[depth] = '1';
	memset(text + depth + 1, ')', depth);
	if ((tp_torch_formula(&scope, text, &got, &at) == 0) != good) {
		failed = 1;
		printf("not ok formula: %zu parentheses\n", depth);
	} else {
		printf("ok formula: %zu parentheses\n", depth);
	}
}

static void
lets(void)
{
	struct tp_torch_scope scope = { 0 };
	const char *at;
	char text[TORCH_LET_MAX + 1][32];
	int rc = 0;

	for (int i = 0; i <= TORCH_LET_MAX; i++) {
		snprintf(text[i], sizeof text[i], "v%d = %d", i, i);
		rc = tp_torch_let(&scope, text[i], &at);
	}
	failed |= rc >= 0 || tp_torch_let(&scope, "= 1", &at) >= 0 ||
	    tp_torch_let(&scope, "a == 1", &at) >= 0;
	printf("%s formula: what is no name of a value\n",
	    failed ? "not ok" : "ok");
}

int
main(void)
{
	comes_to("1 + 2 * 3", 7);
	comes_to("8 - 2 - 1", 5);
	comes_to("-2 ^ 2", -4);
	comes_to("2 ^ 3 ^ 2", 512);
	comes_to("2^-1", 0.5);
	comes_to("(x + 1) / 2", 3.5);
	comes_to("ceil(x / 4) + floor(x / 4)", 3);
	comes_to("min(x, 2, 9) + max(1, x)", 8);
	comes_to("x == 6 ? 1 : 2", 1);
	comes_to("x < 6 ? 1 : x > 6 ? 2 : 3", 3);
	comes_to("x <= 6", 1);
	comes_to("x != 6", 0);
	comes_to("no", NAN);
	comes_to("no + 1", NAN);
	comes_to("no ? 1 : 2", NAN);
	comes_to("no else 5", 5);
	comes_to("no else no else 7", 7);
	comes_to("1 + no else 5", 5);
	comes_to("1 + (no else 5)", 6);
	comes_to("x else 5", 6);
	comes_to("min(x, no)", NAN);
	comes_to("0 / 0", NAN);
	comes_to("kernel(OpaqueType<2u>) else 4", 4);
	comes_to("step(c_sq) else 4", 4);
	comes_to("b(0) + d(0,-1) else 1", 1);
	comes_to("  1  ", 1);
	is_none("", 0);
	is_none("1 +", 3);
	is_none("2 x", 2);
	is_none("2 * y", 4);
	is_none("(1", 2);
	is_none("1)", 1);
	is_none("d(0)", 4);
	is_none("n()", 3);
	is_none("nosuch(1)", 0);
	is_none("step(c_xx)", 5);
	is_none("x ? 1", 0);
	is_none("1 ? 2", 5);
	is_none("elsewhere", 0);
	is_none("1 else", 6);
	nested(30, 1);
	nested(40, 0);
	lets();
	return failed;
}
