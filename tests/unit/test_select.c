/* Selectors: which part of a name is the kind, the key and the form. */
#include <stdio.h>
#include <string.h>

#include <tp/select.h>

static int failed;

static const char *const lines[] = {
	"{\"kind\":\"gpu\",\"summary\":1,\"n\":2}",
	("{\"kind\":\"gpu.summary\",\"scope\":\"all\",\"busy_ns\":3,"
	    "\"no\":null}"),
	"{\"kind\":\"gpu.summary\",\"scope\":\"target\",\"busy_ns\":4}",
	"{\"kind\":\"b\",\"scope\":\"all\",\"bucket\":\"<1.5us\",\"n\":5}",
};

/* NAME: its records, key and form, "-" for none, and the first value. */
static const struct split {
	const char *name, *want;
} splits[] = {
	{ "gpu.summary.busy_ns", "gpu.summary|busy_ns|-|3" },
	{ "gpu.summary.busy_ns.ms.num", "gpu.summary|busy_ns|ms.num|3" },
	{ "gpu.summary[target].busy_ns.s",
	    "gpu.summary[target]|busy_ns|s|4" },
	{ "gpu.summary", "gpu.summary|-|-|-" },
	{ "gpu.summary[all]", "gpu.summary[all]|-|-|-" },
	{ "gpu.n", "gpu|n|-|2" },
	{ "gpu", "gpu|-|-|-" },
	{ "gpu.summary.no", "gpu.summary|no|-|-" },
	{ "gpu.summary.nope", "gpu.summary|nope|-|-" },
	{ "b[all][<1.5us].n", "b[all][<1.5us]|n|-|5" },
	{ "b[<1.5us].n", "b[<1.5us]|n|-|5" },
	{ "b.", "b||-|-" },
	{ "gpu.summary[none].busy_ns", NULL },
	{ "gpu.summary[all]busy_ns", NULL },
	{ "gpux.n", NULL },
	{ "gp", NULL },
	{ "", NULL },
	{ ".", NULL },
	{ "]", NULL },
	{ "[all].n", NULL },
};

static void
check(const struct tp_set *set, const struct split *t)
{
	const struct tp_field *field;
	const struct tp_rec *rec;
	struct tp_select s;
	char got[200];
	size_t at = 0;
	int ok;

	if (!tp_select_split(set, t->name, &s)) {
		ok = !t->want;
		strcpy(got, "nothing");
	} else {
		rec = tp_set_next_part(set, s.records, s.records_len, &at);
		field = tp_select_field(&s, rec);
		snprintf(got, sizeof got, "%.*s|%.*s|%s|%s",
		    (int)s.records_len, s.records,
		    s.key ? (int)s.key_len : 1, s.key ? s.key : "-",
		    s.form ? s.form : "-", field ? field->text : "-");
		ok = t->want && !strcmp(got, t->want);
	}
	failed |= !ok;
	printf("%s select: '%s'%s%s\n", ok ? "ok" : "not ok", t->name,
	    ok ? "" : " gave ", ok ? "" : got);
}

int
main(void)
{
	struct tp_set set = { 0 };
	struct tp_err err;
	size_t i;

	for (i = 0; i < sizeof lines / sizeof *lines; i++)
		if (tp_set_add(&set, lines[i], strlen(lines[i]), &err) < 0)
			return 2;
	for (i = 0; i < sizeof splits / sizeof *splits; i++)
		check(&set, &splits[i]);
	tp_set_release(&set);
	return failed;
}
