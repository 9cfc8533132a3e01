/*
 * grid - a value by row and column as shades: ranks by steps
 *
 * A shade shows how far a value is above or below
 * the median of its column.  When rows or columns do not fit, several share
 * a cell, which shows the value farthest above the median.  Fewer than three
 * rows or two columns give no picture.
 *
 * Memory: 56 bytes per record, and 8 per cell shown.
 */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tp/json.h>
#include <tp/order.h>
#include <tp/unit.h>

#include "draw/picture.h"
#include "draw/scale.h"
#include "draw/svg.h"

/*
 * HEIGHT: of all rows, at most ROW each; LETTERS: of a row's name.  TITLES:
 * most cells with a title each; beyond, each row has one.  APART: most cells
 * with gaps between them.  WRITTEN: most columns of cells with a number.
 * SLOTS: a column is at most 1/N of the plot.
 */
enum { ROWS = 64, HEIGHT = 320, ROW = 18, LETTERS = 11, TITLES = 300,
	APART = 1500, WRITTEN = 6, SLOTS = 6, HALF = TP_SCENE_SHADES / 2 };

/* The median is the middle shade; higher values follow it. */
static const double bounds[HALF] = { 0.03, 0.1, 0.3 };
static const struct {
	const char *colour, *words;
	int percent;
} shades[TP_SCENE_SHADES] = {
	{ "blue", "30 % or more below", 90 }, { "blue", "10 % below", 60 },
	{ "blue", "3 % below", 30 }, { NULL, "less than 3 % off", 12 },
	{ "red", "3 % above", 30 }, { "red", "10 % above", 60 },
	{ "red", "30 % or more above", 90 },
};

struct cell {
	int64_t row, column;
	int64_t value, median;	/* in ns; median: of its column */
	double off;		/* value / median - 1 */
};

struct grid {
	const char *row, *column;	/* words for them: "rank", "step" */
	const char *value;		/* word for the value: "computation" */
	const char *outlined;	/* word for the outlined row: "straggler" */
	const char *note;		/* may be "" */
	struct cell *cells;	/* by row, then column */
	size_t count, cap;
	uint64_t left;		/* records without a cell */
	int64_t *rows, *columns;	/* in order */
	size_t row_count, column_count;
	int has_outlined;
	int64_t outlined_row;
	const struct cell *most;	/* farthest above its median */
	/* once cells are joined to fit the picture: */
	const struct cell **shown;	/* entries may be NULL: no
						 * value */
	size_t shown_rows, shown_columns;
	size_t each_row, each_column;	/* how many share a cell */
};

/*
 * The first key of the list LIST of the spec that a record has, and in *NAME
 * how it is called; NULL if there is none.
 */
static const char *
choose(struct tp_words *w, const char *list, const char **name)
{
	const cJSON *spec = w->spec, *item;
	int64_t n;

	cJSON_ArrayForEach(item, tp_json_get(spec, list)) {
		const char *key = tp_json_text(item, "key");

		*name = tp_json_text(item, "name");
		tp_words_begin(w, spec);
		while (key && *name && tp_words_next(w))
			if (tp_rec_int(w->rec, key, &n))
				return key;
	}
	return NULL;
}

static void
read_cells(struct grid *g, struct tp_words *w)
{
	const char *row = choose(w, "rows", &g->row);
	const char *column = choose(w, "columns", &g->column);
	const char *value = choose(w, "values", &g->value);
	struct cell c = { 0 };

	tp_words_begin(w, w->spec);
	while (row && column && value && tp_words_next(w)) {
		if (tp_words_other(w) || !tp_rec_int(w->rec, row, &c.row) ||
		    !tp_rec_int(w->rec, column, &c.column) ||
		    !tp_rec_int(w->rec, value, &c.value) || c.value < 0 ||
		    c.value > TP_SCALE_FAR) {
			g->left++;
			continue;
		}
		TP_APPEND(g->cells, g->count, g->cap, c);
		if (tp_words_is(w, "outlined")) {
			g->has_outlined = 1;
			g->outlined_row = c.row;
		}
	}
}

