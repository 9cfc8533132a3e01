/* hlo_cost - the cost of an instruction of an XLA program */
#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>

#include <tp/text.h>

#include "hlo_private.h"

enum { DOT_LHS_CONTRACTED = 1, CONVOLUTION_OUT_FEATURES = 4,
    WINDOW_DIMENSIONS = 1, WINDOW_BASE_DILATION = 6 };

/* Flops of instructions without significant arithmetic. */
#define NO_MATH (-2)
#define UNKNOWN (-1)

/* Limits of what is examined per fusion. */
enum { CALLS_MAX = 64, PARAMETERS_MAX = 64, OPERANDS_MAX = 256 };

/* A * B; -1 when either is unknown, or the product overflows. */
static int64_t
times(int64_t a, int64_t b)
{
	return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &a) ? UNKNOWN :
	    a;
}

static int64_t
plus(int64_t a, int64_t b)
{
	return a < 0 || b < 0 || __builtin_add_overflow(a, b, &a) ? UNKNOWN :
	    a;
}

/* The shape of operand N of I. */
static int
operand_shape(struct tp_hlo *h, const struct tp_hlo_instruction *i,
    size_t n, struct tp_hlo_shape *shape)
{
	struct tp_hlo_instruction operand;

	return tp_hlo_operand(h, i, n, &operand) ?
	    tp_hlo_shape_read(operand.shape, shape) : -1;
}

/* Flops of a dot that contracts COUNT dimensions of its first operand. */
static int64_t
dot_flops(struct tp_hlo *h, const struct tp_hlo_instruction *i,
    const uint64_t *contracted, size_t count)
{
	struct tp_hlo_shape result, lhs;
	int64_t flops;

	if (tp_hlo_shape_read(i->shape, &result) < 0 ||
	    operand_shape(h, i, 0, &lhs) < 0)
		return UNKNOWN;
	flops = times(2, result.elements);
	for (size_t n = 0; n < count; n++)
		flops = contracted[n] < lhs.rank ? times(flops,
		    lhs.dims[contracted[n]]) : UNKNOWN;
	return flops;
}

static int64_t
plain_dot(struct tp_hlo *h, const struct tp_hlo_instruction *i)
{
	struct tp_hlo_ints ints = tp_hlo_ints_of(i->dot, DOT_LHS_CONTRACTED);
	uint64_t dims[TP_HLO_RANK], d;
	size_t count = 0;

	if (i->dot.p == i->dot.end)
		return UNKNOWN;
	while (tp_hlo_ints_next(&ints, &d)) {
		if (count == TP_HLO_RANK)
			return UNKNOWN;
		dims[count++] = d;
	}
	return dot_flops(h, i, dims, count);
}

/* Dilation of the input: one of this many positions holds a value. */
static int64_t
dilation(const struct tp_hlo_instruction *i)
{
	struct tp_proto m = i->window;
	struct tp_proto_field f;
	int64_t product = 1;
	uint64_t n;

	while (tp_proto_next(&m, &f) > 0)
		if (f.number == WINDOW_DIMENSIONS &&
		    f.wire == TP_WIRE_BYTES) {
			n = tp_proto_number(tp_proto_of(&f),
			    WINDOW_BASE_DILATION);
			product = times(product, !n ? 1 : n > INT64_MAX ?
			    UNKNOWN : (int64_t)n);
		}
	return product;
}

/*
 * Flops of a convolution with output OUT and FILTER, the shapes of the
 * forward one.
 */
static int64_t
convolution_flops(const struct tp_hlo_instruction *i,
    const struct tp_hlo_shape *out, const struct tp_hlo_shape *filter)
{
	uint64_t features = tp_proto_number(i->convolution,
	    CONVOLUTION_OUT_FEATURES);
	int64_t flops = times(2, out->elements), holes = dilation(i);

	if (i->convolution.p == i->convolution.end ||
	    features >= filter->rank || holes <= 0)
		return UNKNOWN;
	/* spatial dimensions, and input features per group */
	for (size_t n = 0; n < filter->rank; n++)
		if (n != features)
			flops = times(flops, filter->dims[n]);
	return flops < 0 ? UNKNOWN : flops / holes;
}

