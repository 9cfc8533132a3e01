/*
 * What kernels are for, by words of their names: share/ops/torch.json ("work")
 * and torch-kernels.json ("categories").  Namespaces change; words stay.
 */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include <tp/share.h>

#include "classes.h"

static const struct {
	const char *category, *name;
} kernels[] = {
	{ "communication",
	    "void deep_ep::internode::dispatch<false, 4, false, 131072, 1"
	    ">(int4*, float*)" },
	{ "communication",
	    "void deep_ep::intranode::combine<__nv_bfloat16, 8, 768>(__nv"
	    "_bfloat16*, float*)" },
	{ "communication",
	    "void deep_ep::internode_ll::dispatch<true, false, 7168>(void"
	    "*, float*)" },
	{ "communication",
	    "void deep_ep::internode_ll::combine<false, 7168, 9>(void*)" },
	{ "communication",
	    "void deep_ep::intranode::notify_dispatch<8>(int const*, int*"
	    ")" },
	{ "communication",
	    "void deep_ep::intranode::cached_notify_combine<8>(void**)" },
	{ "communication", "void deep_ep::intranode::barrier<8>(int**, int)" },
	{ "MoE",
	    "void deep_ep::layout::get_dispatch_layout<256, 32, 8>(long c"
	    "onst*)" },
	{ "MoE", "deepep_permute_triton_kernel" },
	{ "MoE", "deepep_post_reorder_triton_kernel" },
	{ "communication",
	    "void mori::moe::EpDispatchInterNodeKernel<hip_bfloat16>(mori"
	    "::moe::EpDispatchCombineArgs<hip_bfloat16>)" },
	{ "communication",
	    "void mori::moe::EpCombineIntraNodeKernel<hip_bfloat16>(mori:"
	    ":moe::EpDispatchCombineArgs<hip_bfloat16>)" },
	{ "communication",
	    "void pplx::dispatchKernel<pplx::AllToAllInterNode>(int)" },
	{ "communication",
	    "void tensorrt_llm::kernels::moe_a2a::moeA2ADispatchKernel<in"
	    "t>(int)" },
	{ "communication",
	    "void tensorrt_llm::kernels::moeAllToAllKernel(int)" },
	{ "communication",
	    "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm"
	    "::RankData*, vllm::RankSignals, vllm::Signal*, __nv_bfloat16"
	    "*, int, int)" },
	{ "communication",
	    "void aiter::reduce_scatter_cross_device_store<__hip_bfloat16"
	    ", 8>(aiter::RankData*)" },
	{ "communication",
	    "void quickreduce::allreduce_prototype_twoshot<quickreduce::A"
	    "llReduceTwoshot<__half, quickreduce::CodecQ4<__half, 8>, tru"
	    "e>, __half>(__half const*)" },
	{ "communication",
	    "void tensorrt_llm::kernels::ar_fusion::allreduce_fusion_kern"
	    "el_oneshot_lamport<(tensorrt_llm::AllReduceFusionPattern)1, "
	    "__nv_bfloat16, 8, true>(int)" },
	{ "communication",
	    "void tensorrt_llm::oneShotAllReduceKernel<__nv_bfloat16, 8>("
	    "int)" },
	{ "communication", "void mscclpp::allreduce7<float>(float*)" },
	{ "communication",
	    "void (anonymous namespace)::two_shot_all_reduce_kernel<c10::"
	    "BFloat16, 16, 8>(c10::BFloat16**)" },
	{ "communication", "void nvshmemi_barrier_all_kernel(int)" },
	{ "communication",
	    "void c10d::symm_mem::barrier_kernel(unsigned int**)" },
	{ "communication", "kuserbuffers_pushrecv(int, int)" },
	{ "communication", "void all_gather_push_kernel(int)" },
	{ "communication",
	    "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)" },
	{ "communication",
	    "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelAr"
	    "gsStorage<4096ul>)" },
	{ "communication", "rcclGenericKernel" },
	{ "communication", "hcom_allReduce__984_0_1" },
	{ "attention",
	    "void flash::flash_fwd_splitkv_combine_kernel<Flash_fwd_kerne"
	    "l_traits<128, 64, 128, 4>>(Flash_fwd_params)" },
	{ "attention", "void flash::FlashAttnFwdCombine<cute::tuple<>>(int)" },
	{ "attention", "sage_fwd" },
	{ "attention",
	    "void qk_int_sv_f16_attn_kernel<128, 64>(signed char*)" },
	{ "attention",
	    "fmha_cutlassF_bf16_aligned_64x128_rf_sm80(PyTorchMemEffAtten"
	    "tion::AttentionKernel<cutlass::bfloat16_t>::Params)" },
	{ "attention",
	    "cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_"
	    "knob_3_64x64x128_4x1x1_cga1x1x1_kernel0_0" },
	{ "attention",
	    "void flashinfer::BatchDecodeWithPagedKVCacheKernel<(flashinf"
	    "er::PosEncodingMode)0>(int)" },
	{ "attention",
	    "void flashinfer::BatchPrefillWithRaggedKVCacheKernel<int>(in"
	    "t)" },
	{ "attention",
	    "void flashinfer::PersistentVariableLengthMergeStatesKernel<8"
	    "u>(int)" },
	{ "attention", "void flash_fwd_splitkv_mla_kernel<int>(int)" },
	{ "attention",
	    "void vllm::concat_and_cache_mla_kernel<unsigned short>(int)" },
	{ "attention", "mla_a16w16_qh16_m16x4_n16x1_coex0_mask1" },
	{ "attention", "_ZN5aiter22fmha_fwd_hd128_bf16_causalE" },
	{ "attention",
	    "void vllm::paged_attention_v2_kernel<unsigned short, 128>(in"
	    "t)" },
	{ "attention", "void vllm::merge_attn_states_kernel<float>(float*)" },
	{ "attention", "triton_tem_fused_flex_attention_0" },
	{ "attention", "fused_recurrent_gated_delta_rule_fwd_kernel" },
	{ "attention", "chunk_fwd_kernel_o" },
	{ "normalisation",
	    "void flashinfer::norm::FusedAddRMSNormKernel<8u, __nv_bfloat"
	    "16>(__nv_bfloat16*)" },
	{ "sort and scan",
	    "void flashinfer::sampling::TopKTopPSamplingFromProbKernel<10"
	    "24u>(float*)" },
	{ "elementwise",
	    "void flashinfer::activation::act_and_mul_kernel<__nv_bfloat1"
	    "6, &silu>(int)" },
	{ "MoE",
	    "void vllm::moe::topkGatingSoftmax<8, 128, 4, 16>(float const"
	    "*)" },
	{ "MoE", "void vllm::moe::moe_align_block_size_kernel<int>(int*)" },
	{ "MoE", "fused_moe_kernel" },
	{ "MoE", "void moe_permute_kernel<__nv_bfloat16>(int)" },
	{ "MoE", "_unpermute_kernel" },
	{ "MoE",
	    "_ZN5aiter47fmoe_bf16_blockscaleFp8_g1u1_vs_silu_1tg_ps_32x25"
	    "6E" },
	{ "MoE", "void ck_tile::kentry<ck_tile::MoeSortingKernel<int>>(int)" },
	{ "MoE",
	    "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUnive"
	    "rsal<cutlass::gemm::GroupProblemShape<cute::tuple<int, int, "
	    "int>>>>(int)" },
	{ "MoE", "void moe_dispatch_kernel(int)" },
	{ "MoE", "void marlin_moe_wna16::Marlin<int>(int4 const*)" },
	{ "GEMM",
	    "void marlin::Marlin<__nv_bfloat16, 1125899906909960l, 256>(i"
	    "nt4 const*)" },
	{ "quantisation",
	    "void gptq_marlin_repack_kernel<256, 4, false>(unsigned int c"
	    "onst*)" },
	{ "GEMM",
	    "void gptq::gemm_half_q_gptq_4bit_kernel<true, 4>(__half cons"
	    "t*)" },
	{ "quantisation",
	    "void vllm::per_token_group_quant_8bit_kernel<c10::BFloat16>("
	    "void const*)" },
	{ "quantisation",
	    "void per_token_group_quant_8bit_kernel<c10::BFloat16, c10::F"
	    "loat8_e4m3fn, false, false>(void const*)" },
	{ "quantisation",
	    "void tensorrt_llm::kernels::quantize_with_block_size<(tensor"
	    "rt_llm::BlockScaleQuantizationType)0>(int)" },
	{ "quantisation",
	    "void vllm::cvt_fp16_to_fp4<__nv_bfloat16, false>(int)" },
	{ "quantisation", "void vllm::awq::dequantize_weights(int*)" },
	{ "quantisation", "kDequantizeBlockwise<__half, 512, 64, 8, 2>" },
	{ "GEMM", "void cutlass_gemm_all_reduce_kernel(int)" },
	{ "convolution",
	    "void implicit_convolve_sgemm<float, float, 1024, 5, 5, 3, 3,"
	    " 3, 1, true, false, true>(int)" },
	{ "convolution", "void conv2d_c1_k1_nhwc_kernel<float>(int)" },
	{ "convolution",
	    "cudnn::cnn::conv2d_grouped_direct_kernel<false, true>(int)" },
	{ "convolution", "miopenSp3AsmConv_v30_3_1_gfx94x_fp32_f2x3_stride1" },
	{ "convolution", "Conv2D1" },
	{ "convolution", "Conv2DBackpropFilter10_x" },
	{ "convolution", "_causal_conv1d_fwd_kernel" },
	{ "convolution",
	    "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_n"
	    "hwc_tilesize128x128x16" },
	{ "convolution",
	    "void at::native::(anonymous namespace)::conv_depthwise2d_for"
	    "ward_kernel<1, float, int>(int)" },
	{ "other",
	    "fastertransformer::ConvertOffsetToBlockArrayData(int*, int c"
	    "onst*, int, int, int)" },
	{ "reduction",
	    "void cub::DeviceReduceKernel<cub::DispatchReduce<int>>(int)" },
	{ "sort and scan",
	    "void cub::DeviceScanKernel<cub::DispatchScan<int>>(int)" },
	{ "softmax",
	    "void oneflow::softmax_warp<oneflow::WarpAllReduce<float>>(fl"
	    "oat*)" },
	{ "other", "void quantile_kernel(float*)" },
	{ "other", "void merge_permute_kernel(int)" },
	{ "MoE", "_topk_forward" },
	{ "MoE", "_finalize_matmul_scatter_bf16" },
	{ "attention", "reduce_segments" },
	{ "elementwise",
	    "gpu_broadcast_kernel_linear(CompilerMetadata<DynamicSize, Dy"
	    "namicCheck>, Tuple<OneTo<Int64> >) [clone .kd]" },
	{ "elementwise", "broadcast_kernel_cartesian(int)" },
	{ "reduction",
	    "_reduce_kernel_amdgpu(Int64, _, ROCDeviceArray<Float64, 1, 1"
	    ">) [clone .kd]" },
	{ "gather and scatter", "_gather_rows_kernel" },
	{ "communication",
	    "ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<409"
	    "6ul>)" },
};

