/* first_use - what threads do once, before the first launch of a kernel */
#include <tp/alloc.h>

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

void
tp_graph_first_use(struct tp_graph *g)
{
	uint8_t *marks;
	int next = NO_LAUNCH;

	if (g->timeline->hides_waits)
		return;
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
