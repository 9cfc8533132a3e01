/* page_table - fit a table of a page to a terminal */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>
#include <tp/show/fit.h>

#include "page_table.h"

#define GAP 2

/* Most lines of a header, and its most columns. */
#define HEAD_LINES 4
#define HEAD_WIDTH ((size_t)60)

/* Columns from which a cell counts as prose. */
#define FACT_WIDTH 40

/* Most lines of a cell; the last one is cut in the middle. */
#define CELL_LINES 8

/*
 * If all words may break, the least width of a column is that of its widest
 * word up to WORD_WIDTH, or 1/MORE_LINES of its widest cell.
 */
#define MORE_LINES 4
#define WORD_WIDTH 20

struct tp_page_column {
	size_t width;			/* 0: left out */
	int right;
	struct tp_page_part rest;	/* part of the current cell yet to
					 * print */
	size_t lines;			/* lines of it printed */
};

void
tp_page_table_begin(struct tp_page_table *t, size_t columns)
{
	tp_page_text_clear(&t->text);
	t->count = 0;
	t->columns = columns;
}

void
tp_page_table_release(struct tp_page_table *t)
{
	tp_page_text_release(&t->text);
	tp_free(t->cells);
	tp_free(t->shape);
	tp_free(t->fit);
}

/*
 * Returns whether all of PART is a name, and removes that style: in a table
 * names are distinguished by their column.
 */
static int
take_name(struct tp_page_text *text, const struct tp_page_part *part)
{
	int is = part->to > part->from;

	for (size_t i = part->from; i < part->to; i++) {
		is &= (text->looks.p[i] & TP_LOOK_NAME) != 0;
		text->looks.p[i] &= ~TP_LOOK_NAME;
	}
	return is;
}

void
tp_page_table_cell(struct tp_page_table *t, int head, int right)
{
	struct tp_page_cell *c;
	size_t from = 0;

	tp_grow(&t->cells, &t->cap, t->count + 1, sizeof *t->cells);
	if (t->count)
		from = t->cells[t->count - 1].part.to;
	c = &t->cells[t->count++];
	c->part = (struct tp_page_part){ from, t->text.text.len };
	while (c->part.from < c->part.to && t->text.text.p[c->part.from] == ' ')
		c->part.from++;
	while (c->part.from < c->part.to &&
	    t->text.text.p[c->part.to - 1] == ' ')
		c->part.to--;
	c->width = tp_page_part_width(&t->text, &c->part);
	c->head = head;
	c->right = right;
	c->name = take_name(&t->text, &c->part);
}

/* Whether a cell must not be cut: a short one that begins with a number. */
static int
is_fact(const struct tp_page_table *t, const struct tp_page_cell *c)
{
	const char *p = t->text.text.p + c->part.from;
	size_t n = c->part.to - c->part.from;

	if (!n || c->name || c->width >= FACT_WIDTH)
		return 0;
	if (n > 1 && strchr("+-~<>", *p))
		p++;
	return *p >= '0' && *p <= '9';
}

/* The width of the widest line if PART is broken at every possible end. */
static size_t
widest(const struct tp_page_table *t, struct tp_page_part part,
    enum tp_page_ends ends)
{
	struct tp_page_part line;
	size_t most = 0, w;

	while (tp_page_part_line(&t->text, &part, 1, ends, &line)) {
		w = tp_page_part_width(&t->text, &line);
		TP_MOST(most, w);
	}
	return most;
}

static size_t
lines_in(const struct tp_page_table *t, struct tp_page_part part, size_t width)
{
	struct tp_page_part line;
	size_t lines = 0;

	while (lines <= HEAD_LINES &&
	    tp_page_part_line(&t->text, &part, width, TP_ENDS_NAMES,
	    &line)) {
		lines++;
		if (tp_page_part_width(&t->text, &line) > width)
			return HEAD_LINES + 1;
	}
	return lines;
}

/*
 * The least width of a header with at most LINES; MOST if it needs more, where
 * its words are cut.
 */
