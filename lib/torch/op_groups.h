/*
 * op_groups - operations of a PyTorch trace in groups, one record each
 *
 * Private to the sources that write op.perf and op.table.  Memory: 36 bytes
 * an operation, besides counts and table.
 */
#ifndef TP_TORCH_OP_GROUPS_H
#define TP_TORCH_OP_GROUPS_H

#include "emit_torch.h"
#include "perf.h"

struct tp_torch_op_groups {
	const struct tp_torch_out *o;
	const struct tp_torch *t;
	struct tp_torch_server_step {
		int64_t from_ps, to_ps;
		int64_t last_ps;	/* latest end so far */
		uint32_t event;
		int stated;		/* tp_torch_step_stated() */
	} *steps;			/* of a server, by start */
	size_t step_count, step_cap;
	struct tp_torch_server_step *ranges;	/* all marked ranges, on the GPU
						 * too */
	size_t range_count, range_cap;
	struct tp_torch_counts counts;	/* the operations */
	int is_true, is_tracelens;	/* write op.perf, op.unified */
	int64_t *gpu, *host;		/* times by operation */
	int64_t *calls;			/* like host, but -1 unless it is the
					 * first operation of its call: one call
					 * may launch a thousand kernels, each
					 * an operation */
	uint32_t *groups;
	struct tp_ids variants;		/* by group: name and arguments, and set
					 * of kernels, both as numbers */
	struct tp_torch_table table;
	double *scratch;
	struct tp_arena arena;		/* of parameters */
	struct tp_torch_gains gains;	/* of operations that GPU work is
					 * counted for */
	struct tp_names specs;		/* specs that computed, */
	int64_t *spec_ps;		/* ... and for how long */
	size_t spec_cap;
};

/* Allocate arrays for the operations in counts and set their times. */
void tp_torch_op_groups_init(struct tp_torch_op_groups *rows);
void tp_torch_op_groups_release(struct tp_torch_op_groups *rows);
/*
 * The annotation of the server's step that E ran in: the innermost that tells
 * all sums, else one that tells the tokens.  TP_TORCH_NO if there is none or
 * the cost of E does not depend on it.
 */
uint32_t tp_torch_op_groups_step(const struct tp_torch_op_groups *rows,
    const struct tp_torch_event *e);
/* Evaluate the model of C, with KERNEL (or NULL) among its kernels. */
void tp_torch_op_groups_evaluate(struct tp_torch_op_groups *rows,
    const struct tp_torch_counted *c, const char *kernel,
    struct tp_torch_perf *perf);
/* The first operation of ROW. */
const struct tp_torch_counted *tp_torch_op_groups_first(
    const struct tp_torch_op_groups *rows, const struct tp_torch_group *row);
/*
 * Write number, times and the first start.  Returns the statistics of the
 * times.
 */
struct tp_figures tp_torch_op_groups_times(
    const struct tp_torch_op_groups *rows, const struct tp_torch_group *row);
/*
 * _cost writes work and rates by COST, _roofline what the platform allows,
 * _params COUNT parameters.
 */
void tp_torch_op_groups_cost(const struct tp_torch_op_groups *rows,
    const struct tp_torch_group *row, const struct tp_cost *cost);
void tp_torch_op_groups_roofline(const struct tp_torch_op_groups *rows,
    const struct tp_torch_group *row, const struct tp_cost *cost);
void tp_torch_op_groups_params(const struct tp_torch_op_groups *rows,
    const struct tp_torch_param *params, size_t count);

/*
 * Write "op.table" of the families as TraceLens has them; with BACKWARD those
 * of backward passes without an operation of their own.
 */
void tp_torch_emit_models(struct tp_torch_op_groups *rows,
    const struct tp_torch_passes *passes, int backward);

#endif
