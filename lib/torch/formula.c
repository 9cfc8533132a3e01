/* formula - costs of operations as arithmetic over their arguments */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include <tp/json.h>
#include <tp/order.h>
#include <tp/text.h>

#include "formula.h"

#define ARGS_MAX 8
/* Most nested parentheses and calls. */
#define DEPTH_MAX 32

enum function { D, R, N, B, S, C, T, L, P, HAS, MOST, MOVED, BROADCAST, CEIL,
    FLOOR, MIN, MAX, COUNT, FIRST, SAID,
    STEP, KERNEL, OPTION, OF };
static const struct {
	const char *name;
	size_t least, most;		/* number of arguments; 0 if it takes a
					 * word */
} functions[] = {
	[D] = { "d", 2, 2 }, [R] = { "r", 1, 1 }, [N] = { "n", 1, 1 },
	[B] = { "b", 1, 1 }, [S] = { "s", 1, 1 }, [C] = { "c", 1, 1 },
	[T] = { "t", 1, 1 },
	[L] = { "l", 2, 2 }, [P] = { "p", 1, 1 }, [HAS] = { "has", 1, 1 },
	[MOST] = { "most", 0, 0 }, [MOVED] = { "moved", 0, 0 },
	[BROADCAST] = { "broadcast", 1, ARGS_MAX },
	[CEIL] = { "ceil", 1, 1 }, [FLOOR] = { "floor", 1, 1 },
	[MIN] = { "min", 1, ARGS_MAX }, [MAX] = { "max", 1, ARGS_MAX },
	[COUNT] = { "count", 0, 0 }, [FIRST] = { "first", 0, 0 },
	[SAID] = { "said", 1, 1 },
	[STEP] = { "step", 0, 0 }, [KERNEL] = { "kernel", 0, 0 },
	[OPTION] = { "o", 0, 0 }, [OF] = { "of", 0, 0 },
};
#define FUNCTIONS (sizeof functions / sizeof *functions)

struct parse {
	const struct tp_torch_scope *scope;
	const char *p;
	const char *bad;		/* place of the first error, or NULL */
	int depth;
};

static double choice(struct parse *f);

static void
skip(struct parse *f)
{
	while (*f->p == ' ')
		f->p++;
}

static double
fail(struct parse *f)
{
	if (!f->bad)
		f->bad = f->p;
	return NAN;
}

/* Skip WORD if it is next.  Returns whether it was. */
static int
accept_in_formula(struct parse *f, const char *word)
{
	size_t len = strlen(word);

	skip(f);
	if (strncmp(f->p, word, len) || (isalpha((unsigned char)*word) &&
	    (isalnum((unsigned char)f->p[len]) || f->p[len] == '_')))
		return 0;
	f->p += len;
	return 1;
}

static size_t
name_len(const char *p)
{
	size_t n = 0;

	if (isalpha((unsigned char)*p) || *p == '_')
		while (isalnum((unsigned char)p[n]) || p[n] == '_')
			n++;
	return n;
}

/* Dimension K of SHAPE; a negative K counts from the last. */
static double
dimension(const struct tp_torch_shape *shape, double k)
{
	if (k < 0)
		k += (double)shape->rank;
	return k >= 0 && k < (double)shape->rank ?
	    (double)shape->n[(size_t)k] : NAN;
}

/* The elements of LIST, a shape or a list of shapes; else NAN. */
static double
elements(const cJSON *list)
{
	double n = 1, sum = 0;
	const cJSON *i;

	if (!cJSON_IsArray(list))
		return NAN;
	if (cJSON_IsArray(list->child)) {
		cJSON_ArrayForEach(i, list)
			sum += elements(i);
		return sum;
	}
	cJSON_ArrayForEach(i, list) {
		if (!cJSON_IsNumber(i) || i->valuedouble < 0)
			return NAN;
		n *= i->valuedouble;
	}
	return n;
}

