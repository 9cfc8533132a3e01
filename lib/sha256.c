/* sha256 - SHA-256 with the instructions that x86 has for it */
#include <string.h>

#include "sha256.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>

#define SHA __attribute__((target("sha,sse4.1")))

static const uint32_t constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5,
	0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc,
	0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
	0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5,
	0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

int
tp_sha256_ready(void)
{
	unsigned a, b, c, d;

	return __builtin_cpu_supports("sse4.1") &&
	    __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

/* The state as the instructions want it: A B E F and C D G H, A highest. */
struct halves {
	__m128i abef, cdgh;
};

/* Four rounds with the words W. */
SHA static inline void
rounds(struct halves *h, __m128i w, const uint32_t *k)
{
	w = _mm_add_epi32(w, _mm_loadu_si128((const __m128i *)k));
	h->cdgh = _mm_sha256rnds2_epu32(h->cdgh, h->abef, w);
	w = _mm_shuffle_epi32(w, 0x0e);
	h->abef = _mm_sha256rnds2_epu32(h->abef, h->cdgh, w);
}

/* The four words that follow these sixteen. */
SHA static inline __m128i
words(__m128i w0, __m128i w4, __m128i w8, __m128i w12)
{
	__m128i w = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w4),
	    _mm_alignr_epi8(w12, w8, 4));

	return _mm_sha256msg2_epu32(w, w12);
}

SHA static inline __m128i
load(const unsigned char *p)
{
	const __m128i turn = _mm_set_epi64x(0x0c0d0e0f08090a0b,
	    0x0405060700010203);

	return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)p), turn);
}

SHA static void
add_blocks(uint32_t state[8], const unsigned char *p, size_t count)
{
	__m128i dcba = _mm_loadu_si128((const __m128i *)state);
	__m128i hgfe = _mm_loadu_si128((const __m128i *)(state + 4));
	__m128i cdab = _mm_shuffle_epi32(dcba, 0xb1);
	__m128i efgh = _mm_shuffle_epi32(hgfe, 0x1b);
	struct halves h = { _mm_alignr_epi8(cdab, efgh, 8),
	    _mm_blend_epi16(efgh, cdab, 0xf0) }, before;

	for (; count; count--, p += 64) {
		__m128i w0 = load(p), w4 = load(p + 16), w8 = load(p + 32),
		    w12 = load(p + 48);

		before = h;
		for (const uint32_t *k = constants; ; k += 16) {
			rounds(&h, w0, k);
			rounds(&h, w4, k + 4);
			rounds(&h, w8, k + 8);
			rounds(&h, w12, k + 12);
			if (k == constants + 48)
				break;
			w0 = words(w0, w4, w8, w12);
			w4 = words(w4, w8, w12, w0);
			w8 = words(w8, w12, w0, w4);
			w12 = words(w12, w0, w4, w8);
		}
		h.abef = _mm_add_epi32(h.abef, before.abef);
		h.cdgh = _mm_add_epi32(h.cdgh, before.cdgh);
	}
	cdab = _mm_shuffle_epi32(h.abef, 0x1b);		/* F E B A */
	efgh = _mm_shuffle_epi32(h.cdgh, 0xb1);		/* D C H G */
	_mm_storeu_si128((__m128i *)state, _mm_blend_epi16(cdab, efgh, 0xf0));
	_mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(efgh, cdab,
	    8));
}

#else

int
tp_sha256_ready(void)
{
	return 0;
}

static void
add_blocks(uint32_t state[8], const unsigned char *p, size_t count)
{
	(void)state, (void)p, (void)count;
}

#endif

void
tp_sha256_init(struct tp_sha256 *sha)
{
	static const uint32_t start[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372,
	    0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

	memcpy(sha->state, start, sizeof start);
	sha->bytes = 0;
}

void
tp_sha256_add(struct tp_sha256 *sha, const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	size_t had = sha->bytes % 64, n;

	sha->bytes += len;
	if (had) {
		n = len < 64 - had ? len : 64 - had;
		memcpy(sha->tail + had, p, n);
		p += n;
		len -= n;
		if (had + n < 64)
			return;
		add_blocks(sha->state, sha->tail, 1);
	}
	add_blocks(sha->state, p, len / 64);
	memcpy(sha->tail, p + len / 64 * 64, len % 64);
}

void
tp_sha256_end(struct tp_sha256 *sha, unsigned char digest[32])
{
	uint64_t bits = sha->bytes * 8;
	unsigned char pad[72] = { 0x80 };
	size_t n = 64 - (sha->bytes + 8) % 64;	/* at least the one bit */

	for (int i = 0; i < 8; i++)
		pad[n + (size_t)i] = (unsigned char)(bits >> (56 - 8 * i));
	tp_sha256_add(sha, pad, n + 8);
	for (int i = 0; i < 32; i++)
		digest[i] = (unsigned char)(sha->state[i / 4] >>
		    (24 - i % 4 * 8));
}
