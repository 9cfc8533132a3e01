/*
 * text - bytes, characters and case, without the locale
 */
#ifndef TP_TEXT_H
#define TP_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <tp/buf.h>

/*
 * Decode the character at TEXT (LEN > 0 bytes) into *C.  Returns its length,
 * or 0 when it is not valid UTF-8 (overlong, surrogate, truncated).
 */
size_t tp_utf8(const char *text, size_t len, uint32_t *c);
/* Write character C as UTF-8 to OUT, at most 4 bytes.  Returns the number. */
size_t tp_utf8_put(char *out, uint32_t c);
/*
 * Parse four hexadecimal digits at P into *N.  0, or -1 when there are fewer
 * before END.
 */
int tp_hex4(const char *p, const char *end, uint32_t *n);
/* Append character C as UTF-8. */
void tp_utf8_add(struct tp_buf *buf, uint32_t c);
/*
 * Append LEN bytes of TEXT, invalid UTF-8 as U+FFFD.  Returns the number of
 * bytes replaced.
 */
size_t tp_utf8_mend(struct tp_buf *buf, const char *text, size_t len);
/*
 * Whether C moves a terminal's cursor or breaks a line: C0, DEL, C1, line
 * and paragraph separators.
 */
int tp_is_control(uint32_t c);
/* Whether C is a blank of any width. */
int tp_is_blank(uint32_t c);
/* Whether C changes the direction of text. */
int tp_turns_text(uint32_t c);
/* Append control character C in the notation of a C string ("\e"). */
void tp_show_control(struct tp_buf *buf, uint32_t c);
/*
 * Append LEN bytes of TEXT so that a terminal shows but never executes them:
 * controls as tp_show_control(), invalid UTF-8 as U+FFFD.
 */
void tp_show_text(struct tp_buf *buf, const char *text, size_t len);
/* Whether tp_show_text() would append TEXT unchanged. */
int tp_shows_itself(const char *text, size_t len);
static inline int
tp_is_digit(char c)
{
	return c >= '0' && c <= '9';
}
/* Whether C is an ASCII letter, a digit or '_'. */
static inline int
tp_is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    tp_is_digit(c) || c == '_';
}
/* C in lower case if it is an ASCII letter. */
static inline char
tp_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}
/* Whether the LEN bytes at TEXT equal WORD. */
static inline int
tp_is(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && !memcmp(text, word, len);
}
/* Whether the bytes from P to END begin with WORD. */
static inline int
tp_begins(const char *p, const char *end, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(end - p) >= n && !memcmp(p, word, n);
}
/* Whether the LEN bytes at TEXT end in WORD. */
static inline int
tp_ends(const char *text, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len >= n && !memcmp(text + len - n, word, n);
}
/* Whether TEXT ends in WORD and has more than that. */
static inline int
tp_has_end(const char *text, const char *word)
{
	size_t len = strlen(text);

	return len > strlen(word) && tp_ends(text, len, word);
}
/* Whether A and B are equal, or both NULL. */
static inline int
tp_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}
/* The name of the file PATH, without its folder. */
static inline const char *
tp_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
/* Whether the LEN bytes at TEXT are decimal digits, one or more. */
int tp_is_digits(const char *text, size_t len);
/*
 * Whether A and B are equal apart from case, blanks, '-' and '_': "CPU to
 * GPU Latency" equals "cpu-to-gpu_latency".
 */
int tp_same_name(const char *a, size_t a_len, const char *b, size_t b_len);
/* Match shell pattern PATTERN (* ? [..], no escapes) with LEN bytes of TEXT. */
int tp_glob(const char *pattern, const char *text, size_t len);
/*
 * Whether PATTERN, where '*' matches anything and nothing else is special,
 * matches all of NAME.
 */
int tp_is_named(const char *pattern, const char *name);
/*
 * Append TEXT escaped for XML text and attributes; characters XML forbids
 * become U+FFFD.
 */
void tp_xml_text(struct tp_buf *buf, const char *text);
/* As tp_xml_text(), of what tp_show_text() makes of LEN bytes of TEXT. */
void tp_xml_shown(struct tp_buf *buf, const char *text, size_t len);
/* Append PATH with a leading home folder replaced by "~". */
void tp_home_path(struct tp_buf *buf, const char *path);
/* Append TEXT quoted as one shell word, for people to copy. */
void tp_shell_word(struct tp_buf *buf, const char *text);

#endif
