/*
 * mkpytorch - a trace of PyTorch with all that its profiler can record
 *
 * usage: mkpytorch CALLS
 * CALLS calls that launch a kernel, each with what stands around it in a
 * trace with stacks, shapes and memory: Python functions, operators that
 * launch nothing, allocations; about 29 events and 7.5 KB a call.  As in a
 * real one, the events of a category stand together, not in order of time.
 */
#include <stdlib.h>

#include "kineto.h"
#include "seeded.h"

enum { PID = 4242, STREAM = 7, COMM = 20, LAYERS = 24, WIDTHS = 13,
    FUNCTIONS = 160 };

/* The categories, in the order in which they are written. */
enum pass { ANNOTATIONS, OPERATORS, MEMORY, PYTHON, DEVICE, PASSES };

static const struct op {
	const char *name, *inner, *kernel;
	/* dimensions before and after the rows of a batch, and the rest */
	const char *before, *after, *types, *strides, *inputs;
	unsigned typical_ns;
} ops[] = {
	{ "aten::layer_norm", "aten::native_layer_norm",
	    "void at::native::example_layer_norm<bfloat16, float>(int, float, "
	    "bfloat16 const*, bfloat16 const*, float*, bfloat16*)",
	    "[[1, ", ", 1024], [], [1024], [1024], []]",
	    "\"c10::BFloat16\", \"ScalarList\", \"c10::BFloat16\", "
	    "\"c10::BFloat16\", \"Scalar\"",
	    "[1048576, 1024, 1], [], [1], [1], []",
	    "\"\", \"[1024]\", \"\", \"\", \"1e-05\"", 12000 },
	{ "aten::linear", "aten::addmm", "example_gemm_bf16_128x256_tn_align8",
	    "[[4096], [", ", 1024], [1024, 4096], [], []]",
	    "\"c10::BFloat16\", \"c10::BFloat16\", \"c10::BFloat16\", "
	    "\"Scalar\", \"Scalar\"", "[1], [1024, 1], [1, 1024], [], []",
	    "\"\", \"\", \"\", \"1\", \"1\"", 60000 },
	{ "aten::matmul", "aten::bmm", "example_gemm_batched_bf16_128x128_nn",
	    "[[16, ", ", 64], [16, 64, 512]]",
	    "\"c10::BFloat16\", \"c10::BFloat16\"",
	    "[65536, 64, 1], [32768, 1, 64]", "\"\", \"\"", 40000 },
	{ "aten::softmax", "aten::_softmax",
	    "void example_softmax_forward<8, bfloat16, float, epilogue<"
	    "bfloat16> >(bfloat16*, bfloat16 const*, int)", "[[16, ",
	    ", 512], [], []]", "\"c10::BFloat16\", \"Scalar\", \"Scalar\"",
	    "[262144, 512, 1], [], []", "\"\", \"-1\", \"False\"", 21000 },
	{ "aten::gelu", "aten::gelu",
	    "void at::native::vectorized_elementwise_kernel<8, example_gelu<"
	    "bfloat16>, array<char*, 2ul> >(int, example_gelu<bfloat16>)",
	    "[[1, ", ", 4096], []]", "\"c10::BFloat16\", \"\"",
	    "[4194304, 4096, 1], []", "\"\", \"none\"", 8000 },
	{ "aten::add", "aten::add",
	    "void at::native::vectorized_elementwise_kernel<8, example_add<"
	    "bfloat16>, array<char*, 3ul> >(int, example_add<bfloat16>)",
	    "[[1, ", ", 1024], [1, 1, 1024], []]",
	    "\"c10::BFloat16\", \"c10::BFloat16\", \"Scalar\"",
	    "[1048576, 1024, 1], [1024, 1024, 1], []",
	    "\"\", \"\", \"1\"", 5000 },
	{ "aten::to", "aten::copy_",
	    "void at::native::elementwise_kernel<128, 4, example_copy<float> "
	    ">(int, example_copy<float>)", "[[1, ", ", 1024], [1], []]",
	    "\"float\", \"c10::BFloat16\", \"Scalar\"",
	    "[1048576, 1024, 1], [1], []", "\"\", \"\", \"False\"", 7000 },
};

enum { OPS = sizeof ops / sizeof *ops, STEP = LAYERS * OPS * 2 };

static const char *const views[] = { "aten::view", "aten::transpose",
    "aten::as_strided", "aten::empty" };

static enum pass pass;

/* Numbers of events; the clocks of the host and of the streams. */
static uint64_t id, at, stream_free, comm_free;

static void
operator(const char *name, const struct op *op, unsigned rows,
    uint64_t from_ns, uint64_t dur_ns)
{
	id++;
	if (pass != OPERATORS)
		return;
	event("cpu_op", name, PID, PID, from_ns, dur_ns);
	printf("\"External id\": %" PRIu64 ", \"Record function id\": 0", id);
	if (op)
		printf(", \"Concrete Inputs\": [%s], \"Input type\": [%s], "
		    "\"Input Strides\": [%s], \"Input Dims\": %s%u%s",
		    op->inputs, op->types, op->strides, op->before, rows,
		    op->after);
	printf(", \"Ev Idx\": %" PRIu64 "\n    }\n  }", id);
}

