/* flame_svg - a tree with the time of each branch, as SVG */
#include <string.h>

#include <tp/show/fit.h>

#include "draw/flame.h"
#include "draw/scale.h"
#include "draw/svg.h"

/*
 * Lengths in tenths of a pixel.  The root is the top row: readers begin
 * there, and if stacks are deeper than the picture only their ends are
 * missing.
 */
enum {
	PAD = 80,
	PLOT = TP_SVG_WIDTH - 2 * PAD,
	LINE = 160,
	ROW = 160, FOOT = 45,	/* FOOT: from the bottom of a row to its
				 * letters */
	GAP = 5,		/* between marks */
	INSET = 30,		/* of letters in a mark */
	LEAST = 3,		/* least width of a mark */
	ROWS = 40,
	MARKS = 361,		/* most marks: about 60 KB */
	LETTERS = 8,		/* least letters of a cut name */
	COLUMNS = 4,		/* of the legend */
	BOX = 100,
};

struct mark {
	size_t node;
	int x, width, row;
	int labelled;
};

struct page {
	const struct tp_flame *flame;
	struct tp_buf *buf;
	size_t groups[TP_GROUPS], group_count;
	const char *colours[TP_GROUPS];
	struct mark marks[MARKS + 1];
	size_t mark_count;
	size_t narrow, deep, small;	/* numbers of nodes not drawn */
	int y, rows;
};

/*
 * The colour of NODE as an index; the last is shared by all groups without one
 * of their own.
 */
static size_t
group_of(const struct page *p, const struct tp_flame_node *node)
{
	size_t i = 0;

	while (i < p->group_count && p->groups[i] != node->group)
		i++;
	return i;
}

static const char *
colour(const struct page *p, size_t group)
{
	return group < p->group_count ? p->colours[group] :
	    tp_svg_colour(p->group_count ? "grey" : "blue");
}

/* Choose the groups with a colour among those that took time. */
static void
choose_groups(struct page *p)
{
	const struct tp_flame_tally *t = &p->flame->groups;
	const struct tp_groups *g = &p->flame->colours;

	for (size_t place = 0; place < g->count; place++)
		for (size_t i = 0; i < t->names.count; i++) {
			if (!t->sums[i] || strcmp(t->names.names[i].text,
			    g->top[place]) != 0)
				continue;
			p->colours[p->group_count] = g->colours[place];
			p->groups[p->group_count++] = i;
		}
}

/* How many letters fit into a mark. */
static int
letters(const struct mark *m)
{
	return (m->width - 3 * INSET) / tp_svg_text_width("m");
}

static void
lay_out_node(struct page *p, size_t at)
{
	const struct tp_flame *f = p->flame;
	const struct tp_flame_node *n = &f->nodes[at];
	int64_t whole = f->nodes[0].total;
	struct mark *m = &p->marks[p->mark_count];
	struct tp_buf name = { 0 };

	if (!tp_flame_is_drawn(f, at))
		return;
	m->node = at;
	m->x = tp_scale(n->from, 0, whole, PLOT);
	m->width = tp_scale(n->from + n->total, 0, whole, PLOT) - m->x;
	if (m->width < LEAST) {
		p->narrow++;
	} else if (n->row - f->base >= ROWS) {
		p->deep++;
	} else if (n->rank >= MARKS) {
		p->small++;
	} else {
		m->row = (int)(n->row - f->base);
		p->rows = m->row < p->rows ? p->rows : m->row + 1;
		tp_flame_name(f, at, &name);
		m->labelled = letters(m) >= LETTERS || tp_svg_text_width(
		    tp_svg_words(&name)) <= m->width - 3 * INSET;
		p->mark_count++;
	}
	tp_buf_release(&name);
}

/* Write NAME and its SHARE if both fit, else as much of NAME as fits. */
static void
label(struct page *p, const struct mark *m, struct tp_buf *name,
    const char *share)
{
	size_t most = (size_t)letters(m), len = name->len;
	struct tp_buf cut = { 0 };

	tp_buf_fmt(name, " %s", share);
	if (tp_svg_text_width(tp_svg_words(name)) > m->width - 3 * INSET)
		name->len = len;
	tp_fit_cut(&cut, name->p, name->len, most, "\xe2\x80\xa6");
	tp_buf_str(&cut, "");
	tp_svg_text(p->buf, PAD + m->x + INSET, p->y + (m->row + 1) * ROW -
	    FOOT, TP_SVG_START, 0, tp_svg_words(&cut));
	tp_buf_release(&cut);
}

static void
title(const struct page *p, size_t at, struct tp_buf *b)
{
	const struct tp_flame *f = p->flame;
	const struct tp_flame_node *n = &f->nodes[at];

	tp_flame_name(f, at, b);
	if (at && n->group != TP_FLAME_NONE)
		tp_buf_fmt(b, ", %s", f->groups.names.names[n->group].text);
	tp_buf_str(b, ": ");
	tp_flame_amount(f, n->total, b);
	tp_buf_str(b, " (");
	tp_flame_share(f, n->total, b);
	if (at && n->self) {
		tp_buf_str(b, "), self ");
		tp_flame_amount(f, n->self, b);
		tp_buf_str(b, " (");
		tp_flame_share(f, n->self, b);
	}
	tp_buf_chr(b, ')');
}