static const cJSON *
dims_of(const struct tp_torch_call *call, double i)
{
	return i >= 0 && i < 1000 ? cJSON_GetArrayItem(call->dims, (int)i) :
	    NULL;
}

static double
bytes_of(const struct tp_torch_call *call, double i)
{
	int64_t n = tp_torch_type_bytes(call->models, tp_torch_type_name(call,
	    (int)i));

	return n < 0 ? NAN : (double)n;
}

/* Option KEY of the operation, else of its family. */
static const cJSON *
option(const cJSON *op, const cJSON *family, const char *key)
{
	const cJSON *of = tp_json_get(op, key);

	return of ? of : tp_json_get(family, key);
}

/* The formula under KEY, or NULL. */
static const char *
text_of(const cJSON *op, const cJSON *family, const char *key)
{
	return cJSON_GetStringValue(option(op, family, key));
}

/* The bytes of argument I by the table "sizes", for packed types. */
static double
size_of(const struct tp_torch_scope *scope, double i)
{
	const char *type = tp_torch_type_name(scope->call, (int)i);
	double n;

	return type && tp_json_number(scope->sizes, type, &n) ? n : NAN;
}

/*
 * The index of the first tensor, the elements of the largest, or the bytes of
 * all.
 */
static double
over_all(const struct tp_torch_scope *scope, enum function f)
{
	double sum = 0, most = 0, n, b;
	int any = 0, at = 0;
	const cJSON *i;

	cJSON_ArrayForEach(i, scope->call->dims) {
		n = cJSON_GetArraySize(i) ? elements(i) : NAN;
		b = scope->sizes ? size_of(scope, at) :
		    bytes_of(scope->call, at);
		at++;
		if (isnan(n))
			continue;
		if (f == FIRST)
			return at - 1;
		most = n > most ? n : most;
		if (isnan(b))
			continue;
		sum += n * b;
		any = 1;
	}
	return f == MOST && most > 0 ? most : f == MOVED && any ? sum : NAN;
}

/* The elements of the COUNT tensors at V after broadcasting. */
static double
together(const struct tp_torch_call *call, const double *v, size_t count)
{
	struct tp_torch_shape all = { 0 }, s;
	double n = 1;

	for (size_t i = 0; i < count; i++) {
		if (tp_torch_dims(call, (int)v[i], &s) < 0)
			return NAN;
		/* shapes are aligned at their last dimensions */
		for (size_t k = 0; k < s.rank; k++) {
			int64_t *to = &all.n[k], from = s.n[s.rank - 1 - k];

			if (k >= all.rank || *to == 1)
				*to = from;
			else if (from != *to && from != 1)
				return NAN;
		}
		TP_MOST(all.rank, s.rank);
	}
	for (size_t k = 0; k < all.rank; k++)
		n *= (double)all.n[k];
	return n;
}

static double
whole(const struct tp_torch_call *call, double i)
{
	int64_t n;

	return tp_torch_int(call, (int)i, &n) < 0 ? NAN : (double)n;
}

static double
listed(const struct tp_torch_call *call, double i, double k)
{
	struct tp_torch_shape list;

	return tp_torch_list(call, (int)i, &list) < 0 ? NAN :
	    dimension(&list, k);
}

static double
product(const struct tp_torch_call *call, double i)
{
	struct tp_torch_shape list;
	double n = 1;

	if (tp_torch_list(call, (int)i, &list) < 0)
		return NAN;
	for (size_t k = 0; k < list.rank; k++)
		n *= (double)list.n[k];
	return n;
}

static double
dim(const struct tp_torch_call *call, double i, double k)
{
	struct tp_torch_shape shape;

	return tp_torch_dims(call, (int)i, &shape) < 0 ? NAN :
	    dimension(&shape, k);
}

static double
rank(const struct tp_torch_call *call, double i)
{
	struct tp_torch_shape shape;

	return tp_torch_dims(call, (int)i, &shape) < 0 ? NAN :
	    (double)shape.rank;
}

