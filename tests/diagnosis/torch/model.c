#include <inttypes.h>
#include <string.h>

#include "../../../examples/file.h"
#include "model.h"
#include "names.h"

/* One tensor in and one out, or two in. */
static const struct pointwise scale = {
	"aten::mul", VECTORIZED(SCALE, 2), "s0.088388347648318447",
	"MulBackward0", "aten::mul", VECTORIZED(SCALE, 2), 1
}, gelu = {
	"aten::gelu", VECTORIZED("GeluCUDAKernelImpl(at::TensorIteratorBase&, "
	    "at::native::GeluType)::{lambda()#2}::operator()() const::"
	    "{lambda()#4}::operator()() const::{lambda(c10::BFloat16)#1}", 2),
	"stanh", "GeluBackward0", "aten::gelu_backward",
	VECTORIZED("GeluBackwardCUDAKernelImpl(at::TensorIteratorBase&, "
	    "at::native::GeluType)::{lambda()#2}::operator()() const::"
	    "{lambda()#4}::operator()() const::{lambda(c10::BFloat16, "
	    "c10::BFloat16)#1}", 3), 1
};

/* gelu(x + bias) as it is written by hand, and dropout behind it. */
static const struct pointwise by_hand[] = {
	{ "aten::add", VECTORIZED("CUDAFunctor_add<c10::BFloat16>", 3),
	    "bias", "AddBackward0", NULL, NULL, 1 },
	{ "aten::pow", VECTORIZED("(anonymous namespace)::pow_tensor_scalar_"
	    "kernel_impl<c10::BFloat16, c10::BFloat16>" LAMBDA, 2), "s3",
	    "PowBackward0", "aten::mul", VECTORIZED(MULTIPLY, 3), 1 },
	{ "aten::mul", VECTORIZED(SCALE, 2), "s0.044715", "MulBackward0",
	    "aten::mul", VECTORIZED(SCALE, 2), 1 },
	{ "aten::add", VECTORIZED("CUDAFunctor_add<c10::BFloat16>", 3), "",
	    "AddBackward0", NULL, NULL, 2 },
	{ "aten::mul", VECTORIZED(SCALE, 2), "s0.79788456080286541",
	    "MulBackward0", "aten::mul", VECTORIZED(SCALE, 2), 1 },
	{ "aten::tanh", VECTORIZED("tanh_kernel_cuda" LAMBDA, 2), NULL,
	    "TanhBackward0", "aten::tanh_backward",
	    VECTORIZED("tanh_backward_kernel_cuda" LAMBDA, 3), 1 },
	{ "aten::add", VECTORIZED("CUDAFunctorOnSelf_add<c10::BFloat16>", 2),
	    "s1", "AddBackward0", NULL, NULL, 1 },
	{ "aten::mul", VECTORIZED(SCALE, 2), "s0.5", "MulBackward0",
	    "aten::mul", VECTORIZED(SCALE, 2), 1 },
	{ "aten::mul", VECTORIZED(MULTIPLY, 3), "", "MulBackward0",
	    "aten::mul", VECTORIZED(MULTIPLY, 3), 2 },
	{ "aten::native_dropout", "void at::native::(anonymous namespace)::"
	    "fused_dropout_kernel_vec<c10::BFloat16, float, unsigned int, 1, "
	    "8, bool>(at::cuda::detail::TensorInfo<c10::BFloat16 const, "
	    "unsigned int>, at::cuda::detail::TensorInfo<c10::BFloat16, "
	    "unsigned int>, at::cuda::detail::TensorInfo<bool, unsigned int>, "
	    "unsigned int, float, at::PhiloxCudaState)", "s0.1 sTrue",
	    "NativeDropoutBackward0", "aten::native_dropout_backward",
	    VECTORIZED("masked_scale_kernel<bool, c10::BFloat16>" LAMBDA, 3),
	    1 },
};

