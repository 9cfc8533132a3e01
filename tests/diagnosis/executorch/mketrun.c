/*
 * mketrun - write runs of ExecuTorch whose bottleneck is known, and what it is
 *
 *	mketrun [--verdict WORD] --out DIR NAME=N... [-- IDS [NAME=N...]]...
 *
 * NAME=N sets a parameter (plan.h).  Each "--" begins one cause: ids of the
 * findings that would be right for it, the best first, with a comma between,
 * and the parameters that take the cause away.  What a run gains by that, in
 * the mean, is what the cause costs.
 *
 * DIR/trace gets a folder for each build, DIR/truth.json the truth of the last
 * of them; of an ETDump its table stands in DIR, for who would check it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../../examples/executorch/dump.h"
#include "../command.h"
#include "plan.h"

const char *const program = "mketrun";
static char path[4096];
static const char *build;	/* what an experiment is called */

static const struct parameter parameters[] = {
#define P(name, low, high) { #name, offsetof(struct plan, name), low, high }
	P(seed, 0, INT64_MAX), P(noise, 0, 50), P(runs, 1, 1000),
	P(blocks, 1, 20), P(convs, 0, 8), P(conv, 0, 1000000),
	P(products, 0, 8), P(product, 0, 1000000), P(depthwise, 0, 1000000),
	P(clamp, 0, 1000000), P(softmax, 0, 1000000),
	P(transpose, 0, 1000000), P(convert, 0, 1000000), P(gap, 0, 1000000),
	P(portable, 0, 1000000), P(copy, 0, 1000000), P(slow, 0, 1000000),
	P(cold, 0, 100000), P(drift, -900, 10000), P(step, 0, 1),
	P(spread, 0, 10000), P(outlier, 0, 10000), P(build, 0, 3),
	P(inactive, 0, 1), P(silent, 0, 1), P(log, 0, 1), P(dump, 0, 1),
};

/* What the truth calls each part, and the verdict where it is the largest. */
static const struct {
	const char *name, *word;
} known[PART_COUNT] = {
	[OPERATORS] = { "operators_ns", "operator-bound" },
	[PORTABLE] = { "portable_ns", "portable-bound" },
	[MOVEMENT] = { "movement_ns", "data-movement-bound" },
	[GAP] = { "gap_ns", "delegate-overhead-bound" },
	[FRAMEWORK] = { "framework_ns", "framework-bound" },
};

FILE *
create(const char *folder, const char *name, const char *ending)
{
	snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
	return file_create(path);
}

void
done(FILE *f)
{
	file_close(f, path);
}

const char *
experiment_name(const struct experiment *e)
{
	(void)e;
	return build;
}

const char *
stem_of(const struct experiment *e)
{
	static char stem[64];

	snprintf(stem, sizeof stem, "model_%s_t1", experiment_name(e));
	return stem;
}

static void
usage(void)
{
	fputs("usage: mketrun [--verdict WORD] --out DIR NAME=N...\n"
	    "\t[-- IDS [NAME=N...]]...\n", stderr);
	exit(2);
}

static void
set(struct plan *plan, const char *word)
{
	command_set(parameters, sizeof(parameters) / sizeof(parameters[0]),
	    plan, word);
}

/* Whether the experiment that is judged has SME2. */
static int
with_sme2(const struct plan *p)
{
	return p->build >= 2;
}

static void
outcome_of(const struct plan *p, struct outcome *out)
{
	static struct experiment e;

	plan_play(p, with_sme2(p), &e);
	plan_measure(&e, out);
	release(&e);
}

/* The experiment of P with or without SME2, called NAME, below OUT. */
static void
record(const struct plan *p, int sme2, const char *name, const char *out)
{
	static struct experiment e;
	char folder[3072], own[3200];

