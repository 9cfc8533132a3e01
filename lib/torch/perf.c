/* perf - the operations of a PyTorch trace that GPU work is counted for */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "cover.h"
#include "perf.h"
#include "gpu_time.h"

/* Most levels from autograd's call down to a backward operation. */
#define DEPTH_MAX 5

struct walk {
	struct tp_torch_counts *counts;
	const struct tp_torch *t;
	const struct tp_torch_models *models;
	uint8_t *modelled;	/* by name: has a model */
	uint8_t *launches;	/* by event: launches work itself */
	uint32_t *models_before;	/* by place: number of operations with
					 * model and work before it */
	uint32_t *forward;	/* by event: forward operation of a backward
				 * pass, or TP_TORCH_NO */
	uint8_t *taken;		/* by event: work below a counted operation */
	int outermost;		/* see tp_torch_unify() */
	uint32_t judged;	/* last argument of is_sole(), */
	int sole;		/* ... and its result */
};

static int
has_work(const struct tp_torch *t, const struct tp_torch_event *e)
{
	uint32_t first, last;

	tp_torch_links_below(t, e, &first, &last);
	return first < last;
}

static int
has_model(const struct walk *w, const struct tp_torch_event *e)
{
	/*
	 * an operator divided by a rule counts by its parts, even without cost
	 */
	return e->cat == TP_TORCH_OP && (e->device == TP_TORCH_PSEUDO ||
	    w->modelled[e->name]);
}

/* By name whether there is a model. */
static uint8_t *
names_with_models(const struct tp_torch *t,
    const struct tp_torch_models *models)
{
	uint8_t *list = tp_alloc(t->names.count + 1);

	for (size_t i = 0; i < t->names.count; i++)
		list[i] = (uint8_t)tp_torch_has_model(models,
		    t->names.names[i].text, t->names.names[i].len);
	return list;
}

static void
prepare(struct walk *w, const struct tp_torch_passes *passes)
{
	const struct tp_torch *t = w->t;
	uint32_t *callers = tp_torch_calling_ops(t, 1);

	w->modelled = names_with_models(t, w->models);
	w->launches = tp_zalloc(t->count + 1);
	w->taken = tp_zalloc(t->count + 1);
	w->forward = tp_alloc((t->count + 1) * sizeof *w->forward);
	w->models_before = tp_alloc((t->tree_count + 1) *
	    sizeof *w->models_before);
	memset(w->forward, 0xff, (t->count + 1) * sizeof *w->forward);
	for (size_t i = 0; i < passes->count; i++)
		w->forward[passes->list[i].backward] =
		    passes->list[i].forward;
	for (size_t i = 0; i < t->tree_link_count; i++) {
		uint32_t parent = callers[t->links[i].call];

		if (parent != TP_TORCH_NO)
			w->launches[parent] = 1;
	}
	tp_free(callers);
	w->models_before[0] = 0;
	for (size_t i = 0; i < t->tree_count; i++) {
		const struct tp_torch_event *e = &t->events[t->tree[i]];

		w->models_before[i + 1] = w->models_before[i] +
		    (has_model(w, e) && has_work(t, e));
	}
}

static void
finish(struct walk *w)
{
	tp_free(w->modelled);
	tp_free(w->launches);
	tp_free(w->taken);
	tp_free(w->forward);
	tp_free(w->models_before);
}

/* The text after "evaluate_function: ", or NULL. */
static const char *
main_name(const struct tp_torch *t, const struct tp_torch_event *pass)
{
	const char *colon = strstr(tp_torch_event_name(t, pass)->text, ": ");

	return colon ? colon + 2 : NULL;
}

/* Whether PASS has exactly one operation with work that has its name. */
static int
is_sole(struct walk *w, uint32_t pass)
{
	const struct tp_torch *t = w->t;
	const struct tp_torch_event *p = &t->events[pass];
	const char *name = main_name(t, p);
	size_t found = 0;

	if (w->judged == pass)
		return w->sole;
	for (uint32_t i = p->order + 1; i < p->last && found < 2; i++) {
		const struct tp_torch_event *e = &t->events[t->tree[i]];

		found += e->cat == TP_TORCH_OP && has_work(t, e) &&
		    (!name || !strcmp(tp_torch_event_name(t, e)->text, name));
	}
	w->judged = pass;
	w->sole = found == 1;
	return w->sole;
}

/*
 * The forward operation of E, part of a backward pass, if its model has a cost
 * for that; else TP_TORCH_NO.
 */
