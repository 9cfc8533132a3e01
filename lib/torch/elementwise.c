/* elementwise - elementwise operations and reductions */
#include <cjson/cJSON.h>
#include <string.h>

#include "call.h"

int
tp_torch_unary(struct tp_torch_call *call)
{
	int in = tp_torch_option(call, "in", 0);
	int out = tp_torch_option(call, "out", 1);
	const char *out_type = tp_torch_word(call, "out_type");
	const char *types[2] = { tp_torch_type_name(call, in), NULL };
	struct tp_torch_shape shape;
	int64_t n, read, in_bytes, out_bytes;
	int has_out = !out_type && tp_torch_has(call, out);

	/* a gated operation has the shape of its result */
	if (tp_torch_dims(call, tp_torch_flag(call, "gated") ? out : in,
	    &shape) < 0 || !types[0])
		return -1;
	types[1] = out_type ? out_type : has_out ?
	    tp_torch_type_name(call, out) : NULL;
	n = tp_torch_elements(&shape);
	read = tp_torch_mul(n, tp_torch_flag(call, "gated") ? 2 : 1);
	in_bytes = tp_torch_type_bytes(call->models, types[0]);
	out_bytes = types[1] ? tp_torch_type_bytes(call->models, types[1]) :
	    in_bytes;
	tp_torch_set_cost(call, tp_torch_mul(n, tp_torch_option(call,
	    "flops", 1)), tp_torch_plus(tp_torch_mul(read, in_bytes),
	    tp_torch_mul(n, out_bytes)), tp_torch_spec(call, types[0]));
	tp_torch_param_shape(call, "op_shape", &shape);
	tp_torch_param_types(call, "dtype_in_out", 2, types);
	tp_torch_param_strides(call, "stride_input", in);
	if (has_out)
		tp_torch_param_strides(call, "stride_output", out);
	else
		tp_torch_param_shape(call, "stride_output", NULL);
	return 0;
}

/* The elements after broadcasting, or -1 if the shapes do not fit. */
static int64_t
broadcast(const struct tp_torch_shape *a, const struct tp_torch_shape *b)
{
	size_t rank = a->rank > b->rank ? a->rank : b->rank;
	int64_t product = 1;

	for (size_t i = 0; i < rank; i++) {
		int64_t x = i < a->rank ? a->n[a->rank - 1 - i] : 1;
		int64_t y = i < b->rank ? b->n[b->rank - 1 - i] : 1;

		if (x != y && x != 1 && y != 1)
			return -1;
		product = tp_torch_mul(product, x == 1 ? y : x);
	}
	return product;
}

int
tp_torch_binary(struct tp_torch_call *call)
{
	const char *types[3] = { tp_torch_type_name(call, 0),
	    tp_torch_type_name(call, 1), NULL };
	struct tp_torch_shape a, b;
	int64_t n, a_bytes, b_bytes, out_bytes;
	int has_out = tp_torch_has(call, 2);

	if (tp_torch_dims(call, 0, &a) < 0 || tp_torch_dims(call, 1, &b) < 0 ||
	    !types[0] || !types[1])
		return -1;
	n = broadcast(&a, &b);
	if (n < 0)
		return -1;
	if (has_out)
		types[2] = tp_torch_type_name(call, 2);
	a_bytes = tp_torch_type_bytes(call->models, types[0]);
	b_bytes = tp_torch_type_bytes(call->models, types[1]);
	/* two tensors give the wider type; a scalar does not count */
	out_bytes = types[2] ? tp_torch_type_bytes(call->models, types[2]) :
	    a.rank && b.rank && b_bytes > a_bytes ? b_bytes : a_bytes;
	tp_torch_set_cost(call, n, tp_torch_sum(
	    tp_torch_mul(tp_torch_elements(&a), a_bytes),
	    tp_torch_mul(tp_torch_elements(&b), b_bytes),
	    tp_torch_mul(n, out_bytes)), tp_torch_spec(call, types[0]));
	tp_torch_param_shape(call, "shape_in1", &a);
	tp_torch_param_shape(call, "shape_in2", &b);
	tp_torch_param_types(call, "dtype_in1_in2_out", 3, types);
	tp_torch_param_strides(call, "stride_input1", 0);
	tp_torch_param_strides(call, "stride_input2", 1);
	if (has_out)
		tp_torch_param_strides(call, "stride_output", 2);
	else
		tp_torch_param_shape(call, "stride_output", NULL);
	return 0;
}

