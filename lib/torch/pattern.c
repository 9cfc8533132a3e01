/* pattern - patterns that operations and kernels indicate */
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include <tp/alloc.h>

#include "pattern.h"

static int64_t
param(const struct tp_torch_perf *perf, const char *name)
{
	for (size_t i = 0; i < perf->param_count; i++)
		if (!strcmp(perf->params[i].name, name))
			return strtoll(perf->params[i].text, NULL, 10);
	return -1;
}

/* Read the last two dimensions of the first tensor in the text DIMS. */
static int
last_two(const struct tp_torch *t, uint32_t dims, int64_t *m, int64_t *n)
{
	const struct tp_name *text = &t->texts.names[dims];
	struct cJSON *list = cJSON_ParseWithLength(text->text, text->len);
	const struct cJSON *first = cJSON_GetArrayItem(list, 0), *a, *b;
	int rank = cJSON_GetArraySize(first), ok;

	a = rank < 2 ? NULL : cJSON_GetArrayItem(first, rank - 2);
	b = rank < 2 ? NULL : cJSON_GetArrayItem(first, rank - 1);
	ok = cJSON_IsNumber(a) && cJSON_IsNumber(b);
	if (ok) {
		*m = (int64_t)a->valuedouble;
		*n = (int64_t)b->valuedouble;
	}
	cJSON_Delete(list);
	return ok;
}

void
tp_torch_patterns_add(struct tp_torch_patterns *p, const struct tp_torch *t,
    uint32_t name, uint32_t dims, const struct tp_torch_perf *perf,
    const struct tp_platform *platform, int64_t gpu_ps, int64_t again_ps,
    uint64_t count)
{
	struct tp_torch_part_of row = { .name = name, .dims = dims,
	    .gpu_ps = gpu_ps, .again_ps = again_ps, .count = count };
	const char *op = t->names.names[name].text;
	double rate;

	row.is_softmax = strstr(op, "softmax") != NULL &&
	    !strstr(op, "scaled_dot_product");
	if (row.is_softmax) {
		if (!last_two(t, dims, &row.m, &row.n))
			return;
	} else {
		/* batched products only: products with weights have no batch */
		if (param(perf, "B") < 2)
			return;
		row.m = param(perf, "M");
		row.n = param(perf, "N");
		row.k = param(perf, "K");
		if (row.m < 0 || row.n < 0 || row.k < 0)
			return;
	}
	rate = platform ? tp_platform_flops(platform, perf->cost.spec) : 0;
	if (!row.is_softmax && rate > 0 && perf->cost.flops > 0)
		row.best_ps = (int64_t)((double)perf->cost.flops * 1e12 /
		    rate * (double)count);
	TP_APPEND(p->list, p->count, p->cap, row);
}

void
tp_torch_patterns_release(struct tp_torch_patterns *p)
{
	tp_free(p->list);
	memset(p, 0, sizeof *p);
}

/* Whether product X works on the scores of softmax S. */
static int
goes_with(const struct tp_torch_part_of *x, const struct tp_torch_part_of *s)
{
	const int64_t sizes[3] = { x->m, x->n, x->k };

	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++)
			if (i != k && sizes[i] == s->m && sizes[k] == s->n)
				return 1;
	return 0;
}

int64_t
tp_torch_attention_of(const struct tp_torch_patterns *p, int64_t least_keys,
    int64_t *best_ps, int64_t *again_ps, uint64_t *calls,
    const struct tp_torch_part_of **softmax)
{
	int64_t most = 0;

	for (size_t i = 0; i < p->count; i++) {
		const struct tp_torch_part_of *s = &p->list[i];
		int64_t sum = s->gpu_ps, best = 0, again = s->again_ps;
		size_t products = 0;

		if (!s->is_softmax || s->n < least_keys)
			continue;
		for (size_t k = 0; k < p->count; k++) {
			const struct tp_torch_part_of *x = &p->list[k];

			if (x->is_softmax || !goes_with(x, s))
				continue;
			products++;
			sum += x->gpu_ps;
			best += x->best_ps;
			again += x->again_ps;
		}
		if (products < 2 || sum <= most)
			continue;
		most = sum;
		*best_ps = best;
		*again_ps = again;
		*calls = s->count;
		*softmax = s;
	}
	return most;
}
