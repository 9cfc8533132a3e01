/* etdump_parts - where the time of all runs went */
#include <string.h>

#include "etdump_private.h"

static void
add_run(struct tp_parts *p, const struct tp_etdump_run *r)
{
	p->e2e += r->e2e;
	for (size_t k = 0; k < TP_CATEGORIES_MAX; k++)
		p->category[k] += r->flat[k];
	p->delegate_calls += r->flat_delegate;
	p->operator_calls += r->flat_operator;
	p->delegated += r->flat_delegated;
	p->portable += r->flat_portable;
	p->direct += r->flat_control;
}

static void
add_parts(struct tp_parts *p, const struct tp_parts *other)
{
	p->e2e += other->e2e;
	for (size_t k = 0; k < TP_CATEGORIES_MAX; k++)
		p->category[k] += other->category[k];
	p->delegate_calls += other->delegate_calls;
	p->operator_calls += other->operator_calls;
	p->delegated += other->delegated;
	p->portable += other->portable;
	p->direct += other->direct;
	for (size_t k = 0; k < TP_FRAME_LOAD; k++)
		p->unknown[k] += other->unknown[k];
}

/*
 * Check tables without an order, where no frame can be matched with its
 * children: all operators together must fit into all executions.
 */
static void
check_flat(struct tp_etdump *e, struct tp_parts *p)
{
	tp_int128 held = p->delegated + p->portable + p->direct;
	tp_int128 e2e = p->e2e;

	if (held * 100 <= e2e * TP_ETDUMP_LIMIT_PERCENT)
		return;
	e->mismatches++;
	e->mismatch_ns = tp_narrow(e2e);
	e->mismatch_held_ns = tp_narrow(held);
	memset(p, 0, sizeof *p);
	p->e2e = p->unknown[TP_FRAME_EXECUTE] = e2e;
}

void
tp_etdump_total(struct tp_etdump *e, struct tp_parts *p)
{
	memset(p, 0, sizeof *p);
	if (e->unordered) {
		e->mismatches = 0;
		for (size_t i = 0; i < e->run_count; i++)
			if (e->runs[i].executions)
				add_run(p, &e->runs[i]);
		/*
		 * without calls in the table, calls and operators inside are
		 * the same
		 */
		if (!p->delegate_calls)
			p->delegate_calls = p->delegated;
		if (!p->operator_calls)
			p->operator_calls = p->portable;
		check_flat(e, p);
		return;
	}
	for (size_t i = 0; i < e->signature_count; i++)
		add_parts(p, &e->signatures[i].parts);
}
