/* Templates: what each tag prints, and what is refused. */
#include <stdio.h>
#include <string.h>

#include <tp/show/template.h>

static int failed;
static char missed[200];

static const char *const lines[] = {
	"{\"kind\":\"gpu.summary\",\"scope\":\"all\",\"busy_ns\":63892716,"
	    "\"busy_ratio\":0.0391,\"rows\":3839,\"zero_count\":0}",
	"{\"kind\":\"gpu.summary\",\"scope\":\"target\",\"busy_ns\":6700000,"
	    "\"process\":\"a|b\",\"one_count\":1,\"empty\":\"\","
	    "\"no\":false,\"yes\":true,\"nothing\":null}",
	"{\"kind\":\"proc\",\"rank\":1,\"name\":\"A\",\"role\":\"target\"}",
	"{\"kind\":\"proc\",\"rank\":2,\"name\":\"B_\",\"role\":\"other\","
	    "\"extra\":\"x\"}",
	"{\"kind\":\"proc\",\"rank\":3,\"name\":\"C\",\"role\":\"other\"}",
	"{\"kind\":\"word\",\"rank\":9,\"category\":\"two words\","
	    "\"title\":\"CPU & GPU: take  turns (\xc3\xbc) 5 %\"}",
	"{\"kind\":\"finding\",\"id\":\"f1\",\"text\":\"**raw** {{no}}\"}",
	"{\"kind\":\"finding\",\"id\":\"f2\",\"text\":\"two\"}",
	"{\"kind\":\"finding.evidence\",\"finding_id\":\"f2\",\"metric\":"
	    "\"m2\"}",
	"{\"kind\":\"finding.evidence\",\"finding_id\":\"f1\",\"metric\":"
	    "\"m1\"}",
};

