/*
 * rowrec - rows from row.TABLE records, as tp-rows writes them
 *
 * Source and note records are passed on, others go to the filter's callback.
 */
#include <stdio.h>
#include <string.h>

#include <tp/lines.h>
#include <tp/records.h>

#include "rowrec_layout.h"
#include "rowrec_plain.h"

struct rowrec {
	struct tp_lines lines;
	struct tp_arena srcs;		/* all src values, which queued rows
					 * point to */
	struct tp_layout *layouts;	/* layouts of lines that are expected */
	struct tp_marks *marks;
	int rows_met, others_met;
};

/* Lines parsed before the queue is returned. */
#define BATCH 64

/* The plan for TABLE, moved to the front; NULL when there is none. */
static struct tp_plan *
plan_of(struct tp_rows *rows, const char *table)
{
	struct tp_plan **at, *p;

	for (at = &rows->plan; (p = *at); at = &p->next) {
		if (strcmp(p->table->name, table))
			continue;
		*at = p->next;
		p->next = rows->plan;
		rows->plan = p;
		return p;
	}
	return NULL;
}

/* Describe a table unknown to share/tables by its record. */
static const struct tp_table *
learn(struct tp_rows *rows, const char *name, const struct tp_rec *rec)
{
	struct tp_table_column *c = tp_zalloc((rec->count + 1) * sizeof *c);
	const struct tp_table *table;
	size_t n = 0;

	for (size_t i = 0; i < rec->count; i++) {
		const struct tp_field *f = &rec->fields[i];

		if (!strcmp(f->key, "kind") || !strcmp(f->key, "src"))
			continue;
		c[n].name = f->key;
		c[n].human = "";
		c[n++].type = f->type == TP_FIELD_INT ? TP_COUNT : TP_TEXT;
	}
	table = tp_tables_add(rows->tables, name, NULL, c, n);
	tp_free(c);
	return table;
}

/*
 * Set V to the cell of COL, of any type, whose key in REC says its unit:
 * "weight_ns".  0, or -1 with ERR.
 */
static int
fill_any(struct tp_rows *rows, struct tp_value *v, const struct tp_slot *slot,
    const struct tp_table_column *col, const struct tp_rec *rec,
    struct tp_err *err)
{
	struct tp_slot own = *slot;
	const struct tp_field *f = NULL;
	struct tp_buf key = { 0 };
	/* times and durations have one suffix: these are durations */
	int type = TP_DURATION;

	for (own.is_any = 0; !f && type <= TP_CYCLES; type++) {
		tp_buf_clear(&key);
		tp_buf_fmt(&key, "%s%s", col->key,
		    tp_type_suffix((enum tp_type)type));
		f = tp_rec_field(rec, key.p);
		own.type = (enum tp_type)type;
	}
	tp_buf_release(&key);
	return !f || f->type == TP_FIELD_NULL ? 0 : tp_rowrec_cell(v, &own,
	    f->text, f->len, NULL, &rows->fill->arena, err);
}

static int
fill(struct tp_rows *rows, struct tp_value *v, const struct tp_slot *slot,
    const struct tp_table_column *col, const struct tp_rec *rec,
    struct tp_err *err)
{
	const struct tp_field *f = tp_rec_field(rec, col->key);
	struct tp_buf key = { 0 };
	int64_t number;
	int known = 0;

	if (!f && slot->is_any)
		return fill_any(rows, v, slot, col, rec, err);
	if (!f || f->type == TP_FIELD_NULL)
		return 0;
	if (slot->type == TP_PROCESS || slot->type == TP_THREAD) {
		tp_rowrec_number_key(&key, col);
		known = tp_rec_int(rec, key.p, &number);
		tp_buf_release(&key);
	}
	return tp_rowrec_cell(v, slot, f->text, f->len,
	    known ? &number : NULL, &rows->fill->arena, err);
}

