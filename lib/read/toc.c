/* toc - the table of contents of a trace */
#include <stdlib.h>
#include <string.h>

#include <tp/read/xctrace.h>
#include <tp/unit.h>

#include "xml.h"

struct toc {
	struct tp_xml xml;
	struct tp_toc_run *first, *run;
	struct tp_buf text;
	int in_target, in_summary, in_settings;
};

static char *
copy(const char *text)
{
	char *p;

	if (!text)
		return NULL;
	p = tp_dup(text);
	return p;
}

/* Store TEXT in *FIELD unless it is already set. */
static void
set(char **field, const char *text)
{
	if (!*field && text && *text)
		*field = copy(text);
}

static void
new_run(struct toc *t, const char **atts)
{
	const char *number = tp_xml_attr(atts, "number");
	struct tp_toc_run *r = tp_zalloc(sizeof *r);

	r->run = number ? strtoll(number, NULL, 10) : 1;
	r->duration_ns = r->pid = -1;
	if (t->run)
		t->run->next = r;
	else
		t->first = r;
	t->run = r;
}

static void
target_process(struct toc *t, const char **atts)
{
	const char *pid = tp_xml_attr(atts, "pid");

	set(&t->run->process, tp_xml_attr(atts, "name"));
	set(&t->run->process_type, tp_xml_attr(atts, "type"));
	set(&t->run->arguments, tp_xml_attr(atts, "arguments"));
	set(&t->run->exit_status, tp_xml_attr(atts, "return-exit-status"));
	if (pid && *pid && t->run->pid < 0)
		t->run->pid = strtoll(pid, NULL, 10);
}

static void
count_table(struct toc *t, const char *schema)
{
	struct tp_toc_run *r = t->run;
	ptrdiff_t i;

	if (!schema)
		return;
	i = tp_names_add(&r->tables, schema, strlen(schema));
	TP_ITEM(r->table_counts, r->count_cap, i);
	r->table_counts[i]++;
}

static void
on_start(void *arg, const char *tag, const char **atts)
{
	struct toc *t = arg;

	tp_buf_clear(&t->text);
	if (!strcmp(tag, "run"))
		new_run(t, atts);
	if (!t->run)
		return;
	if (!strcmp(tag, "target")) {
		t->in_target = 1;
	} else if (!strcmp(tag, "summary")) {
		t->in_summary = 1;
	} else if (strstr(tag, "recording-settings")) {
		t->in_settings = 1;
	} else if (t->in_target && !strcmp(tag, "process")) {
		target_process(t, atts);
	} else if (t->in_target && !strcmp(tag, "device")) {
		set(&t->run->device, tp_xml_attr(atts, "name"));
		set(&t->run->device_model, tp_xml_attr(atts, "model"));
		set(&t->run->platform, tp_xml_attr(atts, "platform"));
		set(&t->run->os_version, tp_xml_attr(atts, "os-version"));
	} else if (!strcmp(tag, "table")) {
		count_table(t, tp_xml_attr(atts, "schema"));
	}
}

/* End of an element of the summary; TEXT is complete. */
static void
summary(struct toc *t, const char *tag, const char *text)
{
	struct tp_toc_run *r = t->run;

	if (!strcmp(tag, "duration"))
		/* decimal seconds; anything else is no duration */
		(void)tp_unit_decimal(text, strlen(text), 1000000000,
		    &r->duration_ns);
	else if (!strcmp(tag, "template-name"))
		set(&r->template_name, text);
	else if (!strcmp(tag, "recording-mode"))
		set(&r->recording_mode, text);
	else if (!strcmp(tag, "end-reason"))
		set(&r->end_reason, text);
	else if (!strcmp(tag, "instruments-version"))
		set(&r->instruments_version, text);
	else if (!strcmp(tag, "start-date"))
		set(&r->start_date, text);
	else if (!strcmp(tag, "end-date"))
		set(&r->end_date, text);
}

static void
on_end(void *arg, const char *tag)
{
	struct toc *t = arg;

	if (!strcmp(tag, "target"))
		t->in_target = 0;
	else if (!strcmp(tag, "summary"))
		t->in_summary = 0;
	else if (strstr(tag, "recording-settings"))
		t->in_settings = 0;
	else if (t->run && t->in_summary && !t->in_settings && t->text.p)
		summary(t, tag, t->text.p);
	tp_buf_clear(&t->text);
}

static void
on_text(void *arg, const char *text, int len)
{
	struct toc *t = arg;

	if (t->in_summary)
		tp_buf_add(&t->text, text, (size_t)len);
}

void
tp_toc_free(struct tp_toc_run *r)
{
	struct tp_toc_run *next;

	for (; r; r = next) {
		char *texts[] = { r->process, r->process_type, r->arguments,
		    r->exit_status, r->device, r->device_model, r->platform,
		    r->os_version, r->template_name, r->recording_mode,
		    r->end_reason, r->instruments_version, r->start_date,
		    r->end_date };

		next = r->next;
		for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
			tp_free(texts[i]);
		tp_names_release(&r->tables);
		tp_free(r->table_counts);
		tp_free(r);
	}
}

struct tp_toc_run *
tp_toc_read(struct tp_in *in, struct tp_err *err)
{
	struct toc t;
	int more;

	memset(&t, 0, sizeof t);
	t.xml.arg = &t;
	t.xml.start = on_start;
	t.xml.end = on_end;
	t.xml.text = on_text;
	tp_xml_open(&t.xml, in);
	while ((more = tp_xml_more(&t.xml, err)) > 0)
		continue;
	tp_xml_close(&t.xml);
	tp_buf_release(&t.text);
	if (!more && !t.first)
		more = tp_fail(err, TP_BAD, "toc.empty", 0,
		    "the table of contents holds no run");
	if (more < 0) {
		tp_toc_free(t.first);
		return NULL;
	}
	return t.first;
}
