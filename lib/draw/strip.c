/*
 * strip - values from run to run
 *
 * One row per thing measured: a line through its runs, the median as a thin
 * line, changes marked, the last run as a dot; the last value and the change
 * since the first run.  Of many runs the last are drawn.
 *
 * Memory: 64 bytes per record, and its names.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

#include <tp/json.h>
#include <tp/order.h>
#include <tp/unit.h>

#include "draw/picture.h"
#include "draw/svg.h"

enum {
	ROWS = 16,		/* most rows drawn */
	RUNS = 115,		/* most runs of a row, */
	POINTS = 512,		/* ... and of all rows: about 40 KB */
	SAID = 3,		/* most rows in the text alternative */
	HEIGHT = 24,
};

#define EDGE 0.02		/* room for the dot, and where change ends */

struct point {
	const char *name, *mark;	/* of the run; MARK may be "" */
	struct tp_field field;		/* the value with its key */
};

struct row {
	const char *name;
	struct point *points;
	size_t count, cap;
	int is_cut;			/* there were more runs */
	struct tp_field median;
	double low, high;
};

struct strip {
	struct tp_names names;		/* of rows */
	struct row rows[ROWS];
	size_t count;
};

static const struct tp_field *
value_of(const struct tp_words *w)
{
	const struct tp_field *f;
	const cJSON *key;

	cJSON_ArrayForEach(key, tp_json_get(w->spec, "values")) {
		f = cJSON_IsString(key) ? tp_rec_field(w->rec,
		    key->valuestring) : NULL;
		if (f && (f->type == TP_FIELD_INT ||
		    f->type == TP_FIELD_REAL) && isfinite(f->x))
			return f;
	}
	return NULL;
}

static void
add_point(struct strip *c, struct tp_words *w)
{
	const struct tp_field *f = value_of(w);
	const char *name = f ? tp_words(w, "row") : NULL;
	struct row *row;
	struct point *p;
	size_t at;

	if (!f)
		return;
	at = (size_t)tp_names_add(&c->names, name, strlen(name));
	if (at >= ROWS)
		return;
	TP_MOST(c->count, at + 1);
	row = &c->rows[at];
	row->name = name;
	p = TP_PUSH(row->points, row->count, row->cap);
	p->field = *f;
	p->name = tp_words(w, "name");
	p->mark = tp_words(w, "mark");
}

TP_ORDER(by_value, struct point, TP_UP(field.x))

/*
 * Keep at most the last MOST runs of ROW, and compute their range and median
 * (the lower of two in the middle).
 */
static void
set_range(struct row *row, size_t most)
{
	size_t n = row->count > most ? most : row->count;
	struct point *sorted = tp_alloc(n * sizeof *sorted);

	row->is_cut = n < row->count;
	memmove(row->points, row->points + row->count - n, n *
	    sizeof *sorted);
	row->count = n;
	memcpy(sorted, row->points, n * sizeof *sorted);
	TP_SORT(sorted, n, by_value);
	row->low = sorted[0].field.x;
	row->high = sorted[n - 1].field.x;
	row->median = sorted[(n - 1) / 2].field;
	tp_free(sorted);
}

static int
read_strip(void *picture, struct tp_words *w)
{
	struct strip *c = picture;

	if (!tp_words_first(w, "from"))
		return 0;
	while (tp_words_next(w))
		add_point(c, w);
	for (size_t i = 0; i < c->count; i++)
		set_range(&c->rows[i], POINTS / c->count < RUNS ? POINTS /
		    c->count : RUNS);
	return c->count > 0;
}

