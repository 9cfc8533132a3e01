/* shape - build one nested JSON document from records */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tp/cond.h>
#include <tp/doc.h>
#include <tp/json.h>
#include <tp/show/shape.h>
#include <tp/show/template.h>

#include "peer_units.h"

struct shape {
	const struct tp_set *set;
	struct tp_doc doc;
	struct tp_buf name, number;
	struct tp_arena arena;	/* memory of conditions */
	struct tp_err *err;
};

/* A loop over records, and its position. */
struct choice {
	const char *selector;
	struct tp_conds conds;
	size_t at;
};

/* A value of a record and its format. */
struct value {
	const struct tp_field *field;
	const struct tp_scale *scale;
	int decimals;		/* -1: all digits */
};

static int item(struct shape *s, const char *key, const struct cJSON *form,
    const struct tp_rec *rec);

static int
damaged(struct shape *s, const char *what, const char *name)
{
	return tp_fail(s->err, TP_BAD, "mapping.damaged", 0, "%s '%.80s'", what,
	    name);
}

static int
is_value(const struct cJSON *form)
{
	return cJSON_IsString(form) && form->valuestring[0] == '$';
}

/*
 * Resolve "$NAME UNIT .N" for REC into V; s->name gets NAME.  Returns 0, or -1
 * with s->err.
 */
static int
resolve_value(struct shape *s, const char *text, const struct tp_rec *rec,
    struct value *v)
{
	const char *p = tp_cond_scan(text + 1, text + strlen(text), " ");
	char unit[16];
	size_t len;

	memset(v, 0, sizeof *v);
	v->decimals = -1;
	tp_buf_clear(&s->name);
	tp_buf_add(&s->name, text + 1, (size_t)(p - text - 1));
	if (!s->name.len)
		return damaged(s, "no name in", text);
	v->field = tp_template_field(s->set, rec, s->name.p, NULL);
	while (*p == ' ') {
		len = strcspn(++p, " ");
		if (*p == '.' && len == 2 && p[1] >= '0' && p[1] <= '9') {
			v->decimals = p[1] - '0';
		} else if (len && len < sizeof unit) {
			memcpy(unit, p, len);
			unit[len] = '\0';
			v->scale = tp_scale_find(unit, s->name.p);
			if (!v->scale)
				return damaged(s, "no such unit for its key:",
				    text);
		} else {
			return damaged(s, "bad text after the name in", text);
		}
		p += len;
	}
	return 0;
}

/* The number or boolean V as text in s->number. */
static const char *
number_of(struct shape *s, const struct value *v)
{
	tp_buf_clear(&s->number);
	tp_scale_print(&s->number, v->field, v->scale, v->decimals);
	return s->number.p;
}

static int
put_value(struct shape *s, const char *key, const char *text,
    const struct tp_rec *rec)
{
	struct value v;

	if (resolve_value(s, text, rec, &v) < 0)
		return -1;
	if (!v.field)
		tp_doc_null(&s->doc, key);
	else if (v.field->type == TP_FIELD_TEXT)
		tp_doc_text(&s->doc, key, v.field->text);
	else
		tp_doc_number(&s->doc, key, number_of(s, &v));
	return 0;
}

/*
 * Prepare the loop over the records that FORM selects with WHICH ("$each",
 * ...).
 */
static int
choose(struct shape *s, const struct cJSON *form, const char *which,
    struct choice *p)
{
	struct tp_conds *c = &p->conds;
	size_t n;

	memset(p, 0, sizeof *p);
	p->selector = tp_json_text(form, which);
	if (!p->selector)
		return damaged(s, "no selector for", which);
	if (tp_conds_json(c, tp_json_get(form, "$where"), &s->arena,
	    s->err) < 0)
		return -1;
	n = c->count;
	if (tp_conds_json(c, tp_json_get(form, "$not"), &s->arena,
	    s->err) < 0)
		return -1;
	for (; n < c->count; n++)
		c->list[n].is_not = !c->list[n].is_not;
	return 0;
}

/* The next record of the loop, or NULL.  Conditions may refer to OUTER. */
static const struct tp_rec *
next(struct shape *s, struct choice *p, const struct tp_rec *outer)
{
	const struct tp_rec *rec;
	const struct tp_cond *c;
	size_t i;

	while ((rec = tp_set_next(s->set, p->selector, &p->at))) {
		for (i = 0; i < p->conds.count; i++) {
			c = &p->conds.list[i];
			if (!tp_cond_holds(c, tp_rec_field(rec, c->name),
			    c->other ? tp_template_field(s->set, outer,
			    c->other, NULL) : NULL, NULL))
				break;
		}
		if (i == p->conds.count)
			return rec;
	}
	return NULL;
}

/* Write REC as a member of an object; its key is the value "$key". */
static int
put_named(struct shape *s, const struct cJSON *form, const struct tp_rec *rec)
{
	const char *name = tp_json_text(form, "$key");
	struct value v;

	if (*name != '$')
		return damaged(s, "the key is not a value:", name);
	if (resolve_value(s, name, rec, &v) < 0)
		return -1;
	return v.field ? item(s, v.field->text, tp_json_get(form, "$item"),
	    rec) : 0;
}

static int
put_each(struct shape *s, const char *key, const struct cJSON *form,
    const struct tp_rec *outer)
{
	int named = tp_json_text(form, "$key") != NULL;
	const struct tp_rec *rec;
	double limit = INFINITY;
	struct choice some;

	if (choose(s, form, "$each", &some) < 0)
		return -1;
	tp_json_number(form, "$limit", &limit);
	if (named)
		tp_doc_object(&s->doc, key);
	else
		tp_doc_array(&s->doc, key);
	for (double n = 0; n < limit && (rec = next(s, &some, outer)); n++)
		if ((named ? put_named(s, form, rec) : item(s, NULL,
		    tp_json_get(form, "$item"), rec)) < 0)
			return -1;
	tp_doc_close(&s->doc, named ? '}' : ']');
	return 0;
}

