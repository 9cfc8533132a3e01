/* documents - what the pipeline writes beside the tables */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "mketdump.h"

/* A time the documents bear; nothing here reads a clock. */
#define MADE "2026-02-01T00:00:00Z"
#define SHA "0123456789abcdef0123456789abcdef01234567"

static int
by_value(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

static void
write_ms(FILE *f, double ns)
{
	fprintf(f, "%.7f", ns / 1e6);
}

static int64_t *
sorted(const struct experiment *e)
{
	int64_t *ns = malloc((size_t)e->runs * sizeof *ns);

	if (!ns)
		die(5, "out of memory");
	for (int i = 0; i < e->runs; i++)
		ns[i] = latency_ns(e, i);
	qsort(ns, (size_t)e->runs, sizeof *ns, by_value);
	return ns;
}

static double
median(const int64_t *ns, int n)
{
	return ((double)ns[(n - 1) / 2] + (double)ns[n / 2]) / 2;
}

static void
write_result(FILE *f, const struct experiment *e, const char *after)
{
	int64_t *ns = sorted(e);

	fprintf(f, "    {\"experiment\": \"%s\",\n     \"metrics\": "
	    "{\"runs\": %d, \"threads\": 1, \"latency_ms\": [",
	    experiment_name(e), e->runs);
	for (int i = 0; i < e->runs; i++) {
		fputs(i ? ", " : "", f);
		write_ms(f, (double)latency_ns(e, i));
	}
	fputs("],\n      \"median_ms\": ", f);
	write_ms(f, median(ns, e->runs));
	fputs(", \"min_ms\": ", f);
	write_ms(f, (double)ns[0]);
	fputs(", \"max_ms\": ", f);
	write_ms(f, (double)ns[e->runs - 1]);
	fprintf(f, ",\n      \"etdump\": \"%s/", experiment_name(e));
	fprintf(f, "%s.etdump\"}}%s\n", stem_of(e), after);
	free(ns);
}

static void
write_results(FILE *f, const struct experiment *on,
    const struct experiment *off)
{
	fputs("  \"results\": [\n", f);
	write_result(f, on, ",");
	write_result(f, off, "");
	fputs("  ]\n}\n", f);
}

static void
write_run(FILE *f, const struct experiment *e, const char *after)
{
	double mean = 0, squares = 0;
	int64_t *ns = sorted(e);

	for (int i = 0; i < e->runs; i++)
		mean += (double)ns[i] / e->runs;
	for (int i = 0; i < e->runs; i++)
		squares += ((double)ns[i] - mean) * ((double)ns[i] - mean);
	fprintf(f, "    {\"experiment\": \"%s\", \"threads\": 1, "
	    "\"mode\": \"timing\", \"status\": \"ok\",\n"
	    "     \"paths\": {\"timeline_all\": \"%s/", experiment_name(e),
	    experiment_name(e));
	fprintf(f, "%s_exec_all_runs_timeline.csv\"},\n"
	    "     \"metrics\": {\"median_ms\": ", stem_of(e));
	write_ms(f, median(ns, e->runs));
	fputs(", \"mean_ms\": ", f);
	write_ms(f, mean);
	fprintf(f, ", \"cv_percent\": %.6f},\n     \"runs\": %d, "
	    "\"warmup\": 0}%s\n", e->runs > 1 ? 100 *
	    sqrt(squares / (e->runs - 1)) / mean : 0, e->runs, after);
	free(ns);
}

static void
write_config(const struct experiment *on, const struct experiment *off,
    const char *folder)
{
	FILE *f = create(folder, "config", ".json");

	fprintf(f, "{\n  \"model\": \"artifacts/" MODEL ".pte\",\n"
	    "  \"output_root\": \"runs/%s\",\n  \"experiments\": [\n",
	    on->platform->name);
	fprintf(f, "    {\"name\": \"%s\", \"runner_path\": "
	    "\"runners/sme2_on/executor_runner\", \"mode\": \"timing\", "
	    "\"runs\": %d, \"warmup\": 0, \"threads\": [1]},\n",
	    experiment_name(on), on->runs);
	fprintf(f, "    {\"name\": \"%s\", \"runner_path\": "
	    "\"runners/sme2_off/executor_runner\", \"mode\": \"timing\", "
	    "\"runs\": %d, \"warmup\": 0, \"threads\": [1]}\n  ]\n}\n",
	    experiment_name(off), off->runs);
	done(f);
}

void
write_documents(const struct experiment *on, const struct experiment *off,
    const char *folder)
{
	FILE *f = create(folder, "manifest", ".json");

	fprintf(f, "{\n  \"generated_at\": \"" MADE "\",\n"
	    "  \"config\": \"runs/%s/config.json\",\n"
	    "  \"model\": \"artifacts/" MODEL ".pte\",\n"
	    "  \"executorch\": {\"present\": true, \"sha\": \"" SHA "\", "
	    "\"dirty\": false},\n", on->platform->name);
	write_results(f, on, off);
	done(f);
	f = create(folder, "metrics", ".json");
	fputs("{\n", f);
	write_results(f, on, off);
	done(f);
	f = create(folder, MODEL, "_pipeline_summary.json");
	fprintf(f, "{\n  \"model\": \"artifacts/" MODEL ".pte\",\n"
	    "  \"generated_at\": \"" MADE "\",\n"
	    "  \"output_root\": \"runs/%s\",\n  \"runs\": [\n",
	    on->platform->name);
	write_run(f, on, ",");
	write_run(f, off, "");
	fputs("  ]\n}\n", f);
	done(f);
	write_config(on, off, folder);
}
