/*
 * overlay - numbers of TraceLens where they differ from the models
 *
 * Models give the true cost.  Tables in the columns of TraceLens also have
 * its own numbers, with its faults: share/ops/torch-tracelens.json has a row
 * for each fault, with formulas (formula.h) over the arguments and over what
 * the model found.  Only records of these tables (op.table) use it.
 *
 * Memory: the file.
 */
#ifndef TP_TORCH_OVERLAY_H
#define TP_TORCH_OVERLAY_H

#include "call.h"

struct tp_torch_overlay {
	struct cJSON *doc;
	struct tp_names types, families, steps;	/* unknown to it, without cost
						 * in it, with cost in it */
};

/*
 * Read and checks the file.  Returns 0, or -1 with ERR; must be released even
 * after failure.
 */
int tp_torch_overlay_load(struct tp_torch_overlay *overlay, struct tp_err *err);
/*
 * Check with IS_FAMILY(ARG, name) that all families it names exist.  Returns 0,
 * or -1 with ERR.
 */
int tp_torch_overlay_check(const struct tp_torch_overlay *overlay,
    int (*is_family)(const void *arg, const char *name), const void *arg,
    struct tp_err *err);
void tp_torch_overlay_release(struct tp_torch_overlay *overlay);
/* Whether LIST of the overlay contains NAME. */
int tp_torch_overlay_has(const struct tp_names *list, const char *name);

/*
 * Set perf->told of CALL, which a model of FAMILY has evaluated.  EXTRA: the
 * model looked up types that TraceLens does not know.
 */
void tp_torch_overlay_apply(const struct tp_torch_overlay *overlay,
    struct tp_torch_call *call, const char *family, int extra);

#endif
