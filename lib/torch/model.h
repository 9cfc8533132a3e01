/*
 * model - cost of PyTorch operations: arithmetic and memory traffic
 *
 * From the name of an operation and its recorded shapes, types and
 * arguments: its table, its parameters, its floating-point operations and
 * the least bytes it must read and write.  operators.h has the model of each
 * name, share/ops/torch-triton.json the operations that Triton names consist
 * of.
 *
 * Evaluate once per distinct (name, arguments): a few microseconds each.
 * Memory: that file, and per evaluation its parameters in the caller's arena
 * (about 1 KiB at most).
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

/*
 * Load the models of OPERATORS, which must outlive them.  Returns NULL with ERR
 * on failure.
 */
struct tp_torch_models *tp_torch_models_load(
    const struct tp_torch_operators *operators, struct tp_err *err);
void tp_torch_models_free(struct tp_torch_models *models);

/*
 * An operation; all members are borrowed for the call.  Values are in the
 * form of the event reader (arrays as written); absent ones are zeroed.
 */
struct tp_torch_op {
	const char *name;
	size_t name_len;
	struct tp_arg dims;		/* "Input Dims" */
	struct tp_arg types;		/* "Input type" */
	struct tp_arg strides;		/* "Input Strides" */
	struct tp_arg concrete;		/* "Concrete Inputs" */
	struct tp_arg step;		/* name of the step annotation it ran
					 * in, for inference attention */
	const char *const *kernels;	/* names of its kernels, which tell
					 * whether GEMM operands are
					 * transposed */
	size_t kernel_count;
	int backward;			/* evaluate its backward pass from the
					 * forward arguments (reduce, attention,
					 * convolution; else unknown) */
};

struct tp_torch_param {
	const char *name;	/* "M", "stride_A" */
	const char *text;	/* in Python syntax */
};

/*
 * The result.  Texts are in the arena or in MODELS.  A cost formula that
 * gives a non-integer is rounded once, half to even.
 */
struct tp_torch_perf {
	int has_model;		/* the name has a model, even if flops or bytes
				 * are unknown */
	const char *table;	/* "GEMM", "SDPA_fwd", ...; NULL: no table, as
				 * for operations without parameters */
	const struct tp_torch_param *params;
	size_t param_count;
	struct tp_cost cost;
	struct tp_torch_tracelens {
		int has_model;
		const struct tp_torch_param *params;
		size_t param_count;
		struct tp_cost cost;
	} tracelens;		/* the same with the numbers of TraceLens, for
				 * tables in its columns: overlay.h */
};

/*
 * Evaluate OP into *PERF.  Arguments that are missing, damaged or not of the
 * expected form are not an error: flops and bytes are then unknown and there
 * are no parameters.
 */
void tp_torch_model(const struct tp_torch_models *models,
    const struct tp_torch_op *op, struct tp_arena *arena,
    struct tp_torch_perf *perf);
/*
 * Whether NAME has a model; then the search for operations of the unified table
 * does not descend below it.
 */
int tp_torch_has_model(const struct tp_torch_models *models,
    const char *name, size_t len);

/*
 * The table of the backward pass of NAME ("CONV_bwd"); NULL if its model has no
 * cost for that.
 */
const char *tp_torch_backward_table(const struct tp_torch_models *models,
    const char *name, size_t len);
/* The table of NAME itself, or NULL. */
const char *tp_torch_table_of(const struct tp_torch_models *models,
    const char *name, size_t len);
/*
 * _reads_step returns whether the cost of NAME depends on the server's step.
 * _step_told returns what TEXT (LEN bytes), the name of a step, tells: 2 all
 * sums, 1 the number of tokens only, 0 nothing.
 */
int tp_torch_reads_step(const struct tp_torch_models *models,
    const char *name, size_t len);
int tp_torch_step_stated(const char *text, size_t len);
/*
 * The work of a server's step: index 0 for requests being read (prefill), 1
 * for requests being answered (decode).
 */
struct tp_torch_served {
	int64_t requests[2], tokens[2];	/* -1: unknown */
	int is_diffusion;		/* requests[0] are images */
	int is_capture;			/* captures a graph for requests[0];
					 * serves nothing */
};
/* Parse TEXT, the name of a step.  Returns 0, or -1 if it is not one. */
int tp_torch_served(const char *text, size_t len,
    struct tp_torch_served *served);
/* The signatures of NAME (signature.h), or NULL. */
const struct cJSON *tp_torch_takes(const struct tp_torch_models *models,
    const char *name, size_t len);
/* The names and patterns with a signature, in no particular order. */
const struct tp_names *tp_torch_taking(const struct tp_torch_models *models);
/*
 * Whether the parameters of NAME depend on its kernels; and whether KERNEL
 * tells something about them.
 */
int tp_torch_reads_kernels(const struct tp_torch_models *models,
    const char *name, size_t len);
int tp_torch_kernel_tells(const char *kernel);

#endif
