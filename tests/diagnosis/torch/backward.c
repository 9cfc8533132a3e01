#include <inttypes.h>
#include <string.h>

#include "../../../examples/file.h"
#include "model.h"
#include "names.h"

static void ask(struct model *, const struct node *);

/* Autograd runs NODE as operator NAME. */
static void
begin(struct model *m, const struct node *node, const char *name)
{
	sim_enter(m->sim, "cpu_op", "", node->sequence,
	    "autograd::engine::evaluate_function: %s", name);
	sim_host(m->sim, OPERATORS, 400);
	sim_call(m->sim, node->sequence, name, "b%" PRId64 "x%" PRId64,
	    node->m, node->n);
	ask(m, node);
}

static void
end(struct model *m)
{
	sim_return(m->sim);
	sim_leave(m->sim);
}

/* A gradient is kept; the first one of a step needs no kernel. */
static void
accumulate(struct model *m, int64_t rows, int64_t n)
{
	sim_enter(m->sim, "cpu_op", "", 0, "autograd::engine::"
	    "evaluate_function: torch::autograd::AccumulateGrad");
	sim_host(m->sim, OPERATORS, 400);
	sim_call(m->sim, 0, "torch::autograd::AccumulateGrad",
	    n ? "b%" PRId64 "x%" PRId64 : "b%" PRId64, rows, n);
	if (m->job->memory) {
		if (m->gradient_count == GRADIENTS)
			die(5, "too many gradients");
		m->gradients[m->gradient_count++] = sim_allocate(m->sim,
		    2 * rows * (n ? n : 1), 1);
	}
	end(m);
	m->unreduced += 2 * rows * (n ? n : 1);
}

static void
back_linear(struct model *m, const struct node *x)
{
	begin(m, x, x->bias ? "AddmmBackward0" : "MmBackward0");
	sim_call(m->sim, 0, "aten::mm", "b%" PRId64 "x%" PRId64 " b%" PRId64
	    "x%" PRId64, x->m, x->n, x->n, x->k);
	model_launch(m, chip_matrix(m->job, 1, x->m, x->k, x->n, NN, 0));
	sim_return(m->sim);
	sim_call(m->sim, 0, "aten::mm", "b%" PRId64 "x%" PRId64 "t b%" PRId64
	    "x%" PRId64, x->n, x->m, x->m, x->k);
	model_launch(m, chip_matrix(m->job, 1, x->n, x->k, x->m, NT, 0));
	sim_return(m->sim);
	if (x->bias) {
		sim_call(m->sim, 0, "aten::sum", "b%" PRId64 "x%" PRId64
		    " i[0] sTrue n", x->m, x->n);
		model_moves(m, SUM_KERNEL, 2 * x->m * x->n, 64 * x->n);
		sim_return(m->sim);
	}
	end(m);
	accumulate(m, x->n, x->k);
	if (x->bias)
		accumulate(m, x->n, 0);
}

static void
back_bmm(struct model *m, const struct node *x)
{
	const int64_t b = x->batch;

	begin(m, x, "BmmBackward0");
	sim_call(m->sim, 0, "aten::bmm", "b%" PRId64 "x%" PRId64 "x%" PRId64
	    "t b%" PRId64 "x%" PRId64 "x%" PRId64, b, x->k, x->m, b, x->m,
	    x->n);
	model_launch(m, chip_matrix(m->job, b, x->k, x->n, x->m, NT, 0));
	sim_return(m->sim);
	sim_call(m->sim, 0, "aten::bmm", "b%" PRId64 "x%" PRId64 "x%" PRId64
	    " b%" PRId64 "x%" PRId64 "x%" PRId64 "t", b, x->m, x->n, b, x->n,
	    x->k);
	model_launch(m, chip_matrix(m->job, b, x->m, x->k, x->n, TN, 0));
	sim_return(m->sim);
	end(m);
}