static void
allocation(uint64_t at_ns, int kilobytes)
{
	if (pass != MEMORY)
		return;
	printf(",\n  {\n    \"ph\": \"i\", \"cat\": \"cpu_instant_event\", "
	    "\"s\": \"t\", \"name\": \"[memory]\", \"pid\": %d, "
	    "\"tid\": %d,\n    \"ts\": %" PRIu64 ".%03u, \"args\": {\n      "
	    "\"Total Allocated\": 1077300736, \"Bytes\": %d, \"Device Id\": "
	    "0, \"Device Type\": 1\n    }\n  }", PID, PID, at_ns / 1000,
	    (unsigned)(at_ns % 1000), kilobytes * 1024);
}

static void
function(unsigned file, unsigned line, uint64_t from_ns, uint64_t dur_ns)
{
	static const char *const names[] = { "linear", "normalization",
	    "attention", "module", "activation", "functional" };
	char name[80];

	id++;
	if (pass != PYTHON)
		return;
	snprintf(name, sizeof name, "torch/nn/modules/%s.py(%u): call_%u",
	    names[file % 6], 20 + line * 7, line);
	python(name, PID, id, from_ns, dur_ns);
}

/* The launch of CORRELATION and the kernel, which waits for its stream. */
static void
launch(const char *kernel, int stream, uint64_t correlation, uint64_t dur_ns,
    const char *extra)
{
	uint64_t *free_at = stream == COMM ? &comm_free : &stream_free;
	uint64_t ready = at + 6000, from;

	from = (*free_at > ready ? *free_at : ready) + 800;
	*free_at = from + dur_ns;
	if (pass != DEVICE)
		return;
	event("cuda_runtime", "cudaStreamIsCapturing", PID, PID, at - 1500,
	    400);
	printf("\"cbid\": 317, \"correlation\": %" PRIu64 "\n    }\n  }",
	    correlation + 1);
	event("cuda_runtime", "cudaLaunchKernel", PID, PID, at, 4100);
	printf("\"External id\": %" PRIu64 ", \"cbid\": 211, \"correlation\": "
	    "%" PRIu64 "\n    }\n  }", id, correlation);
	arrow('s', correlation, PID, PID, at);
	event("kernel", kernel, 0, stream, from, dur_ns);
	printf("\"External id\": %" PRIu64 ", \"device\": 0, \"context\": 1, "
	    "\"stream\": %d, \"correlation\": %" PRIu64 ",\n      \"grid\": "
	    "[128, 1, 1], \"block\": [256, 1, 1]%s\n    }\n  }", id, stream,
	    correlation, extra);
	arrow('f', correlation, 0, stream, from);
}

static void
call(const struct op *op, uint64_t number)
{
	uint64_t r = seeded_next(), from = at;
	unsigned rows = 128 * (1 + (unsigned)(number / OPS % WIDTHS));
	unsigned line = (unsigned)(r >> 40) % FUNCTIONS;
	uint64_t all = 26000 + r % 9000;

	for (unsigned i = 0; i < 5; i++)	/* one within the other */
		function(i, line + i, from + i * 300, all - i * 700);
	operator(op->name, op, rows, from + 2000, all - 6000);
	for (unsigned i = 0; i < 4; i++) {
		operator(views[i], NULL, 0, from + 2400 + i * 900, 600);
		allocation(from + 2500 + i * 900, 64 << i);
	}
	operator(op->inner, op, rows, from + 7000, all - 13000);
	at = from + 9000;
	launch(op->kernel, STREAM, 10 + number * 4, op->typical_ns / 2 +
	    op->typical_ns * (rows / 128) / 16 + (r >> 24) % 2000, "");
	for (unsigned i = 0; i < 9; i++)	/* one after the other */
		function(line + i, line + i, from + all - 3400 + i * 300, 200);
	at = from + all + 1500;
}

static void
all_reduce(uint64_t number)
{
	operator("record_param_comms", NULL, 0, at, 14000);
	at += 4000;
	comm_free = stream_free > comm_free ? stream_free : comm_free;
	launch("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", COMM,
	    12 + number * 4, 90000 + seeded_next() % 40000,
	    ", \"Collective name\": \"allreduce\", \"In msg nelems\": "
	    "1048576, \"Out msg nelems\": 1048576, \"Group size\": 8, "
	    "\"dtype\": \"BFloat16\", \"Process Group Name\": \"0\"");
	at += 12000;
}

static void
step(uint64_t first, uint64_t calls)
{
	uint64_t from = at;
	char name[40];

	for (uint64_t i = 0; i < calls; i++) {
		call(&ops[(first + i) % OPS], first + i);
		if (i % (OPS * 4) == OPS * 4 - 1)
			all_reduce(first + i);
	}
	at = (at > stream_free ? at : stream_free) + 8000;
	if (pass != ANNOTATIONS)
		return;
	snprintf(name, sizeof name, "ProfilerStep#%" PRIu64, first / STEP);
	event("user_annotation", name, PID, PID, from, at - from);
	fputs("\n    }\n  }", stdout);
}

int
main(int argc, char *argv[])
{
	uint64_t calls;

	if (argc != 2 || !(calls = strtoull(argv[1], NULL, 10)))
		return 2;
	head(PID);
	for (pass = 0; pass < PASSES; pass++) {
		seeded_state = 42;
		id = 0;
		at = stream_free = comm_free = 1428625731516983;
		for (uint64_t i = 0; i < calls; i += STEP)
			step(i, calls - i < STEP ? calls - i : STEP);
	}
	tail();
	return ferror(stdout) || fclose(stdout) ? 4 : 0;
}
