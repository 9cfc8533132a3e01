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

int
tp_merge_begin(struct tp_merge *m, const struct tp_ival *const *of,
    size_t count)
{
	int more = 0;

	memset(m, 0, sizeof *m);
	m->lanes = tp_alloc((count + 1) * sizeof *m->lanes);
	m->heap = tp_alloc((count + 1) * sizeof *m->heap);
	if (!m->lanes || !m->heap)
		return -1;
	for (size_t i = 0; i < count && more >= 0; i++) {
		tp_ival_begin(&m->lanes[i].walk, of[i]);
		m->lane_count++;
		more = tp_ival_next(&m->lanes[i].walk, &m->lanes[i].span);
		if (more > 0)
			m->heap[m->count++] = (uint32_t)i;
	}
	for (size_t i = m->count / 2; i-- > 0;)
		sink(m, i);
	return more < 0 ? -1 : 0;
}

/* Whether lane AT comes before all others except the first. */
static int
is_ahead(const struct tp_merge *m, uint32_t at)
{
	return (m->count < 2 || before(m, at, m->heap[1])) &&
	    (m->count < 3 || before(m, at, m->heap[2]));
}

int
tp_merge_next(struct tp_merge *m, const struct tp_span **spans, size_t *count,
    size_t *which)
{
	struct tp_merge_lane *first;
	int more;

	if (!m->count)
		return 0;
	*which = m->heap[0];
	first = &m->lanes[*which];
	*count = 0;
	do {
		m->run[(*count)++] = first->span;
		more = tp_ival_next(&first->walk, &first->span);
	} while (more > 0 && *count < TP_MERGE_RUN &&
	    is_ahead(m, (uint32_t)*which));
	if (more < 0)
		return -1;
	if (!more)
		m->heap[0] = m->heap[--m->count];
	if (m->count)
		sink(m, 0);
	*spans = m->run;
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

static int
add_spans(struct tp_ival *to, const struct tp_span *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (tp_ival_add(to, s[i].from, s[i].to) < 0)
			return -1;
	return 0;
}

int
tp_merge_unite(const struct tp_ival *const *of, size_t count,
    struct tp_ival *all)
{
	struct tp_merge merge;
	const struct tp_span *spans;
	size_t which, n;
	int more = tp_merge_begin(&merge, of, count);

	if (!more)
		while ((more = tp_merge_next(&merge, &spans, &n,
		    &which)) > 0 && add_spans(all, spans, n) == 0)
			continue;
	tp_merge_stop(&merge);
	return more || tp_ival_finish(all) < 0 ? -1 : 0;
}
