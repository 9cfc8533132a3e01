/*
 * word - short strings as words, and decimal digits eight at a time; not
 * installed
 */
#ifndef TP_WORD_H
#define TP_WORD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TP_ALWAYS static inline __attribute__((always_inline))
#define TP_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

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
tp_store64(void *p, uint64_t w)
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
tp_load16(const char *p)
{
	uint16_t w;

	memcpy(&w, p, 2);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	w = __builtin_bswap16(w);
#endif
	return w;
}

static inline uint64_t
tp_load8(const char *p)
{
	return (unsigned char)*p;
}

/*
 * Load the LEN (1 to 8) bytes at P, first byte lowest, without reading
 * beyond them: overlapping loads agree on the bytes they share.
 */
static inline uint64_t
tp_word(const char *p, size_t len)
{
	size_t mid = len / 2, last = len - 1;

	if (len >= 4)
		return tp_load32(p) | tp_load32(p + len - 4) << 8 * (len - 4);
	return tp_load8(p) | tp_load8(p + mid) << 8 * mid |
	    tp_load8(p + last) << 8 * last;
}

/* The same of bytes that others follow: 8 may be read. */
static inline uint64_t
tp_load_bytes(const void *p, size_t len)
{
	return tp_load64(p) & UINT64_MAX >> (64 - 8 * len);
}

/* What a copy or digits may store behind their end. */
#define TP_SLACK 16

/* memcpy() of texts that are mostly short, which may store TP_SLACK bytes
 * behind the LEN. */
static inline void
tp_copy_short(char *to, const char *from, size_t len)
{
	if (len > 16) {
		for (size_t i = 0; i + 16 < len; i += 16)
			memcpy(to + i, from + i, 16);
		memcpy(to + len - 16, from + len - 16, 16);
	} else if (len >= 8) {
		memcpy(to, from, 8);
		memcpy(to + len - 8, from + len - 8, 8);
	} else if (len) {
		tp_store64(to, tp_word(from, len));
	}
}

/* memcmp() == 0 for mostly short strings. */
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

/*
 * A slot number below SLOTS (a power of two) for a string.  Not a hash:
 * collisions are harmless and only cost a lookup elsewhere.
 */
static inline size_t
tp_guess(const char *p, size_t len, uint64_t more, size_t slots)
{
	uint64_t w = len > 8 ? tp_load64(p) + tp_load64(p + len - 8) :
	    len ? tp_word(p, len) : 0;

	return (size_t)((w + len + more) * UINT64_C(0x9e3779b97f4a7c15) >>
	    32) & (slots - 1);
}

/*
 * High bit set in each byte of W that is no digit; only the lowest such bit
 * is reliable.
 */
static inline uint64_t
tp_no_digits(uint64_t w)
{
	w ^= TP_EACH('0');
	return (w | (w + TP_EACH(0x80 - 10))) & TP_EACH(0x80);
}

/* Value of the eight digits in W. */
static inline uint64_t
tp_number8(uint64_t w)
{
	/* combine to pairs, fours, eight, in parallel */
	w = (w ^ TP_EACH('0')) * (10 * 256 + 1) >> 8;
	w = (w & UINT64_C(0x00ff00ff00ff00ff)) * (100 * 65536 + 1) >> 16;
	return (w & UINT64_C(0x0000ffff0000ffff)) *
	    (10000 * (UINT64_C(1) << 32) + 1) >> 32;
}

/*
 * The end of the digits from P on; *N is their value if there are at most
 * 18.
 */
static inline const char *
tp_digits_from(const char *p, const char *end, uint64_t *n)
{
	static const uint32_t powers[] = { 1, 10, 100, 1000, 10000, 100000,
	    1000000, 10000000 };
	uint64_t u = 0, w, other;
	unsigned d, k;

	for (; end - p >= 8; p += 8) {
		w = tp_load64(p);
		other = tp_no_digits(w);
		if (other) {
			k = (unsigned)__builtin_ctzll(other) / 8;
			w = (w ^ TP_EACH('0')) << (56 - 8 * k) << 8;
			*n = u * powers[k] + tp_number8(w ^ TP_EACH('0'));
			return p + k;
		}
		u = u * 100000000 + tp_number8(w);
	}
	for (; p < end && (d = (unsigned)*p - '0') <= 9; p++)
		u = u * 10 + d;
	*n = u;
	return p;
}

/*
 * Value of the LEN (1 to 8) digits at P; returns 0 when they are not digits.
 * BEFORE: the eight bytes before P are readable, which avoids branches on
 * LEN.
 */
