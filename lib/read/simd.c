/* simd - the vector instruction set in use */
#include "simd.h"

static int known;
static enum tp_simd chosen;

static int
has(enum tp_simd way)
{
#if defined(__x86_64__)
	int avx2 = __builtin_cpu_supports("avx2") &&
	    __builtin_cpu_supports("bmi") &&
	    __builtin_cpu_supports("pclmul") &&
	    __builtin_cpu_supports("popcnt");

	if (way == TP_SIMD_AVX512)
		return avx2 && __builtin_cpu_supports("avx512bw") &&
		    __builtin_cpu_supports("avx512vl") &&
		    __builtin_cpu_supports("avx512vbmi2");
	return way == TP_SIMD_AVX2 ? avx2 : way <= TP_SIMD_SSE2;
#elif defined(__aarch64__)
	return way == TP_SIMD_NEON || way == TP_SIMD_PLAIN;
#else
	return way == TP_SIMD_PLAIN;
#endif
}

enum tp_simd
tp_simd_used(void)
{
	if (!known) {
		for (chosen = TP_SIMDS - 1; !has(chosen);)
			chosen--;
		known = 1;
	}
	return chosen;
}

const char *
tp_simd_name(enum tp_simd way)
{
	static const char *const names[TP_SIMDS] = { "plain", "sse2", "neon",
	    "avx2", "avx512" };

	return names[way];
}

int
tp_simd_use(enum tp_simd way)
{
	if (!has(way))
		return -1;
	chosen = way;
	known = 1;
	return 0;
}
