/* gpus - several GPUs in one trace */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "gpus.h"
#include "ival.h"

/* Where a piece of work begins (by 1) or ends (-1). */
struct tp_torch_gpu_edge {
	int64_t at_ps;
	uint32_t gpu;
	uint8_t lane;
	int8_t by;
};

TP_ORDER(by_time, struct tp_torch_gpu_edge, TP_UP(at_ps))

TP_ORDER(by_device, struct tp_torch_gpu, TP_UP(device))

/* A GPU that was found, while its work is added up. */
struct found {
	struct tp_sweep busy;
	int16_t device;
};

/* Appends the GPUs of FOUND that worked enough. */
static void
choose(struct tp_torch_gpus *g, const struct found *found, size_t count,
    double least_ratio)
{
	int64_t most = -1;

	for (size_t i = 0; i < count; i++)
		TP_MOST(most, found[i].busy.busy);
	for (size_t i = 0; i < count; i++)
		if ((double)found[i].busy.busy >= (double)most * least_ratio)
			TP_APPEND(g->list, g->count, g->cap,
			    (struct tp_torch_gpu){ .device = found[i].device,
			    .busy_ps = found[i].busy.busy });
	TP_SORT(g->list, g->count, by_device);
	for (size_t i = 0; i < g->count; i++) {
		if (g->list[i].busy_ps > g->list[g->busiest].busy_ps)
			g->busiest = i;
	}
	for (size_t i = 0; i < g->count; i++)
		g->list[i].busy_ps = 0;
}

static int
are_several(const struct tp_torch *t)
{
	for (size_t i = 1; i < t->gpu_count; i++)
		if (t->events[t->gpu[i]].device !=
		    t->events[t->gpu[0]].device)
			return 1;
	return 0;
}

void
tp_torch_gpus_make(struct tp_torch_gpus *g, const struct tp_torch *t,
    double least_ratio)
{
	struct found *found = NULL;
	struct tp_ids ids = { 0 };
	size_t cap = 0;

	memset(g, 0, sizeof *g);
	if (!are_several(t))
		return;
	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		ptrdiff_t at = tp_ids_add(&ids, (uint16_t)e->device, 0);

		TP_ITEM(found, cap, at);
		found[at].device = e->device;
		tp_sweep_add(&found[at].busy, e->from_ps, e->to_ps);
	}
	choose(g, found, ids.count, least_ratio);
	tp_ids_release(&ids);
	tp_free(found);
}

size_t
tp_torch_gpus_of(const struct tp_torch_gpus *g, int16_t device)
{
	size_t at;

	TP_SEEK(at, 0, g->count, middle, g->list[middle].device < device);
	return at < g->count && g->list[at].device == device ? at :
	    g->busiest;
}

void
tp_torch_gpus_add(struct tp_torch_gpus *g, size_t gpu, unsigned lane,
    int64_t from, int64_t to)
{
	const struct tp_torch_gpu_edge edge = { from, (uint32_t)gpu,
	    (uint8_t)lane, 1 };

	if (from >= to)
		return;
	TP_APPEND(g->edges, g->edge_count, g->edge_cap, edge);
	TP_APPEND(g->edges, g->edge_count, g->edge_cap, edge);
	g->edges[g->edge_count - 1].at_ps = to;
	g->edges[g->edge_count - 1].by = -1;
}

/* Pieces of work that run on a GPU, by lane, and the first lane. */
struct now {
	uint32_t running[TP_TORCH_LANES_MAX];
	unsigned lane;		/* TP_TORCH_LANES_MAX: idle */
	int64_t since_ps;
};

/* Add PS in which as many GPUs as IN says were in each lane. */
static void
spend(struct tp_torch_gpus *g, const size_t *in, const uint8_t *groups,
    int64_t ps)
{
	unsigned of_groups = 0;

	for (unsigned k = 0; k < TP_TORCH_LANES_MAX; k++) {
		g->lane_ps[k] += in[k] ? ps : 0;
		of_groups |= in[k] ? 1u << groups[k] : 0;
	}
	for (unsigned k = 0; k < TP_TORCH_LANES_MAX; k++)
		g->group_ps[k] += of_groups >> k & 1 ? ps : 0;
	g->at_once_ps[g->count - in[TP_TORCH_LANES_MAX]] += ps;
}

/* Move a GPU to its lane after EDGE, and count it there. */
static void
turn(struct tp_torch_gpu *gpu, struct now *now, size_t *in,
    const struct tp_torch_gpu_edge *edge)
{
	unsigned k = 0;

	now->running[edge->lane] += (uint32_t)edge->by;
	while (k < TP_TORCH_LANES_MAX && !now->running[k])
		k++;
	if (now->lane < TP_TORCH_LANES_MAX) {
		gpu->ps[now->lane] += edge->at_ps - now->since_ps;
		gpu->busy_ps += edge->at_ps - now->since_ps;
	}
	in[now->lane]--;
	in[k]++;
	now->lane = k;
	now->since_ps = edge->at_ps;
}

void
tp_torch_gpus_sweep(struct tp_torch_gpus *g, const uint8_t *groups)
{
	struct now *now = tp_zalloc((g->count + 1) * sizeof *now);
	size_t in[TP_TORCH_LANES_MAX + 1] = { 0 };	/* GPUs by lane */
	int64_t any_ps = 0;

	g->at_once_ps = tp_zalloc((g->count + 1) * sizeof *g->at_once_ps);
	for (size_t i = 0; i < g->count; i++)
		now[i].lane = TP_TORCH_LANES_MAX;
	in[TP_TORCH_LANES_MAX] = g->count;
	TP_SORT(g->edges, g->edge_count, by_time);
	for (size_t i = 0; i < g->edge_count; i++) {
		const struct tp_torch_gpu_edge *edge = &g->edges[i];

		if (i && edge->at_ps > edge[-1].at_ps)
			spend(g, in, groups, edge->at_ps - edge[-1].at_ps);
		turn(&g->list[edge->gpu], &now[edge->gpu], in, edge);
	}
	for (size_t i = 1; i <= g->count; i++)
		any_ps += g->at_once_ps[i];
	for (size_t i = 0; i < g->count; i++)
		g->list[i].others_ps = any_ps - g->list[i].busy_ps;
	tp_free(now);
	tp_free(g->edges);
	g->edges = NULL;
	g->edge_count = g->edge_cap = 0;
}

void
tp_torch_gpus_release(struct tp_torch_gpus *g)
{
	tp_free(g->list);
	tp_free(g->edges);
	tp_free(g->at_once_ps);
	memset(g, 0, sizeof *g);
}