static size_t
head_width(const struct tp_page_table *t, const struct tp_page_cell *c,
    size_t lines, size_t most)
{
	size_t width = 1;

	if (c->part.from == c->part.to)
		return 0;
	while (width < most && lines_in(t, c->part, width) > lines)
		width++;
	return width;
}

/*
 * How cells may break, from mild to severe: texts only; also numbers from
 * the words beside them; all at every word.
 */
enum breaking { TEXTS, FACTS, ALL_WORDS, BREAKINGS };

/* Add the needs of a cell to those of its COLUMN. */
static void
add_cell(const struct tp_page_table *t, const struct tp_page_cell *c,
    enum breaking breaking, struct tp_fit_column *column)
{
	size_t width = c->width, word = 0;
	int fact = is_fact(t, c);

	if (fact && breaking > TEXTS)
		width = widest(t, c->part, TP_ENDS_FACTS);
	TP_MOST(column->cells, width);
	if (breaking == ALL_WORDS && !c->name)
		word = widest(t, c->part, TP_ENDS_WORDS);
	if (fact && (word ? word : width) > column->whole)
		column->whole = word ? word : width;
	TP_LEAST(word, WORD_WIDTH);
	TP_MOST(word, width / MORE_LINES);
	if (breaking == ALL_WORDS && word > column->least)
		column->least = word;
}

/* Measure the cells of a column for the fitter. */
static void
measure_page_column(const struct tp_page_table *t, size_t column, size_t lines,
    enum breaking breaking, size_t screen, struct tp_fit_column *fit)
{
	const struct tp_page_cell *c;

	*fit = (struct tp_fit_column){ 0 };
	for (size_t i = column; i < t->count; i += t->columns) {
		c = &t->cells[i];
		if (c->head)
			fit->head = head_width(t, c, lines, screen / 2 <
			    HEAD_WIDTH ? screen / 2 : HEAD_WIDTH);
		else
			add_cell(t, c, breaking, fit);
	}
}

/*
 * Quality of a fit: columns left out, and a loss of lines beyond one per row
 * plus columns by which names are cut.
 */
struct fitted {
	size_t left_out, loss;
};

/* The loss with the widths in t->fit. */
static size_t
loss_of(const struct tp_page_table *t)
{
	const struct tp_page_cell *c = t->cells;
	size_t loss = 0, lines, most, width;

	for (size_t row = 0; row < t->count / t->columns; row++) {
		most = 1;
		for (size_t i = 0; i < t->columns; i++, c++) {
			width = t->fit[i].width;
			if (!width || c->head || c->width <= width)
				continue;
			lines = (c->width + width - 1) / width;
			if (c->name)
				loss += c->width - width;
			else if (lines > most)
				most = lines;
		}
		loss += most - 1;
	}
	return loss;
}

/*
 * Fit the columns with headers of LINES and store the widths in t->shape if the
 * result is better than BEST.
 */
static void
fit_columns(struct tp_page_table *t, size_t lines, enum breaking breaking,
    size_t screen, struct fitted *best)
{
	struct fitted now;

	for (size_t i = 0; i < t->columns; i++)
		measure_page_column(t, i, lines, breaking, screen, &t->fit[i]);
	now.left_out = t->columns - tp_fit_columns(t->fit, t->columns, GAP,
	    screen);
	now.loss = lines - 1 + loss_of(t);
	if (now.left_out > best->left_out ||
	    (now.left_out == best->left_out && now.loss >= best->loss))
		return;
	*best = now;
	for (size_t i = 0; i < t->columns; i++)
		t->shape[i].width = t->fit[i].width;
}

/*
 * Choose the best fit, with the mildest breaks and fewest header lines.
 * Returns the number of columns left out.
 */
static size_t
fit_table(struct tp_page_table *t, size_t screen)
{
	struct fitted best = { (size_t)-1, 0 };

	tp_grow(&t->shape, &t->shape_cap, t->columns, sizeof *t->shape);
	tp_grow(&t->fit, &t->fit_cap, t->columns, sizeof *t->fit);
	for (int breaking = 0; breaking < BREAKINGS && best.left_out;
	    breaking++)
		for (size_t lines = 1; lines <= HEAD_LINES; lines++)
			if (best.left_out || best.loss)
				fit_columns(t, lines, (enum breaking)breaking,
				    screen, &best);
	return best.left_out;
}

