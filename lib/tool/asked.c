/* asked - report names on the command line that no input has */
#include <stdlib.h>
#include <string.h>

#include <tp/choice.h>
#include <tp/unit.h>

#include "tool_parts.h"

/* Most process names kept for a message. */
#define PROCESSES_MAX 1000

/* Whether V is the process that ASKED names, by name or pid. */
static int
is_asked(const char *asked, const struct tp_value *v)
{
	char *end;
	long pid = strtol(asked, &end, 10);

	return (v->len == strlen(asked) && !memcmp(v->text, asked, v->len)) ||
	    (end != asked && !*end && v->n == pid);
}

void
tp_tool_see_process(struct tp_run *run)
{
	struct tp_run_private *p = run->private;
	const struct tp_value *v = run->row.v, *end;

	end = v + run->row.count * (run->row.more + 1);

	for (; v < end; v++) {
		if (v->type != TP_PROCESS || !v->len)
			continue;
		if (is_asked(p->process, v)) {
			p->seek_process = 0;
			return;
		}
		if (p->processes.count < PROCESSES_MAX)
			tp_names_add(&p->processes, v->text, v->len);
	}
}

/*
 * Warn that no row is of the process asked for, usually a misspelt name, and
 * lists the processes there are.
 */
static void
tell_process(struct tp_run *run)
{
	const struct tp_names *there = &run->private->processes;
	struct tp_choice choice;

	tp_choice_init(&choice, run->private->process);
	for (size_t i = 0; i < there->count; i++)
		tp_choice_add(&choice, there->names[i].text);
	tp_warn(run, "no row is of process '%s'; there is: %s",
	    run->private->process, tp_choice_text(&choice));
	tp_choice_release(&choice);
	tp_status_at_least(run, TP_NO);
}

/* Count the sources of T with a table that this filter does not read. */
static size_t
unused_tables(const struct tp_trace *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->note_count; i++)
		if (!strcmp(t->notes[i].code, "table.unused"))
			n += t->notes[i].count;
	return n;
}

/*
 * If no input has a table that this filter reads, warns and names a filter
 * that reads it.
 */
static void
tell_tables(struct tp_run *run)
{
	struct tp_run_private *p = run->private;
	const struct tp_source *first = NULL;
	const struct tp_export *e;
	size_t tables = 0, unused = 0;

	for (const struct tp_trace *t = p->traces; t; t = t->next) {
		tables += t->source_count;
		unused += unused_tables(t);
		if (!first && t->source_count)
			first = t->sources;
	}
	if (!first || !first->schema || unused < tables ||
	    tp_tables_load_exports(p->tables, &run->err) < 0)
		return;
	e = tp_tables_export(p->tables, first->schema);
	tp_warn(run, "%s: table %s is not read here; %s reads it",
	    first->file, first->schema, e && e->filter && strcmp(e->filter,
	    run->tool->name) ? e->filter : "tp-rows");
}

/* Warn if --from is after the last row, so that nothing is left of TRACE. */
static void
tell_window(struct tp_run *run, const struct tp_trace *t)
{
	int64_t last_ns = INT64_MIN;
	struct tp_buf last = { 0 };

	for (size_t i = 0; i < t->source_count; i++)
		if (t->sources[i].first_ns <= t->sources[i].last_ns &&
		    t->sources[i].last_ns > last_ns)
			last_ns = t->sources[i].last_ns;
	if (last_ns == INT64_MIN || t->window.from_ns < last_ns)
		return;
	tp_unit_ns(&last, last_ns);
	tp_warn(run, "the window leaves nothing of '%s': its last row "
	    "ends at %s", t->src, last.p ? last.p : "");
	tp_buf_release(&last);
	tp_status_at_least(run, TP_NO);
}

void
tp_tool_tell_asked(struct tp_run *run)
{
	struct tp_run_private *p = run->private;

	if (p->tables && run->tool->tables)
		tell_tables(run);
	if (p->records_file && run->tool->tables && !p->any_row &&
	    !p->damage_count && p->status <= TP_NO)
		tp_warn(run, "%s: records without a row of a table; tp-render "
		    "and tp-query read them", p->records_file);
	for (const struct tp_trace *t = p->traces; p->from && t; t = t->next)
		tell_window(run, t);
	if (p->seek_process && p->processes.count)
		tell_process(run);
	tp_names_release(&p->processes);
	/*
	 * a kind without records is a valid answer; a value in brackets that no
	 * record has is probably a mistake
	 */
	if (p->only.p && strchr(p->only.p, '[') && !run->out.bytes &&
	    !run->out.buf.len && p->status <= TP_NO)
		tp_warn(run, "--only '%s': no such record was written",
		    p->only.p);
}
