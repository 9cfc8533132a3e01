/* json_way - JSON scanning functions for the instruction set in use */
#include "json_way.h"
#include "way.h"

static const struct tp_json_way ways[TP_WAYS] = {
	[TP_WAY_PLAIN] = { tp_skip_plain, tp_steps_plain },
#if defined(__x86_64__)
	[TP_WAY_SSE2] = { tp_skip_sse2, tp_steps_sse2 },
	[TP_WAY_AVX2] = { tp_skip_avx2, tp_steps_avx2 },
	[TP_WAY_AVX512] = { tp_skip_avx2, tp_steps_avx2 },
#elif defined(__aarch64__)
	[TP_WAY_NEON] = { tp_skip_neon, tp_steps_neon },
#endif
};

const struct tp_json_way *
tp_json_way_used(void)
{
	return &ways[tp_way_used()];
}
