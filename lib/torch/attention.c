/* attention - scaled dot-product attention, forward and backward */
#include <stdlib.h>
#include <string.h>

#include "call.h"

struct attention {
	int q_at;			/* argument of the queries; keys and
					 * values follow */
	int64_t batch, q_len, q_heads, kv_len, kv_heads, qk_dim, v_dim;
	double dropout;
	int causal;
	int packed;			/* sequences of different lengths
					 * concatenated in one dimension */
	int64_t q_count, kv_count;	/* number of sequences */
	int64_t q_longest, kv_longest;
	int64_t bytes;			/* per element */
	const char *type;		/* of the queries */
};

typedef int64_t flops_of(const struct attention *a);

/*
 * Read a shape by its layout: 'b' batch, 'h' heads, 'n' length, 'd' dimension;
 * other letters ('s') count as batch, too.
 */
static int
axes(const char *layout, const struct tp_torch_shape *shape, int64_t *batch,
    int64_t *heads, int64_t *len, int64_t *dim)
{
	if (!layout || shape->rank != strlen(layout))
		return -1;
	*batch = 1;
	*heads = *len = *dim = 0;
	for (size_t i = 0; i < shape->rank; i++)
		if (layout[i] == 'h')
			*heads = shape->n[i];
		else if (layout[i] == 'n')
			*len = shape->n[i];
		else if (layout[i] == 'd')
			*dim = shape->n[i];
		else
			*batch = tp_torch_mul(*batch, shape->n[i]);
	return 0;
}

static int
shapes(struct tp_torch_call *call, struct attention *a)
{
	const char *layout = tp_torch_word(call, "layout");
	int64_t k_batch, v_batch, v_heads, v_len, k_dim;
	struct tp_torch_shape q, k, v;

	if (tp_torch_dims(call, a->q_at, &q) < 0 ||
	    tp_torch_dims(call, a->q_at + 1, &k) < 0 ||
	    tp_torch_dims(call, a->q_at + 2, &v) < 0 ||
	    axes(layout, &q, &a->batch, &a->q_heads, &a->q_len,
	    &a->qk_dim) < 0 ||
	    axes(layout, &k, &k_batch, &a->kv_heads, &a->kv_len,
	    &k_dim) < 0 ||
	    axes(layout, &v, &v_batch, &v_heads, &v_len, &a->v_dim) < 0)
		return -1;
	return a->batch != k_batch || a->batch != v_batch ||
	    a->kv_heads != v_heads || a->kv_len != v_len ||
	    a->qk_dim != k_dim || !a->kv_heads ? -1 : 0;
}

static int
lengths(struct tp_torch_call *call, struct attention *a)
{
	int at = tp_torch_option(call, "lengths", -1);
	int longest = tp_torch_option(call, "longest", -1);
	struct tp_torch_shape q, kv;

	a->packed = at >= 0;
	if (!a->packed)
		return 0;
	/* cumulative lengths begin with 0: one more than sequences */
	if (tp_torch_dims_of(call, at, 1, &q) < 0 ||
	    tp_torch_dims_of(call, at + 1, 1, &kv) < 0 || q.n[0] < 2 ||
	    kv.n[0] < 2 || tp_torch_int(call, longest, &a->q_longest) < 0 ||
	    tp_torch_int(call, longest + 1, &a->kv_longest) < 0)
		return -1;
	a->q_count = q.n[0] - 1;
	a->kv_count = kv.n[0] - 1;
	return a->q_longest < 0 || a->q_longest > a->q_len ||
	    a->kv_longest < 0 || a->kv_longest > a->kv_len ? -1 : 0;
}

static int
read_attention(struct tp_torch_call *call, struct attention *a)
{
	const char *text;

	memset(a, 0, sizeof *a);
	a->q_at = tp_torch_option(call, "q", 0);
	a->type = tp_torch_type_name(call, a->q_at);
	if (!a->type || shapes(call, a) < 0 || lengths(call, a) < 0)
		return -1;
	text = tp_torch_concrete(call, tp_torch_option(call, "dropout", -1));
	a->dropout = text ? strtod(text, NULL) : 0;
	a->causal = tp_torch_truth(call, tp_torch_option(call, "causal", -1));
	a->bytes = tp_torch_type_bytes(call->models, a->type);
	return 0;
}

