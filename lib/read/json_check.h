/*
 * json_check - whether text is JSON, to the letter of RFC 8259
 *
 * Takes the text piece by piece and looks at every byte: structure, numbers,
 * words, escapes, UTF-8.  Memory: the struct.  Not installed.
 */
#ifndef TP_READ_JSON_CHECK_H
#define TP_READ_JSON_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "json_skip.h"

struct tp_check {
	int state;		/* see json_check.c */
	int in_key;		/* the string is one */
	int count;		/* digits of \u, letters of a word still to
				 * come; bytes of a character */
	unsigned char low, high;	/* what its next byte may be */
	const char *word;	/* what is left of true, false, null */
	unsigned depth;
	uint64_t objects[TP_DEPTH_MAX / 64];
	const char *wrong;	/* what is, or NULL */
};

void tp_check_init(struct tp_check *check);
/* Go on with LEN bytes at P: how many are right; fewer than LEN when
 * check->wrong says what the next one is. */
size_t tp_check_run(struct tp_check *check, const char *p, size_t len);
/* Whether the text may end here; else check->wrong says why not. */
int tp_check_end(struct tp_check *check);

#endif
