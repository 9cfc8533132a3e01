/*
 * page_text - styled text for a terminal
 *
 * LOOKS has a byte for each byte of TEXT.  TEXT has passed through
 * tp_show_text(): it is UTF-8 without control characters except '\n', a
 * forced line end.  It has no consecutive blanks.  Both buffers fail
 * together.
 */
#ifndef TP_SHOW_PAGE_TEXT_H
#define TP_SHOW_PAGE_TEXT_H

#include <stddef.h>

#include <tp/buf.h>

enum { TP_LOOK_BOLD = 1, TP_LOOK_FAINT = 2, TP_LOOK_NAME = 4 };

struct tp_page_text {
	struct tp_buf text, looks;
};

/* Bytes FROM to TO (exclusive) of a text. */
struct tp_page_part {
	size_t from, to;
};

void tp_page_text_clear(struct tp_page_text *t);
void tp_page_text_release(struct tp_page_text *t);
/*
 * Append the LEN bytes at TEXT, made safe for a terminal.  SINGLE: runs of
 * blanks, tabs and line feeds become one blank, or none when T is empty or
 * ends in '\n'; else blanks are kept.
 */
void tp_page_text_add(struct tp_page_text *t, const char *text, size_t len,
    unsigned look, int single);
/* End the line. */
void tp_page_text_break(struct tp_page_text *t);
/* The length of the unit at P, before END, or 0: as after "9.1 ". */
size_t tp_page_unit(const char *p, const char *end);
/*
 * From byte FROM on, make numbers with a unit bold ("9.1 s", "70 %",
 * "1.2x"), except inside names.
 */
void tp_page_text_set_off(struct tp_page_text *t, size_t from);

/* Columns of PART. */
size_t tp_page_part_width(const struct tp_page_text *t,
    const struct tp_page_part *part);

/*
 * Where a line may break: between words (a number and its unit are one);
 * only before "(" and after a comma, as between the facts in a cell; or also
 * after '_', as in names of columns.
 */
enum tp_page_ends { TP_ENDS_WORDS, TP_ENDS_FACTS, TP_ENDS_NAMES };

/*
 * Cut the next line of PART into LINE, at most WIDTH columns unless it has
 * no earlier break point.  1, or 0 when PART is empty.
 */
int tp_page_part_line(const struct tp_page_text *t, struct tp_page_part *part,
    size_t width, enum tp_page_ends ends, struct tp_page_part *line);

/*
 * Append PART to OUT, with its own looks when COLOR, plus LOOK; the terminal
 * is reset at the end.
 */
void tp_page_part_print(struct tp_buf *out, const struct tp_page_text *t,
    const struct tp_page_part *part, int color, unsigned look);
/* Append the control sequences that change look FROM to look TO. */
void tp_page_look(struct tp_buf *out, unsigned from, unsigned to);

#endif
