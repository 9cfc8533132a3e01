/* op_groups - operations of a PyTorch trace in groups, one record each */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "op_groups.h"

static struct tp_arg
argument(const struct tp_torch *t, uint32_t text)
{
	const struct tp_name *n = &t->texts.names[text];

	return text ? (struct tp_arg){ TP_ARG_NESTED, (uint32_t)n->len,
	    n->text } : (struct tp_arg){ TP_ARG_ABSENT, 0, NULL };
}

uint32_t
tp_torch_op_groups_step(const struct tp_torch_op_groups *p,
    const struct tp_torch_event *e)
{
	size_t low = 0, high = p->step_count, mid;
	uint32_t found = TP_TORCH_NO;
	const struct tp_name *name;

	if (!p->step_count || e->cat != TP_TORCH_OP)
		return TP_TORCH_NO;
	name = tp_torch_event_name(p->t, e);
	if (!tp_torch_reads_step(p->o->models, name->text, name->len))
		return TP_TORCH_NO;
	while (low < high) {
		mid = low + (high - low) / 2;
		if (p->steps[mid].from_ps <= e->from_ps)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low && p->steps[low - 1].last_ps > e->from_ps; low--) {
		const struct tp_torch_server_step *step = &p->steps[low - 1];

		if (step->to_ps <= e->from_ps)
			continue;
		if (step->stated > 1)
			return step->event;
		if (found == TP_TORCH_NO)
			found = step->event;
	}
	return found;
}

/*
 * The first range around E, which TraceLens takes as its step; TP_TORCH_NO:
 * none.
 */
static uint32_t
first_range(const struct tp_torch_op_groups *p, const struct tp_torch_event *e)
{
	size_t low = 0, high = p->range_count, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (p->ranges[mid].last_ps <= e->from_ps)
			low = mid + 1;
		else
			high = mid;
	}
	return low < p->range_count && p->ranges[low].from_ps <= e->from_ps ?
	    p->ranges[low].event : TP_TORCH_NO;
}

static int
by_begin(const void *a, const void *b)
{
	const struct tp_torch_server_step *x = a, *y = b;

	if (x->from_ps != y->from_ps)
		return x->from_ps < y->from_ps ? -1 : 1;
	return x->to_ps > y->to_ps ? -1 : x->to_ps < y->to_ps;
}

/* Sort LIST by start and set last_ps. */
static void
settle(struct tp_torch_server_step *list, size_t count)
{
	int64_t last = INT64_MIN;

	if (count)
		qsort(list, count, sizeof *list, by_begin);
	for (size_t i = 0; i < count; i++) {
		if (list[i].to_ps > last)
			last = list[i].to_ps;
		list[i].last_ps = last;
	}
}

static void
add_server_step(struct tp_torch_server_step **list, size_t *count, size_t *cap,
    struct tp_torch_server_step step)
{
	tp_grow(list, cap, *count + 1, sizeof **list);
	(*list)[(*count)++] = step;
}

/* Collect all annotations, and those that describe a server's step. */
static void
find_steps(struct tp_torch_op_groups *p)
{
	for (size_t i = 0; i < p->t->count; i++) {
		const struct tp_torch_event *e = &p->t->events[i];
		const struct tp_name *name = tp_torch_event_name(p->t, e);
		struct tp_torch_server_step step = { e->from_ps, e->to_ps, 0,
		    (uint32_t)i, 0 };

		if (e->cat != TP_TORCH_ANNOTATION &&
		    e->cat != TP_TORCH_GPU_ANNOTATION)
			continue;
		step.stated = e->cat == TP_TORCH_ANNOTATION ?
		    tp_torch_step_stated(name->text, name->len) : 0;
		add_server_step(&p->ranges, &p->range_count, &p->range_cap,
		    step);
		if (step.stated)
			add_server_step(&p->steps, &p->step_count, &p->step_cap,
			    step);
	}
	settle(p->steps, p->step_count);
	settle(p->ranges, p->range_count);
}

/* The name of EVENT, an annotation; absent for TP_TORCH_NO. */
static struct tp_arg
range_name(const struct tp_torch *t, uint32_t event)
{
	const struct tp_name *n = event == TP_TORCH_NO ? NULL :
	    tp_torch_event_name(t, &t->events[event]);

	return n ? (struct tp_arg){ TP_ARG_STRING, (uint32_t)n->len,
	    n->text } : (struct tp_arg){ TP_ARG_ABSENT, 0, NULL };
}

