/*
 * merged - one file of several processes, each of which counted its launches
 *
 * Numbers (correlation, External id) are those of a process.  If calls of
 * several processes have one number, each GPU is given to the process whose
 * calls precede its work most often, and of several to that whose calls are
 * nearest to it; no two GPUs to the same one while another has none.  Processes
 * that share a GPU are told apart by their streams, or else, number by number,
 * by the order of starts.  Then every call and its work get a number of their
 * own.
 *
 * Memory: nothing if only one process made calls; else 50 bytes per call
 * during this analysis, and 30 per piece of GPU work if numbers collide.
 */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "torch.h"

/* Calls with one number that are looked at: more are no ranks of a job. */
#define CALLS_MOST 256
struct called {
	uint32_t event, next;	/* the first with this number and process; the
				 * one of another process, or TP_TORCH_NO */
	uint32_t process;
	uint32_t used;		/* work it was given */
	uint32_t lane;		/* ... of the last of it */
};

/* A GPU, or a stream of one, and a process that may have launched its work. */
struct shared {
	uint64_t count;			/* work with an earlier call */
	double square;			/* sum of squared delays */
	uint32_t gpu, process;
};

struct merged {
	struct tp_torch *t;
	struct tp_ids calls, numbers, processes;	/* calls: number and
							 * process */
	struct called *list;		/* by index in calls */
	uint32_t *first;		/* by index in numbers: in list */
	size_t cap, first_cap;
	struct tp_ids gpus, shares;	/* shares: index in gpus, process */
	struct shared *share;
	size_t share_cap;
	uint32_t *owner;		/* by index in gpus: process; several:
					 * TP_TORCH_NO */
	int by_stream;
};

static uint32_t *
key_of(const struct tp_torch *t, struct tp_torch_event *e)
{
	return t->by_external ? &e->external : &e->correlation;
}

/* Whether processes made calls, and not only one did. */
static int
are_several(const struct tp_torch *t)
{
	uint32_t first = TP_TORCH_NO;

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];
		uint32_t process = t->lanes[e->lane].process_id;

		if (e->cat != TP_TORCH_RUNTIME)
			continue;
		if (first != TP_TORCH_NO && process != first)
			return 1;
		first = process;
	}
	return 0;
}

static void
find_calls(struct merged *m)
{
	const struct tp_torch *t = m->t;

	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];
		int64_t key = tp_torch_link_number(t, e);
		size_t had = m->calls.count, known = m->numbers.count;
		uint32_t process = t->lanes[e->lane].process_id;
		ptrdiff_t at, number;

		if (e->cat != TP_TORCH_RUNTIME || key == TP_TORCH_NONE)
			continue;
		at = tp_ids_add(&m->calls, (uint64_t)key, process);
		number = tp_ids_add(&m->numbers, (uint64_t)key, 0);
		tp_ids_add(&m->processes, process, 0);
		TP_ITEM(m->list, m->cap, at);
		TP_ITEM(m->first, m->first_cap, number);
		if ((size_t)at < had)
			continue;
		m->list[at] = (struct called){ .event = (uint32_t)i, .next =
		    (size_t)number == known ? TP_TORCH_NO : m->first[number],
		    .process = process, .lane = TP_TORCH_NO };
		m->first[number] = (uint32_t)at;
	}
}

/* The first call with number KEY, or TP_TORCH_NO. */
static uint32_t
calls_of(const struct merged *m, int64_t key)
{
	ptrdiff_t at = key == TP_TORCH_NONE ? -1 :
	    tp_ids_find(&m->numbers, (uint64_t)key, 0);

	return at < 0 ? TP_TORCH_NO : m->first[at];
}

static struct tp_id
gpu_id(const struct merged *m, uint32_t lane, int16_t device)
{
	return (struct tp_id){ m->by_stream ? lane :
	    m->t->lanes[lane].process_id, (uint16_t)device };
}

/* The process that launched all work of LANE on DEVICE, or TP_TORCH_NO. */
static uint32_t
owner_of(const struct merged *m, uint32_t lane, int16_t device)
{
	struct tp_id id = gpu_id(m, lane, device);
	ptrdiff_t at = tp_ids_find(&m->gpus, id.a, id.b);

	return at < 0 ? TP_TORCH_NO : m->owner[at];
}

static void
find_gpus(struct merged *m, const uint32_t *works, size_t count)
{
	for (m->by_stream = 0; m->by_stream < 2; m->by_stream++) {
		tp_ids_release(&m->gpus);
		for (size_t i = 0; i < count; i++) {
			const struct tp_torch_event *e =
			    &m->t->events[works[i]];
			struct tp_id id = gpu_id(m, e->lane, e->device);

			tp_ids_add(&m->gpus, id.a, id.b);
		}
		if (m->gpus.count >= m->processes.count)
			return;
	}
}

