/*
 * width - how many terminal columns a text takes
 *
 * As wcwidth() counts, but the same in every locale: wide characters (East
 * Asian Wide and Fullwidth, emoji) take two columns; combining marks and
 * invisible format characters none; all others one.  Tables of Unicode 14.
 * Nothing is allocated.
 *
 * LIMITATIONS: a character is measured by itself.  Emoji joined by U+200D
 * count as their parts, and U+FE0F widens nothing; terminals disagree on
 * both.  Control characters count as one: show them first (tp_show_text()).
 */
#ifndef TP_WIDTH_H
#define TP_WIDTH_H

#include <stddef.h>
#include <stdint.h>

#include <tp/buf.h>

/* The terminal that text is laid out for. */
struct tp_screen {
	size_t width;		/* columns */
	int utf8;		/* it shows more than ASCII */
	const char *dots;	/* replaces text that was cut */
};

/* Columns of character C: 0, 1 or 2. */
size_t tp_char_width(uint32_t c);
/* Columns of LEN bytes of TEXT; an invalid byte counts as one. */
size_t tp_text_width(const char *text, size_t len);

/*
 * Append TEXT, broken at blanks so that no line is wider than WIDTH.  The
 * first line begins at column AT; the others are indented by INDENT blanks.
 * A word wider than a line stays whole, on a line of its own.  Several
 * blanks count as one.  No newline is added at the end.
 */
void tp_wrap(struct tp_buf *buf, const char *text, size_t at, size_t indent,
    size_t width);

#endif
