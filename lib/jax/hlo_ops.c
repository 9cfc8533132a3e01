/* hlo_ops - operations of a JAX trace */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "names.h"
#include "hlo_ops.h"

/* The name occurs in several programs. */
#define SEVERAL UINT32_MAX

struct build {
	struct tp_tracks *tracks;
	struct tp_jax *jax;
	struct tp_jax_ops *ops;
	uint32_t *op_of;	/* by name: last operation + 1 */
	uint32_t *program_of;	/* by name: its only program, 0, or SEVERAL */
	struct tp_ids keys;	/* (name, program) per operation */
	struct tp_jax_tally tf_ops, sources, shapes;	/* (operation, text) */
	uint32_t *shape_of;	/* by long name: index of shape + 1 */
	enum tp_jax_flops *flops;	/* per operation */
	size_t cap, flops_cap;
	struct tp_buf buf;
	int as_peer;
};

/* Add a vote for text VALUE, if there is one. */
static void
vote(struct tp_jax_tally *t, size_t op, uint32_t value)
{
	if (value)
		tp_jax_tally_add(t, op, value, 1);
}

/* Find which programs have an operation of each name. */
static void
find_programs(struct build *b)
{
	const struct tp_tracks *t = b->tracks;

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_jax_event *s = &t->slices[i];
		uint32_t *only = &b->program_of[s->name];
		uint32_t told = tp_detail_program(t, s->detail);

		if (t->tracks[s->track].role == TP_ROLE_OPS && told &&
		    told != *only)
			*only = *only ? SEVERAL : told;
	}
}

/*
 * The program of a call of NAME: TOLD, or without it the only one with such
 * an operation.
 */
static uint32_t
program_of(const struct build *b, uint32_t name, uint32_t told)
{
	return b->as_peer ? 0 : told || b->program_of[name] == SEVERAL ?
	    told : b->program_of[name];
}

/* The operation of slice S. */
static struct tp_jax_op *
op_of(struct build *b, const struct tp_jax_event *s)
{
	struct tp_jax_ops *ops = b->ops;
	struct tp_jax_op *op;
	const char *name = tp_slice_name(b->tracks, s);
	const uint32_t *told = b->tracks->details[s->detail].of;
	uint32_t last = b->op_of[s->name], program = program_of(b, s->name,
	    tp_detail_program(b->tracks, s->detail));
	ptrdiff_t canonical, at;

	if (last && ops->list[last - 1].program == program)
		return &ops->list[last - 1];
	at = tp_ids_find(&b->keys, s->name, program);
	if (at >= 0) {
		b->op_of[s->name] = (uint32_t)at + 1;
		return &ops->list[at];
	}
	tp_ids_add(&b->keys, s->name, program);
	tp_grow(&ops->list, &b->cap, ops->count + 1, sizeof *ops->list);
	tp_grow(&b->flops, &b->flops_cap, ops->count + 1, sizeof *b->flops);
	tp_buf_clear(&b->buf);
	tp_jax_canonical(&b->buf, name);
	canonical = tp_tracks_text(b->tracks, b->buf.p ? b->buf.p : "",
	    b->buf.len);
	op = &ops->list[ops->count];
	*op = (struct tp_jax_op){ .name = s->name,
	    .canonical = (uint32_t)canonical,
	    .category = told[TP_DETAIL_CATEGORY],
	    .kernel = told[TP_DETAIL_KERNEL],
	    .program = program,
	    .module = told[TP_DETAIL_MODULE],
	    .stack = told[TP_DETAIL_STACK],
	    .has_twin = b->program_of[s->name] == SEVERAL,
	    .half = tp_jax_half_of(b->jax, name),
	    .use = b->as_peer ? TP_JAX_WORK :
	    tp_jax_class_of(b->jax, b->tracks, s) };
	op->part = b->as_peer ? tp_jax_op_part(b->jax, b->tracks, s->name) :
	    tp_jax_class_part(op->use);
	tp_jax_family(b->jax, b->buf.p ? b->buf.p : "",
	    &b->flops[ops->count]);
	b->op_of[s->name] = (uint32_t)++ops->count;
	return op;
}

