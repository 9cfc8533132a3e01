/*
 * tp-compare - what changed between two runs
 *
 * Compares two record streams, or two profile_summary.v1 documents, number by
 * number: metrics, shares, named rows, repeated measurements.  What is
 * compared and which way is better is data, share/compare.
 */
#include <string.h>

#include <tp/judge/accel.h>
#include <tp/judge/compare_show.h>
#include <tp/judge/fusion.h>
#include <tp/judge/promise.h>
#include <tp/judge/summary_compare.h>
#include <tp/judge/timelines.h>

#include "sides.h"

static int allow_same, across, json, segments, asked;
static int64_t top = 10;
static const char *times_file;
static const char *names[TP_SIDES];

static const struct tp_option options[] = {
	TP_SIDES_OPTIONS,
	{ TP_OPT_FLAG, "allow-same", 0, NULL,
	    "compare a trace with itself instead of refusing it",
	    &allow_same },
	{ TP_OPT_FLAG, "across", 0, NULL,
	    "compare ExecuTorch runs of different systems, models or thread "
	    "counts instead of refusing them", &across },
	{ TP_OPT_FLAG, "fusion", 0, NULL,
	    "the runs are one program, eager and compiled: also report what "
	    "was fused", &asked },
	{ TP_OPT_FLAG, "segments", 0, NULL,
	    "as --fusion, for two segments of BEFORE; AFTER is not given",
	    &segments },
	{ TP_OPT_TEXT, "name1", 0, "TEXT",
	    "name of the run before (default: its src); with --segments, the "
	    "first segment by name or number", &names[TP_BEFORE] },
	{ TP_OPT_TEXT, "name2", 0, "TEXT",
	    "name of the run after; with --segments, the second segment",
	    &names[TP_AFTER] },
	{ TP_OPT_FLAG, "json", 'j', NULL,
	    "for two profile summaries: write one JSON document with the "
	    "keys their readers expect", &json },
	{ TP_OPT_TEXT, "times", 0, "FILE",
	    "also read the times that a benchmark printed: \"Eager Time: "
	    "0.2341s\", \"Compiled Time: 0.0512s\"", &times_file },
	{ TP_OPT_COUNT, "top", 0, "N", "at most N operations in a list of "
	    "the document (default: 10)", &top },
	{ 0 }
};

static const char *const examples[] = {
	"tp-compare before.jsonl after.jsonl | tp-render compare",
	"tp-compare before.jsonl after.jsonl | tp-draw compare >compare.svg",
	"tp-compare before.jsonl after.jsonl | "
	    "jq 'select(.change==\"regressed\")'",
	"tp-compare --json before.json after.json | jq .step_time",
	"tp-compare eager.jsonl compiled.jsonl | tp-render fusion",
	"tp-cmdbuf --gpu both.csv | tp-compare --segments - | "
	    "tp-render fusion",
	"tp-compare --name1 SME2-Off --name2 SME2-On off.jsonl on.jsonl | "
	    "tp-render accel",
	"tp-compare --before a1.jsonl --before a2.jsonl --after b1.jsonl "
	    "--after b2.jsonl | tp-render compare",
	"cat out/*.jsonl | tp-compare before.jsonl | tp-csv compare.row",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-compare",
	.does = "what changed between two runs, and whether it is real",
	.operands = "[BEFORE [AFTER]]",
	.reads = "records or profile_summary.v1 documents: two files, or "
	    "several a side",
	.writes = "compare.summary compare.origin compare.shown compare.state "
	    "compare.course compare.slow compare.uniform compare.amount "
	    "compare.inputs compare.calls compare.call compare.timeline "
	    "compare.lane compare.metric compare.share compare.row "
	    "compare.experiment compare.promised compare.promise compare.part "
	    "fusion.summary fusion.metric fusion.times accel.summary "
	    "accel.latency accel.part accel.share accel.op",
	.group = "judgement",
	.step = "comparing",
	.examples = examples,
	.flags = TP_TOOL_RECORDS | TP_TOOL_DOCUMENTS | TP_TOOL_FIRST |
	    TP_TOOL_LATE,
	.options = options,
};