/*
 * The elements left after the dimensions in argument "dims" are reduced;
 * without any all are.
 */
static int64_t
left(struct tp_torch_call *call, const struct tp_torch_shape *in)
{
	struct tp_torch_shape gone, out = *in;
	int at = tp_torch_option(call, "dims", -1);

	if (tp_torch_list(call, at, &gone) < 0) {
		gone.rank = 1;
		if (tp_torch_int(call, at, &gone.n[0]) < 0)
			return 1;
	}
	if (!gone.rank)
		return 1;
	for (size_t i = 0; i < gone.rank; i++) {
		int64_t d = gone.n[i] < 0 ?
		    gone.n[i] + (int64_t)in->rank : gone.n[i];

		if (d >= 0 && d < (int64_t)in->rank)
			out.n[d] = 1;
	}
	return tp_torch_elements(&out);
}

int
tp_torch_reduce(struct tp_torch_call *call)
{
	const char *types[2] = { tp_torch_type_name(call, 0), NULL };
	int cumulative = tp_torch_flag(call, "cumulative");
	struct tp_torch_shape in;
	int64_t n, out, bytes;

	if (tp_torch_dims(call, 0, &in) < 0 || !types[0])
		return -1;
	n = tp_torch_elements(&in);
	out = cumulative ? n : left(call, &in);
	bytes = tp_torch_type_bytes(call->models, types[0]);
	tp_torch_set_cost(call, n, tp_torch_mul(bytes, tp_torch_plus(n,
	    out)), tp_torch_spec(call, types[0]));
	tp_torch_fact(call, "size", bytes);
	tp_torch_param_int(call, "num_input_elems", n);
	tp_torch_param_int(call, "num_output_elems", out);
	tp_torch_param_types(call, "dtype_in_out", 2, types);
	tp_torch_param_raw(call, "reduce_type", tp_torch_word(call, "type"));
	return 0;
}

/* Rotary embeddings: six operations per pair of elements. */
int
tp_torch_rope(struct tp_torch_call *call)
{
	static const char *const names[] = { "seq_len", "batch", "heads",
	    "head_dim" };
	const struct cJSON *i, *list = tp_torch_value(call, "tensors");
	const char *type = NULL;
	struct tp_torch_shape shape;
	int64_t n = 0;

	cJSON_ArrayForEach(i, list) {
		if (tp_torch_dims(call, i->valueint, &shape) < 0)
			return -1;
		n = tp_torch_plus(n, tp_torch_elements(&shape));
		if (!type)
			type = tp_torch_type_name(call, i->valueint);
	}
	tp_torch_set_cost(call, tp_torch_mul(n, 3), tp_torch_product(3,
	    (int64_t)2, n, tp_torch_type_bytes(call->models, type)),
	    tp_torch_spec(call, type));
	if (tp_torch_word(call, "layout")) {
		if (shape.rank != 4)
			return -1;
		for (size_t k = 0; k < 4; k++)
			tp_torch_param_int(call, names[k], shape.n[k]);
	}
	tp_torch_param_int(call, "num_elements", n);
	return 0;
}

/* Read logits and an 8-byte target each, write a 4-byte loss each. */
int
tp_torch_cross_entropy(struct tp_torch_call *call)
{
	const char *type = tp_torch_type_name(call, 0);
	struct tp_torch_shape logits;
	int64_t batch, words;

	if (tp_torch_dims(call, 0, &logits) < 0 || logits.rank < 2 || !type)
		return -1;
	batch = logits.n[0];
	words = logits.n[logits.rank - 1];
	tp_torch_set_cost(call, tp_torch_product(3, (int64_t)5, batch, words),
	    tp_torch_plus(tp_torch_mul(tp_torch_elements(&logits),
	    tp_torch_type_bytes(call->models, type)), tp_torch_mul(batch,
	    12)), tp_torch_spec(call, type));
	tp_torch_param_int(call, "batch", batch);
	tp_torch_param_int(call, "vocab_size", words);
	return 0;
}
