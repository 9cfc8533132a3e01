/* params - parameters of operations as text, from their rows */
#include <cjson/cJSON.h>
#include <ctype.h>
#include <math.h>
#include <string.h>

#include <tp/json.h>
#include <tp/text.h>

#include "formula.h"
#include "pyrepr.h"

#define ITEMS_MAX 16
/* Most nested tuples. */
#define DEPTH_MAX 8

enum form { TYPE, TEXT, SHAPE, STRIDES, TENSORS, TRUTH, REAL, TUPLE,
    LIST, FORMS };
static const struct {
	const char *name;
	size_t least, most;		/* number of items */
} forms[FORMS] = {
	[TYPE] = { "type", 1, 1 }, [TEXT] = { "text", 1, 1 },
	[SHAPE] = { "shape", 1, 1 }, [STRIDES] = { "strides", 1, 1 },
	[TENSORS] = { "tensors", 0, 0 }, [TRUTH] = { "truth", 1, 1 },
	[REAL] = { "real", 1, 1 },
	[TUPLE] = { "tuple", 1, ITEMS_MAX }, [LIST] = { "list", 1, ITEMS_MAX },
};

struct value {
	enum { UNKNOWN, ABSENT, NUMBER, WORD, PRINTED } kind;
	double number;
	const char *text;		/* in the arena; in a tuple a word is
					 * quoted */
};

struct reader {
	const struct tp_torch_scope *scope;
	struct tp_torch_call *call;	/* NULL: only check */
	const char *p;
	const char *bad;		/* place of the first error, or NULL */
	int depth;
};

static struct value read_value(struct reader *r);

static struct value
bad(struct reader *r)
{
	if (!r->bad)
		r->bad = r->p;
	return (struct value){ .kind = UNKNOWN };
}

static int
accept_in_params(struct reader *r, const char *word)
{
	size_t len = strlen(word);

	r->p += strspn(r->p, " ");
	if (strncmp(r->p, word, len) || (isalpha((unsigned char)*word) &&
	    (isalnum((unsigned char)r->p[len]) || r->p[len] == '_')))
		return 0;
	r->p += len;
	return 1;
}

/* The LEN bytes at TEXT as a KIND of value, copied to the arena. */
static struct value
kept(struct tp_torch_call *call, int kind, const char *text, size_t len)
{
	struct value v = { .kind = UNKNOWN };

	if (!call || !text)
		return v;
	v.text = tp_arena_text(call->arena, text, len);
	v.kind = kind;
	return v;
}

static struct value
printed(struct tp_torch_call *call, struct tp_buf *buf)
{
	struct value v = kept(call, PRINTED, buf->p, buf->len);

	tp_buf_release(buf);
	return v;
}

/* Print a value in Python syntax; a word with QUOTES or as it is. */
static void
print(struct tp_buf *buf, const struct value *v, int quotes)
{
	if (v->kind == NUMBER && v->number == floor(v->number) &&
	    fabs(v->number) <= 9007199254740992.)
		tp_buf_int(buf, (int64_t)v->number);
	else if (v->kind == NUMBER)
		tp_py_float(buf, v->number);
	else if (v->kind == WORD && quotes)
		tp_py_text(buf, v->text, strlen(v->text));
	else
		tp_buf_str(buf, v->text);
}

static struct value
together(struct tp_torch_call *call, enum form form, const struct value *items,
    size_t count)
{
	struct tp_buf buf = { 0 };

	for (size_t i = 0; i < count; i++)
		if (items[i].kind < NUMBER)
			return (struct value){ .kind = UNKNOWN };
	tp_buf_chr(&buf, form == TUPLE ? '(' : '[');
	for (size_t i = 0; i < count; i++) {
		if (i)
			tp_buf_str(&buf, ", ");
		print(&buf, &items[i], 1);
	}
	tp_buf_str(&buf, form == LIST ? "]" : count == 1 ? ",)" : ")");
	return printed(call, &buf);
}