static void
document(struct tp_run *run, const struct tp_sides *s)
{
	struct tp_buf buf = { 0 };
	struct tp_doc j = { .buf = &buf };

	if (times_file)
		tp_die(run, TP_USAGE, "--times cannot be combined with --json");
	if (!s->docs[TP_BEFORE] || !s->docs[TP_AFTER])
		tp_die(run, TP_USAGE, "--json compares two profile "
		    "summaries; without it, records are compared");
	tp_summary_compare(&j, NULL, s->docs[TP_BEFORE], s->docs[TP_AFTER],
	    (size_t)top);
	tp_out_raw(&run->out, buf.p, buf.len);
	tp_buf_release(&buf);
}

static int
has_rows(const struct tp_comparison *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->list[i].is_row)
			return 1;
	return 0;
}

static void
summary(struct tp_run *run, const struct tp_sides *s,
    const struct tp_compare_show *show)
{
	const struct tp_comparison *c = &s->comparison;
	struct tp_out *out = &run->out;
	int64_t from;

	tp_out_begin(out, "compare.summary");
	tp_sides_out(s, names, out);
	tp_out_bool(out, "is_same_trace", s->origin.same_trace);
	tp_out_text(out, "device_kind", s->origin.device_kind);
	if (s->pairing.pairs > 1)
		tp_out_int(out, "experiment_pair_count",
		    (int64_t)s->pairing.pairs);
	tp_out_int(out, "common_count", (int64_t)tp_comparison_common(c));
	tp_compare_emit_counts(c, out);
	tp_out_real(out, "least_ratio",
	    tp_compare_least_of(s->rules, "relative"));
	tp_out_int(out, "least_ns",
	    (int64_t)tp_compare_least_of(s->rules, "ns"));
	tp_out_text(out, "verdict", show->verdict);
	if (tp_compare_show_from(show, &from))
		tp_out_int(out, "from_number", from);
	tp_out_bool(out, "is_measured", show->is_measured);
	if (s->runs[TP_BEFORE].count == 1 && s->runs[TP_AFTER].count == 1)
		tp_out_real(out, "one_run_ratio", tp_compare_noise(s->rules,
		    "one_run"));
	if (has_rows(c)) {
		tp_out_int(out, "row_tested_count",
		    (int64_t)c->tested_count);
		tp_out_real(out, "false_row_ratio",
		    tp_compare_noise(s->rules, "false_rows"));
		if (c->renumbered_count)
			tp_out_int(out, "renumbered_count",
			    (int64_t)c->renumbered_count);
	}
	tp_out_end(out);
}

/* Both runs at one scale. */
static void
timelines(struct tp_run *run, const struct tp_sides *s)
{
	static struct tp_timelines t;

	tp_timelines_make(&t, s->rules, s->sets);
	tp_timelines_emit(&t, s->rules, s->sets, &run->out);
}

static void
read_times(struct tp_run *run, struct tp_times *times)
{
	struct tp_in *in = tp_in_open(times_file, &run->err);

	run->file = times_file;
	if (!in || tp_times_read(in, times, &run->err) < 0)
		tp_die_err(run);
	run->file = NULL;
	tp_in_close(in);
}

static void
fusion(struct tp_run *run, const struct tp_compare_rules *rules,
    const struct tp_fusion_of of[TP_SIDES])
{
	static struct tp_fusion f;
	struct tp_times times;
	int rc = tp_fusion_make(&f, rules, of);

	if (!rc && times_file)
		tp_die(run, TP_BAD, "--times needs two traces with GPU "
		    "intervals of a target");
	if (rc)
		tp_fusion_emit(&f, asked || segments || times_file,
		    &run->out);
	if (times_file) {
		read_times(run, &times);
		tp_fusion_emit_times(&f, rules, &times, &run->out);
	}
}

static void
accel(struct tp_run *run, const struct tp_sides *s)
{
	static const char *const sides[] = { "run before", "run after" };
	int alike = !strcmp(names[TP_BEFORE], names[TP_AFTER]);
	static struct tp_accel a;
	int rc;

	/* of several pairs the comparison of each tells */
	if (s->pairing.pairs > 1)
		return;
	rc = tp_accel_make(&a, s->rules, s->sets, names, &run->err);
	a.comparison = &s->comparison;
	if (rc < 0)
		tp_die_err(run);
	if (rc)
		tp_accel_emit(&a, alike ? sides : names, &run->out);
}

static void
promises(struct tp_run *run, const struct tp_sides *s)
{
	static struct tp_promises p;

	if (tp_promises_make(&p, s->rules, s->sets, &run->err) < 0)
		tp_die_err(run);
	tp_promises_emit(&p, &run->out);
}