int64_t
model_tokens(const struct job *job)
{
	return job->batch * job->seq;
}

/* Keys that each token sees. */
static int64_t
keys(const struct job *job)
{
	return job->cached ? job->cached : job->seq;
}

void
model_move(struct model *m, int gpu)
{
	const int64_t n = model_tokens(m->job);
	struct kernel kernel;

	if (!m->job->turns || gpu == m->sim->gpu)
		return;
	kernel = chip_peer(2 * n * m->job->dim);
	model_python(m);
	sim_call(m->sim, 0, "aten::copy_", "b%" PRId64 "x%" PRId64 " b%"
	    PRId64 "x%" PRId64 " sFalse", n, m->job->dim, n, m->job->dim);
	sim_pass(m->sim, gpu, &kernel);
	sim_return(m->sim);
}

/* The GPU that has LAYER; what comes before all is on the first. */
static int
gpu_of(const struct job *job, int64_t layer, int64_t slot)
{
	if (layer >= job->layers)
		return slot % BACKWARD == NORM1 ? 0 : (int)job->gpus - 1;
	return (int)(layer * job->gpus / job->layers);
}

void
model_place(struct model *m, int64_t layer, int64_t slot)
{
	m->layer = layer;
	m->slot = slot;
	sim_place(m->sim, layer, slot + (m->again ? AGAIN : 0));
	if (slot % BACKWARD <= ADD2 || slot == HEAD)
		model_move(m, gpu_of(m->job, layer, slot));
}

/* Put an operator of KIND on the tape, if there will be a backward pass. */
static struct node *
remember(struct model *m, int kind)
{
	struct node *node;

	memset(&m->spare, 0, sizeof(m->spare));
	if (!m->job->train)
		return &m->spare;
	if (m->again) {
		node = &m->tape[m->again++ - 1];
		m->spare.sequence = ++m->sim->back_sequence;
		/* whose backward pass is of the second run */
		if (m->job->recompute == 2)
			node->sequence = m->spare.sequence;
		return &m->spare;
	}
	if (m->length == TAPE)
		die(5, "tape too short");
	node = &m->tape[m->length++];
	memset(node, 0, sizeof(*node));
	node->what = (unsigned)kind;
	node->layer = m->layer;
	node->slot = m->slot;
	node->sequence = ++m->sim->sequence;
	return node;
}

void
model_python(struct model *m)
{
	sim_host(m->sim, PYTHON, m->job->python);
}

static void
frame(struct model *m, const char *name, int64_t number)
{
	if (!m->job->frames)
		return;
	sim_enter(m->sim, "python_function", "", 0, "nn.Module: %s_%" PRId64,
	    name, number);
	sim_host(m->sim, PYTHON, 300);
}

static void
frame_end(struct model *m)
{
	if (m->job->frames)
		sim_leave(m->sim);
}

/* torch.profiler.record_function() */
static void
region(struct model *m, const char *name)
{
	if (m->job->regions)
		sim_enter(m->sim, "user_annotation", "", 0, "%s", name);
}

static void
region_end(struct model *m)
{
	if (m->job->regions)
		sim_leave(m->sim);
}

int64_t
model_bytes(const struct job *job, const struct node *x)
{
	const int64_t least = 2 * model_tokens(job) * job->dim;
	const int64_t bytes = 2 * (x->batch ? x->batch : 1) * x->m * x->n;

	return bytes > least ? bytes : least;
}

void
model_launch(struct model *m, struct kernel kernel)
{
	const int last = m->again ? m->again - 1 : m->length;
	struct node *x = last ? &m->tape[last - 1] : NULL;

	/* the first kernel of an operator has where to put its result */
	if (m->job->memory && x && !x->out.bytes &&
	    (m->sim->thread == MAIN || m->again))
		x->out = sim_allocate(m->sim, model_bytes(m->job, x), 1);
	sim_launch(m->sim, &kernel);
}

