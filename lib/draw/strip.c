/*
 * strip - a value from run to run, small enough for a table cell
 *
 * One row per thing measured: a line through its runs, the median as a thin
 * line, changes marked, the last run as a dot.  A single row is only the
 * line; with several, each has its name before the line, and the last value
 * and the change since the first run after it.  Of many runs the last are
 * drawn.
 *
 * Memory: 64 bytes per record, and its names.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/hash.h>
#include <tp/json.h>
#include <tp/order.h>
#include <tp/show/fit.h>
#include <tp/unit.h>
#include <tp/width.h>

#include "draw/blocks.h"
#include "draw/picture.h"
#include "draw/svg.h"
#include "draw/words.h"

/* Lengths in tenths of a pixel, except for numbers of items. */
enum {
	ROWS = 16,		/* most rows drawn */
	TEXT_MOST = 3,		/* most rows in the text alternative */
	WIDTH = 1200, HEIGHT = 160, EDGE = 30, RUN = 10,
	MOST = (WIDTH - 2 * EDGE) / RUN + 1,	/* most runs of a row */
	PAD = 80, NAME = 3000, VALUES = 1700,
	SIDE = 22, LONGEST = 60,	/* columns of text */
};

/*
 * Heading of the numbers after a row; the change is from the first run drawn
 * to the last.
 */
#define HEADING "last, since first"

struct point {
	const char *name, *mark;	/* of the run; MARK may be "" */
	struct tp_field field;		/* the value with its key */
};

struct row {
	const char *name;
	struct point *points;
	size_t count, cap;
	struct tp_field median;		/* of the runs drawn */
	double low, high;
};

struct strip {
	struct tp_arena arena;
	struct row rows[ROWS];
	size_t count;
	struct tp_names left;	/* names of rows beyond ROWS */
};

static struct row *
row_of(struct strip *s, const char *name)
{
	for (size_t i = 0; i < s->count; i++)
		if (!strcmp(s->rows[i].name, name))
			return &s->rows[i];
	if (s->count < ROWS) {
		s->rows[s->count].name = name;
		return &s->rows[s->count++];
	}
	tp_names_add(&s->left, name, strlen(name));
	return NULL;
}

static const struct tp_field *
value_of(const cJSON *spec, const struct tp_rec *rec)
{
	const struct tp_field *f;
	const cJSON *key;

	cJSON_ArrayForEach(key, tp_json_get(spec, "values")) {
		f = cJSON_IsString(key) ? tp_rec_field(rec,
		    key->valuestring) : NULL;
		if (f && (f->type == TP_FIELD_INT ||
		    f->type == TP_FIELD_REAL) && isfinite(f->x))
			return f;
	}
	return NULL;
}

static int
add_strip_point(struct strip *s, const cJSON *spec, const struct tp_set *set,
    const struct tp_rec *rec, struct tp_err *err)
{
	const struct tp_field *f = value_of(spec, rec);
	const char *name;
	struct row *row;
	struct point *p;

	if (!f)
		return 0;
	name = tp_words(&s->arena, spec, "row", set, rec, err);
	if (!name)
		return -1;
	row = row_of(s, name);
	if (!row)
		return 0;
	p = TP_PUSH(row->points, row->count, row->cap);
	p->field = *f;
	p->name = tp_words(&s->arena, spec, "name", set, rec, err);
	p->mark = tp_words(&s->arena, spec, "mark", set, rec, err);
	return p->name && p->mark ? 0 : -1;
}

TP_ORDER(by_value, struct point, TP_UP(field.x))

/*
 * Compute the range and the median (the lower of two in the middle) of the last
 * MOST runs of ROW.
 */
static void
set_strip_range(struct row *row, size_t most)
{
	size_t from = row->count > most ? row->count - most : 0;
	size_t n = row->count - from;
	struct point *sorted = tp_alloc(n * sizeof *sorted);

	memcpy(sorted, row->points + from, n * sizeof *sorted);
	TP_SORT(sorted, n, by_value);
	row->low = sorted[0].field.x;
	row->high = sorted[n - 1].field.x;
	row->median = sorted[(n - 1) / 2].field;
	tp_free(sorted);
}

static const struct point *
drawn(const struct row *row, size_t most, size_t *n)
{
	*n = row->count > most ? most : row->count;
	return row->points + row->count - *n;
}

/* The position of X between the lowest value, 0, and the highest, 1. */
static double
share(const struct row *row, double x)
{
	/* halved: the difference may overflow a double */
	return row->high / 2 > row->low / 2 ? (x / 2 - row->low / 2) /
	    (row->high / 2 - row->low / 2) : 0.5;
}

/*
 * Write the change from the first to the last of the N runs at P, ", +4.7 %";
 * nothing if the first is 0.
 */
static void
put_change(struct tp_buf *b, const struct point *p, size_t n)
{
	double change = p[0].field.x != 0 ?
	    (p[n - 1].field.x - p[0].field.x) / fabs(p[0].field.x) : 0;

	if (n < 2 || p[0].field.x == 0 || fabs(change) > 100)
		return;
	tp_buf_str(b, ", ");
	tp_unit_change(b, change);
}

