/* etdp_order - the nesting order of the events of a block */
#include <string.h>

#include <tp/alloc.h>

#include "etdp_order.h"

#define NONE SIZE_MAX

/*
 * Whether E is the event of its instruction itself; the runtime names these
 * OPERATOR_CALL, DELEGATE_CALL, JF_CALL, MOVE_CALL and FREE_CALL.
 */
static int
is_call(const struct tp_etdp_event *e)
{
	static const char end[] = "_CALL";
	const size_t len = sizeof end - 1;

	return e->id < 0 && !e->id_len && e->name_len > len &&
	    !memcmp(e->name + e->name_len - len, end, len);
}

/* Whether E belongs inside the call of an instruction. */
static int
is_inner(const struct tp_etdp_event *e)
{
	return e->kind == TP_ETDP_PROFILE && e->chain >= 0 && !is_call(e);
}

/* Whether every call of B directly follows what its instruction logged. */
static int
is_nested(const struct tp_etdp_block *b)
{
	struct tp_etdp_event e, open = { .kind = TP_ETDP_LOST };

	for (size_t i = 0; i < b->events.count; i++) {
		tp_etdp_event(b, i, &e);
		if (e.kind != TP_ETDP_PROFILE || e.chain < 0)
			continue;
		if (open.kind == TP_ETDP_PROFILE && (e.chain != open.chain ||
		    e.instruction != open.instruction))
			return 0;
		open.kind = is_inner(&e) ? TP_ETDP_PROFILE : TP_ETDP_LOST;
		open.chain = e.chain;
		open.instruction = e.instruction;
	}
	return open.kind == TP_ETDP_LOST;
}

/* Position of the last call of each instruction. */
struct calls {
	struct tp_ids ids;
	size_t *at, cap;
};

/* Entry for the instruction of E, added when new. */
static size_t *
call_of(struct calls *c, const struct tp_etdp_event *e)
{
	size_t known = c->ids.count;
	ptrdiff_t i = tp_ids_add(&c->ids, (uint64_t)e->chain,
	    (uint64_t)e->instruction);

	TP_ITEM(c->at, c->cap, i);
	if ((size_t)i == known)
		c->at[i] = NONE;
	return &c->at[i];
}

/*
 * Process event I of B: set BEFORE[I], unless known, to the last call of its
 * instruction seen.
 */
static void
find_call(const struct tp_etdp_block *b, size_t i, struct calls *c,
    size_t *before)
{
	struct tp_etdp_event e;
	size_t *call;

	tp_etdp_event(b, i, &e);
	if (e.kind != TP_ETDP_PROFILE || e.chain < 0) {
		before[i] = i;
		return;
	}
	call = call_of(c, &e);
	if (is_call(&e))
		*call = before[i] = i;
	else if (before[i] == NONE)
		before[i] = *call;
}

static void
release_calls(struct calls *c)
{
	tp_ids_release(&c->ids);
	tp_free(c->at);
	memset(c, 0, sizeof *c);
}

/*
 * Compute which event each event of B must precede: the next call of its
 * instruction, else the last one; itself when it stays.  An event of no call
 * precedes the next event of no instruction, or the end.
 */
static void
find_calls(const struct tp_etdp_block *b, size_t *before)
{
	size_t n = b->events.count, free = n;
	struct calls calls = { 0 };

	for (size_t i = 0; i < n; i++)
		before[i] = NONE;
	for (size_t i = n; i--; )
		find_call(b, i, &calls, before);
	release_calls(&calls);
	for (size_t i = 0; i < n; i++)
		find_call(b, i, &calls, before);
	release_calls(&calls);
	for (size_t i = n; i--; ) {
		struct tp_etdp_event e;

		tp_etdp_event(b, i, &e);
		if (e.kind == TP_ETDP_PROFILE && e.chain < 0)
			free = i;
		if (before[i] == NONE)
			before[i] = free;
	}
}

/* Sort by BEFORE, each event after those that precede it. */
static void
sort(const size_t *before, size_t n, size_t *from, size_t *order)
{
	memset(from, 0, (n + 2) * sizeof *from);
	for (size_t i = 0; i < n; i++)
		from[before[i] + 1]++;
	for (size_t i = 0; i <= n; i++)
		from[i + 1] += from[i];
	for (size_t i = 0; i < n; i++)
		if (before[i] != i)
			order[from[before[i]]++] = i;
	for (size_t i = 0; i < n; i++)
		if (before[i] == i)
			order[from[i]++] = i;
}

void
tp_etdp_order(const struct tp_etdp_block *b, size_t **order,
    uint64_t *moved)
{
	size_t n = b->events.count, *before, *from;

	*order = NULL;
	*moved = 0;
	if (is_nested(b))
		return;
	before = tp_alloc((n + 1) * sizeof *before);
	from = tp_alloc((n + 2) * sizeof *from);
	*order = tp_alloc((n + 1) * sizeof **order);
	find_calls(b, before);
	sort(before, n, from, *order);
	for (size_t i = 0; i + 1 < n; i++)
		*moved += before[(*order)[i]] != (*order)[i] &&
		    (*order)[i + 1] != (*order)[i] + 1;
	tp_free(before);
	tp_free(from);
	if (!*moved) {
		tp_free(*order);
		*order = NULL;
	}
}
