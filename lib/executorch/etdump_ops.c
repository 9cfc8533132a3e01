/* etdump_ops - the time of each operator, and where it ran */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "etdump_private.h"

static const char *const places[] = { "delegate", "portable", "method" };

static void
add_node(struct tp_etdump_ops *o, const struct tp_etdump_node *n, int place,
    int mismatch)
{
	const struct tp_name *name = &o->etdump->names.names[n->name];
	size_t len = tp_op_base(name->text, name->len);
	ptrdiff_t base = tp_names_add(&o->bases, name->text, len), at;
	struct tp_etdump_op *op;

	at = tp_ids_add(&o->ids, (uint64_t)base,
	    (uint64_t)n->backend * 4 + (uint64_t)place);
	TP_ITEM(o->list, o->cap, at);
	op = &o->list[at];
	if ((size_t)at == o->count) {
		op->name = name->text;
		op->len = len;
		op->backend = n->backend;
		op->place = (uint8_t)place;
		op->category = n->category;
		o->count++;
	}
	op->mismatch |= (uint8_t)mismatch;
	op->nodes += o->etdump->sums ? n->count /
	    tp_etdump_summed(o->etdump) : 1;
	op->calls += n->count;
	op->sum += n->sum;
	if (!op->longest || n->sum > op->longest->sum)
		op->longest = n;
}

static int
place_of(const struct tp_etdump_ops *o, const struct tp_etdump_node *n)
{
	if (o->etdump->kept_count)
		return n->place;
	return tp_etdump_home(o->etdump, n) == TP_HOME_PORTABLE ?
	    TP_PLACE_PORTABLE : TP_PLACE_DELEGATE;
}

/*
 * Whether N, of a delegate, ran entirely outside its CALL in the same run: its
 * timestamps are from another clock.
 */
static int
is_foreign(const struct tp_etdump_node *n, const struct tp_etdump_node *call)
{
	return n->run == call->run && n->start_ns >= 0 && n->end_ns >= 0 &&
	    call->start_ns >= 0 && call->end_ns >= 0 &&
	    (n->end_ns < call->start_ns || n->start_ns > call->end_ns);
}

/* Add the first COUNT of NODES as operators that ran inside CALL. */
static void
add_held(struct tp_etdump_ops *o, struct tp_etdump_node *const *nodes,
    size_t count, const struct tp_etdump_node *call)
{
	int place = call->kind == TP_FRAME_DELEGATE ? TP_PLACE_DELEGATE :
	    call->kind == TP_FRAME_OPERATOR ? TP_PLACE_PORTABLE :
	    TP_PLACE_METHOD;

	for (size_t i = 0; i < count; i++) {
		o->foreign += place == TP_PLACE_DELEGATE &&
		    is_foreign(nodes[i], call);
		add_node(o, nodes[i], place, call->mismatch);
	}
}

TP_ORDER_POINTERS(by_id, struct tp_etdump_node, TP_UP(id) TP_BY(TP_CMP(a, b)))

/*
 * Add the operators of a table without an order: each is placed by its own name
 * and backend.
 */
static void
collect_flat(struct tp_etdump_ops *o)
{
	const struct tp_etdump *d = o->etdump;

	for (size_t i = 0; i < d->node_count; i++) {
		const struct tp_etdump_node *n = &d->nodes[i];
		int place = n->kind == TP_NO_FRAME ? place_of(o, n) :
		    TP_PLACE_METHOD;

		if (n->kind == TP_NO_FRAME || n->kind == TP_FRAME_CONTROL)
			add_node(o, n, place, d->unordered ?
			    (d->lost >> n->home & 1) : d->mismatches > 0);
	}
}

/*
 * Mark all nodes of a method whose time does not fit its children: they are not
 * credible either.
 */
