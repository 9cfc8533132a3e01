/* launch - the operator that launched GPU work */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "cover.h"
#include "launch.h"
#include "gpu_time.h"

/*
 * Find the launchers, of CALLERS around calls or the calls themselves, and
 * count their work.  PLACE gets by event the index of its launcher.
 */
static void
find_launchers(struct tp_torch_launchers *l, const struct tp_torch *t,
    const uint32_t *callers, uint32_t *place)
{
	memset(place, 0xff, t->count * sizeof *place);
	memset(l->of, 0xff, t->count * sizeof *l->of);
	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];
		uint32_t at, call;

		if (!tp_torch_is_gpu(e) || !tp_torch_is_linked(e))
			continue;
		call = tp_torch_captured_call(t, (uint32_t)i);
		at = callers[call] != TP_TORCH_NO ? callers[call] : call;
		if (place[at] == TP_TORCH_NO) {
			tp_grow(&l->list, &l->cap, l->count + 1,
			    sizeof *l->list);
			place[at] = (uint32_t)l->count;
			l->list[l->count++] = (struct tp_torch_launcher){
			    .event = at };
		}
		l->of[i] = place[at];
		l->list[place[at]].count++;
	}
}

/* List the work of each launcher. */
static void
spread(struct tp_torch_launchers *l, const struct tp_torch *t)
{
	uint32_t *at = tp_alloc((l->count + 1) * sizeof *at), sum = 0;

	l->works = tp_alloc((t->gpu_count + 1) * sizeof *l->works);
	for (size_t i = 0; i < l->count; i++) {
		l->list[i].first = at[i] = sum;
		sum += l->list[i].count;
	}
	for (size_t i = 0; i < t->count; i++)
		if (l->of[i] != TP_TORCH_NO)
			l->works[at[l->of[i]]++] = (uint32_t)i;
	tp_free(at);
}

/* Set direct time and category. */
static void
measure_launchers(struct tp_torch_launchers *l, const struct tp_torch *t)
{
	struct tp_span *spans = tp_alloc((t->gpu_count + 1) * sizeof *spans);

	for (size_t i = 0; i < l->count; i++) {
		struct tp_torch_launcher *p = &l->list[i];
		const struct tp_torch_name *name =
		    tp_torch_trait(t, &t->events[p->event]);

		p->category = name->category;
		for (uint32_t k = 0; k < p->count; k++) {
			const struct tp_torch_event *e =
			    &t->events[l->works[p->first + k]];

			if (e->bucket == TP_TORCH_COMMUNICATION)
				continue;
			if (!p->counted && !name->is_known)
				p->category =
				    tp_torch_trait(t, e)->kernel_category;
			p->copies += e->bucket == TP_TORCH_COPY;
			spans[p->counted++] = (struct tp_span){ e->from_ps,
			    e->to_ps };
		}
		p->direct_ps = tp_torch_unite(spans, p->counted);
		l->direct_ps += p->direct_ps;
		l->counted += p->counted > 0;
	}
	tp_free(spans);
}

void
tp_torch_cover(const struct tp_torch *t, struct tp_cover *queries,
    size_t count)
{
	struct tp_span *spans = tp_alloc((t->link_count + 1) * sizeof *spans);

	for (size_t i = 0; i < t->link_count; i++) {
		const struct tp_torch_event *e = &t->events[t->links[i].work];

		spans[i] = (struct tp_span){ e->from_ps, e->to_ps };
	}
	tp_cover_measure(spans, t->link_count, queries, count);
	tp_free(spans);
}

/* Set subtree times.  A launcher outside the tree has only its own work. */
static void
cover(struct tp_torch_launchers *l, const struct tp_torch *t)
{
	struct tp_cover *queries = tp_alloc((l->count + 1) * sizeof *queries);

	for (size_t i = 0; i < l->count; i++) {
		queries[i] = (struct tp_cover){ 0, 0, 0 };
		tp_torch_links_below(t, &t->events[l->list[i].event],
		    &queries[i].first, &queries[i].last);
	}
	tp_torch_cover(t, queries, l->count);
	for (size_t i = 0; i < l->count; i++)
		l->list[i].subtree_ps =
		    t->events[l->list[i].event].order == TP_TORCH_NO ?
		    l->list[i].direct_ps : queries[i].length;
	tp_free(queries);
}

/* Sort launchers by start and renumber l->of. */
static void
sort(struct tp_torch_launchers *l, const struct tp_torch *t,
    const uint32_t *place)
{
	uint32_t *order = tp_alloc((l->count + 1) * sizeof *order);
	struct tp_torch_launcher *list = tp_alloc((l->count + 1) *
	    sizeof *list);

	for (size_t i = 0; i < l->count; i++)
		order[i] = l->list[i].event;
	tp_torch_sort(t, order, l->count);
	for (size_t i = 0; i < l->count; i++) {
		list[i] = l->list[place[order[i]]];
		for (uint32_t k = 0; k < list[i].count; k++)
			l->of[l->works[list[i].first + k]] = (uint32_t)i;
	}
	tp_free(l->list);
	l->list = list;
	l->cap = l->count + 1;
	tp_free(order);
}

void
tp_torch_launchers_make(struct tp_torch_launchers *l, const struct tp_torch *t)
{
	uint32_t *place = tp_alloc((t->count + 1) * sizeof *place);
	uint32_t *callers = tp_torch_calling_ops(t, 0);

	memset(l, 0, sizeof *l);
	l->of = tp_alloc((t->count + 1) * sizeof *l->of);
	find_launchers(l, t, callers, place);
	spread(l, t);
	measure_launchers(l, t);
	cover(l, t);
	sort(l, t, place);
	tp_free(callers);
	tp_free(place);
}
