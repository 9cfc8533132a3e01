/*
 * json_skip - where an object or array ends, at the speed of vectors
 *
 * Looks at strings and brackets only, 64 bytes at a time; may be given the
 * text piece by piece.  What is between them is not checked, but for control
 * characters.  Not installed.
 */
#ifndef TP_READ_JSON_SKIP_H
#define TP_READ_JSON_SKIP_H

#include <stddef.h>
#include <stdint.h>

#include <tp/limits.h>

/* What is wrong with what nests deeper than tp_limits.depth. */
extern const char tp_json_too_deep[];
/* Fill ERR: that is TP_LIMIT, any other WRONG is TP_BAD with CODE; -1. */
int tp_json_wrong(struct tp_err *err, const char *code, uint64_t line,
    const char *wrong);

struct tp_skip {
	uint64_t in_string;	/* all ones when the piece ended inside one */
	uint64_t escaped;	/* 1 when it ended behind a backslash */
	uint64_t controls;	/* raw control characters inside strings */
	const char *wrong;	/* what is, or NULL */
	unsigned depth;
	uint64_t objects;	/* which levels are, the deepest lowest */
	uint64_t above[TP_DEPTH_MAX / 64];	/* each 64 that are further
						 * out */
};

static inline void
tp_skip_init(struct tp_skip *skip)
{
	skip->in_string = skip->escaped = skip->controls = 0;
	skip->wrong = NULL;
	skip->depth = 0;
}

/*
 * Go on with LEN bytes at P, which begin with the opening bracket when SKIP
 * is new.  How many of them belong to the value: up to and with its last
 * bracket when skip->depth is 0, up to what is wrong, else all.
 */
size_t tp_skip_run(struct tp_skip *skip, const char *p, size_t len);

#endif
