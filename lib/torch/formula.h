/*
 * formula - costs of operations as arithmetic over their arguments
 *
 * A row of share/ops/torch-operators.json may state the cost of an operation:
 *
 *	"let": ["M = d(2,0)", "E = d(2,1)", "k = d(0,1)"],
 *	"flops": "6 * M * E",
 *	"bytes": "M * E * b(2) + 4 * E + 8 * M * k", "type": 2
 *
 * A formula has numbers, names of "let", + - * / and ^, comparisons (1 or 0),
 * "c ? x : y", "x else y" (y if x is unknown), parentheses, and the functions
 *
 *	d(i,k)	dimension k of tensor i; a negative k counts from the last
 *	r(i)	number of dimensions of tensor i
 *	n(i)	elements of tensor i; of a list of tensors, their sum
 *	b(i)	bytes per element of tensor i; s(i) by the table "sizes"
 *	c(i)	argument i as an integer; t(i) as a boolean, 0 if absent;
 *		l(i,k) number k of a list
 *	p(i)	product of argument i, a list
 *	said(i)	whether argument i has a text; unknown without arguments
 *	count()	number of arguments; first() the first tensor
 *	o(w)	option w of the operator's row, a number or a boolean
 *	of(w)	in the overlay: flops, bytes, a parameter or a fact that the
 *		model found (call.h)
 *	has(i)	whether tensor i is present
 *	most()	elements of the largest tensor
 *	moved()	bytes of all tensors of known type; by the table "sizes" if
 *		the row names one
 *	broadcast(i,j,..)	elements of these tensors after broadcasting
 *	step(w)	a sum of the server's step (attention_server.c): c_sq .. g_sqsk
 *	kernel(w)	whether the name of the longest kernel contains w, any
 *		text without ')'
 *	ceil(x) floor(x) min(x,y,..) max(x,y,..)
 *
 * The row may also state the parameters of the operation (params.c):
 *
 *	"params": {"op_shape": "shape(0)", "C": "C", "has_bias": false,
 *	    "dtype_in_out": "tuple(type(0), none)"}
 *
 * A value is a number, a boolean, null or "none", 'a text', a formula, or
 *
 *	type(i)	name of the type of argument i; text(i) the argument as text
 *	shape(i) strides(i)	as a tuple
 *	truth(x)	True or False; real(x)	2 as 2.0
 *	tuple(v,w,..) list(v,w,..)	of such values
 *	tensors()	shape and type of all tensors
 *	absent	no such parameter
 *
 * or "x ? v : w" or "v else w" of these.  Unknown values are None.
 *
 * A value is unknown if the arguments do not tell it, or if it depends on an
 * unknown one.  Values are doubles, so integers are exact up to 2^53; a cost is
 * rounded once, at the end.
 */
#ifndef TP_TORCH_FORMULA_H
#define TP_TORCH_FORMULA_H

#include "call.h"

#define TORCH_LET_MAX 24

/* Named values.  A zeroed struct is empty. */
struct tp_torch_scope {
	const struct tp_torch_call *call;	/* NULL: only check */
	const struct cJSON *sizes;		/* bytes by type, or NULL */
	struct { const char *name; size_t len; double value; }
	    vars[TORCH_LET_MAX];
	size_t count;
};

/*
 * Evaluate TEXT into *VALUE, NAN if it is unknown.  Returns 0, or -1 with *AT
 * at the error if it is not a formula.
 */
int tp_torch_formula(const struct tp_torch_scope *scope, const char *text,
    double *value, const char **at);
/*
 * The same for the formula at the start of *TEXT.  *TEXT moves to its end:
 * an "else", a "?", or anything else that is not part of it.
 */
int tp_torch_formula_part(const struct tp_torch_scope *scope,
    const char **text, double *value, const char **at);
/* Evaluate "NAME = FORMULA" and add NAME.  Returns as above. */
int tp_torch_let(struct tp_torch_scope *scope, const char *text,
    const char **at);
/*
 * Evaluate PARAM, a value of "params".  Returns its text in CALL's arena; NULL
 * if it is unknown or CALL is NULL.  *AT is then at an error, or NULL.
 */
const char *tp_torch_param_text(struct tp_torch_call *call,
    const struct tp_torch_scope *scope, const struct cJSON *param,
    const char **at);
/*
 * Initialize SCOPE with the "let" of row OP and of FAMILY (or NULL).  Returns
 * 0, or -1 with *AT as above.
 */
int tp_torch_scope(struct tp_torch_scope *scope,
    const struct tp_torch_call *call, const struct cJSON *op,
    const struct cJSON *family, const char **at);

#endif
