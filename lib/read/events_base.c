/* events_base - the time that the times of events are relative to */
#include <tp/order.h>

#include "events_private.h"

void
tp_first_times_add(struct tp_first_times *first, int64_t at)
{
	if (first->count < TP_FIRST_TIMES)
		first->at[first->count++] = at;
}

int
tp_first_times_median(struct tp_first_times *first, int64_t *at)
{
	if (!first->count)
		return 0;
	*at = tp_pick_int(first->at, first->count, first->count / 2);
	return 1;
}

int
tp_events_time(struct tp_events *e, int64_t us, int32_t ps, int64_t *ts_ps)
{
	if (e->sample)
		tp_first_times_add(e->sample, us);
	if (!e->has_base) {
		if (e->has_median && tp_events_is_far(us, e->median_us))
			return -1;
		e->has_base = !e->sample;
		e->base_us = us;
		e->base_ps = ps;
	}
	return tp_events_since(us, ps, e->base_us, e->base_ps, ts_ps);
}
