/* columns_text - steps or runs as columns, as lines of a terminal */
#include <string.h>

#include <tp/text.h>
#include <tp/unit.h>
#include <tp/width.h>

#include "draw/blocks.h"
#include "draw/columns.h"

enum { HEIGHT = 5, LOW = 3, LEFT = 10, MOST = 6 };

/*
 * Write a time at the right end of LEFT columns; nothing if it is wider, which
 * no time of a trace is.
 */
static void
margin(struct tp_buf *b, int64_t t)
{
	struct tp_buf text = { 0 };

	if (t)
		tp_unit_ns(&text, t);
	if (text.len >= LEFT)
		tp_buf_clear(&text);
	tp_blocks_right(b, &text, LEFT - 1);
	tp_buf_chr(b, ' ');
	tp_buf_release(&text);
}

static void
panel(const struct tp_columns *c, const struct tp_columns_panel *p,
    size_t columns, const struct tp_blocks *blocks, struct tp_buf *b)
{
	size_t plot = columns - LEFT, each = (p->count + plot - 1) / plot;
	size_t n = (p->count + each - 1) / each, slot = plot / n, width, at;
	int height = c->panel_count > 2 ? LOW : HEIGHT;
	struct tp_buf text = { 0 };
	double part;

	slot = slot > MOST ? MOST : slot;
	width = slot - (slot > 2);
	if (c->panel_count > 1) {
		tp_show_text(&text, p->name, strlen(p->name));
		tp_blocks_words(b, &text, columns);
	}
	for (int row = height - 1; row >= 0; row--) {
		margin(b, row == height - 1 ? c->most : 0);
		for (size_t i = 0; i < n; i++) {
			part = (double)tp_columns_longest(p, i * each,
			    (i + 1) * each)->whole / (double)c->most *
			    height - row;
			for (size_t k = 0; k < width; k++)
				tp_blocks_area(b, blocks, part);
			tp_blocks_pad(b, slot - width);
		}
		tp_blocks_end(b);
	}
	margin(b, 0);
	for (size_t i = at = 0; i < n; i++) {
		const struct tp_column *col = tp_columns_longest(p, i * each,
		    (i + 1) * each);

		tp_buf_clear(&text);
		tp_buf_fmt(&text, "%s%s", col->name, col->hatched ? "*" : "");
		if ((at && i * slot < at + 1) || i * slot +
		    tp_text_width(text.p, text.len) > plot)
			continue;
		tp_blocks_pad(b, i * slot - at);
		tp_buf_add(b, text.p, text.len);
		at = i * slot + tp_text_width(text.p, text.len);
	}
	tp_blocks_end(b);
	tp_buf_clear(&text);
	tp_columns_words(c, p, &text);
	tp_blocks_words(b, &text, columns);
	for (at = 0; at < p->count && !p->list[at].hatched; at++)
		;
	if (at < p->count) {
		tp_buf_fmt(&text, "* %s", c->hatched);
		tp_blocks_words(b, &text, columns);
	}
	if (each > 1) {
		tp_buf_fmt(&text, "a column is the longest of %zu %ss", each,
		    c->word);
		tp_blocks_words(b, &text, columns);
	}
	tp_buf_release(&text);
}

void
tp_columns_text(const struct tp_columns *c, size_t columns, int ascii,
    struct tp_buf *b)
{
	for (size_t i = 0; i < c->panel_count; i++)
		if (c->panels[i].count) {
			if (i)
				tp_buf_chr(b, '\n');
			panel(c, &c->panels[i], columns, tp_blocks(ascii), b);
		}
	if (c->left.count)
		tp_buf_fmt(b, "Not drawn: %zu more trace%s\n", c->left.count,
		    c->left.count == 1 ? "" : "s");
}
