/*
 * anchor - the link target of a heading
 *
 * Made from the heading's text as GitHub does: ASCII in lower case, blanks
 * become '-', and of all else only letters, digits, '-' and '_' remain.  "4.
 * GPU & Kernels" gives "4-gpu--kernels".  Letters beyond ASCII keep their
 * case.
 */
#ifndef TP_SHOW_ANCHOR_H
#define TP_SHOW_ANCHOR_H

#include <stddef.h>

#include <tp/buf.h>

/*
 * Append the anchor of the LEN bytes at TEXT; nothing when no character
 * remains.
 */
void tp_anchor(struct tp_buf *buf, const char *text, size_t len);

#endif
