/*
 * page_tty - write a page of Markdown to a terminal
 *
 * A block is laid out when it ends: its text is broken into lines, each after
 * the marks of the enclosing quotes and lists.
 */
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/text.h>
#include <tp/width.h>

#include "page_table.h"
#include "page_writer.h"

/* An open quote, list or list item. */
struct level {
	enum tp_page_kind kind;
	char mark[16];		/* item: mark in front of its first line */
	size_t width;		/* columns it takes in each line */
	int marked;		/* the mark was printed */
	int ordered, tight;	/* of a list */
	uint64_t number;	/* list: number of its next item */
};

/* So much is handed over at a time. */
#define PART ((size_t)64 * 1024)

struct writer {
	const struct tp_page_tty *tty;
	struct tp_buf *out;
	struct level *levels;
	size_t level_count, level_cap;
	struct tp_page_text text;	/* of the current block */
	struct tp_page_table table;
	int in_table, in_code;
	size_t column;		/* in a line of code */
	unsigned on[3];			/* open spans by style */
	struct tp_buf target, shown;	/* target of a link, raw and as shown */
	size_t link_from;		/* start of its text */
	struct tp_buf image, description, picture;	/* image: target,
							 * alternative text,
							 * picture as text */
	unsigned in_picture;		/* nesting of images */
	int any, blank;			/* a line was printed; a blank line is
					 * due */
	int introduces;			/* the last block ended in ':' */
	int titled;			/* ... or was a heading */
};

/* The text under construction. */
static struct tp_page_text *
text_of(struct writer *w)
{
	return w->in_table ? &w->table.text : &w->text;
}

static unsigned
look_of(const struct writer *w)
{
	unsigned look = 0;

	for (unsigned i = 0; i < 3; i++)
		if (w->on[i])
			look |= 1u << i;
	return look;
}

static void
print_blanks(struct writer *w, size_t n)
{
	while (n-- > 0)
		tp_buf_chr(w->out, ' ');
}

/*
 * Print the marks in front of a line.  An item's mark is printed once, and not
 * in a BLANK line.
 */
static void
begin_any_line(struct writer *w, int blank)
{
	unsigned faint = w->tty->color ? TP_LOOK_FAINT : 0;
	struct level *l;

	for (size_t i = 0; i < w->level_count; i++) {
		l = &w->levels[i];
		if (!l->width)
			continue;
		if (l->kind == TP_PAGE_QUOTE) {
			tp_page_look(w->out, 0, faint);
			tp_buf_str(w->out, w->tty->utf8 ? "\xe2\x94\x82" : "|");
			tp_page_look(w->out, faint, 0);
			tp_buf_chr(w->out, ' ');
		} else if (l->marked || blank) {
			print_blanks(w, l->width);
		} else {
			tp_buf_str(w->out, l->mark);
			print_blanks(w, l->width - tp_text_width(l->mark,
			    strlen(l->mark)));
			l->marked = 1;
		}
	}
	w->any = 1;
}

static void
begin_line(void *arg)
{
	begin_any_line(arg, 0);
}

static void
end_line(struct writer *w)
{
	while (w->out->len && w->out->p[w->out->len - 1] == ' ')
		w->out->p[--w->out->len] = '\0';
	tp_buf_chr(w->out, '\n');
}

/* The columns left in a line after the marks. */
static size_t
room(const struct writer *w)
{
	size_t taken = 0;

	for (size_t i = 0; i < w->level_count; i++)
		taken += w->levels[i].width;
	return w->tty->width - taken;
}

static size_t
prose_room(const struct writer *w)
{
	size_t all = room(w), over = w->tty->width > TP_PAGE_PROSE ?
	    w->tty->width - TP_PAGE_PROSE : 0;

	return all > over ? all - over : all;
}

/* Begin a block, with a blank line before it if one is due. */
static void
begin_block(struct writer *w)
{
	if (w->any && w->blank) {
		begin_any_line(w, 1);
		end_line(w);
	}
	w->blank = w->introduces = w->titled = 0;
}

/* Whether the innermost list has no blank lines. */
static int
is_tight(const struct writer *w)
{
	for (size_t i = w->level_count; i-- > 0;)
		if (w->levels[i].kind == TP_PAGE_LIST)
			return w->levels[i].tight;
	return 0;
}

