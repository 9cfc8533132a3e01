/* cells - records of one kind as CSV */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <csv.h>

#include <tp/alloc.h>
#include <tp/cells.h>
#include <tp/grid.h>
#include <tp/json.h>
#include <tp/pyrepr.h>

/* How a text is printed that holds JSON, in the place of decimals. */
enum { TUPLE = -2, LIST = -3 };

/* What a unit divides by: a power of ten is exact, the others are doubles. */
static const struct unit {
	const char *name, *suffix;
	int decimals;		/* 10^decimals, or -1 */
	double size;
} units[] = {
	{ "ns", "_ns", 0, 1 }, { "us", "_ns", 3, 1e3 },
	{ "ms", "_ns", 6, 1e6 }, { "s", "_ns", 9, 1e9 },
	{ "ns", "_ps", 3, 1e3 }, { "us", "_ps", 6, 1e6 },
	{ "ms", "_ps", 9, 1e9 }, { "s", "_ps", 12, 1e12 },
	{ "bytes", "_bytes", 0, 1 }, { "kib", "_bytes", -1, 1024 },
	{ "mib", "_bytes", -1, 1048576 },
	{ "gib", "_bytes", -1, 1073741824 },
	{ "gflops", "_flops", -1, 1e9 },
	{ "tflops", "_flops_per_s", -1, 1e12 },
	{ "tb", "_bytes_per_s", -1, 1e12 },
	{ "percent", "_ratio", -1, 0.01 },
	{ "flag", "", -1, 1 },
	{ "tuple", "", TUPLE, 1 }, { "list", "", LIST, 1 },
};

struct column {
	const char *name, *key;
	const char *then;	/* or NULL: the key in records that have
				 * the one of the mapping's "when" */
	const struct unit *unit;
	const char *text, *absent;	/* or NULL */
	int running;
	double sum;		/* of a running column, so far */
};

/* Columns and where they go. */
struct print {
	const struct tp_cells *cells;
	struct column *columns;		/* of all rows of a record */
	size_t count, cap, width;
	struct tp_names keys;
	const char *when;		/* of the mapping, or NULL */
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

/* N / 10^DECIMALS without a rounding error and without idle zeros. */
static void
put_scaled(struct tp_buf *out, int64_t n, int decimals)
{
	uint64_t u = n < 0 ? 0 - (uint64_t)n : (uint64_t)n, scale = 1;
	char digits[24];
	int len;

	for (int i = 0; i < decimals; i++)
		scale *= 10;
	if (n < 0)
		tp_buf_chr(out, '-');
	tp_buf_int(out, (int64_t)(u / scale));
	if (!(u % scale))
		return;
	len = snprintf(digits, sizeof digits, "%0*llu", decimals,
	    (unsigned long long)(u % scale));
	while (digits[len - 1] == '0')
		len--;
	tp_buf_chr(out, '.');
	tp_buf_add(out, digits, (size_t)len);
}

/* JSON as Python prints it; what is none, as it is. */
static void
put_python(struct print *p, const struct tp_field *f, int how)
{
	struct tp_buf buf = { 0 };

	if (!tp_py_json(&buf, f->text, f->len, how == LIST ? TP_PY_LISTS :
	    TP_PY_TUPLES) && !buf.failed)
		put_text(p, buf.p ? buf.p : "", buf.len);
	else
		put_text(p, f->text, f->len);
	if (buf.failed)
		p->out->failed = 1;
	tp_buf_release(&buf);
}

static void
put_number(struct print *p, const struct tp_field *f, struct column *column)
{
	const struct unit *unit = column->unit;

	if (column->running) {
		column->sum += f->x;
		tp_json_real(p->out, column->sum / (unit ? unit->size : 1));
	} else if (!unit) {
		tp_buf_add(p->out, f->text, f->len);
	} else if (f->type == TP_FIELD_INT && unit->decimals >= 0) {
		put_scaled(p->out, f->n, unit->decimals);
	} else {
		tp_json_real(p->out, f->x / unit->size);
	}
}

static void
put_field(struct print *p, const struct tp_rec *rec, struct column *column)
{
	const char *key = column->then && p->when &&
	    tp_rec_field(rec, p->when) ? column->then : column->key;
	const struct tp_field *f = key ? tp_rec_field(rec, key) : NULL;
	const struct unit *unit = column->unit;

	if (column->text) {
		put_text(p, column->text, strlen(column->text));
	} else if (!f || f->type == TP_FIELD_NULL) {
		if (column->absent)
			put_text(p, column->absent, strlen(column->absent));
	} else if (f->type == TP_FIELD_TEXT ||
	    (f->type == TP_FIELD_BOOL && unit && unit->decimals <= TUPLE)) {
		if (unit && unit->decimals <= TUPLE)
			put_python(p, f, unit->decimals);
		else
			put_text(p, f->text, f->len);
	} else if (unit && f->type == TP_FIELD_BOOL) {
		tp_buf_int(p->out, f->n);
	} else {
		put_number(p, f, column);
	}
}

static int
add_column(struct print *p, struct column column)
{
	if (tp_grow(&p->columns, &p->cap, p->count + 1,
	    sizeof *p->columns) < 0)
		return tp_fail_memory(p->err);
	p->columns[p->count++] = column;
	return 0;
}

static const struct unit *
find_unit(const char *name, const char *key)
{
	size_t len = strlen(key), n;

	for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
		n = strlen(units[i].suffix);
		if (!strcmp(units[i].name, name) && len > n &&
		    !strcmp(key + len - n, units[i].suffix))
			return &units[i];
	}
	return NULL;
}