static inline int
tp_digits8(const char *p, size_t len, int before, uint64_t *n)
{
	uint64_t w = before ? tp_load64(p + len - 8) >> (64 - 8 * len) :
	    tp_word(p, len);

	/* pad with leading zeros */
	w = (w ^ TP_EACH('0') >> (64 - 8 * len)) << (64 - 8 * len);
	w ^= TP_EACH('0');
	if (tp_no_digits(w))
		return 0;
	*n = tp_number8(w);
	return 1;
}

/*
 * Value of the LEN digits at P; 0 when they are not digits, or more than 16.
 * BEFORE as in tp_digits8().
 */
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

/* Number of digits of U < 10^8. */
static inline unsigned
tp_digit_count(uint32_t u)
{
	/*
	 * numbers of this bit length have N digits, or one more from LIMIT on,
	 * which carries over in the sum
	 */
#define TP_BITS(n, limit) ((UINT64_C(n) << 32) + (UINT64_C(1) << 32) - limit)
	static const uint64_t bits[] = { TP_BITS(1, 10), TP_BITS(1, 10),
	    TP_BITS(1, 10), TP_BITS(1, 10), TP_BITS(2, 100), TP_BITS(2, 100),
	    TP_BITS(2, 100), TP_BITS(3, 1000), TP_BITS(3, 1000),
	    TP_BITS(3, 1000), TP_BITS(4, 10000), TP_BITS(4, 10000),
	    TP_BITS(4, 10000), TP_BITS(4, 10000), TP_BITS(5, 100000),
	    TP_BITS(5, 100000), TP_BITS(5, 100000), TP_BITS(6, 1000000),
	    TP_BITS(6, 1000000), TP_BITS(6, 1000000), TP_BITS(7, 10000000),
	    TP_BITS(7, 10000000), TP_BITS(7, 10000000), TP_BITS(7, 10000000),
	    TP_BITS(8, 100000000), TP_BITS(8, 100000000),
	    TP_BITS(8, 100000000) };
#undef TP_BITS

	return (unsigned)((u + bits[31 - __builtin_clz(u | 1)]) >> 32);
}

/* The eight digits of U < 10^8 as byte values, first digit lowest. */
static inline uint64_t
tp_split8(uint32_t u)
{
	uint64_t w = u / 10000 | (uint64_t)(u % 10000) << 32, q;

	/*
	 * split into fours, pairs, digits; the multiplications divide by 100
	 * and by 10
	 */
	q = (w * 5243 >> 19) & UINT64_C(0x0000007f0000007f);
	w = q | (w - q * 100) << 16;
	q = (w * 103 >> 10) & UINT64_C(0x000f000f000f000f);
	return q | (w - q * 10) << 8;
}

/* The two digits of U < 100, first digit lowest. */
static inline uint32_t
tp_pair(uint32_t u)
{
	static const char pairs[] =
	    "00010203040506070809101112131415161718192021222324"
	    "25262728293031323334353637383940414243444546474849"
	    "50515253545556575859606162636465666768697071727374"
	    "75767778798081828384858687888990919293949596979899";

	return (uint32_t)tp_load16(pairs + 2 * u);
}

/*
 * Write the digits of U < 10^8 to W; returns their end.  Leading zeros are
 * shifted out, so there is no branch on the number of digits.
 */
static inline char *
tp_put_digits8(char *w, uint32_t u)
{
	unsigned n = tp_digit_count(u);

	if (u < 10000)
		tp_store64(w, (tp_pair(u / 100) | tp_pair(u % 100) << 16) >>
		    (32 - 8 * n));
	else
		tp_store64(w, (tp_split8(u) | TP_EACH('0')) >> (64 - 8 * n));
	return w + n;
}

/*
 * Write the digits of U to W; returns their end.  May write TP_SLACK bytes
 * past it.
 */
static inline char *
tp_put_digits(char *w, uint64_t u)
{
	const uint64_t half = 100000000;

	if (u < half)
		return tp_put_digits8(w, (uint32_t)u);
	if (u / half < half) {
		w = tp_put_digits8(w, (uint32_t)(u / half));
	} else {
		w = tp_put_digits8(w, (uint32_t)(u / half / half));
		tp_store64(w, tp_split8((uint32_t)(u / half % half)) |
		    TP_EACH('0'));
		w += 8;
	}
	tp_store64(w, tp_split8((uint32_t)(u % half)) | TP_EACH('0'));
	return w + 8;
}

#endif
