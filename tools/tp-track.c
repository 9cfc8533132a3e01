/*
 * tp-track - whether a change passes
 *
 * Compares two runs, checks the changes against limits, prints pass, warn, fail
 * or unknown, and records the run.  The limits are data, share/gates.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tp/alloc.h>
#include <tp/judge/gate.h>
#include <tp/judge/history.h>
#include <tp/judge/promise.h>
#include <tp/unit.h>

#include "sides.h"

static int accept, allow_same, allow_unknown, github, json, no_fail;
static const char *history, *by, *junit, *rules, *power, *benchmark, *bencher;
static int64_t top = 10, last = 20;

static const struct tp_option options[] = {
	TP_SIDES_OPTIONS,
	{ TP_OPT_OUT, "history", 0, "FILE",
	    "append the run to FILE as a line of JSON; earlier runs there "
	    "show the usual variation and, without BEFORE, are the baseline",
	    &history },
	{ TP_OPT_TEXT, "by", 0, "NAME",
	    "model or machine of the run, if FILE holds several", &by },
	{ TP_OPT_COUNT, "last", 0, "N",
	    "compare with the last N accepted runs in FILE (default: 20)",
	    &last },
	{ TP_OPT_FLAG, "accept", 0, NULL,
	    "the slowdown is intended: exit 0, and compare later runs with "
	    "this one", &accept },
	{ TP_OPT_TEXT, "require-power", 0, "PERCENT",
	    "fail if the runs would show a change of PERCENT in less than "
	    "half of all cases", &power },
	{ TP_OPT_TEXT, "rules", 'r', "GATE|FILE",
	    "apply the limits of share/gates/GATE.json, or of FILE.json "
	    "(default: all of share/gates)", &rules },
	{ TP_OPT_FLAG, "no-fail", 0, NULL,
	    "exit 0 whatever the result", &no_fail },
	{ TP_OPT_FLAG, "allow-unknown", 0, NULL,
	    "exit 0 if the data cannot decide", &allow_unknown },
	{ TP_OPT_FLAG, "allow-same", 0, NULL,
	    "compare a trace with itself instead of refusing it",
	    &allow_same },
	{ TP_OPT_OUT, "junit", 0, "FILE",
	    "also write the checks to FILE as JUnit XML", &junit },
	{ TP_OPT_OUT, "benchmark", 0, "FILE",
	    "also write the metrics to FILE for github-action-benchmark "
	    "(customSmallerIsBetter)", &benchmark },
	{ TP_OPT_OUT, "bencher", 0, "FILE",
	    "also write the metrics to FILE for Bencher (adapter json)",
	    &bencher },
	{ TP_OPT_FLAG, "github", 0, NULL,
	    "write workflow commands of GitHub (::error) instead of records",
	    &github },
	{ TP_OPT_FLAG, "json", 'j', NULL,
	    "write one JSON document instead of records", &json },
	{ TP_OPT_COUNT, "top", 0, "N",
	    "at most N operations in each list of the document (default: 10)",
	    &top },
	{ 0 }
};

static const char *const examples[] = {
	"tp-track --label $commit --history history.jsonl before.json "
	    "after.json",
	"tp-track --before a1.jsonl --before a2.jsonl --before a3.jsonl "
	    "--after b1.jsonl --after b2.jsonl --after b3.jsonl",
	"tp-track --label $commit --by llama --history history.jsonl "
	    "--after run.jsonl",
	"tp-track --no-fail main.jsonl change.jsonl | tp-render track",
	"tp-track --github --junit gate.xml main.jsonl change.jsonl",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-track",
	.does = "whether a change passes: limits, recorded runs, output for CI",
	.operands = "[BEFORE [AFTER]]",
	.reads = "records or profile_summary.v1 documents: two files, or "
	    "several a side",
	.writes = "track.summary track.check",
	.group = "judgement",
	.examples = examples,
	.flags = TP_TOOL_RECORDS | TP_TOOL_DOCUMENTS | TP_TOOL_FIRST |
	    TP_TOOL_LATE,
	.options = options,
};

/* What is on record, and what of it a new run is compared with. */
struct past {
	struct tp_history history;
	struct tp_history_baseline *lines;	/* one a metric */
	struct tp_past *list;
	size_t count;
};

