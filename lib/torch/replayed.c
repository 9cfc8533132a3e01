/* replayed - what a run would gain if work on the GPU took less, by replay */
#include <tp/alloc.h>
#include <tp/timeline/path.h>

#include "timeline/critical.h"
#include "timeline/path_budget.h"
#include "timeline/what_if.h"
#include "replayed.h"
#include "torch.h"

struct tp_torch_promise {
	const struct tp_torch *torch;
	struct tp_path path;
	double *factors;	/* by work */
	int64_t *ends;		/* by node */
};

struct tp_torch_promise *
tp_torch_promise_make(struct tp_graph *graph, const struct tp_torch *torch)
{
	struct tp_torch_promise *p;

	if (!graph || !torch->gpu_count)
		return NULL;
	p = tp_zalloc(sizeof *p);
	p->torch = torch;
	if (!tp_path_make(&p->path, graph, tp_graph_main_process(graph), 0)) {
		tp_torch_promise_free(p);
		return NULL;
	}
	if (!tp_path_promises(&p->path))
		return p;
	p->factors = tp_alloc((graph->work_count + 1) * sizeof *p->factors);
	p->ends = tp_alloc((graph->node_count + 1) * sizeof *p->ends);
	return p;
}

struct tp_path *
tp_torch_promise_path(struct tp_torch_promise *p)
{
	return &p->path;
}

int
tp_torch_promises(const struct tp_torch_promise *p)
{
	return p->factors != NULL;
}

void
tp_torch_promise_free(struct tp_torch_promise *p)
{
	if (!p)
		return;
	tp_path_release(&p->path);
	tp_free(p->factors);
	tp_free(p->ends);
	tp_free(p);
}

/* Set LESS of the nodes between launches of work whose factor is FACTOR. */
static void
take_launches(const struct tp_torch_promise *p, double factor, int64_t *less)
{
	const struct tp_graph *g = p->path.graph;
	uint8_t *is_in = tp_zalloc(g->launch_count + 1);

	for (size_t i = 0; i < g->work_count; i++) {
		const struct tp_launch *l = tp_node_launch(g,
		    (uint32_t)(g->host_count + i));

		if (l && p->factors[i] < 1)
			is_in[l - g->launches] = 1;
	}
	for (size_t i = 1; i < g->launch_count; i++) {
		const struct tp_node *n = &g->nodes[g->launches[i].point];

		if (is_in[i] && is_in[i - 1] && n->kind == TP_NODE_RUNS &&
		    n->track == g->nodes[g->launches[i - 1].point].track)
			less[g->launches[i].point] = (int64_t)((1 - factor) *
			    (double)(n->to_ps - n->from_ps));
	}
	tp_free(is_in);
}

int64_t
tp_torch_promised_ps(struct tp_torch_promise *p,
    int (*is_in)(const void *arg, uint32_t event), const void *arg,
    int64_t save_ps, int launches, int64_t *window_ps)
{
	const struct tp_torch *t = p->torch;
	struct tp_change change = TP_CHANGE_NONE;
	int64_t sum_ps = 0, gain_ps;
	double factor;

	*window_ps = p->path.to_ps - p->path.from_ps;
	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];

		p->factors[i] = is_in(arg, t->gpu[i]) ? 0 : 1;
		if (p->factors[i] < 1)
			sum_ps += e->to_ps - e->from_ps;
	}
	if (sum_ps <= 0)
		return 0;
	factor = save_ps < sum_ps ? 1 - (double)save_ps / (double)sum_ps : 0;
	for (size_t i = 0; i < t->gpu_count; i++)
		if (p->factors[i] < 1)
			p->factors[i] = factor;
	change.by_work = p->factors;
	if (launches) {
		change.less = tp_zalloc((p->path.graph->host_count + 1) *
		    sizeof *change.less);
		take_launches(p, factor, change.less);
	}
	gain_ps = tp_what_if_gain(&p->path, &change, 1, p->ends);
	tp_free(change.less);
	return gain_ps > 0 ? gain_ps : 0;
}
