/* NaN in JSON, lists that may be cut, numbers folded out of messages. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include <tp/judge/history.h>
#include <tp/read/summary.h>

static int failed;

static void
ok(int good, const char *what)
{
	printf("%s - summary: %s\n", good ? "ok" : "not ok", what);
	failed |= !good;
}

static int
mends(const char *text, const char *want, size_t count)
{
	struct tp_buf out = { 0 };
	size_t n = tp_json_mend(text, strlen(text), &out);
	int good = n == count && (n ? out.p && !strcmp(out.p, want) :
	    !out.len);

	tp_buf_release(&out);
	return good;
}

static int
folds(const char *text, const char *want)
{
	struct tp_buf out = { 0 };
	int good;

	tp_history_fold(&out, text);
	good = out.p && !strcmp(out.p, want);
	if (!good)
		printf("# '%s' is '%s'\n", text, out.p ? out.p : "");
	tp_buf_release(&out);
	return good;
}

static int
cut(const char *text, const char *key)
{
	cJSON *doc = cJSON_Parse(text);
	int is = tp_summary_is_cut(doc, key);

	cJSON_Delete(doc);
	return is;
}

int
main(void)
{
	ok(mends("[NaN,1]", "[null,1]", 1) &&
	    mends("{\"a\":-Infinity,\"b\":Infinity}",
	    "{\"a\":null,\"b\":null}", 2), "NaN and Infinity become null");
	ok(mends("[\"NaN\",\"\\\"NaN\",-1]", "", 0),
	    "text in strings and plain numbers are left alone");
	ok(folds("regressed by 22.22 % (limit 5.00 %)",
	    "regressed by N % (limit N %)"), "numbers are folded to N");
	ok(folds("p90 step time fell by -1,234.5 in 3", "p90 step time fell "
	    "by N in N"), "digits of a name stay, a sign goes");
	ok(folds("changed by <0.01 % (limit 5 %)",
	    "changed by N % (limit N %)"), "a bound is a number");
	ok(folds("12", "N") && folds("x", "x") && folds("a1b2 3c",
	    "a1b2 Nc"), "a text of numbers alone, or of none");
	ok(!cut("{\"hot_ops\":[{\"exclusive_duration\":5}],"
	    "\"hierarchical_regions\":[{\"depth\":1,"
	    "\"inclusive_duration\":5}]}", "hot_ops"),
	    "operations that add up to the regions are all of them");
	ok(cut("{\"hot_ops\":[{\"exclusive_duration\":5}],"
	    "\"hierarchical_regions\":[{\"depth\":1,"
	    "\"inclusive_duration\":9}]}", "hot_ops"),
	    "operations that add up to less are only the highest");
	ok(cut("{}", "hot_ops"), "a list that is not there tells nothing");
	return failed;
}
