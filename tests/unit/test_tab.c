/* Records that schemas make of items: groups, ranks, shares, what is absent. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tp/records.h>

#include "stat.h"
#include "tab.h"

static int failed;

static void
check(int good, const char *what)
{
	printf("%s tab: %s\n", good ? "ok" : "not ok", what);
	failed |= !good;
}

/* A share folder with the schema of kind "k": what follows "title". */
static void
schema(const char *rest)
{
	FILE *f = fopen("share/schema/k.json", "w");

	if (!f || fprintf(f, "{\"title\": \"k\", %s}", rest) < 0 || fclose(f))
		exit(1);
}

/* Whether the records of TAB are WANT, each without its kind. */
static int
makes(const struct tp_tab *tab, const char *where, const char *want)
{
	struct tp_out out;
	int same;

	tp_out_init(&out, -1);
	tp_tab_emit(tab, "k", where, &out);
	same = out.buf.len == strlen(want) && (!*want || !memcmp(out.buf.p,
	    want, out.buf.len));
	if (!same)
		printf("# %.*s", (int)out.buf.len, out.buf.p);
	tp_out_release(&out);
	return same;
}

/* Work of two operators, one of which is known by two texts. */
static const char first_text[] = "mul", second_text[] = "mul";
static const struct work {
	const char *op;
	int64_t ps;
	int32_t stream;
	uint8_t is_copy;
	uint16_t lane;
} works[] = {
	{ first_text, 5000, 7, 0, 0 }, { "add", 4000, -1, 1, 1 },
	{ second_text, 1000, 7, 1, 0 }, { "add", 2000, 7, 0, 0 },
	{ NULL, 3000, 9, 0, 1 },
};
static const int64_t lanes[] = { 40, 41 };

static struct tp_tab
tab_of(void)
{
	struct tp_tab t = { .count = 5, .process_rank = -1 };

	return t;
}

static void
columns(struct tp_tab *t)
{
	const struct tp_column *lane;

	TP_TAB_FIELD(t, NULL, "op", TP_TAB_TEXT, works, op);
	TP_TAB_FIELD(t, NULL, "time", TP_TAB_PS, works, ps);
	TP_TAB_KNOWN(t, NULL, "stream", works, stream);
	TP_TAB_FIELD(t, NULL, "is_copy", TP_TAB_INT, works, is_copy);
	lane = TP_TAB_FIELD(t, NULL, "lane", TP_TAB_INT, works, lane);
	TP_TAB_ARRAY(t, lane, "tid", TP_TAB_INT, lanes);
}

static void
groups(void)
{
	struct tp_tab t = tab_of();

	columns(&t);
	schema("\"by\": [\"op\"], \"order\": [\"time_ns\"], \"properties\": {"
	    "\"rank\": {\"from\": \"rank\"}, \"op\": {}, \"count\": "
	    "{\"from\": \"items\"}, \"time_ns\": {\"from\": \"sum(time)\"}, "
	    "\"ratio\": {\"from\": \"sum(time)/all(time)\"}}");
	check(makes(&t, NULL,
	    "{\"kind\":\"k\",\"rank\":1,\"op\":\"mul\",\"count\":2,"
	    "\"time_ns\":6,\"ratio\":0.4}\n"
	    "{\"kind\":\"k\",\"rank\":2,\"op\":\"add\",\"count\":2,"
	    "\"time_ns\":6,\"ratio\":0.4}\n"
	    "{\"kind\":\"k\",\"rank\":3,\"count\":1,\"time_ns\":3,"
	    "\"ratio\":0.2}\n"),
	    "texts are equal by content, ties in the order of first items");
	check(makes(&t, "is_copy",
	    "{\"kind\":\"k\",\"rank\":1,\"op\":\"add\",\"count\":1,"
	    "\"time_ns\":4,\"ratio\":0.8}\n"
	    "{\"kind\":\"k\",\"rank\":2,\"op\":\"mul\",\"count\":1,"
	    "\"time_ns\":1,\"ratio\":0.2}\n"),
	    "shares are of the items that are chosen");
	t.row_limit = 1;
	t.process_rank = 3;
	check(makes(&t, NULL,
	    "{\"kind\":\"k\",\"process_rank\":3,\"rank\":1,\"op\":\"mul\","
	    "\"count\":2,\"time_ns\":6,\"ratio\":0.4}\n"),
	    "no more rows than allowed, which shares do not feel");
	t.process_rank = -1;
	t.limits_each = 1;
	schema("\"by\": [\"tid\", \"op\"], \"order\": [\"-tid\", \"+time\"], "
	    "\"properties\": {\"op\": {}, \"time_ns\": {\"from\": "
	    "\"sum(time)\"}}");
	check(makes(&t, NULL, "{\"kind\":\"k\",\"time_ns\":3}\n"
	    "{\"kind\":\"k\",\"op\":\"add\",\"time_ns\":2}\n"),
	    "no more rows of one value than allowed");
}