	build = name;
	command_path(folder, sizeof(folder), out, "trace");
	command_folder(folder);
	command_path(own, sizeof(own), folder, name);
	command_folder(own);
	plan_play(p, sme2, &e);
	if (p->dump)
		write_dump(&e, own);
	write_timeline(&e, p->dump ? out : own, "_exec_all_runs_timeline.csv",
	    e.runs);
	if (p->log)
		write_log(&e, own);
	release(&e);
}

static void
record_all(const struct plan *p, const char *out)
{
	command_folder(out);
	if (p->build == 0)
		record(p, 0, "mac", out);
	if (p->build & 1)
		record(p, 0, "mac_sme2_off", out);
	if (p->build & 2)
		record(p, 1, "mac_sme2_on", out);
}

/* Words for the largest part; two within a tenth, for both. */
static void
write_verdict(FILE *f, const struct outcome *out)
{
	const char *between = "";
	int top = 0;

	for (int i = 1; i < PART_COUNT; i++)
		if (out->parts[i] > out->parts[top])
			top = i;
	fputc('[', f);
	for (int i = 0; i < PART_COUNT; i++) {
		if (out->parts[i] < out->parts[top] - out->parts[top] / 10)
			continue;
		fprintf(f, "%s\"%s\"", between, known[i].word);
		between = ", ";
	}
	fputc(']', f);
}

/* One cause of ARGV, up to the next "--"; returns where that is. */
static int
write_cause(FILE *f, const struct plan *plan, int argc, char *argv[])
{
	struct plan cured = *plan;
	struct outcome before, after;
	int i;

	if (argc < 1)
		usage();
	for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		set(&cured, argv[i]);
	outcome_of(plan, &before);
	outcome_of(&cured, &after);
	fputs("    {\"findings\": ", f);
	command_ids(f, argv[0]);
	fprintf(f, ", \"gain_ns\": %" PRId64 "}", before.span > after.span ?
	    (before.span - after.span) / plan->runs : 0);
	return i;
}

static void
write_truth(const struct plan *plan, const char *verdict, int argc,
    char *argv[], const char *out_dir)
{
	struct outcome out;
	FILE *f;
	int i;

	outcome_of(plan, &out);
	f = create(out_dir, "truth", ".json");
	fprintf(f, "{\n  \"span_ns\": %" PRId64 ", \"busy_ns\": %" PRId64
	    ", \"idle_ns\": %" PRId64 ", \"rows\": %" PRId64 ",\n", out.span,
	    out.busy, out.span - out.busy, out.rows);
	for (i = 0; i < PART_COUNT; i++)
		fprintf(f, "%s\"%s\": %" PRId64, i ? ", " :
		    "  \"parts\": {", known[i].name, out.parts[i]);
	fputs("},\n  \"verdict\": ", f);
	if (verdict)
		fprintf(f, "[\"%s\"]", verdict);
	else
		write_verdict(f, &out);
	fputs(",\n  \"causes\": [\n", f);
	for (i = 0; i < argc; ) {
		i += 1 + write_cause(f, plan, argc - i - 1, argv + i + 1);
		fputs(i < argc ? ",\n" : "\n", f);
	}
	fputs("  ]\n}\n", f);
	snprintf(path, sizeof path, "%s/truth.json", out_dir);
	done(f);
}

int
main(int argc, char *argv[])
{
	struct plan plan = plan_usual;
	const char *verdict, *out_dir;
	int i;

	verdict = out_dir = NULL;
	for (i = 1; i + 1 < argc && strncmp(argv[i], "--", 2) == 0 &&
	    argv[i][2]; i += 2) {
		if (strcmp(argv[i], "--out") == 0)
			out_dir = argv[i + 1];
		else if (strcmp(argv[i], "--verdict") == 0)
			verdict = argv[i + 1];
		else
			usage();
	}
	if (!out_dir)
		usage();
	for (; i < argc && strcmp(argv[i], "--") != 0; i++)
		set(&plan, argv[i]);
	record_all(&plan, out_dir);
	write_truth(&plan, verdict, argc - i, argv + i, out_dir);
	return 0;
}
