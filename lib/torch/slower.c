/* slower - whether all kernels take longer, or some */
#include <tp/alloc.h>

#include "slower.h"

/* The kernels of one name on both sides. */
struct kernel {
	double ps[TP_TORCH_ASIDE], count[TP_TORCH_ASIDE];
};

static void
add_all(struct kernel *kernels, const struct tp_torch *t,
    const struct tp_torch_times *times, const unsigned char *sides)
{
	for (size_t i = 0; i < t->gpu_count; i++) {
		const struct tp_torch_event *e = &t->events[t->gpu[i]];
		const struct tp_torch_step *step;
		unsigned side;

		if (tp_torch_trait(t, e)->bucket != TP_TORCH_COMPUTATION ||
		    !tp_torch_is_linked(e))
			continue;
		step = tp_torch_step_at(times, t,
		    t->events[e->parent].from_ps);
		side = step ? sides[step - times->steps] : TP_TORCH_ASIDE;
		if (side == TP_TORCH_ASIDE)
			continue;
		kernels[e->name].ps[side] += (double)(e->to_ps - e->from_ps);
		kernels[e->name].count[side]++;
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

int
tp_torch_slower(const struct tp_torch *t, const struct tp_torch_times *times,
    const unsigned char *sides, double *ratio)
{
	struct kernel *kernels = tp_zalloc((t->names.count + 1) *
	    sizeof *kernels);
	double ps = 0, more = 0, slower = 0;

	if (!kernels)
		return -1;
	add_all(kernels, t, times, sides);
	for (size_t i = 0; i < t->names.count; i++)
		if (is_on_both(&kernels[i])) {
			ps += kernels[i].ps[TP_TORCH_BEFORE];
			more += after(&kernels[i]) -
			    kernels[i].ps[TP_TORCH_BEFORE];
		}
	for (size_t i = 0; more > 0 && i < t->names.count; i++)
		if (is_on_both(&kernels[i]) && after(&kernels[i]) /
		    kernels[i].ps[TP_TORCH_BEFORE] - 1 >= 0.5 * more / ps)
			slower += kernels[i].ps[TP_TORCH_BEFORE];
	*ratio = ps > 0 ? slower / ps : 0;
	tp_free(kernels);
	return 0;
}
