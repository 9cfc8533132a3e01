/* late - in which steps a host or a device has more to do than the others */
#include <tp/alloc.h>
#include <tp/order.h>
#include <tp/records.h>

#include "late.h"
#include "tracks.h"

TP_ORDER(by_lag, struct tp_jax_lag, TP_DOWN(ps) TP_UP(number))

void
tp_jax_late_find(struct tp_jax_late *late, struct tp_jax_lag *lags, size_t n)
{
	int64_t all = 0, sum = 0;

	for (size_t i = 0; i < n; i++)
		tp_ps_add(&all, lags[i].ps);
	*late = (struct tp_jax_late){ 0, INT64_MAX, INT64_MIN };
	TP_SORT(lags, n, by_lag);
	for (size_t i = 0; i < n && sum < all - all / 10; i++) {
		late->count++;
		tp_ps_add(&sum, lags[i].ps);
		TP_LEAST(late->first, lags[i].number);
		TP_MOST(late->last, lags[i].number);
	}
}

void
tp_jax_late_emit(const struct tp_jax_late *late, struct tp_out *out)
{
	if (!late->count)
		return;
	tp_out_int(out, "lag_step_count", (int64_t)late->count);
	tp_out_int(out, "lag_number", late->first);
	tp_out_int(out, "lag_last_number", late->last);
}

void
tp_jax_unite(struct tp_ival *to, const struct tp_ival *const *of, size_t count)
{
	struct tp_ival_walk walks[TP_JAX_UNITE_MAX];
	struct tp_span at[TP_JAX_UNITE_MAX] = { { INT64_MAX, 0 } };
	size_t first = 0;

	for (size_t i = 0; i < count; i++) {
		at[i].from = INT64_MIN;
		tp_ival_begin(&walks[i], of[i]);
	}
	/* in order of start, in which a union takes them best */
	while (count && at[first].from < INT64_MAX) {
		if (at[first].from > INT64_MIN)
			tp_ival_add(to, at[first].from, at[first].to);
		if (!tp_ival_next(&walks[first], &at[first]))
			at[first].from = INT64_MAX;
		for (size_t i = 0; i < count; i++)
			first = at[i].from < at[first].from ? i : first;
	}
	for (size_t i = 0; i < count; i++)
		tp_ival_stop(&walks[i]);
	tp_ival_finish(to);
}

void
tp_jax_spans_set(struct tp_jax_spans *s, const struct tp_ival *u)
{
	struct tp_ival_walk walk;
	struct tp_span span;

	s->count = 0;
	tp_ival_begin(&walk, u);
	while (tp_ival_next(&walk, &span))
		TP_APPEND(s->list, s->count, s->cap, span);
	tp_ival_stop(&walk);
}

int64_t
tp_jax_spans_inside(const struct tp_jax_spans *s, int64_t from, int64_t to)
{
	size_t low;
	int64_t sum = 0;

	TP_SEEK(low, 0, s->count, middle, s->list[middle].to <= from);
	for (; low < s->count && s->list[low].from < to; low++) {
		const struct tp_span *at = &s->list[low];

		sum += (at->to < to ? at->to : to) -
		    (at->from > from ? at->from : from);
	}
	return sum;
}

void
tp_jax_spans_release(struct tp_jax_spans *s)
{
	tp_free(s->list);
}