void
tp_torch_op_groups_evaluate(struct tp_torch_op_groups *p,
    const struct tp_torch_counted *c, const char *kernel,
    struct tp_torch_perf *perf)
{
	int backward = c->forward != TP_TORCH_NO;
	const struct tp_torch_event *e =
	    &p->t->events[backward ? c->forward : c->event];
	const struct tp_name *name = tp_torch_event_name(p->t, e);
	struct tp_torch_args call = tp_torch_args_of(p->t, e);
	struct tp_torch_op op = { .name = name->text,
	    .name_len = name->len, .kernels = &kernel,
	    .kernel_count = kernel != NULL, .backward = backward };
	struct tp_torch_perf first;
	uint32_t step, range;

	op.dims = argument(p->t, call.dims);
	op.types = argument(p->t, call.types);
	op.strides = argument(p->t, call.strides);
	op.concrete = argument(p->t, call.concrete);
	step = tp_torch_op_groups_step(p, e);
	range = step == TP_TORCH_NO ? step : first_range(p, e);
	op.step = range_name(p->t, step);
	tp_torch_model(p->o->models, &op, &p->arena, perf);
	if (range == step)
		return;
	/* TraceLens reads the outermost range */
	op.step = range_name(p->t, range);
	tp_torch_model(p->o->models, &op, &p->arena, &first);
	perf->tracelens = first.tracelens;
}

/*
 * Set p->calls: the host time of each call counts once, for the first of its
 * operations.
 */
static void
count_calls(struct tp_torch_op_groups *p)
{
	struct tp_ids seen = { 0 };

	for (size_t i = 0; i < p->counts.count; i++) {
		const struct tp_torch_counted *c = &p->counts.list[i];
		size_t had = seen.count;

		if (c->work != TP_TORCH_NO)
			tp_ids_add(&seen, c->event, 0);
		p->calls[i] = c->work == TP_TORCH_NO || seen.count > had ?
		    p->host[i] : -1;
	}
	tp_ids_release(&seen);
}

void
tp_torch_op_groups_init(struct tp_torch_op_groups *p)
{
	size_t n = p->counts.count + 1;

	p->gpu = tp_alloc(n * sizeof *p->gpu);
	p->host = tp_alloc(n * sizeof *p->host);
	p->calls = tp_alloc(n * sizeof *p->calls);
	p->groups = tp_alloc(n * sizeof *p->groups);
	p->scratch = tp_alloc(n * sizeof *p->scratch);
	find_steps(p);
	for (size_t i = 0; i + 1 < n; i++) {
		const struct tp_torch_counted *c = &p->counts.list[i];
		const struct tp_torch_event *e = &p->t->events[c->event];

		p->gpu[i] = c->gpu_ps;
		p->host[i] = tp_torch_is_added(e) ? -1 :
		    e->to_ps - e->from_ps;
	}
	count_calls(p);
}

void
tp_torch_op_groups_release(struct tp_torch_op_groups *p)
{
	tp_torch_counts_release(&p->counts);
	tp_torch_table_release(&p->table);
	tp_arena_release(&p->arena);
	tp_torch_gains_release(&p->gains);
	tp_names_release(&p->specs);
	tp_free(p->spec_ps);
	tp_free(p->gpu);
	tp_free(p->host);
	tp_free(p->calls);
	tp_free(p->groups);
	tp_free(p->scratch);
	tp_ids_release(&p->variants);
	tp_free(p->steps);
	tp_free(p->ranges);
}

const struct tp_torch_counted *
tp_torch_op_groups_first(const struct tp_torch_op_groups *p,
    const struct tp_torch_group *row)
{
	return &p->counts.list[p->table.items[row->first]];
}

/*
 * Sort the positive times of ROW's items into table.scratch.  Returns their
 * number.
 */
static size_t
times_of(const struct tp_torch_op_groups *p, const struct tp_torch_group *row)
{
	size_t n = 0;

	for (uint32_t i = 0; i < row->count; i++) {
		int64_t ps = p->gpu[p->table.items[row->first + i]];

		if (ps > 0)
			p->table.scratch[n++] = ps;
	}
	tp_sort_ints(p->table.scratch, n);
	return n;
}