/* The category of NAME. */
static const char *
category(const struct tp_classes *work, const struct tp_classes *categories,
    const char *name)
{
	const struct tp_class *bucket = tp_class_of_name(work, name), *of;
	const char *const texts[] = { name, bucket ? bucket->name : "" };

	of = tp_class_of(categories, texts);
	return of ? of->name : "other";
}

int
main(void)
{
	struct tp_classes work, categories;
	struct tp_err err;
	cJSON *torch = tp_share_json("ops/torch.json", &err);
	cJSON *names = tp_share_json("ops/torch-kernels.json", &err);
	int failed = 0;

	if (tp_classes_load(&work, torch, "ops/torch.json", "work", NULL,
	    NULL, &err) < 0 || tp_classes_load(&categories, names,
	    "ops/torch-kernels.json", "categories", "match bucket",
	    "unless", &err) < 0) {
		printf("not ok - %s\n", err.text);
		return 1;
	}
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
		const char *is = category(&work, &categories, kernels[i].name);
		int ok = !strcmp(is, kernels[i].category);

		printf("%sok - %s: %s\n", ok ? "" : "not ", kernels[i].name,
		    is);
		failed |= !ok;
	}
	tp_classes_release(&work);
	tp_classes_release(&categories);
	cJSON_Delete(torch);
	cJSON_Delete(names);
	return failed;
}
