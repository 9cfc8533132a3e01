/* step_change - where steps become slower or faster for good */
#include "step_change.h"

void
tp_step_change_put(struct tp_out *out, const struct tp_course *course,
    size_t i, const double *ps, const int64_t *numbers, size_t n)
{
	const struct tp_course_change *k = &course->changes[i];
	double extra = 0;

	for (size_t step = k->at; step < k->end; step++)
		extra += ps[step] - k->before;
	tp_out_int(out, "rank", (int64_t)i + 1);
	tp_out_bool(out, "is_drift", k->is_drift);
	tp_out_int(out, "number", numbers[k->at]);
	tp_out_int(out, "last_number", numbers[k->end - 1]);
	if (k->is_drift)
		tp_out_int(out, "until_number", numbers[k->until]);
	tp_out_bool(out, "is_to_end", k->end == n);
	tp_out_int(out, "step_count", (int64_t)(k->end - k->at));
	tp_out_real_ps(out, "before_ns", k->before);
	tp_out_real_ps(out, "after_ns", k->after);
	tp_out_real(out, "change_factor", k->after / k->before);
	if (extra > 0)
		tp_out_real_ps(out, "extra_wall_ns", extra);
}
