/* emit_patterns - patterns in the GPU work of a PyTorch trace, as records */
#include <string.h>

#include <tp/alloc.h>
#include <tp/hash.h>
#include <tp/order.h>

#include "emit_torch.h"
#include "replayed.h"
#include "timeline/critical.h"

/* Work of one pattern, and its longest piece. */
struct pattern {
	uint64_t count;
	int64_t sum_ps, most_ps;
	/* on the critical path the host built it, or part of it */
	int64_t building_ps;
	int64_t building_count;
	uint32_t most;
};

/* Count a piece of work, event AT. */
static void
count(struct pattern *p, const struct tp_torch *t, uint32_t at)
{
	const struct tp_torch_event *e = &t->events[at];

	if (!p->count++ || e->to_ps - e->from_ps > p->most_ps) {
		p->most_ps = e->to_ps - e->from_ps;
		p->most = at;
	}
	p->sum_ps += e->to_ps - e->from_ps;
}

/* Work that a pattern is about. */
struct in {
	const struct tp_torch_out *o;
	unsigned which;
};

/* Work of a category. */
static int
in_category(const void *arg, uint32_t event)
{
	const struct in *in = arg;

	return in->o->work->category[event] == in->which;
}

static int
is_computation(const void *arg, uint32_t event)
{
	const struct tp_torch_out *o = arg;

	return o->work->category[event] != o->work->communication &&
	    o->work->category[event] != o->work->copy;
}

/* Kernels of a pattern: 1 + its index. */
static int
in_pattern(const void *arg, uint32_t event)
{
	const struct in *in = arg;

	return in->o->work->pattern[in->o->file->torch.events[event].name] ==
	    in->which;
}

/* Begin the record of pattern P. */
static void
begin_pattern(const struct tp_torch_out *o, const char *name,
    const struct pattern *p)
{
	const struct tp_torch *t = &o->file->torch;
	uint32_t launcher = o->file->launchers.of[p->most];

	tp_torch_out_begin(o, "gpu.pattern");
	tp_out_text(o->out, "pattern", name);
	tp_torch_out_name(o, "kernel", t->events[p->most].name);
	if (launcher != TP_TORCH_NO) {
		const struct tp_torch_event *e = &t->events[
		    o->file->launchers.list[launcher].event];

		tp_torch_out_name(o, "op", e->name);
		if (e->cat == TP_TORCH_OP)
			tp_torch_out_text(o, "input_dims",
			    tp_torch_args_of(t, e).dims);
	}
	tp_out_int(o->out, "count", (int64_t)p->count);
	tp_out_ps(o->out, "gpu_sum_ns", p->sum_ps);
	tp_out_ratio(o->out, "gpu_of_span_ratio",
	    tp_torch_mean_ps(o, p->sum_ps), o->span_ps);
	if (p->building_ps) {
		tp_out_ps(o->out, "building_ns", p->building_ps);
		tp_out_int(o->out, "building_count", p->building_count);
	}
}

/* Write attention that is not fused: a softmax between batched products. */
static void
out_attention(const struct tp_torch_out *o)
{
	const struct tp_torch_part_of *s = NULL;
	int64_t best_ps = 0, again_ps = 0, sum_ps, gain_ps;
	uint64_t calls = 0;

	sum_ps = tp_torch_attention_of(&o->work->patterns,
	    (int64_t)o->categories->least_keys, &best_ps, &again_ps,
	    &calls, &s);
	if (!sum_ps)
		return;
	tp_torch_out_begin(o, "gpu.pattern");
	tp_out_text(o->out, "pattern", "unfused-attention");
	tp_torch_out_name(o, "op", s->name);
	tp_torch_out_text(o, "input_dims", s->dims);
	tp_out_int(o->out, "count", (int64_t)calls);
	tp_out_ps(o->out, "gpu_sum_ns", sum_ps);
	tp_out_ratio(o->out, "gpu_of_span_ratio",
	    tp_torch_mean_ps(o, sum_ps), o->span_ps);
	/* estimate: a fused kernel runs at half of the arithmetic rate */
	gain_ps = sum_ps - 2 * best_ps;
	gain_ps -= (int64_t)((double)gain_ps *
	    ((double)again_ps / (double)sum_ps));
	if (best_ps)
		tp_torch_out_gain(o, is_computation, o, gain_ps, 0);
	tp_out_end(o->out);
}

/* Steps of an optimizer, by start. */
struct steps {
	uint32_t *list;
	size_t count, cap;
};

