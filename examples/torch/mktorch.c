/*
 * mktorch - write an example trace of a PyTorch training run
 *
 *	mktorch [--seed N] [--rank N] [--steps N] [--platform N] OUTDIR
 *
 * Makes OUTDIR/rank0.json and rank1.json (or the one of --rank) as Kineto
 * writes them: a step copies the input to the device, runs two blocks forward
 * and backward, all-reduces the gradients and updates the weights.  The
 * backward pass has a thread of its own.  Python functions are recorded for
 * the forward pass.  The host waits for the input in every second step, so the
 * GPU idles; the first kernel was launched before the recording began.
 * Matrices take longer on rank 1, so rank 0 waits for it. Platform 2 has other
 * kernels: matrices are faster, layer norms slower.
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
/* Bytes: all that is reserved, weights, a gradient, what an operator makes. */
enum { RESERVED = 64 << 20, WEIGHTS = 16 << 20, GRADIENT = 4 << 20,
    OUTPUT = 2 << 20 };

static int platform = 1;

/* One rank: what it writes to; numbers of events, arrows and operators; the
 * clocks of the host and of the streams, in nanoseconds. */
struct side {
	FILE *out;
	const char *between;
	uint64_t state;
	int rank;
	int64_t correlation, external, sequence, now, stream_free, comm_free;
	/* of the step: when it began, also its backward pass; its first
	 * operator */
	int64_t began, backward_began, first;
	int64_t allocated;		/* bytes */
	/* of the all-reduce that is under way */
	int64_t arrived, arrived_correlation, arrived_external;
};

static struct side sides[RANKS];
static struct side *at;		/* the one that goes on */

struct kernel {
	const char *name;
	int ns;			/* takes about so long */
};

struct op {
	const char *name, *inner;	/* inner one: launches, or NULL */
	const char *module;		/* that calls it, or NULL */
	const char *dims, *types;
	struct kernel kernel;
	int sequenced;		/* has a backward pass */
};

static const struct op forward[] = {
	{ "aten::linear", "aten::addmm", "Linear",
	    "[[1024], [512, 1024], [1024, 1024]]",
	    "[\"float\", \"float\", \"float\"]",
	    { "example_gemm_f32_128x128_nt", 84000 }, 1 },
	{ "aten::relu", "aten::clamp_min", "ReLU", "[[512, 1024], []]",
	    "[\"float\", \"Scalar\"]",
	    { "void at::native::elementwise_kernel<4, example_clamp>(int)",
	    9400 }, 1 },
	{ "aten::layer_norm", "aten::native_layer_norm", "LayerNorm",
	    "[[512, 1024], [], [1024], [1024], []]",
	    "[\"float\", \"ScalarList\", \"float\", \"float\", \"Scalar\"]",
	    { "void at::native::example_layer_norm<float>(int, float*)",
	    14600 }, 1 },
};

static const struct op backward[] = {
	{ "NativeLayerNormBackward0", "aten::native_layer_norm_backward",
	    NULL,
	    "[[512, 1024], [512, 1024], [], [512, 1], [512, 1], [1024]]",
	    "[\"float\", \"float\", \"ScalarList\", \"float\", \"float\", "
	    "\"float\"]",
	    { "void at::native::example_layer_norm_grad<float>(int, float*)",
	    26800 }, 1 },
	{ "ThresholdBackward0", "aten::threshold_backward", NULL,
	    "[[512, 1024], [512, 1024], []]",
	    "[\"float\", \"float\", \"Scalar\"]",
	    { "void at::native::elementwise_kernel<4, example_threshold>(int)",
	    9900 }, 1 },
	{ "AddmmBackward0", "aten::mm", NULL, "[[512, 1024], [1024, 1024]]",
	    "[\"float\", \"float\"]",
	    { "example_gemm_f32_128x128_nn", 91000 }, 1 },
};

enum { BLOCKS = 2, OPS = sizeof forward / sizeof *forward };

