/* event_inputs - read trace events from the operands */
#include <string.h>

#include <tp/order.h>

#include "tool_parts.h"
#include "read/json_check.h"
#include "read/row_events.h"

int
tp_tool_is_events(struct tp_run *run, enum tp_format format)
{
	/* a filter that reads tables takes CSV as rows, not as events */
	if (format == TP_FORMAT_CSV && (run->tool->flags & TP_TOOL_EVENTS) &&
	    !(run->tool->flags & TP_TOOL_TABLES)) {
		int is = tp_row_events_is(run->private->in, &run->err);

		if (is < 0)
			tp_die_err(run);
		return is;
	}
	/*
	 * a trace without events, or one whose first 64 KiB hold other members,
	 * is sniffed as plain JSON
	 */
	return (run->tool->flags & TP_TOOL_EVENTS) &&
	    (format == TP_FORMAT_TRACE_EVENTS || format == TP_FORMAT_XPLANE ||
	    format == TP_FORMAT_PERFETTO || format == TP_FORMAT_JSON ||
	    (format == TP_FORMAT_SQLITE &&
	    run->want && run->want->databases));
}

int
tp_tool_is_scalar(struct tp_run *run)
{
	struct tp_check check;
	const char *p;
	ptrdiff_t n;

	if (!(run->tool->flags & TP_TOOL_EVENTS))
		return 0;
	n = tp_in_peek(run->private->in, &p, &run->err);
	/* a small document that is neither an object nor a list */
	if (n <= 0 || n >= 65536 || *p == '{' || *p == '[')
		return 0;
	tp_check_init(&check);
	if (tp_check_run(&check, p, (size_t)n) != (size_t)n ||
	    !tp_check_end(&check))
		return 0;
	tp_tool_add_source(run, "json", NULL);
	tp_trace_note(run->trace, "event.none", 0, 1, "%s: no events",
	    run->file);
	return 1;
}

int
tp_tool_open_events(struct tp_run *run)
{
	struct tp_run_private *p = run->private;
	struct tp_events_want want = { 0 };
	const char *recorder, *framework;
	enum tp_format format = tp_in_sniff(p->in, &run->err);

	if (run->want)
		want = *run->want;
	want.strict = run->strict;
	want.jobs = (size_t)p->jobs;
	run->events = tp_events_open(p->in, &want, run->trace, &run->err);
	if (!run->events)
		return -1;
	TP_APPEND(p->readers, p->reader_count, p->reader_cap, run->events);
	recorder = tp_events_recorder(run->events, &framework);
	if (tp_events_is_space(run->events))
		tp_tool_add_source(run, "xplane", "xspace");
	else if (recorder || format == TP_FORMAT_PERFETTO)
		tp_tool_add_source(run, tp_format_name(format), recorder ?
		    recorder : "trace-events");
	else
		tp_tool_add_source(run, "json", "trace-events");
	p->reading_events = 1;
	p->timed = p->unread = 0;
	p->first_ps = INT64_MAX;
	p->last_ps = INT64_MIN;
	return 0;
}

/* Refuse a document without traceEvents. */
static int
is_trace(struct tp_run *run)
{
	/* tp-rows --strict validates any JSON document */
	int any = (run->tool->flags & TP_TOOL_TABLES) && run->strict;

	if (any || tp_events_found(run->events) ||
	    tp_events_blank(run->events))
		return 1;
	tp_tool_wrong_format(run, TP_FORMAT_JSON);
	return 0;
}

static void
close_events(struct tp_run *run)
{
	struct tp_run_private *p = run->private;
	struct tp_source *s = &run->trace->sources[p->source_from];

	p->reading_events = 0;
	if (run->tool->events_end)
		run->tool->events_end(run);
	s->rows = tp_events_elements(run->events);
	s->skipped += tp_events_unmatched(run->events);
	tp_tool_note_lost(run, s, "events", p->timed + p->unread +
	    tp_events_unmatched(run->events));
	if (p->first_ps <= p->last_ps) {
		s->first_ns = tp_ps_to_ns(p->first_ps);
		s->last_ns = tp_ps_to_ns(p->last_ps);
	}
	tp_tool_count_bytes(run, p->source_from);
	tp_tool_close_input(run);
}

/* Extend the time range of the events from the first start to the last end. */
static void
widen(struct tp_run_private *p, const struct tp_event *v)
{
	int64_t end;

	if (!v->has_ts)
		return;
	p->timed++;
	TP_LEAST(p->first_ps, v->ts_ps);
	if (__builtin_add_overflow(v->ts_ps, v->dur_ps, &end))
		end = INT64_MAX;
	TP_MOST(p->last_ps, end);
}

int
tp_tool_pull_event(struct tp_run *run)
{
	struct tp_run_private *p = run->private;
	int rc;

	for (;;) {
		rc = tp_events_next(run->events, &run->event, &run->err);
		if (rc >= 0 || run->err.fatal)
			break;
		p->unread++;
		run->trace->sources[p->source_from].skipped++;
		tp_skip(run);
	}
	if (rc > 0) {
		widen(p, &run->event);
		return 1;
	}
	run->is_cut = rc < 0;
	if (rc < 0 || !is_trace(run))
		tp_tool_bad_input(run);
	close_events(run);
	return 0;
}

int
tp_next_event(struct tp_run *run)
{
	struct tp_run_private *p = run->private;
	enum tp_format format;

	for (;;) {
		if (p->reading_events && tp_tool_pull_event(run))
			return 1;
		if (!tp_tool_open_next(run, &format))
			return 0;
		if (!tp_tool_is_events(run, format))
			tp_tool_wrong_format(run, format);
		else if (!tp_tool_open_events(run))
			continue;
		tp_tool_bad_input(run);
		tp_tool_close_input(run);
	}
}

void
tp_tool_free_events(struct tp_run *run)
{
	struct tp_run_private *p = run->private;

	for (size_t i = 0; i < p->reader_count; i++)
		tp_events_close(p->readers[i]);
	tp_free(p->readers);
}