static void
read_past(struct tp_run *run, struct past *p, const struct tp_gates *g)
{
	const struct tp_history_series *s;
	uint64_t damaged = 0, line;

	if (tp_history_load(&p->history, history, &damaged, &line,
	    &run->err) < 0)
		tp_die_err(run);
	if (damaged)
		tp_warn(run, "%s:%llu: describes no run; lines left out: %llu",
		    history, (unsigned long long)line,
		    (unsigned long long)damaged);
	s = tp_history_find(&p->history, by);
	if (!s)
		return;
	p->lines = tp_zalloc(s->metric_names.count * sizeof *p->lines + 1);
	p->list = tp_zalloc(s->metric_names.count * sizeof *p->list + 1);
	for (size_t i = 0; i < s->metric_names.count; i++) {
		struct tp_history_baseline *b = &p->lines[p->count];
		const char *metric = s->metric_names.names[i].text;

		if (!tp_gates_group(g, metric))
			continue;
		tp_history_baseline(&p->history, by, run->label, metric,
		    (size_t)last, b);
		if (b->count)
			p->list[p->count++] = (struct tp_past){ metric, b->x,
			    b->count, b->most, b->squares, b->df };
	}
}

/* What is on record of the first metric that decides, or NULL. */
static const struct tp_history_baseline *
baseline_of(const struct past *p, const struct tp_gates *g)
{
	for (size_t i = 0; i < g->count; i++)
		for (size_t j = 0; j < p->count && g->list[i].is_deciding &&
		    g->list[i].decides && g->list[i].of; j++)
			if (!strcmp(p->list[j].metric, g->list[i].of->name))
				return &p->lines[j];
	return NULL;
}

static int
begins_history(const struct tp_sides *s, const struct past *p)
{
	return !s->runs[TP_BEFORE].count && !p->count;
}

static void
add_gate(struct tp_gates *g, const char *name, const char *title,
    enum tp_gate_status status, const struct tp_buf *text)
{
	tp_gates_add(g, name, title, status, text->p);
}

/* Runs that each keep the limit may not keep it together. */
static void
warn_of_drift(struct tp_gates *g, const struct past *p)
{
	struct tp_buf text = { 0 };
	size_t count = g->count;

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < p->count; j++) {
			const struct tp_gate_check *k = &g->list[i];
			const struct tp_history_baseline *b = &p->lines[j];
			double all = pow(b->drift_factor,
			    (double)b->drift_count);

			if (!k->is_deciding || !k->of || !b->drift_since ||
			    strcmp(p->list[j].metric, k->of->name) ||
			    !(all - 1 > k->limit))
				continue;
			tp_buf_clear(&text);
			tp_buf_fmt(&text, "%.80s crept up by ", k->title);
			tp_unit_hundredths(&text, 100 * (all - 1));
			tp_buf_fmt(&text, " %% since %.60s, ", b->drift_since);
			tp_unit_hundredths(&text, 100 * (b->drift_factor - 1));
			tp_buf_str(&text, " % a run (limit ");
			tp_unit_limit(&text, 100 * k->limit);
			tp_buf_str(&text, " %)");
			add_gate(g, "drift", "Drift of the runs on "
			    "record", TP_GATE_WARN, &text);
		}
	tp_buf_release(&text);
}

/* What decided earlier, or could have, and was not measured now cannot be
 * told. */
static void
miss_decisions(struct tp_gates *g, const struct tp_sides *s,
    const struct past *p)
{
	const struct tp_history_series *all = tp_history_find(&p->history, by);
	const struct tp_compared *v;
	const char *group;
	char text[256];

	for (size_t i = 0; i < p->count && !s->runs[TP_BEFORE].count; i++) {
		ptrdiff_t at = tp_names_find(&all->metric_names,
		    p->list[i].metric, strlen(p->list[i].metric));

		v = tp_comparison_find(&s->comparison, p->list[i].metric);
		group = tp_gates_group(g, p->list[i].metric);
		if ((v && v->side[TP_AFTER].times) || !group || !*group ||
		    (!all->metrics[at].decides && tp_gates_can_tell(g,
		    group)))
			continue;
		snprintf(text, sizeof text, "%.200s is on record and was not "
		    "measured", p->list[i].metric);
		tp_gates_add(g, "measured", "Numbers on record",
		    TP_GATE_UNKNOWN, text);
	}
}

/* What makes a pass doubtful is a check of its own. */
static void
add_doubts(struct tp_gates *g, const struct tp_sides *s, const struct past *p)
{
	if (begins_history(s, p))
		tp_gates_add(g, "history", "Runs on record", TP_GATE_UNKNOWN,
		    "No accepted run is on record: later "
		    "runs are compared with this one");
	else if (!tp_comparison_common(&s->comparison))
		tp_gates_add(g, "common", "Numbers on both sides",
		    TP_GATE_UNKNOWN, "The two sides have no number in common");
	else if (!g->count)
		tp_gates_add(g, "common", "Numbers on both sides",
		    TP_GATE_UNKNOWN, "Neither side has a number that a gate "
		    "knows");
	if (s->origin.same_trace)
		tp_gates_add(g, "same-trace", "Two traces", TP_GATE_UNKNOWN,
		    "Before and after are one trace");
	miss_decisions(g, s, p);
	for (int i = 0; i < TP_SIDES; i++)
		if (s->origin.damage[i])
			tp_gates_add(g, i == TP_BEFORE ? "before-damaged" :
			    "after-damaged", "Whole traces", TP_GATE_UNKNOWN,
			    i == TP_BEFORE ?
			    "The trace before was damaged or cut off" :
			    "The trace after was damaged or cut off");
	if (s->input_damaged)
		tp_gates_add(g, "input-damaged", "Whole files", TP_GATE_UNKNOWN,
		    "A file was damaged or cut off");
}