static int64_t
about(int64_t ns)
{
	at->state ^= at->state << 13;
	at->state ^= at->state >> 7;
	at->state ^= at->state << 17;
	return ns - ns / 16 + (int64_t)(at->state % ((uint64_t)ns / 8 + 1));
}

/* An event up to its arguments, which the caller closes with "}}". */
static void
event(const char *cat, const char *name, int pid, int tid, int64_t from,
    int64_t ns)
{
	fprintf(at->out, "%s\n{\"ph\": \"X\", \"cat\": \"%s\", "
	    "\"name\": \"%s\", \"pid\": %d, \"tid\": %d, \"ts\": %" PRId64
	    ".%03d, \"dur\": %" PRId64 ".%03d, \"args\": {", at->between,
	    cat, name, pid, tid,
	    from / 1000, (int)(from % 1000), ns / 1000, (int)(ns % 1000));
	at->between = ",";
}

static void
arrow(char phase, int64_t id, int pid, int tid, int64_t when)
{
	fprintf(at->out, ",\n{\"ph\": \"%c\", \"id\": %" PRId64
	    ", \"pid\": %d, \"tid\": %d, \"ts\": %" PRId64 ".%03d, "
	    "\"cat\": \"ac2g\", "
	    "\"name\": \"ac2g\"%s}", phase, id, pid, tid, when / 1000,
	    (int)(when % 1000), phase == 'f' ? ", \"bp\": \"e\"" : "");
}

/* What the allocator did with block NUMBER: BYTES more, or fewer. */
static void
memory(int tid, int number, int64_t bytes)
{
	at->allocated += bytes;
	fprintf(at->out, ",\n{\"ph\": \"i\", \"cat\": \"cpu_instant_event\", "
	    "\"s\": \"t\", \"name\": \"[memory]\", \"pid\": %d, \"tid\": %d, "
	    "\"ts\": %" PRId64 ".%03d, \"args\": {\"Bytes\": %" PRId64
	    ", \"Addr\": %d, \"Total Allocated\": %" PRId64
	    ", \"Total Reserved\": %d, \"Device Type\": 1, \"Device Id\": "
	    "%d}}", PID, tid, at->now / 1000, (int)(at->now % 1000), bytes,
	    number * 4096, at->allocated, RESERVED, at->rank);
}

/* How long K takes here. */
static int64_t
takes(const struct kernel *k)
{
	int is_matrix = !strncmp(k->name, "example_gemm", 12);
	int64_t ns = about(k->ns);

	if (is_matrix && at->rank == 1)
		ns += ns / 2;
	if (platform == 2)
		ns = is_matrix ? ns * 6 / 10 :
		    strstr(k->name, "layer_norm") ? ns * 14 / 10 : ns;
	return ns;
}

/* GPU work that a call launched, and the arrow to it. */
static void
gpu(const char *cat, const char *name, int stream, int64_t from, int64_t ns,
    int64_t id, int64_t op, const char *extra)
{
	char other[96];

	if (platform == 2 && !strncmp(name, "example_gemm", 12)) {
		snprintf(other, sizeof other, "example_tensor_%s", name + 8);
		name = other;
	}
	event(cat, name, at->rank, stream, from, ns);
	fprintf(at->out, "\"External id\": %" PRId64 ", \"device\": %d, "
	    "\"stream\": %d, \"correlation\": %" PRId64 "%s}}", op,
	    at->rank, stream, id, extra);
	arrow('f', id, at->rank, stream, from);
}

/* What the latest call, which ends at READY, has the device do: EXTRA are
 * arguments of its own. */
static void
work(const char *cat, const struct kernel *k, int64_t ready,
    const char *extra)
{
	int64_t from = ready > at->stream_free ? ready :
	    at->stream_free + 900;
	int64_t ns = takes(k);

	gpu(cat, k->name, STREAM, from, ns, at->correlation, at->external,
	    extra);
	at->stream_free = from + ns;
}

