/* json_skip - find the end of an object or array with vector instructions */
#include <string.h>

#include "events.h"
#include "json_simd.h"
#include "vector.h"

/* Bit masks of 64 bytes. */
struct masks {
	uint64_t quotes, backslashes, brackets, opens, controls;
};

/* Bytes that follow an odd run of backslashes. */
TP_ALWAYS uint64_t
find_escaped(uint64_t back, uint64_t *carry)
{
	const uint64_t even = 0x5555555555555555u;
	uint64_t follows, starts, runs, was = *carry;

	if (!back) {
		*carry = 0;
		return was;
	}
	back &= ~was;
	follows = back << 1 | was;
	starts = back & ~even & ~follows;
	*carry = __builtin_add_overflow(starts, back, &runs);
	return (even ^ runs << 1) & follows;
}

const char tp_json_too_deep[] = "nested too deeply";

int
tp_json_wrong(struct tp_err *err, const char *code, uint64_t line,
    const char *wrong)
{
	if (wrong == tp_json_too_deep)
		return tp_limit_depth(err, line, "objects and lists");
	return tp_fail(err, TP_BAD, code, line, "not JSON: %s", wrong);
}

/*
 * Process the brackets in 64 bytes: the offset past the one that closed the
 * value or is wrong, else 64.
 */
TP_ALWAYS size_t
nest(struct tp_skip *s, const char *p, uint64_t brackets, uint64_t opens)
{
	unsigned depth = s->depth, i, object;
	unsigned limit = (unsigned)tp_limits.depth;
	uint64_t objects = s->objects;
	size_t used = 64;

	for (; brackets; brackets &= brackets - 1) {
		i = (unsigned)__builtin_ctzll(brackets);
		object = p[i] >> 5 & 1;
		if (opens >> i & 1) {
			if (depth >= limit) {
				s->wrong = tp_json_too_deep;
				used = i + 1;
				break;
			}
			if (depth % 64 == 0)
				s->above[depth / 64] = objects;
			objects = objects << 1 | object;
			depth++;
			continue;
		}
		object ^= (unsigned)objects & 1;
		if (object | !--depth) {
			if (object)
				s->wrong = "a bracket closes what another "
				    "opened";
			used = i + 1;
			break;
		}
		objects = depth % 64 ? objects >> 1 : s->above[depth / 64];
	}
	s->depth = depth;
	s->objects = objects;
	return used;
}

static void
check_blanks(struct tp_skip *s, const char *p, uint64_t controls)
{
	for (; controls; controls &= controls - 1) {
		char c = p[__builtin_ctzll(controls)];

		if (c != '\n' && c != '\t' && c != '\r' && !s->wrong)
			s->wrong = "a control character outside of strings";
	}
}

/* Process 64 bytes; returns 64, or fewer when the value ended or is invalid. */
TP_ALWAYS size_t
block(struct tp_skip *s, const char *p, const struct masks *m,
    uint64_t inside)
{
	size_t used = nest(s, p, m->brackets & ~inside, m->opens);
	uint64_t upto = ~(uint64_t)0 >> (64 - used);

	if (m->controls & upto) {
		s->controls += (uint64_t)__builtin_popcountll(m->controls &
		    inside & upto);
		check_blanks(s, p, m->controls & ~inside & upto);
	}
	s->in_string = (uint64_t)((int64_t)inside >> 63);
	return used;
}

TP_ALWAYS size_t
step(struct tp_skip *s, const char *p, const struct masks *m)
{
	uint64_t quotes = m->quotes & ~find_escaped(m->backslashes,
	    &s->escaped);

	return block(s, p, m, tp_parity(quotes) ^ s->in_string);
}

/* Process the last LEN bytes, padded with blanks. */
static size_t
tail(struct tp_skip *s, const char *p, size_t len, const struct masks *m)
{
	uint64_t escaped = find_escaped(m->backslashes, &s->escaped);
	uint64_t inside = tp_parity(m->quotes & ~escaped) ^ s->in_string;
	size_t n = block(s, p, m, inside);

	/* undo the effect of the padding */
	s->in_string = inside >> (len - 1) & 1 ? ~(uint64_t)0 : 0;
	s->escaped = escaped >> len & 1;
	return n < len ? n : len;
}

/* Loop over whole blocks; the last one is a padded copy. */
#define RUN(MASKS, STEP)						\
	struct masks m;							\
	char last[64];							\
	size_t i = 0, n;						\
									\
	for (; i + 64 <= len; i += 64) {				\
		MASKS(p + i, &m);					\
		n = STEP(s, p + i, &m);					\
		if (n < 64 || !s->depth || s->wrong)			\
			return i + n;					\
	}								\
	if (i == len)							\
		return len;						\
	memset(last, ' ', sizeof last);					\
	memcpy(last, p + i, len - i);					\
	MASKS(last, &m);						\
	return i + tail(s, last, len - i, &m)

