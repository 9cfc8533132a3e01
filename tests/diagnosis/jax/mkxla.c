/*
 * mkxla - write a run of JAX whose bottleneck is known, and what it is
 *
 *	mkxla [--verdict WORD] --out DIR NAME=N... [-- IDS [NAME=N...]]...
 *
 * command.h tells what the words mean, plan.h the parameters.
 *
 * DIR/trace gets a capture as the profiler of JAX writes it, a file for each
 * host, DIR/truth.json the truth.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../../examples/file.h"
#include "../command.h"
#include "plan.h"

const char *const program = "mkxla";

static const struct parameter parameters[] = {
#define P(name, low, high) { #name, offsetof(struct plan, name), low, high }
	P(seed, 0, INT64_MAX), P(noise, 0, 50), P(gpu, 0, 1),
	P(hosts, 1, HOSTS_MAX), P(devices, 1, DEVICES_MAX),
	P(steps, 1, STEPS_MAX), P(layers, 1, 100), P(marked, 0, 1),
	P(ahead, 0, STEPS_MAX), P(dispatch, 0, SECONDS), P(linked, 0, 1),
	P(modules, 0, 1), P(categories, 0, 1), P(frames, 0, 1),
	P(math, 0, SECONDS), P(memory, 0, SECONDS),
	P(layout, 0, SECONDS), P(shorts, 0, 1000),
	P(short_op, 0, SECONDS), P(short_gap, 0, SECONDS),
	P(gather, 0, SECONDS), P(reduce, 0, SECONDS), P(hidden, 0, 1),
	P(offload, 0, SECONDS), P(together, 0, 1), P(load, 0, SECONDS),
	P(python, 0, SECONDS), P(compile, 0, SECONDS), P(wait, 0, SECONDS),
	P(nothing, 0, SECONDS), P(beside, 0, 1), P(setup, 0, SECONDS),
	P(upload, 0, SECONDS), P(callback, 0, SECONDS), P(infeed, 0, 1),
	P(slow, 0, 1000), P(moves, 0, 1), P(far, 0, 1000),
	P(late, 0, SECONDS), P(reader, 0, 2), P(loop, 0, 1),
	P(slower, 0, 1000), P(slower_steps, 0, 1000), P(evals, 0, 1000),
	P(slow_steps, 0, 1000), P(late_steps, 0, 1000),
	P(save, 0, SECONDS),
};

/* What the truth calls each part, and the word of the verdict where it is the
 * largest. */
static const struct told_part known[PART_COUNT] = {
	[MATH] = { "math_ns", "math-bound" },
	[MEMORY] = { "memory_ns", "memory-bound" },
	[SHORT] = { "short_ns", "latency-bound" },
	[COMMUNICATION] = { "communication_ns", "communication-bound" },
	[COPY] = { "copy_ns", "copy-bound" },
	[INFEED] = { "infeed_ns", "input-bound" },
	[CALLING] = { "calling_ns", "host-bound" },
	[LOADING] = { "loading_ns", "input-bound" },
	[BUILDING] = { "building_ns", "host-bound" },
	[COMPILING] = { "compiling_ns", "host-bound" },
	[WAITING] = { "waiting_ns", "synchronisation-bound" },
	[NOTHING] = { "nothing_ns", "idle" },
};

static int64_t
gain(const void *plan, const void *cured)
{
	struct outcome before, after;

	plan_run(plan, NULL, &before);
	plan_run(cured, NULL, &after);
	return before.span - after.span;
}

static const struct generator generator = {
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.size = sizeof(struct plan), .parts = known, .part_count = PART_COUNT,
	.gain = gain,
};

/* The capture of PLAN, below FOLDER. */
static void
record(const struct plan *plan, const char *folder, struct outcome *out)
{
	char path[HOSTS_MAX][4096], name[32];
	FILE *files[HOSTS_MAX];

	for (int h = 0; h < plan->hosts; h++) {
		snprintf(name, sizeof(name), "host%d.trace.json", h);
		command_path(path[h], sizeof(path[h]), folder, name);
		files[h] = file_create(path[h]);
	}
	plan_run(plan, files, out);
	for (int h = 0; h < plan->hosts; h++)
		file_close(files[h], path[h]);
}

int
main(int argc, char *argv[])
{
	static const char *const below[] = { "plugins", "profile",
	    "2026_01_15_10_30_00" };
	struct plan plan = plan_usual;
	struct outcome out;
	struct command c;
	char folder[3072], next[3072], head[64] = "";

	command_read(&c, &generator, &plan, argc, argv);
	strcpy(folder, c.trace);
	for (int k = 0; k < 3; k++) {
		command_path(next, sizeof(next), folder, below[k]);
		command_folder(next);
		strcpy(folder, next);
	}
	record(&plan, folder, &out);
	if (plan.linked && out.step)
		snprintf(head, sizeof(head), "\"step_ns\": %" PRId64 ", ",
		    out.step);
	command_tell(&c, &plan, &(struct told){ .span = out.span,
	    .busy = out.busy, .idle = out.span - out.busy, .rows = out.rows,
	    .parts = out.parts }, head);
	return 0;
}
