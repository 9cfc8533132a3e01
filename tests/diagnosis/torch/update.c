#include <inttypes.h>

#include "model.h"
#include "names.h"

/* Elements that one kernel of the fused optimizer updates. */
#define CHUNKS (320 * INT64_C(65536))

/* What AdamW does to a parameter: tensors moved, and how it is called. */
static const struct {
	const char *op, *kernel, *rest;
	int tensors, moved;
} adam[] = {
	{ "aten::mul_", VECTORIZED(SCALE, 2), " s0.9999", 1, 2 },
	{ "aten::lerp_", VECTORIZED("lerp_scalar_kernel" LAMBDA, 3), " s0.1",
	    2, 3 },
	{ "aten::mul_", VECTORIZED(SCALE, 2), " s0.999", 1, 2 },
	{ "aten::addcmul_", VECTORIZED("addcmul_cuda_kernel" LAMBDA, 4),
	    " s0.001", 3, 3 },
	{ "aten::sqrt", VECTORIZED("sqrt_kernel_cuda" LAMBDA, 2), "", 1, 2 },
	{ "aten::div_", VECTORIZED(SCALE, 2), " s0.99", 1, 2 },
	{ "aten::add_", VECTORIZED("CUDAFunctorOnSelf_add<c10::BFloat16>", 2),
	    " s1e-08 s1", 1, 2 },
	{ "aten::addcdiv_", VECTORIZED("addcdiv_cuda_kernel" LAMBDA, 4),
	    " s-0.001", 3, 4 },
};

struct parameter {
	int64_t rows, n;	/* n: 0 where there is one dimension */
};

/* The parameters of a layer, to P; how many there are. */
static int
of_layer(const struct job *job, struct parameter *p)
{
	const int64_t d = job->dim;
	const struct parameter all[] = { { d, 0 }, { d, 0 }, { 3 * d, d },
		{ 3 * d, 0 }, { d, d }, { d, 0 }, { d, 0 }, { d, 0 },
		{ job->ff, d }, { job->ff, 0 }, { d, job->ff }, { d, 0 } };
	const int count = sizeof(all) / sizeof(all[0]);

	for (int i = 0; i < count; i++)
		p[i] = all[i];
	return count;
}

/* The same of what comes before and behind all layers. */
static int
of_ends(const struct job *job, struct parameter *p)
{
	p[0] = (struct parameter){ job->vocab, job->dim };
	p[1] = p[2] = (struct parameter){ job->dim, 0 };
	p[3] = (struct parameter){ job->vocab, job->dim };
	return 4;
}

static int64_t
elements(const struct parameter *p)
{
	return p->rows * (p->n ? p->n : 1);
}

/* As for (p in parameters) has it: eight kernels each. */
static void
update_one(struct model *m, const struct parameter *p)
{
	const int64_t n = elements(p);
	char one[48], words[200];
	int len;

	snprintf(one, sizeof(one), p->n ? "b%" PRId64 "x%" PRId64 :
	    "b%" PRId64, p->rows, p->n);
	for (size_t i = 0; i < sizeof(adam) / sizeof(adam[0]); i++) {
		len = 0;
		for (int t = 0; t < adam[i].tensors; t++)
			len += snprintf(words + len, sizeof(words) -
			    (size_t)len, "%s%s", t ? " " : "", one);
		snprintf(words + len, sizeof(words) - (size_t)len, "%s",
		    adam[i].rest);
		model_python(m);
		sim_call(m->sim, 0, adam[i].op, "%s", words);
		model_moves(m, adam[i].kernel, 2 * adam[i].moved * n, n);
		sim_return(m->sim);
	}
}

static void
update_fused(struct model *m)
{
	struct parameter p[16];
	int64_t rest = 0, all, part;
	int count;

	count = of_layer(m->job, p);
	for (int i = 0; i < count; i++)
		rest += m->job->layers * elements(&p[i]);
	count = of_ends(m->job, p);
	for (int i = 0; i < count; i++)
		rest += elements(&p[i]);
	all = rest + 1;
	model_python(m);
	sim_call(m->sim, 0, "aten::_fused_adamw_", "v v v v v v s0.0001 s0.9 "
	    "s0.999 s0.01 s1e-08 sFalse sFalse n n");
	for (; rest > 0; rest -= part) {
		part = rest < CHUNKS ? rest : CHUNKS;
		if (m->job->turns)
			sim_gpu(m->sim, (int)(rest * m->job->gpus / all));
		/* four are read, three are written */
		model_moves(m, ADAM_KERNEL, 14 * part, 320 * 512);
	}
	sim_return(m->sim);
}

void
model_update(struct model *m)
{
	const int64_t layers = m->job->layers;
	struct parameter p[16];
	int count;

	sim_enter(m->sim, "user_annotation", "", 0,
	    "Optimizer.step#AdamW.step");
	model_place(m, layers, UPDATE);
	if (m->job->fused)
		update_fused(m);
	for (int64_t layer = 0; !m->job->fused && layer <= layers; layer++) {
		count = layer < layers ? of_layer(m->job, p) :
		    of_ends(m->job, p);
		model_place(m, layer, UPDATE);
		for (int i = 0; i < count; i++)
			update_one(m, &p[i]);
	}
	sim_leave(m->sim);
	sim_enter(m->sim, "user_annotation", "", 0,
	    "Optimizer.zero_grad#AdamW.zero_grad");
	sim_host(m->sim, PYTHON, 30000);
	while (m->gradient_count)
		sim_free(m->sim, &m->gradients[--m->gradient_count]);
	sim_leave(m->sim);
}