/* Print the text of the block as lines. */
static void
print_text(struct writer *w, unsigned look)
{
	struct tp_page_part part = { 0, w->text.text.len }, line;
	size_t width = prose_room(w);

	if (!part.to)
		return;
	while (part.from < part.to && strchr(" \n",
	    w->text.text.p[part.to - 1]))
		part.to--;
	begin_block(w);
	while (tp_page_part_line(&w->text, &part, width, TP_ENDS_WORDS,
	    &line)) {
		begin_line(w);
		tp_page_part_print(w->out, &w->text, &line, w->tty->color,
		    look);
		end_line(w);
	}
	w->introduces = part.to && w->text.text.p[part.to - 1] == ':';
	w->blank = 1;
}

/* End a paragraph or the text of an item. */
static void
end_text(struct writer *w)
{
	if (w->text.text.len) {
		tp_page_text_set_off(&w->text, 0);
		print_text(w, 0);
	}
	tp_page_text_clear(&w->text);
}

static void
print_rule(struct writer *w, size_t width, const char *ascii)
{
	unsigned look = w->tty->color ? TP_LOOK_FAINT : 0;

	begin_line(w);
	tp_page_look(w->out, 0, look);
	while (width-- > 0)
		tp_buf_str(w->out, w->tty->utf8 ? "\xe2\x94\x80" : ascii);
	tp_page_look(w->out, look, 0);
	end_line(w);
}

/*
 * Print a heading in bold.  Level 1 has a rule over the whole width, level 2
 * one of its own width.
 */
static void
end_heading(struct writer *w, unsigned level)
{
	struct tp_page_part all = { 0, w->text.text.len };
	size_t width = prose_room(w), own;

	if (all.to) {
		own = tp_page_part_width(&w->text, &all);
		print_text(w, TP_LOOK_BOLD);
		if (level < 3)
			print_rule(w, level == 1 || own > width ? width : own,
			    level == 1 ? "=" : "-");
		w->blank = w->introduces = 0;
		w->titled = 1;
	}
	tp_page_text_clear(&w->text);
}

/* Print code without breaking lines, so that commands can be copied. */
static void
end_code(struct writer *w)
{
	const char *p = w->text.text.p, *end, *lf;
	struct tp_page_part line;

	if (p) {
		begin_block(w);
		for (end = p + w->text.text.len; p < end; p = lf + 1) {
			lf = memchr(p, '\n', (size_t)(end - p));
			lf = lf ? lf : end;
			line.from = (size_t)(p - w->text.text.p);
			line.to = (size_t)(lf - w->text.text.p);
			begin_line(w);
			print_blanks(w, 2);
			tp_page_part_print(w->out, &w->text, &line,
			    w->tty->color, 0);
			end_line(w);
		}
		w->blank = 1;
	}
	tp_page_text_clear(&w->text);
	w->in_code = 0;
}

static void
end_table(struct writer *w)
{
	w->in_table = 0;
	begin_block(w);
	w->blank = 1;
	tp_page_table_print(&w->table, w->tty, room(w), begin_line, w, w->out);
}

/* Open a level of WIDTH columns; of none if there is no room. */
static struct level *
push(struct writer *w, enum tp_page_kind kind, size_t width)
{
	struct level *l;

	if (room(w) < w->tty->width / 2 + width)
		width = 0;
	l = TP_PUSH(w->levels, w->level_count, w->level_cap);
	l->kind = kind;
	l->width = width;
	return l;
}

static void
begin_item(struct writer *w)
{
	struct level *list = &w->levels[w->level_count - 1], *l;
	char mark[sizeof list->mark] = "-";
	uint64_t last;
	size_t width;

	if (list->ordered) {
		/* align the items of a list */
		last = list->number < 9 ? 9 : list->number;
		snprintf(mark, sizeof mark, "%llu.",
		    (unsigned long long)list->number++);
		width = (size_t)snprintf(NULL, 0, "%llu. ",
		    (unsigned long long)last);
	} else {
		if (w->tty->utf8)
			strcpy(mark, "\xe2\x80\xa2");
		width = 2;
	}
	l = push(w, TP_PAGE_ITEM, width);
	strcpy(l->mark, mark);
	/* an item that is too deep to be indented has no mark */
	l->marked = !l->width;
}