static int
put_first(struct shape *s, const char *key, const struct cJSON *form,
    const struct tp_rec *outer)
{
	const struct tp_rec *rec;
	struct choice some;

	if (choose(s, form, "$first", &some) < 0)
		return -1;
	rec = next(s, &some, outer);
	if (rec)
		return item(s, key, tp_json_get(form, "$item"), rec);
	tp_doc_null(&s->doc, key);
	return 0;
}

static int
put_count(struct shape *s, const char *key, const struct cJSON *form,
    const struct tp_rec *outer)
{
	struct choice some;
	int64_t n = 0;

	if (choose(s, form, "$count", &some) < 0)
		return -1;
	while (next(s, &some, outer))
		n++;
	tp_doc_int(&s->doc, key, n);
	return 0;
}

/* Write the concatenation of texts and values; null if one is unknown. */
static int
put_join(struct shape *s, const char *key, const struct cJSON *list,
    const struct tp_rec *rec)
{
	struct tp_buf text = { 0 };
	const struct cJSON *i;
	struct value v;
	int rc = 0, known = 1;

	cJSON_ArrayForEach(i, list) {
		if (!cJSON_IsString(i)) {
			rc = damaged(s, "to be joined, and no text:", key ?
			    key : "");
		} else if (!is_value(i)) {
			tp_buf_str(&text, i->valuestring);
		} else if ((rc = resolve_value(s, i->valuestring, rec, &v)) ==
		    0) {
			known &= v.field != NULL;
			tp_buf_str(&text, !v.field ? "" :
			    v.field->type == TP_FIELD_TEXT ? v.field->text :
			    number_of(s, &v));
		}
		if (rc < 0)
			break;
	}
	if (!rc && known)
		tp_doc_text(&s->doc, key, text.p ? text.p : "");
	else if (!rc)
		tp_doc_null(&s->doc, key);
	tp_buf_release(&text);
	return rc;
}

/*
 * Whether MEMBER, whose key ends in '?', is omitted: its value is unknown, or
 * its loop has no record.  -1 with s->err.
 */
static int
is_left_out(struct shape *s, const struct cJSON *member,
    const struct tp_rec *rec)
{
	static const char *const kinds[] = { "$each", "$first" };
	struct choice some;
	struct value v;
	int rc;

	if (is_value(member)) {
		rc = resolve_value(s, member->valuestring, rec, &v);
		return rc < 0 ? -1 : !v.field;
	}
	for (int i = 0; i < 2; i++)
		if (tp_json_get(member, kinds[i]))
			return choose(s, member, kinds[i], &some) < 0 ? -1 :
			    !next(s, &some, rec);
	return 0;
}

static int
put_object(struct shape *s, const char *key, const struct cJSON *form,
    const struct tp_rec *rec)
{
	struct tp_buf name = { 0 };
	const struct cJSON *i;
	size_t len;
	int rc = 0;

	tp_doc_object(&s->doc, key);
	cJSON_ArrayForEach(i, form) {
		len = strlen(i->string);
		tp_buf_clear(&name);
		if (len && i->string[len - 1] == '?') {
			rc = is_left_out(s, i, rec);
			len--;
			if (rc > 0)
				continue;
		}
		tp_buf_add(&name, i->string, len);
		if (rc < 0 || (rc = item(s, name.p ? name.p : "", i, rec)) < 0)
			break;
	}
	tp_buf_release(&name);
	tp_doc_close(&s->doc, '}');
	return rc < 0 ? -1 : 0;
}

static int
item(struct shape *s, const char *key, const struct cJSON *form,
    const struct tp_rec *rec)
{
	const struct cJSON *i;

	if (!form)
		return damaged(s, "no item for", key ? key : "");
	if (is_value(form))
		return put_value(s, key, form->valuestring, rec);
	if (cJSON_IsArray(form)) {
		tp_doc_array(&s->doc, key);
		cJSON_ArrayForEach(i, form)
			if (item(s, NULL, i, rec) < 0)
				return -1;
		tp_doc_close(&s->doc, ']');
		return 0;
	}
	if (!cJSON_IsObject(form)) {
		tp_doc_json(&s->doc, key, form);
		return 0;
	}
	if (tp_json_get(form, "$each"))
		return put_each(s, key, form, rec);
	if (tp_json_get(form, "$first"))
		return put_first(s, key, form, rec);
	if (tp_json_get(form, "$count"))
		return put_count(s, key, form, rec);
	if (cJSON_IsArray(tp_json_get(form, "$join")))
		return put_join(s, key, tp_json_get(form, "$join"), rec);
	return put_object(s, key, form, rec);
}

int
tp_shape_print(const struct cJSON *form, const struct tp_set *set,
    struct tp_buf *out, struct tp_err *err)
{
	struct shape s = { .set = set, .doc = { .buf = out }, .err = err };
	const struct cJSON *document = tp_json_get(form, "document");
	int rc;

	if (!cJSON_IsObject(document) && !cJSON_IsArray(document))
		return tp_fail(err, TP_BAD, "mapping.damaged", 0,
		    "no \"document\" that is an object or a list");
	rc = item(&s, NULL, document, NULL);
	tp_buf_release(&s.name);
	tp_buf_release(&s.number);
	tp_arena_release(&s.arena);
	return rc;
}
