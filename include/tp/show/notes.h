/*
 * notes - a person's Markdown, appended to a report
 *
 * Whoever sent a trace may have put it there, so it is set apart: a quote
 * below a line that says whose it is, where no heading passes for the report's.
 * The text is kept byte for byte, except where it could be HTML: '<' becomes
 * "&lt;" wherever a CommonMark or GFM reader could start a tag, a comment or
 * an autolink with it.  It stays in code, where every such reader sees code:
 * in fenced blocks, and in code spans on lines where nothing else could
 * consume a backquote.  Links may lead to http:, https:, mailto: or a
 * relative place; any other link prints as text.  Pictures are those of a
 * relative place; any other becomes a link to it.  Control characters become
 * a space, characters that change text direction are shown ("\u{202e}"),
 * invalid UTF-8 becomes U+FFFD, and lines end in LF.  A fence still open at
 * the end is closed.
 *
 * LIMITATIONS: blocks indented by four columns or more, and those after a
 * fence whose end is ambiguous, are not recognised as code: they show
 * "&lt;".
 */
#ifndef TP_SHOW_NOTES_H
#define TP_SHOW_NOTES_H

#include <stddef.h>

#include <tp/buf.h>

/*
 * Append the LEN bytes at TEXT, the whole file NAME; exactly one LF at the end,
 * unless TEXT is empty.  Memory: a copy of TEXT.
 */
void tp_notes_add(struct tp_buf *out, const char *name, const char *text,
    size_t len);

#endif
