/*
 * interpreter - which functions waited for the interpreter
 *
 * Only one thread of a process runs Python at a time.  A function that goes on
 * for long without a call, while another thread calls one function after the
 * other, does not run: it waits until that thread lets go of the interpreter.
 */
#include <tp/alloc.h>
#include <tp/order.h>

#include "graph.h"

/* A thread runs Python if it calls as often in all, and once in this time. */
#define LEAST_CALLS 20
#define MOST_BETWEEN_PS (1000 * US)

struct search {
	struct tp_graph *g;
	int64_t *held;		/* by name: for how long */
	uint32_t *names;	/* those that are not 0 */
	size_t name_count, name_cap;
};

/* Whether stretch AT of TRACK is a Python function without a call in it. */
static int
is_lone(const struct tp_graph *g, uint32_t track, size_t at)
{
	const struct tp_timeline *tl = g->timeline;
	const struct tp_timeline_track *t = &tl->tracks[track];
	const struct tp_graph_stretch *s = &g->stretches[at];
	int64_t from = tp_stretch_from(g, track, at);
	const struct tp_slice *f;
	uint32_t i;

	if (s->to_ps - from < g->rules->lone_ps || s->role != TP_NODE_RUNS ||
	    g->whats[s->what].class != TP_PATH_PYTHON)
		return 0;
	f = &tl->slices[s->slice];
	if (f->kind != TP_SLICE_FUNCTION ||
	    tl->names.names[f->name].text[0] == '<')
		return 0;
	TP_SEEK(i, t->first, t->first + t->count, mid,
	    tl->slices[mid].from_ps <= from);
	return i == t->first + t->count || tl->slices[i].from_ps >= s->to_ps;
}

/* How many functions TRACK began in [FROM, TO). */
static uint32_t
calls(const struct tp_graph *g, uint32_t track, int64_t from, int64_t to)
{
	const struct tp_timeline *tl = g->timeline;
	const struct tp_timeline_track *t = &tl->tracks[track];
	uint32_t i, n = 0;

	TP_SEEK(i, t->first, t->first + t->count, mid,
	    tl->slices[mid].from_ps < from);
	for (; i < t->first + t->count && tl->slices[i].from_ps < to; i++)
		n += tl->slices[i].kind == TP_SLICE_FUNCTION;
	return n;
}

/* Whether a thread that runs CLASS needs the interpreter for it. */
static int
interprets(enum tp_path_class class)
{
	return class == TP_PATH_PYTHON || class == TP_PATH_IMPORT ||
	    class == TP_PATH_COMPILE || class == TP_PATH_DATA_LOADING;
}

/*
 * For how long TRACK ran Python in [FROM, TO), where it called often; what it
 * was in goes to the held of S.
 */
static int64_t
hold(struct search *s, uint32_t track, int64_t from, int64_t to)
{
	const struct tp_graph *g = s->g;
	size_t last = g->first_stretch[track + 1], i;
	int64_t sum = 0;

	s->name_count = 0;
	TP_SEEK(i, g->first_stretch[track], last, mid,
	    g->stretches[mid].to_ps <= from);
	for (; i < last; i++) {
		const struct tp_graph_stretch *x = &g->stretches[i];
		const struct tp_what *what = &g->whats[x->what];
		int64_t begin = tp_stretch_from(g, track, i), end = x->to_ps;

		TP_MOST(begin, from);
		TP_LEAST(end, to);
		if (begin >= to)
			break;
		if (x->role != TP_NODE_RUNS || what->name == TP_NIL ||
		    !interprets((enum tp_path_class)what->class) ||
		    (end - begin) / MOST_BETWEEN_PS > calls(g, track, begin,
		    end))
			continue;
		if (!s->held[what->name])
			TP_APPEND(s->names, s->name_count, s->name_cap,
			    what->name);
		s->held[what->name] += end - begin;
		sum += end - begin;
	}
	return sum;
}

/* The name that was held longest; all are set to 0. */
static uint32_t
take_longest(struct search *s)
{
	uint32_t best = TP_NIL;

	for (size_t i = 0; i < s->name_count; i++)
		if (best == TP_NIL || s->held[s->names[i]] > s->held[best])
			best = s->names[i];
	for (size_t i = 0; i < s->name_count; i++)
		s->held[s->names[i]] = 0;
	return best;
}

/* If another thread held the interpreter through most of stretch AT, say so. */
static void
look(struct search *s, uint32_t track, size_t at)
{
	struct tp_graph *g = s->g;
	const struct tp_timeline *tl = g->timeline;
	int64_t from = tp_stretch_from(g, track, at);
	int64_t to = g->stretches[at].to_ps, most = (to - from) / 2, took;
	uint32_t holder = TP_NIL, name;

	for (uint32_t t = 0; t < tl->track_count; t++) {
		if (t == track || !tl->tracks[t].count || tl->tracks[t].
		    process != tl->tracks[track].process || calls(g, t, from,
		    to) < LEAST_CALLS)
			continue;
		took = hold(s, t, from, to);
		name = take_longest(s);
		if (took > most) {
			most = took;
			holder = name;
		}
	}
	if (holder != TP_NIL)
		g->stretches[at].what = tp_graph_what(g, TP_PATH_INTERPRETER,
		    holder, TP_NIL);
}

void
tp_graph_interpreter(struct tp_graph *g)
{
	const struct tp_timeline *tl = g->timeline;
	struct search s = { .g = g };

	for (uint32_t t = 0; t < tl->track_count; t++)
		for (size_t i = g->first_stretch[t];
		    i < g->first_stretch[t + 1]; i++) {
			if (!is_lone(g, t, i))
				continue;
			if (!s.held)
				s.held = tp_zalloc((tl->names.count + 1) *
				    sizeof *s.held);
			look(&s, t, i);
		}
	tp_free(s.held);
	tp_free(s.names);
}
