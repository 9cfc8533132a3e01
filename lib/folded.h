/*
 * folded - time by call stack, as flame graph programs read it
 *
 * Stacks share what they begin with: a node is a function with all that led to
 * it.  Memory: 40 bytes a node, and distinct names.
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
	struct tp_ids nodes;		/* a: node around it, b: name */
	int64_t *ps;			/* own time, parallel to nodes */
	size_t cap;
	int failed;			/* there was no memory */
};

/* What all stacks begin in. */
#define TP_FOLDED_ROOT 0

/* The node of the function NAME, LEN bytes, called by that of PARENT.  Of a
 * FOLDED that failed any. */
uint32_t tp_folded_node(struct tp_folded *folded, uint32_t parent,
    const char *name, size_t len);
void tp_folded_add(struct tp_folded *folded, uint32_t node, int64_t ps);
/*
 * A line "root;...;leaf N" for each node with time of its own, callers before
 * those they call, which come by name; N nanoseconds, whose sum is rounded
 * once.  In a name ";" becomes ":" and a control a blank.  0, or -1 with ERR
 * without memory.
 */
int tp_folded_write(const struct tp_folded *folded, struct tp_out *out,
    struct tp_err *err);
void tp_folded_release(struct tp_folded *folded);

/*
 * Reading such lines.  The number behind the stack of LINE, *LEN bytes, of
 * which those of the stack are left; -1, which tp_folded_fail() puts into
 * words, when there is none.
 */
int64_t tp_folded_number(const char *line, size_t *len);
int tp_folded_fail(struct tp_err *err, uint64_t line);
/* Whether a file whose first LEN bytes, or all (WHOLE), are at P holds such
 * lines: the first is one, so are most of the first 16, and a stack among
 * these has a ';' or ends in ')'. */
int tp_folded_is(const char *p, size_t len, int whole);
/* The frames of STACK from the innermost on, without empty ones: the next, of
 * *LEN bytes, before *END, which is the end of the stack at first; or NULL. */
const char *tp_folded_inner(const char *stack, const char **end, size_t *len);
/*
 * A frame of Python as PyTorch calls it, "FILE(LINE): NAME", or py-spy, "NAME
 * (FILE:LINE)" and "NAME (FILE)": the parts, which are bytes of FRAME; of
 * another all is the name.
 */
struct tp_folded_frame {
	const char *name, *file;
	size_t name_len, file_len;
	uint64_t line;			/* 0: not known */
};
void tp_folded_frame(const char *frame, size_t len,
    struct tp_folded_frame *f);

#endif
