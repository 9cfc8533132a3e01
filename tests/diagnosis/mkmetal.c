/*
 * mkmetal - write a run whose bottleneck is known, and what it is
 *
 *	mkmetal [--verdict WORD] [--only TABLE]... --out DIR NAME=N...
 *	    [-- IDS [NAME=N...]]...
 *
 * NAME=N sets a parameter of the run (loop.h), as 7, 20ms or 3GiB.  Each
 * "--" begins one cause: ids of the findings that would be right for it, the
 * best first, with a comma between, and the parameters that take the cause
 * away.  What the run gains by that is what the cause costs.
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
	P(absent, 0, 1), P(read, 0, 60 * SECONDS), P(sleep, 0, 60 * SECONDS),
	P(loader, 0, 1), P(on_worker, 0, 1), P(recompile, 0, 60 * SECONDS),
	P(recompile_every, 1, 1000), P(recompile_seen, 0, 1000),
	P(prefill, 0, 60 * SECONDS), P(odd_every, 0, 1000),
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

static const char *const words[PART_COUNT] = {
	[WORK] = "GPU-bound", [BUILDING] = "CPU-bound",
	[SYNCHRONISING] = "synchronisation-bound",
	[CONTENTION] = "contention-bound", [STARTING] = "launch-bound",
	[LOADING] = "input-bound", [SLEEPING] = "undecided",
	[COMPILING] = "CPU-bound",
};
static const char *const part_names[PART_COUNT] = {
	[WORK] = "work_ns", [BUILDING] = "building_ns",
	[SYNCHRONISING] = "synchronising_ns", [CONTENTION] = "contention_ns",
	[STARTING] = "starting_ns", [LOADING] = "loading_ns",
	[SLEEPING] = "sleeping_ns", [COMPILING] = "compiling_ns",
};

static void
usage(void)
{
	fputs("usage: mkmetal [--verdict WORD] [--only TABLE]... --out DIR "
	    "NAME=N...\n\t[-- IDS [NAME=N...]]...\n", stderr);
	exit(2);
}

static void
set(struct plan *plan, const char *word)
{
	command_set(parameters, sizeof(parameters) / sizeof(parameters[0]),
	    plan, word);
}

/* The largest part of the time names the verdict; two within a tenth, two. */
static void
write_verdict(FILE *f, const int64_t told[PART_COUNT])
{
	int64_t parts[PART_COUNT], most;
	int top, shown;

	memcpy(parts, told, sizeof(parts));
	parts[BUILDING] += parts[COMPILING];
	parts[COMPILING] = 0;
	top = 0;
	for (int i = 1; i < PART_COUNT; i++)
		if (parts[i] > parts[top])
			top = i;
	most = parts[top];
	fprintf(f, "[\"%s\"", words[top]);
	shown = top;
	for (int i = 0; i < PART_COUNT; i++)
		if (i != shown && parts[i] >= most - most / 10)
			fprintf(f, ", \"%s\"", words[i]);
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
	plan_run(plan, NULL, &before);
	plan_run(&cured, NULL, &after);
	fputs("    {\"findings\": ", f);
	command_ids(f, argv[0]);
	fprintf(f, ", \"gain_ns\": %" PRId64 "}", before.span > after.span ?
	    before.span - after.span : 0);
	return i;
}

static void
write_truth(const struct plan *plan, const struct outcome *out,
    const char *verdict, int argc, char *argv[], const char *path)
{
	int64_t parts[PART_COUNT];
	FILE *f;
	int i;

	if (plan->flux)
		flux_parts(plan, parts);
	else
		loop_parts(plan, parts);
	f = file_create(path);
	fprintf(f, "{\n  \"span_ns\": %" PRId64 ", \"busy_ns\": %" PRId64
	    ", \"idle_ns\": %" PRId64 ", \"rows\": %" PRId64 ",\n",
	    out->span, out->busy, out->idle, out->rows);
	for (i = 0; i < PART_COUNT; i++)
		fprintf(f, "%s\"%s\": %" PRId64, i ? ", " :
		    "  \"parts\": {", part_names[i], parts[i]);
	fputs("},\n", f);
	if (!plan->absent)
		fprintf(f, "  \"process\": \"%s\",\n", processes[TARGET].name);
	fputs("  \"verdict\": ", f);
	if (verdict)
		fprintf(f, "[\"%s\"]", verdict);
	else
		write_verdict(f, parts);
	fputs(",\n  \"causes\": [\n", f);
	for (i = 0; i < argc; ) {
		i += 1 + write_cause(f, plan, argc - i - 1, argv + i + 1);
		fputs(i < argc ? ",\n" : "\n", f);
	}
	fputs("  ]\n}\n", f);
	file_close(f, path);
}

int
main(int argc, char *argv[])
{
	struct plan plan = plan_usual;
	struct run run = { .scale = 1 };
	struct outcome out;
	const char *only[ONLY_MAX + 1] = { NULL }, *const *tables;
	const char *verdict, *out_dir;
	char folder[3072], path[4096];
	size_t count;
	int i;

	verdict = out_dir = NULL;
	count = 0;
	for (i = 1; i + 1 < argc && strncmp(argv[i], "--", 2) == 0 &&
	    argv[i][2]; i += 2) {
		if (strcmp(argv[i], "--out") == 0)
			out_dir = argv[i + 1];
		else if (strcmp(argv[i], "--verdict") == 0)
			verdict = argv[i + 1];
		else if (strcmp(argv[i], "--only") == 0 && count < ONLY_MAX)
			only[count++] = argv[i + 1];
		else
			usage();
	}
	if (!out_dir)
		usage();
	tables = count > 0 ? only : usual;
	command_folder(out_dir);
	command_path(folder, sizeof(folder), out_dir, "trace");
	command_path(path, sizeof(path), out_dir, "truth.json");
	command_folder(folder);
	for (; i < argc && strcmp(argv[i], "--") != 0; i++)
		set(&plan, argv[i]);
	run.random = (uint64_t)plan.seed;
	run.steps = (unsigned)plan.steps;
	plan_run(&plan, &run, &out);
	write_truth(&plan, &out, verdict, argc - i, argv + i, path);
	tables_write(&run, CSV, folder, "run", tables);
	for (count = 0; tables[count]; count++) {
		if (strcmp(tables[count], "toc") != 0)
			continue;
		command_path(path, sizeof(path), folder, "run_toc.xml");
		toc_write(&run, path);
	}
	run_release(&run);
	return 0;
}
