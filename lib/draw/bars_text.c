/* bars_text - the largest times as bars, as lines of a terminal */
#include <string.h>

#include <tp/order.h>
#include <tp/width.h>

#include "draw/bars.h"
#include "draw/blocks.h"

/* NAME, GROUP: 1/N of all columns.  SHARE, WIDE: columns. */
enum { NAME = 3, GROUP = 5, SHARE = 8, WIDE = 72 };

struct page {
	const struct tp_bars *bars;
	const struct tp_blocks *blocks;
	struct tp_buf *buf;
	size_t name, plot, size, group;
};

static void
bar(struct page *p, const struct tp_bars_panel *panel,
    const struct tp_bar *bar)
{
	const struct tp_bars *c = p->bars;
	size_t n = (size_t)((double)bar->size / (double)c->most *
	    (double)p->plot + 0.5);
	struct tp_buf text = { 0 };

	tp_blocks_name(p->buf, p->blocks, bar->name, p->name);
	n = n < 1 ? 1 : n > p->plot ? p->plot : n;
	for (size_t i = 0; i < n; i++)
		tp_buf_str(p->buf, p->blocks->heights[bar->is_left ? 4 : 8]);
	tp_blocks_pad(p->buf, p->plot - n);
	tp_bars_size(c, bar->size, &text);
	tp_blocks_right(p->buf, &text, p->size + 1);
	tp_buf_clear(&text);
	tp_bars_share(panel, bar->size, &text);
	tp_blocks_right(p->buf, &text, SHARE);
	tp_buf_release(&text);
	if (!bar->is_left && p->group) {
		tp_blocks_pad(p->buf, 2);
		tp_blocks_cell(p->buf, p->blocks, tp_groups_name(
		    &c->groups, bar->group), p->group);
	}
	tp_blocks_end(p->buf);
}

void
tp_bars_text(const struct tp_bars *c, size_t columns, int ascii,
    struct tp_buf *b)
{
	struct page p = { .bars = c, .blocks = tp_blocks(ascii), .buf = b };
	struct tp_buf text = { 0 };
	size_t n;

	for (size_t i = 0; i < c->panel_count; i++)
		for (size_t k = 0; k < c->panels[i].row_count; k++) {
			const char *name = c->panels[i].rows[k].name;

			n = tp_text_width(name, strlen(name));
			p.name = n > p.name ? n : p.name;
			tp_buf_clear(&text);
			tp_bars_size(c, c->panels[i].rows[k].size, &text);
			p.size = text.len > p.size ? text.len : p.size;
		}
	for (size_t i = 0; i < c->groups.names.count; i++) {
		const struct tp_name *group = &c->groups.names.names[i];

		n = tp_text_width(group->text, group->len);
		p.group = n > p.group ? n : p.group;
	}
	TP_LEAST(p.name, columns / NAME);
	TP_LEAST(p.group, columns / GROUP);
	if (columns < WIDE)
		p.group = 0;
	n = p.name + 1 + p.size + 1 + SHARE + (p.group ? p.group + 2 : 0);
	p.plot = columns > n ? columns - n : 1;
	tp_buf_clear(&text);
	for (size_t i = 0; i < c->panel_count; i++) {
		tp_bars_caption(c, &c->panels[i], &text);
		tp_blocks_words(b, &text, columns);
		for (size_t k = 0; k < c->panels[i].row_count; k++)
			bar(&p, &c->panels[i], &c->panels[i].rows[k]);
	}
	if (c->left.count)
		tp_buf_fmt(b, "Not drawn: %zu more trace%s\n", c->left.count,
		    c->left.count == 1 ? "" : "s");
	tp_buf_release(&text);
}
