/* headed - rows of texts under a header, from any format */
#include <limits.h>
#include <string.h>

#include <tp/choice.h>
#include <tp/text.h>

#include "headed.h"
#include "word.h"

/* More columns are no table. */
#define COLUMNS_MAX 4096

void
tp_headed_field(struct tp_headed *c, const char *text, size_t len)
{
	if (c->stopped)
		return;
	if (c->header_done && c->field_count >= c->column_count) {
		c->field_count++;
		return;
	}
	if (c->field_count == COLUMNS_MAX) {
		tp_fail(c->err, TP_BAD, "table.unknown", c->row_line,
		    "a header of more than %d columns names no table",
		    COLUMNS_MAX);
		c->stopped = 1;
		return;
	}
	tp_grow(&c->fields, &c->field_cap, c->field_count + 1,
	    sizeof *c->fields);
	c->fields[c->field_count].at = c->text.len;
	c->fields[c->field_count].is_number = 0;
	c->fields[c->field_count++].len = len;
	tp_buf_add(&c->text, text ? text : "", len);
}

void
tp_headed_number(struct tp_headed *c, const char *text, size_t len)
{
	size_t i = c->field_count;

	tp_headed_field(c, text, len);
	if (!c->stopped && c->field_count <= c->column_count)
		c->fields[i].is_number = 1;
}

void
tp_headed_look(struct tp_headed *c, size_t column, const char *text,
    size_t len)
{
	const struct tp_plan *p = c->rows->plan;

	for (size_t i = 0; i < p->count && !c->decimal; i++)
		if (p->slots[i].cell == (ptrdiff_t)column &&
		    p->slots[i].type >= TP_TIME &&
		    p->slots[i].type <= TP_CYCLES)
			c->decimal = tp_unit_decimal_sign(tp_cell_dim(
			    p->slots[i].type), text, len);
}

void
tp_headed_looked(struct tp_headed *c, char unless_said)
{
	const struct tp_plan *p = c->rows->plan;

	for (size_t i = 0; i < p->count; i++)
		p->slots[i].decimal = c->decimal ? c->decimal : unless_said;
}

static const char *
field_text(const struct tp_headed *c, size_t i)
{
	return c->text.p ? c->text.p + c->fields[i].at : "";
}

/* Whether the LEN bytes at TEXT are the name of C without its unit. */
static int
is_called(const struct tp_table_column *c, const char *text, size_t len)
{
	const char *const names[] = { c->name, c->human, c->key }, *unit;
	size_t unit_len;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (*names[i] && (tp_same_name(text, len, names[i],
		    strlen(names[i])) || tp_same_name(text, len, names[i],
		    tp_unit_behind(names[i], strlen(names[i]), &unit,
		    &unit_len))))
			return 1;
	return 0;
}

/*
 * Whether C holds times or bytes, or cells of any type, so that a header may
 * give a unit.
 */
static int
has_unit(const struct tp_table *table, const struct tp_table_column *c)
{
	return !table->as && (c->unit || tp_column_is_any(c) ||
	    (c->type >= TP_TIME && c->type <= TP_BYTES));
}

/*
 * Column of TABLE that header cell I names, by mnemonic, human name or
 * record key, possibly followed by a unit; -1: none.
 */
static ptrdiff_t
column_of(const struct tp_headed *c, const struct tp_table *table, size_t i)
{
	const char *text = field_text(c, i), *unit;
	size_t len = c->fields[i].len, base, unit_len;
	const struct tp_table_column *col;

	for (size_t k = 0; k < table->column_count; k++) {
		col = &table->columns[k];
		if (tp_same_name(text, len, col->name, strlen(col->name)) ||
		    tp_same_name(text, len, col->key, strlen(col->key)))
			return (ptrdiff_t)k;
	}
	for (size_t k = 0; k < table->column_count; k++) {
		col = &table->columns[k];
		if (*col->human &&
		    tp_same_name(text, len, col->human, strlen(col->human)))
			return (ptrdiff_t)k;
	}
	base = tp_unit_behind(text, len, &unit, &unit_len);
	for (size_t k = 0; unit && k < table->column_count; k++)
		if (has_unit(table, &table->columns[k]) &&
		    is_called(&table->columns[k], text, base))
			return (ptrdiff_t)k;
	return -1;
}

/*
 * The number of columns of TABLE that the header names.  *LOOSE gets the
 * number of those that may have any unit and are named with one, which says
 * less than the column of another table that has this unit.
 */
