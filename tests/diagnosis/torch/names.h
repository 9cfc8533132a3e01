/* names - kernels of PyTorch, as it calls them on an H100 */
#ifndef NAMES_H
#define NAMES_H

#define ARRAY(n) "std::array<char*, " #n "ul>"
#define VECTORIZED(functor, n) "void at::native::vectorized_elementwise_" \
	"kernel<4, at::native::" functor ", " ARRAY(n) " >(int, at::native::" \
	functor ", " ARRAY(n) ")"
#define MULTIPLY "BinaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16,"\
	" at::native::binary_internal::MulFunctor<float> >"
#define SCALE "AUnaryFunctor<c10::BFloat16, c10::BFloat16, c10::BFloat16, "\
	"at::native::binary_internal::MulFunctor<float> >"
#define LAMBDA "(at::TensorIteratorBase&)::{lambda()#2}::operator()() const"\
	"::{lambda()#4}::operator()() const::{lambda(c10::BFloat16)#1}"

#define ADD_KERNEL VECTORIZED("CUDAFunctor_add<c10::BFloat16>", 3)
#define SUM_KERNEL "void at::native::reduce_kernel<128, 4, at::native::" \
	"ReduceOp<c10::BFloat16, at::native::func_wrapper_t<c10::BFloat16, " \
	"at::native::sum_functor<c10::BFloat16, float, c10::BFloat16>::" \
	"operator()(at::TensorIterator&)::{lambda(float, float)#1}>, " \
	"unsigned int, c10::BFloat16, 4, 4> >(at::native::ReduceOp<" \
	"c10::BFloat16, at::native::func_wrapper_t<c10::BFloat16, " \
	"at::native::sum_functor<c10::BFloat16, float, c10::BFloat16>::" \
	"operator()(at::TensorIterator&)::{lambda(float, float)#1}>, " \
	"unsigned int, c10::BFloat16, 4, 4>)"
#define NORM_KERNEL "void at::native::(anonymous namespace)::" \
	"vectorized_layer_norm_kernel<c10::BFloat16, float, false>(int, " \
	"float, c10::BFloat16 const*, c10::BFloat16 const*, " \
	"c10::BFloat16 const*, float*, float*, c10::BFloat16*)"
#define NORM_GRAD "void at::native::(anonymous namespace)::" \
	"layer_norm_grad_input_kernel_vectorized<c10::BFloat16, float, " \
	"false>(c10::BFloat16 const*, c10::BFloat16 const*, float const*, " \
	"float const*, c10::BFloat16 const*, c10::BFloat16*, int)"
#define NORM_WEIGHTS "void at::native::(anonymous namespace)::" \
	"GammaBetaBackwardCUDAKernelTemplate<c10::BFloat16, float, 32u, 16u, "\
	"128u, true, true, false>(long, long, c10::BFloat16 const*, " \
	"c10::BFloat16 const*, float const*, float const*, c10::BFloat16*, " \
	"c10::BFloat16*)"
#define TRAITS "pytorch_flash::Flash_fwd_kernel_traits<128, 128, 64, 4, " \
	"false, false, cutlass::bfloat16_t, pytorch_flash::" \
	"Flash_kernel_traits<128, 128, 64, 4, cutlass::bfloat16_t> >"
#define FLASH_KERNEL "void pytorch_flash::flash_fwd_kernel<" TRAITS \
	", false, true, false, false, true, true, false, false>" \
	"(pytorch_flash::Flash_fwd_params)"
#define FLASH_SPLIT "void pytorch_flash::flash_fwd_splitkv_kernel<" TRAITS \
	", false, false, false, false, true, true, false, false>" \
	"(pytorch_flash::Flash_fwd_params)"
#define BACK_TRAITS "pytorch_flash::Flash_bwd_kernel_traits<128, 64, 128, 8,"\
	" 2, 4, 2, false, false, cutlass::bfloat16_t, pytorch_flash::" \
	"Flash_kernel_traits<128, 64, 128, 8, cutlass::bfloat16_t> >"
#define FLASH_DOT "void pytorch_flash::flash_bwd_dot_do_o_kernel<true, " \
	BACK_TRAITS ">(pytorch_flash::Flash_bwd_params)"