TP_ORDER(by_value, struct cell, TP_UP(column) TP_UP(value))

TP_ORDER(by_place, struct cell, TP_UP(row) TP_UP(column) TP_UP(value))

/* Compute the median of each column and list the columns. */
static void
compute_medians(struct grid *g)
{
	struct cell *c = g->cells;
	size_t end;

	TP_SORT(c, g->count, by_value);
	for (size_t i = 0; i < g->count; i = end) {
		int64_t low, high, median;

		for (end = i + 1; end < g->count &&
		    c[end].column == c[i].column; end++)
			;
		low = c[i + (end - i - 1) / 2].value;
		high = c[i + (end - i) / 2].value;
		median = low + (high - low) / 2;
		g->columns[g->column_count++] = c[i].column;
		for (size_t k = i; k < end; k++) {
			c[k].median = median;
			c[k].off = c[k].value == median ? 0 : median ?
			    (double)c[k].value / (double)median - 1 : HUGE_VAL;
		}
	}
}

static void
sort_grid_cells(struct grid *g)
{
	const struct cell *c = g->cells;

	qsort(g->cells, g->count, sizeof *c, by_place);
	g->most = c;
	for (size_t i = 0; i < g->count; i++) {
		if (!i || c[i].row != c[i - 1].row)
			g->rows[g->row_count++] = c[i].row;
		if (c[i].off > g->most->off)
			g->most = &c[i];
	}
}

static int
read_grid(void *picture, struct tp_words *w)
{
	struct grid *g = picture;
	double rows = 1, columns = 1;

	if (!tp_words_first(w, "from"))
		return 0;
	g->outlined = tp_words(w, "outlined-name");
	g->note = tp_words(w, "note");
	read_cells(g, w);
	if (!g->count)
		return 0;
	g->rows = tp_alloc(g->count * sizeof *g->rows);
	g->columns = tp_alloc(g->count * sizeof *g->columns);
	compute_medians(g);
	sort_grid_cells(g);
	tp_json_number(w->spec, "least-rows", &rows);
	tp_json_number(w->spec, "least-columns", &columns);
	return (double)g->row_count >= rows &&
	    (double)g->column_count >= columns;
}

/* Join cells so that there are at most ROWS rows and COLUMNS columns. */
static void
fold(struct grid *g, size_t rows, size_t columns)
{
	const struct cell **at;
	size_t row = 0, column = 0;

	g->each_row = (g->row_count + rows - 1) / rows;
	g->each_column = (g->column_count + columns - 1) / columns;
	g->shown_rows = (g->row_count + g->each_row - 1) / g->each_row;
	g->shown_columns = (g->column_count + g->each_column - 1) /
	    g->each_column;
	g->shown = tp_zalloc(g->shown_rows * g->shown_columns *
	    sizeof *g->shown);
	for (size_t i = 0; i < g->count; i++) {
		const struct cell *c = &g->cells[i];

		if (c->row != g->rows[row]) {
			row++;
			column = 0;
		}
		while (c->column != g->columns[column])
			column++;
		at = &g->shown[row / g->each_row * g->shown_columns +
		    column / g->each_column];
		if (!*at || c->off > (*at)->off)
			*at = c;
	}
}

static void
release(void *picture)
{
	struct grid *g = picture;

	tp_free(g->cells);
	tp_free(g->rows);
	tp_free(g->columns);
	tp_free(g->shown);
}

static int
shade_of(const struct cell *cell)
{
	int n = 0;

	while (n < HALF && fabs(cell->off) >= bounds[n])
		n++;
	return HALF + (cell->off < 0 ? -n : n);
}

