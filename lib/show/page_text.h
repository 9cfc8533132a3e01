/*
 * page_text - text and how its parts look, on a terminal
 *
 * A byte of LOOKS beside each of TEXT, which has gone through tp_show_text():
 * UTF-8 without control characters, but for '\n', where a line shall end.
 * Blanks in it are single.  Both buffers fail together.
 */
#ifndef TP_SHOW_PAGE_TEXT_H
#define TP_SHOW_PAGE_TEXT_H

#include <stddef.h>

#include <tp/buf.h>

enum { TP_LOOK_BOLD = 1, TP_LOOK_FAINT = 2, TP_LOOK_NAME = 4 };

struct tp_page_text {
	struct tp_buf text, looks;
};

/* A part of one, from byte FROM to before TO. */
struct tp_page_part {
	size_t from, to;
};

void tp_page_text_clear(struct tp_page_text *t);
void tp_page_text_release(struct tp_page_text *t);
/* Append the LEN bytes at TEXT, made harmless, with blanks as they are; with
 * SINGLE several blanks, tabs and line feeds are one blank, none where T is
 * empty or ends in '\n'. */
void tp_page_text_add(struct tp_page_text *t, const char *text, size_t len,
    unsigned look, int single);
/* End the line. */
void tp_page_text_break(struct tp_page_text *t);
/* From byte FROM on make numbers with a unit ("9.1 s", "70 %", "1.2x") bold,
 * where they are no part of a name. */
void tp_page_text_set_off(struct tp_page_text *t, size_t from);

/* Columns that PART takes. */
size_t tp_page_part_width(const struct tp_page_text *t,
    const struct tp_page_part *part);

/* Where a line may end: between words, of which a number and its unit are one;
 * only before "(" and behind a comma, as between the facts in a cell; or also
 * behind '_', as in the names of columns. */
enum tp_page_ends { TP_ENDS_WORDS, TP_ENDS_FACTS, TP_ENDS_NAMES };

/* The next line of PART into LINE, no more than WIDTH columns unless there is
 * no END before; PART loses it.  1, or 0 when there was nothing left. */
int tp_page_part_line(const struct tp_page_text *t, struct tp_page_part *part,
    size_t width, enum tp_page_ends ends, struct tp_page_part *line);

/* Append PART to OUT, with COLOR as it looks and with LOOK besides; nothing is
 * left turned on. */
void tp_page_part_print(struct tp_buf *out, const struct tp_page_text *t,
    const struct tp_page_part *part, int color, unsigned look);
/* Append the orders that change a terminal from look FROM to look TO. */
void tp_page_look(struct tp_buf *out, unsigned from, unsigned to);

#endif
