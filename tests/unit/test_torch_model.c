/*
 * What PyTorch operations have to compute and to move: by hand, and beside
 * the tables of TraceLens in ../shared/expected/pytorch.
 */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/buf.h>

#include "torch/model.h"

static int failed;
static struct tp_torch_models *models;

static void
check(int ok, const char *what, const char *got)
{
	printf("%s - %s%s%s\n", ok ? "ok" : "not ok", what,
	    ok ? "" : ": ", ok ? "" : got);
	failed |= !ok;
}

static void
evaluate(const char *name, const char *const args[4], const char *step,
    const char *kernel, int backward, struct tp_arena *arena,
    struct tp_torch_perf *perf)
{
	struct tp_torch_op op = { .name = name, .name_len = strlen(name),
	    .kernels = &kernel, .kernel_count = kernel != NULL,
	    .backward = backward };
	struct tp_arg *const into[4] = { &op.dims, &op.types, &op.strides,
	    &op.concrete };

	for (int i = 0; i < 4; i++)
		if (args[i])
			*into[i] = (struct tp_arg){ TP_ARG_NESTED,
			    (uint32_t)strlen(args[i]), args[i] };
	if (step)
		op.step = (struct tp_arg){ TP_ARG_STRING,
		    (uint32_t)strlen(step), step };
	tp_torch_model(models, &op, arena, perf);
}

struct hand {
	const char *name, *args[4], *step;
	int backward;
	int64_t flops, bytes, tabled_flops, tabled_bytes;
	const char *spec, *tabled_spec;
};

#define BF "\"c10::BFloat16\""
#define SAME(f, b, s) f, b, f, b, s, s
#define NOTHING SAME(-1, -1, NULL)

