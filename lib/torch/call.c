/* call - an operation of a PyTorch trace while a model evaluates it */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <tp/json.h>
#include <tp/text.h>

#include "call.h"
#include "pyrepr.h"

const struct cJSON *
tp_torch_value(const struct tp_torch_call *call, const char *key)
{
	return tp_json_get(call->options, key);
}

int
tp_torch_option(const struct tp_torch_call *call, const char *key, int other)
{
	double x;

	return tp_json_number(call->options, key, &x) ? (int)x : other;
}

int
tp_torch_flag(const struct tp_torch_call *call, const char *key)
{
	return cJSON_IsTrue(tp_torch_value(call, key));
}

const char *
tp_torch_word(const struct tp_torch_call *call, const char *key)
{
	return tp_json_text(call->options, key);
}

static const struct cJSON *
item(const struct cJSON *list, int i)
{
	return i < 0 ? NULL : cJSON_GetArrayItem(list, i);
}

int
tp_torch_integers(const struct cJSON *list, struct tp_torch_shape *shape)
{
	const struct cJSON *i;

	shape->rank = 0;
	if (!cJSON_IsArray(list))
		return -1;
	cJSON_ArrayForEach(i, list) {
		double x = cJSON_IsTrue(i) ? 1 : i->valuedouble;

		if (shape->rank == TORCH_RANK_MAX ||
		    !(cJSON_IsNumber(i) || cJSON_IsBool(i)) || x != floor(x) ||
		    fabs(x) > 9007199254740992.)
			return -1;
		shape->n[shape->rank++] = (int64_t)x;
	}
	return 0;
}

int
tp_torch_dims(const struct tp_torch_call *call, int i,
    struct tp_torch_shape *shape)
{
	if (tp_torch_integers(item(call->dims, i), shape) < 0)
		return -1;
	for (size_t k = 0; k < shape->rank; k++)
		if (shape->n[k] < 0)
			return -1;
	return 0;
}

int
tp_torch_dims_of(const struct tp_torch_call *call, int i, size_t rank,
    struct tp_torch_shape *shape)
{
	return tp_torch_dims(call, i, shape) < 0 || shape->rank != rank ? -1 :
	    0;
}

int
tp_torch_has(const struct tp_torch_call *call, int i)
{
	return cJSON_GetArraySize(item(call->dims, i)) > 0;
}

size_t
tp_torch_dims_count(const struct tp_torch_call *call)
{
	return (size_t)cJSON_GetArraySize(call->dims);
}

const char *
tp_torch_type_name(const struct tp_torch_call *call, int i)
{
	return cJSON_GetStringValue(item(call->types, i));
}

const char *
tp_torch_concrete(const struct tp_torch_call *call, int i)
{
	return cJSON_GetStringValue(item(call->concrete, i));
}

int
tp_torch_truth(const struct tp_torch_call *call, int i)
{
	const char *text = tp_torch_concrete(call, i);

	return text && (!strcmp(text, "True") || !strcmp(text, "true") ||
	    !strcmp(text, "1"));
}

int
tp_torch_int(const struct tp_torch_call *call, int i, int64_t *n)
{
	const char *text = tp_torch_concrete(call, i);
	char *end;

	if (!text || !*text || strlen(text) > 18)
		return -1;
	*n = strtoll(text, &end, 10);
	return *end ? -1 : 0;
}

/* Parse "[1, 1]", "(1,1)" and "[True, False]", which is not JSON. */
int
tp_torch_list(const struct tp_torch_call *call, int i,
    struct tp_torch_shape *list)
{
	const char *p = tp_torch_concrete(call, i);
	char *end, close = p && *p == '(' ? ')' : ']';

	list->rank = 0;
	if (!p || (*p != '[' && *p != '('))
		return -1;
	for (p++; *p && *p != close; p = end + strspn(end, ", ")) {
		int64_t n = !strncmp(p, "True", 4);

		if (n || !strncmp(p, "False", 5)) {
			end = (char *)p + (n ? 4 : 5);
		} else {
			n = strtoll(p, &end, 10);
			if (end == p)
				return -1;
		}
		if (list->rank == TORCH_RANK_MAX)
			return -1;
		list->n[list->rank++] = n;
	}
	return *p == close ? 0 : -1;
}

int64_t
tp_torch_mul(int64_t a, int64_t b)
{
	if (a < 0 || b < 0 || (b && a > INT64_MAX / b))
		return -1;
	return a * b;
}

int64_t
tp_torch_plus(int64_t a, int64_t b)
{
	return a < 0 || b < 0 || a > INT64_MAX - b ? -1 : a + b;
}

