/*
 * The call stacks of the made-up run.  A stack is a leaf part, chosen by
 * weight for the work at hand, some turns of the interpreter's loop where
 * the work is called from Python, and the root of its thread.
 */
#include <assert.h>
#include <string.h>

#include "mkflux.h"

enum {
	PYTHON, PYTHON_APP, MLX_CORE, MLX, UMATH, AGX, METAL, IOGPU, KERNEL,
	MALLOC, PLATFORM, CXX, DYLD, DISPATCH, PTHREAD, TOKENIZERS, IMAGING,
	LIBZ, BLAS, UNKNOWN, LIBRARY_COUNT
};

#define CELLAR "/opt/homebrew/Cellar/python@3.11/3.11.11/Frameworks/" \
	"Python.framework/Versions/3.11"
#define VENV "/Users/maren.k/src/mlx-rag-lab/.venv/lib/python3.11/" \
	"site-packages"

static const struct library libraries[UNKNOWN] = {
	[PYTHON] = { "Python", "5D1B0F3E-6F0B-3C55-9E0A-6A0C4B3E7F21",
	    CELLAR "/Python", 0x102e40000 },
	[PYTHON_APP] = { "python3.11", "0B8A2C64-91D7-3E1F-8C33-D2E5A4F60718",
	    CELLAR "/bin/python3.11", 0x102a0c000 },
	[MLX_CORE] = { "core.cpython-311-darwin.so",
	    "7E3C9D52-24A8-3B6E-A1F4-58C07B9D6E13",
	    VENV "/mlx/core.cpython-311-darwin.so", 0x10a1f0000 },
	[MLX] = { "libmlx.dylib", "C1F46A83-5B7D-3920-B8E6-0D94A72F35C8",
	    VENV "/mlx/lib/libmlx.dylib", 0x10b004000 },
	[UMATH] = { "_multiarray_umath.cpython-311-darwin.so",
	    "93A5E1D7-C804-3F62-96BB-7124ED0F8A5B",
	    VENV "/numpy/core/_multiarray_umath.cpython-311-darwin.so",
	    0x105b2c000 },
	[AGX] = { "AGXMetalG15X_B0", "E80D2B49-7A16-3C8F-A5D3-BF40691C2E77",
	    "/System/Library/Extensions/AGXMetalG15X_B0.bundle/Contents/MacOS/"
	    "AGXMetalG15X_B0", 0x1f84c1000 },
	[METAL] = { "Metal", "24C7F0B1-D39E-3856-8A4B-E16D05F7923C",
	    "/System/Library/Frameworks/Metal.framework/Versions/A/Metal",
	    0x19fe66000 },
	[IOGPU] = { "IOGPU", "6FA918D0-3E52-37C4-BC81-4790AD5E2B36",
	    "/System/Library/PrivateFrameworks/IOGPU.framework/Versions/A/"
	    "IOGPU", 0x1b6a3f000 },
	[KERNEL] = { "libsystem_kernel.dylib",
	    "A2D6407B-8CF1-3E95-B370-1F5E9C84D60A",
	    "/usr/lib/system/libsystem_kernel.dylib", 0x18a4d1000 },
	[MALLOC] = { "libsystem_malloc.dylib",
	    "38E0B5C9-F176-34AD-92E8-6CB70D1F4A53",
	    "/usr/lib/system/libsystem_malloc.dylib", 0x18a312000 },
	[PLATFORM] = { "libsystem_platform.dylib",
	    "D5902F1C-46BE-3A78-8F0D-A37E64C1B82F",
	    "/usr/lib/system/libsystem_platform.dylib", 0x18a54c000 },
	[CXX] = { "libc++.1.dylib", "F7B38E62-0D5A-3149-BE96-C82A5F10D4E7",
	    "/usr/lib/libc++.1.dylib", 0x18a42b000 },
	[DYLD] = { "dyld", "4C61D7A0-E92B-3F84-A507-D8B1396E5FC2",
	    "/usr/lib/dyld", 0x18a1a6000 },
	[DISPATCH] = { "libdispatch.dylib",
	    "19F5A4E8-B7C2-3D06-8E49-53F0C76D2B1A",
	    "/usr/lib/system/libdispatch.dylib", 0x18a359000 },
	[PTHREAD] = { "libsystem_pthread.dylib",
	    "80C3E5D6-1A4F-3B97-9D28-E7F60B5C4A91",
	    "/usr/lib/system/libsystem_pthread.dylib", 0x18a50e000 },
	[TOKENIZERS] = { "tokenizers.abi3.so",
	    "B64D92F8-E037-3C1A-85D4-2E9A0F7B6C5D",
	    VENV "/tokenizers/tokenizers.abi3.so", 0x10d7c8000 },
	[IMAGING] = { "_imaging.cpython-311-darwin.so",
	    "2A7FC054-8D1E-36B9-AE72-90D5B4E3F681",
	    VENV "/PIL/_imaging.cpython-311-darwin.so", 0x10e330000 },
	[LIBZ] = { "libz.1.dylib", "CE04B7D9-5F23-38A1-91C6-7B8F2D6E0A34",
	    "/usr/lib/libz.1.dylib", 0x19b7d2000 },
	[BLAS] = { "libBLAS.dylib", "5E8A03D7-B1C4-3F69-92D0-64C7F8A1E35B",
	    "/System/Library/Frameworks/Accelerate.framework/Versions/A/"
	    "Frameworks/vecLib.framework/Versions/A/libBLAS.dylib",
	    0x1a2c5e000 },
};