/* The least or greatest value; NAN if any is unknown. */
static double
extreme(const double *v, size_t n, int greatest)
{
	double x = v[0];

	for (size_t i = 0; i < n; i++) {
		if (isnan(v[i]))
			return NAN;
		if (greatest ? v[i] > x : v[i] < x)
			x = v[i];
	}
	return x;
}

/* Whether the name of a given kernel contains the LEN bytes at WORD. */
static double
in_kernel(const struct tp_torch_call *call, const char *word, size_t len)
{
	for (size_t i = 0; i < call->op->kernel_count; i++)
		if (call->op->kernels[i])
			for (const char *p = call->op->kernels[i]; *p; p++)
				if (!strncmp(p, word, len))
					return 1;
	return 0;
}

/* Whether argument I has a text; NAN without recorded values. */
static double
said(const struct tp_torch_call *call, int i)
{
	const char *text = tp_torch_concrete(call, i);

	return text ? *text != '\0' : NAN;
}

static double
apply(const struct tp_torch_scope *scope, enum function f, const double *v,
    size_t n)
{
	const struct tp_torch_call *call = scope->call;

	if (f == CEIL || f == FLOOR)
		return f == CEIL ? ceil(v[0]) : floor(v[0]);
	if (f == MIN || f == MAX)
		return extreme(v, n, f == MAX);
	if (!call)
		return NAN;
	/* an unknown or huge index does not name an argument */
	for (size_t i = 0; i < n; i++)
		if (isnan(v[i]) || fabs(v[i]) > 1000)
			return NAN;
	switch (f) {
	case D: return dim(call, v[0], v[1]);
	case R: return rank(call, v[0]);
	case N: return elements(dims_of(call, v[0]));
	case B: return bytes_of(call, v[0]);
	case S: return size_of(scope, v[0]);
	case C: return whole(call, v[0]);
	case T: return tp_torch_truth(call, (int)v[0]);
	case L: return listed(call, v[0], v[1]);
	case P: return product(call, v[0]);
	case SAID: return said(call, (int)v[0]);
	case HAS: return tp_torch_has(call, (int)v[0]);
	case COUNT: return (double)tp_torch_dims_count(call);
	case FIRST: case MOST: case MOVED: return over_all(scope, f);
	default: return together(call, v, n);
	}
}

/* Option NAME, of LEN bytes, of the operator's row; NAN if absent. */
static double
option_of(const struct tp_torch_call *call, const char *name, size_t len)
{
	const cJSON *i;

	cJSON_ArrayForEach(i, call->options)
		if (tp_is(name, len, i->string))
			return cJSON_IsNumber(i) ? i->valuedouble :
			    cJSON_IsBool(i) ? cJSON_IsTrue(i) : NAN;
	return NAN;
}

/* Evaluate a function whose argument is a word. */
static double
word(struct parse *f, enum function which)
{
	const struct tp_torch_call *call = f->scope->call;
	const char *text;
	size_t len;

	skip(f);
	text = f->p;
	len = which == KERNEL ? strcspn(text, ")") : name_len(text);
	f->p += len;
	if (!len || !accept_in_formula(f, ")"))
		return fail(f);
	if (which == STEP && tp_torch_step_index(text, len) < 0) {
		f->p = text;
		return fail(f);
	}
	if (!call)
		return NAN;
	switch (which) {
	case KERNEL: return in_kernel(call, text, len);
	case OPTION: return option_of(call, text, len);
	case OF: return tp_torch_fact_of(call, text, len);
	default: return tp_torch_step_sum(call, tp_torch_step_index(text, len));
	}
}

static double
called(struct parse *f, const char *name, size_t len)
{
	double v[ARGS_MAX];
	size_t which, n = 0;

	for (which = 0; which < FUNCTIONS; which++)
		if (tp_is(name, len, functions[which].name))
			break;
	if (which == FUNCTIONS) {
		f->p = name;
		return fail(f);
	}
	if (which >= STEP)
		return word(f, (enum function)which);
	if (!accept_in_formula(f, ")")) {
		do {
			if (n == ARGS_MAX)
				return fail(f);
			v[n++] = choice(f);
		} while (!f->bad && accept_in_formula(f, ","));
		if (!accept_in_formula(f, ")"))
			return fail(f);
	}
	if (n < functions[which].least || n > functions[which].most)
		return fail(f);
	return apply(f->scope, (enum function)which, v, n);
}

