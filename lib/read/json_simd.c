/* json_simd - JSON scanning functions for the instruction set in use */
#include "json_simd.h"
#include "simd.h"

static const struct tp_json_simd scanners[TP_SIMDS] = {
	[TP_SIMD_PLAIN] = { tp_skip_plain, tp_steps_plain },
#if defined(__x86_64__)
	[TP_SIMD_SSE2] = { tp_skip_sse2, tp_steps_sse2 },
	[TP_SIMD_AVX2] = { tp_skip_avx2, tp_steps_avx2 },
	[TP_SIMD_AVX512] = { tp_skip_avx2, tp_steps_avx2 },
#elif defined(__aarch64__)
	[TP_SIMD_NEON] = { tp_skip_neon, tp_steps_neon },
#endif
};

const struct tp_json_simd *
tp_json_simd_used(void)
{
	return &scanners[tp_simd_used()];
}