static void
back_norm(struct model *m, const struct node *x)
{
	begin(m, x, "NativeLayerNormBackward0");
	sim_call(m->sim, 0, "aten::native_layer_norm_backward", "b%" PRId64
	    "x%" PRId64 " b%" PRId64 "x%" PRId64 " i[%" PRId64 "] f%" PRId64
	    "x1 f%" PRId64 "x1 b%" PRId64 " b%" PRId64
	    " i[True,True,True]", x->m, x->n, x->m, x->n, x->n, x->m, x->m,
	    x->n, x->n);
	model_moves(m, NORM_GRAD, 6 * x->m * x->n, 128 * x->m);
	model_moves(m, NORM_WEIGHTS, 4 * x->m * x->n, 512 * x->n);
	sim_return(m->sim);
	end(m);
	accumulate(m, x->n, 0);
	accumulate(m, x->n, 0);
}

static void
back_flash(struct model *m, const struct node *x)
{
	const struct job *job = m->job;
	const int64_t each = job->dim / job->heads;
	const int64_t bytes = 2 * job->batch * job->seq * job->dim;
	char words[200];

	snprintf(words, sizeof(words), "b%" PRId64 "x%" PRId64 "x%" PRId64
	    "x%" PRId64, job->batch, job->heads, job->seq, each);
	sim_enter(m->sim, "cpu_op", "", x->sequence, "autograd::engine::"
	    "evaluate_function: ScaledDotProductFlashAttentionBackward0");
	sim_host(m->sim, OPERATORS, 400);
	sim_call(m->sim, x->sequence,
	    "ScaledDotProductFlashAttentionBackward0", "%s", words);
	sim_call(m->sim, 0, "aten::_scaled_dot_product_flash_attention_"
	    "backward", "%s %s %s %s %s f%" PRId64 "x%" PRId64 "x%" PRId64
	    " n n s%" PRId64 " s%" PRId64 " s0. sFalse l l n", words, words,
	    words, words, words, job->batch, job->heads, job->seq, job->seq,
	    job->seq);
	model_moves(m, FLASH_DOT, 2 * bytes, bytes);
	model_launch(m, chip_flash(job, FLASH_BACK, 10 * job->batch *
	    job->seq * job->seq * job->dim, 8 * bytes));
	model_moves(m, FLASH_CONVERT, 3 * bytes, bytes);
	sim_return(m->sim);
	end(m);
}

static void
back_softmax(struct model *m, const struct node *x)
{
	begin(m, x, "SoftmaxBackward0");
	sim_call(m->sim, 0, "aten::_softmax_backward_data", "b%" PRId64 "x%"
	    PRId64 " b%" PRId64 "x%" PRId64 " s-1 s15", x->m, x->n, x->m,
	    x->n);
	model_moves(m, SOFTMAX_BACK, 6 * x->m * x->n, 512 * x->m);
	sim_return(m->sim);
	end(m);
}

static void
back_pointwise(struct model *m, const struct node *x)
{
	const struct pointwise *p = x->pointwise;
	const int tensors = p->back && strstr(p->back_kernel, "char*, 3");

	begin(m, x, p->node);
	for (int i = 0; p->back && i < p->reads; i++) {
		sim_call(m->sim, 0, p->back, tensors ? "b%" PRId64 "x%" PRId64
		    " b%" PRId64 "x%" PRId64 : "b%" PRId64 "x%" PRId64 " s1",
		    x->m, x->n, x->m, x->n);
		model_moves(m, p->back_kernel, (tensors ? 6 : 4) * x->m *
		    x->n, x->m * x->n);
		sim_return(m->sim);
	}
	end(m);
}

static void
back_compiled(struct model *m, const struct node *x)
{
	static const char name[] =
	    "triton_poi_fused_add_gelu_backward_native_dropout_1";

	begin(m, x, "CompiledFunctionBackward");
	sim_call(m->sim, 0, name, "b%" PRId64 "x%" PRId64 " b%" PRId64 "x%"
	    PRId64 " b%" PRId64 "x%" PRId64 " s%" PRId64, x->m, x->n, x->m,
	    x->n, x->m, x->n, x->m * x->n);
	model_moves(m, name, 6 * x->m * x->n, x->m * x->n);
	sim_return(m->sim);
	end(m);
}