/* Call CALL, which launches something. */
static void
launch(const char *call, int tid)
{
	int64_t ns = about(4200);

	at->correlation++;
	event("cuda_runtime", call, PID, tid, at->now, ns);
	fprintf(at->out, "\"External id\": %" PRId64 ", \"correlation\": %"
	    PRId64 "}}", at->external, at->correlation);
	arrow('s', at->correlation, PID, tid, at->now);
	at->now += ns;
}

static void
operator(const char *name, const char *dims, const char *types, int tid,
    int64_t from, int64_t ns, int64_t number)
{
	event("cpu_op", name, PID, tid, from, ns);
	fprintf(at->out, "\"External id\": %" PRId64, ++at->external);
	if (number)
		fprintf(at->out, ", \"Sequence number\": %" PRId64, number);
	if (dims)
		fprintf(at->out, ", \"Input Dims\": %s, \"Input type\": %s",
		    dims, types);
	fputs("}}", at->out);
}

/* A call of instance NUMBER of module CLASS, from FROM to now. */
static void
module(const char *class, int number, int64_t from)
{
	char name[80];

	snprintf(name, sizeof name, "nn.Module: %s_%d", class, number);
	event("python_function", name, PID, MAIN, from, at->now - from);
	fputs("}}", at->out);
}

/* record_function(NAME) of the main thread, from FROM to now. */
static void
range(const char *name, int64_t from)
{
	event("user_annotation", name, PID, MAIN, from, at->now - from);
	fputs("}}", at->out);
}

/* OP and the one inside, which makes block MADE of BYTES (below 0: none) and
 * launches its kernel. */
static void
call(const struct op *op, int tid, int64_t number, int made, int64_t bytes)
{
	int64_t from = at->now, inner = from + about(2100);

	at->now = inner + about(3400);
	if (made >= 0)
		memory(tid, made, bytes);
	launch("cudaLaunchKernel", tid);
	work("kernel", &op->kernel, at->now + 1300, "");
	at->now += about(1200);
	operator(op->inner, op->dims, op->types, tid, inner, at->now - inner,
	    number);
	at->now += about(900);
	operator(op->name, op->dims, op->types, tid, from, at->now - from,
	    number);
	at->now += about(1500);
}

/* Call an all-reduce, which begins when this rank has its gradients. */
static void
all_reduce(void)
{
	int64_t from = at->now;

	at->now += about(3000);
	if (at->comm_free < at->stream_free)
		at->comm_free = at->stream_free;
	launch("cudaLaunchKernel", AUTOGRAD);
	at->arrived = at->now + 1300 > at->comm_free ? at->now + 1300 :
	    at->comm_free + 900;
	at->arrived_correlation = at->correlation;
	at->arrived_external = at->external;
	at->now += about(800);
	operator("record_param_comms", "[[2101248]]", "[\"float\"]", AUTOGRAD,
	    from, at->now - from, 0);
}

/* It ends on all ranks when the last has come and all have got theirs. */
static void
end_all_reduce(void)
{
	int64_t end = 0;
	char extra[400];

	snprintf(extra, sizeof extra, ", \"Collective name\": \"allreduce\", "
	    "\"In msg nelems\": 2101248, \"Out msg nelems\": 2101248, "
	    "\"Group size\": %d, \"dtype\": \"Float\", \"In split size\": "
	    "\"[]\", \"Out split size\": \"[]\", \"Process Group Name\": "
	    "\"0\", \"Process Group Ranks\": \"[0, 1]\"", RANKS);
	for (at = sides; at < sides + RANKS; at++)
		end = at->arrived > end ? at->arrived : end;
	at = sides;
	end += about(118000);
	for (at = sides; at < sides + RANKS; at++) {
		gpu("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", COMM,
		    at->arrived, end - at->arrived, at->arrived_correlation,
		    at->arrived_external, extra);
		at->comm_free = end;
	}
}

