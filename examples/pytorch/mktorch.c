/*
 * mktorch - write an example trace of a PyTorch training run
 *
 *	mktorch [--seed N] [--rank N] [--steps N] OUTDIR
 *
 * Makes OUTDIR/rankN.json as Kineto writes it: a step copies the input to the
 * device, runs two blocks forward and backward, all-reduces the gradients and
 * updates the weights.  The backward pass has a thread of its own.  The host
 * waits for the input in every second step, so the GPU idles; the first
 * kernel was launched before the recording began.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../file.h"

const char *const program = "mktorch";

enum { PID = 4100, MAIN = 4100, AUTOGRAD = 4177, STREAM = 7, COMM = 20 };
enum { RANKS = 2 };

static FILE *out;
static const char *between = "";
static uint64_t state;
static int rank;

/* Numbers of events, arrows and operators; the clocks of the host and of the
 * streams, in nanoseconds. */
static int64_t correlation = 100, external = 1, sequence = 1;
static int64_t now = INT64_C(5000000000), stream_free, comm_free;

struct kernel {
	const char *name;
	int ns;			/* takes about so long */
};

struct op {
	const char *name, *inner;	/* inner one: launches, or NULL */
	const char *dims, *types;
	struct kernel kernel;
	int sequenced;		/* has a backward pass */
};

static const struct op forward[] = {
	{ "aten::linear", "aten::addmm", "[[1024], [512, 1024], [1024, 1024]]",
	    "[\"float\", \"float\", \"float\"]",
	    { "example_gemm_f32_128x128_nt", 84000 }, 1 },
	{ "aten::relu", "aten::clamp_min", "[[512, 1024], []]",
	    "[\"float\", \"Scalar\"]",
	    { "void at::native::elementwise_kernel<4, example_clamp>(int)",
	    9400 }, 1 },
	{ "aten::layer_norm", "aten::native_layer_norm",
	    "[[512, 1024], [], [1024], [1024], []]",
	    "[\"float\", \"ScalarList\", \"float\", \"float\", \"Scalar\"]",
	    { "void at::native::example_layer_norm<float>(int, float*)",
	    14600 }, 1 },
};

static const struct op backward[] = {
	{ "NativeLayerNormBackward0", "aten::native_layer_norm_backward",
	    "[[512, 1024], [512, 1024], [], [512, 1], [512, 1], [1024]]",
	    "[\"float\", \"float\", \"ScalarList\", \"float\", \"float\", "
	    "\"float\"]",
	    { "void at::native::example_layer_norm_grad<float>(int, float*)",
	    26800 }, 1 },
	{ "ThresholdBackward0", "aten::threshold_backward",
	    "[[512, 1024], [512, 1024], []]",
	    "[\"float\", \"float\", \"Scalar\"]",
	    { "void at::native::elementwise_kernel<4, example_threshold>(int)",
	    9900 }, 1 },
	{ "AddmmBackward0", "aten::mm", "[[512, 1024], [1024, 1024]]",
	    "[\"float\", \"float\"]",
	    { "example_gemm_f32_128x128_nn", 91000 }, 1 },
};

enum { BLOCKS = 2, OPS = sizeof forward / sizeof *forward };

static int64_t
about(int64_t ns)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return ns - ns / 16 + (int64_t)(state % ((uint64_t)ns / 8 + 1));
}

/* An event up to its arguments, which the caller closes with "}}". */
static void
event(const char *cat, const char *name, int pid, int tid, int64_t from,
    int64_t ns)
{
	fprintf(out, "%s\n{\"ph\": \"X\", \"cat\": \"%s\", \"name\": \"%s\", "
	    "\"pid\": %d, \"tid\": %d, \"ts\": %" PRId64 ".%03d, \"dur\": %"
	    PRId64 ".%03d, \"args\": {", between, cat, name, pid, tid,
	    from / 1000, (int)(from % 1000), ns / 1000, (int)(ns % 1000));
	between = ",";
}