static void
rect(struct page *p, const struct mark *m, const char *fill, int percent,
    const char *words)
{
	tp_svg_rect(p->buf, PAD + m->x, p->y + m->row * ROW, m->width > 4 *
	    GAP ? m->width - GAP : m->width, ROW - GAP, fill, percent, words);
}

static int
shade(const struct mark *m)
{
	return m->row % 2 ? 60 : 45;
}

/* Draw the marks without a label that share a colour and a shade. */
static void
plain(struct page *p, size_t group, int percent)
{
	const struct tp_flame_node *nodes = p->flame->nodes;
	struct tp_buf words = { 0 };
	int any = 0;

	for (size_t i = 0; i < p->mark_count; i++) {
		const struct mark *m = &p->marks[i];

		if (m->labelled || shade(m) != percent || group_of(p,
		    &nodes[m->node]) != group)
			continue;
		if (!any++)
			tp_svg_group(p->buf, colour(p, group), percent);
		tp_buf_clear(&words);
		title(p, m->node, &words);
		rect(p, m, "currentColor", 100, tp_svg_words(&words));
	}
	if (any)
		tp_buf_str(p->buf, "</g>\n");
	tp_buf_release(&words);
}

static void
labelled(struct page *p, const struct mark *m)
{
	const struct tp_flame *f = p->flame;
	const struct tp_flame_node *n = &f->nodes[m->node];
	struct tp_buf words = { 0 }, name = { 0 };

	title(p, m->node, &words);
	tp_buf_str(p->buf, "<g>");
	tp_svg_title(p->buf, tp_svg_words(&words));
	if (m->node)
		rect(p, m, colour(p, group_of(p, n)), shade(m), NULL);
	else
		rect(p, m, "currentColor", 15, NULL);
	tp_flame_name(f, m->node, &name);
	tp_buf_clear(&words);
	tp_flame_share(f, n->total, &words);
	label(p, m, &name, tp_svg_words(&words));
	tp_buf_str(p->buf, "</g>\n");
	tp_buf_release(&words);
	tp_buf_release(&name);
}

/*
 * Write the groups with the largest own time, and all others as one; Y is the
 * baseline of the first line.
 */
static void
legend(struct page *p, int y)
{
	const struct tp_flame *f = p->flame;
	int64_t rest = f->nodes[0].total;
	int room = PLOT / COLUMNS;
	struct tp_buf text = { 0 };

	tp_buf_fmt(&text, "self, by %s:", f->grouped_by);
	tp_svg_text(p->buf, PAD, y, TP_SVG_START, room - INSET,
	    tp_svg_words(&text));
	for (size_t i = 0; i <= p->group_count; i++) {
		int cell = (int)i + 1, x = PAD + cell % COLUMNS * room;
		int foot = y + cell / COLUMNS * LINE;
		int64_t n = i < p->group_count ?
		    f->groups.sums[p->groups[i]] : rest;

		if (i == p->group_count && !rest)
			break;
		rest -= n;
		tp_buf_clear(&text);
		tp_buf_fmt(&text, "%s ", i < p->group_count ?
		    f->groups.names.names[p->groups[i]].text : "other");
		tp_flame_share(f, n, &text);
		tp_svg_rect(p->buf, x, foot - BOX + 10, BOX, BOX, colour(p,
		    i), 60, NULL);
		tp_svg_text(p->buf, x + BOX + INSET, foot, TP_SVG_START, room
		    - BOX - 3 * INSET, tp_svg_words(&text));
	}
	tp_buf_release(&text);
}

void
tp_flame_svg(const struct tp_flame *f, struct tp_drawing *d)
{
	struct tp_buf *b = &d->picture;
	struct page p = { .flame = f, .buf = b, .y = PAD + LINE };
	struct tp_buf text = { 0 }, rest = { 0 };
	int y, lines;
	size_t at = 0;

	choose_groups(&p);
	do {
		lay_out_node(&p, at);
		at = tp_flame_next(f, at);
	} while (at);
	tp_flame_left(f, p.narrow, "narrower than 0.3 pixels", &rest);
	tp_flame_left(f, p.deep, "deeper", &rest);
	tp_flame_left(f, p.small, "smaller than these", &rest);
	tp_flame_rest(f, &rest);
	lines = p.group_count ? ((int)p.group_count + 1) / COLUMNS + 1 : 0;
	y = p.y + p.rows * ROW + PAD / 2;
	tp_svg_begin(b, TP_SVG_WIDTH, y + (lines + (rest.len > 0)) * LINE +
	    PAD / 2, d, 0);
	tp_flame_words(f, &text);
	tp_svg_text(b, PAD, PAD + BOX, TP_SVG_START, PLOT,
	    tp_svg_words(&text));
	for (size_t i = 0; i <= p.group_count; i++) {
		plain(&p, i, 45);
		plain(&p, i, 60);
	}
	for (size_t i = 0; i < p.mark_count; i++)
		if (p.marks[i].labelled)
			labelled(&p, &p.marks[i]);
	y += LINE - FOOT;
	if (lines)
		legend(&p, y);
	if (rest.len)
		tp_svg_text(b, PAD, y + lines * LINE, TP_SVG_START, PLOT,
		    tp_svg_words(&rest));
	tp_svg_end(b);
	tp_buf_release(&text);
	tp_buf_release(&rest);
}
