/* split - positions of delimiters, quotes and line ends in a block */
#include <string.h>

#include "json_plain.h"
#include "split.h"
#include "vector.h"
#include "simd.h"

#define WIDTH 64	/* bytes examined together, one bit each */

/* Bit masks of 64 bytes. */
struct masks {
	uint64_t delim, quote, lf, cr;
};

/*
 * Functions of an instruction set: masks of 64 bytes; bytes a JSON string
 * cannot contain unescaped; prefix parity; storing the positions of the bits
 * of MASK, relative to BASE, at AT, returning the next free place.
 */
typedef struct masks masks_fn(const char *p, char delim);
typedef uint64_t marks_fn(const char *p);
typedef uint64_t parity_fn(uint64_t m);
typedef uint32_t *bits_fn(uint32_t *at, uint64_t mask, uint32_t base);

TP_ALWAYS uint32_t *
bits_plain(uint32_t *at, uint64_t mask, uint32_t base)
{
	while (mask) {
		*at++ = base + (uint32_t)__builtin_ctzll(mask);
		mask &= mask - 1;
	}
	return at;
}

/* The masks of the LEN bytes at P, at most WIDTH. */
TP_ALWAYS struct masks
look(masks_fn masks, const char *p, size_t len, char delim)
{
	char last[WIDTH];

	if (len >= WIDTH)
		return masks(p, delim);
	memset(last, 0, WIDTH);
	memcpy(last, p, len);
	return masks(last, delim);
}

TP_ALWAYS size_t
split_by(masks_fn masks, bits_fn bits, const char *p, size_t len,
    char delim, uint32_t *at)
{
	struct masks m;
	uint32_t *w = at;

	for (size_t i = 0; i < len; i += WIDTH) {
		m = look(masks, p + i, len - i, delim);
		w = bits(w, m.delim | m.quote | m.lf | m.cr, (uint32_t)i);
	}
	return (size_t)(w - at);
}

TP_ALWAYS size_t
marks_by(marks_fn marks, bits_fn bits, const char *p, size_t len,
    uint32_t *at)
{
	char last[WIDTH];
	uint32_t *w = at;
	size_t i;

	for (i = 0; i + WIDTH <= len; i += WIDTH)
		w = bits(w, marks(p + i), (uint32_t)i);
	if (i < len) {
		memset(last, ' ', WIDTH);
		memcpy(last, p + i, len - i);
		w = bits(w, marks(last), (uint32_t)i);
	}
	return (size_t)(w - at);
}

/* Bytes of a block of 64: inside quotes; delimiters and line ends; closing
 * quotes; CRs. */
struct seen {
	uint64_t in, edge, close, cr;
};

/* The bytes that follow one in M; BEFORE: the mask of the previous block. */
TP_ALWAYS uint64_t
behind(uint64_t m, uint64_t before)
{
	return m << 1 | before >> 63;
}

/* The bytes that need the slower reader; *SEP: those that end a field.  S is
 * the previous block and becomes this one. */
TP_ALWAYS uint64_t
check(parity_fn parity, const struct masks *m, struct seen *s, uint64_t *sep)
{
	uint64_t in = parity(m->quote) ^ (0 - (s->in >> 63));
	uint64_t edge = m->delim | m->lf | m->cr;
	uint64_t close = m->quote & ~in;
	uint64_t odd = ((m->lf | m->cr) & in) |
	    (m->quote & in & ~behind(edge, s->edge)) |
	    (behind(close, s->close) & ~edge) |
	    (behind(m->cr, s->cr) & ~m->lf);

	*sep = (m->delim | m->lf) & ~in;
	*s = (struct seen){ in, edge, close, m->cr };
	return odd;
}

/* Whether all ROWS rows at P have COLUMNS fields, of which COUNT end. */
TP_ALWAYS int
are_alike(const char *p, const uint32_t *at, size_t count, size_t rows,
    size_t columns)
{
	const uint32_t *end = at + columns - 1;

	if (rows > count / columns)
		return 0;
	for (; rows && p[*end] == '\n'; rows--)
		end += columns;
	return !rows;
}

TP_ALWAYS ptrdiff_t
rows_by(masks_fn masks, parity_fn parity, bits_fn bits, const char *p,
    size_t len, char delim, size_t columns, uint32_t *at)
{
	struct seen seen = { .edge = UINT64_MAX };
	size_t rows = 0, i = 0;
	uint64_t sep, odd;
	uint32_t *w = at;
	struct masks m;

	for (; i + WIDTH <= len; i += WIDTH) {
		m = masks(p + i, delim);
		if (check(parity, &m, &seen, &sep))
			return -1;
		rows += (size_t)__builtin_popcountll(m.lf);
		w = bits(w, sep, (uint32_t)i);
	}
	if (i < len) {
		m = look(masks, p + i, len - i, delim);
		odd = check(parity, &m, &seen, &sep);
		if (odd & ((UINT64_C(1) << (len - i)) - 1))
			return -1;
		rows += (size_t)__builtin_popcountll(m.lf);
		w = bits(w, sep, (uint32_t)i);
	}
	return are_alike(p, at, (size_t)(w - at), rows, columns) ?
	    (ptrdiff_t)rows : -1;
}

