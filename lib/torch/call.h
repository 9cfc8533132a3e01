/*
 * call - one operation of a PyTorch trace while a model looks at it
 *
 * Private to the models.  Numbers are int64_t; -1 is one that is unknown, and
 * tp_torch_mul() and tp_torch_plus() make an unknown of an unknown, of a
 * negative number and of what does not fit.
 */
#ifndef TP_TORCH_CALL_H
#define TP_TORCH_CALL_H

#include <stddef.h>
#include <stdint.h>

#include <tp/buf.h>

#include "model.h"

struct cJSON;

/* More dimensions than any tensor in use has. */
#define TORCH_RANK_MAX 16
#define TORCH_PARAM_MAX 24
#define TORCH_FACT_MAX 32

struct tp_torch_shape {
	size_t rank;
	int64_t n[TORCH_RANK_MAX];
};

/* A type by its name in a trace. */
struct tp_torch_type {
	const char *name;	/* lower case */
	int64_t bytes;
	const char *precision;	/* NULL: none that a platform rates */
	const char *torch;	/* what PyTorch calls it, or NULL */
	int is_extra;		/* TraceLens does not know its size */
	const char *matrix, *vector;	/* spec for each unit, or NULL */
};

struct tp_torch_call {
	const struct tp_torch_models *models;
	const struct cJSON *options;	/* of the operation, from the file */
	const struct cJSON *family;	/* that it is of; or NULL */
	const struct tp_torch_op *op;
	const char *unit;		/* "matrix", "vector" */
	struct cJSON *dims, *types, *strides, *concrete;
	struct tp_arena *arena;
	struct tp_buf text;		/* of the parameter in the making */
	struct tp_torch_param params[TORCH_PARAM_MAX];
	size_t count;
	struct { const char *name; double value; }
	    facts[TORCH_FACT_MAX];	/* what the model found */
	size_t fact_count;
	int failed;			/* no memory */
	struct tp_torch_perf *perf;
};

/* A model.  0, or -1 when the arguments are not what it knows. */
typedef int tp_torch_cost_model(struct tp_torch_call *call);

tp_torch_cost_model tp_torch_gemm, tp_torch_grouped_gemm, tp_torch_moe,
    tp_torch_attention, tp_torch_attention_backward, tp_torch_attention_server,
    tp_torch_cache, tp_torch_convolution, tp_torch_convolution_backward,
    tp_torch_unary, tp_torch_binary, tp_torch_reduce, tp_torch_norm,
    tp_torch_norm_backward, tp_torch_rope, tp_torch_cross_entropy,
    tp_torch_triton, tp_torch_by_formula;

/* Whether the formulas that OP or its FAMILY has can be read: 0, or -1, and
 * *AT is where they cannot.  Without any *AT is NULL. */
int tp_torch_formulas_check(const struct cJSON *op,
    const struct cJSON *family, const char **at);

/* Whether the parameters that OP or its FAMILY has can be read: as above; and
 * those of CALL's row, beside or instead of what the model says. */
int tp_torch_params_check(const struct cJSON *op, const struct cJSON *family,
    const char **at);
void tp_torch_params_by_row(struct tp_torch_call *call);

/* Options of the operation: an integer or OTHER, a truth, a text or NULL. */
int tp_torch_option(const struct tp_torch_call *call, const char *key,
    int other);
int tp_torch_flag(const struct tp_torch_call *call, const char *key);
const char *tp_torch_word(const struct tp_torch_call *call, const char *key);
const struct cJSON *tp_torch_value(const struct tp_torch_call *call,
    const char *key);

/* LIST, in which a truth counts as 0 or 1, as integers: 0, or -1. */
int tp_torch_integers(const struct cJSON *list, struct tp_torch_shape *shape);
/* Dimensions of tensor I: 0, or -1 when there is no list of integers. */
int tp_torch_dims(const struct tp_torch_call *call, int i,
    struct tp_torch_shape *shape);
/* The same, of which exactly RANK are wanted. */
int tp_torch_dims_of(const struct tp_torch_call *call, int i, size_t rank,
    struct tp_torch_shape *shape);
