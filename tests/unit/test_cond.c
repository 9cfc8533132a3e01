/* Conditions: every operator, every error, and the forms of before. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/buf.h>
#include <tp/cond.h>
#include <tp/json.h>
#include <tp/records.h>

static int failed;
static struct tp_arena arena;

static void
expect(int ok, const char *what)
{
	printf("%s - %s\n", ok ? "ok" : "not ok", what);
	failed |= !ok;
}

static const char line[] = "{\"kind\":\"k\",\"scope\":\"all\",\"n\":5,"
    "\"busy_ns\":1500000,\"wall_ns\":3000000,\"peak_bytes\":1048576,"
    "\"ratio\":0.25,\"big\":9007199254740993,\"yes\":true,\"no\":false,"
    "\"empty\":\"\",\"nil\":null,\"id\":\"0042\",\"text\":\"a b\","
    "\"quote\":\"'q'\",\"money\":\"$5\"}";

static struct tp_rec rec;

/* 1, 0; -1 with an error. */
static int
holds(const char *text)
{
	struct tp_cond c;
	struct tp_err err;

	return tp_cond_parse(&c, text, strlen(text), &err) < 0 ? -1 :
	    tp_cond_of(&c, &rec);
}

static const char *const true_ones[] = {
	"n", "!none", "!nil", "!no", "!empty", "!!n", "yes", "ratio",
	"n=5", "n = 5", " n  =  5 ", "n=5.0", "n=+5", "n!=4", "n != 4.5",
	"n<6", "n<=5", "n>4", "n>=5", "n>4.99", "!n>5", "!n=4",
	"busy_ns=1.5ms", "busy_ns<1s", "busy_ns>=1500us", "busy_ns<2e6",
	"peak_bytes=1MiB", "peak_bytes>=1024 KiB", "ratio=0.25",
	"ratio<0.26", "ratio>=.25", "big=9007199254740993",
	"big>9007199254740992", "big!=9007199254740992",
	"yes=true", "no=false", "yes!=false", "yes=1", "scope=all",
	"scope!=target", "scope='all'", "text=a b", "text='a b'", "id=0042",
	"id!=42", "id='0042'", "quote=''q''", "money='$5'",
	"scope~a*", "scope~?ll", "scope~[a-c]ll", "!scope~b*", "text~a *",
	"n~*", "no~*", "!none~*", "none!=1", "none!=a", "!none<1",
	"busy_ns<$wall_ns", "busy_ns=0.5*$wall_ns", "busy_ns = 0.5 * $wall_ns",
	"wall_ns>=2*$busy_ns", "wall_ns <= 2 * $busy_ns", "scope=$scope",
	"scope!=$text", "n!=$none", "none!=$n", "scope!=5", "n!=x", "n>=$n",
};

static const char *const false_ones[] = {
	"!n", "none", "nil", "no", "empty", "!yes",
	"n=4", "n!=5", "n<5", "n<=4.9", "n>5", "n>=6", "n=a", "none=1",
	"none<1", "none>=0", "none~*", "nil=null", "nil~*", "busy_ns>1.5ms",
	"peak_bytes<1MiB", "big=9007199254740992", "yes=false", "no=true",
	"scope=al", "scope=all2", "scope=ALL", "scope<5", "scope>1", "id=42",
	"scope~b*", "scope~al", "text=a", "busy_ns>=$wall_ns",
	"n<$none", "none=$none", "n=$scope", "text='$text'",
};