/*
 * Define all functions of one instruction set, from masks_NAME() and
 * marks_NAME().
 */
#define SIMD(name, target, parity, bits)				\
target static size_t							\
split_##name(const char *p, size_t len, char delim, uint32_t *at)	\
{									\
	return split_by(masks_##name, bits, p, len, delim, at);		\
}									\
target static ptrdiff_t							\
rows_##name(const char *p, size_t len, char delim, size_t columns,	\
    uint32_t *at)							\
{									\
	return rows_by(masks_##name, parity, bits, p, len, delim,	\
	    columns, at);						\
}									\
target static size_t							\
json_##name(const char *p, size_t len, uint32_t *at)			\
{									\
	return marks_by(marks_##name, bits, p, len, at);		\
}

#if defined(__x86_64__)
TP_AVX512 TP_ALWAYS struct masks
masks_avx512(const char *p, char delim)
{
	__m512i v = _mm512_loadu_si512(p);

	return (struct masks){
	    _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(delim)),
	    _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('"')),
	    _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('\n')),
	    _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('\r')) };
}

TP_AVX512 TP_ALWAYS uint64_t
marks_avx512(const char *p)
{
	__m512i v = _mm512_loadu_si512(p);

	return _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('"')) |
	    _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('\\')) |
	    _mm512_cmplt_epu8_mask(v, _mm512_set1_epi8(0x20));
}

/* Store the lowest 16 bytes of V as positions relative to BASE. */
TP_AVX512 TP_ALWAYS void
put16(uint32_t *at, __m128i v, uint32_t base)
{
	_mm512_storeu_si512(at, _mm512_add_epi32(_mm512_cvtepu8_epi32(v),
	    _mm512_set1_epi32((int)base)));
}

TP_AVX512 TP_ALWAYS uint32_t *
bits_avx512(uint32_t *at, uint64_t mask, uint32_t base)
{
	static const unsigned char numbers[WIDTH] = {
	    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
	    32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
	    48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63 };
	__m512i v = _mm512_maskz_compress_epi8(mask,
	    _mm512_loadu_si512(numbers));
	size_t n = (size_t)_mm_popcnt_u64(mask);

	put16(at, _mm512_castsi512_si128(v), base);
	if (n > 16) {
		put16(at + 16, _mm512_extracti32x4_epi32(v, 1), base);
		put16(at + 32, _mm512_extracti32x4_epi32(v, 2), base);
		put16(at + 48, _mm512_extracti32x4_epi32(v, 3), base);
	}
	return at + n;
}
SIMD(avx512, TP_AVX512, tp_parity_avx2, bits_avx512)

TP_AVX2 static inline struct masks
masks_avx2(const char *p, char delim)
{
	const __m256i *v = (const __m256i *)(const void *)p;
	__m256i low = _mm256_loadu_si256(v), high = _mm256_loadu_si256(v + 1);

	return (struct masks){ tp_equal_avx2(low, high, delim),
	    tp_equal_avx2(low, high, '"'),
	    tp_equal_avx2(low, high, '\n'),
	    tp_equal_avx2(low, high, '\r') };
}

TP_AVX2 TP_ALWAYS __m256i
marked_avx2(__m256i v)
{
	return _mm256_or_si256(_mm256_or_si256(
	    _mm256_cmpeq_epi8(v, _mm256_set1_epi8('"')),
	    _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\\'))),
	    _mm256_cmpeq_epi8(v, _mm256_min_epu8(v,
	    _mm256_set1_epi8(0x1f))));
}

TP_AVX2 TP_ALWAYS uint64_t
marks_avx2(const char *p)
{
	const __m256i *v = (const __m256i *)(const void *)p;

	return (uint32_t)_mm256_movemask_epi8(marked_avx2(
	    _mm256_loadu_si256(v))) | (uint64_t)(uint32_t)
	    _mm256_movemask_epi8(marked_avx2(_mm256_loadu_si256(v + 1))) <<
	    32;
}
SIMD(avx2, TP_AVX2, tp_parity_avx2, bits_plain)

static inline uint64_t
equal_sse2(const __m128i v[4], char c)
{
	uint64_t mask = 0;

	for (int k = 0; k < 4; k++)
		mask |= (uint64_t)(unsigned)_mm_movemask_epi8(
		    _mm_cmpeq_epi8(v[k], _mm_set1_epi8(c))) << 16 * k;
	return mask;
}

static inline struct masks
masks_sse2(const char *p, char delim)
{
	__m128i v[4];

	for (int k = 0; k < 4; k++)
		v[k] = _mm_loadu_si128((const __m128i *)(const void *)p + k);
	return (struct masks){ equal_sse2(v, delim), equal_sse2(v, '"'),
	    equal_sse2(v, '\n'), equal_sse2(v, '\r') };
}

static inline uint64_t
marks_sse2(const char *p)
{
	uint64_t mask = 0;

	for (int k = 0; k < 4; k++) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p +
		    k);

		mask |= (uint64_t)(unsigned)_mm_movemask_epi8(
		    tp_json_marked16(v)) << 16 * k;
	}
	return mask;
}
SIMD(sse2, , tp_parity, bits_plain)
#endif