static int
map_column(struct print *p, const cJSON *from)
{
	const char *unit = tp_json_text(from, "unit");
	struct column c = { .name = tp_json_text(from, "name"),
	    .key = tp_json_text(from, "key"),
	    .then = tp_json_text(from, "then"),
	    .text = tp_json_text(from, "text"),
	    .absent = tp_json_text(from, "absent"),
	    .running = cJSON_IsTrue(tp_json_get(from, "running")) };

	c.unit = unit && c.key ? find_unit(unit, c.key) : NULL;
	if (!c.name || !c.key == !c.text || (unit && !c.unit))
		return tp_fail(p->err, TP_BAD, "mapping.damaged", 0,
		    "column %zu of the mapping: %s", p->count + 1,
		    !c.name || !c.key == !c.text ? "no name or no key" :
		    "its unit does not fit its key");
	return add_column(p, c);
}

static int
map_row(struct print *p, const cJSON *columns)
{
	size_t had = p->count;
	const cJSON *c;

	cJSON_ArrayForEach(c, columns)
		if (map_column(p, c) < 0)
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

	p->when = tp_json_text(p->cells->mapping, "when");
	if (!kind || strlen(kind) != len ||
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

static int
all_columns(struct print *p, const struct tp_set *set)
{
	if (tp_grid_keys(set, p->cells->selector, NULL, &p->keys) < 0)
		return tp_fail_memory(p->err);
	for (size_t i = 0; i < p->keys.count; i++)
		if (add_column(p, (struct column){
		    .name = p->keys.names[i].text,
		    .key = p->keys.names[i].text }) < 0)
			return -1;
	p->width = p->count;
	return 0;
}

/* The key that a row must have, when any has it; else NULL. */
static const char *
needed(const struct print *p, const struct tp_set *set)
{
	const char *selector = p->cells->selector;
	const char *key = p->cells->mapping ?
	    tp_json_text(p->cells->mapping, "need") : NULL;
	const struct tp_rec *rec;
	size_t at = 0;

	while (key && (rec = tp_set_next(set, selector, strlen(selector),
	    &at)))
		if (tp_rec_field(rec, key))
			return key;
	return NULL;
}

static void
put_rows(struct print *p, const struct tp_set *set)
{
	const char *selector = p->cells->selector, *need = needed(p, set);
	const struct tp_rec *rec;
	size_t at = 0;

	for (size_t i = 0; i < p->width; i++) {
		if (i)
			tp_buf_chr(p->out, ',');
		put_text(p, p->columns[i].name, strlen(p->columns[i].name));
	}
	if (p->width)
		tp_buf_chr(p->out, '\n');
	while ((rec = tp_set_next(set, selector, strlen(selector), &at)))
		for (size_t i = 0; i < p->count; i++) {
			if (need && !tp_rec_field(rec, need))
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
