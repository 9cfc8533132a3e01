/* conv - convolutions */
#include <string.h>

#include "call.h"

enum { STRIDE, PADDING, DILATION, OUTPUT_PADDING, SETTINGS };

struct conv {
	int x_at;			/* argument of the input; the weights
					 * follow */
	struct tp_torch_shape x, w, out;
	struct tp_torch_shape set[SETTINGS];
	int transposed;
	int64_t groups;
	int bias;
	int64_t bytes;			/* per element */
};

/* Read a setting per spatial dimension; a single number applies to all. */
static int
setting(struct tp_torch_call *call, int at, int64_t missing, size_t rank,
    struct tp_torch_shape *set)
{
	const char *text = tp_torch_concrete(call, at);

	if (!text)
		return -1;
	if (!*text) {
		set->rank = 1;
		set->n[0] = missing;
	} else if (tp_torch_list(call, at, set) < 0) {
		return -1;
	}
	if (set->rank == 1)
		for (; set->rank < rank; set->rank++)
			set->n[set->rank] = set->n[0];
	return set->rank == rank ? 0 : -1;
}

static int
settings(struct tp_torch_call *call, struct conv *c, size_t rank)
{
	int at = tp_torch_option(call, "settings", 3);

	c->transposed = tp_torch_truth(call, at + 3);
	return setting(call, at, 1, rank, &c->set[STRIDE]) < 0 ||
	    setting(call, at + 1, 0, rank, &c->set[PADDING]) < 0 ||
	    setting(call, at + 2, 1, rank, &c->set[DILATION]) < 0 ||
	    setting(call, at + 4, 0, rank, &c->set[OUTPUT_PADDING]) < 0 ||
	    tp_torch_int(call, at + 5, &c->groups) < 0 ? -1 : 0;
}

/* Read padding and stride of fused convolutions: one number each. */
static void
fused_settings(struct tp_torch_call *call, struct conv *c, size_t rank)
{
	int at = tp_torch_option(call, "fused", 3);
	int64_t n[SETTINGS] = { 1, 0, 1, 0 };

	tp_torch_int(call, at, &n[PADDING]);
	tp_torch_int(call, at + 1, &n[STRIDE]);
	for (int i = 0; i < SETTINGS; i++)
		for (c->set[i].rank = 0; c->set[i].rank < rank;
		    c->set[i].rank++)
			c->set[i].n[c->set[i].rank] = n[i];
	c->groups = 1;
}

/* The length of the result in dimension I, or -1. */
static int64_t
out_length(const struct conv *c, size_t i)
{
	int64_t x = c->x.n[i + 2], k = c->w.n[i + 2];
	int64_t stride = c->set[STRIDE].n[i], pad = c->set[PADDING].n[i];
	int64_t reach = tp_torch_mul(c->set[DILATION].n[i], k - 1);

	if (stride <= 0 || pad < 0 || reach < 0 || pad > INT32_MAX ||
	    x > INT32_MAX || reach > INT32_MAX || stride > INT32_MAX)
		return -1;
	if (c->transposed)
		return (x - 1) * stride - 2 * pad + reach +
		    c->set[OUTPUT_PADDING].n[i] + 1;
	return x + 2 * pad < reach + 1 ? -1 :
	    (x + 2 * pad - reach - 1) / stride + 1;
}

static int
read_conv(struct tp_torch_call *call, struct conv *c)
{
	const char *in, *weight;
	size_t rank;

	memset(c, 0, sizeof *c);
	c->x_at = tp_torch_option(call, "x", 0);
	in = tp_torch_type_name(call, c->x_at);
	weight = tp_torch_type_name(call, c->x_at + 1);
	if (tp_torch_dims(call, c->x_at, &c->x) < 0 || c->x.rank < 3 ||
	    c->x.rank > 5 ||
	    tp_torch_dims_of(call, c->x_at + 1, c->x.rank, &c->w) < 0 ||
	    !in || !weight || strcmp(in, weight))
		return -1;
	rank = c->x.rank - 2;
	if (tp_torch_option(call, "fused", -1) >= 0)
		fused_settings(call, c, rank);
	else if (settings(call, c, rank) < 0)
		return -1;
	c->bytes = tp_torch_type_bytes(call->models, in);
	c->out.rank = c->x.rank;
	c->out.n[0] = c->x.n[0];
	c->out.n[1] = c->transposed ? tp_torch_mul(c->w.n[1], c->groups) :
	    c->w.n[0];
	for (size_t i = 0; i < rank; i++) {
		c->out.n[i + 2] = out_length(c, i);
		if (c->out.n[i + 2] < 0)
			return -1;
	}
	return 0;
}