static void
spaces(struct tp_buf *out, size_t n)
{
	while (n-- > 0)
		tp_buf_chr(out, ' ');
}

/*
 * Print LINE in at most WIDTH columns, without its middle if it is wider.
 * Returns the columns used.
 */
static size_t
cut_line(const struct tp_page_table *t, const struct tp_page_part *line,
    size_t width, const struct tp_page_tty *tty, unsigned look,
    struct tp_buf *cut)
{
	size_t wide = tp_page_part_width(&t->text, line);

	if (wide <= width) {
		tp_page_part_print(cut, &t->text, line, tty->color, look);
		return wide;
	}
	look = ((unsigned char)t->text.looks.p[line->from] | look) *
	    (unsigned)tty->color;
	tp_page_look(cut, 0, look);
	wide = tp_fit_cut(cut, t->text.text.p + line->from,
	    line->to - line->from, width, tty->dots);
	tp_page_look(cut, look, 0);
	return wide;
}

/* The next line of the current cell in COLUMN. */
static struct tp_page_part
next_line(const struct tp_page_table *t, const struct tp_page_cell *cell,
    struct tp_page_column *column)
{
	enum tp_page_ends ends = TP_ENDS_WORDS;
	struct tp_page_part line;

	column->lines++;
	if ((cell->name || column->lines == CELL_LINES) && !cell->head) {
		line = column->rest;
		column->rest.from = column->rest.to;
		return line;
	}
	if (cell->head)
		ends = TP_ENDS_NAMES;
	else if (is_fact(t, cell) &&
	    widest(t, cell->part, TP_ENDS_FACTS) <= column->width)
		ends = TP_ENDS_FACTS;
	if (!tp_page_part_line(&t->text, &column->rest, column->width, ends,
	    &line))
		line = (struct tp_page_part){ 0, 0 };
	return line;
}

/* Whether a line of the current row is left to print. */
static int
is_more(const struct tp_page_table *t)
{
	for (size_t i = 0; i < t->columns; i++)
		if (t->shape[i].width &&
		    t->shape[i].rest.from < t->shape[i].rest.to)
			return 1;
	return 0;
}

/* Print one line of a row without trailing blanks. */
static void
print_line(struct tp_page_table *t, const struct tp_page_cell *cells,
    const struct tp_page_tty *tty, struct tp_buf *out)
{
	struct tp_page_column *c;
	struct tp_page_part line;
	struct tp_buf cut = { 0 };
	size_t blanks = 0, wide;

	for (size_t i = 0; i < t->columns; i++) {
		c = &t->shape[i];
		if (!c->width)
			continue;
		line = next_line(t, &cells[i], c);
		tp_buf_clear(&cut);
		wide = cut_line(t, &line, c->width, tty, cells[i].head ?
		    TP_LOOK_BOLD : 0, &cut);
		if (!wide) {
			blanks += c->width + GAP;
			continue;
		}
		spaces(out, blanks + (c->right ? c->width - wide : 0));
		if (cut.len)
			tp_buf_add(out, cut.p, cut.len);
		blanks = GAP + (c->right ? 0 : c->width - wide);
	}
	tp_buf_release(&cut);
}

/* The lines of a header.  Headers are aligned at the bottom. */
static size_t
lines_of(const struct tp_page_table *t, const struct tp_page_cell *cell,
    size_t width)
{
	struct tp_page_part rest = cell->part, line;
	size_t lines = 0;

	while (tp_page_part_line(&t->text, &rest, width, TP_ENDS_NAMES,
	    &line))
		lines++;
	return lines;
}

static void
print_head(struct tp_page_table *t, const struct tp_page_cell *cells,
    const struct tp_page_tty *tty, void (*prefix)(void *arg), void *arg,
    struct tp_buf *out)
{
	struct tp_page_column *c;
	size_t lines = 0, own;

