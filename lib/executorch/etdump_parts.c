/* etdump_parts - where the time of all runs went */
#include <string.h>

#include "etdump_private.h"

enum tp_home
tp_etdump_home(const struct tp_etdump *e, const struct tp_etdump_node *n)
{
	return n->home != TP_HOME_UNKNOWN ? (enum tp_home)n->home :
	    e->has_delegates ? TP_HOME_DELEGATE : TP_HOME_PORTABLE;
}

/* Operators of a table without an order, by home; UNKNOWN is resolved. */
struct homes {
	tp_int128 category[TP_HOMES][TP_CATEGORIES_MAX], sum[TP_HOMES];
};

static void
add_run(const struct tp_etdump *e, struct tp_parts *p, struct homes *homes,
    const struct tp_etdump_run *r)
{
	enum tp_home unknown = e->has_delegates ? TP_HOME_DELEGATE :
	    TP_HOME_PORTABLE, to;

	p->e2e += r->e2e;
	for (enum tp_home home = 0; home < TP_HOMES; home++) {
		to = home == TP_HOME_UNKNOWN ? unknown : home;
		for (size_t k = 0; k < TP_CATEGORIES_MAX; k++) {
			homes->category[to][k] += r->flat[home][k];
			homes->sum[to] += r->flat[home][k];
		}
	}
	p->delegate_calls += r->flat_delegate;
	p->operator_calls += r->flat_operator;
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

/* Whether HELD ns fit into NS; if not, the first such is remembered. */
static int
fits(struct tp_etdump *e, tp_int128 held, tp_int128 ns)
{
	if (held * 100 <= ns * TP_ETDUMP_LIMIT_PERCENT)
		return 1;
	if (!e->mismatches++) {
		e->mismatch_run = e->runs[0].index;
		e->mismatch_ns = tp_narrow(ns);
		e->mismatch_held_ns = tp_narrow(held);
	}
	return 0;
}

/*
 * The operators of HOME must fit into the CALLS of their kind; without such
 * rows in the table, calls and operators are the same.  Returns their time.
 */
static tp_int128
in_calls(struct tp_etdump *e, const struct homes *homes, enum tp_home home,
    tp_int128 *calls, tp_int128 *unknown)
{
	if (!*calls)
		*calls = homes->sum[home];
	if (fits(e, homes->sum[home], *calls))
		return homes->sum[home];
	e->lost |= 1U << home;
	*unknown = *calls;
	return 0;
}

/* As no frame can be matched with its children, sums are checked. */
static void
total_flat(struct tp_etdump *e, struct tp_parts *p)
{
	struct homes homes = { 0 };
	tp_int128 e2e;

	e->mismatches = 0;
	e->lost = 0;
	for (size_t i = 0; i < e->run_count; i++)
		if (e->runs[i].executions)
			add_run(e, p, &homes, &e->runs[i]);
	p->delegated = in_calls(e, &homes, TP_HOME_DELEGATE,
	    &p->delegate_calls, &p->unknown[TP_FRAME_DELEGATE]);
	p->portable = in_calls(e, &homes, TP_HOME_PORTABLE,
	    &p->operator_calls, &p->unknown[TP_FRAME_OPERATOR]);
	e2e = p->e2e;
	if (!fits(e, p->delegate_calls + p->operator_calls + p->direct,
	    e2e)) {
		e->lost = (1U << TP_HOMES) - 1;
		memset(p, 0, sizeof *p);
		p->e2e = p->unknown[TP_FRAME_EXECUTE] = e2e;
	}
	if (e->lost & 1U << (e->has_delegates ? TP_HOME_DELEGATE :
	    TP_HOME_PORTABLE))
		e->lost |= 1U << TP_HOME_UNKNOWN;
	for (enum tp_home home = 0; home < TP_HOMES; home++)
		for (size_t k = 0; k < TP_CATEGORIES_MAX &&
		    !(e->lost & 1U << home); k++)
			p->category[k] += homes.category[home][k];
}

void
tp_etdump_total(struct tp_etdump *e, struct tp_parts *p)
{
	memset(p, 0, sizeof *p);
	if (e->unordered)
		total_flat(e, p);
	else
		for (size_t i = 0; i < e->signature_count; i++)
			add_parts(p, &e->signatures[i].parts);
}
