/* torch_emit_perf - what operations of a PyTorch trace did, as records */
#include <string.h>

#include "torch_rows.h"

static void
out_name(const struct torch_rows *p, const struct tp_torch_counted *c)
{
	const struct tp_name *n = tp_torch_name(p->t,
	    &p->t->events[c->event]), *k;
	struct tp_buf name = { 0 };

	tp_buf_add(&name, n->text, n->len);
	if (c->work != TP_TORCH_NO) {
		k = tp_torch_name(p->t, &p->t->events[c->work]);
		tp_buf_str(&name, "->");
		tp_buf_add(&name, k->text, k->len);
		tp_buf_str(&name, " (Synthetic Op)");
	}
	if (!name.failed)
		tp_out_bytes(p->o->out, "op", name.p, name.len);
	tp_buf_release(&name);
}

/* By its name, else by the first kernel that it launched itself. */
static unsigned
category(const struct torch_rows *p, const struct tp_torch_counted *c)
{
	const struct tp_torch_launchers *l = &p->o->file->launchers;
	const struct tp_torch_event *e = &p->t->events[c->event];
	const struct tp_torch_name *name = tp_torch_trait(p->t, e);
	uint32_t first, last;

	if (c->work != TP_TORCH_NO)
		return tp_torch_trait(p->t,
		    &p->t->events[c->work])->kernel_category;
	tp_torch_links_below(p->t, e, &first, &last);
	for (; !name->is_known && first < last; first++) {
		uint32_t at = l->of[p->t->links[first].work];

		if (at != TP_TORCH_NO && l->list[at].event == c->event)
			return l->list[at].category;
	}
	return name->category;
}

static int
emit_unified(struct torch_rows *p, const struct tp_torch_row *row)
{
	const struct tp_torch_counted *c = torch_rows_first(p, row);
	const struct tp_torch_event *e = &p->t->events[c->event];
	struct tp_torch_stat host = tp_torch_stat(&p->table, row, p->host);
	struct tp_torch_perf perf;

	memset(&perf, 0, sizeof perf);
	perf.cost.flops = perf.cost.bytes = -1;
	perf.tabled = perf.cost;
	if (c->work == TP_TORCH_NO &&
	    torch_rows_evaluate(p, c, NULL, &perf) < 0)
		return -1;
	torch_begin(p->o, "op.perf");
	out_name(p, c);
	tp_out_text(p->o->out, "category",
	    tp_torch_category_name(p->t->ops, category(p, c)));
	torch_lane(p->o, e->lane);
	torch_call(p->o, e, 1);
	tp_out_bool(p->o->out, "has_model", perf.has_model);
	torch_rows_times(p, row);
	tp_out_ratio(p->o->out, "gpu_ratio", row->sum_ps, p->table.sum_ps);
	torch_stat(p->o, "host", &host);
	torch_rows_perf(p, row, &perf);
	tp_out_end(p->o->out);
	return 0;
}

/* Alike: name, kernel, category, names of process and thread, arguments. */
static int
group_unified(struct torch_rows *p)
{
	struct tp_ids ids = { 0 }, calls = { 0 };
	ptrdiff_t at = 0;

	for (size_t i = 0; at >= 0 && i < p->counts.count; i++) {
		const struct tp_torch_counted *c = &p->counts.list[i];
		const struct tp_torch_event *e = &p->t->events[c->event];
		uint64_t work = c->work == TP_TORCH_NO ? 0 :
		    (uint64_t)p->t->events[c->work].name + 1;

		at = tp_ids_add(&calls, (uint64_t)e->name << 32 | work,
		    (uint64_t)(e->cat == TP_TORCH_OP ? e->args : 0) << 16 |
		    category(p, c));
		if (at >= 0)
			at = tp_ids_add(&ids, (uint64_t)at,
			    p->o->lane_group[e->lane]);
		p->groups[i] = (uint32_t)at;
	}
	if (at >= 0)
		at = tp_torch_table(&p->table, p->groups, p->gpu,
		    p->counts.count, ids.count);
	tp_ids_release(&ids);
	tp_ids_release(&calls);
	return at < 0 ? tp_fail_memory(p->err) : 0;
}

static int
unified(struct torch_rows *p, const struct tp_torch_passes *passes)
{
	if (tp_torch_unify(&p->counts, p->t, &p->o->file->launchers, passes,
	    p->o->models, p->err) < 0 || torch_rows_init(p) < 0 ||
	    group_unified(p) < 0)
		return -1;
	for (size_t i = 0; i < p->table.count; i++)
		if (emit_unified(p, &p->table.rows[i]) < 0)
			return -1;
	return 0;
}

int
torch_emit_perf(const struct torch_out *o, struct tp_err *err)
{
	struct tp_torch_passes passes = { 0 };
	int rc = tp_torch_passes(&passes, &o->file->torch, err);

	for (int i = 0; !rc && i < 3; i++) {
		struct torch_rows p = { .o = o, .t = &o->file->torch,
		    .err = err };

		rc = !i ? unified(&p, &passes) : torch_emit_models(&p, &passes,
		    i == 2);
		torch_rows_release(&p);
	}
	tp_torch_passes_release(&passes);
	return rc;
}
