/*
 * call - an operation of a PyTorch trace while a model evaluates it
 *
 * Private to the models.  Unknown numbers are -1.  The result of
 * tp_torch_mul() and tp_torch_plus() is unknown if an operand is unknown or
 * negative, or if it would overflow.
 */
#ifndef TP_TORCH_CALL_H
#define TP_TORCH_CALL_H

#include <stddef.h>
#include <stdint.h>

#include <tp/buf.h>

#include "model.h"

struct cJSON;

/* Most dimensions; no tensor in use has more. */
#define TORCH_RANK_MAX 16
#define TORCH_PARAM_MAX 24
#define TORCH_FACT_MAX 32

struct tp_torch_shape {
	size_t rank;
	int64_t n[TORCH_RANK_MAX];
};

/* A data type by its name in traces. */
struct tp_torch_type {
	const char *name;	/* lower case */
	int64_t bytes;
	const char *precision;	/* NULL: platforms state no rate for it */
	const char *torch;	/* PyTorch's name, or NULL */
	int is_extra;		/* TraceLens does not know its size */
	const char *matrix, *vector;	/* spec per unit, or NULL */
};

struct tp_torch_call {
	const struct tp_torch_models *models;
	const struct cJSON *options;	/* of the operation's row in the file */
	const struct cJSON *family;	/* family of the operation, or NULL */
	const struct tp_torch_op *op;
	const char *unit;		/* "matrix", "vector" */
	struct cJSON *dims, *types, *strides, *concrete;
	struct tp_arena *arena;
	struct tp_buf text;		/* of the parameter under
					 * construction */
	struct tp_torch_param params[TORCH_PARAM_MAX];
	size_t count;
	struct { const char *name; double value; }
	    facts[TORCH_FACT_MAX];	/* facts that the model found */
	size_t fact_count;
	struct tp_torch_perf *perf;
};

/*
 * A model.  Returns 0, or -1 if the arguments do not have the form it
 * expects.
 */
typedef int tp_torch_cost_model(struct tp_torch_call *call);

tp_torch_cost_model tp_torch_gemm, tp_torch_grouped_gemm, tp_torch_moe,
    tp_torch_attention, tp_torch_attention_backward, tp_torch_attention_server,
    tp_torch_cache, tp_torch_convolution, tp_torch_convolution_backward,
    tp_torch_unary, tp_torch_binary, tp_torch_reduce, tp_torch_norm,
    tp_torch_norm_backward, tp_torch_rope, tp_torch_cross_entropy,
    tp_torch_triton, tp_torch_by_formula;

/*
 * Check the formulas of OP and its FAMILY.  Returns 0, or -1 with *AT at the
 * first error.  *AT is NULL if there are none.
 */
int tp_torch_formulas_check(const struct cJSON *op,
    const struct cJSON *family, const char **at);

/*
 * _check checks the parameters of OP and its FAMILY and returns as above.
 * _by_row adds the parameters of CALL's row; they replace those of the model
 * with the same name.
 */
int tp_torch_params_check(const struct cJSON *op, const struct cJSON *family,
    const char **at);
void tp_torch_params_by_row(struct tp_torch_call *call);

/*
 * Options of the operation: an integer (OTHER if absent), a boolean, a text
 * or NULL, and any value or NULL.
 */
int tp_torch_option(const struct tp_torch_call *call, const char *key,
    int other);
int tp_torch_flag(const struct tp_torch_call *call, const char *key);
const char *tp_torch_word(const struct tp_torch_call *call, const char *key);
const struct cJSON *tp_torch_value(const struct tp_torch_call *call,
    const char *key);

/* Read a list of integers; booleans count as 0 and 1.  Returns 0 or -1. */
int tp_torch_integers(const struct cJSON *list, struct tp_torch_shape *shape);
/*
 * Read the dimensions of tensor I.  Returns 0, or -1 if it is not a list of
 * integers.
 */
int tp_torch_dims(const struct tp_torch_call *call, int i,
    struct tp_torch_shape *shape);
/* The same, but fails unless there are exactly RANK. */
int tp_torch_dims_of(const struct tp_torch_call *call, int i, size_t rank,
    struct tp_torch_shape *shape);
