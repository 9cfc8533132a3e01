/*
 * vector - what readers that look at 64 bytes at a time share; not installed
 */
#ifndef TP_VECTOR_H
#define TP_VECTOR_H

#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "../word.h"

/* Each bit the parity of those below it and itself: with quotes, whether it
 * is inside them, the opening one included. */
TP_ALWAYS uint64_t
tp_parity(uint64_t m)
{
	m ^= m << 1;
	m ^= m << 2;
	m ^= m << 4;
	m ^= m << 8;
	m ^= m << 16;
	return m ^ m << 32;
}

#if defined(__x86_64__)
#define TP_AVX2 __attribute__((target("avx2,bmi,pclmul,popcnt")))

static inline int
tp_has_avx2(void)
{
	return __builtin_cpu_supports("avx2") &&
	    __builtin_cpu_supports("bmi") &&
	    __builtin_cpu_supports("pclmul") &&
	    __builtin_cpu_supports("popcnt");
}

/* One bit per byte of LOW and HIGH that is C, from the lowest. */
TP_AVX2 TP_ALWAYS uint64_t
tp_equal_avx2(__m256i low, __m256i high, char c)
{
	__m256i x = _mm256_set1_epi8(c);

	return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, x)) |
	    (uint64_t)(uint32_t)_mm256_movemask_epi8(
	    _mm256_cmpeq_epi8(high, x)) << 32;
}

/* The carry-less product with all ones. */
TP_AVX2 TP_ALWAYS uint64_t
tp_parity_avx2(uint64_t m)
{
	return (uint64_t)_mm_cvtsi128_si64(_mm_clmulepi64_si128(
	    _mm_cvtsi64_si128((long long)m), _mm_set1_epi8(-1), 0));
}
#elif defined(__aarch64__)
/* One bit per byte of V, which is 0 or all ones, from the lowest. */
static inline uint64_t
tp_mask_neon(uint8x16_t v)
{
	static const uint8_t powers[16] = { 1, 2, 4, 8, 16, 32, 64, 128,
	    1, 2, 4, 8, 16, 32, 64, 128 };
	uint8x16_t m = vandq_u8(v, vld1q_u8(powers));

	return (uint64_t)vaddv_u8(vget_low_u8(m)) |
	    (uint64_t)vaddv_u8(vget_high_u8(m)) << 8;
}
#endif

#endif
