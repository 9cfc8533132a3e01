/* etdump - events of an exported ETDump, run by run */
#include <inttypes.h>
#include <string.h>

#include <tp/executorch/etdump.h>
#include <tp/unit.h>

#include "etdump_private.h"
#include "stat.h"
#include "word.h"

#define NS_PER_US 1000

struct tp_etdump_run *
tp_etdump_run_of(struct tp_etdump *e, int64_t index)
{
	struct tp_etdump_run *r;
	ptrdiff_t at;

	/*
	 * rows usually follow run by run, or node by node over all runs: try
	 * the last run and the one after it before the search
	 */
	for (size_t i = e->last_run; i < e->last_run + 2 &&
	    i < e->run_count; i++)
		if (e->runs[i].index == index)
			return &e->runs[e->last_run = i];
	at = tp_ids_add(&e->run_ids, (uint64_t)index, 0);
	if ((size_t)at == e->run_count) {
		r = TP_PUSH(e->runs, e->run_count, e->run_cap);
		r->index = index;
		r->last_node = INT64_MIN;
	}
	e->last_run = (size_t)at;
	return &e->runs[at];
}

static int64_t
time_of(const struct tp_value *v)
{
	int64_t ns;

	return v && v->type != TP_NONE && !tp_unit_decimal(v->text, v->len,
	    NS_PER_US, &ns) && ns >= 0 ? ns : -1;
}

static void
new_signature(struct tp_etdump *e, size_t node)
{
	struct tp_etdump_signature *s;

	e->nodes[node].signature = (uint32_t)e->signature_count;
	s = TP_PUSH(e->signatures, e->signature_count, e->signature_cap);
	s->node = node;
	for (size_t i = 0; i < TP_ETDUMP_QUANTILES; i++)
		s->quantile_ns[i] = -1;
}

/*
 * Copy the run, place and clock times of V into N: V is of the earliest run
 * seen so far.
 */
static void
first_of(struct tp_etdump_node *n, const struct tp_etdump_event *v)
{
	n->run = v->run;
	n->place = v->place;
	n->start_ns = time_of(v->start);
	n->end_ns = time_of(v->end);
}

static void
new_node(struct tp_etdump *e, const struct tp_etdump_event *v, size_t name)
{
	struct tp_etdump_node *n;
	ptrdiff_t backend = tp_names_add(&e->backends, v->backend,
	    v->backend_len), base;
	const char *rule;

	n = TP_PUSH(e->nodes, e->node_count, e->node_cap);
	n->id = v->node;
	n->name = (uint32_t)name;
	n->backend = (uint32_t)backend;
	n->kind = v->is_outside ? TP_FRAME_LOAD : v->is_inner ?
	    TP_FRAME_INNER : (uint8_t)tp_op_frame(e->class, v->name,
	    v->name_len);
	if (n->kind == TP_NO_FRAME || n->kind == TP_FRAME_CONTROL)
		n->category = (uint8_t)tp_op_category(e->class, v->name,
		    v->name_len, &rule);
	if (e->samples) {
		base = tp_names_add(&e->bases, v->name,
		    tp_op_base(v->name, v->name_len));
		n->base = (uint32_t)base;
	}
	n->home = n->kind == TP_FRAME_CONTROL ? TP_HOME_METHOD :
	    v->home ? v->home - 1 : tp_op_is_portable(e->class, v->backend,
	    v->backend_len) ? TP_HOME_PORTABLE : TP_HOME_DELEGATE;
	n->is_sure = n->home == TP_HOME_DELEGATE ||
	    tp_op_is_native(v->name, v->name_len);
	e->has_delegates |= n->kind == TP_FRAME_DELEGATE;
	e->has_operators |= n->kind == TP_FRAME_OPERATOR;
	n->scale = tp_op_scale(e->class, v->name, v->name_len);
	first_of(n, v);
	if (n->kind == TP_FRAME_EXECUTE)
		new_signature(e, e->node_count - 1);
}

