/* torch_emit_perf - what operations of a PyTorch trace did, as records */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/torch_perf.h>

#include "torch_emit_private.h"

/* Operations in groups, and what the model says of each group. */
struct perf {
	const struct torch_out *o;
	const struct tp_torch *t;
	struct tp_torch_counts counts;
	int64_t *gpu, *host;		/* per item */
	uint32_t *groups;
	struct tp_torch_table table;
	double *scratch;
	struct tp_arena arena;		/* of parameters */
	struct tp_err *err;
};

/* One name and one set of arguments, evaluated. */
struct evaluated {
	struct tp_torch_perf perf;
	uint32_t group;
};

static struct tp_arg
argument(const struct tp_torch *t, uint32_t text)
{
	const struct tp_name *n = &t->texts.names[text];

	return text ? (struct tp_arg){ TP_ARG_NESTED, (uint32_t)n->len,
	    n->text } : (struct tp_arg){ TP_ARG_ABSENT, 0, NULL };
}

/* The first kernel below C whose name tells how operands lie, or NULL. */
static const char *
telling_kernel(const struct perf *p, const struct tp_torch_counted *c)
{
	const struct tp_torch_event *e = &p->t->events[c->event];
	const struct tp_name *name = tp_torch_name(p->t, e);
	uint32_t first, last;

	if (!tp_torch_reads_kernels(p->o->models, name->text, name->len))
		return NULL;
	tp_torch_links_below(p->t, e, &first, &last);
	for (; first < last; first++) {
		const char *kernel = tp_torch_name(p->t,
		    &p->t->events[p->t->links[first].work])->text;

		if (tp_torch_kernel_tells(kernel))
			return kernel;
	}
	return NULL;
}

static int
evaluate(struct perf *p, const struct tp_torch_counted *c,
    const char *kernel, struct tp_torch_perf *perf)
{
	int backward = c->forward != TP_TORCH_NO;
	const struct tp_torch_event *e =
	    &p->t->events[backward ? c->forward : c->event];
	const struct tp_name *name = tp_torch_name(p->t, e);
	struct tp_torch_call call = tp_torch_call(p->t, e);
	struct tp_torch_op op = { .name = name->text,
	    .name_len = name->len, .kernels = &kernel,
	    .kernel_count = kernel != NULL, .backward = backward };

	op.dims = argument(p->t, call.dims);
	op.types = argument(p->t, call.types);
	op.strides = argument(p->t, call.strides);
	op.concrete = argument(p->t, call.concrete);
	return tp_torch_model(p->o->models, &op, &p->arena, perf, p->err);
}

static int
init(struct perf *p)
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

static void
release(struct perf *p)
{
	tp_torch_counts_release(&p->counts);
	tp_torch_table_release(&p->table);
	tp_arena_release(&p->arena);
	tp_free(p->gpu);
	tp_free(p->host);
	tp_free(p->groups);
	tp_free(p->scratch);
}

