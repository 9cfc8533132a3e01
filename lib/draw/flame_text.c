/* flame_text - a tree with the time of each branch, as lines of a terminal */
#include <tp/show/fit.h>
#include <tp/width.h>

#include "draw/blocks.h"
#include "draw/flame.h"
#include "draw/scale.h"

enum {
	LINES = 20,
	LEAST = 50,		/* parts below 1/N of the whole have no line */
	SHARE = 8, AMOUNT = 8,	/* least columns of numbers */
	BAR_PART = 8,		/* 1/N of all columns */
};

static void
node(const struct tp_flame *f, size_t at, size_t wide, size_t columns,
    const struct tp_blocks *blocks, struct tp_buf *b)
{
	const struct tp_flame_node *n = &f->nodes[at];
	size_t bar = columns / BAR_PART, room = columns - SHARE - wide - bar -
	    4, full, row = n->row - f->base;
	struct tp_buf text = { 0 };

	tp_flame_share(f, n->total, &text);
	tp_blocks_right(b, &text, SHARE);
	tp_buf_clear(&text);
	tp_flame_amount(f, n->total, &text);
	tp_blocks_right(b, &text, wide + 1);
	tp_buf_clear(&text);
	tp_buf_chr(b, ' ');
	full = ((size_t)tp_scale(n->total, 0, f->nodes[0].total, (int)(2 *
	    bar)) + 1) / 2;
	for (size_t i = 0; i < bar; i++)
		tp_buf_str(b, i < full || !i ? blocks->heights[8] : " ");
	row = row < room / 2 ? row : room / 2;
	tp_blocks_pad(b, row + 2);
	tp_flame_name(f, at, &text);
	tp_fit_cut(b, text.p, text.len, room - row, blocks->dots);
	tp_buf_chr(b, '\n');
	tp_buf_release(&text);
}

void
tp_flame_text(const struct tp_flame *f, size_t columns, int ascii,
    struct tp_buf *b)
{
	struct tp_buf text = { 0 };
	const struct tp_flame_node *n;
	size_t at = 0, wide, left = 0;
	int64_t most = 0;

	tp_flame_amount(f, f->nodes[0].total, &text);
	wide = tp_text_width(text.p, text.len);
	wide = wide < AMOUNT ? AMOUNT : wide > columns / 3 ? columns / 3 :
	    wide;
	tp_buf_clear(&text);
	tp_flame_words(f, &text);
	tp_blocks_words(b, &text, columns);
	do {
		n = &f->nodes[at];
		if (!tp_flame_is_drawn(f, at)) {
			;
		} else if (n->rank < LINES && n->total >=
		    f->nodes[0].total / LEAST) {
			node(f, at, wide, columns, tp_blocks(ascii),
			    b);
		} else {
			left++;
			most = n->total > most ? n->total : most;
		}
		at = tp_flame_next(f, at);
	} while (at);
	if (left) {
		struct tp_buf why = { 0 };

		tp_buf_str(&why, "of at most ");
		tp_flame_share(f, most, &why);
		tp_buf_str(&why, "");
		tp_flame_left(f, left, why.p, &text);
		tp_buf_release(&why);
	}
	tp_flame_rest(f, &text);
	if (text.len)
		tp_blocks_words(b, &text, columns);
	tp_buf_release(&text);
}