static void
columns_of_rows(void)
{
	struct tp_tab t = tab_of();

	columns(&t);
	schema("\"by\": [\"tid\", \"stream\"], \"order\": [\"most_ns\"], "
	    "\"properties\": {\"tid\": {}, \"stream\": {}, \"is_copy\": {}, "
	    "\"ops\": {\"from\": \"distinct(op)\"}, \"op_list\": {\"from\": "
	    "\"list(op)\"}, \"most_ns\": {\"from\": \"max(time)\"}, "
	    "\"mean_ps\": {\"from\": \"mean(time)\"}, "
	    "\"stdev_ps\": {\"from\": \"stdev(time)\"}}");
	check(makes(&t, NULL,
	    "{\"kind\":\"k\",\"tid\":40,\"stream\":7,\"is_copy\":0,"
	    "\"ops\":2,\"op_list\":\"[\\\"add\\\", \\\"mul\\\"]\","
	    "\"most_ns\":5,\"mean_ps\":2667,\"stdev_ps\":2082}\n"
	    "{\"kind\":\"k\",\"tid\":41,\"is_copy\":1,\"ops\":1,"
	    "\"op_list\":\"[\\\"add\\\"]\",\"most_ns\":4,"
	    "\"mean_ps\":4000}\n"
	    "{\"kind\":\"k\",\"tid\":41,\"stream\":9,\"is_copy\":0,"
	    "\"ops\":0,\"most_ns\":3,\"mean_ps\":3000}\n"),
	    "via an index; of the first item; nothing of what is absent");
}

static void
parts(void)
{
	static const uint32_t step_of[] = { 0, 1, 0, 1, TP_TAB_OUTSIDE };
	struct tp_tab t = tab_of();

	columns(&t);
	tp_tab_total(&t, "span", 30000);
	t.step_of = step_of;
	t.step_count = t.sample_count = 2;
	schema("\"by\": [], \"properties\": {\"op\": {\"from\": "
	    "\"top(op,time)\"}, \"op_ns\": {\"from\": \"most(time,op)\"}, "
	    "\"span_ns\": {\"from\": \"total(span)\"}, \"of_span\": "
	    "{\"from\": \"max(time)/total(span)\"}, \"other\": {\"from\": "
	    "\"sum(other)\"}, \"step\": {\"from\": \"steps(time)\"}}");
	check(makes(&t, NULL,
	    "{\"kind\":\"k\",\"op\":\"mul\",\"op_ns\":6,\"span_ns\":30,"
	    "\"of_span\":0.16666666666666666,\"step_sample_count\":2,"
	    "\"step_mean_ns\":6,\"step_stdev_ns\":0}\n"),
	    "the largest part, the first of equal ones; steps");
}

static void
also(void *arg, const char *key, const uint32_t *items, size_t count,
    struct tp_out *out)
{
	*(size_t *)arg += count;
	tp_out_int(out, key, items[0]);
}

static void
each(void)
{
	struct tp_tab t = tab_of();
	size_t seen = 0;

	columns(&t);
	t.also = also;
	t.also_arg = &seen;
	schema("\"order\": [\"time_ns\"], \"properties\": {\"time_ns\": "
	    "{\"from\": \"sum(time)\"}, \"item\": {\"from\": \"also\"}}");
	t.row_limit = 2;
	check(makes(&t, NULL, "{\"kind\":\"k\",\"time_ns\":5,\"item\":0}\n"
	    "{\"kind\":\"k\",\"time_ns\":4,\"item\":1}\n") && seen == 2,
	    "without \"by\" each item is a row; keys of the caller");
	t = tab_of();
	t.count = 0;
	columns(&t);
	check(makes(&t, NULL, ""), "no item is no record");
}

/* Kernels of two units, some of unknown work. */
static const struct kernel {
	const char *name;
	uint32_t unit;
	int64_t ps, calls;
	double flops;
	const char *shape;
} kernels[] = {
	{ "dot", 0, 3000, 1, 6e3, "8" }, { "add", 1, 2000, 2, NAN, "4" },
	{ "dot", 0, 3000, 2, 3e3, "4" }, { "abs", 1, 2000, 0, NAN, NULL },
	{ NULL, 1, 2000, 1, NAN, "4" }, { "dot", 0, 0, 1, NAN, "8" },
};