static int
is_node(const struct tp_etdump *e, size_t at, const struct tp_etdump_event *v)
{
	const struct tp_name *name;

	if (at >= e->node_count || e->nodes[at].id != v->node)
		return 0;
	name = &e->names.names[e->nodes[at].name];
	return name->len == v->name_len &&
	    tp_same_bytes(name->text, v->name, v->name_len);
}

static struct tp_etdump_node *
node_of(struct tp_etdump *e, const struct tp_etdump_event *v)
{
	ptrdiff_t name, at;

	for (size_t i = e->last_node; i < e->last_node + 2; i++)
		if (is_node(e, i, v))
			return &e->nodes[e->last_node = i];
	name = tp_names_add(&e->names, v->name, v->name_len);
	at = tp_ids_add(&e->node_ids, (uint64_t)v->node, (uint64_t)name);
	if ((size_t)at == e->node_count)
		new_node(e, v, (size_t)name);
	e->last_node = (size_t)at;
	return &e->nodes[at];
}

/*
 * Whether a frame of NS can contain events of HELD ns in sum, within
 * TP_ETDUMP_LIMIT_PERCENT.  If not, N is marked and the earliest such run is
 * remembered.
 */
static int
holds(struct tp_etdump *e, struct tp_etdump_node *n, int64_t run, int64_t ns,
    int64_t held)
{
	if ((tp_int128)held * 100 <= (tp_int128)ns * TP_ETDUMP_LIMIT_PERCENT)
		return 1;
	n->mismatch = 1;
	if (!e->mismatches++ || run < e->mismatch_run) {
		e->mismatch_run = run;
		e->mismatch_ns = ns;
		e->mismatch_held_ns = held;
	}
	return 0;
}

static void
move(int64_t *to, int64_t *from, int keep)
{
	for (size_t i = 0; i < TP_CATEGORIES_MAX; i++) {
		to[i] += keep ? from[i] : 0;
		from[i] = 0;
	}
}

/* End a call of NS: the operators that wait for their frame ran inside it. */
static void
end_call(struct tp_etdump *e, struct tp_etdump_run *r,
    struct tp_etdump_node *n, int64_t ns)
{
	int is_delegate = n->kind == TP_FRAME_DELEGATE;
	int keep = holds(e, n, r->index, ns, r->waiting);

	e->misplaced += (r->homes & 1U << (is_delegate ? TP_HOME_PORTABLE :
	    TP_HOME_DELEGATE)) != 0;
	r->homes = 0;
	move(r->open, r->frame, keep);
	*(is_delegate ? &r->delegate : &r->operator) += ns;
	*(is_delegate ? &r->flat_delegate : &r->flat_operator) += ns;
	if (keep)
		*(is_delegate ? &r->delegated : &r->portable) += r->waiting;
	else
		r->unknown[n->kind] += ns;
	r->waiting = 0;
}

static void
add_parts(struct tp_parts *p, const struct tp_etdump_run *r, int64_t ns,
    const int64_t *categories)
{
	p->e2e += ns;
	for (size_t i = 0; i < TP_CATEGORIES_MAX; i++)
		p->category[i] += categories[i];
	p->delegate_calls += r->delegate;
	p->operator_calls += r->operator;
	p->delegated += r->delegated;
	p->portable += r->portable;
	for (size_t i = 0; i < TP_FRAME_LOAD; i++)
		p->unknown[i] += r->unknown[i];
	p->direct += r->waiting + r->control;
}

/* End a Method::execute of NS. */
static void
end_execution(struct tp_etdump *e, struct tp_etdump_run *r,
    struct tp_etdump_node *n, int64_t ns)
{
	struct tp_etdump_signature *s = &e->signatures[n->signature];
	struct tp_etdump_execution *x;
	size_t at = e->execution_count;
	int keep = holds(e, n, r->index, ns, r->delegate + r->operator +
	    r->control + r->waiting);

