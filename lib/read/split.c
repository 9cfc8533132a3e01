/* split - where the fields and lines of a block end */
#include <string.h>

#include "split.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

/* Write the positions of the bits of MASK, which start at BASE. */
static inline uint32_t *
bits(uint32_t *at, uint64_t mask, uint32_t base)
{
	while (mask) {
		*at++ = base + (uint32_t)__builtin_ctzll(mask);
		mask &= mask - 1;
	}
	return at;
}

static int
ends(char c, char delim)
{
	return c == delim || c == '\n' || c == '\r' || c == '"';
}

static uint32_t *
tail(const char *p, size_t from, size_t len, char delim, uint32_t *at)
{
	for (; from < len; from++)
		if (ends(p[from], delim))
			*at++ = (uint32_t)from;
	return at;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static inline uint32_t
mask32(__m256i v, __m256i delim)
{
	__m256i m = _mm256_cmpeq_epi8(v, delim);

	m = _mm256_or_si256(m, _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\n')));
	m = _mm256_or_si256(m, _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\r')));
	m = _mm256_or_si256(m, _mm256_cmpeq_epi8(v, _mm256_set1_epi8('"')));
	return (uint32_t)_mm256_movemask_epi8(m);
}

__attribute__((target("avx2,bmi"))) static size_t
split_avx2(const char *p, size_t len, char delim, uint32_t *at)
{
	__m256i d = _mm256_set1_epi8(delim);
	uint32_t *w = at;
	size_t i;

	for (i = 0; i + 64 <= len; i += 64) {
		uint64_t low = mask32(_mm256_loadu_si256(
		    (const __m256i *)(const void *)(p + i)), d);
		uint64_t high = mask32(_mm256_loadu_si256(
		    (const __m256i *)(const void *)(p + i + 32)), d);

		w = bits(w, low | high << 32, (uint32_t)i);
	}
	return (size_t)(tail(p, i, len, delim, w) - at);
}

static inline uint64_t
mask16(__m128i v, __m128i delim)
{
	__m128i m = _mm_cmpeq_epi8(v, delim);

	m = _mm_or_si128(m, _mm_cmpeq_epi8(v, _mm_set1_epi8('\n')));
	m = _mm_or_si128(m, _mm_cmpeq_epi8(v, _mm_set1_epi8('\r')));
	m = _mm_or_si128(m, _mm_cmpeq_epi8(v, _mm_set1_epi8('"')));
	return (uint64_t)(unsigned)_mm_movemask_epi8(m);
}

static size_t
split_sse2(const char *p, size_t len, char delim, uint32_t *at)
{
	__m128i d = _mm_set1_epi8(delim);
	uint32_t *w = at;
	size_t i, k;

	for (i = 0; i + 64 <= len; i += 64) {
		uint64_t mask = 0;

		for (k = 0; k < 4; k++)
			mask |= mask16(_mm_loadu_si128((const __m128i *)
			    (const void *)(p + i + 16 * k)), d) << 16 * k;
		w = bits(w, mask, (uint32_t)i);
	}
	return (size_t)(tail(p, i, len, delim, w) - at);
}
#endif

#if defined(__aarch64__)
/* One bit per byte of V, from the lowest. */
static inline uint64_t
mask16(uint8x16_t v)
{
	static const uint8_t powers[16] = { 1, 2, 4, 8, 16, 32, 64, 128,
	    1, 2, 4, 8, 16, 32, 64, 128 };
	uint8x16_t m = vandq_u8(v, vld1q_u8(powers));

	return (uint64_t)vaddv_u8(vget_low_u8(m)) |
	    (uint64_t)vaddv_u8(vget_high_u8(m)) << 8;
}

static size_t
split_neon(const char *p, size_t len, char delim, uint32_t *at)
{
	uint8x16_t d = vdupq_n_u8((uint8_t)delim), v, m;
	uint32_t *w = at;
	size_t i, k;

	for (i = 0; i + 64 <= len; i += 64) {
		uint64_t mask = 0;

		for (k = 0; k < 4; k++) {
			v = vld1q_u8((const uint8_t *)p + i + 16 * k);
			m = vorrq_u8(vceqq_u8(v, d),
			    vceqq_u8(v, vdupq_n_u8('\n')));
			m = vorrq_u8(m, vceqq_u8(v, vdupq_n_u8('\r')));
			m = vorrq_u8(m, vceqq_u8(v, vdupq_n_u8('"')));
			mask |= mask16(m) << 16 * k;
		}
		w = bits(w, mask, (uint32_t)i);
	}
	return (size_t)(tail(p, i, len, delim, w) - at);
}
#endif

/* A high bit in every byte of V that is zero (no borrow runs over). */
static inline uint64_t
zeros(uint64_t v)
{
	uint64_t low = 0x7f7f7f7f7f7f7f7fu;

	return ~(((v & low) + low) | v | low);
}

static size_t
split_plain(const char *p, size_t len, char delim, uint32_t *at)
{
	const uint64_t ones = 0x0101010101010101u;
	uint64_t d = ones * (unsigned char)delim, v, m;
	uint32_t *w = at;
	size_t i, k;

	for (i = 0; i + 8 <= len; i += 8) {
		memcpy(&v, p + i, 8);
		m = zeros(v ^ d) | zeros(v ^ ones * '\n') |
		    zeros(v ^ ones * '\r') | zeros(v ^ ones * '"');
		/* any byte order: look where something is */
		for (k = 0; m && k < 8; k++)
			if (ends(p[i + k], delim))
				*w++ = (uint32_t)(i + k);
	}
	return (size_t)(tail(p, i, len, delim, w) - at);
}

static const struct way {
	const char *name;
	size_t (*split)(const char *p, size_t len, char delim, uint32_t *at);
} ways[] = {
#if defined(__x86_64__)
	{ "avx2", split_avx2 },
	{ "sse2", split_sse2 },
#elif defined(__aarch64__)
	{ "neon", split_neon },
#endif
	{ "plain", split_plain },
};

static const struct way *chosen;

static int
has(const struct way *way)
{
#if defined(__x86_64__)
	if (way->split == split_avx2)
		return __builtin_cpu_supports("avx2") &&
		    __builtin_cpu_supports("bmi");
#endif
	return way->split != NULL;
}

static const struct way *
way_here(void)
{
	const struct way *w = ways;

	while (!has(w))
		w++;
	return w;
}

size_t
tp_split(const char *p, size_t len, char delim, uint32_t *at)
{
	if (!chosen)
		chosen = way_here();
	return chosen->split(p, len, delim, at);
}

const char *
tp_split_way(void)
{
	if (!chosen)
		chosen = way_here();
	return chosen->name;
}

int
tp_split_use(const char *way)
{
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		if (strcmp(ways[i].name, way) || !has(&ways[i]))
			continue;
		chosen = &ways[i];
		return 0;
	}
	return -1;
}
