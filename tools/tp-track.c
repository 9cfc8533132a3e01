/*
 * tp-track - does a change pass
 *
 * Compares two runs, holds what changed to limits, says pass, warn, fail or
 * unknown, and puts the run on record.  The limits are data, share/gates.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tp/judge/gate.h>
#include <tp/judge/history.h>

#include "sides.h"

static int allow_same, allow_unknown, github, json, no_fail;
static const char *history, *junit, *rules;
static int64_t top = 10;

static const struct tp_option options[] = {
	{ TP_OPT_TEXT, "history", 0, "FILE",
	    "append the run to FILE, a line of JSON", &history },
	{ TP_OPT_TEXT, "rules", 'r', "GATE|FILE", "hold it to share/gates/"
	    "GATE.json or to FILE.json (default: all of share/gates)",
	    &rules },
	{ TP_OPT_FLAG, "no-fail", 0, NULL,
	    "exit 0 whatever the answer is", &no_fail },
	{ TP_OPT_FLAG, "allow-unknown", 0, NULL,
	    "exit 0 when it cannot be told", &allow_unknown },
	{ TP_OPT_FLAG, "allow-same", 0, NULL,
	    "compare a trace with itself instead of refusing it",
	    &allow_same },
	{ TP_OPT_TEXT, "junit", 0, "FILE",
	    "also write the checks to FILE as JUnit XML", &junit },
	{ TP_OPT_FLAG, "github", 0, NULL, "write workflow commands of GitHub "
	    "(::error) in place of records", &github },
	{ TP_OPT_FLAG, "json", 'j', NULL,
	    "write one document in place of records", &json },
	{ TP_OPT_COUNT, "top", 0, "N", "at most N operations in a list of "
	    "the document (default: 10)", &top },
	{ 0 }
};

static const char *const examples[] = {
	"tp-track --label $commit --history history.jsonl before.json "
	    "after.json",
	"tp-track --no-fail main.jsonl change.jsonl | tp-render track",
	"tp-track --github --junit gate.xml main.jsonl change.jsonl",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-track",
	.does = "does a change pass: limits, a record of runs, output for CI",
	.operands = "BEFORE [AFTER]",
	.reads = "two files of records, or two profile_summary.v1 documents",
	.writes = "track.summary track.check",
	.group = "judgement",
	.examples = examples,
	.flags = TP_TOOL_RECORDS | TP_TOOL_DOCUMENTS | TP_TOOL_FIRST |
	    TP_TOOL_LATE,
	.options = options,
};

/* What makes a pass doubtful is a check of its own. */
static void
add_doubts(struct tp_run *run, struct tp_gates *g, const struct tp_sides *s)
{
	int rc = 0;

	if (!tp_comparison_common(&s->comparison))
		rc = tp_gates_add(g, "common", "Numbers on both sides",
		    TP_GATE_UNKNOWN, "The two sides have no number in common",
		    &run->err);
	else if (!g->count)
		rc = tp_gates_add(g, "common", "Numbers on both sides",
		    TP_GATE_UNKNOWN, "Neither side has a number that a gate "
		    "knows", &run->err);
	if (!rc && s->origin.same_trace)
		rc = tp_gates_add(g, "same-trace", "Two traces",
		    TP_GATE_UNKNOWN, "Before and after are one trace",
		    &run->err);
	for (int i = 0; !rc && i < TP_SIDES; i++)
		if (s->origin.damage[i])
			rc = tp_gates_add(g, i == TP_BEFORE ?
			    "before-damaged" : "after-damaged",
			    "Whole traces", TP_GATE_UNKNOWN, i == TP_BEFORE ?
			    "The trace before was damaged or cut off" :
			    "The trace after was damaged or cut off",
			    &run->err);
	if (!rc && s->input_damaged)
		rc = tp_gates_add(g, "input-damaged", "Whole files",
		    TP_GATE_UNKNOWN, "A file was damaged or cut off",
		    &run->err);
	if (rc < 0)
		tp_die_err(run);
}

static const char *
stamp(char *text, size_t size)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH");
	time_t now = epoch && *epoch ? (time_t)strtoll(epoch, NULL, 10) :
	    time(NULL);
	struct tm tm;

	if (!gmtime_r(&now, &tm) ||
	    !strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &tm))
		return NULL;
	return text;
}