static const struct hand hands[] = {
	/* 2*2*4*3; 2 bytes of 2*3 + 3*4 + 2*4 */
	{ "aten::mm", { "[[2,3],[3,4]]", "[" BF "," BF "]",
	    "[[3,1],[4,1]]", "[\"\",\"\"]" }, NULL, 0,
	    SAME(48, 52, "matrix_bf16") },
	/* and 2*4, and 2*4 bytes */
	{ "aten::addmm", { "[[4],[2,3],[3,4],[],[]]",
	    "[\"float\",\"float\",\"float\",\"Scalar\",\"Scalar\"]" }, NULL,
	    0, SAME(56, 120, "matrix_fp32") },
	{ "aten::bmm", { "[[5,2,3],[5,3,4]]", "[\"double\",\"double\"]" },
	    NULL, 0, SAME(240, 1040, "matrix_fp64") },
	{ "aten::baddbmm", { "[[5,2,4],[5,2,3],[5,3,4]]",
	    "[" BF "," BF "," BF "]" }, NULL, 0,
	    SAME(280, 300, "matrix_bf16") },
	/* fp8 in, 2 bytes out; a bias the reference does not see */
	{ "aten::_scaled_mm", { "[[2,3],[3,4],[],[],[4],[],[],[]]",
	    "[\"c10::Float8_e4m3fn\",\"c10::Float8_e4m3fn\",\"float\","
	    "\"float\"," BF ",\"\",\"Scalar\",\"Scalar\"]" }, NULL, 0,
	    56, 42, 48, 34, "matrix_fp8", "matrix_fp8" },
	/* weights stand as N x K; 4-bit pairs: K is 6, 2*3 + 4*3 + 2*2*4 */
	{ "aiter::gemm_afp4wfp4_", { "[[2,3],[4,3]]",
	    "[\"unsigned char\",\"unsigned char\"]" }, NULL, 0,
	    SAME(96, 34, "matrix_fp4") },
	{ "aiter::gemm_a8w8_ck", { "[[2,3],[4,3]]",
	    "[\"signed char\",\"signed char\"]" }, NULL, 0,
	    SAME(48, 34, NULL) },
	{ "vllm::rocm_unquantized_gemm", { "[[2,3],[4,3],[4]]",
	    "[" BF "," BF ",\"float\"]" }, NULL, 0,
	    SAME(56, 84, "matrix_bf16") },
	{ "primus_turbo::hipblaslt_gemm_fp8",
	    { "[[2,3],[],[4,3],[],[],[],[],[],[]]",
	    "[\"c10::Float8_e4m3fnuz\",\"float\","
	    "\"c10::Float8_e4m3fnuz\",\"float\"]", NULL,
	    "[\"\",\"\",\"\",\"\",\"15\",\"False\",\"True\",\"False\",\"\"]"
	    }, NULL, 0, SAME(48, 34, "matrix_fp8") },
	/* the result turned, 4 x 2 */
	{ "primus_turbo::hipblaslt_gemm_fp8",
	    { "[[2,3],[],[4,3],[],[],[],[],[],[]]",
	    "[\"c10::Float8_e4m3fnuz\",\"float\","
	    "\"c10::Float8_e4m3fnuz\",\"float\"]", NULL,
	    "[\"\",\"\",\"\",\"\",\"15\",\"False\",\"True\",\"True\",\"\"]"
	    }, NULL, 0, SAME(48, 34, "matrix_fp8") },
	/* 3 tokens in front of a batch of 2; 8 in 4 bytes:
	 * 2*(2*3*8 + 5*4 + 2*3*5) */
	{ "aiter::batched_gemm_a16wfp4_", { "[[3,2,8],[2,5,4]]",
	    "[" BF ",\"unsigned char\"]" }, NULL, 0,
	    SAME(480, 196, "matrix_fp4") },
	/* what is missing or of another form is unknown, and no error */
	/* by formulas of share/ops: 6*2*3, and 6*4, 4*3, 8*2*2 */
	{ "aiter::topk_softplus", { "[[2,2],[2,2],[2,3]]",
	    "[\"float\",\"int\",\"float\"]" }, NULL, 0,
	    SAME(36, 24 + 12 + 32, "vector_fp32") },
	/* 2x2 of what had 1x1 pixels */
	{ "aten::upsample_nearest2d", { "[[1,3,1,1],[],[],[]]",
	    "[" BF ",\"ScalarList\",\"\",\"\"]", NULL,
	    "[\"\",\"[2, 2]\",\"\",\"\"]" }, NULL, 0,
	    SAME(12, (3 + 12) * 2, "vector_bf16") },
	{ "aten::upsample_nearest2d", { "[[1,3,1,1],[],[],[]]",
	    "[" BF ",\"ScalarList\",\"\",\"\"]", NULL,
	    "[\"\",\"\",\"\",\"\"]" }, NULL, 0,
	    NOTHING },
	/* lists of matrices: 2*(2*3*4 + 5*1*2), 2*(6+12+5+2) + 2*(8+10) */
	{ "primus_turbo::grouped_gemm", { "[[[2,3],[5,1]],[[3,4],[1,2]]]",
	    "[" BF "," BF "]" }, NULL, 0, SAME(68, 86, "matrix_bf16") },
	{ "primus_turbo::grouped_gemm", { "[[[2,3],[5,1]],[[3,4],[2,2]]]",
	    "[" BF "," BF "]" }, NULL, 0, NOTHING },
	/* 4 bits, two to a byte: 2*6 and 3*4 / 2 elements, 2*4 of 2 bytes */
	{ "vllm::gemm_with_dynamic_quant", { "[[2,6],[4,3],[4,1]]",
	    "[" BF ",\"unsigned char\",\"unsigned char\"]" }, NULL, 0,
	    SAME(96, 24 + 12 + 16, "matrix_fp4") },
	/* half of each head of 4 is turned: 3 * (2*8 + 2*4) / 2 */
	{ "sgl_kernel::rotary_embedding", { "[[2],[2,8],[2,4],[],[9,2],[]]",
	    "[\"long int\"," BF "," BF ",\"Scalar\",\"float\",\"Scalar\"]",
	    NULL, "[\"\",\"\",\"\",\"4\",\"\",\"False\"]" }, NULL, 0,
	    SAME(36, 48, "vector_bf16") },
	/* a reduction whose length is in its code: 2*3 of 2 bytes */
	{ "triton_per_fused_native_layer_norm_2", { "[[2,3],[]]",
	    "[\"c10::Half\",\"Scalar\"]", NULL, "[\"\",\"2\"]" }, NULL, 0,
	    0, 12, 0, 12, "vector_fp16", "vector_half" },
	/* the third truth swaps both sides: 2*3*2*8*5 */
	{ "primus_turbo::hipblaslt_gemm_fp4",
	    { "[[5,8],[5,1],[3,8],[3,1],[],[],[],[]]",
	    "[\"c10::Float4_e2m1fn_x2\",\"c10::Float8_e8m0fnu\","
	    "\"c10::Float4_e2m1fn_x2\",\"c10::Float8_e8m0fnu\"]", NULL,
	    "[\"\",\"\",\"\",\"\",\"15\",\"False\",\"True\",\"True\"]" },
	    NULL, 0, SAME(2 * 3 * 16 * 5, 24 + 40 + 3 + 5 + 30,
	    "matrix_fp4") },
	{ "aten::mm", { "[[2,3]]", "[" BF "," BF "]" }, NULL, 0, NOTHING },
	{ "aten::mm", { "[[2,3],[3,4]", "[" BF "," BF "]" }, NULL, 0,
	    NOTHING },
	{ "aten::mm", { "[[2,-3],[3,4]]", "[" BF "," BF "]" }, NULL, 0,
	    NOTHING },
	{ "aten::mm", { "[[2,3],[3,4]]", "[1,2]" }, NULL, 0, NOTHING },
	{ "aten::mm", { NULL }, NULL, 0, NOTHING },
	/* too large for 64 bits */
	{ "aten::mm", { "[[4000000000,4000000000],[4000000000,4]]",
	    "[" BF "," BF "]" }, NULL, 0, -1, -1, -1, -1, "matrix_bf16",
	    "matrix_bf16" },
	{ "aten::mm", { "[[2,3],[3,4]]", "[\"bool\",\"bool\"]" }, NULL, 0,
	    48, 26, 48, -1, NULL, NULL },
	/* 1*2*4*4 of 1*3*4*4 by 3x3: 32*27*2, and a bias for each */
	{ "aten::convolution", { "[[1,3,4,4],[2,3,3,3],[2]]",
	    "[\"float\",\"float\",\"float\"]", NULL,
	    "[\"\",\"\",\"\",\"[1, 1]\",\"[1]\",\"\",\"False\",\"[0, 0]\","
	    "\"1\"]" }, NULL, 0, SAME(1760, 544, "matrix_fp32") },
	{ "aten::convolution", { "[[1,3,4,4],[2,3,3,3],[2],[],[],[],[],[],"
	    "[]]", "[\"float\",\"float\",\"float\"]", NULL,
	    "[\"\",\"\",\"\",\"[1, 1]\",\"[1]\",\"\",\"False\",\"[0, 0]\","
	    "\"1\"]" }, NULL, 0, 1760, 544, 1728, 536, "matrix_fp32",
	    "matrix_fp32" },
	/* transposed: 1*2*4 by 2x3x2 to length 3*2+2 = 8, x 8 * 2*3*2 */
	{ "aten::convolution", { "[[1,2,4],[2,3,2],[]]",
	    "[\"float\",\"float\",\"\"]", NULL, "[\"\",\"\",\"\",\"[2]\","
	    "\"[0]\",\"[1]\",\"True\",\"[0]\",\"1\"]" }, NULL, 0,
	    96, 176, 120, 188, "matrix_fp32", "matrix_fp32" },
	/* padding, then stride, which the reference turns around: 2 x 2 */
	{ "ConvBias_", { "[[1,3,4,4],[2,3,3,3],[2],[],[]]",
	    "[\"float\",\"float\",\"float\"]", NULL,
	    "[\"\",\"\",\"\",\"1\",\"2\"]" }, NULL, 0,
	    440, 448, 3960, 704, "matrix_fp32", "matrix_fp32" },
	{ "ConvBiasReLU_", { "[[1,3,4,4],[2,3,1,1],[2],[],[]]",
	    "[\"float\",\"float\",\"float\"]", NULL,
	    "[\"\",\"\",\"\",\"0\",\"1\"]" }, NULL, 0,
	    224, 352, -1, -1, "matrix_fp32", "matrix_fp32" },
	/* only the gradient of the weights is wanted, and of the bias */
	{ "aten::convolution_backward", { "[[1,2,4,4],[1,3,4,4],[2,3,3,3],"
	    "[],[],[],[],[],[],[],[]]", "[\"float\",\"float\",\"float\"]",
	    NULL, "[\"\",\"\",\"\",\"[2]\",\"[1, 1]\",\"[1, 1]\","
	    "\"[1, 1]\",\"False\",\"[0, 0]\",\"1\",\"[False, True, True]\"]"
	    }, NULL, 0, 1760, 672, 3456, 1072, "matrix_fp32",
	    "matrix_fp32" },
	/* what is wanted is not told: both gradients */
	{ "aten::convolution_backward", { "[[1,2,4,4],[1,3,4,4],[2,3,3,3],"
	    "[],[],[],[],[],[],[],[]]", "[\"float\",\"float\",\"float\"]",
	    NULL, "[\"\",\"\",\"\",\"[2]\",\"[1, 1]\",\"[1, 1]\","
	    "\"[1, 1]\",\"False\",\"[0, 0]\",\"1\",\"\"]"
	    }, NULL, 0, SAME(3456, 1072, "matrix_fp32") },
	/* 2*1*2*3*3*(4+4); 2 bytes of four tensors of 1*2*3*4 */
	{ "aten::_scaled_dot_product_flash_attention",
	    { "[[1,2,3,4],[1,2,3,4],[1,2,3,4],[],[],[],[]]",
	    "[" BF "," BF "," BF "]", NULL,
	    "[\"\",\"\",\"\",\"0.\",\"False\",\"False\",\"0.125\"]" }, NULL,
	    0, SAME(288, 192, "matrix_bf16") },
	{ "aten::_scaled_dot_product_flash_attention",
	    { "[[1,2,3,4],[1,2,3,4],[1,2,3,4],[],[],[],[]]",
	    "[" BF "," BF "," BF "]", NULL,
	    "[\"\",\"\",\"\",\"0.\",\"True\",\"False\",\"0.125\"]" }, NULL,
	    0, SAME(144, 192, "matrix_bf16") },
	/* its backward: 2*2*9*(2*8+4); q k v dO dq dk dv */
	{ "aten::_scaled_dot_product_flash_attention",
	    { "[[1,2,3,4],[1,2,3,4],[1,2,3,4],[],[],[],[]]",
	    "[" BF "," BF "," BF "]", NULL,
	    "[\"\",\"\",\"\",\"0.\",\"False\",\"False\",\"0.125\"]" }, NULL,
	    1, SAME(720, 336, "matrix_bf16") },
	/* one that keeps the scores: 2*2*9*2*8 */
	{ "aten::_scaled_dot_product_efficient_attention",
	    { "[[1,2,3,4],[1,2,3,4],[1,2,3,4],[],[],[],[]]",
	    "[" BF "," BF "," BF "]", NULL,
	    "[\"\",\"\",\"\",\"\",\"False\",\"0.\",\"False\"]" }, NULL,
	    1, SAME(576, 336, "matrix_bf16") },
	/* shared heads: and 1*3*(4+4)*(2/1 - 1) */
	{ "flash_attn::_flash_attn_backward",
	    { "[[1,3,2,4],[1,3,2,4],[1,3,1,4],[1,3,1,4]]",
	    "[\"float\",\"float\",\"float\",\"float\"]", NULL,
	    "[\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"0.\",\"\","
	    "\"False\"]" }, NULL, 0, 744, 480, 744, 240, "matrix_fp32",
	    "matrix_fp32" },
	/* looked back at only from equally long sides */
	{ "aten::_scaled_dot_product_flash_attention",
	    { "[[1,2,1,4],[1,2,3,4],[1,2,3,4],[],[],[],[]]",
	    "[" BF "," BF "," BF "]", NULL,
	    "[\"\",\"\",\"\",\"0.\",\"True\",\"False\",\"0.125\"]" }, NULL,
	    0, -1, 128, -1, -1, "matrix_bf16", NULL },
	/* 3 sequences of 10 together, the longest 6: 6*6 + 2 of 2*2 */
	{ "flash_attn::_flash_attn_varlen_forward",
	    { "[[10,2,4],[10,2,4],[10,2,4],[4],[4],[],[],[],[],[]]",
	    "[" BF "," BF "," BF "]", NULL,
	    "[\"\",\"\",\"\",\"\",\"\",\"6\",\"6\",\"0.\",\"0.5\","
	    "\"False\"]" }, NULL, 0, SAME(1408, 640, "matrix_bf16") },
	/* 2 * (2*9 - 9 + 2*20) * 8; 3 new of 3, 2 of 20 with 18 cached */
	{ "vllm::unified_attention_with_output",
	    { "[[5,2,4],[5,1,4],[5,1,4],[5,2,4]]",
	    "[" BF ",\"c10::Float8_e4m3fn\"," BF "]" },
	    "execute_5_context_1(sq3sk3sqsq9sqsk9)"
	    "_generation_2(sq2sk20sqsq2sqsk20)", 0,
	    SAME(784, 384, "matrix_bf16") },
	{ "vllm::unified_attention_with_output",
	    { "[[5,2,4],[99,1,4],[99,1,4]]",
	    "[" BF "," BF "," BF "]" },
	    "step[EXTEND bs=1 toks=3 c_sq=3 c_sqsq=9 c_sqsk=9 c_sk=3]", 0,
	    SAME(144, 144, "matrix_bf16") },
	{ "vllm::unified_attention_with_output",
	    { "[[5,2,4],[99,1,4],[99,1,4]]",
	    "[" BF "," BF "," BF "]" },
	    "decode[bs=2 tok=2 d=2 sqsq=2 sqsk=20 sk=20]", 0,
	    SAME(640, 384, "matrix_bf16") },
	{ "vllm::unified_attention_with_output",
	    { "[[5,2,4],[99,1,4],[99,1,4]]",
	    "[" BF "," BF "," BF "]" }, "ProfilerStep#3", 0, NOTHING },
	/* reads and writes keys and values */
	{ "sglang::store_cache", { "[[5,8],[5,8],[9,8],[9,8]]",
	    "[" BF "]" }, NULL, 0, SAME(0, 320, "vector_bf16") },
	{ "aten::silu", { "[[2,3]]", "[\"float\"]" }, NULL, 0,
	    SAME(6, 48, "vector_fp32") },
	{ "aten::copy_", { "[[2,3],[2,3],[]]",
	    "[" BF ",\"float\",\"Scalar\"]" }, NULL, 0,
	    SAME(6, 36, "vector_bf16") },
	{ "aten::copy_", { "[[2,3],[2,3],[]]",
	    "[\"bool\",\"float\",\"Scalar\"]" }, NULL, 0,
	    6, 30, 6, -1, NULL, NULL },
	{ "_C::silu_and_mul", { "[[2,3],[2,6]]", "[" BF "," BF "]" }, NULL,
	    0, SAME(30, 36, "vector_bf16") },
	/* broadcast to 2x3x4; a number counts as it stands, 4 bytes */
	{ "aten::mul", { "[[2,3,4],[3,1]]", "[\"float\"," BF "]" }, NULL, 0,
	    SAME(24, 198, "vector_fp32") },
	{ "aten::div", { "[[2,3],[]]", "[" BF ",\"Scalar\"]" }, NULL, 0,
	    SAME(6, 28, "vector_bf16") },
	{ "aten::mul", { "[[2,3],[2,2]]", "[\"float\",\"float\"]" }, NULL,
	    0, NOTHING },
	/* 2x3x4 over the last: 6 are left, which the reference takes for 1 */
	{ "aten::sum", { "[[2,3,4],[],[],[]]", "[\"float\"]", NULL,
	    "[\"\",\"[-1]\",\"False\",\"\"]" }, NULL, 0,
	    24, 120, 24, 100, "vector_fp32", "vector_fp32" },
	{ "aten::mean", { "[[2,3,4],[],[],[]]", "[\"float\"]", NULL,
	    "[\"\",\"[]\",\"False\",\"\"]" }, NULL, 1,
	    SAME(24, 100, "vector_fp32") },
	{ "aten::cumsum", { "[[15],[],[]]", "[\"long int\"]", NULL,
	    "[\"\",\"0\",\"\"]" }, NULL, 0, SAME(15, 240, NULL) },
	{ "aten::max", { "[[2,3],[],[]]", "[\"float\"]", NULL,
	    "[\"\",\"1\",\"False\"]" }, NULL, 0, 6, 32, 6, 28,
	    "vector_fp32", "vector_fp32" },
	/* 5 E + 6 C; 2 E + 6 C of 4 bytes.  E 24, C 3 */
	{ "aten::batch_norm", { "[[2,3,4],[3],[3],[3],[3],[],[],[],[]]",
	    "[\"float\"]", NULL, "[\"\",\"\",\"\",\"\",\"\",\"True\"]" },
	    NULL, 0, SAME(138, 264, "vector_fp32") },
	/* not training: 2 E + 6 C and 2 C less; no weight: 2 C less */
	{ "aten::batch_norm", { "[[2,3,4],[],[],[3],[3],[],[],[],[]]",
	    "[\"float\"]", NULL, "[\"\",\"\",\"\",\"\",\"\",\"False\"]" },
	    NULL, 0, 66, 216, 138, 264, "vector_fp32", "vector_fp32" },
	{ "aten::native_layer_norm", { "[[2,3,4],[],[4],[4],[]]",
	    "[\"float\"]", NULL, "[\"\",\"[4]\",\"\",\"\",\"1e-05\"]" },
	    NULL, 0, SAME(144, 288, "vector_fp32") },
	/* 2 E + 2 E / C + 2 E; 2 E + C */
	{ "aten::_fused_rms_norm", { "[[2,3,4],[],[4],[]]", "[\"float\"]",
	    NULL, "[\"\",\"[4]\",\"\",\"\"]" }, NULL, 0,
	    SAME(108, 208, "vector_fp32") },
	{ "aiter::add_rmsnorm", { "[[6,4],[6,4],[6,4],[6,4],[4],[]]",
	    "[\"float\",\"float\"]" }, NULL, 0,
	    SAME(132, 400, "vector_fp32") },
	/* 9 E; 3 E + 4 C of 4 bytes */
	{ "aten::native_layer_norm_backward",
	    { "[[2,3,4],[2,3,4],[],[2,3,1],[2,3,1],[4],[4],[]]",
	    "[\"float\",\"float\"]", NULL, "[\"\",\"\",\"[4]\",\"\",\"\","
	    "\"\",\"\",\"[True, True, True]\"]" }, NULL, 0,
	    SAME(216, 352, "vector_fp32") },
	/* 9 E, 3 E + 4 C; the reference says that these never train */
	{ "aten::miopen_batch_norm_backward",
	    { "[[2,3,4],[2,3,4],[3],[3],[3],[3],[3],[]]", "[\"float\"]" },
	    NULL, 0, 216, 336, 105, 204, "vector_fp32", "vector_fp32" },
	/* 3 * (8 + 4) * 2; 2 reads and writes */
	{ "sgl_kernel::rotary_embedding", { "[[5],[5,8],[5,4],[],[9,4],[]]",
	    "[\"long int\"," BF "," BF "]" }, NULL, 0,
	    SAME(180, 240, "vector_bf16") },
	/* 3 each; read and written.  Of another rank it is something else */
	{ "FusedRoPEFunc", { "[[5,2,3,4],[]]", "[\"float\"]" }, NULL, 0,
	    SAME(360, 960, "vector_fp32") },
	{ "FusedRoPEFunc", { "[[5,2,3],[]]", "[\"float\"]" }, NULL, 0,
	    NOTHING },
	{ "CrossEntropyFunction", { "[[3,1,10],[3,1]]",
	    "[" BF ",\"long int\"]" }, NULL, 0,
	    SAME(150, 96, "vector_bf16") },
	/* 2 tokens of 4, experts 8 of 6x4 and 4x3, one each, gated:
	 * 6*2*4*3 + 2*4; 1.875 = 8*(1 - (7/8)^2) experts of 36 bytes, rounded
	 * to even, and 2*2*4*2 */
	{ "pseudo_op::moe_aiter_fused_1stage",
	    { "[[2,4],[8,6,4],[8,4,3],[2,1]]",
	    "[" BF ",\"c10::Float8_e4m3fnuz\",\"c10::Float8_e4m3fnuz\","
	    "\"float\"]" }, NULL, 0, SAME(152, 100, "matrix_bf16") },
	{ "aiter::fmoe_g1u1",
	    { "[[2,4],[2,4],[8,6,4],[8,4,3],[],[],[],[],[]]",
	    "[" BF "," BF ",\"c10::Float8_e4m3fnuz\","
	    "\"c10::Float8_e4m3fnuz\"]", NULL, "[\"\",\"\",\"\",\"\","
	    "\"\",\"\",\"\",\"\",\"1\"]" }, NULL, 0,
	    SAME(152, 100, "matrix_bf16") },
	{ "primus_turbo::grouped_gemm", { "[[6,4],[2,4,5]]",
	    "[" BF "," BF "]" }, NULL, 0, SAME(240, 188, "matrix_bf16") },
	{ "primus_turbo::grouped_gemm_variable_k", { "[[6,4],[6,5]]",
	    "[" BF "," BF "]" }, NULL, 0, SAME(240, 148, "matrix_bf16") },
	/* mul 1, silu 4 of 6 elements; 2 tensors and what comes out */
	{ "triton_poi_fused__unsafe_view_mul_silu_2",
	    { "[[2,3],[2,3],[]]", "[" BF "," BF ",\"Scalar\"]", NULL,
	    "[\"\",\"\",\"6\"]" }, NULL, 0, 30, 36, 30, 36, "vector_bf16",
	    "vector_bfloat16" },
	{ "triton_red_fused_add_mean_mul_pow_rsqrt_0",
	    { "[[2,3],[3],[2,3],[],[]]",
	    "[" BF ",\"float\"," BF ",\"Scalar\",\"Scalar\"]", NULL,
	    "[\"\",\"\",\"\",\"2\",\"3\"]" }, NULL, 0, 42, 36, 42, 24,
	    "vector_bf16", "vector_bfloat16" },
	{ "aiter::topk_softplus", { "[[2,3]]", "[" BF "]" }, NULL, 0,
	    NOTHING },
	{ "aten::mm", { "[[2,3],[3,4]]", "[" BF "," BF "]" }, NULL, 1,
	    NOTHING },
};

