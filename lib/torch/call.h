/*
 * torch_call - one operation of a PyTorch trace while a model looks at it
 *
 * Private to the models.  Numbers are int64_t; -1 is one that is unknown, and
 * torch_mul() and torch_add() make an unknown of an unknown, of a
 * negative number and of what does not fit.
 */
#ifndef TORCH_CALL_H
#define TORCH_CALL_H

#include <stddef.h>
#include <stdint.h>

#include <tp/buf.h>

#include "model.h"

struct cJSON;

/* More dimensions than any tensor in use has. */
#define TORCH_RANK_MAX 16
#define TORCH_PARAM_MAX 24

struct torch_shape {
	size_t rank;
	int64_t n[TORCH_RANK_MAX];
};

/* A type by its name in a trace. */
struct torch_type {
	const char *name;	/* lower case */
	int64_t bytes;
	const char *precision;	/* NULL: none that a platform rates */
	const char *matrix, *vector;	/* spec for each unit, or NULL */
};

struct torch_call {
	const struct tp_torch_models *models;
	const struct cJSON *options;	/* of the operation, from the file */
	const struct tp_torch_op *op;
	const char *unit;		/* "matrix", "vector" */
	struct cJSON *dims, *types, *strides, *concrete;
	struct tp_arena *arena;
	struct tp_buf text;		/* of the parameter in the making */
	struct tp_torch_param params[TORCH_PARAM_MAX];
	size_t count;
	int failed;			/* no memory */
	struct tp_torch_perf *perf;
};

/* A model.  0, or -1 when the arguments are not what it knows. */
typedef int torch_model(struct torch_call *call);

torch_model torch_gemm, torch_grouped_gemm, torch_moe, torch_attention,
    torch_attention_backward, torch_step_attention, torch_cache,
    torch_convolution, torch_convolution_backward, torch_unary, torch_binary,
    torch_reduce, torch_norm, torch_norm_backward, torch_rope,
    torch_cross_entropy, torch_triton;

/* Options of the operation: an integer or OTHER, a truth, a text or NULL. */
int torch_option(const struct torch_call *call, const char *key, int other);
int torch_flag(const struct torch_call *call, const char *key);
const char *torch_word(const struct torch_call *call, const char *key);
const struct cJSON *torch_value(const struct torch_call *call,
    const char *key);

/* Dimensions of tensor I: 0, or -1 when there is no list of integers. */
int torch_dims(const struct torch_call *call, int i,
    struct torch_shape *shape);
/* The same, of which exactly RANK are wanted. */
int torch_dims_of(const struct torch_call *call, int i, size_t rank,
    struct torch_shape *shape);
/* Whether tensor I is there at all: has dimensions. */
int torch_has(const struct torch_call *call, int i);
size_t torch_dims_count(const struct torch_call *call);
/* Name of the type of argument I, as it is written; NULL. */
const char *torch_type_name(const struct torch_call *call, int i);
/* Concrete argument I as text; NULL when there is none. */
const char *torch_concrete(const struct torch_call *call, int i);
/* The same as a truth ("True", "true", "1"); OTHER when absent or empty. */
int torch_truth(const struct torch_call *call, int i, int other);
/* The same as an integer; 0, or -1. */
int torch_int(const struct torch_call *call, int i, int64_t *n);
/* The same as a list ("[1, 1]") of integers, True being 1; 0, or -1. */
int torch_list(const struct torch_call *call, int i,
    struct torch_shape *list);

/* Type NAME, or NULL. */
const struct torch_type *torch_type(const struct tp_torch_models *models,
    const char *name);
int64_t torch_type_bytes(const struct tp_torch_models *models,
    const char *name);
/* The first type of share/ops/pytorch-models.json of PRECISION, or NULL. */
const struct torch_type *torch_precision(
    const struct tp_torch_models *models, const char *precision);
/* What computes type NAME in the unit of the model, or NULL. */
const char *torch_spec(const struct torch_call *call, const char *name);
const struct cJSON *torch_triton_file(const struct tp_torch_models *models,
    const char *key);
/* Whether Triton's list of operations has NAME. */
int torch_triton_knows(const struct tp_torch_models *models,
    const char *name, size_t len);

int64_t torch_mul(int64_t a, int64_t b);
int64_t torch_add(int64_t a, int64_t b);
/* The product of N numbers that follow; their sum. */
int64_t torch_product(size_t n, ...);
int64_t torch_sum(size_t n, ...);
int64_t torch_elements(const struct torch_shape *shape);
/* A value that may be no integer, rounded half to even; -1 when it is
 * negative or too large. */
int64_t torch_rounded(double x);

/* Both costs. */
void torch_cost(struct torch_call *call, int64_t flops, int64_t bytes,
    const char *spec);
/* Those of the table, where they differ. */
void torch_tabled(struct torch_call *call, int64_t flops, int64_t bytes);

/* Parameters, in order. */
void torch_param_int(struct torch_call *call, const char *name, int64_t n);
void torch_param_bool(struct torch_call *call, const char *name, int yes);
void torch_param_float(struct torch_call *call, const char *name, double x);
void torch_param_raw(struct torch_call *call, const char *name,
    const char *text);
/* "(2, 3)"; SHAPE NULL: "None". */
void torch_param_shape(struct torch_call *call, const char *name,
    const struct torch_shape *shape);
/* Strides of tensor I, or "None" when the trace has none. */
void torch_param_strides(struct torch_call *call, const char *name, int i);
/* "('float', None)": N names, NULL as None. */
void torch_param_types(struct torch_call *call, const char *name, size_t n,
    const char *const *types);
/* "[True, False]" */
void torch_param_mask(struct torch_call *call, const char *name,
    const struct torch_shape *mask);

#endif
