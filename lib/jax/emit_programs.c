/* emit_programs - operations by program and by XLA category, as records */
#include <string.h>

#include <tp/alloc.h>
#include <tp/order.h>

#include "emit_private.h"

/* Operations of one program, or of one category. */
struct group {
	uint32_t text;		/* id or name, index in texts */
	const struct tp_name *name;	/* its text */
	uint32_t module;	/* of the first operation; 0: unknown */
	enum tp_jax_part part;	/* of the first operation */
	uint64_t ops, count;
	int64_t own_ps;
	struct tp_jax_costs costs;
	int64_t judged_ps;	/* time of those with a roofline */
};

struct groups {
	struct group *list;
	size_t cap;
	struct tp_ids ids;	/* texts */
};

void
tp_jax_find_programs(struct tp_jax_programs *p, const struct tp_jax_trace *c)
{
	const struct tp_tracks *t = &c->tracks;
	int is_told = 0;

	memset(p, 0, sizeof *p);
	for (size_t i = 0; i < c->ops.count && !is_told; i++)
		is_told = c->ops.list[i].program != 0;
	for (size_t i = 0; is_told && i < t->count; i++) {
		ptrdiff_t at;

		if (!t->tracks[t->slices[i].track].holds_programs)
			continue;
		at = tp_ids_add(&p->ids, t->slices[i].name, 0);
		TP_ITEM(p->counts, p->cap, at);
		p->counts[at]++;
	}
}

void
tp_jax_release_programs(struct tp_jax_programs *p)
{
	tp_ids_release(&p->ids);
	tp_free(p->counts);
}

ptrdiff_t
tp_jax_program_of(const struct tp_jax_programs *p, const struct tp_tracks *t,
    uint32_t text)
{
	const struct tp_name *id = &t->texts.names[text];

	for (size_t i = 0; i < p->ids.count; i++) {
		const struct tp_name *n = &t->names.names[p->ids.ids[i].a];
		const char *end = n->text + n->len;

		if (n->len > id->len + 2 && end[-1] == ')' &&
		    !memcmp(end - 1 - id->len, id->text, id->len) &&
		    end[-2 - (ptrdiff_t)id->len] == '(')
			return (ptrdiff_t)i;
	}
	return -1;
}

ptrdiff_t
tp_jax_out_program(struct tp_out *out, const struct tp_jax_programs *p,
    const struct tp_tracks *t, uint32_t program, uint32_t module,
    int is_named)
{
	ptrdiff_t at = tp_jax_program_of(p, t, program);

	if (is_named && at >= 0)
		out_name(out, "program", t, (uint32_t)p->ids.ids[at].a);
	else if (is_named)
		out_text(out, "program", t, module);
	if (program != module)
		out_text(out, "program_id", t, program);
	return at;
}

/* Add OP to the group of TEXT. */
static void
add(struct groups *g, const struct tp_tracks *t, uint32_t text,
    const struct tp_jax_op *op)
{
	size_t had = g->ids.count;
	ptrdiff_t at = tp_ids_add(&g->ids, text, 0);
	struct group *to;

	TP_ITEM(g->list, g->cap, at);
	to = &g->list[at];
	if ((size_t)at == had)
		*to = (struct group){ .text = text,
		    .name = &t->texts.names[text], .module = op->module,
		    .part = op->part };
	to->ops++;
	to->count += op->count;
	tp_ps_add(&to->own_ps, op->own_ps);
	/* faster than the chip allows, so the cost is wrong */
	if (op->costs.roof_ps > op->costs.ps)
		return;
	tp_jax_costs_add(&to->costs, &op->costs);
	if (op->costs.roof_ps)
		tp_ps_add(&to->judged_ps, op->costs.ps);
}

TP_ORDER(by_own, struct group, TP_DOWN(own_ps)
    TP_BY(tp_name_cmp(a->name, b->name)))

static void
sort(struct groups *g)
{
	TP_SORT(g->list, g->ids.count, by_own);
}

static void
out_group(struct tp_out *out, const struct group *g,
    const struct tp_jax_trace *c)
{
	const struct tp_jax_costs *costs = &g->costs;

	tp_out_int(out, "op_count", (int64_t)g->ops);
	tp_out_int(out, "count", (int64_t)g->count);
	tp_out_ps(out, "exclusive_ns", g->own_ps);
	tp_out_ratio(out, "exclusive_ratio", g->own_ps, c->ops.own_ps);
	if (!costs->ps)
		return;
	tp_out_ps(out, "costed_ns", costs->ps);
	out_rate(out, "work_flops_per_s", costs->flops, costs->ps);
	out_rate(out, "hbm_bytes_per_s", costs->bytes, costs->ps);
	if (!costs->roof_ps)
		return;
	tp_out_ratio(out, "roofline_of_time_factor", costs->roof_ps,
	    g->judged_ps);
	tp_out_ps(out, "above_roofline_ns", g->judged_ps - costs->roof_ps);
}

static void
emit_programs(const struct groups *g, const struct tp_jax_programs *p,
    const struct tp_jax_trace *c, struct tp_out *out)
{
	const struct tp_tracks *t = &c->tracks;

	for (size_t i = 0; i < g->ids.count; i++) {
		ptrdiff_t at;

		tp_out_begin(out, "op.program");
		tp_out_int(out, "rank", (int64_t)i + 1);
		at = tp_jax_out_program(out, p, t, g->list[i].text,
		    g->list[i].module, 1);
		if (at >= 0)
			tp_out_int(out, "execution_count",
			    (int64_t)p->counts[at]);
		out_group(out, &g->list[i], c);
		tp_out_end(out);
	}
}

static void
emit_categories(const struct groups *g, const struct tp_jax_trace *c,
    struct tp_out *out)
{
	for (size_t i = 0; i < g->ids.count; i++) {
		tp_out_begin(out, "op.hlo_category");
		tp_out_int(out, "rank", (int64_t)i + 1);
		out_text(out, "hlo_category", &c->tracks, g->list[i].text);
		tp_out_text(out, "category",
		    tp_jax_part_name(g->list[i].part));
		out_group(out, &g->list[i], c);
		tp_out_end(out);
	}
}

void
tp_jax_emit_programs(const struct tp_jax_trace *c,
    const struct tp_jax_programs *run, struct tp_out *out)
{
	struct groups programs = { 0 }, categories = { 0 };

	for (size_t i = 0; i < c->ops.count; i++) {
		const struct tp_jax_op *op = &c->ops.list[i];

		if (op->program)
			add(&programs, &c->tracks, op->program, op);
		if (op->category)
			add(&categories, &c->tracks, op->category, op);
	}
	sort(&programs);
	sort(&categories);
	emit_programs(&programs, run, c, out);
	emit_categories(&categories, c, out);
	tp_ids_release(&programs.ids);
	tp_ids_release(&categories.ids);
	tp_free(programs.list);
	tp_free(categories.list);
}
