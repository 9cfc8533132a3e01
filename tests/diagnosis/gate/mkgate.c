/*
 * mkgate - write pairs of runs whose noise and change are known
 *
 *	mkgate [--documents] [--pairs N] [--seed TEXT] --out DIR NAME=X...
 *
 * NAME=X sets a parameter of every pair (model.h).  DIR/PAIR gets the runs of
 * both sides, before-01.jsonl and on and after-01.jsonl and on, with
 * --documents as profile_summary.v1 documents, *.json; DIR/truth.tsv what the
 * change multiplies: a metric or an operation, a tab, the factor.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../../examples/file.h"
#include "../command.h"
#include "write.h"

const char *const program = "mkgate";

static const struct {
	const char *name;
	size_t offset;
	double low, high;
	int is_whole;
} parameters[] = {
#define P(name, low, high, is_whole) \
	{ #name, offsetof(struct plan, name), low, high, is_whole }
	P(before, 1, 99, 1), P(after, 1, 99, 1),
	P(steps, WARMUP + 3, STEPS_MAX, 1), P(length, 1, 1e6, 0),
	P(idle, 0, 1e6, 0), P(run, 0, 50, 0), P(step, 0, 50, 0),
	P(op_run, 0, 50, 0), P(op, 0, 50, 0), P(heavy, 0, STEPS_MAX, 1),
	P(times, 1, 10, 0), P(tail, 0, 100, 0), P(all, -50, 1000, 0),
	P(one, -50, 1000, 0), P(communication, -50, 1000, 0),
	P(idle_after, 0, 1e6, 0), P(memory, -50, 1000, 0),
};

static void
usage(void)
{
	fputs("usage: mkgate [--documents] [--pairs N] [--seed TEXT] "
	    "--out DIR NAME=X...\n", stderr);
	exit(2);
}

static double
number(const char *text, double low, double high, int is_whole)
{
	char *end;
	double x;

	errno = 0;
	x = strtod(text, &end);
	if (end == text || *end || errno || !(x >= low && x <= high) ||
	    (is_whole && x != (double)(int)x))
		die(2, "'%s' is not a%s number from %g to %g", text,
		    is_whole ? " whole" : "", low, high);
	return x;
}

static void
set(struct plan *plan, const char *word)
{
	const char *value = strchr(word, '=');
	double x;

	if (!value)
		die(2, "'%s' is not NAME=X", word);
	for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]);
	    i++) {
		if (strlen(parameters[i].name) != (size_t)(value - word) ||
		    strncmp(parameters[i].name, word, (size_t)(value - word)))
			continue;
		x = number(value + 1, parameters[i].low, parameters[i].high,
		    parameters[i].is_whole);
		memcpy((char *)plan + parameters[i].offset, &x, sizeof(x));
		return;
	}
	die(2, "no parameter '%.*s'", (int)(value - word), word);
}

static void
write_truth(const struct plan *plan, const char *out)
{
	char path[4096];
	FILE *f;

	command_path(path, sizeof(path), out, "truth.tsv");
	f = file_create(path);
	fprintf(f, "step[all].start_to_start_ns\t%.9f\n",
	    model_to_next_factor(plan));
	fprintf(f, "step[all].wall_ns\t%.9f\n", model_wall_factor(plan));
	for (int i = 0; i < OPS; i++) {
		fprintf(f, "%s\t%.9f\n", ops[i].name,
		    model_op_factor(plan, i));
		if (ops[i].collective)
			fprintf(f, "%s\t%.9f\n", ops[i].collective,
			    model_op_factor(plan, i));
	}
	file_close(f, path);
}

static void
write_side(const struct plan *plan, uint64_t seed, int pair, enum side side,
    int is_document, const char *folder)
{
	static struct run run;
	int count = (int)(side == AFTER ? plan->after : plan->before);
	char path[4096], name[64];
	FILE *f;

	for (int i = 1; i <= count; i++) {
		model_run(plan, seed, pair, side, i, &run);
		snprintf(name, sizeof(name), "%s.json%s", run.src,
		    is_document ? "" : "l");
		command_path(path, sizeof(path), folder, name);
		f = file_create(path);
		if (is_document)
			write_document(&run, f);
		else
			write_records(&run, f);
		file_close(f, path);
	}
}

int
main(int argc, char *argv[])
{
	const char *out = NULL, *seed = "1";
	struct plan plan = plan_usual;
	int is_document = 0, pairs = 1, i;
	char folder[3072], name[16];

	for (i = 1; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
		if (strcmp(argv[i], "--documents") == 0)
			is_document = 1;
		else if (i + 1 == argc)
			usage();
		else if (strcmp(argv[i], "--pairs") == 0)
			pairs = (int)number(argv[++i], 1, 100000, 1);
		else if (strcmp(argv[i], "--seed") == 0)
			seed = argv[++i];
		else if (strcmp(argv[i], "--out") == 0)
			out = argv[++i];
		else
			usage();
	}
	if (!out)
		usage();
	for (; i < argc; i++)
		set(&plan, argv[i]);
	command_folder(out);
	for (int p = 1; p <= pairs; p++) {
		snprintf(name, sizeof(name), "%d", p);
		command_path(folder, sizeof(folder), out, name);
		command_folder(folder);
		write_side(&plan, model_seed(seed), p, BEFORE, is_document,
		    folder);
		write_side(&plan, model_seed(seed), p, AFTER, is_document,
		    folder);
	}
	write_truth(&plan, out);
	return 0;
}