	e->direct_homes |= r->homes;
	r->homes = 0;
	move(r->open, r->frame, 1);
	if (!keep) {
		/* the children do not fit: none of their times is credible */
		r->delegate = r->operator = r->control = r->waiting = 0;
		r->delegated = r->portable = 0;
		memset(r->unknown, 0, sizeof r->unknown);
		r->unknown[TP_FRAME_EXECUTE] = ns;
		memset(r->open, 0, sizeof r->open);
	}
	add_parts(&s->parts, r, ns, r->open);
	move(r->closed, r->open, 1);
	r->delegate = r->operator = r->control = r->waiting = 0;
	r->delegated = r->portable = 0;
	memset(r->unknown, 0, sizeof r->unknown);
	r->e2e += ns;
	r->executions++;
	r->work += tp_hash_bytes(&n->signature, sizeof n->signature);
	r->pending = 0;
	x = TP_PUSH(e->executions, e->execution_count, e->execution_cap);
	*x = (struct tp_etdump_execution){ r->index, ns, n->signature,
	    (uint32_t)at };
}

static void
add_operator(struct tp_etdump_run *r, const struct tp_etdump_node *n,
    int64_t ns)
{
	r->frame[n->category] += ns;
	r->flat[n->home][n->category] += ns;
	r->waiting += ns;
	r->homes |= n->is_sure ? 1U << n->home : 0;
}

static void
add_sample(struct tp_etdump *e, struct tp_etdump_run *r,
    const struct tp_etdump_node *n, int64_t ns)
{
	tp_grow(&r->op_ns, &r->op_cap, (size_t)n->base + 1, sizeof *r->op_ns);
	for (; r->op_count < e->bases.count && r->op_count < r->op_cap;)
		r->op_ns[r->op_count++] = 0;
	r->op_ns[n->base] += ns;
}

static void
add_control(struct tp_etdump_run *r, const struct tp_etdump_node *n,
    int64_t ns)
{
	r->open[n->category] += ns;
	r->flat[n->home][n->category] += ns;
	r->control += ns;
	r->flat_control += ns;
}

/*
 * Convert *NS from ticks of the clock rate that the user gave to ns.  Returns
 * 0, or -1 if the result overflows.
 */
static int
in_ns(const struct tp_etdump *e, int64_t *ns)
{
	tp_int128 n;

	if (!e->tick_den)
		return 0;
	n = (tp_int128)*ns * e->tick_num;
	if (n / e->tick_den > INT64_MAX)
		return -1;
	*ns = tp_div_even(n, e->tick_den);
	return 0;
}

int
tp_etdump_add_event(struct tp_etdump *e, const struct tp_etdump_event *v,
    struct tp_err *err)
{
	struct tp_etdump_run *r = tp_etdump_run_of(e, v->run);
	struct tp_etdump_node *n = node_of(e, v);
	int64_t total, ns;

	if (__builtin_mul_overflow(v->ns, n->scale, &ns) ||
	    in_ns(e, &ns) < 0 ||
	    __builtin_add_overflow(r->total, ns, &total)) {
		tp_fail(err, TP_BAD, "row.damaged", v->line, "the durations "
		    "of run %" PRId64 " add up to more than 292 years",
		    v->run);
		err->what = "sum";
		return -1;
	}
	r->total = total;
	if (v->run < n->run)
		first_of(n, v);
	e->rows++;
	n->count += (uint64_t)v->times;
	n->sum += ns;
	if (n->kind == TP_FRAME_LOAD)
		return 0;
	e->unordered |= !v->is_sorted && v->node < r->last_node;
	r->last_node = v->node;
	r->pending = 1;
	if (n->kind == TP_FRAME_INNER) {
		e->inner++;
		return 0;
	}
	if (n->kind == TP_FRAME_EXECUTE) {
		end_execution(e, r, n, ns);
		return 0;
	}
	if (e->samples && (n->kind == TP_NO_FRAME || n->kind ==
	    TP_FRAME_CONTROL))
		add_sample(e, r, n, ns);
	if (n->kind == TP_NO_FRAME)
		add_operator(r, n, ns);
	else if (n->kind == TP_FRAME_CONTROL)
		add_control(r, n, ns);
	else
		end_call(e, r, n, ns);
	return 0;
}

