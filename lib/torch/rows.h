/*
 * rows - operations of a PyTorch trace in groups, one record each
 *
 * Private to what writes op.perf and op.table.  Memory: 40 bytes an
 * operation.
 */
#ifndef TP_TORCH_ROWS_H
#define TP_TORCH_ROWS_H

#include "emit_private.h"
#include "perf.h"

struct tp_torch_rows {
	const struct tp_torch_out *o;
	const struct tp_torch *t;
	struct tp_torch_server_step {
		int64_t from_ps, to_ps;
		int64_t last_ps;	/* the last end so far */
		uint32_t event;
		int told;		/* tp_torch_step_told() */
	} *steps;			/* of a server, in order of time */
	size_t step_count, step_cap;
	struct tp_torch_server_step *ranges;	/* all that is marked, on the
						 * GPU too */
	size_t range_count, range_cap;
	struct tp_torch_counts counts;	/* the operations */
	int64_t *gpu, *host;		/* per operation */
	int64_t *calls;			/* host where the call is counted first,
					 * else -1: one may launch a thousand
					 * kernels, each an operation */
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
int tp_torch_rows_init(struct tp_torch_rows *rows);
void tp_torch_rows_release(struct tp_torch_rows *rows);
/* The annotation of the server's step that E ran in: the innermost that tells
 * all sums, else that which tells the tokens; or TP_TORCH_NO: there is none, or
 * what E costs does not depend on it. */
uint32_t tp_torch_rows_step(const struct tp_torch_rows *rows,
    const struct tp_torch_event *e);
/* What the model says of C, with KERNEL among its kernels or NULL.  0 or -1
 * with ERR. */
int tp_torch_rows_evaluate(struct tp_torch_rows *rows,
    const struct tp_torch_counted *c, const char *kernel,
    struct tp_torch_perf *perf);
/* The first operation of ROW. */
const struct tp_torch_counted *tp_torch_rows_first(
    const struct tp_torch_rows *rows, const struct tp_torch_row *row);
/* Write how many, how long, and the first; returns how long. */
struct tp_torch_stat tp_torch_rows_times(const struct tp_torch_rows *rows,
    const struct tp_torch_row *row);
/* Write work and rates by COST; what the platform allows of it; and COUNT
 * parameters. */
void tp_torch_rows_cost(const struct tp_torch_rows *rows,
    const struct tp_torch_row *row, const struct tp_cost *cost);
void tp_torch_rows_roofline(const struct tp_torch_rows *rows,
    const struct tp_torch_row *row, const struct tp_cost *cost);
void tp_torch_rows_params(const struct tp_torch_rows *rows,
    const struct tp_torch_param *params, size_t count);

/* "op.table" of the families, as TraceLens has them; with BACKWARD of backward
 * passes that have no operation of their own.  0 or -1 with ERR. */
int tp_torch_emit_models(struct tp_torch_rows *rows,
    const struct tp_torch_passes *passes, int backward);

#endif
