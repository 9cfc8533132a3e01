/*
 * folded - time by call stack, in the format of flame graph programs
 *
 * Stacks share prefixes: a node is a function together with its callers.
 * Deeper than TP_FOLDED_DEPTH, a frame "[deeper]" stands for all functions, so
 * that lines stay short and no time is lost.
 * Memory: 42 bytes a node, and distinct names.
 */
#ifndef TP_FOLDED_H
#define TP_FOLDED_H

#include <stddef.h>
#include <stdint.h>

#include <tp/err.h>
#include <tp/hash.h>
#include <tp/records.h>

/* A zeroed struct is empty. */
struct tp_folded {
	struct tp_names names;
	struct tp_ids nodes;		/* a: caller's node, b: name */
	int64_t *ps;			/* self time, parallel to nodes */
	uint16_t *depths;		/* 1: called from the root */
	size_t cap, depth_cap;
};

/* Root of all stacks. */
#define TP_FOLDED_ROOT 0
/* Most frames of a stack; the last of them is "[deeper]". */
#define TP_FOLDED_DEPTH 1024

/* The node of function NAME (LEN bytes) called from PARENT. */
uint32_t tp_folded_node(struct tp_folded *folded, uint32_t parent,
    const char *name, size_t len);
void tp_folded_add(struct tp_folded *folded, uint32_t node, int64_t ps);
/*
 * Write a line "root;...;leaf N" for each node with self time: callers before
 * callees, which are sorted by name.  N is in nanoseconds; the sum of all N is
 * rounded only once.  Names are written by tp_folded_name().
 */
void tp_folded_write(const struct tp_folded *folded, struct tp_out *out);
void tp_folded_release(struct tp_folded *folded);
/*
 * Append NAME of LEN bytes to a line: ";" as ":", control characters as a
 * blank, invalid UTF-8 as U+FFFD, because readers of this format know no
 * escape.
 */
void tp_folded_name(struct tp_buf *path, const char *name, size_t len);

/*
 * Read such lines.  tp_folded_number() returns the number after the stack of
 * LINE and reduces *LEN to the stack; -1 when there is none, for which
 * tp_folded_fail() fills ERR.
 */
int64_t tp_folded_number(const char *line, size_t *len);
int tp_folded_fail(struct tp_err *err, uint64_t line);
/*
 * Whether a file whose first LEN bytes are at P (WHOLE: all of it) holds
 * folded stacks: the first line is one, most of the first 16 are, and one of
 * those has a ';' or ends in ')'.
 */
int tp_folded_is(const char *p, size_t len, int whole);
/*
 * Iterate over the frames of STACK, innermost first, skipping empty ones:
 * returns the frame (*LEN bytes) before *END and moves *END to it; *END
 * starts at the end of the stack.  NULL when there are no more.
 */
const char *tp_folded_inner(const char *stack, const char **end, size_t *len);
/*
 * Split a Python frame, "FILE(LINE): NAME" (PyTorch) or "NAME (FILE:LINE)"
 * and "NAME (FILE)" (py-spy), into parts, which point into FRAME.  Any other
 * frame is all name.
 */
struct tp_folded_frame {
	const char *name, *file;
	size_t name_len, file_len;
	uint64_t line;			/* 0: unknown */
};
void tp_folded_frame(const char *frame, size_t len,
    struct tp_folded_frame *f);

#endif
