/* stack - what a whole is made of: one bar of 100 %, and a line per part */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/json.h>
#include <tp/order.h>
#include <tp/show/fit.h>
#include <tp/unit.h>
#include <tp/width.h>

#include "draw/blocks.h"
#include "draw/scale.h"
#include "draw/stack.h"
#include "draw/svg.h"
#include "draw/words.h"

/* Lengths in tenths of a pixel, except for numbers of items. */
enum {
	PANELS = 4, SAID = 3,
	PAD = 80, LINE = 170, BAR = 260, BOX = 100,
	PLOT = TP_SVG_WIDTH - 2 * PAD,
	TIME = 6300, SHARE = 7100, WITHOUT = 8100,	/* right ends */
	NARROW = 24,		/* columns of a name */
};

enum column { COLUMN_TIME, COLUMN_SHARE, COLUMN_WITHOUT, COLUMNS };

static const char *const headings[COLUMNS] = { "time", "share",
    "without" };

struct part {
	const char *name, *colour;
	const char *columns[COLUMNS];
	int64_t size;
	int hatched, percent;	/* percent: of opacity */
};

struct stack_panel {
	const char *src, *name;
	struct part *parts;
	size_t count, cap;
	int64_t whole;
	const char *joint[COLUMNS];	/* of all parts together; or NULL */
};

struct tp_stack {
	struct tp_arena arena;
	struct stack_panel panels[PANELS];
	size_t panel_count, left_count;	/* left: not drawn */
};

static const char *
number(struct tp_stack *c, const char *key, double x)
{
	struct tp_buf text = { 0 };
	const char *words;

	if (key)
		tp_scale_real(&text, key, x);
	else
		tp_unit_percent(&text, x);
	words = tp_arena_text(&c->arena, text.p, text.len);
	tp_buf_release(&text);
	return words;
}

/* Read the whole of each trace, a panel. */
static int
read_wholes(struct tp_stack *c, const cJSON *spec, const struct tp_set *set,
    struct tp_err *err)
{
	const char *key = tp_json_text(spec, "key");
	const char *joint = tp_json_text(spec, "joint");
	const struct tp_rec *rec;
	size_t at = 0;
	int64_t n;

	while ((rec = tp_words_next(spec, set, &at))) {
		struct stack_panel *p = &c->panels[c->panel_count];

		if (!key || !tp_rec_int(rec, key, &n) || n <= 0 ||
		    n > TP_SCALE_FAR)
			continue;
		if (c->panel_count == PANELS) {
			c->left_count++;
			continue;
		}
		p->src = rec->src;
		p->whole = n;
		p->name = tp_words(&c->arena, spec, "name", set, rec, err);
		if (!p->name)
			return -1;
		if (joint && tp_rec_int(rec, joint, &n) && n > 0 &&
		    n < p->whole) {
			p->joint[COLUMN_TIME] = number(c, joint, (double)n);
			p->joint[COLUMN_SHARE] = number(c, NULL, (double)n /
			    (double)p->whole);
			p->joint[COLUMN_WITHOUT] = number(c, "ceiling_factor",
			    (double)p->whole / (double)(p->whole - n));
		}
		c->panel_count++;
	}
	return 0;
}

/* The class of CLASSES with NAME as a member; NULL if there is none. */
static const cJSON *
class_of(const cJSON *classes, const char *name)
{
	const cJSON *class;

	cJSON_ArrayForEach(class, classes)
		if (name && tp_json_holds(tp_json_get(class, "of"), name))
			return class;
	return NULL;
}

static int
add_part(struct tp_stack *c, struct stack_panel *p, const cJSON *spec,
    const cJSON *classes, const struct tp_set *set, const struct tp_rec *rec,
    struct tp_err *err)
{
	const char *key = tp_json_text(spec, "key"), *colour;
	const char *class_key = tp_json_text(spec, "class");
	const char *name = class_key ? tp_rec_text(rec, class_key) : NULL;
	const cJSON *class = class_of(classes, name);
	struct part part = { 0 };

	if (!key || !tp_rec_int(rec, key, &part.size) || part.size <= 0 ||
	    part.size > TP_SCALE_FAR)
		return 0;
	part.name = tp_words(&c->arena, spec, "name", set, rec, err);
	part.columns[COLUMN_WITHOUT] = tp_words(&c->arena, spec, "without",
	    set, rec, err);
	if (!part.name || !part.columns[COLUMN_WITHOUT])
		return -1;
	if (!*part.name && name)
		part.name = name;
	part.columns[COLUMN_TIME] = number(c, key, (double)part.size);
	part.columns[COLUMN_SHARE] = number(c, NULL, (double)part.size /
	    (double)p->whole);
	colour = tp_json_text(class, "colour");
	part.colour = tp_svg_colour(colour ? colour : "grey");
	part.hatched = cJSON_IsTrue(tp_json_get(class, "hatched"));
	/* parts of one class are told apart by their shades */
	part.percent = part.hatched ? 25 : 75;
	for (size_t i = 0; i < p->count && !part.hatched; i++)
		if (p->parts[i].colour == part.colour && part.percent > 35)
			part.percent -= 15;
	TP_APPEND(p->parts, p->count, p->cap, part);
	return 0;
}