static void
kinds_of_columns(void)
{
	static const char *const units[] = { "matrix", "vector" };
	struct tp_tab t = { .count = 6, .process_rank = -1 };

	TP_TAB_FIELD(&t, NULL, "name", TP_TAB_TEXT, kernels, name);
	TP_TAB_WORDS(&t, NULL, "unit", kernels, unit, units);
	TP_TAB_FIELD(&t, NULL, "time", TP_TAB_PS, kernels, ps);
	TP_TAB_FIELD(&t, NULL, "calls", TP_TAB_INT, kernels, calls);
	TP_TAB_FIELD(&t, NULL, "flops", TP_TAB_REAL, kernels, flops);
	TP_TAB_FIELD(&t, NULL, "shape", TP_TAB_TEXT, kernels, shape);
	schema("\"by\": [\"name\"], \"order\": [\"time_ns\", \"+name\"], "
	    "\"properties\": {\"name\": {}, \"unit\": {}, \"time_ns\": "
	    "{\"from\": \"sum(time)\"}, \"mean_ns\": {\"from\": "
	    "\"sum(time)/sum(calls)\"}, \"flops_per_s\": {\"from\": "
	    "\"sum(flops)/sum(time)\"}, \"flops\": {}, \"shape\": {\"from\": "
	    "\"top(shape,calls)\"}}");
	check(makes(&t, NULL,
	    "{\"kind\":\"k\",\"name\":\"dot\",\"unit\":\"matrix\","
	    "\"time_ns\":6,\"mean_ns\":2,\"flops_per_s\":1500000000000,"
	    "\"flops\":6000,\"shape\":\"8\"}\n"
	    "{\"kind\":\"k\",\"unit\":\"vector\",\"time_ns\":2,\"mean_ns\":2,"
	    "\"shape\":\"4\"}\n"
	    "{\"kind\":\"k\",\"name\":\"abs\",\"unit\":\"vector\","
	    "\"time_ns\":2}\n"
	    "{\"kind\":\"k\",\"name\":\"add\",\"unit\":\"vector\","
	    "\"time_ns\":2,\"mean_ns\":1,\"shape\":\"4\"}\n"),
	    "words, reals, means and rates; equal ranks by name");
	schema("\"order\": [\"+unit\", \"-calls\", \"+time\"], "
	    "\"properties\": {\"name\": {}, \"calls\": {}}");
	check(makes(&t, NULL,
	    "{\"kind\":\"k\",\"name\":\"dot\",\"calls\":2}\n"
	    "{\"kind\":\"k\",\"name\":\"dot\",\"calls\":1}\n"
	    "{\"kind\":\"k\",\"name\":\"dot\",\"calls\":1}\n"
	    "{\"kind\":\"k\",\"name\":\"add\",\"calls\":2}\n"
	    "{\"kind\":\"k\",\"calls\":1}\n"
	    "{\"kind\":\"k\",\"name\":\"abs\",\"calls\":0}\n"),
	    "rising and falling columns");
}

static void
wide_and_one(void)
{
	static const struct {
		const char *name;
		tp_int128 sum;
	} sums[] = { { "a", 5 }, { "b", (tp_int128)INT64_MAX * 4 } };
	struct tp_tab t = { .count = 2, .process_rank = -1 };
	const char *scope = "all";
	int64_t whole = 10;

	TP_TAB_ONE(&t, "scope", TP_TAB_TEXT, scope);
	TP_TAB_ONE(&t, "whole", TP_TAB_INT, whole);
	TP_TAB_FIELD(&t, NULL, "name", TP_TAB_TEXT, sums, name);
	TP_TAB_FIELD(&t, NULL, "sum", TP_TAB_INT, sums, sum);
	schema("\"order\": [\"sum\"], \"properties\": {\"scope\": {}, "
	    "\"name\": {}, \"sum\": {}, \"ratio\": {\"from\": "
	    "\"sum(sum)/sum(whole)\"}}");
	check(makes(&t, NULL,
	    "{\"kind\":\"k\",\"scope\":\"all\",\"name\":\"b\",\"sum\":"
	    "9223372036854775807,\"ratio\":9.223372036854776e+17}\n"
	    "{\"kind\":\"k\",\"scope\":\"all\",\"name\":\"a\",\"sum\":5,"
	    "\"ratio\":0.5}\n"), "sums of 128 bits; one value for all items");
}

