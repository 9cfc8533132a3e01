/* emit_models - operations of a PyTorch trace by parameters */
#include <string.h>

#include <tp/alloc.h>

#include "op_groups.h"

/* A name with its arguments, evaluated. */
struct evaluated {
	struct tp_torch_perf perf;
	uint32_t group;
};

/* Group rows of a table by name and parameters. */
static ptrdiff_t
group_of(struct tp_names *names, uint32_t name,
    const struct tp_torch_tracelens *tracelens)
{
	struct tp_buf key = { 0 };
	ptrdiff_t at = -1;

	tp_buf_fmt(&key, "%u", (unsigned)name);
	for (size_t i = 0; i < tracelens->param_count; i++)
		tp_buf_fmt(&key, "\n%s=%s", tracelens->params[i].name,
		    tracelens->params[i].text);
	at = tp_names_add(names, key.p, key.len);
	tp_buf_release(&key);
	return at;
}

static void
emit_model(struct tp_torch_op_groups *p, const struct tp_torch_group *row,
    const struct tp_torch_perf *perf)
{
	const struct tp_torch_counted *c = tp_torch_op_groups_first(p, row);
	const struct tp_torch_event *e = &p->t->events[c->event];

	tp_torch_out_begin(p->o, "op.table");
	tp_out_text(p->o->out, "family", perf->table);
	tp_torch_out_name(p->o, "op", e->name);
	tp_torch_out_lane(p->o, e->lane);
	tp_torch_out_call(p->o, e, 1);
	tp_torch_op_groups_params(p, perf->tracelens.params,
	    perf->tracelens.param_count);
	tp_torch_op_groups_times(p, row);
	tp_torch_op_groups_cost(p, row, &perf->tracelens.cost);
	tp_out_end(p->o->out);
}

/* Evaluated calls and their groups. */
struct calls {
	struct evaluated *list;
	size_t cap;
	struct tp_names groups, kernels;
	struct tp_ids ids;
	size_t *by_group;		/* first call of each group */
	size_t group_cap;
	uint32_t *telling;		/* see find_telling(); NULL: unknown */
};

static void
calls_release(struct calls *calls)
{
	tp_names_release(&calls->groups);
	tp_names_release(&calls->kernels);
	tp_ids_release(&calls->ids);
	tp_free(calls->list);
	tp_free(calls->by_group);
	tp_free(calls->telling);
}

/*
 * By link the next one, from it on, to a kernel whose name tells the layout of
 * operands.
 */
static uint32_t *
find_telling(const struct tp_torch *t)
{
	uint32_t at = (uint32_t)t->link_count;
	uint32_t *next = tp_alloc((t->link_count + 1) * sizeof *next);

	for (next[at] = at; at-- > 0;)
		next[at] = tp_torch_kernel_tells(tp_torch_event_name(t,
		    &t->events[t->links[at].work])->text) ? at : next[at + 1];
	return next;
}

/* The first kernel below C whose name tells the layout of operands, or NULL. */
static const char *
telling_kernel(const struct tp_torch_op_groups *p, struct calls *calls,
    const struct tp_torch_counted *c)
{
	const struct tp_torch_event *e = &p->t->events[c->event];
	const struct tp_name *name = tp_torch_event_name(p->t, e);
	uint32_t first, last;

	if (!tp_torch_reads_kernels(p->o->models, name->text, name->len))
		return NULL;
	if (!calls->telling)
		calls->telling = find_telling(p->t);
	tp_torch_links_below(p->t, e, &first, &last);
	if (first >= last || calls->telling[first] >= last)
		return NULL;
	return tp_torch_event_name(p->t, &p->t->events[p->t->links[
	    calls->telling[first]].work])->text;
}

/*
 * Evaluate call AT by C, its first operation.  Without a table it is in no
 * group.
 */
static void
add_call(struct tp_torch_op_groups *p, struct calls *calls, size_t at,
    const struct tp_torch_counted *c, const char *kernel)
{
	struct evaluated *v = &calls->list[at];
	ptrdiff_t group;

	v->group = UINT32_MAX;
	tp_torch_op_groups_evaluate(p, c, kernel, &v->perf);
	if (!v->perf.table || !v->perf.tracelens.param_count)
		return;
	group = group_of(&calls->groups, p->t->events[c->event].name,
	    &v->perf.tracelens);
	TP_ITEM(calls->by_group, calls->group_cap, group);
	v->group = (uint32_t)group;
	calls->by_group[group] = at;
}

/* The call that C is, evaluated if it is new. */
static ptrdiff_t
call_of(struct tp_torch_op_groups *p, struct calls *calls,
    const struct tp_torch_counted *c)
{
	const struct tp_torch_event *e = &p->t->events[c->event];
	const char *kernel = telling_kernel(p, calls, c);
	uint32_t step = tp_torch_op_groups_step(p, e);
	size_t had = calls->ids.count;
	ptrdiff_t at = -1;

	if (kernel)
		at = tp_names_add(&calls->kernels, kernel, strlen(kernel));
	at = tp_ids_add(&calls->ids, (uint64_t)e->name << 32 | e->inputs,
	    (uint64_t)(at + 1) << 32 | (step == TP_TORCH_NO ? 0 :
	    p->t->events[step].name + 1));
	TP_ITEM(calls->list, calls->cap, at);
	if (calls->ids.count > had)
		add_call(p, calls, (size_t)at, c, kernel);
	return at;
}

static void
group_models(struct tp_torch_op_groups *p, struct calls *calls)
{
	for (size_t i = 0; i < p->counts.count; i++) {
		ptrdiff_t at = call_of(p, calls, &p->counts.list[i]);

		p->groups[i] = calls->list[at].group;
	}
	tp_torch_table_make(&p->table, p->groups, p->gpu, p->counts.count,
	    calls->groups.count);
}

void
tp_torch_emit_models(struct tp_torch_op_groups *p,
    const struct tp_torch_passes *passes, int backward)
{
	struct calls calls = { 0 };

	tp_torch_modelled(&p->counts, p->t, passes, p->o->models, backward);
	tp_torch_op_groups_init(p);
	group_models(p, &calls);
	for (size_t i = 0; i < p->table.count; i++) {
		const struct tp_torch_group *row = &p->table.list[i];

		emit_model(p, row,
		    &calls.list[calls.by_group[row->group]].perf);
	}
	calls_release(&calls);
}
