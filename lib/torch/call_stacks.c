/* call_stacks - time of a PyTorch trace by call stack */
#include <tp/alloc.h>

#include "call_stacks.h"

static uint32_t
node_of(struct tp_folded *f, uint32_t parent, const struct tp_name *name)
{
	return tp_folded_node(f, parent, name->text, name->len);
}

/* The node that GPU work AT counts for.  NODES: node by frame. */
static uint32_t
launcher(struct tp_folded *f, uint32_t parent, const struct tp_torch *t,
    const struct tp_torch_frames *frames, const uint32_t *nodes,
    uint32_t at)
{
	const struct tp_torch_event *work = &t->events[at];
	const struct tp_torch_event *call;
	uint32_t frame = TP_TORCH_NO;

	if (!tp_torch_is_linked(work))
		return tp_folded_node(f, parent, "[not linked]", 12);
	call = &t->events[tp_torch_captured_call(t, at)];
	if (call->order != TP_TORCH_NO)
		frame = tp_torch_frame_at(frames, call->order);
	if (frame != TP_TORCH_NO)
		parent = nodes[frame];
	/* work of a graph has no other launcher */
	if (frame == TP_TORCH_NO || tp_torch_trait(t, call)->launches_graph)
		parent = node_of(f, parent, tp_torch_event_name(t, call));
	return parent;
}

void
tp_torch_stacks_gpu(struct tp_folded *f, uint32_t parent,
    const struct tp_torch *t, const struct tp_torch_frames *frames)
{
	uint32_t *nodes = tp_alloc((frames->count + 1) * sizeof *nodes);

	for (size_t i = 0; i < frames->count; i++) {
		const struct tp_torch_frame *frame = &frames->list[i];

		nodes[i] = node_of(f, frame->parent == TP_TORCH_NO ? parent :
		    nodes[frame->parent], tp_torch_frame_name(t, frame));
	}
	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *work = &t->events[t->gpu[i]];

		tp_folded_add(f, node_of(f, launcher(f, parent, t, frames,
		    nodes, t->gpu[i]), tp_torch_event_name(t, work)),
		    work->to_ps - work->from_ps);
	}
	tp_free(nodes);
}

/* An event that has not ended. */
struct open {
	int64_t to_ps, own_ps;
	uint32_t node;
};

struct stack {
	struct tp_folded *f;
	uint32_t root;
	struct open *list;
	size_t count, cap;
};

static void
close_one(struct stack *s)
{
	const struct open *o = &s->list[--s->count];

	tp_folded_add(s->f, o->node, o->own_ps);
}

/*
 * Enter an event over [FROM, TO).  It ends with the event it started in, if it
 * would last longer.
 */
static void
enter(struct stack *s, int64_t from, int64_t to, const struct tp_name *name)
{
	struct open *top;

	while (s->count && s->list[s->count - 1].to_ps <= from)
		close_one(s);
	top = s->count ? &s->list[s->count - 1] : NULL;
	if (top && to > top->to_ps)
		to = top->to_ps;
	if (top)
		top->own_ps -= to - from;
	tp_grow(&s->list, &s->cap, s->count + 1, sizeof *s->list);
	s->list[s->count] = (struct open){ to, to - from, node_of(s->f,
	    s->count ? s->list[s->count - 1].node : s->root, name) };
	s->count++;
}

void
tp_torch_stacks_host(struct tp_folded *f, uint32_t parent,
    struct tp_torch *t)
{
	struct stack s = { .f = f, .root = parent };
	uint32_t lane = TP_TORCH_NO;
	size_t i = 0, k = 0;

	tp_torch_sort_functions(t);
	while (i < t->tree_count || k < t->function_count) {
		const struct tp_torch_event *e = i < t->tree_count ?
		    &t->events[t->tree[i]] : NULL;
		const struct tp_torch_function *p = k < t->function_count ?
		    &t->functions[k] : NULL;
		int python = p && (!e || tp_torch_function_is_first(p, e));

		if ((python ? p->lane : e->lane) != lane)
			while (s.count)
				close_one(&s);
		lane = python ? p->lane : e->lane;
		if (python)
			enter(&s, p->from_ps, p->to_ps,
			    &t->function_names.names[p->name]);
		else
			enter(&s, e->from_ps, e->to_ps,
			    tp_torch_event_name(t, e));
		k += (size_t)python;
		i += (size_t)!python;
	}
	while (s.count)
		close_one(&s);
	tp_free(s.list);
}