/* Two gradients of one tensor are added. */
static void
back_residual(struct model *m, const struct node *x)
{
	begin(m, x, "AddBackward0");
	sim_return(m->sim);
	sim_call(m->sim, 0, "aten::add", "b%" PRId64 "x%" PRId64 " b%" PRId64
	    "x%" PRId64 " s1", x->m, x->n, x->m, x->n);
	model_moves(m, ADD_KERNEL, 6 * x->m * x->n, x->m * x->n);
	sim_return(m->sim);
	sim_leave(m->sim);
}

static void
back_embedding(struct model *m, const struct node *x)
{
	const struct job *job = m->job;
	const int64_t t = model_tokens(job);

	begin(m, x, "EmbeddingBackward0");
	sim_call(m->sim, 0, "aten::embedding_dense_backward", "b%" PRId64
	    "x%" PRId64 " l%" PRId64 " s%" PRId64 " s-1 sFalse", t, job->dim,
	    t, job->vocab);
	model_moves(m, SCATTER, 2 * (t + job->vocab) * job->dim,
	    t * job->dim);
	sim_return(m->sim);
	end(m);
	accumulate(m, job->vocab, job->dim);
}

static void
back_loss(struct model *m, const struct node *x)
{
	const int64_t t = model_tokens(m->job), v = m->job->vocab;

	begin(m, x, "NllLossBackward0");
	sim_call(m->sim, 0, "aten::nll_loss_backward", "b b%" PRId64 "x%"
	    PRId64 " l%" PRId64 " n s1 s-100 b", t, v, t);
	model_moves(m, NLL_BACK, 2 * t * v, 32);
	sim_return(m->sim);
	end(m);
	begin(m, x, "LogSoftmaxBackward0");
	sim_call(m->sim, 0, "aten::_log_softmax_backward_data", "b%" PRId64
	    "x%" PRId64 " b%" PRId64 "x%" PRId64 " s1 s15", t, v, t, v);
	model_moves(m, LOG_SOFTMAX_BACK, 6 * t * v, 1024 * t);
	sim_return(m->sim);
	end(m);
}

static void
back(struct model *m, struct node *x)
{
	static void (*const ways[])(struct model *, const struct node *) = {
		[LINEAR] = back_linear, [PRODUCT] = back_bmm,
		[NORM] = back_norm, [FLASH] = back_flash,
		[SOFTMAX] = back_softmax, [POINTWISE] = back_pointwise,
		[RESIDUAL] = back_residual, [EMBEDDING] = back_embedding,
		[LOSS] = back_loss, [COMPILED] = back_compiled,
	};
	struct block made = { 0, 0 };

	/* the gradient of what came in; that of what came out is done with */
	if (m->job->memory) {
		sim_call(m->sim, 0, "aten::empty_like", "b");
		made = sim_allocate(m->sim, model_bytes(m->job, x), 1);
		sim_return(m->sim);
	}
	ways[x->what](m, x);
	sim_free(m->sim, &m->passed);
	m->passed = made;
	sim_free(m->sim, &x->out);
}

/* Sum the gradients that are there over all ranks. */
static void
reduce(struct model *m, int64_t layer)
{
	const int64_t world = job_world(m->job);
	struct kernel kernel;
	char extra[400], ranks[80] = "0";
	int len = 1;

	for (int64_t i = 1; i < world; i++)
		len += snprintf(ranks + len, sizeof(ranks) - (size_t)len,
		    ", %" PRId64, i);
	model_place(m, layer, REDUCE);
	snprintf(extra, sizeof(extra), ",\"Collective name\":\"allreduce\","
	    "\"In msg nelems\":%" PRId64 ",\"Out msg nelems\":%" PRId64
	    ",\"Group size\":%" PRId64 ",\"dtype\":\"BFloat16\","
	    "\"In split size\":\"[]\",\"Out split size\":\"[]\","
	    "\"Process Group Name\":\"0\",\"Process Group Description\":"
	    "\"default_pg\",\"Process Group Ranks\":\"[%s]\"",
	    m->unreduced / 2, m->unreduced / 2, world, ranks);
	sim_call(m->sim, 0, "c10d::allreduce_", "b%" PRId64 " n n n s-1",
	    m->unreduced / 2);
	sim_call(m->sim, 0, "record_param_comms", "b%" PRId64 " s1 s0 s0",
	    m->unreduced / 2);
	sim_order(m->sim, COMM, COMPUTE);
	sim_enter(m->sim, "user_annotation", "", 0, "nccl:all_reduce");
	kernel = chip_reduce(m->job, m->unreduced);
	kernel.extra = extra;
	model_launch(m, kernel);
	sim_leave(m->sim);
	sim_return(m->sim);
	sim_return(m->sim);
	m->unreduced = 0;
}

