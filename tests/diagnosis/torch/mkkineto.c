/*
 * mkkineto - write a run of PyTorch whose bottleneck is known, and what it is
 *
 *	mkkineto [--verdict WORD] --out DIR NAME=N... [-- IDS [NAME=N...]]...
 *
 * command.h tells what the words mean, job.h the parameters.
 *
 * DIR/trace/trace.json gets the trace as Kineto writes it (of several ranks
 * rank0.json and so on), DIR/truth.json the truth.  vendor=1, 2 and 3 write the
 * same run as traces of XPU, MTIA and Ascend do; so does VENDOR=1 and so on in
 * the environment.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../../examples/file.h"
#include "../command.h"
#include "job.h"

const char *const program = "mkkineto";

static const struct parameter parameters[] = {
#define P(name, low, high) { #name, offsetof(struct job, name), low, high }
	P(seed, 0, INT64_MAX), P(noise, 0, 50), P(steps, 1, 1000),
	P(train, 0, 1), P(graph, 0, 1), P(layers, 1, 100), P(batch, 1, 4096),
	P(seq, 1, 1 << 20), P(dim, 1, 1 << 16), P(heads, 1, 256),
	P(ff, 1, 1 << 18), P(vocab, 1, 1 << 20), P(cached, 0, 1 << 20),
	P(flash, 0, 1), P(activation, 0, 2), P(fused, 0, 1), P(math, 1, 100),
	P(band, 1, 100), P(op, 0, SECONDS), P(launch, 0, SECONDS),
	P(python, 0, SECONDS), P(build, 0, SECONDS),
	P(build_layer, 0, SECONDS), P(sleep, 0, SECONDS),
	P(load, 0, 10 * SECONDS), P(workers, 0, 64),
	P(fill, 0, SECONDS), P(input, 1 << 10, INT64_C(1) << 34),
	P(pinned, 0, 1), P(wait, 0, 2),
	P(wait_layer, 0, 1), P(empty, 0, SECONDS),
	P(network, 0, INT64_C(1) << 40),
	P(overlap, 0, 1), P(ranks, 1, RANKS_MAX), P(late, 0, SECONDS),
	P(slow, 0, 1000), P(cut, 0, 1), P(frames, 0, 1), P(cuda_sync, 0, 1),
	P(stray, 0, 60 * SECONDS), P(vendor, 0, VENDOR_COUNT - 1),
	P(memory, 0, 1), P(held, 0, INT64_C(1) << 40), P(leak, 0, 1 << 30),
	P(scatter, 0, 1 << 30), P(regions, 0, 1), P(serve, 0, 100),
	P(recompute, 0, 2), P(twice, 0, 1),
	P(capture, 0, 1), P(hitch, 0, SECONDS), P(throttle, 0, 1000),
	P(stall, 0, SECONDS), P(warm, 0, 1000),
	P(gpus, 1, GPUS_MAX), P(turns, 0, 1),
};

/*
 * What the truth calls each part, and the word of the verdict where it is the
 * largest.  Of what works the verdict may name the class as well.
 */
static const struct told_part known[PART_COUNT] = {
	[MATH] = { "math_ns", "math-bound" },
	[MEMORY] = { "memory_ns", "memory-bound" },
	[TINY] = { "tiny_ns", "latency-bound" },
	[COMMUNICATION] = { "communication_ns", "communication-bound" },
	[COPY] = { "copy_ns", "copy-bound" },
	[LOADING] = { "idle_loading_ns", "input-bound" },
	[SYNCHRONISING] = { "idle_synchronising_ns",
	    "synchronisation-bound" },
	[OPERATORS] = { "idle_operators_ns", "launch-bound" },
	[PYTHON] = { "idle_python_ns", "launch-bound" },
	[COMPUTING] = { "idle_computing_ns", "host-bound" },
	[SLEEPING] = { "idle_nothing_ns", "undecided" },
	[TURNS] = { "idle_turns_ns", "GPUs-in-turn" },
};

static int64_t
host_idle(const struct outcome *out)
{
	return out->parts[SYNCHRONISING] + out->parts[OPERATORS] +
	    out->parts[PYTHON];
}

/*
 * Parts that the verdict is chosen of: idle time that would be gone if the
 * host did not wait for the GPU is one.
 */
