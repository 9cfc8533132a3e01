/* torch_gemm - products of matrices */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include "call.h"

struct gemm {
	int64_t batch, m, n, k;
	const char *types[3];		/* of A, B and, or NULL, the result */
	size_t type_count;
	int bias, bias_tabled;
	int64_t a_bytes, b_bytes, out_bytes;	/* per element */
};

static void
swap(struct torch_shape *a, struct torch_shape *b)
{
	struct torch_shape c = *a;

	*a = *b;
	*b = c;
}

/* A is M x K and B is K x N, each perhaps the other way around. */
static int
shapes(struct torch_call *call, struct gemm *g)
{
	struct torch_shape a, b;
	size_t batched = torch_flag(call, "batched");
	int at = torch_option(call, "transposes", -1), turn_a = 0, t;
	const char *rows = torch_word(call, "b_rows");
	int turn_b = rows && *rows == 'n';

	if (torch_dims_of(call, torch_option(call, "a", 0), 2 + batched,
	    &a) < 0 || torch_dims_of(call, torch_option(call, "b", 1),
	    2 + batched, &b) < 0)
		return -1;
	if (at >= 0) {
		turn_a = torch_truth(call, at, 0);
		turn_b = torch_truth(call, at + 1, 0);
		if (torch_truth(call, at + 2, 0)) {
			swap(&a, &b);
			t = turn_a;
			turn_a = !turn_b;
			turn_b = !t;
		}
	}
	g->batch = batched ? b.n[0] : 1;
	/* one that has its tokens in front of its batch */
	if (batched && a.n[0] != b.n[0] && a.n[1] == b.n[0])
		a.n[1] = a.n[0];
	g->m = a.n[batched + (turn_a != 0)];
	g->k = a.n[batched + !turn_a];
	g->n = b.n[batched + !turn_b];
	return 0;
}

static int
types(struct torch_call *call, struct gemm *g)
{
	const struct cJSON *list = torch_value(call, "types"), *i;
	const char *name;

	g->type_count = 2;
	if (!list) {
		g->types[0] = torch_type_name(call,
		    torch_option(call, "a", 0));
		g->types[1] = torch_type_name(call,
		    torch_option(call, "b", 1));
		return g->types[0] && g->types[1] ? 0 : -1;
	}
	g->type_count = 0;
	cJSON_ArrayForEach(i, list) {
		name = cJSON_IsNumber(i) ?
		    torch_type_name(call, i->valueint) :
		    cJSON_GetStringValue(i);
		if (g->type_count < 3)
			g->types[g->type_count++] = name;
	}
	return g->type_count == 3 && g->types[0] && g->types[1] ? 0 : -1;
}

/* Without types of its own all is of A's, as a trace does not say what the
 * result is. */
static void
sizes(struct torch_call *call, struct gemm *g)
{
	const char *out = torch_word(call, "out");

	g->a_bytes = torch_type_bytes(call->models, g->types[0]);
	g->b_bytes = g->out_bytes = g->a_bytes;
	if (g->type_count == 3) {
		g->b_bytes = torch_type_bytes(call->models, g->types[1]);
		g->out_bytes = g->types[2] && *g->types[2] ?
		    torch_type_bytes(call->models, g->types[2]) : g->b_bytes;
	}
	if (out && (*out == 'h' || g->a_bytes == 1))
		g->out_bytes = 2;
}

static void
bias(struct torch_call *call, struct gemm *g)
{
	int at = torch_option(call, "bias", -1);

	g->bias = torch_option(call, "c", -1) >= 0 ||
	    (at >= 0 && torch_has(call, at));
	g->bias_tabled = g->bias;
	/* of _scaled_mm three arguments are taken for a bias */
	if (torch_word(call, "out") && *torch_word(call, "out") == 'w')
		g->bias_tabled = torch_dims_count(call) == 3;
}

static int64_t
flops(const struct gemm *g, int with_bias)
{
	int64_t all = torch_product(4, (int64_t)2, g->m, g->n, g->k);

	if (with_bias)
		all = torch_add(all, torch_mul(g->m, g->n));
	return torch_mul(g->batch, all);
}

static int64_t
bytes(struct torch_call *call, const struct gemm *g, int with_bias)
{
	const char *packed = torch_word(call, "packed");
	int64_t a = torch_product(3, g->m, g->k, g->a_bytes);
	int64_t b = torch_product(3, g->k, g->n, g->b_bytes);

	/* two numbers of 4 bits are one element of a byte */
	if (packed && *packed == 'a')
		a = torch_mul(g->m, g->k) / 2;
	if (packed)
		b = torch_mul(g->n, g->k) / 2;
	a = torch_sum(3, a, b, torch_product(3, g->m, g->n,
	    g->out_bytes));
	if (with_bias)
		a = torch_add(a, torch_mul(g->n, g->out_bytes));
	return torch_mul(g->batch, a);
}

static const char *
spec(struct torch_call *call, const struct gemm *g)
{
	const struct torch_type *type;
	const char *name = torch_word(call, "precision");

	if (!name)
		return torch_spec(call,
		    g->types[torch_option(call, "precision", 0) == 1]);
	type = torch_precision(call->models, name);
	return type ? type->matrix : NULL;
}

/* What the name of a kernel says of its operands: Tensile and nvJet. */
static int
transposed(const char *kernel, const char *turns[2])
{
	const char *end = strrchr(kernel, '_');

	turns[0] = turns[1] = "None";
	if (strstr(kernel, "_Ailk_"))
		turns[0] = "False";
	else if (strstr(kernel, "_Alik_"))
		turns[0] = "True";
	if (strstr(kernel, "_Bljk_"))
		turns[1] = "False";
	else if (strstr(kernel, "_Bjlk_"))
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
params(struct torch_call *call, const struct gemm *g)
{
	const struct cJSON *strides = torch_value(call, "strides");
	const char *turns[2];
	char pair[24];

	torch_param_int(call, "B", g->batch);
	torch_param_int(call, "M", g->m);
	torch_param_int(call, "N", g->n);
	torch_param_int(call, "K", g->k);
	torch_param_bool(call, "bias", g->bias_tabled);
	if (!cJSON_IsFalse(strides)) {
		torch_param_strides(call, "stride_A",
		    torch_option(call, "a", 0));
		torch_param_strides(call, "stride_B",
		    torch_option(call, "b", 1));
	}
	torch_param_types(call, "dtype_A_B", g->type_count, g->types);
	for (size_t i = 0; i < call->op->kernel_count; i++)
		if (transposed(call->op->kernels[i], turns)) {
			snprintf(pair, sizeof pair, "(%s, %s)", turns[0],
			    turns[1]);
			torch_param_raw(call, "transpose", pair);
			break;
		}
}

int
torch_gemm(struct torch_call *call)
{
	const char *packed = torch_word(call, "packed");
	struct gemm g;

	memset(&g, 0, sizeof g);
	if (shapes(call, &g) < 0 || types(call, &g) < 0)
		return -1;
	if (packed && *packed == 'a')
		g.k = torch_mul(g.k, 2);
	sizes(call, &g);
	bias(call, &g);
	torch_cost(call, flops(&g, g.bias), bytes(call, &g, g.bias),
	    spec(call, &g));
	torch_tabled(call, flops(&g, g.bias_tabled),
	    bytes(call, &g, g.bias_tabled));
	params(call, &g);
	return 0;
}
