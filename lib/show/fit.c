/* fit - tables that fit the width of a terminal */
#include <string.h>

#include <tp/show/fit.h>
#include <tp/text.h>
#include <tp/width.h>

static size_t
least_of(size_t a, size_t b)
{
	return a < b ? a : b;
}

static size_t
most_of(size_t a, size_t b)
{
	return a > b ? a : b;
}

static int
is_number(const struct tp_fit_column *c)
{
	return c->whole == c->cells;
}

/* The width of a column without any cut. */
static size_t
wanted(const struct tp_fit_column *c)
{
	return most_of(most_of(c->cells, c->head), 1);
}

/* The least width of a column; SHARE is that of a text. */
static size_t
narrowest(const struct tp_fit_column *c, size_t share)
{
	if (c->least)
		share = c->least;
	return most_of(most_of(c->whole, least_of(c->cells, share)),
	    most_of(c->head, 1));
}

/*
 * The first text column wider than SHARE, which names the row; COUNT if there
 * is none.
 */
static size_t
find_name(const struct tp_fit_column *columns, size_t count, size_t share)
{
	for (size_t i = 0; i < count; i++)
		if (!is_number(&columns[i]) && columns[i].cells > share)
			return i;
	return count;
}

/*
 * Hide columns, the last first, until the USED columns fit into WIDTH.  Returns
 * the new USED.  The first pass keeps the first TP_FIT_NUMBERS numbers, the
 * first column and the one that names the row.
 */
static size_t
leave_out(struct tp_fit_column *columns, size_t count, size_t gap,
    size_t width, size_t used, size_t name)
{
	size_t numbers = 0, i;

	for (i = 0; i < count; i++)
		numbers += (size_t)is_number(&columns[i]);
	for (int any = 0; any < 2; any++)
		for (i = count; i-- > 0 && used > width;) {
			int number = is_number(&columns[i]);

			if (!columns[i].width || (!any && (number ?
			    numbers <= TP_FIT_NUMBERS : !i || i == name)))
				continue;
			numbers -= (size_t)number;
			used -= columns[i].width + gap;
			columns[i].width = 0;
		}
	return used;
}

/*
 * Widen columns, the narrowest first, until ROOM is used up or no column is
 * cut.
 */
static void
deal_out(struct tp_fit_column *columns, size_t count, size_t room)
{
	struct tp_fit_column *c;
	size_t i, least;

	while (room) {
		least = count;
		for (i = 0; i < count; i++) {
			c = &columns[i];
			if (c->width && c->width < wanted(c) &&
			    (least == count || c->width <
			    columns[least].width))
				least = i;
		}
		if (least == count)
			return;
		columns[least].width++;
		room--;
	}
}

size_t
tp_fit_columns(struct tp_fit_column *columns, size_t count, size_t gap,
    size_t width)
{
	/* shares of the name column and of other texts */
	size_t of_name = width * 3 / 8, share = width / 5;
	size_t name = find_name(columns, count, share);
	size_t shown = 0, used = 0, i;

	for (i = 0; i < count; i++) {
		columns[i].width = narrowest(&columns[i],
		    i == name ? of_name : share);
		used += columns[i].width + gap;
	}
	/* the last column is counted with a gap, too */
	width += gap;
	used = leave_out(columns, count, gap, width, used, name);
	for (i = 0; i < count; i++)
		shown += columns[i].width > 0;
	deal_out(columns, count, width - used);
	return shown;
}

size_t
tp_fit_lost(const struct tp_fit_column *columns, size_t count)
{
	size_t lost = 0;

	for (size_t i = 0; i < count; i++)
		if (columns[i].width && columns[i].width < columns[i].cells)
			lost += columns[i].cells - columns[i].width;
	return lost;
}

/* The bytes of the character at P; *WIDTH gets its columns. */
static size_t
char_at(const char *p, const char *end, size_t *width)
{
	uint32_t c;
	size_t n = tp_utf8(p, (size_t)(end - p), &c);

	*width = n ? tp_char_width(c) : 1;
	return n ? n : 1;
}

size_t
tp_fit_cut(struct tp_buf *buf, const char *text, size_t len, size_t width,
    const char *dots)
{
	size_t all = tp_text_width(text, len), dot = tp_text_width(dots,
	    strlen(dots)), head = 0, tail, w, n;
	const char *p = text, *end = text + len;

	if (all <= width) {
		tp_buf_add(buf, text, len);
		return all;
	}
	if (width < dot)
		dot = 0, dots = "";
	tail = (width - dot) / 2;
	for (; p < end; p += n) {
		n = char_at(p, end, &w);
		if (head + w > width - dot - tail)
			break;
		head += w;
	}
	tp_buf_add(buf, text, (size_t)(p - text));
	tp_buf_str(buf, dots);
	/* skip the middle until the rest fits into TAIL */
	for (all -= head; p < end && all > tail; p += n) {
		n = char_at(p, end, &w);
		all -= w;
	}
	/* skip combining marks of an omitted character */
	for (; p < end; p += n) {
		n = char_at(p, end, &w);
		if (w)
			break;
	}
	tp_buf_add(buf, p, (size_t)(end - p));
	return head + dot + all;
}
