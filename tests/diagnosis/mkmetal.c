/*
 * mkmetal - write a run whose bottleneck is known, and what it is
 *
 *	mkmetal [--verdict WORD] [--only TABLE]... --out DIR NAME=N...
 *	    [-- IDS [NAME=N...]]...
 *
 * command.h tells what the words mean, loop.h the parameters.
 *
 * DIR/trace gets the tables of an export as CSV and its table of contents
 * (with --only: those named, "toc" among them), DIR/truth.json the truth.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "loop.h"

#define ONLY_MAX 16

const char *const program = "mkmetal";

static const struct parameter parameters[] = {
#define P(name, low, high) { #name, offsetof(struct plan, name), low, high }
	P(seed, 0, INT64_MAX), P(noise, 0, 50), P(load, 0, 60 * SECONDS),
	P(steps, 1, 10000), P(waits, 0, 1000), P(ahead, 2, 8),
	P(build, 0, SECONDS), P(interpret, 0, 1), P(convert, 0, SECONDS),
	P(fallback, 0, SECONDS), P(compile, 0, SECONDS), P(ops, 1, 100000),
	P(op, 1, SECONDS), P(op_encode, 0, SECONDS), P(op_kelem, 0, 1 << 20),
	P(max_ops, 1, 100000), P(max_kelem, 1, 1 << 30),
	P(boundary, 0, SECONDS), P(launch, 0, SECONDS), P(wake, 0, SECONDS),
	P(slower, 0, 1000), P(decode, 0, 60 * SECONDS), P(frame, 0, SECONDS),
	P(frame_draws, 1, 100), P(contend, 0, SECONDS),
	P(contend_every, 1, 100000), P(overlap, 0, SECONDS),
	P(memory, 0, INT64_C(1) << 40), P(grow, 0, INT64_C(1) << 40),
	P(tooth, 0, INT64_C(1) << 40), P(spike, 0, INT64_C(1) << 40),
	P(absent, 0, 1), P(exit_status, 0, 255),
	P(read, 0, 60 * SECONDS), P(sleep, 0, 60 * SECONDS),
	P(waiting, 0, 4), P(loader, 0, 1), P(on_worker, 0, 1),
	P(recompile, 0, 60 * SECONDS),
	P(recompile_every, 1, 1000), P(recompile_seen, 0, 1000),
	P(prefill, 0, 60 * SECONDS), P(odd_every, 0, 1000),
	P(once, 0, 10000),
	P(background, 0, 2), P(rise, 0, INT64_C(1) << 40),
	P(preview, 0, SECONDS), P(skip, 0, 100000), P(keep, 0, 100000),
	P(sample_every, 1, 1000), P(sample_lost, 0, 100), P(flux, 0, 1),
};

/* What a report is made of, unless the case leaves some of it out. */
static const char *const usual[] = {
	"metal-gpu-intervals", "metal-application-command-buffer-submissions",
	"metal-command-buffer-completed", "time-profile",
	"metal-wired-sysmem-level-interval", "metal-current-allocated-size",
	"metal-gpu-info", "toc", NULL
};

static const struct told_part known[PART_COUNT] = {
	[WORK] = { "work_ns", "GPU-bound" },
	[BUILDING] = { "building_ns", "CPU-bound" },
	[SYNCHRONISING] = { "synchronising_ns", "synchronisation-bound" },
	[CONTENTION] = { "contention_ns", "contention-bound" },
	[STARTING] = { "starting_ns", "launch-bound" },
	[LOADING] = { "loading_ns", "input-bound" },
	[SLEEPING] = { "sleeping_ns", "undecided" },
	[COMPILING] = { "compiling_ns", "CPU-bound" },
};
static const char *only[ONLY_MAX + 1];
static size_t only_count;

static int
take_only(const char *name, const char *value)
{
	if (strcmp(name, "--only") != 0 || only_count == ONLY_MAX)
		return 0;
	only[only_count++] = value;
	return 1;
}

/* What PLAN calls PART when it decides; what came once says no more. */
static const char *
word_of(const struct plan *plan, int part)
{
	if (plan->once && (part == LOADING || part == SLEEPING ||
	    part == COMPILING))
		return "one pause";
	return part == SLEEPING && plan->waiting ? "wait-bound" :
	    known[part].word;
}

/* The largest part of the time names the verdict; two within a tenth, two. */
static void
write_verdict(FILE *f, const void *v, const struct told *told)
{
	const struct plan *plan = v;
	int64_t parts[PART_COUNT], most;
	int top, shown;

	memcpy(parts, told->parts, sizeof(parts));
	if (!plan->once) {
		parts[BUILDING] += parts[COMPILING];
		parts[COMPILING] = 0;
	}
	top = 0;
	for (int i = 1; i < PART_COUNT; i++)
		if (parts[i] > parts[top])
			top = i;
	most = parts[top];
	fprintf(f, "[\"%s\"", word_of(plan, top));
	shown = top;
	for (int i = 0; i < PART_COUNT; i++)
		if (i != shown && parts[i] >= most - most / 10)
			fprintf(f, ", \"%s\"", word_of(plan, i));
	fputc(']', f);
}

static void
plan_run(const struct plan *plan, struct run *run, struct outcome *out)
{
	if (plan->flux)
		flux_run(plan, run, out);
	else
		loop_run(plan, run, out);
}

static int64_t
gain(const void *plan, const void *cured)
{
	struct outcome before, after;

	plan_run(plan, NULL, &before);
	plan_run(cured, NULL, &after);
	return before.span - after.span;
}

static const struct generator generator = {
	.options = "[--only TABLE]... ", .option = take_only,
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.size = sizeof(struct plan), .parts = known, .part_count = PART_COUNT,
	.gain = gain, .verdict = write_verdict,
};

int
main(int argc, char *argv[])
{
	struct plan plan = plan_usual;
	struct run run = { .scale = 1 };
	struct outcome out;
	struct command c;
	const char *const *tables;
	char path[4096];
	int64_t parts[PART_COUNT];

	command_read(&c, &generator, &plan, argc, argv);
	tables = only_count > 0 ? only : usual;
	run.random = (uint64_t)plan.seed;
	run.steps = (unsigned)plan.steps;
	run.exit_status = (unsigned)plan.exit_status;
	plan_run(&plan, &run, &out);
	if (plan.flux)
		flux_parts(&plan, parts);
	else
		loop_parts(&plan, parts);
	command_tell(&c, &plan, &(struct told){ .span = out.span,
	    .busy = out.busy, .idle = out.idle, .rows = out.rows,
	    .parts = parts, .process = plan.absent ? NULL :
	    processes[TARGET].name }, "");
	tables_write(&run, CSV, c.trace, "run", tables);
	for (size_t i = 0; tables[i]; i++) {
		if (strcmp(tables[i], "toc") != 0)
			continue;
		command_path(path, sizeof(path), c.trace, "run_toc.xml");
		toc_write(&run, path);
	}
	run_release(&run);
	return 0;
}