static void
begin_tty_block(struct writer *w, const struct tp_page_block *b)
{
	struct level *l;

	/* items of a tight list have no paragraphs */
	end_text(w);
	switch (b->kind) {
	case TP_PAGE_LIST:
		if (w->introduces || (w->level_count && is_tight(w)))
			w->blank = 0;
		l = push(w, b->kind, 0);
		l->ordered = b->ordered;
		l->tight = b->tight;
		l->number = b->start;
		return;
	case TP_PAGE_HEADING:
		w->blank |= w->titled;
		return;
	case TP_PAGE_QUOTE:
		begin_block(w);
		push(w, b->kind, 2);
		return;
	case TP_PAGE_ITEM:
		begin_item(w);
		return;
	case TP_PAGE_CODE:
		w->in_code = 1;
		w->column = 0;
		return;
	case TP_PAGE_TABLE:
		tp_page_table_begin(&w->table, b->columns);
		w->in_table = 1;
		return;
	default:
		return;
	}
}

static void
end(struct writer *w, const struct tp_page_block *b)
{
	switch (b->kind) {
	case TP_PAGE_ITEM:
		end_text(w);
		if (!w->levels[w->level_count - 1].marked) {
			begin_block(w);
			begin_line(w);
			end_line(w);
		}
		if (is_tight(w))
			w->blank = 0;
		w->level_count--;
		return;
	case TP_PAGE_LIST:
		w->level_count--;
		w->blank = !(w->level_count && is_tight(w));
		return;
	case TP_PAGE_QUOTE:
		w->level_count--;
		w->blank = 1;
		return;
	case TP_PAGE_RULE:
		begin_block(w);
		print_rule(w, prose_room(w), "-");
		w->blank = 1;
		return;
	case TP_PAGE_HEADING:
		end_heading(w, b->level);
		return;
	case TP_PAGE_CODE:
		end_code(w);
		return;
	case TP_PAGE_PARAGRAPH:
		end_text(w);
		return;
	case TP_PAGE_CELL:
		tp_page_table_cell(&w->table, b->head, b->right);
		return;
	case TP_PAGE_TABLE:
		end_table(w);
		return;
	default:
		return;
	}
}

static void
block(void *arg, const struct tp_page_block *b, int begins)
{
	struct writer *w = arg;

	if (begins)
		begin_tty_block(w, b);
	else
		end(w, b);
	if (w->tty->full && !begins && w->out->len >= PART)
		w->tty->full(w->tty->arg, w->out);
}

/* An ASCII substitute for a block or line character of a picture. */
static char
ascii_of(uint32_t c)
{
	static const char bars[] = "_.-=+*##";

	if (c < 0x80)
		return (char)c;
	if (c >= 0x2581 && c <= 0x2588)
		return bars[c - 0x2581];
	if (c >= 0x2589 && c <= 0x2590)
		return '#';
	if (c >= 0x2591 && c <= 0x2593)
		return ".:#"[c - 0x2591];
	if (c >= 0x2594 && c <= 0x259f)
		return '#';
	if (c == 0x2502 || c == 0x2503)
		return '|';
	return c >= 0x2500 && c <= 0x2501 ? '-' : c < 0x2580 && c > 0x2500 ?
	    '+' : '?';
}

/* Print a line of a picture, FROM to END, cut to the room. */
static void
print_picture_line(struct writer *w, const char *from, const char *end)
{
	size_t width = room(w), n, used = 0;
	struct tp_buf shown = { 0 };
	const char *p;
	uint32_t c;

	begin_line(w);
	tp_show_text(&shown, from, (size_t)(end - from));
	for (p = shown.p; p && p < shown.p + shown.len; p += n) {
		n = tp_utf8(p, (size_t)(shown.p + shown.len - p), &c);
		used += tp_char_width(c);
		if (used > width)
			break;
		if (w->tty->utf8)
			tp_buf_add(w->out, p, n);
		else
			tp_buf_chr(w->out, ascii_of(c));
	}
	tp_buf_release(&shown);
	end_line(w);
}

/* Print the image named in w->image as text.  Returns whether there is one. */
static int
print_picture(struct writer *w)
{
	const char *p, *end, *lf;

	if (w->in_table || !w->tty->picture)
		return 0;
	tp_buf_clear(&w->picture);
	if (!w->tty->picture(w->tty->arg, w->image.p, &w->picture) ||
	    !w->picture.len)
		return 0;
	end_text(w);
	begin_block(w);
	p = w->picture.p;
	for (end = p + w->picture.len; p < end; p = lf + 1) {
		lf = memchr(p, '\n', (size_t)(end - p));
		lf = lf ? lf : end;
		print_picture_line(w, p, lf);
	}
	w->blank = 1;
	return 1;
}