TP_ALWAYS void
masks_plain(const char *p, struct masks *m)
{
	memset(m, 0, sizeof *m);
	for (unsigned i = 0; i < 64; i++) {
		uint64_t bit = (uint64_t)1 << i;
		char c = p[i];

		if (c == '"')
			m->quotes |= bit;
		else if (c == '\\')
			m->backslashes |= bit;
		else if (c == '{' || c == '}' || c == '[' || c == ']')
			m->brackets |= bit;
		else if ((unsigned char)c < 0x20)
			m->controls |= bit;
		if (c == '{' || c == '[')
			m->opens |= bit;
	}
}

size_t
tp_skip_plain(struct tp_skip *s, const char *p, size_t len)
{
	RUN(masks_plain, step);
}

#if defined(__x86_64__)
TP_AVX2 TP_ALWAYS void
masks_avx2(const char *p, struct masks *m)
{
	__m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p);
	__m256i b = _mm256_loadu_si256((const __m256i *)(const void *)
	    (p + 32));
	__m256i bit = _mm256_set1_epi8(0x20), top = _mm256_set1_epi8(0x1f);
	__m256i al = _mm256_or_si256(a, bit), bl = _mm256_or_si256(b, bit);

	m->quotes = tp_equal_avx2(a, b, '"');
	m->backslashes = tp_equal_avx2(a, b, '\\');
	/* [ and ] become { and } */
	m->opens = tp_equal_avx2(al, bl, '{');
	m->brackets = m->opens | tp_equal_avx2(al, bl, '}');
	m->controls = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a,
	    _mm256_min_epu8(a, top))) | (uint64_t)(uint32_t)
	    _mm256_movemask_epi8(_mm256_cmpeq_epi8(b,
	    _mm256_min_epu8(b, top))) << 32;
}

TP_AVX2 TP_ALWAYS size_t
step_avx2(struct tp_skip *s, const char *p, const struct masks *m)
{
	uint64_t quotes = m->quotes & ~find_escaped(m->backslashes,
	    &s->escaped);

	return block(s, p, m, tp_parity_avx2(quotes) ^ s->in_string);
}

TP_AVX2 size_t
tp_skip_avx2(struct tp_skip *s, const char *p, size_t len)
{
	RUN(masks_avx2, step_avx2);
}

TP_ALWAYS void
masks_sse2(const char *p, struct masks *m)
{
	__m128i bit = _mm_set1_epi8(0x20), top = _mm_set1_epi8(0x1f);

	memset(m, 0, sizeof *m);
	for (unsigned i = 0; i < 64; i += 16) {
		__m128i a = _mm_loadu_si128((const __m128i *)(const void *)
		    (p + i)), l = _mm_or_si128(a, bit);

#define MASK16(V) ((uint64_t)(unsigned)_mm_movemask_epi8(V) << i)
		m->quotes |= MASK16(_mm_cmpeq_epi8(a, _mm_set1_epi8('"')));
		m->backslashes |= MASK16(_mm_cmpeq_epi8(a,
		    _mm_set1_epi8('\\')));
		m->opens |= MASK16(_mm_cmpeq_epi8(l, _mm_set1_epi8('{')));
		m->brackets |= MASK16(_mm_cmpeq_epi8(l, _mm_set1_epi8('}')));
		m->controls |= MASK16(_mm_cmpeq_epi8(a, _mm_min_epu8(a, top)));
#undef MASK16
	}
	m->brackets |= m->opens;
}

size_t
tp_skip_sse2(struct tp_skip *s, const char *p, size_t len)
{
	RUN(masks_sse2, step);
}
#elif defined(__aarch64__)
TP_ALWAYS void
masks_neon(const char *p, struct masks *m)
{
	memset(m, 0, sizeof *m);
	for (unsigned i = 0; i < 64; i += 16) {
		uint8x16_t a = vld1q_u8((const uint8_t *)p + i);
		uint8x16_t l = vorrq_u8(a, vdupq_n_u8(0x20));

		m->quotes |= tp_mask_neon(vceqq_u8(a, vdupq_n_u8('"'))) << i;
		m->backslashes |= tp_mask_neon(vceqq_u8(a,
		    vdupq_n_u8('\\'))) << i;
		m->opens |= tp_mask_neon(vceqq_u8(l, vdupq_n_u8('{'))) << i;
		m->brackets |= tp_mask_neon(vceqq_u8(l,
		    vdupq_n_u8('}'))) << i;
		m->controls |= tp_mask_neon(vcltq_u8(a, vdupq_n_u8(0x20))) << i;
	}
	m->brackets |= m->opens;
}

size_t
tp_skip_neon(struct tp_skip *s, const char *p, size_t len)
{
	RUN(masks_neon, step);
}
#endif

size_t
tp_skip_run(struct tp_skip *s, const char *p, size_t len)
{
	return tp_json_simd_used()->skip(s, p, len);
}