void
model_moves(struct model *m, const char *name, int64_t bytes, int64_t n)
{
	model_launch(m, chip_moves(m->job, name, bytes, n));
}

/* x[M,K] by a weight [N,K]. */
static void
linear(struct model *m, int64_t rows, int64_t n, int64_t k, int bias)
{
	struct node *node;

	node = remember(m, LINEAR);
	node->m = rows;
	node->n = n;
	node->k = k;
	node->bias = bias;
	model_python(m);
	frame(m, "Linear", 4 * m->layer + m->slot % 4);
	sim_call(m->sim, 0, "aten::linear", bias ? "b%" PRId64 "x%" PRId64
	    " b%" PRId64 "x%" PRId64 " b%" PRId64 : "b%" PRId64 "x%" PRId64
	    " b%" PRId64 "x%" PRId64 " n", rows, k, n, k, n);
	if (bias)
		sim_call(m->sim, node->sequence, "aten::addmm", "b%" PRId64
		    " b%" PRId64 "x%" PRId64 " b%" PRId64 "x%" PRId64
		    "t s1 s1", n, rows, k, k, n);
	else
		sim_call(m->sim, node->sequence, "aten::mm", "b%" PRId64 "x%"
		    PRId64 " b%" PRId64 "x%" PRId64 "t", rows, k, k, n);
	model_launch(m, chip_matrix(m->job, 1, rows, n, k, TN, bias));
	sim_return(m->sim);
	sim_return(m->sim);
	frame_end(m);
}

/* An operator that ends when it asks to keep something: all is there again. */
static void
unfinished(struct model *m, const char *name)
{
	model_python(m);
	sim_call(m->sim, ++m->sim->back_sequence, name, "n");
	sim_return(m->sim);
}

/* B products of [M,K] by [K,N]. */
static void
bmm(struct model *m, int64_t batch, int64_t rows, int64_t n, int64_t k,
    int turned)
{
	struct node *node;

	node = remember(m, PRODUCT);
	node->batch = batch;
	node->m = rows;
	node->n = n;
	node->k = k;
	model_python(m);
	sim_call(m->sim, 0, "aten::matmul", "b%" PRId64 "x%" PRId64 "x%"
	    PRId64 "x%" PRId64 " b%" PRId64 "x%" PRId64 "x%" PRId64 "x%"
	    PRId64 "%s", m->job->batch, m->job->heads, rows, k,
	    m->job->batch, m->job->heads, k, n, turned ? "t" : "");
	sim_call(m->sim, node->sequence, "aten::bmm", "b%" PRId64 "x%" PRId64
	    "x%" PRId64 " b%" PRId64 "x%" PRId64 "x%" PRId64 "%s", batch,
	    rows, k, batch, k, n, turned ? "t" : "");
	model_launch(m, chip_matrix(m->job, batch, rows, n, k,
	    turned ? TN : NN, 0));
	sim_return(m->sim);
	sim_return(m->sim);
}

static void
pointwise(struct model *m, const struct pointwise *p, int64_t rows, int64_t n)
{
	struct node *node;
	char second[64];

	node = remember(m, POINTWISE);
	node->m = rows;
	node->n = n;
	node->pointwise = p;
	/* another of the same shape, the bias of a column, or as it says */
	if (p->second && !p->second[0])
		snprintf(second, sizeof(second), " b%" PRId64 "x%" PRId64 "%s",
		    rows, n, strcmp(p->op, "aten::add") == 0 ? " s1" : "");
	else if (p->second && strcmp(p->second, "bias") == 0)
		snprintf(second, sizeof(second), " b%" PRId64 " s1", n);
	else
		snprintf(second, sizeof(second), "%s%s", p->second ? " " : "",
		    p->second ? p->second : "");
	model_python(m);
	sim_call(m->sim, node->sequence, p->op, "b%" PRId64 "x%" PRId64 "%s",
	    rows, n, second);
	model_moves(m, p->kernel, 2 * (p->reads + 1) * rows * n, rows * n);
	sim_return(m->sim);
}