/* Every function of the run; addresses follow from the place in this list. */
static const struct code {
	const char *name;
	int library;
} codes[] = {
	{ "_PyEval_EvalFrameDefault", PYTHON },
	{ "_PyFunction_Vectorcall", PYTHON },
	{ "method_vectorcall", PYTHON },
	{ "slot_tp_call", PYTHON },
	{ "_PyObject_Call_Prepend", PYTHON },
	{ "PyObject_Vectorcall", PYTHON },
	{ "_PyObject_GenericGetAttrWithDict", PYTHON },
	{ "_PyType_Lookup", PYTHON },
	{ "slot_tp_getattr_hook", PYTHON },
	{ "dict_getitem", PYTHON },
	{ "unicodekeys_lookup_unicode", PYTHON },
	{ "PyTuple_New", PYTHON },
	{ "_PyObject_Malloc", PYTHON },
	{ "gc_collect_main", PYTHON },
	{ "subtract_refs", PYTHON },
	{ "list_dealloc", PYTHON },
	{ "PyEval_EvalCode", PYTHON },
	{ "run_mod", PYTHON },
	{ "_PyRun_SimpleFileObject", PYTHON },
	{ "Py_RunMain", PYTHON },
	{ "Py_BytesMain", PYTHON },
	{ "PyImport_ImportModuleLevelObject", PYTHON },
	{ "r_object", PYTHON },
	{ "PyFloat_FromDouble", PYTHON },
	{ "PyList_Append", PYTHON },
	{ "thread_run", PYTHON },
	{ "pythread_wrapper", PYTHON },
	{ "lock_PyThread_acquire_lock", PYTHON },
	{ "start", DYLD },
	{ "dyld4::JustInTimeLoader::applyFixups(Diagnostics&, "
	    "dyld4::RuntimeState&, dyld4::DyldCacheDataConstLazyScopedWriter&,"
	    " bool) const", DYLD },
	{ "dlopen", DYLD },
	{ "main", PYTHON_APP },
	{ "nanobind::detail::nb_func_vectorcall_complex(_object*, "
	    "_object* const*, unsigned long, _object*)", MLX_CORE },
	{ "nanobind::detail::nb_type_get(std::type_info const*, _object*, "
	    "unsigned char, nanobind::detail::cleanup_list*, void**)",
	    MLX_CORE },
	{ "mlx_array_tolist", MLX_CORE },
	{ "array_tolist(mlx::core::array&)", MLX_CORE },
	{ "array_item(mlx::core::array&)", MLX_CORE },
	{ "nb_eval(nanobind::args const&)", MLX_CORE },
	{ "tree_visit(nanobind::handle, std::function<void (nanobind::handle)>"
	    ")", MLX_CORE },
	{ "PyCompiledFun::operator()(nanobind::args const&, nanobind::kwargs "
	    "const&)", MLX_CORE },
	{ "mlx::core::matmul(mlx::core::array const&, mlx::core::array const&,"
	    " std::variant<std::monostate, mlx::core::Stream>)", MLX },
	{ "mlx::core::broadcast_arrays(std::vector<mlx::core::array, "
	    "std::allocator<mlx::core::array>> const&)", MLX },
	{ "mlx::core::reshape(mlx::core::array const&, mlx::core::Shape)",
	    MLX },
	{ "mlx::core::array::array(mlx::core::Shape, mlx::core::Dtype, "
	    "std::shared_ptr<mlx::core::Primitive>)", MLX },
	{ "mlx::core::array::ArrayDesc::~ArrayDesc()", MLX },
	{ "mlx::core::compile_fuse(std::vector<mlx::core::array>&, "
	    "std::unordered_map<unsigned long, ParentsMap>&)", MLX },
	{ "mlx::core::compile_simplify(std::vector<mlx::core::array>&, int)",
	    MLX },
	{ "mlx::core::operator|(mlx::core::array const&, mlx::core::array "
	    "const&)", MLX },
	{ "auto fold<float16_t | bfloat16_t; 4>(Graph<array> const&)::{lambda("
	    "auto:1 \"cast\")#1}", MLX },
	{ "mlx::core::eval_impl(std::vector<mlx::core::array>, bool)", MLX },
	{ "mlx::core::scheduler::StreamThread::thread_fn()", MLX },
	{ "mlx::core::gpu::eval(mlx::core::array&)", MLX },
	{ "mlx::core::fast::ScaledDotProductAttention::eval_gpu(std::vector<"
	    "mlx::core::array> const&, std::vector<mlx::core::array>&)", MLX },
	{ "mlx::core::Matmul::eval_gpu(std::vector<mlx::core::array> const&, "
	    "mlx::core::array&)", MLX },
	{ "mlx::core::steel_matmul_regular(mlx::core::Stream const&, "
	    "mlx::core::metal::Device&, mlx::core::array const&)", MLX },
	{ "mlx::core::binary_op_gpu(std::vector<mlx::core::array> const&, "
	    "mlx::core::array&, std::string const&)", MLX },
	{ "mlx::core::metal::Device::get_kernel(std::string const&)", MLX },
	{ "mlx::core::metal::Device::commit_command_buffer(int)", MLX },
	{ "mlx::core::metal::CommandEncoder::dispatch_threadgroups(MTL::Size, "
	    "MTL::Size)", MLX },
	{ "mlx::core::metal::MetalAllocator::malloc(unsigned long)", MLX },
	{ "mlx::core::metal::BufferCache::reuse_from_cache(unsigned long)",
	    MLX },
	{ "mlx::core::load_safetensors(std::shared_ptr<mlx::core::io::Reader>)",
	    MLX },
	{ "mlx::core::io::ParallelFileReader::read(char*, unsigned long, "
	    "unsigned long)", MLX },
	{ "mlx::core::Event::wait()", MLX },
	{ "array_dealloc", UMATH },
	{ "array_fromarray", UMATH },
	{ "PyArray_FromAny", UMATH },
	{ "_aligned_contig_cast_float_to_ubyte", UMATH },
	{ "array_astype", UMATH },
	{ "-[AGXG15XFamilyComputeContext setBuffer:offset:atIndex:]", AGX },
	{ "-[AGXG15XFamilyComputeContext dispatchThreadgroups:"
	    "threadsPerThreadgroup:]", AGX },
	{ "AGX::ComputeContext<AGX::G15X::Encoders, AGX::G15X::Classes>::"
	    "prepareForEnqueue(bool)", AGX },
	{ "-[AGXG15XFamilyCommandBuffer computeCommandEncoderWithDispatchType:"
	    "]", AGX },
	{ "-[AGXG15XFamilyDevice newBufferWithLength:options:]", AGX },
	{ "-[_MTLCommandBuffer commit]", METAL },
	{ "-[_MTLCommandBuffer waitUntilCompleted]", METAL },
	{ "-[MTLCompiler newComputePipelineStateWithDescriptorInternal:"
	    "options:pipelineCache:]", METAL },
	{ "IOGPUMetalCommandBufferStorageAllocResourceAtIndex", IOGPU },
	{ "-[IOGPUMetalCommandQueue submitCommandBuffers:count:]", IOGPU },
	{ "IOGPUResourceCreate", IOGPU },
	{ "mach_msg2_trap", KERNEL },
	{ "iokit_user_client_trap", KERNEL },
	{ "__psynch_cvwait", KERNEL },
	{ "pread", KERNEL },
	{ "__open", KERNEL },
	{ "madvise", KERNEL },
	{ "_malloc_zone_malloc", MALLOC },
	{ "tiny_malloc_from_free_list", MALLOC },
	{ "_platform_memmove", PLATFORM },
	{ "std::__1::__hash_table<unsigned long, std::__1::hash<unsigned long>"
	    ">::find(unsigned long const&)", CXX },
	{ "std::__1::condition_variable::wait(std::__1::unique_lock<std::__1::"
	    "mutex>&)", CXX },
	{ "_dispatch_client_callout", DISPATCH },
	{ "thread_start", PTHREAD },
	{ "_pthread_start", PTHREAD },
	{ "tokenizers::models::unigram::model::Unigram::encode_optimized",
	    TOKENIZERS },
	{ "ImagingPackRGB", IMAGING },
	{ "ImagingZipEncode", IMAGING },
	{ "deflate_medium", LIBZ },
	{ "<deduplicated_symbol>", CXX },
	{ "0x10f3a41c8", UNKNOWN },
	{ "APL_sgemm", BLAS },
	{ "cblas_sgemm", BLAS },
	{ "mlx::core::Matmul::eval_cpu(std::vector<mlx::core::array> const&, "
	    "mlx::core::array&)", MLX },
	{ "mlx::core::cpu::eval(mlx::core::array&)", MLX },
	{ "_io_FileIO_readall", PYTHON },
	{ "mlx::core::load(std::shared_ptr<mlx::core::io::Reader>, "
	    "std::variant<std::monostate, mlx::core::Stream>)", MLX },
	{ "ImagingJpegDecode", IMAGING },
	{ "decode_mcu", IMAGING },
	{ "ImagingResampleHorizontal_8bpc", IMAGING },
	{ "mlx::core::metal::Device::get_library(std::string const&, "
	    "std::function<std::string ()> const&)", MLX },
	{ "-[_MTLDevice newLibraryWithSource:options:error:]", METAL },
	{ "-[MTLCompilerInternal compileRequestInternal:]", METAL },
	{ "__semwait_signal", KERNEL },
	{ "time_sleep", PYTHON },
	{ "__psynch_mutexwait", KERNEL },
	{ "__recvfrom", KERNEL },
	{ "sock_recv_impl", PYTHON },
};
#define CODE_COUNT (sizeof(codes) / sizeof(codes[0]))

