/* table - the known tables of profiler exports */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include <tp/buf.h>
#include <tp/file.h>
#include <tp/in.h>
#include <tp/json.h>
#include <tp/share.h>
#include <tp/text.h>

#include "read.h"
#include "table.h"

static const struct {
	const char *name;	/* in share/tables */
	const char *suffix;	/* suffix of keys of that type */
} types[] = {
	[TP_NONE] = { "", "" },
	[TP_TIME] = { "time", "_ns" },
	[TP_DURATION] = { "duration", "_ns" },
	[TP_BYTES] = { "bytes", "_bytes" },
	[TP_COUNT] = { "count", "" },
	[TP_CYCLES] = { "cycles", "_cycles" },
	[TP_ID] = { "id", "" },
	[TP_TEXT] = { "text", "" },
	[TP_DECIMAL] = { "decimal", "" },
	[TP_PROCESS] = { "process", "" },
	[TP_THREAD] = { "thread", "" },
	[TP_STACK] = { "stack", "" },
};

static enum tp_type
type_called(const char *name)
{
	for (size_t i = 1; i < sizeof types / sizeof *types; i++)
		if (!strcmp(types[i].name, name))
			return (enum tp_type)i;
	return TP_NONE;
}

/*
 * Key of a record for COLUMN: snake_case, the unit as suffix.  "kind" and "src"
 * are keys of every record, so a column of that name is "row_kind", "row_src".
 */
