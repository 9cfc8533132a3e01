/*
 * md - text of strangers inside Markdown
 *
 * Names come from traces and may hold anything.  What is escaped here renders
 * as itself, in one line, in a table cell or a paragraph: control characters
 * and line breaks become a space, & < > | entities, other Markdown
 * punctuation gets a backslash where it could mean something, and ':' '.'
 * become entities where a text would be taken for a link (one with an '@' is a
 * code span).  A home folder prints as "~".  What is not UTF-8 becomes U+FFFD,
 * what would turn the text around it the other way is shown ("\u{202e}").
 */
#ifndef TP_SHOW_MD_H
#define TP_SHOW_MD_H

#include <stddef.h>

#include <tp/buf.h>

/* Longest name printed whole, in bytes; longer ones lose their middle. */
#define TP_MD_NAME_MAX 160

enum {
	TP_MD_CODE = 1,		/* a code span; escaped where it has a '|' */
	TP_MD_FULL = 2,		/* however long it is */
	TP_MD_PLAIN = 4,	/* for a terminal, not for Markdown */
	TP_MD_BRIEF = 8		/* a C++ name without its arguments */
};

/* Append TEXT as FLAGS say. */
void tp_md_add(struct tp_buf *buf, const char *text, size_t len, int flags);

#endif
