/* cells - records of one kind as CSV */
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <csv.h>

#include <tp/alloc.h>
#include <tp/cond.h>
#include <tp/json.h>
#include <tp/share.h>
#include <tp/show/cells.h>
#include <tp/show/text_table.h>
#include <tp/text.h>
#include <tp/width.h>

#include "pyrepr.h"
#include "peer_units.h"

struct column {
	const char *name, *key;
	const struct tp_scale *unit;
	const char *python;	/* NULL, "tuple" or "list": texts with JSON are
				 * written in Python syntax */
	const char *text, *absent;	/* may be NULL */
	int running;
	double sum;		/* of a running column so far */
};

/* The columns and the output. */
struct print {
	const struct tp_cells *cells;
	struct column *columns;		/* all columns, of all rows of a
					 * record */
	size_t count, cap, width;
	struct tp_names keys;
	struct tp_conds need;
	struct tp_arena arena;
	cJSON *part;		/* of another file, whose columns are used */
	struct tp_buf *out;
	struct tp_err *err;
};

/*
 * Whether a spreadsheet would run TEXT: it begins, after blanks and what has no
 * width, with a sign of a formula, in ASCII or as wide as an ideograph.
 */
static int
is_formula(const char *text, size_t len)
{
	uint32_t c = 0;

	for (size_t n; len && (n = tp_utf8(text, len, &c)); text += n, len -= n)
		if (!tp_is_blank(c) && tp_char_width(c))
			break;
	return len && (c == '=' || c == '+' || c == '-' || c == '@' ||
	    c == 0xff1d || c == 0xff0b || c == 0xff0d || c == 0xff20);
}

/* Write LEN bytes of TEXT as one field, quoted by libcsv if necessary. */
static void
put_text(struct print *p, const char *text, size_t len)
{
	struct tp_buf guarded = { 0 }, field = { 0 };
	size_t n, need;
	int quoted;

	if (p->cells->safe) {
		if (is_formula(text, len))
			tp_buf_chr(&guarded, '\'');
		tp_show_text(&guarded, text, len);
	} else {
		tp_utf8_mend(&guarded, text, len);
	}
	text = guarded.p ? guarded.p : "";
	len = guarded.len;
	quoted = !len || *text == ' ' || text[len - 1] == ' ';
	for (size_t i = 0; i < len && !quoted; i++)
		quoted = text[i] == '"' || text[i] == ',' ||
		    text[i] == '\n' || text[i] == '\r';
	if (!quoted) {
		tp_buf_add(p->out, text, len);
	} else {
		need = csv_write(NULL, 0, text, len);
		for (n = 0; n < need; n++)
			tp_buf_chr(&field, ' ');
		csv_write(field.p, need, text, len);
		tp_buf_add(p->out, field.p, need);
	}
	tp_buf_release(&guarded);
	tp_buf_release(&field);
}

/* Write JSON in Python syntax; a text that is not JSON is unchanged. */
static void
put_python(struct print *p, const struct tp_field *f, const char *how)
{
	struct tp_buf buf = { 0 };

	if (!tp_py_json(&buf, f->text, f->len, *how == 'l' ? TP_PY_LISTS :
	    TP_PY_TUPLES))
		put_text(p, buf.p ? buf.p : "", buf.len);
	else
		put_text(p, f->text, f->len);
	tp_buf_release(&buf);
}

static void
put_number(struct print *p, const struct tp_field *f, struct column *column)
{
	const struct tp_scale *unit = column->unit;

	if (column->running) {
		column->sum += f->x;
		tp_json_real(p->out, column->sum / (unit ? unit->size : 1));
	} else {
		tp_scale_print(p->out, f, unit, -1);
	}
}

static void
put_field(struct print *p, const struct tp_rec *rec, struct column *column)
{
	const struct tp_field *f = column->key ?
	    tp_rec_field(rec, column->key) : NULL;

	if (column->text) {
		put_text(p, column->text, strlen(column->text));
	} else if (!f || f->type == TP_FIELD_NULL) {
		if (column->absent)
			put_text(p, column->absent, strlen(column->absent));
	} else if (column->python && (f->type == TP_FIELD_TEXT ||
	    f->type == TP_FIELD_BOOL)) {
		put_python(p, f, column->python);
	} else if (f->type == TP_FIELD_TEXT) {
		put_text(p, f->text, f->len);
	} else {
		put_number(p, f, column);
	}
}

static void
add_column(struct print *p, struct column column)
{
	TP_APPEND(p->columns, p->count, p->cap, column);
}