static double
primary(struct parse *f)
{
	const struct tp_torch_scope *s = f->scope;
	const char *name;
	char *end;
	double x;
	size_t len;

	skip(f);
	if (++f->depth > DEPTH_MAX)
		return fail(f);
	if (isdigit((unsigned char)*f->p)) {
		x = strtod(f->p, &end);
		f->p = end;
	} else if (accept_in_formula(f, "(")) {
		x = choice(f);
		if (!accept_in_formula(f, ")"))
			x = fail(f);
	} else if ((len = name_len(f->p))) {
		name = f->p;
		f->p += len;
		if (accept_in_formula(f, "(")) {
			x = called(f, name, len);
		} else {
			size_t i = s->count;

			while (i && (s->vars[i - 1].len != len ||
			    memcmp(s->vars[i - 1].name, name, len)))
				i--;
			if (i)
				x = s->vars[i - 1].value;
			else
				f->p = name, x = fail(f);
		}
	} else {
		x = fail(f);
	}
	f->depth--;
	return x;
}

static double
power(struct parse *f)
{
	double x, y;
	int minus = 0;

	while (accept_in_formula(f, "-"))
		minus = !minus;
	x = primary(f);
	if (!f->bad && accept_in_formula(f, "^")) {
		y = power(f);
		x = isnan(x) || isnan(y) ? NAN : pow(x, y);
	}
	return minus ? -x : x;
}

static double
term(struct parse *f)
{
	double x = power(f);

	for (;;) {
		if (f->bad)
			return NAN;
		if (accept_in_formula(f, "*"))
			x *= power(f);
		else if (accept_in_formula(f, "/"))
			x /= power(f);
		else
			return x;
	}
}

static double
sum(struct parse *f)
{
	double x = term(f);

	for (;;) {
		if (f->bad)
			return NAN;
		if (accept_in_formula(f, "+"))
			x += term(f);
		else if (accept_in_formula(f, "-"))
			x -= term(f);
		else
			return x;
	}
}

static double
compared(struct parse *f)
{
	static const char *const signs[] = { "<=", ">=", "==", "!=", "<",
	    ">" };
	double x = sum(f), y;
	size_t i;

	for (i = 0; i < sizeof signs / sizeof *signs; i++)
		if (!f->bad && accept_in_formula(f, signs[i]))
			break;
	if (f->bad || i == sizeof signs / sizeof *signs)
		return x;
	y = sum(f);
	if (isnan(x) || isnan(y))
		return NAN;
	return i == 0 ? x <= y : i == 1 ? x >= y : i == 2 ? x == y :
	    i == 3 ? x != y : i == 4 ? x < y : x > y;
}

static double
otherwise(struct parse *f)
{
	double x = compared(f), y;

	while (!f->bad && accept_in_formula(f, "else")) {
		y = compared(f);
		x = isnan(x) ? y : x;
	}
	return x;
}

static double
choice(struct parse *f)
{
	double x = otherwise(f), a, b;

	if (f->bad || !accept_in_formula(f, "?"))
		return x;
	a = choice(f);
	if (f->bad || !accept_in_formula(f, ":"))
		return fail(f);
	b = choice(f);
	return isnan(x) ? NAN : x ? a : b;
}

int
tp_torch_formula(const struct tp_torch_scope *scope, const char *text,
    double *value, const char **at)
{
	struct parse f = { .scope = scope, .p = text };

	*value = choice(&f);
	skip(&f);
	if (!f.bad && *f.p)
		fail(&f);
	*at = f.bad;
	return f.bad ? -1 : 0;
}

