/*
 * overlay - what TraceLens says of an operation where the models say otherwise
 *
 * Models say what is true.  Tables of the columns of TraceLens have its numbers
 * too, its faults among them: share/ops/torch-tracelens.json has a row for each
 * fault, with formulas (formula.h) over the arguments and over what the model
 * found.  Only rows of these tables, op.table, are made of it.
 *
 * Memory: the file.
 */
#ifndef TP_TORCH_OVERLAY_H
#define TP_TORCH_OVERLAY_H

#include "call.h"

struct tp_torch_overlay {
	struct cJSON *doc;
	struct tp_names types, families, steps;	/* that it does not know,
						 * cost; that it does */
};

/* Read and check the file: 0, or -1 with ERR; _release also then. */
int tp_torch_overlay_load(struct tp_torch_overlay *overlay, struct tp_err *err);
/* Whether all families that it names are some, by IS_FAMILY of ARG: 0, or -1
 * with ERR. */
int tp_torch_overlay_check(const struct tp_torch_overlay *overlay,
    int (*is_family)(const void *arg, const char *name), const void *arg,
    struct tp_err *err);
void tp_torch_overlay_release(struct tp_torch_overlay *overlay);
/* Whether LIST of it has NAME. */
int tp_torch_overlay_has(const struct tp_names *list, const char *name);

/* What of CALL, which a model of FAMILY has looked at, stands in the tables:
 * into perf->told.  EXTRA: types were looked up that TraceLens does not know.
 * 0, or -1 without memory. */
int tp_torch_overlay_apply(const struct tp_torch_overlay *overlay,
    struct tp_torch_call *call, const char *family, int extra);

#endif