static uint32_t
forward_of(struct walk *w, const struct tp_torch_event *e)
{
	const struct tp_torch *t = w->t;
	uint32_t at = e->parent, forward;

	for (int i = 0; i < DEPTH_MAX && at != TP_TORCH_NO; i++) {
		const struct tp_name *name;

		forward = w->forward[at];
		if (forward == TP_TORCH_NO) {
			at = t->events[at].parent;
			continue;
		}
		name = tp_torch_event_name(t, &t->events[forward]);
		return tp_torch_backward_table(w->models, name->text,
		    name->len) && is_sole(w, at) ? forward : TP_TORCH_NO;
	}
	return TP_TORCH_NO;
}

static void
add_counted(struct tp_torch_counts *counts, struct tp_torch_counted counted)
{
	TP_APPEND(counts->list, counts->count, counts->cap, counted);
}

/* Count EVENT with the work below it; unless ALL, communication is left out. */
static void
count_event(struct walk *w, uint32_t event, uint32_t forward, int all)
{
	const struct tp_torch *t = w->t;
	uint32_t first, last;

	tp_torch_links_below(t, &t->events[event], &first, &last);
	for (uint32_t i = first; !all && i < last; i++)
		if (t->events[t->links[i].work].bucket ==
		    TP_TORCH_COMMUNICATION)
			return;
	for (uint32_t i = first; i < last; i++)
		w->taken[t->links[i].work] = 1;
	add_counted(w->counts,
	    (struct tp_torch_counted){ t->events[event].from_ps, 0,
	    event, TP_TORCH_NO, forward, t->events[event].uid });
}

/* Whether any shape of operator E is recorded. */
static int
has_shapes(const struct tp_torch *t, const struct tp_torch_event *e)
{
	const char *dims =
	    t->texts.names[tp_torch_args_of(t, e).dims].text;

	return strpbrk(dims, "0123456789") != NULL;
}

/*
 * Whether OUTER calls itself, or has no shapes and calls an operation with a
 * model that does, and that one launches the work.
 */
static int
counts_inside(const struct walk *w, const struct tp_torch_event *outer)
{
	const struct tp_torch *t = w->t;
	int known = has_shapes(t, outer);

	if (outer->device == TP_TORCH_PSEUDO)
		return 0;
	for (uint32_t i = outer->order + 1; i < outer->last; i++) {
		const struct tp_torch_event *e = &t->events[t->tree[i]];

		if (e->cat == TP_TORCH_OP && (e->name == outer->name ||
		    (!known && has_model(w, e))) && has_work(t, e) &&
		    has_shapes(t, e))
			return 1;
	}
	return 0;
}

static void
unify(struct walk *w)
{
	const struct tp_torch *t = w->t;

	for (uint32_t i = 0; i < t->tree_count; ) {
		uint32_t event = t->tree[i], forward;
		const struct tp_torch_event *e = &t->events[event];
		int deeper = w->models_before[e->last] >
		    w->models_before[i + 1];

		if (e->cat != TP_TORCH_OP) {
			i++;
		} else if (!has_work(t, e)) {
			i = e->last;
		} else if (has_model(w, e) && !w->outermost &&
		    counts_inside(w, e)) {
			w->counts->is_inner = 1;
			i++;
		} else if (has_model(w, e)) {
			count_event(w, event, TP_TORCH_NO, 1);
			i = e->last;
		} else if (deeper) {
			i++;
		} else if ((forward = forward_of(w, e)) != TP_TORCH_NO) {
			count_event(w, event, forward, 1);
			i = e->last;
		} else if (w->launches[event]) {
			count_event(w, event, TP_TORCH_NO, 0);
			i = e->last;
		} else {
			i++;
		}
	}
}

/* Count linked work below no counted operation on its own. */
static void
take_rest(struct walk *w, const struct tp_torch_launchers *l)
{
	const struct tp_torch *t = w->t;
	uint32_t uid = (uint32_t)t->event_count;

	for (uint32_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];

		if (l->of[i] == TP_TORCH_NO || w->taken[i] ||
		    e->bucket == TP_TORCH_COMMUNICATION)
			continue;
		add_counted(w->counts, (struct tp_torch_counted){ e->from_ps,
		    e->to_ps - e->from_ps, l->list[l->of[i]].event, i,
		    TP_TORCH_NO, uid++ });
	}
}

/* Set the time of counted operations with all work below them. */
static void
set_counted_times(struct tp_torch_counts *counts, const struct tp_torch *t)
{
	struct tp_cover *queries = tp_zalloc((counts->count + 1) *
	    sizeof *queries);

	for (size_t i = 0; i < counts->count; i++)
		if (counts->list[i].work == TP_TORCH_NO)
			tp_torch_links_below(t,
			    &t->events[counts->list[i].event],
			    &queries[i].first, &queries[i].last);
	tp_torch_cover(t, queries, counts->count);
	for (size_t i = 0; i < counts->count; i++)
		if (counts->list[i].work == TP_TORCH_NO)
			counts->list[i].gpu_ps = queries[i].length;
	tp_free(queries);
}

