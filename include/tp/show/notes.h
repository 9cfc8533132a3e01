/*
 * notes - a person's Markdown, to stand at the end of a report
 *
 * It stays what it is, byte for byte, but for what could be HTML: '<' becomes
 * "&lt;" where a reader of CommonMark or GFM could begin a tag, a comment or
 * an address with it.  In code it stays, where every such reader sees code:
 * in fenced blocks, and in code spans of lines in which nothing else could
 * take a backquote.  Links lead to http:, https:, mailto: or a relative
 * place; what leads elsewhere prints as text.  Control characters become a
 * space, what turns text round is shown ("\u{202e}"), what is not UTF-8
 * becomes U+FFFD, and lines end in LF.  A fence that is open at the end is
 * closed.
 *
 * LIMITATIONS: blocks that are indented by four columns or more, and those
 * after a fence of which it is not clear where it ends, are not taken for
 * code: they show "&lt;".
 */
#ifndef TP_SHOW_NOTES_H
#define TP_SHOW_NOTES_H

#include <stddef.h>

#include <tp/buf.h>

/* Append the LEN bytes at TEXT, all of a file; one LF at the end, unless
 * there is nothing.  Memory: TEXT once more. */
void tp_notes_add(struct tp_buf *out, const char *text, size_t len);

#endif