/* Index of the shape in text LONG_NAME. */
static ptrdiff_t
shape_of(struct build *b, uint32_t long_name)
{
	ptrdiff_t shape;

	if (!long_name)
		return 0;
	if (b->shape_of[long_name])
		return b->shape_of[long_name] - 1;
	tp_buf_clear(&b->buf);
	tp_jax_shape(&b->buf, b->tracks->texts.names[long_name].text);
	shape = tp_tracks_text(b->tracks, b->buf.p ? b->buf.p : "", b->buf.len);
	b->shape_of[long_name] = (uint32_t)shape + 1;
	return shape;
}

/* Add MORE to *SUM; the limit becomes that of MORE. */
static void
costs_add(struct tp_jax_costs *sum, const struct tp_jax_costs *more)
{
	sum->count += more->count;
	tp_ps_add(&sum->ps, more->ps);
	sum->flops += more->flops;
	sum->bytes += more->bytes;
	tp_ps_add(&sum->roof_ps, more->roof_ps);
	sum->limit = more->limit;
	sum->space = more->space;
}

void
tp_jax_rates_add(struct tp_jax_rates *sum, const struct tp_jax_rates *more)
{
	sum->count += more->count;
	tp_ps_add(&sum->ps, more->ps);
	sum->flops += more->flops;
	sum->model_flops += more->model_flops;
	sum->bytes += more->bytes;
	/* without details, all bytes are those of HBM */
	if (more->has_spaces) {
		sum->has_spaces = 1;
		for (size_t i = 0; i < TP_JAX_SPACES; i++)
			sum->space_bytes[i] += more->space_bytes[i];
	} else {
		sum->space_bytes[TP_JAX_HBM] += more->bytes;
	}
}

static double
known_or_0(int64_t n)
{
	return n > 0 ? (double)n : 0;
}

/* Add the cost of call S to OP. */
static void
add_cost(struct build *b, struct tp_jax_op *op, const struct tp_jax_event *s)
{
	const struct tp_jax_known *known = tp_jax_known_of(b->jax, b->tracks,
	    s);
	struct tp_jax_rates one = { .count = 1, .ps = tp_slice_ps(s),
	    .flops = known_or_0(known->flops),
	    .model_flops = known_or_0(known->model_flops),
	    .bytes = known_or_0(known->bytes),
	    .has_spaces = known->space_bytes[TP_JAX_HBM] >= 0 };

	double all = one.flops + one.model_flops + one.bytes;

	for (size_t i = 0; i < TP_JAX_SPACES; i++)
		all += one.space_bytes[i] = known_or_0(known->space_bytes[i]);
	/* all zero is what the compiler reports for unknown calls */
	if (all <= 0)
		return;
	tp_jax_rates_add(&op->rates, &one);
	/*
	 * an operation that spans others includes their cost; the start of a
	 * copy is short
	 */
	if (known->class != TP_JAX_WORK || s->own_ps < tp_slice_ps(s) / 2)
		return;
	costs_add(&op->costs, &(struct tp_jax_costs){ 1, tp_slice_ps(s),
	    known_or_0(known->flops), known_or_0(one.has_spaces ?
	    known->space_bytes[TP_JAX_HBM] : known->bytes), known->roof_ps,
	    (enum tp_jax_limit)known->limit, (enum tp_jax_space)known->space });
}

static void
add_op_slice(struct build *b, const struct tp_jax_event *s)
{
	struct tp_jax_op *op = op_of(b, s);
	struct tp_detail d = b->tracks->details[s->detail];
	ptrdiff_t shape = shape_of(b, d.of[TP_DETAIL_LONG_NAME]);
	size_t at = (size_t)(op - b->ops->list);

	op->count++;
	tp_ps_add(&op->total_ps, tp_slice_ps(s));
	tp_ps_add(&op->own_ps, s->own_ps);
	tp_ps_add(&b->ops->total_ps, tp_slice_ps(s));
	tp_ps_add(&b->ops->own_ps, s->own_ps);
	if (!b->as_peer)
		add_cost(b, op, s);
	vote(&b->tf_ops, at, d.of[TP_DETAIL_TF_OP]);
	vote(&b->sources, at, d.of[TP_DETAIL_SOURCE]);
	vote(&b->shapes, at, (uint32_t)shape);
}

/*
 * Write the value with most votes (the first among equals) to the member at
 * OFFSET of each operation; MOST is scratch.
 */