/* Whether tensor I is there at all: has dimensions. */
int tp_torch_has(const struct tp_torch_call *call, int i);
size_t tp_torch_dims_count(const struct tp_torch_call *call);
/* Name of the type of argument I, as it is written; NULL. */
const char *tp_torch_type_name(const struct tp_torch_call *call, int i);
/* Concrete argument I as text; NULL when there is none. */
const char *tp_torch_concrete(const struct tp_torch_call *call, int i);
/* The same as a truth ("True", "true", "1"); OTHER when absent or empty. */
int tp_torch_truth(const struct tp_torch_call *call, int i, int other);
/* The same as an integer; 0, or -1. */
int tp_torch_int(const struct tp_torch_call *call, int i, int64_t *n);
/* The same as a list ("[1, 1]") of integers, True being 1; 0, or -1. */
int tp_torch_list(const struct tp_torch_call *call, int i,
    struct tp_torch_shape *list);

/* Type NAME, or NULL. */
const struct tp_torch_type *tp_torch_type_of(
    const struct tp_torch_models *models, const char *name);
int64_t tp_torch_type_bytes(const struct tp_torch_models *models,
    const char *name);
/* The first type of share/ops/torch-operators.json of PRECISION, or NULL. */
const struct tp_torch_type *tp_torch_precision(
    const struct tp_torch_models *models, const char *precision);
/* The table "sizes" called NAME: bytes by type; NULL. */
const struct cJSON *tp_torch_sizes(const struct tp_torch_models *models,
    const char *name);
/* A sum over the requests of a server's step, by its name (c_sq, g_sqsk ...,
 * LEN long): which it is, -1 when it is none; and what the step in which the
 * operation ran says, NAN when nothing. */
int tp_torch_step_index(const char *name, size_t len);
double tp_torch_step_sum(const struct tp_torch_call *call, int index);
/* What computes type NAME in the unit of the model, or NULL. */
const char *tp_torch_spec(const struct tp_torch_call *call, const char *name);
const struct cJSON *tp_torch_triton_file(const struct tp_torch_models *models,
    const char *key);
/* Whether Triton's list of operations has NAME. */
int tp_torch_triton_knows(const struct tp_torch_models *models,
    const char *name, size_t len);

int64_t tp_torch_mul(int64_t a, int64_t b);
int64_t tp_torch_plus(int64_t a, int64_t b);
/* The product of N numbers that follow; their sum. */
int64_t tp_torch_product(size_t n, ...);
int64_t tp_torch_sum(size_t n, ...);
int64_t tp_torch_elements(const struct tp_torch_shape *shape);
/* A value that may be no integer, rounded half to even; -1 when it is
 * negative or too large. */
int64_t tp_torch_rounded(double x);

void tp_torch_set_cost(struct tp_torch_call *call, int64_t flops, int64_t bytes,
    const char *spec);
/* What the model found besides, of(NAME) in formulas of the overlay; parameters
 * that are integers or truths are facts too. */
void tp_torch_fact(struct tp_torch_call *call, const char *name, int64_t n);
/* Fact NAME, LEN long, or "flops" or "bytes"; NAN when it is unknown. */
double tp_torch_fact_of(const struct tp_torch_call *call, const char *name,
    size_t len);

/* Parameters, in order. */
void tp_torch_param_int(struct tp_torch_call *call, const char *name,
    int64_t n);
void tp_torch_param_bool(struct tp_torch_call *call, const char *name, int yes);
void tp_torch_param_float(struct tp_torch_call *call, const char *name,
    double x);
void tp_torch_param_raw(struct tp_torch_call *call, const char *name,
    const char *text);
/* "(2, 3)"; SHAPE NULL: "None". */
void tp_torch_param_shape(struct tp_torch_call *call, const char *name,
    const struct tp_torch_shape *shape);
/* Strides of tensor I, or "None" when the trace has none. */
void tp_torch_param_strides(struct tp_torch_call *call, const char *name,
    int i);
/* "('float', None)": N names, NULL as None. */
void tp_torch_param_types(struct tp_torch_call *call, const char *name,
    size_t n, const char *const *types);
/* "[True, False]" */
void tp_torch_param_mask(struct tp_torch_call *call, const char *name,
    const struct tp_torch_shape *mask);

#endif