static double
wanted_power(struct tp_run *run)
{
	char *end = NULL;
	double percent = power ? strtod(power, &end) : 0;

	if (power && (end == power || *end || !(percent > 0) ||
	    !(percent < 1000)))
		tp_die(run, TP_USAGE, "--require-power takes a percentage such "
		    "as 2.5, not '%s'", power);
	return percent;
}

/* A gate that could not have told what it is to tell says nothing. */
static void
require_power(struct tp_gates *g, double percent)
{
	enum tp_noise from = TP_NOISE_UNKNOWN;
	double least = 100 * tp_gates_detectable(g, &from);
	struct tp_buf text = { 0 };

	if (!percent || (from != TP_NOISE_UNKNOWN && least <= percent))
		return;
	if (from != TP_NOISE_UNKNOWN) {
		tp_buf_str(&text, "A change below ");
		tp_unit_hundredths(&text, least);
		tp_buf_str(&text, " % could not be told from noise, and ");
		tp_unit_limit(&text, percent);
		tp_buf_str(&text, " % is asked for: add runs");
	} else {
		tp_buf_str(&text, "Which change could be told from noise is "
		    "not known, and ");
		tp_unit_limit(&text, percent);
		tp_buf_str(&text, " % is asked for");
	}
	add_gate(g, "power", "Smallest change that could be told",
	    TP_GATE_FAIL, &text);
	tp_buf_release(&text);
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

	tp_history_write(&j, what, 0, 0);
	if (tp_history_append(history, buf.p, buf.len, &run->err) < 0)
		tp_die_err(run);
	tp_buf_release(&buf);
}

/* The checks as FORM puts them into FILE, unless it is NULL. */
static void
write_checks(struct tp_run *run, const char *file, const struct tp_gates *g,
    void (*form)(const struct tp_gates *g, const char *label,
    struct tp_buf *buf))
{
	struct tp_buf buf = { 0 };

	if (!file)
		return;
	form(g, run->label ? run->label : "performance", &buf);
	tp_write_file(run, file, buf.p, buf.len);
	tp_buf_release(&buf);
}

static void
out_baseline(const struct tp_history_baseline *b, struct tp_out *out)
{
	if (!b)
		return;
	tp_out_int(out, "baseline_run_count", (int64_t)b->count);
	tp_out_text(out, "baseline_first_label", b->first);
	tp_out_text(out, "baseline_last_label", b->last);
	if (b->drift_since) {
		tp_out_real(out, "drift_per_run_ratio",
		    b->drift_factor - 1);
		tp_out_text(out, "drift_since_label", b->drift_since);
	}
}

static void
write_records(struct tp_run *run, const struct tp_sides *s,
    const struct tp_gates *g, const struct tp_history_run *what,
    const struct tp_history_baseline *b)
{
	struct tp_out *out = &run->out;

	out->src = what->names[TP_AFTER];
	tp_out_begin(out, "track.summary");
	tp_out_text(out, "outcome", tp_gate_status_name(tp_gates_status(g)));
	tp_out_text(out, "label", what->label);
	tp_out_text(out, "series", by);
	tp_sides_out(s, what->names, out);
	out_baseline(b, out);
	tp_gates_out(g, out);
	if (accept)
		tp_out_bool(out, "is_accepted", 1);
	tp_out_end(out);
	tp_gates_emit(g, out);
	tp_compare_notes(s->rules, s->sets, s->runs, &s->origin, out);
}

static void
write_text(struct tp_run *run, const struct tp_history_run *what)
{
	struct tp_buf buf = { 0 };
	struct tp_doc j = { .buf = &buf };

	if (github)
		tp_gates_github(what->gates, what->label ? what->label :
		    "performance", &buf);
	else
		tp_history_write(&j, what, 1, (size_t)top);
	tp_out_raw(&run->out, buf.p ? buf.p : "", buf.len);
	tp_buf_release(&buf);
}