/* Calls of functions, one of which has no name. */
static void
texts(void)
{
	static const struct call {
		struct tp_name name;
		uint32_t of;
		int64_t from_ps, to_ps;
		const char *alias;
	} calls[] = {
		{ { .text = "mul", .len = 3 }, 1, 1000, 3000, "mul" },
		{ { .text = "", .len = 0 }, 2, 0, 0, "mul" },
		{ { .text = "add\n", .len = 3 }, 0, 1000, 4000, "mul" },
		{ { .text = "mule", .len = 3 }, 1, 5000, 6000, "mul" },
	};
	struct tp_tab t = { .count = 4, .process_rank = -1 };
	struct tp_names names = { 0 };

	tp_names_add(&names, "sin", 3);
	tp_names_add(&names, "cos", 3);
	tp_names_add(&names, "tan", 3);
	TP_TAB_FIELD(&t, NULL, "name", TP_TAB_STRING, calls, name);
	TP_TAB_NAMES(&t, NULL, "of", calls, of, &names, 2);
	TP_TAB_SPAN(&t, NULL, "time", calls, from_ps, to_ps);
	schema("\"by\": [\"name\"], \"order\": [\"time_ns\", \"name\"], "
	    "\"properties\": {\"name\": {}, \"time_ns\": {\"from\": "
	    "\"sum(time)\"}, \"first_ns\": {\"from\": \"first(time)\"}}");
	check(makes(&t, NULL,
	    "{\"kind\":\"k\",\"name\":\"add\",\"time_ns\":3,"
	    "\"first_ns\":3}\n"
	    "{\"kind\":\"k\",\"name\":\"mul\",\"time_ns\":3,"
	    "\"first_ns\":2}\n"
	    "{\"kind\":\"k\",\"time_ns\":0,\"first_ns\":0}\n"),
	    "strings are equal by their bytes, and rank in the alphabet");
	schema("\"by\": [], \"properties\": {\"n\": {\"from\": \"items\"}, "
	    "\"name\": {\"from\": \"list(name)\"}, \"of\": {\"from\": "
	    "\"top(name,time)\"}}");
	check(makes(&t, "of", "{\"kind\":\"k\",\"n\":3,\"name\":"
	    "\"[\\\"add\\\", \\\"mul\\\"]\",\"of\":\"mul\"}\n"),
	    "the first name is one, none is none");
	TP_TAB_FIELD(&t, NULL, "alias", TP_TAB_TEXT, calls, alias);
	schema("\"by\": [\"alias\"], \"properties\": {\"alias\": {}, \"name\": "
	    "{\"from\": \"list(name)\"}, \"most\": {\"from\": "
	    "\"top(name,time)\"}}");
	check(makes(&t, "of", "{\"kind\":\"k\",\"alias\":\"mul\",\"name\":"
	    "\"[\\\"add\\\", \\\"mul\\\"]\",\"most\":\"mul\"}\n"),
	    "a text of two columns is of each as that column has it");
	t = (struct tp_tab){ .count = 4, .process_rank = -1 };
	TP_TAB_NAMES(&t, NULL, "of", calls, of, &names, 0);
	TP_TAB_FIELD(&t, NULL, "n", TP_TAB_INT, calls, from_ps)->absent = 1000;
	schema("\"order\": [\"n\", \"of\"], \"properties\": {\"n\": {}, "
	    "\"of\": {}}");
	check(makes(&t, NULL, "{\"kind\":\"k\",\"n\":5000,\"of\":\"cos\"}\n"
	    "{\"kind\":\"k\"}\n{\"kind\":\"k\",\"of\":\"cos\"}\n"
	    "{\"kind\":\"k\",\"n\":0,\"of\":\"tan\"}\n"),
	    "what is absent ranks as 0");
	tp_names_release(&names);
}

/* Items of many groups find theirs again. */
static void
many(void)
{
	enum { COUNT = 5000, GROUPS = 1000 };
	static int64_t group[COUNT], one[COUNT];
	struct tp_tab t = { .count = COUNT, .process_rank = -1 };
	char want[64];
	struct tp_out out;

	for (int i = 0; i < COUNT; i++) {
		group[i] = (int64_t)(i % GROUPS) << 40;
		one[i] = 1;
	}
	TP_TAB_ARRAY(&t, NULL, "group", TP_TAB_INT, group);
	TP_TAB_ARRAY(&t, NULL, "one", TP_TAB_INT, one);
	schema("\"by\": [\"group\"], \"properties\": {\"group\": {}, "
	    "\"n\": {\"from\": \"sum(one)\"}}");
	tp_out_init(&out, -1);
	tp_tab_emit(&t, "k", NULL, &out);
	snprintf(want, sizeof want, "{\"kind\":\"k\",\"group\":%lld,\"n\":5}\n",
	    (long long)(GROUPS - 1) << 40);
	check(out.buf.len > strlen(want) && !memcmp(out.buf.p + out.buf.len -
	    strlen(want), want, strlen(want)), "many groups, each found again");
	tp_out_release(&out);
}

