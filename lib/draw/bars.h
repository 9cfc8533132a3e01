/*
 * bars - the largest times as bars, largest first
 *
 * Made from records as share/pictures says, then drawn as SVG (bars_svg.c)
 * or text (bars_text.c).  Each trace is a panel; all panels have one scale.
 * The largest items have a bar each, the others share one, and one more bar
 * shows the part of the whole that no record covers, so the bars add up to
 * the whole.
 *
 * Memory: 40 bytes per record, and names.
 */
#ifndef TP_DRAW_BARS_H
#define TP_DRAW_BARS_H

#include <tp/alloc.h>
#include <tp/hash.h>

#include "draw/groups.h"
#include "draw/picture.h"

#define TP_BARS_PANELS 4
#define TP_BARS_ROWS 12		/* per panel; half with several panels */

struct tp_bar {
	const char *name;
	int is_left;		/* no item: others, or uncovered time */
	size_t group, order;
	int64_t size;
};

struct tp_bars_panel {
	const char *name;		/* name of its trace, for display */
	const char *src;
	struct tp_bar *list;		/* all, largest first */
	size_t count, cap;
	/* One more than ROWS, instead of a bar "1 other". */
	struct tp_bar rows[TP_BARS_ROWS + 2];
	size_t row_count;
	int64_t whole;
};

struct tp_bars {
	struct tp_arena arena;
	const char *key;	/* key that is measured; gives the unit */
	const char *base;	/* name of the whole, for shares */
	const char *rest;	/* name of the part without records */
	struct tp_groups groups;
	struct tp_bars_panel panels[TP_BARS_PANELS];
	size_t panel_count;
	struct tp_names left;	/* traces beyond the panels */
	int64_t most;		/* the longest bar */
};

TP_DRAW_HEAD(bars);

void tp_bars_svg(const struct tp_bars *c, struct tp_drawing *d);
void tp_bars_text(const struct tp_bars *c, size_t columns, int ascii,
    struct tp_buf *b);

/* "732 us"; "33.1 %" of the whole of P. */
void tp_bars_size(const struct tp_bars *c, int64_t size, struct tp_buf *b);
void tp_bars_share(const struct tp_bars_panel *p, int64_t size,
    struct tp_buf *b);
/* "Shares are of GPU time: 2.21 ms". */
void tp_bars_caption(const struct tp_bars *c, const struct tp_bars_panel *p,
    struct tp_buf *b);

#endif