#define FLASH_BACK "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_" \
	"parallel_kernel<" BACK_TRAITS ", false, true, false, false, true, " \
	"true, false>(pytorch_flash::Flash_bwd_params)"
#define FLASH_CONVERT "void pytorch_flash::flash_bwd_convert_dq_kernel<" \
	BACK_TRAITS ">(pytorch_flash::Flash_bwd_params, int)"
#define SOFTMAX_KERNEL "void at::native::(anonymous namespace)::" \
	"cunn_SoftMaxForward<8, c10::BFloat16, float, c10::BFloat16, " \
	"at::native::(anonymous namespace)::SoftMaxForwardEpilogue>" \
	"(c10::BFloat16*, c10::BFloat16 const*, int)"
#define SOFTMAX_BACK "void at::native::(anonymous namespace)::" \
	"cunn_SoftMaxBackward<8, c10::BFloat16, float, c10::BFloat16, " \
	"at::native::(anonymous namespace)::SoftMaxBackwardEpilogue>" \
	"(c10::BFloat16*, c10::BFloat16 const*, c10::BFloat16 const*, long)"
#define LOG_SOFTMAX "void at::native::(anonymous namespace)::" \
	"cunn_SoftMaxForward<8, c10::BFloat16, float, c10::BFloat16, " \
	"at::native::(anonymous namespace)::LogSoftMaxForwardEpilogue>" \
	"(c10::BFloat16*, c10::BFloat16 const*, int)"
#define LOG_SOFTMAX_BACK "void at::native::(anonymous namespace)::" \
	"cunn_SoftMaxBackward<8, c10::BFloat16, float, c10::BFloat16, " \
	"at::native::(anonymous namespace)::LogSoftMaxBackwardEpilogue>" \
	"(c10::BFloat16*, c10::BFloat16 const*, c10::BFloat16 const*, long)"
#define NLL_KERNEL "void at::native::(anonymous namespace)::" \
	"nll_loss_forward_reduce_cuda_kernel_2d<c10::BFloat16, float, long>" \
	"(c10::BFloat16*, c10::BFloat16*, c10::BFloat16 const*, long const*, "\
	"c10::BFloat16 const*, bool, long, long, long, long)"
#define NLL_BACK "void at::native::(anonymous namespace)::" \
	"nll_loss_backward_reduce_cuda_kernel_2d<c10::BFloat16, long>" \
	"(c10::BFloat16*, c10::BFloat16 const*, long const*, " \
	"c10::BFloat16 const*, c10::BFloat16 const*, bool, int, int, long, " \
	"long)"
#define GATHER "void at::native::(anonymous namespace)::" \
	"indexSelectLargeIndex<c10::BFloat16, long, unsigned int, 2, 2, -2, " \
	"true>(at::cuda::detail::TensorInfo<c10::BFloat16, unsigned int>, " \
	"at::cuda::detail::TensorInfo<c10::BFloat16 const, unsigned int>, " \
	"at::cuda::detail::TensorInfo<long const, unsigned int>, int, int, " \
	"unsigned int, unsigned int, long)"
#define SCATTER "void at::native::(anonymous namespace)::" \
	"compute_grad_weight<c10::BFloat16, long>(long const*, " \
	"c10::BFloat16 const*, long const*, long, long, long const*, " \
	"long const*, long const*, float*, long)"
#define TENSORS(n) "at::native::(anonymous namespace)::" \
	"FusedOptimizerTensorListMetadata<" #n ">"
#define ADAM "at::native::(anonymous namespace)::FusedAdamMathFunctor<" \
	"c10::BFloat16, 4, (at::native::ADAM_MODE)1, false>"
#define ADAM_KERNEL "void at::native::(anonymous namespace)::" \
	"multi_tensor_apply_kernel<" TENSORS(4) ", " ADAM ", float const*, " \
	"double, double, double, double, double, bool, float*, float*>" \
	"(" TENSORS(4) ", " ADAM ", float const*, double, double, double, " \
	"double, double, bool, float*, float*)"

#endif
