/* events_quick - fast path for traces in the form that most exporters write */
#include <string.h>

#include "events_seam.h"
#include "json_simd.h"
#include "vector.h"

/*
 * Whether the LEN bytes at P are digits, except for a point after POINT of
 * them (0: none), and the number ends there.
 */
TP_ALWAYS int
is_number(const char *p, uint32_t len, uint32_t point)
{
	return !tp_is_plain(p[len]) && (!point ? len == 1 || *p != '0' :
	    len > point + 1 && p[point] == '.' && (point == 1 || *p != '0'));
}

/* Collect the high bit of each byte of W into eight bits. */
TP_ALWAYS uint32_t
gather(uint64_t w)
{
	return (uint32_t)((w >> 7 & TP_EACH(1)) *
	    UINT64_C(0x0102040810204080) >> 56);
}

/* High bit set in each byte of W that is 0. */
TP_ALWAYS uint64_t
zeros(uint64_t w)
{
	const uint64_t low = TP_EACH(0x7f);

	return ~(((w & low) + low) | w | low);
}

TP_ALWAYS uint32_t
same_plain(const char *p, const char *q)
{
	return gather(zeros(tp_load64(p) ^ tp_load64(q))) |
	    gather(zeros(tp_load64(p + 8) ^ tp_load64(q + 8))) << 8;
}

/* Only the lowest bit is reliable, and only that is used. */
TP_ALWAYS uint32_t
ends_plain(const char *p)
{
	return gather(tp_json_unusual(tp_load64(p), 1)) |
	    gather(tp_json_unusual(tp_load64(p + 8), 1)) << 8;
}

/* As tp_no_digits(), but every bit is reliable. */
TP_ALWAYS uint64_t
others8(uint64_t w)
{
	const uint64_t low = TP_EACH(0x7f);

	w ^= TP_EACH('0');
	return (w | ((w & low) + TP_EACH(0x80 - 10))) & TP_EACH(0x80);
}

TP_ALWAYS uint32_t
others_plain(const char *p)
{
	return gather(others8(tp_load64(p))) |
	    gather(others8(tp_load64(p + 8))) << 8;
}

#define SIMD(x) x##_plain
#define TARGET
#define WIDE 16
#define SAME same_plain
#define ENDS ends_plain
#define OTHERS others_plain
#include "events_steps.h"

#if defined(__x86_64__)
TP_ALWAYS __m128i
load_sse2(const char *p)
{
	return _mm_loadu_si128((const __m128i *)(const void *)p);
}

TP_ALWAYS uint32_t
same_sse2(const char *p, const char *q)
{
	return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(load_sse2(p),
	    load_sse2(q)));
}

/* Signed comparison: bytes beyond ASCII are below the blank. */
TP_ALWAYS uint32_t
ends_sse2(const char *p)
{
	__m128i x = load_sse2(p);

	return (uint32_t)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(
	    _mm_cmpeq_epi8(x, _mm_set1_epi8('"')),
	    _mm_cmpeq_epi8(x, _mm_set1_epi8('\\'))),
	    _mm_cmplt_epi8(x, _mm_set1_epi8(0x20))));
}

TP_ALWAYS uint32_t
others_sse2(const char *p)
{
	__m128i x = _mm_sub_epi8(load_sse2(p), _mm_set1_epi8('0'));

	return 0xffff ^ (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(x,
	    _mm_min_epu8(x, _mm_set1_epi8(9))));
}

#define SIMD(x) x##_sse2
#define TARGET
#define WIDE 16
#define SAME same_sse2
#define ENDS ends_sse2
#define OTHERS others_sse2
#include "events_steps.h"

TP_AVX2 TP_ALWAYS __m256i
load_avx2(const char *p)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

TP_AVX2 TP_ALWAYS uint32_t
same_avx2(const char *p, const char *q)
{
	return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(load_avx2(p),
	    load_avx2(q)));
}

TP_AVX2 TP_ALWAYS uint32_t
ends_avx2(const char *p)
{
	__m256i x = load_avx2(p);

	return (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(_mm256_or_si256(
	    _mm256_cmpeq_epi8(x, _mm256_set1_epi8('"')),
	    _mm256_cmpeq_epi8(x, _mm256_set1_epi8('\\'))),
	    _mm256_cmpgt_epi8(_mm256_set1_epi8(0x20), x)));
}

TP_AVX2 TP_ALWAYS uint32_t
others_avx2(const char *p)
{
	__m256i x = _mm256_sub_epi8(load_avx2(p), _mm256_set1_epi8('0'));

	return ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x,
	    _mm256_min_epu8(x, _mm256_set1_epi8(9))));
}

#define SIMD(x) x##_avx2
#define TARGET TP_AVX2
#define WIDE 32
#define SAME same_avx2
#define ENDS ends_avx2
#define OTHERS others_avx2
#include "events_steps.h"
#elif defined(__aarch64__)
TP_ALWAYS uint8x16_t
load_neon(const char *p)
{
	return vld1q_u8((const uint8_t *)p);
}

TP_ALWAYS uint32_t
same_neon(const char *p, const char *q)
{
	return (uint32_t)tp_mask_neon(vceqq_u8(load_neon(p), load_neon(q)));
}

/* Signed comparison: bytes beyond ASCII are below the blank. */
TP_ALWAYS uint32_t
ends_neon(const char *p)
{
	uint8x16_t x = load_neon(p);

	return (uint32_t)tp_mask_neon(vorrq_u8(vorrq_u8(
	    vceqq_u8(x, vdupq_n_u8('"')), vceqq_u8(x, vdupq_n_u8('\\'))),
	    vcltq_s8(vreinterpretq_s8_u8(x), vdupq_n_s8(0x20))));
}

TP_ALWAYS uint32_t
others_neon(const char *p)
{
	return (uint32_t)tp_mask_neon(vcgtq_u8(vsubq_u8(load_neon(p),
	    vdupq_n_u8('0')), vdupq_n_u8(9)));
}

#define SIMD(x) x##_neon
#define TARGET
#define WIDE 16
#define SAME same_neon
#define ENDS ends_neon
#define OTHERS others_neon
#include "events_steps.h"
#endif