static void
elect(const struct tp_jax_tally *v, struct tp_jax_ops *ops, size_t offset,
    uint32_t *most)
{
	memset(most, 0, ops->count * sizeof *most);
	for (size_t i = 0; i < v->ids.count; i++) {
		size_t op = (size_t)v->ids.ids[i].a;
		uint32_t value = (uint32_t)v->ids.ids[i].b;

		if (v->counts[i] <= most[op])
			continue;
		most[op] = v->counts[i];
		memcpy((char *)&ops->list[op] + offset, &value,
		    sizeof value);
	}
}

/* Mean relative work of the calls with shapes; CALLS is scratch. */
static void
estimate(struct build *b, uint32_t *calls)
{
	struct tp_jax_op *ops = b->ops->list;
	const struct tp_jax_tally *shapes = &b->shapes;

	memset(calls, 0, b->ops->count * sizeof *calls);
	for (size_t i = 0; i < shapes->ids.count; i++) {
		size_t op = (size_t)shapes->ids.ids[i].a;
		size_t shape = (size_t)shapes->ids.ids[i].b;
		double work = tp_jax_work(
		    b->tracks->texts.names[shape].text, b->flops[op]);

		if (work > 0) {
			ops[op].flops += work * shapes->counts[i];
			calls[op] += shapes->counts[i];
		}
	}
	for (size_t i = 0; i < b->ops->count; i++)
		if (calls[i])
			ops[i].flops /= calls[i];
}

/* For qsort(). */
static const struct tp_tracks *sorting;

TP_ORDER(by_own, struct tp_jax_op, TP_DOWN(own_ps) TP_DOWN(total_ps)
    TP_BY(strcmp(sorting->names.names[a->name].text,
    sorting->names.names[b->name].text))
    TP_BY(strcmp(sorting->texts.names[a->program].text,
    sorting->texts.names[b->program].text)))

/* Add the measurements of slices to their operations. */
static void
add_measured(struct build *b)
{
	const struct tp_tracks *t = b->tracks;

	for (size_t i = 0; i < t->measured_ids.count; i++) {
		const struct tp_id *id = &t->measured_ids.ids[i];
		ptrdiff_t at = tp_ids_find(&b->keys, id->a, program_of(b,
		    (uint32_t)id->a, tp_detail_program(t, (uint32_t)id->b)));

		/* else it is on other lanes */
		if (at >= 0)
			tp_jax_measured_add(&b->ops->list[at].rates.measured,
			    &t->measured[i]);
	}
}

static void
finish(struct build *b)
{
	struct tp_jax_ops *ops = b->ops;
	uint32_t *most = tp_alloc((ops->count + 1) * sizeof *most);

	elect(&b->tf_ops, ops, offsetof(struct tp_jax_op, tf_op), most);
	elect(&b->sources, ops, offsetof(struct tp_jax_op, source), most);
	elect(&b->shapes, ops, offsetof(struct tp_jax_op, shape), most);
	estimate(b, most);
	tp_free(most);
	add_measured(b);
	sorting = b->tracks;
	TP_SORT(ops->list, ops->count, by_own);
}

void
tp_jax_ops_make(struct tp_jax_ops *ops, struct tp_tracks *tracks,
    struct tp_jax *jax, int as_peer)
{
	struct build b = { .tracks = tracks, .jax = jax, .ops = ops,
	    .as_peer = as_peer };

	memset(ops, 0, sizeof *ops);
	b.op_of = tp_zalloc((tracks->names.count + 1) * sizeof *b.op_of);
	b.shape_of = tp_zalloc((tracks->texts.count + 1) *
	    sizeof *b.shape_of);
	b.program_of = tp_zalloc((tracks->names.count + 1) *
	    sizeof *b.program_of);
	if (!as_peer)
		find_programs(&b);
	for (size_t i = 0; i < tracks->count; i++)
		if (tracks->tracks[tracks->slices[i].track].role ==
		    TP_ROLE_OPS)
			add_op_slice(&b, &tracks->slices[i]);
	finish(&b);
	tp_free(b.op_of);
	tp_free(b.shape_of);
	tp_free(b.program_of);
	tp_ids_release(&b.keys);
	tp_free(b.flops);
	tp_jax_tally_release(&b.tf_ops);
	tp_jax_tally_release(&b.sources);
	tp_jax_tally_release(&b.shapes);
	tp_buf_release(&b.buf);
}

void
tp_jax_ops_release(struct tp_jax_ops *ops)
{
	tp_free(ops->list);
	memset(ops, 0, sizeof *ops);
}

uint64_t
tp_jax_op_calls(const struct tp_jax_op *op, int as_peer)
{
	return !as_peer && op->half == TP_JAX_START &&
	    op->use != TP_JAX_WORK ? 0 : op->count;
}