int
tp_torch_formula_part(const struct tp_torch_scope *scope, const char **text,
    double *value, const char **at)
{
	struct parse f = { .scope = scope, .p = *text };

	*value = compared(&f);
	*text = f.p;
	*at = f.bad;
	return f.bad ? -1 : 0;
}

int
tp_torch_let(struct tp_torch_scope *scope, const char *text, const char **at)
{
	size_t len = name_len(text);
	const char *p = text + len;
	double value;

	while (*p == ' ')
		p++;
	*at = text;
	if (!len || *p != '=' || p[1] == '=' ||
	    scope->count == TORCH_LET_MAX)
		return -1;
	if (tp_torch_formula(scope, p + 1, &value, at) < 0)
		return -1;
	scope->vars[scope->count].name = text;
	scope->vars[scope->count].len = len;
	scope->vars[scope->count++].value = value;
	return 0;
}

int
tp_torch_scope(struct tp_torch_scope *scope, const struct tp_torch_call *call,
    const cJSON *op, const cJSON *family, const char **at)
{
	const cJSON *i;
	const char *text;

	memset(scope, 0, sizeof *scope);
	scope->call = call;
	if (call)
		scope->sizes = tp_torch_sizes(call->models,
		    text_of(op, family, "sizes"));
	cJSON_ArrayForEach(i, option(op, family, "let")) {
		text = cJSON_GetStringValue(i);
		if (!text || tp_torch_let(scope, text, at) < 0)
			return -1;
	}
	return 0;
}

int
tp_torch_formulas_check(const cJSON *op, const cJSON *family, const char **at)
{
	static const char *const keys[] = { "flops", "bytes" };
	struct tp_torch_scope scope;
	const char *text;
	double value;
	int any = 0;

	*at = NULL;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		any |= text_of(op, family, keys[i]) != NULL;
	if (!any)
		return 0;
	*at = "let";
	if (tp_torch_scope(&scope, NULL, op, family, at) < 0)
		return -1;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		text = text_of(op, family, keys[i]);
		if (text && tp_torch_formula(&scope, text, &value, at) < 0)
			return -1;
	}
	*at = "";
	return 0;
}

/* The spec by the type of an argument or by a precision. */
static const char *
spec_of(const struct tp_torch_call *call)
{
	const cJSON *type = option(call->options, call->family, "type");
	const struct tp_torch_type *of = NULL;
	double n, most = 0;
	int at = 0, largest = 0;
	const cJSON *i;

	if (cJSON_IsNumber(type))
		return tp_torch_spec(call, tp_torch_type_name(call,
		    type->valueint));
	if (!cJSON_IsString(type))
		return NULL;
	if (strcmp(type->valuestring, "largest")) {
		of = tp_torch_precision(call->models, type->valuestring);
		return !of ? NULL : *call->unit == 'm' ? of->matrix :
		    of->vector;
	}
	cJSON_ArrayForEach(i, call->dims) {
		n = cJSON_GetArraySize(i) ? elements(i) : 0;
		if (n > most) {
			most = n;
			largest = at;
		}
		at++;
	}
	return tp_torch_spec(call, tp_torch_type_name(call, largest));
}

int
tp_torch_by_formula(struct tp_torch_call *call)
{
	struct tp_torch_scope scope;
	const char *flops = text_of(call->options, call->family, "flops");
	const char *bytes = text_of(call->options, call->family, "bytes");
	double f = NAN, b = NAN;
	const char *at;

	if (tp_torch_scope(&scope, call, call->options, call->family,
	    &at) < 0 ||
	    (flops && tp_torch_formula(&scope, flops, &f, &at) < 0) ||
	    (bytes && tp_torch_formula(&scope, bytes, &b, &at) < 0))
		return -1;
	tp_torch_set_cost(call, isnan(f) ? -1 : tp_torch_rounded(f),
	    isnan(b) ? -1 : tp_torch_rounded(b),
	    isnan(f) && isnan(b) ? NULL : spec_of(call));
	return 0;
}