	for (size_t i = 0; i < t->columns; i++) {
		c = &t->shape[i];
		own = c->width ? lines_of(t, &cells[i], c->width) : 0;
		lines = own > lines ? own : lines;
	}
	for (size_t line = lines; line-- > 0;) {
		for (size_t i = 0; i < t->columns; i++) {
			c = &t->shape[i];
			if (c->width && lines_of(t, &cells[i], c->width) ==
			    line + 1)
				c->rest = cells[i].part;
		}
		prefix(arg);
		print_line(t, cells, tty, out);
		tp_buf_chr(out, '\n');
	}
}

/* Print a thin line below the header. */
static void
print_rule(const struct tp_page_table *t, const struct tp_page_tty *tty,
    struct tp_buf *out)
{
	size_t blanks = 0;

	tp_page_look(out, 0, tty->color ? TP_LOOK_FAINT : 0);
	for (size_t i = 0; i < t->columns; i++) {
		if (!t->shape[i].width)
			continue;
		spaces(out, blanks);
		for (size_t k = 0; k < t->shape[i].width; k++)
			tp_buf_str(out, tty->utf8 ? "\xe2\x94\x80" : "-");
		blanks = GAP;
	}
	tp_page_look(out, tty->color ? TP_LOOK_FAINT : 0, 0);
	tp_buf_chr(out, '\n');
}

/* Print the number and the names of the columns left out. */
static void
tell_left_out(const struct tp_page_table *t, size_t count, size_t width,
    const struct tp_page_tty *tty, void (*prefix)(void *arg), void *arg,
    struct tp_buf *out)
{
	struct tp_page_text told = { 0 };
	struct tp_page_part part = { 0, 0 }, line;
	struct tp_buf text = { 0 };
	const char *before = ": ";

	tp_buf_fmt(&text, "%zu column%s not shown", count,
	    count == 1 ? "" : "s");
	for (size_t i = 0; i < t->columns && i < t->count; i++) {
		part = t->cells[i].part;
		if (t->shape[i].width || part.from == part.to)
			continue;
		tp_buf_str(&text, before);
		before = ", ";
		tp_fit_cut(&text, t->text.text.p + part.from,
		    part.to - part.from, width / 2, tty->dots);
	}
	tp_buf_str(&text, " (wider terminal, or the Markdown)");
	tp_page_text_add(&told, text.p, text.len, 0, 1);
	part = (struct tp_page_part){ 0, told.text.len };
	while (tp_page_part_line(&told, &part, width, TP_ENDS_WORDS, &line)) {
		prefix(arg);
		tp_page_part_print(out, &told, &line, tty->color,
		    TP_LOOK_FAINT);
		tp_buf_chr(out, '\n');
	}
	tp_page_text_release(&told);
	tp_buf_release(&text);
}

void
tp_page_table_print(struct tp_page_table *t, const struct tp_page_tty *tty,
    size_t width, void (*prefix)(void *arg), void *arg, struct tp_buf *out)
{
	const struct tp_page_cell *row = t->cells;
	size_t left_out = fit_table(t, width);
	size_t i, rows = t->columns ? t->count / t->columns : 0;

	for (i = 0; rows && i < t->columns; i++) {
		t->shape[i].right = row[i].right;
		t->shape[i].rest = (struct tp_page_part){ 0, 0 };
	}
	/* no column fits */
	if (left_out == t->columns)
		rows = 0;
	for (size_t r = 0; r < rows; r++, row += t->columns) {
		int blank = 1;

		for (i = 0; i < t->columns; i++) {
			t->shape[i].lines = 0;
			blank &= row[i].part.from == row[i].part.to;
		}
		if (row->head && blank)
			continue;
		if (row->head) {
			print_head(t, row, tty, prefix, arg, out);
			prefix(arg);
			print_rule(t, tty, out);
			continue;
		}
		for (i = 0; i < t->columns; i++)
			t->shape[i].rest = row[i].part;
		do {
			prefix(arg);
			print_line(t, row, tty, out);
			tp_buf_chr(out, '\n');
		} while (is_more(t));
	}
	if (left_out)
		tell_left_out(t, (size_t)left_out, width, tty, prefix, arg,
		    out);
}