/* Leaf first, by the start of the name; see code_find(). */
struct part {
	enum work work;
	int weight;
	const char *names[10];
};

static const struct part leaves[] = {
	{ LAUNCH, 30, { "r_object", "PyImport_Import" } },
	{ LAUNCH, 25, { "dyld4::", "dlopen", "PyImport_Import" } },
	{ LAUNCH, 15, { "__open", "PyImport_Import" } },
	{ LAUNCH, 20, { "dict_getitem", "PyImport_Import" } },
	{ LAUNCH, 10, { "_PyObject_Malloc", "r_object", "PyImport_Import" } },

	{ LOAD, 40, { "pread", "mlx::core::io::", "mlx::core::load_safe",
	    "nanobind::detail::nb_func" } },
	{ LOAD, 30, { "_platform_memmove", "mlx::core::io::",
	    "mlx::core::load_safe", "nanobind::detail::nb_func" } },
	{ LOAD, 15, { "madvise", "IOGPUResourceCreate",
	    "-[AGXG15XFamilyDevice", "mlx::core::metal::MetalAllocator",
	    "mlx::core::load_safe", "nanobind::detail::nb_func" } },
	{ LOAD, 5, { "0x10f3a41c8", "mlx::core::load_safe",
	    "nanobind::detail::nb_func" } },

	{ TOKENIZE, 40, { "tokenizers::" } },
	{ TOKENIZE, 30, { "PyFloat_FromDouble", "array_tolist",
	    "mlx_array_tolist" } },
	{ TOKENIZE, 15, { "PyList_Append" } },
	{ TOKENIZE, 15, { "array_fromarray", "PyArray_FromAny" } },

	{ GRAPH, 330, { "" } },
	{ GRAPH, 70, { "_PyType_Lookup", "_PyObject_Generic" } },
	{ GRAPH, 50, { "unicodekeys_lookup", "dict_getitem",
	    "slot_tp_getattr" } },
	{ GRAPH, 40, { "_PyObject_Malloc", "PyTuple_New" } },
	{ GRAPH, 25, { "subtract_refs", "gc_collect_main" } },
	{ GRAPH, 60, { "nanobind::detail::nb_type_get",
	    "nanobind::detail::nb_func" } },
	{ GRAPH, 60, { "mlx::core::array::array(", "mlx::core::matmul",
	    "nanobind::detail::nb_func" } },
	{ GRAPH, 45, { "_malloc_zone_malloc", "mlx::core::array::array(",
	    "mlx::core::reshape", "nanobind::detail::nb_func" } },
	{ GRAPH, 40, { "mlx::core::broadcast_arrays",
	    "mlx::core::operator|", "nanobind::detail::nb_func" } },
	{ GRAPH, 45, { "std::__1::__hash_table", "mlx::core::compile_fuse",
	    "PyCompiledFun" } },
	{ GRAPH, 25, { "mlx::core::compile_simplify", "PyCompiledFun" } },
	{ GRAPH, 20, { "auto fold<", "mlx::core::compile_fuse",
	    "PyCompiledFun" } },
	{ GRAPH, 35, { "std::__1::__hash_table", "mlx::core::eval_impl",
	    "nb_eval" } },
	{ GRAPH, 25, { "tree_visit", "nb_eval" } },
	{ GRAPH, 25, { "mlx::core::array::ArrayDesc::~", "list_dealloc" } },
	{ GRAPH, 15, { "tiny_malloc_from", "_malloc_zone_malloc",
	    "mlx::core::reshape", "nanobind::detail::nb_func" } },

	{ ENCODE, 20, { "-[AGXG15XFamilyComputeContext setBuffer",
	    "mlx::core::binary_op_gpu", "mlx::core::gpu::eval" } },
	{ ENCODE, 20, { "AGX::ComputeContext<",
	    "-[AGXG15XFamilyComputeContext dispatch",
	    "mlx::core::metal::CommandEncoder", "mlx::core::steel_matmul",
	    "mlx::core::Matmul::eval", "mlx::core::gpu::eval" } },
	{ ENCODE, 12, { "mlx::core::metal::Device::get_kernel",
	    "mlx::core::fast::", "mlx::core::gpu::eval" } },
	{ ENCODE, 14, { "mlx::core::metal::BufferCache",
	    "mlx::core::metal::MetalAllocator", "mlx::core::Matmul::eval",
	    "mlx::core::gpu::eval" } },
	{ ENCODE, 10, { "IOGPUMetalCommandBufferStorage",
	    "-[AGXG15XFamilyCommandBuffer", "mlx::core::fast::",
	    "mlx::core::gpu::eval" } },
	{ ENCODE, 14, { "iokit_user_client_trap", "-[IOGPUMetalCommandQueue",
	    "-[_MTLCommandBuffer commit]",
	    "mlx::core::metal::Device::commit" } },
	{ ENCODE, 10, { "mach_msg2_trap", "IOGPUResourceCreate",
	    "-[AGXG15XFamilyDevice", "mlx::core::metal::MetalAllocator",
	    "mlx::core::Matmul::eval", "mlx::core::gpu::eval" } },
	{ ENCODE, 4, { "-[MTLCompiler", "_dispatch_client",
	    "mlx::core::metal::Device::get_kernel", "mlx::core::fast::",
	    "mlx::core::gpu::eval" } },
	{ ENCODE, 6, { "<dedup", "mlx::core::fast::",
	    "mlx::core::gpu::eval" } },

	{ CONVERT, 40, { "_aligned_contig_cast", "array_astype" } },
	{ CONVERT, 25, { "_platform_memmove", "PyArray_FromAny" } },
	{ CONVERT, 25, { "PyFloat_FromDouble", "array_tolist",
	    "mlx_array_tolist" } },
	{ CONVERT, 10, { "array_dealloc", "array_item" } },

	{ WAIT, 50, { "__psynch_cvwait", "std::__1::condition_variable",
	    "mlx::core::Event::wait", "nb_eval" } },
	{ WAIT, 30, { "mach_msg2_trap", "-[_MTLCommandBuffer wait",
	    "mlx::core::Event::wait", "nb_eval" } },

	{ SAVE, 50, { "deflate_medium", "ImagingZipEncode" } },
	{ SAVE, 20, { "ImagingPackRGB", "ImagingZipEncode" } },
	{ SAVE, 10, { "_PyObject_Malloc" } },

	{ TICK, 1, { "lock_PyThread", "_PyEval_EvalFrameDefault" } },

	{ ALLOCATE, 3, { "IOGPUResourceCreate", "-[AGXG15XFamilyDevice",
	    "mlx::core::metal::MetalAllocator", "mlx::core::Matmul::eval",
	    "mlx::core::gpu::eval" } },
	{ ALLOCATE, 2, { "IOGPUResourceCreate", "-[AGXG15XFamilyDevice",
	    "mlx::core::metal::MetalAllocator", "mlx::core::binary_op_gpu",
	    "mlx::core::gpu::eval" } },
	{ ALLOCATE, 1, { "IOGPUResourceCreate", "-[AGXG15XFamilyDevice",
	    "mlx::core::metal::MetalAllocator", "mlx::core::fast::",
	    "mlx::core::gpu::eval" } },

	{ INTERPRET, 60, { "" } },
	{ INTERPRET, 20, { "_PyType_Lookup", "_PyObject_Generic" } },
	{ INTERPRET, 20, { "_PyObject_Malloc", "PyTuple_New" } },

	{ FALLBACK, 80, { "APL_sgemm", "cblas_sgemm",
	    "mlx::core::Matmul::eval_cpu", "mlx::core::cpu::eval" } },
	{ FALLBACK, 20, { "_platform_memmove", "mlx::core::Matmul::eval_cpu",
	    "mlx::core::cpu::eval" } },

	{ INPUT, 25, { "pread", "_io_FileIO_readall" } },
	{ INPUT, 40, { "decode_mcu", "ImagingJpegDecode" } },
	{ INPUT, 20, { "ImagingResample" } },
	{ INPUT, 15, { "pread", "mlx::core::io::", "mlx::core::load(",
	    "nanobind::detail::nb_func" } },

	{ COMPILE, 40, { "-[MTLCompilerInternal", "-[_MTLDevice newLibrary",
	    "mlx::core::metal::Device::get_library", "mlx::core::gpu::eval",
	    "mlx::core::eval_impl", "nb_eval" } },
	{ COMPILE, 30, { "mach_msg2_trap", "-[MTLCompilerInternal",
	    "-[MTLCompiler newCompute", "mlx::core::metal::Device::get_kernel",
	    "mlx::core::gpu::eval", "mlx::core::eval_impl", "nb_eval" } },
	{ COMPILE, 30, { "_platform_memmove", "-[MTLCompilerInternal",
	    "-[MTLCompiler newCompute", "mlx::core::metal::Device::get_kernel",
	    "mlx::core::gpu::eval", "mlx::core::eval_impl", "nb_eval" } },

	{ PREFETCH, 30, { "tokenizers::" } },
	{ PREFETCH, 30, { "decode_mcu", "ImagingJpegDecode" } },
	{ PREFETCH, 40, { "_PyType_Lookup", "_PyObject_Generic" } },

	{ LOADER, 30, { "pread", "_io_FileIO_readall" } },
	{ LOADER, 70, { "decode_mcu", "ImagingJpegDecode" } },

	{ NAP, 1, { "__semwait_signal", "time_sleep" } },
	{ LOCK, 1, { "__psynch_cvwait", "lock_PyThread" } },
	{ LOCK, 1, { "__psynch_mutexwait", "mlx::core::eval_impl",
	    "nb_eval" } },
	{ REQUEST, 1, { "__recvfrom", "sock_recv_impl" } },
};

