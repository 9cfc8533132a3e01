/*
 * word - short texts as words, decimal digits eight at a time; not installed
 */
#ifndef TP_WORD_H
#define TP_WORD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t
tp_load64(const char *p)
{
	uint64_t w;

	memcpy(&w, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	return w;
}

static inline void
tp_store64(unsigned char *p, uint64_t w)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	memcpy(p, &w, 8);
}

static inline uint64_t
tp_load32(const char *p)
{
	uint32_t w;

	memcpy(&w, p, 4);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap32(w);
#endif
	return w;
}

static inline uint64_t
tp_load8(const char *p)
{
	return (unsigned char)*p;
}

/*
 * The LEN (1 to 8) bytes at P, the first lowest, and no byte beyond them:
 * loads that overlap say the same of the bytes they share.
 */
static inline uint64_t
tp_word(const char *p, size_t len)
{
	size_t mid = len / 2, last = len - 1;

	if (len == 8)
		return tp_load64(p);
	if (len >= 4)
		return tp_load32(p) | tp_load32(p + len - 4) << 8 * (len - 4);
	return tp_load8(p) | tp_load8(p + mid) << 8 * mid |
	    tp_load8(p + last) << 8 * last;
}

/* memcmp() == 0 for texts that are mostly short. */
static inline int
tp_same_bytes(const char *a, const char *b, size_t len)
{
	size_t i;

	if (len <= 8)
		return !len || tp_word(a, len) == tp_word(b, len);
	for (i = 0; i + 8 < len; i += 8)
		if (tp_load64(a + i) != tp_load64(b + i))
			return 0;
	return tp_load64(a + len - 8) == tp_load64(b + len - 8);
}

/* One of SLOTS (a power of two) for a text: no hash, a guess whose error
 * costs a look elsewhere. */
static inline size_t
tp_guess(const char *p, size_t len, uint64_t more, size_t slots)
{
	uint64_t w = len > 8 ? tp_load64(p) + tp_load64(p + len - 8) :
	    len ? tp_word(p, len) : 0;

	return (size_t)((w + len + more) * UINT64_C(0x9e3779b97f4a7c15) >>
	    32) & (slots - 1);
}

/*
 * The number that the LEN (1 to 8) digits at P are; 0: they are none.
 * BEFORE: the eight bytes in front of P may be read, which spares guesses
 * about LEN.
 */
static inline int
tp_digits8(const char *p, size_t len, int before, uint64_t *n)
{
	const uint64_t each = UINT64_C(0x0101010101010101);
	uint64_t w = before ? tp_load64(p + len - 8) >> (64 - 8 * len) :
	    tp_word(p, len);

	/* what lacks in front is 0 */
	w = (w ^ each * '0' >> (64 - 8 * len)) << (64 - 8 * len);
	if ((w | (w + each * (0x80 - 10))) & each * 0x80)
		return 0;
	/* pairs, then fours, then all eight, each beside the other */
	w = w * (10 * 256 + 1) >> 8;
	w = (w & UINT64_C(0x00ff00ff00ff00ff)) * (100 * 65536 + 1) >> 16;
	*n = (w & UINT64_C(0x0000ffff0000ffff)) *
	    (10000 * (UINT64_C(1) << 32) + 1) >> 32;
	return 1;
}

/* The number that the LEN digits at P are; 0: they are none, or more than
 * 16.  BEFORE as above. */
static inline int
tp_digits(const char *p, size_t len, int before, uint64_t *n)
{
	uint64_t head;

	if (len - 1 < 8)
		return tp_digits8(p, len, before, n);
	if (len - 1 >= 16 || !tp_digits8(p, len - 8, before, &head) ||
	    !tp_digits8(p + len - 8, 8, before, n))
		return 0;
	*n += head * 100000000;
	return 1;
}

#endif