static const struct render {
	const char *text, *want;	/* want NULL: refused */
} renders[] = {
	{ "plain { text } }}", "plain { text } }}" },
	{ "{{gpu.summary.busy_ns}}", "63.9 ms" },
	{ "{{ gpu.summary.busy_ns }}", "63.9 ms" },
	{ "{{gpu.summary[target].busy_ns.ms.num}}", "6.70" },
	{ "{{gpu.summary[target].process}}", "a&#124;b" },
	{ "{{{gpu.summary[target].process}}}", "a|b" },
	{ "{{gpu.summary[all].busy_ratio}}", "3.9 %" },
	{ "{{gpu.summary[all].rows.code}}", "`3,839`" },
	{ "{{proc[other].name.code}}", "`B_`" },
	{ "{{word.title.anchor}}", "cpu--gpu-take-turns-\xc3\xbc-5-" },
	{ "{{gpu.summary[none].busy_ns}} {{nope}}", "n/a n/a" },
	{ "{{gpu.summary[target].nothing}}", "n/a" },
	{ "{{gpu.summary.busy_ns.gib}}", NULL },
	{ "{{gpu.summary.busy_ns.bogus}}", NULL },
	/* loops */
	{ "{{#proc}}{{rank}}{{name}} {{/proc}}", "1A 2B\\_ 3C " },
	{ "{{#proc:2}}{{rank}}{{,}}{{/proc}}", "1 and 2" },
	{ "{{#proc}}{{rank}}{{,}}{{/proc}}", "1, 2 and 3" },
	{ "{{#proc:1}}{{rank}}{{,}}{{/proc}}", "1" },
	{ "{{#proc}}{{rank}}{{;}}{{/proc}}", "1; 2; 3" },
	{ "{{#proc rank>1}}{{.}}. {{rank}} {{/proc}}", "1. 2 2. 3 " },
	{ "{{.}}x", "x" },
	{ "{{#proc[other]}}{{rank}}{{/proc[other]}}", "23" },
	{ "{{#proc rank!=2}}{{rank}}{{,}}{{/proc}}", "1 and 3" },
	{ "{{#proc role=other rank=3}}{{rank}}{{/proc}}", "3" },
	{ "{{#word[two words]:1 rank=9}}{{rank}}{{/word[two words]}}", "9" },
	{ "{{#word[two words] rank=8}}{{rank}}{{/word[two words]}}", "" },
	{ "{{#proc extra!=x}}{{rank}}{{/proc}}", "13" },
	{ "{{#proc what}}{{rank}}{{/proc}}", "" },
	{ "{{#proc extra}}{{rank}}{{/proc}}", "2" },
	{ "{{#proc !extra}}{{rank}}{{/proc}}", "13" },
	{ "{{#proc extra!=}}{{rank}}{{/proc}}", "2" },
	{ "{{#proc extra=}}{{rank}}{{/proc}}", "13" },
	{ "{{#proc:1 rank>1 name~B*}}{{rank}}{{/proc}}", "2" },
	{ "{{#proc[rank>1]}}{{rank}}{{/proc[rank>1]}}", "23" },
	{ "{{#proc[rank>1]:1}}{{rank}}{{/proc[rank>1]}}", "2" },
	{ "{{#proc}}{{?extra}}{{rank}}{{/proc}}", "1x23" },
	{ "{{?none}}{{?gpu.summary[all].zero_count}}", "0" },
	{ "{{#proc:2+}}more{{/proc}}{{^proc:2+}}all{{/proc}}", "more" },
	{ "{{#proc:1}}{{#proc:0+ rank>1}}{{rank}}{{/proc}}{{^proc:0+ rank>9}}-"
	    "{{/proc}}{{/proc}}", "1-" },
	{ "{{#proc:3+}}more{{/proc}}{{^proc:3+}}all{{/proc}}", "all" },
	{ "{{#proc:1+ rank>1}}a{{/proc}}{{#proc[rank>1]:2+}}b"
	    "{{/proc[rank>1]}}", "a" },
	{ "{{#gpu.summary[all].zero_count:1+}}x"
	    "{{/gpu.summary[all].zero_count}}", "" },
	{ "{{#proc rank>$gpu.summary.nope}}{{rank}}{{/proc}}", "" },
	{ "{{#proc rank=3}}{{#proc rank<$rank}}{{rank}}{{/proc}}{{/proc}}",
	    "12" },
	{ "{{#proc}}{{#rank >= 2}}{{rank}}{{/rank}}{{/proc}}", "23" },
	{ "{{#proc}}{{#rank<$rank}}x{{/rank}}{{#!extra}}{{rank}}{{/extra}}"
	    "{{/proc}}", "13" },
	{ "{{#word}}{{#category=two words}}{{rank}}{{/category}}{{/word}}",
	    "9" },
	{ "{{#word category='two words'}}{{rank}}{{/word}}", "9" },
	{ "{{#proc extra=y}}a{{/proc}}{{^proc extra=y}}b{{/proc}}", "b" },
	{ "{{#proc}}{{#extra}}{{rank}}{{extra}}{{/extra}}{{/proc}}", "2x" },
	{ "{{#none}}x{{/none}}{{^none}}y{{/none}}", "y" },
	{ "{{^proc}}x{{/proc}}", "" },
	/* a key of a loop further out is not seen */
	{ "{{#proc[other]:1}}{{#proc[target]}}{{#extra}}x{{/extra}}"
	    "{{/proc[target]}}{{/proc[other]}}", "" },
	{ "{{#finding}}{{id}}:{{#finding.evidence}}{{metric}}"
	    "{{/finding.evidence}} {{/finding}}", "f1:m1 f2:m2 " },
	{ "{{#finding.evidence}}{{metric}} {{/finding.evidence}}",
	    "m2 m1 " },
	{ "{{#finding:1}}{{{text}}}{{/finding}}", "**raw** {{no}}" },
	{ "{{#finding:1}}{{text}}{{/finding}}", "\\*\\*raw\\*\\* {{no}}" },
	/* values as conditions */
	{ "{{#gpu.summary[target]}}{{#yes}}1{{/yes}}{{#no}}2{{/no}}"
	    "{{#empty}}3{{/empty}}{{#nothing}}4{{/nothing}}"
	    "{{^empty}}5{{/empty}}{{#one_count}}6{{/one_count}}"
	    "{{/gpu.summary[target]}}", "156" },
	{ "{{#gpu.summary[all].zero_count}}0 is a value"
	    "{{/gpu.summary[all].zero_count}}", "0 is a value" },
	{ "{{^gpu.summary[all].zero_count=0}}x"
	    "{{/gpu.summary[all].zero_count}}", "" },
	{ "{{#proc}}{{#role=other}}{{rank}}{{/role}}{{^role=other}}-{{/role}}"
	    "{{/proc}}", "-23" },
	{ "{{#gpu.summary[target]}}row{{one_count.plural}}{{/gpu.summary"
	    "[target]}}", "row" },
	/* lines that leave nothing behind */
	{ "a\n  {{#proc:1}}  \nb\n{{/proc}}\nc\n", "a\nb\nc\n" },
	{ "a\n{{#proc:1}}{{#name}}\nb\n{{/name}}{{/proc}}\nc", "a\nb\nc" },
	{ "a\n{{! a\nlong comment }}\nb\n", "a\nb\n" },
	{ "{{! first }}\nb {{! no }}\n", "b \n" },
	{ "a\n{{#proc:1}} x\n{{/proc}}", "a\n x\n" },
	{ "a\r\n{{#proc:1}}\r\nb\r\n{{/proc}}\r\n", "a\r\nb\r\n" },
	/* partials */
	{ "a\n{{> part}}\nb\n", "a\n<3,839>\nb\n" },
	{ "a {{>part}} b\n", "a <3,839> b\n" },
	{ "{{#proc:2}}{{> name}}{{,}}{{/proc}}", "[A] and [B\\_]" },
	{ "{{#proc:2}}{{> name}}{{/proc}}\n", "[A]\n[B\\_]\n" },
	{ "{{> loop}}", NULL },
	{ "{{> absent}}", NULL },
	/* damage */
	{ "{{#proc}}", NULL },
	{ "{{/proc}}", NULL },
	{ "{{#proc}}{{#name}}{{/proc}}{{/name}}", NULL },
	{ "{{proc.rank", NULL },
	{ "{{}}", NULL },
	{ "{{#}}{{/}}", NULL },
	{ "{{#proc:0}}{{/proc}}", NULL },
	{ "{{#proc:x}}{{/proc}}", NULL },
	{ "{{#proc what<b}}{{/proc}}", NULL },
};

