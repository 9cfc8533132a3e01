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
 * Decode the character at TEXT (LEN > 0 bytes) into *C; its length, or 0 when
 * it is not valid UTF-8 (overlong, surrogate, truncated).
 */
size_t tp_utf8(const char *text, size_t len, uint32_t *c);
/* Write character C as UTF-8 at OUT, at most 4 bytes; how many. */
size_t tp_utf8_put(char *out, uint32_t c);
/* The four hexadecimal digits at P into *N; 0, or -1 when before END there
 * are fewer. */
int tp_hex4(const char *p, const char *end, uint32_t *n);
/* Append character C as UTF-8. */
void tp_utf8_add(struct tp_buf *buf, uint32_t c);
/* Whether C moves a terminal's cursor or breaks a line: C0, DEL, C1, the line
 * and paragraph separators. */
int tp_is_control(uint32_t c);
/* Whether C turns the direction of the text around it. */
int tp_turns_text(uint32_t c);
/* Append control character C as it is written in a C string ("\e"). */
void tp_show_control(struct tp_buf *buf, uint32_t c);
/* Append LEN bytes of TEXT so that a terminal shows and never obeys them:
 * controls as tp_show_control(), what is not UTF-8 as U+FFFD. */
void tp_show_text(struct tp_buf *buf, const char *text, size_t len);
/* Whether that is TEXT itself. */
int tp_shows_itself(const char *text, size_t len);
/* Whether the LEN bytes at TEXT are WORD. */
static inline int
tp_is(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && !memcmp(text, word, len);
}
/* Whether A and B are the same name when case, blanks, '-' and '_' do not
 * count: "CPU to GPU Latency", "cpu-to-gpu_latency". */
int tp_same_name(const char *a, size_t a_len, const char *b, size_t b_len);
/* Shell pattern (* ? [..]) against LEN bytes of TEXT; no escapes. */
int tp_glob(const char *pattern, const char *text, size_t len);
/* Whether PATTERN, in which '*' and nothing else is special and stands for
 * anything, is all of NAME. */
int tp_is_named(const char *pattern, const char *name);
/* Append TEXT for the inside of XML, attributes too: what a document may not
 * hold is shown as U+FFFD. */
void tp_xml_text(struct tp_buf *buf, const char *text);
/* Append PATH with a home folder at its start as "~". */
void tp_home_path(struct tp_buf *buf, const char *path);
/* TEXT as one word of a shell, for people to copy. */
void tp_shell_word(struct tp_buf *buf, const char *text);

#endif
