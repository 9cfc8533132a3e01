/* merge - the spans of many unions in time order */
#include <string.h>

#include <tp/alloc.h>

#include "heap.h"
#include "merge.h"

static int
before(const void *of, uint32_t a, uint32_t b)
{
	const struct tp_merge *m = of;
	int64_t x = m->lanes[a].span.from, y = m->lanes[b].span.from;

	return x < y || (x == y && a < b);
}

static void
sink(struct tp_merge *m, size_t at)
{
	tp_heap_sink(m->heap, m->count, at, before, m);
}

void
tp_merge_begin(struct tp_merge *m, const struct tp_ival *const *of,
    size_t count)
{
	memset(m, 0, sizeof *m);
	m->lanes = tp_alloc((count + 1) * sizeof *m->lanes);
	m->heap = tp_alloc((count + 1) * sizeof *m->heap);
	for (size_t i = 0; i < count; i++) {
		tp_ival_begin(&m->lanes[i].walk, of[i]);
		m->lane_count++;
		if (tp_ival_next(&m->lanes[i].walk, &m->lanes[i].span))
			m->heap[m->count++] = (uint32_t)i;
	}
	for (size_t i = m->count / 2; i-- > 0;)
		sink(m, i);
}

/* Lane AT stays the first one as long as its spans start before this time.
 * Only its children in the heap can be next. */
static int64_t
until(const struct tp_merge *m, size_t at)
{
	int64_t least = INT64_MAX, from;

	for (size_t i = 1; i < m->count && i < 3; i++) {
		from = m->lanes[m->heap[i]].span.from;
		from += from < INT64_MAX && at < m->heap[i];
		least = from < least ? from : least;
	}
	return least;
}

/* Move spans of LANE that start before BEFORE to TO, at most N and only those
 * of the current chunk; the last one stays in lane->span.  Returns how many. */
static size_t
move_lane_spans(struct tp_merge_lane *lane, int64_t before, struct tp_span *to,
    size_t n)
{
	const unsigned char *p = lane->walk.closed.p;
	const unsigned char *end = lane->walk.closed.end;
	struct tp_span span = lane->span;
	int64_t last_to = lane->walk.last_to;
	size_t i;

	for (i = 0; i < n && p != end && span.from < before; i++) {
		to[i] = span;
		p = tp_ival_read(p, last_to, &span);
		last_to = span.to;
	}
	lane->walk.closed.p = p;
	lane->walk.last_to = last_to;
	lane->span = span;
	return i;
}

int
tp_merge_next(struct tp_merge *m, const struct tp_span **spans, size_t *count,
    size_t *which)
{
	struct tp_merge_lane *first;
	int64_t before;
	size_t n = 0;
	int more = 1;

	if (!m->count)
		return 0;
	*which = m->heap[0];
	first = &m->lanes[*which];
	before = until(m, *which);
	for (;;) {
		n += move_lane_spans(first, before, m->run + n,
		    TP_MERGE_RUN - n);
		if (n == TP_MERGE_RUN || (n && first->span.from >= before))
			break;
		m->run[n++] = first->span;
		more = tp_ival_next(&first->walk, &first->span);
		if (!more)
			break;
	}
	if (!more)
		m->heap[0] = m->heap[--m->count];
	if (m->count)
		sink(m, 0);
	*spans = m->run;
	*count = n;
	return 1;
}

void
tp_merge_stop(struct tp_merge *m)
{
	for (size_t i = 0; i < m->lane_count; i++)
		tp_ival_stop(&m->lanes[i].walk);
	tp_free(m->lanes);
	tp_free(m->heap);
	memset(m, 0, sizeof *m);
}

void
tp_merge_unite(const struct tp_ival *const *of, size_t count,
    struct tp_ival *all)
{
	struct tp_merge merge;
	const struct tp_span *spans;
	size_t which, n;

	tp_merge_begin(&merge, of, count);
	while (tp_merge_next(&merge, &spans, &n, &which))
		tp_ival_add_all(all, spans, n);
	tp_merge_stop(&merge);
	tp_ival_finish(all);
}
