/* JSON values as Python writes them: what repr(json.loads(x)) prints. */
#include <stdio.h>
#include <string.h>

#include "pyrepr.h"

static int failed;

static const struct json {
	const char *json, *lists, *tuples;	/* NULL: refused */
} values[] = {
	{ "[]", "[]", "()" },
	{ "[[1,2], [3], []]", "[[1, 2], [3], []]", "((1, 2), (3,), ())" },
	{ " [ 1 ] ", "[1]", "(1,)" },
	{ "[\"float\",\"\"]", "['float', '']", "('float', '')" },
	{ "null", "None", "None" },
	{ "[true,false,null]", "[True, False, None]", "(True, False, None)" },
	{ "\"it's\"", "\"it's\"", "\"it's\"" },
	{ "\"say \\\"hi\\\"\"", "'say \"hi\"'", "'say \"hi\"'" },
	{ "\"it's \\\"hi\\\"\"", "'it\\'s \"hi\"'", "'it\\'s \"hi\"'" },
	{ "\"a\\\\b\\n\\t\\u0000\\u007f\"", "'a\\\\b\\n\\t\\x00\\x7f'",
	    "'a\\\\b\\n\\t\\x00\\x7f'" },
	{ "\"\\u00e9\\u200b\\ud83d\\ude00\\ud800\"",
	    "'\303\251\\u200b\360\237\230\200\\ud800'",
	    "'\303\251\\u200b\360\237\230\200\\ud800'" },
	{ "123456789012345678901234567890", "123456789012345678901234567890",
	    "123456789012345678901234567890" },
	{ "-0", "0", "0" },
	{ "-0.0", "-0.0", "-0.0" },
	{ "1.0", "1.0", "1.0" },
	{ "1e5", "100000.0", "100000.0" },
	{ "0.1", "0.1", "0.1" },
	{ "1e400", "inf", "inf" },
	{ "{\"a\": [1], \"b\": {}}", "{'a': [1], 'b': {}}",
	    "{'a': (1,), 'b': {}}" },
	{ "[1,]", NULL, NULL },
	{ "[1", NULL, NULL },
	{ "01", NULL, NULL },
	{ "1 2", NULL, NULL },
	{ "\"open", NULL, NULL },
	{ "\"\\x\"", NULL, NULL },
	{ "nul", NULL, NULL },
	{ "", NULL, NULL },
	{ "1e", NULL, NULL },
};

static const struct real {
	double x;
	const char *want;
} reals[] = {
	{ 0, "0.0" }, { 12.5, "12.5" }, { 1e15, "1000000000000000.0" },
	{ 1e16, "1e+16" }, { 123456789012345680., "1.2345678901234568e+17" },
	{ 0.0001, "0.0001" }, { 0.00001, "1e-05" }, { 1.5e-7, "1.5e-07" },
	{ 5e-324, "5e-324" }, { 0.1 + 0.2, "0.30000000000000004" },
	{ -2.5, "-2.5" }, { 100, "100.0" }, { 1e22, "1e+22" },
};

static void
check(int ok, const char *what, const char *got)
{
	printf("%s - %s%s%s\n", ok ? "ok" : "not ok", what,
	    ok ? "" : ": ", ok ? "" : got);
	failed |= !ok;
}

static void
check_json(const char *json, enum tp_py_lists lists, const char *want)
{
	struct tp_buf buf = { 0 };
	int done;

	tp_buf_str(&buf, "=");
	done = tp_py_json(&buf, json, strlen(json), lists);
	check(want ? !done && !strcmp(buf.p + 1, want) :
	    done < 0 && !strcmp(buf.p, "="), json, buf.p);
	tp_buf_release(&buf);
}

int
main(void)
{
	struct tp_buf buf = { 0 };
	char deep[4 * TP_PY_DEPTH];

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		check_json(values[i].json, TP_PY_LISTS, values[i].lists);
		check_json(values[i].json, TP_PY_TUPLES, values[i].tuples);
	}
	for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
		tp_buf_clear(&buf);
		tp_py_float(&buf, reals[i].x);
		check(!strcmp(buf.p, reals[i].want), reals[i].want, buf.p);
	}
	memset(deep, '[', sizeof deep);
	memset(deep + sizeof deep / 2, ']', sizeof deep / 2);
	check(tp_py_json(&buf, deep, sizeof deep, TP_PY_LISTS) < 0,
	    "deeper than what is taken", "taken");
	check(!tp_py_json(&buf, deep + sizeof deep / 2 - TP_PY_DEPTH,
	    2 * TP_PY_DEPTH, TP_PY_LISTS), "as deep as what is taken",
	    "refused");
	tp_buf_release(&buf);
	return failed;
}