void
tp_etdump_set_quantiles(struct tp_etdump *e,
    const int64_t ns[TP_ETDUMP_QUANTILES])
{
	struct tp_etdump_signature *s = &e->signatures[e->executions[
	    e->execution_count - 1].signature];
	int64_t least = 0;

	memcpy(s->quantile_ns, ns, sizeof s->quantile_ns);
	for (size_t i = 0; i < TP_ETDUMP_QUANTILES; i++) {
		if (ns[i] < 0)
			continue;
		/* out of order they are no quantiles */
		if (ns[i] < least || in_ns(e, &s->quantile_ns[i]) < 0) {
			memset(s->quantile_ns, -1, sizeof s->quantile_ns);
			return;
		}
		least = ns[i];
	}
}

size_t
tp_etdump_summed(const struct tp_etdump *e)
{
	return e->summed > 1 ? (size_t)e->summed : 1;
}

int64_t
tp_etdump_per_run(const struct tp_etdump *e, int64_t ns)
{
	return tp_div_even(ns, (tp_int128)tp_etdump_summed(e));
}

/*
 * In a table of sums Method::execute says of how many runs: of one they are
 * the times of that run, of several each is divided.
 */
static void
count_summed(struct tp_etdump *e)
{
	if (!e->sums || e->uncounted || e->signature_count != 1)
		return;
	e->summed = (int64_t)e->nodes[e->signatures[0].node].count;
	e->averages = e->summed > 1;
}

/* Durations in ms from which on whole numbers alone are taken for ns. */
#define LIKELY_NS ((int64_t)100 * 1000 * 1000000)

/*
 * Whether the rows of an Inspector's table cannot be in the order they were
 * logged: tables are sorted by hand, by time or by name, and have no number
 * that says so.  An operator is then in a call of the other kind, or in none
 * though there are such calls, or comes after all Method::execute.
 */
static int
is_disordered(const struct tp_etdump *e)
{
	if (e->misplaced || (e->has_delegates &&
	    e->direct_homes & 1U << TP_HOME_DELEGATE) || (e->has_operators &&
	    e->direct_homes & 1U << TP_HOME_PORTABLE))
		return 1;
	for (size_t i = 0; i < e->run_count; i++)
		if (e->runs[i].executions && e->runs[i].pending)
			return 1;
	return 0;
}

int
tp_etdump_end(struct tp_etdump *e, struct tp_err *err)
{
	if (tp_etdump_nest(e, err) < 0)
		return -1;
	e->unordered |= e->is_inspector && is_disordered(e);
	count_summed(e);
	if (e->longest_ns >= LIKELY_NS && !e->has_fraction && !e->is_cycles &&
	    !e->tick_den)
		return tp_fail(err, TP_BAD, "unit.unknown", 0, "every duration "
		    "is a whole number of ms, up to %" PRId64 ": these look "
		    "like nanoseconds in a column called ms; if so, call it "
		    "duration_ns, or avg (ns)", e->longest_ns / 1000000);
	return e->rows && e->no_duration == e->rows ? tp_fail(err, TP_BAD,
	    "timeline.noduration", 0, "no row has a duration: export "
	    "duration_ms, or raw, avg or p50 of an Inspector's table") : 0;
}

size_t
tp_etdump_whole_runs(const struct tp_etdump *e)
{
	size_t n = 0;

	for (size_t i = 0; i < e->run_count; i++)
		n += e->runs[i].executions > 0;
	return n;
}

void
tp_etdump_release(struct tp_etdump *e)
{
	for (size_t i = 0; i < e->signature_count; i++)
		tp_latency_release(&e->signatures[i].latency);
	for (size_t i = 0; i < e->run_count; i++)
		tp_free(e->runs[i].op_ns);
	tp_free(e->kept);
	tp_free(e->signatures);
	tp_free(e->executions);
	tp_free(e->nodes);
	tp_free(e->runs);
	tp_ids_release(&e->node_ids);
	tp_ids_release(&e->run_ids);
	tp_names_release(&e->names);
	tp_names_release(&e->backends);
	tp_names_release(&e->bases);
	memset(e, 0, sizeof *e);
}