/*
 * Write the rates WORK / time of N times: mean, median, sample deviation,
 * minimum and maximum, as gpu_mean_UNIT and so on.
 */
static void
out_rates(const struct tp_torch_op_groups *p, size_t n, const char *unit,
    int64_t work)
{
	double *v = p->scratch, sum = 0, spread = 0, mean;
	struct tp_out *out = p->o->out;
	char key[64];

	if (!n || work < 0)
		return;
	/* sums of doubles depend on the order: smallest rate first */
	for (size_t i = 0; i < n; i++) {
		v[i] = (double)work * 1e12 /
		    (double)p->table.scratch[n - 1 - i];
		sum += v[i];
	}
	mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		spread += (v[i] - mean) * (v[i] - mean);
	snprintf(key, sizeof key, "gpu_mean_%s", unit);
	tp_out_real(out, key, mean);
	snprintf(key, sizeof key, "gpu_median_%s", unit);
	tp_out_real(out, key, (v[(n - 1) / 2] + v[n / 2]) / 2);
	snprintf(key, sizeof key, "gpu_stdev_%s", unit);
	if (n > 1)
		tp_out_real(out, key, sqrt(spread / (double)(n - 1)));
	snprintf(key, sizeof key, "gpu_min_%s", unit);
	tp_out_real(out, key, v[0]);
	snprintf(key, sizeof key, "gpu_max_%s", unit);
	tp_out_real(out, key, v[n - 1]);
}

void
tp_torch_op_groups_cost(const struct tp_torch_op_groups *p,
    const struct tp_torch_group *row, const struct tp_cost *cost)
{
	struct tp_out *out = p->o->out;
	size_t n = cost->flops < 0 && cost->bytes < 0 ? 0 : times_of(p, row);

	if (cost->flops >= 0)
		tp_out_int(out, "work_flops", cost->flops);
	if (cost->bytes >= 0)
		tp_out_int(out, "least_bytes", cost->bytes);
	if (cost->flops >= 0 && cost->bytes > 0)
		tp_out_ratio(out, "flops_per_byte", cost->flops, cost->bytes);
	if (cost->spec)
		tp_out_text(out, "compute_spec", cost->spec);
	out_rates(p, n, "flops_per_s", cost->flops);
	out_rates(p, n, "bytes_per_s", cost->bytes);
}

void
tp_torch_op_groups_roofline(const struct tp_torch_op_groups *p,
    const struct tp_torch_group *row, const struct tp_cost *cost)
{
	struct tp_roofline line = tp_roofline_of(p->o->platform, cost);
	struct tp_out *out = p->o->out;
	double all = line.time_ns * 1000 * row->count;

	if (line.bound == TP_BOUND_UNKNOWN || line.time_ns >= 9e15)
		return;
	tp_out_int(out, "roofline_ps", (int64_t)nearbyint(line.time_ns *
	    1000));
	tp_out_text(out, "bound", line.bound == TP_BOUND_COMPUTE ?
	    "compute" : "memory");
	if (row->sum_ps > 0)
		tp_out_real(out, "roofline_of_gpu_factor",
		    all / (double)row->sum_ps);
}

void
tp_torch_op_groups_params(const struct tp_torch_op_groups *p,
    const struct tp_torch_param *params, size_t count)
{
	char key[64];

	for (size_t i = 0; i < count; i++) {
		snprintf(key, sizeof key, "param_%s", params[i].name);
		for (char *k = key; *k; k++)
			if (*k >= 'A' && *k <= 'Z')
				*k = (char)(*k + 'a' - 'A');
		tp_out_text(p->o->out, key, params[i].text);
	}
}

/* Write the last keys of every row. */
struct tp_figures
tp_torch_op_groups_times(const struct tp_torch_op_groups *p,
    const struct tp_torch_group *row)
{
	struct tp_figures gpu = tp_torch_group_stat(&p->table, row, p->gpu);

	tp_out_int(p->o->out, "count", row->count);
	tp_torch_out_stat(p->o, "gpu", &gpu);
	tp_out_int(p->o->out, "first_uid",
	    tp_torch_op_groups_first(p, row)->uid);
	return gpu;
}
