/*
 * json_plain - runs of text that JSON prints as they are, eight bytes at a
 * time; not installed
 */
#ifndef TP_JSON_PLAIN_H
#define TP_JSON_PLAIN_H

#include <stdint.h>
#include <string.h>

#define TP_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/*
 * Not 0 when a byte of WORD is a control character, a quote or a backslash,
 * with ASCII also when one is DEL or beyond.
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

/* The first quote, backslash or control character from P on, or END. */
static inline const char *
tp_json_run(const char *p, const char *end)
{
	uint64_t word;

	for (; end - p >= 8; p += 8) {
		memcpy(&word, p, 8);
		if (tp_json_unusual(word, 0))
			break;
	}
	while (p < end && *p != '"' && *p != '\\' &&
	    (unsigned char)*p >= 0x20)
		p++;
	return p;
}

#endif