/* Whether tensor I has dimensions. */
int tp_torch_has(const struct tp_torch_call *call, int i);
size_t tp_torch_dims_count(const struct tp_torch_call *call);
/* The type name of argument I as recorded, or NULL. */
const char *tp_torch_type_name(const struct tp_torch_call *call, int i);
/* The recorded value of argument I as text, or NULL. */
const char *tp_torch_concrete(const struct tp_torch_call *call, int i);
/* Whether it is "True", "true" or "1". */
int tp_torch_truth(const struct tp_torch_call *call, int i);
/* The same as an integer.  Returns 0 or -1. */
int tp_torch_int(const struct tp_torch_call *call, int i, int64_t *n);
/* The same as a list of integers ("[1, 1]"); True is 1.  Returns 0 or -1. */
int tp_torch_list(const struct tp_torch_call *call, int i,
    struct tp_torch_shape *list);

/* The type called NAME, or NULL. */
const struct tp_torch_type *tp_torch_type_of(
    const struct tp_torch_models *models, const char *name);
int64_t tp_torch_type_bytes(const struct tp_torch_models *models,
    const char *name);
/* The first type of PRECISION in share/ops/torch-operators.json, or NULL. */
const struct tp_torch_type *tp_torch_precision(
    const struct tp_torch_models *models, const char *precision);
/* The table of "sizes" called NAME, bytes by type; or NULL. */
const struct cJSON *tp_torch_sizes(const struct tp_torch_models *models,
    const char *name);
/*
 * Sums over the requests of a server's step (c_sq, g_sqsk, ...).  _index
 * returns the index for NAME of LEN bytes, or -1; _sum returns its value in
 * the step the operation ran in, NAN if unknown.
 */
int tp_torch_step_index(const char *name, size_t len);
double tp_torch_step_sum(const struct tp_torch_call *call, int index);
/* The spec that computes type NAME in the model's unit, or NULL. */
const char *tp_torch_spec(const struct tp_torch_call *call, const char *name);
const struct cJSON *tp_torch_triton_file(const struct tp_torch_models *models,
    const char *key);
/* Whether Triton's list of operations contains NAME. */
int tp_torch_triton_knows(const struct tp_torch_models *models,
    const char *name, size_t len);

int64_t tp_torch_mul(int64_t a, int64_t b);
int64_t tp_torch_plus(int64_t a, int64_t b);
static inline int64_t
tp_torch_sum(int64_t a, int64_t b, int64_t c)
{
	return tp_torch_plus(tp_torch_plus(a, b), c);
}
/* Product of the N int64_t arguments that follow. */
int64_t tp_torch_product(size_t n, ...);
int64_t tp_torch_elements(const struct tp_torch_shape *shape);
/* Round X half to even; -1 if it is negative or too large. */
int64_t tp_torch_rounded(double x);

void tp_torch_set_cost(struct tp_torch_call *call, int64_t flops, int64_t bytes,
    const char *spec);
/*
 * Add a fact, of(NAME) in formulas of the overlay.  Integer and boolean
 * parameters are facts, too.
 */
void tp_torch_fact(struct tp_torch_call *call, const char *name, int64_t n);
/* Fact NAME of LEN bytes, or "flops" or "bytes"; NAN if unknown. */
double tp_torch_fact_of(const struct tp_torch_call *call, const char *name,
    size_t len);

/* Add parameters, in order. */
void tp_torch_param_int(struct tp_torch_call *call, const char *name,
    int64_t n);
void tp_torch_param_bool(struct tp_torch_call *call, const char *name, int yes);
void tp_torch_param_float(struct tp_torch_call *call, const char *name,
    double x);
void tp_torch_param_raw(struct tp_torch_call *call, const char *name,
    const char *text);
/* "(2, 3)"; "None" if SHAPE is NULL. */
void tp_torch_param_shape(struct tp_torch_call *call, const char *name,
    const struct tp_torch_shape *shape);
/* Strides of tensor I; "None" if the trace has none. */
void tp_torch_param_strides(struct tp_torch_call *call, const char *name,
    int i);
/* "('float', None)": N names; NULL becomes None. */
void tp_torch_param_types(struct tp_torch_call *call, const char *name,
    size_t n, const char *const *types);
/* "[True, False]" */
void tp_torch_param_mask(struct tp_torch_call *call, const char *name,
    const struct tp_torch_shape *mask);

#endif