/* Whether TAB ends the program because of KEY of the schema. */
static int
quits(const struct tp_tab *tab, const char *key)
{
	char said[256] = "", want[128];
	struct tp_out out;
	int ends[2], status;
	pid_t pid;

	if (pipe(ends) || (pid = fork()) < 0)
		return 0;
	if (!pid) {
		dup2(ends[1], STDERR_FILENO);
		tp_out_init(&out, -1);
		tp_tab_emit(tab, "k", NULL, &out);
		_exit(0);
	}
	close(ends[1]);
	snprintf(want, sizeof want, "share/schema/k.json: bad '%s'", key);
	while (read(ends[0], said + strlen(said), sizeof said - 1 -
	    strlen(said)) > 0)
		;
	close(ends[0]);
	if (waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	    WEXITSTATUS(status) == TP_BAD && strstr(said, want))
		return 1;
	printf("# %s\n", said);
	return 0;
}

/* What a user may write into a schema that no table can make. */
static void
damaged(void)
{
	static const char *const from[] = { "\"\"", "5", "\"no(time)\"",
	    "\"sum(time\"", "\"sum(time,op)\"", "\"items(op)\"",
	    "\"sum(name)\"",
	    "\"max(unit)\"", "\"mean(flops)\"", "\"list(time)\"",
	    "\"top(name,name)\"", "\"most(name,time)\"", "\"also/items\"",
	    "\"first(name)/items\"", "\"items/steps(time)\"",
	    "\"items/items/items\"" };
	static const char *const rest[][2] = {
		{ "properties", "\"properties\": [{}]" },
		{ "by", "\"by\": \"name\", \"properties\": {}" },
		{ "by", "\"by\": [[]], \"properties\": {}" },
		{ "order", "\"order\": {}, \"properties\": {}" },
		{ "order", "\"order\": [\"\"], \"properties\": {}" },
		{ "order", "\"order\": [\"n\"], \"properties\": {}" },
		{ "order", "\"order\": [\"-flops\"], \"properties\": {}" },
		{ "order", "\"order\": [\"n\"], \"properties\": {\"n\": "
		    "{\"from\": \"sum(time)/items\"}}" },
		{ "order", "\"order\": [\"n\"], \"properties\": {\"n\": "
		    "{\"from\": \"also\"}}" },
	};
	static const char *const units[] = { "matrix", "vector" };
	struct tp_tab t = { .count = 6, .process_rank = -1 };
	char text[128];
	int good = 1;

	TP_TAB_FIELD(&t, NULL, "name", TP_TAB_TEXT, kernels, name);
	TP_TAB_WORDS(&t, NULL, "unit", kernels, unit, units);
	TP_TAB_FIELD(&t, NULL, "time", TP_TAB_PS, kernels, ps);
	TP_TAB_FIELD(&t, NULL, "flops", TP_TAB_REAL, kernels, flops);
	for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
		snprintf(text, sizeof text, "\"properties\": {\"n\": "
		    "{\"from\": %s}}", from[i]);
		schema(text);
		good &= quits(&t, "n");
	}
	check(good, "a key that cannot be made is named");
	for (size_t i = 0; i < sizeof rest / sizeof *rest; i++) {
		schema(rest[i][1]);
		good &= quits(&t, rest[i][0]);
	}
	check(good, "a list that cannot be read is named");
}

int
main(void)
{
	char dir[] = "/tmp/tab.XXXXXX";

	if (!mkdtemp(dir) || chdir(dir) || mkdir("share", 0700) ||
	    mkdir("share/schema", 0700) || mkdir("share/tables", 0700) ||
	    setenv("TP_SHARE", "share", 1))
		return 1;
	groups();
	columns_of_rows();
	parts();
	each();
	kinds_of_columns();
	wide_and_one();
	texts();
	many();
	damaged();
	unlink("share/schema/k.json");
	rmdir("share/schema");
	rmdir("share/tables");
	rmdir("share");
	return failed || (!chdir("/") && rmdir(dir));
}