static const char *
name_of(const struct tp_sides *s, int side)
{
	return s->pairing.name[side] ? s->pairing.name[side] :
	    s->sets[side].recs[0].src;
}

static void
emit_comparison(struct tp_run *run, struct tp_sides *s)
{
	const struct tp_fusion_of of[TP_SIDES] = { { &s->sets[0], 0 },
	    { &s->sets[1], 0 } };
	static struct tp_compare_show show;

	for (int i = 0; i < TP_SIDES; i++)
		if (!names[i])
			names[i] = name_of(s, i);
	run->out.src = run->label ? run->label : name_of(s, TP_AFTER);
	tp_compare_show_make(&show, &s->comparison);
	summary(run, s, &show);
	tp_compare_show_states(&show, &s->comparison, &run->out);
	tp_compare_emit_origin(s->rules, s->sets, &run->out);
	tp_compare_show_emit(&show, s->origin.device_kind ? s->sets : NULL,
	    &run->out);
	tp_compare_show_course(&show, &run->out);
	tp_compare_show_uniform(&show, &run->out);
	tp_compare_emit_amount(&s->comparison, &run->out);
	tp_compare_emit_calls(&s->comparison, s->sets, &run->out);
	if (tp_pairing_emit(&s->pairing, &s->comparison, s->sets, &run->out,
	    &run->err) < 0)
		tp_die_err(run);
	promises(run, s);
	timelines(run, s);
	tp_compare_emit(&s->comparison, &run->out);
	fusion(run, s->rules, of);
	accel(run, s);
	tp_compare_notes(s->rules, s->sets, s->runs, &s->origin, &run->out);
	if (s->origin.damage[TP_BEFORE] || s->origin.damage[TP_AFTER])
		tp_status_at_least(run, TP_BAD);
}

/* Compare two segments of the one stream that is given. */
static void
compare_segments(struct tp_run *run)
{
	static char dash[] = "-";
	struct tp_fusion_of of[TP_SIDES];
	struct tp_compare_rules *rules;
	static struct tp_set set;
	char *file = run->first ? (char *)(uintptr_t)run->first : dash;

	if (run->operand_count || json)
		tp_die(run, TP_USAGE, "--segments compares parts of one "
		    "record stream%s", run->operand_count ? "" :
		    ", without --json");
	if (!run->first)
		tp_need_input(run);
	run->operands = &file;
	run->operand_count = 1;
	tp_start(run);
	tp_read_set(run, &set);
	rules = tp_compare_rules_load(&run->err);
	if (!rules || tp_fusion_segments(&set, names, of, &run->err) < 0)
		tp_die_err(run);
	run->out.src = run->label ? run->label : set.recs[0].src;
	if (of[TP_BEFORE].segment == of[TP_AFTER].segment)
		tp_die(run, TP_USAGE, "--name1 and --name2 name the same "
		    "segment");
	fusion(run, rules, of);
	tp_compare_rules_free(rules);
}

/* Runs that were not made alike differ by that, whatever else changed. */
static void
refuse_others(struct tp_run *run, const struct tp_sides *s)
{
	struct tp_buf words = { 0 };

	tp_pairing_differs(&s->pairing, s->rules, s->sets, &words);
	if (words.len && !across)
		tp_die(run, TP_USAGE, "%s and %s were run differently: %s; "
		    "--across compares them anyway", s->files[0],
		    s->files[1], words.p);
	tp_buf_release(&words);
}

int
main(int argc, char *argv[])
{
	struct tp_sides_want want = { 0 };
	static struct tp_sides sides;
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	if (segments) {
		compare_segments(&run);
		return tp_end(&run);
	}
	run.bare = json;
	want.allow_same = allow_same;
	want.across = across;
	tp_sides_read(&run, &sides, &want);
	if (!tp_comparison_common(&sides.comparison))
		tp_die(&run, TP_BAD, "%s and %s have no number in common: "
		    "compare two runs of one profiler", sides.files[0],
		    sides.files[1]);
	refuse_others(&run, &sides);
	for (int first = 1; tp_next_trace(&run); first = 0)
		if (first && json)
			document(&run, &sides);
		else if (first)
			emit_comparison(&run, &sides);
	return tp_end(&run);
}
