/*
 * tp-merge - add up the records of the parts of a run, or of many runs
 *
 * Merges the records of hosts, ranks or machines that were read separately:
 * times and counts are added, minima and maxima kept, shares computed again.
 * share/merge.json says how each key is merged.
 */
#include <string.h>

#include <tp/judge/adder.h>
#include <tp/tool.h>

static const char *by[TP_OPT_LIST_MAX];
static const char *label;
static int64_t expected;
static struct tp_adder *adder;

static const struct tp_option options[] = {
	{ TP_OPT_LIST, "by", 0, "KEY",
	    "keep records with different values of KEY apart: process_rank",
	    by },
	{ TP_OPT_COUNT, "expect", 0, "N",
	    "exit 3 unless the records come from exactly N files", &expected },
	{ TP_OPT_TEXT, "label", 0, "NAME",
	    "merge all input into one source called NAME (default: each "
	    "source by itself)", &label },
	{ 0 }
};

static const char *const examples[] = {
	"tp-merge host*.jsonl | tp-render ops",
	"tp-merge --label fleet */trace.jsonl | tp-csv launcher.name",
	"tp-merge rank*.jsonl | jq 'select(.op==\"aten::mm\") | "
	    ".part_max_rank'",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-merge",
	.does = "add up the records of hosts, ranks, machines or runs",
	.operands = "[FILE...]",
	.reads = "records of any filter, of each part",
	.writes = "what was read, of the kinds that add up",
	.group = "judgement",
	.examples = examples,
	.flags = TP_TOOL_RECORDS,
	.options = options,
};

/* What was wrong with a part is wrong with all of them. */
static void
take_status(struct tp_run *run)
{
	int64_t status;

	if (!strcmp(run->rec.kind, "note") &&
	    tp_rec_int(&run->rec, "status", &status) && status == TP_BAD)
		tp_status_at_least(run, TP_BAD);
}

int
main(int argc, char *argv[])
{
	struct tp_run run;
	int64_t came;

	tp_begin(&run, &tool, argc, argv);
	adder = tp_adder_open(by, label, &run.err);
	if (!adder)
		tp_die_err(&run);
	while (tp_next_record(&run)) {
		if (tp_adder_take(adder, &run.rec, run.line, run.line_len,
		    &run.err) < 0) {
			run.err.line = run.line_number;
			tp_die_err(&run);
		}
		take_status(&run);
	}
	run.file = NULL;
	came = (int64_t)tp_adder_sources(adder);
	if (expected && came != expected)
		tp_die(&run, TP_BAD, "records of %lld file%s came, not of "
		    "%lld", (long long)came, came == 1 ? "" : "s",
		    (long long)expected);
	if (tp_adder_emit(adder, &run.out, &run.err) < 0)
		tp_die_err(&run);
	return tp_end(&run);
}
