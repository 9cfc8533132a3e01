/*
 * gaps_about - activity of the host while the GPU was idle
 *
 * Gaps do not overlap and are in order, so the gaps that a range covers are
 * consecutive; ranges may come in any order.  Of the ranges that cover half of
 * a gap the shortest is the innermost.
 */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "gaps.h"

/* For one gap: the lengths of the range and function chosen so far. */
struct best {
	int64_t annotation_ps, function_ps;
	uint32_t lane;		/* lane whose functions count */
	int is_marked;		/* a range names the activity */
};

struct about {
	const struct tp_torch *t;
	struct tp_torch_gaps *gaps;
	struct best *best;
	/* by function name: 0 unknown, 1 none, else 2 + index of its class */
	uint8_t *classes;
};

/* Returns the first gap that ends after PS. */
static size_t
first_after(const struct tp_torch_gaps *g, int64_t ps)
{
	size_t from;

	TP_SEEK(from, 0, g->count, middle, g->list[middle].to_ps <= ps);
	return from;
}

/* How much of G [FROM, TO) covers. */
static int64_t
covered(const struct tp_torch_gap *g, int64_t from, int64_t to)
{
	from = from > g->from_ps ? from : g->from_ps;
	to = to < g->to_ps ? to : g->to_ps;
	return to > from ? to - from : 0;
}

static int
is_half(const struct tp_torch_gap *g, int64_t from, int64_t to)
{
	int64_t ps = covered(g, from, to);

	return ps && ps >= (g->to_ps - g->from_ps) / 2;
}

/* Sets the activity; classes earlier in the list have precedence. */
static void
say(struct tp_torch_gap *g, const struct tp_class *class)
{
	if (class && (!g->about || class < g->about))
		g->about = class;
}

static void
take_annotation(struct about *a, uint32_t event)
{
	const struct tp_torch_event *e = &a->t->events[event];
	const struct tp_torch_name *trait = tp_torch_trait(a->t, e);
	const struct tp_class *class = !trait->about ? NULL :
	    &a->t->ops->annotations.list[trait->about - 1];

	for (size_t i = first_after(a->gaps, e->from_ps); i < a->gaps->count &&
	    a->gaps->list[i].from_ps < e->to_ps; i++) {
		struct tp_torch_gap *g = &a->gaps->list[i];

		if (!is_half(g, e->from_ps, e->to_ps))
			continue;
		say(g, class);
		a->best[i].is_marked |= class != NULL;
		if (e->to_ps - e->from_ps >= a->best[i].annotation_ps)
			continue;
		a->best[i].annotation_ps = e->to_ps - e->from_ps;
		g->annotation = event;
	}
}

static const struct tp_class *
class_of(struct about *a, uint32_t name)
{
	const struct tp_classes *list = &a->t->ops->functions;
	const struct tp_class *c;

	if (!a->classes[name]) {
		c = tp_class_of_name(list,
		    a->t->function_names.names[name].text);
		a->classes[name] = (uint8_t)(c ? c - list->list + 2 : 1);
	}
	return a->classes[name] < 2 ? NULL :
	    &list->list[a->classes[name] - 2];
}

static void
take_function(struct about *a, const struct tp_torch_function *f)
{
	for (size_t i = first_after(a->gaps, f->from_ps); i < a->gaps->count &&
	    a->gaps->list[i].from_ps < f->to_ps; i++) {
		struct tp_torch_gap *g = &a->gaps->list[i];

		if (a->best[i].lane != f->lane ||
		    !is_half(g, f->from_ps, f->to_ps))
			continue;
		if (!a->best[i].is_marked)
			say(g, class_of(a, f->name));
		if (f->to_ps - f->from_ps >= a->best[i].function_ps)
			continue;
		a->best[i].function_ps = f->to_ps - f->from_ps;
		g->function = f->name;
		g->function_ps = covered(g, f->from_ps, f->to_ps);
	}
}

/*
 * Chooses the lane whose functions name a gap's activity: that of the thread
 * that launched the next work.  If it has no functions (the backward pass
 * runs in a thread of its own), the lane with the most.
 */
static void
find_lanes(struct about *a)
{
	const struct tp_torch *t = a->t;
	size_t *count = tp_zalloc((t->lane_count + 1) * sizeof *count);
	size_t most = 0;

	for (size_t i = 0; i < t->function_count; i++)
		count[t->functions[i].lane]++;
	for (size_t i = 1; i < t->lane_count; i++)
		most = count[i] > count[most] ? i : most;
	for (size_t i = 0; i < a->gaps->count; i++) {
		const struct tp_torch_event *next =
		    &t->events[a->gaps->list[i].next];
		uint32_t lane = !tp_torch_is_linked(next) ? TP_TORCH_NO :
		    tp_torch_gap_call(t, &a->gaps->list[i])->lane;

		a->best[i] = (struct best){ INT64_MAX, INT64_MAX,
		    lane == TP_TORCH_NO || !count[lane] ? (uint32_t)most :
		    lane, 0 };
	}
	tp_free(count);
}

void
tp_torch_gaps_about(struct tp_torch_gaps *gaps, const struct tp_torch *t)
{
	struct about a = { t, gaps,
	    tp_alloc((gaps->count + 1) * sizeof *a.best),
	    tp_zalloc(t->function_names.count + 1) };

	find_lanes(&a);
	for (size_t i = 0; gaps->count && i < t->count; i++)
		if (t->events[i].cat == TP_TORCH_ANNOTATION &&
		    !tp_torch_trait(t, &t->events[i])->is_step)
			take_annotation(&a, (uint32_t)i);
	for (size_t i = 0; gaps->count && i < t->function_count; i++)
		take_function(&a, &t->functions[i]);
	tp_free(a.best);
	tp_free(a.classes);
}