static void
release(void *picture)
{
	struct strip *c = picture;

	for (size_t i = 0; i < c->count; i++)
		tp_free(c->rows[i].points);
	tp_names_release(&c->names);
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
 * Write BETWEEN and the change from the first to the last run drawn, "+4.7 %";
 * nothing if the first is 0.
 */
static void
put_change(struct tp_buf *b, const struct row *row, const char *between)
{
	double first = row->points[0].field.x;
	double change = (row->points[row->count - 1].field.x - first) /
	    fabs(first);

	if (row->count < 2 || first == 0 || fabs(change) > 100)
		return;
	tp_buf_str(b, between);
	tp_unit_change(b, change);
}

/*
 * Write a row in words: "step time: 1.02 s (a0) to 1.07 s (a9), +4.7 %; median
 * 1.02 s of 10 runs; jump with a7".
 */
static void
put_words(struct tp_buf *b, const struct row *row)
{
	const struct point *p = row->points;
	size_t n = row->count;

	tp_buf_fmt(b, "%s: ", row->name);
	if (n > 1) {
		tp_unit_print(b, &p[0].field, NULL);
		tp_buf_fmt(b, " (%s) to ", p[0].name);
	}
	tp_unit_print(b, &p[n - 1].field, NULL);
	tp_buf_fmt(b, " (%s)", p[n - 1].name);
	if (n > 1) {
		put_change(b, row, ", ");
		tp_buf_str(b, "; median ");
		tp_unit_print(b, &row->median, NULL);
		tp_buf_fmt(b, " of %s%zu runs", row->is_cut ? "the last " : "",
		    n);
	}
	for (size_t i = 0; i < n; i++)
		if (*p[i].mark)
			tp_buf_fmt(b, "; %s with %s", p[i].mark, p[i].name);
}

/* Where run I of ROW is, of N places. */
static double
x_of(const struct row *row, size_t i)
{
	return row->count < 2 ? 1 - EDGE : EDGE + (1 - 2 * EDGE) * (double)i /
	    (double)(row->count - 1);
}

static double
y_of(const struct row *row, double value)
{
	return 0.2 + 0.6 * share(row, value);
}

/* Draw ROW as a line. */
static void
show_line(const struct row *row, struct tp_scene *s)
{
	double y = y_of(row, row->median.x), x = EDGE, last = y;
	struct tp_mark *m = tp_scene_line(s, 0, y, 1, y);

	m->percent = 50;
	m->dashed = 1;
	for (size_t i = 0; i < row->count; i++, last = y) {
		double from = x;

		x = x_of(row, i);
		y = y_of(row, row->points[i].field.x);
		if (*row->points[i].mark)
			tp_scene_line(s, x, 0, x, 1)->percent = 80;
		if (!i)
			continue;
		m = tp_scene_line(s, from, last, x, y);
		m->colour = tp_svg_colour("blue");
		m->size = 15;
	}
	m = tp_scene_mark(s, x, x);
	m->shape = TP_SHAPE_POINT;
	m->sign = TP_SIGN_DOT;
	m->low = m->high = last;
	m->colour = tp_svg_colour("blue");
	m->size = 25;
}

/* Draw ROW as columns of characters, and below it signs of changes. */
static void
show_blocks(const struct row *row, struct tp_scene *s)
{
	double n = (double)row->count;
	int any = 0;

	for (size_t i = 0; i < row->count; i++) {
		struct tp_mark *m = tp_scene_mark(s, (double)i / n,
		    (double)(i + 1) / n);

		m->sign = TP_SIGN_AREA;
		m->high = (1 + 7 * share(row, row->points[i].field.x)) / 8;
	}
	for (size_t i = 0; i < row->count; i++) {
		if (!*row->points[i].mark)
			continue;
		if (!any++)
			tp_scene_row(s, TP_NAMES, NULL);
		tp_scene_text(s, ((double)i + 0.5) / n, 0, 0, "^");
	}
}

static void
fill(void *picture, struct tp_scene *s)
{
	const struct strip *c = picture;
	struct tp_scene_row *to;
	struct tp_mark *m;
	int any = 0;

	for (size_t i = 0; i < c->count; i++) {
		const struct row *row = &c->rows[i];

		for (size_t k = 0; k < row->count; k++)
			any |= *row->points[k].mark != '\0';
		to = tp_scene_row(s, TP_ROW, row->name);
		to->height = HEIGHT;
		tp_unit_print(&s->text, &row->points[row->count - 1].field,
		    NULL);
		to->values[0] = tp_scene_keep(s);
		put_change(&s->text, row, "");
		to->values[1] = tp_scene_keep(s);
		(s->form ? show_blocks : show_line)(row, s);
		if (s->form)
			continue;
		put_words(&s->text, row);
		m = tp_scene_mark(s, 0, 1);
		m->percent = 0;
		m->title = tp_scene_keep(s);
	}
	tp_buf_str(&s->text, s->form ? "" : "Dashed: median. Dot: last run. ");
	tp_buf_str(&s->text, "Numbers: last run, change since the first. ");
	if (any)
		tp_buf_fmt(&s->text, "%s a change.", s->form ? "^" :
		    "Upright:");
	tp_scene_words(s);
	tp_scene_left(s, c->names.count - c->count, "");
}

static void
say(const void *picture, struct tp_buf *b)
{
	const struct strip *c = picture;

	for (size_t i = 0; i < c->count && i < SAID; i++) {
		const struct row *row = &c->rows[i];

		tp_buf_str(b, b->len ? " " : "");
		if (c->count == 1) {
			put_words(b, row);
		} else {
			tp_buf_fmt(b, "%s: ", row->name);
			tp_unit_print(b, &row->points[row->count - 1].field,
			    NULL);
			put_change(b, row, ", ");
		}
		tp_buf_chr(b, '.');
	}
	if (c->count > SAID)
		tp_buf_fmt(b, " %zu more.", c->count - SAID);
}

const struct tp_picture_type tp_strip = { .name = "strip",
    .size = sizeof(struct strip), .read = read_strip, .say = say,
    .fill = fill, .release = release };