static void
arrow(char phase, int64_t id, int pid, int tid, int64_t at)
{
	fprintf(out, ",\n{\"ph\": \"%c\", \"id\": %" PRId64 ", \"pid\": %d, "
	    "\"tid\": %d, \"ts\": %" PRId64 ".%03d, \"cat\": \"ac2g\", "
	    "\"name\": \"ac2g\"%s}", phase, id, pid, tid, at / 1000,
	    (int)(at % 1000), phase == 'f' ? ", \"bp\": \"e\"" : "");
}

/* What the call of CORRELATION, which ends at READY, has the device do:
 * EXTRA are arguments of its own. */
static void
work(const char *cat, const struct kernel *k, int stream, int64_t ready,
    const char *extra)
{
	int64_t *free_at = stream == COMM ? &comm_free : &stream_free;
	int64_t from = ready > *free_at ? ready : *free_at + 900;
	int64_t ns = about(k->ns);

	event(cat, k->name, rank, stream, from, ns);
	fprintf(out, "\"External id\": %" PRId64 ", \"device\": %d, "
	    "\"stream\": %d, \"correlation\": %" PRId64 "%s}}", external,
	    rank, stream, correlation, extra);
	*free_at = from + ns;
	arrow('f', correlation, rank, stream, from);
}

/* Call CALL, which launches K. */
static void
launch(const char *call, const char *cat, const struct kernel *k, int tid,
    int stream, const char *extra)
{
	int64_t ns = about(4200);

	correlation++;
	event("cuda_runtime", call, PID, tid, now, ns);
	fprintf(out, "\"External id\": %" PRId64 ", \"correlation\": %" PRId64
	    "}}", external, correlation);
	arrow('s', correlation, PID, tid, now);
	now += ns;
	work(cat, k, stream, now + 1300, extra);
}

static void
operator(const char *name, const char *dims, const char *types, int tid,
    int64_t from, int64_t ns, int64_t number)
{
	event("cpu_op", name, PID, tid, from, ns);
	fprintf(out, "\"External id\": %" PRId64, ++external);
	if (number)
		fprintf(out, ", \"Sequence number\": %" PRId64, number);
	if (dims)
		fprintf(out, ", \"Input Dims\": %s, \"Input type\": %s", dims,
		    types);
	fputs("}}", out);
}

/* OP and the one inside, which launches its kernel. */
static void
call(const struct op *op, int tid, int64_t number)
{
	int64_t from = now, inner = from + about(2100);

	now = inner + about(3400);
	launch("cudaLaunchKernel", "kernel", &op->kernel, tid, STREAM, "");
	now += about(1200);
	operator(op->inner, op->dims, op->types, tid, inner, now - inner,
	    number);
	now += about(900);
	operator(op->name, op->dims, op->types, tid, from, now - from, number);
	now += about(1500);
}