static void
norm(struct model *m)
{
	const int64_t t = model_tokens(m->job), d = m->job->dim;
	struct node *node;

	node = remember(m, NORM);
	node->m = t;
	node->n = d;
	model_python(m);
	frame(m, "LayerNorm", 2 * m->layer + (m->slot != NORM1));
	sim_call(m->sim, 0, "aten::layer_norm", "b%" PRId64 "x%" PRId64
	    " i[%" PRId64 "] b%" PRId64 " b%" PRId64 " s1.0e-05 sTrue", t, d,
	    d, d, d);
	sim_call(m->sim, node->sequence, "aten::native_layer_norm", "b%"
	    PRId64 "x%" PRId64 " i[%" PRId64 "] b%" PRId64 " b%" PRId64
	    " s1.0e-05", t, d, d, d, d);
	model_moves(m, NORM_KERNEL, 4 * t * d, 128 * t);
	sim_return(m->sim);
	sim_return(m->sim);
	frame_end(m);
}

static void
residual(struct model *m)
{
	const int64_t t = model_tokens(m->job), d = m->job->dim;
	struct node *node;

	node = remember(m, RESIDUAL);
	node->m = t;
	node->n = d;
	model_python(m);
	sim_call(m->sim, node->sequence, "aten::add", "b%" PRId64 "x%" PRId64
	    " b%" PRId64 "x%" PRId64 " s1", t, d, t, d);
	model_moves(m, ADD_KERNEL, 6 * t * d, t * d);
	sim_return(m->sim);
}

/* Query, key and value of the heads, as words. */
static void
heads(const struct job *job, char *words, size_t size)
{
	const int64_t each = job->dim / job->heads;

	snprintf(words, size, "b%" PRId64 "x%" PRId64 "x%" PRId64 "x%" PRId64
	    " b%" PRId64 "x%" PRId64 "x%" PRId64 "x%" PRId64 " b%" PRId64
	    "x%" PRId64 "x%" PRId64 "x%" PRId64, job->batch, job->heads,
	    job->seq, each, job->batch, job->heads, keys(job), each,
	    job->batch, job->heads, keys(job), each);
}

/* Bytes of query and output, key and value. */
static int64_t
heads_bytes(const struct job *job)
{
	return 4 * job->batch * job->dim * (job->seq + keys(job));
}

static void
flash(struct model *m)
{
	const struct job *job = m->job;
	struct node *node;
	char words[200];

	node = remember(m, FLASH);
	heads(job, words, sizeof(words));
	model_python(m);
	sim_call(m->sim, 0, "aten::scaled_dot_product_attention",
	    "%s n s0. sFalse n sFalse", words);
	sim_call(m->sim, node->sequence,
	    "aten::_scaled_dot_product_flash_attention",
	    "%s s0. sFalse sFalse n", words);
	sim_call(m->sim, 0, "aten::_flash_attention_forward",
	    "%s n n s%" PRId64 " s%" PRId64 " s0. sFalse sFalse n n n n n",
	    words, job->seq, keys(job));
	model_launch(m, chip_flash(job,
	    job->seq == 1 ? FLASH_SPLIT : FLASH_KERNEL,
	    4 * job->batch * job->seq * keys(job) * job->dim,
	    heads_bytes(job)));
	sim_return(m->sim);
	sim_return(m->sim);
	sim_return(m->sim);
}