static size_t
score_of(const struct tp_headed *c, const struct tp_table *table,
    size_t *loose)
{
	size_t score = 0, unit_len;
	const char *unit;
	ptrdiff_t at;

	*loose = 0;
	for (size_t i = 0; i < c->field_count; i++) {
		at = column_of(c, table, i);
		if (at < 0)
			continue;
		score++;
		if (!tp_column_is_any(&table->columns[at]))
			continue;
		tp_unit_behind(field_text(c, i), c->fields[i].len, &unit,
		    &unit_len);
		*loose += unit != NULL;
	}
	return score;
}

/* Whether the header names all columns that tell TABLE. */
static int
is_sure(const struct tp_headed *c, const struct tp_table *table)
{
	const char *human;
	size_t i, k;

	for (k = 0; k < table->sure; k++) {
		human = table->columns[k].human;
		for (i = 0; i < c->field_count && !tp_same_name(field_text(c,
		    i), c->fields[i].len, human, strlen(human)); i++)
			continue;
		if (i == c->field_count)
			return 0;
	}
	return table->sure > 0;
}

/* Whether two tables differ only in the unit of a column. */
static int
are_twins(const struct tp_table *a, const struct tp_table *b)
{
	if (a->column_count != b->column_count)
		return 0;
	for (size_t i = 0; i < a->column_count; i++)
		if (strcmp(a->columns[i].name, b->columns[i].name))
			return 0;
	return 1;
}

void
tp_headed_unknown(struct tp_headed *c)
{
	tp_fail(c->err, TP_BAD, "table.unknown", 1, "the header names no "
	    "table this program knows; --table NAME says which it is");
}

/*
 * Index of TABLE among those the filter reads; a large number when it is
 * not.
 */
static size_t
place_of(const struct tp_rows *rows, const char *table)
{
	size_t i;

	for (i = 0; rows->binds && rows->binds[i].table; i++)
		if (!strcmp(rows->binds[i].table, table))
			return i;
	return SIZE_MAX;
}

static void
unknown_option(struct tp_headed *c)
{
	struct tp_choice choice;

	tp_choice_init(&choice, c->rows->table_option);
	for (const struct tp_table *t = c->rows->tables->first; t; t = t->next)
		tp_choice_add(&choice, t->name);
	tp_fail(c->err, TP_USAGE, "usage", 0, "--table '%.60s' is not a table "
	    "this program knows%s", c->rows->table_option, *choice.near ?
	    tp_choice_hint(&choice) :
	    "; 'tp-rows --sniff FILE' names that of a file");
	tp_choice_release(&choice);
}

/*
 * The table whose columns best match the header.  Ties go to a table without
 * further columns, then to one that the filter reads, in its order; of
 * tables that differ only in units, to the first in share/tables (with a
 * note).  If several remain, the header is ambiguous.
 */
static const struct tp_table *
recognise(struct tp_headed *c)
{
	const struct tp_rows *rows = c->rows;
	const struct tp_table *t, *best = NULL, *other = NULL;
	size_t score, loose, rank, best_rank = 0, place, best_place;

	if (rows->table_option) {
		best = tp_tables_find(rows->tables, rows->table_option);
		if (!best)
			unknown_option(c);
		return best;
	}
	for (t = rows->tables->first; t; t = t->next) {
		/* thousands of counters are not compared with every table */
		if (t->sure ? !is_sure(c, t) : c->field_count >
		    t->column_count * 2)
			continue;
		score = score_of(c, t, &loose);
		/*
		 * a single match may be coincidence, unless the table has only
		 * that column
		 */
		if (!t->sure && (!score || score * 2 < c->field_count ||
		    (score == 1 && c->field_count > 1)))
			continue;
		rank = score * 8 - loose * 4 + (score == t->column_count) * 2 +
		    (size_t)tp_is_bound(rows, t->as ? t->as->name : t->name);
		if (rank > best_rank) {
			best = t;
			other = NULL;
			best_rank = rank;
		} else if (rank == best_rank && are_twins(best, t)) {
			other = t;
		} else if (rank == best_rank) {
			place = place_of(rows, t->as ? t->as->name : t->name);
			best_place = place_of(rows, best->as ?
			    best->as->name : best->name);
			other = place < best_place ? NULL :
			    place == best_place ? t : other;
			best = place < best_place ? t : best;
		}
	}
	if (best && other && are_twins(best, other)) {
		tp_trace_note(rows->trace, "table.twin", 0, 1,
		    "%s: the header fits %s and %s; it is read as %s, "
		    "--table says otherwise", tp_in_name(rows->in),
		    best->name, other->name, best->name);
		return best;
	}
	if (!best)
		tp_headed_unknown(c);
	else if (other)
		tp_fail(c->err, TP_BAD, "table.ambiguous", 1,
		    "the header fits '%s' and '%s' equally; --table NAME says "
		    "which it is", best->name, other->name);
	return other ? NULL : best;
}

