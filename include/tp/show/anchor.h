/*
 * anchor - the name by which a heading is linked to
 *
 * As GitHub makes it of the text of a heading: ASCII in lower case, blanks as
 * '-', of the rest letters, digits, '-' and '_'.  "4. GPU & Kernels" is
 * "4-gpu--kernels".  Letters beyond ASCII keep their case.
 */
#ifndef TP_SHOW_ANCHOR_H
#define TP_SHOW_ANCHOR_H

#include <stddef.h>

#include <tp/buf.h>

/* Append the anchor of the LEN bytes at TEXT; nothing where no letter is. */
void tp_anchor(struct tp_buf *buf, const char *text, size_t len);

#endif
