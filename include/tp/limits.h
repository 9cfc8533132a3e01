/*
 * limits - how much of an input is too much
 *
 * One set for the whole program, which a tool sets before it opens the first
 * input; what passes one ends with TP_LIMIT, in memory that it bounds.
 */
#ifndef TP_LIMITS_H
#define TP_LIMITS_H

#include <stdint.h>

#include <tp/err.h>

#define TP_DEPTH_MAX 1024	/* the most that depth may be */

struct tp_limits {
	int64_t bytes;		/* of one input, inflated; 0: no limit */
	int64_t line_bytes;	/* of what is held whole: a line, a row, an
				 * element, a tag, a text, a document */
	int64_t depth;		/* of elements, objects and lists */
	int64_t expand;		/* how many times packed data inflates, when it
				 * is more than 64 MiB */
};

extern struct tp_limits tp_limits;

/* Fill ERR, which becomes fatal: WHAT ("a line") in line LINE is longer than
 * line_bytes; CODE is a literal.  Always -1. */
int tp_limit_line(struct tp_err *err, const char *code, uint64_t line,
    const char *what);
/* The same for WHAT ("elements") that nests deeper than depth. */
int tp_limit_depth(struct tp_err *err, uint64_t line, const char *what);
/* And for an input of more than limits.bytes. */
int tp_limit_bytes(struct tp_err *err);

#endif
