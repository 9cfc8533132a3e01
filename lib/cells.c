/* cells - records of one kind as CSV */
#include <string.h>

#include <cjson/cJSON.h>
#include <csv.h>

#include <tp/alloc.h>
#include <tp/cells.h>
#include <tp/grid.h>
#include <tp/json.h>
#include <tp/scale.h>

struct column {
	const char *name, *key;
	const struct tp_scale *unit;
};

/* Columns and where they go. */
struct print {
	const struct tp_cells *cells;
	struct column *columns;
	size_t count, cap;
	struct tp_names keys;
	struct tp_buf *out;
	struct tp_err *err;
};

/* TEXT of LEN bytes as one field: quoted by libcsv where it has to be. */
static void
put_text(struct print *p, const char *text, size_t len)
{
	int safe = p->cells->safe && len && strchr("=+-@\t\r", *text);
	int quoted = !len || *text == ' ' || text[len - 1] == ' ';
	struct tp_buf guarded = { 0 }, field = { 0 };
	size_t n, need;

	for (size_t i = 0; i < len && !quoted; i++)
		quoted = text[i] == '"' || text[i] == ',' ||
		    text[i] == '\n' || text[i] == '\r';
	if (safe) {
		tp_buf_chr(&guarded, '\'');
		tp_buf_add(&guarded, text, len);
		text = guarded.p ? guarded.p : "";
		len = guarded.len;
	}
	if (!quoted) {
		tp_buf_add(p->out, text, len);
	} else {
		need = csv_write(NULL, 0, text, len);
		for (n = 0; n < need; n++)
			tp_buf_chr(&field, ' ');
		if (!field.failed) {
			csv_write(field.p, need, text, len);
			tp_buf_add(p->out, field.p, need);
		}
	}
	if (guarded.failed || field.failed)
		p->out->failed = 1;
	tp_buf_release(&guarded);
	tp_buf_release(&field);
}

static void
put_field(struct print *p, const struct tp_rec *rec,
    const struct column *column)
{
	const struct tp_field *f = tp_rec_field(rec, column->key);
	const struct tp_scale *unit = column->unit;

	if (!f || f->type == TP_FIELD_NULL)
		return;
	if (f->type == TP_FIELD_TEXT)
		put_text(p, f->text, f->len);
	else
		tp_scale_print(p->out, f, unit, -1);
}

static int
add_column(struct print *p, const char *name, const char *key,
    const struct tp_scale *unit)
{
	if (tp_grow(&p->columns, &p->cap, p->count + 1,
	    sizeof *p->columns) < 0)
		return tp_fail_memory(p->err);
	p->columns[p->count++] = (struct column){ name, key, unit };
	return 0;
}

static int
map_columns(struct print *p)
{
	const char *kind = tp_json_text(p->cells->mapping, "kind"), *name, *key;
	size_t len = strcspn(p->cells->selector, "[");
	const char *unit_name;
	const struct tp_scale *unit;
	const cJSON *c;

	if (!kind || strlen(kind) != len ||
	    memcmp(kind, p->cells->selector, len))
		return tp_fail(p->err, TP_USAGE, "mapping.kind", 0,
		    "the mapping is for records of '%s'", kind ? kind : "?");
	cJSON_ArrayForEach(c, tp_json_get(p->cells->mapping, "columns")) {
		name = tp_json_text(c, "name");
		key = tp_json_text(c, "key");
		unit_name = tp_json_text(c, "unit");
		unit = unit_name && key ? tp_scale_find(unit_name, key) : NULL;
		if (!name || !key || (unit_name && !unit))
			return tp_fail(p->err, TP_BAD, "mapping.damaged", 0,
			    "column %zu of the mapping: %s", p->count + 1,
			    !name || !key ? "no name or no key" :
			    "its unit does not fit its key");
		if (add_column(p, name, key, unit) < 0)
			return -1;
	}
	if (!p->count)
		return tp_fail(p->err, TP_BAD, "mapping.damaged", 0,
		    "the mapping has no columns");
	return 0;
}

static int
all_columns(struct print *p, const struct tp_set *set)
{
	if (tp_grid_keys(set, p->cells->selector, NULL, &p->keys) < 0)
		return tp_fail_memory(p->err);
	for (size_t i = 0; i < p->keys.count; i++)
		if (add_column(p, p->keys.names[i].text,
		    p->keys.names[i].text, NULL) < 0)
			return -1;
	return 0;
}

static void
put_rows(struct print *p, const struct tp_set *set)
{
	const char *selector = p->cells->selector;
	const struct tp_rec *rec;
	size_t at = 0;

	for (size_t i = 0; i < p->count; i++) {
		if (i)
			tp_buf_chr(p->out, ',');
		put_text(p, p->columns[i].name, strlen(p->columns[i].name));
	}
	if (p->count)
		tp_buf_chr(p->out, '\n');
	while ((rec = tp_set_next(set, selector, strlen(selector), &at))) {
		for (size_t i = 0; i < p->count; i++) {
			if (i)
				tp_buf_chr(p->out, ',');
			put_field(p, rec, &p->columns[i]);
		}
		tp_buf_chr(p->out, '\n');
	}
}

int
tp_cells_print(const struct tp_cells *cells, const struct tp_set *set,
    struct tp_buf *out, struct tp_err *err)
{
	struct print p = { .cells = cells, .out = out, .err = err };
	int rc;

	rc = cells->mapping ? map_columns(&p) : all_columns(&p, set);
	if (!rc)
		put_rows(&p, set);
	tp_free(p.columns);
	tp_names_release(&p.keys);
	if (!rc && out->failed)
		rc = tp_fail_memory(err);
	return rc;
}