/* Map CELL_OF to the columns of the table that TABLE maps to. */
static void
as_another(const struct tp_table *table, ptrdiff_t **cell_of)
{
	ptrdiff_t *cells = tp_alloc((table->as->column_count + 1) *
	    sizeof *cells);

	for (size_t i = 0; i < table->as->column_count; i++)
		cells[i] = -1;
	for (size_t i = 0; i < table->column_count; i++)
		cells[tp_table_column_of(table->as, table->columns[i].name)] =
		    (*cell_of)[i];
	tp_free(*cell_of);
	*cell_of = cells;
}

/* Set the units of cells that TABLE defines. */
static void
set_units(struct tp_plan *p, const struct tp_table *table)
{
	for (size_t i = 0; i < p->count; i++)
		for (size_t k = 0; k < table->column_count; k++)
			if (!strcmp(p->slots[i].name, table->columns[k].name))
				p->slots[i].unit = table->columns[k].unit;
}

static int
no_unit(struct tp_headed *c, size_t i)
{
	return tp_fail(c->err, TP_BAD, "unit.unknown", 0, "column '%.*s' has "
	    "an unknown unit: convert its numbers (cycles by the clock of the "
	    "core) and name ns, us, ms or s",
	    (int)(c->fields[i].len < 60 ? c->fields[i].len : 60),
	    field_text(c, i));
}

/*
 * Unit that all header cells of TABLE with one give, and its length in *LEN;
 * NULL: there is none, or they differ.
 */
static const char *
common_unit(const struct tp_headed *c, const struct tp_table *table,
    size_t *len)
{
	const char *unit, *common = NULL;
	size_t unit_len;
	ptrdiff_t k;

	for (size_t i = 0; i < c->field_count; i++) {
		tp_unit_behind(field_text(c, i), c->fields[i].len, &unit,
		    &unit_len);
		k = unit ? column_of(c, table, i) : -1;
		if (k < 0 || !table->columns[k].unit)
			continue;
		if (common && (unit_len != *len ||
		    !tp_same_bytes(unit, common, unit_len)))
			return NULL;
		common = unit;
		*len = unit_len;
	}
	return common;
}

/*
 * Take the unit that header cell I gives for COLUMN of TABLE into SLOT: one
 * that gives none has that of its neighbours.  0, or -1 with *c->err.
 */
static int
take_unit(struct tp_headed *c, const struct tp_table *table,
    const struct tp_table_column *column, struct tp_slot *slot, int want,
    size_t i)
{
	const char *unit, *copy;
	size_t len;
	int shift;

	tp_unit_behind(field_text(c, i), c->fields[i].len, &unit, &len);
	if (!unit && column->unit)
		unit = common_unit(c, table, &len);
	if (!unit)
		return 0;
	if ((want & TP_OR_CYCLES) && tp_same_name(unit, len, "cycles", 6)) {
		slot->is_cycles = 1;
		unit = "ns";
		len = 2;
	}
	if (slot->is_any && tp_unit_is(TP_DIM_TIME, unit, len)) {
		slot->type = TP_DURATION;
		slot->is_any = 0;
	}
	if (column->unit) {
		shift = tp_unit_shift(unit, len, column->unit);
		slot->shift = shift == INT_MIN ? 0 : shift;
		return shift == INT_MIN ? no_unit(c, i) : 0;
	}
	copy = tp_arena_text(&c->rows->tables->arena, unit, len);
	slot->unit = copy;
	return tp_unit_is(tp_cell_dim(slot->type), unit, len) ? 0 :
	    no_unit(c, i);
}

/* take_unit() for all cells. */
static int
take_units(struct tp_headed *c, const struct tp_table *table)
{
	struct tp_plan *p = c->rows->plan;

	for (size_t i = 0; i < p->count; i++) {
		const struct tp_slot *slot = &p->slots[i];
		ptrdiff_t k = slot->cell < 0 ? -1 : column_of(c, table,
		    (size_t)slot->cell);

		if (k >= 0 && has_unit(table, &table->columns[k]) &&
		    take_unit(c, table, &table->columns[k], &p->slots[i],
		    p->bind ? p->bind->columns[i].needed : 0,
		    (size_t)slot->cell) < 0)
			return -1;
	}
	return 0;
}

