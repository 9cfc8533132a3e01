/* gemm - matrix products */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "call.h"

struct gemm {
	int64_t batch, m, n, k;
	const char *types[3];		/* of A, B and the result, which may be
					 * NULL */
	size_t type_count;
	int bias;
	int64_t a_bytes, b_bytes, out_bytes;	/* per element */
};

static void
swap(struct tp_torch_shape *a, struct tp_torch_shape *b)
{
	struct tp_torch_shape c = *a;

	*a = *b;
	*b = c;
}

/* Read A, M x K, and B, K x N, each possibly transposed. */
static int
shapes(struct tp_torch_call *call, struct gemm *g)
{
	struct tp_torch_shape a, b;
	size_t batched = tp_torch_flag(call, "batched");
	int at = tp_torch_option(call, "transposes", -1), turn_a = 0, t;
	const char *rows = tp_torch_word(call, "b_rows");
	int turn_b = rows && *rows == 'n';

	if (tp_torch_dims_of(call, tp_torch_option(call, "a", 0), 2 + batched,
	    &a) < 0 || tp_torch_dims_of(call, tp_torch_option(call, "b", 1),
	    2 + batched, &b) < 0)
		return -1;
	if (at >= 0) {
		turn_a = tp_torch_truth(call, at);
		turn_b = tp_torch_truth(call, at + 1);
		if (tp_torch_truth(call, at + 2)) {
			swap(&a, &b);
			t = turn_a;
			turn_a = !turn_b;
			turn_b = !t;
		}
	}
	g->batch = batched ? b.n[0] : 1;
	/* A with tokens before the batch */
	if (batched && a.n[0] != b.n[0] && a.n[1] == b.n[0])
		a.n[1] = a.n[0];
	g->m = a.n[batched + (turn_a != 0)];
	g->k = a.n[batched + !turn_a];
	g->n = b.n[batched + !turn_b];
	return 0;
}

static int
types(struct tp_torch_call *call, struct gemm *g)
{
	const struct cJSON *list = tp_torch_value(call, "types"), *i;
	const char *name;

	g->type_count = 2;
	if (!list) {
		g->types[0] = tp_torch_type_name(call,
		    tp_torch_option(call, "a", 0));
		g->types[1] = tp_torch_type_name(call,
		    tp_torch_option(call, "b", 1));
		return g->types[0] && g->types[1] ? 0 : -1;
	}
	g->type_count = 0;
	cJSON_ArrayForEach(i, list) {
		name = cJSON_IsNumber(i) ?
		    tp_torch_type_name(call, i->valueint) :
		    cJSON_GetStringValue(i);
		if (g->type_count < 3)
			g->types[g->type_count++] = name;
	}
	return g->type_count == 3 && g->types[0] && g->types[1] ? 0 : -1;
}

/*
 * Without types of their own B and the result have A's: traces do not record
 * the result's type.
 */
static void
sizes(struct tp_torch_call *call, struct gemm *g)
{
	const char *out = tp_torch_word(call, "out");

	g->a_bytes = tp_torch_type_bytes(call->models, g->types[0]);
	g->b_bytes = g->out_bytes = g->a_bytes;
	if (g->type_count == 3) {
		g->b_bytes = tp_torch_type_bytes(call->models, g->types[1]);
		g->out_bytes = g->types[2] && *g->types[2] ?
		    tp_torch_type_bytes(call->models, g->types[2]) : g->b_bytes;
	}
	if (out && (*out == 'h' || g->a_bytes == 1))
		g->out_bytes = 2;
}

static void
bias(struct tp_torch_call *call, struct gemm *g)
{
	int at = tp_torch_option(call, "bias", -1);

	g->bias = tp_torch_option(call, "c", -1) >= 0 ||
	    (at >= 0 && tp_torch_has(call, at));
}

static int64_t
flops(const struct gemm *g)
{
	int64_t all = tp_torch_product(4, (int64_t)2, g->m, g->n, g->k);

	if (g->bias)
		all = tp_torch_plus(all, tp_torch_mul(g->m, g->n));
	return tp_torch_mul(g->batch, all);
}

