/* norm - normalizations */
#include <string.h>

#include "call.h"

struct norm {
	int x_at;
	struct tp_torch_shape shape, mask;
	int guessed;			/* normalized length is guessed from the
					 * weight */
	const char *form;		/* "batch", "layer", "group", "rms" */
	int64_t elements, channels, bytes;	/* bytes per element */
	int affine, bias, training;	/* PyTorch's options */
};

static int
is(const struct norm *n, const char *form)
{
	return !strcmp(n->form, form);
}

/*
 * Read the channels: the second dimension, or the product of the normalized
 * dimensions.
 */
static int
channels(struct tp_torch_call *call, struct norm *n)
{
	struct tp_torch_shape list;
	int at = tp_torch_option(call, "normalized", -1);

	if (tp_torch_option(call, "scale", -1) >= 0) {
		if (tp_torch_dims_of(call, tp_torch_option(call, "scale", -1),
		    1, &list) < 0)
			return -1;
		n->channels = list.n[0];
	} else if (at >= 0) {
		/* without recorded values: the weight has the same length */
		if (tp_torch_list(call, at, &list) < 0) {
			n->guessed = 1;
			at = tp_torch_option(call, "weight", -1);
			if (!tp_torch_has(call, at) ||
			    tp_torch_dims(call, at, &list) < 0)
				return -1;
		}
		n->channels = tp_torch_elements(&list);
	} else {
		if (n->shape.rank < 2)
			return -1;
		n->channels = n->shape.n[1];
	}
	return n->channels > 0 ? 0 : -1;
}

static int
read_norm(struct tp_torch_call *call, struct norm *n)
{
	const char *type;
	int at;

	memset(n, 0, sizeof *n);
	n->form = tp_torch_word(call, "form");
	n->x_at = tp_torch_option(call, "x", 0);
	type = tp_torch_type_name(call, n->x_at);
	if (!n->form || !type || tp_torch_dims(call, n->x_at, &n->shape) < 0 ||
	    channels(call, n) < 0)
		return -1;
	n->elements = tp_torch_elements(&n->shape);
	n->bytes = tp_torch_type_bytes(call->models, type);
	at = tp_torch_option(call, "weight", tp_torch_option(call, "scale",
	    -1));
	n->affine = tp_torch_has(call, at);
	at = tp_torch_option(call, "bias", is(n, "rms") ? -1 : at + 1);
	n->bias = n->affine && at >= 0 && tp_torch_has(call, at);
	at = tp_torch_option(call, "training", -1);
	n->training = at >= 0 ? tp_torch_truth(call, at) : !is(n, "rms");
	return 0;
}

static void
params(struct tp_torch_call *call, const struct norm *n)
{
	static const char *const forms[] = { "batch", "layer", "group", "rms" };
	static const char *const wants[] = { "wants_x", "wants_weight",
	    "wants_bias" };
	const char *types[2] = { tp_torch_type_name(call, n->x_at), NULL };

	tp_torch_param_shape(call, "op_shape", &n->shape);
	tp_torch_param_types(call, "dtype_in_out", 2, types);
	tp_torch_param_strides(call, "stride_input", n->x_at);
	tp_torch_param_shape(call, "stride_output", NULL);
	tp_torch_param_int(call, "num_channels", n->channels);
	tp_torch_param_bool(call, "has_bias", n->bias);
	tp_torch_param_bool(call, "is_affine", n->affine);
	tp_torch_param_bool(call, "is_training", n->training);
	if (n->mask.rank)
		tp_torch_param_mask(call, "output_mask", &n->mask);
	tp_torch_fact(call, "elements", n->elements);
	tp_torch_fact(call, "size", n->bytes);
	tp_torch_fact(call, "guessed", n->guessed);
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		tp_torch_fact(call, forms[i], is(n, forms[i]));
	for (size_t i = 0; i < 3; i++)
		tp_torch_fact(call, wants[i], n->mask.n[i] != 0);
}

static int64_t
flops(const struct norm *n)
{
	if (is(n, "rms"))
		/* reciprocal root of the mean square per row; scale, weight */
		return tp_torch_sum(tp_torch_mul(n->elements, 2),
		    n->elements / n->channels * 2,
		    tp_torch_mul(n->elements, n->affine ? 2 : 1));
	return tp_torch_plus(tp_torch_mul(n->elements, n->training ? 5 :
	    2), tp_torch_mul(n->channels, 6));
}

static int64_t
bytes(const struct norm *n)
{
	int64_t tensors = n->affine;

	if (!is(n, "rms"))
		tensors += 2 + (n->affine && n->bias) + 2 * n->training;
	return tp_torch_mul(n->bytes, tp_torch_plus(
	    tp_torch_mul(n->elements, 2),
	    tp_torch_mul(n->channels, tensors)));
}

int
tp_torch_norm(struct tp_torch_call *call)
{
	struct norm n;
	int64_t more = 0;

	if (read_norm(call, &n) < 0)
		return -1;
	if (tp_torch_flag(call, "residual"))
		more = n.elements;
	tp_torch_set_cost(call, tp_torch_plus(flops(&n), more),
	    tp_torch_plus(bytes(&n), tp_torch_product(3, more, (int64_t)2,
	    n.bytes)), tp_torch_spec(call, tp_torch_type_name(call, n.x_at)));
	params(call, &n);
	return 0;
}

/* 4 per element for the dot products, then the gradient of the input. */
static int64_t
backward_flops(const struct norm *n)
{
	int64_t each;

	if (is(n, "rms")) {
		each = 1 + n->affine + (n->mask.n[0] ? 6 : 0);
		if (n->mask.n[1] && n->affine)
			each += 1 + (n->elements / n->channels > 1);
		return tp_torch_mul(n->elements, each);
	}
	each = 4 + (!n->mask.n[0] ? 2 : n->training ? 5 : 0);
	return tp_torch_plus(tp_torch_mul(n->elements, each),
	    n->training ? 0 : tp_torch_mul(n->channels, 3));
}

static int64_t
backward_bytes(const struct norm *n)
{
	int64_t each, tensors;

	if (is(n, "rms")) {
		each = 3;
		tensors = 2 * n->affine;
	} else {
		each = n->mask.n[0] && n->training ? 3 : 2;
		tensors = n->training + n->affine;
		if (n->affine && n->training)
			tensors += n->bias ? 2 : 1;
	}
	return tp_torch_mul(n->bytes, tp_torch_plus(
	    tp_torch_mul(n->elements, each),
	    tp_torch_mul(n->channels, tensors)));
}

int
tp_torch_norm_backward(struct tp_torch_call *call)
{
	struct norm n;
	int at = tp_torch_option(call, "mask", -1);

	if (read_norm(call, &n) < 0)
		return -1;
	if (at < 0 || tp_torch_list(call, at, &n.mask) < 0 || n.mask.rank < 2) {
		if (at >= 0 && !n.guessed)
			return -1;
		n.mask.rank = 3;
		n.mask.n[0] = n.mask.n[1] = n.mask.n[2] = 1;
	}
	/* gradients of weight and bias are written if requested */
	n.bias = n.affine && n.mask.rank > 2 && n.mask.n[2];
	tp_torch_set_cost(call, backward_flops(&n), backward_bytes(&n),
	    tp_torch_spec(call, tp_torch_type_name(call, n.x_at)));
	params(call, &n);
	return 0;
}