static void
image(struct writer *w, const char *target, int begins)
{
	struct tp_page_text *t = text_of(w);

	if (begins) {
		if (w->in_picture++)
			return;
		tp_buf_clear(&w->image);
		tp_buf_clear(&w->description);
		tp_buf_add(&w->image, target, strlen(target) + 1);
		return;
	}
	if (--w->in_picture || print_picture(w))
		return;
	tp_page_text_add(t, "[picture: ", 10, TP_LOOK_FAINT, 1);
	if (w->description.len)
		tp_page_text_add(t, w->description.p, w->description.len,
		    TP_LOOK_FAINT, 1);
	tp_page_text_add(t, "]", 1, TP_LOOK_FAINT, 1);
}

/*
 * Print the target of a link after its text if it leads out of the page and the
 * text differs.
 */
static void
link_(struct writer *w, const char *target, int begins)
{
	struct tp_page_text *t = text_of(w);
	size_t n;

	if (begins) {
		tp_buf_clear(&w->target);
		tp_buf_add(&w->target, target, strlen(target) + 1);
		w->link_from = t->text.len;
		return;
	}
	n = w->target.len - 1;
	tp_buf_clear(&w->shown);
	tp_show_text(&w->shown, w->target.p, n);
	if (!n || *w->target.p == '#' || tp_is(t->text.p + w->link_from,
	    t->text.len - w->link_from, w->shown.p) || (!strncmp(w->shown.p,
	    "mailto:", 7) && tp_is(t->text.p + w->link_from, t->text.len -
	    w->link_from, w->shown.p + 7)))
		return;
	tp_page_text_add(t, " (", 2, TP_LOOK_FAINT, 1);
	tp_page_text_add(t, w->target.p, n, TP_LOOK_FAINT, 1);
	tp_page_text_add(t, ")", 1, TP_LOOK_FAINT, 1);
}

static void
span(void *arg, enum tp_page_span kind, const char *target, int begins)
{
	struct writer *w = arg;
	int change = begins ? 1 : -1;

	if (kind == TP_PAGE_IMAGE)
		image(w, target, begins);
	else if (w->in_picture)
		return;
	else if (kind == TP_PAGE_LINK)
		link_(w, target, begins);
	else if (kind == TP_PAGE_NAME)
		w->on[2] += (unsigned)change;
	else if (kind == TP_PAGE_STRUCK)
		w->on[1] += (unsigned)change;
	else if (kind == TP_PAGE_STRONG)
		w->on[0] += (unsigned)change;
}

/* Add code with tabs expanded to every eighth column. */
static void
add_code(struct writer *w, const char *text, size_t len)
{
	const char *p = text, *end = text + len, *from;
	struct tp_page_text *t = &w->text;
	size_t n;

	while (p < end) {
		for (from = p; p < end && *p != '\n' && *p != '\t'; p++)
			continue;
		n = (size_t)(p - from);
		if (n)
			tp_page_text_add(t, from, n, 0, 0);
		w->column += tp_text_width(from, n);
		if (p < end && *p == '\n') {
			tp_page_text_break(t);
			w->column = 0;
		} else if (p < end) {
			n = 8 - w->column % 8;
			tp_page_text_add(t, "        ", n, 0, 0);
			w->column += n;
		}
		p++;
	}
}

static void
text(void *arg, enum tp_page_words kind, const char *bytes, size_t len)
{
	struct writer *w = arg;
	struct tp_page_text *t = text_of(w);

	if (w->in_picture)
		tp_buf_add(&w->description, kind == TP_PAGE_PLAIN ? bytes :
		    " ", kind == TP_PAGE_PLAIN ? len : 1);
	else if (w->in_code)
		add_code(w, bytes, len);
	else if (kind == TP_PAGE_PLAIN)
		tp_page_text_add(t, bytes, len, look_of(w), 1);
	else if (!w->in_table && kind == TP_PAGE_BREAK)
		tp_page_text_break(t);
	else
		tp_page_text_add(t, " ", 1, look_of(w), 1);
}

int
tp_page_tty(const char *bytes, size_t len, const struct tp_page_tty *tty,
    struct tp_buf *out, struct tp_err *err)
{
	static const struct tp_page_writer form = { block, span, text };
	struct writer w = { .tty = tty, .out = out };
	int rc;

	/* a page is about as long; growing would copy it */
	if (!tty->full)
		tp_buf_room(out, len + len / 4);
	rc = tp_page_read(bytes, len, &form, &w, err);
	tp_page_table_release(&w.table);
	tp_page_text_release(&w.text);
	tp_buf_release(&w.target);
	tp_buf_release(&w.shown);
	tp_buf_release(&w.image);
	tp_buf_release(&w.picture);
	tp_buf_release(&w.description);
	tp_free(w.levels);
	return rc;
}
