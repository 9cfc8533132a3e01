/* play - the events of a made-up model, run by run */
#include <stdlib.h>
#include <string.h>

#include "mketdump.h"

#define US 1000
#define XNN "XnnpackBackend"

static const struct part parts[] = {
	{ "Transpose (ND, X32)", NULL, 210, 100, 1 },
	{ "Convolution (NHWC, F32) IGEMM", "Convolution (NHWC, PF32) IGEMM",
	    2400, 14, 3 },
	{ "Convolution (NHWC, F32) DWConv", NULL, 380, 100, 2 },
	{ "Convolution (NHWC, F32) GEMM", "Convolution (NHWC, PF32) GEMM",
	    1900, 16, 2 },
	{ "Pack LH (X32)", "Pack LH (X32)", 0, 0, 2 },
	{ "Clamp (NC)", NULL, 60, 100, 2 },
	{ "DELEGATE_CALL", NULL, 90, 100, 1 },
	{ "native_call_native_layer_norm.out", NULL, 640, 100, 1 },
	{ "OPERATOR_CALL", NULL, 1, 100, 1 },
	{ "native_call_permute_copy.out", NULL, 310, 100, 1 },
	{ "OPERATOR_CALL", NULL, 1, 100, 1 },
	{ "Fully Connected (NC, F32) GEMM", "Fully Connected (NC, PF32) GEMM",
	    3100, 12, 4 },
	{ "Pack LH (X32)", "Pack LH (X32)", 0, 0, 4 },
	{ "GELU (NC)", NULL, 240, 100, 2 },
	{ "Softmax (NC, F32)", NULL, 350, 100, 1 },
	{ "Transpose (ND, X32)", NULL, 450, 100, 2 },
	{ "DELEGATE_CALL", NULL, 140, 100, 1 },
	{ "native_call_upsample_bilinear2d.vec_out", NULL, 520, 100, 1 },
	{ "OPERATOR_CALL", NULL, 1, 100, 1 },
	{ "Method::execute", NULL, 5, 100, 1 },
};
const struct model segment = { parts, sizeof parts / sizeof *parts };

/* A pass over the operands of each packed kernel; without SME2 there is
 * none. */
#define PACK_US 55

static uint64_t state;

/* About N percent of NS, 0 to 2 N of them. */
static int64_t
jitter(int64_t ns, int n)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return ns * (int64_t)(state >> 33) / ((int64_t)1 << 31) * 2 * n / 100;
}

/* How run RUN differs from a good one, in thousandths. */
static int
pace(const struct experiment *e, int run)
{
	const struct platform *p = e->platform;
	int pace = 1000 + run * 7 % 23;

	if (p->pace)
		return p->pace[run];
	if (!run)
		pace += 90;
	if (run == p->outlier)
		pace += 600;
	if (p->throttles && run * 3 >= e->runs * 2)
		pace += 130;
	return pace;
}

static struct node *
new_node(struct experiment *e, const char *name, const char *backend)
{
	struct node *n = &e->nodes[e->count];
	size_t bytes = (size_t)e->runs * sizeof *n->ns;

	if (e->count++ == NODES_MAX)
		die(2, "more than %d events in a run", NODES_MAX);
	memset(n, 0, sizeof *n);
	n->name = name;
	n->backend = backend;
	n->start_ns = malloc(bytes);
	n->ns = malloc(bytes);
	if (!n->start_ns || !n->ns)
		die(5, "out of memory");
	return n;
}

/* What one operator takes; delegates count in whole microseconds. */
static int64_t
cost(const struct experiment *e, const struct part *p, int run, int whole)
{
	int64_t us = p->us, ns;

	if (e->sme2 && p->packed_name)
		us = p->us ? us * p->packed / 100 : PACK_US;
	ns = us * US * e->platform->slow * pace(e, run) / 1000;
	ns += jitter(ns, e->platform->noise);
	return whole ? ns / US * US : ns;
}

int
is_frame(const char *name)
{
	return !strcmp(name, "DELEGATE_CALL") ||
	    !strcmp(name, "OPERATOR_CALL") || !strcmp(name, "Method::execute");
}

/* How often NAME stood in this part so far, and now. */
static int
number(const struct experiment *e, int from, const char *name)
{
	int n = 1;

	for (int i = from; i < e->count; i++)
		n += !strcmp(e->nodes[i].name, name);
	return n;
}

/* A node of part P, in a part of the model that began at node FROM. */
static void
add_operator(struct experiment *e, const struct part *p, int from,
    int64_t *now)
{
	int portable = !strncmp(p->name, "native_call_", 12);
	const char *name = e->sme2 && p->packed_name ? p->packed_name :
	    p->name;
	int k = number(e, from, name);
	struct node *n = new_node(e, name, portable ? "portable" : XNN);

	n->number = portable ? 0 : k;
	for (int run = 0; run < e->runs; run++) {
		n->ns[run] = cost(e, p, run, !portable);
		n->start_ns[run] = now[run];
		now[run] += n->ns[run];
	}
}

/* A frame around what was added since SINCE. */
static void
add_frame(struct experiment *e, const struct part *p, const int64_t *since,
    int64_t *now)
{
	struct node *n = new_node(e, p->name, "portable");

	for (int run = 0; run < e->runs; run++) {
		now[run] += cost(e, p, run, 0);
		n->start_ns[run] = since[run];
		n->ns[run] = now[run] - since[run];
	}
}

static void
add_load(struct experiment *e, const char *name, int64_t start_ns,
    int64_t ns)
{
	struct node *n = new_node(e, name, "portable");

	n->once = 1;
	n->start_ns[0] = start_ns;
	n->ns[0] = ns;
}

void
play(struct experiment *e, const struct model *model,
    const struct platform *platform, int sme2, int runs, uint64_t seed)
{
	int64_t *now = malloc((size_t)runs * sizeof *now);
	int64_t *since = malloc((size_t)runs * sizeof *since);
	int64_t *begin = malloc((size_t)runs * sizeof *begin);
	int from;

	if (!now || !since || !begin)
		die(5, "out of memory");
	memset(e, 0, sizeof *e);
	e->platform = platform;
	e->sme2 = sme2;
	e->runs = runs;
	state = seed * 2 + (uint64_t)sme2;
	add_load(e, "Method::init", 358370000000, 18442117);
	add_load(e, "Program::load_method", 358369980000, 18470206);
	for (int run = 0; run < runs; run++)
		now[run] = since[run] = begin[run] = 358400000000 +
		    (int64_t)run * 400000000;
	from = e->count;
	for (size_t i = 0; i < model->count; i++) {
		const struct part *p = &model->parts[i];

		if (!strcmp(p->name, "Method::execute")) {
			add_frame(e, p, begin, now);
		} else if (is_frame(p->name)) {
			add_frame(e, p, since, now);
			memcpy(since, now, (size_t)runs * sizeof *now);
			from = e->count;
		} else if (p->us || sme2 || !p->packed_name) {
			for (int k = 0; k < p->times; k++)
				add_operator(e, p, from, now);
		}
	}
	free(now);
	free(since);
	free(begin);
}

int64_t
latency_ns(const struct experiment *e, int run)
{
	return e->nodes[e->count - 1].ns[run];
}

void
release(struct experiment *e)
{
	for (int i = 0; i < e->count; i++) {
		free(e->nodes[i].start_ns);
		free(e->nodes[i].ns);
	}
}