static void
weigh(const struct job *job, const struct outcome *out,
    int64_t parts[PART_COUNT])
{
	struct job ahead = *job;
	struct outcome unwaiting;
	int64_t waited;

	ahead.wait = ahead.wait_layer = 0;
	job_run(&ahead, NULL, &unwaiting);
	waited = host_idle(out) - host_idle(&unwaiting);
	if (waited < 0)
		waited = 0;
	memcpy(parts, out->parts, PART_COUNT * sizeof(*parts));
	parts[SYNCHRONISING] = waited;
	parts[OPERATORS] = host_idle(out) - waited;
	parts[PYTHON] = 0;
}

static int
largest(const int64_t *parts, int count)
{
	int top = 0;

	for (int i = 1; i < count; i++)
		if (parts[i] > parts[top])
			top = i;
	return top;
}

/* Words for the largest part; two within a tenth, for both. */
static void
write_verdict(FILE *f, const void *plan, const struct told *told)
{
	const struct job *job = plan;
	const struct outcome *out = told->outcome;
	int64_t parts[PART_COUNT];
	const char *between = "";
	int top;

	weigh(job, out, parts);
	top = largest(parts, PART_COUNT);
	fputc('[', f);
	for (int i = 0; i < PART_COUNT; i++) {
		if (parts[i] < parts[top] - parts[top] / 10)
			continue;
		/* of work in graphs it cannot be told what limits it */
		fprintf(f, "%s%s\"%s\"", between, i <= TINY ?
		    "\"GPU-bound\", " : "", known[i].word);
		between = ", ";
		/* without its frames Python is nothing recorded */
		if (i == OPERATORS && !job->frames &&
		    out->parts[PYTHON] > out->parts[OPERATORS])
			fprintf(f, ", \"%s\"", known[SLEEPING].word);
	}
	fputc(']', f);
}

static int64_t
gain(const void *plan, const void *cured)
{
	struct outcome before, after;

	job_run(plan, NULL, &before);
	job_run(cured, NULL, &after);
	return before.span - after.span;
}

static int64_t
window_gain(const void *plan, const void *cured)
{
	struct outcome before, after;

	job_run(plan, NULL, &before);
	job_run(cured, NULL, &after);
	return before.end - after.end;
}

static const struct generator generator = {
	.parameters = parameters,
	.parameter_count = sizeof(parameters) / sizeof(parameters[0]),
	.size = sizeof(struct job), .parts = known, .part_count = PART_COUNT,
	.gain = gain, .window_gain = window_gain, .verdict = write_verdict,
};

static void
trace_path(const struct job *job, int64_t rank, const char *folder, char *path,
    size_t size)
{
	char name[32] = "trace.json";

	if (job->ranks > 1)
		snprintf(name, sizeof(name), "rank%" PRId64 ".json", rank);
	command_path(path, size, folder, name);
}

/* The traces of JOB, to FOLDER. */
static void
record(const struct job *job, const char *folder, struct outcome *out)
{
	char path[4096];
	FILE *traces[RANKS_MAX];

	for (int64_t i = 0; i < job->ranks; i++) {
		trace_path(job, i, folder, path, sizeof(path));
		traces[i] = file_create(path);
	}
	job_run(job, traces, out);
	for (int64_t i = 0; i < job->ranks; i++) {
		trace_path(job, i, folder, path, sizeof(path));
		file_close(traces[i], path);
	}
}

int
main(int argc, char *argv[])
{
	struct job job = job_usual;
	struct outcome out;
	struct command c;
	const char *vendor = getenv("VENDOR");
	char text[80];

	if (vendor) {
		snprintf(text, sizeof(text), "vendor=%s", vendor);
		command_set(&generator, &job, text);
	}
	command_read(&c, &generator, &job, argc, argv);
	record(&job, c.trace, &out);
	snprintf(text, sizeof(text), "\"rank\": %" PRId64 ", \"first_ns\": %"
	    PRId64 ", ", out.rank, out.first);
	command_tell(&c, &job, &(struct told){ .span = out.span,
	    .busy = out.busy, .idle = out.span - out.busy, .rows = out.works,
	    .parts = out.parts, .outcome = &out }, text);
	return 0;
}