static const char *
key_for(struct tp_arena *arena, const char *column, enum tp_type type)
{
	const char *suffix = types[type].suffix;
	size_t n = strlen(column), s = strlen(suffix), i;
	char *whole = tp_arena_get(arena, n + s + sizeof "row_"), *key = whole;

	memcpy(whole, "row_", 4);
	key += 4;
	for (i = 0; i < n; i++) {
		char c = column[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		key[i] = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ?
		    c : '_';
	}
	key[n] = '\0';
	/* "bytes" and "vidmem_bytes" already have the unit */
	if (type == TP_BYTES && n >= 5 && !strcmp(key + n - 5, "bytes"))
		return key;
	memcpy(key + n, suffix, s + 1);
	return strcmp(key, "kind") && strcmp(key, "src") ? key : whole;
}

struct tp_table *
tp_tables_add(struct tp_tables *tables, const char *name,
    const struct tp_table *as, const struct tp_table_column *columns,
    size_t count)
{
	struct tp_arena *a = &tables->arena;
	struct tp_table *t = tp_arena_get(a, sizeof *t), **last;
	size_t i;

	t->name = tp_arena_text(a, name, strlen(name));
	t->columns = tp_arena_get(a, count * sizeof *t->columns);
	t->column_count = count;
	t->sure = 0;
	t->longest_ns = as ? as->longest_ns : tables->longest_ns;
	t->as = as;
	t->next = NULL;
	for (i = 0; i < count; i++) {
		struct tp_table_column *c = &t->columns[i];

		/*
		 * pids and tids are integers in every record, whatever type a
		 * table gives them
		 */
		c->type = !strcmp(columns[i].name, "pid") ||
		    !strcmp(columns[i].name, "tid") ? TP_COUNT :
		    columns[i].type;
		c->name = tp_arena_text(a, columns[i].name,
		    strlen(columns[i].name));
		c->human = tp_arena_text(a, columns[i].human,
		    strlen(columns[i].human));
		c->unit = columns[i].unit ? tp_arena_text(a, columns[i].unit,
		    strlen(columns[i].unit)) : NULL;
		c->engineering = columns[i].engineering ? tp_arena_text(a,
		    columns[i].engineering, strlen(columns[i].engineering)) :
		    NULL;
		c->key = key_for(a, c->name, c->type);
	}
	for (last = &tables->first; *last; last = &(*last)->next)
		continue;
	*last = t;
	tables->count++;
	return t;
}

static const char *
item(const struct cJSON *row, int at)
{
	const char *s = cJSON_GetStringValue(cJSON_GetArrayItem(row, at));

	return s ? s : "";
}

static void
add_types(struct tp_tables *tables, const struct cJSON *doc)
{
	const struct cJSON *list = cJSON_GetObjectItem(doc, "types"), *i;
	size_t n = (size_t)cJSON_GetArraySize(list);

	if (!n)
		return;	/* tables that give types per column */
	tables->types = tp_arena_get(&tables->arena,
	    n * sizeof *tables->types);
	cJSON_ArrayForEach(i, list) {
		struct tp_engineering *t = &tables->types[tables->type_count];
		const char *to = cJSON_GetStringValue(i);

		t->name = tp_arena_text(&tables->arena, i->string,
		    strlen(i->string));
		t->type = to ? type_called(to) : TP_NONE;
		tables->type_count++;
	}
}

/* Fail: TABLE of FILE is wrong at ITEM. */
static int
bad(const char *file, const char *table, const char *what, const char *item,
    struct tp_err *err)
{
	return tp_share_fail(err, strncmp(file, "share/", 6) ? TP_USAGE :
	    TP_BAD, "%.200s: table '%.80s': %s '%.80s'", file, table, what,
	    item);
}

/*
 * Parse ROW of a table that maps to AS: the column's name in the header, the
 * column of AS, and possibly a unit.
 */
static int
foreign_column(const struct tp_table *as, const struct cJSON *row,
    struct tp_table_column *c, const char *file, const char *table,
    struct tp_err *err)
{
	ptrdiff_t at = tp_table_column_of(as, item(row, 1));
	char one[40];
	int64_t n;
	int len;

	if (!*item(row, 0) || at < 0)
		return bad(file, table, "no column of the table it stands for:",
		    item(row, 1), err);
	*c = (struct tp_table_column){ .name = as->columns[at].name,
	    .human = item(row, 0), .type = as->columns[at].type,
	    .unit = *item(row, 2) ? item(row, 2) : NULL };
	if (!c->unit)
		return 0;
	len = snprintf(one, sizeof one, "1 %s", c->unit);
	return len < (int)sizeof one && c->type >= TP_TIME &&
	    c->type <= TP_BYTES && !tp_unit_read(tp_cell_dim(c->type), one,
	    (size_t)len, '.', &n) ? 0 :
	    bad(file, table, "no unit of such a column:", c->unit, err);
}

static void
own_column(const struct tp_tables *tables, const struct cJSON *row,
    struct tp_table_column *c)
{
	*c = (struct tp_table_column){ .name = item(row, 0),
	    .human = item(row, 1),
	    .engineering = *item(row, 2) ? item(row, 2) : NULL,
	    .unit = *item(row, 4) ? item(row, 4) : NULL };
	c->type = cJSON_GetArraySize(row) > 3 ? type_called(item(row, 3)) :
	    tp_tables_type(tables, item(row, 2));
}

static int
add_table(struct tp_tables *tables, const struct cJSON *table,
    const char *file, struct tp_err *err)
{
	const char *name = tp_json_text(table, "as");
	const struct tp_table *as = name ? tp_tables_find(tables, name) : NULL;
	const struct cJSON *list = cJSON_IsObject(table) ?
	    tp_json_get(table, "columns") : table, *row;
	size_t n = (size_t)cJSON_GetArraySize(list), k = 0;
	struct tp_table_column *columns;
	double sure = 0;
	int rc = 0;

	(void)tp_json_number(table, "sure", &sure);
	if (cJSON_IsObject(table) && (sure > 0 ? sure > (double)n :
	    !as || as->as || !n))
		return bad(file, table->string, "columns, or a table that is "
		    "known, are missing in 'as'", name ? name : "", err);
	columns = tp_alloc((n ? n : 1) * sizeof *columns);
	cJSON_ArrayForEach(row, list) {
		if (as)
			rc = foreign_column(as, row, &columns[k], file,
			    table->string, err);
		else
			own_column(tables, row, &columns[k]);
		if (rc < 0)
			break;
		k++;
	}
	if (!rc)
		tp_tables_add(tables, table->string, as, columns, n)->sure =
		    sure > 0 ? (size_t)sure : 0;
	tp_free(columns);
	return rc;
}

/* Add the tables in DOC, read from FILE.  0, or -1 with ERR. */
static int
add_doc(struct tp_tables *tables, const struct cJSON *doc, const char *file,
    struct tp_err *err)
{
	const struct cJSON *t;
	double longest_s = 0;

	(void)tp_json_number(doc, "longest_s", &longest_s);
	tables->longest_ns = (int64_t)(longest_s * 1e9);
	add_types(tables, doc);
	cJSON_ArrayForEach(t, tp_json_get(doc, "tables"))
		if (add_table(tables, t, file, err) < 0)
			return -1;
	return 0;
}

static int
add_shared(struct tp_tables *tables, const char *name, struct tp_err *err)
{
	char path[300], file[300];
	struct cJSON *doc;
	int rc;

	if (snprintf(path, sizeof path, "tables/%s", name) >=
	    (int)sizeof path || snprintf(file, sizeof file, "share/%s", path) >=
	    (int)sizeof file)
		return 0;	/* not a file name of ours */
	doc = tp_share_json(path, err);
	rc = doc ? add_doc(tables, doc, file, err) : -1;
	cJSON_Delete(doc);
	return rc;
}

static int
add_own(void *arg, const char *path, struct tp_err *err)
{
	struct cJSON *doc = tp_file_json(path, err);
	int rc = doc ? add_doc(arg, doc, path, err) : -1;

	/* a file in the user's folder is meant to be read */
	if (!doc && err->status == TP_BAD)
		err->status = TP_USAGE;
	cJSON_Delete(doc);
	return rc;
}

/* Load all of share/tables by name, then the user's. */
static int
load(struct tp_tables *tables, struct tp_err *err)
{
	struct tp_buf own = { 0 };
	char **names;
	int n = tp_share_list("tables", ".json", &names, err), rc = 0;

	if (n < 0)
		return -1;
	for (int i = 0; i < n && !rc; i++)
		rc = add_shared(tables, names[i], err);
	tp_share_free_list(names, n);
	if (!rc && tp_share_own("tables", &own))
		rc = tp_share_each(own.p, add_own, tables, err);
	tp_buf_release(&own);
	return rc;
}

struct tp_tables *
tp_tables_load(struct tp_err *err)
{
	struct tp_tables *tables = tp_zalloc(sizeof *tables);

	if (load(tables, err) < 0) {
		tp_tables_free(tables);
		return NULL;
	}
	return tables;
}

static const char *
kept(struct tp_tables *tables, const char *text)
{
	return text ? tp_arena_text(&tables->arena, text, strlen(text)) : NULL;
}

int
tp_tables_load_exports(struct tp_tables *tables, struct tp_err *err)
{
	struct cJSON *doc = tp_share_json("tables/exports.json", err);
	const struct cJSON *list, *roles, *filters, *i;
	const char *bad_key = NULL;
	struct tp_export *e;
	size_t count;

	if (!doc)
		return -1;
	list = tp_json_get(doc, "exports");
	roles = tp_json_get(doc, "roles");
	filters = tp_json_get(doc, "filters");
	count = (size_t)(cJSON_GetArraySize(list) + cJSON_GetArraySize(roles));
	e = tables->exports = tp_arena_get(&tables->arena,
	    (count + 1) * sizeof *e);
	cJSON_ArrayForEach(i, list) {
		e->table = kept(tables, tp_json_text(i, "table"));
		if (!e->table)
			bad_key = "exports";
		e->name = kept(tables, tp_json_text(i, "name"));
		e->role = kept(tables, tp_json_text(i, "role"));
		if (!e->role)
			e->role = kept(tables, tp_json_text(i, "section"));
		e->filter = kept(tables, tp_json_text(i, "filter"));
		if (!e->filter && e->role)
			e->filter = kept(tables, tp_json_text(filters,
			    e->role));
		tp_share_texts(&tables->arena, tp_json_get(i, "instead_of"),
		    &e->instead_of);
		e++;
	}
	cJSON_ArrayForEach(i, roles) {
		const char *role = cJSON_GetStringValue(i);

		*e = (struct tp_export){ kept(tables, i->string), NULL,
		    kept(tables, role), kept(tables, tp_json_text(filters,
		    role)), NULL };
		if (!e->table)
			bad_key = "roles";
		e++;
	}
	tables->export_count = (size_t)(e - tables->exports);
	cJSON_Delete(doc);
	return bad_key ? tp_share_damaged("share/tables/exports.json", bad_key,
	    err) : 0;
}

const struct tp_export *
tp_tables_export(const struct tp_tables *tables, const char *name)
{
	for (size_t i = 0; i < tables->export_count; i++)
		if (!strcmp(tables->exports[i].table, name))
			return &tables->exports[i];
	return NULL;
}

void
tp_tables_free(struct tp_tables *tables)
{
	if (!tables)
		return;
	tp_arena_release(&tables->arena);
	tp_free(tables);
}

const struct tp_table *
tp_tables_find(const struct tp_tables *tables, const char *name)
{
	const struct tp_table *t = tables->first;

	while (t && strcmp(t->name, name))
		t = t->next;
	return t;
}

enum tp_type
tp_tables_type(const struct tp_tables *tables, const char *engineering)
{
	for (size_t i = 0; i < tables->type_count; i++)
		if (!strcmp(tables->types[i].name, engineering))
			return tables->types[i].type;
	return TP_TEXT;
}

ptrdiff_t
tp_table_column_of(const struct tp_table *table, const char *name)
{
	for (size_t i = 0; i < table->column_count; i++)
		if (!strcmp(table->columns[i].name, name))
			return (ptrdiff_t)i;
	return -1;
}

int
tp_column_is_any(const struct tp_table_column *column)
{
	return column->engineering && !strcmp(column->engineering, "any");
}

const char *
tp_type_suffix(enum tp_type type)
{
	return types[type].suffix;
}

size_t
tp_table_stem(const char *file)
{
	static const char *const ends[] = { ".csv", ".xml", ".json",
	    ".jsonl" };
	size_t len = tp_in_stem(file, strlen(file)), n;

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		n = strlen(ends[i]);
		if (len > n && !memcmp(file + len - n, ends[i], n))
			len -= n;
	}
	return len;
}

int
tp_table_named(const char *file, const char *name, const char *table,
    size_t *prefix)
{
	size_t len = tp_table_stem(file), rest;

	for (size_t i = 0; i < len; i++) {
		if (i && file[i - 1] != '_' && file[i - 1] != '-')
			continue;
		rest = len - i;
		if (!tp_same_name(file + i, rest, name, strlen(name)) &&
		    !tp_same_name(file + i, rest, table, strlen(table)))
			continue;
		*prefix = i ? i - 1 : 0;
		return 1;
	}
	return 0;
}
