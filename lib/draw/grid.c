/* grid - a value by row and column as shades: ranks by steps */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tp/json.h>
#include <tp/order.h>
#include <tp/unit.h>

#include "draw/grid.h"
#include "draw/scale.h"
#include "draw/words.h"

static const double bounds[] = { 0.03, 0.1, 0.3 };
const char *const tp_grid_bounds[] = { "3 %", "10 %", "30 %" };

/*
 * The first key of LIST that a record has, and in *NAME how it is called; NULL
 * if there is none.
 */
static const char *
choose(const cJSON *list, const cJSON *spec, const struct tp_set *set,
    const char **name)
{
	const struct tp_rec *rec;
	const cJSON *item;
	const char *key;
	int64_t n;

	cJSON_ArrayForEach(item, list) {
		size_t at = 0;

		key = tp_json_text(item, "key");
		*name = tp_json_text(item, "name");
		while (key && *name && (rec = tp_words_next(spec, set, &at)))
			if (tp_rec_int(rec, key, &n))
				return key;
	}
	return NULL;
}

static void
read_cells(struct tp_grid *g, const cJSON *spec, const struct tp_set *set)
{
	const char *row = choose(tp_json_get(spec, "rows"), spec, set,
	    &g->row);
	const char *column = choose(tp_json_get(spec, "columns"), spec, set,
	    &g->column);
	const char *value = choose(tp_json_get(spec, "values"), spec, set,
	    &g->value);
	const char *outlined = tp_json_text(spec, "outlined"), *src = NULL;
	const struct tp_rec *rec;
	struct tp_grid_cell c = { 0 };
	const struct tp_field *f;
	size_t at = 0;

	if (!row || !column || !value)
		return;
	while ((rec = tp_words_next(spec, set, &at))) {
		src = src ? src : rec->src;
		if (strcmp(src, rec->src) != 0 ||
		    !tp_rec_int(rec, row, &c.row) ||
		    !tp_rec_int(rec, column, &c.column) ||
		    !tp_rec_int(rec, value, &c.value) || c.value < 0 ||
		    c.value > TP_SCALE_FAR) {
			g->left++;
			continue;
		}
		TP_APPEND(g->cells, g->count, g->cap, c);
		f = outlined ? tp_rec_field(rec, outlined) : NULL;
		if (f && f->type == TP_FIELD_BOOL && f->n) {
			g->has_outlined = 1;
			g->outlined_row = c.row;
		}
	}
}

TP_ORDER(by_value, struct tp_grid_cell, TP_UP(column) TP_UP(value))

TP_ORDER(by_place, struct tp_grid_cell, TP_UP(row) TP_UP(column) TP_UP(value))

