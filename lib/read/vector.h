/* vector - shared by readers that examine 64 bytes at a time; not installed */
#ifndef TP_READ_VECTOR_H
#define TP_READ_VECTOR_H

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "word.h"

/*
 * Prefix XOR: each bit becomes the parity of itself and all lower bits.
 * With quotes: whether it is inside them, including the opening one.
 */
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
#define TP_AVX512 __attribute__((target("avx512bw,avx512vl,avx512vbmi2," \
    "avx2,bmi,pclmul,popcnt")))

#define TP_AVX2 __attribute__((target("avx2,bmi,pclmul,popcnt")))

/* One bit per byte of LOW and HIGH that equals C, lowest first. */
TP_AVX2 TP_ALWAYS uint64_t
tp_equal_avx2(__m256i low, __m256i high, char c)
{
	__m256i x = _mm256_set1_epi8(c);

	return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, x)) |
	    (uint64_t)(uint32_t)_mm256_movemask_epi8(
	    _mm256_cmpeq_epi8(high, x)) << 32;
}

/* Prefix XOR as the carry-less product with all ones. */
TP_AVX2 TP_ALWAYS uint64_t
tp_parity_avx2(uint64_t m)
{
	return (uint64_t)_mm_cvtsi128_si64(_mm_clmulepi64_si128(
	    _mm_cvtsi64_si128((long long)m), _mm_set1_epi8(-1), 0));
}

/*
 * Value of the LEN digits before END, of which 16 bytes are readable; 0 when
 * they are not all digits, or more than 16.  Combines digits to pairs,
 * fours, eights.
 */
TP_AVX2 TP_ALWAYS int
tp_digits_avx2(const char *end, size_t len, uint64_t *n)
{
	static const unsigned char keep[32] = { [16] = 255, 255, 255, 255, 255,
	    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255 };
	__m128i v, nine = _mm_set1_epi8(9);
	uint64_t halves;

	if (len - 1 >= 16)
		return 0;
	v = _mm_loadu_si128((const __m128i *)(const void *)(end - 16));
	v = _mm_sub_epi8(v, _mm_set1_epi8('0'));
	v = _mm_and_si128(v, _mm_loadu_si128((const __m128i *)(const void *)
	    (keep + len)));
	if (_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(v, nine), nine)) !=
	    0xffff)
		return 0;
	v = _mm_maddubs_epi16(v, _mm_set1_epi16(10 | 1 << 8));
	v = _mm_madd_epi16(v, _mm_set1_epi32(100 | 1 << 16));
	v = _mm_packus_epi32(v, v);
	v = _mm_madd_epi16(v, _mm_set1_epi32(10000 | 1 << 16));
	halves = (uint64_t)_mm_cvtsi128_si64(v);
	*n = (halves & UINT32_MAX) * 100000000 + (halves >> 32);
	return 1;
}
#elif defined(__aarch64__)
/* One bit per byte of V (each 0 or all ones), lowest first. */
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