/* Write the last value and the change: "1.07 s, +4.7 %". */
static void
put_last(struct tp_buf *b, const struct point *p, size_t n)
{
	tp_unit_print(b, &p[n - 1].field, NULL);
	put_change(b, p, n);
}

/*
 * Write a row in words: "step time: 1.02 s (a0) to 1.07 s (a9), +4.7 %; median
 * 1.02 s of 10 runs; jump with a7".
 */
static void
put_words(struct tp_buf *b, const struct row *row, size_t most)
{
	size_t n;
	const struct point *p = drawn(row, most, &n);

	tp_buf_fmt(b, "%s: ", row->name);
	if (n > 1) {
		tp_unit_print(b, &p[0].field, NULL);
		tp_buf_fmt(b, " (%s) to ", p[0].name);
	}
	tp_unit_print(b, &p[n - 1].field, NULL);
	tp_buf_fmt(b, " (%s)", p[n - 1].name);
	if (n > 1) {
		put_change(b, p, n);
		tp_buf_str(b, "; median ");
		tp_unit_print(b, &row->median, NULL);
		tp_buf_fmt(b, " of %s%zu runs", n < row->count ?
		    "the last " : "", n);
	}
	for (size_t i = 0; i < n; i++)
		if (*p[i].mark)
			tp_buf_fmt(b, "; %s with %s", p[i].mark, p[i].name);
}

static int
x_of(int x, size_t i, size_t n)
{
	return x + WIDTH - EDGE - (n > 1 ? (int)((n - 1 - i) *
	    (WIDTH - 2 * EDGE) / (n - 1)) : 0);
}

static int
y_of(const struct row *row, int y, double value)
{
	return y + HEIGHT - EDGE - (int)(share(row, value) *
	    (HEIGHT - 2 * EDGE) + 0.5);
}

static void
svg_row(struct tp_buf *b, const struct row *row, int x, int y)
{
	size_t n;
	const struct point *p = drawn(row, MOST, &n);
	int at = y_of(row, y, row->median.x);
	struct tp_buf text = { 0 };

	put_words(&text, row, MOST);
	tp_buf_str(b, "<g>");
	tp_svg_title(b, tp_svg_words(&text));
	tp_svg_line(b, x + EDGE, at, x + WIDTH - EDGE, at, 50, 1);
	for (size_t i = 0; i < n; i++)
		if (*p[i].mark)
			tp_svg_line(b, x_of(x, i, n), y + 10, x_of(x, i, n),
			    y + HEIGHT - 10, 80, 0);
	tp_buf_fmt(b, "<path stroke=\"%s\" stroke-width=\"1.5\" "
	    "fill=\"none\" d=\"", tp_svg_colour("blue"));
	for (size_t i = 0; i < n; i++) {
		tp_buf_chr(b, i ? 'L' : 'M');
		tp_svg_number(b, x_of(x, i, n));
		tp_buf_chr(b, ' ');
		tp_svg_number(b, y_of(row, y, p[i].field.x));
	}
	tp_buf_str(b, "\"/>\n<circle");
	tp_svg_attribute(b, "cx", x_of(x, n - 1, n));
	tp_svg_attribute(b, "cy", y_of(row, y, p[n - 1].field.x));
	tp_buf_fmt(b, " r=\"2.5\" fill=\"%s\"/></g>\n",
	    tp_svg_colour("blue"));
	tp_buf_release(&text);
}

/*
 * Explain the lines that mark a change, SIGN in text, and count the rows that
 * are not drawn.
 */
static void
put_legend(const struct strip *s, const char *sign, struct tp_buf *b)
{
	int any = 0;

	for (size_t i = 0; i < s->count; i++)
		for (size_t k = 0; k < s->rows[i].count; k++)
			any |= *s->rows[i].points[k].mark != '\0';
	if (any)
		tp_buf_fmt(b, "%s a change. ", sign);
	if (s->left.count)
		tp_buf_fmt(b, "Not drawn: %zu more.", s->left.count);
}

static void
svg(const struct strip *s, struct tp_drawing *d)
{
	struct tp_buf *b = &d->picture, text = { 0 };
	int name = 0, width;
	size_t n;

	if (s->count == 1) {
		tp_svg_begin(b, WIDTH, HEIGHT, d, 0);
		svg_row(b, &s->rows[0], 0, 0);
		tp_svg_end(b);
		return;
	}
	for (size_t i = 0; i < s->count; i++) {
		width = tp_svg_text_width(s->rows[i].name);
		name = width > name ? width : name;
	}
	name = name > NAME ? NAME : name;
	tp_buf_str(&text, "Dashed: median. Dot: last run. ");
	put_legend(s, "Upright:", &text);
	width = tp_svg_text_width(tp_svg_words(&text)) + 2 * PAD;
	TP_MOST(width, name + WIDTH + VALUES + 3 * PAD);
	tp_svg_begin(b, width, ((int)s->count + 2) * HEIGHT, d, 0);
	tp_svg_text(b, PAD, (int)(s->count + 2) * HEIGHT - 40, 0,
	    tp_svg_words(&text));
	tp_svg_text(b, name + WIDTH + 3 * PAD, HEIGHT - 40, VALUES - PAD,
	    HEADING);
	for (size_t i = 0; i < s->count; i++) {
		const struct point *p = drawn(&s->rows[i], MOST, &n);
		int y = (int)(i + 1) * HEIGHT;

		tp_svg_text(b, PAD, y + HEIGHT - 40, name, s->rows[i].name);
		svg_row(b, &s->rows[i], name + 2 * PAD, y);
		tp_buf_clear(&text);
		put_last(&text, p, n);
		tp_svg_text(b, name + WIDTH + 3 * PAD, y + HEIGHT - 40,
		    VALUES - PAD, tp_svg_words(&text));
	}
	tp_buf_release(&text);
	tp_svg_end(b);
}