static int
same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void
by_hand(void)
{
	struct tp_arena arena = { 0 };
	struct tp_torch_perf p;
	char got[256];

	for (size_t i = 0; i < sizeof hands / sizeof *hands; i++) {
		const struct hand *h = &hands[i];

		evaluate(h->name, h->args, h->step, NULL, h->backward, &arena,
		    &p);
		snprintf(got, sizeof got, "case %zu: %lld %lld %lld %lld %s "
		    "%s", i, (long long)p.cost.flops,
		    (long long)p.cost.bytes, (long long)p.tracelens.cost.flops,
		    (long long)p.tracelens.cost.bytes,
		    p.cost.spec ? p.cost.spec : "-",
		    p.tracelens.cost.spec ? p.tracelens.cost.spec : "-");
		check(p.has_model && p.cost.flops == h->flops &&
		    p.cost.bytes == h->bytes &&
		    p.tracelens.cost.flops == h->tabled_flops &&
		    p.tracelens.cost.bytes == h->tabled_bytes &&
		    same(p.cost.spec, h->spec) &&
		    same(p.tracelens.cost.spec, h->tabled_spec), h->name, got);
	}
	evaluate("aten::nosuch", hands[0].args, NULL, NULL, 0, &arena, &p);
	check(!p.has_model && !p.table && p.cost.flops == -1,
	    "a name without model", "has one");
	tp_arena_release(&arena);
}

