/*
 * model - what a PyTorch operation has to compute and to move
 *
 * From the name of an operation and the shapes, types and arguments that the
 * profiler recorded with it: the table it belongs to, its parameters, its
 * floating-point operations and the bytes it must read and write at least.
 * Which name is which model is data (operators.h), what a Triton name holds
 * share/ops/torch-triton.json.
 *
 * Evaluate once per distinct (name, arguments): a few microseconds each.
 * Memory: that file, and per evaluation its parameters in the caller's
 * arena (at most 1 KiB or so).
 */
#ifndef TP_TORCH_MODEL_H
#define TP_TORCH_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include <tp/alloc.h>
#include <tp/err.h>
#include <tp/hash.h>

#include "operators.h"
#include "read/events.h"
#include <tp/roofline.h>

struct tp_torch_models;

/* Take what OPERATORS, borrowed, say.  NULL with ERR. */
struct tp_torch_models *tp_torch_models_load(
    const struct tp_torch_operators *operators, struct tp_err *err);
void tp_torch_models_free(struct tp_torch_models *models);

/* The operation: all borrowed for the call.  Values are as the event reader
 * gives them (arrays as they are written); absent ones zeroed. */
struct tp_torch_op {
	const char *name;
	size_t name_len;
	struct tp_arg dims;		/* "Input Dims" */
	struct tp_arg types;		/* "Input type" */
	struct tp_arg strides;		/* "Input Strides" */
	struct tp_arg concrete;		/* "Concrete Inputs" */
	struct tp_arg step;		/* name of the step annotation it ran
					 * in: inference attention */
	const char *const *kernels;	/* names of its kernels: how GEMM had
					 * its operands transposed */
	size_t kernel_count;
	int backward;			/* what its backward pass has to do,
					 * from the arguments of the forward
					 * one (reduce, attention,
					 * convolution; else unknown) */
};

struct tp_torch_param {
	const char *name;	/* "M", "stride_A" */
	const char *text;	/* as Python prints it */
};

/* What is known of it.  Text is in the arena or in MODELS.  A formula of a cost
 * that gives no integer is rounded once, half to even. */
struct tp_torch_perf {
	int has_model;		/* there is one for the name (it may still
				 * not know flops or bytes) */
	const char *table;	/* "GEMM", "SDPA_fwd", ...; NULL: in no table
				 * of its own, as is one without parameters */
	const struct tp_torch_param *params;
	size_t param_count;
	struct tp_cost cost;
	struct tp_torch_told {
		int has_model;
		const struct tp_torch_param *params;
		size_t param_count;
		struct tp_cost cost;
	} told;			/* the same as tables in the columns of
				 * TraceLens have it: overlay.h */
};

/*
 * Evaluate OP into *PERF.  0, or -1 with ERR without memory.  Arguments that
 * are missing, damaged or of another form than the model expects make flops
 * and bytes unknown and leave no parameters: never an error.
 */
int tp_torch_model(const struct tp_torch_models *models,
    const struct tp_torch_op *op, struct tp_arena *arena,
    struct tp_torch_perf *perf, struct tp_err *err);
/* Whether there is a model for NAME: what stops the descent to an operation
 * of the unified table. */
int tp_torch_has_model(const struct tp_torch_models *models,
    const char *name, size_t len);

/* The table of the backward pass of NAME ("CONV_bwd"); NULL: its model does
 * not know what that has to do. */
const char *tp_torch_backward_table(const struct tp_torch_models *models,
    const char *name, size_t len);
/* The table of NAME itself; NULL. */
const char *tp_torch_table_of(const struct tp_torch_models *models,
    const char *name, size_t len);
/* Whether what NAME costs depends on the step of a server in which it ran, and
 * what TEXT (LEN long), the name of such a step, tells: 2 all sums, 1 but the
 * number of tokens, 0 nothing. */
int tp_torch_reads_step(const struct tp_torch_models *models,
    const char *name, size_t len);
int tp_torch_step_told(const char *text, size_t len);
/* What a server did in a step: 0 of requests that it read (prefill), 1 of those
 * that it answered (decode). */
struct tp_torch_served {
	int64_t requests[2], tokens[2];	/* -1: not said */
	int is_diffusion;		/* requests[0] are pictures */
	int is_capture;			/* of a graph for requests[0]: nothing
					 * is served */
};
/* As TEXT, the name of a step, tells; 0, or -1 when it is none. */
int tp_torch_served(const char *text, size_t len,
    struct tp_torch_served *served);
/* What NAME takes (signature.h); NULL: nobody says. */
const struct cJSON *tp_torch_takes(const struct tp_torch_models *models,
    const char *name, size_t len);
/* What has a signature: names and patterns, in no order. */
const struct tp_names *tp_torch_taking(const struct tp_torch_models *models);
/* Whether the parameters of NAME depend on its kernels, and on KERNEL. */
int tp_torch_reads_kernels(const struct tp_torch_models *models,
    const char *name, size_t len);
int tp_torch_kernel_tells(const char *kernel);

#endif
