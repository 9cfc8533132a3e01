#include <stdlib.h>
#include <string.h>

#include "../../../examples/file.h"
#include "plan.h"

#define PARTS_MAX 1024

const struct plan plan_usual = {
	.seed = 1, .runs = 20, .blocks = 3, .convs = 3, .conv = 900,
	.products = 2, .product = 700, .depthwise = 60, .clamp = 40,
	.softmax = 50, .transpose = 40, .gap = 15, .build = 0,
};

static uint64_t state;

/* From -N to N. */
static int64_t
around(int64_t n)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (int64_t)((state >> 33) % (uint64_t)(2 * n + 1)) - n;
}

/* Thousandths of a good run that each one takes. */
static int *
paces(const struct plan *p)
{
	int64_t n = p->runs, pace, own;
	int *list = malloc((size_t)n * sizeof *list);

	if (!list)
		die(5, "out of memory");
	state = (uint64_t)p->seed * 77777 + 5;
	for (int64_t i = 0; i < n; i++) {
		pace = 1000 + p->noise * around(500) / 100;
		own = around(500) + 500;
		pace += p->spread * own / 1000;
		if (!i)
			pace += p->cold;
		if (i == n / 2)
			pace += p->outlier;
		if (p->turn ? i / p->turn % 2 : own % 5 < 2)
			pace += p->modes;
		if (!p->step)
			pace += n > 1 ? p->drift * i / (n - 1) : 0;
		else if (i * 3 >= n * 2)
			pace += p->drift;
		list[i] = (int)pace;
	}
	return list;
}

static void
add(struct part *parts, size_t *n, struct part part)
{
	if (*n == PARTS_MAX)
		die(2, "more than %d parts", PARTS_MAX);
	parts[(*n)++] = part;
}

/* A kind of operator that SME2 has kernels for: it takes a seventh then. */
static void
add_packed(const struct plan *p, struct part *parts, size_t *n,
    const char *name, const char *packed, int64_t us, int64_t times)
{
	add(parts, n, (struct part){ name, p->inactive ? NULL : packed,
	    (int)us, 14, (int)times });
	add(parts, n, (struct part){ "Pack LH (X32)", p->inactive ? NULL :
	    "Pack LH (X32)", 0, 0, (int)times });
}

static void
add_plain(struct part *parts, size_t *n, const char *name, int64_t us)
{
	add(parts, n, (struct part){ name, NULL, (int)us, 100, 1 });
}

static void
add_portable(struct part *parts, size_t *n, const char *name, int64_t us)
{
	add_plain(parts, n, name, us);
	add_plain(parts, n, "OPERATOR_CALL", us ? 1 : 0);
}

static void
add_block(const struct plan *p, struct part *parts, size_t *n, int64_t block)
{
	static const char *const outside[] = {
		"native_call_native_layer_norm.out",
		"native_call_upsample_bilinear2d.vec_out",
		"native_call_mm.out", "native_call_gelu.out",
	};

	add_plain(parts, n, "Transpose (ND, X32)", p->transpose);
	add_plain(parts, n, "Convert (NC, F32, QD8)", p->convert);
	add_packed(p, parts, n, "Convolution (NHWC, F32) IGEMM",
	    "Convolution (NHWC, PF32) IGEMM", p->conv, p->convs);
	add_plain(parts, n, "Convolution (NHWC, F32) DWConv", p->depthwise);
	add_packed(p, parts, n, "Fully Connected (NC, F32) GEMM",
	    "Fully Connected (NC, PF32) GEMM", p->product, p->products);
	add_plain(parts, n, "Convolution (NHWC, F32) DWConv", block ? 0 :
	    p->slow);
	add_plain(parts, n, "Clamp (NC)", p->clamp);
	add_plain(parts, n, "Softmax (NC, F32)", p->softmax);
	add_plain(parts, n, "DELEGATE_CALL", p->gap);
	add_portable(parts, n, outside[block % 4], p->portable);
	add_portable(parts, n, "native_call_permute_copy.out", p->copy);
}

/* What takes no time is not there; frames of nothing neither, nor operators
 * that a SILENT delegate ran. */
static void
prune(struct experiment *e, int64_t silent)
{
	int kept = 0;

	for (int i = 0; i < e->count; i++) {
		struct node *node = &e->nodes[i];
		int64_t sum = 0;

		for (int run = 0; run < (node->once ? 1 : e->runs); run++)
			sum += node->ns[run];
		if (sum && (!silent || !strcmp(node->backend, "portable"))) {
			e->nodes[kept++] = *node;
		} else {
			free(node->start_ns);
			free(node->ns);
		}
	}
	e->count = kept;
}

void
plan_play(const struct plan *p, int sme2, struct experiment *e)
{
	static struct platform platform = { "mac", 1, -1, 0,
	    "Note (XNNPACK): ", 0, NULL };
	struct part parts[PARTS_MAX];
	struct model model = { parts, 0 };
	int *pace = paces(p);

	for (int64_t i = 0; i < p->blocks; i++)
		add_block(p, parts, &model.count, i);
	add_plain(parts, &model.count, "Method::execute", 5);
	platform.noise = (int)p->noise;
	platform.pace = pace;
	play(e, &model, &platform, sme2, (int)p->runs, (uint64_t)p->seed);
	platform.pace = NULL;
	free(pace);
	prune(e, p->silent);
}

static enum part_of_run
part_of(const struct node *n)
{
	static const char *const moves[] = { "Transpose", "Convert", "Pack" };

	if (!strcmp(n->backend, "portable"))
		return PORTABLE;
	for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
		if (!strncmp(n->name, moves[i], strlen(moves[i])))
			return MOVEMENT;
	return OPERATORS;
}

void
plan_measure(const struct experiment *e, struct outcome *out)
{
	memset(out, 0, sizeof *out);
	for (int run = 0; run < e->runs; run++) {
		int64_t delegated = 0;

		for (int i = 0; i < e->count; i++) {
			const struct node *n = &e->nodes[i];

			if (n->once)
				continue;
			if (!strcmp(n->name, "DELEGATE_CALL")) {
				out->parts[GAP] += n->ns[run] - delegated;
				delegated = 0;
			}
			if (is_frame(n->name))
				continue;
			out->rows++;
			out->busy += n->ns[run];
			out->parts[part_of(n)] += n->ns[run];
			if (part_of(n) != PORTABLE)
				delegated += n->ns[run];
		}
		out->span += latency_ns(e, run);
	}
	out->parts[FRAMEWORK] = out->span;
	for (int i = 0; i < FRAMEWORK; i++)
		out->parts[FRAMEWORK] -= out->parts[i];
}