static const char *
tracelens(const struct tp_torch_perf *p, const char *name)
{
	for (size_t i = 0; i < p->tracelens.param_count; i++)
		if (!strcmp(p->tracelens.params[i].name, name))
			return p->tracelens.params[i].text;
	return NULL;
}

static void
transposes(void)
{
	static const struct {
		const char *kernel, *want;
	} cases[] = {
		{ "Cijk_Alik_Bljk_BBS_MT16", "(True, False)" },
		{ "Cijk_Ailk_Bjlk_BBS_MT16", "(False, True)" },
		{ "nvjet_tst_192x8_64x8_4x1_v_bz_TNT", "(True, False)" },
		{ "nvjet_tst_192x8_64x8_4x1_v_bz_NTT", "(False, True)" },
		{ "sm90_xmma_gemm_bf16_tn_n", NULL }, { "nvjet_T", NULL },
		{ "nvjet", NULL }, { "", NULL },
	};
	struct tp_arena arena = { 0 };
	struct tp_torch_perf p;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		evaluate("aten::mm", hands[0].args, NULL, cases[i].kernel, 0,
		    &arena, &p);
		check(same(tracelens(&p, "transpose"), cases[i].want),
		    cases[i].kernel, tracelens(&p, "transpose"));
	}
	check(same(tracelens(&p, "stride_A"), "(3, 1)") &&
	    same(tracelens(&p, "dtype_A_B"),
	    "('c10::BFloat16', 'c10::BFloat16')") &&
	    same(tracelens(&p, "bias"), "False") && same(p.table, "GEMM"),
	    "parameters as Python prints them", "others");
	tp_arena_release(&arena);
}