static void
spread_mismatch(struct tp_etdump_node *const *nodes, size_t count)
{
	uint8_t mismatch = 0;

	for (size_t i = count; i-- > 0;) {
		if (nodes[i]->kind == TP_FRAME_EXECUTE)
			mismatch = nodes[i]->mismatch;
		nodes[i]->mismatch |= mismatch;
	}
}

/*
 * Add all operators.  A frame contains the nodes since the frame before it;
 * control flow is an operator itself.
 */
static void
collect(struct tp_etdump_ops *o)
{
	struct tp_etdump *d = o->etdump;
	struct tp_etdump_node **nodes = tp_alloc((d->node_count + 1) *
	    sizeof *nodes);
	size_t n = 0;

	for (size_t i = 0; i < d->node_count; i++)
		nodes[i] = &d->nodes[i];
	TP_SORT(nodes, d->node_count, by_id);
	spread_mismatch(nodes, d->node_count);
	/* nodes that wait for their frame move to the front of the list */
	for (size_t i = 0; i < d->node_count; i++) {
		if (nodes[i]->kind == TP_NO_FRAME) {
			nodes[n++] = nodes[i];
		} else if (nodes[i]->kind == TP_FRAME_CONTROL) {
			add_node(o, nodes[i], TP_PLACE_METHOD,
			    nodes[i]->mismatch);
		} else if (nodes[i]->kind < TP_FRAME_LOAD) {
			add_held(o, nodes, n, nodes[i]);
			n = 0;
		}
	}
	/* without any run, those in no call are all there is */
	for (size_t i = 0; i < n && !d->signature_count; i++)
		add_node(o, nodes[i], place_of(o, nodes[i]),
		    nodes[i]->mismatch);
	tp_free(nodes);
}

static int
by_sum(const void *left, const void *right)
{
	const struct tp_etdump_op *a = left, *b = right;
	size_t n = a->len < b->len ? a->len : b->len;
	int order = a->mismatch - b->mismatch;

	/* operators with times that are not credible come last */
	if (!order && a->sum != b->sum)
		order = a->sum > b->sum ? -1 : 1;
	if (!order)
		order = memcmp(a->name, b->name, n);
	if (!order)
		order = (a->len > b->len) - (a->len < b->len);
	if (!order)
		order = a->place - b->place;
	return order ? order : (a->backend > b->backend) -
	    (a->backend < b->backend);
}

/* Write the longest-running node of OP, where nodes are known. */
static void
put_longest(const struct tp_etdump_ops *o, const struct tp_etdump_op *op,
    size_t runs, tp_int128 e2e, struct tp_out *out)
{
	const struct tp_etdump_node *n = op->longest;
	const struct tp_name *name = &o->etdump->names.names[n->name];

	if (o->etdump->sums)
		return;
	tp_out_bytes(out, "longest_node", name->text, name->len);
	tp_out_int(out, "longest_node_ns", tp_div_even(n->sum,
	    (tp_int128)runs));
	if (!op->mismatch && e2e > 0)
		tp_out_real(out, "longest_node_e2e_ratio", (double)n->sum /
		    (double)e2e);
}

static void
emit_op(const struct tp_etdump_ops *o, const struct tp_etdump_op *op,
    size_t rank, size_t runs, tp_int128 e2e, struct tp_out *out)
{
	const struct tp_opclass *class = o->etdump->class;
	const struct tp_name *b = &o->etdump->backends.names[op->backend];
	struct tp_buf key = { 0 };
	const char *rule;
	int packed = tp_op_unpacked(class, op->name, op->len, &key);

	tp_op_category(class, op->name, op->len, &rule);
	tp_out_begin(out, "op.latency");
	tp_out_int(out, "rank", (int64_t)rank);
	tp_out_bytes(out, "op", op->name, op->len);
	tp_out_bytes(out, "op_joined", key.p ? key.p : "", key.len);
	tp_out_bool(out, "packed", packed);
	tp_out_text(out, "category", class->categories[op->category]);
	tp_out_text(out, "rule", rule);
	tp_out_text(out, "place", places[op->place]);
	if (b->len)
		tp_out_bytes(out, "backend", b->text, b->len);
	tp_out_int(out, "node_count", (int64_t)op->nodes);
	tp_out_int(out, "call_count", (int64_t)op->calls);
	tp_out_int(out, "sum_ns", tp_narrow(op->sum));
	tp_out_int(out, "mean_ns", tp_div_even(op->sum, (tp_int128)runs));
	if (op->mismatch)
		tp_out_bool(out, "mismatch", 1);
	else if (e2e > 0)
		tp_out_real(out, "e2e_ratio", (double)op->sum / (double)e2e);
	put_longest(o, op, runs, e2e, out);
	tp_out_end(out);
	tp_buf_release(&key);
}

