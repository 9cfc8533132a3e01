/* ival - the union of half-open intervals */
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/ival.h>

/* Late intervals are merged in when there are this many and as many as
 * spans, so that the work stays n log n in any order. */
#define LATE_MIN 8192

static int
by_start(const void *a, const void *b)
{
	const struct tp_span *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/* Append a span that starts at or after the last one. */
static int
append(struct tp_span **spans, size_t *count, size_t *cap, struct tp_span s)
{
	struct tp_span *last = *count ? &(*spans)[*count - 1] : NULL;

	if (last && s.from <= last->to) {
		if (s.to > last->to)
			last->to = s.to;
		return 0;
	}
	if (tp_grow(spans, cap, *count + 1, sizeof s) < 0)
		return -1;
	(*spans)[(*count)++] = s;
	return 0;
}

int
tp_ival_finish(struct tp_ival *v)
{
	struct tp_span *all = NULL;
	size_t count = 0, cap = 0, i = 0, k = 0;

	if (!v->late_count)
		return 0;
	qsort(v->late, v->late_count, sizeof *v->late, by_start);
	while (i < v->count || k < v->late_count) {
		int late = i == v->count || (k < v->late_count &&
		    v->late[k].from < v->spans[i].from);

		if (append(&all, &count, &cap, late ? v->late[k++] :
		    v->spans[i++]) < 0) {
			tp_free(all);
			return -1;
		}
	}
	tp_free(v->spans);
	v->spans = all;
	v->count = count;
	v->cap = cap;
	v->late_count = 0;
	return 0;
}

int
tp_ival_add(struct tp_ival *v, int64_t from, int64_t to)
{
	struct tp_span s = { from, to };

	if (from >= to)
		return 0;
	if (!v->count || from >= v->spans[v->count - 1].from)
		return append(&v->spans, &v->count, &v->cap, s);
	if (tp_grow(&v->late, &v->late_cap, v->late_count + 1, sizeof s) < 0)
		return -1;
	v->late[v->late_count++] = s;
	v->late_total++;
	if (v->late_count >= LATE_MIN && v->late_count >= v->count)
		return tp_ival_finish(v);
	return 0;
}

int64_t
tp_ival_busy(const struct tp_ival *v)
{
	int64_t busy = 0;

	for (size_t i = 0; i < v->count; i++)
		busy += v->spans[i].to - v->spans[i].from;
	return busy;
}

int64_t
tp_ival_common(const struct tp_ival *a, const struct tp_ival *b)
{
	int64_t common = 0, from, to;
	size_t i = 0, k = 0;

	while (i < a->count && k < b->count) {
		from = a->spans[i].from > b->spans[k].from ?
		    a->spans[i].from : b->spans[k].from;
		to = a->spans[i].to < b->spans[k].to ?
		    a->spans[i].to : b->spans[k].to;
		if (from < to)
			common += to - from;
		if (a->spans[i].to < b->spans[k].to)
			i++;
		else
			k++;
	}
	return common;
}

void
tp_ival_release(struct tp_ival *v)
{
	tp_free(v->spans);
	tp_free(v->late);
	memset(v, 0, sizeof *v);
}