/* Count the processes that may have launched the work with index AT. */
static void
weigh(struct merged *m, uint32_t at)
{
	const struct tp_torch *t = m->t;
	const struct tp_torch_event *work = &t->events[at];
	struct tp_id id = gpu_id(m, work->lane, work->device);
	ptrdiff_t gpu = tp_ids_find(&m->gpus, id.a, id.b);
	uint32_t c = calls_of(m, tp_torch_link_number(t, work));

	for (int n = 0; c != TP_TORCH_NO && n < CALLS_MOST; n++,
	    c = m->list[c].next) {
		double delay = (double)(work->from_ps -
		    t->events[m->list[c].event].from_ps);
		ptrdiff_t share;

		if (delay < 0)
			continue;
		share = tp_ids_add(&m->shares, (uint64_t)gpu,
		    m->list[c].process);
		TP_ITEM(m->share, m->share_cap, share);
		m->share[share].gpu = (uint32_t)gpu;
		m->share[share].process = m->list[c].process;
		m->share[share].count++;
		m->share[share].square += delay * delay;
	}
}

TP_ORDER(by_likelihood, struct shared, TP_DOWN(count)
    TP_BY(TP_CMP(a->square, b->square)) TP_UP(gpu) TP_UP(process))

/* What speaks for PROCESS as owner of GPU. */
static struct shared
share_of(const struct merged *m, size_t gpu, uint32_t process)
{
	ptrdiff_t at = tp_ids_find(&m->shares, gpu, process);

	return at < 0 ? (struct shared){ 0, 0, 0, 0 } : m->share[at];
}

/* Exchange the owners of GPUs A and B if that is more likely.  1 if it is. */
static int
exchange(struct merged *m, size_t a, size_t b)
{
	uint32_t of_a = m->owner[a], of_b = m->owner[b];
	struct shared is_a = share_of(m, a, of_a), is_b = share_of(m, b, of_b);
	struct shared new_a = share_of(m, a, of_b);
	struct shared new_b = share_of(m, b, of_a);
	uint64_t is = is_a.count + is_b.count, new = new_a.count + new_b.count;

	if (new < is || (new == is &&
	    new_a.square + new_b.square >= is_a.square + is_b.square))
		return 0;
	m->owner[a] = of_b;
	m->owner[b] = of_a;
	return 1;
}

/* Give GPUs to processes that have none, the likeliest first; then the rest. */
static void
hand_out(struct merged *m)
{
	size_t count = m->shares.count;
	struct shared *list = tp_alloc((count + 1) * sizeof *list);
	struct tp_ids taken = { 0 };

	if (count) {
		memcpy(list, m->share, count * sizeof *list);
		TP_SORT(list, count, by_likelihood);
	}
	for (int again = 0; again < 2; again++)
		for (size_t i = 0; i < count; i++) {
			if (m->owner[list[i].gpu] != TP_TORCH_NO || (!again &&
			    tp_ids_find(&taken, list[i].process, 0) >= 0))
				continue;
			m->owner[list[i].gpu] = list[i].process;
			tp_ids_add(&taken, list[i].process, 0);
		}
	tp_ids_release(&taken);
	tp_free(list);
}

/* Give each GPU to a process. */
static void
choose_owners(struct merged *m)
{
	size_t n = m->gpus.count, rounds = n;
	int better = 1;

	m->owner = tp_alloc((n + 1) * sizeof *m->owner);
	for (size_t i = 0; i < n; i++)
		m->owner[i] = TP_TORCH_NO;
	if (n < m->processes.count)
		return;
	hand_out(m);
	for (; better && n <= CALLS_MOST && rounds; rounds--) {
		better = 0;
		for (size_t a = 0; a < n; a++)
			for (size_t b = a + 1; b < n; b++)
				better |= exchange(m, a, b);
	}
}

/*
 * The call with number KEY of process OWNER, or of any, that launched work that
 * began at FROM_PS; TP_TORCH_NO: none.
 */
static uint32_t
launch_call_of(const struct merged *m, uint32_t owner, int64_t key,
    int64_t from_ps)
{
	uint32_t c = calls_of(m, key), found = TP_TORCH_NO;

	for (int n = 0; c != TP_TORCH_NO && n < CALLS_MOST; n++,
	    c = m->list[c].next) {
		const struct called *call = &m->list[c], *best;
		int64_t from = m->t->events[call->event].from_ps;

		if (from > from_ps || (owner != TP_TORCH_NO &&
		    call->process != owner))
			continue;
		best = found == TP_TORCH_NO ? NULL : &m->list[found];
		if (!best || call->used < best->used ||
		    (call->used == best->used &&
		    from < m->t->events[best->event].from_ps))
			found = c;
	}
	return found;
}