static int
partial(void *arg, const char *name, struct tp_buf *buf, struct tp_err *err)
{
	(void)arg;
	if (!strcmp(name, "part"))
		tp_buf_str(buf, "<{{gpu.summary.rows}}>\n");
	else if (!strcmp(name, "name"))
		tp_buf_str(buf, "[{{name}}]\n");
	else if (!strcmp(name, "loop"))
		tp_buf_str(buf, "{{> loop}}");
	else
		return tp_fail(err, TP_IO, "share.missing", 0, "no '%s'",
		    name);
	return 0;
}

static void
missing(void *arg, const char *name)
{
	(void)arg;
	strncat(missed, name, sizeof missed - strlen(missed) - 2);
	strcat(missed, ";");
}

static void
check(const struct tp_template *t, const struct render *r)
{
	struct tp_buf got = { 0 };
	struct tp_err err = { .status = TP_OK };
	int rc;

	rc = tp_template_render(t, r->text, strlen(r->text), &got, &err);
	if (rc != (r->want ? 0 : -1) || (r->want &&
	    strcmp(got.p ? got.p : "", r->want)) ||
	    (!r->want && !*err.text)) {
		printf("not ok '%s' gave %d '%s' %s, not '%s'\n", r->text,
		    rc, got.p ? got.p : "", rc < 0 ? err.text : "",
		    r->want ? r->want : "a refusal");
		failed = 1;
	}
	tp_buf_release(&got);
}

static void
expect(int good, const char *what)
{
	if (good)
		return;
	printf("not ok %s\n", what);
	failed = 1;
}

int
main(void)
{
	struct tp_set set = { 0 };
	struct tp_template t = { .set = &set, .partial = partial,
	    .missing = missing };
	const struct render twice = { "{{q}} {{q}} {{r.s}}", "n/a n/a n/a" };
	const struct render bare = { "{{name}}", "A" };
	const struct tp_field *field;
	struct tp_buf out = { 0 };
	const char *form;
	struct tp_err err;

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		if (tp_set_add(&set, lines[i], strlen(lines[i]), &err) < 0)
			expect(0, err.text);
	for (size_t i = 0; i < sizeof renders / sizeof *renders; i++)
		check(&t, &renders[i]);
	*missed = '\0';
	check(&t, &twice);
	expect(!strcmp(missed, "q;r.s;"), "each missing name is told once");
	t.current = &set.recs[2];
	check(&t, &bare);
	t.current = NULL;

	field = tp_template_field(&set, NULL,
	    "gpu.summary[target].busy_ns.ms.num", &form);
	expect(field && field->n == 6700000 && form &&
	    !strcmp(form, "ms.num"), "a field and its form");
	field = tp_template_field(&set, &set.recs[2], "name", &form);
	expect(field && !form, "a field of the current record");
	expect(!tp_template_field(&set, NULL, "name", NULL),
	    "no current record, no key");

	t.partial = NULL;
	expect(tp_template_render(&t, "a\n\n{{> part}}", 13, &out,
	    &err) < 0 && err.line == 3, "damage is told with its line");
	tp_buf_release(&out);
	tp_set_release(&set);
	return failed;
}