static void
text_row(struct tp_buf *b, const struct row *row, size_t name, size_t most,
    const struct tp_blocks *blocks)
{
	size_t n, any = 0;
	const struct point *p = drawn(row, most, &n);
	struct tp_buf last = { 0 };

	if (name)
		tp_blocks_pad(b, name - tp_fit_cut(b, row->name,
		    strlen(row->name), name, blocks->dots) + 1);
	for (size_t i = 0; i < n; i++)
		tp_buf_str(b, blocks->heights[1 + (int)(share(row,
		    p[i].field.x) * 7 + 0.5)]);
	tp_blocks_pad(b, most - n + 1);
	put_last(&last, p, n);
	tp_fit_cut(b, last.p, last.len, SIDE - 2, blocks->dots);
	tp_buf_release(&last);
	tp_blocks_end(b);
	for (size_t i = 0; i < n; i++)
		any += *p[i].mark != '\0';
	if (!any)
		return;
	tp_blocks_pad(b, name + (name > 0));
	for (size_t i = 0; i < n; i++)
		tp_buf_chr(b, *p[i].mark ? '^' : ' ');
	tp_blocks_end(b);
}

/* The columns for the longest row; *NAME gets those for names. */
static size_t
room(const struct strip *s, size_t columns, size_t *name)
{
	size_t width, most = 0;

	for (size_t i = *name = 0; i < s->count; i++) {
		width = tp_text_width(s->rows[i].name,
		    strlen(s->rows[i].name));
		*name = width > *name ? width : *name;
		TP_MOST(most, s->rows[i].count);
	}
	if (s->count == 1)
		*name = 0;
	columns -= SIDE;
	TP_LEAST(*name, columns / 2);
	columns -= *name;
	columns = columns > LONGEST ? LONGEST : columns;
	return most < columns ? most : columns;
}

static void
describe_strip(const struct strip *s, size_t most, struct tp_buf *b)
{
	size_t n;

	for (size_t i = 0; i < s->count && i < TEXT_MOST; i++) {
		const struct point *p = drawn(&s->rows[i], most, &n);

		tp_buf_str(b, b->len ? " " : "");
		if (s->count == 1) {
			put_words(b, &s->rows[i], most);
		} else {
			tp_buf_fmt(b, "%s: ", s->rows[i].name);
			put_last(b, p, n);
		}
		tp_buf_chr(b, '.');
	}
	if (s->count > TEXT_MOST)
		tp_buf_fmt(b, " %zu more.", s->count - TEXT_MOST);
}

TP_DRAW_HEAD(strip)
{
	const cJSON *spec = tp_words_first(tp_json_get(picture, "from"), set);
	const struct tp_blocks *blocks = tp_blocks(form == TP_DRAW_ASCII);
	const struct tp_rec *rec;
	struct strip s = { 0 };
	size_t at = 0, most = MOST, name = 0;
	int rc = 0;

	while (!rc && spec && (rec = tp_words_next(spec, set, &at)))
		rc = add_strip_point(&s, spec, set, rec, err);
	if (form != TP_DRAW_SVG)
		most = room(&s, columns, &name);
	for (size_t i = 0; !rc && i < s.count; i++)
		set_strip_range(&s.rows[i], most);
	if (!rc && s.count) {
		rc = 1;
		describe_strip(&s, most, &d->text);
		if (form == TP_DRAW_SVG)
			svg(&s, d);
		if (form != TP_DRAW_SVG && s.count > 1) {
			tp_blocks_pad(&d->picture, name + most + 2);
			tp_buf_str(&d->picture, HEADING);
			tp_blocks_end(&d->picture);
		}
		for (size_t i = 0; form != TP_DRAW_SVG && i < s.count; i++)
			text_row(&d->picture, &s.rows[i], name, most, blocks);
		at = d->picture.len;
		if (form != TP_DRAW_SVG)
			put_legend(&s, "^", &d->picture);
		if (d->picture.len > at && form != TP_DRAW_SVG)
			tp_blocks_end(&d->picture);
	}
	for (size_t i = 0; i < s.count; i++)
		tp_free(s.rows[i].points);
	tp_names_release(&s.left);
	tp_arena_release(&s.arena);
	return rc;
}
