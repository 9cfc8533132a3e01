/* graft - give GPU work of a graph the operators it was captured with */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "frame.h"
#include "graft.h"

/*
 * A call around a launch, or a launch.  FROM and TO are its begin and end in
 * the order of all begins and ends.
 */
struct item {
	uint32_t from, to;
	uint32_t at;			/* index of an event or a function */
	int is_function;
};

/* A captured launch. */
struct launch {
	uint32_t item, event;
	const struct tp_name *kernel;	/* NULL: unknown */
	int64_t node;			/* or TP_TORCH_NONE */
};

struct tp_torch_graph {
	const struct tp_torch *from;
	struct item *items;
	size_t item_count, item_cap;
	struct launch *launches;	/* by time */
	size_t count, cap;
	uint32_t places;		/* number of begins and ends */
};

static void
graphs_release(struct tp_torch_graphs *g)
{
	for (size_t i = 0; i < g->count; i++) {
		tp_free(g->list[i].items);
		tp_free(g->list[i].launches);
	}
	tp_free(g->list);
	memset(g, 0, sizeof *g);
}

int
tp_torch_is_call(const struct tp_torch *t, const struct tp_torch_event *e,
    const struct tp_classes *what)
{
	return e->cat == TP_TORCH_RUNTIME &&
	    tp_class_of_name(what, tp_torch_event_name(t, e)->text) != NULL;
}

static int
is_launch(const struct tp_torch *t, const struct tp_torch_event *e)
{
	return e->cat == TP_TORCH_RUNTIME &&
	    (e->kernel_name || e->node != TP_TORCH_NO) &&
	    tp_torch_trait(t, e)->launches &&
	    !tp_torch_trait(t, e)->launches_graph;
}

/* Open items during a walk over a lane. */
struct nest {
	struct tp_torch_graph *g;
	uint32_t *open;			/* items */
	size_t depth, cap;
};

static int64_t
end_of(const struct tp_torch *t, const struct item *i)
{
	return i->is_function ? t->functions[i->at].to_ps :
	    t->events[i->at].to_ps;
}

static void
close_to(struct nest *n, int64_t at_ps)
{
	struct tp_torch_graph *g = n->g;

	while (n->depth && end_of(g->from,
	    &g->items[n->open[n->depth - 1]]) <= at_ps)
		g->items[n->open[--n->depth]].to = g->places++;
}

static void
open_one(struct nest *n, uint32_t at, int is_function)
{
	struct tp_torch_graph *g = n->g;

	tp_grow(&g->items, &g->item_cap, g->item_count + 1, sizeof *g->items);
	TP_APPEND(n->open, n->depth, n->cap, (uint32_t)g->item_count);
	g->items[g->item_count++] = (struct item){ g->places++, 0, at,
	    is_function };
}

static void
add_launch(struct tp_torch_graph *g, uint32_t event)
{
	const struct tp_torch_event *e = &g->from->events[event];

	TP_APPEND(g->launches, g->count, g->cap, (struct launch){
	    (uint32_t)g->item_count - 1, event, e->kernel_name ?
	    &g->from->names.names[e->kernel_name - 1] : NULL,
	    tp_torch_number(g->from, e->node) });
}

/* A time range on a lane of a trace. */
struct stretch {
	uint32_t lane;
	int64_t from_ps, to_ps;
};

/*
 * Whether a launch of S begins before TO_PS.  The search starts at place NEXT
 * of the tree.
 */
static int
has_launch(const struct tp_torch *t, const struct stretch *s, size_t next,
    int64_t to_ps)
{
	for (; next < t->tree_count; next++) {
		const struct tp_torch_event *e = &t->events[t->tree[next]];

		if (e->lane != s->lane || e->from_ps >= to_ps ||
		    e->from_ps >= s->to_ps)
			return 0;
		if (is_launch(t, e))
			return 1;
	}
	return 0;
}

/*
 * Take the launches in S and the calls around them.  Calls that end before the
 * next launch are skipped.
 */