static int
row(struct tp_rows *rows, const char *name, const struct tp_rec *rec,
    const char *text, size_t len, struct tp_err *err)
{
	struct rowrec *r = rows->form;
	const struct tp_table *table;
	const struct tp_plan *p = plan_of(rows, name);
	struct tp_value *v;
	size_t i;

	if (!p) {
		/* of other tables not even the names are kept */
		if (rows->binds && !tp_is_bound(rows, name))
			return 0;
		table = tp_tables_find(rows->tables, name);
		if (!table && rows->tables->count >= TP_TABLES_MAX)
			return tp_fail(err, TP_LIMIT, "limit.tables",
			    r->lines.line, "more than %d kinds of rows",
			    TP_TABLES_MAX);
		if (!table)
			table = learn(rows, name, rec);
		if (tp_plan_table(rows, table, NULL, err) < 0) {
			err->line = r->lines.line;
			return -1;
		}
		p = rows->plan;
	}
	if (!p->wanted)
		return 0;
	if (!rows->only_library)
		tp_layout_expect(&r->layouts, rows, rec, text, len);
	v = tp_queue_row(rows, r->lines.line);
	for (i = 0; i < p->count; i++) {
		const struct tp_slot *s = &p->slots[i];

		if (s->cell < 0 || !fill(rows, &v[i], s,
		    &p->table->columns[s->cell], rec, err))
			continue;
		if (err->status == TP_LIMIT)
			return -1;
		err->line = r->lines.line;
		tp_queue_damage(rows, err);
		return 0;
	}
	return 0;
}

/* Fail: a line is no record; a last one without LF was cut. */
static int
bad_line(struct tp_rows *rows, struct tp_err *err)
{
	struct rowrec *r = rows->form;

	if (r->lines.done)
		return tp_fail(err, TP_BAD, "input.truncated", r->lines.line,
		    "the last record is cut off");
	err->line = r->lines.line;
	err->what = "record";
	tp_queue_loose(rows, err);
	return 0;
}

static int
other(struct tp_rows *rows, const struct tp_rec *rec, struct tp_err *err)
{
	struct rowrec *r = rows->form;

	r->others_met = 1;
	if (rows->other(rows->other_arg, rec, err) == 0)
		return 0;
	if (err->status == TP_LIMIT)
		return -1;
	err->line = r->lines.line;
	tp_queue_loose(rows, err);
	return 0;
}

static int
line(struct tp_rows *rows, const char *text, size_t len, struct tp_err *err)
{
	struct rowrec *r = rows->form;
	struct tp_rec rec;

	if (!len)
		return 0;
	if (tp_rec_parse(&rec, text, len, &rows->fill->arena, err) < 0)
		return err->status == TP_LIMIT ? -1 : bad_line(rows, err);
	if (!rows->src || strcmp(rows->src, rec.src))
		rows->src = tp_arena_text(&r->srcs, rec.src,
		    strlen(rec.src));
	if (!strncmp(rec.kind, "row.", 4)) {
		r->rows_met = 1;
		return row(rows, rec.kind + 4, &rec, text, len, err);
	}
	if (strcmp(rec.kind, "source") && strcmp(rec.kind, "note"))
		return rows->other ? other(rows, &rec, err) : 0;
	if (rows->pass && (r->rows_met || !r->others_met))
		rows->pass(rows->pass_arg, rows->src, text, len);
	return 0;
}

/* Parse lines within the current block, which queued rows point into. */
static int
more(struct tp_rows *rows, struct tp_err *err)
{
	struct rowrec *r = rows->form;
	const char *text;
	size_t len;
	int i, rc, taken;

	for (i = 0; i < BATCH; i++) {
		text = r->lines.at;
		taken = tp_layout_row(r->layouts, rows, r->marks, &text,
		    r->lines.end, r->lines.line + 1, &rows->fill->arena, err);
		if (taken < 0)
			return -1;
		if (taken)
			tp_lines_took(&r->lines, text);
		else if (!tp_lines_here(&r->lines, &text, &len))
			break;
		else if (line(rows, text, len, err) < 0)
			return -1;
	}
	if (i)
		return 1;
	r->marks->len = 0;
	rc = tp_lines_next(&r->lines, &text, &len, err);
	return rc > 0 && line(rows, text, len, err) < 0 ? -1 : rc;
}

static void
close_form(struct tp_rows *rows)
{
	struct rowrec *r = rows->form;

	tp_lines_release(&r->lines);
	tp_arena_release(&r->srcs);
	tp_layouts_free(r->layouts);
	tp_free(r->marks);
	tp_free(r);
}

void
tp_rowrec_open(struct tp_rows *rows)
{
	struct rowrec *r = tp_zalloc(sizeof *r);
	struct tp_marks *marks = tp_alloc(sizeof *marks);

	marks->len = 0;
	r->marks = marks;
	rows->form = r;
	rows->more = more;
	rows->close = close_form;
	tp_lines_init(&r->lines, rows->in);
}