/* A list of integers as a tuple; anything else is unknown. */
static struct value
integers(struct tp_torch_call *call, const cJSON *list)
{
	struct value items[TORCH_RANK_MAX];
	struct tp_torch_shape shape;

	if (tp_torch_integers(list, &shape) < 0)
		return (struct value){ .kind = UNKNOWN };
	for (size_t i = 0; i < shape.rank; i++)
		items[i] = (struct value){ .kind = NUMBER,
		    .number = (double)shape.n[i] };
	return together(call, TUPLE, items, shape.rank);
}

/* All tensors with their types. */
static struct value
tensors(struct tp_torch_call *call)
{
	struct tp_buf buf = { 0 };
	struct value shape;
	const char *type;
	int at = 0;
	const cJSON *i;

	tp_buf_chr(&buf, '[');
	cJSON_ArrayForEach(i, call->dims) {
		type = tp_torch_type_name(call, at++);
		shape = integers(call, i);
		if (!i->child || !type || shape.kind != PRINTED)
			continue;
		tp_buf_fmt(&buf, "%s(%s, ", buf.len > 1 ? ", " : "",
		    shape.text);
		tp_py_text(&buf, type, strlen(type));
		tp_buf_chr(&buf, ')');
	}
	tp_buf_chr(&buf, ']');
	return printed(call, &buf);
}

static struct value
apply(struct tp_torch_call *call, enum form form, const struct value *items,
    size_t count)
{
	struct value none = { .kind = UNKNOWN };
	struct tp_buf buf = { 0 };
	const char *text;
	int at;

	if (!call)
		return none;
	if (form == TENSORS)
		return tensors(call);
	if (form == TUPLE || form == LIST)
		return together(call, form, items, count);
	if (items[0].kind != NUMBER)
		return none;
	if (form == REAL) {
		tp_py_float(&buf, items[0].number);
		return printed(call, &buf);
	}
	if (fabs(items[0].number) > 1000)
		return none;
	at = (int)items[0].number;
	if (form == SHAPE || form == STRIDES)
		return integers(call, at < 0 ? NULL : cJSON_GetArrayItem(
		    form == SHAPE ? call->dims : call->strides, at));
	if (form == TRUTH)
		return kept(call, PRINTED, at ? "True" : "False", at ? 4 : 5);
	text = form == TYPE ? tp_torch_type_name(call, at) :
	    tp_torch_concrete(call, at);
	return kept(call, WORD, text, text ? strlen(text) : 0);
}

/* Read the items of FORM in parentheses. */
static struct value
read_form(struct reader *r, enum form form)
{
	struct value items[ITEMS_MAX];
	size_t n = 0;

	if (!accept_in_params(r, ")")) {
		do {
			if (n == ITEMS_MAX)
				return bad(r);
			items[n++] = read_value(r);
		} while (!r->bad && accept_in_params(r, ","));
		if (!accept_in_params(r, ")"))
			return bad(r);
	}
	if (n < forms[form].least || n > forms[form].most)
		return bad(r);
	return apply(r->call, form, items, n);
}

/* Read a formula, or a choice by one. */
static struct value
read_choice(struct reader *r)
{
	struct value v = { .kind = UNKNOWN }, yes, no;
	const char *at;

	if (tp_torch_formula_part(r->scope, &r->p, &v.number, &at) < 0) {
		r->p = at;
		return bad(r);
	}
	if (!accept_in_params(r, "?")) {
		v.kind = isnan(v.number) ? UNKNOWN : NUMBER;
		return v;
	}
	yes = read_value(r);
	if (r->bad || !accept_in_params(r, ":"))
		return bad(r);
	no = read_value(r);
	return isnan(v.number) ? v : v.number ? yes : no;
}

static struct value
read_item(struct reader *r)
{
	const char *start;
	size_t len;

	if (accept_in_params(r, "none"))
		return kept(r->call, PRINTED, "None", 4);
	if (accept_in_params(r, "absent"))
		return (struct value){ .kind = ABSENT };
	if (accept_in_params(r, "'")) {
		start = r->p;
		len = strcspn(start, "'");
		r->p += len;
		return accept_in_params(r, "'") ?
		    kept(r->call, WORD, start, len) : bad(r);
	}
	r->p += strspn(r->p, " ");
	start = r->p;
	for (enum form form = 0; form < FORMS; form++) {
		if (accept_in_params(r, forms[form].name) &&
		    accept_in_params(r, "("))
			return read_form(r, form);
		r->p = start;
	}
	return read_choice(r);
}

