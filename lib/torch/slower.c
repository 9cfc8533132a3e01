/* slower - whether all kernels take longer, or some */
#include <tp/alloc.h>
#include <tp/hash.h>

#include "slower.h"

/* The kernels of one name on both sides. */
struct kernel {
	double ps[TP_TORCH_ASIDE], count[TP_TORCH_ASIDE];
};

/* The kernels of one name that were launched for one kind of arguments. */
struct kernels {
	struct tp_ids ids;		/* name, arguments of the operator */
	struct kernel *list;
	size_t cap;
};

static void
add_all(struct kernels *k, const struct tp_torch *t,
    const struct tp_torch_times *times, const unsigned char *sides)
{
	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		const struct tp_torch_step *step;
		unsigned side;
		uint32_t op;
		ptrdiff_t at;

		if (tp_torch_trait(t, e)->bucket != TP_TORCH_COMPUTATION ||
		    !tp_torch_is_linked(e))
			continue;
		step = tp_torch_step_at(times, t,
		    t->events[e->launch].lane, t->events[e->launch].from_ps);
		side = step ? sides[step - times->steps] : TP_TORCH_ASIDE;
		if (side == TP_TORCH_ASIDE)
			continue;
		op = t->events[e->launch].parent;
		while (op != TP_TORCH_NO && (t->events[op].cat !=
		    TP_TORCH_OP || !t->events[op].inputs))
			op = t->events[op].parent;
		at = tp_ids_add(&k->ids, e->name, op == TP_TORCH_NO ? 0 :
		    t->events[op].inputs);
		TP_ITEM(k->list, k->cap, at);
		k->list[at].ps[side] += (double)(e->to_ps - e->from_ps);
		k->list[at].count[side]++;
	}
}

/* The time of K before, if a call had taken as long as after. */
static double
after(const struct kernel *k)
{
	return k->ps[TP_TORCH_AFTER] / k->count[TP_TORCH_AFTER] *
	    k->count[TP_TORCH_BEFORE];
}

static int
is_on_both(const struct kernel *k)
{
	return k->ps[TP_TORCH_BEFORE] > 0 && k->count[TP_TORCH_AFTER] > 0;
}

void
tp_torch_slower(const struct tp_torch *t, const struct tp_torch_times *times,
    const unsigned char *sides, double *ratio)
{
	struct kernels all = { .list = NULL };
	double ps = 0, both = 0, more = 0, slower = 0;

	add_all(&all, t, times, sides);
	for (size_t i = 0; i < all.ids.count; i++) {
		const struct kernel *k = &all.list[i];

		ps += k->ps[TP_TORCH_BEFORE];
		if (!is_on_both(k))
			continue;
		both += k->ps[TP_TORCH_BEFORE];
		more += after(k) - k->ps[TP_TORCH_BEFORE];
	}
	for (size_t i = 0; more > 0 && i < all.ids.count; i++) {
		const struct kernel *k = &all.list[i];

		if (is_on_both(k) && after(k) / k->ps[TP_TORCH_BEFORE] - 1 >=
		    0.5 * more / both)
			slower += k->ps[TP_TORCH_BEFORE];
	}
	*ratio = ps > 0 ? slower / ps : 0;
	tp_ids_release(&all.ids);
	tp_free(all.list);
}