static int64_t
convolution(struct tp_hlo *h, const struct tp_hlo_instruction *i)
{
	struct tp_hlo_shape a, b, result;

	if (tp_hlo_shape_read(i->shape, &result) < 0 ||
	    operand_shape(h, i, 0, &a) < 0 || operand_shape(h, i, 1, &b) < 0)
		return UNKNOWN;
	/* calls for gradients have the shapes of the forward one */
	if (tp_hlo_begins(i->target, "__cudnn$convBackwardInput"))
		return convolution_flops(i, &a, &b);
	if (tp_hlo_begins(i->target, "__cudnn$convBackwardFilter"))
		return convolution_flops(i, &b, &result);
	return convolution_flops(i, &result, &b);
}

/* Member NAME of DOC or of an object in it. */
static const cJSON *
config_member(const cJSON *doc, const char *name)
{
	const cJSON *found = cJSON_GetObjectItemCaseSensitive(doc, name), *i;

	if (!found)
		cJSON_ArrayForEach(i, doc)
			if (!found && cJSON_IsObject(i))
				found = cJSON_GetObjectItemCaseSensitive(i,
				    name);
	return found;
}

/* Read the dimensions in LIST, numbers or strings; -1 when one is invalid. */
static int
config_dims(const cJSON *list, uint64_t dims[TP_HLO_RANK])
{
	const cJSON *i;
	char *end;
	int count = 0;

	cJSON_ArrayForEach(i, list) {
		if (count == TP_HLO_RANK)
			return -1;
		if (cJSON_IsNumber(i) && i->valuedouble >= 0 &&
		    i->valuedouble < TP_HLO_RANK) {
			dims[count++] = (uint64_t)i->valuedouble;
		} else if (cJSON_IsString(i) && *i->valuestring) {
			dims[count++] = strtoull(i->valuestring, &end, 10);
			if (*end)
				return -1;
		} else {
			return -1;
		}
	}
	return count;
}

/*
 * Flops of a dot in a library; its configuration has the contracted
 * dimensions.
 */
static int64_t
library_dot(struct tp_hlo *h, const struct tp_hlo_instruction *i)
{
	cJSON *doc = cJSON_ParseWithLength(i->config.text, i->config.len);
	uint64_t dims[TP_HLO_RANK];
	int64_t flops = UNKNOWN;
	int count;

	if (!doc)
		return UNKNOWN;
	count = config_dims(cJSON_GetObjectItemCaseSensitive(config_member(doc,
	    "dot_dimension_numbers"), "lhs_contracting_dimensions"), dims);
	if (count > 0)
		flops = dot_flops(h, i, dims, (size_t)count);
	cJSON_Delete(doc);
	return flops;
}

static int
is_library(const struct tp_hlo_instruction *i)
{
	return tp_hlo_begins(i->target, "__cublas$") ||
	    tp_hlo_begins(i->target, "__cudnn$conv");
}

/* Flops of I itself. */
static int64_t
own_flops(struct tp_hlo *h, const struct tp_hlo_instruction *i)
{
	if (tp_hlo_is(i->opcode, "dot"))
		return plain_dot(h, i);
	if (tp_hlo_is(i->opcode, "convolution"))
		return convolution(h, i);
	if (tp_hlo_is(i->opcode, "custom-call"))
		return tp_hlo_begins(i->target, "__cublas$") ?
		    library_dot(h, i) : is_library(i) ? convolution(h, i) :
		    UNKNOWN;
	return tp_hlo_is(i->opcode, "cholesky") ||
	    tp_hlo_is(i->opcode, "triangular-solve") ||
	    tp_hlo_is(i->opcode, "ragged-dot") ||
	    tp_hlo_is(i->opcode, "scaled-dot") ? UNKNOWN : NO_MATH;
}

