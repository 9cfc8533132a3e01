/*
 * tp-history - results of a gate over time
 *
 * Reads the runs that tp-track recorded, one JSON line per run, and writes how
 * often they passed, what failed most and since when, which run changed a
 * metric, and its trend.  Each series (a model, a machine) is reported by
 * itself.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include <tp/alloc.h>
#include <tp/judge/history.h>
#include <tp/tool.h>

static const char *by;
static int64_t tail = 20, top = 10;

static const struct tp_option options[] = {
	{ TP_OPT_TEXT, "by", 0, "NAME",
	    "only the runs of series NAME (default: each series)", &by },
	{ TP_OPT_COUNT, "tail", 'n', "N",
	    "trends over the last N runs; 0: all (default: 20)", &tail },
	{ TP_OPT_COUNT, "top", 0, "N", "at most N failures and N warnings "
	    "(default: 10)", &top },
	{ 0 }
};

static const char *const examples[] = {
	"tp-history history.jsonl | tp-render history",
	"tp-history history.jsonl | tp-draw strip >history.svg",
	"tp-history history.jsonl | tp-csv history.metric",
	"tp-history -n 50 history.jsonl | jq -r 'select(.sparkline) | "
	    ".sparkline + \" \" + .metric'",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-history",
	.does = "pass and fail over time, and which run changed a metric",
	.operands = "[FILE...]",
	.reads = "lines that tp-track --history has written",
	.writes = "history.summary history.change history.chart history.run "
	    "history.message history.promise history.metric",
	.group = "judgement",
	.examples = examples,
	.flags = TP_TOOL_RECORDS | TP_TOOL_LATE,
	.options = options,
};

/* Leave out files that are not there yet; whether one is left to be read, or
 * standard input. */
static int
any_file(struct tp_run *run)
{
	int given = run->operand_count, n = 0;
	struct stat st;

	for (int i = 0; i < given; i++)
		if (strcmp(run->operands[i], "-") &&
		    stat(run->operands[i], &st) < 0 && errno == ENOENT)
			tp_warn(run, "%s: there is no such file: no runs yet",
			    run->operands[i]);
		else
			run->operands[n++] = run->operands[i];
	run->operand_count = n;
	return n || !given;
}

static void
read_runs(struct tp_run *run, struct tp_history *h, uint64_t *damaged)
{
	tp_start(run);
	while (tp_next_line(run)) {
		if (!tp_history_add(h, run->line, run->line_len, &run->err))
			continue;
		run->err.line = run->line_number;
		tp_skip(run);
		++*damaged;
	}
	run->file = NULL;
	if (*damaged && !h->run_count)
		tp_die(run, TP_BAD, "no line describes a run");
}

int
main(int argc, char *argv[])
{
	static struct tp_history h;
	uint64_t damaged = 0;
	struct tp_run run;
	char *src;

	tp_begin(&run, &tool, argc, argv);
	src = tp_trace_name(run.operand_count ? run.operands[0] : "-");
	if (any_file(&run))
		read_runs(&run, &h, &damaged);
	if (by && h.run_count && !tp_history_find(&h, by))
		tp_warn(&run, "no recorded run belongs to series '%.200s'", by);
	run.out.src = src;
	tp_history_emit(&h, by, (size_t)top, (size_t)tail, &run.out);
	if (damaged)
		tp_out_note(&run.out, "history.damaged", run.strict ? TP_BAD :
		    TP_OK, damaged, "lines that tell of no run were left "
		    "out");
	tp_free(src);
	return tp_end(&run);
}
