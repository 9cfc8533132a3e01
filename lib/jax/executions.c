/* executions - what the host did in the first execution of a program */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "executions.h"

static void
add_execution(struct tp_jax_executions *x, const struct tp_jax_event *s,
    uint32_t slice)
{
	ptrdiff_t at = tp_ids_add(&x->programs, s->name, 0);

	TP_ITEM(x->times, x->time_cap, at);
	TP_APPEND(x->list, x->count, x->cap, (struct tp_jax_execution){
	    s->from_ps, (uint32_t)at, !x->times[at].count++, slice });
}

void
tp_jax_executions_make(struct tp_jax_executions *x,
    const struct tp_tracks *t, const struct tp_track *lane,
    int (*launches)(void *, uint32_t), void *arg)
{
	int64_t end = INT64_MIN;

	for (uint32_t i = 0; lane && i < lane->count; i++) {
		uint32_t at = t->order[lane->first + i];
		const struct tp_jax_event *s = &t->slices[at];

		if (s->from_ps < end || !launches(arg, s->name))
			continue;
		add_execution(x, s, at);
		end = s->to_ps;
	}
}

void
tp_jax_executions_reset(struct tp_jax_executions *x)
{
	for (size_t i = 0; i < x->programs.count; i++)
		x->times[i].first_ps = x->times[i].later_ps = 0;
}

void
tp_jax_executions_add(struct tp_jax_executions *x, const struct tp_ival *u)
{
	struct tp_ival_walk walk;
	struct tp_span span;
	size_t at = 0;

	tp_ival_begin(&walk, u);
	while (tp_ival_next(&walk, &span))
		while (span.from < span.to) {
			int64_t to = span.to;

			while (at < x->count &&
			    x->list[at].from_ps <= span.from)
				at++;
			if (at < x->count)
				TP_LEAST(to, x->list[at].from_ps);
			if (at) {
				const struct tp_jax_execution *e =
				    &x->list[at - 1];
				struct tp_jax_program_time *p =
				    &x->times[e->program];

				tp_ps_add(e->is_first ? &p->first_ps :
				    &p->later_ps, to - span.from);
			}
			span.from = to;
		}
	tp_ival_stop(&walk);
}

void
tp_jax_executions_sum(const struct tp_jax_executions *x,
    struct tp_budget_once *once)
{
	int64_t first = 0, later = 0, more = 0;

	memset(once, 0, sizeof *once);
	for (size_t i = 0; i < x->programs.count; i++) {
		const struct tp_jax_program_time *p = &x->times[i];
		int64_t usual;

		if (p->count < 2)
			continue;
		usual = p->later_ps / (p->count - 1);
		if (p->first_ps <= usual)
			continue;
		tp_ps_add(&first, p->first_ps);
		tp_ps_add(&later, p->later_ps);
		tp_ps_add(&more, p->first_ps - usual);
		once->execution_count += p->count;
		once->program_count++;
	}
	once->first_ns = tp_ps_to_ns(first);
	once->later_ns = tp_ps_to_ns(later);
	once->time_ns = tp_ps_to_ns(more);
}

ptrdiff_t
tp_jax_executions_longest(const struct tp_jax_executions *x)
{
	ptrdiff_t longest = -1;

	for (size_t i = 0; i < x->programs.count; i++)
		x->times[i].whole_ps = 0;
	for (size_t i = 0; i + 1 < x->count; i++)
		tp_ps_add(&x->times[x->list[i].program].whole_ps,
		    x->list[i + 1].from_ps - x->list[i].from_ps);
	for (size_t i = 0; i < x->programs.count; i++)
		if (longest < 0 || x->times[i].whole_ps >
		    x->times[longest].whole_ps)
			longest = (ptrdiff_t)i;
	return longest;
}

void
tp_jax_executions_release(struct tp_jax_executions *x)
{
	tp_free(x->list);
	tp_free(x->times);
	tp_ids_release(&x->programs);
	memset(x, 0, sizeof *x);
}
