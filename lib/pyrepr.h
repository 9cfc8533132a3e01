/*
 * pyrepr - JSON values as Python writes them
 *
 * Tables of other tools hold the repr() of what Python made of JSON, and are
 * joined by it: "((888, 3072), (128,), ())", "'c10::Half'", "None", "0.5".
 * Memory: none beside the caller's buffer.
 */
#ifndef TP_PYREPR_H
#define TP_PYREPR_H

#include <stddef.h>

#include <tp/buf.h>

enum tp_py_lists {
	TP_PY_LISTS,		/* [1, [2]] */
	TP_PY_TUPLES,		/* (1, (2,)) */
};

/* Deeper values are refused. */
#define TP_PY_DEPTH 64

/*
 * Append the repr() of the JSON value that the LEN bytes at TEXT are, arrays
 * as LISTS says.  0, or -1 when they are no JSON value: BUF is then as it
 * was.  Control characters that stand raw in strings are taken.
 */
int tp_py_json(struct tp_buf *buf, const char *text, size_t len,
    enum tp_py_lists lists);
/* Append the repr() of a str: LEN bytes of UTF-8 (what is not UTF-8 as
 * U+FFFD), in single quotes unless only those stand in it. */
void tp_py_text(struct tp_buf *buf, const char *text, size_t len);
/* Append the repr() of a float. */
void tp_py_float(struct tp_buf *buf, double x);

#endif
