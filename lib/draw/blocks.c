/* blocks - pictures made of characters */
#include <string.h>

#include <tp/order.h>
#include <tp/show/fit.h>
#include <tp/width.h>

#include "draw/blocks.h"

/* The signs are in the order of enum tp_sign. */
static const struct tp_blocks unicode = {
	{ " ", "\xe2\x96\x81", "\xe2\x96\x82", "\xe2\x96\x83", "\xe2\x96\x84",
	    "\xe2\x96\x85", "\xe2\x96\x86", "\xe2\x96\x87", "\xe2\x96\x88" },
	"\xc2\xb7", "\xe2\x80\xa6",
	{
		" ", " ", "\xe2\x96\x91", "\xe2\x96\x93",
		    "\xe2\x96\x91", "\xe2\x94\x81", "\xe2\x94\x80",
		    "\xe2\x94\x82", "/", "\xe2\x97\x8f", "\xe2\x97\x8b",
		    "\xc3\x97", "\xe2\x97\x82", "\xe2\x96\xb8",
		    "\xe2\x96\x88", "\xe2\x96\x92", "\xe2\x96\x93",
		    "\xe2\x96\x9a", "\xe2\x96\x84", "\xe2\x96\x9e",
		    "\xe2\x96\x99", "\xe2\x96\x9f", "\xe2\x96\x80",
		    "\xe2\x96\x90", "\xe2\x96\x81", "\xe2\x96\x82",
		    "\xe2\x96\x83", "\xc2\xb7", "\xe2\x96\x85",
		    "\xe2\x96\x87", "\xe2\x96\x88"
	}
}, plain = {
	{ " ", ".", ".", "-", "-", "=", "=", "#", "#" }, " ", "..",
	{
		" ", " ", ".", "+", "-", "=", "-", "|", "/", "*", "o",
		    "x", "<", ">", "#", "=", "+", "o", "x", "%", "*", "@",
		    "-", ":", ".", ":", "-", "=", "+", "*", "#"
	}
};

const struct tp_blocks *
tp_blocks(int ascii)
{
	return ascii ? &plain : &unicode;
}

void
tp_blocks_height(struct tp_buf *buf, const struct tp_blocks *blocks,
    double share)
{
	int n = (int)(share * 8 + 0.5);

	if (share <= 0) {
		tp_buf_str(buf, blocks->idle);
		return;
	}
	n = n < 1 ? 1 : n > 8 ? 8 : n;
	/* a nearly full lane must look different from a full one */
	if (n == 8 && share < 0.98)
		n = 7;
	tp_buf_str(buf, blocks->heights[n]);
}

void
tp_blocks_area(struct tp_buf *buf, const struct tp_blocks *blocks,
    double part)
{
	int n = part <= 0 ? 0 : part >= 1 ? 8 : (int)(part * 8 + 0.5);

	tp_buf_str(buf, blocks->heights[n]);
}

void
tp_blocks_pad(struct tp_buf *buf, size_t columns)
{
	while (columns--)
		tp_buf_chr(buf, ' ');
}

void
tp_blocks_cell(struct tp_buf *buf, const struct tp_blocks *blocks,
    const char *text, size_t columns)
{
	tp_blocks_pad(buf, columns - tp_fit_cut(buf, text, strlen(text),
	    columns, blocks->dots));
}

void
tp_blocks_end(struct tp_buf *buf)
{
	while (buf->len && buf->p[buf->len - 1] == ' ')
		buf->len--;
	tp_buf_chr(buf, '\n');
}

void
tp_blocks_words(struct tp_buf *buf, struct tp_buf *text, size_t columns)
{
	size_t at = 0, n, widest = 0;

	tp_buf_str(text, "");
	for (; at < text->len; at += n + 1) {
		n = strcspn(text->p + at, " ");
		TP_MOST(widest, tp_text_width(text->p + at, n));
	}
	if (widest > columns)
		tp_fit_cut(buf, text->p, text->len, columns, "..");
	else
		tp_wrap(buf, text->p, 0, 0, columns);
	tp_buf_chr(buf, '\n');
	tp_buf_clear(text);
}