/*
 * Read what PICTURE shows of SET.  Returns 1, 0 if there are no parts, or -1
 * with ERR.  C must be released in any case.
 */
static int
make(struct tp_stack *c, const struct cJSON *picture,
    const struct tp_set *set, struct tp_err *err)
{
	const cJSON *spec = tp_words_first(tp_json_get(picture, "from"), set);
	const struct tp_rec *rec;
	size_t at = 0, any = 0;

	memset(c, 0, sizeof *c);
	if (spec && read_wholes(c, tp_json_get(spec, "whole"), set, err) < 0)
		return -1;
	while (spec && (rec = tp_words_next(spec, set, &at)))
		for (size_t i = 0; i < c->panel_count; i++)
			if (!strcmp(c->panels[i].src, rec->src)) {
				if (add_part(c, &c->panels[i], spec,
				    tp_json_get(picture, "classes"), set, rec,
				    err) < 0)
					return -1;
				break;
			}
	for (size_t i = 0; i < c->panel_count; i++) {
		struct stack_panel *p = &c->panels[i];
		int64_t sum = 0;

		for (size_t k = 0; k < p->count; k++)
			tp_scale_sum(&sum, p->parts[k].size);
		TP_MOST(p->whole, sum);
		if (p->count)
			c->panels[any++] = *p;
	}
	c->panel_count = any;
	return any > 0;
}

static void
release_stack(struct tp_stack *c)
{
	for (size_t i = 0; i < c->panel_count; i++)
		tp_free(c->panels[i].parts);
	tp_arena_release(&c->arena);
}

static void
caption(const struct tp_stack *c, const struct stack_panel *p,
    struct tp_buf *b)
{
	if (c->panel_count > 1)
		tp_buf_fmt(b, "%s: ", p->src);
	tp_buf_str(b, p->name);
}

static void
words(const struct part *part, struct tp_buf *b)
{
	tp_buf_fmt(b, "%s: %s, %s", part->name, part->columns[COLUMN_TIME],
	    part->columns[COLUMN_SHARE]);
	if (*part->columns[COLUMN_WITHOUT])
		tp_buf_fmt(b, "; without it %s",
		    part->columns[COLUMN_WITHOUT]);
}

static void
svg_segment(struct tp_buf *b, const struct part *part, int x, int width,
    int y)
{
	struct tp_buf text = { 0 };
	const char *inside = part->name;

	words(part, &text);
	tp_buf_str(b, "<g>");
	tp_svg_title(b, tp_svg_words(&text));
	tp_svg_rect(b, x, y, width, BAR, part->colour, part->percent,
	    NULL);
	if (part->hatched)
		tp_svg_hatch(b, x, y, width, BAR);
	if (tp_svg_text_width(inside) + PAD > width)
		inside = part->columns[COLUMN_SHARE];
	if (tp_svg_text_width(inside) + PAD <= width && !part->hatched)
		tp_svg_text(b, x + PAD / 2, y + BAR / 2 + 40, TP_SVG_START, 0,
		    inside);
	tp_buf_str(b, "</g>\n");
	tp_buf_release(&text);
}

static void
svg_line(struct tp_buf *b, const char *name, const char *const *columns,
    int y)
{
	static const int ends[COLUMNS] = { TIME, SHARE, WITHOUT };

	if (*name)
		tp_svg_text(b, 3 * PAD, y, TP_SVG_START, TIME - 1200, name);
	for (int i = 0; i < COLUMNS; i++)
		if (*columns[i])
			tp_svg_text(b, ends[i], y, TP_SVG_END, 0, columns[i]);
}

static int
svg_panel(const struct tp_stack *c, const struct stack_panel *p,
    struct tp_buf *b, int y)
{
	struct tp_buf text = { 0 };
	int64_t sum = 0;
	int x = 0, to;

	caption(c, p, &text);
	tp_svg_text(b, PAD, y + 100, TP_SVG_START, PLOT,
	    tp_svg_words(&text));
	tp_buf_release(&text);
	y += LINE;
	for (size_t i = 0; i < p->count; i++, x = to) {
		sum += p->parts[i].size;
		to = tp_scale(sum, 0, p->whole, PLOT);
		svg_segment(b, &p->parts[i], PAD + x, to - x, y);
	}
	y += BAR + LINE;
	svg_line(b, "", headings, y);
	for (size_t i = 0; i < p->count; i++) {
		y += LINE;
		tp_svg_rect(b, PAD, y - 90, BOX, BOX, p->parts[i].colour,
		    p->parts[i].percent, NULL);
		if (p->parts[i].hatched)
			tp_svg_hatch(b, PAD, y - 90, BOX, BOX);
		svg_line(b, p->parts[i].name, p->parts[i].columns, y);
	}
	if (p->joint[0]) {
		y += LINE;
		svg_line(b, "all that can be saved, together", p->joint, y);
	}
	return y + LINE;
}