/* A table of the reference: names of columns, then cells. */
struct table {
	char *text, **cells;
	size_t columns, rows, count, cap;
};

static char *
slurp(const char *path)
{
	FILE *f = fopen(path, "r");
	struct tp_buf buf = { 0 };
	char block[65536];
	size_t n;

	if (!f)
		return NULL;
	while ((n = fread(block, 1, sizeof block, f)))
		tp_buf_add(&buf, block, n);
	fclose(f);
	tp_buf_chr(&buf, '\0');
	return buf.p;
}

static void
cell(struct table *t, char *at)
{
	TP_APPEND(t->cells, t->count, t->cap, at);
}

static int
read_table(struct table *t, const char *path)
{
	char *in, *out, *start;
	int quoted = 0;

	memset(t, 0, sizeof *t);
	t->text = slurp(path);
	if (!t->text)
		return -1;
	for (in = out = start = t->text; *in; in++) {
		if (*in == '"' && quoted && in[1] == '"')
			*out++ = *in++;
		else if (*in == '"')
			quoted = !quoted;
		else if (!quoted && (*in == ',' || *in == '\n')) {
			int end = *in == '\n';

			*out++ = '\0';
			cell(t, start);
			start = out;
			if (end && !t->columns)
				t->columns = t->count;
		} else if (*in != '\r' || quoted)
			*out++ = *in;
	}
	t->rows = t->count / t->columns;
	return 0;
}

