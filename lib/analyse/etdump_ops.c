/* etdump_ops - what each operator took, and where it ran */
#include <stdlib.h>
#include <string.h>

#include <tp/alloc.h>

#include "etdump_private.h"

enum { DELEGATED, PORTABLE, DIRECT };
static const char *const places[] = { "delegate", "portable", "method" };

/* Nodes of one name, backend and place. */
struct op {
	const char *name;	/* without " #3" */
	size_t len;
	uint32_t backend;
	uint8_t place, category, mismatch;
	uint64_t nodes, calls;
	tp_int128 sum;
};

struct ops {
	struct tp_etdump *etdump;
	struct op *list;
	size_t count, cap;
	struct tp_names bases;
	struct tp_ids ids;
	uint64_t foreign;	/* nodes whose times lie outside their call */
};

static int
add_node(struct ops *o, const struct tp_etdump_node *n, int place,
    int mismatch)
{
	const struct tp_name *name = &o->etdump->names.names[n->name];
	size_t len = tp_op_base(name->text, name->len);
	ptrdiff_t base = tp_names_add(&o->bases, name->text, len), at;
	struct op *op;

	if (base < 0)
		return -1;
	at = tp_ids_add(&o->ids, (uint64_t)base,
	    (uint64_t)n->backend * 4 + (uint64_t)place);
	if (at < 0 || tp_grow(&o->list, &o->cap, o->ids.count,
	    sizeof *op) < 0)
		return -1;
	op = &o->list[at];
	if ((size_t)at == o->count) {
		memset(op, 0, sizeof *op);
		op->name = name->text;
		op->len = len;
		op->backend = n->backend;
		op->place = (uint8_t)place;
		op->category = n->category;
		o->count++;
	}
	op->mismatch |= (uint8_t)mismatch;
	op->nodes++;
	op->calls += n->count;
	op->sum += n->sum;
	return 0;
}

static int
place_by_backend(const struct ops *o, const struct tp_etdump_node *n)
{
	const struct tp_name *b = &o->etdump->backends.names[n->backend];

	return tp_op_is_portable(o->etdump->class, b->text, b->len) ?
	    PORTABLE : DELEGATED;
}

/* Whether N, of a delegate, did not run while its CALL did: its clock is
 * another. */
static int
is_foreign(const struct tp_etdump_node *n, const struct tp_etdump_node *call)
{
	return n->run == call->run && n->start_ns >= 0 && n->end_ns >= 0 &&
	    call->start_ns >= 0 && call->end_ns >= 0 &&
	    (n->end_ns < call->start_ns || n->start_ns > call->end_ns);
}

/* The nodes NODES[from..to) are what CALL held. */
static int
add_held(struct ops *o, struct tp_etdump_node *const *nodes, size_t from,
    size_t to, const struct tp_etdump_node *call)
{
	int place = call->kind == TP_FRAME_DELEGATE ? DELEGATED :
	    call->kind == TP_FRAME_OPERATOR ? PORTABLE : DIRECT;

	for (size_t i = from; i < to; i++) {
		if (nodes[i]->kind != TP_NO_FRAME)
			continue;
		o->foreign += place == DELEGATED &&
		    is_foreign(nodes[i], call);
		if (add_node(o, nodes[i], place, call->mismatch) < 0)
			return -1;
	}
	return 0;
}

static int
by_id(const void *left, const void *right)
{
	const struct tp_etdump_node *a = *(struct tp_etdump_node *const *)
	    left, *b = *(struct tp_etdump_node *const *)right;

	return a->id != b->id ? (a->id > b->id) - (a->id < b->id) :
	    (a > b) - (a < b);
}

/* Nodes in order: a frame holds what came since the one before. */
static int
collect(struct ops *o, struct tp_etdump_node **nodes)
{
	struct tp_etdump *d = o->etdump;
	size_t from = 0;

	for (size_t i = 0; i < d->node_count; i++)
		nodes[i] = &d->nodes[i];
	if (d->node_count)
		qsort(nodes, d->node_count, sizeof *nodes, by_id);
	for (size_t i = 0; i < d->node_count; i++) {
		if (d->unordered && nodes[i]->kind == TP_NO_FRAME &&
		    add_node(o, nodes[i], place_by_backend(o, nodes[i]),
		    d->mismatches > 0) < 0)
			return -1;
		if (d->unordered || nodes[i]->kind == TP_NO_FRAME)
			continue;
		if (add_held(o, nodes, from, i, nodes[i]) < 0)
			return -1;
		from = i + 1;
	}
	return 0;
}