static const struct {
	const char *text, *why;
} errors[] = {
	{ "", "condition '': column 1: the NAME of a value is expected" },
	{ "  ", "condition '': column 1: the NAME of a value is expected" },
	{ "!", "condition '!': column 2: the NAME of a value is expected" },
	{ "=5", "condition '=5': column 1: the NAME of a value is expected" },
	{ "n 5", "condition 'n 5': column 3: one of = != < <= > >= ~ is "
	    "expected" },
	{ "n!5", "condition 'n!5': column 2: one of = != < <= > >= ~ is "
	    "expected" },
	{ "n==5", "condition 'n==5': column 3: a value is expected" },
	{ "n<", "condition 'n<': column 3: a value is expected" },
	{ "n~", "condition 'n~': column 3: a value is expected" },
	{ "n<x", "condition 'n<x': column 3: a number or $NAME is expected" },
	{ "n > 5x", "condition 'n > 5x': column 5: a number or $NAME is "
	    "expected" },
	{ "n<=inf", "condition 'n<=inf': column 4: a number or $NAME is "
	    "expected" },
	{ "n<nan", "condition 'n<nan': column 3: a number or $NAME is "
	    "expected" },
	{ "n<'5'", "condition 'n<'5'': column 3: a number or $NAME is "
	    "expected" },
	{ "n='a", "condition 'n='a': column 5: a closing ' is expected" },
	{ "n='", "condition 'n='': column 4: a closing ' is expected" },
	{ "n<$", "condition 'n<$': column 4: one NAME is expected" },
	{ "n<2*$a b", "condition 'n<2*$a b': column 6: one NAME is "
	    "expected" },
};

static void
check_tables(void)
{
	struct tp_cond c;
	struct tp_err err;
	char pattern[300];

	for (size_t i = 0; i < sizeof true_ones / sizeof *true_ones; i++)
		expect(holds(true_ones[i]) == 1, true_ones[i]);
	for (size_t i = 0; i < sizeof false_ones / sizeof *false_ones; i++)
		expect(holds(false_ones[i]) == 0, false_ones[i]);
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
		memset(&err, 0, sizeof err);
		expect(tp_cond_parse(&c, errors[i].text,
		    strlen(errors[i].text), &err) < 0 &&
		    err.status == TP_BAD &&
		    !strcmp(err.text, errors[i].why), errors[i].why);
	}
	memset(pattern, 'x', sizeof pattern);
	pattern[1] = '~';
	expect(!tp_cond_parse(&c, pattern, 257, &err) &&
	    tp_cond_parse(&c, pattern, 258, &err) < 0,
	    "a pattern has 255 bytes at most");
}

/* Why a comparison cannot be made is told. */
static void
check_wrong(void)
{
	static const struct {
		const char *text, *why;
	} wrong[] = {
		{ "scope<5", "is text, compared with a number" },
		{ "scope=5", "is text, compared with a number" },
		{ "scope<$text", "is text, which has no order" },
		{ "n=a", "is no text, compared with text" },
		{ "n=$scope", "is no text, compared with text" },
		{ "scope=a", NULL }, { "n=5", NULL }, { "none=a", NULL },
	};
	const char *why;
	struct tp_cond c;
	struct tp_err err;

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		char name[8] = "", other[8] = "";

		why = NULL;
		if (tp_cond_parse(&c, wrong[i].text, strlen(wrong[i].text),
		    &err) < 0)
			exit(1);
		memcpy(name, c.name, c.name_len);
		if (c.other)
			memcpy(other, c.other, c.other_len);
		tp_cond_holds(&c, tp_rec_field(&rec, name), c.other ?
		    tp_rec_field(&rec, other) : NULL, &why);
		expect(wrong[i].why ? why && !strcmp(why, wrong[i].why) :
		    !why, wrong[i].text);
	}
}

static void
check_lists(void)
{
	struct tp_conds conds = { 0 };
	struct tp_err err;

	expect(!tp_conds_parse(&conds, "  n=5 scope!=b  text='a b' "
	    "k[a b].x !none ", &arena, &err) && conds.count == 5 &&
	    !strcmp(conds.list[0].name, "n") &&
	    !strcmp(conds.list[1].text, "b") &&
	    !strcmp(conds.list[2].text, "a b") &&
	    !strcmp(conds.list[3].name, "k[a b].x"),
	    "blanks separate, but in brackets and quotes");
	conds.count = 3;
	expect(tp_conds_of(&conds, &rec), "all of them hold");
	expect(!tp_conds_parse(&conds, "n=4", &arena, &err) &&
	    conds.count == 4 && !tp_conds_of(&conds, &rec),
	    "one does not hold");
	expect(tp_conds_parse(&conds, "n=5 scope<b", &arena, &err) < 0 &&
	    !strcmp(err.text, "condition 'scope<b': column 7: a number or "
	    "$NAME is expected"), "the wrong one of a list is named");
	conds.count = 0;
	expect(!tp_conds_parse(&conds, "", &arena, &err) && !conds.count &&
	    tp_conds_of(&conds, &rec), "none hold of everything");
}