static void
copy_input(void)
{
	static const struct kernel k = { "Memcpy HtoD (Pinned -> Device)",
	    52000 };
	int64_t from = at->now;

	at->now += about(2600);
	launch("cudaMemcpyAsync", MAIN);
	work("gpu_memcpy", &k, at->now + 1300, ", \"bytes\": 2097152");
	at->now += about(700);
	operator("aten::copy_", "[[512, 1024], [512, 1024], []]",
	    "[\"float\", \"float\", \"Scalar\"]", MAIN, from,
	    at->now - from, 0);
}

static void
forward_pass(int number)
{
	int64_t net, block, from;

	at->began = at->now;
	at->first = at->sequence;
	if (number % 2) {
		at->now += about(420000);	/* the input is late */
		range("enumerate(DataLoader)#_MultiProcessingDataLoaderIter."
		    "__next__", at->began);
	}
	copy_input();
	net = at->now;
	for (int b = 0; b < BLOCKS; b++) {
		block = at->now;
		for (int i = 0; i < OPS; i++) {
			from = at->now;
			call(&forward[i], MAIN, at->sequence++, b * OPS + i,
			    OUTPUT);
			module(forward[i].module, b, from);
		}
		module("MlpBlock", b, block);
	}
	module("Net", 0, net);
	range("forward", net);
	at->backward_began = at->now;
}

static void
backward_pass(int block)
{
	for (int i = 0; i < OPS; i++) {
		int64_t from = at->now;
		int64_t of = at->first + block * OPS + OPS - 1 - i;
		char name[96];

		at->now += about(1100);
		call(&backward[i], AUTOGRAD, of, BLOCKS * OPS + block * OPS +
		    i, GRADIENT);
		snprintf(name, sizeof name, "autograd::engine::"
		    "evaluate_function: %s", backward[i].name);
		memory(AUTOGRAD, block * OPS + OPS - 1 - i, -OUTPUT);
		operator(name, NULL, NULL, AUTOGRAD, from, at->now - from, of);
	}
	all_reduce();
}

/* loss.item(): waits until the GPU is done. */
static void
read_loss(void)
{
	int64_t from = at->now, call = from + about(5000), waits;

	waits = at->stream_free > call ? at->stream_free - call : 0;
	at->now = call + waits + about(4000);
	event("cuda_runtime", "cudaStreamSynchronize", PID, MAIN, call,
	    at->now - call);
	fprintf(at->out, "\"External id\": %" PRId64 ", \"correlation\": %"
	    PRId64 "}}", at->external, ++at->correlation);
	at->now += about(1500);
	operator("aten::item", NULL, NULL, MAIN, from, at->now - from, 0);
}

static void
update_weights(int number)
{
	static const struct op update = { "Optimizer.step#SGD.step",
	    "aten::_foreach_add_", NULL, "[[[1024, 1024], [1024]], [], []]",
	    "[\"TensorList\", \"TensorList\", \"Scalar\"]",
	    { "void at::native::example_multi_tensor_apply_kernel<sgd>(int)",
	    31000 }, 0 };
	char name[40];

	range("backward", at->backward_began);
	/* the weights wait for their gradients */
	if (at->stream_free < at->comm_free)
		at->stream_free = at->comm_free;
	call(&update, MAIN, 0, -1, 0);
	for (int i = 0; i < BLOCKS * OPS; i++)
		memory(MAIN, BLOCKS * OPS + i, -GRADIENT);
	read_loss();
	at->now += about(6000);
	snprintf(name, sizeof name, "ProfilerStep#%d", number);
	range(name, at->began);
	at->now += about(5000);
}

/* On all ranks, which meet in each all-reduce. */
static void
step(int number)
{
	for (at = sides; at < sides + RANKS; at++)
		forward_pass(number);
	for (int b = BLOCKS; b-- > 0;) {
		for (at = sides; at < sides + RANKS; at++)
			backward_pass(b);
		end_all_reduce();
	}
	for (at = sides; at < sides + RANKS; at++)
		update_weights(number);
}

