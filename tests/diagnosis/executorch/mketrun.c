/*
 * mketrun - write runs of ExecuTorch whose bottleneck is known, and what it is
 *
 *	mketrun [--verdict WORD] --out DIR NAME=N... [-- IDS [NAME=N...]]...
 *
 * command.h tells what the words mean, plan.h the parameters.
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
	P(modes, 0, 10000), P(turn, 0, 1000),
	P(inactive, 0, 1), P(silent, 0, 1), P(log, 0, 1), P(dump, 0, 1),
};

/* What the truth calls each part, and the verdict where it is the largest. */
static const struct told_part known[PART_COUNT] = {
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
	if (p->build == 0)
		record(p, 0, "mac", out);
	if (p->build & 1)
		record(p, 0, "mac_sme2_off", out);
	if (p->build & 2)
		record(p, 1, "mac_sme2_on", out);
}

/* In the mean of all runs. */
static int64_t
gain(const void *plan, const void *cured)
{
	struct outcome before, after;

	outcome_of(plan, &before);
	outcome_of(cured, &after);
	return (before.span - after.span) / ((const struct plan *)plan)->runs;
}

static const struct generator generator = {
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.size = sizeof(struct plan), .parts = known, .part_count = PART_COUNT,
	.gain = gain,
};

int
main(int argc, char *argv[])
{
	struct plan plan = plan_usual;
	struct outcome out;
	struct command c;

	command_read(&c, &generator, &plan, argc, argv);
	record_all(&plan, c.out);
	outcome_of(&plan, &out);
	command_tell(&c, &plan, &(struct told){ .span = out.span,
	    .busy = out.busy, .idle = out.span - out.busy, .rows = out.rows,
	    .parts = out.parts }, "");
	return 0;
}
