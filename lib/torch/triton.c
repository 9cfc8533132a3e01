/*
 * triton - kernels that torch.compile makes of several operations
 *
 * The name "triton_poi_fused__unsafe_view_mul_silu_2" lists the operations,
 * joined by '_', which may also be part of an operation's name.  The name is
 * split so that the fewest words are unknown and, among such splits, into the
 * fewest names.  Sizes are the last integers among the arguments.
 */
#include <cjson/cJSON.h>
#include <string.h>

#include <tp/json.h>

#include "call.h"

/* Further words of a name are ignored. */
#define WORD_MAX 96

struct cut {
	size_t at[WORD_MAX + 1];	/* start of word I */
	size_t end[WORD_MAX + 1];
	size_t count;
	int unknown[WORD_MAX + 1];	/* best split of the words before I:
					 * unknown words, */
	int names[WORD_MAX + 1];	/* ... number of names, */
	size_t from[WORD_MAX + 1];	/* ... first word of the last name */
	int known[WORD_MAX + 1];
};

static void
words(const char *text, size_t len, struct cut *c)
{
	size_t start = 0;

	c->count = 0;
	for (size_t i = 0; i <= len && c->count < WORD_MAX; i++)
		if (i == len || text[i] == '_') {
			c->at[c->count] = start;
			c->end[c->count++] = i;
			start = i + 1;
		}
}

/* Try the words from FROM to TO as one name. */
static void
try(const struct tp_torch_call *call, const char *text, struct cut *c,
    size_t from, size_t to)
{
	size_t len = c->end[to - 1] - c->at[from];
	int known = tp_torch_triton_knows(call->models, text + c->at[from],
	    len);
	int empty = !len, unknown = c->unknown[from], names = c->names[from];

	if (!known && to - from > 1)
		return;
	unknown += !known && !empty;
	names += !empty;
	if (c->names[to] >= 0 && (c->unknown[to] < unknown ||
	    (c->unknown[to] == unknown && c->names[to] <= names)))
		return;
	c->unknown[to] = unknown;
	c->names[to] = names;
	c->from[to] = from;
	c->known[to] = known;
}

static void
cut(const struct tp_torch_call *call, const char *text, size_t len,
    struct cut *c)
{
	words(text, len, c);
	c->unknown[0] = c->names[0] = 0;
	for (size_t to = 1; to <= c->count; to++) {
		c->names[to] = -1;
		/* names have at most a dozen words */
		for (size_t from = to > 12 ? to - 12 : 0; from < to; from++)
			try(call, text, c, from, to);
	}
}

/*
 * Returns the operations per element and appends "aten.add, aten.mul" to
 * call->text.
 */
static int64_t
per_element(struct tp_torch_call *call, const char *text, struct cut *c)
{
	const struct cJSON *prices = tp_torch_triton_file(call->models,
	    "flops_per_element");
	size_t starts[WORD_MAX + 1], n = 0;
	int64_t sum = 0;
	double price;
	char name[128];

	for (size_t to = c->count; to; to = c->from[to])
		if (c->known[to])
			starts[n++] = to;
	while (n--) {
		size_t to = starts[n], from = c->from[to];
		size_t len = c->end[to - 1] - c->at[from];

		if (len >= sizeof name)
			continue;
		memcpy(name, text + c->at[from], len);
		name[len] = '\0';
		if (tp_json_number(prices, name, &price))
			sum = tp_torch_plus(sum, (int64_t)price);
		tp_buf_fmt(&call->text, "%saten.%s",
		    call->text.len ? ", " : "", name);
	}
	return sum;
}

/*
 * Read the last N integers among the arguments, the last into list[0].  Returns
 * 0, or -1 if there are fewer or one is negative.
 */
static int
last_integers(const struct tp_torch_call *call, size_t n, int64_t *list)
{
	int i = cJSON_GetArraySize(call->concrete);
	size_t found = 0;

	while (found < n && i--) {
		if (tp_torch_int(call, i, &list[found]) < 0)
			continue;
		if (list[found] < 0)
			return -1;
		found++;
	}
	return found == n ? 0 : -1;
}

/*
 * The bytes of all tensors.  *FIRST gets the bytes per element of the first
 * known type, or 0.
 */
static int64_t
tensors(const struct tp_torch_call *call, int64_t *first)
{
	struct tp_torch_shape shape;
	const char *type;
	int64_t sum = 0, bytes;

	*first = 0;
	for (int i = 0; i < (int)tp_torch_dims_count(call); i++) {
		type = tp_torch_type_name(call, i);
		if (!type || !tp_torch_has(call, i) ||
		    tp_torch_dims(call, i, &shape) < 0)
			continue;
		bytes = tp_torch_type_bytes(call->models, type);
		if (!*first)
			*first = bytes;
		sum = tp_torch_plus(sum, tp_torch_mul(
		    tp_torch_elements(&shape), bytes));
	}
	return sum;
}

int
tp_torch_triton(struct tp_torch_call *call)
{
	const char *text = call->op->name;
	size_t len = call->op->name_len, start;
	int pointwise = !memcmp(text, "triton_poi_", 11);
	int64_t sizes[2] = { 1, 1 }, each, n, first, bytes, extra;
	struct cut c;

	if (last_integers(call, pointwise ? 1 : 2, sizes) < 0) {
		/* a reduction with a compiled-in length has only one */
		if (pointwise || last_integers(call, 1, &sizes[1]) < 0)
			return -1;
		sizes[0] = -1;
	}
	if (pointwise)
		sizes[1] = 1;
	n = tp_torch_mul(sizes[0], sizes[1]);
	/* skip "triton_poi_fused_" and the number at the end */
	start = len > 17 && !memcmp(text + 11, "fused_", 6) ? 17 : 11;
	while (len > start && text[len - 1] >= '0' && text[len - 1] <= '9')
		len--;
	len -= len > start && text[len - 1] == '_';
	cut(call, text + start, len - start, &c);
	each = per_element(call, text + start, &c);
	bytes = tensors(call, &first);
	/* the result of a pointwise kernel that works in place */
	extra = pointwise ? tp_torch_mul(first, n) : 0;
	tp_torch_set_cost(call, each ? tp_torch_mul(each, n) : 0,
	    tp_torch_plus(bytes, extra), tp_torch_spec(call,
	    tp_torch_type_name(call, 0)));
	tp_torch_fact(call, "pointwise", pointwise);
	if (!call->text.len)
		tp_buf_str(&call->text, "");
	tp_torch_param_raw(call, "fused_ops", call->text.p ? call->text.p : "");
	tp_buf_clear(&call->text);
	tp_torch_param_int(call, "xnumel", sizes[pointwise ? 0 : 1]);
	if (sizes[0] >= 0)
		tp_torch_param_int(call, "rnumel", pointwise ? 1 : sizes[0]);
	return 0;
}
