/* moe - mixtures of experts, and products of matrices in groups */
#include <cjson/cJSON.h>
#include <math.h>

#include <tp/json.h>

#include "call.h"

struct moe {
	int64_t tokens, hidden, inner, experts, topk;
	int gated;
	const char *in, *weight, *out;
};

static int
shapes(struct tp_torch_call *call, struct moe *m)
{
	struct tp_torch_shape x, w1, w2, topk;
	int x_at = tp_torch_option(call, "x", 0);
	int w1_at = tp_torch_option(call, "w1", 1);

	if (tp_torch_dims_of(call, x_at, 2, &x) < 0 ||
	    tp_torch_dims_of(call, w1_at, 3, &w1) < 0 ||
	    tp_torch_dims_of(call, tp_torch_option(call, "w2", 2), 3, &w2) < 0)
		return -1;
	m->tokens = x.n[0];
	m->hidden = w2.n[1];
	m->inner = w2.n[2];
	/* weights of 4 bits, several to an element */
	if (w1.n[2])
		m->inner = tp_torch_mul(m->inner, m->hidden / w1.n[2]);
	m->experts = w1.n[0];
	m->gated = w1.n[1] == 2 * m->inner;
	m->in = tp_torch_type_name(call, x_at);
	m->weight = tp_torch_type_name(call, w1_at);
	m->out = tp_torch_type_name(call, tp_torch_option(call, "out", x_at));
	if (tp_torch_option(call, "topk_of", -1) < 0)
		return tp_torch_int(call, tp_torch_option(call, "topk", -1),
		    &m->topk);
	if (tp_torch_dims_of(call, tp_torch_option(call, "topk_of", -1), 2,
	    &topk) < 0)
		return -1;
	m->topk = topk.n[1];
	return 0;
}

/* 2 M N K for each matrix and expert of a token, and the weighted sum. */
static int64_t
moe_flops(const struct moe *m)
{
	return tp_torch_plus(tp_torch_product(5, (int64_t)(m->gated ? 6 : 4),
	    m->tokens, m->hidden, m->inner, m->topk),
	    tp_torch_product(3, m->tokens, m->hidden, 2 * m->topk - 1));
}

/* Bytes of an element of TYPE, by the table of types of experts, where they are
 * packed; OTHER when it has none. */
static double
size_of(const struct tp_torch_call *call, const char *type, double other)
{
	double n;

	return type && tp_json_number(tp_torch_sizes(call->models, "experts"),
	    type, &n) ? n : other;
}

/* Of the experts those count that tokens spread evenly would meet. */
static int64_t
moe_bytes(const struct tp_torch_call *call, const struct moe *m)
{
	double in = size_of(call, m->in, 1), out = size_of(call, m->out, 2);
	double weight = size_of(call, m->weight, 1), missed;

	if (m->experts <= 0 || m->topk > m->experts)
		return -1;
	missed = pow((double)(m->experts - m->topk) / (double)m->experts,
	    (double)m->tokens);
	return tp_torch_rounded((double)m->tokens * (double)m->hidden *
	    (in + out) + (double)m->experts * (1 - missed) *
	    (double)m->inner * (double)m->hidden * weight *
	    (m->gated ? 3 : 2));
}

int
tp_torch_moe(struct tp_torch_call *call)
{
	struct moe m = { 0 };

	if (shapes(call, &m) < 0 || m.topk <= 0 || !m.in || !m.weight)
		return -1;
	tp_torch_set_cost(call, moe_flops(&m), moe_bytes(call, &m),
	    tp_torch_spec(call, m.in));
	tp_torch_param_int(call, "num_tokens", m.tokens);
	tp_torch_param_int(call, "hidden_dim", m.hidden);
	tp_torch_param_int(call, "inter_dim", m.inner);
	tp_torch_param_int(call, "num_experts", m.experts);
	tp_torch_param_int(call, "topk", m.topk);
	tp_torch_param_bool(call, "gated", m.gated);
	tp_torch_param_raw(call, "input_dtype", m.in);
	tp_torch_param_raw(call, "weight_dtype", m.weight);
	if (tp_torch_option(call, "out", -1) >= 0 && m.out)
		tp_torch_param_raw(call, "output_dtype", m.out);
	return 0;
}

/* Lists of X (M, K) and of W (K, N), whatever M, K and N of each are. */
static int
listed_gemm(struct tp_torch_call *call, const struct cJSON *x,
    const struct cJSON *w)
{
	int64_t flops = 0, in = 0, out = 0, size;
	const char *type = tp_torch_type_name(call, 0);
	struct tp_torch_shape a, b;

	for (x = x->child, w = w->child; x && w; x = x->next, w = w->next) {
		if (tp_torch_integers(x, &a) < 0 ||
		    tp_torch_integers(w, &b) < 0 || a.rank != 2 ||
		    b.rank != 2 || a.n[1] != b.n[0])
			return -1;
		flops = tp_torch_plus(flops, tp_torch_product(4, (int64_t)2,
		    a.n[0], a.n[1], b.n[1]));
		in = tp_torch_sum(3, in, tp_torch_elements(&a),
		    tp_torch_elements(&b));
		out = tp_torch_plus(out, tp_torch_mul(a.n[0], b.n[1]));
	}
	size = tp_torch_type_bytes(call->models, type);
	tp_torch_set_cost(call, flops, tp_torch_plus(tp_torch_mul(in, size),
	    tp_torch_mul(out, tp_torch_type_bytes(call->models,
	    tp_torch_type_name(call, 1)))), tp_torch_spec(call, type));
	return x || w ? -1 : 0;
}

/* X (M, K) by W (G, K, N) or (G, N, K); with K of each group its own, by
 * what the trace tells of all of them, (M, N). */
int
tp_torch_grouped_gemm(struct tp_torch_call *call)
{
	const struct cJSON *list = call->dims ? call->dims->child : NULL;
	struct tp_torch_shape x, w;
	int64_t n, groups = 1, in, out;

	if (list && list->next && list->child && list->child->child)
		return listed_gemm(call, list, list->next);
	if (tp_torch_dims_of(call, 0, 2, &x) < 0 || tp_torch_dims(call, 1,
	    &w) < 0)
		return -1;
	if (tp_torch_flag(call, "variable_k")) {
		if (w.rank != 2)
			return -1;
		n = w.n[1];
	} else {
		if (w.rank != 3 || (w.n[1] != x.n[1] && w.n[2] != x.n[1]))
			return -1;
		groups = w.n[0];
		n = w.n[1] == x.n[1] ? w.n[2] : w.n[1];
	}
	in = tp_torch_type_bytes(call->models, tp_torch_type_name(call, 0));
	out = tp_torch_type_bytes(call->models, tp_torch_type_name(call, 1));
	tp_torch_set_cost(call, tp_torch_product(4, (int64_t)2, x.n[0], x.n[1],
	    n), tp_torch_sum(3, tp_torch_product(3, x.n[0], x.n[1], in),
	    tp_torch_product(4, groups, x.n[1], n, in),
	    tp_torch_product(3, x.n[0], n, out)),
	    tp_torch_spec(call, tp_torch_type_name(call, 0)));
	tp_torch_param_int(call, "M", x.n[0]);
	tp_torch_param_int(call, "K", x.n[1]);
	tp_torch_param_int(call, "N", n);
	tp_torch_param_int(call, "G", groups);
	if (in >= 0)
		tp_torch_param_int(call, "bpe_in", in);
	if (out >= 0)
		tp_torch_param_int(call, "bpe_out", out);
	return 0;
}