/* Write the number of operators of each place, and the time of packed ones. */
static void
emit_counts(const struct tp_etdump_ops *o, size_t runs, tp_int128 e2e,
    struct tp_out *out)
{
	const struct tp_opclass *class = o->etdump->class;
	uint64_t nodes = 0, delegated = 0;
	tp_int128 packed = 0;
	double low, gain = 0;
	struct tp_buf key = { 0 };

	for (size_t i = 0; i < o->count; i++) {
		const struct tp_etdump_op *op = &o->list[i];

		nodes += op->nodes;
		if (op->place == TP_PLACE_DELEGATE)
			delegated += op->nodes;
		key.len = 0;
		if (tp_op_unpacked(class, op->name, op->len, &key) &&
		    !op->mismatch)
			packed += op->sum;
		low = tp_op_expected(class, class->categories[op->category]);
		if (op->place == TP_PLACE_DELEGATE && !op->mismatch)
			gain += (double)op->sum * (1 - 1 / low);
	}
	tp_buf_release(&key);
	tp_out_begin(out, "delegation.nodes");
	tp_out_int(out, "op_count", (int64_t)o->count);
	tp_out_int(out, "node_count", (int64_t)nodes);
	tp_out_ratio(out, "node_delegated_ratio", (int64_t)delegated,
	    (int64_t)nodes);
	tp_out_int(out, "packed_sum_ns", tp_narrow(packed));
	tp_out_int(out, "packed_ns", tp_div_even(packed, (tp_int128)runs));
	if (e2e > 0)
		tp_out_real(out, "packed_e2e_ratio", (double)packed /
		    (double)e2e);
	/* a run with packing needs no estimate: a comparison measures it */
	if (!packed && gain > 0)
		tp_out_int(out, "expected_gain_ns", (int64_t)(gain /
		    (double)runs));
	tp_out_end(out);
}

void
tp_etdump_ops_collect(struct tp_etdump_ops *o, struct tp_etdump *d)
{
	o->etdump = d;
	if (d->unordered || d->kept_count)
		collect_flat(o);
	else
		collect(o);
	TP_SORT(o->list, o->count, by_sum);
}

void
tp_etdump_ops_of(const struct tp_etdump_ops *o, size_t category,
    tp_int128 *all, tp_int128 *portable)
{
	*all = *portable = 0;
	for (size_t i = 0; i < o->count; i++) {
		const struct tp_etdump_op *op = &o->list[i];

		if (op->category != category || op->mismatch)
			continue;
		*all += op->sum;
		if (op->place == TP_PLACE_PORTABLE)
			*portable += op->sum;
	}
}

void
tp_etdump_ops_emit(const struct tp_etdump_ops *o, size_t runs, tp_int128 e2e,
    struct tp_out *out)
{
	emit_counts(o, runs, e2e, out);
	for (size_t i = 0; i < o->count; i++)
		emit_op(o, &o->list[i], i + 1, runs, e2e, out);
}

void
tp_etdump_ops_release(struct tp_etdump_ops *o)
{
	tp_free(o->list);
	tp_names_release(&o->bases);
	tp_ids_release(&o->ids);
}