/* Give each work, in order of start, the number of its call. */
static void
number_works(struct merged *m, const uint32_t *works, size_t count)
{
	struct tp_torch *t = m->t;

	for (size_t i = 0; i < count; i++) {
		struct tp_torch_event *e = &t->events[works[i]];
		uint32_t c = launch_call_of(m, owner_of(m, e->lane, e->device),
		    tp_torch_link_number(t, e), e->from_ps);

		tp_torch_put_number(t, key_of(t, e), c == TP_TORCH_NO ?
		    TP_TORCH_NONE : (int64_t)c);
		if (c == TP_TORCH_NO)
			continue;
		m->list[c].used++;
		m->list[c].lane = e->lane;
	}
}

static void
number_calls(struct merged *m)
{
	struct tp_torch *t = m->t;

	for (size_t i = 0; i < t->count; i++) {
		struct tp_torch_event *e = &t->events[i];
		int64_t key = tp_torch_link_number(t, e);

		if (e->cat == TP_TORCH_RUNTIME && key != TP_TORCH_NONE)
			tp_torch_put_number(t, key_of(t, e),
			    tp_ids_find(&m->calls, (uint64_t)key,
			    t->lanes[e->lane].process_id));
	}
}

/* The number of the call KEY that the wait S is of. */
static int64_t
number_of_wait(const struct merged *m, const struct tp_torch_sync *s,
    int64_t key)
{
	uint32_t owner = owner_of(m, s->lane, s->device);
	uint32_t c = owner == TP_TORCH_NO ? owner : launch_call_of(m, owner,
	    key, s->to_ps);

	return c == TP_TORCH_NO ? TP_TORCH_NONE : (int64_t)c;
}

static void
number_waits(struct merged *m)
{
	struct tp_torch *t = m->t;

	for (size_t i = 0; !t->by_external && i < t->sync_count; i++) {
		struct tp_torch_sync *s = &t->syncs[i];

		s->correlation = number_of_wait(m, s, s->correlation);
		s->record = number_of_wait(m, s, s->record);
	}
}

/* Let arrows lead from each call to its work. */
static void
number_arrows(struct merged *m)
{
	struct tp_torch *t = m->t;
	struct tp_torch_arrow *arrows;
	struct tp_ids ids = { 0 };
	ptrdiff_t at;

	if (!t->arrow_ids.count)
		return;
	arrows = tp_alloc((m->calls.count + 1) * sizeof *arrows);
	for (size_t i = 0; i < m->calls.count; i++) {
		ptrdiff_t old = tp_ids_find(&t->arrow_ids, m->calls.ids[i].a,
		    0);

		if (old < 0)
			continue;
		at = tp_ids_add(&ids, i, 0);
		arrows[at] = (struct tp_torch_arrow){
		    t->arrows[old].start, m->list[i].lane };
	}
	tp_ids_release(&t->arrow_ids);
	tp_free(t->arrows);
	t->arrow_ids = ids;
	t->arrows = arrows;
	t->arrow_cap = m->calls.count + 1;
}

static void
separate(struct merged *m)
{
	const struct tp_torch *t = m->t;
	uint32_t *works = NULL;
	size_t count = 0, cap = 0;

	for (size_t i = 0; i < t->count; i++)
		if (tp_torch_is_gpu(&t->events[i]))
			TP_APPEND(works, count, cap, (uint32_t)i);
	find_gpus(m, works, count);
	for (size_t i = 0; i < count; i++)
		weigh(m, works[i]);
	choose_owners(m);
	number_waits(m);
	tp_torch_sort(t, works, count);
	number_works(m, works, count);
	number_arrows(m);
	number_calls(m);
	tp_free(works);
}

/* Choose the number that links: the one that the first launch has. */
static void
choose_key(struct tp_torch *t)
{
	for (size_t i = 0; i < t->count; i++) {
		const struct tp_torch_event *e = &t->events[i];

		if (e->cat != TP_TORCH_RUNTIME ||
		    !tp_torch_trait(t, e)->launches)
			continue;
		t->by_external = e->correlation == TP_TORCH_NO;
		return;
	}
}

void
tp_torch_separate(struct tp_torch *t)
{
	struct merged m = { .t = t };

	choose_key(t);
	if (are_several(t))
		find_calls(&m);
	if (m.numbers.count < m.calls.count)
		separate(&m);
	tp_ids_release(&m.calls);
	tp_ids_release(&m.numbers);
	tp_ids_release(&m.processes);
	tp_ids_release(&m.gpus);
	tp_ids_release(&m.shares);
	tp_free(m.list);
	tp_free(m.first);
	tp_free(m.share);
	tp_free(m.owner);
}
