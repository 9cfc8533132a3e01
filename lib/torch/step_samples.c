/* step_samples - variation of rows of a PyTorch trace from step to step */
#include <string.h>

#include <tp/alloc.h>

#include "step_samples.h"

/* Whether STEP is complete: its work is in the trace, or it launched none. */
static int
is_sample(const struct tp_torch_step *step)
{
	return !step->is_partial && (step->work_count || !step->launch_count);
}

void
tp_torch_samples_init(struct tp_torch_samples *s,
    const struct tp_torch_times *times, const struct tp_torch *torch,
    size_t items)
{
	memset(s, 0, sizeof *s);
	s->times = times;
	s->torch = torch;
	s->step_of = tp_alloc((items + 1) * sizeof *s->step_of);
	for (size_t i = 0; i < times->step_count; i++)
		s->count += is_sample(&times->steps[i]);
}

void
tp_torch_samples_release(struct tp_torch_samples *s)
{
	tp_free(s->step_of);
	memset(s, 0, sizeof *s);
}

void
tp_torch_samples_put(struct tp_torch_samples *s, size_t item, uint32_t call)
{
	const struct tp_torch_event *e;
	const struct tp_torch_step *step;

	s->step_of[item] = TP_TAB_UNKNOWN;
	if (call == TP_TORCH_NO)
		return;
	e = &s->torch->events[call];
	step = tp_torch_step_at(s->times, s->torch, e->lane, e->from_ps);
	s->step_of[item] = step && is_sample(step) ?
	    (uint32_t)(step - s->times->steps) : TP_TAB_OUTSIDE;
}

void
tp_torch_samples_tab(const struct tp_torch_samples *s, struct tp_tab *tab)
{
	tab->step_of = s->step_of;
	tab->step_count = s->times->step_count;
	tab->sample_count = s->count;
}
