/* memory - allocations on the devices of a JAX capture */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "memory.h"

/* By allocator, then time, then place in the file. */
TP_ORDER(by_time, struct tp_jax_alloc, TP_UP(id) TP_UP(at_ps) TP_UP(index))

TP_ORDER(by_bytes, struct tp_jax_live, TP_DOWN(bytes) TP_UP(what))

/* For qsort(). */
static const struct tp_names *sorting;

TP_ORDER(by_id, struct tp_jax_memory_of,
    TP_BY(strcmp(sorting->names[a->id].text, sorting->names[b->id].text)))

static int64_t
used(const struct tp_jax_alloc *e)
{
	int64_t sum;

	if (e->allocated < 0)
		return -1;
	return e->reserved < 0 ? e->allocated : __builtin_add_overflow(
	    e->reserved, e->allocated, &sum) ? INT64_MAX : sum;
}

/*
 * The allocations among the COUNT EVENTS that are never freed, as indexes +
 * 1 by address: of ADDRS.
 */
static uint32_t *
open_blocks(const struct tp_jax_alloc *events, size_t count,
    struct tp_ids *addrs)
{
	uint32_t *open = tp_zalloc((count + 1) * sizeof *open);
	ptrdiff_t at;

	for (size_t i = 0; i < count; i++) {
		if (events[i].addr < 0)
			continue;
		at = tp_ids_add(addrs, (uint64_t)events[i].addr, 0);
		open[at] = events[i].is_free ? 0 : (uint32_t)i + 1;
	}
	return open;
}

/* What of the first COUNT EVENTS is live behind them. */
/* Add BYTES of WHAT as live. */
static void
add_live(struct tp_jax_memory_of *m, size_t *cap, struct tp_ids *whats,
    uint32_t what, int64_t bytes)
{
	ptrdiff_t at = tp_ids_add(whats, what, 0);

	tp_grow(&m->live, cap, (size_t)at + 1, sizeof *m->live);
	if ((size_t)at == m->live_count)
		m->live[m->live_count++] = (struct tp_jax_live){ .what = what };
	if (__builtin_add_overflow(m->live[at].bytes, bytes,
	    &m->live[at].bytes))
		m->live[at].bytes = INT64_MAX;
	m->live[at].count++;
}

static void
find_live(struct tp_jax_memory_of *m, const struct tp_jax_alloc *events,
    size_t count)
{
	struct tp_ids addrs = { 0 }, whats = { 0 };
	uint32_t *open = open_blocks(events, count, &addrs);
	int64_t rest = m->peak.allocated;
	size_t cap = 0;

	for (size_t i = 0; i < addrs.count; i++) {
		const struct tp_jax_alloc *e = open[i] ?
		    &events[open[i] - 1] : NULL;

		if (!e || e->bytes <= 0)
			continue;
		add_live(m, &cap, &whats, e->what, e->bytes);
		rest = rest > e->bytes ? rest - e->bytes : 0;
	}
	if (rest > 0) {
		add_live(m, &cap, &whats, 0, rest);
		/* the number of blocks is unknown */
		m->live[tp_ids_find(&whats, 0, 0)].count = 0;
	}
	TP_SORT(m->live, m->live_count, by_bytes);
	tp_ids_release(&addrs);
	tp_ids_release(&whats);
	tp_free(open);
}

/* Analyse the COUNT events of one allocator, in order. */
static void
analyse_allocator(struct tp_jax_memory_of *m, const struct tp_jax_alloc *events,
    size_t count)
{
	size_t peak = count;

	m->id = events[0].id;
	for (size_t i = 0; i < count; i++) {
		m->allocations += !events[i].is_free;
		m->frees += events[i].is_free;
		if (used(&events[i]) < 0)
			continue;
		m->last_bytes = used(&events[i]);
		if (peak == count || used(&events[i]) > used(&events[peak]))
			peak = i;
	}
	if (peak == count)
		return;
	m->peak = events[peak];
	find_live(m, events, peak + 1);
}

void
tp_jax_memory_make(struct tp_jax_memory *m)
{
	struct tp_jax_memory_of *of;
	size_t n;

	if (!m->count)
		return;
	TP_SORT(m->events, m->count, by_time);
	m->list = tp_zalloc(m->ids.count * sizeof *m->list);
	for (size_t i = 0; i < m->count; i += n) {
		for (n = 1; i + n < m->count && m->events[i + n].id ==
		    m->events[i].id; n++)
			continue;
		of = &m->list[m->list_count++];
		*of = (struct tp_jax_memory_of){ .peak.allocated = -1 };
		analyse_allocator(of, m->events + i, n);
		if (of->peak.allocated < 0)
			m->list_count--;
	}
	sorting = &m->ids;
	TP_SORT(m->list, m->list_count, by_id);
}