static void
say(struct tp_run *run, const struct tp_gates *g, const struct tp_sides *s)
{
	enum tp_noise from = TP_NOISE_UNKNOWN;
	double least = tp_gates_detectable(g, &from);
	struct tp_buf change = { 0 };

	tp_unit_limit(&change, 100 * least);
	for (size_t i = 0; !run->quiet && i < g->count; i++)
		if (g->list[i].status != TP_GATE_PASS && !g->list[i].same_as)
			tp_warn(run, "%s: %s",
			    tp_gate_status_name(g->list[i].status),
			    g->list[i].text);
	if (!run->quiet && least > 0 && from == TP_NOISE_ASSUMED)
		tp_warn(run, "%s: a change below %s %% cannot be told from "
		    "noise; %s", s->runs[TP_BEFORE].count ? "one run each" :
		    "few runs on record", change.p, history ?
		    "from three runs on record their noise is measured" :
		    "give several runs, or --history");
	else if (!run->quiet && tp_gates_are_weak(g) &&
	    tp_gates_status(g) == TP_GATE_PASS)
		tp_warn(run, "a change of %s %%, more than twice the limit, "
		    "would be found in only half of all cases: give more runs",
		    change.p);
	tp_buf_release(&change);
	if (!run->quiet && accept)
		tp_warn(run, "accepted: later runs are compared with this "
		    "one");
}

/* Whether later runs are compared with this one: what passed, what is accepted
 * knowingly, and what begins a history and is doubtful in nothing else. */
static void
decide_acceptance(struct tp_history_run *what, const struct tp_sides *s,
    const struct past *p)
{
	enum tp_gate_status status = tp_gates_status(what->gates);
	int begins = begins_history(s, p);

	what->accepted = accept || status < TP_GATE_UNKNOWN || (begins &&
	    status == TP_GATE_UNKNOWN &&
	    tp_gates_count(what->gates, TP_GATE_UNKNOWN) == 1);
	what->restart = accept && status >= TP_GATE_UNKNOWN && !begins;
}

static void
put_all(struct tp_run *run, struct tp_history_run *what,
    const struct tp_sides *s)
{
	static struct tp_promises promises;
	char at[64];

	write_checks(run, junit, what->gates, tp_gates_junit);
	write_checks(run, benchmark, what->gates, tp_gates_benchmark);
	write_checks(run, bencher, what->gates, tp_gates_bencher);
	if (!history)
		return;
	what->recorded_at = stamp(at, sizeof at);
	what->series = by;
	what->sha256 = s->runs[TP_AFTER].count == 1 ?
	    s->origin.sha256[TP_AFTER] : NULL;
	if (tp_promises_make(&promises, s->rules, s->sets, &run->err) < 0)
		tp_die_err(run);
	what->promises = &promises;
	put_on_record(run, what);
}

int
main(int argc, char *argv[])
{
	struct tp_history_run what = { 0 };
	struct tp_sides_want want = { 0 };
	enum tp_gate_status status;
	static struct tp_gates gates;
	static struct tp_sides sides;
	static struct past past;
	struct tp_run run;
	double percent;

	tp_begin(&run, &tool, argc, argv);
	run.bare = json || github;
	percent = wanted_power(&run);
	if (!history && (by || accept))
		tp_die(&run, TP_USAGE, "--by and --accept need --history");
	if (tp_gates_load(&gates, rules, &run.err) < 0)
		tp_die_err(&run);
	if (history)
		read_past(&run, &past, &gates);
	want.allow_same = allow_same;
	want.from_past = history != NULL;
	want.past = past.list;
	want.past_count = past.count;
	tp_sides_read(&run, &sides, &want);
	if (tp_status_now(&run) == TP_IO)
		tp_die(&run, TP_IO, "an input could not be read, so nothing "
		    "is judged and nothing recorded");
	tp_gates_check(&gates, &sides.comparison);
	add_doubts(&gates, &sides, &past);
	what.label = run.label;
	what.gates = &gates;
	decide_acceptance(&what, &sides, &past);
	warn_of_drift(&gates, &past);
	require_power(&gates, percent);
	what.comparison = &sides.comparison;
	for (int i = 0; i < TP_SIDES; i++) {
		what.docs[i] = sides.docs[i];
		what.names[i] = sides.sets[i].count ?
		    sides.sets[i].recs[0].src : NULL;
	}
	for (int first = 1; tp_next_trace(&run); first = 0)
		if (first && run.bare)
			write_text(&run, &what);
		else if (first)
			write_records(&run, &sides, &gates, &what,
			    baseline_of(&past, &gates));
	put_all(&run, &what, &sides);
	say(&run, &gates, &sides);
	status = tp_gates_status(&gates);
	if (!no_fail && !accept && (status == TP_GATE_FAIL ||
	    (status == TP_GATE_UNKNOWN && !allow_unknown)))
		tp_status_at_least(&run, TP_NO);
	return tp_end(&run);
}