static const char *const main_root[] = {
	"PyEval_EvalCode", "run_mod", "_PyRun_SimpleFile", "Py_RunMain",
	"Py_BytesMain", "main", "start", NULL
};
static const char *const worker_root[] = {
	"mlx::core::scheduler::", "_pthread_start", "thread_start", NULL
};
static const char *const monitor_root[] = {
	"thread_run", "pythread_wrapper", "_pthread_start", "thread_start",
	NULL
};
/* One turn of a call of a layer from Python, leaf first. */
static const char *const turns[][4] = {
	{ "_PyEval_EvalFrameDefault", "_PyFunction_Vectorcall" },
	{ "_PyEval_EvalFrameDefault", "method_vectorcall" },
	{ "_PyEval_EvalFrameDefault", "_PyObject_Call_Prepend",
	    "slot_tp_call" },
};

struct frame
frame_at(unsigned n)
{
	struct frame frame = { codes[n].name, NULL, 0x10f3a41c8 };

	if (codes[n].library != UNKNOWN) {
		frame.library = &libraries[codes[n].library];
		frame.address = frame.library->address + 0x1a40 + n * 0x33c;
	}
	return frame;
}

/* The first function whose name begins with START. */
static unsigned
code_find(const char *start)
{
	unsigned n;

	n = 0;
	while (strncmp(codes[n].name, start, strlen(start)) != 0) {
		n++;
		assert(n < CODE_COUNT);
	}
	return n;
}

