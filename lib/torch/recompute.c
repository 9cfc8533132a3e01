/* recompute - forward work that a backward pass runs again */
#include <string.h>

#include <tp/alloc.h>

#include "recompute.h"

/* Places [at, stop) of the tree are run again, or, if not IS_AGAIN, are not. */
struct stretch {
	uint32_t stop;
	uint8_t is_again;
};

struct search {
	struct tp_torch_recompute *r;
	const struct tp_torch *t;
	const struct tp_torch_frames *frames;
	uint8_t *is_again;	/* by place */
	uint8_t *asked;		/* by function name: 1: it runs a part of the
				 * forward pass again, 2: it does not */
	uint8_t *inside;	/* by frame: it is a module that is run again,
				 * or in one */
	int has_functions;	/* one of those is in the trace */
	int has_numbers;	/* numbers tell what is run again */
	struct stretch *open;	/* those around the current place */
	size_t count, cap;
};

static const struct tp_torch_event *
event_at(const struct search *s, uint32_t place)
{
	return &s->t->events[s->t->tree[place]];
}

static int
is_pass(const struct search *s, const struct tp_torch_event *e)
{
	return e->cat == TP_TORCH_OP &&
	    tp_torch_starts(s->t, e, s->t->ops->backward);
}

/* Which node of a backward pass E is; its pass is the event around it. */
static enum tp_torch_node
node_of(const struct search *s, const struct tp_torch_event *e)
{
	if (e->cat != TP_TORCH_OP || e->parent == TP_TORCH_NO ||
	    !is_pass(s, &s->t->events[e->parent]))
		return TP_TORCH_NO_NODE;
	return (enum tp_torch_node)tp_torch_trait(s->t, e)->node;
}

static int
launches(const struct search *s, uint32_t start, uint32_t stop)
{
	return tp_torch_link_at(s->t, start) < tp_torch_link_at(s->t, stop);
}

/* The operators directly below a node, by whether they have a number. */
struct below {
	uint32_t pass;			/* place of the first backward pass, */
	uint32_t numbered_stop;		/* ... behind the last with a number;
					 * 0: there is none */
	int numbered_work;		/* one with a number launched work, */
	int work_behind;		/* ... one without, behind those, */
	int other_work;			/* ... or anywhere */
};

static struct below
below(const struct search *s, const struct tp_torch_event *node)
{
	struct below b = { 0 };
	uint32_t next;

	for (uint32_t i = node->order + 1; i < node->last; i = next) {
		const struct tp_torch_event *e = event_at(s, i);
		int work = launches(s, i, e->last);

		/* marked ranges are around operators */
		next = e->cat == TP_TORCH_ANNOTATION ? i + 1 : e->last;
		if (e->cat != TP_TORCH_OP)
			continue;
		if (is_pass(s, e)) {
			b.pass = b.pass ? b.pass : i;
		} else if (tp_torch_number(s->t, e->sequence) >= 0 &&
		    !tp_torch_trait(s->t, e)->node) {
			b.numbered_stop = e->last;
			b.numbered_work |= work;
			b.work_behind = 0;
		} else {
			b.work_behind |= work;
			b.other_work |= work;
		}
	}
	return b;
}

/* Whether F is a function that runs a part of the forward pass again. */
static int
runs_again(struct search *s, const struct tp_torch_frame *f)
{
	if (!f->is_function)
		return 0;
	if (!s->asked[f->of])
		s->asked[f->of] = tp_class_of_name(&s->t->ops->recompute,
		    s->t->function_names.names[f->of].text) ? 1 : 2;
	return s->asked[f->of] == 1;
}

/*
 * Find out what the trace tells by: functions, or else numbers, of which a
 * node in which all operators have one is a sign of create_graph=True.
 */
static void
look(struct search *s)
{
	for (size_t i = 0; i < s->frames->count && !s->has_functions; i++)
		s->has_functions = runs_again(s, &s->frames->list[i]);
	s->has_numbers = !s->has_functions;
	for (uint32_t i = 0; s->has_numbers && i < s->t->tree_count; i++) {
		const struct tp_torch_event *e = event_at(s, i);
		struct below b;

		if (node_of(s, e) != TP_TORCH_OWN)
			continue;
		b = below(s, e);
		if (b.numbered_work && !b.other_work)
			s->has_numbers = 0;
	}
}

/* The place up to which node E runs a forward pass again; 0: it does not. */
static uint32_t
again_until(const struct search *s, const struct tp_torch_event *e)
{
	enum tp_torch_node node = node_of(s, e);
	uint32_t until = 0;
	struct below b;

	if (node == TP_TORCH_CHECKPOINT) {
		/* then comes the backward pass of what is there again */
		b = below(s, e);
		until = b.pass ? b.pass : b.numbered_stop;
	} else if (node == TP_TORCH_OWN && s->has_numbers) {
		b = below(s, e);
		until = b.numbered_work && b.work_behind ? b.numbered_stop : 0;
	}
	return until && launches(s, e->order + 1, until) ? until : 0;
}