static void
softmax(struct model *m, int64_t rows, int64_t n)
{
	const struct job *job = m->job;
	struct node *node;

	node = remember(m, SOFTMAX);
	node->m = rows;
	node->n = n;
	model_python(m);
	sim_call(m->sim, 0, "aten::softmax", "b%" PRId64 "x%" PRId64 "x%"
	    PRId64 "x%" PRId64 " s-1 n", job->batch, job->heads, job->seq, n);
	sim_call(m->sim, node->sequence, "aten::_softmax", "b%" PRId64 "x%"
	    PRId64 "x%" PRId64 "x%" PRId64 " s-1 sFalse", job->batch,
	    job->heads, job->seq, n);
	model_moves(m, SOFTMAX_KERNEL, 4 * rows * n, 512 * rows);
	sim_return(m->sim);
	sim_return(m->sim);
}

static void
attention(struct model *m)
{
	const struct job *job = m->job;
	const int64_t of = job->batch * job->heads;
	const int64_t each = job->dim / job->heads;

	model_place(m, m->layer, ATTENTION);
	if (job->flash) {
		flash(m);
		return;
	}
	bmm(m, of, job->seq, keys(job), each, 1);
	pointwise(m, &scale, of * job->seq, keys(job));
	softmax(m, of * job->seq, keys(job));
	bmm(m, of, job->seq, each, keys(job), 0);
}

/* What the compiler makes of by_hand: one kernel. */
static void
compiled(struct model *m, int64_t rows, int64_t n)
{
	static const char name[] =
	    "triton_poi_fused_add_gelu_native_dropout_0";
	struct node *node;

	node = remember(m, COMPILED);
	node->m = rows;
	node->n = n;
	model_python(m);
	sim_call(m->sim, node->sequence, name, "b%" PRId64 "x%" PRId64 " b%"
	    PRId64 " b%" PRId64 "x%" PRId64 " s%" PRId64, rows, n, n, rows, n,
	    rows * n);
	model_moves(m, name, 4 * rows * n, rows * n);
	sim_return(m->sim);
}

static void
activate(struct model *m)
{
	const int64_t t = model_tokens(m->job), n = m->job->ff;
	const size_t count = sizeof(by_hand) / sizeof(by_hand[0]);

	model_place(m, m->layer, ACTIVATE);
	if (m->job->activation == 0)
		pointwise(m, &gelu, t, n);
	else if (m->job->activation == 2)
		compiled(m, t, n);
	else
		for (size_t i = 0; i < count; i++)
			pointwise(m, &by_hand[i], t, n);
}

void
model_item(struct model *m)
{
	struct kernel copy = { .name = "Memcpy DtoH (Device -> Pageable)",
	    .part = COPY, .stream = COMPUTE, .ns = 1600, .bytes = 2 };

	model_python(m);
	sim_call(m->sim, 0, "aten::item", "b");
	sim_call(m->sim, 0, "aten::_local_scalar_dense", "b");
	sim_launch(m->sim, &copy);
	sim_synchronise(m->sim, 0);
	sim_return(m->sim);
	sim_return(m->sim);
}

static void
inside(struct model *m, int64_t layer, int whole)
{
	const struct job *job = m->job;
	const int64_t t = model_tokens(job);

	frame(m, "Block", layer);
	model_place(m, layer, NORM1);
	norm(m);
	model_place(m, layer, QKV);
	region(m, "attention");
	linear(m, t, 3 * job->dim, job->dim, 1);
	attention(m);
	model_place(m, layer, PROJECTION);
	linear(m, t, job->dim, job->dim, 1);
	region_end(m);
	model_place(m, layer, ADD1);
	residual(m);
	model_place(m, layer, NORM2);
	norm(m);
	region(m, "mlp");
	model_place(m, layer, UP);
	linear(m, t, job->ff, job->dim, job->activation == 0);
	activate(m);
	model_place(m, layer, DOWN);
	if (whole)
		linear(m, t, job->dim, job->ff, 1);
	else
		unfinished(m, "aten::addmm");
	region_end(m);
	model_place(m, layer, ADD2);
	if (whole)
		residual(m);
	frame_end(m);
}

/* Of LAYER only what comes out of it is kept. */
static void
forget(struct model *m, int64_t layer)
{
	for (int i = m->length - 1; i-- > 0 && m->tape[i].layer == layer;)
		sim_free(m->sim, &m->tape[i].out);
}