static void
params(struct tp_torch_call *call, const struct conv *c)
{
	static const char *const kinds[] = { "conv1d", "conv2d", "conv3d" };
	const char *types[2] = { tp_torch_type_name(call, c->x_at),
	    tp_torch_type_name(call, c->x_at + 1) };

	tp_torch_param_raw(call, "convNd", kinds[c->x.rank - 3]);
	tp_torch_param_shape(call, "input_shape", &c->x);
	tp_torch_param_shape(call, "filter_shape", &c->w);
	tp_torch_param_types(call, "dtype_input_weight", 2, types);
	tp_torch_param_strides(call, "input_stride", c->x_at);
	tp_torch_param_strides(call, "weight_stride", c->x_at + 1);
	tp_torch_param_bool(call, "bias", c->bias);
	tp_torch_param_shape(call, "stride", &c->set[STRIDE]);
	tp_torch_param_shape(call, "padding", &c->set[PADDING]);
	tp_torch_param_shape(call, "dilation", &c->set[DILATION]);
	tp_torch_param_bool(call, "transposed_conv", c->transposed);
	tp_torch_param_shape(call, "output_padding", &c->set[OUTPUT_PADDING]);
	tp_torch_param_int(call, "groups", c->groups);
}

/*
 * A multiply and an add per weight, for each element of the result (of the
 * input if transposed).
 */
static int64_t
core_flops(const struct conv *c)
{
	int64_t each = 2;

	for (size_t i = 1; i < c->w.rank; i++)
		each = tp_torch_mul(each, c->w.n[i]);
	return tp_torch_mul(each,
	    tp_torch_elements(c->transposed ? &c->x : &c->out));
}

static int64_t
core_bytes(const struct conv *c)
{
	return tp_torch_mul(c->bytes, tp_torch_sum(
	    tp_torch_elements(&c->x), tp_torch_elements(&c->w),
	    tp_torch_elements(&c->out)));
}

/* Set facts of both directions for the overlay. */
static void
facts(struct tp_torch_call *call, const struct conv *c)
{
	tp_torch_fact(call, "core_flops", core_flops(c));
	tp_torch_fact(call, "core_bytes", core_bytes(c));
	tp_torch_fact(call, "out", tp_torch_elements(&c->out));
	tp_torch_fact(call, "channels", c->out.n[1]);
	tp_torch_fact(call, "size", c->bytes);
	tp_torch_fact(call, "backward", call->op->backward);
}

/* The convolution, and an addition per element for a bias. */
int
tp_torch_convolution(struct tp_torch_call *call)
{
	int64_t flops, bytes;
	struct conv c;

	if (read_conv(call, &c) < 0)
		return -1;
	c.bias = tp_torch_option(call, "fused", -1) >= 0 ||
	    tp_torch_has(call, tp_torch_option(call, "bias", -1));
	flops = core_flops(&c);
	bytes = core_bytes(&c);
	if (c.bias) {
		flops = tp_torch_plus(flops, tp_torch_elements(&c.out));
		bytes = tp_torch_plus(bytes, tp_torch_mul(c.out.n[1],
		    c.bytes));
	}
	tp_torch_set_cost(call, flops, bytes,
	    tp_torch_spec(call, tp_torch_type_name(call, c.x_at)));
	params(call, &c);
	facts(call, &c);
	return 0;
}

/*
 * The gradient of the input reads those of the result and the weights; that of
 * the weights reads that of the result and the input.  Each costs as much as
 * the convolution.  MASK says which are computed.
 */
static void
backward_cost(struct tp_torch_call *call, const struct conv *c,
    const struct tp_torch_shape *mask)
{
	int64_t flops = core_flops(c), bytes = core_bytes(c);
	int64_t made = (mask->n[0] != 0) + (mask->n[1] != 0);
	int64_t all = tp_torch_mul(flops, made);
	int64_t moved = tp_torch_mul(bytes, made);

	if (mask->n[2]) {
		all = tp_torch_plus(all, tp_torch_elements(&c->out));
		moved = tp_torch_plus(moved, tp_torch_mul(c->bytes,
		    tp_torch_plus(tp_torch_elements(&c->out), c->out.n[1])));
	}
	tp_torch_set_cost(call, all, moved,
	    tp_torch_spec(call, tp_torch_type_name(call, c->x_at)));
}

int
tp_torch_convolution_backward(struct tp_torch_call *call)
{
	struct tp_torch_shape mask = { 3, { 1, 1, 0 } };
	int at = tp_torch_option(call, "mask", -1);
	struct conv c;

	if (read_conv(call, &c) < 0)
		return -1;
	if (at < 0)
		mask.n[2] = tp_torch_option(call, "fused", -1) >= 0 ||
		    tp_torch_has(call, tp_torch_option(call, "bias", -1));
	else if (tp_torch_list(call, at, &mask) < 0 || mask.rank != 3) {
		mask.n[0] = mask.n[1] = 1;
		mask.n[2] = 0;
	}
	backward_cost(call, &c, &mask);
	c.bias = mask.n[2] != 0;
	params(call, &c);
	facts(call, &c);
	return 0;
}