static void
push(struct search *s, uint32_t stop, uint8_t is_again)
{
	int was = s->count && s->open[s->count - 1].is_again;

	TP_APPEND(s->open, s->count, s->cap,
	    (struct stretch){ stop, is_again });
	s->r->region_count += is_again && !was;
}

/* Mark what is run again. */
static void
mark(struct search *s)
{
	const struct tp_torch_frames *frames = s->frames;
	uint32_t until = 0;
	size_t next = 0;

	for (uint32_t i = 0; i < s->t->tree_count; i++) {
		const struct tp_torch_event *e = event_at(s, i);

		while (s->count && s->open[s->count - 1].stop <= i)
			s->count--;
		for (; next < frames->count && frames->list[next].start <= i;
		    next++)
			if (runs_again(s, &frames->list[next]))
				push(s, frames->list[next].stop, 1);
		if (until > i)
			push(s, until, 1);
		until = 0;
		if (is_pass(s, e))
			push(s, e->last, 0);
		s->is_again[i] = s->count && s->open[s->count - 1].is_again;
		/* the node itself is not */
		until = again_until(s, e);
	}
}

/* Whether the operator around E, if there is one, is run again too. */
static int
is_in_op(const struct search *s, const struct tp_torch_event *e)
{
	uint32_t at = e->parent;

	while (at != TP_TORCH_NO && s->t->events[at].cat != TP_TORCH_OP)
		at = s->t->events[at].parent;
	return at != TP_TORCH_NO && s->is_again[s->t->events[at].order];
}

/* Count operators, and the computation below what is marked. */
static void
count(struct search *s)
{
	const struct tp_torch *t = s->t;

	for (uint32_t i = 0; i < t->tree_count; i++) {
		const struct tp_torch_event *e = event_at(s, i);

		s->r->op_count += s->is_again[i] && e->cat == TP_TORCH_OP &&
		    launches(s, i, e->last) && !is_in_op(s, e);
	}
	for (size_t i = 0; i < t->tree_link_count; i++) {
		const struct tp_torch_link *l = &t->links[i];

		if (t->events[l->work].launch != l->call ||
		    !s->is_again[t->events[l->call].order] ||
		    tp_torch_bucket_of(t, &t->events[l->work]) !=
		    TP_TORCH_COMPUTATION)
			continue;
		s->r->again[l->work] = 1;
		s->r->gpu_count++;
	}
}

/* Calls of one class of outermost modules. */
struct modules {
	struct tp_names names;
	struct module {
		uint32_t frame;
		uint64_t count;
		int64_t ps;
	} *list;
	size_t cap;
};

static void
add_module(struct search *s, struct modules *m, uint32_t at)
{
	const struct tp_torch_frame *f = &s->frames->list[at];
	struct tp_name name = tp_torch_frame_class(s->t, s->frames, f);
	uint32_t last = tp_torch_frame_last(s->t, f);
	size_t had = m->names.count;
	ptrdiff_t of = tp_names_add(&m->names, name.text, name.len);

	TP_ITEM(m->list, m->cap, of);
	if ((size_t)of == had)
		m->list[of] = (struct module){ at, 0, 0 };
	m->list[of].count++;
	for (uint32_t i = tp_torch_frame_first(s->t, f); i < last; i++) {
		uint32_t work = s->t->links[i].work;

		if (s->r->again[work])
			m->list[of].ps += s->t->events[work].to_ps -
			    s->t->events[work].from_ps;
	}
}

/* Find the outermost modules that are run again, and which has most work. */
static void
find_module(struct search *s)
{
	struct modules m = { 0 };
	const struct module *most = NULL;

	for (uint32_t i = 0; i < s->frames->count; i++) {
		const struct tp_torch_frame *f = &s->frames->list[i];

		if (!s->is_again[f->start])
			continue;
		s->inside[i] = f->parent != TP_TORCH_NO &&
		    s->inside[f->parent];
		if (s->inside[i] || !tp_torch_is_module(s->frames, f))
			continue;
		s->inside[i] = 1;
		add_module(s, &m, i);
	}
	for (size_t i = 0; i < m.names.count; i++)
		if (!most || m.list[i].ps > most->ps)
			most = &m.list[i];
	if (most) {
		s->r->module = most->frame;
		s->r->module_count = most->count;
	}
	tp_names_release(&m.names);
	tp_free(m.list);
}

void
tp_torch_recompute_make(struct tp_torch_recompute *r,
    const struct tp_torch *t, const struct tp_torch_frames *frames)
{
	struct search s = { .r = r, .t = t, .frames = frames };

	memset(r, 0, sizeof *r);
	r->module = TP_TORCH_NO;
	s.is_again = tp_zalloc(t->tree_count + 1);
	s.asked = tp_zalloc(t->function_names.count + 1);
	s.inside = tp_zalloc(frames->count + 1);
	look(&s);
	mark(&s);
	if (r->region_count) {
		r->again = tp_zalloc(t->count + 1);
		count(&s);
		find_module(&s);
	}
	tp_free(s.is_again);
	tp_free(s.asked);
	tp_free(s.inside);
	tp_free(s.open);
}

void
tp_torch_recompute_release(struct tp_torch_recompute *r)
{
	tp_free(r->again);
	memset(r, 0, sizeof *r);
}
