/* first_use - what threads do once, before the first launch of a kernel */
#include <tp/alloc.h>
#include <tp/order.h>

#include "graph.h"

/* What a node ends with. */
enum { NO_LAUNCH, LAUNCH, FIRST_LAUNCH, FIRST_GENERATED, FIRST_OF_SEVERAL };

/*
 * Whether a library or the driver sets something up in time of CLASS before
 * NEXT.  Calls of the driver do so also for a kernel that is launched only
 * once, and so does whoever makes a kernel while the program runs.
 */
static int
may_set_up(enum tp_path_class class, int next)
{
	return class == TP_PATH_FREE || class == TP_PATH_ALLOCATION ||
	    class == TP_PATH_RUNTIME_CALL || (next >= FIRST_GENERATED &&
	    (class == TP_PATH_DISPATCH || class == TP_PATH_LAUNCH_CALL));
}

/* The first work of launch L. */
static const struct tp_slice *
work_of(const struct tp_graph *g, const struct tp_launch *l)
{
	return &g->timeline->slices[g->timeline->host_count + l->first_work];
}

/* Whether L launches what was made while the program ran. */
static int
is_generated(const struct tp_graph *g, const struct tp_launch *l)
{
	return !!tp_class_of_name(&g->rules->generated,
	    g->timeline->names.names[g->timeline->slices[l->slice].name].text);
}

/* How long it takes at least to set something up before NEXT. */
static int64_t
least_of(const struct tp_graph *g, int next)
{
	return next == FIRST_GENERATED ? g->rules->generate_ps :
	    g->rules->set_up_ps;
}

/* What each node ends with.  Copies and memory sets are no launches here. */
static uint8_t *
mark_launches(const struct tp_graph *g)
{
	size_t names = g->timeline->names.count;
	uint8_t *marks = tp_zalloc(g->host_count + 1);
	uint32_t *counts = tp_zalloc((names + 1) * sizeof *counts);
	uint32_t *first = tp_alloc((names + 1) * sizeof *first);

	for (uint32_t i = 0; i < g->launch_count; i++) {
		const struct tp_launch *l = &g->launches[i];
		uint32_t kernel = work_of(g, l)->name;

		if (l->point >= g->host_count || work_of(g, l)->class !=
		    TP_PATH_KERNEL)
			continue;
		marks[l->point] = LAUNCH;
		if (!counts[kernel]++ || g->nodes[l->point].to_ps <
		    g->nodes[g->launches[first[kernel]].point].to_ps)
			first[kernel] = i;
	}
	for (size_t i = 0; i < names; i++)
		if (counts[i])
			marks[g->launches[first[i]].point] = counts[i] > 1 ?
			    FIRST_OF_SEVERAL : is_generated(g,
			    &g->launches[first[i]]) ? FIRST_GENERATED :
			    FIRST_LAUNCH;
	tp_free(counts);
	tp_free(first);
	return marks;
}

/* Calls of one operator, without those inside of another one. */
struct calls {
	uint32_t first, count, last;	/* first, last: slices */
	int64_t most_ps;		/* the longest but for the first */
};

static int64_t
took(const struct tp_graph *g, uint32_t slice)
{
	const struct tp_slice *s = &g->timeline->slices[slice];

	return s->to_ps - s->from_ps;
}

static void
count_call(const struct tp_graph *g, struct calls *c, uint32_t at)
{
	const struct tp_slice *list = g->timeline->slices, *s = &list[at];

	if (c->count && list[c->last].track == s->track && s->from_ps <
	    list[c->last].to_ps)
		return;
	c->last = at;
	if (c->count++ && s->from_ps >= list[c->first].from_ps) {
		TP_MOST(c->most_ps, took(g, at));
		return;
	}
	if (c->count > 1)
		TP_MOST(c->most_ps, took(g, c->first));
	c->first = at;
}

/* Whether the first call of C took so much longer that it set something up. */
static int
is_slow_first(const struct tp_graph *g, const struct calls *c)
{
	return c->count >= g->rules->calls_least && took(g, c->first) >=
	    g->rules->set_up_ps && (double)took(g, c->first) >=
	    g->rules->first_call_factor * (double)c->most_ps;
}

/* First calls of operators that take far longer than any later one, by name. */
static struct calls *
find_calls(const struct tp_graph *g)
{
	const struct tp_timeline *t = g->timeline;
	struct calls *calls = tp_zalloc((t->names.count + 1) * sizeof *calls);

	for (uint32_t i = 0; i < t->host_count; i++)
		if (t->slices[i].kind == TP_SLICE_OPERATOR)
			count_call(g, &calls[t->slices[i].name], i);
	return calls;
}

/* What operators did in such a call is first use. */
static void
mark_slow_first_calls(struct tp_graph *g)
{
	const struct tp_timeline *t = g->timeline;
	struct calls *calls = find_calls(g);
	int64_t until = INT64_MIN;
	uint32_t track = TP_NIL, next = 0;

	for (size_t i = 0, k, last; i < g->host_count; i++) {
		if (g->nodes[i].track != track) {
			track = g->nodes[i].track;
			next = t->tracks[track].first;
			until = INT64_MIN;
		}
		for (tp_node_stretches(g, (uint32_t)i, &k, &last); k < last;
		    k++) {
			struct tp_graph_stretch *s = &g->stretches[k];
			struct tp_what what = g->whats[s->what];
			int64_t from = tp_stretch_from(g, track, k);

			for (; next < t->tracks[track].first +
			    t->tracks[track].count && t->slices[next].from_ps <=
			    from; next++) {
				const struct tp_slice *call = &t->slices[next];
				const struct calls *c = &calls[call->name];

				if (call->kind == TP_SLICE_OPERATOR &&
				    c->first == next && is_slow_first(g, c))
					TP_MOST(until, call->to_ps);
			}
			if (from < until && (what.class == TP_PATH_DISPATCH ||
			    what.class == TP_PATH_CPU_OPERATOR))
				s->what = tp_graph_what(g, TP_PATH_FIRST_USE,
				    what.name, what.op);
		}
	}
	tp_free(calls);
}

void
tp_graph_first_use(struct tp_graph *g)
{
	uint8_t *marks;
	int next = NO_LAUNCH;

	if (g->timeline->hides_waits)
		return;
	mark_slow_first_calls(g);
	marks = mark_launches(g);
	for (size_t i = g->host_count; i-- > 0; ) {
		const struct tp_node *n = &g->nodes[i];
		uint32_t track = n->track;
		size_t k, last;

		if (i + 1 < g->host_count && g->nodes[i + 1].track != track)
			next = NO_LAUNCH;
		if (marks[i])
			next = marks[i];
		if (next < FIRST_LAUNCH || n->kind != TP_NODE_RUNS)
			continue;
		tp_node_stretches(g, (uint32_t)i, &k, &last);
		for (; k < last; k++) {
			struct tp_graph_stretch *s = &g->stretches[k];
			struct tp_what what = g->whats[s->what];

			if (s->to_ps - tp_stretch_from(g, track, k) >=
			    least_of(g, next) &&
			    may_set_up((enum tp_path_class)what.class, next))
				s->what = tp_graph_what(g, TP_PATH_FIRST_USE,
				    what.name, what.op);
		}
	}
	tp_free(marks);
}
