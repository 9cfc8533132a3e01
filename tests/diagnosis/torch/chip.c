#include "chip.h"

/* Peaks of the data sheet, and what a kernel takes at least. */
#define MATH_PER_US INT64_C(989400000)
#define BYTES_PER_US INT64_C(3350000)
#define FLOOR_NS 2500
/* A link of PCIe 5, and what staging through pinned memory leaves of it. */
#define PINNED_PER_US 50000
#define PAGEABLE_PER_US 6000

static const char *const cublas[][2] = {
	[TN] = { "nvjet_tst_128x256_64x4_2x1_v_bz_coopA_TNN",
	    "nvjet_tst_128x256_64x4_2x1_v_bz_coopA_bias_TNN" },
	[NN] = { "nvjet_tst_256x128_64x4_1x2_h_bz_coopA_NNN",
	    "nvjet_tst_256x128_64x4_1x2_h_bz_coopA_bias_NNN" },
	[NT] = { "nvjet_tst_256x128_64x4_1x2_h_bz_coopA_NTN",
	    "nvjet_tst_256x128_64x4_1x2_h_bz_coopA_bias_NTN" },
};
#define CUTLASS(name) "void cutlass::Kernel2<" name ">(" name "::Params)"
static const char *const align1[] = {
	[TN] = CUTLASS("cutlass_80_tensorop_bf16_s16816gemm_bf16_128x128_32x3"
	    "_tn_align1"),
	[NN] = CUTLASS("cutlass_80_tensorop_bf16_s16816gemm_bf16_128x128_32x3"
	    "_nn_align1"),
	[NT] = CUTLASS("cutlass_80_tensorop_bf16_s16816gemm_bf16_128x128_32x3"
	    "_nt_align1"),
};
static const char *const align2[] = {
	[TN] = CUTLASS("cutlass_80_tensorop_bf16_s16816gemm_bf16_256x128_64x3"
	    "_tn_align2"),
	[NN] = CUTLASS("cutlass_80_tensorop_bf16_s16816gemm_bf16_256x128_64x3"
	    "_nn_align2"),
	[NT] = CUTLASS("cutlass_80_tensorop_bf16_s16816gemm_bf16_256x128_64x3"
	    "_nt_align2"),
};
static const char gemv[] = "std::enable_if<!(false), void>::type internal::"
    "gemvx::kernel<int, int, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16, "
    "float, false, true, true, false, 7, false, cublasGemvParamsEx<int, "
    "cublasGemvTensorStridedBatched<__nv_bfloat16 const>, "
    "cublasGemvTensorStridedBatched<__nv_bfloat16 const>, "
    "cublasGemvTensorStridedBatched<__nv_bfloat16>, float> >";

/* Set the time of K, at FACTOR percent of the arithmetic that is reached. */
static void
take(const struct job *job, struct kernel *k, int64_t flops, int64_t percent,
    int64_t bytes)
{
	const double rate = (double)MATH_PER_US * (double)job->math / 100;
	const double band = (double)BYTES_PER_US * (double)job->band / 100;
	int64_t math, memory;

	math = (int64_t)((double)flops / rate * 100 / (double)percent * 1e3);
	memory = (int64_t)((double)bytes / band * 1e3);
	k->part = math > memory ? MATH : MEMORY;
	k->ns = math > memory ? math : memory;
	if (k->ns < FLOOR_NS) {
		k->part = TINY;
		k->ns = FLOOR_NS;
	}
}

struct kernel
chip_matrix(const struct job *job, int64_t batch, int64_t m, int64_t n,
    int64_t k, enum layout layout, int bias)
{
	struct kernel kernel = { .stream = COMPUTE, .block = 384 };
	/* what lies side by side in memory */
	const int64_t row = layout == NT ? m : k;
	int64_t bytes, percent = 100;

	kernel.name = cublas[layout][bias];
	if (n % 2 || row % 2) {
		kernel.name = align1[layout];
		percent = 33;
	} else if (n % 8 || row % 8) {
		kernel.name = align2[layout];
		percent = 60;
	}
	kernel.grid = batch * ((m + 127) / 128) * ((n + 127) / 128);
	if (m == 1) {
		kernel.name = gemv;
		kernel.grid = n;
		kernel.block = 128;
	} else if (m < 16) {
		kernel.name = "nvjet_tst_64x8_64x16_4x1_v_bz_TNT";
	}
	bytes = 2 * batch * (m * k + k * n + m * n);
	take(job, &kernel, 2 * batch * m * n * k, percent, bytes);
	return kernel;
}

struct kernel
chip_moves(const struct job *job, const char *name, int64_t bytes, int64_t n)
{
	struct kernel kernel = { .name = name, .stream = COMPUTE,
	    .grid = n / 512 + 1, .block = 128 };

	take(job, &kernel, 0, 100, bytes);
	return kernel;
}

struct kernel
chip_flash(const struct job *job, const char *name, int64_t flops,
    int64_t bytes)
{
	struct kernel kernel = { .name = name, .stream = COMPUTE,
	    .grid = bytes / 65536 + 1, .block = 128 };

	take(job, &kernel, flops, 85, bytes);
	return kernel;
}

struct kernel
chip_peer(int64_t bytes)
{
	/* NVLink, one way */
	return (struct kernel){ .name = "Memcpy PtoP (Device -> Device)",
	    .part = COPY, .stream = COMPUTE, .bytes = bytes,
	    .ns = 2500 + bytes / 380 };
}

struct kernel
chip_copy(const struct job *job, int64_t bytes)
{
	struct kernel kernel = { .part = COPY, .bytes = bytes };

	kernel.name = job->pinned ? "Memcpy HtoD (Pinned -> Device)" :
	    "Memcpy HtoD (Pageable -> Device)";
	kernel.stream = job->pinned ? COPIES : COMPUTE;
	kernel.ns = 1500 + bytes * 1000 / (job->pinned ? PINNED_PER_US :
	    PAGEABLE_PER_US);
	return kernel;
}

struct kernel
chip_reduce(const struct job *job, int64_t bytes)
{
	const double world = (double)job_world(job);
	struct kernel kernel = { .part = COMMUNICATION, .stream = COMM,
	    .grid = 24, .block = 544 };

	kernel.name = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL("
	    "ncclDevKernelArgsStorage<4096ul>)";
	/* around the ring, and the latency of its steps */
	kernel.ns = 30000 + (int64_t)((double)bytes * 2 * (world - 1) /
	    world / (double)job->network * 1e9);
	return kernel;
}