static void
check_brackets(void)
{
	static const struct {
		const char *selector;
		int is;
	} brackets[] = {
		{ "k", 1 }, { "k[all]", 1 }, { "k[target]", 0 },
		{ "k[scope=all]", 1 }, { "k[n=5]", 1 }, { "k[n>5]", 0 },
		{ "k[all][n>=5]", 1 }, { "k[n>=5][target]", 0 },
		{ "k[busy_ns>1ms]", 1 }, { "k[text=a b]", 1 },
		{ "k[none!=x]", 1 }, { "k[none]", 0 }, { "k[n]", 0 },
		{ "k[scope~a*]", 1 }, { "k[busy_ns<$wall_ns]", 1 },
		{ "k[n<]", 0 }, { "k[=]", 0 }, { "k[]", 0 }, { "k[n=5", 0 },
	};

	for (size_t i = 0; i < sizeof brackets / sizeof *brackets; i++)
		expect(tp_rec_is(&rec, brackets[i].selector,
		    strlen(brackets[i].selector)) == brackets[i].is,
		    brackets[i].selector);
}

/* How a rule compared before: the reference of what is translated. */
static int
rule_before(const struct cJSON *form)
{
	static const char *const ops[] = { "<", "<=", ">", ">=", "==", "!=",
	    "exists", "absent" };
	const struct cJSON *value = tp_json_get(form, "value");
	const char *op = tp_json_text(form, "op");
	const char *metric2 = tp_json_text(form, "metric2");
	const struct tp_field *a = tp_rec_field(&rec, tp_json_text(form,
	    "metric")), *b = metric2 ? tp_rec_field(&rec, metric2) : NULL;
	double x, y, factor = 1;
	int i = 0, order;

	while (strcmp(op, ops[i]))
		i++;
	a = a && a->type == TP_FIELD_NULL ? NULL : a;
	b = b && b->type == TP_FIELD_NULL ? NULL : b;
	if (i > 5)
		return !a == (i == 7);
	if (!a || (metric2 && !b))
		return 0;
	if ((a->type == TP_FIELD_TEXT) != (b ? b->type == TP_FIELD_TEXT :
	    cJSON_IsString(value)))
		return -1;
	if (a->type == TP_FIELD_TEXT) {
		order = strcmp(a->text, b ? b->text : value->valuestring);
		if (i < 4)
			return -1;
	} else {
		tp_json_number(form, "factor", &factor);
		x = a->type == TP_FIELD_BOOL ? (double)a->n : a->x;
		y = !b ? cJSON_IsNumber(value) ? value->valuedouble :
		    cJSON_IsTrue(value) : factor * (b->type == TP_FIELD_BOOL ?
		    (double)b->n : b->x);
		order = (x > y) - (x < y);
	}
	switch (i) {
	case 0:
		return order < 0;
	case 1:
		return order <= 0;
	case 2:
		return order > 0;
	case 3:
		return order >= 0;
	case 4:
		return !order;
	default:
		return order != 0;
	}
}

