/* moe - mixtures of experts, and grouped matrix products */
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
	/* 4-bit weights, several per element */
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

/* 2 M N K per matrix and expert of a token, and the weighted sum. */
static int64_t
moe_flops(const struct moe *m)
{
	return tp_torch_plus(tp_torch_product(5, (int64_t)(m->gated ? 6 : 4),
	    m->tokens, m->hidden, m->inner, m->topk),
	    tp_torch_product(3, m->tokens, m->hidden, 2 * m->topk - 1));
}

/*
 * The bytes per element of TYPE by the table "experts", where types are packed;
 * OTHER if it is not there.
 */
static double
size_of(const struct tp_torch_call *call, const char *type, double other)
{
	double n;

	return type && tp_json_number(tp_torch_sizes(call->models, "experts"),
	    type, &n) ? n : other;
}

/*
 * Bytes of tokens in and out, and of the weights of the experts that evenly
 * distributed tokens are expected to reach.
 */
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

/*
 * Append the shapes of one product, whose K is its own: "[((5, 32), (32, 48)),
 * ..]".
 */
static void
add_pair(struct tp_buf *pairs, const struct tp_torch_shape *a,
    const struct tp_torch_shape *b)
{
	tp_buf_fmt(pairs, "%s((%lld, %lld), (%lld, %lld))", pairs->len ? ", " :
	    "[", (long long)a->n[0], (long long)a->n[1], (long long)b->n[0],
	    (long long)b->n[1]);
}

/*
 * Set M of all groups, K and N of the first; and PAIRS, which it releases, if
 * each group has its own K.
 */
static void
grouped_params(struct tp_torch_call *call, int64_t m,
    const struct tp_torch_shape *b, int64_t groups, struct tp_buf *pairs)
{
	static const char *const sizes[] = { "bpe_in", "bpe_out" };
	int64_t n;

	tp_torch_param_int(call, "M", m);
	tp_torch_param_int(call, "K", b->n[0]);
	tp_torch_param_int(call, "N", b->n[1]);
	tp_torch_param_int(call, "G", groups);
	for (int i = 0; i < 2; i++) {
		n = tp_torch_type_bytes(call->models,
		    tp_torch_type_name(call, i));
		if (n >= 0)
			tp_torch_param_int(call, sizes[i], n);
		else
			tp_torch_param_raw(call, sizes[i], "None");
	}
	tp_buf_chr(pairs, ']');
	if (tp_torch_flag(call, "variable_k"))
		tp_torch_param_raw(call, "group_pairs", pairs->p);
	tp_buf_release(pairs);
}

/* Evaluate lists of X (M, K) and W (K, N) with individual M, K and N. */
static int
listed_gemm(struct tp_torch_call *call, const struct cJSON *x,
    const struct cJSON *w)
{
	int64_t flops = 0, in = 0, out = 0, rows = 0, groups = 0, size;
	const char *type = tp_torch_type_name(call, 0);
	struct tp_torch_shape a, b, first = { 0 };
	struct tp_buf pairs = { 0 };

	for (x = x->child, w = w->child; x && w; x = x->next, w = w->next) {
		if (tp_torch_integers(x, &a) < 0 ||
		    tp_torch_integers(w, &b) < 0 || a.rank != 2 ||
		    b.rank != 2 || a.n[1] != b.n[0])
			break;
		add_pair(&pairs, &a, &b);
		first = groups++ ? first : b;
		rows = tp_torch_plus(rows, a.n[0]);
		flops = tp_torch_plus(flops, tp_torch_product(4, (int64_t)2,
		    a.n[0], a.n[1], b.n[1]));
		in = tp_torch_sum(in, tp_torch_elements(&a),
		    tp_torch_elements(&b));
		out = tp_torch_plus(out, tp_torch_mul(a.n[0], b.n[1]));
	}
	if (x || w) {
		tp_buf_release(&pairs);
		return -1;
	}
	size = tp_torch_type_bytes(call->models, type);
	tp_torch_set_cost(call, flops, tp_torch_plus(tp_torch_mul(in, size),
	    tp_torch_mul(out, tp_torch_type_bytes(call->models,
	    tp_torch_type_name(call, 1)))), tp_torch_spec(call, type));
	grouped_params(call, rows, &first, groups, &pairs);
	return 0;
}

/*
 * X (M, K) times W (G, K, N) or (G, N, K).  If each group has its own K, the
 * trace has only sums: W is (M, N).
 */
int
tp_torch_grouped_gemm(struct tp_torch_call *call)
{
	const struct cJSON *list = call->dims ? call->dims->child : NULL;
	struct tp_torch_shape x, w;
	struct tp_buf pairs = { 0 };
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
	    n), tp_torch_sum(tp_torch_product(3, x.n[0], x.n[1], in),
	    tp_torch_product(4, groups, x.n[1], n, in),
	    tp_torch_product(3, x.n[0], n, out)),
	    tp_torch_spec(call, tp_torch_type_name(call, 0)));
	w.n[0] = x.n[1];
	w.n[1] = n;
	add_pair(&pairs, &x, &w);
	grouped_params(call, x.n[0], &w, groups, &pairs);
	return 0;
}