static void
put_on_record(struct tp_run *run, const struct tp_history_run *what)
{
	struct tp_buf buf = { 0 };
	struct tp_doc j = { .buf = &buf, .compact = 1 };

	if (tp_history_write(&j, what, 0, 0, &run->err) < 0 ||
	    tp_history_append(history, buf.p, buf.len, &run->err) < 0)
		tp_die_err(run);
	tp_buf_release(&buf);
}

static void
write_junit(struct tp_run *run, const struct tp_gates *g, const char *label)
{
	struct tp_buf buf = { 0 };

	tp_gates_junit(g, label, &buf);
	if (buf.failed)
		tp_die(run, TP_LIMIT, "out of memory");
	tp_write_file(run, junit, buf.p, buf.len);
	tp_buf_release(&buf);
}

static void
write_records(struct tp_run *run, const struct tp_sides *s,
    const struct tp_gates *g, const char *label)
{
	struct tp_out *out = &run->out;
	char key[64];

	out->src = s->sets[TP_AFTER].recs[0].src;
	tp_out_begin(out, "track.summary");
	tp_out_text(out, "outcome", tp_gate_status_name(tp_gates_status(g)));
	if (label)
		tp_out_text(out, "label", label);
	tp_out_text(out, "before", s->sets[TP_BEFORE].recs[0].src);
	tp_out_text(out, "before_file", s->files[TP_BEFORE]);
	tp_out_text(out, "after", s->sets[TP_AFTER].recs[0].src);
	tp_out_text(out, "after_file", s->files[TP_AFTER]);
	for (int i = 0; i <= TP_GATE_FAIL; i++) {
		enum tp_gate_status status = (enum tp_gate_status)i;

		snprintf(key, sizeof key, "%s_count",
		    tp_gate_status_name(status));
		tp_out_int(out, key, (int64_t)tp_gates_count(g, status));
	}
	tp_out_end(out);
	tp_gates_emit(g, out);
	if (tp_compare_notes(s->rules, s->sets, &s->origin, out,
	    &run->err) < 0)
		tp_die_err(run);
}

static void
write_text(struct tp_run *run, const struct tp_history_run *what)
{
	struct tp_buf buf = { 0 };
	struct tp_doc j = { .buf = &buf };

	if (github)
		tp_gates_github(what->gates, what->label ? what->label :
		    "performance", &buf);
	else if (tp_history_write(&j, what, 1, (size_t)top, &run->err) < 0)
		tp_die_err(run);
	if (buf.failed)
		tp_die(run, TP_LIMIT, "out of memory");
	tp_out_raw(&run->out, buf.p ? buf.p : "", buf.len);
	tp_buf_release(&buf);
}

static void
say(struct tp_run *run, const struct tp_gates *g)
{
	for (size_t i = 0; !run->quiet && i < g->count; i++)
		if (g->list[i].status != TP_GATE_PASS)
			tp_warn(run, "%s: %s",
			    tp_gate_status_name(g->list[i].status),
			    g->list[i].text);
}

int
main(int argc, char *argv[])
{
	struct tp_history_run what = { 0 };
	enum tp_gate_status status;
	struct tp_gates gates;
	struct tp_sides sides;
	struct tp_run run;
	char at[64];

	tp_begin(&run, &tool, argc, argv);
	run.bare = json || github;
	tp_sides_read(&run, &sides, allow_same, 0);
	if (tp_gates_load(&gates, rules, &run.err) < 0 ||
	    tp_gates_check(&gates, &sides.comparison, &run.err) < 0)
		tp_die_err(&run);
	add_doubts(&run, &gates, &sides);
	what.label = run.label;
	what.gates = &gates;
	what.comparison = &sides.comparison;
	for (int i = 0; i < TP_SIDES; i++) {
		what.docs[i] = sides.docs[i];
		what.names[i] = sides.sets[i].recs[0].src;
	}
	for (int first = 1; tp_next_trace(&run); first = 0)
		if (first && run.bare)
			write_text(&run, &what);
		else if (first)
			write_records(&run, &sides, &gates, run.label);
	if (junit)
		write_junit(&run, &gates, run.label ? run.label :
		    "performance");
	if (history) {
		what.recorded_at = stamp(at, sizeof at);
		put_on_record(&run, &what);
	}
	say(&run, &gates);
	status = tp_gates_status(&gates);
	if (!no_fail && (status == TP_GATE_FAIL ||
	    (status == TP_GATE_UNKNOWN && !allow_unknown)))
		tp_status_at_least(&run, TP_NO);
	tp_gates_release(&gates);
	tp_sides_release(&sides);
	return tp_end(&run);
}