static void
collect_stretch(struct tp_torch_graph *g, const struct stretch *s)
{
	const struct tp_torch *t = g->from;
	struct nest n = { .g = g };
	size_t i = tp_torch_tree_place(t, 0, s->lane, s->from_ps), k = 0;

	while (k < t->function_count && (t->functions[k].lane < s->lane ||
	    (t->functions[k].lane == s->lane &&
	    t->functions[k].to_ps <= s->from_ps)))
		k++;
	while (i < t->tree_count) {
		const struct tp_torch_event *e = &t->events[t->tree[i]];

		if (e->lane != s->lane || e->from_ps >= s->to_ps)
			break;
		/* functions that begin before the event */
		for (; k < t->function_count; k++) {
			const struct tp_torch_function *f = &t->functions[k];

			if (f->lane != s->lane || f->from_ps > e->from_ps ||
			    (f->from_ps == e->from_ps && f->to_ps < e->to_ps))
				break;
			if (f->to_ps <= s->from_ps ||
			    !has_launch(t, s, i, f->to_ps))
				continue;
			close_to(&n, f->from_ps);
			open_one(&n, (uint32_t)k, 1);
		}
		if (is_launch(t, e) || (e->cat == TP_TORCH_OP &&
		    has_launch(t, s, i, e->to_ps))) {
			close_to(&n, e->from_ps);
			open_one(&n, t->tree[i], 0);
			if (is_launch(t, e))
				add_launch(g, t->tree[i]);
		}
		i++;
	}
	close_to(&n, INT64_MAX);
	tp_free(n.open);
}

static void
add_graph(struct tp_torch_graphs *graphs, const struct tp_torch *from,
    const struct stretch *s)
{
	struct tp_torch_graph *g;

	g = TP_PUSH(graphs->list, graphs->count, graphs->cap);
	g->from = from;
	collect_stretch(g, s);
	if (!g->count) {
		tp_free(g->items);
		tp_free(g->launches);
		graphs->count--;
	}
}

void
tp_torch_graphs_add(struct tp_torch_graphs *graphs,
    const struct tp_torch *from, int whole)
{
	struct stretch s = { 0, 0, 0 };
	int is_open = 0, any = 0;

	for (size_t i = 0; i < from->tree_count; i++) {
		const struct tp_torch_event *e = &from->events[from->tree[i]];

		if (is_open && e->lane != s.lane)
			is_open = 0;
		if (tp_torch_is_call(from, e, &from->ops->capture_begin)) {
			s = (struct stretch){ e->lane, e->to_ps, 0 };
			is_open = any = 1;
		} else if (is_open &&
		    tp_torch_is_call(from, e, &from->ops->capture_end)) {
			s.to_ps = e->from_ps;
			is_open = 0;
			add_graph(graphs, from, &s);
		}
	}
	for (uint32_t lane = 0; whole && !any && lane < from->lane_count;
	    lane++) {
		s = (struct stretch){ lane, INT64_MIN, INT64_MAX };
		add_graph(graphs, from, &s);
	}
}

/*
 * A kernel of a graph or a captured launch: its key for the match and its
 * place.
 */
struct part {
	uint64_t what;			/* node, or name */
	uint32_t place, at;
};

TP_ORDER(by_what, struct part, TP_UP(what) TP_UP(place))

struct match {
	struct tp_torch *t;
	struct tp_torch_grafted *grafted;
	uint32_t *works;		/* of one graph, by start */
	size_t work_count, work_cap;
	struct part *mine, *theirs;
	size_t mine_cap, theirs_cap;
};

/*
 * Whether the kernels match the launches of G by nodes or by names; then
 * m->mine and m->theirs are parallel.
 */