static void
block(struct model *m, int64_t layer)
{
	const struct job *job = m->job;
	const int apart = job->train && job->recompute == 2;
	const int64_t sequence = apart ? ++m->sim->sequence : 0;

	if (apart) {
		sim_call(m->sim, sequence, "CheckpointFunction",
		    "b%" PRId64 "x%" PRId64, model_tokens(job), job->dim);
		m->sim->without = 1;
	}
	inside(m, layer, 1);
	if (apart) {
		m->sim->without = 0;
		sim_return(m->sim);
		m->tape[m->length - 1].sequence = sequence;
	}
	if (job->recompute)
		forget(m, layer);
	model_place(m, layer, AFTER);
	if (job->wait_layer)
		model_item(m);
	sim_host(m->sim, PYTHON, job->build_layer);
}

void
model_again(struct model *m, int64_t layer, int first, int whole)
{
	const int64_t place = m->sim->place;
	int64_t drawn[KIND_COUNT];

	/* what is not run again draws the same */
	memcpy(drawn, m->sim->drawn, sizeof(drawn));
	m->again = first + 1;
	m->sim->again = 1;
	inside(m, layer, whole);
	m->sim->again = 0;
	m->again = 0;
	m->sim->place = place;
	memcpy(m->sim->drawn, drawn, sizeof(drawn));
}

static void
embed(struct model *m)
{
	const struct job *job = m->job;
	struct node *node;

	node = remember(m, EMBEDDING);
	node->m = model_tokens(job);
	node->n = job->dim;
	model_python(m);
	sim_call(m->sim, node->sequence, "aten::embedding", "b%" PRId64 "x%"
	    PRId64 " l%" PRId64 " s-1 sFalse sFalse", job->vocab, job->dim,
	    model_tokens(job));
	sim_call(m->sim, 0, "aten::index_select", "b%" PRId64 "x%" PRId64
	    " s0 l%" PRId64, job->vocab, job->dim, model_tokens(job));
	model_moves(m, GATHER, 4 * model_tokens(job) * job->dim,
	    model_tokens(job) * job->dim);
	sim_return(m->sim);
	sim_return(m->sim);
}

static void
lose(struct model *m)
{
	const struct job *job = m->job;
	const int64_t t = model_tokens(job), v = job->vocab;
	struct node *node;

	node = remember(m, LOSS);
	node->m = t;
	node->n = v;
	model_python(m);
	sim_call(m->sim, 0, "aten::cross_entropy_loss", "b%" PRId64 "x%"
	    PRId64 " l%" PRId64 " n s1 s-100 s0.", t, v, t);
	sim_call(m->sim, node->sequence, "aten::_log_softmax", "b%" PRId64
	    "x%" PRId64 " s1 sFalse", t, v);
	model_moves(m, LOG_SOFTMAX, 4 * t * v, 1024 * t);
	sim_return(m->sim);
	sim_call(m->sim, ++m->sim->sequence, "aten::nll_loss_forward", "b%"
	    PRId64 "x%" PRId64 " l%" PRId64 " n s1 s-100", t, v, t);
	model_moves(m, NLL_KERNEL, 12 * t, 32);
	sim_return(m->sim);
	sim_return(m->sim);
}

void
model_forward(struct model *m)
{
	const struct job *job = m->job;

	m->length = 0;
	frame(m, "Transformer", 0);
	model_place(m, job->layers, NORM1);
	embed(m);
	for (int64_t i = 0; i < job->layers; i++)
		block(m, i);
	model_place(m, job->layers, NORM2);
	norm(m);
	model_place(m, job->layers, HEAD);
	linear(m, model_tokens(job), job->vocab, job->dim, 0);
	frame_end(m);
	model_place(m, job->layers, LOST);
	if (job->train)
		lose(m);
}