static void
find_steps(const struct tp_torch *t, struct steps *s)
{
	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];

		if ((e->cat != TP_TORCH_OP && e->cat != TP_TORCH_ANNOTATION) ||
		    !tp_torch_starts(t, e, t->ops->optimizer))
			continue;
		TP_APPEND(s->list, s->count, s->cap, (uint32_t)i);
	}
	if (s->count)
		tp_torch_sort(t, s->list, s->count);
}

static int
in_step(const struct tp_torch *t, const struct steps *s, int64_t at_ps)
{
	size_t low;

	TP_SEEK(low, 0, s->count, mid, t->events[s->list[mid]].from_ps <=
	    at_ps);
	return low && t->events[s->list[low - 1]].to_ps > at_ps;
}

/* Time of the critical path in which the host builds work of steps. */
struct in_steps {
	const struct tp_torch *t;
	const struct steps *steps;
	int64_t ps;
};

static void
add_piece(void *arg, const struct tp_path *path,
    const struct tp_path_piece *piece)
{
	struct in_steps *in = arg;
	const struct tp_graph *g = path->graph;

	if (piece->node < g->host_count && g->rules->parts[g->whats[
	    piece->what].class].part == TP_PART_BUILDING && in_step(in->t,
	    in->steps, piece->from_ps))
		in->ps += piece->to_ps - piece->from_ps;
}

/* Find what of P, work of STEPS, was built in the window of the path. */
static void
find_building(const struct tp_torch_out *o, const struct steps *steps,
    struct pattern *p)
{
	const struct tp_torch *t = &o->file->torch;
	struct in_steps in = { .t = t, .steps = steps };
	struct tp_path *path;

	if (!o->promise)
		return;
	path = tp_torch_promise_path(o->promise);
	tp_path_again(path, o->graph, add_piece, &in);
	p->building_ps = in.ps;
	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		int64_t at_ps = tp_torch_is_linked(e) ?
		    t->events[e->launch].from_ps : INT64_MIN;

		p->building_count += e->cat == TP_TORCH_KERNEL &&
		    at_ps >= path->from_ps && at_ps < path->until_ps &&
		    in_step(t, steps, at_ps);
	}
}

/*
 * Write an optimizer that loops over parameters: many kernels per step, most of
 * which do not work on lists of tensors.
 */
static void
out_optimizer(const struct tp_torch_out *o, const struct steps *steps)
{
	const struct tp_torch *t = &o->file->torch;
	struct pattern p = { 0 }, loop = { 0 };

	for (size_t i = 0; steps->count && i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];

		if (!tp_torch_is_linked(e) || !in_step(t, steps,
		    t->events[e->launch].from_ps))
			continue;
		if (o->work->category[t->gpu[i]] != o->work->optimizer)
			count(&loop, t, t->gpu[i]);
		count(&p, t, t->gpu[i]);
	}
	if (!steps->count || loop.count * 2 <= p.count || (double)p.count <
	    o->categories->loop_kernels * (double)steps->count)
		return;
	p.most = loop.most;
	find_building(o, steps, &p);
	begin_pattern(o, "optimizer-loop", &p);
	tp_out_end(o->out);
}

/*
 * Consecutive elementwise kernels on a stream with one shape.  If all are the
 * same kernel, they more likely process one tensor after another.
 */
struct chain {
	const char *dims;	/* shape of the first tensor; NULL: none */
	size_t len;
	struct pattern all;
	uint32_t kernel;	/* name of the first */
	int is_mixed;
};

/*
 * Set C to the shape of the first tensor of the operator that launched work AT.
 * Returns 0 if there is none or the kernel could not be fused.
 */
static int
link_of(const struct tp_torch_out *o, const struct steps *steps, uint32_t at,
    struct chain *c)
{
	const struct tp_torch *t = &o->file->torch;
	const struct tp_torch_event *e = &t->events[at], *op;
	uint32_t launcher = o->file->launchers.of[at];
	const struct tp_name *text;
	const char *end;

	if (o->work->category[at] != o->work->elementwise ||
	    o->work->pattern[e->name] || launcher == TP_TORCH_NO ||
	    (o->merged && o->merged[at]) || (o->again && o->again[at]))
		return 0;
	op = &t->events[o->file->launchers.list[launcher].event];
	if (op->cat != TP_TORCH_OP || (steps->count && in_step(t, steps,
	    t->events[e->launch].from_ps)))
		return 0;
	text = &t->texts.names[tp_torch_args_of(t, op).dims];
	end = text->len ? memchr(text->text, ']', text->len) : NULL;
	if (!end)
		return 0;
	c->dims = text->text;
	c->len = (size_t)(end - text->text);
	return 1;
}