/* Flops of the computation that I calls, including nested ones. */
static int64_t
called_flops(struct tp_hlo *h, const struct tp_hlo_instruction *i)
{
	const struct tp_hlo_computation *open[CALLS_MAX], *c;
	struct tp_hlo_instruction in;
	const struct tp_hlo_computation *called;
	size_t left = 0, calls = 0;
	int64_t all = NO_MATH, one;

	for (c = tp_hlo_called(h, i); c; c = left ? open[--left] : NULL) {
		if (calls++ == CALLS_MAX)
			return UNKNOWN;
		for (size_t n = 0; n < c->count; n++) {
			if (tp_hlo_read(h, c->first + n, &in) < 0)
				return UNKNOWN;
			if (tp_hlo_is(in.opcode, "fusion") ||
			    tp_hlo_is(in.opcode, "call")) {
				called = tp_hlo_called(h, &in);
				if (called && left == CALLS_MAX)
					return UNKNOWN;
				if (called)
					open[left++] = called;
				continue;
			}
			one = own_flops(h, &in);
			if (one == NO_MATH)
				continue;
			all = all == NO_MATH ? one : plus(all, one);
			if (all < 0)
				return all;
		}
	}
	return all;
}

/* --- bytes */

static int
is_slice(struct tp_hlo_text opcode)
{
	return tp_hlo_is(opcode, "dynamic-slice") ||
	    tp_hlo_is(opcode, "slice") || tp_hlo_is(opcode, "gather");
}

/* How much of a parameter a fusion reads. */
struct part {
	uint64_t id;
	int64_t bytes;		/* read in slices, or -1 */
	int is_there, is_whole;
};

/*
 * The instruction that produces the result of C, looking through those that
 * move no bytes.
 */
static int
find_root(struct tp_hlo *h, const struct tp_hlo_computation *c,
    struct tp_hlo_instruction *root)
{
	if (!tp_hlo_by_id(h, (size_t)(c - h->computations), c->root, root))
		return 0;
	for (int n = 0; n < 8 && tp_hlo_is(root->opcode, "bitcast"); n++)
		if (!tp_hlo_operand(h, root, 0, root))
			return 0;
	return 1;
}

/* How much C reads of each parameter, into PARTS by number. */
static void
read_parts(struct tp_hlo *h, const struct tp_hlo_computation *c,
    uint64_t in_place, struct part parts[PARAMETERS_MAX])
{
	struct tp_hlo_instruction in;
	struct tp_hlo_ints ids;
	uint64_t id;

	for (size_t n = 0; n < c->count; n++)
		if (tp_hlo_read(h, c->first + n, &in) >= 0 &&
		    tp_hlo_is(in.opcode, "parameter") &&
		    in.parameter < PARAMETERS_MAX)
			parts[in.parameter] = (struct part){ .id = in.id,
			    .is_there = 1 };
	for (size_t n = 0; n < c->count; n++) {
		if (tp_hlo_read(h, c->first + n, &in) < 0)
			continue;
		ids = tp_hlo_ints_of(in.message, TP_HLO_OPERANDS);
		for (int k = 0; tp_hlo_ints_next(&ids, &id); k++)
			for (size_t p = 0; p < PARAMETERS_MAX; p++) {
				if (!parts[p].is_there || parts[p].id != id)
					continue;
				if (!k && is_slice(in.opcode))
					parts[p].bytes = plus(parts[p].bytes,
					    tp_hlo_shape_bytes(in.shape, 1));
				else if (k || in.id != in_place)
					parts[p].is_whole = 1;
			}
	}
}