static void
stack_push(struct stack *stack, const char *start)
{
	if (stack->count < FRAMES_MAX)
		stack->frames[stack->count++] =
		    (unsigned short)code_find(start);
}

static void
push_all(struct stack *stack, const char *const *names)
{
	for (size_t i = 0; names[i]; i++)
		stack_push(stack, names[i]);
}

static const struct part *
leaf_pick(uint64_t *state, enum work work)
{
	const size_t count = sizeof(leaves) / sizeof(leaves[0]);
	const struct part *last;
	int64_t total, at;

	total = 0;
	for (size_t i = 0; i < count; i++)
		if (leaves[i].work == work)
			total += leaves[i].weight;
	at = random_between(state, 0, total - 1);
	last = NULL;
	for (size_t i = 0; i < count && at >= 0; i++) {
		if (leaves[i].work != work)
			continue;
		last = &leaves[i];
		at -= last->weight;
	}
	return last;
}

struct stack
stack_pick(uint64_t *state, enum work work)
{
	struct stack stack = { .count = 0 };
	const struct part *leaf;
	int64_t depth, turn;

	leaf = leaf_pick(state, work);
	for (size_t i = 0; leaf->names[i] && leaf->names[i][0]; i++)
		stack_push(&stack, leaf->names[i]);
	if (work == ENCODE || work == ALLOCATE || work == FALLBACK) {
		push_all(&stack, worker_root);
		return stack;
	}
	if (work == TICK) {
		push_all(&stack, monitor_root);
		return stack;
	}
	depth = 1;
	if (work == GRAPH || work == INTERPRET || work == PREFETCH)
		depth = random_between(state, 2, 3);
	turn = random_between(state, 0, 2);
	while (depth-- > 0)
		push_all(&stack, turns[turn]);
	stack_push(&stack, "_PyEval_EvalFrameDefault");
	push_all(&stack, work == PREFETCH || work == LOADER ? monitor_root :
	    main_root);
	return stack;
}