static void
params(struct tp_torch_call *call, const struct attention *a)
{
	/* types of the first two arguments, whatever they are */
	const char *types[2] = { tp_torch_type_name(call, 0),
	    tp_torch_type_name(call, 1) };

	tp_torch_param_int(call, "B", a->batch);
	tp_torch_param_int(call, "N_Q", a->q_len);
	tp_torch_param_int(call, "H_Q", a->q_heads);
	tp_torch_param_int(call, "N_KV", a->kv_len);
	tp_torch_param_int(call, "H_KV", a->kv_heads);
	tp_torch_param_int(call, "d_h_qk", a->qk_dim);
	tp_torch_param_int(call, "d_h_v", a->v_dim);
	if (tp_torch_flag(call, "strides")) {
		tp_torch_param_strides(call, "q_stride", a->q_at);
		tp_torch_param_strides(call, "k_stride", a->q_at + 1);
		tp_torch_param_strides(call, "v_stride", a->q_at + 2);
	}
	tp_torch_param_float(call, "dropout", a->dropout);
	tp_torch_param_bool(call, "causal", a->causal);
	tp_torch_param_bool(call, "flash_impl", tp_torch_flag(call, "flash"));
	if (tp_torch_flag(call, "types"))
		tp_torch_param_types(call, "dtype_A_B", 2, types);
	if (!a->packed)
		return;
	tp_torch_param_int(call, "num_seqs_q", a->q_count);
	tp_torch_param_int(call, "num_seqs_kv", a->kv_count);
	tp_torch_param_float(call, "max_seqlen_q", (double)a->q_longest);
	tp_torch_param_float(call, "max_seqlen_kv", (double)a->kv_longest);
}

/*
 * Halve the operations for a causal mask.  Unknown unless queries and keys are
 * equally long.
 */
static int64_t
masked(const struct attention *a, int64_t flops)
{
	if (!a->causal || flops < 0)
		return flops;
	if (a->q_len != a->kv_len)
		return -1;
	return flops / 2 + (flops & 1 && flops / 2 & 1);
}

static int64_t
scores(const struct attention *a)
{
	return tp_torch_product(5, (int64_t)2, a->batch, a->q_heads,
	    a->q_len, a->kv_len);
}

static int64_t
forward_flops(const struct attention *a)
{
	return masked(a, tp_torch_mul(scores(a),
	    tp_torch_plus(a->qk_dim, a->v_dim)));
}

/*
 * Backward: gradients of values and probabilities cost a product with v_dim
 * each, those of queries and keys one with qk_dim each.  A flash kernel
 * recomputes the scores.  Gradients of shared keys and values are summed over
 * the heads that share them.
 */
static int64_t
backward_flops(const struct attention *a, int flash)
{
	int64_t shared = a->q_heads / a->kv_heads;
	int64_t dims = tp_torch_plus(a->qk_dim, a->v_dim);

	return masked(a, tp_torch_plus(tp_torch_mul(scores(a),
	    tp_torch_plus(tp_torch_mul(dims, 2), flash ? a->qk_dim : 0)),
	    shared > 1 ? tp_torch_product(4, a->batch, a->kv_len, dims,
	    shared - 1) : 0));
}

static int64_t
flash_backward_flops(const struct attention *a)
{
	return backward_flops(a, 1);
}

static int64_t
plain_backward_flops(const struct attention *a)
{
	return backward_flops(a, 0);
}

/*
 * Of packed sequences only the longest length is known.  Returns the lower
 * bound, where the others are equally long.
 */
static int64_t
all_flops(const struct attention *a, flops_of *of)
{
	struct attention one = *a;
	int64_t flops;

	if (!a->packed)
		return of(a);
	one.q_len = a->q_longest;
	one.kv_len = a->kv_longest;
	flops = of(&one);
	if (a->q_count < 2)
		return flops;
	one.q_len = (a->q_len - a->q_longest) / (a->q_count - 1);
	one.kv_len = a->kv_count < 2 ? 0 :
	    (a->kv_len - a->kv_longest) / (a->kv_count - 1);
	return tp_torch_plus(flops, tp_torch_mul(a->q_count - 1,
	    of(&one)));
}

/* Elements of queries and results, keys and values. */
static int64_t
elements(const struct attention *a, int backward)
{
	int64_t q = tp_torch_product(4, a->batch, a->q_len, a->q_heads,
	    a->qk_dim);
	int64_t out = tp_torch_product(4, a->batch, a->q_len, a->q_heads,
	    a->v_dim);
	int64_t kv = tp_torch_product(4, a->batch, a->kv_len, a->kv_heads,
	    tp_torch_plus(a->qk_dim, a->v_dim));

	return backward ? tp_torch_plus(tp_torch_mul(tp_torch_plus(q,
	    kv), 2), out) : tp_torch_sum(q, kv, out);
}

static void
costs(struct tp_torch_call *call, const struct attention *a, flops_of *of,
    int backward)
{
	int64_t flops = all_flops(a, of), n = elements(a, backward);

	tp_torch_set_cost(call, flops, tp_torch_mul(n, a->bytes),
	    tp_torch_spec(call, a->type));
	tp_torch_fact(call, "elements", n);
}

int
tp_torch_attention(struct tp_torch_call *call)
{
	struct attention a;

	if (read_attention(call, &a) < 0)
		return -1;
	costs(call, &a, forward_flops, 0);
	params(call, &a);
	return 0;
}

int
tp_torch_attention_backward(struct tp_torch_call *call)
{
	struct attention a;

	if (read_attention(call, &a) < 0)
		return -1;
	costs(call, &a, tp_torch_flag(call, "flash") ? flash_backward_flops :
	    plain_backward_flops, 1);
	params(call, &a);
	return 0;
}
