/*
 * formula - costs of operations as arithmetic over their arguments
 *
 * A row of share/ops/torch-operators.json may say what an operation costs:
 *
 *	"let": ["M = d(2,0)", "E = d(2,1)", "k = d(0,1)"],
 *	"flops": "6 * M * E",
 *	"bytes": "M * E * b(2) + 4 * E + 8 * M * k", "type": 2
 *
 * Numbers, names of "let", + - * / and ^, comparisons (1 or 0), "c ? x : y",
 * "x else y" (y where x is unknown), parentheses, and the functions
 *
 *	d(i,k)	dimension k of tensor i; k below 0 counts from the last
 *	r(i)	number of its dimensions
 *	n(i)	its elements; of a list of tensors those of all
 *	b(i)	bytes of an element of it; s(i) by the table "sizes"
 *	c(i)	argument i as an integer; t(i) as a truth, 0 when absent;
 *		l(i,k) number k of a list
 *	p(i)	product of the list that argument i is
 *	said(i)	whether argument i has a text; unknown without arguments
 *	count()	how many arguments there are; first() the first tensor
 *	o(w)	option w of the operator's row, a number or a truth
 *	of(w)	in the overlay: flops, bytes, a parameter or a fact that the
 *		model found (call.h)
 *	has(i)	whether tensor i is there
 *	most()	elements of the largest tensor
 *	moved()	bytes of all tensors whose types are known; by the table
 *		"sizes" where the row names one
 *	broadcast(i,j,..)	elements of what tensors give together
 *	step(w)	a sum of the server's step (attention_server.c): c_sq .. g_sqsk
 *	kernel(w)	whether the longest kernel's name holds w, which may
 *		be anything but ')'
 *	ceil(x) floor(x) min(x,y,..) max(x,y,..)
 *
 * The row may also say which parameters the operation has (params.c):
 *
 *	"params": {"op_shape": "shape(0)", "C": "C", "has_bias": false,
 *	    "dtype_in_out": "tuple(type(0), none)"}
 *
 * A number or a truth as it stands, null or "none", 'a text', a formula, or
 *
 *	type(i)	name of the type of argument i; text(i) the argument as text
 *	shape(i) strides(i)	as a tuple
 *	truth(x)	True or False; real(x)	2 as 2.0
 *	tuple(v,w,..) list(v,w,..)	of such values
 *	tensors()	shape and type of all tensors
 *	absent	no such parameter
 *
 * also "x ? v : w" and "v else w".  What is unknown is None.
 *
 * What an argument does not tell is unknown, and so is all that rests on it.
 * Values are doubles, so integers up to 2^53 are exact; a cost is rounded once
 * in the end.
 */
#ifndef TP_TORCH_FORMULA_H
#define TP_TORCH_FORMULA_H

#include "call.h"

#define TORCH_LET_MAX 24

/* Names that have a value.  A zeroed struct has none. */
struct tp_torch_scope {
	const struct tp_torch_call *call;	/* NULL: only check */
	const struct cJSON *sizes;		/* bytes by type, or NULL */
	struct { const char *name; size_t len; double value; }
	    vars[TORCH_LET_MAX];
	size_t count;
};

/* The value of TEXT into *VALUE, NAN when it is unknown.  0, or -1 when it is
 * no formula; *AT is then where it goes wrong. */
int tp_torch_formula(const struct tp_torch_scope *scope, const char *text,
    double *value, const char **at);
/* The same of what *TEXT begins with, up to an "else", "?" or whatever else
 * does not belong to it: *TEXT moves there. */
int tp_torch_formula_part(const struct tp_torch_scope *scope,
    const char **text, double *value, const char **at);
/* The same of "NAME = FORMULA", which adds NAME. */
int tp_torch_let(struct tp_torch_scope *scope, const char *text,
    const char **at);
/* What PARAM, a value of "params", says, in CALL's arena; NULL when it is
 * unknown, or without a CALL, and then *AT is where it is wrong, or NULL. */
const char *tp_torch_param_text(struct tp_torch_call *call,
    const struct tp_torch_scope *scope, const struct cJSON *param,
    const char **at);
/* A scope for the row OP of FAMILY (or NULL) with all of its "let": 0, or -1
 * and *AT as above. */
int tp_torch_scope(struct tp_torch_scope *scope,
    const struct tp_torch_call *call, const struct cJSON *op,
    const struct cJSON *family, const char **at);

#endif