static int64_t
bytes(struct tp_torch_call *call, const struct gemm *g)
{
	const char *packed = tp_torch_word(call, "packed");
	int64_t a = tp_torch_product(3, g->m, g->k, g->a_bytes);
	int64_t b = tp_torch_product(3, g->k, g->n, g->b_bytes);

	/* two 4-bit numbers per byte */
	if (packed && *packed == 'a')
		a = tp_torch_mul(g->m, g->k) / 2;
	if (packed)
		b = tp_torch_mul(g->n, g->k) / 2;
	a = tp_torch_sum(a, b, tp_torch_product(3, g->m, g->n,
	    g->out_bytes));
	if (g->bias)
		a = tp_torch_plus(a, tp_torch_mul(g->n, g->out_bytes));
	return tp_torch_mul(g->batch, a);
}

static const char *
spec(struct tp_torch_call *call, const struct gemm *g)
{
	const struct tp_torch_type *type;
	const char *name = tp_torch_word(call, "precision");

	if (!name)
		return tp_torch_spec(call,
		    g->types[tp_torch_option(call, "precision", 0) == 1]);
	type = tp_torch_precision(call->models, name);
	return type ? type->matrix : NULL;
}

/*
 * Read the transposition of operands from a kernel's name: Tensile and nvJet.
 */
static int
transposed(const char *kernel, const char *turns[2])
{
	const char *end = strrchr(kernel, '_'), *tensile;

	turns[0] = turns[1] = "None";
	/* all of these end in "k_", which hardly any other name has */
	tensile = strstr(kernel, "k_") ? kernel : "";
	if (strstr(tensile, "_Ailk_"))
		turns[0] = "False";
	else if (strstr(tensile, "_Alik_"))
		turns[0] = "True";
	if (strstr(tensile, "_Bljk_"))
		turns[1] = "False";
	else if (strstr(tensile, "_Bjlk_"))
		turns[1] = "True";
	if (*turns[0] != 'N' || *turns[1] != 'N')
		return 1;
	if (strncmp(kernel, "nvjet", 5) || !end || strlen(end) < 3)
		return 0;
	turns[0] = end[1] == 'T' ? "True" : "False";
	turns[1] = end[2] == 'T' ? "True" : "False";
	return 1;
}

int
tp_torch_kernel_tells(const char *kernel)
{
	const char *turns[2];

	return transposed(kernel, turns);
}

static void
params(struct tp_torch_call *call, const struct gemm *g)
{
	const struct cJSON *strides = tp_torch_value(call, "strides");
	const char *turns[2];
	char pair[24];

	tp_torch_param_int(call, "B", g->batch);
	tp_torch_param_int(call, "M", g->m);
	tp_torch_param_int(call, "N", g->n);
	tp_torch_param_int(call, "K", g->k);
	tp_torch_param_bool(call, "bias", g->bias);
	if (!cJSON_IsFalse(strides)) {
		tp_torch_param_strides(call, "stride_A",
		    tp_torch_option(call, "a", 0));
		tp_torch_param_strides(call, "stride_B",
		    tp_torch_option(call, "b", 1));
	}
	tp_torch_param_types(call, "dtype_A_B", g->type_count, g->types);
	for (size_t i = 0; i < call->op->kernel_count; i++)
		if (transposed(call->op->kernels[i], turns)) {
			snprintf(pair, sizeof pair, "(%s, %s)", turns[0],
			    turns[1]);
			tp_torch_param_raw(call, "transpose", pair);
			break;
		}
}

int
tp_torch_gemm(struct tp_torch_call *call)
{
	const char *packed = tp_torch_word(call, "packed");
	const char *out = tp_torch_word(call, "out");
	struct gemm g;

	memset(&g, 0, sizeof g);
	if (shapes(call, &g) < 0 || types(call, &g) < 0)
		return -1;
	if (packed && *packed == 'a')
		g.k = tp_torch_mul(g.k, 2);
	sizes(call, &g);
	bias(call, &g);
	tp_torch_set_cost(call, flops(&g), bytes(call, &g), spec(call, &g));
	tp_torch_fact(call, "out_size", g.out_bytes);
	tp_torch_fact(call, "widened", out && *out == 'w');
	params(call, &g);
	return 0;
}