static int
map_column(struct print *p, const cJSON *from)
{
	const char *unit = tp_json_text(from, "unit");
	struct column c = { .name = tp_json_text(from, "name"),
	    .key = tp_json_text(from, "key"),
	    .text = tp_json_text(from, "text"),
	    .absent = tp_json_text(from, "absent"),
	    .running = cJSON_IsTrue(tp_json_get(from, "running")) };

	if (unit && (!strcmp(unit, "tuple") || !strcmp(unit, "list")))
		c.python = unit;
	else if (unit && c.key)
		c.unit = tp_scale_find(unit, c.key);
	if (!c.name || !c.key == !c.text ||
	    (unit && !c.unit && !c.python))
		return tp_fail(p->err, TP_BAD, "mapping.damaged", 0,
		    "column %zu of the mapping: %s", p->count + 1,
		    !c.name || !c.key == !c.text ? "no name or no key" :
		    "its unit does not fit its key");
	add_column(p, c);
	return 0;
}

static int
map_list(struct print *p, const cJSON *columns)
{
	char path[80];
	const cJSON *c;
	int rc = 0;

	cJSON_ArrayForEach(c, columns) {
		if (cJSON_IsString(c) && !p->part) {
			snprintf(path, sizeof path, "csv/%s.json",
			    c->valuestring);
			p->part = tp_share_json(path, p->err);
			rc = p->part ? map_list(p, tp_json_get(p->part,
			    "columns")) : -1;
		} else {
			rc = map_column(p, c);
		}
		if (rc < 0)
			return -1;
	}
	return 0;
}

static int
map_row(struct print *p, const cJSON *columns)
{
	size_t had = p->count;

	if (map_list(p, columns) < 0)
		return -1;
	if (!p->width)
		p->width = p->count;
	return p->count - had == p->width && p->count > had ? 0 :
	    tp_fail(p->err, TP_BAD, "mapping.damaged", 0,
	    "the mapping has %s", p->count > had ?
	    "rows of different lengths" : "no columns");
}

static int
map_columns(struct print *p)
{
	const cJSON *rows = tp_json_get(p->cells->mapping, "rows"), *row;
	const char *kind = tp_json_text(p->cells->mapping, "kind");
	size_t len = strcspn(p->cells->selector, "[");

	if (!kind || strcspn(kind, "[") != len ||
	    memcmp(kind, p->cells->selector, len))
		return tp_fail(p->err, TP_USAGE, "mapping.kind", 0,
		    "the mapping is for records of '%s'", kind ? kind : "?");
	if (!cJSON_GetArraySize(rows))
		return map_row(p, tp_json_get(p->cells->mapping, "columns"));
	cJSON_ArrayForEach(row, rows)
		if (map_row(p, row) < 0)
			return -1;
	return 0;
}

static void
all_columns(struct print *p, const struct tp_set *set)
{
	tp_grid_keys(set, p->cells->selector, NULL, &p->keys);
	for (size_t i = 0; i < p->keys.count; i++)
		add_column(p, (struct column){ .name = p->keys.names[i].text,
		    .key = p->keys.names[i].text });
	p->width = p->count;
}

/* Whether any record fulfils the conditions for a row. */
static int
has_needed(const struct print *p, const struct tp_set *set)
{
	const char *selector = p->cells->selector;
	const struct tp_rec *rec;
	size_t at = 0;

	while ((rec = tp_set_next(set, selector, &at)))
		if (tp_conds_of(&p->need, rec))
			return 1;
	return 0;
}

static void
put_rows(struct print *p, const struct tp_set *set)
{
	const char *selector = p->cells->selector;
	int need = p->need.count && has_needed(p, set);
	const struct tp_rec *rec;
	size_t at = 0;

	for (size_t i = 0; i < p->width; i++) {
		if (i)
			tp_buf_chr(p->out, ',');
		put_text(p, p->columns[i].name, strlen(p->columns[i].name));
	}
	if (p->width)
		tp_buf_chr(p->out, '\n');
	while ((rec = tp_set_next(set, selector, &at)))
		for (size_t i = 0; i < p->count; i++) {
			if (need && !tp_conds_of(&p->need, rec))
				break;
			if (i % p->width)
				tp_buf_chr(p->out, ',');
			put_field(p, rec, &p->columns[i]);
			if (i % p->width == p->width - 1)
				tp_buf_chr(p->out, '\n');
		}
}

int
tp_cells_print(const struct tp_cells *cells, const struct tp_set *set,
    struct tp_buf *out, struct tp_err *err)
{
	struct print p = { .cells = cells, .out = out, .err = err };
	int rc = 0;

	if (cells->mapping)
		rc = map_columns(&p);
	else
		all_columns(&p, set);
	if (!rc)
		rc = tp_conds_json(&p.need, tp_json_get(cells->mapping,
		    "need"), &p.arena, err);
	if (!rc)
		put_rows(&p, set);
	tp_free(p.columns);
	tp_names_release(&p.keys);
	tp_arena_release(&p.arena);
	cJSON_Delete(p.part);
	return rc;
}
