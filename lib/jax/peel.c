/* peel - assign each instant to the first of several unions */
#include <tp/order.h>

#include "peel.h"

/* Add the part of SPAN that the walked union does not cover to LEFT. */
static void
cut(struct tp_ival *left, struct tp_span span, struct tp_ival_walk *walk,
    struct tp_span *by, int *more)
{
	while (*more > 0 && by->to <= span.from)
		*more = tp_ival_next(walk, by);
	while (*more > 0 && by->from < span.to) {
		if (by->from > span.from)
			tp_ival_add(left, span.from, by->from);
		if (by->to >= span.to)
			return;
		span.from = by->to;
		*more = tp_ival_next(walk, by);
	}
	tp_ival_add(left, span.from, span.to);
}

void
tp_peel(struct tp_ival *rest, const struct tp_ival *u)
{
	struct tp_ival left = { 0 };
	struct tp_ival_walk rests, us;
	struct tp_span span, by = { 0, 0 };
	int more;

	if (!tp_ival_count(u) || !tp_ival_count(rest))
		return;
	tp_ival_begin(&rests, rest);
	tp_ival_begin(&us, u);
	more = tp_ival_next(&us, &by);
	while (tp_ival_next(&rests, &span))
		cut(&left, span, &us, &by, &more);
	tp_ival_stop(&rests);
	tp_ival_stop(&us);
	tp_ival_finish(&left);
	tp_ival_release(rest);
	*rest = left;
}

/* A union being walked: its current span, or one past all others. */
struct peeled {
	struct tp_ival_walk walk;
	struct tp_span span;
};

static void
next(struct peeled *p)
{
	if (!tp_ival_next(&p->walk, &p->span))
		p->span = (struct tp_span){ INT64_MAX, INT64_MAX };
}

void
tp_peel_all(const struct tp_ival *const *of, size_t count, int64_t first,
    int64_t last, int64_t *taken)
{
	struct peeled p[TP_PEEL_MAX];
	int64_t at = first, to;
	size_t i;

	for (i = 0; i < count; i++) {
		tp_ival_begin(&p[i].walk, of[i]);
		taken[i] = 0;
		next(&p[i]);
	}
	while (at < last) {
		/*
		 * up to the end of the first that contains it, or the start of
		 * an earlier one
		 */
		to = last;
		for (i = 0; i < count; i++) {
			while (p[i].span.to <= at)
				next(&p[i]);
			if (p[i].span.from <= at)
				break;
			TP_LEAST(to, p[i].span.from);
		}
		if (i < count) {
			TP_LEAST(to, p[i].span.to);
			taken[i] += to - at;
		}
		at = to;
	}
	for (i = 0; i < count; i++)
		tp_ival_stop(&p[i].walk);
}
