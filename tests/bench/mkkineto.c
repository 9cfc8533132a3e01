/*
 * mkkineto - a trace of PyTorch on one GPU, as Kineto exports one
 *
 * usage: mkkineto CALLS
 * CALLS calls of an operator, each with what Kineto tells about it: three
 * Python functions around it, the operator and one inside, the launch, the
 * kernel and the arrow between the two; about 2.7 KB a call.
 */
#include <stdlib.h>

#include "kineto.h"
#include "seeded.h"

enum { PID = 4242, LAYERS = 24 };

static const struct op {
	const char *name, *inner, *kernel, *type, *module;
	unsigned typical_ns;
} ops[] = {
	{ "aten::linear", "aten::addmm",
	    "sm90_gemm_bf16_128x256_tn_align8", "c10::BFloat16", "Linear",
	    90000 },
	{ "aten::layer_norm", "aten::native_layer_norm",
	    "void kernels::layer_norm_kernel<bfloat16, float>(int, float, "
	    "bfloat16 const*, bfloat16 const*, float*)", "c10::BFloat16",
	    "LayerNorm", 12000 },
	{ "aten::gelu", "aten::gelu",
	    "void kernels::elementwise_kernel<4, gelu_op<bfloat16>, "
	    "array<char*, 2ul> >(int, gelu_op<bfloat16>, array<char*, 2ul>)",
	    "c10::BFloat16", "GELU", 8000 },
	{ "aten::softmax", "aten::_softmax",
	    "void kernels::softmax_forward<8, bfloat16, float, "
	    "epilogue<bfloat16> >(bfloat16*, bfloat16 const*, int)",
	    "c10::BFloat16", "Attention", 21000 },
	{ "aten::add_", "aten::add_",
	    "void kernels::elementwise_kernel<4, add_op<float>, "
	    "array<char*, 3ul> >(int, add_op<float>, array<char*, 3ul>)",
	    "float", "Block", 5000 },
	{ "aten::embedding", "aten::index_select",
	    "void kernels::gather_rows<bfloat16, long, 256>(bfloat16*, "
	    "bfloat16 const*, long const*, long)", "long int", "Embedding",
	    7000 },
};

enum { OPS = sizeof ops / sizeof *ops };

static void
operator(const char *name, const struct op *op, uint64_t id,
    uint64_t from_ns, uint64_t dur_ns)
{
	unsigned rows = 128u << id % 5;

	event("cpu_op", name, PID, PID, from_ns, dur_ns);
	printf("\"External id\": %" PRIu64 ", \"Record function id\": 0, "
	    "\"Concrete Inputs\": [\"\", \"\", \"\", \"1\", \"False\"], "
	    "\"Input type\": [\"%s\", \"%s\", \"\", \"Scalar\", \"Scalar\"], "
	    "\"Input Strides\": [[%u, 1], [1024, 1], [], [], []], "
	    "\"Input Dims\": [[%u, 1024], [1024, %u], [], [], []], "
	    "\"Ev Idx\": %" PRIu64 "\n    }\n  }", id, op->type, op->type,
	    rows, rows, rows, id);
}

static void
kernel(const struct op *op, uint64_t id, uint64_t from_ns, uint64_t dur_ns)
{
	unsigned blocks = 64 + (unsigned)(id % 7) * 32;

	event("kernel", op->kernel, 0, 7, from_ns, dur_ns);
	printf("\"External id\": %" PRIu64 ", \"queued\": 0, \"device\": 0, "
	    "\"context\": 1,\n      \"stream\": 7, \"correlation\": %" PRIu64
	    ",\n      \"registers per thread\": 40, \"shared memory\": 0,\n"
	    "      \"blocks per SM\": %u.%03u,\n      \"warps per SM\": %u,\n"
	    "      \"grid\": [%u, 1, 1],\n      \"block\": [128, 1, 1],\n"
	    "      \"est. achieved occupancy %%\": %u\n    }\n  }", id, id,
	    blocks / 132, blocks % 132 * 7, blocks / 33, blocks, blocks / 4);
}

int
main(int argc, char *argv[])
{
	uint64_t calls, at = 1428625731516983, gpu = at;
	char name[120];

	if (argc != 2 || !(calls = strtoull(argv[1], NULL, 10)))
		return 2;
	head(PID);
	for (uint64_t i = 0; i < calls; i++) {
		uint64_t r = seeded_next(), id = 1000 + i * 8, launch;
		const struct op *op = &ops[r % OPS];
		uint64_t cpu = 20000 + (r >> 8) % 9000;
		uint64_t dur = op->typical_ns + (r >> 24) % op->typical_ns;

		snprintf(name, sizeof name, "nn.Module: %s_%u", op->module,
		    (unsigned)(i / OPS % LAYERS));
		python(name, PID, id, at, cpu);
		snprintf(name, sizeof name, "torch/nn/modules/%s.py(%u): "
		    "forward", op->module, 60 + (unsigned)(r % OPS));
		python(name, PID, id + 1, at + 300, cpu - 900);
		python("<built-in method apply of type object>", PID, id + 2,
		    at + 700, cpu - 1800);
		operator(op->name, op, id + 3, at + 1100, cpu - 2900);
		operator(op->inner, op, id + 4, at + 1900, cpu - 4700);
		launch = at + 2000 + cpu / 2;
		event("cuda_runtime", "cudaLaunchKernel", PID, PID, launch,
		    4000 + r % 999);
		printf("\"External id\": %" PRIu64 ", \"cbid\": 211, "
		    "\"correlation\": %" PRIu64 "\n    }\n  }", id + 4, id);
		arrow('s', id, PID, PID, launch);
		gpu = (gpu > launch + 6000 ? gpu : launch + 6000) + 800;
		kernel(op, id, gpu, dur);
		arrow('f', id, 0, 7, gpu);
		gpu += dur;
		at += cpu + 1500;
	}
	tail();
	return ferror(stdout) || fclose(stdout) ? 4 : 0;
}
