/*
 * json_skip - find the end of an object or array with vector instructions
 *
 * Looks only at strings and brackets, 64 bytes at a time; accepts the text
 * piece by piece.  Nothing else is checked except for control characters.
 * Not installed.
 */
#ifndef TP_READ_JSON_SKIP_H
#define TP_READ_JSON_SKIP_H

#include <stddef.h>
#include <stdint.h>

#include <tp/limits.h>

/* The error for nesting deeper than tp_limits.depth. */
extern const char tp_json_too_deep[];
/*
 * Fill ERR: TP_LIMIT for that error, else TP_BAD with CODE.  Always returns
 * -1.
 */
int tp_json_wrong(struct tp_err *err, const char *code, uint64_t line,
    const char *wrong);

struct tp_skip {
	uint64_t in_string;	/* all ones when the piece ended inside one */
	uint64_t escaped;	/* 1 when it ended after a backslash */
	uint64_t controls;	/* raw control characters inside strings */
	const char *wrong;	/* the error, or NULL */
	unsigned depth;
	uint64_t objects;	/* bit per level: is it an object; deepest
				 * lowest */
	uint64_t above[TP_DEPTH_MAX / 64];	/* further levels, 64 each */
};

static inline void
tp_skip_init(struct tp_skip *skip)
{
	skip->in_string = skip->escaped = skip->controls = 0;
	skip->wrong = NULL;
	skip->depth = 0;
}

/*
 * Continue with LEN bytes at P; a new SKIP starts at the opening bracket.
 * Returns how many belong to the value: through its closing bracket when
 * skip->depth is 0, up to the error, else all.
 */
size_t tp_skip_run(struct tp_skip *skip, const char *p, size_t len);

#endif
