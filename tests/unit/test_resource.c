/* Lifetimes, live bytes and sizes used again, against a slow model. */
#include <stdio.h>
#include <string.h>

#include <tp/alloc.h>
#include <tp/metal/resource.h>

#include "pick.h"

#define EVENTS 60
#define IDS 6
#define SIZES 4

static int failed;

static void
check(int ok, const char *what, int round)
{
	if (ok)
		return;
	printf("not ok resource: %s in round %d\n", what, round);
	failed = 1;
}

/* What the model holds of an id. */
struct slot {
	int open;
	int expected;		/* its row said when it ends: a later
				 * deallocation is of it */
	int64_t at_ns, bytes, ends_ns;		/* ends_ns -1: not said */
};

struct model {
	struct slot slots[IDS];
	int64_t spare[SIZES];
	int64_t live, live_bytes, peak, reusable, unseen;
	int64_t lifetimes, lifetime_sum;
};

static void
end(struct model *m, struct slot *s, int64_t at_ns)
{
	s->open = 0;
	m->live--;
	m->live_bytes -= s->bytes;
	m->spare[s->bytes / 100 - 1]++;
	m->lifetimes++;
	m->lifetime_sum += at_ns - s->at_ns;
}

static void
play(struct model *m, const struct tp_resource_event *e)
{
	struct slot *s = &m->slots[e->id];

	for (size_t i = 0; i < IDS; i++)
		if (m->slots[i].open && m->slots[i].ends_ns >= 0 &&
		    m->slots[i].ends_ns <= e->at_ns)
			end(m, &m->slots[i], m->slots[i].ends_ns);
	if (e->state == TP_RES_FREED) {
		if (s->open)
			end(m, s, e->at_ns);
		else if (!s->expected)
			m->unseen++;
		s->expected = 0;
		return;
	}
	*s = (struct slot){ 1, e->lifetime_ns >= 0, e->at_ns, e->bytes,
	    e->lifetime_ns < 0 ? -1 : e->at_ns + e->lifetime_ns };
	m->live++;
	m->live_bytes += e->bytes;
	if (m->live_bytes > m->peak)
		m->peak = m->live_bytes;
	if (m->spare[e->bytes / 100 - 1]) {
		m->spare[e->bytes / 100 - 1]--;
		m->reusable++;
	}
}

/*
 * A random trace in which an id is not allocated again before its end and not
 * freed after the end that its row says; by time.
 */
static void
invent(struct tp_resource_event *events, struct model *m)
{
	struct tp_resource_event *e;

	memset(m, 0, sizeof *m);
	for (int i = 0; i < EVENTS; i++) {
		e = &events[i];
		memset(e, 0, sizeof *e);
		e->at_ns = 10 * i;
		e->id = (uint32_t)pick(IDS);
		e->bytes = 100 * (int64_t)(1 + pick(SIZES));
		e->lifetime_ns = -1;
		e->state = m->slots[e->id].open || !pick(8) ? TP_RES_FREED :
		    TP_RES_ALLOCATED;
		if (m->slots[e->id].open && m->slots[e->id].ends_ns >= 0)
			e->id = IDS - 1, e->state = TP_RES_FREED;
		if (e->state == TP_RES_ALLOCATED && e->id < IDS - 1 &&
		    !pick(3))
			e->lifetime_ns = 5 + 10 * pick(5);
		play(m, e);
	}
	for (size_t i = 0; i < IDS; i++)
		if (m->slots[i].open && m->slots[i].ends_ns >= 0)
			end(m, &m->slots[i], m->slots[i].ends_ns);
}

static void
try(const struct tp_resource_event *events, const struct model *m,
    int shuffled, int round)
{
	struct tp_phase step = { .index = 1, .start_ns = 100, .end_ns = 200 };
	struct tp_phase_view steps = { &step, 1 };
	struct tp_resource_list list = { 0 };
	struct tp_resource_event swap;
	struct tp_resource_sums s;
	size_t i, k;

	list.events = tp_alloc(EVENTS * sizeof *list.events);
	memcpy(list.events, events, EVENTS * sizeof *list.events);
	list.count = list.cap = EVENTS;
	for (i = 0; i < IDS; i++)
		tp_ids_add(&list.ids, i, 0);
	for (i = EVENTS; shuffled && i > 1; i--) {
		k = pick(i);
		swap = list.events[i - 1];
		list.events[i - 1] = list.events[k];
		list.events[k] = swap;
	}
	tp_resource_pair(&list);
	tp_resource_sum(&list, -1, 201, &steps, &s);
	check(s.live == m->live && s.live_bytes == m->live_bytes,
	    "what is still live", round);
	check(s.peak_bytes == m->peak, "the peak", round);
	check(s.reusable == m->reusable, "what could be used again", round);
	check(s.freed_unseen == m->unseen, "unmatched", round);
	check((int64_t)s.lifetime.count == m->lifetimes &&
	    s.lifetime.sum == m->lifetime_sum, "lifetimes", round);
	check(s.allocated + s.freed == EVENTS, "the count", round);
	for (i = 0, k = 0; i < EVENTS; i++)
		k += events[i].state == TP_RES_ALLOCATED &&
		    events[i].bytes < 201;
	check((size_t)s.small == k, "small ones", round);
	for (i = 10, k = 0; i < 20; i++)
		k += events[i].state == TP_RES_ALLOCATED;
	check((size_t)s.in_steps == k, "those in a step", round);
	tp_resource_sums_release(&s);
	tp_free(list.events);
	tp_ids_release(&list.ids);
}

int
main(void)
{
	struct tp_resource_event events[EVENTS];
	struct model m;

	for (int round = 0; round < 500; round++) {
		invent(events, &m);
		try(events, &m, round & 1, round);
	}
	if (!failed)
		puts("ok resource: lifetimes and live bytes are the model's, "
		    "in any order");
	return failed;
}
