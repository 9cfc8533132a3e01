/*
 * json_plain - scan and copy JSON text eight or more bytes at a time; not
 * installed
 */
#ifndef TP_JSON_PLAIN_H
#define TP_JSON_PLAIN_H

#include <stdint.h>
#include <string.h>

#include "word.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/*
 * Nonzero when a byte of WORD is a control character, a quote or a
 * backslash; with ASCII also when one is DEL or above.
 */
static inline uint64_t
tp_json_unusual(uint64_t word, int ascii)
{
	uint64_t quote = word ^ TP_EACH('"'), back = word ^ TP_EACH('\\');
	uint64_t hit = ((word - TP_EACH(0x20)) & ~word) |
	    ((quote - TP_EACH(1)) & ~quote) | ((back - TP_EACH(1)) & ~back);

	if (ascii)
		hit |= word | (word + TP_EACH(1));
	return hit & TP_EACH(0x80);
}

#ifdef __SSE2__
/* All ones in each byte of X that must be escaped or is not ASCII. */
static inline __m128i
tp_json_odd16(__m128i x)
{
	return _mm_or_si128(_mm_or_si128(
	    _mm_cmplt_epi8(x, _mm_set1_epi8(0x20)),	/* signed */
	    _mm_cmpeq_epi8(x, _mm_set1_epi8(0x7f))), _mm_or_si128(
	    _mm_cmpeq_epi8(x, _mm_set1_epi8('"')),
	    _mm_cmpeq_epi8(x, _mm_set1_epi8('\\'))));
}

/* Copy four bytes and return them. */
static inline int
tp_copy4(char *to, const char *from)
{
	int w;

	memcpy(&w, from, 4);
	memcpy(to, &w, 4);
	return w;
}

/* Copy the 16 bytes at P and return tp_json_odd16() of them. */
static inline __m128i
tp_json_copy16(char *to, const char *p)
{
	__m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);

	_mm_storeu_si128((__m128i *)(void *)to, x);
	return tp_json_odd16(x);
}
#endif

/*
 * Copy up to eight bytes (eight are always stored).  Returns how many
 * precede the first that must be escaped.
 */
static inline size_t
tp_json_copy8(char *to, const char *p, size_t len)
{
	uint64_t word, hit;

	if (!len)
		return 0;
	len = len < 8 ? len : 8;
	word = tp_word(p, len);
	tp_store64(to, word);
	if (len < 8)	/* pad with spaces */
		word |= TP_EACH(' ') << 8 * len;
	hit = tp_json_unusual(word, 1);
	return hit ? (size_t)__builtin_ctzll(hit) / 8 : len;
}

/*
 * Copy the LEN bytes at P up to the first that must be escaped; returns
 * their number.  May store up to 15 bytes beyond.
 */
static inline size_t
tp_json_copy(char *to, const char *p, size_t len)
{
	size_t i = 0, n;

#ifdef __SSE2__
	for (; i + 16 <= len; i += 16) {
		unsigned odd = (unsigned)_mm_movemask_epi8(
		    tp_json_copy16(to + i, p + i));

		if (odd)
			return i + (size_t)__builtin_ctz(odd);
	}
#endif
	do {
		n = tp_json_copy8(to + i, p + i, len - i);
		i += n;
	} while (n == 8);
	return i;
}

/* As tp_copy_short(), returning 1 when no byte must be escaped, else 0. */
static inline int
tp_json_copy_plain(char *to, const char *p, size_t len)
{
#ifdef __SSE2__
	__m128i odd;
	size_t i, n, last;
	int words[4];

	if (len > 16) {
		odd = tp_json_copy16(to + len - 16, p + len - 16);
		for (i = 0; i + 16 < len; i += 16)
			odd = _mm_or_si128(odd,
			    tp_json_copy16(to + i, p + i));
		return !_mm_movemask_epi8(odd);
	}
	if (len >= 4) {
		/* four overlapping words cover any length */
		last = len - 4;
		i = last < 4 ? last : 4;
		n = last < 8 ? last : 8;
		words[0] = tp_copy4(to, p);
		words[1] = tp_copy4(to + i, p + i);
		words[2] = tp_copy4(to + n, p + n);
		words[3] = tp_copy4(to + last, p + last);
		odd = tp_json_odd16(_mm_setr_epi32(words[0], words[1],
		    words[2], words[3]));
		return !_mm_movemask_epi8(odd);
	}
	return tp_json_copy8(to, p, len) == len;
#else
	return tp_json_copy(to, p, len) == len;
#endif
}

#ifdef __SSE2__
/*
 * All ones in each byte of X that ends a string or needs a closer look:
 * quote, backslash, control character.
 */
static inline __m128i
tp_json_marked16(__m128i x)
{
	return _mm_or_si128(_mm_or_si128(
	    _mm_cmpeq_epi8(x, _mm_set1_epi8('"')),
	    _mm_cmpeq_epi8(x, _mm_set1_epi8('\\'))),
	    _mm_cmpeq_epi8(x, _mm_min_epu8(x, _mm_set1_epi8(0x1f))));
}
#endif

/*
 * The first quote, backslash or control character from P on, or END; *HIGH
 * becomes nonzero when a byte before it is not ASCII.
 */
static inline const char *
tp_json_run_high(const char *p, const char *end, uint64_t *high)
{
	uint64_t word, seen = 0;

#ifdef __SSE2__
	for (; end - p >= 16; p += 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
		unsigned bits = (unsigned)_mm_movemask_epi8(
		    tp_json_marked16(x));
		unsigned highs = (unsigned)_mm_movemask_epi8(x);

		if (bits) {
			*high |= seen | (highs & (bits ^ (bits - 1)));
			return p + __builtin_ctz(bits);
		}
		seen |= highs;
	}
#endif
	for (; end - p >= 8; p += 8) {
		memcpy(&word, p, 8);
		if (tp_json_unusual(word, 0))
			break;
		seen |= word & TP_EACH(0x80);
	}
	while (p < end && *p != '"' && *p != '\\' &&
	    (unsigned char)*p >= 0x20)
		seen |= *p++ & 0x80;
	*high |= seen;
	return p;
}

/*
 * The closing quote of the string at P, when it is within 16 bytes and
 * everything before it is plain ASCII; else NULL.
 */
static inline const char *
tp_json_short(const char *p, const char *end)
{
#ifdef __SSE2__
	if (end - p >= 16) {
		__m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
		__m128i odd = _mm_or_si128(_mm_cmpeq_epi8(x,
		    _mm_set1_epi8('\\')), _mm_cmplt_epi8(x,
		    _mm_set1_epi8(0x20)));	/* signed: beyond ASCII too */
		unsigned quotes = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x,
		    _mm_set1_epi8('"')));
		unsigned odds = (unsigned)_mm_movemask_epi8(odd);

		if (quotes && !(odds & (quotes ^ (quotes - 1))))
			return p + __builtin_ctz(quotes);
	}
#else
	(void)p;
	(void)end;
#endif
	return NULL;
}

static inline const char *
tp_json_run(const char *p, const char *end)
{
	uint64_t high = 0;

	return tp_json_run_high(p, end, &high);
}

#endif
