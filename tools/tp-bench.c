/*
 * tp-bench - latency, throughput and spread of benchmark documents
 *
 * Reads the JSON a benchmark writes, {"runs":[{"model":..,"latency":{..}}]},
 * and writes every run with its times in nanoseconds, ratios between the models
 * of one file, and the change of a model's latency from file to file.  The
 * newest file is the "latest".
 */

#include <tp/metal/bench.h>
#include <tp/tool.h>

static const char *const examples[] = {
	"tp-bench flux_baseline.json | tp-render bench",
	"tp-bench benchmarks/*.json | jq 'select(.kind == \"bench.run\")'",
	NULL
};

static const struct tp_tool tool = {
	.name = "tp-bench",
	.does = "latency, spread and model ratios of benchmark results",
	.operands = "[FILE...]",
	.reads = "benchmark JSON: {\"runs\":[{\"model\":..,\"latency\":{..}}]}",
	.writes = "bench.file bench.run bench.summary bench.pair "
	    "bench.reversal bench.drift",
	.group = "Instruments",
	.step = "benchmark",
	.examples = examples,
	.flags = TP_TOOL_DOCUMENTS,
	.state_size = sizeof(struct tp_bench),
};

/* Say and note what is wrong with the current document: run->err. */
static void
report(struct tp_run *run, enum tp_status status, size_t count)
{
	if (run->err.status != TP_BAD)
		tp_die_err(run);
	if (!run->quiet)
		tp_warn(run, "%s: %s", run->file, run->err.text);
	tp_status_at_least(run, status);
	tp_trace_note(run->trace, run->err.code, (int)status, count,
	    "%s: %s", run->file, run->err.text);
}

/* Its runs are the rows of a document; one without a latency is damaged. */
static void
count_runs(struct tp_run *run, size_t skipped)
{
	struct tp_trace *t = run->trace;
	struct tp_source *source = &t->sources[t->source_count - 1];
	const struct tp_bench *bench = t->state;

	source->rows = bench->files[bench->file_count - 1].run_count;
	source->skipped = skipped;
	if (!skipped)
		return;
	tp_fail(&run->err, TP_BAD, "row.damaged", 0, "a run without a "
	    "latency.mean_s was left out (%zu of %zu)", skipped,
	    skipped + (size_t)source->rows);
	report(run, run->strict ? TP_BAD : TP_OK, skipped);
}

int
main(int argc, char *argv[])
{
	struct tp_run run;
	size_t skipped;

	tp_begin(&run, &tool, argc, argv);
	while (tp_next_document(&run)) {
		if (tp_bench_add(run.trace->state, run.document,
		    run.file, &skipped, &run.err) < 0)
			report(&run, TP_BAD, 1);
		else
			count_runs(&run, skipped);
	}
	while (tp_next_trace(&run))
		tp_bench_emit(run.trace->state, &run.out);
	return tp_end(&run);
}
