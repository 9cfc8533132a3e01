/*
 * torch_rows - operations of a PyTorch trace in groups, one record each
 *
 * Private to what writes op.perf and op.model.  Memory: 32 bytes an
 * operation.
 */
#ifndef TORCH_ROWS_H
#define TORCH_ROWS_H

#include "emit_private.h"
#include "perf.h"

struct torch_rows {
	const struct torch_out *o;
	const struct tp_torch *t;
	struct tp_torch_counts counts;	/* the operations */
	int64_t *gpu, *host;		/* per operation */
	uint32_t *groups;
	struct tp_torch_table table;
	double *scratch;
	struct tp_arena arena;		/* of parameters */
	struct tp_torch_gains gains;	/* of what stands for GPU work */
	struct tp_names specs;		/* what computed it, */
	int64_t *spec_ps;		/* and for how long */
	size_t spec_cap;
	struct tp_err *err;
};

/* Room for what COUNTS holds, and the times of it.  0 or -1 with ERR. */
int torch_rows_init(struct torch_rows *rows);
void torch_rows_release(struct torch_rows *rows);
/* What the model says of C, with KERNEL among its kernels or NULL.  0 or -1
 * with ERR. */
int torch_rows_evaluate(struct torch_rows *rows,
    const struct tp_torch_counted *c, const char *kernel,
    struct tp_torch_perf *perf);
/* The first operation of ROW. */
const struct tp_torch_counted *torch_rows_first(
    const struct torch_rows *rows, const struct tp_torch_row *row);
/* Write how many, how long, and the first; returns how long. */
struct tp_torch_stat torch_rows_times(const struct torch_rows *rows,
    const struct tp_torch_row *row);
/* Work, rates and roofline. */
void torch_rows_perf(const struct torch_rows *rows,
    const struct tp_torch_row *row, const struct tp_torch_perf *perf);

/* "op.model"; with BACKWARD of backward passes that have no operation of
 * their own.  0 or -1 with ERR. */
int torch_emit_models(struct torch_rows *rows,
    const struct tp_torch_passes *passes, int backward);

#endif
