/*
 * schema - hold records to share/schema
 *
 * check-schema FOLDER < records: prints a line for every record that its
 * schema refuses, and how many were held to one; 1 when any was refused or
 * there was none.  Knows the part of JSON Schema that share/schema uses:
 * type, required, properties, additionalProperties, enum, "$ref" to a key of
 * _keys.json, and patternProperties for KEY_ps beside KEY_ns.  A row.TABLE
 * record is held to row.json.
 */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/in.h>
#include <tp/lines.h>
#include <tp/records.h>

struct schema {
	char *kind;
	cJSON *doc;
};

static struct schema schemas[256];
static size_t schema_count;

static cJSON *
load(const char *folder, const char *kind)
{
	struct tp_buf text = { 0 };
	struct tp_err err;
	const char *block;
	char path[4096];
	struct tp_in *in;
	ptrdiff_t n;
	cJSON *doc;

	snprintf(path, sizeof path, "%s/%s.json", folder, kind);
	in = tp_in_open(path, &err);
	if (!in)
		return NULL;
	while ((n = tp_in_read(in, &block, &err)) > 0)
		tp_buf_add(&text, block, (size_t)n);
	doc = cJSON_ParseWithLength(text.p ? text.p : "", text.len);
	if (!doc)
		printf("%s: not JSON\n", path);
	tp_in_close(in);
	tp_buf_release(&text);
	return doc;
}

static const cJSON *
schema_of(const char *folder, const char *kind)
{
	const char *name = strncmp(kind, "row.", 4) ? kind : "row";
	struct schema *s;

	for (size_t i = 0; i < schema_count; i++)
		if (!strcmp(schemas[i].kind, name))
			return schemas[i].doc;
	if (schema_count == sizeof schemas / sizeof *schemas)
		return NULL;
	s = &schemas[schema_count++];
	s->kind = tp_alloc(strlen(name) + 1);
	if (!s->kind)
		abort();
	strcpy(s->kind, name);
	s->doc = load(folder, name);
	return s->doc;
}

static int
has_type(const struct tp_field *f, const char *type)
{
	switch (f->type) {
	case TP_FIELD_BOOL:
		return !strcmp(type, "boolean");
	case TP_FIELD_INT:
		return !strcmp(type, "integer") || !strcmp(type, "number");
	case TP_FIELD_REAL:
		return !strcmp(type, "number");
	case TP_FIELD_TEXT:
		return !strcmp(type, "string");
	default:
		return 0;
	}
}

/* The key of _keys.json that PROPERTY names, or NULL. */
static const cJSON *
key_of(const char *folder, const cJSON *property)
{
	static const char file[] = "_keys.json#/$defs/";
	const char *ref = cJSON_GetStringValue(
	    cJSON_GetObjectItem(property, "$ref"));

	if (!ref || strncmp(ref, file, sizeof file - 1))
		return NULL;
	return cJSON_GetObjectItemCaseSensitive(cJSON_GetObjectItem(
	    schema_of(folder, "_keys"), "$defs"), ref + sizeof file - 1);
}

/* What PROPERTY says against field F, or NULL. */
static const char *
fault(const char *folder, const cJSON *property, const struct tp_field *f)
{
	const cJSON *key = key_of(folder, property);
	const cJSON *type = cJSON_GetObjectItem(key, "type");
	const cJSON *values = cJSON_GetObjectItem(property, "enum"), *v;

	if (!values)
		values = cJSON_GetObjectItem(key, "enum");
	if (!cJSON_IsString(type) || !has_type(f, type->valuestring))
		return "is of the wrong type";
	if (!values)
		return NULL;
	cJSON_ArrayForEach(v, values)
		if (!strcmp(v->valuestring, f->text))
			return NULL;
	return "has a value that is not listed";
}

static int
refuse(const struct tp_rec *rec, const char *key, const char *why)
{
	printf("%s: '%s' %s\n", rec->kind, key, why);
	return 1;
}

/* Whether F is the picoseconds of a KEY_ns, which patternProperties allows. */
static int
is_exact(const cJSON *schema, const struct tp_field *f)
{
	size_t len = strlen(f->key);
	char ns[128];

	if (!cJSON_GetObjectItem(schema, "patternProperties") ||
	    f->type != TP_FIELD_INT || len < 4 || len >= sizeof ns ||
	    strcmp(f->key + len - 3, "_ps"))
		return 0;
	snprintf(ns, sizeof ns, "%.*sns", (int)len - 2, f->key);
	return cJSON_HasObjectItem(cJSON_GetObjectItem(schema, "properties"),
	    ns);
}

static int
check(const char *folder, const cJSON *schema, const struct tp_rec *rec)
{
	const cJSON *properties, *open, *need, *property;
	const char *why;
	int bad = 0;

	properties = cJSON_GetObjectItem(schema, "properties");
	open = cJSON_GetObjectItem(schema, "additionalProperties");
	for (size_t i = 0; i < rec->count; i++) {
		const struct tp_field *f = &rec->fields[i];

		property = cJSON_GetObjectItemCaseSensitive(properties,
		    f->key);
		why = property ? fault(folder, property, f) :
		    cJSON_IsTrue(open) || is_exact(schema, f) ? NULL :
		    "is not in its schema";
		if (why)
			bad |= refuse(rec, f->key, why);
		for (size_t k = 0; k < i; k++)
			if (!strcmp(rec->fields[k].key, f->key))
				bad |= refuse(rec, f->key, "stands twice");
	}
	cJSON_ArrayForEach(need, cJSON_GetObjectItem(schema, "required"))
		if (!tp_rec_field(rec, need->valuestring))
			bad |= refuse(rec, need->valuestring, "is missing");
	if (!rec->count || strcmp(rec->fields[0].key, "kind"))
		bad |= refuse(rec, "kind", "does not stand first");
	return bad;
}

int
main(int argc, char *argv[])
{
	struct tp_arena arena = { 0 };
	struct tp_lines lines;
	struct tp_err err;
	struct tp_rec rec;
	struct tp_in *in;
	const cJSON *schema;
	const char *text;
	unsigned long count = 0;
	size_t len;
	int bad = 0, rc;

	if (argc != 2) {
		fprintf(stderr, "usage: check-schema FOLDER < records\n");
		return 2;
	}
	in = tp_in_open("-", &err);
	if (!in)
		return 4;
	tp_lines_init(&lines, in);
	while ((rc = tp_lines_next(&lines, &text, &len, &err)) > 0) {
		count++;
		if (tp_rec_parse(&rec, text, len, &arena, &err) < 0) {
			printf("line %lu: %s\n", count, err.text);
			bad = 1;
		} else if (!(schema = schema_of(argv[1], rec.kind))) {
			printf("%s: no schema\n", rec.kind);
			bad = 1;
		} else {
			bad |= check(argv[1], schema, &rec);
		}
		tp_arena_release(&arena);
	}
	tp_lines_release(&lines);
	tp_in_close(in);
	for (size_t i = 0; i < schema_count; i++) {
		tp_free(schemas[i].kind);
		cJSON_Delete(schemas[i].doc);
	}
	printf("%lu records held to their schemas\n", count);
	return bad || rc < 0 || !count;
}
