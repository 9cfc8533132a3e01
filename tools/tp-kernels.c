/*
 * tp-kernels - microkernels that XNNPACK registered, and evidence of SME2
 *
 * Reads logs of a runner built with XNNPACK's logging, or lists made of them,
 * and writes every kernel's operator, types and architecture.  A log lists the
 * available kernels; names of operators, from the CSV files of the same run,
 * show which kind ran.  Two runs are compared kernel by kernel.
 */
#include <tp/alloc.h>
#include <tp/executorch/kernels.h>
#include <tp/tool.h>

static const char *match;
static struct tp_kernel_words words;

static const struct tp_option options[] = {
	{ TP_OPT_TEXT, "match", 'm', "PATTERN",
	    "list only kernels whose name fits a shell pattern: '*gemm*'",
	    &match },
	{ 0 }
};

static const char *const examples[] = {
	"tp-kernels sme2_off_xnntrace.log sme2_on_xnntrace.log | "
	    "tp-render kernels",
	"tp-kernels run_xnntrace.log run_exec_ops_stats.csv | "
	    "tp-render kernels",
	"tp-kernels run_xnntrace.log | tp-csv kernel --as kernels",
	NULL
};

/* What files of one run are called behind their common name. */
static const char *const endings[] = { "_xnntrace", "_kernels",
    "_exec_all_runs_timeline", "_exec_run0_timeline", "_exec_ops_stats",
    "_xtrace_all_runs_timeline", "_xtrace_run0_timeline",
    "_xtrace_ops_stats", "_all_runs_timeline", "_run0_timeline",
    "_ops_stats", NULL };

static int
text_end(void *state, struct tp_err *err)
{
	return tp_kernels_text_end(state, err);
}

static const struct tp_tool tool = {
	.name = "tp-kernels",
	.does = "microkernels that XNNPACK registered, and evidence of SME2",
	.operands = "[FILE...]",
	.reads = "logs of XNNPACK (xnntrace), xnnpack-kernels; "
	    "etdump-timeline, etdump-ops-stats, etdump-inspector",
	.writes = "kernel.summary kernel kernel.evidence kernel_view "
	    "kernel_view.row",
	.group = "ExecuTorch",
	.step = "kernels",
	.examples = examples,
	.flags = TP_TOOL_TABLES | TP_TOOL_TEXT,
	.options = options,
	.tables = tp_kernels_tables,
	.text_end = text_end,
	.endings = endings,
	.state_size = sizeof(struct tp_kernels),
};

static void
add_kernel_input(struct tp_run *run)
{
	struct tp_kernels *k = run->trace->state;
	int64_t before = k->text.kernels;
	int rc;

	if (!run->is_line) {
		tp_take(run, tp_kernels_row(k, &words, &run->row, &run->err));
		return;
	}
	rc = tp_kernels_line(k, &words, run->line, run->line_len,
	    run->line_unended, &run->err);
	run->trace->sources[run->row.source].rows +=
	    (uint64_t)(k->text.kernels - before);
	if (rc < 0)
		run->err.line = run->line_number;
	tp_take(run, rc);
}

static void
emit_kernel_lists(struct tp_run *run)
{
	struct tp_kernels_run *runs = NULL;
	size_t count = 0, cap = 0;

	while (tp_next_trace(run)) {
		TP_APPEND(runs, count, cap, (struct tp_kernels_run){
		    run->trace->src, run->trace->state });
		tp_kernels_emit(run->trace->state, &words, match, &run->out);
	}
	tp_kernels_emit_views(runs, count, &words, match, &run->out);
	tp_free(runs);
}

int
main(int argc, char *argv[])
{
	struct tp_run run;

	tp_begin(&run, &tool, argc, argv);
	if (tp_kernel_words_load(&words, &run.err) < 0)
		tp_die_err(&run);
	while (tp_next(&run))
		add_kernel_input(&run);
	emit_kernel_lists(&run);
	return tp_end(&run);
}