/* Note the names of columns that TABLE does not have; they are not read. */
static void
note_unknown(struct tp_headed *c, const struct tp_table *table)
{
	struct tp_buf names = { 0 };
	uint64_t count = 0;

	for (size_t i = 0; i < c->field_count; i++) {
		if (column_of(c, table, i) >= 0)
			continue;
		if (count++ < 5)
			tp_buf_fmt(&names, "%s'%.*s'", count > 1 ? ", " : "",
			    (int)(c->fields[i].len < 40 ? c->fields[i].len :
			    40), field_text(c, i));
	}
	if (count)
		tp_trace_note(c->rows->trace, "column.unknown", 0, count,
		    "%s: columns that table %s does not have are not read: "
		    "%s%s", tp_in_name(c->rows->in), table->name, names.p,
		    count > 5 ? " and others" : "");
	tp_buf_release(&names);
}

static void
header(struct tp_headed *c)
{
	const struct tp_table *table = recognise(c);
	ptrdiff_t *cell_of, k;
	size_t i;

	if (!table && c->titles < c->titles_max &&
	    !strcmp(c->err->code, "table.unknown")) {
		c->titles++;
		return;
	}
	c->header_done = 1;
	c->column_count = c->field_count;
	if (!table) {
		c->stopped = 1;
		return;
	}
	if (c->titles)
		tp_trace_note(c->rows->trace, "header.late", 0, c->titles,
		    "%s: lines before the header, such as a title, are skipped",
		    tp_in_name(c->rows->in));
	cell_of = tp_alloc((table->column_count + 1) * sizeof *cell_of);
	for (i = 0; i < table->column_count; i++)
		cell_of[i] = -1;
	for (i = 0; i < c->field_count; i++) {
		k = column_of(c, table, i);
		if (k < 0)
			continue;
		if (cell_of[k] < 0)
			cell_of[k] = (ptrdiff_t)i;
		else
			tp_trace_note(c->rows->trace, "header.duplicate", 0,
			    1, "%s: column '%s' stands twice in the header; "
			    "the first counts", tp_in_name(c->rows->in),
			    table->columns[k].name);
	}
	if (table->as)
		as_another(table, &cell_of);
	if (tp_plan_table(c->rows, table->as ? table->as : table,
	    cell_of, c->err) < 0) {
		c->err->line = c->row_line;
		c->stopped = 1;
	} else if (c->rows->plan->wanted) {
		note_unknown(c, table);
	}
	if (table->as && !c->stopped)
		set_units(c->rows->plan, table);
	if (!c->stopped && take_units(c, table) < 0) {
		c->err->line = c->row_line;
		c->stopped = 1;
	}
	tp_free(cell_of);
}

static void
damaged(struct tp_headed *c, const struct tp_err *err)
{
	if (err->status == TP_LIMIT || err->fatal) {
		tp_queue_drop(c->rows);
		*c->err = *err;
		c->stopped = 1;
	} else
		tp_queue_damage(c->rows, err);
}

static void
data_row(struct tp_headed *c)
{
	const struct tp_plan *p = c->rows->plan;
	struct tp_value *v;
	struct tp_err err;
	struct tp_slot slot;
	const char *text;
	size_t i, cell;

	c->good += c->field_count == c->column_count;
	if (!p->wanted) {
		tp_count_rows(c->rows, 1);
		return;
	}
	v = tp_queue_row(c->rows, c->row_line);
	if (c->field_count != c->column_count) {
		tp_fail(&err, TP_BAD, "row.damaged", c->row_line,
		    "%zu fields where the header has %zu", c->field_count,
		    c->column_count);
		err.what = "fields";
		damaged(c, &err);
		return;
	}
	for (i = 0; i < p->count; i++) {
		if (p->slots[i].cell < 0)
			continue;
		cell = (size_t)p->slots[i].cell;
		if (!c->fields[cell].len)
			continue;
		text = tp_arena_text(&c->rows->fill->arena, field_text(c, cell),
		    c->fields[cell].len);
		slot = p->slots[i];
		if (c->fields[cell].is_number)
			slot.decimal = '.';
		if (tp_cell_parse(&v[i], &slot, text, c->fields[cell].len,
		    &c->rows->fill->arena, &err) < 0) {
			err.line = c->row_line;
			damaged(c, &err);
			return;
		}
	}
}

static void
forget(struct tp_headed *c)
{
	c->field_count = 0;
	c->text.len = 0;
}

void
tp_headed_row(struct tp_headed *c)
{
	if (!c->stopped) {
		if (!c->header_done)
			header(c);
		else
			data_row(c);
	}
	forget(c);
}

void
tp_headed_refuse(struct tp_headed *c, const struct tp_err *err)
{
	if (!c->rows->plan->wanted) {
		tp_count_rows(c->rows, 1);
	} else {
		tp_queue_row(c->rows, c->row_line);
		tp_queue_damage(c->rows, err);
	}
	forget(c);
}

void
tp_headed_release(struct tp_headed *c)
{
	tp_buf_release(&c->text);
	tp_free(c->fields);
}