#if defined(__aarch64__)
/* One bit per byte that equals C, lowest first. */
static inline uint64_t
equal_neon(const uint8x16_t v[4], char c)
{
	uint8x16_t x = vdupq_n_u8((uint8_t)c);
	uint64_t mask = 0;

	for (int k = 0; k < 4; k++)
		mask |= tp_mask_neon(vceqq_u8(v[k], x)) << 16 * k;
	return mask;
}

static inline struct masks
masks_neon(const char *p, char delim)
{
	uint8x16_t v[4];

	for (int k = 0; k < 4; k++)
		v[k] = vld1q_u8((const uint8_t *)p + 16 * k);
	return (struct masks){ equal_neon(v, delim), equal_neon(v, '"'),
	    equal_neon(v, '\n'), equal_neon(v, '\r') };
}

static inline uint64_t
marks_neon(const char *p)
{
	uint64_t mask = 0;

	for (int k = 0; k < 4; k++) {
		uint8x16_t v = vld1q_u8((const uint8_t *)p + 16 * k);

		mask |= tp_mask_neon(vorrq_u8(vorrq_u8(
		    vceqq_u8(v, vdupq_n_u8('"')),
		    vceqq_u8(v, vdupq_n_u8('\\'))),
		    vcltq_u8(v, vdupq_n_u8(0x20)))) << 16 * k;
	}
	return mask;
}
SIMD(neon, , tp_parity, bits_plain)
#endif

/* One bit per byte of the word W that equals C, lowest first. */
static inline uint64_t
equal_plain(uint64_t w, char c)
{
	const uint64_t low = TP_EACH(0x7f);

	w ^= TP_EACH((unsigned char)c);
	/* a high bit for every zero byte, without borrows across bytes */
	w = ~(((w & low) + low) | w | low);
	return (w >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

static inline struct masks
masks_plain(const char *p, char delim)
{
	struct masks m = { 0 };
	uint64_t w;

	for (int k = 0; k < 8; k++) {
		w = tp_load64(p + 8 * k);
		m.delim |= equal_plain(w, delim) << 8 * k;
		m.quote |= equal_plain(w, '"') << 8 * k;
		m.lf |= equal_plain(w, '\n') << 8 * k;
		m.cr |= equal_plain(w, '\r') << 8 * k;
	}
	return m;
}

static inline uint64_t
marks_plain(const char *p)
{
	uint64_t mask = 0, w;

	for (int k = 0; k < 8; k++) {
		w = tp_load64(p + 8 * k);
		/* control characters have none of the three high bits */
		mask |= (equal_plain(w, '"') | equal_plain(w, '\\') |
		    equal_plain(w & TP_EACH(0xe0), 0)) << 8 * k;
	}
	return mask;
}
SIMD(plain, , tp_parity, bits_plain)

static const struct {
	size_t (*split)(const char *p, size_t len, char delim, uint32_t *at);
	ptrdiff_t (*rows)(const char *p, size_t len, char delim,
	    size_t columns, uint32_t *at);
	size_t (*json)(const char *p, size_t len, uint32_t *at);
} splitters[TP_SIMDS] = {
	[TP_SIMD_PLAIN] = { split_plain, rows_plain, json_plain },
#if defined(__x86_64__)
	[TP_SIMD_SSE2] = { split_sse2, rows_sse2, json_sse2 },
	[TP_SIMD_AVX2] = { split_avx2, rows_avx2, json_avx2 },
	[TP_SIMD_AVX512] = { split_avx512, rows_avx512, json_avx512 },
#elif defined(__aarch64__)
	[TP_SIMD_NEON] = { split_neon, rows_neon, json_neon },
#endif
};

size_t
tp_split(const char *p, size_t len, char delim, uint32_t *at)
{
	return splitters[tp_simd_used()].split(p, len, delim, at);
}

ptrdiff_t
tp_split_rows(const char *p, size_t len, char delim, size_t columns,
    uint32_t *at)
{
	return splitters[tp_simd_used()].rows(p, len, delim, columns, at);
}

size_t
tp_split_json(const char *p, size_t len, uint32_t *at)
{
	return splitters[tp_simd_used()].json(p, len, at);
}