static const char *
get(const struct table *t, size_t row, const char *column)
{
	for (size_t i = 0; i < t->columns; i++)
		if (!strcmp(t->cells[i], column))
			return t->cells[row * t->columns + i];
	return NULL;
}

/* "((1, 2), (3,), ('it',))" as JSON. */
static char *
as_json(const char *python)
{
	struct tp_buf buf = { 0 };
	char quote = 0;

	for (const char *p = python; *p; p++) {
		if (quote) {
			tp_buf_chr(&buf, *p == quote ? '"' : *p);
			quote = *p == quote ? 0 : quote;
		} else if (*p == '\'' || *p == '"') {
			quote = *p;
			tp_buf_chr(&buf, '"');
		} else if (*p != ',' || p[1] != ')') {
			tp_buf_chr(&buf, *p == '(' ? '[' :
			    *p == ')' ? ']' : *p);
		}
	}
	return buf.p;
}

/* The name of the last kernel in the list of them. */
static char *
last_kernel(const char *details)
{
	const char *at = details, *next, *end;
	char *name;

	while (at && (next = strstr(at, "{'name': '")))
		at = next + 10;
	if (!at || at == details || !(end = strstr(at, "', 'stream'")))
		return NULL;
	name = calloc(1, (size_t)(end - at) + 1);
	return memcpy(name, at, (size_t)(end - at));
}