static void
frame(struct model *m, const char *name)
{
	if (m->job->frames)
		sim_enter(m->sim, "python_function", "", 0,
		    "torch/utils/checkpoint.py(%s", name);
}

static void
frame_end(struct model *m)
{
	if (m->job->frames)
		sim_leave(m->sim);
}

/* The first operator of the layer of operator LAST of the tape. */
static int
first_of(const struct model *m, int last)
{
	int first = last;

	while (first > 0 && m->tape[first - 1].layer == m->tape[last].layer)
		first--;
	return first;
}

/* Whether what the layer of X kept has to be made again. */
static int
is_kept(const struct model *m, const struct node *x)
{
	return !m->job->recompute || x->layer == m->job->layers;
}

/* Node X of the tape asks for what its layer did not keep. */
static void
ask(struct model *m, const struct node *x)
{
	/* a sum needs nothing of what it added */
	if (m->asked != x->layer + 1 || m->job->recompute != 1 ||
	    x->what == RESIDUAL)
		return;
	m->asked = 0;
	frame(m, "1129): unpack_hook");
	frame(m, "1580): recompute_fn");
	model_again(m, x->layer, first_of(m, (int)(x - m->tape)), 0);
	frame_end(m);
	frame_end(m);
}

static void
back_one(struct model *m, struct node *x)
{
	model_place(m, x->layer, BACKWARD + x->slot);
	back(m, x);
}

/*
 * The layer that ends with operator LAST of the tape is run again, then its own
 * backward pass.  Returns its first operator.
 */
static int
back_apart(struct model *m, int last)
{
	const struct node checkpoint = { .sequence = m->tape[last].sequence,
	    .m = model_tokens(m->job), .n = m->job->dim };
	const int first = first_of(m, last);

	model_place(m, m->tape[last].layer, BACKWARD + AFTER);
	begin(m, &checkpoint, "CheckpointFunctionBackward");
	frame(m, "304): backward");
	model_again(m, m->tape[last].layer, first, 1);
	for (int i = last; i >= first; i--)
		back_one(m, &m->tape[i]);
	frame_end(m);
	end(m);
	return first;
}

/* Backward through all of the tape. */
static void
pass(struct model *m)
{
	struct node *x;
	int64_t layer = m->job->layers;

	for (int i = m->length; i-- > 0;) {
		x = &m->tape[i];
		/* a bucket is full when its layer is done */
		if (m->job->network && m->job->overlap && x->layer != layer)
			reduce(m, layer);
		if (x->layer != layer && !is_kept(m, x))
			m->asked = x->layer + 1;
		layer = x->layer;
		if (m->job->recompute == 2 && !is_kept(m, x))
			i = back_apart(m, i);
		else
			back_one(m, x);
	}
	sim_free(m->sim, &m->passed);
}

void
model_backward(struct model *m)
{
	m->sim->thread = AUTOGRAD;
	if (m->job->twice) {
		m->sim->twice = 1;
		pass(m);
		m->sim->twice = 0;
	}
	pass(m);
	m->length = 0;
	for (int64_t layer = 0; m->job->network && !m->job->overlap &&
	    layer < m->job->layers; layer++) {
		int64_t all = m->unreduced;

		m->unreduced = all / (m->job->layers - layer) / 2 * 2;
		all -= m->unreduced;
		reduce(m, layer);
		m->unreduced = all;
	}
	if (m->job->network && m->job->overlap)
		reduce(m, m->job->layers + 1);
	m->unreduced = 0;
	m->sim->thread = MAIN;
	if (m->job->network)
		sim_order(m->sim, COMPUTE, COMM);
}