static void
all_reduce(void)
{
	static const struct kernel k = {
	    "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 118000 };
	int64_t from = now;
	char extra[400];

	snprintf(extra, sizeof extra, ", \"Collective name\": \"allreduce\", "
	    "\"In msg nelems\": 2101248, \"Out msg nelems\": 2101248, "
	    "\"Group size\": %d, \"dtype\": \"Float\", \"In split size\": "
	    "\"[]\", \"Out split size\": \"[]\", \"Process Group Name\": "
	    "\"0\", \"Process Group Ranks\": \"[0, 1]\"", RANKS);
	now += about(3000);
	/* it waits for the gradients */
	comm_free = stream_free > comm_free ? stream_free : comm_free;
	launch("cudaLaunchKernel", "kernel", &k, AUTOGRAD, COMM, extra);
	now += about(800);
	operator("record_param_comms", "[[2101248]]", "[\"float\"]", AUTOGRAD,
	    from, now - from, 0);
}

static void
copy_input(void)
{
	static const struct kernel k = { "Memcpy HtoD (Pinned -> Device)",
	    52000 };
	int64_t from = now;

	now += about(2600);
	launch("cudaMemcpyAsync", "gpu_memcpy", &k, MAIN, STREAM,
	    ", \"bytes\": 2097152");
	now += about(700);
	operator("aten::copy_", "[[512, 1024], [512, 1024], []]",
	    "[\"float\", \"float\", \"Scalar\"]", MAIN, from, now - from, 0);
}

static void
step(int number)
{
	static const struct op update = { "Optimizer.step#SGD.step",
	    "aten::_foreach_add_", "[[[1024, 1024], [1024]], [], []]",
	    "[\"TensorList\", \"TensorList\", \"Scalar\"]",
	    { "void at::native::example_multi_tensor_apply_kernel<sgd>(int)",
	    31000 }, 0 };
	int64_t from = now, first = sequence;

	if (number % 2)
		now += about(420000);	/* the input is late */
	copy_input();
	for (int b = 0; b < BLOCKS; b++)
		for (int i = 0; i < OPS; i++)
			call(&forward[i], MAIN, sequence++);
	for (int b = BLOCKS; b-- > 0;) {
		for (int i = 0; i < OPS; i++) {
			int64_t at = now, of = first + b * OPS + OPS - 1 - i;
			char name[96];

			now += about(1100);
			call(&backward[i], AUTOGRAD, of);
			snprintf(name, sizeof name, "autograd::engine::"
			    "evaluate_function: %s", backward[i].name);
			operator(name, NULL, NULL, AUTOGRAD, at, now - at, of);
		}
		all_reduce();
	}
	/* the weights wait for their gradients */
	stream_free = comm_free > stream_free ? comm_free : stream_free;
	call(&update, MAIN, 0);
	if (now < stream_free)
		now = stream_free;	/* loss.item() */
	now += about(6000);
	{
		char name[40];

		snprintf(name, sizeof name, "ProfilerStep#%d", number);
		event("user_annotation", name, PID, MAIN, from, now - from);
		fputs("}}", out);
	}
	now += about(5000);
}

static void
name_lane(const char *what, const char *key, const char *name, int pid,
    int tid)
{
	fprintf(out, "%s\n{\"ph\": \"M\", \"name\": \"%s\", \"pid\": %d, "
	    "\"tid\": %d, \"ts\": 0.000, \"args\": {\"%s\": \"%s\"}}",
	    between, what, pid, tid, key, name);
	between = ",";
}

static void
trace(int first, int steps)
{
	static const struct kernel before = { "example_gemm_f32_64x64_nt",
	    40000 };

	fprintf(out, "{\n\"schemaVersion\": 1,\n\"deviceProperties\": "
	    "[{\"id\": %d, \"name\": \"Example GPU\", \"numSms\": 96}],\n"
	    "\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": %d, "
	    "\"world_size\": %d},\n\"displayTimeUnit\": \"ms\",\n"
	    "\"traceEvents\": [", rank, rank, RANKS);
	name_lane("process_name", "name", "python", PID, 0);
	name_lane("process_labels", "labels", "CPU", PID, 0);
	name_lane("thread_name", "name", "thread 4100 (python)", PID, MAIN);
	name_lane("thread_name", "name", "thread 4177 (pt_autograd_0)", PID,
	    AUTOGRAD);
	event("kernel", before.name, rank, STREAM, now + 20000, before.ns);
	fprintf(out, "\"device\": %d, \"stream\": %d, \"correlation\": 12}}",
	    rank, STREAM);
	stream_free = now + 20000 + before.ns;
	for (int i = 0; i < steps; i++)
		step(first + i);
	fputs("\n],\n\"traceName\": \"example.json\"\n}\n", out);
}

int
main(int argc, char *argv[])
{
	int steps = 4, seed = 1;
	char path[4096];

	for (; argc > 3 && !strncmp(argv[1], "--", 2); argc -= 2, argv += 2) {
		int n = atoi(argv[2]);

		if (!strcmp(argv[1], "--seed"))
			seed = n;
		else if (!strcmp(argv[1], "--rank"))
			rank = n;
		else if (!strcmp(argv[1], "--steps"))
			steps = n;
		else
			break;
	}
	if (argc != 2 || rank < 0 || rank >= RANKS || steps < 1)
		die(2, "usage: %s [--seed N] [--rank N] [--steps N] OUTDIR",
		    program);
	state = (uint64_t)(seed + rank) * UINT64_C(0x9e3779b97f4a7c15) | 1;
	mkdir(argv[1], 0777);
	snprintf(path, sizeof path, "%s/rank%d.json", argv[1], rank);
	out = file_create(path);
	trace(5, steps);
	file_close(out, path);
	puts(path);
	return 0;
}