static int
close_to(const char *want, double got, int known)
{
	double x;

	if (!want || !*want || !strcmp(want, "nan"))
		return !known;
	x = strtod(want, NULL);
	return known && fabs(got - x) <= 1e-6 * fmax(1, fmax(fabs(got),
	    fabs(x)));
}

static int
same_cell(const char *want, const char *got)
{
	char *end, *end2;
	double a, b;

	if (!want || !*want || !strcmp(want, "nan") || !strcmp(want, "None"))
		return !got || !strcmp(got, "None");
	if (!got)
		return 0;
	a = strtod(want, &end);
	b = strtod(got, &end2);
	return !strcmp(want, got) || (!*end && !*end2 && a == b);
}

static int
same_params(const struct table *t, size_t row, const struct tp_torch_perf *p)
{
	size_t found = 0;

	for (size_t i = 0; i < t->columns; i++) {
		const char *name = t->cells[i], *got;

		if (strncmp(name, "param: ", 7))
			continue;
		got = tracelens(p, name + 7);
		found += got != NULL;
		if (!same_cell(t->cells[row * t->columns + i], got)) {
			printf("# %s: %s, want %s\n", name, got ? got : "-",
			    t->cells[row * t->columns + i]);
			return 0;
		}
	}
	return found == p->tracelens.param_count;
}

