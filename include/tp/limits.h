/*
 * limits - the largest inputs that are accepted
 *
 * One set of limits for the whole program.  A tool sets it before it opens
 * the first input.  Input beyond a limit fails with TP_LIMIT before it uses
 * more memory than that limit implies.
 */
#ifndef TP_LIMITS_H
#define TP_LIMITS_H

#include <stdint.h>

#include <tp/err.h>

#define TP_DEPTH_MAX 1024	/* upper bound of the limit "depth" */

struct tp_limits {
	int64_t bytes;		/* of one input, inflated; 0: no limit */
	int64_t line_bytes;	/* of anything held whole: a line, a row, an
				 * element, a tag, a string, a document */
	int64_t depth;		/* nesting of elements, objects, arrays */
	int64_t expand;		/* largest ratio of inflated to packed size,
				 * checked above 64 MiB */
};

extern struct tp_limits tp_limits;

/*
 * Fill ERR, fatal: WHAT ("a line") in line LINE is longer than line_bytes.
 * CODE is a literal.  Always returns -1.
 */
int tp_limit_line(struct tp_err *err, const char *code, uint64_t line,
    const char *what);
/* As tp_limit_line(): WHAT ("elements") nest deeper than depth. */
int tp_limit_depth(struct tp_err *err, uint64_t line, const char *what);
/* As tp_limit_line(): the input is larger than limits.bytes. */
int tp_limit_bytes(struct tp_err *err);

#endif
