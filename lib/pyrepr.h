/*
 * pyrepr - JSON values in the notation of Python's repr()
 *
 * Tables of other tools hold the repr() of values parsed from JSON and use
 * it as a join key: "((888, 3072), (128,), ())", "'c10::Half'", "None",
 * "0.5".  Memory: only the caller's buffer.
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
 * Append the repr() of the JSON value in the LEN bytes at TEXT, with arrays
 * as LISTS says.  0, or -1 when it is no JSON value or nests too deeply; BUF
 * is then unchanged.  Unescaped control characters in strings are accepted.
 */
int tp_py_json(struct tp_buf *buf, const char *text, size_t len,
    enum tp_py_lists lists);
/*
 * Append the repr() of a str: LEN bytes of UTF-8 (invalid bytes as U+FFFD),
 * in single quotes, or double quotes when the text has only single ones.
 */
void tp_py_text(struct tp_buf *buf, const char *text, size_t len);
/* Append the repr() of a float. */
void tp_py_float(struct tp_buf *buf, double x);

#endif
