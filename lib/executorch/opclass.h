/*
 * opclass - what an operator is, by its name
 *
 * Names of ExecuTorch events: frames that hold others, and operators, each of
 * one category.  The rules are share/ops/executorch.json; what SME2 should gain
 * stands in share/compare/executorch.json.  Memory: the files.
 */
#ifndef TP_EXECUTORCH_OPCLASS_H
#define TP_EXECUTORCH_OPCLASS_H

#include <stddef.h>
#include <stdint.h>

#include <tp/budget.h>
#include <tp/buf.h>
#include <tp/err.h>

#include "classes.h"

/* More categories than that are refused: state is kept per run and one. */
#define TP_CATEGORIES_MAX 8

enum tp_frame_kind {
	TP_NO_FRAME,
	TP_FRAME_EXECUTE,	/* one call of the model */
	TP_FRAME_DELEGATE,	/* hands a part of it to a backend */
	TP_FRAME_OPERATOR,	/* calls one portable operator */
	TP_FRAME_CONTROL,	/* an instruction beside calls, holds nothing */
	TP_FRAME_LOAD,		/* before the first call */
	TP_FRAME_INNER,		/* in a delegate: its time is told by what it
				 * holds, or it is none */
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

/* LEN of NAME without " #3" at its end. */
size_t tp_op_base(const char *name, size_t len);
enum tp_frame_kind tp_op_frame(const struct tp_opclass *ops,
    const char *name, size_t len);
/* Index of the category of NAME; *RULE names the rule that said so. */
size_t tp_op_category(const struct tp_opclass *ops, const char *name,
    size_t len, const char **rule);
/* What a delegated operator called NAME is in the wall-clock budget. */
enum tp_budget_part tp_op_part(const struct tp_opclass *ops, const char *name,
    size_t len);
/* How many times as fast operators of CATEGORY are at least expected to be
 * where SME2 runs; 1 where nothing is. */
double tp_op_expected(const struct tp_opclass *ops, const char *category);
/* Whether events of block NAME are of no run. */
int tp_op_is_outside(const struct tp_opclass *ops, const char *name,
    size_t len);
/* How many ns what NAME counts is; 1 of all that share a clock. */
int64_t tp_op_scale(const struct tp_opclass *ops, const char *name,
    size_t len);
/* Whether backend NAME says that no delegate ran the operator. */
int tp_op_is_portable(const struct tp_opclass *ops, const char *name,
    size_t len);
/*
 * Append NAME as it would be without packed operands ("PF32" as "F32"), by
 * which operators of two builds are joined; whether that changed it.
 */
int tp_op_unpacked(const struct tp_opclass *ops, const char *name,
    size_t len, struct tp_buf *out);

#endif