/*
 * By place in the file, the order that tables of other tools use.  An added
 * event has the number of the call it is around.
 */
TP_ORDER(by_uid, struct tp_torch_counted, TP_UP(uid) TP_UP(event))

/* By start, then place in the file; work counted on its own is last. */
TP_ORDER(in_time, struct tp_torch_counted,
    TP_BY((a->work != TP_TORCH_NO) - (b->work != TP_TORCH_NO)) TP_UP(from_ps)
    TP_BY(by_uid(a, b)))

void
tp_torch_unify(struct tp_torch_counts *counts, int outermost,
    const struct tp_torch *t, const struct tp_torch_launchers *launchers,
    const struct tp_torch_passes *passes,
    const struct tp_torch_models *models)
{
	struct walk w = { .counts = counts, .t = t, .models = models,
	    .outermost = outermost, .judged = TP_TORCH_NO };

	memset(counts, 0, sizeof *counts);
	prepare(&w, passes);
	unify(&w);
	take_rest(&w, launchers);
	finish(&w);
	set_counted_times(counts, t);
	TP_SORT(counts->list, counts->count, in_time);
}

/* Set *PS to the union of the work below backward passes FIRST to LAST. */
static void
backward_time(const struct tp_torch *t, const struct tp_torch_pass *first,
    const struct tp_torch_pass *last, int64_t *ps)
{
	struct tp_span *spans = NULL;
	size_t count = 0, cap = 0;

	for (; first < last; first++) {
		uint32_t from, to;

		tp_torch_links_below(t, &t->events[first->backward], &from,
		    &to);
		for (; from < to; from++) {
			const struct tp_torch_event *e =
			    &t->events[t->links[from].work];

			TP_APPEND(spans, count, cap, (struct tp_span){
			    e->from_ps, e->to_ps });
		}
	}
	*ps = tp_torch_unite(spans, count);
	tp_free(spans);
}

/*
 * Whether an operation below backward passes FIRST to LAST is in TABLE itself;
 * its work must not count twice.
 */
static int
stands_below(const struct tp_torch *t, const struct tp_torch_pass *first,
    const struct tp_torch_pass *last, const struct tp_torch_models *models,
    const char *table)
{
	for (; first < last; first++) {
		const struct tp_torch_event *pass =
		    &t->events[first->backward];

		for (uint32_t i = pass->order; i < pass->last; i++) {
			const struct tp_name *name = tp_torch_event_name(t,
			    &t->events[t->tree[i]]);
			const char *own = tp_torch_table_of(models,
			    name->text, name->len);

			if (own && !strcmp(own, table))
				return 1;
		}
	}
	return 0;
}

/*
 * Add operations that are the forward side of a pass, with the passes of the
 * operations inside them.
 */
static void
add_backward(struct tp_torch_counts *counts, const struct tp_torch *t,
    const struct tp_torch_passes *passes,
    const struct tp_torch_models *models)
{
	size_t next;

	for (size_t i = 0; i < passes->count; i = next) {
		uint32_t event = passes->list[i].forward;
		const struct tp_torch_event *e = &t->events[event];
		const struct tp_name *name = tp_torch_event_name(t, e);
		const char *table = tp_torch_backward_table(models,
		    name->text, name->len);
		int64_t ps;
		size_t end;

		for (next = i; next < passes->count &&
		    passes->list[next].forward == event; next++)
			;
		if (!table)
			continue;
		for (end = next; end < passes->count && t->events[
		    passes->list[end].forward].order < e->last; end++)
			;
		if (stands_below(t, passes->list + i, passes->list + end,
		    models, table))
			continue;
		backward_time(t, passes->list + i, passes->list + end, &ps);
		add_counted(counts, (struct tp_torch_counted){ e->from_ps, ps,
		    event, TP_TORCH_NO, event, e->uid });
	}
}

void
tp_torch_modelled(struct tp_torch_counts *counts, const struct tp_torch *t,
    const struct tp_torch_passes *passes,
    const struct tp_torch_models *models, int backward)
{
	uint8_t *modelled = names_with_models(t, models);

	memset(counts, 0, sizeof *counts);
	if (backward)
		add_backward(counts, t, passes, models);
	for (size_t i = 0; !backward && i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];

		if (e->cat == TP_TORCH_OP && modelled[e->name])
			add_counted(counts,
			    (struct tp_torch_counted){ e->from_ps, 0,
			    (uint32_t)i, TP_TORCH_NO, TP_TORCH_NO, e->uid });
	}
	if (!backward)
		set_counted_times(counts, t);
	TP_SORT(counts->list, counts->count, by_uid);
	tp_free(modelled);
}

void
tp_torch_counts_release(struct tp_torch_counts *counts)
{
	tp_free(counts->list);
	memset(counts, 0, sizeof *counts);
}
