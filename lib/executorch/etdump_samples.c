/* etdump_samples - time of each category and operator, run by run */
#include <tp/alloc.h>

#include "etdump_private.h"

int64_t
tp_etdump_taken(const struct tp_etdump *d, const struct tp_etdump_run *r,
    size_t at)
{
	int64_t ns = 0;

	if (!d->unordered)
		return r->closed[at];	/* no table of sums */
	for (int home = 0; home < TP_HOMES; home++)
		if (!(d->lost & 1U << home))
			ns += r->flat[home][at];
	return tp_etdump_per_run(d, ns);
}

/* Operators under the names by which two builds are joined. */
struct joined {
	struct tp_names names;
	uint32_t *of;		/* by index of bases: index in names */
	uint8_t *skip;		/* by index in names: a frame, or a time that is
				 * not credible */
	int64_t *sum;
};

static void
begin_run_record(struct tp_out *out, const char *kind,
    const struct tp_etdump_run *r)
{
	tp_out_begin(out, kind);
	tp_out_text(out, "basis", "run");
	tp_out_int(out, "run_index", r->index);
}

static void
emit_categories(const struct tp_etdump *d, const struct tp_parts *total,
    const struct tp_etdump_run *r, struct tp_out *out)
{
	for (size_t i = 0; i < d->class->category_count; i++) {
		if (!total->category[i])
			continue;
		begin_run_record(out, "category.run", r);
		tp_out_text(out, "category", d->class->categories[i]);
		tp_out_int(out, "run_ns", tp_etdump_taken(d, r, i));
		tp_out_end(out);
	}
}

static void
join(struct joined *j, const struct tp_etdump *d)
{
	struct tp_buf name = { 0 };
	ptrdiff_t at;

	j->of = tp_zalloc((d->bases.count + 1) * sizeof *j->of);
	j->skip = tp_zalloc(d->bases.count + 1);
	j->sum = tp_zalloc((d->bases.count + 1) * sizeof *j->sum);
	for (size_t i = 0; i < d->bases.count; i++) {
		tp_buf_clear(&name);
		tp_op_unpacked(d->class, d->bases.names[i].text,
		    d->bases.names[i].len, &name);
		at = tp_names_add(&j->names, name.p ? name.p : "", name.len);
		j->of[i] = (uint32_t)at;
	}
	tp_buf_release(&name);
}

/*
 * Skip frames, which are not operators, and all operators if any call does not
 * fit its children: their times are not credible.
 */
static void
leave_out(struct joined *j, const struct tp_etdump *d)
{
	for (size_t i = 0; i < d->node_count; i++) {
		const struct tp_etdump_node *n = &d->nodes[i];

		if ((n->kind != TP_NO_FRAME && n->kind != TP_FRAME_CONTROL) ||
		    d->mismatches)
			j->skip[j->of[n->base]] = 1;
	}
}

static void
emit_ops(struct joined *j, const struct tp_etdump *d,
    const struct tp_etdump_run *r, struct tp_out *out)
{
	for (size_t i = 0; i < j->names.count; i++)
		j->sum[i] = 0;
	for (size_t i = 0; i < d->bases.count && i < r->op_count; i++)
		j->sum[j->of[i]] += r->op_ns[i];
	for (size_t i = 0; i < j->names.count; i++) {
		if (j->skip[i])
			continue;
		begin_run_record(out, "op.run", r);
		tp_out_bytes(out, "op_joined", j->names.names[i].text,
		    j->names.names[i].len);
		tp_out_int(out, "run_ns", tp_etdump_per_run(d, j->sum[i]));
		tp_out_end(out);
	}
}

/* Write the mean over COUNT runs of each node that is an operator, in order. */
static void
emit_nodes(const struct joined *j, const struct tp_etdump *d, size_t count,
    struct tp_out *out)
{
	for (size_t i = 0; i < d->node_count && !d->sums; i++) {
		const struct tp_etdump_node *n = &d->nodes[i];
		const struct tp_name *name = &d->names.names[n->name], *op;

		if (j->skip[j->of[n->base]])
			continue;
		op = &j->names.names[j->of[n->base]];
		tp_out_begin(out, "op.node");
		tp_out_bytes(out, "op_joined", op->text, op->len);
		tp_out_bytes(out, "node", name->text, name->len);
		tp_out_int(out, "mean_ns", tp_div_even(n->sum,
		    (tp_int128)count));
		tp_out_end(out);
	}
}

void
tp_etdump_emit_samples(const struct tp_etdump *d,
    const struct tp_parts *total, struct tp_etdump_run *const *runs,
    size_t count, struct tp_out *out)
{
	struct joined j = { 0 };

	join(&j, d);
	leave_out(&j, d);
	emit_nodes(&j, d, count, out);
	for (size_t i = 0; i < count; i++) {
		emit_categories(d, total, runs[i], out);
		emit_ops(&j, d, runs[i], out);
	}
	tp_names_release(&j.names);
	tp_free(j.of);
	tp_free(j.skip);
	tp_free(j.sum);
}