/* End chain C.  A fused kernel takes about as long as its longest. */
static void
close_chain(const struct tp_torch_out *o, struct chain *c, struct pattern *sum,
    int64_t *gain_ps)
{
	if (c->is_mixed &&
	    (double)c->all.count >= o->categories->chain_kernels) {
		if (c->all.most_ps > sum->most_ps) {
			sum->most_ps = c->all.most_ps;
			sum->most = c->all.most;
		}
		sum->count += c->all.count;
		sum->sum_ps += c->all.sum_ps;
		*gain_ps += c->all.sum_ps - c->all.most_ps;
	}
	memset(c, 0, sizeof *c);
}

static void
out_chains(const struct tp_torch_out *o, const struct steps *steps)
{
	const struct tp_torch *t = &o->file->torch;
	struct chain *chains = tp_zalloc((t->lane_count + 1) * sizeof *chains);
	struct pattern sum = { 0 };
	struct in in = { o, o->work->elementwise };
	int64_t gain_ps = 0;

	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		struct chain *c = &chains[e->lane], next = { 0 };

		if (!link_of(o, steps, t->gpu[i], &next) || !c->dims ||
		    c->len != next.len || memcmp(c->dims, next.dims, c->len))
			close_chain(o, c, &sum, &gain_ps);
		c->dims = next.dims;
		c->len = next.len;
		if (!c->dims)
			continue;
		if (!c->all.count)
			c->kernel = e->name;
		c->is_mixed |= c->kernel != e->name;
		count(&c->all, t, t->gpu[i]);
	}
	for (size_t i = 0; i < t->lane_count; i++)
		close_chain(o, &chains[i], &sum, &gain_ps);
	tp_free(chains);
	if (!sum.count)
		return;
	begin_pattern(o, "elementwise-chain", &sum);
	tp_torch_out_gain(o, in_category, &in, gain_ps, 0);
	tp_out_end(o->out);
}

/*
 * Write collectives in a stream that also computes, so that nothing runs beside
 * them.  Such a stream has at least a tenth of all computation.
 */
static void
out_inline(const struct tp_torch_out *o)
{
	const struct tp_torch *t = &o->file->torch;
	struct tp_ids streams = { 0 };
	int64_t *ps = NULL, all = 0;
	size_t cap = 0, had;
	struct pattern p = { 0 };

	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		unsigned category = o->work->category[t->gpu[i]];
		ptrdiff_t at;

		if (category == o->work->communication ||
		    category == o->work->copy)
			continue;
		had = streams.count;
		at = tp_ids_add(&streams, (uint64_t)e->device,
		    (uint64_t)e->stream);
		TP_ITEM(ps, cap, at);
		ps[at] = (streams.count > had ? 0 : ps[at]) +
		    e->to_ps - e->from_ps;
		all += e->to_ps - e->from_ps;
	}
	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		ptrdiff_t at;

		if (o->work->category[t->gpu[i]] != o->work->communication)
			continue;
		at = tp_ids_find(&streams, (uint64_t)e->device,
		    (uint64_t)e->stream);
		if (at >= 0 && ps[at] >= all / 10)
			count(&p, t, t->gpu[i]);
	}
	if (p.count) {
		begin_pattern(o, "inline-communication", &p);
		tp_out_end(o->out);
	}
	tp_ids_release(&streams);
	tp_free(ps);
}

void
tp_torch_emit_patterns(const struct tp_torch_out *o)
{
	const struct tp_classes *classes = &o->categories->patterns;
	const struct tp_torch *t = &o->file->torch;
	struct pattern list[TP_TORCH_CATEGORIES] = { 0 };
	struct steps steps = { 0 };

	for (size_t i = 0; i < t->gpu_count; i++) {
		unsigned at = o->work->pattern[t->events[t->gpu[i]].name];

		if (at)
			count(&list[at - 1], t, t->gpu[i]);
	}
	find_steps(t, &steps);
	out_optimizer(o, &steps);
	out_chains(o, &steps);
	tp_free(steps.list);
	out_inline(o);
	out_attention(o);
	for (size_t i = 0; i < classes->count; i++) {
		struct in in = { o, (unsigned)i + 1 };

		if (!list[i].count)
			continue;
		begin_pattern(o, classes->list[i].name, &list[i]);
		tp_torch_out_gain(o, in_pattern, &in,
		    o->work->pattern_gain_ps[i], 0);
		tp_out_end(o->out);
	}
}