/* Add OP to the group called NAME, as COUNT calls. */
static void
group(struct tp_jax_groups *g, size_t *cap, const char *name,
    const struct tp_jax_op *op, uint64_t count)
{
	struct tp_jax_group *at;
	size_t i;

	for (i = 0; i < g->count && strcmp(g->list[i].name, name); i++)
		;
	tp_grow(&g->list, cap, i + 1, sizeof *g->list);
	at = &g->list[i];
	if (i == g->count) {
		*at = (struct tp_jax_group){ .name = name, .example = op };
		g->count++;
	}
	at->count += count;
	tp_ps_add(&at->total_ps, op->total_ps);
	tp_ps_add(&at->own_ps, op->own_ps);
	at->flops += op->flops * (double)op->count;
}

TP_ORDER(group_by_own, struct tp_jax_group, TP_DOWN(own_ps)
    TP_BY(strcmp(a->name, b->name)))

static void
sort_groups(struct tp_jax_groups *g)
{
	TP_SORT(g->list, g->count, group_by_own);
}

const char *
tp_jax_op_family(const struct tp_jax_op *op, const struct tp_tracks *tracks,
    const struct tp_jax *jax, int as_peer, struct tp_buf *text)
{
	tp_buf_clear(text);
	tp_buf_str(text, tracks->texts.names[op->canonical].text);
	if (op->tf_op)
		tp_buf_fmt(text, " %s", tracks->texts.names[op->tf_op].text);
	return as_peer ? tp_jax_family(jax, text->p, NULL) :
	    tp_jax_family_or_kernel(jax, text->p);
}

const char *
tp_jax_op_collective(const struct tp_jax_op *op, const struct tp_tracks *tracks,
    const struct tp_jax *jax, int as_peer)
{
	return op->part != TP_JAX_COMMUNICATION ? NULL : tp_jax_collective_of(
	    jax, tracks, op->name, as_peer ? 0 : op->category);
}

void
tp_jax_families(struct tp_jax_groups *g, const struct tp_jax_ops *ops,
    size_t limit, const struct tp_tracks *tracks, const struct tp_jax *jax,
    int as_peer)
{
	struct tp_jax_tally shapes = { 0 };
	struct tp_buf buf = { 0 };
	size_t cap = 0, n = ops->count < limit ? ops->count : limit;
	const char **family = tp_alloc((n + 1) * sizeof *family);

	memset(g, 0, sizeof *g);
	for (size_t i = 0; i < n; i++) {
		const struct tp_jax_op *op = &ops->list[i];

		family[i] = tp_jax_op_family(op, tracks, jax, as_peer, &buf);
		group(g, &cap, family[i], op, tp_jax_op_calls(op, as_peer));
	}
	sort_groups(g);
	/* choose the most frequent shape */
	for (size_t k = 0; k < g->count; k++) {
		uint64_t best = 0;

		tp_jax_tally_release(&shapes);
		for (size_t i = 0; i < n; i++) {
			const struct tp_jax_op *op = &ops->list[i];

			if (op->shape && !strcmp(family[i], g->list[k].name))
				tp_jax_tally_add(&shapes, 0, op->shape,
				    (uint32_t)op->count);
		}
		for (size_t i = 0; i < shapes.ids.count; i++)
			if (shapes.counts[i] > best) {
				best = shapes.counts[i];
				g->list[k].shape =
				    (uint32_t)shapes.ids.ids[i].b;
			}
	}
	tp_jax_tally_release(&shapes);
	tp_free(family);
	tp_buf_release(&buf);
}

void
tp_jax_collectives(struct tp_jax_groups *g, const struct tp_jax_ops *ops,
    const struct tp_tracks *tracks, const struct tp_jax *jax,
    int as_peer)
{
	size_t cap = 0;

	memset(g, 0, sizeof *g);
	for (size_t i = 0; i < ops->count; i++) {
		const struct tp_jax_op *op = &ops->list[i];
		const char *kind = tp_jax_op_collective(op, tracks, jax,
		    as_peer);

		if (kind)
			group(g, &cap, kind, op, tp_jax_op_calls(op, as_peer));
	}
	sort_groups(g);
}

void
tp_jax_groups_release(struct tp_jax_groups *g)
{
	tp_free(g->list);
	memset(g, 0, sizeof *g);
}