static int
same_row(const struct table *t, size_t row, const char *table)
{
	static const char *const columns[4] = { "Input Dims", "Input type",
	    "Input Strides", "Concrete Inputs" };
	int unified = !strcmp(table, "unified_perf_summary");
	const char *suffix = unified ? "" : "_first", *name, *want;
	char column[64], *args[4], *kernel;
	struct tp_arena arena = { 0 };
	struct tp_torch_perf p;
	int ok, divided;

	for (int i = 0; i < 4; i++) {
		snprintf(column, sizeof column, "%s%s", columns[i], suffix);
		args[i] = as_json(get(t, row, column));
	}
	name = get(t, row, "name");
	kernel = last_kernel(get(t, row, unified ? "kernel_details_summary" :
	    "kernel_details__summarize_kernel_stats"));
	evaluate(name, (const char *const *)args, NULL, kernel,
	    !strcmp(table, "Reduce_bwd"), &arena, &p);
	snprintf(column, sizeof column, "GFLOPS%s", suffix);
	ok = close_to(get(t, row, column), (double)p.tracelens.cost.flops / 1e9,
	    p.tracelens.cost.flops >= 0);
	snprintf(column, sizeof column, "Data Moved (MB)%s", suffix);
	ok &= close_to(get(t, row, column), (double)p.tracelens.cost.bytes /
	    1048576, p.tracelens.cost.bytes >= 0);
	snprintf(column, sizeof column, "FLOPS/Byte%s", suffix);
	divided = p.tracelens.cost.flops >= 0 && p.tracelens.cost.bytes > 0;
	ok &= close_to(get(t, row, column), divided ?
	    (double)p.tracelens.cost.flops / (double)p.tracelens.cost.bytes : 0,
	    divided);
	want = get(t, row, "Compute Spec");
	ok &= same_cell(want, p.tracelens.cost.spec);
	if (unified)
		ok &= same_cell(get(t, row, "has_perf_model"),
		    p.tracelens.has_model ? "True" : "False");
	else
		ok &= same(p.table, table) && same_params(t, row, &p);
	if (!ok)
		printf("# %s %s: %lld %lld %s (%s)\n", name, args[0],
		    (long long)p.tracelens.cost.flops,
		    (long long)p.tracelens.cost.bytes,
		    p.tracelens.cost.spec ? p.tracelens.cost.spec : "-", want);
	for (int i = 0; i < 4; i++)
		tp_free(args[i]);
	free(kernel);
	tp_arena_release(&arena);
	return ok;
}

static void
beside_tables(const char *folder, const char *trace)
{
	static const char *const tables[] = { "GEMM", "SDPA_fwd", "CONV_fwd",
	    "CONV_bwd", "UnaryElementwise", "BinaryElementwise",
	    "Reduce_fwd", "Reduce_bwd", "Normalization", "RMSNorm_fwd",
	    "RoPE_fwd", "InferenceAttention_fwd", "unified_perf_summary" };
	char path[2048], what[1200];
	struct table t;

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		size_t good = 0;

		snprintf(path, sizeof path, "%s/%s/%s.csv", folder, trace,
		    tables[i]);
		if (read_table(&t, path) < 0)
			continue;
		for (size_t row = 1; row < t.rows; row++)
			good += (size_t)same_row(&t, row, tables[i]);
		snprintf(what, sizeof what, "%s/%s: %zu rows", trace,
		    tables[i], t.rows - 1);
		check(good == t.rows - 1, what, "some differ");
		tp_free(t.text);
		tp_free(t.cells);
	}
}

int
main(void)
{
	const char *data = getenv("TP_DATA");
	char folder[1024];
	struct tp_torch_operators operators;
	struct tp_err err;
	struct dirent *e;
	DIR *d;

	if (tp_torch_operators_load(&operators, NULL, &err) < 0) {
		check(0, "operators are read", err.text);
		return 1;
	}
	models = tp_torch_models_load(&operators, &err);
	if (!models) {
		check(0, "share/ops is read", err.text);
		return 1;
	}
	by_hand();
	transposes();
	snprintf(folder, sizeof folder, "%s/../expected/pytorch",
	    data ? data : "../shared/data");
	d = opendir(folder);
	if (!d)
		printf("ok - tables of the reference # SKIP no %s\n", folder);
	while (d && (e = readdir(d)))
		if (!strncmp(e->d_name, "tl_", 3))
			beside_tables(folder, e->d_name);
	if (d)
		closedir(d);
	tp_torch_models_free(models);
	tp_torch_operators_release(&operators);
	return failed;
}