static int
is_outlined(const struct grid *g, size_t row)
{
	size_t from = row * g->each_row, to = from + g->each_row;

	for (; g->has_outlined && from < to && from < g->row_count; from++)
		if (g->rows[from] == g->outlined_row)
			return 1;
	return 0;
}

/*
 * "7", or "8-15" when EACH > 1: name of row or column I out of COUNT numbers.
 */
static void
put_name(struct tp_buf *b, const int64_t *numbers, size_t count, size_t each,
    size_t i)
{
	size_t last = (i + 1) * each < count ? (i + 1) * each : count;

	tp_buf_int(b, numbers[i * each]);
	if (last > i * each + 1) {
		tp_buf_chr(b, '-');
		tp_buf_int(b, numbers[last - 1]);
	}
}

#define OVER "over 1,000 %"	/* what more than that is */

/* "rank 1, step 6: computation 677 us, 14.9 % above the median (589 us)". */
static void
put_cell(const struct grid *g, const struct cell *cell, struct tp_buf *b)
{
	tp_buf_fmt(b, "%s %lld, %s %lld: %s ", g->row, (long long)cell->row,
	    g->column, (long long)cell->column, g->value);
	tp_unit_ns(b, cell->value);
	tp_buf_str(b, ", ");
	if (cell->median && cell->value != cell->median) {
		if (cell->off > 10)
			tp_buf_str(b, OVER);
		else
			tp_unit_percent(b, fabs(cell->off));
		tp_buf_chr(b, ' ');
	}
	tp_buf_str(b, cell->value > cell->median ? "above the median (" :
	    cell->value < cell->median ? "below the median (" :
	    "the median (");
	tp_unit_ns(b, cell->median);
	tp_buf_chr(b, ')');
}

/* "+14.9 %". */
static void
put_off(const struct cell *cell, struct tp_buf *b)
{
	if (!cell->median && cell->value) {
		tp_buf_chr(b, '+');
		tp_unit_ns(b, cell->value);
		return;
	}
	if (cell->off > 10)
		tp_buf_str(b, OVER);
	else
		tp_unit_change(b, cell->off);
}

/* Which cells are merged, empty or left out, as sentences; may be empty. */
static void
put_rest(const struct grid *g, struct tp_buf *b)
{
	size_t empty = 0;

	for (size_t i = 0; i < g->shown_rows * g->shown_columns; i++)
		empty += !g->shown[i];
	if (g->each_row > 1 || g->each_column > 1) {
		tp_buf_str(b, "A cell shows the highest of ");
		if (g->each_row > 1)
			tp_buf_fmt(b, "%zu %ss", g->each_row, g->row);
		if (g->each_row > 1 && g->each_column > 1)
			tp_buf_str(b, " and ");
		if (g->each_column > 1)
			tp_buf_fmt(b, "%zu %ss", g->each_column, g->column);
		tp_buf_str(b, ". ");
	}
	if (empty)
		tp_buf_fmt(b, "Empty: no %s was recorded. ", g->column);
	if (*g->note)
		tp_buf_fmt(b, "%s ", g->note);
	if (g->left)
		tp_buf_fmt(b, "Not drawn: %llu more, without a time or of "
		    "another trace.", (unsigned long long)g->left);
}

/* Add a mark of a shade. */
static struct tp_mark *
add_shade(struct tp_scene *s, double x, double to, int shade)
{
	struct tp_mark *m = tp_scene_mark(s, x, to);

	if (shades[shade].colour)
		m->colour = tp_svg_colour(shades[shade].colour);
	m->percent = shades[shade].percent;
	m->sign = TP_SIGN_SHADE + (unsigned)shade;
	return m;
}

static void
add_title(const struct grid *g, const struct cell *cell, double x,
    double to, struct tp_scene *s)
{
	struct tp_mark *m = tp_scene_mark(s, x, to);

	put_cell(g, cell, &s->text);
	m->title = tp_scene_keep(s);
	m->percent = 0;
	m->sign = TP_SIGN_NONE;
}