static int
by_sum(const void *left, const void *right)
{
	const struct op *a = left, *b = right;
	size_t n = a->len < b->len ? a->len : b->len;
	int order = a->mismatch - b->mismatch;

	/* what cannot be compared comes last */
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

static int
emit_op(const struct ops *o, const struct op *op, size_t rank, size_t runs,
    tp_int128 e2e, struct tp_out *out)
{
	const struct tp_opclass *class = o->etdump->class;
	const struct tp_name *b = &o->etdump->backends.names[op->backend];
	struct tp_buf key = { 0 };
	const char *rule;
	int packed = tp_op_unpacked(class, op->name, op->len, &key);

	if (key.failed)
		return -1;
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
	tp_out_end(out);
	tp_buf_release(&key);
	return 0;
}

/* How many operators of each place there are, and what packed ones took. */
static void
emit_counts(const struct ops *o, size_t runs, tp_int128 e2e,
    struct tp_out *out)
{
	const struct tp_opclass *class = o->etdump->class;
	uint64_t nodes[DIRECT + 1] = { 0 };
	tp_int128 packed = 0;
	struct tp_buf key = { 0 };

	for (size_t i = 0; i < o->count; i++) {
		const struct op *op = &o->list[i];

		nodes[op->place] += op->nodes;
		key.len = 0;
		if (tp_op_unpacked(class, op->name, op->len, &key) &&
		    !op->mismatch)
			packed += op->sum;
	}
	tp_buf_release(&key);
	tp_out_begin(out, "delegation.nodes");
	tp_out_int(out, "op_count", (int64_t)o->count);
	tp_out_int(out, "node_count", (int64_t)(nodes[DELEGATED] +
	    nodes[PORTABLE] + nodes[DIRECT]));
	tp_out_ratio(out, "node_delegated_ratio",
	    (int64_t)nodes[DELEGATED], (int64_t)(nodes[DELEGATED] +
	    nodes[PORTABLE] + nodes[DIRECT]));
	tp_out_int(out, "packed_sum_ns", tp_narrow(packed));
	tp_out_int(out, "packed_ns", tp_div_even(packed, (tp_int128)runs));
	if (e2e > 0)
		tp_out_real(out, "packed_e2e_ratio", (double)packed /
		    (double)e2e);
	tp_out_end(out);
}

static int
emit_all(struct ops *o, size_t runs, tp_int128 e2e, struct tp_trace *trace,
    struct tp_out *out)
{
	struct tp_etdump *d = o->etdump;
	struct tp_etdump_node **nodes;
	int rc;

	nodes = tp_alloc((d->node_count + 1) * sizeof *nodes);
	rc = nodes ? collect(o, nodes) : -1;
	tp_free(nodes);
	if (rc < 0)
		return -1;
	if (o->count)
		qsort(o->list, o->count, sizeof *o->list, by_sum);
	emit_counts(o, runs, e2e, out);
	for (size_t i = 0; i < o->count; i++)
		if (emit_op(o, &o->list[i], i + 1, runs, e2e, out) < 0)
			return -1;
	if (o->foreign)
		tp_trace_note(trace, "clock.other", 0, o->foreign,
		    "operators of a delegate whose times lie outside its "
		    "call: another clock. Durations can be compared, times "
		    "cannot");
	return 0;
}

int
tp_etdump_emit_ops(struct tp_etdump *d, size_t runs, tp_int128 e2e,
    struct tp_trace *trace, struct tp_out *out, struct tp_err *err)
{
	struct ops o = { .etdump = d };
	int rc = emit_all(&o, runs, e2e, trace, out);

	tp_free(o.list);
	tp_names_release(&o.bases);
	tp_ids_release(&o.ids);
	return rc < 0 ? tp_fail_memory(err) : 0;
}
