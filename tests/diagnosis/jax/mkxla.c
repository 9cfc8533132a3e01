/*
 * mkxla - write a run of JAX whose bottleneck is known, and what it is
 *
 *	mkxla [--verdict WORD] --out DIR NAME=N... [-- IDS [NAME=N...]]...
 *
 * NAME=N sets a parameter of the run (plan.h), as 7 or 20ms.  Each "--" begins
 * one cause: ids of the findings that would be right for it, the best first,
 * with a comma between, and the parameters that take the cause away.  What the
 * run gains by that is what the cause costs.
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
	P(steps, 1, 1000), P(layers, 1, 100), P(marked, 0, 1),
	P(modules, 0, 1), P(categories, 0, 1), P(frames, 0, 1),
	P(math, 0, SECONDS), P(memory, 0, SECONDS), P(shorts, 0, 1000),
	P(short_op, 0, SECONDS), P(short_gap, 0, SECONDS),
	P(gather, 0, SECONDS), P(reduce, 0, SECONDS), P(hidden, 0, 1),
	P(offload, 0, SECONDS), P(load, 0, SECONDS), P(python, 0, SECONDS),
	P(compile, 0, SECONDS), P(wait, 0, SECONDS), P(nothing, 0, SECONDS),
	P(infeed, 0, 1), P(slow, 0, 1000), P(late, 0, SECONDS),
};

/* What the truth calls each part, and the word of the verdict where it is the
 * largest. */
static const struct {
	const char *name, *word;
} known[PART_COUNT] = {
	[MATH] = { "math_ns", "math-bound" },
	[MEMORY] = { "memory_ns", "memory-bound" },
	[SHORT] = { "short_ns", "latency-bound" },
	[COMMUNICATION] = { "communication_ns", "communication-bound" },
	[COPY] = { "copy_ns", "copy-bound" },
	[INFEED] = { "infeed_ns", "input-bound" },
	[LOADING] = { "loading_ns", "input-bound" },
	[BUILDING] = { "building_ns", "host-bound" },
	[COMPILING] = { "compiling_ns", "host-bound" },
	[WAITING] = { "waiting_ns", "synchronisation-bound" },
	[NOTHING] = { "nothing_ns", "idle" },
};

static void
usage(void)
{
	fputs("usage: mkxla [--verdict WORD] --out DIR NAME=N...\n"
	    "\t[-- IDS [NAME=N...]]...\n", stderr);
	exit(2);
}

static void
set(struct plan *plan, const char *word)
{
	command_set(parameters, sizeof(parameters) / sizeof(parameters[0]),
	    plan, word);
}

/* Words for the largest part; two within a tenth, for both. */
static void
write_verdict(FILE *f, const struct outcome *out)
{
	const char *between = "";
	int64_t most = 0;

	for (int i = 0; i < PART_COUNT; i++)
		if (out->parts[i] > most)
			most = out->parts[i];
	fputc('[', f);
	for (int i = 0; i < PART_COUNT; i++) {
		if (out->parts[i] < most - most / 10)
			continue;
		fprintf(f, "%s\"%s\"", between, known[i].word);
		between = ", ";
	}
	fputc(']', f);
}

/* One cause of ARGV, up to the next "--"; returns where that is. */
static int
write_cause(FILE *f, const struct plan *plan, const struct outcome *before,
    int argc, char *argv[])
{
	struct plan cured = *plan;
	struct outcome after;
	int i;

	if (argc < 1)
		usage();
	for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		set(&cured, argv[i]);
	plan_run(&cured, NULL, &after);
	fputs("    {\"findings\": ", f);
	command_ids(f, argv[0]);
	fprintf(f, ", \"gain_ns\": %" PRId64 "}", before->span > after.span ?
	    before->span - after.span : 0);
	return i;
}

static void
write_truth(const struct plan *plan, const struct outcome *out,
    const char *verdict, int argc, char *argv[], const char *path)
{
	FILE *f = file_create(path);
	int i;

	fprintf(f, "{\n  \"span_ns\": %" PRId64 ", \"busy_ns\": %" PRId64
	    ", \"idle_ns\": %" PRId64 ", \"rows\": %" PRId64 ",\n", out->span,
	    out->busy, out->span - out->busy, out->rows);
	for (i = 0; i < PART_COUNT; i++)
		fprintf(f, "%s\"%s\": %" PRId64, i ? ", " :
		    "  \"parts\": {", known[i].name, out->parts[i]);
	fputs("},\n", f);
	fputs("  \"verdict\": ", f);
	if (verdict)
		fprintf(f, "[\"%s\"]", verdict);
	else
		write_verdict(f, out);
	fputs(",\n  \"causes\": [\n", f);
	for (i = 0; i < argc; ) {
		i += 1 + write_cause(f, plan, out, argc - i - 1, argv + i + 1);
		fputs(i < argc ? ",\n" : "\n", f);
	}
	fputs("  ]\n}\n", f);
	file_close(f, path);
}

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
	static const char *const below[] = { "trace", "plugins", "profile",
	    "2026_01_15_10_30_00" };
	struct plan plan = plan_usual;
	struct outcome out;
	const char *verdict = NULL, *out_dir = NULL;
	char folder[3072], next[3072], path[4096];
	int i;

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
	command_folder(out_dir);
	command_path(folder, sizeof(folder), out_dir, below[0]);
	command_folder(folder);
	for (int k = 1; k < 4; k++) {
		command_path(next, sizeof(next), folder, below[k]);
		command_folder(next);
		strcpy(folder, next);
	}
	for (; i < argc && strcmp(argv[i], "--") != 0; i++)
		set(&plan, argv[i]);
	record(&plan, folder, &out);
	command_path(path, sizeof(path), out_dir, "truth.json");
	write_truth(&plan, &out, verdict, argc - i, argv + i, path);
	return 0;
}
