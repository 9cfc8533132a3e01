/* way - the vector instruction set in use */
#include "way.h"

static int known;
static enum tp_way chosen;

static int
has(enum tp_way way)
{
#if defined(__x86_64__)
	int avx2 = __builtin_cpu_supports("avx2") &&
	    __builtin_cpu_supports("bmi") &&
	    __builtin_cpu_supports("pclmul") &&
	    __builtin_cpu_supports("popcnt");

	if (way == TP_WAY_AVX512)
		return avx2 && __builtin_cpu_supports("avx512bw") &&
		    __builtin_cpu_supports("avx512vl") &&
		    __builtin_cpu_supports("avx512vbmi2");
	return way == TP_WAY_AVX2 ? avx2 : way <= TP_WAY_SSE2;
#elif defined(__aarch64__)
	return way == TP_WAY_NEON || way == TP_WAY_PLAIN;
#else
	return way == TP_WAY_PLAIN;
#endif
}

enum tp_way
tp_way_used(void)
{
	if (!known) {
		for (chosen = TP_WAYS - 1; !has(chosen);)
			chosen--;
		known = 1;
	}
	return chosen;
}

const char *
tp_way_name(enum tp_way way)
{
	static const char *const names[TP_WAYS] = { "plain", "sse2", "neon",
	    "avx2", "avx512" };

	return names[way];
}

int
tp_way_use(enum tp_way way)
{
	if (!has(way))
		return -1;
	chosen = way;
	known = 1;
	return 0;
}