static void
show_row(const struct grid *g, size_t i, double slot, struct tp_scene *s)
{
	size_t n = g->shown_columns, count = g->shown_rows * n;
	int is_written = n <= WRITTEN, height = HEIGHT / (int)g->shown_rows;
	double gap = count > APART || n > s->cells / 3 ? 0 : s->form ? 1 /
	    (double)s->cells : slot / 12;
	struct tp_scene_row *row = tp_scene_row(s, TP_ROW, NULL);
	const struct cell *most = NULL;
	struct tp_mark *m;

	row->height = height > ROW ? ROW : height;
	row->is_tight = 1;
	if (is_outlined(g, i))
		tp_buf_str(&s->text, "> ");
	put_name(&s->text, g->rows, g->row_count, g->each_row, i);
	if (s->form || i % (size_t)(LETTERS / row->height + 1) == 0)
		row->name = tp_scene_keep(s);
	tp_buf_clear(&s->text);
	for (size_t k = 0; k < n; k++) {
		const struct cell *cell = g->shown[i * n + k];
		double x = (double)k * slot, to = x + slot - gap;
		int shade;

		if (!cell)
			continue;
		most = !most || cell->off > most->off ? cell : most;
		shade = shade_of(cell);
		m = add_shade(s, x, to, shade);
		/* without its number, what is below differs by its height */
		m->high = shade < HALF && !is_written ? 0.5 : 1;
		if (is_written) {
			put_off(cell, &s->text);
			m = tp_scene_text(s, (x + to) / 2, 0.5, 0,
			    tp_scene_keep(s));
			m->sign = TP_SIGN_NONE;
		}
		if (count <= TITLES)
			add_title(g, cell, x, to, s);
	}
	if (count > TITLES && most)
		add_title(g, most, 0, (double)n * slot, s);
	for (int k = 0; k < 2 && is_outlined(g, i); k++)
		tp_scene_line(s, 0, k, (double)n * slot, k);
}

static void
fill(void *picture, struct tp_scene *s)
{
	struct grid *g = picture;
	double slot;

	fold(g, ROWS, s->cells);
	s->left = 0.12;
	slot = 1 / (double)(g->shown_columns > SLOTS ? g->shown_columns :
	    SLOTS);
	tp_buf_fmt(&s->text, "%s of each %s in each %s, against the median of "
	    "the %s", g->value, g->row, g->column, g->column);
	tp_scene_words(s);
	for (size_t i = 0; i < g->shown_rows; i++)
		show_row(g, i, slot, s);
	tp_scene_row(s, TP_NAMES, g->column);
	for (size_t k = 0; k < g->shown_columns; k++) {
		put_name(&s->text, g->columns, g->column_count, g->each_column,
		    k);
		tp_scene_text(s, ((double)k + 0.5) * slot, 0, 0,
		    tp_scene_keep(s));
	}
	tp_scene_row(s, TP_LEGEND, NULL);
	for (int i = 0; i < TP_SCENE_SHADES; i++)
		add_shade(s, 0, 0, i)->text = shades[i].words;
	if (g->has_outlined)
		tp_buf_fmt(&s->text, "> %s %lld: %s", g->row, (long long)
		    g->outlined_row, g->outlined);
	tp_scene_words(s);
	put_rest(g, &s->text);
	tp_scene_words(s);
}

static void
say(const void *picture, struct tp_buf *b)
{
	const struct grid *g = picture;

	if (b->len)
		tp_buf_chr(b, ' ');
	if (g->most->off > 0) {
		tp_buf_str(b, "The most: ");
		put_cell(g, g->most, b);
		tp_buf_chr(b, '.');
	} else {
		tp_buf_fmt(b, "No %s is above the median.", g->row);
	}
}

const struct tp_picture_type tp_grid = { .name = "grid",
    .size = sizeof(struct grid), .read = read_grid, .say = say, .fill = fill,
    .release = release };