static void
name_lane(const char *what, const char *key, const char *name, int pid,
    int tid)
{
	fprintf(at->out, "%s\n{\"ph\": \"M\", \"name\": \"%s\", \"pid\": %d, "
	    "\"tid\": %d, \"ts\": 0.000, \"args\": {\"%s\": \"%s\"}}",
	    at->between, what, pid, tid, key, name);
	at->between = ",";
}

static void
begin(void)
{
	static const struct kernel before = { "example_gemm_f32_64x64_nt",
	    40000 };

	fprintf(at->out, "{\n\"schemaVersion\": 1,\n\"deviceProperties\": "
	    "[{\"id\": %d, \"name\": \"Example GPU%s\", \"numSms\": 96}],\n"
	    "\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": %d, "
	    "\"world_size\": %d},\n\"displayTimeUnit\": \"ms\",\n"
	    "\"baseTimeNanoseconds\": 1700000000000000000,\n"
	    "\"traceEvents\": [", at->rank, platform == 2 ? " 2" : "",
	    at->rank, RANKS);
	name_lane("process_name", "name", "python", PID, 0);
	name_lane("process_labels", "labels", "CPU", PID, 0);
	name_lane("thread_name", "name", "thread 4100 (python)", PID, MAIN);
	name_lane("thread_name", "name", "thread 4177 (pt_autograd_0)", PID,
	    AUTOGRAD);
	event("kernel", before.name, at->rank, STREAM, at->now + 20000,
	    before.ns);
	fprintf(at->out, "\"device\": %d, \"stream\": %d, \"correlation\": "
	    "12}}", at->rank, STREAM);
	at->stream_free = at->now + 20000 + before.ns;
}

/* The file of each rank in FOLDER; those of a rank that is not asked for go
 * nowhere. */
static void
trace(const char *folder, int only, int seed, int steps)
{
	char path[RANKS][4096];

	for (int i = 0; i < RANKS; i++) {
		at = &sides[i];
		*at = (struct side){ .between = "", .rank = i, .correlation =
		    100, .external = 1, .sequence = 1,
		    .now = INT64_C(5000000000), .allocated = WEIGHTS };
		at->state = (uint64_t)(seed + i) *
		    UINT64_C(0x9e3779b97f4a7c15) | 1;
		snprintf(path[i], sizeof path[i], "%s/rank%d.json", folder, i);
		if (only >= 0 && only != i)
			strcpy(path[i], "/dev/null");
		at->out = file_create(path[i]);
		begin();
	}
	for (int i = 0; i < steps; i++)
		step(5 + i);
	for (int i = 0; i < RANKS; i++) {
		fputs("\n],\n\"traceName\": \"example.json\"\n}\n",
		    sides[i].out);
		file_close(sides[i].out, path[i]);
		if (only < 0 || only == i)
			puts(path[i]);
	}
}

int
main(int argc, char *argv[])
{
	int steps = 4, seed = 1, only = -1;

	for (; argc > 3 && !strncmp(argv[1], "--", 2); argc -= 2, argv += 2) {
		int n = atoi(argv[2]);

		if (!strcmp(argv[1], "--seed"))
			seed = n;
		else if (!strcmp(argv[1], "--rank"))
			only = n;
		else if (!strcmp(argv[1], "--steps"))
			steps = n;
		else if (!strcmp(argv[1], "--platform"))
			platform = n;
		else
			break;
	}
	if (argc != 2 || only < -1 || only >= RANKS || steps < 1 ||
	    platform < 1 || platform > 2)
		die(2, "usage: %s [--seed N] [--rank N] [--steps N] "
		    "[--platform N] OUTDIR", program);
	mkdir(argv[1], 0777);
	trace(argv[1], only, seed, steps);
	return 0;
}