static int
fits(struct match *m, const struct tp_torch_graph *g)
{
	int by_node = 1;

	if (g->count != m->work_count)
		return 0;
	tp_grow(&m->theirs, &m->theirs_cap, g->count + 1, sizeof *m->theirs);
	tp_grow(&m->mine, &m->mine_cap, m->work_count + 1, sizeof *m->mine);
	for (size_t i = 0; i < g->count; i++)
		by_node &= g->launches[i].node != TP_TORCH_NONE &&
		    m->t->events[m->works[i]].node != TP_TORCH_NO;
	for (uint32_t i = 0; i < g->count; i++) {
		const struct launch *l = &g->launches[i];
		const struct tp_torch_event *e = &m->t->events[m->works[i]];
		ptrdiff_t name = !l->kernel ? -1 : tp_names_find(
		    &m->t->names, l->kernel->text, l->kernel->len);

		if (!by_node && name < 0)
			return 0;
		m->theirs[i] = (struct part){ by_node ? (uint64_t)l->node :
		    (uint64_t)name, i, i };
		m->mine[i] = (struct part){ by_node ?
		    (uint64_t)tp_torch_number(m->t, e->node) : e->name, i,
		    m->works[i] };
	}
	TP_SORT(m->theirs, g->count, by_what);
	TP_SORT(m->mine, g->count, by_what);
	for (size_t i = 0; i < g->count; i++)
		if (m->theirs[i].what != m->mine[i].what)
			return 0;
	return 1;
}

/* TEXT of FROM as a text of T. */
static ptrdiff_t
text_in(struct tp_torch *t, const struct tp_torch *from, uint32_t text)
{
	const struct tp_name *n = &from->texts.names[text];

	return from == t ? (ptrdiff_t)text :
	    tp_names_add(&t->texts, n->text, n->len);
}

/* The arguments of operator E of FROM in T. */
static ptrdiff_t
args_in(struct tp_torch *t, const struct tp_torch *from,
    const struct tp_torch_event *e)
{
	struct tp_torch_args a = tp_torch_args_of(from, e);
	uint32_t list[4] = { a.dims, a.types, a.strides, a.concrete };
	ptrdiff_t at[4];

	for (int i = 0; i < 4; i++)
		at[i] = text_in(t, from, list[i]);
	return tp_ids_add(&t->arg_ids, (uint64_t)at[0] << 32 |
	    (uint64_t)at[1], (uint64_t)at[2] << 32 | (uint64_t)at[3]);
}

/*
 * Add item I to T, inside the call CALL.  Returns the index of its event;
 * TP_TORCH_NO for a function.
 */
static uint32_t
put(struct tp_torch *t, const struct tp_torch_graph *g,
    const struct item *i, uint32_t call)
{
	const struct tp_torch *from = g->from;
	int64_t from_ps = t->events[call].from_ps + 1 + i->from;
	int64_t to_ps = t->events[call].from_ps + 1 + i->to;
	const struct tp_name *name;
	struct tp_torch_event e;
	ptrdiff_t at;

	if (i->is_function) {
		name = &from->function_names.names[
		    from->functions[i->at].name];
		at = tp_names_add(&t->function_names, name->text, name->len);
		TP_APPEND(t->functions, t->function_count, t->function_cap,
		    (struct tp_torch_function){ from_ps, to_ps, (uint32_t)at,
		    t->events[call].lane });
		return TP_TORCH_NO;
	}
	e = from->events[i->at];
	name = tp_torch_event_name(from, &e);
	e.name = (uint32_t)tp_torch_add_name(t, name->text, name->len);
	at = e.cat == TP_TORCH_OP ? args_in(t, from, &from->events[i->at]) :
	    0;
	if (t->count >= TP_TORCH_MOST)
		tp_no_memory();
	tp_grow(&t->events, &t->cap, t->count + 1, sizeof *t->events);
	e.inputs = (uint32_t)at;
	e.from_ps = from_ps;
	e.to_ps = to_ps;
	e.correlation = e.external = e.number = TP_TORCH_NO;
	e.lane = t->events[call].lane;
	e.uid = t->events[call].uid;
	e.parent = e.order = e.last = TP_TORCH_NO;
	e.device = TP_TORCH_CAPTURED;
	t->events[t->count] = e;
	return (uint32_t)t->count++;
}

/*
 * Add the items of G inside CALL, which launches it.  m->theirs and m->mine
 * must match.
 */
static void
put_all(struct match *m, const struct tp_torch_graph *g, uint32_t call)
{
	uint32_t *events = tp_alloc((g->item_count + 1) * sizeof *events);

	for (size_t i = 0; i < g->item_count; i++)
		events[i] = put(m->t, g, &g->items[i], call);
	for (size_t i = 0; i < g->count; i++)
		m->t->captured_call[m->mine[i].at] = events[g->launches[
		    m->theirs[i].at].item] + 1;
	m->grafted->kernels += g->count;
	tp_free(events);
}

