/*
 * tp-findings - judge a trace by rules
 *
 * Reads the records of the other filters and writes a verdict, remarks for the
 * sections of a report, and findings with their evidence and proposals, most
 * important first.  The rules are data, share/rules; share/repos holds facts
 * about the repository that a report is for.
 */
#include <string.h>

#include <tp/judge/rule.h>
#include <tp/share.h>
#include <tp/tool.h>

static const char *rules[TP_OPT_LIST_MAX];
static const char *repo, *explain;

static const struct tp_option options[] = {
	{ TP_OPT_LIST, "rules", 'r', "RULES|FILE",
	    "a name: judge only by share/rules/RULES.json; a file or folder: "
	    "by its rules as well", rules },
	{ TP_OPT_TEXT, "repo", 0, "REPO",
	    "write proposals for this repository; none: for no repository",
	    &repo },
	{ TP_OPT_TEXT, "explain", 0, "RULE",
	    "say instead why RULE fires or does not, and which file defines "
	    "it", &explain },
	{ 0 }
};

static const char *const examples[] = {
	"tp-gpu-intervals gpu.xml | tp-findings | tp-render findings",
	"cat out/*.jsonl | tp-findings --repo none | jq 'select(.severity)'",
	"cat out/*.jsonl | tp-findings --explain gpu-idle | "
	    "tp-render findings",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-findings",
	.does = "judge a trace: verdict, bottlenecks with evidence, proposals",
	.operands = "[FILE...]",
	.reads = "records of the other filters",
	.writes = "repo verdict remark finding "
	    "finding.evidence finding.proposal proposal "
	    "(with --explain rule.explained rule.condition)",
	.group = "judgement",
	.step = "judging",
	.examples = examples,
	.flags = TP_TOOL_RECORDS,
	.options = options,
};

int
main(int argc, char *argv[])
{
	static struct tp_set set;
	struct tp_rules *loaded;
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	tp_read_set(&run, &set);
	if (!tp_share_dir(&run.err))
		tp_die_err(&run);
	loaded = tp_rules_load(rules, repo, &set, &run.err);
	/* a rule or repository that is not there is a wrong name */
	if (!loaded && !strcmp(run.err.code, "share.missing"))
		run.err.status = TP_USAGE;
	if (!loaded || (explain ?
	    tp_rules_explain(loaded, explain, &set, &run.out, &run.err) :
	    tp_rules_apply(loaded, &set, &run.out, &run.err)) < 0)
		tp_die_err(&run);
	tp_rules_free(loaded);
	return tp_end(&run);
}