/* Bytes of the operands of I, each once; PARTS, or NULL, of its parameters. */
static int64_t
operand_bytes(struct tp_hlo *h, const struct tp_hlo_instruction *i,
    const struct part *parts)
{
	struct tp_hlo_ints ids = tp_hlo_ints_of(i->message, TP_HLO_OPERANDS);
	struct tp_hlo_instruction operand;
	uint64_t seen[OPERANDS_MAX], id;
	int64_t sum = 0, bytes;
	size_t count = 0, k;

	for (size_t n = 0; tp_hlo_ints_next(&ids, &id); n++) {
		for (k = 0; k < count && seen[k] != id; k++)
			;
		if (k < count)
			continue;
		if (count < OPERANDS_MAX)
			seen[count++] = id;
		if (!tp_hlo_by_id(h, i->computation, id, &operand))
			return UNKNOWN;
		bytes = tp_hlo_shape_bytes(operand.shape, 1);
		if (bytes > 0 && parts && n < PARAMETERS_MAX &&
		    parts[n].is_there && !parts[n].is_whole &&
		    parts[n].bytes >= 0 && parts[n].bytes < bytes)
			bytes = parts[n].bytes;
		sum = plus(sum, bytes);
		if (sum < 0)
			return UNKNOWN;
	}
	return sum;
}

/* Bytes that I overwrites of its first operand. */
static int64_t
update_bytes(struct tp_hlo *h, const struct tp_hlo_instruction *i)
{
	struct tp_hlo_instruction update;

	return tp_hlo_operand(h, i, 1, &update) ?
	    tp_hlo_shape_bytes(update.shape, 1) : UNKNOWN;
}

static int64_t
fusion_bytes(struct tp_hlo *h, const struct tp_hlo_instruction *i)
{
	const struct tp_hlo_computation *c = tp_hlo_called(h, i);
	struct part parts[PARAMETERS_MAX] = { 0 };
	struct tp_hlo_instruction root;
	int64_t result = tp_hlo_shape_bytes(i->shape, 1);
	int is_update;

	if (!c || !find_root(h, c, &root))
		return plus(operand_bytes(h, i, NULL), result);
	is_update = tp_hlo_is(root.opcode, "dynamic-update-slice");
	read_parts(h, c, is_update ? root.id : UINT64_MAX, parts);
	return plus(operand_bytes(h, i, parts), is_update ?
	    update_bytes(h, &root) : result);
}

/* Whether an instruction works through others, in halves, or not at all. */
static int
is_free(struct tp_hlo_text opcode)
{
	static const char *const words[] = { "while", "conditional", "call",
	    "parameter", "tuple", "get-tuple-element", "bitcast", "constant",
	    "after-all", "async-update", "infeed", "outfeed", "send", "recv",
	    "add-dependency", "opt-barrier", "domain" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (tp_hlo_is(opcode, words[i]))
			return 1;
	return tp_ends(opcode.text, opcode.len, "-start") ||
	    tp_ends(opcode.text, opcode.len, "-done");
}

static int64_t
bytes_of(struct tp_hlo *h, const struct tp_hlo_instruction *i)
{
	if (tp_hlo_is(i->opcode, "fusion"))
		return fusion_bytes(h, i);
	if (is_slice(i->opcode))
		return times(2, tp_hlo_shape_bytes(i->shape, 1));
	if (tp_hlo_is(i->opcode, "dynamic-update-slice"))
		return times(2, update_bytes(h, i));
	return plus(operand_bytes(h, i, NULL), tp_hlo_shape_bytes(i->shape,
	    !is_library(i)));
}

void
tp_hlo_cost(struct tp_hlo *h, const struct tp_hlo_instruction *i,
    int64_t *flops, int64_t *bytes)
{
	*flops = *bytes = UNKNOWN;
	if (is_free(i->opcode))
		return;
	*flops = tp_hlo_is(i->opcode, "fusion") ? called_flops(h, i) :
	    own_flops(h, i);
	/* bytes without known flops would be misleading */
	if (*flops != UNKNOWN)
		*bytes = bytes_of(h, i);
	if (*flops == NO_MATH)
		*flops = UNKNOWN;
	/* the search was cut short */
	if (h->looked > h->look_max)
		*flops = *bytes = UNKNOWN;
}
