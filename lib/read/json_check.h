/*
 * json_check - strict validator for JSON (RFC 8259)
 *
 * Takes the text piece by piece and checks every byte: structure, numbers,
 * words, escapes, UTF-8.  Memory: the struct.  Not installed.
 */
#ifndef TP_READ_JSON_CHECK_H
#define TP_READ_JSON_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "json_skip.h"

struct tp_check {
	int state;		/* see json_check.c */
	int in_key;		/* the string is a key */
	int count;		/* remaining digits of \u, letters of a word, or
				 * bytes of a character */
	unsigned char low, high;	/* range of its next byte */
	const char *word;	/* rest of true, false, null */
	unsigned depth;
	uint64_t objects[TP_DEPTH_MAX / 64];
	const char *wrong;	/* the error, or NULL */
};

void tp_check_init(struct tp_check *check);
/*
 * Check the next LEN bytes at P.  Returns how many are valid; fewer than LEN
 * when check->wrong describes the next one.
 */
size_t tp_check_run(struct tp_check *check, const char *p, size_t len);
/* Whether the text may end here; else check->wrong says why not. */
int tp_check_end(struct tp_check *check);

#endif
