/*
 * tp-etrun - experiments of a run folder of ExecuTorch
 *
 * Reads the documents of a run (manifest, metrics, configuration, summary) and
 * the records of its tables.  Writes the experiments and their pairs, device
 * and build of each, and whether documents and tables agree.
 */
#include <limits.h>

#include <tp/executorch/experiment.h>
#include <tp/os.h>
#include <tp/tool.h>

static const char *folder;
static const char *logs[TP_OPT_LIST_MAX];
static int validate;

static const struct tp_option options[] = {
	{ TP_OPT_TEXT, "folder", 'd', "DIR", "the run folder: files that "
	    "documents name are looked for there, and in those around it",
	    &folder },
	{ TP_OPT_LIST, "log", 0, "FILE",
	    "output of a runner, with the time of each run; repeatable",
	    &logs },
	{ TP_OPT_FLAG, "validate", 0, NULL,
	    "exit 1 when documents and tables disagree", &validate },
	{ 0 }
};

static const char *const examples[] = {
	"tp-etdump mac/*/*.csv | tp-etrun -d mac - mac/*.json | "
	    "tp-render etrun",
	"tp-etrun --validate et.jsonl metrics.json >checks.jsonl",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-etrun",
	.does = "experiments of a run folder of ExecuTorch, and whether its "
	    "documents agree",
	.operands = "[FILE...]",
	.reads = "manifest, metrics, config and pipeline summary (JSON); "
	    "records of tp-etdump",
	.writes = "latency.setup latency.summary latency.run "
	    "experiment.folder experiment.document experiment "
	    "experiment.pair experiment.file validation.check "
	    "validation.summary",
	.group = "ExecuTorch",
	.step = "checking documents",
	.examples = examples,
	.flags = TP_TOOL_RECORDS | TP_TOOL_DOCUMENTS,
	.options = options,
};

static void
add_run_input(struct tp_run *run, struct tp_experiments *e)
{
	if (!run->document) {
		tp_take(run, tp_experiments_record(e, &run->rec, run->line,
		    run->line_len, &run->err));
		return;
	}
	if (!tp_experiments_document(e, run->document, run->file))
		tp_trace_note(run->trace, "document.unused", 0, 1,
		    "%s: not a document of a run, or a second one of its kind",
		    run->file);
}

static void
read_logs(struct tp_run *run, struct tp_experiments *e)
{
	struct tp_in *in;

	for (size_t i = 0; i < TP_OPT_LIST_MAX && logs[i]; i++) {
		run->file = logs[i];
		in = tp_in_open(logs[i], &run->err);
		if (!in || tp_experiments_log(e, in, tp_in_name(in),
		    &run->err) < 0)
			tp_die_err(run);
		tp_in_close(in);
	}
	run->file = NULL;
}

int
main(int argc, char *argv[])
{
	static struct tp_experiments e;
	char real[PATH_MAX];
	struct tp_run run;
	int64_t failed = 0;

	tp_begin(&run, &tool, argc, argv);
	if (tp_experiments_words(&e, &run.err) < 0)
		tp_die_err(&run);
	if (folder && tp_os_real_path(folder, real) < 0)
		tp_die(&run, TP_IO, "cannot open '%s'", folder);
	e.folder = folder ? real : NULL;
	while (tp_next_record(&run))
		add_run_input(&run, &e);
	read_logs(&run, &e);
	if (tp_experiments_join(&e, &run.err) < 0)
		tp_die_err(&run);
	for (int first = 1; tp_next_trace(&run); first = 0)
		if (first && tp_experiments_emit(&e, &run.out, &failed,
		    &run.err) < 0)
			tp_die_err(&run);
	if (validate && failed)
		tp_status_at_least(&run, TP_NO);
	return tp_end(&run);
}
