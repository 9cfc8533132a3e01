/*
 * opclass - classify ExecuTorch events by name
 *
 * Events are frames, which hold others, and operators, each of one category.
 * The rules are in share/ops/executorch.json, the speed-ups expected of SME2
 * in share/compare/executorch.json.  Memory: the files.
 */
#ifndef TP_EXECUTORCH_OPCLASS_H
#define TP_EXECUTORCH_OPCLASS_H

#include <stddef.h>
#include <stdint.h>

#include <tp/budget.h>
#include <tp/buf.h>
#include <tp/err.h>

#include "classes.h"

/* Limit on categories: state is kept per run and category. */
#define TP_CATEGORIES_MAX 8

enum tp_frame_kind {
	TP_NO_FRAME,
	TP_FRAME_EXECUTE,	/* one call of the model */
	TP_FRAME_DELEGATE,	/* hands part of the model to a backend */
	TP_FRAME_OPERATOR,	/* calls one portable operator */
	TP_FRAME_CONTROL,	/* an instruction beside calls; holds nothing */
	TP_FRAME_LOAD,		/* before the first call */
	TP_FRAME_INNER,		/* inside a delegate: its children account for
				 * its time, or it has none */
};

struct cJSON;

struct tp_opclass {
	struct cJSON *doc, *expected;
	struct tp_classes frames, portable, packed, rules, outside, scaled;
	const char *categories[TP_CATEGORIES_MAX + 1];	/* NULL-terminated */
	size_t category_count;
};

/* Read the rules.  0, or -1 with ERR. */
int tp_opclass_load(struct tp_opclass *ops, struct tp_err *err);
void tp_opclass_release(struct tp_opclass *ops);

/* Length of NAME without a trailing " #3". */
size_t tp_op_base(const char *name, size_t len);
enum tp_frame_kind tp_op_frame(const struct tp_opclass *ops,
    const char *name, size_t len);
/*
 * Index of the category of NAME; *RULE gets the name of the rule that
 * applied.
 */
size_t tp_op_category(const struct tp_opclass *ops, const char *name,
    size_t len, const char **rule);
/* The budget part of a delegated operator called NAME. */
enum tp_budget_part tp_op_part(const struct tp_opclass *ops, const char *name,
    size_t len);
/* The least speed-up expected of operators of CATEGORY with SME2; 1: none. */
double tp_op_expected(const struct tp_opclass *ops, const char *category);
/* Whether events of the block NAME belong to no run. */
int tp_op_is_outside(const struct tp_opclass *ops, const char *name,
    size_t len);
/* Nanoseconds per unit of times under NAME; 1 for all that share a clock. */
int64_t tp_op_scale(const struct tp_opclass *ops, const char *name,
    size_t len);
/* Whether NAME is that of an operator which the runtime itself called. */
int tp_op_is_native(const char *name, size_t len);
/* Whether the backend called NAME means that no delegate ran the operator. */
int tp_op_is_portable(const struct tp_opclass *ops, const char *name,
    size_t len);
/*
 * Append NAME without its packed types ("PF32" becomes "F32"), which matches
 * operators of two builds.  Returns whether that changed it.
 */
int tp_op_unpacked(const struct tp_opclass *ops, const char *name,
    size_t len, struct tp_buf *out);

#endif
