/*
 * md - escape untrusted text for Markdown
 *
 * Names come from traces and may hold anything.  Escaped text renders as
 * itself, on one line, in a table cell or a paragraph: control characters
 * and line breaks become a space, & < > | entities; other Markdown
 * punctuation gets a backslash where it could have a meaning, and ':' '.'
 * become entities where the text would be taken for a link (text with an '@'
 * becomes a code span).  A home folder prints as "~".  Invalid UTF-8 becomes
 * U+FFFD; characters that change text direction are shown ("\u{202e}").
 */
#ifndef TP_SHOW_MD_H
#define TP_SHOW_MD_H

#include <stddef.h>

#include <tp/buf.h>

/* Longest name printed in full, in bytes; longer ones lose their middle. */
#define TP_MD_NAME_MAX 160

enum {
	TP_MD_CODE = 1,		/* a code span; escaped text if it has a '|' */
	TP_MD_FULL = 2,		/* never cut */
	TP_MD_PLAIN = 4,	/* for a terminal, not for Markdown */
	TP_MD_BRIEF = 8		/* a C++ name without its arguments */
};

/* Append TEXT, escaped as FLAGS say. */
void tp_md_add(struct tp_buf *buf, const char *text, size_t len, int flags);

#endif