static const struct tp_torch_counted *
first_of(const struct perf *p, const struct tp_torch_row *row)
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
out_rates(const struct perf *p, const struct tp_torch_row *row,
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
out_cost(const struct perf *p, const struct tp_torch_row *row,
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

static void
out_perf(const struct perf *p, const struct tp_torch_row *row,
    const struct tp_torch_perf *perf)
{
	struct tp_roofline line = tp_roofline(p->o->platform, &perf->cost);
	struct tp_out *out = p->o->out;
	double all = line.time_ns * 1000 * row->count;

	out_cost(p, row, "", &perf->cost);
	if (line.bound != TP_BOUND_UNKNOWN) {
		tp_out_real(out, "roofline_ns", line.time_ns);
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
static void
out_times(const struct perf *p, const struct tp_torch_row *row)
{
	struct tp_torch_stat gpu = tp_torch_stat(&p->table, row, p->gpu);

	tp_out_int(p->o->out, "count", row->count);
	torch_stat(p->o, "gpu", &gpu);
	tp_out_int(p->o->out, "first_uid", first_of(p, row)->uid);
}

static void
out_name(const struct perf *p, const struct tp_torch_counted *c)
{
	const struct tp_name *n = tp_torch_name(p->t,
	    &p->t->events[c->event]), *k;
	struct tp_buf name = { 0 };

	tp_buf_add(&name, n->text, n->len);
	if (c->work != TP_TORCH_NO) {
		k = tp_torch_name(p->t, &p->t->events[c->work]);
		tp_buf_str(&name, "->");
		tp_buf_add(&name, k->text, k->len);
		tp_buf_str(&name, " (Synthetic Op)");
	}
	if (!name.failed)
		tp_out_bytes(p->o->out, "op", name.p, name.len);
	tp_buf_release(&name);
}

/* By its name, else by the first kernel that it launched itself. */
static unsigned
category(const struct perf *p, const struct tp_torch_counted *c)
{
	const struct tp_torch_launchers *l = &p->o->file->launchers;
	const struct tp_torch_event *e = &p->t->events[c->event];
	const struct tp_torch_name *name = tp_torch_trait(p->t, e);
	uint32_t first, last;

	if (c->work != TP_TORCH_NO)
		return tp_torch_trait(p->t,
		    &p->t->events[c->work])->kernel_category;
	tp_torch_links_below(p->t, e, &first, &last);
	for (; !name->is_known && first < last; first++) {
		uint32_t at = l->of[p->t->links[first].work];

		if (at != TP_TORCH_NO && l->list[at].event == c->event)
			return l->list[at].category;
	}
	return name->category;
}

static int
emit_unified(struct perf *p, const struct tp_torch_row *row)
{
	const struct tp_torch_counted *c = first_of(p, row);
	const struct tp_torch_event *e = &p->t->events[c->event];
	struct tp_torch_stat host = tp_torch_stat(&p->table, row, p->host);
	struct tp_torch_perf perf;

	memset(&perf, 0, sizeof perf);
	perf.cost.flops = perf.cost.bytes = -1;
	perf.tabled = perf.cost;
	if (c->work == TP_TORCH_NO && evaluate(p, c, NULL, &perf) < 0)
		return -1;
	torch_begin(p->o, "op.perf");
	out_name(p, c);
	tp_out_text(p->o->out, "category",
	    tp_torch_category_name(p->t->ops, category(p, c)));
	torch_lane(p->o, e->lane);
	torch_call(p->o, e, 1);
	tp_out_bool(p->o->out, "has_model", perf.has_model);
	out_times(p, row);
	tp_out_ratio(p->o->out, "gpu_ratio", row->sum_ps, p->table.sum_ps);
	torch_stat(p->o, "host", &host);
	out_perf(p, row, &perf);
	tp_out_end(p->o->out);
	return 0;
}

/* Alike: name, kernel, category, names of process and thread, arguments. */
static int
group_unified(struct perf *p)
{
	struct tp_ids ids = { 0 }, calls = { 0 };
	ptrdiff_t at = 0;

	for (size_t i = 0; at >= 0 && i < p->counts.count; i++) {
		const struct tp_torch_counted *c = &p->counts.list[i];
		const struct tp_torch_event *e = &p->t->events[c->event];
		uint64_t work = c->work == TP_TORCH_NO ? 0 :
		    (uint64_t)p->t->events[c->work].name + 1;

		at = tp_ids_add(&calls, (uint64_t)e->name << 32 | work,
		    (uint64_t)(e->cat == TP_TORCH_OP ? e->args : 0) << 16 |
		    category(p, c));
		if (at >= 0)
			at = tp_ids_add(&ids, (uint64_t)at,
			    p->o->lane_group[e->lane]);
		p->groups[i] = (uint32_t)at;
	}
	if (at >= 0)
		at = tp_torch_table(&p->table, p->groups, p->gpu,
		    p->counts.count, ids.count);
	tp_ids_release(&ids);
	tp_ids_release(&calls);
	return at < 0 ? tp_fail_memory(p->err) : 0;
}

static int
unified(struct perf *p, const struct tp_torch_passes *passes)
{
	if (tp_torch_unify(&p->counts, p->t, &p->o->file->launchers, passes,
	    p->o->models, p->err) < 0 || init(p) < 0 ||
	    group_unified(p) < 0)
		return -1;
	for (size_t i = 0; i < p->table.count; i++)
		if (emit_unified(p, &p->table.rows[i]) < 0)
			return -1;
	return 0;
}

/* What makes rows of a table one: name and parameters. */
static ptrdiff_t
group_of(struct tp_names *names, uint32_t name,
    const struct tp_torch_perf *perf)
{
	struct tp_buf key = { 0 };
	ptrdiff_t at = -1;

	tp_buf_fmt(&key, "%u", (unsigned)name);
	for (size_t i = 0; i < perf->param_count; i++)
		tp_buf_fmt(&key, "\n%s=%s", perf->params[i].name,
		    perf->params[i].text);
	if (!key.failed)
		at = tp_names_add(names, key.p, key.len);
	tp_buf_release(&key);
	return at;
}

static void
emit_model(struct perf *p, const struct tp_torch_row *row,
    const struct tp_torch_perf *perf)
{
	const struct tp_torch_counted *c = first_of(p, row);
	const struct tp_torch_event *e = &p->t->events[c->event];
	char key[64];

	torch_begin(p->o, "op.model");
	tp_out_text(p->o->out, "family", perf->table);
	torch_name(p->o, "op", e->name);
	torch_lane(p->o, e->lane);
	torch_call(p->o, e, 1);
	for (size_t i = 0; i < perf->param_count; i++) {
		snprintf(key, sizeof key, "param_%s", perf->params[i].name);
		for (char *k = key; *k; k++)
			if (*k >= 'A' && *k <= 'Z')
				*k = (char)(*k + 'a' - 'A');
		tp_out_text(p->o->out, key, perf->params[i].text);
	}
	out_times(p, row);
	out_perf(p, row, perf);
	tp_out_end(p->o->out);
}

/* Evaluate each distinct call once; items without a table are left out.  Of
 * each group BY_GROUP names the evaluation. */
static int
group_models(struct perf *p, struct evaluated **list, size_t **by_group)
{
	struct tp_names groups = { 0 }, kernels = { 0 };
	struct tp_ids calls = { 0 };
	size_t cap = 0, group_cap = 0, had;
	ptrdiff_t at = 0;

	for (size_t i = 0; at >= 0 && i < p->counts.count; i++) {
		const struct tp_torch_counted *c = &p->counts.list[i];
		const struct tp_torch_event *e = &p->t->events[c->event];
		const char *kernel = telling_kernel(p, c);
		struct evaluated *v;

		at = kernel ? tp_names_add(&kernels, kernel,
		    strlen(kernel)) + 1 : 0;
		had = calls.count;
		if (at >= 0)
			at = tp_ids_add(&calls, (uint64_t)e->name << 32 |
			    e->args, (uint64_t)at);
		if (at < 0 || tp_grow(list, &cap, (size_t)at + 1,
		    sizeof **list) < 0) {
			at = tp_fail_memory(p->err);
			break;
		}
		v = &(*list)[at];
		if (calls.count > had) {
			if (evaluate(p, c, kernel, &v->perf) < 0) {
				at = -1;
				break;
			}
			v->group = UINT32_MAX;
			if (v->perf.table && v->perf.param_count) {
				ptrdiff_t g = group_of(&groups, e->name,
				    &v->perf);

				if (g < 0 || tp_grow(by_group, &group_cap,
				    (size_t)g + 1, sizeof **by_group) < 0) {
					at = tp_fail_memory(p->err);
					break;
				}
				v->group = (uint32_t)g;
				(*by_group)[g] = (size_t)at;
			}
		}
		p->groups[i] = v->group;
	}
	if (at >= 0 && tp_torch_table(&p->table, p->groups, p->gpu,
	    p->counts.count, groups.count) < 0)
		at = tp_fail_memory(p->err);
	tp_names_release(&groups);
	tp_names_release(&kernels);
	tp_ids_release(&calls);
	return at < 0 ? -1 : 0;
}

static int
modelled(struct perf *p, const struct tp_torch_passes *passes, int backward)
{
	struct evaluated *list = NULL;
	size_t *by_group = NULL;
	int rc = tp_torch_modelled(&p->counts, p->t, passes, p->o->models,
	    backward, p->err);

	if (!rc)
		rc = init(p);
	if (!rc)
		rc = group_models(p, &list, &by_group);
	for (size_t i = 0; !rc && i < p->table.count; i++)
		emit_model(p, &p->table.rows[i],
		    &list[by_group[p->table.rows[i].group]].perf);
	tp_free(list);
	tp_free(by_group);
	return rc;
}

int
torch_emit_perf(const struct torch_out *o, struct tp_err *err)
{
	struct tp_torch_passes passes = { 0 };
	int rc = tp_torch_passes(&passes, &o->file->torch, err);

	for (int i = 0; !rc && i < 3; i++) {
		struct perf p = { .o = o, .t = &o->file->torch, .err = err };

		rc = !i ? unified(&p, &passes) : modelled(&p, &passes,
		    i == 2);
		release(&p);
	}
	tp_torch_passes_release(&passes);
	return rc;
}