/* Compute the median of each column and list the columns. */
static void
compute_medians(struct tp_grid *g)
{
	struct tp_grid_cell *c = g->cells;
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
sort_grid_cells(struct tp_grid *g)
{
	const struct tp_grid_cell *c = g->cells;

	qsort(g->cells, g->count, sizeof *c, by_place);
	g->most = c;
	for (size_t i = 0; i < g->count; i++) {
		if (!i || c[i].row != c[i - 1].row)
			g->rows[g->row_count++] = c[i].row;
		if (c[i].off > g->most->off)
			g->most = &c[i];
	}
}

/*
 * Read what PICTURE shows of SET.  Returns 1, 0 if there are no cells, or -1
 * with ERR.  G must be released in any case.
 */
static int
make(struct tp_grid *g, const struct cJSON *picture,
    const struct tp_set *set, struct tp_err *err)
{
	double rows = 1, columns = 1;
	const cJSON *spec;

	memset(g, 0, sizeof *g);
	spec = tp_words_first(tp_json_get(picture, "from"), set);
	if (!spec)
		return 0;
	g->outlined = tp_json_text(spec, "outlined-name");
	g->note = tp_words(&g->arena, spec, "note", set, NULL, err);
	if (!g->note)
		return -1;
	read_cells(g, spec, set);
	if (!g->count)
		return 0;
	g->rows = tp_alloc(g->count * sizeof *g->rows);
	g->columns = tp_alloc(g->count * sizeof *g->columns);
	compute_medians(g);
	sort_grid_cells(g);
	tp_json_number(spec, "least-rows", &rows);
	tp_json_number(spec, "least-columns", &columns);
	return (double)g->row_count >= rows &&
	    (double)g->column_count >= columns;
}

/* Join cells so that there are at most ROWS rows and COLUMNS columns. */
static void
fold(struct tp_grid *g, size_t rows, size_t columns)
{
	const struct tp_grid_cell **at;
	size_t row = 0, column = 0;

	g->each_row = (g->row_count + rows - 1) / rows;
	g->each_column = (g->column_count + columns - 1) / columns;
	g->shown_rows = (g->row_count + g->each_row - 1) / g->each_row;
	g->shown_columns = (g->column_count + g->each_column - 1) /
	    g->each_column;
	tp_free(g->shown);
	g->shown = tp_zalloc(g->shown_rows * g->shown_columns *
	    sizeof *g->shown);
	for (size_t i = 0; i < g->count; i++) {
		const struct tp_grid_cell *c = &g->cells[i];

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
release_grid(struct tp_grid *g)
{
	tp_free(g->cells);
	tp_free(g->rows);
	tp_free(g->columns);
	tp_free(g->shown);
	tp_arena_release(&g->arena);
}

const struct tp_grid_cell *
tp_grid_at(const struct tp_grid *g, size_t i, size_t k)
{
	return g->shown[i * g->shown_columns + k];
}

int
tp_grid_shade(const struct tp_grid_cell *cell)
{
	int n = 0;

	while (n < TP_GRID_SHADES / 2 && fabs(cell->off) >= bounds[n])
		n++;
	return TP_GRID_SHADES / 2 + (cell->off < 0 ? -n : n);
}

int
tp_grid_is_outlined(const struct tp_grid *g, size_t row)
{
	size_t from = row * g->each_row, to = from + g->each_row;

	for (; g->has_outlined && from < to && from < g->row_count; from++)
		if (g->rows[from] == g->outlined_row)
			return 1;
	return 0;
}

void
tp_grid_name(struct tp_buf *b, const int64_t *numbers, size_t count,
    size_t each, size_t i)
{
	size_t last = (i + 1) * each < count ? (i + 1) * each : count;

	tp_buf_int(b, numbers[i * each]);
	if (last > i * each + 1) {
		tp_buf_chr(b, '-');
		tp_buf_int(b, numbers[last - 1]);
	}
}

#define OVER "over 1,000 %"	/* what more than that is */

void
tp_grid_cell_words(const struct tp_grid *g, const struct tp_grid_cell *cell,
    struct tp_buf *b)
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

void
tp_grid_off(const struct tp_grid_cell *cell, struct tp_buf *b)
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

void
tp_grid_outlined(const struct tp_grid *g, struct tp_buf *b)
{
	tp_buf_fmt(b, "%s %lld: %s", g->row, (long long)g->outlined_row,
	    g->outlined ? g->outlined : "");
}

void
tp_grid_head(const struct tp_grid *g, struct tp_buf *b)
{
	tp_buf_fmt(b, "%s of each %s in each %s, against the median of the "
	    "%s", g->value, g->row, g->column, g->column);
}

/* Name the highest cell in a sentence. */
static void
say_most(const struct tp_grid *g, struct tp_buf *b)
{
	if (g->most->off > 0) {
		tp_buf_str(b, "The most: ");
		tp_grid_cell_words(g, g->most, b);
		tp_buf_chr(b, '.');
	} else {
		tp_buf_fmt(b, "No %s is above the median.", g->row);
	}
}

void
tp_grid_rest(const struct tp_grid *g, struct tp_buf *b)
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

TP_DRAW_HEAD(grid)
{
	struct tp_grid g;
	int rc = make(&g, picture, set, err);

	if (rc > 0) {
		fold(&g, TP_GRID_ROWS, form == TP_DRAW_SVG ? TP_GRID_COLUMNS :
		    columns - TP_GRID_SIDE);
		if (d->text.len)
			tp_buf_chr(&d->text, ' ');
		say_most(&g, &d->text);
		if (form == TP_DRAW_SVG)
			tp_grid_svg(&g, d);
		else
			tp_grid_text(&g, columns, form == TP_DRAW_ASCII,
			    &d->picture);
	}
	release_grid(&g);
	return rc;
}