int64_t
tp_torch_product(size_t n, ...)
{
	int64_t product = 1;
	va_list list;

	va_start(list, n);
	while (n--)
		product = tp_torch_mul(product, va_arg(list, int64_t));
	va_end(list);
	return product;
}

int64_t
tp_torch_elements(const struct tp_torch_shape *shape)
{
	int64_t product = 1;

	for (size_t i = 0; i < shape->rank; i++)
		product = tp_torch_mul(product, shape->n[i]);
	return product;
}

int64_t
tp_torch_rounded(double x)
{
	return x >= 0 && x < 9223372036854775807. ? (int64_t)nearbyint(x) : -1;
}

void
tp_torch_set_cost(struct tp_torch_call *call, int64_t flops, int64_t bytes,
    const char *spec)
{
	call->perf->cost.flops = flops;
	call->perf->cost.bytes = bytes;
	call->perf->cost.spec = spec;
}

void
tp_torch_fact(struct tp_torch_call *call, const char *name, int64_t n)
{
	if (call->fact_count == TORCH_FACT_MAX)
		return;
	call->facts[call->fact_count].name = name;
	call->facts[call->fact_count++].value = n < 0 ? NAN : (double)n;
}

double
tp_torch_fact_of(const struct tp_torch_call *call, const char *name, size_t len)
{
	const struct tp_cost *cost = &call->perf->cost;
	int64_t n = -1;

	for (size_t i = 0; i < call->fact_count; i++)
		if (tp_is(name, len, call->facts[i].name))
			return call->facts[i].value;
	if (tp_is(name, len, "flops"))
		n = cost->flops;
	else if (tp_is(name, len, "bytes"))
		n = cost->bytes;
	return n < 0 ? NAN : (double)n;
}

void
tp_torch_param_raw(struct tp_torch_call *call, const char *name,
    const char *text)
{
	char *copy = tp_arena_text(call->arena, text, strlen(text));

	if (call->count == TORCH_PARAM_MAX)
		return;
	call->params[call->count].name = name;
	call->params[call->count++].text = copy;
}

/* Add parameter NAME with the text in call->text. */
static void
param(struct tp_torch_call *call, const char *name)
{
	tp_torch_param_raw(call, name, call->text.p);
	tp_buf_clear(&call->text);
}

void
tp_torch_param_int(struct tp_torch_call *call, const char *name, int64_t n)
{
	tp_buf_int(&call->text, n);
	param(call, name);
	tp_torch_fact(call, name, n);
}

void
tp_torch_param_bool(struct tp_torch_call *call, const char *name, int yes)
{
	tp_torch_param_raw(call, name, yes ? "True" : "False");
	tp_torch_fact(call, name, yes != 0);
}

void
tp_torch_param_float(struct tp_torch_call *call, const char *name, double x)
{
	tp_py_float(&call->text, x);
	param(call, name);
}

void
tp_torch_param_shape(struct tp_torch_call *call, const char *name,
    const struct tp_torch_shape *shape)
{
	if (!shape) {
		tp_torch_param_raw(call, name, "None");
		return;
	}
	tp_buf_chr(&call->text, '(');
	for (size_t i = 0; i < shape->rank; i++) {
		if (i)
			tp_buf_str(&call->text, ", ");
		tp_buf_int(&call->text, shape->n[i]);
	}
	tp_buf_str(&call->text, shape->rank == 1 ? ",)" : ")");
	param(call, name);
}

void
tp_torch_param_strides(struct tp_torch_call *call, const char *name, int i)
{
	struct tp_torch_shape strides;

	tp_torch_param_shape(call, name,
	    tp_torch_integers(item(call->strides, i), &strides) < 0 ? NULL :
	    &strides);
}

void
tp_torch_param_types(struct tp_torch_call *call, const char *name, size_t n,
    const char *const *types)
{
	tp_buf_chr(&call->text, '(');
	for (size_t i = 0; i < n; i++) {
		if (i)
			tp_buf_str(&call->text, ", ");
		if (types[i])
			tp_py_text(&call->text, types[i], strlen(types[i]));
		else
			tp_buf_str(&call->text, "None");
	}
	tp_buf_str(&call->text, n == 1 ? ",)" : ")");
	param(call, name);
}

void
tp_torch_param_mask(struct tp_torch_call *call, const char *name,
    const struct tp_torch_shape *mask)
{
	tp_buf_chr(&call->text, '[');
	for (size_t i = 0; i < mask->rank; i++)
		tp_buf_fmt(&call->text, "%s%s", i ? ", " : "",
		    mask->n[i] ? "True" : "False");
	tp_buf_chr(&call->text, ']');
	param(call, name);
}
