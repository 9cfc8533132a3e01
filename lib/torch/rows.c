/* rows - operations of a PyTorch trace in groups, one record each */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>

#include "rows.h"

static struct tp_arg
argument(const struct tp_torch *t, uint32_t text)
{
	const struct tp_name *n = &t->texts.names[text];

	return text ? (struct tp_arg){ TP_ARG_NESTED, (uint32_t)n->len,
	    n->text } : (struct tp_arg){ TP_ARG_ABSENT, 0, NULL };
}

int
tp_torch_rows_evaluate(struct tp_torch_rows *p,
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

	op.dims = argument(p->t, call.dims);
	op.types = argument(p->t, call.types);
	op.strides = argument(p->t, call.strides);
	op.concrete = argument(p->t, call.concrete);
	return tp_torch_model(p->o->models, &op, &p->arena, perf, p->err);
}

int
tp_torch_rows_init(struct tp_torch_rows *p)
{
	size_t n = p->counts.count + 1;

	p->gpu = tp_alloc(n * sizeof *p->gpu);
	p->host = tp_alloc(n * sizeof *p->host);
	p->groups = tp_alloc(n * sizeof *p->groups);
	p->scratch = tp_alloc(n * sizeof *p->scratch);
	if (!p->gpu || !p->host || !p->groups || !p->scratch)
		return tp_fail_memory(p->err);
	for (size_t i = 0; i + 1 < n; i++) {
		const struct tp_torch_counted *c = &p->counts.list[i];
		const struct tp_torch_event *e = &p->t->events[c->event];

		p->gpu[i] = c->gpu_ps;
		p->host[i] = e->to_ps - e->from_ps;
	}
	return 0;
}

void
tp_torch_rows_release(struct tp_torch_rows *p)
{
	tp_torch_counts_release(&p->counts);
	tp_torch_table_release(&p->table);
	tp_arena_release(&p->arena);
	tp_torch_gains_release(&p->gains);
	tp_names_release(&p->specs);
	tp_free(p->spec_ps);
	tp_free(p->gpu);
	tp_free(p->host);
	tp_free(p->groups);
	tp_free(p->scratch);
}

const struct tp_torch_counted *
tp_torch_rows_first(const struct tp_torch_rows *p,
    const struct tp_torch_row *row)
{
	return &p->counts.list[p->table.items[row->first]];
}

static int
ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* What WORK by the time of each item of ROW comes to: mean, median, sample
 * deviation, least and most, as PREFIX gpu_mean_UNIT and so on. */
static void
out_rates(const struct tp_torch_rows *p, const struct tp_torch_row *row,
    const char *prefix, const char *unit, int64_t work)
{
	double *v = p->scratch, sum = 0, spread = 0, mean;
	struct tp_out *out = p->o->out;
	char key[64];
	size_t n = 0;

	for (uint32_t i = 0; work >= 0 && i < row->count; i++) {
		int64_t ps = p->gpu[p->table.items[row->first + i]];

		if (ps > 0)
			v[n++] = (double)work * 1e12 / (double)ps;
	}
	if (!n)
		return;
	qsort(v, n, sizeof *v, ascending);
	for (size_t i = 0; i < n; i++)
		sum += v[i];
	mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		spread += (v[i] - mean) * (v[i] - mean);
	snprintf(key, sizeof key, "%sgpu_mean_%s", prefix, unit);
	tp_out_real(out, key, mean);
	snprintf(key, sizeof key, "%sgpu_median_%s", prefix, unit);
	tp_out_real(out, key, (v[(n - 1) / 2] + v[n / 2]) / 2);
	snprintf(key, sizeof key, "%sgpu_stdev_%s", prefix, unit);
	if (n > 1)
		tp_out_real(out, key, sqrt(spread / (double)(n - 1)));
	snprintf(key, sizeof key, "%sgpu_min_%s", prefix, unit);
	tp_out_real(out, key, v[0]);
	snprintf(key, sizeof key, "%sgpu_max_%s", prefix, unit);
	tp_out_real(out, key, v[n - 1]);
}

static void
out_cost(const struct tp_torch_rows *p, const struct tp_torch_row *row,
    const char *prefix, const struct tp_torch_cost *cost)
{
	struct tp_out *out = p->o->out;
	char key[64];

	snprintf(key, sizeof key, "%swork_flops", prefix);
	if (cost->flops >= 0)
		tp_out_int(out, key, cost->flops);
	snprintf(key, sizeof key, "%sleast_bytes", prefix);
	if (cost->bytes >= 0)
		tp_out_int(out, key, cost->bytes);
	snprintf(key, sizeof key, "%sflops_per_byte", prefix);
	if (cost->flops >= 0 && cost->bytes > 0)
		tp_out_ratio(out, key, cost->flops, cost->bytes);
	snprintf(key, sizeof key, "%scompute_spec", prefix);
	if (cost->spec)
		tp_out_text(out, key, cost->spec);
	out_rates(p, row, prefix, "flops_per_s", cost->flops);
	out_rates(p, row, prefix, "bytes_per_s", cost->bytes);
}

static int
differ(const struct tp_torch_cost *a, const struct tp_torch_cost *b)
{
	return a->flops != b->flops || a->bytes != b->bytes ||
	    !a->spec != !b->spec || (a->spec && strcmp(a->spec, b->spec));
}

void
tp_torch_rows_perf(const struct tp_torch_rows *p,
    const struct tp_torch_row *row, const struct tp_torch_perf *perf)
{
	struct tp_roofline line = tp_roofline_of(p->o->platform, &perf->cost);
	struct tp_out *out = p->o->out;
	double all = line.time_ns * 1000 * row->count;

	out_cost(p, row, "", &perf->cost);
	if (line.bound != TP_BOUND_UNKNOWN && line.time_ns < 9e15) {
		tp_out_int(out, "roofline_ps",
		    (int64_t)nearbyint(line.time_ns * 1000));
		tp_out_text(out, "bound", line.bound == TP_BOUND_COMPUTE ?
		    "compute" : "memory");
		if (row->sum_ps > 0)
			tp_out_real(out, "roofline_of_gpu_factor",
			    all / (double)row->sum_ps);
	}
	if (differ(&perf->cost, &perf->tabled)) {
		tp_out_bool(out, "table_differs", 1);
		out_cost(p, row, "table_", &perf->tabled);
	}
}

/* What every row ends with. */
struct tp_torch_stat
tp_torch_rows_times(const struct tp_torch_rows *p,
    const struct tp_torch_row *row)
{
	struct tp_torch_stat gpu = tp_torch_row_stat(&p->table, row, p->gpu);

	tp_out_int(p->o->out, "count", row->count);
	tp_torch_out_stat(p->o, "gpu", &gpu);
	tp_out_int(p->o->out, "first_uid", tp_torch_rows_first(p, row)->uid);
	return gpu;
}
