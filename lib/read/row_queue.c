/* row_queue - queue of rows found by a reader, and mapping of their values */
#include <string.h>

#include <tp/alloc.h>

#include "read.h"

static const struct tp_bind *
bind_of(const struct tp_bind *binds, const char *table)
{
	for (; binds && binds->table; binds++)
		if (!strcmp(binds->table, table))
			return binds;
	return NULL;
}

int
tp_is_bound(const struct tp_rows *rows, const char *table)
{
	return bind_of(rows->binds, table) != NULL;
}

static void
add_source(struct tp_rows *rows, const char *schema)
{
	struct tp_trace *t = rows->trace;
	struct tp_source *s;

	/* a second node for a table in the same file continues its source */
	for (size_t i = t->source_count; i-- > 0;) {
		s = &t->sources[i];
		if (s->format == tp_format_name(rows->format) && s->schema &&
		    !strcmp(s->schema, schema) &&
		    !strcmp(s->file, tp_in_name(rows->in))) {
			rows->plan->source = (ptrdiff_t)i;
			return;
		}
	}
	tp_grow(&t->sources, &t->source_cap, t->source_count + 1, sizeof *s);
	s = &t->sources[t->source_count];
	memset(s, 0, sizeof *s);
	s->file = tp_dup(tp_in_name(rows->in));
	s->schema = tp_dup(schema);
	s->format = tp_format_name(rows->format);
	s->first_ns = INT64_MAX;
	s->last_ns = INT64_MIN;
	rows->plan->source = (ptrdiff_t)t->source_count++;
}

/* Fill the slots of the plan; the name of a needed column that lacks, or
 * NULL. */
static const char *
fill_slots(struct tp_plan *p, const ptrdiff_t *cell_of)
{
	const struct tp_table *t = p->table;
	const char *lacks = NULL, *name;
	size_t i;
	ptrdiff_t c;

	p->time = p->length = p->process = p->thread = -1;
	for (i = 0; i < p->count; i++) {
		name = p->bind ? p->bind->columns[i].column :
		    t->columns[i].name;
		c = p->bind ? tp_table_column_of(t, name) : (ptrdiff_t)i;
		p->slots[i].name = name;
		p->slots[i].decimal = '.';
		p->slots[i].unit = NULL;
		p->slots[i].shift = p->slots[i].is_cycles = 0;
		p->slots[i].type = c < 0 ? TP_NONE : t->columns[c].type;
		p->slots[i].is_any = c >= 0 && tp_column_is_any(&t->columns[c]);
		p->slots[i].cell = c < 0 ? -1 : cell_of ? cell_of[c] : c;
		if (p->slots[i].cell < 0 && p->bind &&
		    (p->bind->columns[i].needed & TP_NEEDED) && !lacks)
			lacks = name;
		if (p->slots[i].cell < 0)
			continue;
		if (p->slots[i].type == TP_TIME && p->time < 0)
			p->time = (ptrdiff_t)i;
		if (p->slots[i].type == TP_DURATION && p->length < 0 &&
		    !strcmp(name, "duration"))
			p->length = (ptrdiff_t)i;
		if (p->slots[i].type == TP_PROCESS && !strcmp(name, "process"))
			p->process = (ptrdiff_t)i;
		if (p->slots[i].type == TP_THREAD && !strcmp(name, "thread"))
			p->thread = (ptrdiff_t)i;
	}
	return lacks;
}

int
tp_plan_table(struct tp_rows *rows, const struct tp_table *table,
    const ptrdiff_t *cell_of, struct tp_err *err)
{
	struct tp_plan *p = tp_zalloc(sizeof *p);
	const char *lacks;

	p->next = rows->plan;
	rows->plan = p;
	p->source = -1;
	p->table = table;
	p->bind = bind_of(rows->binds, table->name);
	p->wanted = !rows->binds || p->bind;
	if (p->bind)
		while (p->bind->columns[p->count].column)
			p->count++;
	else
		p->count = table->column_count;
	p->slots = tp_alloc((p->count + 1) * sizeof *p->slots);
	if (rows->format != TP_FORMAT_RECORDS)
		add_source(rows, table->name);
	lacks = fill_slots(p, cell_of);
	if (lacks) {
		tp_fail(err, TP_BAD, "column.missing", 0,
		    "table '%s' has no column '%s'", table->name, lacks);
		err->fatal = 1;
		return -1;
	}
	if (!p->wanted && p->source >= 0)
		tp_trace_note(rows->trace, "table.unused", 0, 1,
		    "%s: table %.120s is not used here", tp_in_name(rows->in),
		    table->name);
	return 0;
}

void
tp_queue_clear(struct tp_queue *q)
{
	q->next = q->run_count = q->row_count = 0;
	q->value_count = q->err_count = 0;
	tp_arena_release(&q->arena);
}

void
tp_queue_release(struct tp_queue *q)
{
	tp_free(q->values);
	tp_free(q->runs);
	tp_free(q->errs);
	tp_arena_release(&q->arena);
}

void
tp_queue_grow(struct tp_rows *rows, size_t n)
{
	struct tp_queue *q = rows->fill;

	tp_grow(&q->values, &q->value_cap, q->value_count + n *
	    rows->plan->count + 1, sizeof *q->values);
	tp_grow(&q->runs, &q->run_cap, q->run_count + 1, sizeof *q->runs);
}

void
tp_queue_drop(struct tp_rows *rows)
{
	struct tp_queue *q = rows->fill;
	struct tp_queued *last = &q->runs[q->run_count - 1];

	if (!last->damage)
		q->value_count -= last->plan->count;
	q->row_count--;
	if (!--last->count)
		q->run_count--;
}

/*
 * Queue damage of PLAN (NULL: no row): the last error again, or, if FRESH,
 * ERR.
 */
static void
add_damage(struct tp_queue *q, const struct tp_plan *plan,
    const struct tp_err *err, int fresh)
{
	tp_grow(&q->runs, &q->run_cap, q->run_count + 1, sizeof *q->runs);
	tp_grow(&q->errs, &q->err_cap, q->err_count + 1, sizeof *q->errs);
	if (fresh)
		q->errs[q->err_count++] = *err;
	q->runs[q->run_count++] = (struct tp_queued){ .count = 1,
	    .plan = plan, .damage = (int)q->err_count };
	q->row_count++;
}

void
tp_queue_damage(struct tp_rows *rows, const struct tp_err *err)
{
	struct tp_queue *q = rows->fill;
	const struct tp_err *last = q->err_count ?
	    &q->errs[q->err_count - 1] : NULL;

	tp_queue_drop(rows);
	/*
	 * of many equal errors only the first is kept, the others are counted
	 */
	add_damage(q, rows->plan, err, !last || !err->what || last->what !=
	    err->what || last->code != err->code);
}

void
tp_queue_loose(struct tp_rows *rows, const struct tp_err *err)
{
	add_damage(rows->fill, NULL, err, 1);
}