static void
tp_stack_svg(const struct tp_stack *c, struct tp_drawing *d)
{
	int height = PAD;

	for (size_t i = 0; i < c->panel_count; i++)
		height += 3 * LINE + BAR + LINE * ((int)c->panels[i].count +
		    (c->panels[i].joint[0] != NULL));
	tp_svg_begin(&d->picture, TP_SVG_WIDTH, height + (c->left_count ?
	    LINE : 0), d);
	height = PAD;
	for (size_t i = 0; i < c->panel_count; i++)
		height = svg_panel(c, &c->panels[i], &d->picture, height);
	if (c->left_count) {
		struct tp_buf text = { 0 };

		tp_buf_fmt(&text, "Not drawn: %zu more", c->left_count);
		tp_svg_text(&d->picture, PAD, height + 100, TP_SVG_START, 0,
		    tp_svg_words(&text));
		tp_buf_release(&text);
	}
	tp_svg_end(&d->picture);
}

/*
 * Set CELLS[I] to the columns of part I in a bar of COLUMNS: at least one
 * each, which the largest gives.
 */
static void
share_out(const struct stack_panel *p, size_t columns, size_t *cells)
{
	size_t used = 0, largest = 0;
	int64_t sum = 0;
	int at = 0, to;

	for (size_t i = 0; i < p->count; i++, at = to) {
		sum += p->parts[i].size;
		to = (tp_scale(sum, 0, p->whole, 2 * (int)columns) + 1) / 2;
		cells[i] = to > at ? (size_t)(to - at) : 1;
		used += cells[i];
		if (cells[i] > cells[largest])
			largest = i;
	}
	if (used > columns)
		cells[largest] -= cells[largest] > used - columns ? used -
		    columns : cells[largest] - 1;
}

static size_t
sum_of(const size_t *widths)
{
	size_t sum = 0;

	for (int i = 0; i < COLUMNS; i++)
		sum += widths[i] + 2;
	return sum;
}

/* A line of the legend; where it is narrow, the numbers have their own. */
static void
text_line(struct tp_buf *b, const struct tp_blocks *blocks, const char *sign,
    const char *name, size_t room, const char *const *columns,
    const size_t *widths)
{
	struct tp_buf text = { 0 };

	tp_buf_fmt(b, "%s ", sign);
	if (room < NARROW) {
		if (*name) {
			tp_fit_cut(b, name, strlen(name), room + sum_of(widths),
			    blocks->dots);
			tp_buf_str(b, "\n  ");
		}
		name = "";
	}
	tp_blocks_cell(b, blocks, name, room);
	for (int i = 0; i < COLUMNS; i++) {
		tp_buf_str(&text, columns[i]);
		tp_blocks_right(b, &text, widths[i] + 2);
		tp_buf_clear(&text);
	}
	tp_blocks_end(b);
	tp_buf_release(&text);
}

static void
text_panel(const struct tp_stack *c, const struct stack_panel *p,
    size_t columns, const struct tp_blocks *blocks, struct tp_buf *b)
{
	size_t *cells = tp_alloc(p->count * sizeof *cells), n, room;
	size_t widths[COLUMNS];
	const char **signs = tp_alloc(p->count * sizeof *signs);
	struct tp_buf text = { 0 };

	caption(c, p, &text);
	tp_blocks_words(b, &text, columns);
	share_out(p, columns, cells);
	for (size_t i = n = 0; i < p->count; i++) {
		signs[i] = p->parts[i].hatched ? blocks->unknown :
		    blocks->fills[n++ % TP_BLOCKS_FILLS];
		for (size_t k = 0; k < cells[i]; k++)
			tp_buf_str(b, signs[i]);
	}
	tp_buf_chr(b, '\n');
	room = columns - 2;
	for (int k = 0; k < COLUMNS; k++) {
		widths[k] = strlen(headings[k]);
		for (size_t i = 0; i < p->count; i++)
			TP_MOST(widths[k], strlen(p->parts[i].columns[k]));
	}
	room -= sum_of(widths);
	text_line(b, blocks, " ", "", room, headings, widths);
	for (size_t i = 0; i < p->count; i++)
		text_line(b, blocks, signs[i], p->parts[i].name, room,
		    p->parts[i].columns, widths);
	if (p->joint[0])
		text_line(b, blocks, " ", "all that can be saved, together",
		    room, p->joint, widths);
	tp_buf_release(&text);
	tp_free(cells);
	tp_free(signs);
}

static void
tp_stack_text(const struct tp_stack *c, size_t columns, int ascii,
    struct tp_buf *b)
{
	for (size_t i = 0; i < c->panel_count; i++)
		text_panel(c, &c->panels[i], columns, tp_blocks(ascii), b);
	if (c->left_count)
		tp_buf_fmt(b, "Not drawn: %zu more\n", c->left_count);
}

/* Describe the largest parts for readers who cannot see the picture. */
static void
say(const struct tp_stack *c, struct tp_buf *b)
{
	const struct stack_panel *p = &c->panels[0];

	caption(c, p, b);
	for (size_t i = 0; i < SAID && i < p->count; i++) {
		tp_buf_str(b, i ? ". " : ": ");
		words(&p->parts[i], b);
	}
	tp_buf_chr(b, '.');
}

TP_DRAW(stack, say(&c, &d->text))