/*
 * Find the capture of the graph that CALL launches, whose kernels are in
 * m->works.
 */
static void
graft(struct match *m, const struct tp_torch_graphs *const *all, uint32_t call)
{
	const struct tp_torch_graph *found = NULL;
	const struct tp_torch_event *e = &m->t->events[call];
	int count = 0;

	m->grafted->launches++;
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < all[k]->count; i++)
			if (fits(m, &all[k]->list[i])) {
				found = &all[k]->list[i];
				count++;
			}
	if (count > 1) {
		m->grafted->ambiguous++;
		return;
	}
	if (!found || e->to_ps - e->from_ps < (int64_t)found->places + 2) {
		m->grafted->unmatched++;
		return;
	}
	/* match again: m holds the last capture that was tried */
	fits(m, found);
	put_all(m, found, call);
}

/* Kernels by the number of their launch. */
struct by_number {
	int64_t number, from_ps;
	uint32_t work;
};

TP_ORDER(by_number, struct by_number, TP_UP(number) TP_UP(from_ps) TP_UP(work))

static void
graft_all(struct match *m, const struct tp_torch_graphs *const *all)
{
	struct tp_torch *t = m->t;
	size_t n = 0, events = t->count, from, to;
	struct by_number *list = tp_alloc((events + 1) * sizeof *list);

	for (size_t i = 0; i < events; i++)
		if (t->events[i].cat == TP_TORCH_KERNEL &&
		    t->events[i].correlation != TP_TORCH_NO)
			list[n++] = (struct by_number){ tp_torch_number(t,
			    t->events[i].correlation), t->events[i].from_ps,
			    (uint32_t)i };
	TP_SORT(list, n, by_number);
	for (uint32_t i = 0; i < events; i++) {
		const struct tp_torch_event *e = &t->events[i];
		struct by_number key = { tp_torch_number(t, e->correlation),
		    INT64_MIN, 0 };

		if (e->cat != TP_TORCH_RUNTIME ||
		    !tp_torch_trait(t, e)->launches_graph)
			continue;
		for (from = 0, to = n; from < to;) {
			size_t middle = from + (to - from) / 2;

			if (by_number(&list[middle], &key) < 0)
				from = middle + 1;
			else
				to = middle;
		}
		m->work_count = 0;
		for (; from < n && list[from].number == key.number; from++)
			TP_APPEND(m->works, m->work_count, m->work_cap,
			    list[from].work);
		/* a single kernel does not identify a graph */
		if (m->work_count > 1)
			graft(m, all, i);
	}
	tp_free(list);
}

static int
has_captures(const struct tp_torch *t)
{
	for (size_t i = 0; i < t->names.count; i++)
		if (tp_class_of_name(&t->ops->capture_begin,
		    t->names.names[i].text))
			return 1;
	return 0;
}

/* Remove the nesting of host events. */
static void
unnest(struct tp_torch *t)
{
	tp_free(t->tree);
	t->tree = t->unnested = NULL;
	t->tree_count = t->unnested_count = 0;
	for (size_t i = 0; i < t->count; i++)
		t->events[i].parent = t->events[i].order =
		    t->events[i].last = TP_TORCH_NO;
}

void
tp_torch_graft(struct tp_torch *t, const struct tp_torch_graphs *graphs,
    struct tp_torch_grafted *grafted)
{
	static const struct tp_torch_graphs none;
	struct tp_torch_graphs own = { 0 };
	const struct tp_torch_graphs *all[2] = { graphs ? graphs : &none,
	    &own };
	struct match m = { .t = t, .grafted = grafted };
	int captures = has_captures(t);

	if (!all[0]->count && !captures)
		return;
	if (captures) {
		tp_torch_sort_functions(t);
		tp_torch_nest(t);
		tp_torch_graphs_add(&own, t, 0);
		unnest(t);
	}
	if (all[0]->count + own.count) {
		t->captured_call =
		    tp_zalloc((t->count + 1) * sizeof *t->captured_call);
		t->captured_call_count = t->count;
		graft_all(&m, all);
	}
	tp_free(m.works);
	tp_free(m.mine);
	tp_free(m.theirs);
	graphs_release(&own);
}