static struct value
read_value(struct reader *r)
{
	struct value v, other;

	if (++r->depth > DEPTH_MAX)
		return bad(r);
	v = read_item(r);
	while (!r->bad && accept_in_params(r, "else")) {
		other = read_item(r);
		v = v.kind == UNKNOWN ? other : v;
	}
	r->depth--;
	return v;
}

/* Evaluate PARAM: a text, or a number or boolean taken literally. */
static struct value
value_of(struct tp_torch_call *call, const struct tp_torch_scope *scope,
    const cJSON *param, const char **at)
{
	struct reader r = { .scope = scope, .call = call,
	    .p = cJSON_GetStringValue(param) };
	struct value v = { .kind = UNKNOWN };
	int yes = cJSON_IsTrue(param);

	*at = NULL;
	if (cJSON_IsNumber(param))
		return (struct value){ .kind = NUMBER,
		    .number = param->valuedouble };
	if (cJSON_IsBool(param))
		return kept(call, PRINTED, yes ? "True" : "False", 5 - yes);
	if (r.p) {
		v = read_value(&r);
		r.p += strspn(r.p, " ");
		if (*r.p)
			bad(&r);
		*at = r.bad;
	} else if (!cJSON_IsNull(param)) {
		*at = param->string ? param->string : "params";
	}
	return v;
}

/*
 * Set parameter NAME to TEXT and remove the model's parameter of that name.
 * NULL only removes it.
 */
static void
set(struct tp_torch_call *call, const char *name, const char *text)
{
	size_t i;

	for (i = 0; i < call->count; i++)
		if (!strcmp(call->params[i].name, name))
			break;
	if (i < call->count)
		memmove(&call->params[i], &call->params[i + 1],
		    (--call->count - i) * sizeof *call->params);
	if (text)
		tp_torch_param_raw(call, name, text);
}

/* V as text; NULL if it is unknown or absent. */
static const char *
text_of(struct tp_torch_call *call, const struct value *v)
{
	struct tp_buf buf = { 0 };

	if (v->kind != NUMBER || !call)
		return v->text;
	print(&buf, v, 0);
	return printed(call, &buf).text;
}

const char *
tp_torch_param_text(struct tp_torch_call *call,
    const struct tp_torch_scope *scope, const cJSON *param, const char **at)
{
	struct value v = value_of(call, scope, param, at);

	return text_of(call, &v);
}

/* The parameters: a list of names, or an object. */
static const cJSON *
params_of(const cJSON *op, const cJSON *family)
{
	const cJSON *of = tp_json_get(op, "params");

	return of ? of : tp_json_get(family, "params");
}

int
tp_torch_params_check(const cJSON *op, const cJSON *family, const char **at)
{
	const cJSON *params = params_of(op, family), *i;
	struct tp_torch_scope scope;

	*at = "let";
	if (params && tp_torch_scope(&scope, NULL, op, family, at) < 0)
		return -1;
	*at = cJSON_GetArraySize(params) > TORCH_PARAM_MAX ? "params" : NULL;
	if (*at)
		return -1;
	cJSON_ArrayForEach(i, params) {
		value_of(NULL, &scope, i, at);
		if (!*at && !i->string && !cJSON_IsString(i))
			*at = "params";
		if (*at)
			return -1;
	}
	return 0;
}

void
tp_torch_params_by_row(struct tp_torch_call *call)
{
	const cJSON *params = params_of(call->options, call->family), *i;
	struct tp_torch_scope scope;
	const char *at;

	if (!params || tp_torch_scope(&scope, call, call->options,
	    call->family, &at) < 0)
		return;
	cJSON_ArrayForEach(i, params) {
		struct value v = value_of(call, &scope, i, &at);
		const char *name = i->string ? i->string :
		    cJSON_GetStringValue(i);

		/* in a list, a parameter is present only if it is known */
		if (v.kind == UNKNOWN && !i->string)
			continue;
		set(call, name, v.kind == UNKNOWN ? "None" :
		    v.kind == ABSENT ? NULL : text_of(call, &v));
		if (v.kind == NUMBER)
			tp_torch_fact(call, name, (int64_t)v.number);
	}
}
