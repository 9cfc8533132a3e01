/* peel - give each instant of a window to the first of several unions */
#include "peel.h"

/* Add to LEFT what of SPAN the union that is walked does not cover. */
static int
cut(struct tp_ival *left, struct tp_span span, struct tp_ival_walk *walk,
    struct tp_span *by, int *more)
{
	while (*more > 0 && by->to <= span.from)
		*more = tp_ival_next(walk, by);
	while (*more > 0 && by->from < span.to) {
		if (by->from > span.from &&
		    tp_ival_add(left, span.from, by->from) < 0)
			return -1;
		if (by->to >= span.to)
			return 0;
		span.from = by->to;
		*more = tp_ival_next(walk, by);
	}
	return *more < 0 ? -1 : tp_ival_add(left, span.from, span.to);
}

int
tp_peel(struct tp_ival *rest, const struct tp_ival *u, int64_t *taken)
{
	struct tp_ival left = { 0 };
	struct tp_ival_walk rests, us;
	struct tp_span span, by = { 0, 0 };
	int rc, more;

	*taken = 0;
	if (!tp_ival_count(u) || !tp_ival_count(rest))
		return 0;
	tp_ival_begin(&rests, rest);
	tp_ival_begin(&us, u);
	more = tp_ival_next(&us, &by);
	while ((rc = tp_ival_next(&rests, &span)) > 0)
		if ((rc = cut(&left, span, &us, &by, &more)) < 0)
			break;
	tp_ival_stop(&rests);
	tp_ival_stop(&us);
	if (rc < 0 || tp_ival_finish(&left) < 0) {
		tp_ival_release(&left);
		return -1;
	}
	*taken = tp_ival_busy(rest) - tp_ival_busy(&left);
	tp_ival_release(rest);
	*rest = left;
	return 0;
}