/* Every key, operator and value against how it was before. */
static void
check_before(void)
{
	static const char *const keys[] = { "n", "busy_ns", "ratio", "yes",
	    "no", "empty", "nil", "id", "text", "quote", "money", "none",
	    "scope" };
	static const char *const ops[] = { "<", "<=", ">", ">=", "==", "!=",
	    "exists", "absent" };
	static const char *const values[] = { "\"value\":5",
	    "\"value\":0.25", "\"value\":-1e3", "\"value\":1500000",
	    "\"value\":true", "\"value\":false", "\"value\":\"all\"",
	    "\"value\":\"0042\"", "\"value\":\"a b\"", "\"value\":\"'q'\"",
	    "\"value\":\"$5\"", "\"metric2\":\"n\"",
	    "\"metric2\":\"wall_ns\",\"factor\":0.5", "\"metric2\":\"text\"",
	    "\"metric2\":\"nil\"", "\"metric2\":\"none\",\"factor\":2" };
	const char *why;
	size_t count = 0, wrong = 0;

	for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
	for (size_t o = 0; o < sizeof ops / sizeof *ops; o++)
	for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
		char text[200];
		struct tp_conds conds = { 0 };
		struct tp_err err;
		cJSON *form;
		int want, got;

		snprintf(text, sizeof text, "[{\"metric\":\"%s\",\"op\":"
		    "\"%s\"%s%s}]", keys[k], ops[o], o > 5 ? "" : ",",
		    o > 5 ? "" : values[v]);
		form = cJSON_Parse(text);
		/* a text was refused where numbers have an order */
		if (o < 4 && strstr(values[v], "\"value\":\"")) {
			expect(tp_conds_json(&conds, form, &arena, &err) < 0,
			    text);
			cJSON_Delete(form);
			continue;
		}
		want = rule_before(form->child);
		why = NULL;
		if (tp_conds_json(&conds, form, &arena, &err) < 0)
			got = -2;
		else
			got = tp_cond_holds(conds.list,
			    tp_rec_field(&rec, conds.list->name),
			    conds.list->other ? tp_rec_field(&rec,
			    conds.list->other) : NULL, &why);
		got = why ? -1 : got;
		count++;
		if (got != want && !wrong++)
			printf("# %s: %d, was %d\n", text, got, want);
		cJSON_Delete(form);
	}
	expect(count > 1000 && !wrong,
	    "conditions of rules mean what they meant");
	expect(!strcmp(tp_cond_was_old(), "n < 5"),
	    "the first in a form of before is told as it is now");
}

static void
check_members(void)
{
	static const struct {
		const char *form;
		int holds;	/* -1: refused */
	} forms[] = {
		{ "{\"scope\":\"all\",\"n\":\"> 4\"}", 1 },
		{ "{\"scope\":\"all\",\"n\":\"> 5\"}", 0 },
		{ "{\"n\":\"5\",\"yes\":\"true\"}", 1 },
		{ "{\"scope\":\"$scope\"}", 1 }, { "{\"scope\":\"$text\"}", 0 },
		{ "{\"text\":\"a b\"}", 1 }, { "{\"n\":5}", -1 },
		{ "\"n = 5\"", 1 }, { "[\"n = 5\",\"no\"]", 0 },
		{ "[]", 1 }, { "[5]", -1 }, { "7", -1 }, { "[\"\"]", -1 },
		{ "[{\"metric\":\"n\"}]", -1 }, { "\"n <\"", -1 },
		{ "[{\"metric\":\"n\",\"op\":\"in\",\"value\":1}]", -1 },
		{ "[{\"metric\":\"n\",\"op\":\"<\"}]", -1 },
		{ "[{\"metric\":\"n\",\"op\":\"exists\",\"value\":1}]", -1 },
	};

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		cJSON *form = cJSON_Parse(forms[i].form);
		struct tp_conds conds = { 0 };
		struct tp_err err;
		int rc = tp_conds_json(&conds, form, &arena, &err);

		expect((rc < 0 ? -1 : tp_conds_of(&conds, &rec)) ==
		    forms[i].holds, forms[i].form);
		cJSON_Delete(form);
	}
}

int
main(void)
{
	struct tp_err err;

	if (tp_rec_parse(&rec, line, strlen(line), &arena, &err) < 0)
		return 1;
	check_tables();
	check_wrong();
	check_lists();
	check_brackets();
	check_before();
	check_members();
	expect(holds("none!=") == 0 && holds("n!=") == 1 &&
	    holds("empty=") == 1, "'KEY!=' and 'KEY=' are 'KEY' and '!KEY'");
	tp_arena_release(&arena);
	return failed;
}
